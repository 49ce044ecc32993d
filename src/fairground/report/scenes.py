"""An episode as a sequence of scenes: what the agent saw, and its action."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fairground.core import Step
from fairground.rollout.folder import EpisodeFolder


@dataclass(frozen=True)
class Scene:
    """A frame and the action on it.

    Attributes:
        number: Counted from 1.
        frame: Digest of what the agent saw.
        step: The step; None for the final screen.
        cursor: Position of the pointer, if known.
    """

    number: int
    frame: str
    step: Step | None
    cursor: tuple[int, int] | None


def scenes_of(folder: EpisodeFolder) -> Iterator[Scene]:
    """Return every step with the frame that the agent saw before it, and the final frame."""
    seen, cursor = folder.episode.first_frame, None
    for step in folder.steps:
        yield Scene(step.index + 1, seen, step, cursor)
        seen, cursor = step.frame, step.cursor or cursor
    if seen:
        yield Scene(len(folder.steps) + 1, seen, None, cursor)


def outcome_of(folder: EpisodeFolder) -> str:
    """Return the outcome as one word. An episode that was cut short is always `incomplete`."""
    return folder.episode.outcome.value if folder.complete and folder.episode.outcome else "incomplete"
