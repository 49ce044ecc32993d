"""Content of a spreadsheet file, independent of the file format: workbook, sheets, cells."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Literal, TypeAlias

from fairground.core import StateError
from fairground.verify.reading.workbook_parts import (
    Columns,
    Condition,
    Filter,
    HiddenRows,
    NamedRange,
    Page,
    PivotTable,
    Properties,
    SheetChart,
    Validation,
)

MAX_ROWS = 1_048_576
MAX_COLUMNS = 16_384
MAX_CELLS = 1_000_000  # maximum non-empty cells per workbook
MAX_TEXT = 100_000  # maximum characters per cell; the programs allow a third of it

Kind: TypeAlias = Literal["empty", "number", "text", "bool", "date", "time", "error"]
Value: TypeAlias = float | str | bool | date | datetime | timedelta | None
Position: TypeAlias = tuple[int, int]
"""Row and column, counted from 0."""


@dataclass(frozen=True)
class NumberFormat:
    """How a cell's number is displayed, as far as tasks need it.

    Attributes:
        kind: `general` is the program's own choice.
        decimals: Digits after the decimal point, if the format fixes them.
        grouped: Whether there is a thousands separator.
        symbol: Currency symbol.
    """

    kind: Literal["general", "number", "currency", "percentage", "date", "time", "bool", "text", "other"] = "general"
    decimals: int | None = None
    grouped: bool = False
    symbol: str = ""


GENERAL = NumberFormat()


@dataclass(frozen=True)
class Cell:
    """One cell.

    Attributes:
        kind: The type of `value`. The value of an error is its text, such as `#DIV/0!`.
        value: The number, text, truth value, date or duration; for a formula, its last result.
        formula: As typed, such as `=SUM(A1:A3)`; empty for a plain value. Sheets are named as in the format:
            `$Sales.C2` in ODS, `Sales!C2` in XLSX.
        text: The displayed text, if the file contains it; otherwise empty.
        colour: Text colour as `#rrggbb`; empty for the default. This and the following are only read from ODS.
        background: Background colour.
        align: `left`, `center`, `right`, `justify`; empty if the program decides.
    """

    kind: Kind = "empty"
    value: Value = None
    formula: str = ""
    text: str = ""
    comment: str = ""
    bold: bool = False
    format: NumberFormat = GENERAL
    italic: bool = False
    colour: str = ""
    background: str = ""
    align: str = ""
    wrap: bool = False

    @property
    def content(self) -> tuple[Kind, Value, str]:
        """What was entered or computed, without the look: what must stay equal if nothing was to change."""
        return self.kind, self.value, self.formula


EMPTY = Cell()


@dataclass(frozen=True)
class Merged:
    """A block of merged cells."""

    row: int
    column: int
    rows: int
    columns: int


@dataclass(frozen=True)
class Sheet:
    """One sheet. Only cells with a content or a comment are stored. The fields after `visible` are only read from ODS.

    Attributes:
        frozen: Number of frozen rows and columns.
        repeated_rows: First and last row that are repeated on every printed page, counted from 0.
    """

    name: str
    cells: Mapping[Position, Cell] = field(default_factory=dict)
    merged: tuple[Merged, ...] = ()
    visible: bool = True
    columns: tuple[Columns, ...] = ()
    hidden_rows: tuple[HiddenRows, ...] = ()
    frozen: tuple[int, int] = (0, 0)
    protected: bool = False
    tab_colour: str = ""
    print_ranges: tuple[str, ...] = ()
    repeated_rows: tuple[int, int] | None = None
    page: Page = field(default_factory=Page)
    validations: tuple[Validation, ...] = ()
    conditions: tuple[Condition, ...] = ()
    charts: tuple[SheetChart, ...] = ()

    def __getitem__(self, address: str) -> Cell:
        """The cell at an address such as `B3`."""
        return self.cells.get(position(address), EMPTY)

    def at(self, row: int, column: int) -> Cell:
        """The cell at a row and a column, counted from 0."""
        return self.cells.get((row, column), EMPTY)

    @property
    def size(self) -> tuple[int, int]:
        """Rows and columns up to the last non-empty cell."""
        rows = max((row for row, _ in self.cells), default=-1) + 1
        return rows, max((column for _, column in self.cells), default=-1) + 1


@dataclass(frozen=True)
class Workbook:
    """A spreadsheet file, with its sheets in order."""

    sheets: tuple[Sheet, ...]
    ranges: tuple[NamedRange, ...] = ()
    filters: tuple[Filter, ...] = ()
    pivots: tuple[PivotTable, ...] = ()
    properties: Properties = field(default_factory=Properties)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the sheets, in order."""
        return tuple(sheet.name for sheet in self.sheets)

    def __getitem__(self, name: str) -> Sheet:
        """Return the sheet with this name.

        Raises:
            StateError: There is none.
        """
        for sheet in self.sheets:
            if sheet.name == name:
                return sheet
        raise StateError(f"the workbook has no sheet {name!r}; it has {', '.join(self.names)[:500]}")


class SheetBuilder:
    """Collects a sheet's cells for a reader, within limits."""

    def __init__(self, what: str, budget: CellBudget) -> None:
        self._what = what
        self._budget = budget
        self.cells: dict[Position, Cell] = {}

    def put(self, row: int, column: int, cell: Cell, *, rows: int = 1, columns: int = 1) -> None:
        """Fill a block with a cell. An empty cell takes no memory, however large the block."""
        if row < 0 or column < 0 or rows < 1 or columns < 1:
            raise StateError(f"{self._what}: a cell at row {row}, column {column}, {rows} by {columns}")
        if row + rows > MAX_ROWS or column + columns > MAX_COLUMNS:
            raise StateError(
                f"{self._what}: reaches to row {row + rows} and column {column + columns}, "
                f"expected at most {MAX_ROWS} and {MAX_COLUMNS}"
            )
        if cell.kind == "empty" and not cell.formula and not cell.comment:
            return
        if len(cell.text) > MAX_TEXT or len(cell.formula) > MAX_TEXT:
            raise StateError(f"{self._what}: a cell with more than {MAX_TEXT} characters")
        self._budget.take(rows * columns, self._what)
        for down in range(rows):
            for across in range(columns):
                self.cells[row + down, column + across] = cell


class CellBudget:
    """The remaining number of cells for a workbook."""

    def __init__(self, cells: int = MAX_CELLS) -> None:
        self._left = cells

    def take(self, cells: int, what: str) -> None:
        """Use up some of the limit.

        Raises:
            StateError: The limit is exceeded.
        """
        self._left -= cells
        if self._left < 0:
            raise StateError(f"{what}: more than {MAX_CELLS} cells with something in them")


_ADDRESS = re.compile(r"\$?([A-Za-z]{1,3})\$?([1-9][0-9]{0,6})")


def position(address: str) -> Position:
    """Row and column of an address such as `B3` or `$B$3`."""
    match = _ADDRESS.fullmatch(address)
    if match is None:
        raise StateError(f"{address[:40]!r} is not the address of a cell; expected one such as B3")
    column = 0
    for letter in match[1].upper():
        column = column * 26 + ord(letter) - 64
    if column > MAX_COLUMNS or int(match[2]) > MAX_ROWS:
        raise StateError(f"{address[:40]!r} lies outside of a sheet")
    return int(match[2]) - 1, column - 1


def address(row: int, column: int) -> str:
    """The address of a row and a column, such as `B3`."""
    letters = ""
    column += 1
    while column:
        column, letter = divmod(column - 1, 26)
        letters = chr(65 + letter) + letters
    return f"{letters}{row + 1}"
