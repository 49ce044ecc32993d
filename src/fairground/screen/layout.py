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
# No keyboard has these keys; layouts put laptop and media functions there that no canonical key names. They lie
# side by side, so that many of them are lent in one request.
_ODD_KEYS: Final = 182


class Place(NamedTuple):
    """Where a symbol is: a key, and its level: 1 needs Shift, 2 AltGr, 3 both."""

    keycode: int
    level: int


class Layout:
    """The layout of a server at one time, with what has been lent on it.

    Args:
        rows: The keysyms of each keycode, as the server lists them.
        reserved: Keycodes that act as modifiers.
        fixed: False when the rows do not describe the group in force, so that only lent keys may be used.
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
        self._lent: dict[Place, int] = {}  # longest unused first; 0 is free
        self._unconfirmed: set[Place] = set()
        spare: list[int] = []
        for code, row in rows.items():
            if code >= _ODD_KEYS and code not in reserved:
                spare.append(code)
                continue
            for column, level in _COLUMNS.items():
                symbol = row[column] if column < len(row) else 0
                # Shift and NumLock both change the keypad, so only its plain level can be relied on. In another
                # group characters move; keys such as Return do not.
                known = level == 0 or symbol not in _KEYPAD
                if symbol and known and (fixed or symbol in _FUNCTIONS or symbol >= _MEDIA):
                    self._places.setdefault(symbol, Place(code, level))
        for level in (0, 1):
            for code in sorted(spare, reverse=True):
                self._lent[Place(code, level)] = 0
        if before:
            self._keep(before, rows)

    def find(self, symbol: int) -> Place | None:
        """Where a symbol is, on the layout or on a lent key."""
        return self._places.get(symbol)

    def lend(self, symbols: Iterable[int]) -> tuple[int, set[int]]:
        """Finds a place for each symbol, in order, until there is no key left that may be lent.

        Returns:
            How many symbols have a place now, and the keycodes whose `row` is new.
        """
        needed: set[Place] = set()
        changed: set[int] = set()
        count = 0
        for symbol in symbols:
            place = self._places.get(symbol)
            if place is None:
                free = (each for each in self._lent if each not in self._unconfirmed and each not in needed)
                place = next(free, None)
                if place is None:
                    break
                self._give(place, symbol)
                changed.add(place.keycode)
            if place in self._lent:
                self._lent[place] = self._lent.pop(place)
                needed.add(place)
            count += 1
        self._unconfirmed |= needed
        return count, changed

    def is_spare(self, code: int) -> bool:
        """Whether a key may be lent, so that its row is ours to set."""
        return Place(code, 0) in self._lent

    def row(self, code: int) -> tuple[int, int]:
        """What a spare key gives plain and with Shift."""
        plain, shifted = self._lent[Place(code, 0)], self._lent[Place(code, 1)]
        # Both levels are always filled: X reads a lone capital as a small letter and its capital.
        return plain or shifted, shifted or plain

    def confirm(self) -> None:
        """Says that programs have taken in what was typed, so that every lent key may be lent anew."""
        self._unconfirmed.clear()

    @property
    def capacity(self) -> int:
        """How many symbols can be lent a key at one time."""
        return len(self._lent)

    def _give(self, place: Place, symbol: int) -> None:
        old = self._lent[place]
        if old:
            del self._places[old]
        self._lent[place] = symbol
        self._places[symbol] = place

    def _keep(self, before: Layout, rows: Mapping[int, Sequence[int]]) -> None:
        for place, symbol in before._lent.items():
            row = rows.get(place.keycode, ())
            if place in self._lent and symbol and symbol in row[:2] and symbol not in self._places:
                self._lent.pop(place)
                self._lent[place] = symbol
                self._places[symbol] = place
        self._unconfirmed = {place for place in before._unconfirmed if place in self._lent}
