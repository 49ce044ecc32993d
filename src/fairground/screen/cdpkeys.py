"""Keys as a browser page sees them: `key`, `code` and Windows key code of every canonical key.

Characters are typed as on a US keyboard, which defines `code`. A character that is not on that keyboard has no code,
and is inserted as text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from fairground.core import is_modifier

LEFT, RIGHT, NUMPAD = 1, 2, 3


@dataclass(frozen=True, slots=True)
class PageKey:
    """One key.

    Attributes:
        key: Its meaning, as `KeyboardEvent.key`.
        code: Its position, as `KeyboardEvent.code`.
        number: The Windows virtual key code, as `KeyboardEvent.keyCode`.
        text: What it writes; empty for keys that write nothing.
        location: Which of several equal keys, as `KeyboardEvent.location`.
        shifted: Whether it needs shift.
        bit: For modifiers, its bit in the protocol's mask.
    """

    key: str
    code: str
    number: int
    text: str = ""
    location: int = 0
    shifted: bool = False
    bit: int = 0


_NAMED: Final[dict[str, PageKey]] = {
    "enter": PageKey("Enter", "Enter", 13, "\r"),
    "tab": PageKey("Tab", "Tab", 9),
    "space": PageKey(" ", "Space", 32, " "),
    "backspace": PageKey("Backspace", "Backspace", 8),
    "delete": PageKey("Delete", "Delete", 46),
    "escape": PageKey("Escape", "Escape", 27),
    "insert": PageKey("Insert", "Insert", 45),
    "home": PageKey("Home", "Home", 36),
    "end": PageKey("End", "End", 35),
    "pageup": PageKey("PageUp", "PageUp", 33),
    "pagedown": PageKey("PageDown", "PageDown", 34),
    "up": PageKey("ArrowUp", "ArrowUp", 38),
    "down": PageKey("ArrowDown", "ArrowDown", 40),
    "left": PageKey("ArrowLeft", "ArrowLeft", 37),
    "right": PageKey("ArrowRight", "ArrowRight", 39),
    "ctrl": PageKey("Control", "ControlLeft", 17, location=LEFT, bit=2),
    "ctrl_r": PageKey("Control", "ControlRight", 17, location=RIGHT, bit=2),
    "alt": PageKey("Alt", "AltLeft", 18, location=LEFT, bit=1),
    "alt_r": PageKey("Alt", "AltRight", 18, location=RIGHT, bit=1),
    "altgr": PageKey("AltGraph", "AltRight", 225, location=RIGHT),
    "shift": PageKey("Shift", "ShiftLeft", 16, location=LEFT, bit=8),
    "shift_r": PageKey("Shift", "ShiftRight", 16, location=RIGHT, bit=8),
    "super": PageKey("Meta", "MetaLeft", 91, location=LEFT, bit=4),
    "super_r": PageKey("Meta", "MetaRight", 92, location=RIGHT, bit=4),
    "capslock": PageKey("CapsLock", "CapsLock", 20),
    "numlock": PageKey("NumLock", "NumLock", 144),
    "scrolllock": PageKey("ScrollLock", "ScrollLock", 145),
    "printscreen": PageKey("PrintScreen", "PrintScreen", 44),
    "pause": PageKey("Pause", "Pause", 19),
    "menu": PageKey("ContextMenu", "ContextMenu", 93),
    "kp_enter": PageKey("Enter", "NumpadEnter", 13, "\r", NUMPAD),
    "kp_add": PageKey("+", "NumpadAdd", 107, "+", NUMPAD),
    "kp_subtract": PageKey("-", "NumpadSubtract", 109, "-", NUMPAD),
    "kp_multiply": PageKey("*", "NumpadMultiply", 106, "*", NUMPAD),
    "kp_divide": PageKey("/", "NumpadDivide", 111, "/", NUMPAD),
    "kp_decimal": PageKey(".", "NumpadDecimal", 110, ".", NUMPAD),
    **{f"kp_{digit}": PageKey(str(digit), f"Numpad{digit}", 96 + digit, str(digit), NUMPAD) for digit in range(10)},
    **{f"f{number}": PageKey(f"F{number}", f"F{number}", 111 + number) for number in range(1, 25)},
    "back": PageKey("BrowserBack", "BrowserBack", 166),
    "forward": PageKey("BrowserForward", "BrowserForward", 167),
    "refresh": PageKey("BrowserRefresh", "BrowserRefresh", 168),
    "volumeup": PageKey("AudioVolumeUp", "AudioVolumeUp", 175),
    "volumedown": PageKey("AudioVolumeDown", "AudioVolumeDown", 174),
    "volumemute": PageKey("AudioVolumeMute", "AudioVolumeMute", 173),
    "playpause": PageKey("MediaPlayPause", "MediaPlayPause", 179),
}

# plain character, shifted character, code, number
_SYMBOLS: Final = (
    ("`", "~", "Backquote", 192), ("1", "!", "Digit1", 49), ("2", "@", "Digit2", 50), ("3", "#", "Digit3", 51),
    ("4", "$", "Digit4", 52), ("5", "%", "Digit5", 53), ("6", "^", "Digit6", 54), ("7", "&", "Digit7", 55),
    ("8", "*", "Digit8", 56), ("9", "(", "Digit9", 57), ("0", ")", "Digit0", 48), ("-", "_", "Minus", 189),
    ("=", "+", "Equal", 187), ("[", "{", "BracketLeft", 219), ("]", "}", "BracketRight", 221),
    ("\\", "|", "Backslash", 220), (";", ":", "Semicolon", 186), ("'", '"', "Quote", 222), (",", "<", "Comma", 188),
    (".", ">", "Period", 190), ("/", "?", "Slash", 191),
)  # fmt: skip
_LETTERS: Final = tuple((chr(code + 32), chr(code), f"Key{chr(code)}", code) for code in range(ord("A"), ord("Z") + 1))

_CHARACTERS: Final[dict[str, PageKey]] = {" ": _NAMED["space"], "\n": _NAMED["enter"], "\t": _NAMED["tab"]}
for _plain, _shift, _code, _number in (*_SYMBOLS, *_LETTERS):
    _CHARACTERS[_plain] = PageKey(_plain, _code, _number, _plain)
    _CHARACTERS[_shift] = PageKey(_shift, _code, _number, _shift, shifted=True)
_SHIFTED: Final = {
    plain.code: shifted
    for plain in _CHARACTERS.values()
    for shifted in _CHARACTERS.values()
    if shifted.shifted and not plain.shifted and plain.code == shifted.code
}


def page_key(name: str) -> PageKey:
    """Return the key with this canonical name. A character without a key gets one that only writes it."""
    return _NAMED.get(name) or _CHARACTERS.get(name) or PageKey(name, "", 0, name)


def typed_key(character: str) -> PageKey | None:
    """Return the key that types a character, or None if it must be inserted."""
    return _CHARACTERS.get(character)


def with_shift(key: PageKey) -> PageKey:
    """Return the key's meaning while shift is held: `a` becomes `A`."""
    return _SHIFTED.get(key.code, key)


def modifier_bit(name: str) -> int:
    """Return the protocol's bit of a modifier; 0 for other keys and unknown modifiers."""
    return _NAMED[name].bit if is_modifier(name) else 0
