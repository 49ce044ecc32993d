"""An episode as one looks at it: what the agent saw, and what it did about it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fairground.core import Step
from fairground.rollout.folder import EpisodeFolder


@dataclass(frozen=True)
class Scene:
    """What was on the screen, and the action that was aimed at it.

    Attributes:
        number: Counted from 1.
        frame: Digest of what the agent saw.
        step: What it did; None at the end, where only what was left is shown.
        cursor: Where the pointer was, as far as is known.
    """

    number: int
    frame: str
    step: Step | None
    cursor: tuple[int, int] | None


def scenes_of(folder: EpisodeFolder) -> Iterator[Scene]:
    """Every step with the frame that the agent saw before it, and at last the frame it left behind."""
    seen, cursor = folder.episode.first_frame, None
    for step in folder.steps:
        yield Scene(step.index + 1, seen, step, cursor)
        seen, cursor = step.frame, step.cursor or cursor
    if seen:
        yield Scene(len(folder.steps) + 1, seen, None, cursor)


def outcome_of(folder: EpisodeFolder) -> str:
    """The outcome in one word; an episode that was cut short has none, whatever it says."""
    return folder.episode.outcome.value if folder.complete and folder.episode.outcome else "incomplete"
