"""Charts embedded in OpenDocument files, each a small document inside the package."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from fairground.core import StateError
from fairground.verify.reading.odf import Package, flat_text, get, number, short, tag, whole
from fairground.verify.reading.prose import Chart, Series

MAX_VALUES = 100_000


def read_chart(package: Package, name: str) -> Chart | None:
    """The chart in a folder of the package; None if it is something else."""
    if name not in package.charts:
        package.charts[name] = _read(package, name)
    return package.charts[name]


def _read(package: Package, name: str) -> Chart | None:
    entry = f"{name}/content.xml"
    if entry not in package.archive:
        return None
    chart = package.archive.xml(entry).find(f"{tag('office:body')}/{tag('office:chart')}/{tag('chart:chart')}")
    if chart is None:
        return None
    plot = chart.find(tag("chart:plot-area"))
    titles = {get(axis, "chart:dimension"): _text(axis.find(tag("chart:title"))) for axis in _axes(plot)}
    names, categories, columns = _data(chart)
    series_elements = [] if plot is None else plot.findall(tag("chart:series"))
    series = tuple(
        Series(
            names[place] if place < len(names) else "",
            columns[place] if place < len(columns) else (),
            get(element, "chart:values-cell-range-address"),
        )
        for place, element in enumerate(series_elements)
    )
    return Chart(
        kind=get(chart, "chart:class").rpartition(":")[2].replace("circle", "pie"),
        title=_text(chart.find(tag("chart:title"))),
        subtitle=_text(chart.find(tag("chart:subtitle"))),
        x_title=titles.get("x", ""),
        y_title=titles.get("y", ""),
        legend=chart.find(tag("chart:legend")) is not None,
        categories=categories,
        series=series,
    )


def _axes(plot: Element | None) -> list[Element]:
    return [] if plot is None else plot.findall(tag("chart:axis"))


def _data(chart: Element) -> tuple[list[str], tuple[str, ...], list[tuple[float | None, ...]]]:
    """Names of the series, names of the categories, and the series themselves, from the chart's table."""
    table = chart.find(tag("table:table"))
    if table is None:
        return [], (), []
    header: list[str] = []
    categories: list[str] = []
    rows: list[list[float | None]] = []
    left = MAX_VALUES
    for place, line in enumerate(table.iter(tag("table:table-row"))):
        cells = list(_cells(line))
        left -= len(cells) + 1
        if left < 0:
            raise StateError(f"a chart holds more than {MAX_VALUES} values")
        if place == 0:
            header = [_text(cell) for cell in cells[1:]]
            continue
        categories.append(_text(cells[0]) if cells else "")
        rows.append([number(get(cell, "office:value")) for cell in cells[1:]])
    width = max([len(header), *(len(row) for row in rows)])
    if width * len(rows) > MAX_VALUES:
        raise StateError(f"a chart holds more than {MAX_VALUES} values")
    columns = [tuple(row[at] if at < len(row) else None for row in rows) for at in range(width)]
    return header, tuple(categories), columns


def _cells(line: Element) -> Iterator[Element]:
    for cell in line:
        if short(cell) == "table:table-cell":
            for _ in range(whole(get(cell, "table:number-columns-repeated"), 1, 1_000)):
                yield cell


def _text(element: Element | None) -> str:
    if element is None:
        return ""
    return "\n".join(flat_text(line) for line in element.iter(tag("text:p")))[:10_000]
