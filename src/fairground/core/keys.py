"""Canonical key names.

Models and tools spell keys differently (`Return`, `ENTER`, `kp_enter`, `cmd`). `canonical_key` maps every spelling to
one name. A printable character is its own name. Other names are X11 keysyms in lower case where X11 has one, because
those are easy to look up.
"""

from __future__ import annotations

import re
import unicodedata

from fairground.core.errors import InvalidAction
from fairground.core.names import unknown

MODIFIERS = ("ctrl", "alt", "shift", "super", "altgr")

_SPELLINGS: dict[str, tuple[str, ...]] = {
    "enter": ("return", "ret", "linefeed", "\n", "\r"),
    "tab": ("\t",),
    "space": ("spacebar", " "),
    "backspace": ("back_space", "bksp"),
    "delete": ("del", "deletechar"),
    "escape": ("esc",),
    "insert": ("ins",),
    "home": (),
    "end": (),
    "pageup": ("page_up", "pgup", "prior"),
    "pagedown": ("page_down", "pgdn", "pgdown", "next"),
    "up": ("arrow_up", "up_arrow"),
    "down": ("arrow_down", "down_arrow"),
    "left": ("arrow_left", "left_arrow"),
    "right": ("arrow_right", "right_arrow"),
    "ctrl": ("control", "ctrl_l", "control_l", "ctrl_left", "left_ctrl", "control_left", "control_or_meta"),
    "ctrl_r": ("control_r", "ctrl_right", "right_ctrl", "control_right"),
    "alt": ("alt_l", "altleft", "option", "opt", "leftalt", "left_alt", "optionleft"),
    "alt_r": ("altright", "rightalt", "right_alt", "optionright"),
    "altgr": ("iso_level3_shift", "alt_gr", "altgraph"),
    "shift": ("shift_l", "shiftleft", "leftshift", "left_shift"),
    "shift_r": ("shiftright", "rightshift", "right_shift"),
    "super": (
        "super_l",
        "meta",
        "meta_l",
        "meta_left",
        "win",
        "win_left",
        "windows",
        "cmd",
        "command",
        "os",
        "super_left",
    ),
    "super_r": ("meta_r", "meta_right", "win_right", "cmd_r", "super_right"),
    "capslock": ("caps_lock", "caps"),
    "numlock": ("num_lock",),
    "scrolllock": ("scroll_lock",),
    "printscreen": ("print", "print_screen", "prtsc", "prtscr", "prntscrn", "snapshot"),
    "pause": ("break",),
    "menu": ("apps", "contextmenu", "context_menu"),
    "kp_enter": ("kpenter", "numpad_enter", "numpadenter"),
    "kp_add": ("add", "numpad_add", "kp_plus"),
    "kp_subtract": ("subtract", "numpad_subtract", "kp_minus"),
    "kp_multiply": ("multiply", "numpad_multiply"),
    "kp_divide": ("divide", "numpad_divide"),
    "kp_decimal": ("decimal", "numpad_decimal", "kp_period"),
    **{f"kp_{digit}": (f"num{digit}", f"numpad{digit}", f"numpad_{digit}") for digit in range(10)},
    **{f"f{number}": () for number in range(1, 25)},
    "back": ("xf86back", "browserback", "browser_back"),
    "forward": ("xf86forward", "browserforward", "browser_forward"),
    "refresh": ("xf86refresh", "browserrefresh", "xf86reload"),
    "volumeup": ("xf86audioraisevolume", "volume_up", "audiovolumeup"),
    "volumedown": ("xf86audiolowervolume", "volume_down", "audiovolumedown"),
    "volumemute": ("xf86audiomute", "volume_mute", "audiovolumemute"),
    "playpause": ("xf86audioplay", "play_pause", "mediaplaypause"),
}

_CHARACTER_NAMES = {
    "plus": "+", "minus": "-", "hyphen": "-", "comma": ",", "period": ".", "dot": ".", "slash": "/",
    "backslash": "\\", "semicolon": ";", "colon": ":", "apostrophe": "'", "quote": "'", "quotedbl": '"',
    "grave": "`", "backquote": "`", "asciitilde": "~", "tilde": "~", "equal": "=", "equals": "=",
    "underscore": "_", "bracketleft": "[", "bracketright": "]", "braceleft": "{", "braceright": "}",
    "parenleft": "(", "parenright": ")", "bar": "|", "less": "<", "greater": ">", "question": "?",
    "exclam": "!", "at": "@", "numbersign": "#", "hash": "#", "dollar": "$", "percent": "%",
    "asciicircum": "^", "caret": "^", "ampersand": "&", "asterisk": "*", "star": "*",
}  # fmt: skip

NAMED_KEYS = tuple(_SPELLINGS)
_SIDES = {"ctrl_r": "ctrl", "alt_r": "alt", "shift_r": "shift", "super_r": "super"}
_CODES = re.compile(r"key([a-z])|digit([0-9])")  # how browsers name letter and digit keys


def _squash(spelling: str) -> str:
    """Normalize a spelling: `Page_Up`, `page up` and `PAGEUP` become equal."""
    return re.sub(r"[ _-]", "", spelling.lower())


_EXACT = {spelling: name for name, spellings in _SPELLINGS.items() for spelling in spellings if len(spelling) == 1}
_CANONICAL = {
    _squash(spelling): name
    for name, spellings in _SPELLINGS.items()
    for spelling in (name, *spellings)
    if len(spelling) > 1
} | _CHARACTER_NAMES


def canonical_key(spelling: str) -> str:
    """Return the canonical name of a key in any spelling. A printable character is its own name.

    Raises:
        InvalidAction: There is no such key.
    """
    if len(spelling) == 1:
        if spelling not in _EXACT and unicodedata.category(spelling) in ("Cc", "Cs", "Cn"):
            raise InvalidAction(f"key {spelling!r} is not a key: it is a control character or not a valid character")
        return _EXACT.get(spelling, spelling)
    squashed = _squash(spelling)
    if squashed in _CANONICAL:
        return _CANONICAL[squashed]
    if code := _CODES.fullmatch(squashed):
        return code[1] or code[2]
    error = unknown("key", spelling[:40], [*_SPELLINGS, *_CANONICAL])
    raise InvalidAction(error.message, fix=error.fix)


def is_modifier(key: str) -> bool:
    """Whether a canonical key is a modifier, such as ctrl or shift."""
    return _SIDES.get(key, key) in MODIFIERS
