"""The companion of an agent during an episode: the interface that the episode loop calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from fairground.agents.models import Usage
from fairground.core import Action, Frame, State, Verdict
from fairground.worlds import World


@dataclass(frozen=True)
class Scene:
    """The start of an episode.

    Attributes:
        world: The world.
        before: Its initial state.
        first: The first frame.
    """

    world: World
    before: State
    first: Frame


@dataclass(frozen=True)
class Ending:
    """The agent declared the episode ended.

    Attributes:
        action: The ending action: done, fail or answer.
        step: Index of that step.
        frames: Frames up to then: the first, some between, the last.
        verdict: The verdict; None before judging.
    """

    action: Action
    step: int
    frames: Sequence[Frame]
    verdict: Verdict | None = None


class Companion(Protocol):
    """Accompanies an agent for one episode. Its time does not count as the agent's.

    An exception raised here makes the episode errored; it is never a score.

    Attributes:
        user: Answers `call_user`, given the question and the frames so far. None if nobody answers.
    """

    user: Callable[[str, Sequence[Frame]], str] | None

    def brief(self, scene: Scene) -> str:
        """Return the instruction as the agent gets it."""

    def audit(self, ending: Ending) -> str | None:
        """Called before judging. Returns an objection that sends the agent back within its budget, or None."""

    def review(self, ending: Ending) -> str | None:
        """Called after judging. Returns a message that sends the agent back with a fresh budget, or None."""

    def extra(self, own: Usage | None) -> dict[str, Any]:
        """Return what to add to the episode's record, given the agent's own usage."""


class Album:
    """A bounded sample of an episode's frames: the first, the last, and some evenly spaced between.

    Args:
        limit: Maximum number of frames kept.
    """

    def __init__(self, limit: int = 12) -> None:
        self._limit = max(limit, 3)
        self._stride = 1
        self._kept: list[Frame] = []
        self._count = 0
        self._last: Frame | None = None

    def add(self, frame: Frame) -> None:
        """Add a frame. Memory does not grow with the episode."""
        if self._count % self._stride == 0:
            self._kept.append(frame)
        self._count += 1
        self._last = frame
        if len(self._kept) >= self._limit:
            self._kept = self._kept[::2]
            self._stride *= 2

    @property
    def frames(self) -> tuple[Frame, ...]:
        """The kept frames, in order."""
        if self._last is None or self._kept[-1] is self._last:
            return tuple(self._kept)
        return (*self._kept, self._last)
