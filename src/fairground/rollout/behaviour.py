"""How an agent went about it: measures of one episode, from its actions, thoughts, frames and times alone.

Nothing here knows whether the episode passed. `behaviour_by_outcome` sets the measures against that.

What the definitions have in common:

- An *act* is a step that does not end the episode. Measures are over acts, because every agent ends but once.
- Two frames are the same when their pixels are. A blinking cursor or a clock makes two of one, so measures that rest
  on equal frames are lower bounds on such screens.
- A *place* is a square of the screen with a side of a fiftieth of the longer edge: about the size of a small button.
- Two acts are *alike* when they are of one kind, with the same button, keys or text, and at points that are less than
  such a side apart. How far a scroll goes does not matter, only where to.
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
"""Places along the longer edge of the screen."""

STRETCH = 3
"""Acts in a row that are alike, from which on they count as repetition."""

GRAM = 3
"""Length of the sequences of acts whose repetition is counted."""

RECONSIDERING: tuple[str, ...] = (
    "actually", "adjust", "alternative approach", "another approach", "another way", "different approach",
    "different way", "did not work", "didn't work", "does not work", "doesn't work", "failed to", "go back",
    "has not changed", "hasn't changed", "hmm", "incorrect", "instead", "mistake", "mistakenly", "no effect",
    "not working", "nothing happened", "on second thought", "oops", "reconsider", "rethink", "retry", "start over",
    "that's not", "try again", "trying again", "undo", "unexpected", "unexpectedly", "wrong",
)  # fmt: skip
"""Words that make a thought one that reconsiders. English only, whole words, whatever their case."""

Unit: TypeAlias = Literal["share", "count", "ms"]


@dataclass(frozen=True)
class Measure:
    """One of the measures.

    Attributes:
        unit: What its values are: a share of something, a number of things, or milliseconds.
        title: What it is called in a table.
        meaning: What it is, in a sentence.
    """

    unit: Unit
    title: str
    meaning: str


MEASURES: Mapping[str, Measure] = {
    "steps": Measure("count", "steps", "Steps of the episode, the one that ends it too."),
    "repeats": Measure("share", "same as before", "Acts, from the second on, that are alike with the one before."),
    "repetition": Measure("share", "repetition", f"Acts that stand in a row of {STRETCH} or more that are alike."),
    "grams": Measure(
        "share", "sequences again", f"Sequences of {GRAM} acts that came before in the episode, of all such sequences."
    ),
    "retries": Measure(
        "share", "retries", "Acts that were tried before on the very same frame; looks and waits aside."
    ),
    "idle": Measure(
        "share", "no effect", "Acts that touched something, were not refused, and left the frame as it was."
    ),
    "returns": Measure("share", "returns", "Acts that led back to a frame that was seen before and left since."),
    "new_frames": Measure("share", "new frames", "Frames that were not seen before, for each act."),
    "places": Measure("share", "new places", "Distinct places that were pressed, for each press."),
    "reflection": Measure("share", "reflection", "Steps with a thought that reconsiders, of all steps with a thought."),
    "self_checks": Measure("count", "self-checks", "Looks back between the last change and the end; see `measure`."),
    "self_checked": Measure("share", "self-checked", "Whether there was such a look."),
    "questions": Measure("count", "questions", "Times that the person was asked something (call_user)."),
    "refused": Measure("share", "refused", "Steps whose action was refused."),
    "agent_ms": Measure("ms", "agent time", "Milliseconds a step that the agent took to decide."),
    "settle_ms": Measure("ms", "settle time", "Milliseconds a step until the screen was quiet."),
}
"""The measures, by the names of the fields of `Behaviour`."""


@dataclass(frozen=True)
class Behaviour:
    """The measures of one episode; `MEASURES` says what each is. None where there is nothing to measure.

    Attributes:
        ended: How it ended: the kind of the agent's last action (`done`, `answer`, `fail`), or what ended it instead
            (`step_budget`, `time_budget`, `agent_error`, `seat`, `error`).
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
    """Measures an episode.

    Self-checks: going back from the end, looks at what was done are counted until an act is met that may have changed
    something. A look is a look, a scroll, a pointer moved; or a press or key that only brought back a frame seen
    before, such as opening again what was saved. Waits, questions and refused acts are passed over. None where the
    agent did not say that it was done, or where nothing was changed that could be checked.

    Raises:
        EpisodeError: When the first frame, which has the screen's size, cannot be read.
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
    """Whether a thought has one of the words of `RECONSIDERING` in it."""
    return _RECONSIDERING.search(thought.replace("\u2019", "'").lower()) is not None


_RECONSIDERING = re.compile(r"\b(?:" + "|".join(map(re.escape, RECONSIDERING)) + r")\b")
_WATCHING = ("look", "scroll", "move")  # kinds that show something and change nothing
_PASSED_OVER = ("wait", "call_user")  # kinds that neither check nor change
_PRESSING = ("click", "mouse_down", "drag")

_Sign: TypeAlias = tuple[object, ...]
"""An act as far as sets can tell it from others: its form and the places of its points."""


@dataclass(frozen=True)
class _Trail:
    """The acts of an episode, with what was seen before and after each."""

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
            raise EpisodeError(f"{folder.path}: there are steps, and no first frame")
        width, height = folder.frame_size(folder.episode.first_frame)
        side = max(width, height) / PLACES
        points = [_points(act.action, width, height) for act in acts]
        forms = [_form(act.action) for act in acts]
        places = [tuple((int(x // side), int(y // side)) for x, y in some) for some in points]
        before = [folder.digests[act.index] for act in acts]
        after = [act.frame for act in acts]
        return cls(
            acts=acts,
            signs=[(form, some) for form, some in zip(forms, places, strict=True)],
            pressed=[some[0] if act.action.kind in _PRESSING and some else None
                     for act, some in zip(acts, places, strict=True)],
            alike=[one == other and _near(*where, side)
                   for (one, other), where in zip(pairwise(forms), pairwise(points), strict=True)],
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
    """For each act, whether it led back to a frame that had been left."""
    found = []
    seen = set(before[:1])
    for old, new in zip(before, after, strict=True):
        found.append(new != old and new in seen)
        seen.add(new)
    return found


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
    """How many acts stand in each row of acts that are alike."""
    return (sum(1 for _ in group) + 1 for same, group in groupby(alike) if same)


def _touches(action: Action) -> bool:
    return action.kind not in ("look", "wait", "call_user", "move")


def _form(action: Action) -> _Sign:
    """What makes an action what it is, but for where and how far."""
    data = action.model_dump(exclude={"point", "path", "region", "space", "dx", "dy", "unit"})
    way = (_sign(action.dx), _sign(action.dy)) if isinstance(action, Scroll) else ()
    return (*data.values(), way)


def _points(action: Action, width: int, height: int) -> tuple[Point, ...]:
    """The points of an action in pixels, whether or not they are on the screen: what was refused is measured too."""
    if isinstance(action, Drag):
        points: tuple[Point, ...] = (action.path[0], action.path[-1])
    else:
        points = action.points
    space = getattr(action, "space", "pixels")
    top = {"unit": 1.0, "grid999": 999.0, "grid1000": 1000.0}.get(space)
    across, down = (1.0, 1.0) if top is None else (width / top, height / top)
    return tuple((_bounded(x) * across, _bounded(y) * down) for x, y in points)


def _bounded(number: float) -> float:
    """A coordinate that can be reckoned with: an agent may say 1e308."""
    return max(-1e9, min(number, 1e9))


def _near(one: Sequence[Point], other: Sequence[Point], side: float) -> bool:
    return len(one) == len(other) and all(math.dist(a, b) < side for a, b in zip(one, other, strict=True))


def _sign(number: float) -> int:
    return (number > 0) - (number < 0)


def _share(part: float, whole: int) -> float | None:
    return part / whole if whole else None
