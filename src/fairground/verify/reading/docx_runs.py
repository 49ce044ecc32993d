"""The text of paragraphs in Word documents (.docx), grouped into runs, with fields."""

from __future__ import annotations

import re
from typing import Any

from fairground.verify.reading.docx_styles import Properties, Styles
from fairground.verify.reading.marked_text import MarkedText
from fairground.verify.reading.prose import Budget, RunBuilder, run_with


class Pieces:
    """The text of a paragraph, grouped into runs."""

    def __init__(self, styles: Styles, budget: Budget, said: MarkedText, paragraph: str) -> None:
        self._styles, self._said, self._paragraph = styles, said, paragraph
        self.runs = RunBuilder(budget)
        self.link = self.field = ""
        self.inserted = self.break_before = self.break_after = self.column_break = False
        self._anything = False
        self._fields: list[list[str]] = []
        self._direct: tuple[str, Properties] = ("", {})

    def look(self, style: str, direct: Properties) -> None:
        """Set the look of the following text."""
        self._direct = (style, direct)

    def add(self, text: str) -> None:
        """Add text. Text between the start of a field and its result is not shown."""
        if not text or any(state[1] == "code" for state in self._fields):
            return
        style, direct = self._direct
        styles = self._styles
        field = next((field_name(state[0]) for state in self._fields), "") or self.field
        link = self.link or next((_linked(state[0]) for state in self._fields if _linked(state[0])), "")
        more: dict[str, Any] = {"link": link, "field": field, "inserted": self.inserted, "style": styles.shown(style)}
        first, *alternatives = (run_with(look, **more) for look in styles.text(self._paragraph, style, direct))
        self.runs.add(first, text, *alternatives)
        self._said.say(text)
        self._anything = True
        self.break_after = False

    def line_break(self, kind: str) -> None:
        """A line, page or column break."""
        if kind == "page":
            # The following text is on the next page: the rest of this paragraph, or the next paragraph.
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
        """The instruction of a field."""
        if self._fields and len(self._fields[-1][0]) < 1_000:
            self._fields[-1][0] += text[:1_000]


def field_name(instruction: str) -> str:
    """What a field shows. A formula is returned whole, with `=` before it."""
    words = instruction.split()
    if not words:
        return ""
    if words[0].startswith("="):
        return "=" + instruction.strip().removeprefix("=").strip()[:500]
    return _FIELDS.get(words[0].upper(), words[0].lower()[:40])


def _linked(instruction: str) -> str:
    match = re.match(r'\s*HYPERLINK(?:\s+"([^"]{1,4000})")?(?:\s+\\l\s+"([^"]{1,4000})")?', instruction)
    if match is None:
        return ""
    return (match[1] or "") + (f"#{match[2]}" if match[2] else "")


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
