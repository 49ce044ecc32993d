"""Behaviour measures of one episode, computed from its actions, thoughts, frames and times.

The measures do not use the outcome. `behaviour_by_outcome` compares them with it.

Shared definitions:

- An *act* is a step that does not end the episode. Measures are computed over acts, because every agent ends only once.
- Two frames are the same if their pixels are equal. A blinking cursor or a clock makes equal screens differ, so
  measures based on equal frames are lower bounds there.
- A *place* is a square cell of the screen. Its side is 1/50 of the longer edge, about the size of a small button.
- Two acts are *alike* if they have the same kind, the same button, keys or text, and points less than one cell side
  apart. For scrolls the direction counts, the distance does not.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Literal, TypeAlias

from fairground.core import Action, Drag, EpisodeError, Point, Scroll, Step
from fairground.rollout.folder import EpisodeFolder

PLACES = 50
"""Number of places along the longer edge of the screen."""

STRETCH = 3
"""Minimum number of alike acts in a row that counts as repetition."""

GRAM = 3
"""Length of the act sequences whose repetition is counted."""

RECONSIDERING: tuple[str, ...] = (
    "actually", "adjust", "alternative approach", "another approach", "another way", "different approach",
    "different way", "did not work", "didn't work", "does not work", "doesn't work", "failed to", "go back",
    "has not changed", "hasn't changed", "hmm", "incorrect", "instead", "mistake", "mistakenly", "no effect",
    "not working", "nothing happened", "on second thought", "oops", "reconsider", "rethink", "retry", "start over",
    "that's not", "try again", "trying again", "undo", "unexpected", "unexpectedly", "wrong",
)  # fmt: skip
"""A thought that contains one of these words counts as reconsidering. English only; whole words, case-insensitive."""

Unit: TypeAlias = Literal["share", "count", "ms"]


@dataclass(frozen=True)
class Measure:
    """Describes one behaviour measure.

    Attributes:
        unit: Unit of the values: a share, a count, or milliseconds.
        title: Column title in tables.
        meaning: One-sentence definition.
    """

    unit: Unit
    title: str
    meaning: str


MEASURES: Mapping[str, Measure] = {
    "steps": Measure("count", "steps", "Number of steps in the episode, including the one that ends it."),
    "repeats": Measure(
        "share", "same as before", "Share of acts, from the second on, that are alike with the previous act."
    ),
    "repetition": Measure("share", "repetition", f"Share of acts that are in a row of {STRETCH} or more alike acts."),
    "grams": Measure(
        "share", "sequences again", f"Share of sequences of {GRAM} acts that already occurred in the episode."
    ),
    "retries": Measure(
        "share", "retries", "Share of acts that were already tried on exactly the same frame, except looks and waits."
    ),
    "idle": Measure(
        "share", "no effect", "Share of accepted acts that touched something but left the frame unchanged."
    ),
    "returns": Measure(
        "share", "returns", "Share of acts that led back to a frame that was seen before and left since."
    ),
    "new_frames": Measure("share", "new frames", "Number of frames not seen before, per act."),
    "places": Measure("share", "new places", "Number of distinct places pressed, per press."),
    "reflection": Measure("share", "reflection", "Share of steps with a thought whose thought reconsiders."),
    "self_checks": Measure(
        "count", "self-checks", "Number of looks back between the last change and the end; see `measure`."
    ),
    "self_checked": Measure("share", "self-checked", "Whether there was at least one self-check."),
    "questions": Measure("count", "questions", "Number of times the agent asked the user something (call_user)."),
    "refused": Measure("share", "refused", "Share of steps whose action was refused."),
    "agent_ms": Measure("ms", "agent time", "Milliseconds per step that the agent took to decide."),
    "settle_ms": Measure("ms", "settle time", "Milliseconds per step until the screen settled."),
}
"""The measures, keyed by the field names of `Behaviour`."""


@dataclass(frozen=True)
class Behaviour:
    """The measures of one episode, defined in `MEASURES`. A measure is None if there is nothing to measure.

    Attributes:
        ended: How the episode ended: the kind of the agent's last action (`done`, `answer`, `fail`), or what ended it
            instead (`step_budget`, `time_budget`, `agent_error`, `seat`, `error`).
    """

    steps: float
    repeats: float | None
    repetition: float | None
    grams: float | None
    retries: float | None
    idle: float | None
    returns: float | None
    new_frames: float | None
    places: float | None
    reflection: float | None
    self_checks: float | None
    self_checked: float | None
    questions: float
    refused: float | None
    agent_ms: float | None
    settle_ms: float | None
    ended: str


def measure(folder: EpisodeFolder) -> Behaviour:
    """Compute the behaviour measures of an episode.

    Self-checks are counted backwards from the end, until the first act that may have changed something. A self-check is
    a look, a scroll, a pointer movement, or a press or key that only brought back an earlier frame (such as reopening
    what was saved). Waits, questions and refused acts are skipped. The measure is None if the agent did not declare
    that it was done, or if nothing was changed that could be checked.

    Raises:
        EpisodeError: If the first frame, which has the screen's size, cannot be read.
    """
    steps = folder.steps
    acts = [step for step in steps if not step.action.ends or step.refused]
    trail = _Trail.of(folder, acts)
    checks = _self_checks(folder, trail)
    spoken = [step.thought for step in steps if step.thought.strip()]
    presses = [place for place in trail.pressed if place is not None]
    grams = [tuple(trail.signs[at : at + GRAM]) for at in range(len(acts) - GRAM + 1)]
    touched = [at for at, act in enumerate(acts) if _touches(act.action) and not act.refused]
    return Behaviour(
        steps=float(len(steps)),
        repeats=_share(sum(trail.alike), len(trail.alike)),
        repetition=_share(sum(size for size in _stretches(trail.alike) if size >= STRETCH), len(acts)),
        grams=_share(len(grams) - len(set(grams)), len(grams)),
        retries=_share(sum(trail.retried()), len(acts)),
        idle=_share(sum(trail.before[at] == trail.after[at] for at in touched), len(touched)),
        returns=_share(sum(trail.returned), len(acts)),
        new_frames=_share(len({*trail.before, *trail.after}) - 1, len(acts)),
        places=_share(len(set(presses)), len(presses)),
        reflection=_share(sum(map(reconsiders, spoken)), len(spoken)),
        self_checks=None if checks is None else float(checks),
        self_checked=None if checks is None else float(checks > 0),
        questions=float(sum(step.action.kind == "call_user" for step in steps)),
        refused=_share(sum(bool(step.refused) for step in steps), len(steps)),
        agent_ms=_share(sum(step.agent_ms for step in steps), len(steps)),
        settle_ms=_share(sum(step.settle_ms for step in steps), len(steps)),
        ended=_ended(folder),
    )


def reconsiders(thought: str) -> bool:
    """Return whether a thought contains one of the words in `RECONSIDERING`."""
    return _RECONSIDERING.search(thought.replace("\u2019", "'").lower()) is not None


_RECONSIDERING = re.compile(r"\b(?:" + "|".join(map(re.escape, RECONSIDERING)) + r")\b")
_WATCHING = ("look", "scroll", "move")  # kinds that only observe
_PASSED_OVER = ("wait", "call_user")  # kinds that neither check nor change anything
_PRESSING = ("click", "mouse_down", "drag")

_Sign: TypeAlias = tuple[object, ...]
"""Hashable signature of an act: its form and the places of its points."""


@dataclass(frozen=True)
class _Trail:
    """The acts of an episode, with the frames before and after each."""

    acts: Sequence[Step]
    signs: Sequence[_Sign]
    pressed: Sequence[tuple[int, int] | None]
    alike: Sequence[bool]
    before: Sequence[str]
    after: Sequence[str]
    returned: Sequence[bool]

    @classmethod
    def of(cls, folder: EpisodeFolder, acts: Sequence[Step]) -> _Trail:
        if not acts:
            return cls((), (), (), (), (), (), ())
        if not folder.episode.first_frame:
            raise EpisodeError(f"{folder.path}: the episode has steps but no first frame")
        width, height = folder.frame_size(folder.episode.first_frame)
        side = max(width, height) / PLACES
        points = [_points(act.action, width, height) for act in acts]
        forms = [_form(act.action) for act in acts]
        places = [tuple((int(x // side), int(y // side)) for x, y in pixels) for pixels in points]
        before = [folder.digests[act.index] for act in acts]
        after = [act.frame for act in acts]
        return cls(
            acts=acts,
            signs=[(form, cells) for form, cells in zip(forms, places, strict=True)],
            pressed=[cells[0] if act.action.kind in _PRESSING and cells else None
                     for act, cells in zip(acts, places, strict=True)],
            alike=[form == following and _near(*where, side)
                   for (form, following), where in zip(pairwise(forms), pairwise(points), strict=True)],
            before=before,
            after=after,
            returned=_returned(before, after),
        )  # fmt: skip

    def retried(self) -> Iterator[bool]:
        tried: set[tuple[str, _Sign]] = set()
        for act, sign, frame in zip(self.acts, self.signs, self.before, strict=True):
            again = (frame, sign) in tried
            if act.action.kind not in ("look", "wait", "call_user"):
                tried.add((frame, sign))
            yield again


def _returned(before: Sequence[str], after: Sequence[str]) -> list[bool]:
    """Return for each act whether it led back to a frame that had been left."""
    returned = []
    seen = set(before[:1])
    for old, new in zip(before, after, strict=True):
        returned.append(new != old and new in seen)
        seen.add(new)
    return returned


def _self_checks(folder: EpisodeFolder, trail: _Trail) -> int | None:
    if _ended(folder) not in ("done", "answer"):
        return None
    checks = 0
    for act, returned in zip(reversed(trail.acts), reversed(trail.returned), strict=True):
        kind = act.action.kind
        if act.refused or kind in _PASSED_OVER:
            continue
        if kind in _WATCHING or (returned and kind in ("click", "key")):
            checks += 1
            continue
        return checks
    return None  # nothing was changed


def _ended(folder: EpisodeFolder) -> str:
    last = folder.steps[-1] if folder.steps else None
    if folder.episode.ended_by == "agent" and last is not None and last.action.ends and not last.refused:
        return last.action.kind
    return folder.episode.ended_by


def _stretches(alike: Sequence[bool]) -> Iterator[int]:
    """Return the length of each run of alike acts."""
    return (sum(1 for _ in group) + 1 for same, group in groupby(alike) if same)


def _touches(action: Action) -> bool:
    return action.kind not in ("look", "wait", "call_user", "move")


def _form(action: Action) -> _Sign:
    """Return the parts of an action that identify it, except its position and distance."""
    data = action.model_dump(exclude={"point", "path", "region", "space", "dx", "dy", "unit"})
    way = (_sign(action.dx), _sign(action.dy)) if isinstance(action, Scroll) else ()
    return (*data.values(), way)


def _points(action: Action, width: int, height: int) -> tuple[Point, ...]:
    """Return the points of an action in pixels. They may lie off the screen: refused actions are measured too."""
    if isinstance(action, Drag):
        points: tuple[Point, ...] = (action.path[0], action.path[-1])
    else:
        points = action.points
    space = getattr(action, "space", "pixels")
    top = {"unit": 1.0, "grid999": 999.0, "grid1000": 1000.0}.get(space)
    across, down = (1.0, 1.0) if top is None else (width / top, height / top)
    return tuple((_bounded(x) * across, _bounded(y) * down) for x, y in points)


def _bounded(number: float) -> float:
    """Clamp a coordinate to a range that is safe to compute with: an agent may send 1e308."""
    return max(-1e9, min(number, 1e9))


def _near(points: Sequence[Point], next_points: Sequence[Point], side: float) -> bool:
    return len(points) == len(next_points) and all(
        math.dist(a, b) < side for a, b in zip(points, next_points, strict=True)
    )


def _sign(number: float) -> int:
    return (number > 0) - (number < 0)


def _share(part: float, total: int) -> float | None:
    return part / total if total else None
