"""Writer with Calc: copy the table of a report into the accounts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from fairground.core import Check, State
from fairground.verify.reading.document import Document
from fairground.worlds import Enter, Move, Press, World
from fairground_desk.calc.task import kept, read_book
from fairground_desk.kit import rest
from fairground_desk.tasks import save, uno
from fairground_desk.together import papers
from fairground_desk.together.filled_sheet import columns_filled, computed, nothing_beyond, says, sheet_of
from fairground_desk.together.opening import Together, open_document
from fairground_desk.writer.api import writer
from fairground_desk.writer.documents import REPORT
from fairground_desk.writer.reading import document_of
from fairground_desk.writer.task import WriterTask, people

_HEADS: Final = ("Programme", "Manager", "Budget", "Spent", "People")


class TableIntoAccounts(Together, WriterTask):
    """Copy the table of a report into a workbook, and add formulas there. Spans Writer and Calc."""

    name = "table-into-accounts"
    own_document = False
    also = ("libreoffice-calc",)
    changes = (papers.ACCOUNTS,)
    step_budget = 150
    template = (
        "The report has a table of our six programmes under “Finances”. Please carry it over into accounts.ods in "
        "Documents: there the sheet “{year}” has only its heads yet. Put one programme in each row from row 2 on, in "
        "the report's order: its name, manager, budget, spent and people in columns A to E, figures as numbers. In "
        'column F (“{head}”) of each programme\'s row goes a formula for {words}. In row 8 write "Total" in column A, '
        "and formulas for the sums of budget, spent and people below their columns. Leave the heads, the other sheet "
        "and the report as they are. Save the workbook under its own name."
    )
    instances = {
        "left": {"head": "Left", "words": "what is left of the budget (budget minus spent)", "formula": "=C2-D2"},
        "each": {"head": "For each person", "words": "what was spent for each person (spent divided by people)",
                 "formula": "=D2/E2"},
        "share": {"head": "Used", "words": "which part of the budget was used (spent divided by budget, as a plain "
                  "fraction, not rounded)", "formula": "=D2/C2"},
    }  # fmt: skip

    def facts(self, world: World) -> dict[str, object]:
        return {"year": people(world).year}

    def papers(self, world: World) -> Mapping[str, bytes]:
        head = str(world.parameters["head"])
        return {papers.ACCOUNTS: papers.accounts(world.configuration.profile, head)}

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        name = str(people(world).year)
        was, now = read_book(before.file(papers.ACCOUNTS)), read_book(after.file(papers.ACCOUNTS))
        sheet, rows = sheet_of(now, name), report_rows(document_of(before, REPORT))
        formula = str(world.parameters["formula"])
        left, right = formula[1], formula[4]
        results = {f"F{at}": (_worked_out(formula, row), f"{left}{at} {right}{at}") for at, row in enumerate(rows, 2)}
        sums = {
            f"{letter}8": (sum(float(row[place]) for row in rows), f"{letter}2:{letter}7")
            for place, letter in enumerate("CDE", 2)
        }
        heads = [f"{letter}1" for letter in "ABCDEF"]
        filled = [f"{letter}{row}" for letter in "ABCDEF" for row in range(2, 8)] + ["A8", "C8", "D8", "E8"]
        return [
            *columns_filled(sheet, _HEADS, rows),
            computed("the sixth column is worked out", sheet, results, weight=2.0),
            says("the last row is the total", sheet, "A8", "Total"),
            computed("the sums are worked out", sheet, sums, weight=2.0),
            nothing_beyond(sheet, [*heads, *filled]),
            kept(was, now, [f"{name}!{place}" for place in filled]),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        return [
            Press("escape"), writer(("cells", "Budget", "A2:E7")), Press("ctrl+c"), *open_document(papers.ACCOUNTS),
            _cell("A2"), Press("ctrl+v"), rest(),
            _cell("F2:F7"), Enter(str(world.parameters["formula"])), Press("alt+Return"),
            _cell("A8"), Enter("Total\n"), _cell("C8:E8"), Enter("=SUM(C2:C7)"), Press("alt+Return"), save(), rest(),
        ]  # fmt: skip


def report_rows(document: Document) -> list[list[str | float]]:
    """Return the programmes in the report's table: texts, then numbers."""
    grid = next(table.grid for table in document.tables if table.name == "Budget")
    return [[row[0], row[1], *(float(cell) for cell in row[2:5])] for row in grid[1:-1]]


def _worked_out(formula: str, row: Sequence[str | float]) -> float:
    """The result of an instance's formula."""
    values = dict(zip("ABCDE", row, strict=True))
    left, right = float(values[formula[1]]), float(values[formula[4]])
    return left - right if formula[3] == "-" else left / right


def _cell(place: str) -> Move:
    """Select cells by address on the active sheet."""
    return uno("GoToCell", ToPoint=place)


SCENARIOS = (TableIntoAccounts(),)
