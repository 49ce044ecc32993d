"""Key names of each model family. Every spelling is read by all of them; these tables define how keys are written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from fairground.agents.native.dialect import CannotSay
from fairground.agents.native.limits import shown
from fairground.agents.native.simpler import as_printed, is_capital, pressed
from fairground.core import InvalidAction, canonical_key

_LONGEST = 40  # maximum characters of a key name
_LONGEST_CHORD = 200


@dataclass(frozen=True)
class Spelling:
    """Key names of one model family.

    Attributes:
        names: Native names by canonical key, where they differ.
        other: Derives the other native names from the canonical ones.
        cased: Whether `A` and `a` are different keys. If not, a capital is written with Shift.
        lacks: Canonical keys without a native name.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    other: Callable[[str], str] = str.lower
    cased: bool = False
    lacks: frozenset[str] = frozenset()

    def read(self, name: str) -> str:
        """Return the canonical key for a native name."""
        if len(name) > _LONGEST:
            raise InvalidAction(f"expected the name of a key, found {shown(name)}")
        key = canonical_key(name if len(name) == 1 else name.strip())
        return key if self.cased or len(key) > 1 or not key.isascii() else key.lower()

    def read_chord(self, text: str) -> tuple[str, ...]:
        """Return the keys of a chord joined by plus signs: `ctrl+shift+t`, `Page_Down`, `ctrl++`."""
        if len(text) == 1:
            return (self.read(text),)
        if len(text) > _LONGEST_CHORD:
            raise InvalidAction(f"expected keys joined by '+', such as ctrl+c, found {shown(text)}")
        parts = [*text[:-2].split("+"), "+"] if text.endswith("++") else text.split("+")
        if not all(part.strip() for part in parts):
            raise InvalidAction(f"expected keys joined by '+', such as ctrl+c, found {shown(text)}")
        return tuple(map(self.read, parts))

    def read_keys(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return the keys of a chord given as a list. An item may itself be a chord."""
        return tuple(key for name in names for key in self.read_chord(name))

    def write(self, key: str) -> str:
        """Return the native name of a key. Raises `CannotSay` if there is none."""
        if key in self.lacks:
            raise CannotSay(f"it has no name for the key {key}")
        if not self.cased and is_capital(key):
            raise CannotSay("it does not tell capitals apart; hold shift")
        return self.names.get(key, key if len(key) == 1 else self.other(key))

    def write_keys(self, keys: tuple[str, ...]) -> list[str]:
        """Return the native names of a chord's keys, with Shift before a capital if case is not significant."""
        return [self.write(key) for key in (as_printed(keys) if self.cased else pressed(keys))]


XDOTOOL = Spelling(
    {
        "enter": "Return", "tab": "Tab", "backspace": "BackSpace", "delete": "Delete", "escape": "Escape",
        "insert": "Insert", "home": "Home", "end": "End", "pageup": "Page_Up", "pagedown": "Page_Down", "up": "Up",
        "down": "Down", "left": "Left", "right": "Right", "ctrl_r": "Control_R", "alt_r": "Alt_R",
        "altgr": "ISO_Level3_Shift", "shift_r": "Shift_R", "super_r": "Super_R", "capslock": "Caps_Lock",
        "numlock": "Num_Lock", "scrolllock": "Scroll_Lock", "printscreen": "Print", "pause": "Pause", "menu": "Menu",
        "kp_enter": "KP_Enter", "kp_add": "KP_Add", "kp_subtract": "KP_Subtract", "kp_multiply": "KP_Multiply",
        "kp_divide": "KP_Divide", "kp_decimal": "KP_Decimal", "back": "XF86Back", "forward": "XF86Forward",
        "refresh": "XF86Refresh", "volumeup": "XF86AudioRaiseVolume", "volumedown": "XF86AudioLowerVolume",
        "volumemute": "XF86AudioMute", "playpause": "XF86AudioPlay", "+": "plus",
        **{f"kp_{digit}": f"KP_{digit}" for digit in range(10)},
        **{f"f{number}": f"F{number}" for number in range(1, 25)},
    }
)  # fmt: skip

CAPITALS = Spelling(
    {
        "escape": "ESC", "up": "ARROWUP", "down": "ARROWDOWN", "left": "ARROWLEFT", "right": "ARROWRIGHT",
        "super": "META",
    },
    other=str.upper,
)  # fmt: skip
"""OpenAI's spelling: ENTER, CTRL, ARROWUP."""

BROWSER = Spelling({"ctrl": "control", "super": "meta", "+": "plus"})
"""Gemini's spelling: control, enter, pagedown."""

_PYAUTOGUI = {
    "escape": "esc", "super": "win", "super_r": "winright", "ctrl_r": "ctrlright", "alt_r": "altright",
    "shift_r": "shiftright", "menu": "apps", "kp_add": "add", "kp_subtract": "subtract", "kp_multiply": "multiply",
    "kp_divide": "divide", "kp_decimal": "decimal", "back": "browserback", "forward": "browserforward",
    "refresh": "browserrefresh",
    **{f"kp_{digit}": f"num{digit}" for digit in range(10)},
}  # fmt: skip

PYAUTOGUI = Spelling(_PYAUTOGUI, cased=True, lacks=frozenset({"altgr", "kp_enter"}))
LOOSE_PYAUTOGUI = Spelling(_PYAUTOGUI | {"'": "apostrophe", '"': "quotedbl"})
"""Spelling of UI-TARS and Qwen: pyautogui's names, without significant case."""
