"""Reading an episode folder.

The folder may come from anyone: a colleague's run, a data set, an attacker. So reading is strict, has limits,
follows no links, and believes nothing that does not follow from the files.
"""

from __future__ import annotations

import os
import re
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from pydantic import Field

from fairground.core import Episode, EpisodeError, InvalidInput, Record, State, Step
from fairground.core.anytext import unpack
from fairground.rollout.damage import DamagedEpisode
from fairground.rollout.disk import open_inside, read_inside
from fairground.rollout.manifest import content_digest, manifest_problem, read_manifest
from fairground.rollout.strictjson import loads, read_record
from fairground.screen.encoding import MAX_BYTES, MAX_PIXELS, decode

if TYPE_CHECKING:
    from fairground.core import Frame  # which takes NumPy

MEGABYTE = 1 << 20
MAX_EPISODE = 32 * MEGABYTE  # episode.json; evidence of checks is most of it
MAX_LINE = 2 * MEGABYTE  # one step; a drag of 1,000 points and a long thought fit many times over
MAX_STEPS = 100_000
MAX_STEPS_FILE = 512 * MEGABYTE
MAX_STATE = 64 * MEGABYTE  # state.json
MAX_STATE_FILE = 1024 * MEGABYTE
MAX_LOG = 16 * MEGABYTE

When: TypeAlias = Literal["before", "after"]
MOMENTS: tuple[When, ...] = ("before", "after")

_DIGEST = re.compile(r"[0-9a-f]{24}")
_LOG = re.compile(r"([a-z0-9]+(?:[-_.][a-z0-9]+)*)\.txt")
_AGAIN = "do not count it; record the episode again, or restore the folder from a copy"
_PNG = b"\x89PNG\r\n\x1a\n"


class StateFile(Record):
    """Where a file of the app's state is kept, and what it must hold."""

    file: str = Field(pattern=r"^[0-9]{3,6}-[A-Za-z0-9_-][A-Za-z0-9._-]{0,79}$", description="name below state/<when>/")
    size: int = Field(ge=0)
    digest: str = Field(pattern="^[0-9a-f]{32}$", description="BLAKE2b of the content, 16 bytes")


class StateIndex(Record):
    """What was recorded of the app at one moment; the same as `core.State`, with the content of files beside it."""

    files: dict[str, StateFile] = {}
    data: dict[str, Any] = {}
    missing: dict[str, str] = {}


class States(Record):
    """The content of `state/state.json`."""

    before: StateIndex | None = None
    after: StateIndex | None = None

    def at(self, when: When) -> StateIndex | None:
        """One of the two."""
        return self.before if when == "before" else self.after


