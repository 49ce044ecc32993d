"""Reading OpenDocument spreadsheets (.ods), as written by LibreOffice, or crafted by an attacker."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import TypeAlias
from xml.etree.ElementTree import Element

from fairground.core import StateError
from fairground.verify.reading.archive import Archive
from fairground.verify.reading.odf import flat_text
from fairground.verify.reading.ods_parts import (
    plain_range,
    read_charts,
    read_conditions,
    read_filters,
    read_frozen,
    read_names,
    read_pages,
    read_pivots,
    read_properties,
    read_validations,
    split_ranges,
)
from fairground.verify.reading.ods_styles import USUAL_WIDTH, Styles, read_styles, table, tag
from fairground.verify.reading.workbook import (
    MAX_COLUMNS,
    MAX_ROWS,
    Cell,
    CellBudget,
    Kind,
    Merged,
    Sheet,
    SheetBuilder,
    Value,
    Workbook,
    address,
)
from fairground.verify.reading.workbook_parts import Columns, HiddenRows, Page
from fairground.verify.reading.writing import WESTERN, Writing, writings

MIMETYPE = "application/vnd.oasis.opendocument.spreadsheet"
MAX_SHEETS = 1_000

_WHAT = "spreadsheet (.ods)"
_CALCEXT = "{urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0}"

# Names that are needed for every cell.
_CELLS = (table("table-cell"), table("covered-table-cell"))
_ACROSS, _DOWN = table("number-columns-repeated"), table("number-rows-repeated")
_ROWS_SPANNED, _COLUMNS_SPANNED = table("number-rows-spanned"), table("number-columns-spanned")
_STYLE, _LINE_STYLE = table("style-name"), table("default-cell-style-name")
_RULE, _VISIBILITY, _FORMULA = table("content-validation-name"), table("visibility"), table("formula")
_TYPE, _VALUE, _ANNOTATION = tag("office", "value-type"), tag("office", "value"), tag("office", "annotation")
_ERROR, _PARAGRAPH = f"{_CALCEXT}value-type", tag("text", "p")
_EMPTY = Cell()
_WESTERN: frozenset[Writing] = frozenset({WESTERN})


@lru_cache(maxsize=4)
def read_ods(data: bytes) -> Workbook:
    """Read a workbook.

    Raises:
        StateError: It is not such a file, is damaged or encrypted, or is over a limit.
    """
    archive = Archive(data, what=_WHAT)
    if "mimetype" not in archive or archive.read("mimetype").strip() != MIMETYPE.encode():
        raise StateError(f"{_WHAT}: its mimetype is not {MIMETYPE}")
    if "META-INF/manifest.xml" in archive:
        for element in archive.xml("META-INF/manifest.xml").iter():
            if element.tag.endswith("}encryption-data"):
                raise StateError(f"{_WHAT}: it is encrypted with a password")
    content = archive.xml("content.xml")
    shared = archive.xml("styles.xml") if "styles.xml" in archive else None
    body = content.find(f"{tag('office', 'body')}/{tag('office', 'spreadsheet')}")
    if body is None:
        raise StateError(f"{_WHAT}: its content is not a spreadsheet")
    reading = _Reading(archive, read_styles(shared, content), read_pages(shared), read_frozen(archive))
    sheets: list[Sheet] = []
    for element in body.findall(table("table")):
        if len(sheets) >= MAX_SHEETS:
            raise StateError(f"{_WHAT}: more than {MAX_SHEETS} sheets")
        sheets.append(_read_sheet(element, reading))
    names = [sheet.name for sheet in sheets]
    if not sheets or len(set(names)) != len(names):
        raise StateError(f"{_WHAT}: no sheets, or two of one name")
    rules = read_validations(body, reading.validated)
    return Workbook(
        sheets=tuple(replace(sheet, validations=rules.get(sheet.name, ())) for sheet in sheets),
        ranges=read_names(body),
        filters=read_filters(body),
        pivots=read_pivots(body),
        properties=read_properties(archive),
    )


@dataclass(frozen=True)
class _Reading:
    """The shared state of the sheets while a workbook is read."""

    archive: Archive
    styles: Styles
    pages: Mapping[str, Page]
    frozen: Mapping[str, tuple[int, int]]
    budget: CellBudget = field(default_factory=CellBudget)
    validated: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    """Sheets and rectangles by name of their validation rule."""


def _read_sheet(element: Element, reading: _Reading) -> Sheet:
    name = element.get(table("name"), "")
    what = f"{_WHAT}: sheet {name[:80]!r}"
    builder = SheetBuilder(what, reading.budget)
    merged: list[Merged] = []
    columns = _Columns(element, reading.styles, what)
    hidden: list[HiddenRows] = []
    areas = _Areas()
    row = 0
    for line in _inside(element, "table-row"):
        rows = _count(line, _DOWN, MAX_ROWS, what)
        seen = line.get(_VISIBILITY, "visible")
        if seen != "visible":
            _hide(hidden, row, row + rows - 1, seen == "filter")
        column = 0
        for part in line:
            if part.tag not in _CELLS:
                continue
            across = _count(part, _ACROSS, MAX_COLUMNS, what)
            kind, _, formula, text, comment = content = _read_cell(part, what)
            cell = _EMPTY
            if kind != "empty" or formula or comment:
                own = part.get(_STYLE) or line.get(_LINE_STYLE)
                kinds = frozenset(writing for _, writing in writings(text)) if kind == "text" else _WESTERN
                look = reading.styles.cell(own or columns.style(column), kinds or _WESTERN)
                cell = Cell(*content, **vars(look))
            builder.put(row, column, cell, rows=rows, columns=across)
            if rule := part.get(_RULE):
                areas.add(rule, row, column, rows, across, what)
            if part.get(_ROWS_SPANNED) is not None or part.get(_COLUMNS_SPANNED) is not None:
                down, wide = (
                    _count(part, _ROWS_SPANNED, MAX_ROWS, what),
                    _count(part, _COLUMNS_SPANNED, MAX_COLUMNS, what),
                )
                if down > 1 or wide > 1:
                    merged.append(Merged(row, column, down, wide))
            column += across
        row += rows
        if row > MAX_ROWS:
            raise StateError(f"{what}: {row} rows, expected at most {MAX_ROWS}")
    for rule, rectangles in areas.found.items():
        reading.validated.setdefault(rule, []).extend((name, rectangle) for rectangle in rectangles)
    style = reading.styles.sheet(element.get(table("style-name")))
    return Sheet(
        name=name,
        cells=builder.cells,
        merged=tuple(merged),
        visible=style.visible,
        columns=columns.changed,
        hidden_rows=tuple(hidden),
        frozen=reading.frozen.get(name, (0, 0)),
        protected=element.get(table("protected")) == "true",
        tab_colour=style.tab_colour,
        print_ranges=tuple(map(plain_range, split_ranges(element.get(table("print-ranges"), "")))),
        repeated_rows=_repeated(element, what),
        page=reading.pages.get(style.page, Page(style.page)),
        conditions=read_conditions(element, reading.styles),
        charts=read_charts(element, reading.archive),
    )


def _hide(hidden: list[HiddenRows], first: int, last: int, filtered: bool) -> None:
    if hidden and hidden[-1].last == first - 1 and hidden[-1].filtered == filtered:
        hidden[-1] = replace(hidden[-1], last=last)
    else:
        hidden.append(HiddenRows(first, last, filtered))


def _repeated(element: Element, what: str) -> tuple[int, int] | None:
    """The rows that are repeated on every printed page."""
    row = 0
    for child in element:
        count = sum(_count(line, _DOWN, MAX_ROWS, what) for line in _inside_of(child, "table-row"))
        if child.tag == table("table-header-rows"):
            return (row, row + count - 1) if count else None
        row += count
    return None


class _Areas:
    """Rectangles of cells with the same rule. Adjacent rows are merged."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, int, int], tuple[int, int]] = {}
        self._left = 10_000
        self._done: dict[str, list[tuple[int, int, int, int]]] = {}

    def add(self, rule: str, row: int, column: int, rows: int, columns: int, what: str) -> None:
        """Add a block that has the rule."""
        key = (rule, column, column + columns - 1)
        if (known := self._open.get(key)) is not None and known[1] == row - 1:
            self._open[key] = (known[0], row + rows - 1)
            return
        self._left -= 1
        if self._left < 0:
            raise StateError(f"{what}: rules for entries in too many places")
        if known is not None:
            self._done.setdefault(rule, []).append((key[1], known[0], key[2], known[1]))
        self._open[key] = (row, row + rows - 1)

    @property
    def found(self) -> dict[str, list[str]]:
        """Rectangles by rule."""
        every = {rule: list(corners) for rule, corners in self._done.items()}
        for (rule, left, right), (top, bottom) in self._open.items():
            every.setdefault(rule, []).append((left, top, right, bottom))
        return {rule: [_rectangle(*box) for box in sorted(boxes)] for rule, boxes in every.items()}


