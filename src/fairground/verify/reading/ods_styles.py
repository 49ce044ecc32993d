"""How cells of an OpenDocument spreadsheet look: bold, number format, hidden sheets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from fairground.verify.reading.workbook import GENERAL, NumberFormat

_SPACE = "urn:oasis:names:tc:opendocument:xmlns:"
_NAMESPACES = {
    "office": f"{{{_SPACE}office:1.0}}",
    "table": f"{{{_SPACE}table:1.0}}",
    "text": f"{{{_SPACE}text:1.0}}",
    "style": f"{{{_SPACE}style:1.0}}",
    "number": f"{{{_SPACE}datastyle:1.0}}",
    "fo": f"{{{_SPACE}xsl-fo-compatible:1.0}}",
}
MAX_PARENTS = 20  # of a style; more is a cycle


def tag(space: str, name: str) -> str:
    """A qualified name as the parser writes it."""
    return _NAMESPACES[space] + name


def table(name: str) -> str:
    """A qualified name of the table namespace."""
    return _NAMESPACES["table"] + name


@dataclass(frozen=True)
class _Style:
    parent: str | None
    bold: bool | None
    format: str | None


class Styles:
    """The styles of a document by name."""

    def __init__(self, cells: dict[str, _Style], formats: dict[str, NumberFormat], hidden: frozenset[str]) -> None:
        self._cells = cells
        self._formats = formats
        self._hidden = hidden
        self._known: dict[str | None, tuple[bool, NumberFormat]] = {None: (False, GENERAL)}

    def cell(self, name: str | None) -> tuple[bool, NumberFormat]:
        """Whether a cell of this style is bold, and how it shows numbers."""
        if name not in self._known:
            chain = list(self._chain(name))
            bold = next((style.bold for style in chain if style.bold is not None), False)
            shown = next((style.format for style in chain if style.format is not None), None)
            self._known[name] = (bold, self._formats.get(shown or "", GENERAL))
        return self._known[name]

    def sheet_is_visible(self, name: str | None) -> bool:
        """Whether a sheet of this style is shown."""
        return name not in self._hidden

    def _chain(self, name: str | None) -> Iterator[_Style]:
        for _ in range(MAX_PARENTS):
            if name is None or name not in self._cells:
                return
            yield self._cells[name]
            name = self._cells[name].parent


def read_styles(*documents: Element | None) -> Styles:
    """Gathers the styles of `styles.xml` and `content.xml`; a later document wins."""
    cells: dict[str, _Style] = {}
    formats: dict[str, NumberFormat] = {}
    hidden: set[str] = set()
    for document in documents:
        if document is None:
            continue
        for group in (tag("office", "styles"), tag("office", "automatic-styles")):
            for element in document.findall(f"{group}/*"):
                name = element.get(tag("style", "name"), "")
                family = element.get(tag("style", "family"))
                if element.tag in _FORMATS:
                    formats[name] = _format(element)
                elif element.tag == tag("style", "style") and family == "table-cell":
                    cells[name] = _style(element)
                elif element.tag == tag("style", "style") and family == "table":
                    properties = element.find(tag("style", "table-properties"))
                    if properties is not None and properties.get(table("display")) == "false":
                        hidden.add(name)
    return Styles(cells, formats, frozenset(hidden))


def _style(element: Element) -> _Style:
    properties = element.find(tag("style", "text-properties"))
    weight = None if properties is None else properties.get(tag("fo", "font-weight"))
    bold = None if weight is None else weight == "bold" or (weight.isdigit() and len(weight) < 5 and int(weight) >= 600)
    return _Style(element.get(tag("style", "parent-style-name")), bold, element.get(tag("style", "data-style-name")))


_FORMATS = {
    tag("number", "number-style"): "number",
    tag("number", "currency-style"): "currency",
    tag("number", "percentage-style"): "percentage",
    tag("number", "date-style"): "date",
    tag("number", "time-style"): "time",
    tag("number", "boolean-style"): "bool",
    tag("number", "text-style"): "text",
}


def _format(element: Element) -> NumberFormat:
    kind = _FORMATS[element.tag]
    number = element.find(tag("number", "number"))
    if number is None:
        return NumberFormat(kind if kind != "number" else "other")  # type: ignore[arg-type]
    places = number.get(tag("number", "decimal-places"), "")
    decimals = int(places) if re.fullmatch(r"[0-9]{1,2}", places) else None
    if kind == "number" and decimals is None:
        return GENERAL
    symbol = element.findtext(tag("number", "currency-symbol")) or ""
    grouped = number.get(tag("number", "grouping")) == "true"
    return NumberFormat(kind, decimals, grouped, symbol[:20])  # type: ignore[arg-type]
