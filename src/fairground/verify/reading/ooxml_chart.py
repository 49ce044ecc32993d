"""Charts embedded in Office Open XML files."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from fairground.core import StateError
from fairground.verify.reading.odf import number
from fairground.verify.reading.ooxml import Package, path, short, tag, whole
from fairground.verify.reading.prose import Chart, Series

MAX_VALUES = 100_000


def read_chart(package: Package, part: str) -> Chart | None:
    """The chart of a part; None if there is none."""
    if part not in package.charts:
        package.charts[part] = _read(package, part)
    return package.charts[part]


def _read(package: Package, part: str) -> Chart | None:
    if part not in package.archive:
        return None
    chart = package.archive.xml(part).find(tag("c:chart"))
    if chart is None:
        return None
    plot = chart.find(tag("c:plotArea"))
    kind = ""
    series: list[Series] = []
    categories: tuple[str, ...] = ()
    x_title = y_title = ""
    for child in [] if plot is None else plot:
        name = short(child).removeprefix("c:")
        if name.endswith("Chart"):
            kind = kind or _KINDS.get(name, name.removesuffix("Chart"))
            for series_element in child.findall(tag("c:ser")):
                if len(series) >= 1_000:
                    raise StateError(f"{package.what}: a chart with more than 1000 series")
                categories = categories or _texts(series_element.find(tag("c:cat")))
                values = series_element.find(tag("c:val"))
                series.append(_series(series_element, series_element.find(tag("c:yVal")) if values is None else values))
        elif name in ("catAx", "dateAx"):
            x_title = _title(child)
        elif name == "valAx":
            y_title = _title(child)
    return Chart(
        kind=kind or "bar",
        title=_title(chart),
        x_title=x_title,
        y_title=y_title,
        legend=chart.find(tag("c:legend")) is not None,
        categories=categories,
        series=tuple(series),
    )


def _series(element: Element, values: Element | None) -> Series:
    name = element.findtext(path("c:tx/c:strRef/c:strCache/c:pt/c:v")) or element.findtext(path("c:tx/c:v")) or ""
    source = "" if values is None else values.findtext(path("c:numRef/c:f")) or ""
    return Series(name, tuple(number(text) for text in _texts(values)), source)


def _texts(element: Element | None) -> tuple[str, ...]:
    """The points of a cache in order; gaps are empty."""
    if element is None:
        return ()
    points = {whole(point.get("idx")): point.findtext(tag("c:v")) or "" for point in element.iter(tag("c:pt"))}
    count = max([-1, *points]) + 1
    if count > MAX_VALUES:
        raise StateError(f"a chart holds more than {MAX_VALUES} values")
    return tuple(points.get(place, "") for place in range(count))


def _title(element: Element) -> str:
    title = element.find(tag("c:title"))
    if title is None:
        return ""
    lines = ("".join(text.text or "" for text in line.iter(tag("a:t"))) for line in title.iter(tag("a:p")))
    return "\n".join(lines)[:10_000]


_KINDS = {
    "barChart": "bar",
    "bar3DChart": "bar",
    "lineChart": "line",
    "line3DChart": "line",
    "pieChart": "pie",
    "pie3DChart": "pie",
    "doughnutChart": "ring",
    "areaChart": "area",
    "area3DChart": "area",
    "scatterChart": "scatter",
    "bubbleChart": "bubble",
    "radarChart": "radar",
    "stockChart": "stock",
}
