"""What a workbook has beside its cells: widths, filters, charts, pivot tables, rules, names, pages, properties.

Ranges are written without `$` and with their sheet once: `Sales.A2:F241`, `'Two words'.A1`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Columns:
    """Neighbouring columns that are not as columns are by default.

    Attributes:
        first: Counted from 0.
        last: The last of them.
        width: In millimetres, to the nearest whole one.
        hidden: Whether they are not shown.
    """

    first: int
    last: int
    width: int
    hidden: bool = False


@dataclass(frozen=True)
class HiddenRows:
    """Neighbouring rows that are not shown, counted from 0; `filtered` when a filter hides them."""

    first: int
    last: int
    filtered: bool = False


@dataclass(frozen=True)
class Page:
    """How a sheet is printed.

    Attributes:
        style: Name of its page style.
        landscape: Whether the paper lies on its long side.
        size: Width and height in whole millimetres.
        header: Text of the header in its three regions, `left | center | right`, or of the middle one alone where the
            others are empty; empty when it is switched off.
        footer: The same of the footer.
        scale: `100%`, or how many pages it is fitted to, such as `1x0` (one page wide, any number high).
    """

    style: str = "Default"
    landscape: bool = False
    size: tuple[int, int] = (0, 0)
    header: str = ""
    footer: str = ""
    scale: str = "100%"


@dataclass(frozen=True)
class Validation:
    """What may be entered into cells.

    Attributes:
        ranges: Where it holds, as rectangles such as `C2:C60`.
        condition: In the file's own words: `cell-content-is-in-list("a";"b")`.
        allow_empty: Whether a cell may stay empty.
        stops: Whether another entry is refused, and not only remarked upon.
        title: Of the message that is shown when something else is entered.
        message: Its text.
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
        range: Where it holds: `F2:F241`, several with spaces between.
        kind: `condition`, `color-scale`, `data-bar`, `icon-set` or `date-is`.
        rule: Of a condition, what must be true, such as `>1000`, `between(1,5)` or `duplicate`.
        bold: How cells look for which it is true.
        colour: Of their letters.
        background: Behind them.
    """

    range: str
    kind: str
    rule: str = ""
    bold: bool = False
    colour: str = ""
    background: str = ""


@dataclass(frozen=True)
class ChartSeries:
    """A series: where its values, name and categories (of a scatter chart, its x values) are taken from."""

    values: str = ""
    label: str = ""
    categories: str = ""


@dataclass(frozen=True)
class SheetChart:
    """A chart on a sheet: `kind` is `bar`, `line`, `pie`, `area`, `scatter`, `ring`, ...

    Attributes:
        sideways: Whether the bars lie.
        stacked: Whether series are put upon each other.
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
    """A field of a pivot table: `orientation` is `row`, `column`, `data` or `page`; `function` only counts for data."""

    source: str
    orientation: str
    function: str = ""


@dataclass(frozen=True)
class PivotTable:
    """A pivot table; those fields that are used, in order."""

    name: str
    source: str
    target: str
    fields: tuple[PivotField, ...] = ()


@dataclass(frozen=True)
class Filter:
    """A range with a filter.

    Attributes:
        range: With its head.
        buttons: Whether the head has buttons (an autofilter).
        conditions: What rows must fulfil to be shown: column counted from 0 within the range, operator, values.
    """

    range: str
    buttons: bool
    conditions: tuple[tuple[int, str, tuple[str, ...]], ...] = ()


@dataclass(frozen=True)
class NamedRange:
    """A name for cells or for a formula; `sheet` is set for one that only counts there."""

    name: str
    refers_to: str
    sheet: str = ""


@dataclass(frozen=True)
class Properties:
    """What the file says about itself."""

    title: str = ""
    subject: str = ""
    description: str = ""
    keywords: tuple[str, ...] = ()
    custom: tuple[tuple[str, str], ...] = ()
