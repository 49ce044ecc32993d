"""The parts of an OpenDocument spreadsheet besides its cells, read within limits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from xml.etree.ElementTree import Element

from fairground.core import StateError
from fairground.verify.reading.archive import Archive
from fairground.verify.reading.odf import flat_text, get, length, short, tag
from fairground.verify.reading.ods_styles import Styles
from fairground.verify.reading.workbook_parts import (
    ChartSeries,
    Condition,
    Filter,
    NamedRange,
    Page,
    PivotField,
    PivotTable,
    Properties,
    SheetChart,
    Validation,
)

MAX_PARTS = 2_000  # maximum per kind in a workbook

_CALCEXT = "{urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0}"
_PIECE = re.compile(r"((?:\$?'(?:[^']|'')*'|\$?[^\s.:'$]*)\.)?(\$?[A-Z]{1,3}\$?[0-9]{1,7})")


def plain_range(text: str) -> str:
    """A range as users write it: `$Sales.$A$1:$Sales.$F$9` and `Sales.A1:.F9` become `Sales.A1:F9`."""
    first, _, last = _split(text.strip()[:2_000])
    start, end = _PIECE.fullmatch(first), _PIECE.fullmatch(last)
    if start is None:
        return text.strip()[:2_000].replace("$", "")
    sheet = (start[1] or "").removesuffix(".").removeprefix("$")
    if re.fullmatch(r"'\w+'", sheet):
        sheet = sheet[1:-1]
    result = f"{sheet}." if sheet else ""
    result += start[2].replace("$", "")
    if end is not None and end[2].replace("$", "") != start[2].replace("$", ""):
        result += ":" + end[2].replace("$", "")
    return result


def without_sheet(text: str) -> str:
    """The ranges in a list, without their sheets."""
    return " ".join(plain_range(entry).rpartition(".")[2] for entry in split_ranges(text))


def split_ranges(text: str) -> list[str]:
    """Split a list of ranges separated by spaces."""
    return re.findall(r"(?:'(?:[^']|'')*'|[^\s'])+", text[:20_000])


def _split(text: str) -> tuple[str, str, str]:
    match = re.fullmatch(r"((?:'(?:[^']|'')*'|[^:'])*)(:?)(.*)", text, re.DOTALL)
    return (match[1], match[2], match[3]) if match else (text, "", "")


def read_names(body: Element) -> tuple[NamedRange, ...]:
    """Named ranges and formulas, those of the whole workbook and those of one sheet, by name."""
    names = list(_names(body, ""))
    for sheet in body.findall(tag("table:table")):
        names += _names(sheet, get(sheet, "table:name"))
    return tuple(sorted(_limited(names), key=lambda entry: (entry.sheet, entry.name)))


def _names(element: Element, sheet: str) -> Iterator[NamedRange]:
    for group in element.findall(tag("table:named-expressions")):
        for entry in group:
            if short(entry) == "table:named-range":
                yield NamedRange(get(entry, "table:name"), plain_range(get(entry, "table:cell-range-address")), sheet)
            elif short(entry) == "table:named-expression":
                yield NamedRange(get(entry, "table:name"), get(entry, "table:expression"), sheet)


def read_filters(body: Element) -> tuple[Filter, ...]:
    """Ranges that have filter buttons or a filter. Ranges that were only sorted are ignored."""
    filters = []
    for database_range in body.findall(f"{tag('table:database-ranges')}/{tag('table:database-range')}"):
        conditions = database_range.find(tag("table:filter"))
        buttons = get(database_range, "table:display-filter-buttons") == "true"
        if buttons or conditions is not None:
            rules = () if conditions is None else tuple(_rules(conditions))
            filters.append(Filter(plain_range(get(database_range, "table:target-range-address")), buttons, rules))
    return tuple(_limited(filters))


def _rules(element: Element) -> Iterator[tuple[int, str, tuple[str, ...]]]:
    for condition in _limited(element.iter(tag("table:filter-condition"))):
        items = tuple(get(item, "table:value") for item in condition.findall(tag("table:filter-set-item")))
        number = get(condition, "table:field-number")
        column = int(number) if re.fullmatch(r"[0-9]{1,5}", number) else -1
        yield column, get(condition, "table:operator"), items or (get(condition, "table:value"),)


def read_pivots(body: Element) -> tuple[PivotTable, ...]:
    """The pivot tables."""
    pivots = []
    for pivot in body.findall(f"{tag('table:data-pilot-tables')}/{tag('table:data-pilot-table')}"):
        source = pivot.find(tag("table:source-cell-range"))
        fields = [
            PivotField(
                get(field, "table:source-field-name"),
                (where := get(field, "table:orientation")),
                get(field, "table:function") if where == "data" else "",
            )
            for field in _limited(pivot.findall(tag("table:data-pilot-field")))
            if get(field, "table:orientation") not in ("", "hidden")
        ]
        # LibreOffice adds an unnamed field for the position of several data fields.
        used = tuple(field for field in fields if field.source and field.source != "Data")
        pivots.append(
            PivotTable(
                name=get(pivot, "table:name"),
                source="" if source is None else plain_range(get(source, "table:cell-range-address")),
                target=plain_range(get(pivot, "table:target-range-address")),
                fields=used,
            )
        )
    return tuple(_limited(pivots))


def read_validations(body: Element, places: Mapping[str, list[tuple[str, str]]]) -> dict[str, tuple[Validation, ...]]:
    """Validation rules by sheet.

    Args:
        body: The spreadsheet.
        places: By name of the rule, the sheets and rectangles that have it.
    """
    by_sheet: dict[str, list[Validation]] = {}
    path = f"{tag('table:content-validations')}/{tag('table:content-validation')}"
    for element in _limited(body.findall(path)):
        error = element.find(tag("table:error-message"))
        sheets: dict[str, list[str]] = {}
        for sheet, rectangle in places.get(get(element, "table:name"), ()):
            sheets.setdefault(sheet, []).append(rectangle)
        for sheet, ranges in sheets.items():
            rule = Validation(
                ranges=tuple(ranges),
                condition=re.sub(r"^(?:of|ooow|msoxl):", "", get(element, "table:condition"))[:10_000],
                allow_empty=get(element, "table:allow-empty-cell") != "false",
                stops=error is None or get(error, "table:message-type", "stop") == "stop",
                title="" if error is None else get(error, "table:title"),
                message="" if error is None else _text(error),
            )
            by_sheet.setdefault(sheet, []).append(rule)
    return {sheet: tuple(rules) for sheet, rules in by_sheet.items()}


def read_conditions(sheet: Element, styles: Styles) -> tuple[Condition, ...]:
    """The conditional formats of a sheet."""
    conditions = []
    for entry in _limited(sheet.iter(f"{_CALCEXT}conditional-format")):
        where = without_sheet(entry.get(f"{_CALCEXT}target-range-address", ""))
        for rule in _limited(entry):
            kind = str(rule.tag).removeprefix(_CALCEXT)
            if kind == "condition":
                look = styles.named(rule.get(f"{_CALCEXT}apply-style-name", ""))
                formula = rule.get(f"{_CALCEXT}value", "")[:10_000]
                conditions.append(Condition(where, kind, formula, look.bold, look.colour, look.background))
            else:
                conditions.append(Condition(where, kind))
    return tuple(conditions)


def read_charts(sheet: Element, archive: Archive) -> tuple[SheetChart, ...]:
    """The charts on a sheet, without their cached values, which follow from the cells."""
    charts = []
    for frame in _limited(sheet.iter(tag("draw:object"))):
        entry = get(frame, "xlink:href").removeprefix("./") + "/content.xml"
        if entry in archive:
            root = archive.xml(entry)
            chart = root.find(f"{tag('office:body')}/{tag('office:chart')}/{tag('chart:chart')}")
            if chart is not None:
                charts.append(_chart(chart, root))
    return tuple(charts)


def _chart(chart: Element, root: Element) -> SheetChart:
    plot = chart.find(tag("chart:plot-area"))
    axes = [] if plot is None else plot.findall(tag("chart:axis"))
    titles = {get(axis, "chart:dimension"): _text(axis.find(tag("chart:title"))) for axis in axes}
    shared = next(
        (get(category, "table:cell-range-address") for axis in axes for category in axis.iter(tag("chart:categories"))),
        "",
    )
    chart_style = _chart_style(root, "" if plot is None else get(plot, "chart:style-name"))
    series = []
    for entry in _limited([] if plot is None else plot.findall(tag("chart:series"))):
        domain = entry.find(tag("chart:domain"))
        categories = shared if domain is None else get(domain, "table:cell-range-address")
        series.append(
            ChartSeries(
                plain_range(get(entry, "chart:values-cell-range-address")),
                plain_range(get(entry, "chart:label-cell-address")),
                plain_range(categories),
            )
        )
    return SheetChart(
        kind=get(chart, "chart:class").rpartition(":")[2].replace("circle", "pie"),
        title=_text(chart.find(tag("chart:title"))),
        subtitle=_text(chart.find(tag("chart:subtitle"))),
        x_title=titles.get("x", ""),
        y_title=titles.get("y", ""),
        legend=chart.find(tag("chart:legend")) is not None,
        sideways=chart_style.get(tag("chart:vertical")) == "true",
        stacked="true" in (chart_style.get(tag("chart:stacked")), chart_style.get(tag("chart:percentage"))),
        series=tuple(series),
    )


def _chart_style(root: Element, name: str) -> Mapping[str, str]:
    for style in root.findall(f"{tag('office:automatic-styles')}/{tag('style:style')}"):
        if get(style, "style:name") == name:
            properties = style.find(tag("style:chart-properties"))
            return {} if properties is None else properties.attrib
    return {}


def read_pages(styles: Element | None) -> dict[str, Page]:
    """Page styles by name."""
    if styles is None:
        return {}
    layouts = {
        get(page_layout, "style:name"): page_layout
        for page_layout in styles.findall(f"{tag('office:automatic-styles')}/{tag('style:page-layout')}")
    }
    pages = {}
    for master in _limited(styles.findall(f"{tag('office:master-styles')}/{tag('style:master-page')}")):
        name = get(master, "style:name")
        layout = layouts.get(get(master, "style:page-layout-name"))
        properties = None if layout is None else layout.find(tag("style:page-layout-properties"))
        attributes = {} if properties is None else properties.attrib
        pages[name] = Page(
            style=get(master, "style:display-name") or name,
            landscape=attributes.get(tag("style:print-orientation")) == "landscape",
            size=(
                round(length(attributes.get(tag("fo:page-width"), ""))),
                round(length(attributes.get(tag("fo:page-height"), ""))),
            ),
            header=_region(master.find(tag("style:header"))),
            footer=_region(master.find(tag("style:footer"))),
            scale=_scale(attributes),
        )
    return pages


def _scale(said: Mapping[str, str]) -> str:
    across, down = said.get(tag("style:scale-to-X"), ""), said.get(tag("style:scale-to-Y"), "")
    if across or down:
        return f"{across or '0'}x{down or '0'}"
    if pages := said.get(tag("style:scale-to-pages"), ""):
        return f"{pages} pages"
    return said.get(tag("style:scale-to"), "100%")


def _region(element: Element | None) -> str:
    if element is None or get(element, "style:display") == "false":
        return ""
    parts = {short(part).removeprefix("style:region-"): _text(part) for part in element}
    sides = [parts.get(side, "") for side in ("left", "center", "right")]
    return " | ".join(sides) if any(sides) else _text(element)


def read_properties(archive: Archive) -> Properties:
    """The document properties."""
    meta = archive.xml("meta.xml").find(tag("office:meta")) if "meta.xml" in archive else None
    if meta is None:
        return Properties()
    words = (word.strip() for keyword in meta.findall(tag("meta:keyword")) for word in (keyword.text or "").split(","))
    return Properties(
        title=meta.findtext(tag("dc:title")) or "",
        subject=meta.findtext(tag("dc:subject")) or "",
        description=meta.findtext(tag("dc:description")) or "",
        keywords=tuple(word for word in words if word),
        custom=tuple(
            sorted((get(custom, "meta:name"), custom.text or "") for custom in meta.findall(tag("meta:user-defined")))
        ),
    )


def read_frozen(archive: Archive) -> dict[str, tuple[int, int]]:
    """Number of frozen rows and columns by sheet."""
    if "settings.xml" not in archive:
        return {}
    frozen = {}
    for group in archive.xml("settings.xml").iter(tag("config:config-item-map-named")):
        if get(group, "config:name") != "Tables":
            continue
        for sheet in _limited(group):
            items = {get(item, "config:name"): item.text or "" for item in sheet}
            down, across = _kept(items, "Vertical"), _kept(items, "Horizontal")
            if down or across:
                frozen[get(sheet, "config:name")] = (down, across)
    return frozen


def _kept(said: Mapping[str, str], way: str) -> int:
    at = said.get(f"{way}SplitPosition", "")
    return int(at) if said.get(f"{way}SplitMode") == "2" and re.fullmatch(r"[0-9]{1,7}", at) else 0


def _text(element: Element | None) -> str:
    if element is None:
        return ""
    lines = [flat_text(line) for line in element.iter(tag("text:p"))]
    return "\n".join(lines)[:10_000]


def _limited(found: Iterable[Element] | list[Filter] | list[NamedRange] | list[PivotTable]) -> list:  # type: ignore[type-arg]
    parts = list(found)
    if len(parts) > MAX_PARTS:
        raise StateError(f"spreadsheet (.ods): {len(parts)} parts of one kind, expected at most {MAX_PARTS}")
    return parts
