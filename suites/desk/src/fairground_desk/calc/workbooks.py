"""All the files of a profile, by path, and where a workbook opens."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from fairground_desk.calc import business, sales, survey
from fairground_desk.calc.odswriter import Table, View, write_ods

FOLDER = "~/Documents"
SALES = f"{FOLDER}/sales.ods"
STAFF = f"{FOLDER}/staff.ods"
BUDGET = f"{FOLDER}/budget.ods"
STOCK = f"{FOLDER}/stock.ods"
SURVEY = f"{FOLDER}/survey.ods"
BANK = f"{FOLDER}/bank"
STATEMENTS = (3, 4, 5)
"""Months of which a bank statement is there."""


@cache
def workbook(profile: str, path: str) -> tuple[Table, ...]:
    """The sheets of one workbook of a profile."""
    one = business.BUSINESSES[profile]
    makers = {
        SALES: lambda: sales.tables(sales.PROFILES[profile]),
        STAFF: lambda: business.staff(one),
        BUDGET: lambda: business.budget(one),
        STOCK: lambda: business.stock(one),
        SURVEY: lambda: survey.survey(one.survey),
    }
    return tuple(makers[path]())


@cache
def other_files(profile: str, opened: str) -> Mapping[str, bytes]:
    """Everything but the workbook that is opened."""
    one = business.BUSINESSES[profile]
    found = {
        path: write_ods(workbook(profile, path)) for path in (SALES, STAFF, BUDGET, STOCK, SURVEY) if path != opened
    }
    for month in STATEMENTS:
        found[f"{BANK}/statement-{month:02}.csv"] = business.statement(one, month).encode()
    found[f"{FOLDER}/to do.txt"] = _TO_DO.encode()
    return MappingProxyType(found)


def opened_at(profile: str, path: str, *, sheet: int = 0, row: int = 1, zoom: int = 100) -> bytes:
    """The workbook that is opened, at a sheet and a row, as far as it has them."""
    tables = workbook(profile, path)
    table = tables[sheet]
    return write_ods(tables, View(table.name, min(row, len(table.rows)), zoom))


_TO_DO = """Before the end of the month
- close the books: sales, then budget against actual
- stock: what is below its reorder level?
- staff: attendance list, workshops (some signed up twice)
- send the survey table to the others
"""
