"""A process that counts votes: what computes for long in the server's own process makes everybody there wait."""

from __future__ import annotations

import logging
import os
import pickle
import select
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from fairground.arena import Row, Standings, agreement, standings
from fairground.stats import Agreement

FEW: Final = 200
"""Fewer votes are counted sooner than they are sent."""

Tally: TypeAlias = tuple[Standings, Mapping[str, Agreement | str]]
_PROGRAM: Final = "from fairground.web.arena.leaderboard_worker import work; work()"
_READY: Final = b"ready\n"
_log = logging.getLogger(__name__)


def tally(rows: Sequence[Row], *, grouped: bool) -> Tally:
    """What votes say, and how far people agree."""
    return standings(rows, grouped=grouped), agreement(rows)


class Worker:
    """Counts elsewhere, for one thread at a time. Its process starts when much is to be counted, and ends with us."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._ready = False

    def tally(self, rows: Sequence[Row], *, grouped: bool) -> Tally:
        """As `tally`; counts here what few votes say, whatever cannot be counted there, and until that has started."""
        if len(rows) >= FEW and self._has_started():
            try:
                found = self._ask(rows, grouped)
            except (OSError, EOFError, pickle.UnpicklingError):
                _log.warning("the process that counts votes has ended; counting here")
                self.close()
            else:
                if found is not None:
                    return found
        return tally(rows, grouped=grouped)

    def close(self) -> None:
        """Ends the process."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _has_started(self) -> bool:
        if self._process is None:
            line = [sys.executable, "-c", _PROGRAM]
            # In a group of its own, because Ctrl-C is for the server.
            self._process = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, process_group=0)
            self._ready = False
        assert self._process.stdout is not None
        if not self._ready and select.select([self._process.stdout], [], [], 0)[0]:
            self._ready = self._process.stdout.read(len(_READY)) == _READY
        return self._ready

    def _ask(self, rows: Sequence[Row], grouped: bool) -> Tally | None:
        assert self._process is not None and self._process.stdin is not None and self._process.stdout is not None
        pickle.dump((tuple(rows), grouped), self._process.stdin)
        self._process.stdin.flush()
        found: Tally | None = pickle.load(self._process.stdout)  # our own process wrote it
        return found


def work() -> None:
    """What the process does, until nobody asks any more: the server has closed, or was killed."""
    os.nice(5)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what anything prints is no answer
    answers.write(_READY)
    answers.flush()
    while True:
        try:
            rows, grouped = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        try:
            found = tally(rows, grouped=grouped)
        except Exception:  # which the server meets itself when it counts what could not be counted here
            found = None
        pickle.dump(found, answers)
        answers.flush()
