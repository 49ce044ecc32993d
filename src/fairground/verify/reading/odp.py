"""Reading OpenDocument presentations (.odp), as written by LibreOffice Impress, or crafted by an attacker."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from xml.etree.ElementTree import Element

from fairground.core import StateError
from fairground.verify.reading.document import Comment
from fairground.verify.reading.odf import (
    Package,
    colour,
    flat_text,
    get,
    length,
    open_package,
    read_metadata,
    short,
    tag,
)
from fairground.verify.reading.odf_drawing import read_shape, shapes_of
from fairground.verify.reading.odf_styles import Properties, Styles
from fairground.verify.reading.odf_table import read_table
from fairground.verify.reading.odf_text import TextReader
from fairground.verify.reading.prose import Budget, Paragraph, Shape
from fairground.verify.reading.slides import Animation, Background, Deck, Master, Show, Slide, Transition

MIMETYPE = "application/vnd.oasis.opendocument.presentation"
MAX_SLIDES = 2_000
MAX_MASTERS = 200
MAX_EFFECTS = 5_000
_WHAT = "presentation (.odp)"
# As in the standard, and as LibreOffice writes them.
_REMARKS = (tag("office:annotation"), "{http://openoffice.org/2009/office}annotation")


@lru_cache(maxsize=4)
def read_odp(data: bytes) -> Deck:
    """Read a presentation.

    Raises:
        StateError: It is not such a file, is damaged or encrypted, or is over a limit.
    """
    package = open_package(data, _WHAT, MIMETYPE, "office:presentation")
    budget = Budget(_WHAT)
    reader = TextReader(package, Styles(package.styles, package.content), budget, read_shape, read_table)
    pages = package.body.findall(tag("draw:page"))
    if len(pages) > MAX_SLIDES:
        raise StateError(f"{_WHAT}: {len(pages)} slides, expected at most {MAX_SLIDES}")
    declared = _declarations(package.body)
    names = _slide_names(pages)
    masters = package.styles.findall(f"{tag('office:master-styles')}/{tag('style:master-page')}")
    if len(masters) > MAX_MASTERS:
        raise StateError(f"{_WHAT}: {len(masters)} masters, expected at most {MAX_MASTERS}")
    width, height = _size(package, masters, pages)
    return Deck(
        slides=tuple(_slide(page, name, reader, declared) for page, name in zip(pages, names, strict=True)),
        masters=tuple(_master(master, package, budget) for master in masters),
        width=width,
        height=height,
        show=_show(package.body),
        metadata=read_metadata(package),
    )


def _slide(page: Element, name: str, reader: TextReader, said: dict[tuple[str, str], str]) -> Slide:
    properties = reader.styles.properties("drawing-page", get(page, "draw:style-name"), "drawing-page")
    shapes = shapes_of(page, reader)

    def shown(kind: str) -> bool:
        return properties.get(f"presentation:display-{kind}") == "true"

    footer = said.get(("footer", get(page, "presentation:use-footer-name")), "")
    date = said.get(("date-time", get(page, "presentation:use-date-time-name")), "")
    return Slide(
        name=name,
        layout=_layout(get(page, "presentation:presentation-page-layout-name")),
        master=get(page, "draw:master-page-name").replace("_20_", " "),
        hidden=properties.get("presentation:visibility") == "hidden",
        shapes=shapes,
        notes=_notes(page, reader),
        background=_background(properties, reader.package),
        transition=_transition(page, properties),
        animations=_animations(page),
        footer=footer if shown("footer") else "",
        date=date if shown("date-time") else "",
        numbered=shown("page-number"),
        comments=tuple(_comment(element) for name in _REMARKS for element in page.iterfind(name)),
    )


def _comment(element: Element) -> Comment:
    lines = (flat_text(line) for line in element.iter(tag("text:p")))
    return Comment("\n".join(lines), element.findtext(tag("dc:creator")) or "")


def _slide_names(pages: list[Element]) -> list[str]:
    """The names of the slides. LibreOffice writes `page3` for an unnamed slide, and shows `Slide 3`."""
    slide_names = []
    for place, page in enumerate(pages, start=1):
        name = get(page, "draw:name")
        slide_names.append(f"Slide {place}" if name in ("", f"page{place}") else name)
    return slide_names


def _notes(page: Element, reader: TextReader) -> tuple[Paragraph, ...]:
    notes = page.find(tag("presentation:notes"))
    if notes is None:
        return ()
    shapes = [shape for shape in shapes_of(notes, reader) if shape.role == "notes"]
    return tuple(paragraph for shape in shapes if not shape.placeholder for paragraph in shape.paragraphs)


def _background(properties: Properties, package: Package) -> Background:
    fill = properties.get("draw:fill", "")
    if fill == "solid":
        return Background(colour(properties.get("draw:fill-color", "")))
    if fill == "bitmap":
        wanted = properties.get("draw:fill-image-name", "")
        for image in package.styles.iterfind(f"{tag('office:styles')}/{tag('draw:fill-image')}"):
            if get(image, "draw:name") == wanted:
                return Background("bitmap", package.picture(get(image, "xlink:href")))
    return Background(fill[:20])


def _transition(page: Element, properties: Properties) -> Transition:
    at = properties.get
    filters = next(page.iter(tag("anim:transitionFilter")), None)
    kind = at("smil:type", "") or at("presentation:transition-style", "")
    automatic = at("presentation:transition-type") == "automatic"
    return Transition(
        kind="" if kind == "none" else kind[:60],
        subtype=at("smil:subtype", "")[:60],
        duration=0.0 if filters is None else _seconds(get(filters, "smil:dur")),
        speed=at("presentation:transition-speed", "")[:20],
        advance=_seconds(at("presentation:duration", "")) if automatic else None,
        sound=page.find(f".//{tag('anim:audio')}") is not None,
    )


def _animations(page: Element) -> tuple[Animation, ...]:
    timing = page.find(tag("anim:par"))
    if timing is None:
        return ()
    names = dict(_targets(page))
    effects: list[Animation] = []
    for element in timing.iter():
        # The kind is given by the whole effect, not by its steps.
        kind = get(element, "presentation:preset-class")
        if not kind:
            continue
        if len(effects) >= MAX_EFFECTS:
            raise StateError(f"{_WHAT}: more than {MAX_EFFECTS} effects on a slide")
        inner = [part for part in element.iter() if get(part, "smil:targetElement")]
        target = get(inner[0], "smil:targetElement") if inner else ""
        effects.append(
            Animation(
                effect=get(element, "presentation:preset-id").removeprefix("ooo-")[:80],
                kind=kind[:40],
                target=names.get(target, ""),
                trigger=get(element, "presentation:node-type").replace("timing-root", "")[:40],
                duration=max((_seconds(get(part, "smil:dur")) for part in inner), default=0.0),
                delay=_seconds(get(element, "smil:begin")),
            )
        )
    return tuple(effects)


def _targets(page: Element) -> Iterator[tuple[str, str]]:
    """Names of the shapes that effects refer to. A paragraph is named by its text."""
    for element in page.iter():
        name = get(element, "draw:id") or element.get("{http://www.w3.org/XML/1998/namespace}id", "")
        if not name:
            continue
        if short(element) in ("text:p", "text:h"):
            yield name, "".join(element.itertext())[:200]
        else:
            kind = short(element).partition(":")[2]
            yield name, get(element, "draw:name") or get(element, "presentation:class") or kind


def _declarations(body: Element) -> dict[tuple[str, str], str]:
    """Footers and dates that slides refer to by name."""
    declared = {}
    for kind in ("footer", "date-time"):
        for element in body.findall(tag(f"presentation:{kind}-decl")):
            current = get(element, "presentation:source") == "current-date"
            declared[kind, get(element, "presentation:name")] = "<date>" if current else element.text or ""
    return declared


def _master(master: Element, package: Package, budget: Budget) -> Master:
    reader = TextReader(package, Styles(package.styles, package.styles), budget, read_shape, read_table)
    properties = reader.styles.properties("drawing-page", get(master, "draw:style-name"), "drawing-page")
    shapes: tuple[Shape, ...] = shapes_of(master, reader)
    name = get(master, "style:display-name") or get(master, "style:name")
    return Master(name=name, background=_background(properties, package), shapes=shapes)


def _size(package: Package, masters: list[Element], pages: list[Element]) -> tuple[float, float]:
    wanted = get(pages[0], "draw:master-page-name") if pages else ""
    layout = next((get(m, "style:page-layout-name") for m in masters if get(m, "style:name") == wanted), "")
    for element in package.styles.iterfind(f"{tag('office:automatic-styles')}/{tag('style:page-layout')}"):
        properties = element.find(tag("style:page-layout-properties"))
        if get(element, "style:name") == layout and properties is not None:
            return length(get(properties, "fo:page-width")), length(get(properties, "fo:page-height"))
    return 0.0, 0.0


def _show(body: Element) -> Show:
    settings = body.find(tag("presentation:settings"))
    if settings is None:
        return Show()
    custom = tuple(
        (get(show, "presentation:name"), tuple(filter(None, get(show, "presentation:pages").split(","))))
        for show in settings.iterfind(tag("presentation:show"))
    )
    return Show(
        endless=get(settings, "presentation:endless") == "true",
        pause=_seconds(get(settings, "presentation:pause")),
        full_screen=get(settings, "presentation:full-screen", "true") == "true",
        manual=get(settings, "presentation:force-manual") == "true",
        start=get(settings, "presentation:start-page") or get(settings, "presentation:show"),
        custom=custom,
    )


_DURATION = re.compile(
    r"P(?:([0-9]{1,6})D)?(?:T(?:([0-9]{1,6})H)?(?:([0-9]{1,6})M)?(?:([0-9]{1,6}(?:\.[0-9]{1,20})?)S)?)?"
)


def _seconds(text: str) -> float:
    """A duration such as `PT5S` or `1.5s` in seconds; 0 if it is not one."""
    simple = re.fullmatch(r"([0-9]{0,6}\.?[0-9]{1,20})s", text[:60])
    if simple is not None:
        return round(float(simple[1]), 3)
    match = _DURATION.fullmatch(text[:60])
    if match is None:
        return 0.0
    days, hours, minutes, seconds = (float(part or 0) for part in match.groups())
    return round(((days * 24 + hours) * 60 + minutes) * 60 + seconds, 3)


def _layout(name: str) -> str:
    """The layout that users choose in the side bar. Its number is the last part of the name."""
    match = re.fullmatch(r"AL[0-9]{1,6}T([0-9]{1,3})", name)
    if match is None:
        return "blank" if not name else name[:80]
    return _LAYOUTS.get(int(match[1]), f"layout {match[1]}")


_LAYOUTS = {
    0: "title slide",
    1: "title, content",
    3: "title, two contents",
    12: "title, content and two contents",
    14: "title, content over content",
    15: "title, two contents and content",
    16: "title, two contents over content",
    18: "title, four contents",
    19: "title only",
    20: "blank",
    32: "centered text",
}
