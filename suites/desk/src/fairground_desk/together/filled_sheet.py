"""Whether a sheet was filled as it should have been: column by column, numbers as numbers, formulas as formulas."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from fairground.core import Check, StateError
from fairground.verify import equal, holds
from fairground.verify.reading.workbook import Cell, Sheet, Workbook, address, position
from fairground_desk.calc.references import references

Value = str | float


def sheet_of(book: Workbook, name: str) -> Sheet:
    """The sheet of this name, or an empty one, so that checks of it fail."""
    try:
        return book[name]
    except StateError:
        return Sheet(name)


def columns_filled(sheet: Sheet, heads: Sequence[str], rows: Sequence[Sequence[Value]], *, top: int = 1) -> list[Check]:
    """A check for each column: its values in order, below a head.

    Args:
        sheet: The sheet.
        heads: Names of the columns, for the checks' own names.
        rows: What should be there: texts, and numbers that must be numbers.
        top: Row of the first of them, counted from 0.
    """
    checks = []
    for place, head in enumerate(heads):
        wanted = [row[place] for row in rows]
        found = [sheet.at(top + number, place) for number in range(len(rows))]
        good = all(map(_is, wanted, found))
        checks.append(
            holds(f"the column {head} is right", good, expected=wanted, found=[one.value for one in found], weight=1.5)
        )
    return checks


def computed(name: str, sheet: Sheet, wanted: Mapping[str, tuple[float, str]], *, weight: float = 1.5) -> Check:
    """Whether cells are formulas of the right cells that come to the right numbers.

    Args:
        name: Of the check.
        sheet: The sheet.
        wanted: By address, the number and the cells that it follows from, such as `C2 D2` or `C2:C7`.
        weight: Of the check.
    """
    found = {place: sheet[place] for place in wanted}
    good = all(
        one.formula and _is(wanted[place][0], one) and _follows(one.formula, wanted[place][1], sheet)
        for place, one in found.items()
    )
    told = {place: one.formula or one.value for place, one in found.items()}
    return holds(name, bool(wanted) and good, expected=dict(wanted), found=told, weight=weight)


def says(name: str, sheet: Sheet, place: str, text: str) -> Check:
    """Whether a cell holds a text."""
    return equal(name, text, sheet[place].value)


def nothing_beyond(sheet: Sheet, allowed: Sequence[str]) -> Check:
    """Whether a sheet that was filled has cells in these places and nowhere else."""
    places = {position(one) for one in allowed}
    there = {at for at, one in sheet.cells.items() if one.kind != "empty"}
    return holds(
        "the sheet has this and nothing else", there == places, expected=len(places),
        found=sorted(address(*at) for at in there ^ places)[:20] or len(there),
    )  # fmt: skip


def _is(wanted: Value, cell: Cell) -> bool:
    if isinstance(wanted, str):
        return cell.kind == "text" and cell.value == wanted
    value = cell.value
    return (
        cell.kind == "number" and isinstance(value, float) and math.isclose(value, wanted, rel_tol=1e-9, abs_tol=1e-6)
    )


def _follows(formula: str, sources: str, sheet: Sheet) -> bool:
    """Whether a formula refers to these cells, and beside them to none that holds a number."""
    wanted = _places(sources, sheet)
    found = _places(formula, sheet)
    return wanted <= found and not any(sheet.at(*place).kind == "number" for place in found - wanted)


def _places(formula: str, sheet: Sheet) -> set[tuple[int, int]]:
    """The cells of the sheet that a formula refers to, as far as the sheet has any."""
    rows, columns = sheet.size
    return {
        (row, column)
        for name, top, left, bottom, right in references(formula, sheet.name)
        if name.casefold() == sheet.name.casefold()
        for row in range(top, min(bottom, rows) + 1)
        for column in range(left, min(right, columns) + 1)
    }
