"""Reading Office Open XML spreadsheets (.xlsx) of any program."""

from __future__ import annotations

import math
import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import lru_cache
from xml.etree.ElementTree import Element

from fairground.core import StateError
from fairground.verify.reading.archive import Archive
from fairground.verify.reading.ooxml import unescaped
from fairground.verify.reading.workbook import (
    Cell,
    CellBudget,
    Merged,
    NumberFormat,
    Position,
    Sheet,
    SheetBuilder,
    Workbook,
    address,
    position,
)
from fairground.verify.reading.xlsx_styles import CellStyle, read_cell_styles

MAX_SHEETS = 1_000

_WHAT = "spreadsheet (.xlsx)"
_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_PACKAGE = "{http://schemas.openxmlformats.org/package/2006/relationships}"


@lru_cache(maxsize=4)
def read_xlsx(data: bytes) -> Workbook:
    """Read a workbook.

    Raises:
        StateError: It is not such a file, is damaged or encrypted, or is over a limit.
    """
    if data[:8] == b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1":
        raise StateError(f"{_WHAT}: it is encrypted with a password, or an old binary format")
    archive = Archive(data, what=_WHAT)
    book = archive.xml("xl/workbook.xml")
    if book.tag != f"{_MAIN}workbook":
        raise StateError(f"{_WHAT}: its content is not a spreadsheet")
    parts = _relations(archive)
    shared = _Shared(
        strings=_strings(archive),
        styles=read_cell_styles(archive.xml("xl/styles.xml")) if "xl/styles.xml" in archive else (),
        epoch=_epoch(book),
    )
    budget = CellBudget()
    sheets: list[Sheet] = []
    for entry in book.findall(f"{_MAIN}sheets/{_MAIN}sheet"):
        if len(sheets) >= MAX_SHEETS:
            raise StateError(f"{_WHAT}: more than {MAX_SHEETS} sheets")
        name = unescaped(entry.get("name", ""))
        part = parts.get(entry.get(_RELATION, ""))
        if part is None:
            raise StateError(f"{_WHAT}: sheet {name[:80]!r} has no content")
        visible = entry.get("state", "visible") == "visible"
        sheets.append(_read_sheet(archive.xml(part), name, visible, shared, budget))
    names = [sheet.name for sheet in sheets]
    if not sheets or len(set(names)) != len(names):
        raise StateError(f"{_WHAT}: no sheets, or two of one name")
    return Workbook(tuple(sheets))


@dataclass(frozen=True)
class _Shared:
    strings: Sequence[str]
    styles: Sequence[CellStyle]
    epoch: datetime


def _relations(archive: Archive) -> dict[str, str]:
    targets = {}
    for element in archive.xml("xl/_rels/workbook.xml.rels").findall(f"{_PACKAGE}Relationship"):
        if element.get("TargetMode") != "External":
            target = element.get("Target", "")
            path = target.lstrip("/") if target.startswith("/") else posixpath.normpath(f"xl/{target}")
            targets[element.get("Id", "")] = path
    return targets


def _strings(archive: Archive) -> list[str]:
    if "xl/sharedStrings.xml" not in archive:
        return []
    return [_rich(element) for element in archive.xml("xl/sharedStrings.xml").findall(f"{_MAIN}si")]


def _rich(element: Element) -> str:
    """The text of a rich string, without phonetic readings."""
    direct = [child for child in element if child.tag == f"{_MAIN}t"]
    runs = element.findall(f"{_MAIN}r/{_MAIN}t")
    return unescaped("".join(part.text or "" for part in [*direct, *runs]))


def _epoch(book: Element) -> datetime:
    settings = book.find(f"{_MAIN}workbookPr")
    late = settings is not None and settings.get("date1904") in ("1", "true")
    # Day 60 of the 1900 system is 29 February 1900, which did not exist. This epoch is right from day 61 on.
    return datetime(1904, 1, 1) if late else datetime(1899, 12, 30)


def _read_sheet(root: Element, name: str, visible: bool, shared: _Shared, budget: CellBudget) -> Sheet:
    what = f"{_WHAT}: sheet {name[:80]!r}"
    builder = SheetBuilder(what, budget)
    formulas: dict[str, tuple[Position, str]] = {}
    row = -1
    for line in root.findall(f"{_MAIN}sheetData/{_MAIN}row"):
        row = _index(line.get("r"), row, what)
        column = -1
        for element in line.findall(f"{_MAIN}c"):
            where = element.get("r")
            if where is None:
                column += 1
            else:
                at, column = position(where)
                if at != row:
                    raise StateError(f"{what}: cell {where[:20]} stands in row {row + 1}")
            if (row, column) in builder.cells:
                raise StateError(f"{what}: cell {address(row, column)} is there twice")
            formula = _formula(element.find(f"{_MAIN}f"), (row, column), formulas)
            builder.put(row, column, _read_cell(element, formula, shared, what))
    return Sheet(name, builder.cells, tuple(_merged(root, what)), visible)


