"""Calc: what it says of its saved workbooks and what is read from them, in ODS and XLSX."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date, datetime, timedelta
from typing import Any

import pytest

from fairground.core import State
from fairground.verify.reading.ods import read_ods
from fairground.verify.reading.workbook import Cell, Sheet, Workbook, address, position
from fairground.verify.reading.xlsx import read_xlsx
from fairground_desk.calc.inspector import INSPECTOR

from .agreement import Tally
from .drawing import Draw
from .office import Office

COLUMNS, ROWS = 6, 9
RULED = ("A1", "A10", "A11", "E1", "E2", "E3", "E6", "E7", "E9", "F2", "F3", "F6", "F7", "L10", "M1")  # asked for rules
FORMATS = (
    *("0", "0.00", "#,##0", "#,##0.000", "0%", "0.0%", "0.00E+00", "# ?/?", "@", "BOOLEAN"),
    *("YYYY-MM-DD", "D MMMM YYYY", "MM/DD/YY HH:MM", "HH:MM", "[HH]:MM:SS", "HH:MM:SS.00"),
    *('[$€-407]#,##0.00', "[$$-409]#,##0.00", '#,##0.00" kg"', "0.00;[RED]-0.00"),
)  # fmt: skip
MOMENTS = tuple(one for one in FORMATS if "YY" in one or "HH" in one)
FORMULAS = (
    *("=SUM(A1:C4)", '=A1&"-&-"&B2', "=1/0", '=""', "=TRUE()", "=IF(A1>B1;\"a;b\";\"c,d\")", "=$A$1+A$2+$B3"),
    *("=NA()", "=ROUND(2.345;2)", '=UPPER("é<&>")', "=DATE(2026;2;28)", "=COUNTIF(A1:C9;\">0\")", "=-A1^2", "=1=1"),
    *("=SUM({1;2;3})", "=VLOOKUP(1;A1:B5;2;FALSE())", "=UNKNOWN(1)", "=AVERAGE(A1:A3)", "=50%*2", "=TIME(13;5;9)"),
)  # fmt: skip
SHEET_NAMES = ("One", "Two words", "it's", "A&B <c>", "日本 😀", "עברית", "2026", "a.b", "x-y (3)", "Ünïcode", "A1")

pytestmark = pytest.mark.slow  # tests/verify/reading has an example of each format


@pytest.mark.parametrize(
    "numbers",
    [
        pytest.param(range(1), id="few"),
        pytest.param(range(1, 80), id="many", marks=pytest.mark.timeout(900)),
    ],
)
def test_calc_and_the_reader_agree_on_saved_workbooks(office: Office, numbers: Iterable[int]) -> None:
    tally = Tally()
    for number in numbers:
        drawn = recipe(Draw(number))
        made = office.make("calc", drawn)
        data, said = made["ods"]
        read = read_ods(data)
        ours = told(read)
        _take_frozen_as_drawn(said, drawn)
        _forget_lost_texts(said, ours)
        tally.compare(f"workbook {number} as ODS", said, ours)
        _endpoints_agree(data, read, "ods")
        data, said = made["xlsx"]
        read = read_xlsx(data)
        ours = told_briefly(read)
        _forget_lent_formats(said, ours)
        tally.compare(f"workbook {number} as XLSX", said, ours)
        _endpoints_agree(data, read, "xlsx")
    print(tally)
    assert tally.properties > 200 * tally.documents


def _take_frozen_as_drawn(said: dict[str, Any], drawn: dict[str, Any]) -> None:
    """Calc keeps panes frozen where it was told; asked for the place, it says one column more at times.

    At other times it freezes only the columns, and says and saves so.
    """
    for sheet in drawn["sheets"]:
        rows, columns = sheet["frozen"]
        if sheet["visible"] and said["sheets"][sheet["name"]]["frozen"] == [rows, columns + 1]:
            said["sheets"][sheet["name"]]["frozen"] = [rows, columns]


def _forget_lost_texts(said: dict[str, Any], ours: dict[str, Any]) -> None:
    """Of a number that is no date Calc saves the text `#FMT`; opening the file it shows a date that it takes it for.

    A formula of dates without a format of its own shows a date and is saved so as text, but as a plain number as value;
    opening the file Calc shows the number.
    """
    for name, sheet in ours["sheets"].items():
        for at, cell in sheet["cells"].items():
            dated = cell["formula"] and cell["format"]["kind"] == "general" and _DATED.fullmatch(cell["text"])
            if cell["text"] == "#FMT" or dated:
                said["sheets"][name]["cells"][at]["text"] = cell["text"]


def _forget_lent_formats(said: dict[str, Any], ours: dict[str, Any]) -> None:
    """Working a formula of an opened XLSX out, Calc at times gives it the format of the cells that it is about.

    The file has the format `General` there.
    """
    for name, sheet in ours["sheets"].items():
        for at, cell in sheet["cells"].items():
            theirs = said["sheets"][name]["cells"].get(at)
            if theirs and cell["formula"] and cell["kind"] == "number" and cell["format"]["kind"] == "general":
                theirs["format"] = cell["format"]
                theirs["kind"] = "number" if theirs["kind"] in ("date", "time") else theirs["kind"]


_DATED = re.compile(r"[0-9]{2}/[0-9]{2}/-?[0-9]{2,5}")


def recipe(draw: Draw) -> dict[str, Any]:
    """A workbook, drawn."""
    names = draw.sample(SHEET_NAMES, draw.randint(1, 3))
    sheets = [_sheet(draw, name, names) for name in names]
    sheets[0]["visible"] = True  # one sheet must be
    return {
        "sheets": sheets,
        "names": {
            name: (draw.randrange(len(names)), draw.choice(("B2", "A1:C3", "B2:B7")))
            for name in draw.some(("Prices", "_low", "Größe"))
        },
        "title": draw.text(),
        "subject": draw.text(),
        "description": draw.text(),
        # A comma parts keywords, and spaces around them do not count: some versions keep all in one text.
        "keywords": draw.some(("one", "a&b", "日本", "two words")),
        "custom": {name: draw.text() for name in draw.some(("Project", "Näme <&>"))},
    }


def _sheet(draw: Draw, name: str, names: list[str]) -> dict[str, Any]:
    return {
        "name": name,
        "visible": draw.likely(0.8),
        "protected": draw.likely(0.3),
        # A position is only kept by a window that shows the sheet.
        "frozen": (draw.randint(0, 3), draw.randint(0, 2)),
        "tab": draw.colour() if draw.likely(0.5) else None,
        "cells": [
            _cell(draw, row, column, names) for row in range(ROWS) for column in range(COLUMNS) if draw.likely(0.6)
        ],
        "merged": draw.some(("A11:C11", "E11:E13", "G1:H4"), 0.5),
        # Whole millimetres, as the reader gives them.
        "widths": [(column, draw.randint(5, 90)) for column in range(10) if draw.likely(0.3)],
        "hidden_columns": draw.some(tuple(range(COLUMNS, 12)), 0.2),
        "hidden_rows": draw.some(tuple(range(12, 30)), 0.2),
        "print": draw.choice(("", "A1:C9", "B2")),
        "repeated": draw.choice((None, (0, 0), (1, 3))),
        "page": {
            "landscape": draw.likely(0.5),
            "Header": [_header(draw) for _ in range(3)] if draw.likely(0.5) else None,
            "Footer": [_header(draw) for _ in range(3)] if draw.likely(0.5) else None,
            "scale": draw.choice((0, 75, 120)),
        },
        "condition": _condition(draw) if draw.likely(0.6) else None,
        "rule": _rule(draw) if draw.likely(0.6) else None,
        "filter": draw.choice(("", "A1:C9")),
        "chart": _chart(draw) if draw.likely(0.25) else None,
    }


def _cell(draw: Draw, row: int, column: int, names: list[str]) -> dict[str, Any]:
    # Formulas refer to the first three columns and stand in the others: none is about itself.
    kind = draw.choice(("text", "number", "number", "formula") if column > 2 else ("text", "number"))
    value: Any
    if kind == "text":
        value = draw.text() if draw.likely(0.9) else f"{draw.text()}\n{draw.text()}"
    elif kind == "number":
        value = draw.number()
    else:
        value = draw.choice(FORMULAS)
        if draw.likely(0.2):
            quoted = draw.choice(names).replace("'", "''")
            value = f"=SUM($'{quoted}'.A1:B2)"
    shown = draw.choice(FORMATS) if draw.likely(0.4) else ""
    if kind == "formula" and shown in MOMENTS and re.search(r"[A-C]\$?[1-9]", value):
        shown = "0.00"  # a number that is lost in the file is worked out anew when it is opened
    if kind == "number" and shown in MOMENTS and column < 3:
        # A date or time is saved to fractions of a second. Formulas are saved with results of the number that it was,
        # and worked out anew of the number that is left of it: whole days are left as they were.
        value = float(int(value % 60_000))
    look: dict[str, Any] = {}
    if draw.likely(0.3):
        look |= {f"CharWeight{one}": draw.choice((150.0, 100.0)) for one in draw.some(("", "Asian", "Complex"))}
    if draw.likely(0.2):
        look |= {f"CharPosture{one}": draw.choice(("ITALIC", "NONE")) for one in draw.some(("", "Asian", "Complex"))}
    if draw.likely(0.2):
        look["CharColor"] = draw.colour()
    if draw.likely(0.3):
        look["CellBackColor"] = draw.colour()
    if draw.likely(0.3):
        look["align"] = draw.choice(("LEFT", "CENTER", "RIGHT", "BLOCK", "STANDARD"))
    if draw.likely(0.2):
        look["IsTextWrapped"] = True
    comment = draw.text() if draw.likely(0.1) else ""
    return {"at": (column, row), "kind": kind, "value": value, "format": shown, "look": look, "comment": comment}


def _header(draw: Draw) -> str:
    return draw.choice(("", "Report", "a&b <c>", "日本 😀", "page"))


def _condition(draw: Draw) -> dict[str, Any]:
    operator = draw.choice(("GREATER", "LESS", "EQUAL", "BETWEEN"))
    return {
        "range": draw.choice(("A1:B6", "C2", "A1:F9")),
        "operator": operator,
        "limits": [str(draw.randint(-5, 5)), str(draw.randint(6, 60))][: 2 if operator == "BETWEEN" else 1],
        "back": draw.colour(),
        "colour": draw.colour(),
        "bold": draw.likely(0.5),
    }


def _rule(draw: Draw) -> dict[str, Any]:
    return {
        "range": draw.choice(("E2:E9", "E2", "E3:F6", "A1:L10")),
        "least": draw.randint(0, 5),
        "most": draw.randint(10, 20),
        "empty": draw.likely(0.5),
        "title": draw.choice(("", "Stop", "a&b <c>", "日本 😀")),
        "message": draw.text(),
    }


def _chart(draw: Draw) -> dict[str, Any]:
    return {
        "range": draw.choice(("A1:B5", "A1:D6", "B2:C9")),
        "head": draw.likely(0.5),
        "kind": draw.choice(("BarDiagram", "LineDiagram", "PieDiagram", "AreaDiagram", "XYDiagram")),
        "title": draw.choice(("", "Sales", "a&b <c>", "日本 😀")),
        "subtitle": draw.choice(("", "so far")),
        "x_title": draw.choice(("", "Month & year")),
        "legend": draw.likely(0.5),
    }


# What was read, in the words of the account.


def told(book: Workbook) -> dict[str, Any]:
    """All that is read of an ODS workbook."""
    about = book.properties
    return {
        "sheets": {sheet.name: _told_sheet(sheet) | _told_beside(sheet) for sheet in book.sheets},
        "names": {one.name: one.refers_to for one in book.ranges},
        "filters": sorted(one.range for one in book.filters if one.buttons),
        "about": {
            "title": about.title,
            "subject": about.subject,
            "description": about.description,
            "keywords": about.keywords,
            "custom": dict(about.custom),
        },
    }


def told_briefly(book: Workbook) -> dict[str, Any]:
    """What is read of an XLSX workbook."""
    more = ("text", "italic", "colour", "background", "align", "wrap", "comment")
    sheets = {sheet.name: _told_sheet(sheet) for sheet in book.sheets}
    for cell in (cell for sheet in sheets.values() for cell in sheet["cells"].values()):
        if cell["formula"] in ("=TRUE()", "=FALSE()"):
            cell["formula"] = ""  # the same as a truth value, to Calc
        if cell["kind"] == "bool":
            # Which of the two is kept does not follow from which is shown; in a cell for times Calc takes it for one.
            cell["kind"] = cell["format"]["kind"] if cell["format"]["kind"] in ("date", "time") else "number"
        if cell["format"]["kind"] == "bool":
            cell["format"] = {**cell["format"], "kind": "general"}  # Calc shows a truth value so, whatever is asked for
    for sheet in sheets.values():
        sheet["cells"] = {
            at: {name: value for name, value in cell.items() if name not in more}
            for at, cell in sheet["cells"].items()
            if cell["kind"] != "empty"
        }
    return {"sheets": sheets}


def _told_sheet(sheet: Sheet) -> dict[str, Any]:
    return {
        "cells": {address(*at): _told_cell(cell) for at, cell in sorted(sheet.cells.items())},
        "merged": sorted(_block(one.row, one.column, one.rows, one.columns) for one in sheet.merged),
        "visible": sheet.visible,
    }


def _told_cell(cell: Cell) -> dict[str, Any]:
    return {
        "kind": cell.kind,
        "value": _counted(cell.value),
        "formula": cell.formula,
        "bold": cell.bold,
        "format": vars(cell.format),
        "text": cell.text,
        "italic": cell.italic,
        "colour": cell.colour,
        "background": cell.background,
        "align": cell.align,
        "wrap": cell.wrap,
        "comment": cell.comment,
    }


def _counted(value: Any) -> Any:
    """As Calc counts: dates in days since the end of 1899, to the hundredth of a second."""
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, timedelta):
        return round(value / timedelta(days=1), 7)
    if isinstance(value, date):
        moment = value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)
        return round((moment - datetime(1899, 12, 30)) / timedelta(days=1), 7)
    return value


def _told_beside(sheet: Sheet) -> dict[str, Any]:
    widths = [23] * 14
    for one in sheet.columns:
        for column in range(one.first, min(one.last, 13) + 1):
            widths[column] = one.width
    return {
        "widths": widths,
        "hidden_columns": [at for one in sheet.columns if one.hidden for at in range(one.first, one.last + 1)],
        "hidden_rows": [at for one in sheet.hidden_rows for at in range(one.first, one.last + 1)],
        "tab": sheet.tab_colour,
        "protected": sheet.protected,
        "print": sheet.print_ranges,
        "repeated": sheet.repeated_rows,
        # Of a hidden sheet Calc shows no window that could be asked.
        "frozen": sheet.frozen if sheet.visible else (0, 0),
        "page": vars(sheet.page),
        "conditions": [
            {"range": one.range, "rule": one.rule, "bold": one.bold, "colour": one.colour, "background": one.background}
            for one in sheet.conditions
        ],
        "rules": {
            at: {
                "between": one.condition.partition("between(")[2].rstrip(")").split(","),
                "empty": one.allow_empty,
                "title": one.title,
                "message": one.message,
            }
            for one in sheet.validations
            for area in one.ranges
            for at in _inside(area)
            if at in RULED
        },
        "charts": [
            {
                "kind": one.kind,
                "title": one.title,
                "subtitle": one.subtitle,
                "x_title": one.x_title,
                "legend": one.legend,
                "series": [{"values": row.values, "label": row.label} for row in one.series],
            }
            for one in sheet.charts
        ],
    }


def _block(row: int, column: int, rows: int, columns: int) -> str:
    return f"{address(row, column)}:{address(row + rows - 1, column + columns - 1)}"


def _inside(area: str) -> list[str]:
    first, _, last = area.partition(":")
    (top, left), (bottom, right) = position(first), position(last or first)
    return [address(row, column) for row in range(top, bottom + 1) for column in range(left, right + 1)]


def _endpoints_agree(data: bytes, book: Workbook, kind: str) -> None:
    """The inspector's endpoints say what the reader says, through JSON."""
    path = f"~/Documents/made.{kind}"
    state = State(files={path: data}, data={})
    assert [one["name"] for one in INSPECTOR.ask(state, "sheets", {"path": path})] == list(book.names)
    for sheet in book.sheets:
        formulas = {address(*at): cell.formula for at, cell in sheet.cells.items() if cell.formula}
        assert INSPECTOR.ask(state, "formulas", {"path": path, "sheet": sheet.name}) == formulas
        for at, cell in list(sheet.cells.items())[:3]:
            asked = INSPECTOR.ask(state, "cell", {"path": path, "sheet": sheet.name, "address": address(*at)})
            assert (asked["kind"], asked["formula"], asked["bold"]) == (cell.kind, cell.formula, cell.bold)
