"""An episode as data to be replayed: for the replay's pages, for the arena, and for programs.

Without `anonymous` it says everything. With it, nothing by which one could tell who acted: who, what it cost and how it
ended are all in `about`, which is then left out. What remains is said in the same words for everybody, and all steps
take the same time.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from typing import Any, Final

from pydantic import Field

from fairground.arena.identification import key_text
from fairground.arena.redaction import Redactor
from fairground.core import (
    Answer,
    CallUser,
    Check,
    EpisodeError,
    Fail,
    InvalidAction,
    Key,
    KeyDown,
    Record,
    Scroll,
    Step,
    Type,
    Verdict,
)
from fairground.core.action import Action
from fairground.report.describe import describe, evidence
from fairground.report.marks import Box, Mark, Ring, Trail, arrow_head, caption, marks, scale
from fairground.report.scenes import outcome_of, scenes_of
from fairground.rollout.folder import EpisodeFolder
from fairground.rollout.video import hold_times

LONG: Final = 20_000
"""Characters of one thought, text or value at most; the episode's files hold the rest."""

_ALL: Final = 4_000_000  # characters of all thoughts together, so that 500 long ones still open at once
_SHORT: Final = 48  # characters of typed text that the words about an action quote
_MESSAGES: Final = 20
_MOST: Final = 1e15  # tokens or dollars; whoever says more did not count them
_PACE: Final = 1.5  # seconds of each step of an anonymous replay
_MARGIN: Final = 200  # characters that are redacted beyond those that are shown

Point = tuple[float, float]


class Picture(Record):
    """A frame, by its address."""

    url: str
    width: int
    height: int
    unit: float = Field(description="how large to draw on it: 1 on a screen of 1280 by 720")


class Shape(Record):
    """Something drawn on a frame to show where an action was aimed, in pixels of the frame."""

    kind: str = Field(description="ring: a press; trail: a drag or scroll; box: a part that was looked at")
    points: tuple[Point, ...] = Field(description="of a box: left top and right bottom")
    count: int = Field(1, description="rings around a point, one a click")
    head: tuple[Point, ...] = Field((), description="corners of a trail's arrow head")


class ReplayStep(Record):
    """What was seen, what was done about it, and what came of that."""

    number: int = Field(description="counted from 1")
    frame: str = Field(description="digest of what the agent saw; empty when it was not recorded")
    after: str = Field(description="digest of what was seen after it")
    action: dict[str, Any]
    words: str = Field(description="the action in words")
    caption: str = Field(description="what is written over the frame: typed text, keys, an answer")
    text: str = Field(description="text of the action that `words` cuts")
    shapes: tuple[Shape, ...]
    cursor: tuple[int, int] | None = Field(description="where the pointer was before")
    begins: float = Field(description="seconds since the episode began, when what the agent saw was there")
    hold: float = Field(description="seconds to show it for, so that one can follow")
    refused: str
    thought: str
    thought_length: int = Field(description="characters that the agent wrote; no more than fit, when anonymous")
    messages: tuple[str, ...]
    agent_ms: float | None = None
    act_ms: float | None = None
    settle_ms: float | None = None
    settled: bool = True
    tree: str | None = Field(None, description="address of the accessibility tree of what the agent saw, if recorded")


class ReplayEnd(Record):
    """What was left on the screen."""

    frame: str
    begins: float
    hold: float


class Usage(Record):
    """What a model's use came to, as far as the agent said."""

    requests: int | None = None
    tokens: int | None = None
    dollars: float | None = None


class About(Record):
    """Whose episode it is and how it ended: what an anonymous replay does not say."""

    id: str
    agent: str
    configuration: str
    started: str
    outcome: str = Field(description="passed, failed, errored, invalid; incomplete when the recording was cut short")
    ended_by: str
    answer: str | None
    error: str
    verdict: Verdict | None = Field(description="evidence that is too long is cut to text")
    usage: Usage | None
    notes: tuple[str, ...]
    problems: tuple[str, ...] = Field(description="what an incomplete episode lost")
    logs: tuple[str, ...]
    video: bool


class Replay(Record):
    """A whole episode, without its pictures."""

    instruction: str
    step_budget: int
    complete: bool
    seconds: float
    pictures: dict[str, Picture] = Field(description="by digest; one that was lost is not there")
    thumbnails: str | None = Field(description="address of small pictures, before `DIGEST.webp`; null: there are none")
    steps: tuple[ReplayStep, ...]
    total: int = Field(description="steps of the episode, which may be more than are told here")
    end: ReplayEnd | None
    about: About | None = Field(description="null in an anonymous replay")


