"""Workbooks of public data; `data/README.md` names the sources."""

from __future__ import annotations

import csv
import io
from datetime import date
from importlib.resources import files

from fairground_desk.calc.odswriter import Entry, Styled, Table

GROUP = 1
"""The column with the group of a row, in every table."""


def survey(name: str) -> list[Table]:
    """Return the table as the sheet Data, and a sheet of notes."""
    text = files(__package__).joinpath("data", f"{name}.csv").read_text(encoding="utf-8")
    head, *rows = csv.reader(io.StringIO(text))
    lines: list[list[Entry]] = [[Styled(label, "head") for label in head]]
    lines += [[_entry(value) for value in row] for row in rows]
    notes: list[list[Entry]] = [
        [Styled("About this table", "title")],
        [],
        ["Rows", float(len(rows))],
        ["Columns", float(len(head))],
        ["Source", _SOURCES[name]],
    ]
    return [Table("Data", lines, [4.6, *[3.2] * (len(head) - 1)]), Table("Notes", notes, (4.0, 9.0))]


_SOURCES = {
    "weather": "NOAA, Seattle, 2014",
    "cars": "StatLib, ASA exposition of 1983",
    "barley": "Immer et al., 1934",
    "penguins": "Gorman et al., 2014",
}


def _entry(text: str) -> Entry:
    if len(text) == 10 and text[4] == text[7] == "-":
        return Styled(date.fromisoformat(text), "day")
    try:
        return float(text)
    except ValueError:
        return text
