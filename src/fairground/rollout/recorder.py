"""Write an episode folder. A kill at any time leaves a complete episode, or one marked incomplete.

This relies on the order of writes. The folder appears in one rename, with an `episode.json` of status `running`. A
step's line is written after its frame. `manifest.json` lists what was written, by size and digest. Last, when
everything else is on disk, `episode.json` is replaced in one rename by one of status `complete`. Frames are encoded on
a separate thread, so the agent does not wait for them.
"""

from __future__ import annotations

import os
import queue
import re
import secrets
import shutil
import threading
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from fairground.core import (
    Check,
    Episode,
    EpisodeError,
    FairgroundError,
    Frame,
    InfrastructureError,
    InvalidInput,
    Step,
    Verdict,
)
from fairground.core.anytext import pack
from fairground.core.names import check_name
from fairground.core.nesting import MAX_DEPTH, too_deep
from fairground.rollout.disk import replace_with, sync, sync_tree, write_whole, writing
from fairground.rollout.folder import (
    MAX_EPISODE,
    MAX_LINE,
    MAX_LOG,
    MAX_STATE_FILE,
    MAX_STEPS,
    EpisodeFolder,
    StateFile,
    StateIndex,
    States,
    When,
    contradictions,
)
from fairground.rollout.manifest import MANIFEST, FileDigests, content_digest
from fairground.rollout.strictjson import dumps
from fairground.rollout.video import Shot, hold_times, write_video
from fairground.screen.encoding import encode_png

_WAITING = (
    8  # maximum number of frames waiting to be encoded; beyond that the agent waits, so that memory does not grow
)
_LONG = 100_000  # characters of a thought that are kept if the step would not fit on a line


