"""The look of cells, columns and sheets of an OpenDocument spreadsheet."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias
from xml.etree.ElementTree import Element

from fairground.verify.reading.odf import length
from fairground.verify.reading.workbook import GENERAL, NumberFormat
from fairground.verify.reading.writing import ASIAN, COMPLEX, WESTERN, Writing

_SPACE = "urn:oasis:names:tc:opendocument:xmlns:"
_NAMESPACES = {
    "office": f"{{{_SPACE}office:1.0}}",
    "table": f"{{{_SPACE}table:1.0}}",
    "text": f"{{{_SPACE}text:1.0}}",
    "style": f"{{{_SPACE}style:1.0}}",
    "number": f"{{{_SPACE}datastyle:1.0}}",
    "fo": f"{{{_SPACE}xsl-fo-compatible:1.0}}",
}
MAX_PARENTS = 20  # maximum parents of a style; more means a cycle
USUAL_WIDTH = 23  # default width of a column, in millimetres


def tag(space: str, name: str) -> str:
    """A qualified name as the parser writes it."""
    return _NAMESPACES[space] + name


def table(name: str) -> str:
    """A qualified name in the table namespace."""
    return _NAMESPACES["table"] + name


@dataclass(frozen=True)
class Look:
    """The look of a cell."""

    bold: bool = False
    italic: bool = False
    colour: str = ""
    background: str = ""
    align: str = ""
    wrap: bool = False
    format: NumberFormat = GENERAL


@dataclass(frozen=True)
class SheetStyle:
    """The style of a whole sheet."""

    visible: bool = True
    tab_colour: str = ""
    page: str = "Default"


_Said: TypeAlias = str | tuple[str, Writing]  # a property that applies to all scripts, or to one kind of script


@dataclass(frozen=True)
class _Style:
    parent: str | None
    says: dict[_Said, Any]
    format: str | None


class Styles:
    """The styles of a document by name."""

    def __init__(self) -> None:
        self.cells: dict[str, _Style] = {}
        self.formats: dict[str, NumberFormat] = {}
        self.sheets: dict[str, SheetStyle] = {}
        self.widths: dict[str, int] = {}
        self._looks: dict[tuple[str | None, frozenset[Writing]], Look] = {}
        self._names: dict[str, str] = {}

    def cell(self, name: str | None, kinds: frozenset[Writing] = frozenset({WESTERN})) -> Look:
        """The look of a cell with this style. Bold and italic only if they apply to all these kinds of script."""
        key = (name, kinds)
        if key not in self._looks:
            chain = list(self._chain(name if name is not None else "Default"))
            merged: dict[_Said, Any] = {}
            for style in reversed(chain):
                merged.update(style.says)
            shown = next((style.format for style in chain if style.format is not None), None)
            plain = {what: value for what, value in merged.items() if isinstance(what, str)}
            for what in ("bold", "italic"):
                plain[what] = all(merged.get((what, kind), False) for kind in kinds)
            self._looks[key] = Look(**plain, format=self.formats.get(shown or "", GENERAL))
        return self._looks[key]

    def sheet(self, name: str | None) -> SheetStyle:
        """The properties of a sheet with this style."""
        return self.sheets.get(name or "", SheetStyle())

    def width(self, name: str | None) -> int:
        """Width of a column with this style, in millimetres."""
        return self.widths.get(name or "", USUAL_WIDTH)

    def named(self, shown: str) -> Look:
        """The look of a cell whose style has this display name."""
        return self.cell(self._names.get(shown, shown))

    def add(self, element: Element) -> None:
        """Add a style of a document."""
        name = element.get(tag("style", "name"), "")
        family = element.get(tag("style", "family"))
        if element.tag in _FORMATS:
            self.formats[name] = _format(element)
        elif element.tag != tag("style", "style"):
            return
        elif family == "table-cell":
            self.cells[name] = _style(element)
            self._names[element.get(tag("style", "display-name"), name)] = name
        elif family == "table":
            properties = element.find(tag("style", "table-properties"))
            attributes = {} if properties is None else properties.attrib
            colours = (value for key, value in attributes.items() if key.endswith("}tab-color"))
            self.sheets[name] = SheetStyle(
                visible=attributes.get(table("display")) != "false",
                tab_colour=_colour(next(colours, "")),
                page=element.get(tag("style", "master-page-name"), "Default"),
            )
        elif family == "table-column":
            properties = element.find(tag("style", "table-column-properties"))
            wide = length(properties.get(tag("style", "column-width"), "") if properties is not None else "", -1.0)
            if wide >= 0:
                self.widths[name] = round(wide)

    def _chain(self, name: str | None) -> Iterator[_Style]:
        for _ in range(MAX_PARENTS):
            if name is None or name not in self.cells:
                return
            yield self.cells[name]
            name = self.cells[name].parent


def read_styles(*documents: Element | None) -> Styles:
    """Collect the styles of `styles.xml` and `content.xml`. A later document wins."""
    styles = Styles()
    for document in documents:
        if document is None:
            continue
        for group in (tag("office", "styles"), tag("office", "automatic-styles")):
            for element in document.findall(f"{group}/*"):
                styles.add(element)
    return styles


def _style(element: Element) -> _Style:
    by_field: dict[_Said, Any] = {}
    for part, name, field, understand in _SAID:
        properties = element.find(tag("style", part))
        value = None if properties is None else properties.get(name)
        if value is not None:
            by_field[field] = understand(value)
    cell = element.find(tag("style", "table-cell-properties"))
    if cell is not None and cell.get(tag("style", "text-align-source")) == "value-type":
        by_field["align"] = ""
    return _Style(
        element.get(tag("style", "parent-style-name")), by_field, element.get(tag("style", "data-style-name"))
    )


def _is_italic(style: str) -> bool:
    return style in ("italic", "oblique")


def _is_bold(weight: str) -> bool:
    return weight == "bold" or (weight.isdigit() and len(weight) < 5 and int(weight) >= 600)


def _colour(text: str) -> str:
    return text.lower() if re.fullmatch(r"#[0-9A-Fa-f]{6}", text) else ""


def _ink(text: str) -> str:
    """A text colour; empty for black, which is the default."""
    return "" if _colour(text) == "#000000" else _colour(text)


def _alignment(text: str) -> str:
    return {"start": "left", "end": "right"}.get(text, text if text in ("left", "center", "right", "justify") else "")


_SAID: tuple[tuple[str, str, _Said, Callable[[str], Any]], ...] = (
    ("text-properties", tag("fo", "font-weight"), ("bold", WESTERN), _is_bold),
    ("text-properties", tag("style", "font-weight-asian"), ("bold", ASIAN), _is_bold),
    ("text-properties", tag("style", "font-weight-complex"), ("bold", COMPLEX), _is_bold),
    ("text-properties", tag("fo", "font-style"), ("italic", WESTERN), _is_italic),
    ("text-properties", tag("style", "font-style-asian"), ("italic", ASIAN), _is_italic),
    ("text-properties", tag("style", "font-style-complex"), ("italic", COMPLEX), _is_italic),
    ("text-properties", tag("fo", "color"), "colour", _ink),
    ("table-cell-properties", tag("fo", "background-color"), "background", _colour),
    ("table-cell-properties", tag("fo", "wrap-option"), "wrap", lambda text: text == "wrap"),
    ("paragraph-properties", tag("fo", "text-align"), "align", _alignment),
)


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
