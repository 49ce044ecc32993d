"""Tables in OpenDocument texts and on slides."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from fairground.verify.reading.odf import colour, get, length, short, tag, whole
from fairground.verify.reading.odf_runs import Around
from fairground.verify.reading.odf_styles import Base, Properties, borders, merge
from fairground.verify.reading.odf_text import TextReader
from fairground.verify.reading.prose import Table, TableCell, plain, shares

MAX_COLUMNS = 1_000
MAX_ROWS = 100_000


def read_table(element: Element, reader: TextReader, around: Around) -> Table:
    """Read a table with the text of its cells."""
    name = get(element, "table:name")
    widths = _widths(element, reader)
    cells: list[TableCell] = []
    row = columns = header = 0
    for line, in_header in _rows(element):
        repeated = whole(get(line, "table:number-rows-repeated"), 1)
        for _ in range(repeated):
            if row >= MAX_ROWS:
                raise reader.budget.fault(f"table {name[:80]!r} has more than {MAX_ROWS} rows")
            reader.budget.take("cells")
            row_cells = list(_cells(line, row, reader, around))
            cells += row_cells
            columns = max([columns, *(cell.column + cell.columns for cell in row_cells)])
            row += 1
            header += in_header
    # A span must not exceed the table: callers would get a cell that does not exist.
    if any(cell.row + cell.rows > row for cell in cells):
        raise reader.budget.fault(f"table {name[:80]!r} has a cell that spans more rows than there are")
    properties = reader.styles.properties("table", get(element, "table:style-name"), "table")
    return Table(
        name=name,
        rows=row,
        columns=max(columns, len(widths)),
        cells=tuple(cells),
        header_rows=header,
        width=length(properties.get("style:width", "")),
        widths=widths,
        shares=_shares(element, reader) or shares(widths),
        alignment=properties.get("table:align", ""),
        style=get(element, "table:template-name"),
        page_break=properties.get("fo:break-before") == "page",
        section=around.section,
    )


def _rows(element: Element, header: bool = False) -> Iterator[tuple[Element, bool]]:
    for child in element:
        kind = short(child)
        if kind == "table:table-row":
            yield child, header
        elif kind in ("table:table-header-rows", "table:table-rows", "table:table-row-group"):
            yield from _rows(child, header or kind == "table:table-header-rows")


def _widths(element: Element, reader: TextReader) -> tuple[float, ...]:
    widths: list[float] = []
    for column in element.iter(tag("table:table-column")):
        properties = reader.styles.properties("table-column", get(column, "table:style-name"), "table-column")
        repeated = whole(get(column, "table:number-columns-repeated"), 1)
        if len(widths) + repeated > MAX_COLUMNS:
            raise reader.budget.fault(f"a table has more than {MAX_COLUMNS} columns")
        widths += [length(properties.get("style:column-width", ""))] * repeated
    return tuple(widths)


def _shares(element: Element, reader: TextReader) -> tuple[float, ...]:
    """Relative widths. The file has them even if the program did not compute absolute ones."""
    relative: list[float] = []
    for column in element.iter(tag("table:table-column")):
        properties = reader.styles.properties("table-column", get(column, "table:style-name"), "table-column")
        width = properties.get("style:rel-column-width", "").removesuffix("*")
        relative += [float(whole(width, 0))] * whole(get(column, "table:number-columns-repeated"), 1)
    return shares(relative)


def _cells(line: Element, row: int, reader: TextReader, around: Around) -> Iterator[TableCell]:
    column = 0
    for part in line:
        kind = short(part)
        if kind not in ("table:table-cell", "table:covered-table-cell"):
            continue
        repeated = whole(get(part, "table:number-columns-repeated"), 1)
        rows = whole(get(part, "table:number-rows-spanned"), 1)
        columns = whole(get(part, "table:number-columns-spanned"), 1)
        if column + max(repeated, columns) > MAX_COLUMNS or not rows or not columns:
            raise reader.budget.fault(f"a table's row has more than {MAX_COLUMNS} columns, or a cell without size")
        if kind == "table:covered-table-cell":
            column += repeated
            continue
        style = get(part, "table:style-name") or get(line, "table:default-cell-style-name")
        properties, base = _look(style, reader)
        inside = Around(section=around.section, base=base, base_key=f"cell {style}" if base else "")
        for _ in range(repeated):
            reader.budget.take("cells")
            body = reader.blocks(part, inside)
            yield TableCell(
                row=row,
                column=column,
                rows=rows,
                columns=columns,
                text=plain(body),
                body=body,
                formula=get(part, "table:formula").removeprefix("ooow:")[:10_000],
                background=colour(properties.get("fo:background-color", ""))
                or (colour(properties.get("draw:fill-color", "")) if properties.get("draw:fill") == "solid" else ""),
                borders=borders(properties),
                vertical=properties.get("style:vertical-align", "")
                or properties.get("draw:textarea-vertical-align", ""),
            )
            column += 1


def _look(style: str, reader: TextReader) -> tuple[Properties, Base | None]:
    """A cell's properties and, on slides, what it gives to its paragraphs."""
    result: Properties = {}
    for family in ("graphic", "table-cell"):
        for group in ("graphic", "table-cell", "paragraph"):
            merge(result, reader.styles.properties(family, style, group, default=False))
    text: Properties = {}
    setting: Properties = {}
    drawn = reader.styles.get("graphic", style) is not None
    for family in ("graphic", "table-cell"):
        default = family == "graphic" and drawn
        merge(text, reader.styles.properties(family, style, "text", default=default))
        merge(setting, reader.styles.properties(family, style, "paragraph", default=default))
    return result, (lambda _: (text, setting)) if text else None
