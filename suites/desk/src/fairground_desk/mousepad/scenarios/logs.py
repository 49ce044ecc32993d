"""A log of some hundred lines: questions about it, and what is to be taken out of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fairground.core import Check, State
from fairground.verify import contains, holds, match_answer
from fairground.worlds import Enter, Move, Press, Say, World
from fairground_desk.mousepad.app import workplace
from fairground_desk.mousepad.inspector import text_of
from fairground_desk.mousepad.scenarios.editing import TextTask, new_text, shown
from fairground_desk.mousepad.scenarios.moves import open_file, replace_all, save_as


@dataclass(frozen=True)
class Entry:
    """A line of the log."""

    day: str
    clock: str
    level: str
    part: str
    line: str


class LogQuestion(TextTask):
    """Something about the log that has to be counted or found."""

    name = "log-question"
    kind = "answer"
    instances = {
        "errors": {"ask": "errors", "kind": "number"},
        "warnings-of-part": {"ask": "warnings", "kind": "number"},
        "first-error": {"ask": "first", "kind": "time"},
        "worst-part": {"ask": "worst", "kind": "text"},
        "lines-of-day": {"ask": "day", "kind": "number"},
    }

    def touched(self, world: World) -> Sequence[str]:
        return ()

    def phrase(self, world: World) -> str:
        """Names the log and what is asked."""
        place = workplace(world)
        log = f"the log {shown(place.path('log'))}"
        return {
            "errors": f"How many lines of {log} have the level ERROR? Answer with the number.",
            "warnings": f"How many lines of {log} are of the part {place.parts[1]} and have the level WARN? "
                        "Answer with the number.",
            "first": f"At what time of day (hours and minutes, such as 07:45) did the part {place.parts[2]} write its "
                     f"first line with the level ERROR into {log}?",
            "worst": f"Which part (the name in square brackets) has the most lines with the level ERROR in {log}? "
                     "Answer with its name.",
            "day": f"How many lines of {log} are of 3 March 2026? Answer with the number.",
        }[str(world.parameters["ask"])]  # fmt: skip

    def right(self, world: World, before: State) -> str | int:
        place, log = workplace(world), entries(world, before)
        errors = [one for one in log if one.level == "ERROR"]
        answers: dict[str, Callable[[], str | int]] = {
            "errors": lambda: len(errors),
            "warnings": lambda: sum(one.level == "WARN" and one.part == place.parts[1] for one in log),
            "first": lambda: next(one.clock for one in errors if one.part == place.parts[2])[:5],
            "worst": lambda: Counter(one.part for one in errors).most_common(1)[0][0],
            "day": lambda: sum(one.day == "2026-03-03" for one in log),
        }
        return answers[str(world.parameters["ask"])]()

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """Compares what was said with what the log says."""
        right = self.right(world, before)
        said = match_answer(str(world.parameters["kind"]), right, answer, among=workplace(world).parts,
                            question=world.instruction)  # fmt: skip
        return [holds("the answer is right", said, expected=right, found=answer)]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """Opens the log, looks, and says it."""
        return [*open_file(workplace(world).path("log")), Say(str(self.right(world, before)))]


class ExtractLines(TextTask):
    """Some lines of the log go into a file of their own."""

    name = "extract-lines"
    instances = {
        "errors": {"pick": "error", "name": "errors-only.txt"},
        "part": {"pick": "part", "name": "one-part.txt"},
        "day": {"pick": "day", "name": "third-of-march.txt"},
    }

    def touched(self, world: World) -> Sequence[str]:
        """The new file, beside the log."""
        return (workplace(world).path("log").rpartition("/")[0] + f"/{world.parameters['name']}",)

    def pattern(self, world: World) -> str:
        part = re.escape(workplace(world).parts[3])
        return {"error": "^[-0-9]+ [:0-9]+ ERROR ", "part": rf"^[-0-9]+ [:0-9]+ [A-Z]+ +\[{part}\]",
                "day": "^2026-03-03 "}[str(world.parameters["pick"])]  # fmt: skip

    def phrase(self, world: World) -> str:
        """Names the log, the lines and the new file."""
        place = workplace(world)
        lines = {
            "error": "with the level ERROR", "part": f"of the part [{place.parts[3]}]", "day": "of 3 March 2026",
        }[str(world.parameters["pick"])]  # fmt: skip
        return (
            f"From the log {shown(place.path('log'))}, put all lines {lines}, and only those, into a new file "
            f"{shown(self.touched(world)[0])}: whole lines, unchanged, in the order of the log, each ended by a line "
            "break. The log itself stays as it is."
        )

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """The new file against the log."""
        wanted = [one.line for one in entries(world, before) if re.match(self.pattern(world), one.line)]
        return new_text(text_of(after, self.touched(world)[0]), wanted)

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """Saves the log under the new name, and deletes the other lines there."""
        (target,) = self.touched(world)
        others = rf"^(?!{self.pattern(world).removeprefix('^')}).*\n"
        return [*open_file(workplace(world).path("log")), *save_as(target), *replace_all(others, "", regex=True),
                Press("ctrl+s")]  # fmt: skip


class LogReport(TextTask):
    """A table of how often each part wrote lines of a level."""

    name = "log-report"
    instances = {"errors": {"level": "ERROR"}, "warnings": {"level": "WARN"}, "notices": {"level": "INFO"}}

    def touched(self, world: World) -> Sequence[str]:
        return (f"~/Documents/{str(world.parameters['level']).lower()}-counts.csv",)

    def phrase(self, world: World) -> str:
        """Names the log, the level, and the form of the table."""
        level, place = world.parameters["level"], workplace(world)
        return (
            f"Count, for each part (the name in square brackets) in the log {shown(place.path('log'))}, its lines "
            f"with the level {level}. Write the result to a new file {shown(self.touched(world)[0])}: first the line "
            f'"part,lines", then one line a part, such as "{place.parts[0]},7", in the alphabetical order of the '
            'parts, and last the line "total," with the sum. End every line with a line break.'
        )

    def table(self, world: World, before: State) -> list[str]:
        log = entries(world, before)
        counts = Counter(one.part for one in log if one.level == world.parameters["level"])
        rows = [f"{part},{counts[part]}" for part in sorted(workplace(world).parts)]
        return ["part,lines", *rows, f"total,{counts.total()}"]

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        wanted = self.table(world, before)
        file = text_of(after, self.touched(world)[0])
        rows = [contains(f"the line of {line.partition(',')[0]}", line, file.lines) for line in wanted[1:]]
        return [*new_text(file, wanted), *rows]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        text = "".join(f"{line}\n" for line in self.table(world, before))
        return [Press("Escape"), Press("ctrl+n"), Enter(text), *save_as(self.touched(world)[0])]


def entries(world: World, before: State) -> list[Entry]:
    """The log, line by line."""
    found = []
    for line in text_of(before, workplace(world).path("log")).lines:
        day, clock, level, part, *_ = line.split()
        found.append(Entry(day, clock, level, part.strip("[]"), line))
    return found
