"""Reading OpenDocument texts (.odt), as written by LibreOffice Writer, or crafted by an attacker."""

from __future__ import annotations

from functools import lru_cache
from typing import Any
from xml.etree.ElementTree import Element

from fairground.verify.reading.document import Document, NamedStyle, PageStyle
from fairground.verify.reading.odf import Package, colour, get, length, open_package, read_metadata, short, tag, whole
from fairground.verify.reading.odf_drawing import read_shape
from fairground.verify.reading.odf_styles import Properties, Styles, borders, layout
from fairground.verify.reading.odf_table import read_table
from fairground.verify.reading.odf_text import TextReader
from fairground.verify.reading.prose import Budget, paragraphs_of

MIMETYPE = "application/vnd.oasis.opendocument.text"
_WHAT = "document (.odt)"


@lru_cache(maxsize=4)
def read_odt(data: bytes) -> Document:
    """Read a text document.

    Raises:
        StateError: It is not such a file, is damaged or encrypted, or is over a limit.
    """
    package = open_package(data, _WHAT, MIMETYPE, "office:text")
    budget = Budget(_WHAT)
    styles = Styles(package.styles, package.content)
    reader = TextReader(package, styles, budget, read_shape, read_table)
    body = reader.body(package.body)
    reader.end()
    tracked = package.body.find(tag("text:tracked-changes"))
    defaults = styles.look(styles.properties("paragraph", "", "text"))
    return Document(
        body=body,
        shapes=tuple(reader.shapes),
        notes=tuple(reader.notes),
        comments=tuple(reader.comments),
        bookmarks=tuple(reader.bookmarks),
        changes=reader.changes(),
        tracking=tracked is not None and get(tracked, "text:track-changes", "true") == "true",
        contents=tuple(reader.contents),
        sections=tuple(reader.sections),
        pages=_pages(package, styles, budget),
        styles=_named(styles),
        metadata=read_metadata(package),
        language=defaults.language,
    )


def _named(styles: Styles) -> tuple[NamedStyle, ...]:
    named_styles = []
    for style in styles.named("paragraph"):
        look = styles.look(styles.properties("paragraph", style.name, "text"))
        setting = layout(styles.properties("paragraph", style.name, "paragraph"))
        named_styles.append(
            NamedStyle(style.display, "paragraph", styles.shown("paragraph", style.parent), look, setting)
        )
    for style in styles.named("text"):
        look = styles.look(styles.properties("text", style.name, "text"))
        named_styles.append(NamedStyle(style.display, "character", styles.shown("text", style.parent), look))
    return tuple(named_styles)


def _pages(package: Package, body_styles: Styles, budget: Budget) -> tuple[PageStyle, ...]:
    """Page styles, that of the first page first."""
    styles = Styles(package.styles, package.styles)
    layouts = {
        get(element, "style:name"): element
        for element in package.styles.iterfind(f"{tag('office:automatic-styles')}/{tag('style:page-layout')}")
    }
    masters = package.styles.findall(f"{tag('office:master-styles')}/{tag('style:master-page')}")
    first, used = _used(package, body_styles, masters)
    page_styles = []
    for master in masters:
        reader = TextReader(package, styles, budget, read_shape, read_table)
        name = get(master, "style:name")
        page_layout = layouts.get(get(master, "style:page-layout-name"))
        page_styles.append((name != first, _page(master, page_layout, reader, name in used)))
    return tuple(page for _, page in sorted(page_styles, key=lambda pair: pair[0]))


def _used(package: Package, styles: Styles, masters: list[Element]) -> tuple[str, frozenset[str]]:
    """The style of the first page, and of all pages that the body can reach."""
    follow = {get(master, "style:name"): get(master, "style:next-style-name") for master in masters}
    first = "Standard"
    named = set()
    started = False
    for element in package.body.iter():
        if short(element) in ("text:p", "text:h"):
            master = styles.master(get(element, "text:style-name"))
        elif short(element) == "table:table":
            style = styles.get("table", get(element, "table:style-name"))
            master = "" if style is None else style.master
        else:
            continue
        if not started:
            first = master or first
            started = True
        if master:
            named.add(master)
    used: set[str] = set()
    waiting = [first, *named]
    while waiting:
        name = waiting.pop()
        if name and name not in used:
            used.add(name)
            waiting.append(follow.get(name, ""))
    return first, frozenset(used)


def _page(master: Element, page_layout: Element | None, reader: TextReader, used: bool) -> PageStyle:
    properties: Properties = {}
    if page_layout is not None:
        properties_element = page_layout.find(tag("style:page-layout-properties"))
        if properties_element is not None:
            properties = reader.styles.written(properties_element)
    parts: dict[str, Any] = {}
    for child in master:
        kind = short(child).removeprefix("style:").removeprefix("loext:")
        if kind in _PARTS and get(child, "style:display", "true") == "true":
            parts[_PARTS[kind]] = paragraphs_of(reader.blocks(child))
    at = properties.get
    return PageStyle(
        name=get(master, "style:display-name") or get(master, "style:name"),
        used=used,
        width=length(at("fo:page-width", "")),
        height=length(at("fo:page-height", "")),
        orientation="landscape" if at("style:print-orientation") == "landscape" else "portrait",
        margins=(
            length(at("fo:margin-top", "")),
            length(at("fo:margin-right", "")),
            length(at("fo:margin-bottom", "")),
            length(at("fo:margin-left", "")),
        ),
        columns=whole(at("columns", "1"), 1, 100),
        background=colour(at("fo:background-color", "")),
        borders=bool(borders(properties)),
        numbering=at("style:num-format", ""),
        shapes=tuple(reader.shapes),
        **parts,
    )


_PARTS = {
    "header": "header",
    "header-first": "header_first",
    "header-left": "header_left",
    "footer": "footer",
    "footer-first": "footer_first",
    "footer-left": "footer_left",
}
