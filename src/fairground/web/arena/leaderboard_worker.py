"""Worker process that counts votes, so that long computations do not block the server process.

The worker reads the votes from the database itself: reading and sending them would load the server as much as many page
requests.
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
"""With fewer votes than this, the server counts itself: that is faster than asking the worker."""

_PROGRAM: Final = "from fairground.web.arena.leaderboard_worker import work; work()"
_READY: Final = b"ready\n"
_OTHER: Final = "other"
_MOST_GROUPS: Final = 40
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Tally:
    """Result of counting votes.

    Attributes:
        told: The figures and the agreement between people; None if the category or platform does not exist.
        votes: Number of votes, including waiting ones.
        waiting: Number of votes that do not count yet because their battles can still be judged.
        categories: All categories, with their numbers of votes.
        platforms: All platforms, with their numbers of votes.
    """

    told: tuple[Standings, Mapping[str, Agreement | str]] | None
    votes: int
    waiting: int
    categories: Mapping[str, int]
    platforms: Mapping[str, int]


class Reader:
    """Counts the votes of an arena in this process. Votes are read again when they have changed.

    Args:
        store: The arena.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._read: tuple[str, list[Row]] = ("", [])

    def tally(self, version: str, kind: str, name: str) -> Tally:
        """Count this version of the votes: all, or those of one category or platform."""
        if self._read[0] != version:
            self._read = (version, all_votes(self._store))
        all_rows = self._read[1]
        rows = [row for row in all_rows if not row.open]
        groups = {kind: _numbers(rows, kind) for kind in ("category", "platform")}
        result = None
        if not kind or name in groups[kind]:
            chosen = [row for row in rows if not kind or _group(row, kind) == name]
            result = standings(chosen, grouped=not kind), agreement(chosen)
        return Tally(result, len(all_rows), len(all_rows) - len(rows), groups["category"], groups["platform"])


class Worker:
    """Counts votes in a worker process, for one thread at a time.

    The process starts when there is much to count, and ends with the server.

    Args:
        store: The arena.
    """

    def __init__(self, store: Store) -> None:
        self._url = store.engine.url.render_as_string(hide_password=False)
        self._reader = Reader(store)
        self._process: subprocess.Popen[bytes] | None = None
        self._ready = False

    def tally(self, version: str, kind: str, name: str) -> Tally:
        """Count as `Reader.tally` does.

        Counts in this process if there are few votes, if the worker fails, or until the worker has started.
        """
        try:
            tally = self._ask(version, kind, name) if self._has_started() else None
        except (OSError, EOFError, pickle.UnpicklingError):
            _log.warning("the vote-counting worker has exited; counting in the server process")
            self.close()
            tally = None
        if tally is not None:
            return tally
        counted = self._reader.tally(version, kind, name)
        if counted.votes >= FEW and self._process is None:
            self._start()
        return counted

    def close(self) -> None:
        """Stop the worker process."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _start(self) -> None:
        line = [sys.executable, "-c", _PROGRAM]
        # In its own process group, so that Ctrl-C reaches only the server.
        self._process = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, process_group=0)
        self._ready = False

    def _has_started(self) -> bool:
        if self._process is None:
            return False
        assert self._process.stdout is not None
        if not self._ready and select.select([self._process.stdout], [], [], 0)[0]:
            self._ready = self._process.stdout.read(len(_READY)) == _READY
            self._send(self._url)  # not on the command line, which every user of the machine can read
        return self._ready

    def _ask(self, version: str, kind: str, name: str) -> Tally | None:
        assert self._process is not None and self._process.stdout is not None
        self._send((version, kind, name))
        result: Tally | None = pickle.load(self._process.stdout)  # the data comes from our own worker
        return result

    def _send(self, message: object) -> None:
        assert self._process is not None and self._process.stdin is not None
        pickle.dump(message, self._process.stdin)
        self._process.stdin.flush()


def work() -> None:
    """Serve requests until standard input closes because the server has closed or was killed."""
    os.nice(5)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # keep other output off the response stream
    answers.write(_READY)
    answers.flush()
    try:
        url = pickle.load(sys.stdin.buffer)
        with Store(url) as store:
            reader = Reader(store)
            while True:
                request = pickle.load(sys.stdin.buffer)
                try:
                    tally = reader.tally(*request)
                except Exception:  # the server meets the same error when it counts itself
                    tally = None
                pickle.dump(tally, answers)
                answers.flush()
    except EOFError:
        return


def _group(row: Row, kind: str) -> str:
    return (row.category if kind == "category" else row.platform) or _OTHER


def _numbers(rows: list[Row], kind: str) -> dict[str, int]:
    """Return the number of votes per group, largest first, for a limited number of groups."""
    numbers: dict[str, int] = {}
    for row in rows:
        if row.counts:
            name = _group(row, kind)
            numbers[name] = numbers.get(name, 0) + 1
    return dict(sorted(numbers.items(), key=lambda item: (-item[1], item[0]))[:_MOST_GROUPS])
