"""Read an episode folder.

The folder may come from an untrusted source. Reading is therefore strict, has limits, follows no links, and trusts only
what follows from the files.
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
MAX_EPISODE = 32 * MEGABYTE  # episode.json; most of it is evidence of checks
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
_AGAIN = "do not count this episode; record it again, or restore the folder from a copy"
_PNG = b"\x89PNG\r\n\x1a\n"


class StateFile(Record):
    """Where a file of the app's state is stored, and its expected content."""

    file: str = Field(pattern=r"^[0-9]{3,6}-[A-Za-z0-9_-][A-Za-z0-9._-]{0,79}$", description="name below state/<when>/")
    size: int = Field(ge=0)
    digest: str = Field(pattern="^[0-9a-f]{32}$", description="BLAKE2b of the content, 16 bytes")


class StateIndex(Record):
    """Recorded state of the app at one moment. Like `core.State`, with file contents stored separately."""

    files: dict[str, StateFile] = Field({}, description="recorded files, by path inside the sandbox")
    data: dict[str, Any] = Field({}, description="answers of the running program, by name of the endpoint")
    missing: dict[str, str] = Field({}, description="why requested files could not be recorded, by path")


class States(Record):
    """The content of `state/state.json`."""

    before: StateIndex | None = None
    after: StateIndex | None = None

    def at(self, when: When) -> StateIndex | None:
        """Return the state index before or after the episode."""
        return self.before if when == "before" else self.after


@dataclass(frozen=True)
class EpisodeFolder:
    """An episode that was read and, if `complete`, validated.

    Attributes:
        path: The folder.
        episode: The content of `episode.json`.
        steps: The steps in order. For an incomplete episode, those that could be read.
        complete: False if the recorder was stopped before the end. An incomplete episode is never a result.
        problems: What is missing from an incomplete episode.
        states: The index of the recorded state.
        frame_sizes: Width and height of each frame that existed when the episode was read, by digest.
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
        """Digests of the frames in order: the first frame, then the frame after each step."""
        first = (self.episode.first_frame,) if self.episode.first_frame else ()
        return first + tuple(step.frame for step in self.steps)

    def frame_path(self, digest: str) -> Path:
        """Return a frame's path, relative to the folder. Raises an error for an invalid digest."""
        return Path("frames") / _frame_file(digest)

    def frame_size(self, digest: str) -> tuple[int, int]:
        """Return width and height, read from the first bytes of the file."""
        return _png_size(self.path, digest)

    def frame(self, digest: str) -> Frame:
        """Decode a frame, and check that its content matches its digest."""
        _png_size(self.path, digest)  # before decoding: a small PNG can decompress to gigabytes
        data = read_inside(self.path, "frames", _frame_file(digest), limit=MAX_BYTES)
        try:
            frame = decode(data)
        except InvalidInput as error:
            raise EpisodeError(f"frames/{digest}.png: not a complete PNG: {error.message}") from None
        if frame.digest != digest:
            raise EpisodeError(f"frames/{digest}.png: content has digest {frame.digest}, expected the one in its name")
        return frame

    def frames(self) -> Iterator[Frame]:
        """Decode the frames of `digests`, in order."""
        return (self.frame(digest) for digest in self.digests)

    @property
    def video(self) -> Path | None:
        """Path of the video, or None."""
        path = self.path / "video.mp4"
        return path if path.is_file() and not path.is_symlink() else None

    def log_names(self) -> tuple[str, ...]:
        """Return the names of the stages that left a log."""
        return tuple(sorted(match[1] for name in _names(self.path / "logs") if (match := _LOG.fullmatch(name))))

    def log(self, name: str) -> str:
        """Return the log of a stage."""
        data = read_inside(self.path, "logs", f"{name}.txt", limit=MAX_LOG + MEGABYTE)
        return data.decode("utf-8", "replace")

    def state(self, when: When) -> State | None:
        """Return the recorded state of the app for checks, or None if none was recorded."""
        index = self.states.at(when)
        if index is None:
            return None
        files = {unpack(name): self.state_file(when, name) for name in index.files}
        return State(files, unpack(index.data), unpack(index.missing))

    def state_file(self, when: When, name: str) -> bytes:
        """Return one recorded file. Raises an error if its content differs from what was recorded."""
        index = self.states.at(when)
        if index is None or name not in index.files:
            raise EpisodeError(f"state.{when}: no recorded file {name!r}")
        entry = index.files[name]
        data = read_inside(self.path, "state", when, entry.file, limit=MAX_STATE_FILE)
        if len(data) != entry.size or content_digest(data) != entry.digest:
            raise EpisodeError(f"state/{when}/{entry.file}: content differs from what was recorded for {name!r}")
        return data

    def verify(self) -> None:
        """Decode every frame and read every file. Raises an error at the first that differs from what was recorded."""
        if self.complete and (problem := _against_manifest(self.path, full=True)):
            raise DamagedEpisode(f"{self.path}: {problem}", fix=_AGAIN)
        for digest in dict.fromkeys(self.digests):
            self.frame(digest)
        for when in MOMENTS:
            self.state(when)


