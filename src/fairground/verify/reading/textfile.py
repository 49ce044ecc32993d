"""Reading plain text: encoding, line ends, indentation, and differences between two texts."""

from __future__ import annotations

import codecs
import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from fairground.core import StateError

MAX_SIZE = 16 << 20
MAX_LINES = 500_000
MAX_COMPARED = 2_000

LineEnd: TypeAlias = Literal["none", "lf", "crlf", "cr", "mixed"]
_WHAT = "text"


@dataclass(frozen=True)
class TextFile:
    """A text file, with its lines separated by newlines, whatever the file uses.

    Attributes:
        text: The whole text, without its byte order mark.
        encoding: `ascii`, `utf-8`, `utf-16-le`, `utf-16-be`, or the declared one.
        line_end: The line ends of the file; `none` for a single line without an end.
        final_newline: Whether the last line ends with a newline.
    """

    text: str
    encoding: str
    bom: bool
    line_end: LineEnd
    final_newline: bool

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines without their ends. There is no line after a final newline."""
        return tuple(self.text.removesuffix("\n").split("\n")) if self.text else ()

    @property
    def words(self) -> tuple[str, ...]:
        """The parts between white space."""
        return tuple(self.text.split())

    @property
    def indentation(self) -> Literal["none", "tabs", "spaces", "mixed"]:
        """How lines are indented."""
        return _indentation(self.lines)

    @property
    def trailing_space(self) -> tuple[int, ...]:
        """Numbers (from 1) of the lines that end in spaces or tabs."""
        return tuple(number for number, line in enumerate(self.lines, 1) if line.endswith((" ", "\t")))

    def to_json(self) -> dict[str, object]:
        """Everything, with the lines as a list."""
        return {
            "lines": list(self.lines),
            "encoding": self.encoding,
            "bom": self.bom,
            "line_end": self.line_end,
            "final_newline": self.final_newline,
            "indentation": self.indentation,
            "words": len(self.words),
        }


def read_text(data: bytes, *, encoding: str | None = None, what: str = _WHAT) -> TextFile:
    """Decode a text file.

    Args:
        data: The file.
        encoding: `utf-8`, `utf-16-le`, `utf-16-be`, `latin-1` or `cp1252`, if known. Otherwise a byte order mark
            decides, and a file without one must be UTF-8.
        what: Name of the file in errors.

    Raises:
        StateError: It is not text in that encoding (a NUL counts as binary), or is over a limit.
    """
    if len(data) > MAX_SIZE:
        raise StateError(f"{what}: {len(data)} bytes, expected at most {MAX_SIZE}")
    marked = next((name for mark, name in _MARKS.items() if data.startswith(mark)), None)
    if encoding is not None and encoding not in _DECLARED:
        raise StateError(f"{what}: the encoding {encoding[:40]!r} is not one of {', '.join(_DECLARED)}")
    if marked and encoding not in (None, marked):
        raise StateError(f"{what}: it is marked as {marked}, expected {encoding}")
    name = marked or encoding or "utf-8"
    body = data[len(_MARK_OF[marked]) :] if marked else data
    try:
        text = body.decode(name)
    except UnicodeDecodeError as error:
        raise StateError(f"{what}: not {name}: {error.reason} at byte {error.start}") from None
    if "\0" in text:
        raise StateError(f"{what}: a NUL in it: binary, or UTF-16 without its mark")
    if name == "utf-8" and text.isascii() and not marked:
        name = "ascii"
    line_end = _line_end(text)
    # Only the three line ends count: form feeds and Unicode separators are part of a line.
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.count("\n") > MAX_LINES:
        raise StateError(f"{what}: more than {MAX_LINES} lines")
    return TextFile(text, name, bool(marked), line_end, text.endswith("\n"))


def difference(before: str, after: str, *, context: int = 0, most: int = MAX_COMPARED) -> tuple[str, ...]:
    """Return the lines of a unified diff without its file names.

    Raises:
        StateError: There are more than `most` lines between the first and the last differing line.
    """
    old, new = before.split("\n"), after.split("\n")
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    if max(len(old), len(new)) - start - end > most:
        raise StateError(f"{_WHAT}: more than {most} lines between the first and the last that differ")
    # Lines far from any difference only cost time; near ones are context, and needed for the line numbers.
    skipped = max(0, start - context)
    skipped_at_end = max(0, end - context)
    lines = difflib.unified_diff(
        old[skipped : len(old) - skipped_at_end],
        new[skipped : len(new) - skipped_at_end],
        n=context,
        lineterm="",
        fromfile="",
        tofile="",
    )
    return tuple(_shifted(line, skipped) for line in list(lines)[2:])


def leaves(file: TextFile) -> dict[str, object]:
    """Each line, and the encoding, byte order mark and line ends."""
    result: dict[str, object] = {f"line[{number}]": line for number, line in enumerate(file.lines, 1)}
    return result | {
        "encoding": file.encoding,
        "bom": file.bom,
        "line_end": file.line_end,
        "final_newline": file.final_newline,
    }


_MARKS: Mapping[bytes, str] = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
_MARK_OF = {name: mark for mark, name in _MARKS.items()}
_DECLARED = ("utf-8", "utf-16-le", "utf-16-be", "latin-1", "cp1252")


def _line_end(text: str) -> LineEnd:
    pairs = text.count("\r\n")
    kinds: dict[LineEnd, int] = {"crlf": pairs, "lf": text.count("\n") - pairs, "cr": text.count("\r") - pairs}
    used = [kind for kind, count in kinds.items() if count]
    return "none" if not used else used[0] if len(used) == 1 else "mixed"


def _indentation(lines: tuple[str, ...]) -> Literal["none", "tabs", "spaces", "mixed"]:
    starts = {line[0] for line in lines if line[:1] in (" ", "\t") and line.strip()}
    if len(starts) == 2:
        return "mixed"
    return "none" if not starts else "tabs" if "\t" in starts else "spaces"


def _shifted(line: str, by: int) -> str:
    if not line.startswith("@@ "):
        return line
    return re.sub(r"([-+])(\d+)", lambda match: f"{match[1]}{int(match[2]) + by}", line)
