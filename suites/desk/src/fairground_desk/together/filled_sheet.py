"""Checks of a filled sheet: column by column, numbers as numbers, formulas as formulas."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from fairground.core import Check, StateError
from fairground.verify import equal, holds
from fairground.verify.reading.workbook import Cell, Sheet, Workbook, address, position
from fairground_desk.calc.references import references

Value = str | float


def sheet_of(book: Workbook, name: str) -> Sheet:
    """Return the sheet of this name, or an empty one, which fails all checks."""
    try:
        return book[name]
    except StateError:
        return Sheet(name)


def columns_filled(sheet: Sheet, heads: Sequence[str], rows: Sequence[Sequence[Value]], *, top: int = 1) -> list[Check]:
    """Check each column: its values in order, below a header.

    Args:
        sheet: The sheet.
        heads: Names of the columns, used in the names of the checks.
        rows: Expected texts and numbers; numbers must be stored as numbers.
        top: First row, counted from 0.
    """
    checks = []
    for place, head in enumerate(heads):
        wanted = [row[place] for row in rows]
        cells = [sheet.at(top + number, place) for number in range(len(rows))]
        good = all(map(_is, wanted, cells))
        checks.append(
            holds(
                f"the column {head} is right", good, expected=wanted, found=[cell.value for cell in cells], weight=1.5
            )
        )
    return checks


def computed(name: str, sheet: Sheet, wanted: Mapping[str, tuple[float, str]], *, weight: float = 1.5) -> Check:
    """Check that cells have formulas of the right cells with the right results.

    Args:
        name: Name of the check.
        sheet: The sheet.
        wanted: By address, the result and the cells it is computed from, such as `C2 D2` or `C2:C7`.
        weight: Weight of the check.
    """
    cells = {place: sheet[place] for place in wanted}
    good = all(
        cell.formula and _is(wanted[place][0], cell) and _follows(cell.formula, wanted[place][1], sheet)
        for place, cell in cells.items()
    )
    shown = {place: cell.formula or cell.value for place, cell in cells.items()}
    return holds(name, bool(wanted) and good, expected=dict(wanted), found=shown, weight=weight)


def says(name: str, sheet: Sheet, place: str, text: str) -> Check:
    """Check that a cell contains a text."""
    return equal(name, text, sheet[place].value)


def nothing_beyond(sheet: Sheet, allowed: Sequence[str]) -> Check:
    """Check that a filled sheet has no other cells than these."""
    places = {position(address) for address in allowed}
    there = {at for at, cell in sheet.cells.items() if cell.kind != "empty"}
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
    """Whether a formula refers to these cells, and to no other cell with a number."""
    wanted = _places(sources, sheet)
    places = _places(formula, sheet)
    return wanted <= places and not any(sheet.at(*place).kind == "number" for place in places - wanted)


def _places(formula: str, sheet: Sheet) -> set[tuple[int, int]]:
    """The cells that a formula refers to, within the used range of the sheet."""
    rows, columns = sheet.size
    return {
        (row, column)
        for name, top, left, bottom, right in references(formula, sheet.name)
        if name.casefold() == sheet.name.casefold()
        for row in range(top, min(bottom, rows) + 1)
        for column in range(left, min(right, columns) + 1)
    }
