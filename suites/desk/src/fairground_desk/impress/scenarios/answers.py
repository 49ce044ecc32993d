"""Questions about the content of the presentation."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar

from fairground.core import Check, State
from fairground.verify import holds, match_answer
from fairground.verify.reading.slides import Deck
from fairground.worlds import Move, Say, World
from fairground_desk.impress.scenarios.objects import chart_of, table_of
from fairground_desk.impress.task import DeckTask, find_slide, part_of, position, talk_of


class _Question(DeckTask):
    """Base class of questions about the open presentation; nothing may change.

    Attributes:
        expects: The kind of answer, as in `match_answer`.
    """

    kind = "answer"
    saved = False
    expects: ClassVar[str] = "text"

    @abstractmethod
    def truth(self, world: World, was: Deck) -> tuple[object, Sequence[object]]:
        """Return the right answer and plausible wrong answers."""

    def asked(self, world: World, was: Deck, now: Deck, after: State) -> list[Check]:
        """Return no checks: `judge` checks the answer."""
        return []

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        expected, wrong = self.truth(world, self.deck(world, before))
        right = match_answer(self.expects, expected, answer, among=wrong, question=world.instruction)
        return [
            holds("the answer is right", right, expected=expected, found=answer, weight=1.0),
            *super().judge(world, before, after, answer),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        return [Say(str(self.truth(world, self.deck(world, before))[0]))]


class ColumnTotal(_Question):
    """Ask for the sum of a column of the table."""

    name = "column-total"
    expects = "number"
    template = (
        'What do the numbers in the column "{column}" of the table on the slide "{title}" add up to? Answer with the '
        "number; change nothing."
    )
    instances = {"first": {"column": 1}, "second": {"column": 2}, "third": {"column": 3}}

    def words(self, world: World) -> Mapping[str, object]:
        part = talk_of(world).part("figures")
        return {"column": part.rows[0][int(world.parameters["column"])], "title": part.title}

    def truth(self, world: World, was: Deck) -> tuple[object, Sequence[object]]:
        grid = table_of(find_slide(was, talk_of(world).part("figures").name)).grid
        return sum(int(row[int(world.parameters["column"])]) for row in grid[1:]), ()


class LargestRow(_Question):
    """Ask for the table row with the largest or smallest value in a column."""

    name = "largest-row"
    template = (
        'In the table on the slide "{title}", which row has the {which} number in the column "{column}"? '
        "Answer with what "
        "its first cell says; change nothing."
    )
    instances = {
        "most-first": {"column": 1, "which": "largest"},
        "most-second": {"column": 2, "which": "largest"},
        "least-first": {"column": 1, "which": "smallest"},
        "least-second": {"column": 2, "which": "smallest"},
    }

    def words(self, world: World) -> Mapping[str, object]:
        part = talk_of(world).part("figures")
        return {"column": part.rows[0][int(world.parameters["column"])], "title": part.title}

    def truth(self, world: World, was: Deck) -> tuple[object, Sequence[object]]:
        _, *rows = table_of(find_slide(was, talk_of(world).part("figures").name)).grid
        pick = max if world.parameters["which"] == "largest" else min
        name = pick(rows, key=lambda row: int(row[int(world.parameters["column"])]))[0]
        return name, [row[0] for row in rows if row[0] != name]


class WhoSpeaks(_Question):
    """Ask who presents a slide, according to the notes."""

    name = "who-speaks"
    template = (
        "According to the speaker notes of the open presentation, who presents the slide with the title "
        '"{title}"? Answer '
        "with the person's name; change nothing."
    )
    instances = {role: {"role": role} for role in ("figures", "risks", "process", "timeline")}

    def words(self, world: World) -> Mapping[str, object]:
        return {"title": part_of(world).title}

    def truth(self, world: World, was: Deck) -> tuple[object, Sequence[object]]:
        speakers = {slide.name: slide.notes[0].text.removeprefix("Speaker: ") for slide in was.slides if slide.notes}
        speaker = speakers[part_of(world).name]
        return speaker, sorted({name for name in speakers.values() if name != speaker})


class ChartReading(_Question):
    """Ask for the category in which a chart series is highest or lowest."""

    name = "chart-reading"
    template = (
        'Look at the chart on the slide "{title}": for which entry of the horizontal axis is "{series}" '
        "{which}? Answer with "
        "that entry; change nothing."
    )
    instances = {
        "highest-first": {"series": 0, "which": "highest"},
        "highest-second": {"series": 1, "which": "highest"},
        "lowest-first": {"series": 0, "which": "lowest"},
        "lowest-second": {"series": 1, "which": "lowest"},
    }

    def words(self, world: World) -> Mapping[str, object]:
        part = talk_of(world).part("trend")
        return {"title": part.title, "series": part.rows[0][int(world.parameters["series"]) + 1]}

    def truth(self, world: World, was: Deck) -> tuple[object, Sequence[object]]:
        chart = chart_of(find_slide(was, talk_of(world).part("trend").name))
        values = [value or 0.0 for value in chart.series[int(world.parameters["series"])].values]
        wanted = max(values) if world.parameters["which"] == "highest" else min(values)
        category = chart.categories[values.index(wanted)]
        return category, [name for name in chart.categories if name != category]


class WhichSlide(_Question):
    """Ask which slide contains something."""

    name = "which-slide"
    expects = "number"
    template = (
        "One slide of the open presentation says: “{line}”. Which number does that slide have (count hidden "
        "slides too, the "
        "first is 1)? Answer with the number; change nothing."
    )
    instances = {
        "risk": {"role": "risks", "line": 2},
        "goal": {"role": "goals", "line": 1},
        "detail": {"role": "detail", "line": 1},
        "step": {"role": "timeline", "line": 2},
    }

    def words(self, world: World) -> Mapping[str, object]:
        return {"line": part_of(world).lines[int(world.parameters["line"])]}

    def truth(self, world: World, was: Deck) -> tuple[object, Sequence[object]]:
        return position(was, part_of(world).name), ()


SCENARIOS = (ColumnTotal(), LargestRow(), WhoSpeaks(), ChartReading(), WhichSlide())