@dataclass(frozen=True)
class EpisodeFolder:
    """An episode that was read and, when `complete`, found whole.

    Attributes:
        path: The folder.
        episode: What `episode.json` says.
        steps: The steps in order; of an incomplete episode, those that survived.
        complete: False when the recorder was stopped before the end. Never a result.
        problems: What an incomplete episode lost, in words.
        states: The index of the recorded state.
        frame_sizes: Width and height of each frame that was there when the episode was read, by digest.
    """

    path: Path
    episode: Episode
    steps: tuple[Step, ...]
    complete: bool
    problems: tuple[str, ...] = ()
    states: States = field(default_factory=States)
    frame_sizes: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    @cached_property
    def digests(self) -> tuple[str, ...]:
        """What was on the screen, in order: the first frame, then the frame after each step."""
        first = (self.episode.first_frame,) if self.episode.first_frame else ()
        return first + tuple(step.frame for step in self.steps)

    def frame_path(self, digest: str) -> Path:
        """Where a frame is kept, relative to the folder; raises when the digest is not one."""
        return Path("frames") / _frame_file(digest)

    def frame_size(self, digest: str) -> tuple[int, int]:
        """Width and height, from the first bytes of the file."""
        return _png_size(self.path, digest)

    def frame(self, digest: str) -> Frame:
        """Decodes a frame, and checks that it shows what its name says."""
        _png_size(self.path, digest)  # before decoding: a small PNG can unfold to gigabytes
        data = read_inside(self.path, "frames", _frame_file(digest), limit=MAX_BYTES)
        try:
            frame = decode(data)
        except InvalidInput as error:
            raise EpisodeError(f"frames/{digest}.png: not a whole PNG: {error.message}") from None
        if frame.digest != digest:
            raise EpisodeError(f"frames/{digest}.png: shows something else than its name says ({frame.digest})")
        return frame

    def frames(self) -> Iterator[Frame]:
        """Decodes `digests`, in order."""
        return (self.frame(digest) for digest in self.digests)

    @property
    def video(self) -> Path | None:
        """The video, if there is one."""
        path = self.path / "video.mp4"
        return path if path.is_file() and not path.is_symlink() else None

    def log_names(self) -> tuple[str, ...]:
        """The stages that left a log."""
        return tuple(sorted(match[1] for name in _names(self.path / "logs") if (match := _LOG.fullmatch(name))))

    def log(self, name: str) -> str:
        """What a stage wrote."""
        data = read_inside(self.path, "logs", f"{name}.txt", limit=MAX_LOG + MEGABYTE)
        return data.decode("utf-8", "replace")

    def state(self, when: When) -> State | None:
        """What was recorded of the app at that moment, for checks to look at; None when nothing was."""
        index = self.states.at(when)
        if index is None:
            return None
        files = {unpack(name): self.state_file(when, name) for name in index.files}
        return State(files, unpack(index.data), unpack(index.missing))

    def state_file(self, when: When, name: str) -> bytes:
        """One recorded file; raises when its content is not what was recorded."""
        index = self.states.at(when)
        if index is None or name not in index.files:
            raise EpisodeError(f"state.{when}: no file {name!r} was recorded")
        entry = index.files[name]
        data = read_inside(self.path, "state", when, entry.file, limit=MAX_STATE_FILE)
        if len(data) != entry.size or content_digest(data) != entry.digest:
            raise EpisodeError(f"state/{when}/{entry.file}: not the content that was recorded for {name!r}")
        return data

    def verify(self) -> None:
        """Decodes every frame and reads every file; raises at the first that is not as it was recorded."""
        if self.complete and (problem := _against_manifest(self.path, full=True)):
            raise DamagedEpisode(f"{self.path}: {problem}", fix=_AGAIN)
        for digest in dict.fromkeys(self.digests):
            self.frame(digest)
        for when in MOMENTS:
            self.state(when)


def read_episode(folder: Path | str, *, salvage: bool = False) -> EpisodeFolder:
    """Reads an episode folder.

    Args:
        folder: Where it is.
        salvage: Opens an episode that claims to be complete and is not as one that is incomplete, to be looked at.

    Raises:
        EpisodeError: When there is no episode, or when a file does not have the form it must have (the message names
            the path to the fault).
        DamagedEpisode: When the episode claims to be complete, and something is missing or not as its manifest lists
            it.
    """
    path = Path(folder)
    if not path.is_dir():
        raise EpisodeError(f"{path}: not a folder")
    try:
        return _read(path, salvage)
    except EpisodeError as error:
        raise type(error)(f"{path}: {error.message}", fix=error.fix) from None


def _read(path: Path, salvage: bool) -> EpisodeFolder:
    episode = _read_summary(path)
    complete = episode.status == "complete"
    steps, problems = _read_steps(path, torn_allowed=salvage or not complete)
    states = States()
    if (path / "state" / "state.json").exists():
        states = read_record(States, read_inside(path, "state", "state.json", limit=MAX_STATE), where="state")
    if episode.first_frame:
        _check_digest(episode.first_frame, "episode.first_frame")
    found = EpisodeFolder(path, episode, tuple(steps), complete, states=states)
    sizes, missing = _frame_sizes(found)
    missing += _missing_state(found)
    if not complete:
        return replace(found, problems=tuple(problems + missing), frame_sizes=sizes)
    faults = problems + contradictions(episode, steps=len(steps)) + missing
    if not faults and (problem := _against_manifest(path)):
        faults.append(problem)
    if faults and salvage:
        return replace(found, complete=False, problems=tuple(faults), frame_sizes=sizes)
    if faults:
        shown = "; ".join(faults[:5]) + (f"; and {len(faults) - 5} more" if len(faults) > 5 else "")
        raise DamagedEpisode(f"claims to be complete, but {shown}", fix=_AGAIN)
    return replace(found, frame_sizes=sizes)


def contradictions(episode: Episode, *, steps: int) -> list[str]:
    """What a complete episode may not say, in words; empty when it is in order."""
    faults = []
    if episode.outcome is None:
        faults.append("episode.outcome: null")
    elif episode.outcome.scored:
        if episode.verdict is None:
            faults.append(f"episode.verdict: null for outcome {episode.outcome.value}")
        elif episode.verdict.success != (episode.outcome.value == "passed"):
            faults.append(f"episode.verdict.success: {episode.verdict.success} for outcome {episode.outcome.value}")
        if not episode.first_frame:
            faults.append("episode.first_frame: none recorded")
    elif episode.verdict is not None:
        faults.append(f"episode.verdict: given for outcome {episode.outcome.value}, which is never a score")
    if episode.steps != steps:
        faults.append(f"episode.steps: {episode.steps}, while steps.jsonl holds {steps}")
    return faults


