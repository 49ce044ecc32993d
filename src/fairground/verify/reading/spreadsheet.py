"""Spreadsheet files as workbooks: ODS, XLSX and CSV, read without trusting them.

Every reader returns a `Workbook` or raises `StateError`, within limits of time and memory.
"""

from __future__ import annotations

import csv
import io
import math
import re

from fairground.core import StateError
from fairground.verify.reading.ods import read_ods
from fairground.verify.reading.workbook import (
    MAX_TEXT,
    Cell,
    CellBudget,
    Merged,
    NumberFormat,
    Sheet,
    SheetBuilder,
    Workbook,
    address,
    position,
)
from fairground.verify.reading.xlsx import read_xlsx

__all__ = [
    "Cell",
    "Merged",
    "NumberFormat",
    "Sheet",
    "Workbook",
    "address",
    "position",
    "read_csv",
    "read_ods",
    "read_xlsx",
]

MAX_CSV = 64 << 20


def read_csv(data: bytes, *, delimiter: str = ",", encoding: str = "utf-8-sig", name: str = "Sheet1") -> Workbook:
    """Read delimiter-separated values as a workbook with one sheet.

    Plain decimal numbers (`-12.5`, `1e3`, but not `1,000` or `nan`) become numbers; everything else is text.

    Raises:
        StateError: It is not text in this encoding, has an unclosed quote, or is over a limit.
    """
    what = "table (.csv)"
    if len(data) > MAX_CSV:
        raise StateError(f"{what}: {len(data)} bytes, expected at most {MAX_CSV}")
    try:
        text = data.decode(encoding)
    except (UnicodeDecodeError, LookupError) as error:
        raise StateError(f"{what}: not text in {encoding}: {error}") from None
    if "\0" in text:
        raise StateError(f"{what}: it holds null characters, so it is no text")
    builder = SheetBuilder(what, CellBudget())
    try:
        for row, fields in enumerate(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)):
            for column, entry in enumerate(fields):
                builder.put(row, column, _cell(entry))
    except csv.Error as error:
        raise StateError(f"{what}: {error}") from None
    return Workbook((Sheet(name, builder.cells),))


# White space as accepted by `float`, which is less than `\s`.
_NUMBER = re.compile(r"[ \t]*[+-]?(?:[0-9]{1,300}(?:\.[0-9]{0,300})?|\.[0-9]{1,300})(?:[eE][+-]?[0-9]{1,3})?[ \t]*")


def _cell(entry: str) -> Cell:
    if not entry:
        return Cell()
    if len(entry) <= MAX_TEXT and _NUMBER.fullmatch(entry) and math.isfinite(number := float(entry)):
        return Cell("number", number, text=entry)
    return Cell("text", entry, text=entry)
