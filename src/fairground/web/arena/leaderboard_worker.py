"""A process that counts votes: what computes for long in the server's own process makes everybody there wait.

It reads the votes from the database itself: only to read and send them would keep the server as busy as many pages do.
"""

from __future__ import annotations

import logging
import os
import pickle
import select
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from fairground.arena import Row, Standings, Store, agreement, all_votes, standings
from fairground.stats import Agreement

FEW: Final = 200
"""Fewer votes are counted sooner than another process is asked."""

_PROGRAM: Final = "from fairground.web.arena.leaderboard_worker import work; work()"
_READY: Final = b"ready\n"
_OTHER: Final = "other"
_MOST_GROUPS: Final = 40
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Tally:
    """What votes say.

    Attributes:
        told: The figures, and how far people agree; None when there is no such category or platform.
        votes: How many there are, those that wait among them.
        waiting: How many wait because somebody may still judge their battles.
        categories: All there are, with their numbers of votes.
        platforms: The same.
    """

    told: tuple[Standings, Mapping[str, Agreement | str]] | None
    votes: int
    waiting: int
    categories: Mapping[str, int]
    platforms: Mapping[str, int]


class Reader:
    """Counts the votes of an arena, here; reads them when they have changed.

    Args:
        store: The arena.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._read: tuple[str, list[Row]] = ("", [])

    def tally(self, version: str, kind: str, name: str) -> Tally:
        """What the votes say, at this version of them: all, or those of one category or platform."""
        if self._read[0] != version:
            self._read = (version, all_votes(self._store))
        found = self._read[1]
        rows = [row for row in found if not row.open]
        groups = {one: _numbers(rows, one) for one in ("category", "platform")}
        told = None
        if not kind or name in groups[kind]:
            chosen = [row for row in rows if not kind or _group(row, kind) == name]
            told = standings(chosen, grouped=not kind), agreement(chosen)
        return Tally(told, len(found), len(found) - len(rows), groups["category"], groups["platform"])


class Worker:
    """Counts elsewhere, for one thread at a time. Its process starts when much is to be counted, and ends with us.

    Args:
        store: The arena.
    """

    def __init__(self, store: Store) -> None:
        self._url = store.engine.url.render_as_string(hide_password=False)
        self._reader = Reader(store)
        self._process: subprocess.Popen[bytes] | None = None
        self._ready = False

    def tally(self, version: str, kind: str, name: str) -> Tally:
        """As `Reader.tally`; counts here what few votes say, whatever cannot be counted there, and until it started."""
        try:
            found = self._ask(version, kind, name) if self._has_started() else None
        except (OSError, EOFError, pickle.UnpicklingError):
            _log.warning("the process that counts votes has ended; counting here")
            self.close()
            found = None
        if found is not None:
            return found
        counted = self._reader.tally(version, kind, name)
        if counted.votes >= FEW and self._process is None:
            self._start()
        return counted

    def close(self) -> None:
        """Ends the process."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _start(self) -> None:
        line = [sys.executable, "-c", _PROGRAM]
        # In a group of its own, because Ctrl-C is for the server.
        self._process = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, process_group=0)
        self._ready = False

    def _has_started(self) -> bool:
        if self._process is None:
            return False
        assert self._process.stdout is not None
        if not self._ready and select.select([self._process.stdout], [], [], 0)[0]:
            self._ready = self._process.stdout.read(len(_READY)) == _READY
            self._send(self._url)  # here, because everybody on the machine can read a command line
        return self._ready

    def _ask(self, version: str, kind: str, name: str) -> Tally | None:
        assert self._process is not None and self._process.stdout is not None
        self._send((version, kind, name))
        found: Tally | None = pickle.load(self._process.stdout)  # our own process wrote it
        return found

    def _send(self, said: object) -> None:
        assert self._process is not None and self._process.stdin is not None
        pickle.dump(said, self._process.stdin)
        self._process.stdin.flush()


def work() -> None:
    """What the process does, until nobody asks any more: the server has closed, or was killed."""
    os.nice(5)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what anything prints is no answer
    answers.write(_READY)
    answers.flush()
    try:
        url = pickle.load(sys.stdin.buffer)
        with Store(url) as store:
            reader = Reader(store)
            while True:
                asked = pickle.load(sys.stdin.buffer)
                try:
                    found = reader.tally(*asked)
                except Exception:  # which the server meets itself when it counts what could not be counted here
                    found = None
                pickle.dump(found, answers)
                answers.flush()
    except EOFError:
        return


def _group(row: Row, kind: str) -> str:
    return (row.category if kind == "category" else row.platform) or _OTHER


def _numbers(rows: list[Row], kind: str) -> dict[str, int]:
    """Votes that count by group, the largest first; so many groups and no more have a page."""
    found: dict[str, int] = {}
    for row in rows:
        if row.counts:
            name = _group(row, kind)
            found[name] = found.get(name, 0) + 1
    return dict(sorted(found.items(), key=lambda one: (-one[1], one[0]))[:_MOST_GROUPS])
