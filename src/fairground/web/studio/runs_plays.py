"""People's attempts as a run: recordings of live seats and of `fairground play`.

Each attempt is a separate folder without a plan: number and rollout follow from the time when it was started. Attempts
that have not ended are left out, because it is unknown whether somebody is still playing.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from fairground.agents.driven import HUMAN
from fairground.core import Episode, EpisodeError
from fairground.rollout import Finished, Planned, Row, RunSpec, RunStore
from fairground.rollout.disk import read_inside
from fairground.rollout.ended import finished_of
from fairground.rollout.folder import MAX_EPISODE
from fairground.rollout.manifest import manifest_problem, read_manifest
from fairground.rollout.strictjson import read_record

ATTEMPT: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,200}", re.ASCII)
"""Folder names that can be used in URLs."""

_LOOKED_AT: Final = 5_000  # maximum number of folders
_MOST: Final = 10**12  # plausibility limit of counts


@dataclass(frozen=True)
class Plays:
    """A folder with people's attempts."""

    folder: Path


def is_played(folder: Path) -> bool:
    """Whether this folder is a finished attempt of a person."""
    return any(_attempt(path, seen) is not None for path, seen in _recordings(folder))


def attempt_in(folder: Path, name: str) -> Path | None:
    """Return the folder of the attempt of that name, or None."""
    if not ATTEMPT.fullmatch(name):
        return None
    seen = _seen(folder / name)
    return folder / name if seen is not None and _attempt(folder / name, seen) is not None else None


def open_plays(folder: Path) -> RunStore:
    """Return people's attempts as the index of a run.

    Raises:
        EpisodeError: If there are none.
    """
    attempts = [attempt for path, seen in _recordings(folder) if (attempt := _attempt(path, seen)) is not None]
    if not attempts:
        raise EpisodeError("there are no attempts by people")
    attempts.sort(key=lambda attempt: (attempt.started, attempt.finished.folder))
    often: Counter[str] = Counter()
    rows = []
    for number, attempt in enumerate(attempts):
        planned = Planned(
            number=number, configuration=attempt.configuration, rollout=often[attempt.configuration], seed=attempt.seed
        )
        often[attempt.configuration] += 1
        rows.append(Row(planned, 1, attempt.finished))
    apps = sorted({"/".join(attempt.configuration.split("/", 2)[:2]) for attempt in attempts})
    spec = RunSpec(worlds=tuple(apps), agent=HUMAN, rollouts=max(often.values()), configs=None)
    return RunStore.gathered(folder, spec, rows, attempts[0].started)


def unreadable(folder: Path) -> int:
    """Return the number of unreadable recordings."""
    return sum(_read(path, seen) is None for path, seen in _recordings(folder))


def plays_mark(folder: Path) -> str:
    """Return a marker that changes whenever an attempt starts, ends or is deleted."""
    seen = [(path.name, about) for path, about in _recordings(folder)]
    return hashlib.blake2b(repr(seen).encode(), digest_size=8).hexdigest()


_Seen = tuple[int, int, int]


@dataclass(frozen=True)
class _Attempt:
    agent: str
    ended: bool
    configuration: str
    seed: int
    started: str
    finished: Finished


def _recordings(folder: Path) -> list[tuple[Path, _Seen]]:
    """Return the folders with an `episode.json` by name, each with a marker of changes."""
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in entries if ATTEMPT.fullmatch(entry.name))
    except OSError:  # not there yet, or not accessible
        return []
    # names start with the time, so the last ones are the newest
    paths = [folder / name for name in names[-_LOOKED_AT:]]
    return [(path, seen) for path in paths if (seen := _seen(path)) is not None]


def _seen(path: Path) -> _Seen | None:
    try:
        about = None if path.is_symlink() else os.stat(path / "episode.json", follow_symlinks=False)
    except OSError:
        return None
    return (about.st_ino, about.st_size, about.st_mtime_ns) if about else None


def _attempt(path: Path, seen: _Seen) -> _Attempt | None:
    """Return a finished attempt of a person, or None for anything else."""
    attempt = _read(path, seen)
    return attempt if attempt is not None and attempt.agent == HUMAN and attempt.ended else None


@lru_cache(2 * _LOOKED_AT)
def _read(path: Path, _seen: _Seen) -> _Attempt | None:
    try:
        episode = read_record(Episode, read_inside(path, "episode.json", limit=MAX_EPISODE), where="episode")
        manifest = read_manifest(path) if episode.status == "complete" else None
        if manifest is not None and manifest_problem(path, manifest):
            return None
    except EpisodeError:
        return None
    if not all(_sound(value) for value in (episode.seed, episode.steps, episode.seconds)):
        return None
    usage = episode.extra.get("usage")
    # Ignore implausible values: a person uses no tokens, and non-numbers are dropped.
    spent = {name: value for name, value in usage.items() if _sound(value)} if isinstance(usage, dict) else {}
    finished = finished_of(episode.model_copy(update={"extra": {"usage": spent}}), path.name)
    ended = episode.status == "complete" and episode.outcome is not None
    return _Attempt(episode.agent, ended, episode.configuration.id, episode.seed, episode.started, finished)


def _sound(value: object) -> bool:
    return isinstance(value, int | float) and 0 <= value < _MOST
