"""Finding an episode by what an address says, and keeping those that are being looked at."""

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

_NAME: Final = re.compile(r"[0-9]{6,12}(?:-[0-9]{1,6})?", re.ASCII)  # as runs name the folders of episodes
_KEPT: Final = 8  # episodes that stay in memory: a replay asks for hundreds of frames of one
_LARGE: Final = 16 << 20  # bytes of steps; larger ones do not stay


def find_episode(request: Request, run: str, episode: str) -> EpisodeFolder:
    """An episode of a run that whoever asks may see, complete or not.

    Raises:
        Refused: When there is no such run or episode.
        EpisodeError: When its files cannot be read.
    """
    found = _run(places_of(request), run)
    path = attempt_in(found.folder, episode) if found.played else _planned(found.folder / EPISODES, episode)
    if path is None:
        raise Absent(f"there is no episode {episode[:80]!r} in the run {run!r}", fix="choose one in the run's list")
    try:
        return open_episode(path)
    except EpisodeError as error:
        # Not where it lies on the server.
        said = error.message.removeprefix(f"{path}: ")
        raise EpisodeError(f"the episode {run}/{episode} cannot be read: {said}", fix=error.fix) from None


def open_episode(path: Path) -> EpisodeFolder:
    """An episode folder as it is now; read again only once it has changed. Damaged ones open with what there is."""
    seen = tuple(_seen(path / name) for name in ("episode.json", "steps.jsonl"))
    if seen[1] is not None and seen[1][1] > _LARGE:
        return read_episode(path, salvage=True)
    return _read(path, seen)


def _planned(episodes: Path, name: str) -> Path | None:
    path = episodes / name
    there = _NAME.fullmatch(name) and not episodes.is_symlink() and not path.is_symlink() and path.is_dir()
    return path if there else None


def _run(places: tuple[Place, ...], name: str) -> Found:
    found = _looked_up(places, name)
    if not found.played and not found.present:  # it was removed since
        _looked_up.cache_clear()
        found = _looked_up(places, name)
    return found


@lru_cache(64)  # looking at every folder for every frame would be slow where there are many
def _looked_up(places: tuple[Place, ...], name: str) -> Found:
    return find_run(places, name)


@lru_cache(_KEPT)
def _read(path: Path, _seen: tuple[object, ...]) -> EpisodeFolder:
    return read_episode(path, salvage=True)


def _seen(path: Path) -> tuple[int, int, int] | None:
    try:
        found = os.stat(path, follow_symlinks=False)
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
