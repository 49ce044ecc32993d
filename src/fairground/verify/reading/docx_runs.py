"""The letters of paragraphs in Word documents (.docx), gathered into runs; fields with them."""

from __future__ import annotations

import re
from typing import Any

from fairground.verify.reading.docx_styles import Properties, Styles
from fairground.verify.reading.marked_text import MarkedText
from fairground.verify.reading.prose import Budget, RunBuilder, run_with


class Pieces:
    """The letters of a paragraph, gathered into runs."""

    def __init__(self, styles: Styles, budget: Budget, said: MarkedText, paragraph: str) -> None:
        self._styles, self._said, self._paragraph = styles, said, paragraph
        self.runs = RunBuilder(budget)
        self.link = self.field = ""
        self.inserted = self.break_before = self.break_after = self.column_break = False
        self._anything = False
        self._fields: list[list[str]] = []
        self._direct: tuple[str, Properties] = ("", {})

    def look(self, style: str, direct: Properties) -> None:
        """Sets how the letters that follow look."""
        self._direct = (style, direct)

    def add(self, text: str) -> None:
        """Adds text as it is; what stands between the start of a field and its result is not shown."""
        if not text or any(state[1] == "code" for state in self._fields):
            return
        style, direct = self._direct
        styles = self._styles
        field = next((field_name(state[0]) for state in self._fields), "") or self.field
        link = self.link or next((_linked(state[0]) for state in self._fields if _linked(state[0])), "")
        more: dict[str, Any] = {"link": link, "field": field, "inserted": self.inserted, "style": styles.shown(style)}
        first, *others = (run_with(look, **more) for look in styles.text(self._paragraph, style, direct))
        self.runs.add(first, text, *others)
        self._said.say(text)
        self._anything = True
        self.break_after = False

    def line_break(self, kind: str) -> None:
        """A new line, or a new page or column."""
        if kind == "page":
            # What follows is on the next page: this paragraph's own text, or the next paragraph.
            self.break_before, self.break_after = (self.break_before, True) if self._anything else (True, False)
        elif kind == "column":
            self.column_break = True
        else:
            self.add("\n")

    def field_mark(self, kind: str) -> None:
        """The start of a field, of its result, or its end."""
        if kind == "begin" and len(self._fields) < 50:
            self._fields.append(["", "code"])
        elif kind == "separate" and self._fields:
            self._fields[-1][1] = "result"
        elif kind == "end" and self._fields:
            self._fields.pop()

    def instruction(self, text: str) -> None:
        """What a field is told to do."""
        if self._fields and len(self._fields[-1][0]) < 1_000:
            self._fields[-1][0] += text[:1_000]


def field_name(instruction: str) -> str:
    """What a field shows; a formula is given whole, with `=` before it."""
    words = instruction.split()
    if not words:
        return ""
    if words[0].startswith("="):
        return "=" + instruction.strip().removeprefix("=").strip()[:500]
    return _FIELDS.get(words[0].upper(), words[0].lower()[:40])


def _linked(instruction: str) -> str:
    found = re.match(r'\s*HYPERLINK(?:\s+"([^"]{1,4000})")?(?:\s+\\l\s+"([^"]{1,4000})")?', instruction)
    if found is None:
        return ""
    return (found[1] or "") + (f"#{found[2]}" if found[2] else "")


_FIELDS = {
    "PAGE": "page-number",
    "NUMPAGES": "page-count",
    "SECTIONPAGES": "page-count",
    "DATE": "date",
    "TIME": "time",
    "CREATEDATE": "creation-date",
    "SAVEDATE": "modification-date",
    "PRINTDATE": "print-date",
    "REF": "reference",
    "PAGEREF": "reference",
    "NOTEREF": "reference",
    "SEQ": "sequence",
    "FILENAME": "file-name",
    "NUMWORDS": "word-count",
    "NUMCHARS": "character-count",
    "HYPERLINK": "",
    "TOC": "",
}
