"""Calc with Writer: a chart into a letter, totals into a memo, the table of a delivery note into the stock list."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date

from fairground.core import Check, State
from fairground.verify import contains, equal, holds
from fairground.verify.reading.document import Document
from fairground.verify.reading.prose import Chart, Paragraph
from fairground.verify.reading.workbook import Workbook
from fairground.worlds import Move, Point, Press, World
from fairground_desk.calc.api import calc
from fairground_desk.calc.sales import REGIONS
from fairground_desk.calc.task import CalcTask, go, length
from fairground_desk.calc.workbooks import BUDGET, SALES, STOCK
from fairground_desk.kit import rest
from fairground_desk.tasks import save, uno
from fairground_desk.together import papers
from fairground_desk.together.filled_sheet import columns_filled, computed, nothing_beyond, says, sheet_of
from fairground_desk.together.opening import Together, close_document, open_document
from fairground_desk.writer.reading import body_with, document_of, matches, nothing_else, replaced, table_at, table_of

_ON_THE_CHART = (380, 345)  # works for every start of the sheet: the oracle's chart is large, in the sheet's corner
_ANCHORS = ("paragraph", "char", "as-char")
_WRAPS = ("", "none", "left", "right", "parallel", "dynamic", "run-through", "biggest")


class ChartToLetter(Together, CalcTask):
    """Make a chart, and copy it into a letter. Spans Calc and Writer."""

    name = "chart-to-letter"
    workbook = "{file}"
    also = ("libreoffice-writer",)
    changes = (papers.BANK_LETTER,)
    step_budget = 120
    template = (
        'Our bank wants to see figures. Make a {kind_name} in the sheet "{sheet}" of the open workbook, from the cells '
        '{labels} (names) and {values} (figures, with {head} as the name of the series), with the title "{title}". '
        "Then put a copy of this chart at the very end of the letter “letter to the bank.odt” in Documents, below the "
        "line “The chart:”, as a chart that can still be edited, not as a picture, 14 cm wide and 8 cm high. Change no "
        "cell of the workbook and no word of the letter, and save both under their own names."
    )
    instances = {
        "planned-costs": {
            "file": BUDGET, "sheet": "Budget", "kind": "bar", "kind_name": "column chart (upright bars)",
            "labels": "A2:A13", "values": "N2:N13", "head": "N1", "title": "What the year should cost",
        },
        "real-costs": {
            "file": BUDGET, "sheet": "Actual", "kind": "pie", "kind_name": "pie chart",
            "labels": "A2:A13", "values": "N2:N13", "head": "N1", "title": "Where the money went",
        },
        "deliveries": {
            "file": STOCK, "sheet": "Suppliers", "kind": "bar", "kind_name": "column chart (upright bars)",
            "labels": "A2:A7", "values": "C2:C7", "head": "C1", "title": "How long we wait for goods",
        },
    }  # fmt: skip

    def papers(self, world: World) -> Mapping[str, bytes]:
        return {papers.BANK_LETTER: papers.bank_letter(world.configuration.profile)}

    def asked(self, world: World, was: Workbook, now: Workbook, after: State) -> list[Check]:
        wanted, name = world.parameters, str(world.parameters["sheet"])
        charts = now[name].charts
        chart = charts[0] if charts else None
        series = chart.series if chart else ()
        cells = [(f"{name}.{wanted['values']}", f"{name}.{wanted['head']}", f"{name}.{wanted['labels']}")]
        return [
            equal("the sheet has one chart", 1, len(charts)),
            equal("the sheet's chart is of the right kind", wanted["kind"], chart.kind if chart else None),
            equal("it has the title", wanted["title"], chart.title if chart else None),
            equal(
                "it is made of the right cells", cells, [(line.values, line.label, line.categories) for line in series]
            ),
        ]

    def touched(self, world: World, was: Workbook) -> Sequence[str]:
        return [f"{world.parameters['sheet']}!.charts"]

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        wanted = world.parameters
        sheet = self.book(world, before)[str(wanted["sheet"])]
        letter = str(wanted["values"])[0]
        rows = range(2, int(str(wanted["values"]).rpartition(letter)[2]) + 1)
        names = tuple(str(sheet[f"A{row}"].value) for row in rows)
        numbers = [sheet[f"{letter}{row}"].value for row in rows]
        was, now = document_of(before, papers.BANK_LETTER), document_of(after, papers.BANK_LETTER)
        shape = now.charts[0] if now.charts else None
        chart = shape.chart if shape and shape.chart else Chart()
        series = chart.series[0] if chart.series else None
        return [
            *super().judge(world, before, after, answer),
            equal("the letter has one chart, and no picture", ["chart"], [drawn.kind for drawn in now.shapes],
                  weight=2.0),
            equal("the letter's chart is of the right kind", wanted["kind"], chart.kind),
            equal("the letter's chart has the title", wanted["title"], chart.title),
            equal("it names what the sheet names", names, chart.categories),
            holds(
                "it shows the sheet's figures", len(chart.series) == 1 and _all_close(numbers, chart.series[0].values),
                expected=numbers, found=series.values if series else None, weight=2.0,
            ),
            equal("its series has the head's name", sheet[str(wanted["head"])].value, series.name if series else None),
            holds(
                "it is as large as asked", shape is not None and abs(shape.width - 140) <= 1.5
                and abs(shape.height - 80) <= 1.5, expected="14 cm by 8 cm",
                found=(shape.width, shape.height) if shape else None,
            ),
            holds(
                "it belongs to the text", shape is not None and shape.anchor in _ANCHORS and shape.wrap in _WRAPS,
                expected=_ANCHORS, found=(shape.anchor, shape.wrap) if shape else None,
            ),
            holds(
                "it stands at the end of the letter", shape is not None and shape.paragraph >= len(was.body) - 1,
                expected=len(was.body) - 1, found=shape.paragraph if shape else None,
            ),
            nothing_else("the letter says what it said", was, _trimmed(replace(now, shapes=()), len(was.body))),
        ]  # fmt: skip

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """Make the chart in the corner of the sheet, select it by a click, and copy it into the letter."""
        wanted, name = world.parameters, str(world.parameters["sheet"])
        ranges = [[name, f"A1:{str(wanted['labels']).partition(':')[2]}"],
                  [name, f"{wanted['head']}:{str(wanted['values']).partition(':')[2]}"]]  # fmt: skip
        return [
            calc(("chart", name, ranges, wanted["kind"], wanted["title"], "", "", [5, 5])), *go("A1", name),
            Point(_ON_THE_CHART), Press("ctrl+c"), save(), rest(), *open_document(papers.BANK_LETTER),
            Press("ctrl+End"), Press("ctrl+v"), rest(), Press("escape"), save(), rest(),
        ]  # fmt: skip


class TotalsToMemo(Together, CalcTask):
    """Put sums of a long list into the placeholders of a memo. Spans Calc and Writer."""

    name = "totals-to-memo"
    workbook = SALES
    also = ("libreoffice-writer",)
    changes = (papers.MEMO,)
    step_budget = 120
    template = (
        "“memo to the board.odt” in Documents has marks in square brackets where figures are missing. Work out {words} "
        "for every region from the sheet “Sales” of the open workbook, and put the figure in place of the region's "
        "mark, such as [North]. [All], which stands twice, is the sum of the five regions; [Best] and [Last] are the "
        "names of the regions with the largest and the smallest figure. Write figures {form}, without separators. "
        "Keep the formats of the memo and its other words, and save it under its own name. The workbook must stay as "
        "it is."
    )
    instances = {
        "revenue": {"words": "the revenue of the whole year", "column": 5, "digits": 2, "first": 1, "last": 12,
                    "form": "with two decimals"},
        "units": {"words": "how many units were sold in the whole year", "column": 3, "digits": 0, "first": 1,
                  "last": 12, "form": "as whole numbers"},
        "last-quarter": {"words": "the revenue of October, November and December", "column": 5, "digits": 2,
                         "first": 10, "last": 12, "form": "with two decimals"},
    }  # fmt: skip

    def papers(self, world: World) -> Mapping[str, bytes]:
        return {papers.MEMO: papers.memo(world.configuration.profile)}

    def asked(self, world: World, was: Workbook, now: Workbook, after: State) -> list[Check]:
        return []

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        was, now = document_of(before, papers.MEMO), document_of(after, papers.MEMO)
        marks = self._marks(world, before)
        expected = was
        for mark, value in marks.items():
            expected = _with(expected, mark, value)
        table, place = table_of(now, "Regions"), table_at(was, "Regions")
        shown = {row[0]: row[1] for row in table.grid if len(row) > 1}
        sentence = next(
            at for at, block in enumerate(was.body) if isinstance(block, Paragraph) and "[Best]" in block.text
        )
        text = getattr(now.body[sentence], "text", "") if sentence < len(now.body) else ""
        names = (*REGIONS, papers.TOTAL)
        touched = [f"block[{place}].cell[{2 * row + 1}].*" for row in range(1, len(names) + 1)]
        touched += [f"block[{sentence}].text", f"block[{sentence}].run*"]
        figures = zip(names, [marks[f"[{name}]"] for name in (*REGIONS, "All")], strict=True)
        return [
            *super().judge(world, before, after, answer),
            *(equal(f"the figure of {name}", value, shown.get(name)) for name, value in figures),
            contains("the strongest region is named", f"strongest region is {marks['[Best]']},", text),
            contains("the weakest region is named", f"the weakest is {marks['[Last]']}.", text),
            contains("the sum is in the sentence", f"together make {marks['[All]']}.", text),
            matches("the memo looks as it did", expected, now, touched, weight=2.0),
            nothing_else("the rest of the memo is as it was", expected, now, touched),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        marks = self._marks(world, before)
        return [*open_document(papers.MEMO), *(_replace_all(*pair) for pair in marks.items()), save(), rest()]

    def _marks(self, world: World, before: State) -> dict[str, str]:
        wanted = world.parameters
        sheet = self.book(world, before)["Sales"]
        sums = dict.fromkeys(REGIONS, 0.0)
        for row in range(1, length(sheet)):
            day, amount = sheet.at(row, 0).value, sheet.at(row, int(wanted["column"])).value
            assert isinstance(day, date) and isinstance(amount, float)
            if int(wanted["first"]) <= day.month <= int(wanted["last"]):
                sums[str(sheet.at(row, 1).value)] += amount
        digits = int(wanted["digits"])
        best, last = papers.strongest(list(sums.items()))
        marks = {f"[{region}]": papers.plain(value, digits) for region, value in sums.items()}
        return {**marks, "[All]": papers.plain(sum(sums.values()), digits), "[Best]": best, "[Last]": last}


class GoodsIntoStock(Together, CalcTask):
    """Turn a table in a text document into a sheet with formulas. Spans Writer and Calc."""

    name = "goods-into-stock"
    workbook = STOCK
    also = ("libreoffice-writer",)
    step_budget = 140
    template = (
        'The text document "{file}" in Documents has a table of goods. Please copy it to a new sheet "{sheet}" behind '
        "the other sheets of the open workbook: its heads in A1 to C1, its rows below in the same order, pieces and "
        'prices as numbers. Add a column D with the head "Value" and in each row a formula that multiplies pieces and '
        'price. In the row right below the goods write "Total" in column A and, in column D, a formula for the sum of '
        "all values. Leave the other sheets and the text document as they are, and save the workbook."
    )
    instances = {
        "delivery": {"file": "delivery note.odt", "title": "Delivery note", "sheet": "Delivery", "kind": 0},
        "returns": {"file": "goods sent back.odt", "title": "Goods sent back", "sheet": "Returns", "kind": 1},
        "order": {"file": "order confirmed.odt", "title": "Your order", "sheet": "Ordered goods", "kind": 2},
    }

    def papers(self, world: World) -> Mapping[str, bytes]:
        wanted, profile = world.parameters, world.configuration.profile
        return {self._note(world): papers.delivery_note(profile, int(wanted["kind"]), str(wanted["title"]))}

    def asked(self, world: World, was: Workbook, now: Workbook, after: State) -> list[Check]:
        name, rows = str(world.parameters["sheet"]), self._rows(world)
        sheet, last = sheet_of(now, name), len(rows) + 2
        values = [round(pieces * price, 2) for _, pieces, price in rows]
        places = ["A1", "B1", "C1", "D1", f"A{last}", f"D{last}"]
        places += [f"{letter}{row}" for letter in "ABCD" for row in range(2, last)]
        return [
            equal("the sheet is behind the others", [*was.names, name], list(now.names), weight=2.0),
            equal("it has the heads", ["Item", "Pieces", "Price", "Value"],
                  [sheet[f"{letter}1"].value for letter in "ABCD"]),
            *columns_filled(sheet, ("Item", "Pieces", "Price"), rows),
            computed(
                "every value is worked out", sheet,
                {f"D{at}": (value, f"B{at} C{at}") for at, value in enumerate(values, 2)},
            ),
            says("the last row is the total", sheet, f"A{last}", "Total"),
            computed("the total is worked out", sheet, {f"D{last}": (round(sum(values), 2), f"D2:D{last - 1}")}),
            nothing_beyond(sheet, places),
        ]  # fmt: skip

    def touched(self, world: World, was: Workbook) -> Sequence[str]:
        return ["sheets", f"{world.parameters['sheet']}!*"]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        name, rows = str(world.parameters["sheet"]), self._rows(world)
        lines: list[list[object]] = [["Item", "Pieces", "Price", "Value"]]
        lines += [[*row, f"=B{at}*C{at}"] for at, row in enumerate(rows, 2)]
        lines.append(["Total", "", "", f"=SUM(D2:D{len(rows) + 1})"])
        return [
            *open_document(self._note(world)), *close_document(self._note(world)),
            calc(("insert_sheet", name, -1), ("put", name, "A1", lines), ("show_sheet", name)), save(), rest(),
        ]  # fmt: skip

    def _note(self, world: World) -> str:
        return f"~/Documents/{world.parameters['file']}"

    def _rows(self, world: World) -> list[tuple[str, int, float]]:
        return papers.delivery_rows(world.configuration.profile, int(world.parameters["kind"]))


def _with(document: Document, mark: str, value: str) -> Document:
    return body_with(
        document, lambda _, paragraph: replaced(paragraph, mark, value) if mark in paragraph.text else paragraph
    )


def _replace_all(text: str, other: str) -> Move:
    """Edit > Find and Replace > Replace All, as plain text with exact case."""
    asked = {"SearchString": text, "ReplaceString": other, "Command": 3, "TransliterateFlags": 0, "AlgorithmType": 0,
             "AlgorithmType2": 1}  # fmt: skip
    return uno("ExecuteSearch", **{f"SearchItem.{name}": value for name, value in asked.items()})


def _trimmed(document: Document, least: int) -> Document:
    """Remove empty paragraphs at the end, which a chart may need as an anchor; never cut below the original length."""
    body = document.body
    while len(body) > least and isinstance(body[-1], Paragraph) and not body[-1].text.strip():
        body = body[:-1]
    return replace(document, body=body)


def _all_close(wanted: Sequence[object], found: Sequence[float | None]) -> bool:
    pairs = list(zip(wanted, found, strict=False))
    return len(wanted) == len(found) and all(
        isinstance(expected, float)
        and actual is not None
        and math.isclose(expected, actual, rel_tol=1e-6, abs_tol=0.006)
        for expected, actual in pairs
    )


SCENARIOS = (ChartToLetter(), TotalsToMemo(), GoodsIntoStock())
