"""Which key gives which symbol, and which unused keys are assigned to symbols that the layout lacks.

Pure bookkeeping: `keyboard` talks to the server.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

_COLUMNS: Final = {0: 0, 1: 1, 4: 2, 5: 3}  # column of the core mapping -> level
_KEYPAD: Final = range(0xFF80, 0xFFBE)
_FUNCTIONS: Final = range(0xFD00, 0x10000)
_MEDIA: Final = 0x10080000
# No keyboard has keys from here on. Layouts put laptop functions there that no canonical key names. They are adjacent,
# so that many can be assigned in one request.
_ODD_KEYS: Final = 182
_KEYS_FOR_FUNCTIONS: Final = 8


class Place(NamedTuple):
    """The key of a symbol, and its level: 1 needs Shift, 2 AltGr, 3 both."""

    keycode: int
    level: int


class Layout:
    """The layout of a server at one time, with the keys assigned on it.

    Args:
        rows: The keysyms of each keycode, as the server lists them.
        reserved: Keycodes that act as modifiers.
        fixed: False if the rows do not describe the active group, so that characters need assigned keys.
        before: The previous layout. Assignments that are still valid are kept.
    """

    def __init__(
        self,
        rows: Mapping[int, Sequence[int]],
        reserved: frozenset[int],
        *,
        fixed: bool = True,
        before: Layout | None = None,
    ) -> None:
        self._places: dict[int, Place] = {}
        odd = [code for code in sorted(rows, reverse=True) if code >= _ODD_KEYS and code not in reserved]
        empty = [code for code, row in rows.items() if code < _ODD_KEYS and code not in reserved and not any(row)]
        if before:
            empty = sorted({*empty, *(place.keycode for place in before._functions if place.keycode in rows)})
        while len(empty) < _KEYS_FOR_FUNCTIONS and odd:
            empty.append(odd.pop())
        # Both in order of last use, oldest first; 0 is free. Two characters share a key. A function has a key to
        # itself, because X chooses the level of keypad keys by special rules.
        self._characters: dict[Place, int] = {Place(code, level): 0 for level in (0, 1) for code in odd}
        self._functions: dict[Place, int] = {Place(code, 0): 0 for code in empty}
        for code, row in rows.items():
            if not self.is_spare(code):
                self._read(code, row, fixed=fixed)
        if before:
            self._keep(before, rows)

    def find(self, symbol: int) -> Place | None:
        """Return the place of a symbol, on the layout or on an assigned key."""
        return self._places.get(symbol)

    def lend(self, symbols: Iterable[int]) -> tuple[int, set[int]]:
        """Assign a place to each symbol in order, until every unused key is needed for these symbols.

        Returns:
            How many symbols have a place now, and the keycodes whose `row` is new.
        """
        needed: set[Place] = set()
        changed: set[int] = set()
        count = 0
        for symbol in symbols:
            lent = self._functions if _is_function(symbol) else self._characters
            place = self._places.get(symbol)
            if place is None:
                place = next((each for each in lent if each not in needed), None)
                if place is None:
                    break
                self._places.pop(lent[place], None)
                self._places[symbol] = place
                lent[place] = symbol
                changed.add(place.keycode)
            if place in lent:
                lent[place] = lent.pop(place)
                needed.add(place)
            count += 1
        return count, changed

    def is_spare(self, code: int) -> bool:
        """Whether a key may be assigned, so that we may set its row."""
        place = Place(code, 0)
        return place in self._characters or place in self._functions

    def row(self, code: int) -> tuple[int, int]:
        """What an unused key gives, plain and with Shift."""
        place = Place(code, 0)
        if place in self._functions:
            return self._functions[place], self._functions[place]
        plain, shifted = self._characters[place], self._characters[Place(code, 1)]
        # Both levels are always filled, because X reads a single capital letter as a small letter and its capital.
        return plain or shifted, shifted or plain

    @property
    def capacity(self) -> int:
        """How many characters can be assigned at the same time."""
        return len(self._characters)

    def _read(self, code: int, row: Sequence[int], *, fixed: bool) -> None:
        for column, level in _COLUMNS.items():
            symbol = row[column] if column < len(row) else 0
            # Shift and NumLock both change the keypad, so only its plain level is reliable. In another group characters
            # move, but functions do not.
            known = level == 0 or symbol not in _KEYPAD
            if symbol and known and (fixed or _is_function(symbol)):
                self._places.setdefault(symbol, Place(code, level))

    def _keep(self, before: Layout, rows: Mapping[int, Sequence[int]]) -> None:
        for lent, old in ((self._characters, before._characters), (self._functions, before._functions)):
            for place, symbol in old.items():
                if place in lent and symbol and symbol in rows[place.keycode][:2] and symbol not in self._places:
                    lent.pop(place)
                    lent[place] = symbol
                    self._places[symbol] = place


def _is_function(symbol: int) -> bool:
    return symbol in _FUNCTIONS or symbol >= _MEDIA
