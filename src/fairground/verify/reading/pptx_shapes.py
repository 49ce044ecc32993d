"""Shapes on the slides of PowerPoint presentations (.pptx), with what they inherit from layout and master."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any
from xml.etree.ElementTree import Element

from fairground.verify.reading.drawingml import Theme, form, picture, place
from fairground.verify.reading.odf import tidy
from fairground.verify.reading.ooxml import EMU, Package, Relation, millimetres, path, short, tag
from fairground.verify.reading.ooxml_chart import read_chart
from fairground.verify.reading.pptx_text import TextReader
from fairground.verify.reading.prose import Budget, Shape, text_of

Move = Callable[[Shape], Shape]


@dataclass(frozen=True)
class Sheet:
    """A slide, layout or master with its ancestors, itself first."""

    package: Package
    budget: Budget
    theme: Theme
    trees: tuple[Element, ...]
    """Shape trees of the slide, its layout and its master."""
    text_styles: Element | None
    """The master's styles for titles, bodies and other texts."""
    defaults: Element | None
    """The presentation's default text style."""
    relations: dict[str, Relation]

    @property
    def text(self) -> TextReader:
        """Reads the text of the shapes."""
        return TextReader(self.budget, self.theme, self.relations)


def shapes_of(sheet: Sheet) -> tuple[Shape, ...]:
    """The shapes of the slide itself, from back to front."""
    return tuple(_shapes(sheet.trees[0], sheet, lambda shape: shape)) if sheet.trees else ()


def identities(tree: Element) -> dict[str, str]:
    """Names of the shapes that effects refer to, by their IDs."""
    names = {}
    for element in tree.iter():
        for child in element:
            about = child.find(tag("p:cNvPr")) if short(child).startswith("p:nv") else None
            if about is not None:
                holder = child.find(path("p:nvPr/p:ph"))
                role = "" if holder is None else _ROLES.get(holder.get("type", "obj"), "")
                names[about.get("id", "")] = _name(about) or role
    return names


def _shapes(tree: Element, sheet: Sheet, move: Move) -> Iterator[Shape]:
    for child in tree:
        kind = short(child)
        if kind == "mc:AlternateContent":
            choice = next((option for option in child if short(option) == "mc:Choice"), None)
            if choice is not None:
                yield from _shapes(choice, sheet, move)
        elif kind in _READERS:
            sheet.budget.take("shapes")
            shape = move(_READERS[kind](child, sheet))
            if kind == "p:grpSp":
                inner = _into(child, move)
                shape = replace(shape, children=tuple(_shapes(child, sheet, inner)))
            yield replace(shape, text=text_of(shape))


def _drawn(element: Element, sheet: Sheet) -> Shape:
    holder = element.find(path("p:nvSpPr/p:nvPr/p:ph"))
    role, above = _placeholder(holder, sheet)
    properties = element.find(tag("p:spPr"))
    box = element.find(path("p:nvSpPr/p:cNvSpPr"))
    is_text = holder is not None or (box is not None and box.get("txBox") in ("1", "true"))
    styles = [*_text_styles(role if holder is not None else "other", sheet)]
    styles += [
        list_style
        for ancestor in reversed(above)
        if (list_style := ancestor.find(path("p:txBody/a:lstStyle"))) is not None
    ]
    inherited: dict[str, Any] = {}
    for source in (*reversed(above), element):
        inner = source.find(tag("p:spPr"))
        inherited |= place(None if inner is None else inner.find(tag("a:xfrm")))
        inherited |= {name: value for name, value in sheet.theme.paint(inner).items() if value}
    paragraphs = sheet.text.paragraphs(element.find(tag("p:txBody")), tuple(styles))
    shape = Shape(
        kind="text" if is_text else form(properties) or "custom",
        role=role,
        placeholder=holder is not None and not paragraphs,
        paragraphs=paragraphs,
        **_about(element, sheet),
        **inherited,
    )
    return shape


def _image(element: Element, sheet: Sheet) -> Shape:
    properties = element.find(tag("p:spPr"))
    return Shape(
        kind="image",
        picture=picture(sheet.package, element.find(tag("p:blipFill")), sheet.relations),
        **_about(element, sheet),
        **place(None if properties is None else properties.find(tag("a:xfrm"))),
        **sheet.theme.paint(properties),
    )


def _framed(element: Element, sheet: Sheet) -> Shape:
    common = {**_about(element, sheet), **place(element.find(tag("p:xfrm")))}
    data = element.find(path("a:graphic/a:graphicData"))
    for child in [] if data is None else data:
        if short(child) == "a:tbl":
            styles = tuple(_text_styles("other", sheet))
            return Shape(kind="table", table=sheet.text.table(child, styles), **common)
        if short(child) == "c:chart":
            relation = sheet.relations.get(child.get(tag("r:id"), ""))
            chart = None if relation is None else read_chart(sheet.package, relation.target)
            return Shape(kind="chart" if chart is not None else "object", chart=chart, **common)
    return Shape(kind="object", **common)


