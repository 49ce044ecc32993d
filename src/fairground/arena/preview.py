"""Another arena's table, looked at before it is taken in: which columns were understood, and every row at fault."""

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
"""What is understood of a table; it must have the first two, and a winner or what each of the two got."""

MAX_ROWS = 200_000
MAX_AGENTS = 500
_SHOWN = 8
_FAULTS = 50
_HEADER = 20_000  # letters; a table of votes has a handful of columns


@dataclass(frozen=True)
class Fault:
    """A row that is not a vote; rows are counted from 1, below the header."""

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
        faults: The first rows that are not votes.
        wrong: How many rows are not votes, in all.
        notes: What was understood, and how.
        needs: What must be said about missing columns.
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
        """Whether it can be taken in."""
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
    """Reads a table of votes without taking it in.

    Args:
        path: A .csv, .tsv, .jsonl, .json or .parquet file.
        rename: What its columns are called here.
        agents: What its agents are called here, where they are called otherwise.
        values: What words in its column of winners mean.
        missing: `skip` leaves votes without a winner out.
        recognising: Whether columns that are not renamed may be recognised by their names.

    Raises:
        InvalidInput: When it is no table at all, or larger than is taken.
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
        asked = needs(str(path), draft.columns, draft.lacking, draft.known)
        return Preview(tuple(draft.columns), known, draft.lacking, draft.length, (), {}, (), 0, draft.notes, asked)
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
        agents=dict(sorted(met.items(), key=lambda one: -one[1])),
        faults=tuple(faults[:_FAULTS]),
        wrong=len(faults),
        notes=draft.notes,
    )


def _refuse_too_many(rows: int, agents: int) -> None:
    if rows > MAX_ROWS:
        raise InvalidInput(f"a table of at most {MAX_ROWS:,} votes is taken at once", fix="cut it into several")
    if agents > MAX_AGENTS:
        raise InvalidInput(f"more than {MAX_AGENTS} agents", fix="is it the right column that names agents?")


def _faults(draft: Draft, names: list[str]) -> list[Fault]:
    """Rows that are not votes, one fault each; also where an agent's new name cannot be."""
    found = {row: Fault(row + 1, column, problem[:200]) for row, column, problem in draft.faults()}
    for at, name in enumerate(names):
        if draft.agents[at] and (not name or len(name) > MAX_NAME or "\0" in name):
            problem = f"a name has 1 to {MAX_NAME} letters, got {name[:30]!r}"
            for side, codes in (("left", draft.left), ("right", draft.right)):
                for row in np.flatnonzero(codes == at).tolist():
                    found.setdefault(row, Fault(row + 1, side, problem))
    for left, right in {*zip(draft.left.tolist(), draft.right.tolist(), strict=True)}:
        if left != right and names[left] == names[right]:
            for row in np.flatnonzero((draft.left == left) & (draft.right == right)).tolist():
                found.setdefault(row, Fault(row + 1, "right", f"{names[left][:60]!r} is on both sides"))
    return [found[row] for row in sorted(found)]


def _row(draft: Draft, names: list[str], row: int) -> dict[str, str]:
    code = int(draft.winners.codes[row])
    told = {"left": names[draft.left[row]], "right": names[draft.right[row]]}
    told["winner"] = (
        WINNERS[code] if code >= 0 else draft.labels["winner"].name(row) if "winner" in draft.labels else ""
    )
    told |= {name: label.name(row) for name, label in draft.labels.items() if name != "winner"}
    return {name: told[name][:200] for name in COLUMNS if name in told}


def _check_header(path: Path) -> None:
    """Refuses what would take forever to find wrong: lines without end, thousands of columns."""
    with path.open("rb") as file:
        line = b""
        while not line.strip():
            line = file.readline(_HEADER + 1)
            if not line:
                raise InvalidInput("the file is empty", fix="one row per vote, under a header: left,right,winner")
    if len(line) > _HEADER or max(line.count(mark) for mark in (b",", b";", b"\t")) > 200 or line.count(b'"') % 2:
        raise InvalidInput(
            "the first line is not the header of a table of votes", fix="begin with a line like left,right,winner"
        )
