"""Which key gives which symbol, and which keys are lent to symbols that the layout does not have.

Pure bookkeeping: `keyboard` talks to the server.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

_COLUMNS: Final = {0: 0, 1: 1, 4: 2, 5: 3}  # column of the core mapping -> level
_KEYPAD: Final = range(0xFF80, 0xFFBE)
_FUNCTIONS: Final = range(0xFD00, 0x10000)
_MEDIA: Final = 0x10080000
# No keyboard has keys from here on; layouts put laptop functions there that no canonical key names. They lie side
# by side, so that many of them are lent in one request.
_ODD_KEYS: Final = 182
_KEYS_FOR_FUNCTIONS: Final = 8


class Place(NamedTuple):
    """Where a symbol is: a key, and its level: 1 needs Shift, 2 AltGr, 3 both."""

    keycode: int
    level: int


class Layout:
    """The layout of a server at one time, with what has been lent on it.

    Args:
        rows: The keysyms of each keycode, as the server lists them.
        reserved: Keycodes that act as modifiers.
        fixed: False when the rows do not describe the group in force, so that characters must be lent keys.
        before: The layout this one replaces; what was lent there and is still so stays lent.
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
        # Both longest unused first; 0 is free. A character shares its key with another. A function has a key to
        # itself, because X chooses the level of keypad keys by rules of their own.
        self._characters: dict[Place, int] = {Place(code, level): 0 for level in (0, 1) for code in odd}
        self._functions: dict[Place, int] = {Place(code, 0): 0 for code in empty}
        for code, row in rows.items():
            if not self.is_spare(code):
                self._read(code, row, fixed=fixed)
        if before:
            self._keep(before, rows)

    def find(self, symbol: int) -> Place | None:
        """Where a symbol is, on the layout or on a lent key."""
        return self._places.get(symbol)

    def lend(self, symbols: Iterable[int]) -> tuple[int, set[int]]:
        """Finds a place for each symbol, in order, until there is no key left that they do not need themselves.

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
        """Whether a key may be lent, so that its row is ours to set."""
        place = Place(code, 0)
        return place in self._characters or place in self._functions

    def row(self, code: int) -> tuple[int, int]:
        """What a spare key gives plain and with Shift."""
        place = Place(code, 0)
        if place in self._functions:
            return self._functions[place], self._functions[place]
        plain, shifted = self._characters[place], self._characters[Place(code, 1)]
        # Both levels are always filled: X reads a lone capital as a small letter and its capital.
        return plain or shifted, shifted or plain

    @property
    def capacity(self) -> int:
        """How many characters can be lent a key at one time."""
        return len(self._characters)

    def _read(self, code: int, row: Sequence[int], *, fixed: bool) -> None:
        for column, level in _COLUMNS.items():
            symbol = row[column] if column < len(row) else 0
            # Shift and NumLock both change the keypad, so only its plain level can be relied on. In another group
            # characters move; functions do not.
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
