"""Styles of OpenDocument texts and presentations, resolved from defaults, parents and direct formatting."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal
from xml.etree.ElementTree import Element

from fairground.verify.reading.odf import colour, get, length, names, percent, points, short, tag, whole
from fairground.verify.reading.prose import Alignment, Layout, Look

MAX_PARENTS = 30  # maximum parents of a style; more means a cycle
Properties = dict[str, str]
Base = Callable[[int], tuple[Properties, Properties]]
"""Text and paragraph properties that a shape gives to its paragraphs, by list level."""


@dataclass(frozen=True)
class Style:
    """One style as written, with its properties by group: `text`, `paragraph`, `graphic`, `drawing-page`, ..."""

    name: str
    display: str
    family: str
    parent: str
    list_style: str | None
    master: str
    automatic: bool
    outline: int
    groups: Mapping[str, Properties]


@dataclass(frozen=True)
class ListLevel:
    """The label of the paragraphs at one list level."""

    kind: Literal["", "bullet", "number"]
    format: str


class Styles:
    """The styles that apply in one part of a package.

    Names of automatic styles are local to each part: `P1` in the content is not `P1` in the headers.
    """

    def __init__(self, named: Element, automatic: Element) -> None:
        self._styles: dict[tuple[str, str], Style] = {}
        self._defaults: dict[str, Style] = {}
        self._lists: dict[str, dict[int, ListLevel]] = {}
        self._fonts: dict[str, str] = {}
        self._known: dict[tuple[str, str, str], Properties] = {}
        for root in (named, automatic):
            for face in root.iterfind(f"{tag('office:font-face-decls')}/{tag('style:font-face')}"):
                self._fonts[get(face, "style:name")] = _family(get(face, "svg:font-family"))
        for element in named.iterfind(f"{tag('office:styles')}/*"):
            self._add(element, automatic=False)
        for element in automatic.iterfind(f"{tag('office:automatic-styles')}/*"):
            self._add(element, automatic=True)

    def named(self, family: str) -> list[Style]:
        """The named styles of a family."""
        return [style for style in self._styles.values() if style.family == family and not style.automatic]

    def get(self, family: str, name: str) -> Style | None:
        """A style as written."""
        return self._styles.get((family, name))

    def shown(self, family: str, name: str) -> str:
        """The display name. For an automatic style, that of its first named ancestor."""
        for style in self._chain(family, name):
            if not style.automatic:
                return style.display
        return ""

    def list_style(self, family: str, name: str) -> str:
        """The list that the style puts its paragraphs in."""
        return next((s.list_style for s in self._chain(family, name) if s.list_style is not None), "")

    def outline(self, name: str) -> int:
        """Outline level of a paragraph style; 0 for none."""
        return next((style.outline for style in self._chain("paragraph", name) if style.outline >= 0), 0)

    def master(self, name: str) -> str:
        """The page style that starts with a paragraph of this style."""
        return next((style.master for style in self._chain("paragraph", name) if style.master), "")

    def list_level(self, name: str, level: int) -> ListLevel:
        """The label of paragraphs at a list level."""
        return self._lists.get(name, {}).get(level, ListLevel("", ""))

    def properties(self, family: str, name: str, group: str, *, default: bool = True) -> Properties:
        """The effective properties of a group."""
        key = (family, name, group if default else f"{group}?")
        if key not in self._known:
            merged: Properties = {}
            if default and family in self._defaults:
                merge(merged, self._defaults[family].groups.get(group, {}))
            for style in reversed(self._chain(family, name)):
                merge(merged, style.groups.get(group, {}))
            self._known[key] = merged
        return self._known[key]

    def looks(self, properties: Properties) -> tuple[Look, ...]:
        """The look of Western, Asian and complex scripts with these text properties; only one if they are the same."""
        western = self.look(properties)
        alternatives = tuple(
            replace(
                western,
                bold=_is_bold(properties.get(f"style:font-weight-{kind}", "")),
                italic=properties.get(f"style:font-style-{kind}", "") in ("italic", "oblique"),
            )
            for kind in ("asian", "complex")
        )
        return (western,) if alternatives == (western, western) else (western, *alternatives)

    def look(self, properties: Properties) -> Look:
        """The look of Western text with these text properties."""
        at = properties.get
        position = (at("style:text-position", "").split() or [""])[0]
        language, country = at("fo:language", ""), at("fo:country", "")
        return Look(
            bold=_is_bold(at("fo:font-weight", "")),
            italic=at("fo:font-style", "") in ("italic", "oblique"),
            underline=at("style:text-underline-style", "none") != "none",
            strike=at("style:text-line-through-style", "none") != "none"
            or at("style:text-line-through-type", "none") != "none",
            colour="" if at("style:use-window-font-color") == "true" else colour(at("fo:color", "")),
            highlight=colour(at("fo:background-color", "")),
            font=_family(at("fo:font-family", "")) or self._fonts.get(at("style:font-name", ""), ""),
            size=points(at("fo:font-size", "")),
            script=_script(position),
            caps="small" if at("fo:font-variant") == "small-caps" else _CAPS.get(at("fo:text-transform", ""), ""),
            hidden=at("text:display") == "none",
            language="" if language in ("", "none", "zxx") else "-".join(filter(None, (language, country))),
        )

    def _chain(self, family: str, name: str) -> list[Style]:
        chain: list[Style] = []
        while len(chain) < MAX_PARENTS and (style := self._styles.get((family, name))) is not None:
            chain.append(style)
            # Presentation styles can inherit from graphic styles.
            if not style.parent and family == "presentation":
                break
            name = style.parent
        return chain

    def _add(self, element: Element, *, automatic: bool) -> None:
        kind = short(element)
        name = get(element, "style:name")
        if kind == "style:default-style":
            family = get(element, "style:family")
            self._defaults[family] = self._style(element, family, automatic)
        elif kind == "style:style":
            family = get(element, "style:family")
            self._styles[family, name] = self._style(element, family, automatic)
        elif kind == "text:list-style":
            self._lists[name] = _levels(element)

    def _style(self, element: Element, family: str, automatic: bool) -> Style:
        groups: dict[str, Properties] = {}
        name = get(element, "style:name")
        for child in element:
            kind = short(child)
            if not kind.endswith("-properties"):
                continue
            group = kind.partition(":")[2].removesuffix("-properties")
            groups.setdefault(group, {}).update(self.written(child))
            inner = child.find(tag("text:list-style"))
            if inner is not None:
                self._lists[f"{family}/{name}"] = _levels(inner)
        list_style = element.get(tag("style:list-style-name"))
        outline = element.get(tag("style:default-outline-level"))
        return Style(
            name=name,
            display=get(element, "style:display-name") or name,
            family=family,
            parent=get(element, "style:parent-style-name"),
            list_style=list_style,
            master=get(element, "style:master-page-name"),
            automatic=automatic,
            outline=-1 if outline is None else whole(outline, 0, 10),
            groups=groups,
        )

    def written(self, element: Element) -> Properties:
        """Properties of one element, with shorthands expanded."""
        result = names(dict(element.attrib))
        if "fo:color" in result:
            result.setdefault("style:use-window-font-color", "false")
        if "style:font-name" in result and "fo:font-family" not in result:
            result["fo:font-family"] = self._fonts.get(result["style:font-name"], result["style:font-name"])
        for shorthand, sides in (("fo:margin", "fo:margin-{}"), ("fo:border", "fo:border-{}")):
            if shorthand in result:
                for side in ("top", "right", "bottom", "left"):
                    result.setdefault(sides.format(side), result[shorthand])
        columns = element.find(tag("style:columns"))
        if columns is not None:
            result["columns"] = get(columns, "fo:column-count", "1")
        stops = element.find(tag("style:tab-stops"))
        if stops is not None:
            result["tabs"] = "|".join(
                f"{get(stop, 'style:type', 'left')} {length(get(stop, 'style:position'))}" for stop in list(stops)[:100]
            )
        return result


def merge(into: Properties, more: Properties) -> None:
    """Override properties with others. Relative values, such as a size of `80%`, are resolved."""
    if any(name in more for name in _SPACINGS):
        for name in _SPACINGS:
            into.pop(name, None)
    for name, value in more.items():
        if name == "fo:font-size" and (share := percent(value)) is not None:
            below = points(into.get(name, ""))
            if below:
                into[name] = f"{below * share / 100:.1f}pt"
        elif name.startswith("fo:margin") and value.endswith("%"):
            continue
        else:
            into[name] = value


def layout(properties: Properties) -> Layout:
    """The layout of a paragraph with these properties."""
    at = properties.get
    return Layout(
        alignment=_ALIGNMENTS.get(at("fo:text-align", ""), "left"),
        line_spacing=_line_spacing(properties),
        left=length(at("fo:margin-left", "")),
        right=length(at("fo:margin-right", "")),
        first_line=length(at("fo:text-indent", "")),
        above=length(at("fo:margin-top", "")),
        below=length(at("fo:margin-bottom", "")),
        keep_with_next=at("fo:keep-with-next") == "always",
        background=colour(at("fo:background-color", "")),
        borders=bool(borders(properties)),
        tabs=tuple(filter(None, at("tabs", "").split("|"))),
    )


def borders(properties: Properties) -> tuple[str, ...]:
    """The sides that have a border."""
    return tuple(
        side
        for side in ("top", "right", "bottom", "left")
        if properties.get(f"fo:border-{side}", "none") not in ("none", "hidden", "")
    )


def _line_spacing(properties: Properties) -> str:
    at = properties.get
    for name, words in (("style:line-height-at-least", "at least "), ("style:line-spacing", "leading ")):
        if points(at(name, "")):
            return f"{words}{points(at(name, '')):g}pt"
    height = at("fo:line-height", "")
    share = percent(height)
    if share is not None:
        return f"{share:g}%"
    return f"{points(height):g}pt" if points(height) else "100%"


def _levels(element: Element) -> dict[int, ListLevel]:
    levels = {}
    for child in list(element)[:20]:
        kind = short(child)
        level = whole(get(child, "text:level"), 0)
        if kind == "text:list-level-style-number":
            how = get(child, "style:num-format")
            levels[level] = ListLevel("number" if how else "", how[:20])
        elif kind == "text:list-level-style-bullet":
            levels[level] = ListLevel("bullet", get(child, "text:bullet-char")[:4])
        elif kind == "text:list-level-style-image":
            levels[level] = ListLevel("bullet", "image")
    return levels


def _family(text: str) -> str:
    return text.split(";")[0].strip().strip("'\"")[:200]


def _script(position: str) -> Literal["", "super", "sub"]:
    raised = percent(position) or 0.0
    if position == "super" or raised > 0:
        return "super"
    return "sub" if position == "sub" or raised < 0 else ""


def _is_bold(weight: str) -> bool:
    return weight in ("bold", "bolder") or bool(re.fullmatch(r"[6-9]00", weight))


_SPACINGS = ("fo:line-height", "style:line-height-at-least", "style:line-spacing")
_ALIGNMENTS: dict[str, Alignment] = {
    "start": "left",
    "left": "left",
    "end": "right",
    "right": "right",
    "center": "center",
    "justify": "justify",
}
_CAPS: dict[str, Literal["upper", "lower", "title"]] = {
    "uppercase": "upper",
    "lowercase": "lower",
    "capitalize": "title",
}
