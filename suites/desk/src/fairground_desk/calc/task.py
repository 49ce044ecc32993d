"""Base of Calc scenarios: the workbook of a task, and a guard over everything else in it."""

from __future__ import annotations

import math
import re
from abc import abstractmethod
from collections.abc import Iterable, Sequence, Set
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import ClassVar

from fairground.core import Check, State
from fairground.verify import unchanged
from fairground.verify.reading.meaning import workbook_leaves
from fairground.verify.reading.ods import read_ods
from fairground.verify.reading.workbook import Cell, Sheet, Workbook, address
from fairground.worlds import Enter, Move, Press, World
from fairground_desk.calc.workbooks import SALES
from fairground_desk.tasks import DeskTask, files_unchanged


class CalcTask(DeskTask):
    """A scenario in a workbook.

    Attributes:
        workbook: Path of the open workbook; may contain `{parameters}`.
    """

    app = "calc"
    workbook: ClassVar[str] = SALES
    step_budget: ClassVar[int] = 80

    @abstractmethod
    def asked(self, world: World, was: Workbook, now: Workbook, after: State) -> list[Check]:
        """Return checks of what the task asks for."""

    def touched(self, world: World, was: Workbook) -> Sequence[str]:
        """Return leaves of the workbook that may change, as patterns such as `Summary!B5.*`; see `workbook_leaves`."""
        return ()

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """Return the checks of `asked`, and a guard over the rest of the workbook."""
        path = self.path(world)
        was, now = read_book(before.file(path)), read_book(after.file(path))
        return [*self.asked(world, was, now, after), kept(was, now, self.touched(world, was))]

    def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """Return the task's checks, and a guard over all other files."""
        allowed = [path.format_map(world.parameters) for path in (self.workbook, *self.changes)]
        return [*self.judge(world, before, after, answer), files_unchanged(before, after, allowed)]

    def path(self, world: World) -> str:
        return self.workbook.format_map(world.parameters)

    def book(self, world: World, before: State) -> Workbook:
        return read_book(before.file(self.path(world)))


@lru_cache(maxsize=32)
def read_book(content: bytes) -> Workbook:
    """Read a workbook (cached). Raises `StateError` if it cannot be read."""
    return read_ods(content)


def kept(was: Workbook, now: Workbook, touched: Iterable[str] = ()) -> Check:
    """Guard that everything in a workbook is unchanged, except for `touched`."""
    name = "the rest of the workbook is as it was"
    if was is now:
        return unchanged(name, {}, {})
    before, after = workbook_leaves(was), workbook_leaves(now)
    moved = [key for key in {**before, **after} if key not in before or key not in after or before[key] != after[key]]
    # Sets are fast: most patterns have no wildcards, and there may be thousands.
    places = {pattern.removesuffix(".*") for pattern in touched}
    patterns = [place for place in places if not _WILD.isdisjoint(place)]
    left = [key for key in moved if not _fits(key, places, patterns)]
    old, new = ({key: leaves[key] for key in left if key in leaves} for leaves in (before, after))
    return unchanged(name, old, new, same=_same)


def _fits(key: str, places: Set[str], patterns: Sequence[str]) -> bool:
    """Whether a leaf is one of the places, or below one."""
    above = [key, *(key[: sign.start()] for sign in re.finditer(r"[.\[]", key))]
    return any(place in places for place in above) or any(
        fnmatchcase(place, pattern) for pattern in patterns for place in above
    )


_WILD = frozenset("*?[")


def _same(one: object, other: object) -> bool:
    """Equal, up to the last digits of a computed number, which saving may round."""
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-12, abs_tol=1e-9)
    return type(one) is type(other) and one == other


def go(cell: str, sheet: str) -> list[Move]:
    """Go to a cell with the name box, from anywhere in the workbook."""
    quoted = sheet if sheet.isalnum() else f"'{sheet}'"
    return [Press("escape"), Press("ctrl+shift+t"), Enter(f"{quoted}.{cell}\n")]


def head(sheet: Sheet) -> list[str]:
    """Return the texts of the first row, up to the first gap."""
    heads: list[str] = []
    while isinstance(value := sheet.at(0, len(heads)).value, str):
        heads.append(value)
    return heads


def column(sheet: Sheet, place: int) -> list[Cell]:
    """Return the cells of a column below the header, as far as the first column is filled."""
    return [sheet.at(row, place) for row in range(1, length(sheet))]


def length(sheet: Sheet) -> int:
    """Return the number of rows with the header, as far as the first column is filled."""
    row = 0
    while sheet.at(row, 0).kind != "empty":
        row += 1
    return row


def letter(place: int) -> str:
    """Return the letters of a column."""
    return address(0, place)[:-1]


def numbers(cells: Iterable[Cell]) -> list[float]:
    """Return the numeric values of cells."""
    return [cell.value for cell in cells if cell.kind == "number" and isinstance(cell.value, float)]


def squeezed(formula: str) -> str:
    """Return a formula or condition without spaces, `$` and case."""
    return formula.replace("$", "").replace(" ", "").upper()