def _rectangle(left: int, top: int, right: int, bottom: int) -> str:
    first, last = address(top, left), address(bottom, right)
    return first if first == last else f"{first}:{last}"


class _Columns:
    """Default cell style and width of columns. Repeated columns are stored as ranges."""

    def __init__(self, element: Element, styles: Styles, what: str) -> None:
        self._ends: list[int] = []
        self._names: list[str | None] = []
        changed: list[Columns] = []
        end = 0
        for column in _inside(element, "table-column"):
            first = end
            end += _count(column, _ACROSS, MAX_COLUMNS, what)
            if end > MAX_COLUMNS:
                raise StateError(f"{what}: {end} columns, expected at most {MAX_COLUMNS}")
            self._ends.append(end)
            self._names.append(column.get(table("default-cell-style-name")))
            width = styles.width(column.get(table("style-name")))
            hidden = column.get(table("visibility"), "visible") != "visible"
            if changed and changed[-1].last == first - 1 and (changed[-1].width, changed[-1].hidden) == (width, hidden):
                changed[-1] = replace(changed[-1], last=end - 1)
            elif width != USUAL_WIDTH or hidden:
                changed.append(Columns(first, end - 1, width, hidden))
        self.changed = tuple(changed)

    def style(self, column: int) -> str | None:
        place = bisect_right(self._ends, column)
        return self._names[place] if place < len(self._names) else None


