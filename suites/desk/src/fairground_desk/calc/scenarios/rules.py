"""Named ranges, validation rules, comments and sheet protection."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence

from fairground.core import Check, InvalidConfiguration, State
from fairground.verify import close_to, equal, holds
from fairground.verify.reading.workbook import Workbook, address
from fairground.worlds import Enter, Move, Press, World
from fairground_desk.calc.api import calc
from fairground_desk.calc.business import DEPARTMENTS
from fairground_desk.calc.task import CalcTask, column, go, head, length, letter, numbers, squeezed
from fairground_desk.calc.workbooks import BUDGET, SALES, STAFF, STOCK
from fairground_desk.tasks import save


class NamedRanges(CalcTask):
    """Name a column, and use the name in a formula."""

    name = "named-range"
    workbook = SALES
    template = (
        'Give the figures of the column "{column}" of the sheet "Sales" (all rows, without the head) the name {range}, '
        'valid in the whole workbook. Then, in the sheet "Summary", write "{label}" into A6 and, into B6, a formula '
        "that works out {words} of these figures by using that name. Save the workbook; change nothing else."
    )
    instances = {
        "revenue": {
            "column": "Revenue",
            "range": "Takings",
            "label": "All takings",
            "words": "the sum",
            "function": "SUM",
        },
        "units": {
            "column": "Units",
            "range": "Pieces",
            "label": "Largest order",
            "words": "the largest",
            "function": "MAX",
        },
        "price": {
            "column": "Price",
            "range": "Prices",
            "label": "Usual price",
            "words": "the average",
            "function": "AVERAGE",
        },
    }

    def _area(self, world: World, was: Workbook) -> tuple[int, str]:
        place = head(was["Sales"]).index(str(world.parameters["column"]))
        return place, f"{letter(place)}2:{letter(place)}{length(was['Sales'])}"

    def asked(self, world: World, was: Workbook, now: Workbook, after: State) -> list[Check]:
        wanted, summary = world.parameters, now["Summary"]
        place, area = self._area(world, was)
        values = numbers(column(was["Sales"], place))
        right = {"SUM": math.fsum(values), "MAX": max(values), "AVERAGE": math.fsum(values) / len(values)}[
            str(wanted["function"])
        ]
        named = [named_range for named_range in now.ranges if named_range.name == wanted["range"]]
        formula = squeezed(summary["B6"].formula)
        return [
            equal("the name is there, once", 1, len(named)),
            equal("it stands for the whole column", f"Sales.{area}", named[0].refers_to if named else None, weight=2.0),
            equal("it is valid everywhere", "", named[0].sheet if named else None),
            equal("the label is as asked", wanted["label"], summary["A6"].value),
            close_to("the figure is right", right, summary["B6"].value, within=0.005, weight=2.0),
            holds(
                "the formula uses the name",
                formula == f"={wanted['function']}({str(wanted['range']).upper()})",
                found=formula,
            ),
            equal("there are no other names", len(was.ranges) + 1, len(now.ranges)),
        ]

    def touched(self, world: World, was: Workbook) -> Sequence[str]:
        return [
            "ranges",
            *(f"Summary!{cell}.{part}" for cell in ("A6", "B6") for part in ("kind", "value", "formula", "format")),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        wanted = world.parameters
        _, area = self._area(world, self.book(world, before))
        return [
            calc(("name_range", wanted["range"], "Sales", area)),
            *go("A6", "Summary"),
            Enter(f"{wanted['label']}\t={wanted['function']}({wanted['range']})\n"),
            save(),
        ]


class EntryRules(CalcTask):
    """Set a validation rule for a column."""

    name = "entry-rules"
    workbook = "{file}"
    template = (
        'Set up a validity rule for all cells of the column "{column}" of the sheet "{sheet}" that belong to the list '
        "(without the head): only {words} may be entered. Anything else is refused (action Stop) with a message whose "
        'title is "{title}" and whose text is "{message}". Save the workbook.'
    )
    instances = {
        "departments": {
            "file": STAFF,
            "sheet": "Staff",
            "column": "Department",
            "title": "Unknown department",
            "kind": "LIST",
            "words": f"one of the entries {', '.join(DEPARTMENTS)} (a cell list)",
            "operator": "",
            "one": "",
            "other": "",
            "message": "Please choose one from the list.",
            "rule": "",
        },
        "hours": {
            "file": STAFF,
            "sheet": "Staff",
            "column": "Hours",
            "words": "whole numbers between 10 and 40",
            "kind": "WHOLE",
            "operator": "BETWEEN",
            "one": "10",
            "other": "40",
            "title": "Hours",
            "message": "Between 10 and 40, please.",
            "rule": "cell-content-is-whole-number() and cell-content-is-between(10,40)",
        },
        "stock": {
            "file": STOCK,
            "sheet": "Stock",
            "column": "In stock",
            "words": "whole numbers greater than or equal to 0",
            "kind": "WHOLE",
            "operator": "GREATER_EQUAL",
            "one": "0",
            "other": "",
            "title": "Pieces",
            "message": "Count again: a whole number, not below 0.",
            "rule": "cell-content-is-whole-number() and cell-content()>=0",
        },
    }

    def _area(self, world: World, was: Workbook) -> str:
        sheet = was[str(world.parameters["sheet"])]
        name = letter(head(sheet).index(str(world.parameters["column"])))
        return f"{name}2:{name}{length(sheet)}"

    def asked(self, world: World, was: Workbook, now: Workbook, after: State) -> list[Check]:
        wanted = world.parameters
        rules = now[str(wanted["sheet"])].validations
        rule = rules[0] if rules else None
        condition = rule.condition if rule else ""
        if wanted["kind"] == "LIST":
            right = condition.startswith("cell-content-is-in-list(") and sorted(
                re.findall(r'"([^"]*)"', condition)
            ) == sorted(DEPARTMENTS)
        else:
            right = squeezed(condition) == squeezed(str(wanted["rule"]))
        return [
            equal("there is one rule", 1, len(rules)),
            equal(
                "it is for the whole column", [self._area(world, was)], list(rule.ranges) if rule else None, weight=2.0
            ),
            holds("it allows what was asked", right, expected=wanted["words"], found=condition, weight=2.0),
            equal("it refuses anything else", True, rule.stops if rule else None),
            equal("its title is as asked", wanted["title"], rule.title if rule else None),
            equal("its message is as asked", wanted["message"], rule.message if rule else None),
        ]

    def touched(self, world: World, was: Workbook) -> Sequence[str]:
        return [f"{world.parameters['sheet']}!.validations"]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        wanted = world.parameters
        first = ";".join(f'"{name}"' for name in DEPARTMENTS) if wanted["kind"] == "LIST" else wanted["one"]
        area = self._area(world, self.book(world, before))
        rule = (wanted["kind"], wanted["operator"], first, wanted["other"], wanted["title"], wanted["message"])
        return [calc(("validate", wanted["sheet"], area, *rule)), save()]


_EXTREMES: dict[str, Callable[[list[float]], float]] = {"largest": max, "smallest": min}


class CommentOn(CalcTask):
    """Comment on the cell with an extreme value."""

    name = "comment-on"
    workbook = "{file}"
    template = (
        'Find the {which} figure in the column "{column}" of the sheet "{sheet}" and attach a comment to that very '
        'cell that says "{text}". Make the cell bold as well. Nothing else changes; save the workbook.'
    )
    instances = {
        "sale": {
            "file": SALES,
            "sheet": "Sales",
            "column": "Revenue",
            "which": "largest",
            "text": "Best sale of the year",
        },
        "pay": {
            "file": STAFF,
            "sheet": "Staff",
            "column": "Pay",
            "which": "largest",
            "text": "Check with the accountant",
        },
        "cost": {
            "file": STOCK,
            "sheet": "Stock",
            "column": "Unit cost",
            "which": "smallest",
            "text": "Is this still right?",
        },
        "overspent": {"file": BUDGET, "sheet": "Actual", "column": "Year", "which": "smallest", "text": "Well done"},
    }

    def _cell(self, world: World, was: Workbook) -> str:
        sheet = was[str(world.parameters["sheet"])]
        place = head(sheet).index(str(world.parameters["column"]))
        values = [cell.value for cell in column(sheet, place)]
        wanted = _EXTREMES[str(world.parameters["which"])](numbers(column(sheet, place)))
        if values.count(wanted) != 1:
            raise InvalidConfiguration(f"the {world.parameters['which']} {world.parameters['column']} is there twice")
        return address(values.index(wanted) + 1, place)

    def asked(self, world: World, was: Workbook, now: Workbook, after: State) -> list[Check]:
        name, cell = str(world.parameters["sheet"]), self._cell(world, was)
        commented = [address(*at) for at, content in now[name].cells.items() if content.comment]
        # Calc's comment window adds no name or date to the text.
        return [
            equal("only the right cell has a comment", [cell], commented, weight=2.0),
            equal(
                "the comment says what was asked", world.parameters["text"], now[name][cell].comment.strip(), weight=2.0
            ),
            equal("the cell is bold", True, now[name][cell].bold),
            equal(
                "its figure is as it was", was[name][cell].content, now[name][cell].content, weight=0.0, integrity=True
            ),
        ]

    def touched(self, world: World, was: Workbook) -> Sequence[str]:
        place = f"{world.parameters['sheet']}!{self._cell(world, was)}"
        return [f"{place}.comment", f"{place}.bold"]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        name, cell = str(world.parameters["sheet"]), self._cell(world, self.book(world, before))
        return [*go(cell, name), Press("ctrl+b"), calc(("comment", name, cell, world.parameters["text"])), save()]


class LockSheet(CalcTask):
    """Finish a sheet: mark, colour and protect it."""

    name = "lock-sheet"
    workbook = "{file}"
    template = (
        'The figures in the sheet "{sheet}" are final. Write "{mark}" into its cell {cell}, in italics, and then '
        "protect that sheet (without a password) so that nobody changes it by accident. The other sheets stay open for "
        "changes. Save the workbook."
    )
    instances = {
        "targets": {"file": SALES, "sheet": "Targets", "cell": "A8", "mark": "Approved"},
        "pricing": {"file": BUDGET, "sheet": "Pricing", "cell": "A9", "mark": "Agreed with the bank"},
        "budget": {"file": BUDGET, "sheet": "Budget", "cell": "A16", "mark": "Final version"},
        "suppliers": {"file": STOCK, "sheet": "Suppliers", "cell": "A9", "mark": "Checked"},
    }

    def asked(self, world: World, was: Workbook, now: Workbook, after: State) -> list[Check]:
        wanted = world.parameters
        sheet = now[str(wanted["sheet"])]
        mark = sheet[str(wanted["cell"])]
        open_ = [table.name for table in now.sheets if not table.protected]
        return [
            equal("the sheet is protected", True, sheet.protected, weight=2.0),
            equal("only that sheet is", [name for name in was.names if name != wanted["sheet"]], open_),
            equal("the mark is written", wanted["mark"], mark.value),
            equal("it is in italics", True, mark.italic),
            holds("it is not bold", not mark.bold, weight=0.0),
        ]

    def touched(self, world: World, was: Workbook) -> Sequence[str]:
        name, cell = world.parameters["sheet"], world.parameters["cell"]
        return [f"{name}!.protected", *(f"{name}!{cell}.{part}" for part in ("kind", "value", "italic"))]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        name, cell = str(world.parameters["sheet"]), str(world.parameters["cell"])
        return [
            *go(cell, name),
            Enter(f"{world.parameters['mark']}\n"),
            *go(cell, name),
            Press("ctrl+i"),
            calc(("protect", name, "")),
            save(),
        ]


SCENARIOS = (NamedRanges(), EntryRules(), CommentOn(), LockSheet())
