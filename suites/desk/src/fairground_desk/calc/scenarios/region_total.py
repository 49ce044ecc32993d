"""Add up the revenue of a region, label the sum, and save."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from fairground.core import Check, Parameter, State, StateError
from fairground.verify import (
    Workbook,
    address,
    close_to,
    equal,
    holds,
    position,
    read_ods,
    readable,
    unchanged,
)
from fairground.worlds import Enter, Move, Press, Scenario, Tap, World
from fairground_desk.calc.app import WORKBOOK
from fairground_desk.calc.references import covers, mentions
from fairground_desk.calc.sales import REGIONS, SUMMARY_ROWS
from fairground_desk.calc.task import kept, read_book
from fairground_desk.tasks import files_unchanged

CENT = 0.005


class RegionTotal(Scenario):
    """Put the total revenue of a region as a formula next to its label, in the summary of the open workbook."""

    name = "region-total"
    app = "calc"
    template = (
        'The workbook in front of you lists a year of sales. Work out the total revenue of the region "{region}" over '
        'all rows of the sheet "Sales". Put it into cell {cell} of the sheet "Summary" as a formula that takes the '
        'figures from the sheet "Sales", and write the label "{label}" into cell {label_cell} of "Summary". Change '
        "nothing else. Then save the workbook under its own name, in its own format."
    )
    instances = {
        region.lower(): {
            "region": region,
            "label": f"Revenue {region}",
            "label_cell": f"A{SUMMARY_ROWS + row}",
            "cell": f"B{SUMMARY_ROWS + row}",
        }
        for row, region in enumerate(REGIONS, 1)
    }
    step_budget = 40

    def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        was, saved = read_book(before.file(WORKBOOK)), after.file(WORKBOOK)
        checks = judge_books(world.parameters, was, saved)
        if checks[0].passed:
            now, places = read_book(saved), [f"Summary!{world.parameters[key]}" for key in ("cell", "label_cell")]
            formula, last = now["Summary"][str(world.parameters["cell"])].formula, was["Sales"].size[0] - 1
            whole = covers(formula, "Sales", 5, 1, last) and covers(formula, "Sales", 1, 1, last)
            named = mentions(formula, str(world.parameters["region"]), now, "Summary")
            checks.append(holds("the formula takes every row, and this region", whole and named, found=formula))
            checks.append(kept(was, now, places))
        if "files" in before.data and "files" in after.data:
            checks.append(files_unchanged(before, after, [WORKBOOK]))
        return checks

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        rows, _ = read_ods(before.file(WORKBOOK))["Sales"].size
        wanted = world.parameters
        formula = f'=SUMIF(Sales.B2:B{rows};"{wanted["region"]}";Sales.F2:F{rows})'
        return [
            Tap("Summary", role="page tab"),
            Press("ctrl+shift+t"),
            Enter(f"{wanted['label_cell']}\n"),
            Enter(f"{wanted['label']}\t{formula}\n"),
            Press("ctrl+s"),
        ]


def expected_total(book: Workbook, region: str) -> float:
    """Return the revenue of a region, from the rows of the sheet Sales."""
    sheet = book["Sales"]
    rows, _ = sheet.size
    revenues = [sheet.at(row, 5).value for row in range(1, rows) if sheet.at(row, 1).value == region]
    return math.fsum(value for value in revenues if isinstance(value, float))


def judge_books(parameters: Mapping[str, Parameter], before: Workbook, saved: bytes) -> list[Check]:
    """Compare the original workbook with the saved file.

    An unreadable file fails every check, because only the agent can have changed it.
    """
    error: StateError | None = None
    after = before
    try:
        after = read_ods(saved)
        summary = after["Summary"]
    except StateError as found:
        error, summary = found, before["Summary"]
    cell, label_cell = str(parameters["cell"]), str(parameters["label_cell"])
    total = summary[cell]
    label = summary[label_cell].value
    checks = [
        readable("the workbook is still one that opens", error),
        close_to("the total is right", expected_total(before, str(parameters["region"])), total.value,
                 within=CENT, weight=3.0),
        holds("the total is a formula over the sheet Sales", total.kind == "number" and "Sales" in total.formula,
              expected="a formula over Sales", found=total.formula or "no formula", weight=1.0),
        equal("the label is as asked", parameters["label"], label.strip() if isinstance(label, str) else label),
        unchanged("nothing else changed", contents(before), contents(after), same=_same_content,
                  allowed=(_key("Summary", cell), _key("Summary", label_cell))),
        equal("the sheets are the same ones, in order", list(before.names), list(after.names), weight=0.0,
              integrity=True),
    ]  # fmt: skip
    if error is None:
        return checks
    return [check.model_copy(update={"passed": False}) for check in checks]


def contents(book: Workbook) -> dict[str, tuple[object, ...]]:
    """Return the content of every cell of every sheet, by a key such as `Sales.B3`."""
    return {
        f"{sheet.name}.{address(row, column)}": cell.content
        for sheet in book.sheets
        for (row, column), cell in sheet.cells.items()
    }


def _key(sheet: str, cell: str) -> str:
    return f"{sheet}.{address(*position(cell))}"


def _same_content(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    """Equal, up to the last digit of a computed number, which saving may round."""
    if one == other:
        return True
    numbers = one[0] == other[0] == "number" and isinstance(one[1], float) and isinstance(other[1], float)
    return numbers and one[2] == other[2] and math.isclose(one[1], other[1], rel_tol=1e-12, abs_tol=1e-12)  # type: ignore[arg-type]
