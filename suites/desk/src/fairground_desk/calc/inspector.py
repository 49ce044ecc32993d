"""What can be asked about Calc: its saved workbooks, what is not saved, its settings, its files."""

from __future__ import annotations

import re
from typing import Any

from fairground.core import Check, State, StateError
from fairground.verify import close_to, equal, holds, plain
from fairground.verify.reading.meaning import workbook_leaves
from fairground.verify.reading.ods import read_ods
from fairground.verify.reading.spreadsheet import read_csv
from fairground.verify.reading.workbook import Cell, Sheet, Workbook, address, position
from fairground.verify.reading.xlsx import read_xlsx
from fairground.verify.reading.xmlsettings import read_recent_files, read_registry
from fairground.worlds import Inspector
from fairground_desk.calc.workbooks import SALES
from fairground_desk.office import REGISTRY

MOST_CELLS = 5_000

INSPECTOR = Inspector(
    "calc",
    channels={
        "workbooks": "saved files in `~/Documents`: ODS, XLSX and CSV, parsed without LibreOffice",
        "unsaved": "a copy that LibreOffice writes of a document with unsaved changes when an attempt ends",
        "UNO": "which documents are open, whether modified, which sheet and cells are selected",
        "profile": "`registrymodifications.xcu` and `recently-used.xbel`",
    },
)


def open_book(state: State, path: str) -> Workbook:
    """A recorded workbook by its path; the format follows from the name.

    Raises:
        StateError: It is not there, or cannot be read.
    """
    content = state.file(path)
    if path.endswith(".xlsx"):
        return read_xlsx(content)
    return read_csv(content) if path.endswith((".csv", ".txt")) else read_ods(content)


# Content


@INSPECTOR.query("content")
def cell(state: State, sheet: str, address: str, path: str = SALES) -> Cell:
    """What one cell holds and how it looks.

    Args:
        sheet: Name of the sheet.
        address: Such as `B3`.
        path: Of the workbook.
    """
    return open_book(state, path)[sheet][address]


@INSPECTOR.query("content")
def cells(state: State, sheet: str, area: str, path: str = SALES) -> list[list[Any]]:
    """The values of a range, row by row.

    Args:
        sheet: Name of the sheet.
        area: Such as `A1:C9`; at most 5000 cells.
        path: Of the workbook.
    """
    table = open_book(state, path)[sheet]
    first, _, last = area.partition(":")
    (top, left), (bottom, right) = position(first), position(last or first)
    if (bottom - top + 1) * (right - left + 1) > MOST_CELLS:
        raise StateError(f"{area} has more than {MOST_CELLS} cells")
    return [[plain(table.at(row, at).value) for at in range(left, right + 1)] for row in range(top, bottom + 1)]


@INSPECTOR.query("content")
def formulas(state: State, sheet: str, path: str = SALES) -> dict[str, str]:
    """All formulas of a sheet by address.

    Args:
        sheet: Name of the sheet.
        path: Of the workbook.
    """
    by_place = open_book(state, path)[sheet].cells
    return {address(*at): cell.formula for at, cell in by_place.items() if cell.formula}


@INSPECTOR.query("content")
def comments(state: State, sheet: str, path: str = SALES) -> dict[str, str]:
    """All comments of a sheet by address.

    Args:
        sheet: Name of the sheet.
        path: Of the workbook.
    """
    return {address(*at): cell.comment for at, cell in open_book(state, path)[sheet].cells.items() if cell.comment}


@INSPECTOR.query("content")
def find(state: State, text: str, path: str = SALES) -> list[str]:
    """Where a text stands, in any sheet: places such as `Sales.B3`.

    Args:
        text: A part of what a cell holds; case does not matter.
        path: Of the workbook.
    """
    book = open_book(state, path)
    return [
        f"{sheet.name}.{address(*at)}"
        for sheet in book.sheets
        for at, cell in sheet.cells.items()
        if text.casefold() in str(cell.value).casefold()
    ][:1000]


@INSPECTOR.check("content")
def check_cell(state: State, sheet: str, address: str, value: str, path: str = SALES) -> Check:
    """Whether a cell holds a value: a number to the millionth, or a text as it is.

    Args:
        sheet: Name of the sheet.
        address: Such as `B3`.
        value: What it should hold.
        path: Of the workbook.
    """
    current = open_book(state, path)[sheet][address].value
    if isinstance(current, float) and re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", value):
        return close_to(f"{sheet}.{address} holds {value}", float(value), current)
    return equal(f"{sheet}.{address} holds {value}", value, plain(current))


