"""X11 keysyms: one per character, one per named key."""

from __future__ import annotations

from typing import Final

NO_SYMBOL: Final = 0
SHIFT: Final = 0xFFE1
LEVEL3: Final = 0xFE03
CAPS_LOCK: Final = 0xFFE5
RETURN: Final = 0xFF0D
TAB: Final = 0xFF09

NAMED: Final[dict[str, int]] = {
    "enter": RETURN,
    "tab": TAB,
    "space": 0x20,
    "backspace": 0xFF08,
    "delete": 0xFFFF,
    "escape": 0xFF1B,
    "insert": 0xFF63,
    "home": 0xFF50,
    "end": 0xFF57,
    "pageup": 0xFF55,
    "pagedown": 0xFF56,
    "left": 0xFF51,
    "up": 0xFF52,
    "right": 0xFF53,
    "down": 0xFF54,
    "shift": SHIFT,
    "shift_r": 0xFFE2,
    "ctrl": 0xFFE3,
    "ctrl_r": 0xFFE4,
    "alt": 0xFFE9,
    "alt_r": 0xFFEA,
    "super": 0xFFEB,
    "super_r": 0xFFEC,
    "altgr": LEVEL3,
    "capslock": CAPS_LOCK,
    "numlock": 0xFF7F,
    "scrolllock": 0xFF14,
    "printscreen": 0xFF61,
    "pause": 0xFF13,
    "menu": 0xFF67,
    "kp_enter": 0xFF8D,
    "kp_add": 0xFFAB,
    "kp_subtract": 0xFFAD,
    "kp_multiply": 0xFFAA,
    "kp_divide": 0xFFAF,
    "kp_decimal": 0xFFAE,
    **{f"kp_{digit}": 0xFFB0 + digit for digit in range(10)},
    **{f"f{number}": 0xFFBD + number for number in range(1, 25)},
    "back": 0x1008FF26,
    "forward": 0x1008FF27,
    "refresh": 0x1008FF73,
    "volumeup": 0x1008FF13,
    "volumedown": 0x1008FF11,
    "volumemute": 0x1008FF12,
    "playpause": 0x1008FF14,
}


def keysym(key: str) -> int:
    """Return the keysym of a canonical key: a name, or a single character."""
    named = NAMED.get(key)
    return of_character(key) if named is None else named


def of_character(character: str) -> int:
    """Return the keysym of a character: Latin-1 characters have their own code, all others Unicode with a flag."""
    code = ord(character)
    if 0x20 <= code <= 0x7E or 0xA0 <= code <= 0xFF:
        return code
    return {0x0A: RETURN, 0x0D: RETURN, 0x09: TAB}.get(code, 0x01000000 | code)
