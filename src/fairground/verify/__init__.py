"""From what was recorded to a verdict: checks, safe readers of untrusted files, judging.

Scenarios use the checks and readers; the environment uses `judge`. Imports `worlds` and below.
"""

from fairground.verify.checks import close_to, contains, equal, holds, plain, readable, unchanged
from fairground.verify.judging import judge
from fairground.verify.spreadsheet import (
    Cell,
    NumberFormat,
    Sheet,
    Workbook,
    address,
    position,
    read_csv,
    read_ods,
    read_xlsx,
)

__all__ = [
    "Cell",
    "NumberFormat",
    "Sheet",
    "Workbook",
    "address",
    "close_to",
    "contains",
    "equal",
    "holds",
    "judge",
    "plain",
    "position",
    "read_csv",
    "read_ods",
    "read_xlsx",
    "readable",
    "unchanged",
]
