"""Formatting: number formats, headers, titles, widths, highlighted cells, frozen headers, sheet order."""

from __future__ import annotations

from collections.abc import Sequence

from fairground.core import Check, State
from fairground.verify import equal, holds
from fairground.verify.reading.workbook import Merged, Sheet, Workbook, position
from fairground.worlds import Enter, Move, Press, World
from fairground_desk.calc.api import calc
from fairground_desk.calc.task import CalcTask, go, head, length, letter, squeezed
from fairground_desk.calc.workbooks import BUDGET, SALES, STAFF, STOCK, SURVEY
from fairground_desk.tasks import save


class NumberFormats(CalcTask):
    """Change the number format of a column."""

    name = "number-format"
    workbook = "{file}"
    template = (
        'Show {words} of the sheet "{sheet}" {how}. Only the format of these cells changes, not their values. Save the '
        "workbook."
    )
    instances = {
        "year": {
            "file": BUDGET,
            "sheet": "Budget",
            "words": 'all figures in the column "Year" (with the total)',
            "at": -1,
            "how": "as US dollars with two decimals and a separator for thousands, such as $1,234.50",
            "code": "[$$-409]#,##0.00",
            "kind": "currency",
            "decimals": 2,
            "grouped": True,
            "symbol": "$",
        },
        "pay": {
            "file": STAFF,
            "sheet": "Staff",
            "words": 'all figures in the column "Pay"',
            "at": 5,
            "how": "as euros with two decimals and a separator for thousands, such as €1,234.50",
            "code": "[$€-1809]#,##0.00",
            "kind": "currency",
            "decimals": 2,
            "grouped": True,
            "symbol": "€",
        },
        "cost": {
            "file": STOCK,
            "sheet": "Stock",
            "words": 'all figures in the column "Unit cost"',
            "at": 6,
            "how": "as plain numbers without decimals, with a separator for thousands",
            "code": "#,##0",
            "kind": "number",
            "decimals": 0,
            "grouped": True,
            "symbol": "",
        },
        "figures": {
            "file": SURVEY,
            "sheet": "Data",
            "words": "all figures in the last column",
            "at": -1,
            "how": "with exactly three decimals and no separator for thousands",
            "code": "0.000",
            "kind": "number",
            "decimals": 3,
            "grouped": False,
            "symbol": "",
        },
    }

    def asked(self, world: World, was: Workbook, now: Workbook, after: State) -> list[Check]:
        wanted = world.parameters
        sheet, rows, place = now[str(wanted["sheet"])], *self._area(world, was)
        formats = [sheet.at(row, place).format for row in rows]
        start = was[str(wanted["sheet"])].at(1, place).format
        return [
            equal(
                f"every cell has the right {name}",
                [wanted[name]] * len(formats),
                [getattr(shown, name) for shown in formats],
                weight=0.0 if getattr(start, name) == wanted[name] else 1.0,
            )
            for name in ("kind", "decimals", "grouped", "symbol")
        ] + [
            holds(
                "every cell is formatted as asked",
                all(
                    all(getattr(shown, name) == wanted[name] for name in ("kind", "decimals", "grouped", "symbol"))
                    for shown in formats
                ),
                found=formats[:3],
                weight=2.0,
            ),
        ]

    def _area(self, world: World, was: Workbook) -> tuple[range, int]:
        sheet = was[str(world.parameters["sheet"])]
        place = int(world.parameters["at"])
        return range(1, length(sheet)), place if place >= 0 else len(head(sheet)) + place

    def touched(self, world: World, was: Workbook) -> Sequence[str]:
        rows, place = self._area(world, was)
        return [f"{world.parameters['sheet']}!{letter(place)}{row + 1}.format" for row in rows]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        rows, place = self._area(world, self.book(world, before))
        area = f"{letter(place)}2:{letter(place)}{rows[-1] + 1}"
        return [calc(("number_format", world.parameters["sheet"], area, world.parameters["code"])), save()]