_GROUPS = frozenset(
    table(f"table-{name}") for name in ("header-rows", "row-group", "rows", "header-columns", "column-group", "columns")
)


def _inside(element: Element, name: str) -> Iterator[Element]:
    """Rows or columns of a sheet, including those in groups and headers, but not those inside cells."""
    for child in element:
        yield from _inside_of(child, name)


def _inside_of(child: Element, name: str) -> Iterator[Element]:
    if child.tag == table(name):
        yield child
    elif child.tag in _GROUPS:
        yield from _inside(child, name)


def _count(element: Element, name: str, most: int, what: str) -> int:
    text = element.get(name)
    if text is None:
        return 1
    if not re.fullmatch(r"[0-9]{1,9}", text) or not 1 <= int(text) <= most:
        raise StateError(f"{what}: {name.partition('}')[2]} is {text[:40]!r}, expected 1 to {most}")
    return int(text)


_Content: TypeAlias = tuple[Kind, Value, str, str, str]
"""Kind, value, formula, text and comment of a cell."""


def _read_cell(element: Element, what: str) -> _Content:
    kind = element.get(_TYPE, "")
    if not kind and not len(element) and element.get(_FORMULA) is None and element.get(_ERROR) is None:
        return "empty", None, "", "", ""
    formula = _formula(element.get(_FORMULA, ""))
    annotation = element.find(_ANNOTATION)
    comment = "" if annotation is None else _paragraphs(annotation)
    text = _paragraphs(element)
    if element.get(_ERROR) == "error":
        return "error", text, formula, text, comment
    if kind in ("float", "percentage", "currency"):
        return "number", _number(element.get(_VALUE, ""), what), formula, text, comment
    if kind == "boolean":
        written_value = element.get(tag("office", "boolean-value"), "")
        if written_value in ("true", "false"):
            return "bool", written_value == "true", formula, text, comment
        # Calc writes any number this way that is only displayed as a truth value.
        return "number", _number(written_value, what), formula, text, comment
    if kind == "date":
        moment = _date(element.get(tag("office", "date-value"), ""), what)
        return "number" if isinstance(moment, float) else "date", moment, formula, text, comment
    if kind == "time":
        return "time", _time(element.get(tag("office", "time-value"), ""), what), formula, text, comment
    if kind == "string":
        return "text", element.get(tag("office", "string-value"), text), formula, text, comment
    if kind:
        raise StateError(f"{what}: a cell has the unknown type {kind[:40]!r}")
    if formula:
        # Calc writes a formula with an empty text as its result this way
        return "text", text, formula, text, comment
    return "text" if text else "empty", text or None, formula, text, comment