class Recorder:
    """Records one episode into one folder.

    ```python
    with Recorder(folder, episode) as recorder:
        recorder.first(frame)
        recorder.step(step, frame)
        recorder.close(episode.model_copy(update={"outcome": outcome, "verdict": verdict}))
    ```

    Leaving the block without `close` leaves an episode that is marked incomplete. Call all methods from one thread. An
    error while a frame is encoded or written is raised by the next call.

    Args:
        folder: Target folder. It must be empty or not exist: episodes are never overwritten.
        episode: What is known at the start. Its status is `running` until `close`.
        video: Whether to make `video.mp4` at the end.

    Raises:
        EpisodeError: If the folder is not empty.
        InfrastructureError: If it cannot be written.
    """

    def __init__(self, folder: Path | str, episode: Episode, *, video: bool = True) -> None:
        self.folder = Path(folder).absolute()
        self._episode = episode.model_copy(update={"status": "running", "outcome": None, "verdict": None})
        self._video = video
        self._steps: list[Step] = []
        self._sizes: dict[str, tuple[int, int]] = {}
        self._states = States()
        self._digests = FileDigests()
        self._failure: BaseException | None = None
        self._begun = threading.Event()
        self._open = True
        _begin(self.folder, self._episode)
        with writing(self.folder / "steps.jsonl"):
            self._lines = open(self.folder / "steps.jsonl", "ab", buffering=0)  # noqa: SIM115 (closed by abandon)
        self._digests.wrote("steps.jsonl", b"")
        self._queue: queue.Queue[tuple[Frame, Step | None] | None] = queue.Queue(_WAITING)
        self._writer = threading.Thread(target=self._write_all, name=f"recorder {episode.id}", daemon=True)
        self._writer.start()

    def first(self, frame: Frame) -> None:
        """Record what the agent sees before it acts.

        Returns when the frame is written. An agent that ends its own process can then always be recorded as failed.
        """
        self._check()
        if self._episode.first_frame:
            raise InvalidInput("the first frame was already recorded")
        self._episode = self._episode.model_copy(update={"first_frame": frame.digest})
        self._queue.put((frame, None))
        self._begun.wait()
        self._raise_failure()

    def step(self, step: Step, frame: Frame) -> None:
        """Record an action and the frame after it. A step without a frame digest gets it here.

        That is faster: the digest is then computed on the encoder thread, and the agent does not wait.
        """
        self._check()
        if not self._episode.first_frame:
            raise InvalidInput(f"step {step.index} was recorded before the first frame")
        if step.index != len(self._steps) or step.index >= MAX_STEPS:
            raise InvalidInput(f"step.index: expected {len(self._steps)} (below {MAX_STEPS:,}), got {step.index}")
        if step.frame and step.frame != frame.digest:
            raise InvalidInput(f"step.frame: expected the digest of its frame, {frame.digest}, got {step.frame!r}")
        if len(step.thought) > MAX_LINE:  # clipped before it is stored, so that long thoughts do not fill the memory
            step = step.model_copy(update={"thought": _clip(step.thought, _LONG)})
        self._steps.append(step)
        self._queue.put((frame, step))

    def tree(self, place: int, outline: str) -> None:
        """Record the accessibility tree seen before the step with index `place`, as indented text."""
        self._check()
        path = self.folder / "trees" / f"{place:06}.txt"
        with writing(path):
            path.parent.mkdir(exist_ok=True)
            data = outline.encode("utf-8", "backslashreplace")[:MAX_LOG]
            path.write_bytes(data)
            self._digests.wrote(f"trees/{path.name}", data)

    def log(self, name: str, text: str) -> None:
        """Append to the log of a stage. A log is clipped at 16 MB, and says so."""
        self._check()
        path = self.folder / "logs" / f"{check_name('log', name)}.txt"
        with writing(path):
            path.parent.mkdir(exist_ok=True)
            with open(path, "ab") as file:
                room = MAX_LOG - file.tell()
                data = text.encode("utf-8", "backslashreplace")
                if room >= 0:  # below zero once the log was clipped
                    written = data if len(data) <= room else data[:room] + b"\n[clipped here: the log is full]\n"
                    file.write(written)
                    self._digests.appended(f"logs/{path.name}", written)

    def state(
        self,
        when: When,
        files: Mapping[str, bytes],
        data: Mapping[str, Any] | None = None,
        missing: Mapping[str, str] | None = None,
    ) -> None:
        """Record the app's state: the parts of a `core.State`.

        Args:
            when: `before` the agent began, or `after` the app saved.
            files: Content by the path it had in the seat. Any name is allowed; none is used as a path here.
            data: Answers of live endpoints, as plain data.
            missing: Requested files that do not exist, with the reason.
        """
        self._check()
        if self._states.at(when) is not None:
            raise InvalidInput(f"the state {when} was already recorded")
        if too_deep(data):
            raise InvalidInput(f"the state's data is nested more than {MAX_DEPTH} deep, so it could not be read back")
        entries = {}
        folder = self.folder / "state" / when
        for number, (name, content) in enumerate(files.items()):
            if len(content) > MAX_STATE_FILE:
                raise InvalidInput(f"state file {name!r}: {len(content):,} bytes, expected at most {MAX_STATE_FILE:,}")
            entry = StateFile(file=f"{number:03}-{_safe(name)}", size=len(content), digest=content_digest(content))
            with writing(folder / entry.file):
                folder.mkdir(parents=True, exist_ok=True)
                (folder / entry.file).write_bytes(content)
            self._digests.known(f"state/{when}/{entry.file}", entry.size, entry.digest)
            entries[pack(name)] = entry
        index = StateIndex(files=entries, data=pack(dict(data or {})), missing=pack(dict(missing or {})))
        self._states = self._states.model_copy(update={when: index})
        path = self.folder / "state" / "state.json"
        with writing(path):
            path.parent.mkdir(exist_ok=True)
            listed = dumps(self._states, indent=2)
            replace_with(path, listed, durable=False)
            self._digests.wrote("state/state.json", listed)

    def close(self, episode: Episode) -> Episode:
        """End the episode: make the video, wait until everything is on disk, and mark it complete.

        Args:
            episode: The episode with outcome, verdict and the other results. Status, first frame, number of steps and
                notes about the recording are added here.

        Returns:
            The episode as it was written.

        Raises:
            EpisodeError: If it contradicts itself, such as a pass without a verdict.
            InfrastructureError: If it could not be written. The folder then stays marked incomplete.
        """
        self._check()
        if episode.id != self._episode.id:
            raise InvalidInput(f"episode.id: this folder records {self._episode.id!r}, got {episode.id!r}")
        filled: dict[str, object] = {
            "status": "complete",
            "first_frame": self._episode.first_frame,
            "steps": len(self._steps),
        }
        # Validated again, because `model_copy` checks nothing, and what is written must be readable.
        verdict = episode.verdict
        if verdict is not None and any(too_deep([check.expected, check.found]) for check in verdict.checks):
            filled["verdict"] = _with_short_evidence(verdict, MAX_EPISODE)
        final = Episode.parse({**dict(episode), **filled})
        if faults := contradictions(final, steps=len(self._steps)):
            raise EpisodeError("the episode contradicts itself: " + "; ".join(faults))
        self.abandon()
        self._raise_failure()
        note = self._make_video() if self._video else ""
        if note:
            final = final.model_copy(update={"notes": (*final.notes, note)})
        data = dumps(final, indent=2)
        if len(data) > MAX_EPISODE and final.verdict is not None:
            # What an agent left ends up in the evidence. However much it is, the episode must have its outcome.
            limit = max(200, MAX_EPISODE // 8 // len(final.verdict.checks))
            final = final.model_copy(update={"verdict": _with_short_evidence(final.verdict, limit)})
            data = dumps(final, indent=2)
        if len(data) > MAX_EPISODE:
            raise EpisodeError(
                f"episode.json would have {len(data):,} bytes, expected at most {MAX_EPISODE:,}",
                fix="shorten `extra`, `notes` or the number of checks; files belong in the state",
            )
        self._digests.wrote("episode.json", data)
        with writing(self.folder / MANIFEST):
            replace_with(self.folder / MANIFEST, dumps(self._digests.manifest()), durable=False)
        sync_tree(self.folder)
        write_whole(self.folder / "episode.json", data)
        return final

    def abandon(self) -> None:
        """Write what was already recorded and stop, leaving the episode marked incomplete. May be called twice."""
        if self._open:
            self._open = False
            self._queue.put(None)
            self._writer.join()
            self._lines.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.abandon()
        if error is None:
            self._raise_failure()

    def _check(self) -> None:
        self._raise_failure()
        if not self._open:
            raise EpisodeError(f"{self.folder}: the recorder is closed")

    def _raise_failure(self) -> None:
        if isinstance(self._failure, FairgroundError):
            raise self._failure
        if self._failure is not None:
            raise InfrastructureError(f"a frame could not be recorded: {self._failure!r}") from self._failure

    def _write_all(self) -> None:
        written: set[str] = set()
        while (job := self._queue.get()) is not None:
            if self._failure is None:
                try:
                    self._write(*job, written)
                except Exception as error:
                    self._failure = error  # raised by the next call, on the agent's thread
                finally:
                    self._begun.set()

    def _write(self, frame: Frame, step: Step | None, written: set[str]) -> None:
        path = self.folder / "frames" / f"{frame.digest}.png"
        self._sizes[frame.digest] = frame.size
        if frame.digest not in written:
            data = encode_png(frame)
            with writing(path):
                replace_with(path, data, durable=False)  # synced at the end, all at once
            self._digests.wrote(f"frames/{path.name}", data)
            written.add(frame.digest)
        if step is None:
            path = self.folder / "episode.json"
            with writing(path):
                replace_with(path, dumps(self._episode, indent=2), durable=False)
        else:
            step = self._steps[step.index] = step.model_copy(update={"frame": frame.digest})
            path, line = self.folder / "steps.jsonl", _line(step)
            with writing(path):
                _write_fully(self._lines.fileno(), line)
            self._digests.appended(path.name, line)

    def _make_video(self) -> str:
        """Make the video. Returns why there is none: an episode is complete without a video."""
        if not self._sizes:
            return "no video: no frame was recorded"
        folder = EpisodeFolder(self.folder, self._episode, tuple(self._steps), complete=False)
        holds = hold_times([0.0, *(step.seconds for step in self._steps)])
        shots = [
            Shot(partial(folder.frame, digest), self._sizes[digest], hold)
            for digest, hold in zip(folder.digests, holds, strict=True)
        ]
        try:
            write_video(shots, self.folder / "video.mp4")
        except InfrastructureError as error:
            return f"no video: {error.message}" + (f" (fix: {error.fix})" if error.fix else "")
        self._digests.read(self.folder, "video.mp4")  # written by another program
        return ""


def _begin(folder: Path, episode: Episode) -> None:
    """Create the folder in one rename, with an `episode.json` of status `running`.

    Renaming onto a non-empty folder fails, so only one of two concurrent recorders succeeds.
    """
    draft = None
    try:
        with writing(folder):
            folder.parent.mkdir(parents=True, exist_ok=True)
            draft = folder.with_name(f".{folder.name}.{secrets.token_hex(6)}")
            draft.mkdir()
            (draft / "frames").mkdir()
            (draft / "steps.jsonl").touch()
            replace_with(draft / "episode.json", dumps(episode, indent=2), durable=True)
            sync(draft)
            try:
                draft.rename(folder)
            except (FileExistsError, NotADirectoryError):
                raise _taken(folder) from None
            except OSError:
                if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
                    raise _taken(folder) from None
                raise
            sync(folder.parent)
    except BaseException:
        if draft is not None:
            shutil.rmtree(draft, ignore_errors=True)
        raise


def _taken(folder: Path) -> EpisodeError:
    return EpisodeError(
        f"{folder} is not empty: another recorder is writing there, or an episode was already recorded there",
        fix="give every episode its own folder; episodes are never overwritten",
    )


def _line(step: Step) -> bytes:
    line = dumps(step)
    if len(line) <= MAX_LINE:
        return line
    # Only texts from agents and worlds have no limit of their own.
    short = {
        "thought": _clip(step.thought, _LONG),
        "refused": _clip(step.refused, _LONG // 10),
        "messages": tuple(_clip(message, _LONG // 200) for message in step.messages[:100]),
    }
    return dumps(step.model_copy(update=short))


_CLIPPED = re.compile(r" \[clipped: [\d,]{1,20} characters\]\Z")


def _clip(text: str, limit: int) -> str:
    if len(text) <= limit or _CLIPPED.search(text, limit):  # do not clip twice
        return text
    return f"{text[:limit]} [clipped: {len(text):,} characters]"


def _with_short_evidence(verdict: Verdict, limit: int) -> Verdict:
    """Return the verdict with evidence as text where it is longer than this, or nested too deeply to be read back."""

    def short(value: Any) -> Any:
        if too_deep(value):
            return "[nested too deeply to be kept]"
        text = value if isinstance(value, str) else repr(value)
        return value if len(text) <= limit else _clip(text, limit)

    def check(whole: Check) -> Check:
        parts = {"name": short(whole.name), "expected": short(whole.expected), "found": short(whole.found)}
        return whole.model_copy(update=parts)

    return verdict.model_copy(update={"checks": tuple(map(check, verdict.checks))})


def _write_fully(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:  # a disk that is almost full accepts only a part
        view = view[os.write(handle, view) :]


def _safe(name: str) -> str:
    """Return a safe file name: the last part of the name, with letters and digits only and its suffix kept."""
    base = re.sub(r"[^A-Za-z0-9._-]+", "_", name.rsplit("/", 1)[-1]).lstrip(".") or "file"
    stem, dot, ending = base.rpartition(".")
    return base if len(base) <= 80 else f"{(stem or base)[:60]}{dot}{ending[:19]}"
