"""Text of shapes and tables in PowerPoint presentations (.pptx)."""

from __future__ import annotations

import re
from typing import Any
from xml.etree.ElementTree import Element

from fairground.verify.reading.drawingml import Theme
from fairground.verify.reading.ooxml import EMU, Relation, is_on, millimetres, path, short, tag, whole
from fairground.verify.reading.prose import (
    Alignment,
    Budget,
    Layout,
    Look,
    Paragraph,
    RunBuilder,
    Table,
    TableCell,
    paragraph_with,
    plain,
    run_with,
    shares,
)

MAX_COLUMNS = 1_000
Properties = dict[str, Any]


class TextReader:
    """Reads the text of one slide, layout or master."""

    def __init__(self, budget: Budget, theme: Theme, relations: dict[str, Relation]) -> None:
        self.budget, self.theme, self.relations = budget, theme, relations

    def paragraphs(self, body: Element | None, styles: tuple[Element, ...]) -> tuple[Paragraph, ...]:
        """The paragraphs of a text body. The styles are lists of levels, lowest priority first."""
        if body is None:
            return ()
        own = body.find(tag("a:lstStyle"))
        if own is not None:
            styles = (*styles, own)
        read_paragraphs = tuple(self._paragraph(element, styles) for element in body.iterfind(tag("a:p")))
        return () if len(read_paragraphs) == 1 and not read_paragraphs[0].runs else read_paragraphs

    def _paragraph(self, element: Element, styles: tuple[Element, ...]) -> Paragraph:
        self.budget.take("paragraphs")
        written = element.find(tag("a:pPr"))
        level = 0 if written is None else whole(written.get("lvl"), 0, 8)
        levels = [
            level_style for style in styles if (level_style := style.find(tag(f"a:lvl{level + 1}pPr"))) is not None
        ]
        if written is not None:
            levels.append(written)
        setting: Properties = {}
        text: Properties = {}
        for level_style in levels:
            setting |= _paragraph_properties(level_style)
            text |= self._text_properties(level_style.find(tag("a:defRPr")))
        builder = RunBuilder(self.budget)
        for child in element:
            self._piece(child, text, builder)
        kind, how = setting.pop("bullet", ("", ""))
        return paragraph_with(
            Layout(**setting),
            builder.finish(),
            list=kind,
            list_level=level + 1 if kind or level else 0,
            list_format=how,
        )

    def _piece(self, element: Element, inherited: Properties, builder: RunBuilder) -> None:
        kind = short(element)
        if kind not in ("a:r", "a:br", "a:fld"):
            return
        written = element.find(tag("a:rPr"))
        text = "\n" if kind == "a:br" else element.findtext(tag("a:t")) or ""
        field = _FIELDS.get(element.get("type", ""), element.get("type", "")[:40]) if kind == "a:fld" else ""
        if field.startswith("datetime"):
            field = "date"
        self.budget.take("letters", len(text))
        look = Look(**{**inherited, **self._text_properties(written)})
        builder.add(run_with(look, link=self._link(written), field=field), text)

    def _link(self, written: Element | None) -> str:
        click = None if written is None else written.find(tag("a:hlinkClick"))
        relation = None if click is None else self.relations.get(click.get(tag("r:id"), ""))
        return "" if relation is None else relation.target[:5_000]

    def _text_properties(self, element: Element | None) -> Properties:
        if element is None:
            return {}
        properties: Properties = {}
        at = element.get
        for name, key in (("b", "bold"), ("i", "italic")):
            if at(name) is not None:
                properties[key] = is_on(at(name))
        if at("u") is not None:
            properties["underline"] = at("u") != "none"
        if at("strike") is not None:
            properties["strike"] = at("strike") != "noStrike"
        if at("sz") is not None:
            properties["size"] = whole(at("sz"), 0, 1_000_000) / 100
        if at("baseline") is not None:
            raised = at("baseline", "0")
            properties["script"] = "sub" if raised.startswith("-") else "super" if raised.strip("0%") else ""
        if at("cap") is not None:
            properties["caps"] = {"all": "upper", "small": "small"}.get(at("cap", ""), "")
        if at("lang"):
            properties["language"] = at("lang", "")[:20]
        fill = element.find(tag("a:solidFill"))
        if fill is not None:
            properties["colour"] = self.theme.colour(fill)
        highlight = element.find(tag("a:highlight"))
        if highlight is not None:
            properties["highlight"] = self.theme.colour(highlight)
        latin = element.find(tag("a:latin"))
        if latin is not None:
            face = latin.get("typeface", "")[:200]
            properties["font"] = self.theme.fonts.get(face, face)
        return properties

    def table(self, element: Element, styles: tuple[Element, ...]) -> Table:
        """A table on a slide."""
        widths = tuple(millimetres(column.get("w"), EMU) for column in element.iterfind(path("a:tblGrid/a:gridCol")))
        if len(widths) > MAX_COLUMNS:
            raise self.budget.fault(f"a table has more than {MAX_COLUMNS} columns")
        cells = []
        rows = element.findall(tag("a:tr"))
        columns = len(widths)
        for row, line in enumerate(rows):
            self.budget.take("cells")
            for column, part in enumerate(line.findall(tag("a:tc"))):
                if column >= MAX_COLUMNS:
                    raise self.budget.fault(f"a table has more than {MAX_COLUMNS} columns")
                columns = max(columns, column + 1)
                if part.get("hMerge") in ("1", "true") or part.get("vMerge") in ("1", "true"):
                    continue
                cells.append(self._cell(part, row, column, len(rows), styles))
        switches = element.find(tag("a:tblPr"))
        header = switches is not None and switches.get("firstRow") in ("1", "true")
        return Table(
            rows=len(rows),
            columns=columns,
            cells=tuple(cells),
            header_rows=int(header),
            width=round(sum(widths), 2),
            widths=widths,
            shares=shares(widths),
        )

    def _cell(self, part: Element, row: int, column: int, rows: int, styles: tuple[Element, ...]) -> TableCell:
        self.budget.take("cells")
        properties = part.find(tag("a:tcPr"))
        down = max(whole(part.get("rowSpan"), 1, rows), 1)
        if row + down > rows:
            raise self.budget.fault("a table has a cell that spans more rows than there are")
        body = self.paragraphs(part.find(tag("a:txBody")), styles)
        sides = (("top", "a:lnT"), ("right", "a:lnR"), ("bottom", "a:lnB"), ("left", "a:lnL"))
        drawn = {side: None if properties is None else properties.find(tag(name)) for side, name in sides}
        fill = self.theme.fill(properties)
        return TableCell(
            row=row,
            column=column,
            rows=down,
            columns=max(whole(part.get("gridSpan"), 1, MAX_COLUMNS), 1),
            text=plain(body),
            body=body,
            background=fill if fill.startswith("#") else "",
            borders=tuple(side for side, line in drawn.items() if self.theme.fill(line) not in ("", "none")),
            vertical=_ANCHORS.get("" if properties is None else properties.get("anchor", ""), ""),
        )


