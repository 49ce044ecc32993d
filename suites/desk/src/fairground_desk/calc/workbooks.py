"""All files of a profile by path, and where a workbook opens."""

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
"""Months that have a bank statement."""


@cache
def workbook(profile: str, path: str) -> tuple[Table, ...]:
    """Return the sheets of a workbook of a profile."""
    company = business.BUSINESSES[profile]
    makers = {
        SALES: lambda: sales.tables(sales.PROFILES[profile]),
        STAFF: lambda: business.staff(company),
        BUDGET: lambda: business.budget(company),
        STOCK: lambda: business.stock(company),
        SURVEY: lambda: survey.survey(company.survey),
    }
    return tuple(makers[path]())


@cache
def other_files(profile: str, opened: str) -> Mapping[str, bytes]:
    """Return all files except the opened workbook."""
    company = business.BUSINESSES[profile]
    written = {
        path: write_ods(workbook(profile, path)) for path in (SALES, STAFF, BUDGET, STOCK, SURVEY) if path != opened
    }
    for month in STATEMENTS:
        written[f"{BANK}/statement-{month:02}.csv"] = business.statement(company, month).encode()
    written[f"{FOLDER}/to do.txt"] = _TO_DO.encode()
    return MappingProxyType(written)


def opened_at(profile: str, path: str, *, sheet: int = 0, row: int = 1, zoom: int = 100) -> bytes:
    """Return the opened workbook, with a sheet and at most its last row selected."""
    tables = workbook(profile, path)
    table = tables[sheet]
    return write_ods(tables, View(table.name, min(row, len(table.rows)), zoom))


_TO_DO = """Before the end of the month
- close the books: sales, then budget against actual
- stock: what is below its reorder level?
- staff: attendance list, workshops (some signed up twice)
- send the survey table to the others
"""
