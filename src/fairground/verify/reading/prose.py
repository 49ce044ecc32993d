"""The building blocks of documents and slides: paragraphs and their runs, tables, shapes, pictures and charts.

Lengths are in millimetres, font sizes in points, angles in degrees, colours `#rrggbb` in lower case. An empty text and
0 mean that the file does not specify the value. Formatting is the effective formatting: styles and their parents,
defaults and direct formatting are combined.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any, Literal, TypeAlias

from fairground.core import StateError
from fairground.verify.reading.writing import writings

MAX_PARAGRAPHS = 200_000  # maximum per file, including those in tables, notes and shapes
MAX_RUNS = 500_000
MAX_LETTERS = 20_000_000
MAX_CELLS = 200_000
MAX_SHAPES = 20_000

Alignment: TypeAlias = Literal["left", "right", "center", "justify"]


@dataclass(frozen=True, kw_only=True)
class Look:
    """The look of text.

    Attributes:
        underline: Including wavy, double and dotted lines.
        colour: Text colour; empty if automatic.
        highlight: Background colour.
        script: Superscript or subscript.
        language: Such as `en-US`.
        hidden: Whether the text is hidden on the page.
    """

    bold: bool = False
    italic: bool = False
    underline: bool = False
    strike: bool = False
    colour: str = ""
    highlight: str = ""
    font: str = ""
    size: float = 0.0
    script: Literal["", "super", "sub"] = ""
    caps: Literal["", "upper", "lower", "title", "small"] = ""
    language: str = ""
    hidden: bool = False


@dataclass(frozen=True, kw_only=True)
class Run(Look):
    """Adjacent text with the same look.

    Attributes:
        style: Display name of the character style.
        link: Target of a hyperlink; a position in the document starts with `#`.
        field: What the program fills in: `page-number`, `page-count`, `date`, `time`, `title`, `author`, `reference`,
            `footer`, `header`, ...; empty for typed text.
        inserted: Whether it is a tracked insertion that was not accepted yet.
    """

    text: str
    style: str = ""
    link: str = ""
    field: str = ""
    inserted: bool = False


@dataclass(frozen=True, kw_only=True)
class Layout:
    """The layout of a paragraph.

    Attributes:
        line_spacing: `100%`, `150%`, or with a length `18pt` (exactly), `at least 18pt`, `leading 2pt`.
        first_line: Indent of the first line relative to the others; negative for a hanging indent.
        background: Background colour of the paragraph.
        borders: Whether any side has a border.
        tabs: Positions of its tab stops, with their kind: `right 120.0`.
    """

    alignment: Alignment = "left"
    line_spacing: str = "100%"
    left: float = 0.0
    right: float = 0.0
    first_line: float = 0.0
    above: float = 0.0
    below: float = 0.0
    keep_with_next: bool = False
    background: str = ""
    borders: bool = False
    tabs: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Paragraph(Layout):
    """One paragraph.

    Attributes:
        text: The whole text, with tabs and line breaks, results of fields and tracked insertions; without deleted text,
            notes, comments, and anchored content.
        style: Display name of its style.
        heading: Heading level from 1; 0 for other text.
        list: Kind of its label.
        list_level: From 1; 0 outside of lists.
        list_format: `1`, `a`, `A`, `i`, `I` for a number, or the bullet character.
        page_break: Whether a new page starts with it.
        page_style: Name of the page style that starts with it, if it changes (ODT).
        section: Name of its section.
    """

    text: str
    runs: tuple[Run, ...] = ()
    style: str = ""
    heading: int = 0
    list: Literal["", "bullet", "number"] = ""
    list_level: int = 0
    list_format: str = ""
    page_break: bool = False
    page_style: str = ""
    column_break: bool = False
    section: str = ""


@dataclass(frozen=True, kw_only=True)
class TableCell:
    """One cell of a table in a text. Covered cells are left out.

    Attributes:
        rows: How many rows it spans.
        text: Text of its paragraphs, in lines; nested tables are in `body` only.
        formula: As the program writes it, such as `<B2>+<B3>`; empty for typed text.
    """

    row: int
    column: int
    rows: int = 1
    columns: int = 1
    text: str = ""
    body: tuple[Paragraph | Table, ...] = ()
    formula: str = ""
    background: str = ""
    borders: tuple[str, ...] = ()
    vertical: str = ""


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table in a text or on a slide.

    Attributes:
        cells: Row by row.
        header_rows: Number of rows that are repeated on every page, or marked as header.
        width: 0 if the file does not specify it, for example after a conversion.
        widths: Widths of the columns; 0 as for `width`.
        shares: Shares of the columns in the table's width, in percent.
    """

    name: str = ""
    rows: int = 0
    columns: int = 0
    cells: tuple[TableCell, ...] = ()
    header_rows: int = 0
    width: float = 0.0
    widths: tuple[float, ...] = ()
    shares: tuple[float, ...] = ()
    alignment: str = ""
    style: str = ""
    page_break: bool = False
    section: str = ""

    def at(self, row: int, column: int) -> TableCell:
        """Return the cell that covers a position, counted from 0.

        Raises:
            StateError: The position is outside of the table.
        """
        for cell in self.cells:
            if cell.row <= row < cell.row + cell.rows and cell.column <= column < cell.column + cell.columns:
                return cell
        raise StateError(f"the table {self.name!r} has no cell at row {row}, column {column}")

    @property
    def grid(self) -> tuple[tuple[str, ...], ...]:
        """Texts row by row. Positions covered by a merged cell are empty."""
        lines = [[""] * self.columns for _ in range(self.rows)]
        for cell in self.cells:
            lines[cell.row][cell.column] = cell.text
        return tuple(tuple(line) for line in lines)