def _paragraph_properties(element: Element) -> Properties:
    properties: Properties = {}
    if element.get("algn") is not None:
        properties["alignment"] = _ALIGNMENTS.get(element.get("algn", ""), "left")
    for name, key in (("marL", "left"), ("marR", "right"), ("indent", "first_line")):
        if element.get(name) is not None:
            properties[key] = millimetres(element.get(name), EMU)
    for child in element:
        kind = short(child)
        if kind == "a:buNone":
            properties["bullet"] = ("", "")
        elif kind == "a:buChar":
            properties["bullet"] = ("bullet", child.get("char", "")[:4])
        elif kind == "a:buBlip":
            properties["bullet"] = ("bullet", "image")
        elif kind == "a:buAutoNum":
            properties["bullet"] = ("number", _number(child.get("type", "")))
        elif kind in ("a:spcBef", "a:spcAft"):
            points = child.find(tag("a:spcPts"))
            if points is not None:
                key = "above" if kind == "a:spcBef" else "below"
                properties[key] = millimetres(points.get("val"), 100 * 72 / 25.4)
        elif kind == "a:lnSpc":
            share, exact = child.find(tag("a:spcPct")), child.find(tag("a:spcPts"))
            if share is not None:
                written_value = share.get("val", "")
                value = whole(written_value.removesuffix("%"), 100_000) * (1000 if written_value.endswith("%") else 1)
                properties["line_spacing"] = f"{value / 1000:g}%"
            elif exact is not None:
                properties["line_spacing"] = f"{whole(exact.get('val'), 0) / 100:g}pt"
    return properties


def _number(kind: str) -> str:
    match = re.match("arabic|alphaLc|alphaUc|romanLc|romanUc", kind)
    names = {"arabic": "1", "alphaLc": "a", "alphaUc": "A", "romanLc": "i", "romanUc": "I"}
    return kind[:20] if match is None else names[match[0]]


_ALIGNMENTS: dict[str, Alignment] = {"l": "left", "r": "right", "ctr": "center", "just": "justify", "dist": "justify"}
_ANCHORS = {"t": "top", "ctr": "middle", "b": "bottom"}
_FIELDS = {"slidenum": "page-number"}
