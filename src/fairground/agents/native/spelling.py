"""How each family spells keys. Every spelling is read by all of them; these tables say how they are written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from fairground.agents.native.dialect import CannotSay
from fairground.agents.native.limits import shown
from fairground.agents.native.simpler import as_printed, is_capital, pressed
from fairground.core import InvalidAction, canonical_key

_LONGEST = 40  # characters of a key's name
_LONGEST_CHORD = 200


@dataclass(frozen=True)
class Spelling:
    """A family's names of keys.

    Attributes:
        names: Canonical key to native name, where the two differ.
        other: How the remaining named keys are made from their canonical name.
        cased: Whether `A` is another key than `a`. Where it is not, a capital is written with Shift.
        lacks: Canonical keys that the family has no name for.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    other: Callable[[str], str] = str.lower
    cased: bool = False
    lacks: frozenset[str] = frozenset()

    def read(self, name: str) -> str:
        """The canonical key of one native name."""
        if len(name) > _LONGEST:
            raise InvalidAction(f"expected the name of a key, found {shown(name)}")
        key = canonical_key(name if len(name) == 1 else name.strip())
        return key if self.cased or len(key) > 1 or not key.isascii() else key.lower()

    def read_chord(self, text: str) -> tuple[str, ...]:
        """The keys of a chord joined by plus signs: `ctrl+shift+t`, `Page_Down`, `ctrl++`."""
        if len(text) == 1:
            return (self.read(text),)
        if len(text) > _LONGEST_CHORD:
            raise InvalidAction(f"expected keys joined by '+', such as ctrl+c, found {shown(text)}")
        parts = [*text[:-2].split("+"), "+"] if text.endswith("++") else text.split("+")
        if not all(part.strip() for part in parts):
            raise InvalidAction(f"expected keys joined by '+', such as ctrl+c, found {shown(text)}")
        return tuple(map(self.read, parts))

    def read_keys(self, names: Iterable[str]) -> tuple[str, ...]:
        """The keys of a chord given as a list, of which an item may be a chord itself."""
        return tuple(key for name in names for key in self.read_chord(name))

    def write(self, key: str) -> str:
        """The native name of one key; raises `CannotSay` when there is none."""
        if key in self.lacks:
            raise CannotSay(f"it has no name for the key {key}")
        if not self.cased and is_capital(key):
            raise CannotSay("it does not tell capitals apart; hold shift")
        return self.names.get(key, key if len(key) == 1 else self.other(key))

    def write_keys(self, keys: tuple[str, ...]) -> list[str]:
        """The native names of a chord's keys, with Shift before a capital where case says nothing."""
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
"""OpenAI's: ENTER, CTRL, ARROWUP."""

BROWSER = Spelling({"ctrl": "control", "super": "meta", "+": "plus"})
"""Gemini's: control, enter, pagedown."""

_PYAUTOGUI = {
    "escape": "esc", "super": "win", "super_r": "winright", "ctrl_r": "ctrlright", "alt_r": "altright",
    "shift_r": "shiftright", "menu": "apps", "kp_add": "add", "kp_subtract": "subtract", "kp_multiply": "multiply",
    "kp_divide": "divide", "kp_decimal": "decimal", "back": "browserback", "forward": "browserforward",
    "refresh": "browserrefresh",
    **{f"kp_{digit}": f"num{digit}" for digit in range(10)},
}  # fmt: skip

PYAUTOGUI = Spelling(_PYAUTOGUI, cased=True, lacks=frozenset({"altgr", "kp_enter"}))
LOOSE_PYAUTOGUI = Spelling(_PYAUTOGUI | {"'": "apostrophe", '"': "quotedbl"})
"""What UI-TARS and Qwen write: pyautogui's names, in text where case carries nothing."""
