"""An episode as replay data, for the replay pages, the arena and programs.

With `anonymous`, the data contains nothing that identifies the agent. `about` (agent, costs, outcome) is omitted, the
remaining texts use the same wording for every agent, and all steps have the same duration.
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
"""Maximum characters of one thought, text or value. The episode's files hold the complete text."""

_ALL: Final = 4_000_000  # maximum characters of all thoughts together, so that 500 long ones still load quickly
_SHORT: Final = 48  # maximum characters of typed text quoted in the description of an action
_MESSAGES: Final = 20
_MOST: Final = 1e15  # plausibility limit for tokens and dollars
_PACE: Final = 1.5  # seconds per step of an anonymous replay
_MARGIN: Final = 200  # extra characters to redact beyond those shown

Point = tuple[float, float]


class Picture(Record):
    """A frame and its URL."""

    url: str
    width: int
    height: int
    unit: float = Field(description="scale of drawings on it: 1 for a screen of 1280 by 720")


class Shape(Record):
    """A drawing on a frame that shows the target of an action, in pixels of the frame."""

    kind: str = Field(description="ring: a press; trail: a drag or scroll; box: a region that was looked at")
    points: tuple[Point, ...] = Field(description="of a box: left top and right bottom")
    count: int = Field(1, description="number of rings around a point: one per click")
    head: tuple[Point, ...] = Field((), description="corners of the arrow head of a trail")


class ReplayStep(Record):
    """One step: what the agent saw, its action, and the result."""

    number: int = Field(description="counted from 1")
    frame: str = Field(description="digest of the frame that the agent saw; empty if not recorded")
    after: str = Field(description="digest of the frame after the action")
    action: dict[str, Any]
    words: str = Field(description="description of the action")
    caption: str = Field(description="text shown over the frame: typed text, keys, an answer")
    text: str = Field(description="full text of the action, if `words` shortens it")
    shapes: tuple[Shape, ...]
    cursor: tuple[int, int] | None = Field(description="previous position of the pointer")
    begins: float = Field(description="seconds from the start of the episode to the agent's observation")
    hold: float = Field(description="seconds to show it during playback")
    refused: str
    thought: str
    thought_length: int = Field(
        description="number of characters that the agent wrote; limited to the shown text if anonymous"
    )
    messages: tuple[str, ...]
    agent_ms: float | None = None
    act_ms: float | None = None
    settle_ms: float | None = None
    settled: bool = True
    tree: str | None = Field(None, description="URL of the accessibility tree that the agent saw, if recorded")


class ReplayEnd(Record):
    """The final screen."""

    frame: str
    begins: float
    hold: float


class Usage(Record):
    """Model usage, as reported by the agent."""

    requests: int | None = None
    tokens: int | None = None
    dollars: float | None = None


class About(Record):
    """Agent and outcome of an episode. Omitted from anonymous replays."""

    id: str
    agent: str
    configuration: str
    started: str
    outcome: str = Field(description="passed, failed, errored, invalid; incomplete if the recording was cut short")
    ended_by: str
    answer: str | None
    error: str
    verdict: Verdict | None = Field(description="evidence that is too long is shortened to text")
    usage: Usage | None
    notes: tuple[str, ...]
    problems: tuple[str, ...] = Field(description="what is missing from an incomplete episode")
    logs: tuple[str, ...]
    video: bool


