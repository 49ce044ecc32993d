"""How a text is stored: spaces, tabs, line ends, encodings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from fairground.core import Check, State
from fairground.verify import equal, holds, unchanged
from fairground.verify.reading.textfile import TextFile
from fairground.worlds import Move, Press, World
from fairground_desk.mousepad.app import workplace
from fairground_desk.mousepad.inspector import text_of
from fairground_desk.mousepad.scenarios.editing import EditTask, TextTask, same_form, shown
from fairground_desk.mousepad.scenarios.moves import (
    LINE_ENDS,
    convert,
    document,
    name_of,
    open_file,
    save,
    save_as,
    tab_size,
)


class StripSpaces(EditTask):
    """Remove trailing spaces and tabs."""

    name = "strip-spaces"
    instances = {"script": {"role": "code"}, "minutes": {"role": "notes"}, "tasks": {"role": "todo"}}

    def phrase(self, world: World) -> str:
        return (
            f"Some lines of {shown(self.path(world))} end in spaces. Take all spaces and tabs at the ends of lines out "
            "and leave everything else alone, indentation included. Save the file under its own name."
        )

    def wanted(self, world: World, lines: Sequence[str]) -> list[str]:
        return [line.rstrip(" \t") for line in lines]

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """Also check that no line has trailing whitespace."""
        left = text_of(after, self.path(world)).trailing_space
        check = holds("no line ends in spaces", not left, expected="none", found=left)
        return [*super().judge(world, before, after, answer), check]

    def edit(self, world: World, lines: Sequence[str]) -> list[Move]:
        return [Press("ctrl+a"), *convert("strip")]


class Indentation(EditTask):
    """Convert tabs to spaces, or spaces to tabs."""

    name = "indentation"
    instances = {
        "script-2": {"role": "code", "size": 2, "to": "spaces"},
        "script-4": {"role": "code", "size": 4, "to": "spaces"},
        "script-8": {"role": "code", "size": 8, "to": "spaces"},
        "shell-tabs": {"role": "shell", "size": 4, "to": "tabs"},
    }

    def phrase(self, world: World) -> str:
        size, path = world.parameters["size"], shown(self.path(world))
        if world.parameters["to"] == "spaces":
            asked = f"{path} is indented with tabs. Turn every tab at the beginning of a line into {size} spaces"
        else:
            asked = f"{path} is indented with {size} spaces a level. Indent it with one tab a level instead"
        return f"{asked}. Nothing else in it changes, not even spaces at the ends of lines. Save it under its own name."

    def wanted(self, world: World, lines: Sequence[str]) -> list[str]:
        size = int(world.parameters["size"])
        old, new = ("\t", " " * size) if world.parameters["to"] == "spaces" else (" " * size, "\t")
        return [_indented(line, old, new) for line in lines]

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """Also check the kind of indentation."""
        indentation = text_of(after, self.path(world)).indentation
        kind = equal("what it is indented with", world.parameters["to"], indentation)
        return [*super().judge(world, before, after, answer), kind]

    def edit(self, world: World, lines: Sequence[str]) -> list[Move]:
        what = "tabs to spaces" if world.parameters["to"] == "spaces" else "spaces to tabs"
        return [*tab_size(int(world.parameters["size"])), Press("ctrl+a"), *convert(what)]


class LineEnds(EditTask):
    """Convert line ends to those of another system."""

    name = "line-ends"
    instances = {
        "table-to-windows": {"role": "contacts", "end": "crlf"},
        "letter-to-windows": {"role": "letter", "end": "crlf"},
        "prices-to-unix": {"role": "dos", "end": "lf"},
        "tasks-to-windows": {"role": "todo", "end": "crlf"},
    }

    def phrase(self, world: World) -> str:
        system = "Windows (CR LF)" if world.parameters["end"] == "crlf" else "Unix (LF)"
        return (
            f"Give {shown(self.path(world))} the line endings of {system} throughout and save it under its own name. "
            "The text itself stays exactly as it is."
        )

    def wanted(self, world: World, lines: Sequence[str]) -> list[str]:
        return list(lines)

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        path, end = self.path(world), str(world.parameters["end"])
        old, new = text_of(before, path), text_of(after, path)
        wanted = old.text.replace("\n", "\r\n" if end == "crlf" else "\n").encode()
        return [
            equal("line endings", end, new.line_end, weight=2.0),
            holds("the file is what it was, but for its line endings", after.file(path) == wanted,
                  expected=f"{len(wanted)} bytes", found=f"{len(after.file(path))} bytes"),
            *_said_the_same(old, new), same_form(old, new, line_end=end),
        ]  # fmt: skip

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        path = self.path(world)
        return [*open_file(path), *self.edit(world, ()), *save(path)]

    def edit(self, world: World, lines: Sequence[str]) -> list[Move]:
        return document("line ending", LINE_ENDS.index(str(world.parameters["end"])))


class Encoding(TextTask):
    """Convert a text from an older system to UTF-8, or add a byte order mark."""

    name = "encoding"
    instances = {
        "latin-copy": {"role": "latin", "how": "copy"},
        "latin-archive": {"role": "latin", "how": "archive"},
        "mark-table": {"role": "contacts", "how": "mark"},
        "mark-minutes": {"role": "notes", "how": "mark"},
    }

    def paths(self, world: World) -> tuple[str, str]:
        """Return the path to read, and the path to write."""
        path = workplace(world).path(str(world.parameters["role"]))
        if world.parameters["how"] == "mark":
            return path, path
        copy = path.replace(".txt", "-utf8.txt")
        return path, f"~/Documents/archive/{name_of(copy)}" if world.parameters["how"] == "archive" else copy

    def touched(self, world: World) -> Sequence[str]:
        return self.paths(world)[1:]

    def phrase(self, world: World) -> str:
        source, target = map(shown, self.paths(world))
        if world.parameters["how"] == "mark":
            return (
                f"Save {source} with a Unicode byte order mark, which a spreadsheet program needs to see that it is "
                "UTF-8. The text itself stays exactly as it is, and so does the name of the file."
            )
        return (
            f"{source} comes from an old system and is encoded in ISO-8859-1 (Latin-1). Save it in UTF-8 as {target}, "
            "without a byte order mark; every accented letter must survive, and the old file stays as it is."
        )

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        source, target = self.paths(world)
        is_latin = world.parameters["role"] == "latin"
        old, new = text_of(before, source, "latin-1" if is_latin else ""), text_of(after, target)
        asked: dict[str, Any] = {"encoding": "utf-8", "bom": world.parameters["how"] == "mark"}
        special = [line for line in old.lines if not line.isascii()]
        return [
            equal("encoding and mark", asked, {"encoding": new.encoding, "bom": new.bom}, weight=2.0),
            holds("every accented letter survived in it", new.bom is asked["bom"] and set(special) <= set(new.lines),
                  expected=special[:3], found=new.lines[:6]),
            *_said_the_same(old, new, scored=is_latin), same_form(old, new, **asked),
        ]  # fmt: skip

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """Open the file in its encoding, and save it as UTF-8. The byte order mark is an entry of the menu Document."""
        source, target = self.paths(world)
        if world.parameters["how"] == "mark":
            return [*open_file(source), *document("byte order mark"), *save(source)]
        return [*open_file(source, not_utf8=True), *save_as(target, to_utf8=True)]


def _said_the_same(old: TextFile, new: TextFile, *, scored: bool = False) -> list[Check]:
    same = holds("the text is the same", old.lines == new.lines, expected=len(old.lines), found=len(new.lines))
    lines = {f"line {number}": line for number, line in enumerate(old.lines, 1)}
    current = {f"line {number}": line for number, line in enumerate(new.lines, 1)}
    return [*([same] if scored else []), unchanged("every line is as it was", lines, current)]


def _indented(line: str, old: str, new: str) -> str:
    indent = re.match(rf"(?:{re.escape(old)})*", line)
    levels = len(indent[0]) // len(old) if indent else 0
    return new * levels + line[levels * len(old) :]
