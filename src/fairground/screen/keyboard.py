"""Keys and text through XTEST: any Unicode text, on any keyboard layout.

A character on the layout is typed with its own key. Every other character is temporarily assigned to an unused key.
Programs look up a key when they handle the event, not when we send it, and some miss a second change of the layout
while they handle the first. So all keys are assigned before the text is sent, and none while programs have yet to
handle earlier input.
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

# Assigned to keys from the start, before any program has to notice: the characters that people and models type most.
_COMMON: Final = "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝßàáâãäåæçèéêëìíîïñòóôõöøùúûüýÿ€£¥°§©®™«»¿¡–—‘’“”„…•·×÷→½²"  # noqa: RUF001


class Keyboard:
    """The keys of one X server, over a shared connection.

    Args:
        connection: The connection to the server.
        opcode: Opcode of the XTEST extension.
        taken_in: Waits until programs have handled what was typed; False on timeout.
    """

    def __init__(self, connection: XConnection, opcode: int, taken_in: Callable[[], bool]) -> None:
        self._connection = connection
        self._opcode = opcode
        self._taken_in = taken_in
        self._held: dict[str, list[int]] = {}
        self._pending = False  # whether programs may not have handled all that was typed
        self._group = 0
        self._layout = self._read(None)
        self._lend([keysyms.of_character(character) for character in _COMMON])
        self.confirm()

    def type(self, text: str) -> None:
        """Type text. The result does not depend on CapsLock or a held Shift; a held Ctrl still acts."""
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
        """Return the requests that press keys together (after `repeat` - 1 taps), and those that release them."""
        codes = self._keycodes(keys) if keys else []
        down, up = [*map(self._down, codes)], [*map(self._up, reversed(codes))]
        return (down + up) * (repeat - 1) + down, up

    def hold(self, key: str) -> None:
        """Press a key and keep it down. Does nothing if it is down."""
        if key not in self._held:
            self._held[key] = self._keycodes((key,))
            self._connection.send(*map(self._down, self._held[key]))
            self._connection.sync()

    def let_go(self, key: str) -> None:
        """Release a key. Does nothing if it is not down."""
        self._connection.send(*map(self._up, reversed(self._held.pop(key, []))))
        self._connection.sync()

    def release(self) -> None:
        """Release every held key, the last first."""
        for key in reversed(list(self._held)):
            self.let_go(key)

    def confirm(self) -> None:
        """Mark that programs have handled all that was typed."""
        self._pending = False

    def _strokes(self, places: Iterable[Place]) -> list[bytes]:
        """Key presses and releases, with Shift and AltGr held over runs that need them."""
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
        """The keycodes of a chord in the order to press them, without those that are down already."""
        self._refresh()
        symbols = [keysyms.keysym(key) for key in _as_printed(keys)]
        if self._lend(symbols) < len(symbols):
            raise ScreenError(f"the keyboard layout has too few unused keys for {'+'.join(keys)}")
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
        """Assign keys to as many leading symbols as possible. Returns how many, at least one."""
        if self._pending and any(self._layout.find(symbol) is None for symbol in symbols):
            if not self._taken_in():
                raise ScreenError(
                    "the focused program did not handle earlier input in time, so typing stopped part-way"
                )
            self._pending = False
        count, changed = self._layout.lend(symbols)
        if not count:
            raise ScreenError("the keyboard layout has no unused key for characters that are not on it")
        if changed:
            self._connection.send(*_mapping_requests(self._layout, changed))
            self._connection.sync()
            self._connection.mapping_stale = False  # this change was our own
            self._pending = True
        return count

    def _refresh(self) -> int:
        """Read the layout again if a program changed it. Returns the state of the modifiers."""
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
    """Lower the case of letters in commands: Ctrl+C means the key labelled C, not Ctrl+Shift+C."""
    command = any(is_modifier(key) and not key.startswith("shift") for key in keys)
    return [key.lower() if command and len(key) == len(key.lower()) == 1 else key for key in keys]


def _mapping_requests(layout: Layout, changed: set[int]) -> list[bytes]:
    """Use as few requests as possible, because each makes every program read the layout again.

    Unused keys between two changed ones are set to their current values.
    """
    runs: list[list[int]] = []
    for code in sorted(changed):
        between = range(runs[-1][-1] + 1, code) if runs else ()
        if runs and all(map(layout.is_spare, between)):
            runs[-1] += [*between, code]
        else:
            runs.append([code])
    return [x.change_keyboard_mapping(run[0], [*map(layout.row, run)]) for run in runs]