def replay_data(
    folder: EpisodeFolder,
    *,
    frame_url: Callable[[str], str],
    tree_url: Callable[[int], str] | None = None,
    thumbnails: str | None = None,
    anonymous: Redactor | None = None,
    first: int | None = None,
) -> Replay:
    """An episode as data, whether it is complete or not.

    Args:
        folder: The episode.
        frame_url: Gives the address of a frame by its digest.
        tree_url: Gives the address of the accessibility tree seen before a step, by the step's index.
        thumbnails: Where small pictures of the frames are served, if they are.
        anonymous: Hides names, and has everything left out that may tell who acted: costs, outcome, verdict, times of
            day, names of files, and how long anything took. Coordinates, which each family of models gives in a space
            of its own, are told in pixels. Reasons of refusals, which name that space, are not told.
        first: Tell only this many steps, the first ones.
    """
    told_steps = folder.steps[:first]
    pictures = _pictures(folder, frame_url, folder.digests[: len(told_steps) + 1])
    room = max(400, min(LONG, _ALL // max(1, len(folder.steps))))
    trees = tree_places(folder) if tree_url is not None else frozenset()
    taken = folder.steps if anonymous is None else _nobodys(folder.steps, anonymous, room)
    times = [0.0, *(step.seconds for step in folder.steps)]
    holds = hold_times(times) if anonymous is None else [_PACE] * len(times)
    steps: list[ReplayStep] = []
    begins, end = 0.0, None
    for scene, hold in zip(scenes_of(folder), holds, strict=False):
        if len(steps) == len(told_steps) < len(folder.steps):
            break
        if scene.step is None:
            end = ReplayEnd(frame=scene.frame, begins=begins, hold=hold)
            continue
        picture = pictures.get(scene.frame)
        size = (picture.width, picture.height) if picture is not None else (1280, 720)
        step = taken[len(steps)]
        timings: dict[str, Any] = {name: getattr(step, name) for name in ("agent_ms", "act_ms", "settle_ms", "settled")}
        if anonymous is not None:
            step, timings = step.model_copy(update={"action": _in_pixels(step.action, size)}), {}
        told = _told(step, size, scene.cursor, room)
        tree = tree_url(step.index) if tree_url is not None and step.index in trees else None
        steps.append(
            ReplayStep(
                number=scene.number,
                frame=scene.frame,
                after=step.frame,
                cursor=scene.cursor,
                begins=begins,
                hold=hold,
                tree=tree,
                **told,
                **timings,
            )
        )
        begins = step.seconds if anonymous is None else len(steps) * _PACE
    episode = folder.episode
    return Replay(
        instruction=clip(episode.instruction, LONG),
        step_budget=episode.step_budget,
        complete=folder.complete,
        seconds=max(begins, 0.0 if anonymous is not None else episode.seconds),
        pictures=pictures,
        thumbnails=thumbnails,
        steps=tuple(steps),
        total=len(folder.steps),
        end=end,
        about=_about(folder) if anonymous is None else None,
    )


def served_replay(folder: EpisodeFolder, api: str, *, first: int | None = None) -> Replay:
    """An episode as data, with frames and trees at the addresses below `api` that serve them."""
    return replay_data(
        folder,
        frame_url=lambda digest: f"{api}/frames/{digest}.png",
        tree_url=lambda place: f"{api}/trees/{place}",
        thumbnails=f"{api}/thumbnails/",
        first=first,
    )


def tree_places(folder: EpisodeFolder) -> frozenset[int]:
    """Which accessibility trees were recorded: n is what was there before the step of index n."""
    place = folder.path / "trees"
    if place.is_symlink() or not place.is_dir():
        return frozenset()
    return frozenset(int(name[:6]) for name in os.listdir(place) if re.fullmatch(r"[0-9]{6}\.txt", name))


def usage_of(folder: EpisodeFolder) -> Usage | None:
    """What the agent says it used of a model; what does not look like that is not believed."""
    found = folder.episode.extra.get("usage")
    if not isinstance(found, dict):
        return None
    said = {name: found.get(name) for name in ("requests", "tokens", "dollars")}
    kinds: dict[str, Any] = {"requests": int, "tokens": int, "dollars": int | float}
    known = {
        name: value
        for name, value in said.items()
        if isinstance(value, kinds[name]) and not isinstance(value, bool) and 0 <= value < _MOST
    }
    return Usage(**known)


def clip(text: str, limit: int) -> str:
    """Text of at most so many characters, which says when there is more."""
    return text if len(text) <= limit else f"{text[:limit]}… [{len(text):,} characters in all]"


def _pictures(folder: EpisodeFolder, frame_url: Callable[[str], str], digests: Sequence[str]) -> dict[str, Picture]:
    found = {}
    for digest in dict.fromkeys(digests):
        try:
            width, height = folder.frame_sizes.get(digest) or folder.frame_size(digest)
        except EpisodeError:
            continue  # the page says so where the frame would be
        found[digest] = Picture(
            url=frame_url(digest), width=width, height=height, unit=round(scale((width, height)), 4)
        )
    return found


def _told(step: Step, size: tuple[int, int], cursor: tuple[int, int] | None, room: int) -> dict[str, Any]:
    """What a step says, cut to a length that a page can hold."""
    action = step.action.plain()
    text = str(action.get("text") or action.get("reason") or "")
    for name in ("text", "reason"):
        if name in action:
            action[name] = clip(action[name], room)
    unit = scale(size)
    # The agent is told of a refusal in a message; once is enough here.
    said = [one for one in step.messages if not (step.refused and step.refused in one)]
    return {
        "action": action,
        "words": describe(step.action, limit=_SHORT),
        "caption": "" if step.refused else caption(step.action),
        "text": clip(text, room) if len(text) > _SHORT or "\n" in text else "",
        "shapes": () if step.refused else tuple(_shape(one, unit) for one in marks(step.action, size, cursor)),
        "refused": clip(step.refused, room),
        "thought": clip(step.thought, room),
        "thought_length": len(step.thought),
        "messages": tuple(clip(one, room) for one in said[:_MESSAGES]),
    }


def _shape(mark: Mark, unit: float) -> Shape:
    match mark:
        case Ring():
            return Shape(kind="ring", points=(mark.at,), count=mark.count)
        case Trail():
            return Shape(kind="trail", points=mark.points, head=arrow_head(mark.points, 20 * unit) or ())
        case Box():
            left, top, right, bottom = mark.region
            return Shape(kind="box", points=((left, top), (right, bottom)))


def _about(folder: EpisodeFolder) -> About:
    episode = folder.episode
    verdict = episode.verdict if folder.complete else None
    if verdict is not None:
        verdict = verdict.model_copy(update={"checks": tuple(_short(check) for check in verdict.checks)})
    return About(
        id=episode.id,
        agent=episode.agent,
        configuration=episode.configuration.id,
        started=episode.started,
        outcome=outcome_of(folder),
        ended_by=episode.ended_by,
        answer=None if episode.answer is None else clip(episode.answer, LONG),
        error=clip(episode.error, LONG),
        verdict=verdict,
        usage=usage_of(folder),
        notes=tuple(clip(note, LONG) for note in episode.notes[:100]),
        problems=tuple(clip(problem, LONG) for problem in folder.problems[:100]),
        logs=folder.log_names(),
        video=folder.video is not None,
    )


def _short(check: Check) -> Check:
    values = {"expected": check.expected, "found": check.found}
    long = {name: clip(said, LONG) for name, value in values.items() if len(said := evidence(value)) > LONG}
    return check.model_copy(update=long) if long else check


def _nobodys(steps: Sequence[Step], hide: Redactor, room: int) -> list[Step]:
    """Steps as anybody could have taken them; a name that is split over several is hidden in all of them.

    Only as much of a text is looked at as is shown, and a little more, so that no name is cut in two.
    """
    most = room + _MARGIN
    thoughts = hide.consecutive([step.thought[:most] for step in steps])
    written = hide.consecutive([_written(step.action)[:most] for step in steps])
    typed = hide.consecutive([_typed(step.action)[:most] for step in steps])
    found = []
    for step, thought, text, keys in zip(steps, thoughts, written, typed, strict=True):
        said = [one for one in step.messages[:_MESSAGES] if not (step.refused and step.refused in one)]
        told = hide.consecutive([one[:most] for one in said])
        update = {
            "action": _rewritten(step.action, text, keys),
            "refused": "it could not be carried out" if step.refused else "",
            "thought": thought,
            "messages": tuple(told),
        }
        found.append(step.model_copy(update=update))
    return found


def _written(action: Action) -> str:
    """What an action says to the person."""
    match action:
        case Answer(text=text) | CallUser(text=text) | Fail(reason=text):
            return text
    return ""


def _typed(action: Action) -> str:
    """What an action types, also by single keys."""
    match action:
        case Type(text=text):
            return text
        case Key():
            return key_text(action)
        case KeyDown(key=key) if len(key) == 1:
            return key
    return ""


def _rewritten(action: Action, text: str, typed: str) -> Action:
    """An action with what it says or types in other words."""
    match action:
        case Type():
            return action.model_copy(update={"text": typed})
        case Answer() | CallUser():
            return action.model_copy(update={"text": text})
        case Fail():
            return action.model_copy(update={"reason": text})
        case Key() | KeyDown() if typed != _typed(action):
            return Type(text=typed)  # a key of a name that is spelled out
    return action


def _in_pixels(action: Action, size: tuple[int, int]) -> Action:
    fields = type(action).model_fields
    try:
        aimed = action.to_pixels(*size)
    except InvalidAction:  # off the screen, and so refused: where it was aimed would tell the space
        nowhere = ((0.0, 0.0), (0.0, 0.0))
        places = {"point": None, "path": nowhere, "region": None}
        aimed = action.model_copy(update={name: value for name, value in places.items() if name in fields})
    update: dict[str, Any] = {"space": "pixels"} if "space" in fields else {}
    if isinstance(aimed, Scroll):
        across, down = aimed.clicks()
        update |= {"dx": float(across), "dy": float(down), "unit": "clicks"}
    return aimed.model_copy(update=update)