def read_episode(folder: Path | str, *, salvage: bool = False) -> EpisodeFolder:
    """Read an episode folder.

    Args:
        folder: Path of the folder.
        salvage: Open a damaged episode as an incomplete one, for inspection.

    Raises:
        EpisodeError: If there is no episode, or a file is malformed (the message names the path to the fault).
        DamagedEpisode: If the episode is marked complete, and something is missing or differs from its manifest.
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
    try:
        return _read_rest(path, episode, salvage)
    except EpisodeError as error:
        if episode.status == "complete":  # it was whole when that was written
            raise DamagedEpisode(f"marked complete, but {error.message}", fix=error.fix or _AGAIN) from None
        raise


def _read_rest(path: Path, episode: Episode, salvage: bool) -> EpisodeFolder:
    complete = episode.status == "complete"
    steps, problems = _read_steps(path, torn_allowed=salvage or not complete)
    states = States()
    if (path / "state" / "state.json").exists():
        states = read_record(States, read_inside(path, "state", "state.json", limit=MAX_STATE), where="state")
    if episode.first_frame:
        _check_digest(episode.first_frame, "episode.first_frame")
    recorded = EpisodeFolder(path, episode, tuple(steps), complete, states=states)
    sizes, missing = _frame_sizes(recorded)
    missing += _missing_state(recorded)
    if not complete:
        return replace(recorded, problems=tuple(problems + missing), frame_sizes=sizes)
    faults = problems + contradictions(episode, steps=len(steps)) + missing
    if not faults and (problem := _against_manifest(path)):
        faults.append(problem)
    if faults and salvage:
        return replace(recorded, complete=False, problems=tuple(faults), frame_sizes=sizes)
    if faults:
        shown = "; ".join(faults[:5]) + (f"; and {len(faults) - 5} more" if len(faults) > 5 else "")
        raise EpisodeError(shown, fix=_AGAIN)
    return replace(recorded, frame_sizes=sizes)


def contradictions(episode: Episode, *, steps: int) -> list[str]:
    """Return the contradictions in a complete episode's summary; empty if there are none."""
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
        faults.append(f"episode.verdict: given for outcome {episode.outcome.value}, which has no score")
    if episode.steps != steps:
        faults.append(f"episode.steps: {episode.steps}, but steps.jsonl has {steps}")
    return faults


def _against_manifest(path: Path, *, full: bool = False) -> str:
    """Return the first difference from the manifest.

    Returns "" if there is none, or if there is no manifest (written by an earlier version).
    """
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
                    raise EpisodeError(f"{where}: the last line of steps.jsonl is incomplete")
                return steps, [f"{where}: the last line was incomplete and is dropped"]
            if len(steps) == MAX_STEPS:
                raise EpisodeError(f"steps.jsonl: over {MAX_STEPS:,} steps")
            step = read_record(Step, line, where=where)
            if step.index != len(steps):
                raise EpisodeError(f"{where}.index: expected {len(steps)}, got {step.index}")
            _check_digest(step.frame, f"{where}.frame")
            steps.append(step)
    return steps, []


def _frame_sizes(recorded: EpisodeFolder) -> tuple[dict[str, tuple[int, int]], list[str]]:
    """Return the sizes of the readable frames, and what is wrong with the others."""
    sizes, faults = {}, []
    for digest in dict.fromkeys(recorded.digests):
        try:
            sizes[digest] = recorded.frame_size(digest)
        except EpisodeError as error:
            faults.append(error.message)
    return sizes, faults


def _missing_state(recorded: EpisodeFolder) -> list[str]:
    faults = []
    for when in MOMENTS:
        index = recorded.states.at(when)
        for entry in index.files.values() if index else ():
            try:
                with open_inside(recorded.path, "state", when, entry.file) as handle:
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
