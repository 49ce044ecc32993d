"""A log of several hundred lines: questions about it, and extracts of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fairground.core import Check, State
from fairground.verify import contains, holds, match_answer, with_form
from fairground.worlds import Enter, Move, Press, Say, World
from fairground_desk.mousepad.app import workplace
from fairground_desk.mousepad.inspector import text_of
from fairground_desk.mousepad.scenarios.editing import TextTask, new_text, shown
from fairground_desk.mousepad.scenarios.moves import open_file, replace_all, save_as


@dataclass(frozen=True)
class Entry:
    """A line of the log, split into its fields."""

    day: str
    clock: str
    level: str
    part: str
    line: str


class LogQuestion(TextTask):
    """A question about the log that needs counting or finding."""

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
        place = workplace(world)
        log = f"the log {shown(place.path('log'))}"
        question = {
            "errors": f"How many lines of {log} have the level ERROR? Answer with the number.",
            "warnings": f"How many lines of {log} are of the part {place.parts[1]} and have the level WARN? "
                        "Answer with the number.",
            "first": f"At what time of day (hours and minutes) did the part {place.parts[2]} write its first line with "
                     f"the level ERROR into {log}?",
            "worst": f"Which part (the name in square brackets) has the most lines with the level ERROR in {log}? "
                     "Answer with its name.",
            "day": f"How many lines of {log} are of 3 March 2026? Answer with the number.",
        }[str(world.parameters["ask"])]  # fmt: skip
        return with_form(question, str(world.parameters["kind"]))

    def right(self, world: World, before: State) -> str | int:
        place, log = workplace(world), entries(world, before)
        errors = [entry for entry in log if entry.level == "ERROR"]
        answers: dict[str, Callable[[], str | int]] = {
            "errors": lambda: len(errors),
            "warnings": lambda: sum(entry.level == "WARN" and entry.part == place.parts[1] for entry in log),
            "first": lambda: next(entry.clock for entry in errors if entry.part == place.parts[2])[:5],
            "worst": lambda: Counter(entry.part for entry in errors).most_common(1)[0][0],
            "day": lambda: sum(entry.day == "2026-03-03" for entry in log),
        }
        return answers[str(world.parameters["ask"])]()

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        right = self.right(world, before)
        correct = match_answer(str(world.parameters["kind"]), right, answer, among=workplace(world).parts,
                            question=world.instruction)  # fmt: skip
        return [holds("the answer is right", correct, expected=right, found=answer)]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        return [*open_file(workplace(world).path("log")), Say(str(self.right(world, before)))]


class ExtractLines(TextTask):
    """Extract some lines of the log into a new file."""

    name = "extract-lines"
    instances = {
        "errors": {"pick": "error", "name": "errors-only.txt"},
        "part": {"pick": "part", "name": "one-part.txt"},
        "day": {"pick": "day", "name": "third-of-march.txt"},
    }

    def touched(self, world: World) -> Sequence[str]:
        return (workplace(world).path("log").rpartition("/")[0] + f"/{world.parameters['name']}",)

    def pattern(self, world: World) -> str:
        part = re.escape(workplace(world).parts[3])
        return {"error": "^[-0-9]+ [:0-9]+ ERROR ", "part": rf"^[-0-9]+ [:0-9]+ [A-Z]+ +\[{part}\]",
                "day": "^2026-03-03 "}[str(world.parameters["pick"])]  # fmt: skip

    def phrase(self, world: World) -> str:
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
        wanted = [entry.line for entry in entries(world, before) if re.match(self.pattern(world), entry.line)]
        return new_text(text_of(after, self.touched(world)[0]), wanted)

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """Save the log under the new name, and delete the other lines there."""
        (target,) = self.touched(world)
        others = rf"^(?!{self.pattern(world).removeprefix('^')}).*\n"
        return [*open_file(workplace(world).path("log")), *save_as(target), *replace_all(others, "", regex=True),
                Press("ctrl+s")]  # fmt: skip


class LogReport(TextTask):
    """Write a table of how many lines of a level each part logged."""

    name = "log-report"
    instances = {"errors": {"level": "ERROR"}, "warnings": {"level": "WARN"}, "notices": {"level": "INFO"}}

    def touched(self, world: World) -> Sequence[str]:
        return (f"~/Documents/{str(world.parameters['level']).lower()}-counts.csv",)

    def phrase(self, world: World) -> str:
        level, place = world.parameters["level"], workplace(world)
        return (
            f"Count, for each part (the name in square brackets) in the log {shown(place.path('log'))}, its lines "
            f"with the level {level}. Write the result to a new file {shown(self.touched(world)[0])}: first the line "
            f'"part,lines", then one line a part, such as "{place.parts[0]},7", in the alphabetical order of the '
            'parts, and last the line "total," with the sum. End every line with a line break.'
        )

    def table(self, world: World, before: State) -> list[str]:
        log = entries(world, before)
        counts = Counter(entry.part for entry in log if entry.level == world.parameters["level"])
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
    """Parse the log."""
    listed = []
    for line in text_of(before, workplace(world).path("log")).lines:
        day, clock, level, part, *_ = line.split()
        listed.append(Entry(day, clock, level, part.strip("[]"), line))
    return listed
