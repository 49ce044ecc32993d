"""References of formulas: checks use them to find out whether a formula uses the required cells."""

from __future__ import annotations

import re

from fairground.verify.reading.workbook import Sheet, Workbook, position

_REFERENCE = re.compile(
    r"\"(?:[^\"]|\"\")*\""
    r"|(?:\$?(?:'((?:[^']|'')*)'|([^\W\d][\w-]*))\.)?\$?([A-Z]{1,3})\$?([0-9]{0,7})"
    r"(?::(?:\$?(?:'(?:[^']|'')*'|[^\W\d][\w-]*)\.)?\$?([A-Z]{1,3})\$?([0-9]{0,7}))?(?![\w(.])"
)
_LAST = 1_048_576


def references(formula: str, here: str = "") -> list[tuple[str, int, int, int, int]]:
    """Return sheet, first row, first column, last row and last column of every reference, counted from 0.

    Args:
        formula: The formula as typed.
        here: The sheet that contains it.
    """
    areas = []
    for match in _REFERENCE.finditer(formula.upper() if not formula.isascii() else formula):
        if match[3] is None or (not match[4] and match[5] is None):
            continue
        sheet = (match[1] or match[2] or here).replace("''", "'")
        left, right = _column(match[3]), _column(match[5] or match[3])
        top = int(match[4]) - 1 if match[4] else 0
        bottom = (int(match[6]) - 1 if match[6] else _LAST - 1) if match[5] else top
        areas.append((sheet, top, left, bottom, right))
    return areas


def covers(formula: str, sheet: str, column: int, first: int, last: int, here: str = "") -> bool:
    """Whether a formula refers to all these rows of a column, and above them at most to the header."""
    return any(
        name.casefold() == sheet.casefold()
        and left <= column <= right
        and top <= first
        and bottom >= last
        and top >= first - 1
        for name, top, left, bottom, right in references(formula, here)
    )


def mentions(formula: str, wanted: str, book: Workbook, here: str) -> bool:
    """Whether a formula contains a text, or refers to a single cell that holds it."""
    literals = (literal[1:-1].replace('""', '"') for literal in re.findall(r"\"(?:[^\"]|\"\")*\"", formula))
    if any(literal.casefold() == wanted.casefold() for literal in literals):
        return True
    for name, top, left, bottom, right in references(formula, here):
        if (top, left) == (bottom, right) and name in book.names and book[name].at(top, left).value == wanted:
            return True
    return False


def relative(formula: str, row: int, column: int) -> str:
    """Return a formula with relative addresses, so that it is the same in all cells that it was copied to."""

    def turned(found: re.Match[str]) -> str:
        if found[3] is None or (not found[4] and found[5] is None):
            return found[0]
        text = re.sub(r"(\$?)([A-Z]{1,3})(\$?)([0-9]{1,7})", moved, found[0].partition(".")[2] or found[0])
        return f"{found[1] or found[2] or ''}.{text}"

    def moved(found: re.Match[str]) -> str:
        there, across = position(found[2] + found[4])
        down = f"R{there}" if found[3] else f"R[{there - row}]"
        return down + (f"C{across}" if found[1] else f"C[{across - column}]")

    return _REFERENCE.sub(turned, formula)


def one_formula(sheet: Sheet, column: int, first: int, last: int) -> bool:
    """Whether all these cells of a column have the same formula, each for its own row."""
    formulas = {relative(sheet.at(row, column).formula, row, column) for row in range(first, last + 1)}
    return len(formulas) == 1 and "" not in formulas


def _column(letters: str) -> int:
    return position(f"{letters}1")[1]
