"""Output of a workbook: print setup, copies in other formats, document properties."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from fairground.core import Check, State, StateError
from fairground.verify import equal, holds, readable
from fairground.verify.reading.spreadsheet import read_csv
from fairground.verify.reading.workbook import Cell, Workbook
from fairground.verify.reading.workbook_parts import Page
from fairground.verify.reading.xlsx import read_xlsx
from fairground.worlds import Move, World
from fairground_desk.calc.api import calc
from fairground_desk.calc.task import CalcTask, head, length, letter
from fairground_desk.calc.workbooks import BUDGET, SALES, STAFF, STOCK, SURVEY
from fairground_desk.tasks import save


class PrintSetup(CalcTask):
    """Set up a sheet for printing."""

    name = "print-setup"
    workbook = "{file}"
    template = (
        'Get the sheet "{sheet}" ready for printing: only the cells {words} are to be printed (set them as the print '
        "range), the paper (A4) lies sideways, in landscape, and row 1 is repeated on every page. Save the workbook; "
        "do not change any cell."
    )
    instances = {
        "staff": {"file": STAFF, "sheet": "Staff", "words": "of the whole list with its head", "last": 0},
        "names": {
            "file": STAFF,
            "sheet": "Staff",
            "words": 'of the columns "Number", "Name" and "Department" with their heads',
            "last": 3,
        },
        "stock": {"file": STOCK, "sheet": "Stock", "words": "of the whole list with its head", "last": 0},
        "data": {"file": SURVEY, "sheet": "Data", "words": "of the first three columns with their heads", "last": 3},
    }

    def _area(self, world: World, was: Workbook) -> str:
        sheet = was[str(world.parameters["sheet"])]
        return f"A1:{letter((int(world.parameters['last']) or len(head(sheet))) - 1)}{length(sheet)}"

    def asked(self, world: World, was: Workbook, now: Workbook, after: State) -> list[Check]:
        name = str(world.parameters["sheet"])
        sheet, page = now[name], now[name].page
        plain = replace(page, landscape=False, size=(page.size[1], page.size[0]) if page.landscape else page.size)
        return [
            equal(
                "the print range is right", [f"{name}.{self._area(world, was)}"], list(sheet.print_ranges), weight=2.0
            ),
            equal("the page is in landscape", True, page.landscape),
            equal("the paper is A4 on its long side", (297, 210), page.size),
            equal("row 1 is repeated", (0, 0), sheet.repeated_rows, weight=2.0),
            equal(
                "header, footer and scale are as they were",
                _page(was[name].page),
                _page(plain),
                weight=0.0,
                integrity=True,
            ),
        ]

    def touched(self, world: World, was: Workbook) -> Sequence[str]:
        """Sheets share a page style, so the page of every sheet may change."""
        name = world.parameters["sheet"]
        return [f"{name}!.print_ranges", f"{name}!.repeated_rows", "*!.page.landscape", "*!.page.size"]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        name, area = world.parameters["sheet"], self._area(world, self.book(world, before))
        return [calc(("print_range", name, area), ("repeat_rows", name, 0, 0), ("landscape", name)), save()]


_SIGNS = {"comma": (",", 44), "semicolon": (";", 59), "tab": ("\t", 9)}


class ExportCsv(CalcTask):
    """Export a sheet as a CSV file."""

    name = "export-csv"
    workbook = "{file}"
    changes = ("~/Documents/{name}",)
    template = (
        'Save a copy of the sheet "{sheet}" (only that one) as a text file named {name} in Documents, for people who '
        "open it in a text editor: one line for each row, the columns separated by a {sign}, UTF-8, texts only in "
        "quotes where they need them. The workbook itself stays as it is."
    )
    instances = {
        "suppliers": {"file": STOCK, "sheet": "Suppliers", "name": "suppliers.csv", "sign": "comma"},
        "sign-up": {"file": STAFF, "sheet": "Sign-up", "name": "workshops.csv", "sign": "semicolon"},
        "attendance": {"file": STAFF, "sheet": "Attendance", "name": "attendance.txt", "sign": "tab"},
        "stock": {"file": STOCK, "sheet": "Suppliers", "name": "delivery times.csv", "sign": "semicolon"},
    }

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        wanted = world.parameters
        source = self.book(world, before)[str(wanted["sheet"])]
        rows, columns = source.size
        lines = [[_shown(source.at(row, at)) for at in range(columns)] for row in range(rows)]
        path = f"~/Documents/{wanted['name']}"
        sign = _SIGNS[str(wanted["sign"])][0]
        fields: list[list[str]] = []
        error: StateError | None = None
        data = after.files.get(path, b"")
        try:
            read_csv(after.file(path), delimiter=sign)
            fields = [*csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""), delimiter=sign)]
        except StateError as fault:
            error = fault
        wide = {len(line) for line in fields}
        return [
            readable("the text file is there and can be read", error, weight=1.0).model_copy(
                update={"integrity": False}
            ),
            equal("its columns are separated as asked", {columns}, wide, weight=1.0),
            equal("it has a line for every row", rows, len(fields)),
            equal("its first line is the head", lines[0], fields[0] if fields else None),
            holds("every field is right", fields == lines, expected=lines[1:3], found=fields[1:3], weight=3.0),
            holds("quotes are only where needed", bool(fields) and data.count(b'"') == 0, found=data.count(b'"')),
            *super().judge(world, before, after, answer),
        ]

    def asked(self, world: World, was: Workbook, now: Workbook, after: State) -> list[Check]:
        return []

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        wanted = world.parameters
        options = f"{_SIGNS[str(wanted['sign'])][1]},34,76,1,,0,false,true,false"
        export = ("export", f"~/Documents/{wanted['name']}", "Text - txt - csv (StarCalc)", options)
        return [calc(("show_sheet", wanted["sheet"]), export)]


class ExportXlsx(CalcTask):
    """Export a workbook for Excel."""

    name = "export-xlsx"
    workbook = "{file}"
    changes = ("~/Documents/{name}",)
    template = (
        "Somebody without LibreOffice needs this workbook. Save a copy of it as {name} in Documents, in the format of "
        "Excel 2007 and later (.xlsx), with all its sheets, values and formulas. The original stays as it is."
    )
    instances = {
        "budget": {"file": BUDGET, "name": "budget for the bank.xlsx"},
        "stock": {"file": STOCK, "name": "stock list.xlsx"},
        "sales": {"file": SALES, "name": "sales report.xlsx"},
        "survey": {"file": SURVEY, "name": "survey.xlsx"},
    }

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        was = self.book(world, before)
        error: StateError | None = None
        copy = Workbook(())
        try:
            copy = read_xlsx(after.file(f"~/Documents/{world.parameters['name']}"))
        except StateError as fault:
            error = fault
        checks = [
            readable("the copy is there, and is an .xlsx", error, weight=1.0).model_copy(update={"integrity": False}),
            equal("it has the same sheets", list(was.names), list(copy.names)),
        ]
        for what, of in (
            ("values", _value),
            ("formulas", _has_formula),
            ("bold cells", _bold),
            ("number formats", _format),
        ):
            wanted = {(sheet.name, at): of(cell) for sheet in was.sheets for at, cell in sheet.cells.items()}
            copied = {(sheet.name, at): of(cell) for sheet in copy.sheets for at, cell in sheet.cells.items()}
            wrong = [key for key in {**wanted, **copied} if not _like(wanted.get(key), copied.get(key))]
            checks.append(
                holds(
                    f"its {what} are those of the workbook",
                    bool(copied) and not wrong,
                    found=[str(key) for key in wrong[:5]],
                )
            )
        return [*checks, *super().judge(world, before, after, answer)]

    def asked(self, world: World, was: Workbook, now: Workbook, after: State) -> list[Check]:
        return []

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        return [calc(("export", f"~/Documents/{world.parameters['name']}", "Calc MS Excel 2007 XML", ""))]


class AboutFile(CalcTask):
    """Fill in the document properties."""

    name = "about-file"
    workbook = "{file}"
    template = (
        'Fill in the description of this workbook (its properties): the title "{title}", the subject "{subject}", the '
        'keywords {first} and {second}, and the comment "{comment}". Then save it. No cell changes.'
    )
    instances = {
        "sales": {
            "file": SALES,
            "title": "A year of sales",
            "subject": "Monthly close",
            "first": "sales",
            "second": "regions",
            "comment": "For the meeting in spring",
        },
        "budget": {
            "file": BUDGET,
            "title": "Budget and actual",
            "subject": "Planning",
            "first": "costs",
            "second": "year",
            "comment": "Second draft, not for the bank",
        },
        "stock": {
            "file": STOCK,
            "title": "What is on the shelves",
            "subject": "Stocktaking",
            "first": "stock",
            "second": "suppliers",
            "comment": "Counted by hand",
        },
        "staff": {
            "file": STAFF,
            "title": "People and hours",
            "subject": "Attendance",
            "first": "staff",
            "second": "confidential",
            "comment": "Do not send around",
        },
    }

    def asked(self, world: World, was: Workbook, now: Workbook, after: State) -> list[Check]:
        wanted, properties = world.parameters, now.properties
        return [
            equal("the title is as asked", wanted["title"], properties.title),
            equal("the subject is as asked", wanted["subject"], properties.subject),
            equal(
                "the keywords are as asked",
                sorted([str(wanted["first"]), str(wanted["second"])]),
                sorted(properties.keywords),
            ),
            equal("the comment is as asked", wanted["comment"], properties.description),
            equal("nothing else is filled in", was.properties.custom, properties.custom, weight=0.0),
        ]

    def touched(self, world: World, was: Workbook) -> Sequence[str]:
        return [f"properties.{name}" for name in ("title", "subject", "keywords", "description")]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        wanted = world.parameters
        words = [wanted["first"], wanted["second"]]
        return [calc(("describe", wanted["title"], wanted["subject"], words, wanted["comment"])), save()]


def _page(page: Page) -> tuple[object, ...]:
    return page.header, page.footer, page.scale, page.style


def _shown(cell: Cell) -> str:
    """A cell as text, for cells that need no number format: texts, whole numbers, dates."""
    if cell.value is None:
        return ""
    if isinstance(cell.value, float):
        return f"{cell.value:.15g}"
    return cell.value.isoformat() if isinstance(cell.value, date) else str(cell.value)


def _value(cell: Cell) -> object:
    return cell.value


def _has_formula(cell: Cell) -> object:
    """The formula in a common notation: the two formats differ in sheet names and separators."""
    return cell.formula.replace("$Sales.", "Sales!").replace(";", ",").replace("$", "")


def _bold(cell: Cell) -> object:
    return cell.bold


def _format(cell: Cell) -> object:
    return (cell.format.kind, cell.format.decimals)


def _like(one: object, other: object) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) <= 1e-9 * max(1.0, abs(one))
    return one == other


SCENARIOS = (PrintSetup(), ExportCsv(), ExportXlsx(), AboutFile())
