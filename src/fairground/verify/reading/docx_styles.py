"""Styles and lists of Word documents (.docx), resolved from defaults, parents and direct formatting."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any, Literal
from xml.etree.ElementTree import Element

from fairground.verify.reading.document import NamedStyle
from fairground.verify.reading.ooxml import TWIPS, Package, colour, is_on, millimetres, path, short, tag, whole
from fairground.verify.reading.prose import Alignment, Layout, Look

MAX_PARENTS = 30  # maximum parents of a style; more means a cycle
Properties = dict[str, Any]


@dataclass(frozen=True)
class Style:
    """One style as written."""

    name: str
    kind: str
    parent: str
    text: Properties
    paragraph: Properties


class Styles:
    """The styles, lists and theme fonts of a document."""

    def __init__(self, package: Package, main: str) -> None:
        self._fonts = _theme_fonts(package, main)
        self._styles: dict[str, Style] = {}
        self._known: dict[tuple[str, str], Properties] = {}
        self._text: Properties = {}
        self._paragraph: Properties = {}
        self.default = ""
        part = package.related(main, "styles")
        root = package.archive.xml(part) if part else Element("none")
        defaults = root.find(tag("w:docDefaults"))
        if defaults is not None:
            self._text = self.text_properties(defaults.find(path("w:rPrDefault/w:rPr")))
            self._paragraph = paragraph_properties(defaults.find(path("w:pPrDefault/w:pPr")))
        for element in root.iterfind(tag("w:style")):
            name = element.get(tag("w:styleId"), "")
            self._styles[name] = self._style(element)
            if element.get(tag("w:type")) == "paragraph" and element.get(tag("w:default")) in ("1", "true"):
                self.default = name
        if not self.default and "Normal" in self._styles:
            self.default = "Normal"
        self._lists = _lists(package, main)

    def shown(self, name: str) -> str:
        """The display name."""
        return self._styles[name].name if name in self._styles else ""

    def text(self, paragraph: str, character: str, direct: Properties) -> tuple[Look, ...]:
        """The look of Western, Asian and complex scripts; only one if they are the same."""
        merged = {**self._text, **self._merged(paragraph, "text"), **self._merged(character, "text"), **direct}
        western = _look(merged)
        complex_script = {name: merged.get(f"{name}_complex", False) for name in ("bold", "italic")}
        unlike = replace(western, **complex_script)
        return (western,) if unlike == western else (western, western, unlike)

    def paragraph(self, name: str, direct: Properties) -> Properties:
        """The effective properties of a paragraph."""
        return {**self._paragraph, **self._merged(name, "paragraph"), **direct}

    def list_level(self, number: str, level: int) -> tuple[Literal["", "bullet", "number"], str]:
        """The label of paragraphs at a list level."""
        return self._lists.get(number, {}).get(level, ("", ""))

    def named(self) -> tuple[NamedStyle, ...]:
        """The paragraph and character styles, with everything that they inherit."""
        named_styles = []
        for name, style in self._styles.items():
            parent = self.shown(style.parent)
            if style.kind == "paragraph":
                setting = layout(self.paragraph(name, {}))
                named_styles.append(NamedStyle(style.name, "paragraph", parent, self.text(name, "", {})[0], setting))
            elif style.kind == "character":
                named_styles.append(NamedStyle(style.name, "character", parent, _look(self._merged(name, "text"))))
        return tuple(named_styles)

    def text_properties(self, element: Element | None) -> Properties:
        """The properties in a `w:rPr`."""
        properties: Properties = {}
        for child in [] if element is None else element:
            value = child.get(tag("w:val"))
            match short(child):
                case "w:b":
                    properties["bold"] = is_on(value)
                case "w:i":
                    properties["italic"] = is_on(value)
                case "w:bCs":
                    properties["bold_complex"] = is_on(value)
                case "w:iCs":
                    properties["italic_complex"] = is_on(value)
                case "w:u":
                    properties["underline"] = is_on(value)
                case "w:strike" | "w:dstrike":
                    properties["strike"] = is_on(value) or properties.get("strike", False)
                case "w:color":
                    properties["colour"] = colour(value)
                case "w:highlight":
                    properties["highlight"] = _HIGHLIGHTS.get(value or "", "")
                case "w:shd":
                    properties.setdefault("highlight", colour(child.get(tag("w:fill"))))
                case "w:rFonts":
                    font = child.get(tag("w:ascii")) or self._fonts.get(child.get(tag("w:asciiTheme"), ""), "")
                    if font:
                        properties["font"] = font[:200]
                case "w:sz":
                    properties["size"] = whole(value, 0, 10_000) / 2
                case "w:vertAlign":
                    properties["script"] = {"superscript": "super", "subscript": "sub"}.get(value or "", "")
                case "w:position" if re.fullmatch("-?[0-9]{1,6}", value or ""):
                    raised = int(value or "0")
                    properties["script"] = "super" if raised > 0 else "sub" if raised < 0 else ""
                case "w:caps":
                    properties["caps"] = "upper" if is_on(value) else ""
                case "w:smallCaps":
                    properties["caps"] = "small" if is_on(value) else ""
                case "w:vanish":
                    properties["hidden"] = is_on(value)
                case "w:lang" if value:
                    properties["language"] = value[:20]
        return properties

    def _style(self, element: Element) -> Style:
        name = element.find(tag("w:name"))
        parent = element.find(tag("w:basedOn"))
        shown = "" if name is None else name.get(tag("w:val"), "")
        return Style(
            _NAMES.get(shown.lower(), shown)[:200],
            element.get(tag("w:type"), ""),
            "" if parent is None else parent.get(tag("w:val"), ""),
            self.text_properties(element.find(tag("w:rPr"))),
            paragraph_properties(element.find(tag("w:pPr"))),
        )

    def _merged(self, name: str, kind: Literal["text", "paragraph"]) -> Properties:
        if (name, kind) not in self._known:
            chain: list[Style] = []
            at = name
            while at in self._styles and len(chain) < MAX_PARENTS:
                chain.append(self._styles[at])
                at = self._styles[at].parent
            merged: Properties = {}
            for style in reversed(chain):
                merged.update(style.text if kind == "text" else style.paragraph)
            self._known[name, kind] = merged
        return self._known[name, kind]


def paragraph_properties(element: Element | None) -> Properties:
    """The properties in a `w:pPr`."""
    properties: Properties = {}
    for child in [] if element is None else element:
        value = child.get(tag("w:val"))
        match short(child):
            case "w:jc":
                properties["alignment"] = _ALIGNMENTS.get(value or "", "left")
            case "w:spacing":
                properties |= _spacing(child)
            case "w:ind":
                properties |= _indents(child)
            case "w:keepNext":
                properties["keep_with_next"] = is_on(value)
            case "w:shd":
                properties["background"] = colour(child.get(tag("w:fill")))
            case "w:pBdr":
                properties["borders"] = any(side.get(tag("w:val")) not in (None, "none", "nil") for side in child)
            case "w:tabs":
                properties["tabs"] = tuple(
                    f"{stop.get(tag('w:val'), 'left')} {millimetres(stop.get(tag('w:pos')), TWIPS)}"
                    for stop in list(child)[:100]
                    if stop.get(tag("w:val")) not in ("clear", "num")
                )
            case "w:pageBreakBefore":
                properties["page_break"] = is_on(value)
            case "w:outlineLvl":
                level = whole(value, 9)
                properties["heading"] = level + 1 if level < 9 else 0
            case "w:numPr":
                for part in child:
                    key = {"w:ilvl": "list_level", "w:numId": "list"}.get(short(part))
                    if key:
                        properties[key] = part.get(tag("w:val"), "")
    return properties


def _look(properties: Properties) -> Look:
    return Look(**{name: value for name, value in properties.items() if not name.endswith("_complex")})


def layout(properties: Properties) -> Layout:
    """The layout of a paragraph with these properties."""
    return Layout(**{name: properties[name] for name in Layout.__dataclass_fields__ if name in properties})


def _spacing(element: Element) -> Properties:
    properties: Properties = {}
    for name, key in (("w:before", "above"), ("w:after", "below")):
        if element.get(tag(name)) is not None:
            properties[key] = millimetres(element.get(tag(name)), TWIPS)
    line = whole(element.get(tag("w:line")), 0, 100_000)
    if line:
        rule = element.get(tag("w:lineRule"), "auto")
        words = {"exact": f"{line / 20:g}pt", "atLeast": f"at least {line / 20:g}pt"}
        properties["line_spacing"] = words.get(rule, f"{round(line / 2.4):g}%")
    return properties


def _indents(element: Element) -> Properties:
    properties: Properties = {}
    for key, names in (
        ("left", ("w:left", "w:start")),
        ("right", ("w:right", "w:end")),
        ("first_line", ("w:firstLine",)),
    ):
        for name in names:
            if element.get(tag(name)) is not None:
                properties[key] = millimetres(element.get(tag(name)), TWIPS)
    if element.get(tag("w:hanging")) is not None:
        properties["first_line"] = -millimetres(element.get(tag("w:hanging")), TWIPS) + 0.0
    return properties


def _lists(package: Package, main: str) -> dict[str, dict[int, tuple[Literal["", "bullet", "number"], str]]]:
    part = package.related(main, "numbering")
    if not part:
        return {}
    root = package.archive.xml(part)
    kinds = {}
    for element in root.iterfind(tag("w:abstractNum")):
        levels: dict[int, tuple[Literal["", "bullet", "number"], str]] = {}
        for level in element.findall(tag("w:lvl"))[:20]:
            how = level.find(tag("w:numFmt"))
            text = level.find(tag("w:lvlText"))
            how_name = "decimal" if how is None else how.get(tag("w:val"), "")
            place = whole(level.get(tag("w:ilvl")), 0, 20)
            if how_name == "bullet":
                char = "" if text is None else text.get(tag("w:val"), "")[:4]
                levels[place] = ("bullet", char.replace("\uf0b7", "•"))  # in the font Symbol
            elif how_name == "none":
                levels[place] = ("", "")
            else:
                levels[place] = ("number", _NUMBERS.get(how_name, how_name[:20]))
        kinds[element.get(tag("w:abstractNumId"), "")] = levels
    by_number = {}
    for element in root.iterfind(tag("w:num")):
        kind = element.find(tag("w:abstractNumId"))
        by_number[element.get(tag("w:numId"), "")] = kinds.get("" if kind is None else kind.get(tag("w:val"), ""), {})
    return by_number


def _theme_fonts(package: Package, main: str) -> dict[str, str]:
    part = package.related(main, "theme")
    if not part:
        return {}
    fonts = {}
    root = package.archive.xml(part)
    for kind in ("minor", "major"):
        latin = root.find(path(f"a:themeElements/a:fontScheme/a:{kind}Font/a:latin"))
        for name in (f"{kind}HAnsi", f"{kind}Ascii"):
            fonts[name] = "" if latin is None else latin.get("typeface", "")
    return fonts


_ALIGNMENTS: dict[str, Alignment] = {
    **{"left": "left", "start": "left", "right": "right", "end": "right"},
    **{"center": "center", "both": "justify", "distribute": "justify"},
}
_NUMBERS = {"decimal": "1", "lowerLetter": "a", "upperLetter": "A", "lowerRoman": "i", "upperRoman": "I"}
_HIGHLIGHTS = {
    **{"yellow": "#ffff00", "green": "#00ff00", "cyan": "#00ffff", "magenta": "#ff00ff", "blue": "#0000ff"},
    **{"red": "#ff0000", "darkBlue": "#000080", "darkCyan": "#008080", "darkGreen": "#008000"},
    **{"darkMagenta": "#800080", "darkRed": "#800000", "darkYellow": "#808000", "darkGray": "#808080"},
    **{"lightGray": "#c0c0c0", "black": "#000000", "white": "#ffffff"},
}
# Some styles have two names: Word's in the file, and the one that LibreOffice uses in its own files.
_NAMES = {
    "normal": "Standard",
    "body text": "Text body",
    "hyperlink": "Internet link",
    "footnote text": "Footnote",
    "endnote text": "Endnote",
    "quote": "Quotations",
    **{f"heading {level}": f"Heading {level}" for level in range(1, 11)},
    **{f"toc {level}": f"Contents {level}" for level in range(1, 11)},
    "toc heading": "Contents Heading",
    "caption": "Caption",
    "title": "Title",
    "subtitle": "Subtitle",
    "header": "Header",
    "footer": "Footer",
}