@INSPECTOR.check("content")
def check_formula(state: State, sheet: str, address: str, contains: str = "=", path: str = SALES) -> Check:
    """Whether a cell holds a formula with a text in it.

    Args:
        sheet: Name of the sheet.
        address: Such as `B3`.
        contains: A part of the formula, such as `SUM(`.
        path: Of the workbook.
    """
    formula = open_book(state, path)[sheet][address].formula
    return holds(
        f"{sheet}.{address} is such a formula", contains.upper() in formula.upper(), expected=contains, found=formula
    )


# Formatting


@INSPECTOR.query("formatting")
def conditional_formats(state: State, sheet: str, path: str = SALES) -> Any:
    """The conditional formats of a sheet: range, rule, look.

    Args:
        sheet: Name of the sheet.
        path: Of the workbook.
    """
    return open_book(state, path)[sheet].conditions


@INSPECTOR.query("formatting")
def columns(state: State, sheet: str, path: str = SALES) -> Any:
    """Columns that are not as usual (23 mm wide and shown): places from 0, widths in millimetres, hidden or not.

    Args:
        sheet: Name of the sheet.
        path: Of the workbook.
    """
    return open_book(state, path)[sheet].columns


@INSPECTOR.query("formatting")
def page(state: State, sheet: str, path: str = SALES) -> dict[str, Any]:
    """How a sheet is printed: page style, paper, print ranges, repeated rows.

    Args:
        sheet: Name of the sheet.
        path: Of the workbook.
    """
    table = open_book(state, path)[sheet]
    return {"page": table.page, "print_ranges": table.print_ranges, "repeated_rows": table.repeated_rows}


@INSPECTOR.check("formatting")
def check_bold(state: State, sheet: str, address: str, path: str = SALES) -> Check:
    """Whether a cell is bold.

    Args:
        sheet: Name of the sheet.
        address: Such as `B3`.
        path: Of the workbook.
    """
    return equal(f"{sheet}.{address} is bold", True, open_book(state, path)[sheet][address].bold)


@INSPECTOR.check("formatting")
def check_format(state: State, sheet: str, address: str, kind: str, decimals: int = -1, path: str = SALES) -> Check:
    """Whether a cell shows its number in a way.

    Args:
        sheet: Name of the sheet.
        address: Such as `B3`.
        kind: `number`, `currency`, `percentage`, `date`, ...
        decimals: How many it fixes; -1 for any.
        path: Of the workbook.
    """
    shown = open_book(state, path)[sheet][address].format
    fits = shown.kind == kind and decimals in (-1, shown.decimals)
    return holds(f"{sheet}.{address} is shown as {kind}", fits, expected=[kind, decimals], found=plain(shown.__dict__))


# Structure


@INSPECTOR.query("structure")
def sheets(state: State, path: str = SALES) -> list[dict[str, Any]]:
    """The sheets in order: name, size, visible, protected, colour of the tab, frozen rows and columns.

    Args:
        path: Of the workbook.
    """
    return [_about(sheet) for sheet in open_book(state, path).sheets]


@INSPECTOR.query("structure")
def merged(state: State, sheet: str, path: str = SALES) -> list[str]:
    """Blocks of merged cells, such as `A1:C1`.

    Args:
        sheet: Name of the sheet.
        path: Of the workbook.
    """
    return [
        f"{address(area.row, area.column)}:{address(area.row + area.rows - 1, area.column + area.columns - 1)}"
        for area in open_book(state, path)[sheet].merged
    ]


@INSPECTOR.query("structure")
def charts(state: State, sheet: str, path: str = SALES) -> Any:
    """The charts of a sheet: kind, titles, ranges of their series.

    Args:
        sheet: Name of the sheet.
        path: Of the workbook.
    """
    return open_book(state, path)[sheet].charts


@INSPECTOR.query("structure")
def pivot_tables(state: State, path: str = SALES) -> Any:
    """The pivot tables: source, place, fields.

    Args:
        path: Of the workbook.
    """
    return open_book(state, path).pivots


@INSPECTOR.query("structure")
def filters(state: State, path: str = SALES) -> dict[str, Any]:
    """Filters, and by sheet which rows are hidden (counted from 0).

    Args:
        path: Of the workbook.
    """
    book = open_book(state, path)
    return {
        "filters": book.filters,
        "hidden": {sheet.name: sheet.hidden_rows for sheet in book.sheets if sheet.hidden_rows},
    }


