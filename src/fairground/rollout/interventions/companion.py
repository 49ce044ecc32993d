"""Who sits beside an agent during an episode: what the episode loop asks of it, and what it tells it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from fairground.agents.models import Usage
from fairground.core import Action, Frame, State, Verdict
from fairground.worlds import World


@dataclass(frozen=True)
class Scene:
    """Where an episode begins.

    Attributes:
        world: The world.
        before: Its state before anything was touched.
        first: The first frame.
    """

    world: World
    before: State
    first: Frame


@dataclass(frozen=True)
class Ending:
    """The agent says that it has ended.

    Attributes:
        action: How: done, fail or answer.
        step: Which step it is.
        frames: What was on the screen until then: the first, some between, the last.
        verdict: How it was judged; None before it was.
    """

    action: Action
    step: int
    frames: Sequence[Frame]
    verdict: Verdict | None = None


class Companion(Protocol):
    """Sits beside an agent for one episode. The time that it takes is not the agent's.

    What any of these raises is the episode's error, and never a score.

    Attributes:
        user: Answers `call_user`, given what was asked and the frames so far; None when nobody does.
    """

    user: Callable[[str, Sequence[Frame]], str] | None

    def brief(self, scene: Scene) -> str:
        """The instruction as the agent gets it."""

    def audit(self, ending: Ending) -> str | None:
        """Before the end is judged: an objection that sends the agent back within its budget, or None."""

    def review(self, ending: Ending) -> str | None:
        """After the end was judged: a message that sends the agent back with a fresh budget, or None."""

    def extra(self, own: Usage | None) -> dict[str, Any]:
        """What the episode's record gains, given what the agent itself has used."""


class Album:
    """Frames of an episode, the first, the last and some between, evenly: as many as anybody will look at.

    Args:
        limit: The most that are kept.
    """

    def __init__(self, limit: int = 12) -> None:
        self._limit = max(limit, 3)
        self._stride = 1
        self._kept: list[Frame] = []
        self._count = 0
        self._last: Frame | None = None

    def add(self, frame: Frame) -> None:
        """One more; memory does not grow with the episode."""
        if self._count % self._stride == 0:
            self._kept.append(frame)
        self._count += 1
        self._last = frame
        if len(self._kept) >= self._limit:
            self._kept = self._kept[::2]
            self._stride *= 2

    @property
    def frames(self) -> tuple[Frame, ...]:
        """What is kept, in order."""
        if self._last is None or self._kept[-1] is self._last:
            return tuple(self._kept)
        return (*self._kept, self._last)
