"""Tables: sorting, filtering, removing duplicates, splitting columns, importing a bank statement."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Sequence
from dataclasses import astuple, replace
from datetime import date, timedelta
from itertools import pairwise
from typing import Any

from fairground.core import Check, State
from fairground.verify import equal, holds
from fairground.verify.reading.workbook import Cell, Sheet, Workbook
from fairground.worlds import Enter, Move, Press, World
from fairground_desk.calc.api import calc
from fairground_desk.calc.task import CalcTask, column, go, head, length, letter, read_book
from fairground_desk.calc.workbooks import BANK, BUDGET, SALES, STAFF, STOCK, SURVEY
from fairground_desk.tasks import save


class SortTable(CalcTask):
    """Sort a table by one or two columns."""

    name = "sort-table"
    workbook = "{file}"
    template = (
        'Sort the table in the sheet "{sheet}" by {words}. The head stays on top, and every row stays in one piece. '
        "Then save the workbook; apart from the order of the rows nothing changes."
    )
    instances = {
        "names": {"file": STAFF, "sheet": "Staff", "words": 'the column "Name", from A to Z', "keys": "1+"},
        "pay": {
            "file": STAFF,
            "sheet": "Staff",
            "keys": "2+ 5-",
            "words": 'the column "Department" from A to Z and, within a department, by "Pay" with the highest first',
        },
        "stock": {
            "file": STOCK,
            "sheet": "Stock",
            "keys": "3+ 4+",
            "words": 'the column "Supplier" from A to Z and, within a supplier, by "In stock" with the fewest first',
        },
        "figures": {
            "file": SURVEY,
            "sheet": "Data",
            "words": "its last column, the largest figure first",
            "keys": "-1-",
        },
    }

    def keys(self, world: World, sheet: Sheet) -> list[tuple[int, bool]]:
        keys = [(int(key[:-1]), key[-1] == "+") for key in str(world.parameters["keys"]).split()]
        return [(place if place >= 0 else len(head(sheet)) + place, rising) for place, rising in keys]

    def asked(self, world: World, was: Workbook, now: Workbook, after: State) -> list[Check]:
        before, sheet = was[str(world.parameters["sheet"])], now[str(world.parameters["sheet"])]
        keys = self.keys(world, before)
        rows = range(1, length(before))
        width = len(head(before))
        checks = []
        for count in range(1, len(keys) + 1):
            values = [
                tuple(_turned(sheet.at(row, place).value, rising) for place, rising in keys[:count]) for row in rows
            ]
            checks.append(
                holds(
                    f"the rows are in order by key {count}",
                    all(_rises(a, b) for a, b in pairwise(values)),
                    expected=[
                        [head(before)[place], "A to Z" if rising else "Z to A"] for place, rising in keys[:count]
                    ],
                    found=[sheet.at(row, keys[count - 1][0]).value for row in list(rows)[:12]],
                    weight=2.0,
                )
            )
        moved = any(before.at(row, 0).value != sheet.at(row, 0).value for row in rows)
        same = Counter(_row(before, row, width) for row in rows) == Counter(_row(sheet, row, width) for row in rows)
        checks.append(
            holds("the rows have moved and are still whole", moved and same, found={"moved": moved, "same rows": same})
        )
        checks.append(equal("the head is on top", head(before), head(sheet), weight=0.0, integrity=True))
        checks.append(
            holds("no row was lost, torn or changed", same, weight=0.0).model_copy(update={"integrity": True})
        )
        return checks

    def touched(self, world: World, was: Workbook) -> Sequence[str]:
        """All rows of the table, because `asked` compares them."""
        name = str(world.parameters["sheet"])
        last = length(was[name])
        return [f"{name}!{letter(at)}{row}.*" for at in range(len(head(was[name]))) for row in range(2, last + 1)]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        name = str(world.parameters["sheet"])
        sheet = self.book(world, before)[name]
        area = f"A1:{letter(len(head(sheet)) - 1)}{length(sheet)}"
        return [calc(("sort", name, area, [list(key) for key in self.keys(world, sheet)])), save()]


class FilterTable(CalcTask):
    """Show only some rows with an autofilter."""

    name = "filter-table"
    workbook = "{file}"
    template = (
        'Put filter buttons (an AutoFilter) on the head of the table in the sheet "{sheet}", and filter it so that '
        'only the rows with "{value}" in the column "{column}" are shown. Do not delete or hide anything by hand. Save '
        "the workbook with the filter on."
    )
    instances = {
        "shop": {"file": STAFF, "sheet": "Staff", "column": "Department", "value": "Shop"},
        "online": {"file": STAFF, "sheet": "Staff", "column": "Department", "value": "Online"},
        "clearance": {"file": STOCK, "sheet": "Stock", "column": "Category", "value": "Clearance"},
        "east": {"file": SALES, "sheet": "Sales", "column": "Region", "value": "East"},
    }

    def asked(self, world: World, was: Workbook, now: Workbook, after: State) -> list[Check]:
        wanted = world.parameters
        name = str(wanted["sheet"])
        sheet, place = was[name], head(was[name]).index(str(wanted["column"]))
        last = length(sheet)
        area = f"{name}.A1:{letter(len(head(sheet)) - 1)}{last}"
        here = [entry for entry in now.filters if entry.range.partition(".")[0] == name]
        autofilter = here[0] if len(here) == 1 else None
        gone = {
            row
            for span in now[name].hidden_rows
            if span.filtered
            for row in range(span.first, span.last + 1)
            if row < last
        }
        by_hand = [span for span in now[name].hidden_rows if not span.filtered]
        others = {row for row in range(1, last) if sheet.at(row, place).value != wanted["value"]}
        return [
            holds(
                "the head has filter buttons", autofilter is not None and autofilter.buttons, expected=area, found=here
            ),
            equal("they are on the whole table", area, autofilter.range if autofilter else None),
            equal(
                "the filter asks for this column and value",
                [[place, "=", [wanted["value"]]]],
                [[at, sign, list(values)] for at, sign, values in autofilter.conditions] if autofilter else None,
                weight=2.0,
            ),
            holds("all other rows are hidden by it", others <= gone, expected=len(others), found=len(gone), weight=2.0),
            holds(
                "the rows with this value are shown", bool(gone) and not gone - others, found=sorted(gone - others)[:20]
            ),
            holds("nothing is hidden by hand", not by_hand, found=by_hand, weight=0.0),
        ]

    def touched(self, world: World, was: Workbook) -> Sequence[str]:
        return ["filters", f"{world.parameters['sheet']}!.hidden_rows"]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        wanted = world.parameters
        name = str(wanted["sheet"])
        sheet = self.book(world, before)[name]
        place = head(sheet).index(str(wanted["column"]))
        area = f"A1:{letter(len(head(sheet)) - 1)}{length(sheet)}"
        return [
            *go(area, name),
            Press("ctrl+shift+l"),
            calc(("filter_rows", name, area, place, wanted["value"])),
            save(),
        ]


class NoRepetitions(CalcTask):
    """Copy a list without duplicates to a new sheet."""

    name = "no-repetitions"
    workbook = "{file}"
    template = (
        'The sheet "{sheet}" lists some things more than once. Make a new sheet named "{target}", as the last one, and '
        "put {words} there, starting in A1 with the head: each {what} once, in whatever order. The list in "
        '"{sheet}" itself stays as it is. Save the workbook.'
    )
    instances = {
        "sign-ups": {
            "file": STAFF,
            "sheet": "Sign-up",
            "target": "Clean list",
            "columns": "A:D",
            "words": "the whole list (all four columns)",
            "what": "sign-up",
        },
        "workshops": {
            "file": STAFF,
            "sheet": "Sign-up",
            "target": "Workshops",
            "columns": "C:C",
            "words": 'the column "Workshop"',
            "what": "workshop",
        },
        "suppliers": {
            "file": STOCK,
            "sheet": "Stock",
            "target": "Who delivers",
            "columns": "D:D",
            "words": 'the column "Supplier"',
            "what": "supplier",
        },
        "categories": {
            "file": STOCK,
            "sheet": "Stock",
            "target": "Categories",
            "columns": "C:C",
            "words": 'the column "Category"',
            "what": "category",
        },
    }

    def asked(self, world: World, was: Workbook, now: Workbook, after: State) -> list[Check]:
        wanted, name = world.parameters, str(world.parameters["target"])
        first, last = (ord(sign) - 65 for sign in str(wanted["columns"]).split(":"))
        source, sheet = was[str(wanted["sheet"])], now[name] if name in now.names else Sheet(name)
        width = last - first + 1
        rows = [_row(source, row, last + 1)[first:] for row in range(1, length(source))]
        listed = [_row(sheet, row, width) for row in range(1, length(sheet))]
        values = [tuple(cell[:3] for cell in row) for row in listed]
        expected = {tuple(cell[:3] for cell in row) for row in rows}
        return [
            equal("the new sheet is the last one", [*was.names, name], list(now.names)),
            equal("it begins with the head", head(source)[first : last + 1], head(sheet)),
            holds(
                "everything of the list is there",
                bool(listed) and expected <= set(values),
                found=len(set(values)),
                expected=len(expected),
                weight=2.0,
            ),
            holds(
                "nothing is there that is not in the list", bool(listed) and set(values) <= expected, found=values[:5]
            ),
            holds(
                "each is there once",
                bool(listed) and len(set(values)) == len(values) == len(expected),
                found=len(values),
                expected=len(expected),
                weight=2.0,
            ),
            holds(
                "dates still look like dates",
                bool(listed)
                and all(cell[6] == was_cell[6] for row in listed for cell, was_cell in zip(row, rows[0], strict=True)),
                found=listed[:1],
            ),
            holds(
                "nothing else is on the new sheet",
                bool(listed) and len(sheet.cells) == (len(listed) + 1) * width,
                found=len(sheet.cells),
            ),
        ]

    def touched(self, world: World, was: Workbook) -> Sequence[str]:
        return ["sheets", f"{world.parameters['target']}!*"]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        wanted = world.parameters
        name, target = str(wanted["sheet"]), str(wanted["target"])
        first, last = str(wanted["columns"]).split(":")
        area = f"{first}1:{last}{length(self.book(world, before)[name])}"
        return [calc(("insert_sheet", target, -1), ("without_duplicates", name, area, target, "A1")), save()]


class SplitShelf(CalcTask):
    """Split a column of codes such as A-3-2 into three columns."""

    name = "split-shelf"
    workbook = STOCK
    template = (
        'The column "Shelf" of the sheet "Stock" holds codes such as A-3-2. Split it at the dashes into three columns: '
        "the letter stays in column H, the first number goes to column I, the second to column J, both as numbers. The "
        'heads of H, I and J become "{one}", "{two}" and "{three}". Save the workbook, and change nothing else.'
    )
    instances = {
        "aisle": {"one": "Aisle", "two": "Bay", "three": "Level"},
        "row": {"one": "Row", "two": "Rack", "three": "Board"},
        "zone": {"one": "Zone", "two": "Unit", "three": "Slot"},
    }

    def asked(self, world: World, was: Workbook, now: Workbook, after: State) -> list[Check]:
        wanted, sheet = world.parameters, now["Stock"]
        parts = [str(cell.value).split("-") for cell in column(was["Stock"], 7)]
        rows = range(1, len(parts) + 1)
        ways: list[list[Any]] = [
            [aisle for aisle, _, _ in parts],
            [float(two) for _, two, _ in parts],
            [float(three) for _, _, three in parts],
        ]
        checks = []
        for place, (name, expected) in enumerate(zip(("one", "two", "three"), ways, strict=True), 7):
            values = [sheet.at(row, place).value for row in rows]
            wrong = [row for row, pair in enumerate(zip(expected, values, strict=True), 2) if pair[0] != pair[1]]
            checks.append(equal(f"the head of {letter(place)} is as asked", wanted[name], sheet.at(0, place).value))
            checks.append(
                holds(
                    f"column {letter(place)} holds its part of every code",
                    not wrong,
                    found=f"wrong in rows {wrong[:20]}",
                    weight=2.0,
                )
            )
        plain = all(not sheet.at(row, place).formula for row in rows for place in (7, 8, 9))
        checks.append(holds("they are values, not formulas", plain, weight=0.0))
        return checks

    def touched(self, world: World, was: Workbook) -> Sequence[str]:
        last = length(was["Stock"])
        every = [f"Stock!{name}{row}" for name in "HIJ" for row in range(1, last + 1)]
        return [f"{cell}.{part}" for cell in every for part in ("value", "kind", "formula")] + ["Stock![IJ]1.bold"]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        codes = [str(cell.value).split("-") for cell in column(self.book(world, before)["Stock"], 7)]
        rows = [[aisle, int(two), int(three)] for aisle, two, three in codes]
        wanted = world.parameters
        return [
            *go("H1", "Stock"),
            Enter(f"{wanted['one']}\t{wanted['two']}\t{wanted['three']}\n"),
            calc(("put", "Stock", "H2", rows)),
            save(),
        ]


class BankSheet(CalcTask):
    """Import a bank statement from a text file into the budget."""

    name = "bank-sheet"
    workbook = BUDGET
    template = (
        "The bank's statement of {month} is the text file {file} in the folder bank in Documents (comma-separated). "
        'Take it into this workbook: as a new sheet named "Bank {month}" behind the others, with the same columns and '
        'rows as the file, head first, days as dates and amounts as numbers. Below "Amount", in column E of row 1, put '
        "the label Total and in E2 a formula that adds all amounts up. Save the workbook, and leave the file as it is."
    ).replace('Below "Amount", in column E of row 1, put the label Total and in E2', 'Put "Total" into E1 and into E2')
    instances = {
        "march": {"month": "March", "file": "statement-03.csv"},
        "april": {"month": "April", "file": "statement-04.csv"},
        "may": {"month": "May", "file": "statement-05.csv"},
    }
    step_budget = 120

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """Also compare with the statement, read from the file as it was before the attempt."""
        lines = _statement(before, world)
        path = self.path(world)
        name = f"Bank {world.parameters['month']}"
        now = read_book(after.file(path))
        sheet = now[name] if name in now.names else Sheet(name)
        rows = range(1, len(lines) + 1)
        total = sheet["E2"]
        ends = [sheet.at(len(lines) + 1, place).kind for place in range(3)]
        return [
            equal(
                "its days are dates, row by row",
                [line[0] for line in lines],
                [sheet.at(row, 0).value for row in rows],
                weight=2.0,
            ),
            equal(
                "its texts are there, row by row", [line[1] for line in lines], [sheet.at(row, 1).value for row in rows]
            ),
            equal(
                "its amounts are numbers, row by row",
                [line[2] for line in lines],
                [sheet.at(row, 2).value for row in rows],
                weight=2.0,
            ),
            equal(
                "the head is that of the file",
                ["Day", "Text", "Amount"],
                [sheet.at(0, place).value for place in range(3)],
            ),
            equal("Total is written into E1", "Total", sheet["E1"].value),
            holds(
                "the total is right",
                isinstance(total.value, float) and abs(total.value - sum(line[2] for line in lines)) < 0.005,
                expected=round(sum(line[2] for line in lines), 2),
                found=total.value,
                weight=2.0,
            ),
            holds(
                "the total is a formula over column C",
                "C2" in total.formula.replace("$", "")
                or "C:C" in total.formula
                or "C1" in total.formula.replace("$", ""),
                found=total.formula,
            ),
            holds(
                "there is nothing below the last line",
                name in now.names and ends == ["empty"] * 3 and len(sheet.cells) == 3 * len(lines) + 5,
                found=len(sheet.cells),
            ),
            *super().judge(world, before, after, answer),
        ]

    def asked(self, world: World, was: Workbook, now: Workbook, after: State) -> list[Check]:
        return [
            equal("the new sheet is the last one", [*was.names, f"Bank {world.parameters['month']}"], list(now.names))
        ]

    def touched(self, world: World, was: Workbook) -> Sequence[str]:
        return ["sheets", f"Bank {world.parameters['month']}!*"]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        lines = _statement(before, world)
        name, last = f"Bank {world.parameters['month']}", len(lines) + 1
        rows = [
            ["Day", "Text", "Amount"],
            *([(day - date(1899, 12, 30)) // timedelta(1), text, amount] for day, text, amount in lines),
        ]
        return [
            calc(
                ("insert_sheet", name, -1),
                ("put", name, "A1", rows),
                ("number_format", name, f"A2:A{last}", "YYYY-MM-DD"),
                ("show_sheet", name),
            ),
            *go("E1", name),
            Enter(f"Total\n=SUM(C2:C{last})\n"),
            save(),
        ]


def _statement(state: State, world: World) -> list[tuple[date, str, float]]:
    text = state.file(f"{BANK}/{world.parameters['file']}").decode()
    _, *lines = csv.reader(io.StringIO(text))
    return [(date.fromisoformat(day), words, float(amount)) for day, words, amount in lines]


def _row(sheet: Sheet, row: int, width: int) -> tuple[tuple[Any, ...], ...]:
    """A row as values and formats. Formulas have no row number, because it changes when the row moves."""
    return tuple(_plain(sheet.at(row, place), row) for place in range(width))


def _plain(cell: Cell, row: int) -> tuple[Any, ...]:
    return astuple(replace(cell, text="", formula=cell.formula.replace(str(row + 1), "#")))


def _turned(value: object, rising: bool) -> tuple[bool, object]:
    return rising, value.casefold() if isinstance(value, str) else value


def _rises(one: tuple[tuple[bool, Any], ...], other: tuple[tuple[bool, Any], ...]) -> bool:
    for (rising, a), (_, b) in zip(one, other, strict=True):
        if type(a) is not type(b):
            return False
        if a != b:
            return bool(a < b) if rising else bool(a > b)
    return True


SCENARIOS = (SortTable(), FilterTable(), NoRepetitions(), SplitShelf(), BankSheet())