class HeadLook(CalcTask):
    """Format the header row of a table."""

    name = "head-look"
    workbook = "{file}"
    template = (
        'Make the head of the table in the sheet "{sheet}" stand out: give all cells of row 1 that have a text the '
        "background colour {colour_name} ({colour}) and white letters (#FFFFFF), and centre their text. They stay "
        "bold. No other cell changes its look. Save the workbook."
    )
    instances = {
        "staff": {"file": STAFF, "sheet": "Staff", "colour_name": "blue", "colour": "#2A6099"},
        "stock": {"file": STOCK, "sheet": "Stock", "colour_name": "green", "colour": "#00A933"},
        "budget": {"file": BUDGET, "sheet": "Budget", "colour_name": "black", "colour": "#000000"},
        "survey": {"file": SURVEY, "sheet": "Data", "colour_name": "brick", "colour": "#C9211E"},
    }

    def asked(self, world: World, was: Workbook, now: Workbook, after: State) -> list[Check]:
        sheet = now[str(world.parameters["sheet"])]
        cells = [sheet.at(0, place) for place in range(len(head(was[sheet.name])))]
        colour = str(world.parameters["colour"]).lower()
        return [
            equal(
                "every head has the background", [colour] * len(cells), [cell.background for cell in cells], weight=2.0
            ),
            equal(
                "every head has white letters", ["#ffffff"] * len(cells), [cell.colour for cell in cells], weight=2.0
            ),
            equal("every head is centred", ["center"] * len(cells), [cell.align for cell in cells], weight=2.0),
            holds("the heads are still bold", all(cell.bold for cell in cells), weight=0.0),
        ]

    def touched(self, world: World, was: Workbook) -> Sequence[str]:
        name = str(world.parameters["sheet"])
        every = [f"{name}!{letter(place)}1" for place in range(len(head(was[name])))]
        return [f"{cell}.{part}" for cell in every for part in ("background", "colour", "align")]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        name = str(world.parameters["sheet"])
        last = letter(len(head(self.book(world, before)[name])) - 1)
        ink = {"CellBackColor": int(str(world.parameters["colour"])[1:], 16), "CharColor": 0xFFFFFF}
        return [
            *go(f"A1:{last}1", name),
            Press("ctrl+e"),
            calc(("looks", name, f"A1:{last}1", ink)),
            save(),
        ]


class TitleBlock(CalcTask):
    """Insert a title across several columns."""

    name = "title-block"
    workbook = "{file}"
    template = (
        'In the sheet "{sheet}", merge the cells {area} and centre the title in them. Its text becomes "{text}". '
        "Give it the background {colour}. Save the workbook, without any other change."
    )
    instances = {
        "pricing": {
            "file": BUDGET,
            "sheet": "Pricing",
            "area": "A1:C1",
            "text": "Evening workshop: what a seat costs",
            "colour": "#FFFFA6",
        },
        "notes": {"file": SURVEY, "sheet": "Notes", "area": "A1:B1", "text": "About the survey", "colour": "#B4C7DC"},
        "summary": {
            "file": SALES,
            "sheet": "Summary",
            "area": "A1:D1",
            "text": "The year in figures",
            "colour": "#FFD7D7",
        },
    }

    def asked(self, world: World, was: Workbook, now: Workbook, after: State) -> list[Check]:
        wanted, sheet = world.parameters, now[str(world.parameters["sheet"])]
        first, last = (position(corner) for corner in str(wanted["area"]).split(":"))
        block = Merged(*first, last[0] - first[0] + 1, last[1] - first[1] + 1)
        return [
            equal("these cells are one", [block], list(sheet.merged), weight=2.0),
            equal("the title is as asked", wanted["text"], sheet["A1"].value),
            equal("it is centred", "center", sheet["A1"].align),
            equal("it has the background", str(wanted["colour"]).lower(), sheet["A1"].background),
            holds("it is still bold", sheet["A1"].bold, weight=0.0),
        ]

    def touched(self, world: World, was: Workbook) -> Sequence[str]:
        name = world.parameters["sheet"]
        return [f"{name}!.merged", *(f"{name}!A1.{part}" for part in ("value", "align", "background"))]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        wanted = world.parameters
        name = str(wanted["sheet"])
        return [
            *go("A1", name),
            Enter(f"{wanted['text']}\n"),
            calc(
                ("merge", name, wanted["area"]),
                (
                    "looks",
                    name,
                    wanted["area"],
                    {"HoriJustify": "CENTER", "CellBackColor": int(str(wanted["colour"])[1:], 16)},
                ),
            ),
            save(),
        ]