class Replay(Record):
    """A complete episode, without image data."""

    instruction: str
    step_budget: int
    complete: bool
    seconds: float
    pictures: dict[str, Picture] = Field(description="by digest; lost frames are missing")
    thumbnails: str | None = Field(
        description="URL prefix of thumbnails, to be followed by `DIGEST.webp`; null if there are none"
    )
    steps: tuple[ReplayStep, ...]
    total: int = Field(description="number of steps of the episode; can be larger than the number of steps here")
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
    """Return a complete or incomplete episode as data.

    Args:
        folder: The episode.
        frame_url: Returns the URL of a frame, given its digest.
        tree_url: Returns the URL of the accessibility tree before a step, given the step's index.
        thumbnails: URL prefix of thumbnails, if they are served.
        anonymous: Redacts names, and omits everything that could identify the agent: costs, outcome, verdict, times
            of day, file names and durations. Coordinates are given in pixels, because each model family uses its own
            coordinate space. Refusal reasons, which name that space, are omitted.
        first: Include only this many steps from the start.
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
        texts = _told(step, size, scene.cursor, room)
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
                **texts,
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
    """Return an episode as data, with frames and trees at URLs below `api`."""
    return replay_data(
        folder,
        frame_url=lambda digest: f"{api}/frames/{digest}.png",
        tree_url=lambda place: f"{api}/trees/{place}",
        thumbnails=f"{api}/thumbnails/",
        first=first,
    )


def tree_places(folder: EpisodeFolder) -> frozenset[int]:
    """Return the indices of recorded accessibility trees. Tree n was seen before the step with index n."""
    place = folder.path / "trees"
    if place.is_symlink() or not place.is_dir():
        return frozenset()
    return frozenset(int(name[:6]) for name in os.listdir(place) if re.fullmatch(r"[0-9]{6}\.txt", name))


def usage_of(folder: EpisodeFolder) -> Usage | None:
    """Return the model usage reported by the agent, without implausible values."""
    usage = folder.episode.extra.get("usage")
    if not isinstance(usage, dict):
        return None
    reported = {name: usage.get(name) for name in ("requests", "tokens", "dollars")}
    kinds: dict[str, Any] = {"requests": int, "tokens": int, "dollars": int | float}
    known = {
        name: value
        for name, value in reported.items()
        if isinstance(value, kinds[name]) and not isinstance(value, bool) and 0 <= value < _MOST
    }
    return Usage(**known)


def clip(text: str, limit: int) -> str:
    """Shorten text to this many characters, and say so if it was longer."""
    return text if len(text) <= limit else f"{text[:limit]}… [{len(text):,} characters in total]"


def _pictures(folder: EpisodeFolder, frame_url: Callable[[str], str], digests: Sequence[str]) -> dict[str, Picture]:
    pictures = {}
    for digest in dict.fromkeys(digests):
        try:
            width, height = folder.frame_sizes.get(digest) or folder.frame_size(digest)
        except EpisodeError:
            continue  # the page shows a message instead of the frame
        pictures[digest] = Picture(
            url=frame_url(digest), width=width, height=height, unit=round(scale((width, height)), 4)
        )
    return pictures


def _told(step: Step, size: tuple[int, int], cursor: tuple[int, int] | None, room: int) -> dict[str, Any]:
    """Return the texts of a step, shortened to fit on a page."""
    action = step.action.plain()
    text = str(action.get("text") or action.get("reason") or "")
    for name in ("text", "reason"):
        if name in action:
            action[name] = clip(action[name], room)
    unit = scale(size)
    # The agent gets a refusal as a message; it is shown only once here.
    messages = [message for message in step.messages if not (step.refused and step.refused in message)]
    return {
        "action": action,
        "words": describe(step.action, limit=_SHORT),
        "caption": "" if step.refused else caption(step.action),
        "text": clip(text, room) if len(text) > _SHORT or "\n" in text else "",
        "shapes": () if step.refused else tuple(_shape(mark, unit) for mark in marks(step.action, size, cursor)),
        "refused": clip(step.refused, room),
        "thought": clip(step.thought, room),
        "thought_length": len(step.thought),
        "messages": tuple(clip(message, room) for message in messages[:_MESSAGES]),
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
    long = {name: clip(text, LONG) for name, value in values.items() if len(text := evidence(value)) > LONG}
    return check.model_copy(update=long) if long else check


def _nobodys(steps: Sequence[Step], hide: Redactor, room: int) -> list[Step]:
    """Return steps without anything that identifies the agent.

    A name split over several steps is redacted in all of them.

    Only the shown part of a text and a margin are processed, so that no name is cut in two.
    """
    most = room + _MARGIN
    thoughts = hide.consecutive([step.thought[:most] for step in steps])
    written = hide.consecutive([_written(step.action)[:most] for step in steps])
    typed = hide.consecutive([_typed(step.action)[:most] for step in steps])
    redacted_steps = []
    for step, thought, text, keys in zip(steps, thoughts, written, typed, strict=True):
        messages = [message for message in step.messages[:_MESSAGES] if not (step.refused and step.refused in message)]
        redacted = hide.consecutive([message[:most] for message in messages])
        update = {
            "action": _rewritten(step.action, text, keys),
            "refused": "the action could not be executed" if step.refused else "",
            "thought": thought,
            "messages": tuple(redacted),
        }
        redacted_steps.append(step.model_copy(update=update))
    return redacted_steps


def _written(action: Action) -> str:
    """Return the text that an action shows to the person."""
    match action:
        case Answer(text=text) | CallUser(text=text) | Fail(reason=text):
            return text
    return ""


def _typed(action: Action) -> str:
    """Return the text that an action types, including single keys."""
    match action:
        case Type(text=text):
            return text
        case Key():
            return key_text(action)
        case KeyDown(key=key) if len(key) == 1:
            return key
    return ""


def _rewritten(action: Action, text: str, typed: str) -> Action:
    """Return an action with its text replaced."""
    match action:
        case Type():
            return action.model_copy(update={"text": typed})
        case Answer() | CallUser():
            return action.model_copy(update={"text": text})
        case Fail():
            return action.model_copy(update={"reason": text})
        case Key() | KeyDown() if typed != _typed(action):
            return Type(text=typed)  # a key press within a spelled-out name
    return action


def _in_pixels(action: Action, size: tuple[int, int]) -> Action:
    fields = type(action).model_fields
    try:
        aimed = action.to_pixels(*size)
    except InvalidAction:  # off the screen and therefore refused: its coordinates would reveal the coordinate space
        nowhere = ((0.0, 0.0), (0.0, 0.0))
        places = {"point": None, "path": nowhere, "region": None}
        aimed = action.model_copy(update={name: value for name, value in places.items() if name in fields})
    update: dict[str, Any] = {"space": "pixels"} if "space" in fields else {}
    if isinstance(aimed, Scroll):
        across, down = aimed.clicks()
        update |= {"dx": float(across), "dy": float(down), "unit": "clicks"}
    return aimed.model_copy(update=update)