@INSPECTOR.query("structure")
def named_ranges(state: State, path: str = SALES) -> dict[str, str]:
    """Names and what they stand for.

    Args:
        path: Of the workbook.
    """
    return {named.name: named.refers_to for named in open_book(state, path).ranges}


@INSPECTOR.query("structure")
def validations(state: State, sheet: str, path: str = SALES) -> Any:
    """Rules for what may be entered: ranges, condition, message.

    Args:
        sheet: Name of the sheet.
        path: Of the workbook.
    """
    return open_book(state, path)[sheet].validations


@INSPECTOR.check("structure")
def check_sheets(state: State, names: list[str], path: str = SALES) -> Check:
    """Whether a workbook has exactly these sheets, in this order.

    Args:
        names: Of the sheets.
        path: Of the workbook.
    """
    return equal("the sheets are these, in order", list(names), list(open_book(state, path).names))


@INSPECTOR.check("structure")
def check_frozen(state: State, sheet: str, rows: int, columns: int, path: str = SALES) -> Check:
    """Whether so many rows and columns of a sheet stay in place.

    Args:
        sheet: Name of the sheet.
        rows: From the top.
        columns: From the left.
        path: Of the workbook.
    """
    return equal(f"{sheet} is frozen there", (rows, columns), open_book(state, path)[sheet].frozen)


@INSPECTOR.check("structure")
def check_protected(state: State, sheet: str, path: str = SALES) -> Check:
    """Whether a sheet is protected.

    Args:
        sheet: Name of the sheet.
        path: Of the workbook.
    """
    return equal(f"{sheet} is protected", True, open_book(state, path)[sheet].protected)


# Metadata, files, settings, history, live


@INSPECTOR.query("metadata")
def properties(state: State, path: str = SALES) -> Any:
    """What a workbook says about itself: title, subject, keywords, comment, own properties.

    Args:
        path: Of the workbook.
    """
    return open_book(state, path).properties


@INSPECTOR.query("files")
def workbooks(state: State) -> dict[str, Any]:
    """Every spreadsheet file with its sheets; for one that cannot be read, why."""
    books: dict[str, Any] = {}
    for path in sorted(state.files):
        if path.startswith("~/Documents/") and path.endswith((".ods", ".xlsx", ".csv")):
            try:
                books[path] = list(open_book(state, path).names)
            except StateError as error:
                books[path] = {"error": error.message}
    return books


@INSPECTOR.query("files")
def differences(state: State, path: str, other: str) -> list[str]:
    """Places in which two recorded workbooks differ, the first hundred.

    Args:
        path: Of one.
        other: Of the other; `unsaved:` and a path for what was not saved.
    """
    left, right = workbook_leaves(open_book(state, path)), workbook_leaves(open_book(state, other))
    return [place for place in dict.fromkeys((*left, *right)) if left.get(place) != right.get(place)][:100]


@INSPECTOR.query("settings")
def setting(state: State, name: str) -> dict[str, Any]:
    """Settings of LibreOffice whose path holds a text, and their values.

    Args:
        name: A part of the path, such as `AutoSave`.
    """
    settings = read_registry(state.file(REGISTRY))
    return {key: value for key, value in settings.items() if name.casefold() in key.casefold()}


@INSPECTOR.query("history")
def recent(state: State) -> Any:
    """The recently used files that the desktop knows, in order."""
    return read_recent_files(state.file("~/.local/share/recently-used.xbel"))


@INSPECTOR.query("live")
def documents(state: State) -> Any:
    """The open documents: path, whether modified, sheet and selected cells; of a state at the end of an attempt."""
    live = state.get("live") if "live" in state.data else {}
    if "documents" not in live:
        raise StateError(f"nothing was asked of the running program: {live.get('error', 'the state is not of an end')}")
    return live["documents"]


@INSPECTOR.check("live")
def check_saved(state: State, path: str = SALES) -> Check:
    """Whether nothing of an open workbook is unsaved.

    Args:
        path: Of the workbook.
    """
    unsaved = [document["path"] for document in documents(state) if document.get("modified")]
    return holds(f"{path} has no unsaved changes", path not in unsaved, expected="saved", found=unsaved)


def _about(sheet: Sheet) -> dict[str, Any]:
    rows, across = sheet.size
    return {
        "name": sheet.name,
        "rows": rows,
        "columns": across,
        "visible": sheet.visible,
        "protected": sheet.protected,
        "tab_colour": sheet.tab_colour,
        "frozen": sheet.frozen,
    }