class ColumnLayout(CalcTask):
    """Widen a column, and hide another."""

    name = "column-layout"
    workbook = "{file}"
    template = (
        'In the sheet "{sheet}", make the column "{wide}" exactly {cm} cm wide and hide the column "{hide}". All other '
        "columns keep their widths, and nothing is deleted. Save the workbook."
    )
    instances = {
        "staff": {"file": STAFF, "sheet": "Staff", "wide": "Email", "cm": 8, "hide": "Pay"},
        "stock": {"file": STOCK, "sheet": "Stock", "wide": "Item", "cm": 7, "hide": "Unit cost"},
        "sales": {"file": SALES, "sheet": "Sales", "wide": "Product", "cm": 6, "hide": "Price"},
        "budget": {"file": BUDGET, "sheet": "Actual", "wide": "Item", "cm": 5, "hide": "Year"},
    }

    def asked(self, world: World, was: Workbook, now: Workbook, after: State) -> list[Check]:
        wanted, name = world.parameters, str(world.parameters["sheet"])
        heads = head(was[name])
        wide, hide = heads.index(str(wanted["wide"])), heads.index(str(wanted["hide"]))
        before, current = _columns(was[name]), _columns(now[name])
        usual = (23, False)
        others = {
            at
            for at in {*before, *current}
            if at not in (wide, hide) and before.get(at, usual) != current.get(at, usual)
        }
        return [
            equal("the column has the width", (int(wanted["cm"]) * 10, False), current.get(wide, usual), weight=2.0),
            equal("the other column is hidden", True, current.get(hide, usual)[1], weight=2.0),
            equal(
                "the hidden column has the width it had",
                before.get(hide, usual)[0],
                current.get(hide, usual)[0],
                weight=0.0,
            ),
            equal("no other column changed", [], sorted(others)[:20], weight=0.0, integrity=True),
        ]

    def touched(self, world: World, was: Workbook) -> Sequence[str]:
        """All columns, because `asked` compares them one by one."""
        return [f"{world.parameters['sheet']}!.columns"]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        wanted, name = world.parameters, str(world.parameters["sheet"])
        heads = head(self.book(world, before)[name])
        wide, hide = (letter(heads.index(str(wanted[key]))) for key in ("wide", "hide"))
        return [
            calc(("column_width", name, f"{wide}1", int(wanted["cm"]) * 10), ("hide_columns", name, f"{hide}1")),
            save(),
        ]


