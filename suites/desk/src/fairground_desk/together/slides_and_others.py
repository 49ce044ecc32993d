"""Impress with Writer and Calc: copy the points of a slide into a handout, and its table into a workbook."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from fairground.core import Check, State
from fairground.verify import equal, holds
from fairground.verify.reading.slides import Deck
from fairground.worlds import Enter, Move, Press, World
from fairground_desk.calc.task import kept, read_book
from fairground_desk.impress.task import DeckTask, part_of, talk_of
from fairground_desk.kit import rest
from fairground_desk.tasks import save, uno
from fairground_desk.together import papers
from fairground_desk.together.filled_sheet import columns_filled, computed, nothing_beyond, says, sheet_of
from fairground_desk.together.opening import Together, open_document
from fairground_desk.writer.reading import document_of, nothing_else

_FUNCTIONS: Final[Mapping[str, Callable[[Sequence[float]], float]]] = {
    "SUM": sum,
    "AVERAGE": statistics.fmean,
    "MAX": max,
}


class _FromTheTalk(Together, DeckTask):
    """Base of tasks that only read the presentation."""

    saved = False
    step_budget = 140

    def asked(self, world: World, was: Deck, now: Deck, after: State) -> list[Check]:
        return []


class SlideToHandout(_FromTheTalk):
    """Copy the points of a slide as text into a handout. Spans Impress and Writer."""

    name = "slide-to-handout"
    also = ("libreoffice-writer",)
    changes = (papers.HANDOUT,)
    template = (
        "handout.odt in Documents is the handout of this talk. Please add the slide “{title}” at its very end: first "
        "the slide's title as a paragraph in the style Heading 2, then each point of the slide's list, in order and "
        "word for word, as a paragraph of its own in the style Text Body, without bullets. What the handout says "
        "already and the presentation stay as they are. Save the handout under its own name."
    )
    instances = {role: {"role": role} for role in ("goals", "risks", "timeline", "closing")}

    def words(self, world: World) -> Mapping[str, object]:
        return {"title": part_of(world).title}

    def papers(self, world: World) -> Mapping[str, bytes]:
        return {papers.HANDOUT: papers.handout(world.configuration.profile)}

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        part = part_of(world)
        was, now = document_of(before, papers.HANDOUT), document_of(after, papers.HANDOUT)
        new = [paragraph for paragraph in now.paragraphs[len(was.body) :] if paragraph.text.strip()]
        head, points = (new[0] if new else None), new[1:]
        first, *_, last = part.lines
        return [
            *super().judge(world, before, after, answer),
            equal("the slide's title comes first", part.title, head.text.strip() if head else None),
            equal("it has the style Heading 2", "Heading 2", head.style if head else None),
            equal("there are as many points as on the slide", len(part.lines), len(points)),
            equal("the first point is right", first, points[0].text.strip() if points else None),
            equal("the last point is right", last, points[-1].text.strip() if points else None),
            equal("all points are there, in order", list(part.lines),
                  [point.text.strip() for point in points], weight=2.0),
            equal("they have the style Text Body", ["Text body"], sorted({point.style for point in points})),
            holds(
                "they have no bullets", bool(points) and not any(point.list for point in points), expected="none",
                found=sorted({point.list for point in points}),
            ),
            nothing_else(
                "the handout begins as it did", was, replace(now, body=now.body[: len(was.body)]), ["style[Heading 2]*"]
            ),
        ]  # fmt: skip

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """Uses commands instead of keys, because autocorrection and completion would change typed text."""
        part = part_of(world)
        moves: list[Move] = [*open_document(papers.HANDOUT), Press("ctrl+End"), uno("InsertPara")]
        moves += [
            uno("StyleApply", Style="Heading 2", FamilyName="ParagraphStyles"),
            uno("InsertText", Text=part.title),
        ]
        for line in part.lines:
            moves += [uno("InsertPara"), uno("InsertText", Text=line)]
        return [*moves, save(), rest()]


class FiguresToSheet(_FromTheTalk):
    """Copy the table of a slide into a workbook. Spans Impress and Calc."""

    name = "figures-to-sheet"
    also = ("libreoffice-calc",)
    changes = (papers.NUMBERS,)
    template = (
        "Somebody asked how the table on the slide “{title}” was worked out. Please copy its rows to the sheet "
        "“Figures” of numbers.ods in Documents, which has only the heads yet: from row 2 on, in the slide's order, "
        'figures as numbers. In the row right below write "{label}" in column A and, in columns B, C and D, formulas '
        "for {words} of the figures above. The heads, the sheet “Speakers” and the presentation stay as they are. Save "
        "the workbook under its own name."
    )
    instances = {
        "total": {"label": "Total", "function": "SUM", "words": "the sum"},
        "average": {"label": "Average", "function": "AVERAGE", "words": "the average"},
        "largest": {"label": "Largest", "function": "MAX", "words": "the largest"},
    }

    def words(self, world: World) -> Mapping[str, object]:
        return {"title": talk_of(world).part("figures").title}

    def papers(self, world: World) -> Mapping[str, bytes]:
        return {papers.NUMBERS: papers.numbers(world.configuration.profile)}

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        heads, rows = papers.figures(talk_of(world))[0], self._rows(world)
        was, now = read_book(before.file(papers.NUMBERS)), read_book(after.file(papers.NUMBERS))
        sheet, last = sheet_of(now, "Figures"), len(rows) + 2
        work = _FUNCTIONS[str(world.parameters["function"])]
        results = {
            f"{letter}{last}": (float(work([float(row[place]) for row in rows])), f"{letter}2:{letter}{last - 1}")
            for place, letter in enumerate("BCD", 1)
        }
        top = [f"{letter}1" for letter in "ABCD"]
        filled = [f"{letter}{row}" for letter in "ABCD" for row in range(2, last + 1)]
        return [
            *super().judge(world, before, after, answer),
            *columns_filled(sheet, heads, rows),
            says("the last row has its name", sheet, f"A{last}", str(world.parameters["label"])),
            computed("the last row is worked out", sheet, results, weight=2.0),
            nothing_beyond(sheet, [*top, *filled]),
            kept(was, now, [f"Figures!{place}" for place in filled]),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """Type row by row: Tab goes to the next cell, and Return to the start of the next row."""
        rows, wanted = self._rows(world), world.parameters
        last = len(rows) + 2
        moves: list[Move] = [*open_document(papers.NUMBERS), uno("GoToCell", ToPoint="A2")]
        for row in rows:
            for cell in row[:-1]:
                moves += [Enter(_typed(cell)), Press("Tab")]
            moves.append(Enter(f"{_typed(row[-1])}\n"))
        moves += [Enter(f"{wanted['label']}\n"), uno("GoToCell", ToPoint=f"B{last}:D{last}")]
        return [*moves, Enter(f"={wanted['function']}(B2:B{last - 1})"), Press("alt+Return"), save(), rest()]

    def _rows(self, world: World) -> list[list[str | float]]:
        rows = papers.figures(talk_of(world))[1:]
        return [[row[0], *(float(cell) for cell in row[1:])] for row in rows]


def _typed(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:g}"


SCENARIOS = (SlideToHandout(), FiguresToSheet())