def _line(element: Element, sheet: Sheet) -> Shape:
    properties = element.find(tag("p:spPr"))
    kind = form(properties)
    return Shape(
        kind="line" if kind in ("", "line") else "connector",
        **_about(element, sheet),
        **place(None if properties is None else properties.find(tag("a:xfrm"))),
        **sheet.theme.paint(properties),
    )


def _group(element: Element, sheet: Sheet) -> Shape:
    return Shape(kind="group", **_about(element, sheet), **place(element.find(path("p:grpSpPr/a:xfrm"))))


_READERS: dict[str, Callable[[Element, Sheet], Shape]] = {
    "p:sp": _drawn,
    "p:pic": _image,
    "p:graphicFrame": _framed,
    "p:cxnSp": _line,
    "p:grpSp": _group,
}


def _into(group: Element, move: Move) -> Move:
    """Shapes in a group have their own coordinates, which are scaled to the position of the group."""
    transform = group.find(path("p:grpSpPr/a:xfrm"))
    outer = place(transform)
    start = None if transform is None else transform.find(tag("a:chOff"))
    extent = None if transform is None else transform.find(tag("a:chExt"))
    if start is None or extent is None or "x" not in outer or "width" not in outer:
        return move
    left, top = millimetres(start.get("x"), EMU), millimetres(start.get("y"), EMU)
    width, height = millimetres(extent.get("cx"), EMU), millimetres(extent.get("cy"), EMU)
    across = outer["width"] / width if width > 0 else 1.0
    down = outer["height"] / height if height > 0 else 1.0

    def moved(shape: Shape) -> Shape:
        inside = replace(
            shape,
            x=tidy(outer["x"] + (shape.x - left) * across),
            y=tidy(outer["y"] + (shape.y - top) * down),
            width=tidy(shape.width * across),
            height=tidy(shape.height * down),
        )
        return move(inside)

    return moved


def _about(element: Element, sheet: Sheet) -> dict[str, Any]:
    about = next((child.find(tag("p:cNvPr")) for child in element if short(child).startswith("p:nv")), None)
    if about is None:
        return {}
    click = about.find(tag("a:hlinkClick"))
    relation = None if click is None else sheet.relations.get(click.get(tag("r:id"), ""))
    return {
        "name": _name(about),
        "alt": about.get("descr", ""),
        "alt_title": about.get("title", ""),
        "link": "" if relation is None else relation.target[:5_000],
    }


def _name(about: Element) -> str:
    """The name that a user gave. LibreOffice's numbered placeholder names do not count."""
    name = about.get("name", "")
    return "" if re.fullmatch("PlaceHolder [0-9]{1,6}", name) else name


def _placeholder(holder: Element | None, sheet: Sheet) -> tuple[str, list[Element]]:
    """The role of a placeholder, and the corresponding placeholders of layout and master, nearest first."""
    if holder is None:
        return "", []
    kind, index = holder.get("type", "obj"), holder.get("idx", "0")
    above = []
    for tree in sheet.trees[1:]:
        candidates = list(tree.iter(tag("p:sp")))
        same = [candidate for candidate in candidates if _holds(candidate, kind, index)] or [
            candidate for candidate in candidates if _holds(candidate, _BROAD.get(kind, kind), None)
        ]
        above += same[:1]
    return _ROLES.get(kind, kind)[:40], above


def _holds(element: Element, kind: str, index: str | None) -> bool:
    holder = element.find(path("p:nvSpPr/p:nvPr/p:ph"))
    if holder is None:
        return False
    own = holder.get("type", "obj")
    return own == kind if index is None else holder.get("idx", "0") == index and (index != "0" or own == kind)


def _text_styles(role: str, sheet: Sheet) -> Iterator[Element]:
    if sheet.defaults is not None:
        yield sheet.defaults
    name = {"title": "p:titleStyle", "outline": "p:bodyStyle", "subtitle": "p:bodyStyle"}.get(role, "p:otherStyle")
    style = None if sheet.text_styles is None else sheet.text_styles.find(tag(name))
    if style is not None:
        yield style


_BROAD = {"ctrTitle": "title", "subTitle": "body", "obj": "body"}
_ROLES = {
    "title": "title",
    "ctrTitle": "title",
    "subTitle": "subtitle",
    "body": "outline",
    "obj": "outline",
    "ftr": "footer",
    "dt": "date-time",
    "sldNum": "page-number",
    "pic": "graphic",
    "tbl": "table",
    "chart": "chart",
}
