"""The text of paragraphs in OpenDocument files, grouped into runs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Protocol
from xml.etree.ElementTree import Element

from fairground.verify.reading.marked_text import MarkedText
from fairground.verify.reading.odf import get
from fairground.verify.reading.odf_styles import Base, Styles
from fairground.verify.reading.prose import Budget, Look, Run, RunBuilder, run_with


@dataclass(frozen=True)
class Around:
    """The surroundings of a paragraph."""

    section: str = ""
    list_style: str = ""
    list_level: int = 0
    bullet: bool = False
    base: Base | None = None
    base_key: str = ""


class Looks(Protocol):
    """Resolves the look of text: the reader of the text around it."""

    styles: Styles
    budget: Budget

    @property
    def inserting(self) -> bool:
        """Whether the current text is a tracked insertion."""

    def looks(self, paragraph: str, spans: tuple[str, ...], around: Around) -> tuple[Look, ...]:
        """The look of text in spans of a paragraph, by script type."""


class Pieces:
    """The text of a paragraph, grouped into runs. White space is handled as the format defines it."""

    def __init__(self, reader: Looks, paragraph: str, around: Around, said: MarkedText) -> None:
        self._reader, self._paragraph, self._around, self._said = reader, paragraph, around, said
        self._runs = RunBuilder(reader.budget)
        self._space = [True]  # whether the last character was a space that absorbs the next; shared by spans
        self._spans: tuple[str, ...] = ()
        self._style = ""
        self.link = self.field = ""

    def span(self, style: str) -> Pieces:
        """The same paragraph, in a nested span."""
        inner = Pieces.__new__(Pieces)
        inner.__dict__.update(self.__dict__)
        if style:
            inner._spans = (*self._spans, style)
            inner._style = self._reader.styles.shown("text", style) or self._style
        return inner

    def add(self, text: str) -> None:
        """Add text. Consecutive spaces and line ends become one space."""
        text = re.sub(r"[ \t\r\n]+", " ", text)
        if self._space[0]:
            text = text.removeprefix(" ")
        if text:
            self.exactly(text)
            self._space[0] = text.endswith(" ")

    def exactly(self, text: str) -> None:
        """Add text as it is."""
        self._space[0] = False
        self._said.say(text)
        first, *alternatives = self._templates()
        self._runs.add(first, text, *alternatives)

    def mark_empty_field(self) -> None:
        """Record a field that shows nothing yet."""
        if self._runs.last_field != self.field:
            self._runs.add(self._templates()[0], "")

    def finish(self) -> tuple[Run, ...]:
        """Return the runs."""
        return self._runs.finish()

    def _templates(self) -> list[Run]:
        inserted = self._reader.inserting
        return [
            run_with(look, style=self._style, link=self.link, field=self.field, inserted=inserted)
            for look in self._reader.looks(self._paragraph, self._spans, self._around)
        ]


def field_name(element: Element, kind: str) -> str:
    """What a field shows."""
    name = _FIELDS.get(kind, kind.partition(":")[2])
    if name in ("date", "time") and get(element, "text:fixed") == "true":
        return f"{name}-fixed"
    return name[:60]


_FIELDS = {
    "text:author-name": "author",
    "text:bookmark-ref": "reference",
    "text:reference-ref": "reference",
    "text:note-ref": "reference",
    "text:sequence-ref": "reference",
}
