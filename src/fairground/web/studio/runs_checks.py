"""Failed checks of episodes, read from their recordings and cached until they change."""

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

_RUNS: Final = 12  # number of runs to cache
_LONGEST: Final = 300  # maximum length of a name


def checked_episodes(found: Found) -> tuple[RunEpisode, ...]:
    """Return every episode of a run. Failed ones list their failed checks, if their recording can be read.

    Raises:
        Refused: If the run no longer exists.
        InvalidInput: If it cannot be read.
    """
    mark = mark_of(found)
    known = _checked.get(found, mark)
    if known is None:
        listed = episodes_of(found)
        with opened(found):  # an index with invalid values is reported in the same way
            files = {} if found.played else verdict_files(found.folder)
        known = tuple(
            replace(episode, failed=_failed(found, episode, files.get(episode.number, "")))
            if episode.outcome == "failed"
            else episode
            for episode in listed
        )
        _checked.put(found, mark, known)
    return known


def counted_checks(episodes: Iterable[RunEpisode]) -> list[tuple[str, int]]:
    """Return each check with the number of these episodes that failed it, most frequent first."""
    return Counter(name for episode in episodes for name in episode.failed).most_common()


def _failed(run: Found, episode: RunEpisode, newest: str) -> tuple[str, ...]:
    if not episode.folder:
        return ()
    file = newest or f"{episode.folder}/episode.json"
    if not newest and not run.played:
        file = f"{EPISODES}/{file}"
    try:
        about = os.stat(run.folder / file, follow_symlinks=False)
    except (OSError, ValueError):  # missing, or not a file name
        return ()
    return _names(run.folder, file, about.st_ino, about.st_mtime_ns)


@lru_cache(maxsize=65_536)
def _names(run: Path, file: str, _inode: int, _changed: int) -> tuple[str, ...]:
    try:
        checks = failed_checks(run, file)
    except EpisodeError:
        return ()  # the replay reports the problem; that the episode failed is known from the index
    # Interned: few distinct names occur in thousands of episodes.
    return tuple(dict.fromkeys(sys.intern(_sayable(check.name[:_LONGEST])) for check in checks))


def _sayable(text: str) -> str:
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


_checked: Kept[tuple[RunEpisode, ...]] = Kept(_RUNS)
