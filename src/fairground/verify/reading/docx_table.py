"""Tables in Word documents (.docx)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Protocol
from xml.etree.ElementTree import Element

from fairground.verify.reading.docx_styles import Styles
from fairground.verify.reading.ooxml import TWIPS, colour, is_on, millimetres, path, short, tag, whole
from fairground.verify.reading.prose import Block, Budget, Paragraph, Table, TableCell, plain, shares

MAX_COLUMNS = 1_000


class Reader(Protocol):
    """Reads the text of the cells."""

    styles: Styles
    budget: Budget

    def blocks(self, element: Element) -> tuple[Block, ...]:
        """The blocks of a cell."""


def read_table(element: Element, reader: Reader) -> Table:
    """Read a table with the text of its cells."""
    widths = tuple(
        millimetres(column.get(tag("w:w")), TWIPS) for column in element.iterfind(path("w:tblGrid/w:gridCol"))
    )
    style = value_of(element.find(tag("w:tblPr")), "w:tblStyle")
    cells: dict[tuple[int, int], TableCell] = {}
    open_cells: dict[int, tuple[int, int]] = {}
    row = header = columns = 0
    for line in _rows(element):
        reader.budget.take("cells")
        switch = line.find(path("w:trPr/w:tblHeader"))
        header += switch is not None and is_on(switch.get(tag("w:val"))) and header == row
        before = line.find(path("w:trPr/w:gridBefore"))
        column = 0 if before is None else whole(before.get(tag("w:val")), 0, MAX_COLUMNS)
        for part in line:
            if short(part) != "w:tc":
                continue
            reader.budget.take("cells")
            properties = part.find(tag("w:tcPr"))
            span = value_of(properties, "w:gridSpan")
            across = max(whole(span, 1, MAX_COLUMNS), 1)
            if column + across > MAX_COLUMNS:
                raise reader.budget.fault(f"a table has more than {MAX_COLUMNS} columns")
            merge = None if properties is None else properties.find(tag("w:vMerge"))
            if merge is not None and merge.get(tag("w:val"), "continue") == "continue" and column in open_cells:
                key = open_cells[column]
                cells[key] = replace(cells[key], rows=row - key[0] + 1)
            else:
                cells[row, column] = _cell(reader, part, properties, row, column, across)
                open_cells.pop(column, None)
                if merge is not None:
                    open_cells[column] = (row, column)
            column += across
            columns = max(columns, column)
        row += 1
    return Table(
        rows=row,
        columns=max(columns, min(len(widths), MAX_COLUMNS)),
        cells=tuple(cells.values()),
        header_rows=header,
        width=round(sum(widths), 2),
        widths=widths[:MAX_COLUMNS],
        shares=shares(widths),
        style=reader.styles.shown(style),
    )


def _cell(reader: Reader, part: Element, properties: Element | None, row: int, column: int, across: int) -> TableCell:
    body = reader.blocks(part)
    shade = None if properties is None else properties.find(tag("w:shd"))
    lines = None if properties is None else properties.find(tag("w:tcBorders"))
    drawn = {
        short(side).removeprefix("w:") for side in lines or () if side.get(tag("w:val")) not in (None, "nil", "none")
    }
    drawn = {{"start": "left", "end": "right"}.get(side, side) for side in drawn}
    formulas = (
        run.field.removeprefix("=")
        for block in body
        if isinstance(block, Paragraph)
        for run in block.runs
        if run.field.startswith("=")
    )
    return TableCell(
        row=row,
        column=column,
        columns=across,
        text=plain(body),
        body=body,
        formula=next(formulas, ""),
        background="" if shade is None else colour(shade.get(tag("w:fill"))),
        borders=tuple(side for side in ("top", "right", "bottom", "left") if side in drawn),
        vertical=value_of(properties, "w:vAlign"),
    )


def value_of(element: Element | None, name: str) -> str:
    """The value of a child element; empty if there is none."""
    child = None if element is None else element.find(tag(name))
    return "" if child is None else child.get(tag("w:val"), "")


def _rows(element: Element) -> Iterator[Element]:
    for child in element:
        if short(child) == "w:tr":
            yield child
        elif short(child) == "w:sdt":
            yield from child.iterfind(path("w:sdtContent/w:tr"))