class Highlight(CalcTask):
    """Highlight cells by a conditional format."""

    name = "highlight"
    workbook = "{file}"
    template = (
        'In the sheet "{sheet}", set up a conditional format for all figures in the column "{column}" (without the '
        "head): cells whose value is {words} get the background {colour}. It must be a rule, not colours painted by "
        "hand, and there should be just this one. Save the workbook."
    )
    instances = {
        "low": {
            "file": STOCK,
            "sheet": "Stock",
            "column": "In stock",
            "words": "less than 10",
            "operator": "LESS",
            "one": "10",
            "other": "",
            "rule": "<10",
            "colour": "#FFAAAA",
        },
        "hours": {
            "file": STAFF,
            "sheet": "Staff",
            "column": "Hours",
            "words": "between 20 and 30",
            "operator": "BETWEEN",
            "one": "20",
            "other": "30",
            "rule": "between(20,30)",
            "colour": "#FFE994",
        },
        "units": {
            "file": SALES,
            "sheet": "Sales",
            "column": "Units",
            "words": "greater than 40",
            "operator": "GREATER",
            "one": "40",
            "other": "",
            "rule": ">40",
            "colour": "#AFD095",
        },
        "reorder": {
            "file": STOCK,
            "sheet": "Stock",
            "column": "Reorder at",
            "words": "equal to 40",
            "operator": "EQUAL",
            "one": "40",
            "other": "",
            "rule": "=40",
            "colour": "#B4C7DC",
        },
    }

    def _area(self, world: World, was: Workbook) -> str:
        sheet = was[str(world.parameters["sheet"])]
        name = letter(head(sheet).index(str(world.parameters["column"])))
        return f"{name}2:{name}{length(sheet)}"

    def asked(self, world: World, was: Workbook, now: Workbook, after: State) -> list[Check]:
        rules = now[str(world.parameters["sheet"])].conditions
        rule = rules[0] if rules else None
        return [
            equal("there is one rule", 1, len(rules)),
            equal("it is a condition on values", "condition", rule.kind if rule else None),
            equal("it is for the whole column", self._area(world, was), rule.range if rule else None, weight=2.0),
            equal(
                "the condition is as asked",
                squeezed(str(world.parameters["rule"])),
                squeezed(rule.rule) if rule else None,
                weight=2.0,
            ),
            equal(
                "the background is as asked",
                str(world.parameters["colour"]).lower(),
                rule.background if rule else None,
                weight=2.0,
            ),
            holds(
                "letters stay as they are", rule is None or (not rule.colour and not rule.bold), found=rule, weight=0.0
            ),
        ]

    def touched(self, world: World, was: Workbook) -> Sequence[str]:
        return [f"{world.parameters['sheet']}!.conditions"]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        wanted = world.parameters
        colour = int(str(wanted["colour"])[1:], 16)
        area = self._area(world, self.book(world, before))
        return [
            calc(
                ("cell_style", "Marked", {"CellBackColor": colour}),
                ("condition", wanted["sheet"], area, wanted["operator"], wanted["one"], wanted["other"], "Marked"),
            ),
            save(),
        ]


class FrozenHead(CalcTask):
    """Freeze the header row, and repeat it on every printed page."""

    name = "frozen-head"
    workbook = "{file}"
    template = (
        'Make the long list in the sheet "{sheet}" easier to read: {words} should stay in sight when one scrolls '
        "(frozen, not only split), and when the sheet is printed, row 1 should be repeated on every page. Save the "
        "workbook with nothing else changed."
    )
    instances = {
        "staff": {
            "file": STAFF,
            "sheet": "Staff",
            "words": "the first row and the first two columns",
            "rows": 1,
            "columns": 2,
        },
        "stock": {
            "file": STOCK,
            "sheet": "Stock",
            "words": "the first row and the first column",
            "rows": 1,
            "columns": 1,
        },
        "sales": {"file": SALES, "sheet": "Sales", "words": "the first row, but no column,", "rows": 1, "columns": 0},
        "attendance": {
            "file": STAFF,
            "sheet": "Attendance",
            "words": "the first row and the column of names",
            "rows": 1,
            "columns": 1,
        },
    }

    def asked(self, world: World, was: Workbook, now: Workbook, after: State) -> list[Check]:
        wanted, sheet = world.parameters, now[str(world.parameters["sheet"])]
        others = {
            table.name: table.frozen for table in now.sheets if table.name != sheet.name and table.frozen != (0, 0)
        }
        return [
            equal("the rows are frozen", wanted["rows"], sheet.frozen[0], weight=2.0),
            equal(
                "rows and columns are frozen as asked", (wanted["rows"], wanted["columns"]), sheet.frozen, weight=2.0
            ),
            equal("row 1 is repeated on every page", (0, 0), sheet.repeated_rows, weight=2.0),
            equal("no other sheet is frozen", {}, others, weight=0.0),
        ]

    def touched(self, world: World, was: Workbook) -> Sequence[str]:
        return [f"{world.parameters['sheet']}!.{part}" for part in ("frozen", "repeated_rows")]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        wanted = world.parameters
        name = wanted["sheet"]
        return [
            *go("A1", str(name)),  # rows out of view cannot be frozen
            calc(("freeze", name, wanted["rows"], wanted["columns"]), ("repeat_rows", name, 0, 0)),
            save(),
        ]


