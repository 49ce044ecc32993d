"""Preview of another arena's table before the import: recognised columns, and faulty rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from fairground.arena.datasets import MAX_NAME
from fairground.core import InvalidInput, NeedsOptions, unknown
from fairground.stats import WINNERS
from fairground.stats.tables.reading import file_kind
from fairground.stats.votes.vote_columns import needs
from fairground.stats.votes.vote_files import Draft, draft_votes

COLUMNS: Final = ("left", "right", "winner", "left_won", "right_won", "tied", "voter", "task", "category")
"""Recognised kinds of columns. The first two are required, and a winner or a result of each of the two."""

MAX_ROWS = 200_000
MAX_AGENTS = 500
_SHOWN = 8
_FAULTS = 50
_HEADER = 20_000  # maximum length of a header line; a table of votes has few columns


@dataclass(frozen=True)
class Fault:
    """A row that is not a vote. Rows are counted from 1, below the header."""

    row: int
    column: str
    problem: str


@dataclass(frozen=True)
class Preview:
    """Preview of a table.

    Attributes:
        columns: Column names in the file.
        rename: Maps the file's columns to ours, as guessed or given.
        missing: Required columns that were not found.
        rows: Number of rows.
        first: The first few rows, as they were read.
        agents: Number of votes per agent, most first; with the names used here.
        faults: The first rows that are not votes.
        wrong: Total number of rows that are not votes.
        notes: How the table was read.
        needs: What to specify about missing columns.
    """

    columns: tuple[str, ...]
    rename: dict[str, str]
    missing: tuple[str, ...]
    rows: int
    first: tuple[dict[str, str], ...]
    agents: dict[str, int]
    faults: tuple[Fault, ...]
    wrong: int
    notes: tuple[str, ...] = ()
    needs: NeedsOptions | None = None

    @property
    def good(self) -> bool:
        """Whether it can be imported."""
        return not self.missing and not self.wrong and self.rows > 0


def preview_votes(
    path: Path,
    *,
    rename: Mapping[str, str] | None = None,
    agents: Mapping[str, str] | None = None,
    values: Mapping[str, str] | None = None,
    missing: str | None = None,
    recognising: bool = True,
) -> Preview:
    """Read a table of votes without importing it.

    Args:
        path: A .csv, .tsv, .jsonl, .json or .parquet file.
        rename: Maps its columns to ours.
        agents: Maps its agent names to ours, if they differ.
        values: Maps the values in its column of winners to ours.
        missing: `skip` leaves out votes without a winner.
        recognising: Whether to recognise columns by their names if they are not renamed.

    Raises:
        InvalidInput: If it is not a table, or too large.
    """
    if file_kind(path) == "csv":
        _check_header(path)
    for ours in (rename or {}).values():
        if not recognising and ours not in COLUMNS:
            raise unknown("kind of column", ours, COLUMNS)
    draft = draft_votes(
        path, rename=rename, values=values, missing=missing, recognising=recognising, check=_refuse_too_many
    )
    known = {theirs: ours for theirs, ours in draft.known.items() if ours in COLUMNS}
    if draft.lacking:
        needed = needs(str(path), draft.columns, draft.lacking, draft.known)
        return Preview(tuple(draft.columns), known, draft.lacking, draft.length, (), {}, (), 0, draft.notes, needed)
    names = [(agents or {}).get(name, name).strip() for name in draft.agents]
    faults = _faults(draft, names)
    wrong = {fault.row - 1 for fault in faults}
    good = np.array([row not in wrong for row in range(draft.length)])
    counts = np.bincount(np.concatenate([draft.left[good], draft.right[good]]), minlength=len(names))
    met: dict[str, int] = {}
    for name, number in zip(names, counts.tolist(), strict=True):
        if number:
            met[name] = met.get(name, 0) + number
    return Preview(
        columns=tuple(draft.columns),
        rename=known,
        missing=(),
        rows=draft.length,
        first=tuple(_row(draft, names, row) for row in range(min(_SHOWN, draft.length))),
        agents=dict(sorted(met.items(), key=lambda fault: -fault[1])),
        faults=tuple(faults[:_FAULTS]),
        wrong=len(faults),
        notes=draft.notes,
    )


def _refuse_too_many(rows: int, agents: int) -> None:
    if rows > MAX_ROWS:
        raise InvalidInput(f"a table may have at most {MAX_ROWS:,} votes", fix="split it into several files")
    if agents > MAX_AGENTS:
        raise InvalidInput(f"the table has more than {MAX_AGENTS} agents", fix="check which columns name the agents")


def _faults(draft: Draft, names: list[str]) -> list[Fault]:
    """Return rows that are not votes, with one fault each, including invalid new agent names."""
    faults = {row: Fault(row + 1, column, problem[:200]) for row, column, problem in draft.faults()}
    for at, name in enumerate(names):
        if draft.agents[at] and (not name or len(name) > MAX_NAME or "\0" in name):
            problem = f"a name has 1 to {MAX_NAME} letters, got {name[:30]!r}"
            for side, codes in (("left", draft.left), ("right", draft.right)):
                for row in np.flatnonzero(codes == at).tolist():
                    faults.setdefault(row, Fault(row + 1, side, problem))
    for left, right in {*zip(draft.left.tolist(), draft.right.tolist(), strict=True)}:
        if left != right and names[left] == names[right]:
            for row in np.flatnonzero((draft.left == left) & (draft.right == right)).tolist():
                faults.setdefault(row, Fault(row + 1, "right", f"{names[left][:60]!r} is on both sides"))
    return [faults[row] for row in sorted(faults)]


def _row(draft: Draft, names: list[str], row: int) -> dict[str, str]:
    code = int(draft.winners.codes[row])
    vote = {"left": names[draft.left[row]], "right": names[draft.right[row]]}
    vote["winner"] = (
        WINNERS[code] if code >= 0 else draft.labels["winner"].name(row) if "winner" in draft.labels else ""
    )
    vote |= {name: label.name(row) for name, label in draft.labels.items() if name != "winner"}
    return {name: vote[name][:200] for name in COLUMNS if name in vote}


def _check_header(path: Path) -> None:
    """Reject headers that would be slow to analyse: very long lines, thousands of columns."""
    with path.open("rb") as file:
        line = b""
        while not line.strip():
            line = file.readline(_HEADER + 1)
            if not line:
                raise InvalidInput(
                    "the file is empty", fix="expected one row per vote under a header: left,right,winner"
                )
    if len(line) > _HEADER or max(line.count(mark) for mark in (b",", b";", b"\t")) > 200 or line.count(b'"') % 2:
        raise InvalidInput(
            "the first line is not the header of a table of votes", fix="start with a line such as left,right,winner"
        )