def _number(text: str, what: str) -> float:
    try:
        number = float(text) if len(text) <= 400 else math.nan
    except ValueError:
        number = math.nan
    # Non-finite numbers would make comparisons pass or fail by accident.
    if not math.isfinite(number):
        raise StateError(f"{what}: {text[:40]!r} is not a finite number")
    return number


def _date(text: str, what: str) -> date | float:
    """A date; for a year that Python does not support, the number of days since 30 December 1899."""
    if _LOST_DATE.fullmatch(text[:60]):
        return _EPOCH.date()
    if (far := _FAR_DATE.fullmatch(text[:60])) is not None:
        year, month, day, hours, minutes, seconds = (float(part or 0) for part in far.groups())
        # The calendar repeats every 400 years; Calc has no year 0.
        cycles, year = divmod(int(year) + (year < 0), 400)
        try:
            days = (datetime(2000 + year, int(month), int(day)) - _EPOCH).days
        except ValueError:
            raise StateError(f"{what}: {text[:40]!r} is not a date") from None
        return (cycles - 5) * 146_097 + days + (hours * 60 + minutes) / 1440 + seconds / 86_400
    try:
        # The fraction of a second can have more digits than Python parses.
        moment = datetime.fromisoformat(re.sub(r"(\.[0-9]{6})[0-9]+", r"\1", text[:60]))
    except ValueError:
        raise StateError(f"{what}: {text[:40]!r} is not a date") from None
    return moment if "T" in text else moment.date()


_EPOCH = datetime(1899, 12, 30)
_FAR_DATE = re.compile(
    r"(-[0-9]{4,5}|[1-9][0-9]{4})-([0-9]{2})-([0-9]{2})(?:T([0-9]{2}):([0-9]{2}):([0-9]{2}(?:\.[0-9]{1,20})?))?"
)
# What Calc writes for a number that is not a date or time it can represent. On opening the file, it reads 0.
_LOST_DATE = re.compile(r"-000-32768-01-01(T00:00:00)?")
_LOST_DURATION = re.compile(r"-?PT(-2147483648H(00M00|-2147483648M-2147483648)S|[0-9]{1,10}H0-1M59\.9[0-9]{1,20}S)")
_DURATION = re.compile(r"(-?)P(?:([0-9]{1,6})D)?T([0-9]{1,10})H([0-9]{1,7})M([0-9]{1,7}(?:\.[0-9]{1,20})?)S")


def _time(text: str, what: str) -> timedelta:
    if _LOST_DURATION.fullmatch(text[:80]):
        return timedelta()
    match = _DURATION.fullmatch(text[:80])
    if match is None:
        raise StateError(f"{what}: {text[:40]!r} is not a duration")
    sign, days, hours, minutes, seconds = match.groups()
    length = timedelta(days=int(days or 0), hours=int(hours), minutes=int(minutes), seconds=float(seconds))
    return -length if sign else length


_LITERAL_OR_REFERENCE = re.compile(r"\"(?:[^\"]|\"\")*\"|\[((?:'(?:[^']|'')*'|[^\]'])*)\]")


def _formula(text: str) -> str:
    """A formula as a user types it: `of:=SUM([.A1:.A3])` becomes `=SUM(A1:A3)`."""
    if not text:
        return ""
    text = re.sub(r"^[A-Za-z]{1,10}:(?==)", "", text)

    def typed(found: re.Match[str]) -> str:
        inner = found[1]
        return found[0] if inner is None else re.sub(r"(^|:)\.", r"\1", inner)

    return _LITERAL_OR_REFERENCE.sub(typed, text)


def _paragraphs(element: Element) -> str:
    # Runs of plain spaces are kept, although the format defines them as one, because Calc writes and reads them as they
    # are.
    return "\n".join(
        flat_text(child, spaces=200_000) if len(child) else child.text or ""
        for child in element
        if child.tag == _PARAGRAPH
    )
