"""Base of scenarios that edit a text, and comparison of the result with the expected text."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

from fairground.core import Check, InvalidConfiguration, State
from fairground.verify import equal, holds, unchanged
from fairground.verify.reading.textfile import TextFile, difference
from fairground.worlds import Move, World
from fairground_desk.mousepad.app import workplace
from fairground_desk.mousepad.inspector import text_of
from fairground_desk.mousepad.scenarios.moves import open_file, save
from fairground_desk.tasks import DeskTask, files_unchanged

MOST_PARTS = 4


class TextTask(DeskTask):
    """A scenario in Mousepad, about files that depend on the profile."""

    app = "mousepad"
    step_budget = 60

    @abstractmethod
    def touched(self, world: World) -> Sequence[str]:
        """Return the paths of the files that may change."""

    def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """Return the task's checks, and a guard over all other files."""
        return [*self.judge(world, before, after, answer), files_unchanged(before, after, self.touched(world))]


class EditTask(TextTask):
    """A scenario that changes the file of the parameter `role`."""

    def path(self, world: World) -> str:
        return workplace(world).path(str(world.parameters["role"]))

    @abstractmethod
    def wanted(self, world: World, lines: Sequence[str]) -> list[str]:
        """Return the expected lines, given the original ones."""

    @abstractmethod
    def edit(self, world: World, lines: Sequence[str]) -> list[Move]:
        """Return the moves in the open file, before it is saved."""

    def touched(self, world: World) -> Sequence[str]:
        return (self.path(world),)

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        old, new = text_of(before, self.path(world)), text_of(after, self.path(world))
        return edited(old, new, self.wanted(world, old.lines))

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        path = self.path(world)
        lines = text_of(before, path).lines
        if self.wanted(world, lines) == list(lines):
            raise InvalidConfiguration(f"{world.id}: nothing in {path} would change")
        return [*open_file(path), *self.edit(world, lines), *save(path)]


def shown(path: str) -> str:
    """Return a path as it is written in instructions."""
    return path.removeprefix("~/")


def edited(old: TextFile, new: TextFile, wanted: Sequence[str]) -> list[Check]:
    """Check that a text was edited as expected, change by change, and is otherwise unchanged."""
    differences = difference("\n".join(wanted), "\n".join(new.lines))
    exact = holds("the text is exactly as asked", list(new.lines) == list(wanted),
                  expected="no difference", found=list(differences), weight=3.0)  # fmt: skip
    return [exact, *_parts(old.lines, wanted, new.lines), untouched_lines(old.lines, wanted, new.lines),
            same_form(old, new)]  # fmt: skip


def untouched_lines(old: Sequence[str], wanted: Sequence[str], new: Sequence[str]) -> Check:
    """Guard that unchanged lines are kept, and no unexpected lines were added."""
    stay, there = Counter(old) & Counter(wanted), Counter(new)
    lost = list((stay - there).elements())
    foreign = list((there - (Counter(old) | Counter(wanted))).elements())
    return unchanged("the other lines are as they were", {}, {f"lost: {line}": 1 for line in lost}
                     | {f"new: {line}": 1 for line in foreign})  # fmt: skip


def same_form(old: TextFile, new: TextFile, **asked: Any) -> Check:
    """Guard encoding, byte order mark, line ends and final newline, except for what the task changes."""
    before, after = form_of(old), form_of(new)
    return unchanged("the file is written as before", before, after, allowed=tuple(asked))


def form_of(file: TextFile) -> Mapping[str, Any]:
    """Return how a text is stored; plain ASCII counts as UTF-8."""
    encoding = "utf-8" if file.encoding == "ascii" else file.encoding
    return {"encoding": encoding, "bom": file.bom, "line_end": file.line_end, "final_newline": file.final_newline}


def new_text(file: TextFile, wanted: Sequence[str]) -> list[Check]:
    """Check that a new file has these lines, as UTF-8 with LF and a final newline."""
    differences = difference("\n".join(wanted), "\n".join(file.lines))
    exact = holds("the text is exactly as asked", list(file.lines) == list(wanted),
                  expected="no difference", found=list(differences), weight=3.0)  # fmt: skip
    spots = sorted({0, len(wanted) // 3, 2 * len(wanted) // 3, len(wanted) - 1})
    lines = [equal(f"line {spot + 1}", wanted[spot], file.lines[spot] if spot < len(file.lines) else None)
             for spot in spots]  # fmt: skip
    form = {"encoding": "utf-8", "bom": False, "line_end": "lf", "final_newline": True}
    return [exact, *lines, equal("the number of lines", len(wanted), len(file.lines)),
            equal("it is UTF-8 text with line breaks (LF) after every line", form, dict(form_of(file)))]  # fmt: skip


def _parts(old: Sequence[str], wanted: Sequence[str], new: Sequence[str]) -> list[Check]:
    """Some of the changes, each with a line of context, so that parts of the work count."""
    changes = [op for op in SequenceMatcher(None, old, wanted, autojunk=False).get_opcodes() if op[0] != "equal"]
    blocks = [(start, tuple(wanted[max(start - 1, 0) : end + 1])) for _, _, _, start, end in changes]
    blocks = [(start, block) for start, block in blocks if not _holds(old, block)]
    step = max(1, -(-len(blocks) // MOST_PARTS))
    return [
        holds(
            f"a change near line {start + 1} is made", _holds(new, block), expected=block, found=new[start : start + 3]
        )
        for start, block in blocks[::step]
    ]


def _holds(lines: Sequence[str], block: tuple[str, ...]) -> bool:
    return any(tuple(lines[start : start + len(block)]) == block for start in range(len(lines) - len(block) + 1))
