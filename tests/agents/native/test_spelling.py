"""Keys: every family's spelling of every key is read back; every spelling is read by all."""

import string

import pytest

from fairground.agents.native.dialect import CannotSay
from fairground.agents.native.spelling import BROWSER, CAPITALS, LOOSE_PYAUTOGUI, PYAUTOGUI, XDOTOOL, Spelling
from fairground.core import NAMED_KEYS, InvalidAction

FAMILIES = {
    "xdotool": XDOTOOL, "capitals": CAPITALS, "browser": BROWSER, "pyautogui": PYAUTOGUI, "loose": LOOSE_PYAUTOGUI,
}  # fmt: skip
every = pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
CHARACTERS = string.ascii_lowercase + string.digits + string.punctuation + "éß漢€"


@every
def test_a_key_is_read_back(family: Spelling) -> None:
    for key in (*NAMED_KEYS, *CHARACTERS):
        if key in family.lacks:
            with pytest.raises(CannotSay, match=f"no name for the key {key}"):
                family.write(key)
        else:
            assert family.read(family.write(key)) == key, key


@pytest.mark.parametrize(
    ("key", "xdotool", "capitals", "browser", "pyautogui"),
    [
        ("enter", "Return", "ENTER", "enter", "enter"),
        ("escape", "Escape", "ESC", "escape", "esc"),
        ("pagedown", "Page_Down", "PAGEDOWN", "pagedown", "pagedown"),
        ("backspace", "BackSpace", "BACKSPACE", "backspace", "backspace"),
        ("up", "Up", "ARROWUP", "up", "up"),
        ("ctrl", "ctrl", "CTRL", "control", "ctrl"),
        ("super", "super", "META", "meta", "win"),
        ("kp_5", "KP_5", "KP_5", "kp_5", "num5"),
        ("f12", "F12", "F12", "f12", "f12"),
        ("+", "plus", "+", "plus", "+"),
        ("space", "space", "SPACE", "space", "space"),
    ],
)
def test_how_each_family_writes_it(key: str, xdotool: str, capitals: str, browser: str, pyautogui: str) -> None:
    written = [family.write(key) for family in (XDOTOOL, CAPITALS, BROWSER, PYAUTOGUI)]
    assert written == [xdotool, capitals, browser, pyautogui]


@every
@pytest.mark.parametrize(
    ("spelling", "key"),
    [
        ("Return", "enter"), ("ENTER", "enter"), ("enter", "enter"), ("kp_enter", "kp_enter"), ("KP_Enter", "kp_enter"),
        ("cmd", "super"), ("super", "super"), ("win", "super"), ("Meta_L", "super"), ("command", "super"),
        ("Control", "ctrl"), ("ctrl_l", "ctrl"), ("page_down", "pagedown"), ("PageDown", "pagedown"),
        ("pgdn", "pagedown"), ("Next", "pagedown"), ("ArrowLeft", "left"), ("Left", "left"), ("del", "delete"),
        (" ", "space"), ("spacebar", "space"), ("\n", "enter"), ("F5", "f5"), ("Escape", "escape"), ("num0", "kp_0"),
        ("plus", "+"), ("minus", "-"), ("Digit5", "5"), ("ISO_Level3_Shift", "altgr"), ("apps", "menu"),
    ],
)  # fmt: skip
def test_any_spelling_is_read(family: Spelling, spelling: str, key: str) -> None:
    assert family.read(spelling) == key


@every
@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("ctrl+shift+t", ("ctrl", "shift", "t")),
        ("ctrl + c", ("ctrl", "c")),
        ("ctrl++", ("ctrl", "+")),
        ("+", ("+",)),
        ("ctrl+-", ("ctrl", "-")),
        ("Alt+F4", ("alt", "f4")),
        ("cmd+space", ("super", "space")),
    ],
)
def test_a_chord_is_keys_with_plus_between(family: Spelling, text: str, keys: tuple[str, ...]) -> None:
    assert family.read_chord(text) == keys


@every
@pytest.mark.parametrize("text", ["", "+ctrl", "ctrl+", "ctrl+ +c", "a" * 300, "x" * 50, "\x00", "\ud800", "+++++"])
def test_what_is_no_chord_is_refused(family: Spelling, text: str) -> None:
    with pytest.raises(InvalidAction):
        family.read_chord(text)


def test_case_counts_only_where_a_family_says_so() -> None:
    assert XDOTOOL.read("A") == "a" and PYAUTOGUI.read("A") == "A"
    assert XDOTOOL.write_keys(("A",)) == ["shift", "a"] and PYAUTOGUI.write_keys(("A",)) == ["A"]
    assert XDOTOOL.write_keys(("ctrl", "A")) == ["ctrl", "a"]
    assert XDOTOOL.write_keys(("shift", "A")) == ["shift", "a"]
    with pytest.raises(CannotSay, match="hold shift"):
        XDOTOOL.write("A")
