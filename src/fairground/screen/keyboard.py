"""Keys and text through XTEST: any Unicode text, on whatever layout the server has.

A character on the layout is typed with its own key. Every other character is lent a key that no keyboard has.
Programs look a key up when they get round to the event, not when we send it, and some miss a second change of the
layout while they are busy with the first. So all keys are lent before the text is sent, and none while programs
have yet to take in what was typed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from fairground.core import ScreenError, is_modifier
from fairground.screen import keysyms
from fairground.screen import xrequests as x
from fairground.screen.layout import Layout, Place
from fairground.screen.xwire import XConnection

_LOCK: Final = 0x2
_GROUP: Final = 0x6000

# Lent a key from the start, while no program has to take notice of it: what people and models type most often.
_COMMON: Final = "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝßàáâãäåæçèéêëìíîïñòóôõöøùúûüýÿ€£¥°§©®™«»¿¡–—‘’“”„…•·×÷→½²"  # noqa: RUF001


class Keyboard:
    """The keys of one X server, over a connection that others use as well.

    Args:
        connection: To the server.
        opcode: Of the XTEST extension.
        taken_in: Waits until programs have taken in what was typed; False when they have not in time.
    """

    def __init__(self, connection: XConnection, opcode: int, taken_in: Callable[[], bool]) -> None:
        self._connection = connection
        self._opcode = opcode
        self._taken_in = taken_in
        self._held: dict[str, list[int]] = {}
        self._pending = False  # whether programs may not have taken in all that was typed
        self._group = 0
        self._layout = self._read(None)
        self._lend([keysyms.of_character(character) for character in _COMMON])
        self.confirm()

    def type(self, text: str) -> None:
        """Types text. What arrives does not depend on CapsLock or on a held Shift; a held Ctrl still acts."""
        state = self._refresh()
        lifted = [code for key in ("shift", "shift_r", "altgr") for code in self._held.get(key, ())]
        caps = self._tap(self._place(keysyms.CAPS_LOCK)) if state & _LOCK else []
        self._connection.send(*map(self._up, lifted), *caps)
        symbols = [keysyms.of_character(character) for character in text.replace("\r\n", "\n")]
        while symbols:
            count = self._lend(symbols)
            self._connection.send(*self._strokes(map(self._place, symbols[:count])))
            self._pending = True
            symbols = symbols[count:]
        self._connection.send(*caps, *map(self._down, lifted))
        self._connection.sync()

    def chord(self, keys: Sequence[str], *, repeat: int = 1) -> tuple[list[bytes], list[bytes]]:
        """The requests that press keys together (after `repeat` - 1 taps of them), and that let them go."""
        codes = self._keycodes(keys) if keys else []
        down, up = [*map(self._down, codes)], [*map(self._up, reversed(codes))]
        return (down + up) * (repeat - 1) + down, up

    def hold(self, key: str) -> None:
        """Presses a key and keeps it down; a key that is down stays as it is."""
        if key not in self._held:
            self._held[key] = self._keycodes((key,))
            self._connection.send(*map(self._down, self._held[key]))
            self._connection.sync()

    def let_go(self, key: str) -> None:
        """Lets a key go; nothing happens when it is not down."""
        self._connection.send(*map(self._up, reversed(self._held.pop(key, []))))
        self._connection.sync()

    def release(self) -> None:
        """Lets every held key go, the last first."""
        for key in reversed(list(self._held)):
            self.let_go(key)

    def confirm(self) -> None:
        """Says that programs have taken in all that was typed."""
        self._pending = False

    def _strokes(self, places: Iterable[Place]) -> list[bytes]:
        """Presses and releases, with Shift and AltGr held over runs that need them."""
        requests: list[bytes] = []
        level = 0
        for place in places:
            requests += self._change_level(level, place.level)
            requests += self._tap(place)
            level = place.level
        return requests + self._change_level(level, 0)

    def _change_level(self, before: int, after: int) -> list[bytes]:
        requests = []
        for bit, symbol in ((1, keysyms.SHIFT), (2, keysyms.LEVEL3)):
            if (before ^ after) & bit:
                code = self._place(symbol).keycode
                requests.append(self._down(code) if after & bit else self._up(code))
        return requests

    def _keycodes(self, keys: Sequence[str]) -> list[int]:
        """The keycodes of a chord in the order to press them, without those that are already down."""
        self._refresh()
        symbols = [keysyms.keysym(key) for key in _as_printed(keys)]
        if self._lend(symbols) < len(symbols):
            raise ScreenError(f"the keyboard layout leaves too few keys free for {'+'.join(keys)}")
        codes: dict[int, None] = {}
        for place in map(self._place, symbols):
            for bit, symbol in ((1, keysyms.SHIFT), (2, keysyms.LEVEL3)):
                if place.level & bit:
                    codes[self._place(symbol).keycode] = None
            codes[place.keycode] = None
        self._pending = True
        down = {code for held in self._held.values() for code in held}
        return [code for code in codes if code not in down]

    def _lend(self, symbols: Sequence[int]) -> int:
        """Finds keys for as many leading symbols as can be had; says for how many, at least one."""
        if self._pending and any(self._layout.find(symbol) is None for symbol in symbols):
            if not self._taken_in():
                raise ScreenError("the program in front has not taken in what was typed, so typing stopped half-way")
            self._pending = False
        count, changed = self._layout.lend(symbols)
        if not count:
            raise ScreenError("the keyboard layout leaves no key free for characters that are not on it")
        if changed:
            self._connection.send(*_mapping_requests(self._layout, changed))
            self._connection.sync()
            self._connection.mapping_stale = False  # it was us
            self._pending = True
        return count

    def _refresh(self) -> int:
        """Reads the layout again if anybody changed it; returns the state of the modifiers."""
        state = x.pointer(self._connection.ask(x.query_pointer(self._connection.root))[0]).mask
        if self._connection.mapping_stale or state & _GROUP != self._group:
            self._group = state & _GROUP
            self._layout = self._read(self._layout)
        return state

    def _read(self, before: Layout | None) -> Layout:
        codes = self._connection.keycodes
        self._connection.mapping_stale = False
        mapping, modifiers = self._connection.ask(
            x.get_keyboard_mapping(codes.start, len(codes)), x.get_modifier_mapping()
        )
        rows = dict(zip(codes, x.keyboard_mapping(mapping), strict=False))
        reserved = frozenset().union(*x.modifier_mapping(modifiers))
        return Layout(rows, reserved, fixed=self._group == 0, before=before)

    def _place(self, symbol: int) -> Place:
        place = self._layout.find(symbol)
        if place is None:
            raise ScreenError(f"the keyboard layout has no key for keysym 0x{symbol:x}", fix="run setxkbmap us")
        return place

    def _tap(self, place: Place) -> list[bytes]:
        return [self._down(place.keycode), self._up(place.keycode)]

    def _down(self, keycode: int) -> bytes:
        return x.fake_input(self._opcode, x.KEY_PRESS, keycode)

    def _up(self, keycode: int) -> bytes:
        return x.fake_input(self._opcode, x.KEY_RELEASE, keycode)


def _as_printed(keys: Sequence[str]) -> list[str]:
    """Ctrl+C means the key that says C, not Ctrl+Shift+C: next to such modifiers a letter's case says nothing."""
    command = any(is_modifier(key) and not key.startswith("shift") for key in keys)
    return [key.lower() if command and len(key) == len(key.lower()) == 1 else key for key in keys]


def _mapping_requests(layout: Layout, changed: set[int]) -> list[bytes]:
    """As few requests as can be, because each makes every program read the layout anew.

    Spare keys between two that changed are set again to what they are.
    """
    runs: list[list[int]] = []
    for code in sorted(changed):
        between = range(runs[-1][-1] + 1, code) if runs else ()
        if runs and all(map(layout.is_spare, between)):
            runs[-1] += [*between, code]
        else:
            runs.append([code])
    return [x.change_keyboard_mapping(run[0], [*map(layout.row, run)]) for run in runs]
