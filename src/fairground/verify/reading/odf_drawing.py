"""Shapes, pictures and charts in OpenDocument texts and presentations."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import unquote
from xml.etree.ElementTree import Element

from fairground.verify.reading.odf import colour, get, length, names, short, tag, tidy
from fairground.verify.reading.odf_chart import read_chart
from fairground.verify.reading.odf_runs import Around
from fairground.verify.reading.odf_styles import Properties, borders, merge
from fairground.verify.reading.odf_table import read_table
from fairground.verify.reading.odf_text import TextReader
from fairground.verify.reading.prose import Paragraph, Shape, Table, paragraphs_of, text_of


def read_shape(element: Element, reader: TextReader) -> Shape | None:
    """Read a shape with all its content; None for what is not drawn, such as glue points."""
    kind = short(element)
    if kind == "draw:a":
        inner = next((shape for child in element if (shape := read_shape(child, reader)) is not None), None)
        return None if inner is None else replace(inner, link=get(element, "xlink:href")[:5_000])
    if kind not in _KINDS:
        return None
    reader.budget.take("shapes")
    if kind in ("draw:g", "dr3d:scene"):
        children = tuple(shape for child in element if (shape := read_shape(child, reader)) is not None)
        return _finished(_boxed(Shape(kind="group", children=children, **_common(element))))
    style = _style(element, reader)
    shape = Shape(
        kind=_kind(element, kind),
        role=_ROLES.get(get(element, "presentation:class"), get(element, "presentation:class"))[:40],
        placeholder=get(element, "presentation:placeholder") == "true",
        **_common(element),
        **_place(element),
        **(_box_paint(style["graphic"]) if _in_text(element) else _paint(style["graphic"])),
        link=_link(element),
        anchor=get(element, "text:anchor-type"),
        wrap=style["graphic"].get("style:wrap", ""),
    )
    around = _around(element, reader, style)
    if kind == "draw:frame":
        return _finished(_frame(element, shape, reader, around, style["graphic"]))
    return _finished(replace(shape, paragraphs=_paragraphs(element, reader, around)))


def shapes_of(element: Element, reader: TextReader) -> tuple[Shape, ...]:
    """The shapes of a page."""
    return tuple(shape for child in element if (shape := read_shape(child, reader)) is not None)


def _frame(element: Element, shape: Shape, reader: TextReader, around: Around, graphic: Properties) -> Shape:
    """The content of a frame is its first child.

    The others are fallback pictures for programs that do not support it.
    """
    for child in element:
        kind = short(child)
        if kind == "draw:text-box":
            return replace(shape, kind="text", paragraphs=_paragraphs(child, reader, around))
        if kind == "draw:image":
            picture = reader.package.picture(get(child, "xlink:href"), graphic.get("fo:clip", ""))
            return replace(shape, kind="image", picture=picture)
        if kind == "table:table":
            table = read_table(child, reader, Around())
            return replace(shape, kind="table", table=table if isinstance(table, Table) else None)
        if kind in ("draw:object", "draw:object-ole"):
            name = unquote(get(child, "xlink:href")).removeprefix("./").removesuffix("/")
            chart = read_chart(reader.package, name) if kind == "draw:object" else None
            return replace(shape, kind="object" if chart is None else "chart", chart=chart)
        if kind == "draw:plugin":
            return replace(shape, kind="media", link=get(child, "xlink:href")[:5_000])
    return replace(shape, kind="text")


def _finished(shape: Shape) -> Shape:
    return replace(shape, text=text_of(shape))


def _paragraphs(element: Element, reader: TextReader, around: Around) -> tuple[Paragraph, ...]:
    paragraphs = paragraphs_of(reader.blocks(element, around))
    # A shape without text is written with one empty paragraph, or none.
    return () if len(paragraphs) == 1 and not paragraphs[0].runs else paragraphs


def _style(element: Element, reader: TextReader) -> dict[str, Properties]:
    """Graphic, paragraph and text properties of a shape."""
    name = get(element, "presentation:style-name")
    family = "presentation" if name else "graphic"
    name = name or get(element, "draw:style-name")
    properties: dict[str, Properties] = {}
    for group in ("graphic", "paragraph", "text"):
        merged = dict(reader.styles.properties("graphic", "", group))
        merge(merged, reader.styles.properties(family, name, group, default=family == "graphic"))
        properties[group] = merged
    return properties


def _around(element: Element, reader: TextReader, style: dict[str, Properties]) -> Around:
    if _in_text(element):
        return Around()  # a text box of the word processor: its paragraphs have their own styles
    extra = get(element, "draw:text-style-name")
    family = "presentation" if get(element, "presentation:style-name") else "graphic"
    name = get(element, "presentation:style-name") or get(element, "draw:style-name")
    parent = reader.styles.get(family, name)
    outline = re.fullmatch(r"(.*-outline)1", "" if parent is None else parent.parent or parent.name)

    def base(level: int) -> tuple[Properties, Properties]:
        text, setting = dict(style["text"]), dict(style["paragraph"])
        if outline is not None and level > 1:
            # The master has one style per level of an outline.
            deeper = f"{outline[1]}{min(level, 9)}"
            merge(text, reader.styles.properties("presentation", deeper, "text", default=False))
            merge(setting, reader.styles.properties("presentation", deeper, "paragraph", default=False))
        if extra:
            merge(text, reader.styles.properties("paragraph", extra, "text", default=False))
            merge(setting, reader.styles.properties("paragraph", extra, "paragraph", default=False))
        return text, setting

    return Around(base=base, base_key=f"{family} {name} {extra}")


def _common(element: Element) -> dict[str, Any]:
    return {
        "name": get(element, "draw:name"),
        "alt_title": element.findtext(tag("svg:title")) or "",
        "alt": element.findtext(tag("svg:desc")) or "",
    }


_TRANSFORM = re.compile(r"(rotate|translate|skewX|skewY|scale)\s*\(\s*([^()\s]{1,40})(?:\s+([^()\s]{1,40}))?\s*\)")


def _place(element: Element) -> dict[str, Any]:
    """The position of a shape, before rotation around its center."""
    if get(element, "svg:x1") or get(element, "svg:x2"):
        x1, y1, x2, y2 = (length(get(element, f"svg:{name}")) for name in ("x1", "y1", "x2", "y2"))
        return {"x": min(x1, x2), "y": min(y1, y2), "width": tidy(abs(x2 - x1)), "height": tidy(abs(y2 - y1))}
    width, height = length(get(element, "svg:width")), length(get(element, "svg:height"))
    x, y = length(get(element, "svg:x")), length(get(element, "svg:y"))
    angle = 0.0
    for kind, first, second in _TRANSFORM.findall(get(element, "draw:transform")[:1_000]):
        if kind == "rotate":
            angle += _radians(first)
        elif kind == "translate":
            x, y = x + length(first), y + length(second or "0cm")
    if angle:
        # The file rotates the shape around its corner; the result describes a rotation around its center.
        middle_x = x + (width * math.cos(angle) + height * math.sin(angle)) / 2
        middle_y = y + (height * math.cos(angle) - width * math.sin(angle)) / 2
        x, y = middle_x - width / 2, middle_y - height / 2
    turned = round(math.degrees(angle) % 360, 1) % 360
    return {"x": tidy(x), "y": tidy(y), "width": width, "height": height, "rotation": turned}


def _radians(text: str) -> float:
    return float(text) if re.fullmatch(r"-?[0-9]{1,4}(\.[0-9]{1,20})?", text) else 0.0


def _boxed(group: Shape) -> Shape:
    """A group is as large as its children."""
    if not group.children:
        return group
    left = min(child.x for child in group.children)
    top = min(child.y for child in group.children)
    right = max(child.x + child.width for child in group.children)
    bottom = max(child.y + child.height for child in group.children)
    return replace(group, x=left, y=top, width=tidy(right - left), height=tidy(bottom - top))


def _paint(graphic: Properties) -> dict[str, Any]:
    fill = graphic.get("draw:fill", "solid" if "draw:fill-color" in graphic else "none")
    stroke = graphic.get("draw:stroke", "solid" if "svg:stroke-color" in graphic else "none")
    return {
        "fill": colour(graphic.get("draw:fill-color", "")) if fill == "solid" else fill[:20],
        "line": "none" if stroke == "none" else colour(graphic.get("svg:stroke-color", "")),
        "line_width": 0.0 if stroke == "none" else length(graphic.get("svg:stroke-width", "")),
    }


def _in_text(element: Element) -> bool:
    """Whether it is a frame of the word processor, which is not drawn and has a border like a paragraph."""
    return short(element) == "draw:frame" and bool(get(element, "text:anchor-type"))


def _box_paint(graphic: Properties) -> dict[str, Any]:
    sides = borders(graphic)
    drawn = graphic.get(f"fo:border-{sides[0]}", "").split() if sides else []
    return {
        "fill": colour(graphic.get("fo:background-color", "")) or "none",
        "line": next((colour(word) for word in drawn if colour(word)), "none"),
        "line_width": next((length(word) for word in drawn if length(word)), 0.0),
    }


def _link(element: Element) -> str:
    for listener in _listeners(element):
        address = get(listener, "xlink:href") or get(listener, "presentation:action")
        if address:
            return address[:5_000]
    return ""


def _listeners(element: Element) -> Iterator[Element]:
    for child in element:
        if short(child) == "office:event-listeners":
            yield from child


def _kind(element: Element, kind: str) -> str:
    if kind == "draw:custom-shape":
        form = next((child for child in element if short(child) == "draw:enhanced-geometry"), None)
        name = "" if form is None else names(dict(form.attrib)).get("draw:type", "")
        name = name.removeprefix("ooxml-")[:60]
        return {"rect": "rectangle", "": "custom"}.get(name, name)
    return _KINDS[kind]


_KINDS = {
    "draw:frame": "text",
    "draw:rect": "rectangle",
    "draw:ellipse": "ellipse",
    "draw:circle": "ellipse",
    "draw:line": "line",
    "draw:connector": "connector",
    "draw:custom-shape": "custom",
    "draw:polygon": "polygon",
    "draw:regular-polygon": "polygon",
    "draw:polyline": "polyline",
    "draw:path": "path",
    "draw:measure": "measure",
    "draw:caption": "caption",
    "draw:control": "control",
    "draw:g": "group",
    "dr3d:scene": "group",
}
# Placeholder names of the format that differ from ours.
_ROLES = {"object": "object", "orgchart": "object"}
