"""The parts of a workbook besides its cells: widths, filters, charts, pivot tables, rules, names, pages, properties.

Ranges are written without `$` and with their sheet once: `Sales.A2:F241`, `'Two words'.A1`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Columns:
    """Adjacent columns that differ from the default.

    Attributes:
        first: Index of the first, counted from 0.
        last: Index of the last.
        width: In whole millimetres.
        hidden: Whether they are hidden.
    """

    first: int
    last: int
    width: int
    hidden: bool = False


@dataclass(frozen=True)
class HiddenRows:
    """Adjacent hidden rows, counted from 0; `filtered` if a filter hides them."""

    first: int
    last: int
    filtered: bool = False


@dataclass(frozen=True)
class Page:
    """Print settings of a sheet.

    Attributes:
        style: Name of its page style.
        landscape: Whether the page is in landscape format.
        size: Width and height in whole millimetres.
        header: Text of the header in its three regions, `left | center | right`, or only of the middle one if the
            others are empty; empty if it is switched off.
        footer: The same for the footer.
        scale: `100%`, or the number of pages it is fitted to, such as `1x0` (one page wide, any number high).
    """

    style: str = "Default"
    landscape: bool = False
    size: tuple[int, int] = (0, 0)
    header: str = ""
    footer: str = ""
    scale: str = "100%"


@dataclass(frozen=True)
class Validation:
    """A validation rule for cells.

    Attributes:
        ranges: Where it applies, as rectangles such as `C2:C60`.
        condition: As in the file: `cell-content-is-in-list("a";"b")`.
        allow_empty: Whether a cell may be empty.
        stops: Whether another entry is refused, not only warned about.
        title: Title of the message for an invalid entry.
        message: Text of the message.
    """

    ranges: tuple[str, ...]
    condition: str
    allow_empty: bool = True
    stops: bool = True
    title: str = ""
    message: str = ""


@dataclass(frozen=True)
class Condition:
    """A conditional format.

    Attributes:
        range: Where it applies: `F2:F241`, several separated by spaces.
        kind: `condition`, `color-scale`, `data-bar`, `icon-set` or `date-is`.
        rule: For a condition, what must be true, such as `>1000`, `between(1,5)` or `duplicate`.
        bold: Whether cells that match are bold.
        colour: Their text colour.
        background: Their background colour.
    """

    range: str
    kind: str
    rule: str = ""
    bold: bool = False
    colour: str = ""
    background: str = ""


@dataclass(frozen=True)
class ChartSeries:
    """A series: the sources of its values, name and categories (for a scatter chart, its x values)."""

    values: str = ""
    label: str = ""
    categories: str = ""


@dataclass(frozen=True)
class SheetChart:
    """A chart on a sheet: `kind` is `bar`, `line`, `pie`, `area`, `scatter`, `ring`, ...

    Attributes:
        sideways: Whether the bars are horizontal.
        stacked: Whether the series are stacked.
    """

    kind: str
    title: str = ""
    subtitle: str = ""
    x_title: str = ""
    y_title: str = ""
    legend: bool = False
    sideways: bool = False
    stacked: bool = False
    series: tuple[ChartSeries, ...] = ()


@dataclass(frozen=True)
class PivotField:
    """A field of a pivot table: `orientation` is `row`, `column`, `data` or `page`; `function` applies only to data."""

    source: str
    orientation: str
    function: str = ""


@dataclass(frozen=True)
class PivotTable:
    """A pivot table, with the fields in use, in order."""

    name: str
    source: str
    target: str
    fields: tuple[PivotField, ...] = ()


@dataclass(frozen=True)
class Filter:
    """A range with a filter.

    Attributes:
        range: The range, including its header.
        buttons: Whether the header has buttons (an autofilter).
        conditions: Conditions for visible rows: column counted from 0 within the range, operator, values.
    """

    range: str
    buttons: bool
    conditions: tuple[tuple[int, str, tuple[str, ...]], ...] = ()


@dataclass(frozen=True)
class NamedRange:
    """A name for cells or for a formula; `sheet` is set for one that applies only there."""

    name: str
    refers_to: str
    sheet: str = ""


@dataclass(frozen=True)
class Properties:
    """The document properties."""

    title: str = ""
    subject: str = ""
    description: str = ""
    keywords: tuple[str, ...] = ()
    custom: tuple[tuple[str, str], ...] = ()
