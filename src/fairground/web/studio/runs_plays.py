"""People's attempts, read as a run: the recordings of live seats and of `fairground play`.

Each is a folder of its own, and nobody planned them: number and rollout follow from when they were begun. Attempts that
have not ended are left out, because nothing says whether somebody still sits there.
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
"""Names of folders that addresses can say."""

_LOOKED_AT: Final = 5_000  # folders
_MOST: Final = 10**12  # of anything that is counted


@dataclass(frozen=True)
class Plays:
    """A folder in which people's attempts lie."""

    folder: Path


def is_played(folder: Path) -> bool:
    """Whether somebody's attempt that has ended lies there."""
    return any(_attempt(path, seen) is not None for path, seen in _recordings(folder))


def attempt_in(folder: Path, name: str) -> Path | None:
    """The folder of somebody's attempt of that name; None when there is none."""
    if not ATTEMPT.fullmatch(name):
        return None
    seen = _seen(folder / name)
    return folder / name if seen is not None and _attempt(folder / name, seen) is not None else None


def open_plays(folder: Path) -> RunStore:
    """People's attempts as the index of a run.

    Raises:
        EpisodeError: When there is none.
    """
    found = [one for path, seen in _recordings(folder) if (one := _attempt(path, seen)) is not None]
    if not found:
        raise EpisodeError("nobody's attempt lies there")
    found.sort(key=lambda one: (one.started, one.finished.folder))
    often: Counter[str] = Counter()
    rows = []
    for number, one in enumerate(found):
        planned = Planned(
            number=number, configuration=one.configuration, rollout=often[one.configuration], seed=one.seed
        )
        often[one.configuration] += 1
        rows.append(Row(planned, 1, one.finished))
    apps = sorted({"/".join(one.configuration.split("/", 2)[:2]) for one in found})
    spec = RunSpec(worlds=tuple(apps), agent=HUMAN, rollouts=max(often.values()), configs=None)
    return RunStore.gathered(folder, spec, rows, found[0].started)


def unreadable(folder: Path) -> int:
    """How many recordings there cannot be read."""
    return sum(_read(path, seen) is None for path, seen in _recordings(folder))


def plays_mark(folder: Path) -> str:
    """Another one whenever an attempt has begun, ended or gone."""
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
    """Folders with an `episode.json`, by name, with what tells whether that has changed."""
    try:
        with os.scandir(folder) as entries:
            names = sorted(one.name for one in entries if ATTEMPT.fullmatch(one.name))
    except OSError:  # not there yet, or nothing for us
        return []
    paths = [folder / name for name in names[-_LOOKED_AT:]]  # names begin with the time: the last are the newest
    return [(path, seen) for path in paths if (seen := _seen(path)) is not None]


def _seen(path: Path) -> _Seen | None:
    try:
        about = None if path.is_symlink() else os.stat(path / "episode.json", follow_symlinks=False)
    except OSError:
        return None
    return (about.st_ino, about.st_size, about.st_mtime_ns) if about else None


def _attempt(path: Path, seen: _Seen) -> _Attempt | None:
    """A person's attempt that has ended; None for anything else."""
    found = _read(path, seen)
    return found if found is not None and found.agent == HUMAN and found.ended else None


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
    # Whatever somebody wrote there: a person spends no tokens, and what is no number is none.
    spent = {name: value for name, value in usage.items() if _sound(value)} if isinstance(usage, dict) else {}
    finished = finished_of(episode.model_copy(update={"extra": {"usage": spent}}), path.name)
    ended = episode.status == "complete" and episode.outcome is not None
    return _Attempt(episode.agent, ended, episode.configuration.id, episode.seed, episode.started, finished)


def _sound(value: object) -> bool:
    return isinstance(value, int | float) and 0 <= value < _MOST