def _index(text: str | None, previous: int, what: str) -> int:
    if text is None:
        return previous + 1
    if not re.fullmatch(r"[1-9][0-9]{0,6}", text):
        raise StateError(f"{what}: a row is numbered {text[:20]!r}")
    return int(text) - 1


def _merged(root: Element, what: str) -> list[Merged]:
    merged = []
    for element in root.findall(f"{_MAIN}mergeCells/{_MAIN}mergeCell"):
        first, _, last = element.get("ref", "").partition(":")
        (top, left), (bottom, right) = position(first), position(last or first)
        if bottom < top or right < left:
            raise StateError(f"{what}: cells {first[:20]} to {last[:20]} are merged backwards")
        merged.append(Merged(top, left, bottom - top + 1, right - left + 1))
    return merged


def _read_cell(element: Element, formula: str, shared: _Shared, what: str) -> Cell:
    kind = element.get("t", "n")
    style = _style(element.get("s", "0"), shared.styles)
    content = element.findtext(f"{_MAIN}v")
    if kind == "inlineStr":
        inline = element.find(f"{_MAIN}is")
        text = "" if inline is None else _rich(inline)
        return Cell("text", text, formula, text, bold=style.bold, format=style.format)
    if content is None:
        return Cell(formula=formula, bold=style.bold, format=style.format)
    if kind == "s":
        if not re.fullmatch(r"[0-9]{1,9}", content) or int(content) >= len(shared.strings):
            raise StateError(f"{what}: a cell holds text number {content[:20]!r} of {len(shared.strings)}")
        content = shared.strings[int(content)]
        return Cell("text", content, formula, content, bold=style.bold, format=style.format)
    if kind == "str":
        content = unescaped(content)
        return Cell("text", content, formula, content, bold=style.bold, format=style.format)
    if kind == "b":
        if content not in ("0", "1"):
            raise StateError(f"{what}: a truth value is {content[:20]!r}")
        return Cell("bool", content == "1", formula, bold=style.bold, format=style.format)
    if kind == "e":
        return Cell("error", content, formula, content, bold=style.bold, format=style.format)
    if kind == "d":
        return Cell("date", _iso(content, what), formula, bold=style.bold, format=style.format)
    if kind == "n":
        return _numeric(content, formula, style, shared.epoch, what)
    raise StateError(f"{what}: a cell has the unknown type {kind[:20]!r}")


def _style(text: str, styles: Sequence[CellStyle]) -> CellStyle:
    number = int(text) if re.fullmatch(r"[0-9]{1,6}", text) else len(styles)
    return styles[number] if number < len(styles) else CellStyle(False, NumberFormat())


def _numeric(said: str, formula: str, style: CellStyle, epoch: datetime, what: str) -> Cell:
    try:
        number = float(said) if len(said) <= 400 else math.nan
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise StateError(f"{what}: {said[:40]!r} is not a finite number")
    if style.format.kind in ("date", "time"):
        try:
            length = timedelta(days=number)
            if style.format.kind == "time":
                return Cell("time", length, formula, bold=style.bold, format=style.format)
            # To the millisecond, the precision of a day's fraction in a float of this size.
            moment = epoch + timedelta(milliseconds=round(length / timedelta(milliseconds=1)))
        except OverflowError:
            return Cell("number", number, formula, bold=style.bold, format=style.format)
        value: date = moment.date() if number == int(number) else moment
        return Cell("date", value, formula, bold=style.bold, format=style.format)
    return Cell("number", number, formula, bold=style.bold, format=style.format)


def _iso(said: str, what: str) -> date:
    try:
        moment = datetime.fromisoformat(said[:60])
    except ValueError:
        raise StateError(f"{what}: {said[:40]!r} is not a date") from None
    return moment if "T" in said else moment.date()


def _formula(element: Element | None, here: Position, shared: dict[str, tuple[Position, str]]) -> str:
    """A cell's formula. A shared formula is stored once, and read as if copied from there."""
    if element is None:
        return ""
    text = element.text or ""
    if element.get("t") == "shared":
        group = element.get("si", "")
        if text:
            shared[group] = (here, text)
        elif group in shared:
            (row, column), text = shared[group]
            text = _copied(text, here[0] - row, here[1] - column)
    return f"={text}" if text else ""


_REFERENCE = re.compile(
    r"\"(?:[^\"]|\"\")*\"|'(?:[^']|'')*'|(?<![\w.$])(\$?)([A-Z]{1,3})(\$?)([1-9][0-9]{0,6})(?![\w(!.])"
)


def _copied(formula: str, down: int, right: int) -> str:
    """A formula after copying: addresses without `$` move along."""

    def moved(found: re.Match[str]) -> str:
        if found[2] is None:
            return found[0]
        row, column = position(found[2] + found[4])
        row, column = (row if found[3] else row + down), (column if found[1] else column + right)
        if row < 0 or column < 0:
            return "#REF!"
        letters = address(row, column).rstrip("0123456789")
        return f"{found[1]}{letters}{found[3]}{row + 1}"

    return _REFERENCE.sub(moved, formula)