class SheetOrder(CalcTask):
    """Rename, move and colour a sheet."""

    name = "sheet-order"
    workbook = SALES
    template = (
        'Rename the sheet "Targets" to "{new}", give its tab the colour {colour_name} ({colour}), and move it so that '
        "it is the {place} sheet of the workbook. The other sheets keep their names and their order, and no cell "
        "changes. Save the workbook."
    )
    instances = {
        "plan": {"new": "Plan", "colour_name": "yellow", "colour": "#FFFF00", "place": "first", "at": 0},
        "goals": {"new": "Goals by quarter", "colour_name": "red", "colour": "#FF0000", "place": "last", "at": 2},
        "quotas": {"new": "Quotas", "colour_name": "green", "colour": "#00A933", "place": "first", "at": 0},
        "agreed": {"new": "As agreed", "colour_name": "blue", "colour": "#2A6099", "place": "last", "at": 2},
    }

    def asked(self, world: World, was: Workbook, now: Workbook, after: State) -> list[Check]:
        wanted, new = world.parameters, str(world.parameters["new"])
        order = [name for name in was.names if name != "Targets"]
        order.insert(int(wanted["at"]), new)
        sheet = now[new] if new in now.names else Sheet(new)
        same = {at: cell.content for at, cell in sheet.cells.items()} == {
            at: cell.content for at, cell in was["Targets"].cells.items()
        }
        looks = _untitled(sheet) == _untitled(was["Targets"]) if new in now.names else False
        return [
            holds("the sheet has its new name", new in now.names and "Targets" not in now.names, found=list(now.names)),
            equal("the sheets are in the right order", order, list(now.names), weight=2.0),
            equal("its tab has the colour", str(wanted["colour"]).lower(), sheet.tab_colour, weight=2.0),
            holds("its cells are as they were", same),
            holds("all else about it is as it was", looks),
        ]

    def touched(self, world: World, was: Workbook) -> Sequence[str]:
        """The whole sheet, because `asked` compares it."""
        return ["sheets", "Targets!*", f"{world.parameters['new']}!*"]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        wanted = world.parameters
        place = 0 if wanted["at"] == 0 else -1
        new = wanted["new"]
        return [
            calc(
                ("rename_sheet", "Targets", new),
                ("tab_colour", new, int(str(wanted["colour"])[1:], 16)),
                ("move_sheet", new, place),
            ),
            save(),
        ]


def _columns(sheet: Sheet) -> dict[int, tuple[int, bool]]:
    """Width of every column that differs from the default, and whether it is hidden, up to column 200."""
    return {
        at: (span.width, span.hidden) for span in sheet.columns for at in range(span.first, min(span.last, 200) + 1)
    }


def _untitled(sheet: Sheet) -> tuple[object, ...]:
    looks = {
        at: (cell.bold, cell.italic, cell.colour, cell.background, cell.align, cell.format, cell.comment)
        for at, cell in sheet.cells.items()
    }
    return (
        looks,
        sheet.columns,
        sheet.merged,
        sheet.visible,
        sheet.hidden_rows,
        sheet.frozen,
        sheet.protected,
        sheet.conditions,
        sheet.validations,
        sheet.charts,
        sheet.print_ranges,
        sheet.page,
    )


SCENARIOS = (
    NumberFormats(),
    HeadLook(),
    TitleBlock(),
    ColumnLayout(),
    Highlight(),
    FrozenHead(),
    SheetOrder(),
)