Block: TypeAlias = Paragraph | Table


@dataclass(frozen=True)
class Picture:
    """The bytes of a picture in a file.

    Attributes:
        digest: SHA-256 of the bytes; empty for a linked picture.
        link: Target of a linked picture.
        crop: Cropped at top, right, bottom and left, in millimetres in OpenDocument and in percent in OOXML.
    """

    digest: str = ""
    kind: str = ""
    size: int = 0
    link: str = ""
    crop: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Series:
    """One data series of a chart. A gap is None."""

    name: str = ""
    values: tuple[float | None, ...] = ()
    source: str = ""


@dataclass(frozen=True)
class Chart:
    """A chart: `kind` is `bar`, `line`, `pie` (OOXML's names are mapped to these), `area`, `scatter`, `ring`, ..."""

    kind: str = ""
    title: str = ""
    subtitle: str = ""
    x_title: str = ""
    y_title: str = ""
    legend: bool = False
    categories: tuple[str, ...] = ()
    series: tuple[Series, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Shape:
    """A drawn or placed object: text box, picture, table, chart, line, group.

    Attributes:
        kind: `text`, `image`, `table`, `chart`, `object` (another embedded document), `rectangle`, `ellipse`, `line`,
            `connector`, `group`, `media`, `control`, or the name of a preset shape such as `right-arrow`.
        role: Its role in a slide's layout: `title`, `subtitle`, `outline`, `notes`, `footer`, `date-time`,
            `page-number`, `chart`, `table`, `graphic`, `object`; empty for shapes outside of the layout.
        placeholder: Whether it is still empty and only shows a prompt.
        alt_title: The short alternative text; `alt` is the longer description.
        fill: Colour; `none`, `gradient`, `bitmap`, `hatch` if it is not a plain colour.
        line: Colour of its outline, or `none`.
        paragraph: In a text document, index of the body block that it is anchored to; -1 for a page.
        anchor: In a text document: `paragraph`, `char`, `as-char`, `page`.
        wrap: How text flows around it.
    """

    name: str = ""
    kind: str = ""
    role: str = ""
    placeholder: bool = False
    x: float = 0.0
    y: float = 0.0
    width: float = 0.0
    height: float = 0.0
    rotation: float = 0.0
    fill: str = ""
    line: str = ""
    line_width: float = 0.0
    alt_title: str = ""
    alt: str = ""
    link: str = ""
    text: str = ""
    paragraphs: tuple[Paragraph, ...] = ()
    picture: Picture | None = None
    table: Table | None = None
    chart: Chart | None = None
    children: tuple[Shape, ...] = ()
    anchor: str = ""
    wrap: str = ""
    paragraph: int = -1


@dataclass(frozen=True)
class Metadata:
    """The metadata of a file, without times and counts, which change with every save."""

    title: str = ""
    subject: str = ""
    description: str = ""
    keywords: tuple[str, ...] = ()
    author: str = ""
    language: str = ""
    custom: tuple[tuple[str, str], ...] = ()


class Budget:
    """The remaining limits of a file. A reader takes from them before it stores something."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._left = {
            "paragraphs": MAX_PARAGRAPHS,
            "runs": MAX_RUNS,
            "letters": MAX_LETTERS,
            "cells": MAX_CELLS,
            "shapes": MAX_SHAPES,
        }

    def take(self, kind: str, count: int = 1) -> None:
        """Use up some of a limit.

        Raises:
            StateError: The limit is exceeded.
        """
        self._left[kind] -= count
        if self._left[kind] < 0:
            raise self.fault(f"more {kind} than the limit allows")

    def fault(self, message: str) -> StateError:
        """Create an error about this file."""
        return StateError(f"{self._what}: {message}")


class RunBuilder:
    """Collects the text of a paragraph. Text with the same look becomes one run, however the program split it."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._runs: list[tuple[tuple[Run, ...], list[str]]] = []

    def add(self, template: Run, text: str, *others: Run) -> None:
        """Add text with the look of the template, whose own text is ignored.

        `others` are the templates for Asian and complex scripts, if they differ.
        """
        if not self._runs or self._runs[-1][0] != (template, *others):
            self._budget.take("runs")
            self._runs.append(((template, *others), []))
        self._runs[-1][1].append(text)

    @property
    def last_field(self) -> str:
        """The field that the last text belongs to."""
        return self._runs[-1][0][0].field if self._runs else ""

    def finish(self) -> tuple[Run, ...]:
        """Return the runs. Empty ones are kept only for fields."""
        gathered = [(templates, "".join(parts)) for templates, parts in self._runs]
        if any(len(templates) > 1 for templates, _ in gathered):
            gathered = self._apart(gathered)
        runs = (replace(templates[0], text=text) for templates, text in gathered)
        return tuple(run for run in runs if run.text or run.field)

    def _apart(self, gathered: list[tuple[tuple[Run, ...], str]]) -> list[tuple[tuple[Run, ...], str]]:
        """Give the characters of each script type their own look."""
        apart = RunBuilder(self._budget)
        pieces = writings("".join(text for _, text in gathered))
        ends = list(accumulate(len(piece) for piece, _ in pieces))
        place = number = 0
        for templates, text in gathered:
            end = place + len(text)
            if not text:
                apart.add(templates[0], "")
            while place < end:
                while ends[number] <= place:
                    number += 1
                until = min(end, ends[number])
                apart.add(
                    templates[pieces[number][1] if len(templates) > 1 else 0], text[place - end : until - end or None]
                )
                place = until
        return [(templates, "".join(parts)) for templates, parts in apart._runs]


def run_with(look: Look, text: str = "", **more: Any) -> Run:
    """Create a run with this look."""
    return Run(text=text, **{name: getattr(look, name) for name in Look.__dataclass_fields__}, **more)


def paragraph_with(layout: Layout, runs: tuple[Run, ...], **more: Any) -> Paragraph:
    """Create a paragraph with this layout."""
    setting = {name: getattr(layout, name) for name in Layout.__dataclass_fields__}
    return Paragraph(text="".join(run.text for run in runs), runs=runs, **setting, **more)


def shares(widths: Sequence[float]) -> tuple[float, ...]:
    """Widths as percent of their sum."""
    total = sum(widths)
    return tuple(round(100 * width / total, 1) for width in widths) if total > 0 else ()


def plain(blocks: tuple[Block, ...]) -> str:
    """Text of blocks in lines, without tables."""
    return "\n".join(block.text for block in blocks if isinstance(block, Paragraph))


def paragraphs_of(blocks: tuple[Block, ...]) -> tuple[Paragraph, ...]:
    """The paragraphs of blocks, including those in table cells."""
    paragraphs: list[Paragraph] = []
    for block in blocks:
        if isinstance(block, Paragraph):
            paragraphs.append(block)
        else:
            for cell in block.cells:
                paragraphs += paragraphs_of(cell.body)
    return tuple(paragraphs)


def text_of(shape: Shape) -> str:
    """A shape's own text in lines, with that of its table or grouped shapes."""
    parts = [paragraph.text for paragraph in shape.paragraphs]
    if shape.table is not None:
        parts += ["\t".join(line) for line in shape.table.grid]
    return "\n".join([*parts, *(text_of(child) for child in shape.children)])
