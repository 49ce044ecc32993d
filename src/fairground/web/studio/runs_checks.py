"""Episodes with the checks that they failed, read from their recordings: each once, and again only once it changed."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Final

from fairground.core import EpisodeError
from fairground.rollout.failed_checks import failed_checks, verdict_files
from fairground.rollout.store import EPISODES
from fairground.web.studio.runs_found import Found
from fairground.web.studio.runs_read import Kept, RunEpisode, episodes_of, mark_of, opened

_RUNS: Final = 12  # runs whose episodes are kept
_LONGEST: Final = 300  # letters of a name


def checked_episodes(found: Found) -> tuple[RunEpisode, ...]:
    """Every episode of a run; those that failed say which checks, unless their recording cannot be read.

    Raises:
        Refused: When the run is gone.
        InvalidInput: When it cannot be read.
    """
    mark = mark_of(found)
    known = _checked.get(found, mark)
    if known is None:
        listed = episodes_of(found)
        with opened(found):  # an index that says nonsense is told the same way
            files = {} if found.played else verdict_files(found.folder)
        known = tuple(
            replace(one, failed=_failed(found, one, files.get(one.number, ""))) if one.outcome == "failed" else one
            for one in listed
        )
        _checked.put(found, mark, known)
    return known


def counted_checks(episodes: Iterable[RunEpisode]) -> list[tuple[str, int]]:
    """Checks with how many of these episodes failed them, most often first."""
    return Counter(name for one in episodes for name in one.failed).most_common()


def _failed(found: Found, one: RunEpisode, newest: str) -> tuple[str, ...]:
    if not one.folder:
        return ()
    file = newest or f"{one.folder}/episode.json"
    if not newest and not found.played:
        file = f"{EPISODES}/{file}"
    try:
        about = os.stat(found.folder / file, follow_symlinks=False)
    except (OSError, ValueError):  # gone, or no name of a file
        return ()
    return _names(found.folder, file, about.st_ino, about.st_mtime_ns)


@lru_cache(maxsize=65_536)
def _names(run: Path, file: str, _inode: int, _changed: int) -> tuple[str, ...]:
    try:
        checks = failed_checks(run, file)
    except EpisodeError:
        return ()  # the replay says what is wrong with it; that it failed is known all the same
    # There are few names, each in thousands of episodes.
    return tuple(dict.fromkeys(sys.intern(_sayable(one.name[:_LONGEST])) for one in checks))


def _sayable(text: str) -> str:
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


_checked: Kept[tuple[RunEpisode, ...]] = Kept(_RUNS)