def _against_manifest(path: Path, *, full: bool = False) -> str:
    """What is not as the manifest lists it; "" where all is, and in a folder without one, of an earlier version."""
    manifest = read_manifest(path)
    return "" if manifest is None else manifest_problem(path, manifest, full=full)


def _read_summary(path: Path) -> Episode:
    data = read_inside(path, "episode.json", limit=MAX_EPISODE)
    plain = loads(data, where="episode.json")
    version = plain.get("format") if isinstance(plain, dict) else None
    if isinstance(version, int) and version != 1:
        raise EpisodeError(
            f"episode.format: expected 1, got {version}", fix="read it with the version of fairground that wrote it"
        )
    return read_record(Episode, data, where="episode")


def _read_steps(path: Path, *, torn_allowed: bool) -> tuple[list[Step], list[str]]:
    if torn_allowed and not (path / "steps.jsonl").exists():
        return [], ["steps.jsonl: missing"]
    steps: list[Step] = []
    with open_inside(path, "steps.jsonl") as handle, os.fdopen(os.dup(handle), "rb") as file:
        size = os.fstat(handle).st_size
        if size > MAX_STEPS_FILE:
            raise EpisodeError(f"steps.jsonl: {size:,} bytes, expected at most {MAX_STEPS_FILE:,}")
        while line := file.readline(MAX_LINE + 2):
            where = f"steps[{len(steps)}]"
            if len(line) > MAX_LINE + 1:
                raise EpisodeError(f"{where}: a line over {MAX_LINE:,} bytes")
            if not line.endswith(b"\n"):
                if not torn_allowed:
                    raise EpisodeError(f"{where}: the last line of steps.jsonl is torn")
                return steps, [f"{where}: the last line was torn and is dropped"]
            if len(steps) == MAX_STEPS:
                raise EpisodeError(f"steps.jsonl: over {MAX_STEPS:,} steps")
            step = read_record(Step, line, where=where)
            if step.index != len(steps):
                raise EpisodeError(f"{where}.index: expected {len(steps)}, got {step.index}")
            _check_digest(step.frame, f"{where}.frame")
            steps.append(step)
    return steps, []


def _frame_sizes(found: EpisodeFolder) -> tuple[dict[str, tuple[int, int]], list[str]]:
    """The sizes of the frames that are there, and what is wrong with the others."""
    sizes, faults = {}, []
    for digest in dict.fromkeys(found.digests):
        try:
            sizes[digest] = found.frame_size(digest)
        except EpisodeError as error:
            faults.append(error.message)
    return sizes, faults


def _missing_state(found: EpisodeFolder) -> list[str]:
    faults = []
    for when in MOMENTS:
        index = found.states.at(when)
        for entry in index.files.values() if index else ():
            try:
                with open_inside(found.path, "state", when, entry.file) as handle:
                    size = os.fstat(handle).st_size
                if size != entry.size:
                    faults.append(f"state/{when}/{entry.file}: {size:,} bytes, expected {entry.size:,}")
            except EpisodeError as error:
                faults.append(error.message)
    return faults


def _png_size(root: Path, digest: str) -> tuple[int, int]:
    name = _frame_file(digest)
    with open_inside(root, "frames", name) as handle:
        head = os.read(handle, 24)
    if len(head) < 24 or not head.startswith(_PNG) or head[12:16] != b"IHDR":
        raise EpisodeError(f"frames/{name}: not a PNG")
    width, height = struct.unpack(">II", head[16:24])
    if not (width and height and width * height <= MAX_PIXELS):
        raise EpisodeError(f"frames/{name}: {width}x{height}, expected at most {MAX_PIXELS:,} pixels")
    return width, height


def _frame_file(digest: str) -> str:
    _check_digest(digest, "frame")
    return f"{digest}.png"


def _check_digest(digest: str, where: str) -> None:
    if not _DIGEST.fullmatch(digest):
        raise EpisodeError(f"{where}: expected 24 hexadecimal digits, got {digest[:60]!r}")


def _names(folder: Path) -> list[str]:
    if folder.is_symlink() or not folder.is_dir():
        return []
    return [entry.name for entry in os.scandir(folder) if entry.is_file(follow_symlinks=False)]
