"""Lookup of episodes by URL, with a cache of open ones."""

from __future__ import annotations

import os
import re
from functools import lru_cache
from pathlib import Path
from typing import Final

from fastapi import Request

from fairground.arena import Absent
from fairground.core import EpisodeError
from fairground.rollout import EpisodeFolder, read_episode
from fairground.rollout.store import EPISODES
from fairground.web.studio.runs_found import Found, Place, find_run, places_of
from fairground.web.studio.runs_plays import attempt_in

_NAME: Final = re.compile(r"[0-9]{6,12}(?:-[0-9]{1,6})?", re.ASCII)  # format of episode folder names in runs
_KEPT: Final = 8  # number of cached episodes: a replay requests hundreds of frames of one
_LARGE: Final = 16 << 20  # bytes of steps; larger episodes are not cached


def find_episode(request: Request, run: str, episode: str) -> EpisodeFolder:
    """Return a complete or incomplete episode of a run that the visitor may see.

    Raises:
        Refused: If there is no such run or episode.
        EpisodeError: If its files cannot be read.
    """
    found_run = _run(places_of(request), run)
    path = attempt_in(found_run.folder, episode) if found_run.played else _planned(found_run.folder / EPISODES, episode)
    if path is None:
        raise Absent(f"there is no episode {episode[:80]!r} in the run {run!r}", fix="choose one from the run's list")
    try:
        return open_episode(path)
    except EpisodeError as error:
        # Without the path on the server.
        problem = error.message.removeprefix(f"{path}: ")
        raise EpisodeError(f"the episode {run}/{episode} cannot be read: {problem}", fix=error.fix) from None


def open_episode(path: Path) -> EpisodeFolder:
    """Open an episode folder, cached until it changes. Damaged episodes open with the readable part."""
    seen = tuple(_seen(path / name) for name in ("episode.json", "steps.jsonl"))
    if seen[1] is not None and seen[1][1] > _LARGE:
        return read_episode(path, salvage=True)
    return _read(path, seen)


def _planned(episodes: Path, name: str) -> Path | None:
    path = episodes / name
    there = _NAME.fullmatch(name) and not episodes.is_symlink() and not path.is_symlink() and path.is_dir()
    return path if there else None


def _run(places: tuple[Place, ...], name: str) -> Found:
    found_run = _looked_up(places, name)
    if not found_run.played and not found_run.present:  # it was deleted in the meantime
        _looked_up.cache_clear()
        found_run = _looked_up(places, name)
    return found_run


@lru_cache(64)  # searching all folders for every frame would be slow
def _looked_up(places: tuple[Place, ...], name: str) -> Found:
    return find_run(places, name)


@lru_cache(_KEPT)
def _read(path: Path, _seen: tuple[object, ...]) -> EpisodeFolder:
    return read_episode(path, salvage=True)


def _seen(path: Path) -> tuple[int, int, int] | None:
    try:
        status = os.stat(path, follow_symlinks=False)
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns
