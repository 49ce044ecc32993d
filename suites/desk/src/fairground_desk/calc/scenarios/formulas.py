"""Values computed by formulas: lookups, tables of sums, a monthly close, budget against actual, attendance."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any

from fairground.core import Check, State
from fairground.verify import close_to, equal, holds
from fairground.verify.reading.workbook import Sheet, Workbook
from fairground.worlds import Enter, Move, Press, World
from fairground_desk.calc.api import calc
from fairground_desk.calc.business import DAYS, DEPARTMENTS
from fairground_desk.calc.references import covers, mentions, one_formula, references
from fairground_desk.calc.task import CalcTask, column, go, head, length, letter, numbers
from fairground_desk.calc.workbooks import BUDGET, SALES, STAFF, STOCK, SURVEY, workbook
from fairground_desk.tasks import save

CENT = 0.005


class AddedColumn(CalcTask):
    """Base of tasks that add a column to a table: a header, and a formula in every row."""

    sheet = ""

    def place(self, was: Workbook) -> int:
        return len(head(was[self.sheet]))

    def expected(self, world: World, was: Workbook) -> list[Any]:
        raise NotImplementedError

    def uses(self, world: World, was: Workbook, formula: str) -> bool:
        """Whether the formula of the first row uses the required cells."""
        raise NotImplementedError

    def asked(self, world: World, was: Workbook, now: Workbook, after: State) -> list[Check]:
        sheet, place, wanted = now[self.sheet], self.place(was), self.expected(world, was)
        cells = [sheet.at(row, place) for row in range(1, len(wanted) + 1)]
        wrong = [
            row for row, (cell, value) in enumerate(zip(cells, wanted, strict=True), 2) if not _alike(value, cell.value)
        ]
        first = cells[0].formula
        return [
            equal("the head is as asked", world.parameters["head"], sheet.at(0, place).value),
            holds(
                "every row has the right value",
                not wrong,
                expected="right values",
                found=f"wrong in rows {wrong[:20]}",
                weight=3.0,
            ),
            holds(
                "every row has a formula",
                all(cell.formula for cell in cells),
                expected="formulas",
                found=[cell.formula for cell in cells[:5]],
            ),
            holds("it takes what it needs from the table", self.uses(world, was, first), found=first),
            holds("all rows have the same formula", one_formula(sheet, place, 1, len(wanted)), found=first),
        ]

    def touched(self, world: World, was: Workbook) -> Sequence[str]:
        name = letter(self.place(was))
        return [f"{self.sheet}!{name}{row}.*" for row in range(1, length(was[self.sheet]) + 1)]

    def moves(self, world: World, before: State, formula: str) -> list[Move]:
        was = self.book(world, before)
        name, last = letter(self.place(was)), length(was[self.sheet])
        return [
            *go(f"{name}1", self.sheet),
            Enter(f"{world.parameters['head']}\n"),
            calc(("fill_down", self.sheet, f"{name}2:{name}{last}", formula)),
            save(),
        ]


class SupplierColumn(AddedColumn):
    """Add a column that looks up a fact about each item's supplier."""

    name = "supplier-column"
    workbook, sheet = STOCK, "Stock"
    template = (
        'The sheet "Stock" of this workbook names a supplier for every item; the sheet "Suppliers" knows more about '
        'them. Give "Stock" one more column, right after its last one, with the head "{head}": it should show, for '
        'every item, what the column "{source}" of "Suppliers" says about that item\'s supplier. Use the same lookup '
        "formula in every row, so that it stays right when a supplier changes. Change nothing else, and save the "
        "workbook under its own name."
    )
    instances = {
        "city": {"head": "Supplier city", "source": "City"},
        "lead": {"head": "Delivery days", "source": "Lead days"},
        "contact": {"head": "Ask for", "source": "Contact"},
    }

    def expected(self, world: World, was: Workbook) -> list[Any]:
        suppliers = was["Suppliers"]
        place = head(suppliers).index(str(world.parameters["source"]))
        by_supplier = {
            suppliers.at(row, 0).value: suppliers.at(row, place).value for row in range(1, length(suppliers))
        }
        return [by_supplier[cell.value] for cell in column(was["Stock"], 3)]

    def uses(self, world: World, was: Workbook, formula: str) -> bool:
        """It must use the row's supplier, and the whole table of suppliers."""
        place = head(was["Suppliers"]).index(str(world.parameters["source"]))
        last = length(was["Suppliers"]) - 1
        own = any((row, left) == (1, 3) for name, row, left, _, _ in references(formula, "Stock") if name == "Stock")
        return own and all(covers(formula, "Suppliers", at, 1, last) for at in (0, place))

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        suppliers = self.book(world, before)["Suppliers"]
        place = head(suppliers).index(str(world.parameters["source"])) + 1
        formula = f"=VLOOKUP($D2;$Suppliers.$A$2:$D${length(suppliers)};{place};0)"
        return self.moves(world, before, formula)


class StockFigures(AddedColumn):
    """Add a column computed from the same row."""

    name = "stock-figures"
    workbook, sheet = STOCK, "Stock"
    template = (
        'Add a column to the sheet "Stock", right after its last one, with the head "{head}". In every row it should '
        "show {words}, by the same formula all the way down. Leave everything else alone and save the workbook."
    )
    instances = {
        "to-order": {
            "head": "To order",
            "words": 'how many pieces are missing to reach "Reorder at", and 0 where there are enough in stock',
            "formula": "=MAX(0;F2-E2)",
        },
        "value": {
            "head": "Stock value",
            "words": 'what the pieces in stock are worth ("In stock" times "Unit cost")',
            "formula": "=E2*G2",
        },
        "status": {
            "head": "Status",
            "words": 'the word "low" where "In stock" is below "Reorder at", and "ok" everywhere else',
            "formula": '=IF(E2<F2;"low";"ok")',
        },
    }

    def expected(self, world: World, was: Workbook) -> list[Any]:
        rows = zip(*(numbers(column(was["Stock"], place)) for place in (4, 5, 6)), strict=True)
        ways: Mapping[str, Callable[[float, float, float], Any]] = {
            "To order": lambda there, level, cost: max(0.0, level - there),
            "Stock value": lambda there, level, cost: there * cost,
            "Status": lambda there, level, cost: "low" if there < level else "ok",
        }
        return [ways[str(world.parameters["head"])](*row) for row in rows]

    def uses(self, world: World, was: Workbook, formula: str) -> bool:
        wanted = {4, 6} if world.parameters["head"] == "Stock value" else {4, 5}
        return wanted <= {left for name, row, left, _, _ in references(formula, "Stock") if (name, row) == ("Stock", 1)}

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        return self.moves(world, before, str(world.parameters["formula"]))


class Attendance(AddedColumn):
    """Count for each person the days of attendance, absence or holiday."""

    name = "attendance"
    workbook, sheet = STAFF, "Attendance"
    template = (
        'The sheet "Attendance" has a letter for every person and working day: P for present, A for absent, V for '
        'vacation. Add a column right after the last day, with the head "{head}", that counts for each person on how '
        "many days the letter is {mark}. Use the same formula in every row. Save the workbook; nothing else in it "
        "should change."
    )
    instances = {
        "present": {"head": "Present", "mark": "P"},
        "absent": {"head": "Absent", "mark": "A"},
        "vacation": {"head": "Vacation", "mark": "V"},
    }

    def expected(self, world: World, was: Workbook) -> list[Any]:
        sheet, mark = was["Attendance"], world.parameters["mark"]
        return [
            float(sum(sheet.at(row, day).value == mark for day in range(1, DAYS + 1)))
            for row in range(1, length(sheet))
        ]

    def uses(self, world: World, was: Workbook, formula: str) -> bool:
        """It must use all days of the person's own row, and the letter."""
        days = any(
            (name, top, bottom) == ("Attendance", 1, 1) and left <= 1 and right == DAYS
            for name, top, left, bottom, right in references(formula, "Attendance")
        )
        return days and f'"{world.parameters["mark"]}"' in formula.upper()

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        return self.moves(world, before, f'=COUNTIF(B2:{letter(DAYS)}2;"{world.parameters["mark"]}")')


class DepartmentTable(CalcTask):
    """Build a table with a value per department on a new sheet."""

    name = "department-table"
    workbook = STAFF
    template = (
        'Make a new sheet named "{sheet}" behind all others. In it, put "Department" into A1 and "{head}" into B1. '
        'List the departments of the sheet "Staff" in column A from A2 down, each once and in the order of the '
        'alphabet, and next to each, in column B, {words}, as a formula over the whole list in "Staff". Save the '
        "workbook and change nothing in the other sheets."
    )
    instances = {
        "people": {"sheet": "Headcount", "head": "People", "words": "how many people work there", "by": "count"},
        "hours": {"sheet": "Weekly hours", "head": "Hours", "words": "the sum of their weekly hours", "by": "sum"},
        "pay": {"sheet": "Average pay", "head": "Pay", "words": "the average of their pay", "by": "mean"},
    }

    def asked(self, world: World, was: Workbook, now: Workbook, after: State) -> list[Check]:
        wanted, by = world.parameters, str(world.parameters["by"])
        name = str(wanted["sheet"])
        sheet = now[name] if name in now.names else Sheet(name)
        staff = was["Staff"]
        last = length(staff) - 1
        groups = column(staff, 2)
        values = [cell.value for cell in column(staff, {"count": 2, "sum": 4, "mean": 5}[by])]
        checks = [
            equal("the new sheet is the last one", [*was.names, name], list(now.names)),
            equal("the heads are as asked", ["Department", wanted["head"]], [sheet["A1"].value, sheet["B1"].value]),
            equal(
                "every department is listed, in order",
                [*sorted(DEPARTMENTS), None],
                [sheet.at(row, 0).value for row in range(1, len(DEPARTMENTS) + 2)],
            ),
        ]
        formulas = []
        for row, department in enumerate(sorted(DEPARTMENTS), 1):
            chosen = [value for value, group in zip(values, groups, strict=True) if group.value == department]
            figures = [value for value in chosen if isinstance(value, float)]
            right = len(chosen) if by == "count" else math.fsum(figures) / (len(figures) if by == "mean" else 1)
            checks.append(close_to(f"the figure of {department} is right", right, sheet.at(row, 1).value))
            formula = sheet.at(row, 1).formula
            fine = covers(formula, "Staff", 2, 1, last) and mentions(formula, department, now, name)
            if by != "count":
                fine = fine and covers(formula, "Staff", {"sum": 4, "mean": 5}[by], 1, last)
            formulas.append(fine)
        checks.append(
            holds("the figures are formulas over the whole of Staff", all(formulas), found=sheet["B2"].formula)
        )
        checks.append(
            holds(
                "nothing else is on the new sheet",
                name in now.names and len(sheet.cells) == 12,
                expected=12,
                found=len(sheet.cells),
            )
        )
        return checks

    def touched(self, world: World, was: Workbook) -> Sequence[str]:
        return ["sheets", f"{world.parameters['sheet']}!*"]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        wanted = world.parameters
        last = length(self.book(world, before)["Staff"])
        groups = f"$Staff.$C$2:$C${last}"
        lines = [f"Department\t{wanted['head']}\n"]
        for row, department in enumerate(sorted(DEPARTMENTS), 2):
            formula = {
                "count": f"=COUNTIF({groups};A{row})",
                "sum": f"=SUMIF({groups};A{row};$Staff.$E$2:$E${last})",
                "mean": f"=AVERAGEIF({groups};A{row};$Staff.$F$2:$F${last})",
            }[str(wanted["by"])]
            lines.append(f"{department}\t{formula}\n")
        sheet = str(wanted["sheet"])
        return [
            calc(("insert_sheet", sheet, -1), ("show_sheet", sheet)),
            *go("A1", sheet),
            Enter("".join(lines)),
            save(),
        ]


_MONTHS = {"march": (3, "March"), "june": (6, "June"), "september": (9, "September"), "december": (12, "December")}


class MonthlyClose(CalcTask):
    """Compute the figures of a month on a new sheet."""

    name = "monthly-close"
    workbook = SALES
    template = (
        'Close the month of {month}: add a sheet named "Close {month}" behind the others. Cell A1 holds the title '
        '"{month} close"; A3, A4 and A5 hold the labels "Sales", "Units" and "Revenue". Next to them, in B3, B4 and '
        'B5, work out by formulas over the sheet "Sales" how many sales (rows) there were in {month}, how many units '
        "were sold in them, and what revenue they brought. Nothing else changes. Save the workbook when done."
    )
    instances = {name: {"month": full, "number": number} for name, (number, full) in _MONTHS.items()}

    def asked(self, world: World, was: Workbook, now: Workbook, after: State) -> list[Check]:
        month, name = world.parameters["month"], f"Close {world.parameters['month']}"
        sheet = now[name] if name in now.names else Sheet(name)
        sales = was["Sales"]
        last = length(sales) - 1
        mine = [row for row in range(1, last + 1) if _month(sales.at(row, 0).value) == world.parameters["number"]]
        figures = [float(len(mine)), *(math.fsum(numbers(sales.at(row, at) for row in mine)) for at in (3, 5))]
        formulas = [sheet[f"B{row}"].formula for row in (3, 4, 5)]
        return [
            equal("the new sheet is the last one", [*was.names, name], list(now.names)),
            equal("the title is as asked", f"{month} close", sheet["A1"].value),
            equal(
                "the labels are as asked", ["Sales", "Units", "Revenue"], [sheet[f"A{row}"].value for row in (3, 4, 5)]
            ),
            *(
                close_to(f"{label} is right", figure, sheet[f"B{row}"].value, within=CENT, weight=2.0)
                for row, (label, figure) in enumerate(zip(("Sales", "Units", "Revenue"), figures, strict=True), 3)
            ),
            holds(
                "units and revenue are formulas over all rows",
                all(
                    covers(formula, "Sales", at, 1, last) and covers(formula, "Sales", 0, 1, last)
                    for formula, at in zip(formulas[1:], (3, 5), strict=True)
                ),
                found=formulas,
            ),
            holds("the count is a formula over all days", covers(formulas[0], "Sales", 0, 1, last), found=formulas[0]),
            holds(
                "the new sheet has nothing else",
                name in now.names and len(sheet.cells) == 7,
                expected=7,
                found=len(sheet.cells),
            ),
        ]

    def touched(self, world: World, was: Workbook) -> Sequence[str]:
        return ["sheets", f"Close {world.parameters['month']}!*"]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        wanted = world.parameters
        last = length(self.book(world, before)["Sales"])
        of = f"(MONTH($Sales.$A$2:$A${last})={wanted['number']})"
        sheet = f"Close {wanted['month']}"
        text = (
            f"{wanted['month']} close\n\nSales\t=SUMPRODUCT({of}*1)\n"
            f"Units\t=SUMPRODUCT({of}*$Sales.$D$2:$D${last})\nRevenue\t=SUMPRODUCT({of}*$Sales.$F$2:$F${last})\n"
        )
        return [calc(("insert_sheet", sheet, -1), ("show_sheet", sheet)), *go("A1", sheet), Enter(text), save()]


class BudgetVariance(CalcTask):
    """Compare budget and actual values of a quarter, item by item."""

    name = "budget-variance"
    workbook = BUDGET
    template = (
        'Compare plan and reality for {months}: make a new sheet named "{quarter} variance" as the last one, with the '
        'heads "Item", "Budget", "Actual" and "Difference" in A1 to D1, and below them one row for each cost item of '
        'the sheet "Budget", in the same order (without the total). "Budget" and "Actual" are the sums of the three '
        'months from the sheets of those names, "Difference" is actual less budget; all three are formulas, the same '
        "in every row. Leave the other sheets as they are and save the workbook."
    )
    instances = {
        "q1": {"quarter": "Q1", "months": "January to March", "first": "B", "last": "D"},
        "q2": {"quarter": "Q2", "months": "April to June", "first": "E", "last": "G"},
        "q3": {"quarter": "Q3", "months": "July to September", "first": "H", "last": "J"},
        "q4": {"quarter": "Q4", "months": "October to December", "first": "K", "last": "M"},
    }
    step_budget = 120

    def asked(self, world: World, was: Workbook, now: Workbook, after: State) -> list[Check]:
        wanted = world.parameters
        name = f"{wanted['quarter']} variance"
        sheet = now[name] if name in now.names else Sheet(name)
        items = [cell.value for cell in column(was["Budget"], 0)][:-1]
        start = "BCDEFGHIJKLM".index(str(wanted["first"])) + 1
        sums = {
            source: [
                math.fsum(numbers(was[source].at(row, at) for at in range(start, start + 3)))
                for row in range(1, len(items) + 1)
            ]
            for source in ("Budget", "Actual")
        }
        sums["Difference"] = [actual - budget for actual, budget in zip(sums["Actual"], sums["Budget"], strict=True)]
        checks = [
            equal("the new sheet is the last one", [*was.names, name], list(now.names)),
            equal("the heads are as asked", ["Item", *sums], [sheet.at(0, at).value for at in range(4)]),
            equal(
                "the items are listed in order",
                [*items, None],
                [sheet.at(row, 0).value for row in range(1, len(items) + 2)],
            ),
        ]
        for at, (head_, figures) in enumerate(sums.items(), 1):
            values = [sheet.at(row, at).value for row in range(1, len(items) + 1)]
            wrong = [row for row, pair in enumerate(zip(figures, values, strict=True), 2) if not _alike(*pair, CENT)]
            formula = sheet.at(1, at).formula
            checks.append(
                holds(f"{head_} is right in every row", not wrong, found=f"wrong in rows {wrong}", weight=2.0)
            )
            checks.append(
                holds(
                    f"{head_} is one formula, row by row",
                    one_formula(sheet, at, 1, len(items)) and self._uses(head_, formula, start, name),
                    found=formula,
                )
            )
        return checks

    def _uses(self, head_: str, formula: str, start: int, here: str) -> bool:
        referred = references(formula, here)
        if head_ == "Difference":
            own = {left for name, top, left, bottom, _ in referred if (name, top, bottom) == (here, 1, 1)}
            return own == {1, 2} or {name for name, *_ in referred} == {"Budget", "Actual"}
        cells = {
            at
            for name, top, left, bottom, right in referred
            if (name, top, bottom) == (head_, 1, 1)
            for at in range(left, right + 1)
        }
        return cells == set(range(start, start + 3))

    def touched(self, world: World, was: Workbook) -> Sequence[str]:
        return ["sheets", f"{world.parameters['quarter']} variance!*"]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        wanted = world.parameters
        items = [str(cell.value) for cell in column(self.book(world, before)["Budget"], 0)][:-1]
        sheet, months = f"{wanted['quarter']} variance", f"{wanted['first']}2:{wanted['last']}2"
        last = len(items) + 1
        return [
            calc(("insert_sheet", sheet, -1), ("show_sheet", sheet)),
            *go("A1", sheet),
            Enter("Item\tBudget\tActual\tDifference\n" + "".join(f"{item}\n" for item in items)),
            calc(
                ("fill_down", sheet, f"B2:B{last}", f"=SUM($Budget.{months})"),
                ("fill_down", sheet, f"C2:C{last}", f"=SUM($Actual.{months})"),
                ("fill_down", sheet, f"D2:D{last}", "=C2-B2"),
            ),
            save(),
        ]


class SurveyFigures(CalcTask):
    """Compute a statistic of a column of public data, and put it into the notes."""

    name = "survey-figures"
    workbook = SURVEY
    template = (
        'In the sheet "Notes" of this workbook, write "{label}" into A7 and, next to it in B7, work out {words} of the '
        'column "{column}" of the sheet "Data" (all rows), with a formula that uses Calc\'s own function for it. Make '
        "both cells bold. Then save the workbook; nothing else in it may change."
    )
    instances = {
        "average": {"label": "Average", "words": "the average", "function": "AVERAGE"},
        "median": {"label": "Median", "words": "the median", "function": "MEDIAN"},
        "deviation": {
            "label": "Standard deviation",
            "words": "the standard deviation of a sample",
            "function": "STDEV",
        },
        "largest": {"label": "Largest", "words": "the largest value", "function": "MAX"},
    }

    def phrase(self, world: World) -> str:
        table = workbook(str(world.profile["shop"]), SURVEY)[0]
        last = table.rows[0][-1]
        return self.template.format_map({**world.parameters, "column": getattr(last, "value", last)})

    def asked(self, world: World, was: Workbook, now: Workbook, after: State) -> list[Check]:
        notes, data, function = now["Notes"], was["Data"], str(world.parameters["function"])
        place, last = len(head(data)) - 1, length(data) - 1
        ways: Mapping[str, Callable[[list[float]], float]] = {
            "AVERAGE": statistics.fmean,
            "MEDIAN": statistics.median,
            "STDEV": statistics.stdev,
            "MAX": max,
        }
        formula = notes["B7"].formula
        names = {function, f"{function}.S"} if function == "STDEV" else {function}
        return [
            equal("the label is as asked", world.parameters["label"], notes["A7"].value),
            close_to(
                "the figure is right", ways[function](numbers(column(data, place))), notes["B7"].value, weight=3.0
            ),
            holds("it is a formula over the whole column", covers(formula, "Data", place, 1, last), found=formula),
            holds("it uses the function for it", any(f"{name}(" in formula.upper() for name in names), found=formula),
            holds("the label is bold", notes["A7"].bold, found=notes["A7"].bold),
            holds("the figure is bold", notes["B7"].bold, found=notes["B7"].bold),
        ]

    def touched(self, world: World, was: Workbook) -> Sequence[str]:
        """Two cells; of their looks, only bold may change."""
        return [f"Notes!{cell}.{part}" for cell in ("A7", "B7") for part in ("kind", "value", "formula", "bold")]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        data = self.book(world, before)["Data"]
        name, last = letter(len(head(data)) - 1), length(data)
        formula = f"={world.parameters['function']}($Data.{name}2:{name}{last})"
        return [
            *go("A7", "Notes"),
            Enter(f"{world.parameters['label']}\t{formula}\n"),
            *go("A7:B7", "Notes"),
            Press("ctrl+b"),
            save(),
        ]


def _month(value: object) -> int:
    return value.month if isinstance(value, date) else 0


def _alike(wanted: object, found: object, within: float = 1e-6) -> bool:
    if isinstance(wanted, float) and isinstance(found, float):
        return math.isclose(wanted, found, rel_tol=1e-9, abs_tol=within)
    return type(wanted) is type(found) and wanted == found


SCENARIOS = (
    SupplierColumn(),
    StockFigures(),
    Attendance(),
    DepartmentTable(),
    MonthlyClose(),
    BudgetVariance(),
    SurveyFigures(),
)
