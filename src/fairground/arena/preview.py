"""Another arena's table, looked at before it is taken in: which columns were understood, and every row at fault."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pyarrow as pa

from fairground.arena.datasets import MAX_NAME
from fairground.core import InvalidInput, unknown
from fairground.stats import BadVote, Votes
from fairground.stats.tables.reading import batches, file_kind

COLUMNS: Final = ("left", "right", "winner", "voter", "task", "category")
"""What is understood of a table; the first three it must have."""

MAX_ROWS = 200_000
MAX_AGENTS = 500
_SHOWN = 8
_FAULTS = 50
_HEADER = 20_000  # letters; a table of votes has a handful of columns
_USUAL: Final = {
    "left": ("left", "model_a", "agent_a", "a", "left_agent", "left_model"),
    "right": ("right", "model_b", "agent_b", "b", "right_agent", "right_model"),
    "winner": ("winner", "vote", "preference", "result"),
    "voter": ("voter", "judge", "user", "annotator"),
    "task": ("task", "instruction", "prompt", "question_id"),
    "category": ("category", "domain", "topic"),
}


@dataclass(frozen=True)
class Fault:
    """A row that is no vote; rows are counted from 1, below the header."""

    row: int
    column: str
    problem: str


@dataclass(frozen=True)
class Preview:
    """What a table looks like from here.

    Attributes:
        columns: As the file calls them.
        rename: What its columns are called here, as guessed or as told: theirs to ours.
        missing: What it needs and was not found.
        rows: How many there are.
        first: The first few, as they are understood.
        agents: How many votes are about each agent, the most first; as they will be called here.
        faults: The first rows that are no votes.
        wrong: How many rows are no votes, in all.
    """

    columns: tuple[str, ...]
    rename: dict[str, str]
    missing: tuple[str, ...]
    rows: int
    first: tuple[dict[str, str], ...]
    agents: dict[str, int]
    faults: tuple[Fault, ...]
    wrong: int

    @property
    def good(self) -> bool:
        """Whether it can be taken in."""
        return not self.missing and not self.wrong and self.rows > 0


def preview_votes(
    path: Path, *, rename: Mapping[str, str] | None = None, agents: Mapping[str, str] | None = None
) -> Preview:
    """Reads a table of votes without taking it in.

    Args:
        path: A .csv, .tsv, .jsonl or .parquet file.
        rename: What its columns are called here; guessed from usual names unless given.
        agents: What its agents are called here, where they are called otherwise.

    Raises:
        InvalidInput: When it is no table at all, or larger than is taken.
    """
    kind = file_kind(path)
    if kind == "csv":
        _check_header(path)
    seen = _Looking(rename, agents or {})
    for batch in batches(path, kind):
        seen.add({name: _texts(values) for name, values in batch.items()})
    return seen.finish()


def guess_columns(columns: tuple[str, ...]) -> dict[str, str]:
    """What a table's columns probably are: theirs to ours."""
    plain = {name.strip().lower().replace(" ", "_"): name for name in reversed(columns)}
    found = {}
    for ours, usual in _USUAL.items():
        theirs = next((plain[name] for name in usual if name in plain), None)
        if theirs is not None:
            found[theirs] = ours
    return found


class _Looking:
    def __init__(self, rename: Mapping[str, str] | None, agents: Mapping[str, str]) -> None:
        self._given, self._agents = rename, agents
        self._columns: tuple[str, ...] = ()
        self._rename: dict[str, str] = {}
        self._rows, self._wrong = 0, 0
        self._first: list[dict[str, str]] = []
        self._number: Counter[str] = Counter()
        self._faults: list[Fault] = []
        self._winners: dict[str, str] = {}

    def add(self, batch: Mapping[str, list[str]]) -> None:
        if not self._columns:
            self._columns = tuple(batch)
            self._rename = _checked(self._given, self._columns)
        length = len(next(iter(batch.values()), ()))
        if self._rows + length > MAX_ROWS:
            raise InvalidInput(f"a table of at most {MAX_ROWS:,} votes is taken at once", fix="cut it into several")
        ours = {self._rename[name]: values for name, values in batch.items() if name in self._rename}
        for place in range(length):
            self._rows += 1
            self._look({name: values[place] for name, values in ours.items()})

    def finish(self) -> Preview:
        missing = tuple(name for name in COLUMNS[:3] if name not in self._rename.values())
        return Preview(
            columns=self._columns,
            rename=self._rename,
            missing=missing,
            rows=self._rows,
            first=tuple(self._first),
            agents=dict(self._number.most_common()),
            faults=tuple(self._faults),
            wrong=self._wrong,
        )

    def _look(self, row: dict[str, str]) -> None:
        for side in ("left", "right"):
            if side in row:
                row[side] = self._agents.get(row[side], row[side])
        if len(self._first) < _SHOWN:
            self._first.append({name: row.get(name, "")[:200] for name in COLUMNS if name in row})
        fault = self._fault(row)
        if fault is not None:
            self._wrong += 1
            if len(self._faults) < _FAULTS:
                self._faults.append(Fault(self._rows, *fault))
            return
        for side in ("left", "right"):
            if side in row:
                self._number[row[side]] += 1
        if len(self._number) > MAX_AGENTS:
            raise InvalidInput(f"more than {MAX_AGENTS} agents", fix="is it the right column that names agents?")

    def _fault(self, row: Mapping[str, str]) -> tuple[str, str] | None:
        for side in ("left", "right"):
            name = row.get(side, "-")
            if not name:
                return side, "it is empty"
            if len(name) > MAX_NAME or "\0" in name:
                return side, f"a name has 1 to {MAX_NAME} letters, got {name[:30]!r}"
        if "left" in row and row.get("left") == row.get("right"):
            return "right", f"{row['left'][:60]!r} is on both sides"
        if "winner" in row:
            said = row["winner"]
            if said not in self._winners and len(self._winners) < 1_000:
                self._winners[said] = _winner_fault(said)
            problem = self._winners.get(said, "this is no winner")
            return ("winner", problem) if problem else None
        return None


def _winner_fault(said: str) -> str:
    """Why it names no winner; empty when it does. The same words do as in every table of votes."""
    try:
        Votes.of(["one"], ["other"], [said])
    except BadVote as fault:
        return fault.problem[:200]
    return ""


def _checked(given: Mapping[str, str] | None, columns: tuple[str, ...]) -> dict[str, str]:
    if given is None:
        return guess_columns(columns)
    for theirs, ours in given.items():
        if theirs not in columns:
            raise unknown("column", theirs, columns)
        if ours not in COLUMNS:
            raise unknown("kind of column", ours, COLUMNS)
    if len(set(given.values())) < len(given):
        raise InvalidInput("two columns would be the same here", fix="choose one column for each")
    return dict(given)


def _texts(values: pa.ChunkedArray) -> list[str]:
    return [(value or "").strip() for value in values.cast(pa.string()).to_pylist()]


def _check_header(path: Path) -> None:
    """Refuses what would take forever to find wrong: lines without end, thousands of columns."""
    with path.open("rb") as file:
        line = b""
        while not line.strip():
            line = file.readline(_HEADER + 1)
            if not line:
                raise InvalidInput("the file is empty", fix="one row a vote, under a header: left,right,winner")
    if len(line) > _HEADER or max(line.count(mark) for mark in (b",", b";", b"\t")) > 200 or line.count(b'"') % 2:
        raise InvalidInput(
            "the first line is no header of a table of votes", fix="begin with a line like left,right,winner"
        )
