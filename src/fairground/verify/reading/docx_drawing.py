"""Pictures, charts and text boxes in Word documents (.docx)."""

from __future__ import annotations

from dataclasses import replace
from xml.etree.ElementTree import Element

from fairground.verify.reading.docx_text import TextReader
from fairground.verify.reading.drawingml import Theme, form, picture, place
from fairground.verify.reading.ooxml import EMU, millimetres, path, short, tag
from fairground.verify.reading.ooxml_chart import read_chart
from fairground.verify.reading.prose import Shape, paragraphs_of, text_of

_THEME = Theme(None)  # word processors write plain colours next to theme colours


def read_shape(element: Element, reader: TextReader) -> Shape | None:
    """Read a shape that is anchored in the text; None if it is not supported."""
    kind = short(element)
    if kind == "mc:AlternateContent":
        # The same content twice: for programs that support the newer format, and for those that do not.
        for choice in element:
            for child in choice:
                shape = read_shape(child, reader)
                if shape is not None:
                    return shape
        return None
    if kind == "w:drawing":
        return next((_anchored(child, reader) for child in element if short(child) in _ANCHORS), None)
    if kind == "w:pict":
        return _vml(element, reader)
    if kind == "w:object":
        reader.budget.take("shapes")
        return Shape(kind="object", anchor="as-char")
    return None


def _anchored(element: Element, reader: TextReader) -> Shape:
    reader.budget.take("shapes")
    about = element.find(tag("wp:docPr"))
    extent = element.find(tag("wp:extent"))
    wrap = next((short(child).removeprefix("wp:wrap") for child in element if "wp:wrap" in short(child)), "")
    data = element.find(path("a:graphic/a:graphicData"))
    inner = None if data is None else next(iter(data), None)
    shape = Shape(kind="object") if inner is None else _inner(inner, reader)
    return replace(
        shape,
        name="" if about is None else about.get("name", ""),
        alt="" if about is None else about.get("descr", ""),
        alt_title="" if about is None else about.get("title", ""),
        width=0.0 if extent is None else millimetres(extent.get("cx"), EMU),
        height=0.0 if extent is None else millimetres(extent.get("cy"), EMU),
        anchor="as-char" if short(element) == "wp:inline" else "paragraph",
        wrap=wrap[:1].lower() + wrap[1:40],
        text=text_of(shape),
    )


def _inner(element: Element, reader: TextReader) -> Shape:
    kind = short(element)
    if kind == "pic:pic":
        properties = element.find(tag("pic:spPr"))
        transform = None if properties is None else properties.find(tag("a:xfrm"))
        embedded = picture(reader.package, element.find(tag("pic:blipFill")), reader.relations)
        return Shape(kind="image", picture=embedded, **place(transform), **_THEME.paint(properties))
    if kind == "c:chart":
        relation = reader.relations.get(element.get(tag("r:id"), ""))
        chart = None if relation is None else read_chart(reader.package, relation.target)
        return Shape(kind="chart" if chart is not None else "object", chart=chart)
    if kind == "wps:wsp":
        properties = element.find(tag("wps:spPr"))
        transform = None if properties is None else properties.find(tag("a:xfrm"))
        box = element.find(path("wps:txbx/w:txbxContent"))
        text_box = element.find(tag("wps:cNvSpPr"))
        is_text = text_box is not None and text_box.get("txBox") in ("1", "true")
        return Shape(
            kind="text" if is_text else form(properties) or "custom",
            paragraphs=() if box is None else paragraphs_of(reader.blocks(box)),
            **place(transform),
            **_THEME.paint(properties),
        )
    if kind == "wpg:wgp":
        children = []
        for child in element:
            if short(child) in ("wps:wsp", "pic:pic", "wpg:grpSp"):
                reader.budget.take("shapes")
                inner = _inner(child, reader)
                children.append(replace(inner, text=text_of(inner)))
        return Shape(kind="group", children=tuple(children))
    return Shape(kind="object")


def _vml(element: Element, reader: TextReader) -> Shape | None:
    """The format of older programs. Only pictures and text boxes are read from it."""
    reader.budget.take("shapes")
    image = next(element.iter(tag("v:imagedata")), None)
    if image is not None:
        embedded = reader.package.picture(reader.relations.get(image.get(tag("r:id"), "")))
        return Shape(kind="image", picture=embedded)
    box = next(element.iter(tag("w:txbxContent")), None)
    shape = Shape(kind="custom") if box is None else Shape(kind="text", paragraphs=paragraphs_of(reader.blocks(box)))
    return replace(shape, text=text_of(shape))


_ANCHORS = ("wp:inline", "wp:anchor")
