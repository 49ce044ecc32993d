"""New texts: from a description, from other texts, or a header added to several files."""

from __future__ import annotations

from collections.abc import Sequence

from fairground.core import Check, State
from fairground.verify import equal, unchanged
from fairground.worlds import Enter, Move, Press, World
from fairground_desk.kit import window
from fairground_desk.mousepad.app import workplace
from fairground_desk.mousepad.documents import WEEKLY
from fairground_desk.mousepad.inspector import text_of
from fairground_desk.mousepad.scenarios.editing import TextTask, new_text, same_form, shown
from fairground_desk.mousepad.scenarios.moves import name_of, open_file, save, save_as
from fairground_desk.mousepad.workplaces import Workplace


class NewFile(TextTask):
    """Create a file with a given text."""

    name = "new-file"
    instances = {"settings": {"kind": "settings"}, "table": {"kind": "table"}, "agenda": {"kind": "agenda"},
                 "script": {"kind": "script"}}  # fmt: skip

    def touched(self, world: World) -> Sequence[str]:
        return (_described(workplace(world), str(world.parameters["kind"]))[0],)

    def phrase(self, world: World) -> str:
        path, lines = _described(workplace(world), str(world.parameters["kind"]))
        text = "\n".join(lines)
        return (
            f"Make a new text file {shown(path)} with exactly the following lines, in UTF-8, each of them ended by a "
            f"line break, the last one too:\n\n{text}\n"
        )

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        path, lines = _described(workplace(world), str(world.parameters["kind"]))
        return new_text(text_of(after, path), lines)

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        path, lines = _described(workplace(world), str(world.parameters["kind"]))
        return [Press("Escape"), Press("ctrl+n"), Enter("".join(f"{line}\n" for line in lines)), *save_as(path)]


class MergeWeeks(TextTask):
    """Merge some weekly reports into a file."""

    name = "merge-weeks"
    step_budget = 100
    instances = {
        "two": {"first": 5, "last": 6, "name": "may-start"},
        "three": {"first": 1, "last": 3, "name": "january"},
        "three-late": {"first": 12, "last": 14, "name": "spring"},
    }

    def weeks(self, world: World) -> list[str]:
        numbers = range(int(world.parameters["first"]), int(world.parameters["last"]) + 1)
        return [f"~/Documents/{WEEKLY.format(number)}" for number in numbers]

    def touched(self, world: World) -> Sequence[str]:
        return (f"~/Documents/weekly/{world.parameters['name']}.md",)

    def phrase(self, world: World) -> str:
        names = ", ".join(map(name_of, self.weeks(world)))
        return (
            f"In Documents/weekly are reports of single weeks. Put {names} into one new file "
            f"{shown(self.touched(world)[0])}: their whole texts in this order, with a line of three hyphens (---) "
            "between one report and the next and no further blank lines. The reports themselves stay as they are."
        )

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        wanted: list[str] = []
        for path in self.weeks(world):
            wanted += ["---"] * bool(wanted) + list(text_of(before, path).lines)
        return new_text(text_of(after, self.touched(world)[0]), wanted)

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """Save the first report under the new name, and paste the others below."""
        first, *others = self.weeks(world)
        (target,) = self.touched(world)
        moves = [*open_file(first), *save_as(target)]
        for path in others:
            moves += [*open_file(path), Press("ctrl+a"), Press("ctrl+c"), Press("ctrl+w"),
                      window(rf"/{name_of(target)} - Mousepad$"), Press("ctrl+End"), Enter("---\n"),
                      Press("ctrl+v")]  # fmt: skip
        return [*moves, *save(target)]


class StampFiles(TextTask):
    """Add the same first line to several files."""

    name = "stamp-files"
    step_budget = 80
    instances = {
        "confidential": {"line": "CONFIDENTIAL: for members of the board only", "files": "weeks"},
        "outdated": {"line": "OUTDATED - see the current year", "files": "archive"},
        "licence": {"line": "Free to use inside the house.", "files": "snippets"},
    }

    def touched(self, world: World) -> Sequence[str]:
        names = {
            "weeks": [WEEKLY.format(number) for number in (2, 4, 6)],
            "archive": [f"archive/2025-Q{number}.txt" for number in (1, 2, 3)],
            "snippets": [f"snippets/{name}.txt" for name in ("phrases", "addresses", "signature")],
        }
        return [f"~/Documents/{name}" for name in names[str(world.parameters["files"])]]

    def phrase(self, world: World) -> str:
        *first, last = map(shown, self.touched(world))
        return (
            f'Put the line "{world.parameters["line"]}" at the very top of {", ".join(first)} and {last}, followed by '
            "one blank line. What the files say now comes after that, unchanged. Save all three under their own names."
        )

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        checks = []
        for path in self.touched(world):
            old, new = text_of(before, path), text_of(after, path)
            wanted = [str(world.parameters["line"]), "", *old.lines]
            checks += [
                equal(f"{name_of(path)} begins with the line", wanted[:2], list(new.lines[:2])),
                equal(f"{name_of(path)} goes on as before", wanted[:9], list(new.lines[:9])),
                unchanged(f"what {name_of(path)} said", {"end": list(old.lines)},
                          {"end": list(new.lines[-len(old.lines) :])}),
                same_form(old, new),
            ]  # fmt: skip
        whole = [list(text_of(after, path).lines) == [str(world.parameters["line"]), "", *text_of(before, path).lines]
                 for path in self.touched(world)]  # fmt: skip
        return [*checks, equal("all three are exactly as asked", [True] * 3, whole)]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        moves: list[Move] = []
        for path in self.touched(world):
            moves += [*open_file(path), Enter(f"{world.parameters['line']}\n\n"), *save(path)]
        return moves


def _described(place: Workplace, kind: str) -> tuple[str, list[str]]:
    """Path and text of a new file."""
    first, second, third = (name.split()[-1] for name in place.people[1:4])
    texts = {
        "settings": (f"{place.service}-test.ini", [
            f"# Settings for trying {place.service} out", "", "[general]", f"name = {place.service}-test",
            "debug = yes", "", "[network]", "host = 127.0.0.1", "port = 9000", "timeout = 5", "",
            f"[{place.parts[0]}]", "enabled = yes", "interval = 1",
        ]),
        "table": ("rota.csv", [
            "week,early,late", f"17,{first},{second}", f"18,{second},{third}", f"19,{third},{first}",
            f"20,{first},{third}", f"21,{second},{first}",
        ]),
        "agenda": ("agenda.md", [
            "# Agenda for 16 April 2026", "", *(f"{number}. {topic}" for number, topic in enumerate(place.topics, 1)),
            "", f"Chair: {first}", f"Minutes: {second}",
        ]),
        "script": ("scripts/count-errors.sh", [
            "#!/bin/sh", f"# Counts what went wrong in {place.service}.", "set -eu", "",
            f'log="$HOME/Documents/{place.files["log"]}"', 'for level in WARN ERROR; do',
            '    number=$(grep -c "$level" "$log")', '    echo "$level: $number"', "done",
        ]),
    }  # fmt: skip
    name, lines = texts[kind]
    return f"~/Documents/{name}", lines
