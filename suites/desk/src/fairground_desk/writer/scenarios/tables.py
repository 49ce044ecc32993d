"""Scenarios about the tables of the report and the minutes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from fairground.core import Check, State
from fairground.verify import close_to, equal, holds
from fairground.verify.reading.document import Document
from fairground.verify.reading.leaves import flatten
from fairground.verify.reading.prose import Paragraph, Table, TableCell
from fairground.worlds import Enter, Move, Press, World
from fairground_desk.tasks import save, uno
from fairground_desk.writer.api import writer
from fairground_desk.writer.documents import MINUTES, REPORT, figures
from fairground_desk.writer.reading import block_of, nothing_else, same, table_at, table_of, without_blocks
from fairground_desk.writer.task import WriterTask, people

_LETTERS = "ABCDE"


class AddTask(WriterTask):
    """Add a row to the task list in the minutes."""

    name = "add-row"
    document = MINUTES
    template = (
        "Add a row at the end of the table of tasks in these minutes: the task is “{task}”, the owner {owner}, it is "
        "due on {due} (written like that) and takes {hours} hours (the number only). Leave the other rows, the text "
        "and the tracked changes as they are, and save the document."
    )
    instances = {
        "keys": {"task": "Collect the keys", "member": 0, "due": "2026-06-01", "hours": "2"},
        "poster": {"task": "Print the poster", "member": 2, "due": "2026-06-12", "hours": "7"},
        "insurance": {"task": "Renew the insurance", "member": 4, "due": "2026-07-31", "hours": "5"},
        "photographs": {"task": "Choose twelve photographs", "member": 1, "due": "2026-08-20", "hours": "10"},
    }

    def facts(self, world: World) -> dict[str, object]:
        return {"owner": self._row(world)[1]}

    def asked(self, world: World, was: Document, now: Document) -> list[Check]:
        row = self._row(world)
        place = table_at(was, "Tasks")
        old, new = table_of(was, "Tasks"), table_of(now, "Tasks")
        last = new.grid[-1] if new.rows > old.rows else ("",) * 4
        first = len(old.cells)
        allowed = [f"block[{place}].rows", *(f"block[{place}].cell[{first + n}]*" for n in range(4))]
        heads = ("task", "owner", "day", "hours")
        return [
            equal("there is one row more", old.rows + 1, new.rows),
            *(
                equal(f"the {head} is right", wanted, cell.strip())
                for head, wanted, cell in zip(heads, row, last, strict=False)
            ),
            equal("the earlier rows are as they were", old.grid, new.grid[: old.rows], weight=0.0, integrity=True),
            nothing_else("nothing else changed", was, now, allowed),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """Go to the last cell; Tab adds a row."""
        rows = table_of(self.before(before), "Tasks").rows
        return [
            Press("escape"),
            writer(("cell", "Tasks", f"D{rows}")),
            Press("tab"),
            Enter("\t".join(self._row(world))),
            save(),
        ]

    def _row(self, world: World) -> tuple[str, ...]:
        wanted = world.parameters
        owner = people(world).minutes.present[int(wanted["member"])]
        return str(wanted["task"]), owner, str(wanted["due"]), str(wanted["hours"])


class TotalFormula(WriterTask):
    """Add totals as formulas to the last row of the budget."""

    name = "total-formula"
    document = REPORT
    template = (
        "The last row of the budget table in this report, “Total”, is still empty. Fill it in for {words}, with a "
        "formula of the table that adds the rows above it up, so that it follows when a figure changes. Leave the "
        "other cells of the row empty, change nothing else, and save the document."
    )
    instances = {
        "budget": {"words": "the column “Budget”", "columns": "C"},
        "spent": {"words": "the column “Spent”", "columns": "D"},
        "people": {"words": "the column “People”", "columns": "E"},
        "money": {"words": "the two columns “Budget” and “Spent”", "columns": "CD"},
    }

    def asked(self, world: World, was: Document, now: Document) -> list[Check]:
        """Check that each cell has a formula over its column with the right result."""
        place = table_at(was, "Budget")
        old, new = table_of(was, "Budget"), table_of(now, "Budget")
        checks = []
        allowed = []
        for letter in str(world.parameters["columns"]):
            column = _LETTERS.index(letter)
            total = sum(float(old.at(row, column).text) for row in range(1, old.rows - 1))
            cell = new.at(old.rows - 1, column) if new.rows == old.rows else TableCell(row=0, column=0)
            formula = cell.formula.upper().replace(" ", "")
            covers = f"{letter}2" in formula and f"{letter}{old.rows - 1}" in formula
            index = old.cells.index(old.at(old.rows - 1, column))
            allowed.append(f"block[{place}].cell[{index}]*")
            checks += [
                holds(f"{letter}{old.rows} is a formula", bool(formula), expected="a formula", found=cell.formula),
                holds(
                    f"it is about column {letter}",
                    covers,
                    expected=f"<{letter}2:{letter}{old.rows - 1}>",
                    found=cell.formula,
                ),
                close_to(f"the total of column {letter} is right", total, _number(cell.text), within=0.5, weight=2.0),
            ]
        remaining = [new.at(row, column).text for row in range(old.rows - 1) for column in range(5)] if new.rows else []
        texts = [old.at(row, column).text for row in range(old.rows - 1) for column in range(5)]
        return [
            *checks,
            equal("the figures above are as they were", texts, remaining, weight=0.0, integrity=True),
            nothing_else("nothing else changed", was, now, allowed),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """Set the formula as the formula bar would."""
        last = table_of(self.before(before), "Budget").rows
        calls = [
            ("formula", "Budget", f"{letter}{last}", f"sum(<{letter}2:{letter}{last - 1}>)")
            for letter in str(world.parameters["columns"])
        ]
        return [Press("escape"), writer(*calls), save()]


class SortTasks(WriterTask):
    """Sort the tasks in the minutes."""

    name = "sort-table"
    document = MINUTES
    template = (
        "Sort the table of tasks in these minutes by {words}. The heading row stays on top, and each row keeps what "
        "belongs together. Change nothing else, and save the document."
    )
    instances = {
        "due": {"words": "the day on which they are due, the earliest first", "column": 2, "ascending": True},
        "owner": {"words": "the name of the owner, from A to Z", "column": 1, "ascending": True},
        "hours": {"words": "the hours, the most hours first", "column": 3, "ascending": False},
        "task": {"words": "the text of the task, from A to Z", "column": 0, "ascending": True},
    }

    def asked(self, world: World, was: Document, now: Document) -> list[Check]:
        column, ascending = int(world.parameters["column"]), bool(world.parameters["ascending"])
        place = table_at(was, "Tasks")
        old, new = table_of(was, "Tasks"), table_of(now, "Tasks")
        keys = [_key(row[column]) for row in old.grid[1:]]
        wanted = sorted(keys, reverse=not ascending)
        order = [_key(row[column]) for row in new.grid[1:]]
        rows = sorted(old.grid[1:], key=lambda row: _key(row[column]), reverse=not ascending)
        ends = [old.grid.index(row) for row in (rows[0], rows[-1])]
        unbroken = _row_leaves(old) == _row_leaves(new)
        return [
            equal("the column is in order", wanted, order, weight=2.0),
            holds(
                "the first row is the right one",
                order[:1] == wanted[:1] and new.grid[1] in old.grid,
                expected=rows[0],
                found=new.grid[1:2],
            )
            if ends[0] != 1
            else equal("in order", wanted, order),
            holds(
                "the last row is the right one",
                order[-1:] == wanted[-1:] and new.grid[-1] in old.grid,
                expected=rows[-1],
                found=new.grid[-1:],
            )
            if ends[1] != old.rows - 1
            else equal("sorted", wanted, order),
            holds(
                "every row is complete and there once",
                order == wanted and Counter(new.grid) == Counter(old.grid),
                expected=rows,
                found=new.grid[1:],
            ),
            holds(
                "the rows look as they did", order == wanted and unbroken, expected="each row as it was", found=new.grid
            ),
            equal(
                "the heading row is on top", old.grid[0], new.grid[0] if new.rows else (), weight=0.0, integrity=True
            ),
            nothing_else("nothing else changed", was, now, [f"block[{place}].cell*"]),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """Sort the rows below the heading, as the dialog does."""
        rows = table_of(self.before(before), "Tasks").rows
        column, ascending = int(world.parameters["column"]), bool(world.parameters["ascending"])
        return [
            Press("escape"),
            writer(("sort", "Tasks", f"A2:D{rows}", column + 1, ascending, column == 3)),
            save(),
        ]


class MergeCells(WriterTask):
    """Merge cells in the last row of the budget."""

    name = "merge-cells"
    document = REPORT
    template = (
        "In the last row of the budget table of this report (the one that begins with “Total”), merge {words} into one "
        "cell. Its text stays “{text}” if it has any. Change nothing else in the table or in the report, and save it."
    )
    instances = {
        "label": {"words": "the first two cells", "first": 0, "count": 2},
        "label-and-budget": {"words": "the first three cells", "first": 0, "count": 3},
        "whole-row": {"words": "all five cells", "first": 0, "count": 5},
        "figures": {"words": "the last three cells, which are empty", "first": 2, "count": 3},
    }

    def facts(self, world: World) -> dict[str, object]:
        """The text of the merged cell."""
        return {"text": "Total"}

    def asked(self, world: World, was: Document, now: Document) -> list[Check]:
        first, count = int(world.parameters["first"]), int(world.parameters["count"])
        place = table_at(was, "Budget")
        old, new = table_of(was, "Budget"), table_of(now, "Budget")
        last = old.rows - 1
        cell = next((cell for cell in new.cells if (cell.row, cell.column) == (last, first)), None)
        spans = {(cell.row, cell.column): (cell.rows, cell.columns) for cell in new.cells}
        also_merged = {key: value for key, value in spans.items() if value != (1, 1) and key != (last, first)}
        merged = cell is not None and cell.columns == count
        untouched = {
            (cell.row, cell.column): flatten(cell)
            for cell in old.cells
            if cell.row != last or not first <= cell.column < first + count
        }
        cells = {key: flatten(cell) for cell in new.cells if (key := (cell.row, cell.column)) in untouched}
        text = old.at(last, first).text
        return [
            equal("one cell spans them", count, cell.columns if cell else 0, weight=2.0),
            holds(
                "and no more than this row",
                merged and cell is not None and cell.rows == 1,
                expected=1,
                found=cell.rows if cell else 0,
            ),
            holds(
                "its text is right",
                merged and cell is not None and cell.text.strip() == text,
                expected=text,
                found=cell.text if cell else None,
            ),
            holds("no other cell was merged", merged and not also_merged, expected={}, found=also_merged),
            holds(
                "the row has as many cells as it should",
                len([k for k in spans if k[0] == last]) == 6 - count,
                expected=6 - count,
                found=[k for k in spans if k[0] == last],
            ),
            holds(
                "all other cells are as they were",
                merged and _same_cells(untouched, cells),
                expected="as before",
                found="changed",
            ),
            nothing_else("nothing else changed", was, now, [f"block[{place}].cell*"]),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """Select the cells and run the menu command."""
        last = table_of(self.before(before), "Budget").rows
        first, count = int(world.parameters["first"]), int(world.parameters["count"])
        names = f"{_LETTERS[first]}{last}:{_LETTERS[first + count - 1]}{last}"
        return [Press("escape"), writer(("cells", "Budget", names)), uno("MergeCells"), save()]


class QuarterTable(WriterTask):
    """Insert figures from a spreadsheet into the report as a table. Uses Writer and Calc."""

    name = "quarter-table"
    document = REPORT
    template = (
        "The spreadsheet figures.ods in Documents says what every programme spent in each quarter. Insert a table with "
        "two columns into the report, directly below the paragraph “{above}” and before the heading “Risks”: its first "
        "row is “Programme” and “{quarter}”, and each of the next six rows is a programme, in the order of the "
        "spreadsheet, with what it spent in {quarter}, as a plain number. Leave everything else in the report as it "
        "is, do not change the spreadsheet, and save the report."
    )
    instances = {f"q{number}": {"quarter": f"Q{number}", "column": number} for number in range(1, 5)}
    step_budget = 120

    def facts(self, world: World) -> dict[str, object]:
        return {"above": _ABOVE}

    def asked(self, world: World, was: Document, now: Document) -> list[Check]:
        wanted = self._rows(world)
        names = {table.name for table in was.tables}
        places = [n for n, block in enumerate(now.body) if isinstance(block, Table) and block.name not in names]
        new = now.body[places[0]] if places else Table()
        assert isinstance(new, Table)
        above, risks = block_of(now, _ABOVE), block_of(now, "Risks")
        between = list(range(above + 1, risks)) if 0 <= above < risks else []
        grid = [[text.strip() for text in row] for row in new.grid]
        empty = [n for n in between if getattr(now.body[n], "text", "x") == ""]
        gone = [*places[:1], *empty]
        figures_found = [_number(row[1]) for row in grid[1:] if len(row) > 1]
        return [
            equal("there is one new table", 1, len(places)),
            holds(
                "it stands below that paragraph",
                places[:1] != [] and places[0] in between,
                expected=between,
                found=places,
            ),
            equal("it has seven rows and two columns", [7, 2], [new.rows, new.columns]),
            equal("its heading is right", wanted[0], grid[0] if grid else []),
            equal("the programmes are right", [row[0] for row in wanted[1:]], [row[0] for row in grid[1:]]),
            equal("the figures are right", [float(row[1]) for row in wanted[1:]], figures_found, weight=3.0),
            nothing_else("nothing else changed", was, without_blocks(now, gone)),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """Insert the table with its command, then type the texts."""
        number = block_of(self.before(before), _ABOVE)
        cells = [text for row in self._rows(world) for text in row]
        return [
            Press("escape"),
            writer(("place", number, True), ("do", "InsertTable", {"Columns": 2, "Rows": 7})),
            Enter("\t".join(cells)),
            save(),
        ]

    def _rows(self, world: World) -> list[list[str]]:
        rows = figures(people(world))
        column = int(world.parameters["column"])
        return [[str(row[0]), str(row[column])] for row in rows]


_ABOVE = "What was not spent is kept for the same programme in the coming year."


def _number(text: str) -> float:
    digits = re.sub(r"[\s,]", "", text)
    return float(digits) if re.fullmatch(r"-?\d+(\.\d+)?", digits) else float("nan")


def _key(text: str) -> tuple[int, str]:
    return (int(text), "") if text.isdigit() else (0, text)


def _row_leaves(table: Table) -> Counter[str]:
    rows: dict[int, list[str]] = {}
    for cell in table.cells:
        paragraphs = [block for block in cell.body if isinstance(block, Paragraph)]
        rows.setdefault(cell.row, []).append(
            repr([(paragraph.text, paragraph.style, paragraph.alignment, paragraph.runs) for paragraph in paragraphs])
        )
    return Counter("|".join(row) for row in rows.values())


def _same_cells(one: dict[tuple[int, int], dict[str, object]], other: dict[tuple[int, int], dict[str, object]]) -> bool:
    return one.keys() == other.keys() and all(
        one[key].keys() == other[key].keys() and all(same(one[key][n], other[key][n]) for n in one[key]) for key in one
    )


SCENARIOS = (AddTask(), TotalFormula(), SortTasks(), MergeCells(), QuarterTable())
