"""What a formula refers to, as far as checks need it: whether it takes its figures from where it was told to."""

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
    """Sheet, first row, first column, last row, last column of everything that a formula refers to, counted from 0.

    Args:
        formula: As typed.
        here: The sheet that it stands on.
    """
    found = []
    for one in _REFERENCE.finditer(formula.upper() if not formula.isascii() else formula):
        if one[3] is None or (not one[4] and one[5] is None):
            continue
        sheet = (one[1] or one[2] or here).replace("''", "'")
        left, right = _column(one[3]), _column(one[5] or one[3])
        top = int(one[4]) - 1 if one[4] else 0
        bottom = (int(one[6]) - 1 if one[6] else _LAST - 1) if one[5] else top
        found.append((sheet, top, left, bottom, right))
    return found


def covers(formula: str, sheet: str, column: int, first: int, last: int, here: str = "") -> bool:
    """Whether a formula refers to all of these rows of a column, and to no more than the head and empty rows beside."""
    return any(
        name.casefold() == sheet.casefold()
        and left <= column <= right
        and top <= first
        and bottom >= last
        and top >= first - 1
        for name, top, left, bottom, right in references(formula, here)
    )


def mentions(formula: str, wanted: str, book: Workbook, here: str) -> bool:
    """Whether a formula names a text, or a single cell that holds it."""
    literals = (one[1:-1].replace('""', '"') for one in re.findall(r"\"(?:[^\"]|\"\")*\"", formula))
    if any(one.casefold() == wanted.casefold() for one in literals):
        return True
    for name, top, left, bottom, right in references(formula, here):
        if (top, left) == (bottom, right) and name in book.names and book[name].at(top, left).value == wanted:
            return True
    return False


def relative(formula: str, row: int, column: int) -> str:
    """A formula with its addresses as distances from where it stands: the same in all cells that it was copied to."""

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
    """Whether all these cells of a column have one formula, each for its own row."""
    found = {relative(sheet.at(row, column).formula, row, column) for row in range(first, last + 1)}
    return len(found) == 1 and "" not in found


def _column(letters: str) -> int:
    return position(f"{letters}1")[1]
