"""One name a key, whoever spells it."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairground.core import MODIFIERS, NAMED_KEYS, InvalidAction, canonical_key, is_modifier

# As the tools and models of the field write them.
SPELLINGS = {
    "enter": "Return ENTER enter return Enter \n \r",
    "kp_enter": "KP_Enter kp_enter NumpadEnter",
    "escape": "Escape ESC esc escape",
    "backspace": "BackSpace BACKSPACE backspace Backspace",
    "delete": "Delete DEL del DELETE",
    "insert": "Insert insert",
    "tab": "Tab TAB tab \t",
    "pageup": "Page_Up PageUp PAGEUP pgup pageup Prior",
    "pagedown": "Page_Down PageDown PAGEDOWN pgdn pagedown Next",
    "home": "Home HOME home",
    "end": "End END end",
    "up": "Up UP up ArrowUp ARROWUP arrow_up",
    "down": "Down DOWN down ArrowDown ARROWDOWN",
    "left": "Left LEFT left ArrowLeft ARROWLEFT Left_Arrow",
    "right": "Right RIGHT right ArrowRight ARROWRIGHT Right_Arrow",
    "ctrl": "ctrl Control CTRL Ctrl Control_L ctrlleft ControlLeft ControlOrMeta",
    "ctrl_r": "Control_R ctrlright ControlRight",
    "alt": "alt Alt ALT Alt_L altleft AltLeft option OPTION optionleft",
    "alt_r": "Alt_R altright AltRight optionright",
    "altgr": "ISO_Level3_Shift AltGraph altgr",
    "shift": "shift Shift SHIFT Shift_L shiftleft ShiftLeft",
    "shift_r": "Shift_R shiftright ShiftRight",
    "super": "super Super_L SUPER Meta META meta win WIN winleft cmd CMD command MetaLeft Windows",
    "super_r": "Super_R winright MetaRight",
    "capslock": "Caps_Lock CapsLock capslock",
    "numlock": "Num_Lock NumLock numlock",
    "scrolllock": "Scroll_Lock ScrollLock scrolllock",
    "printscreen": "Print PrintScreen printscreen print prtsc prtscr prntscrn",
    "pause": "Pause pause Break",
    "menu": "Menu menu apps ContextMenu",
    "kp_0": "KP_0 num0 Numpad0",
    "kp_9": "KP_9 num9 Numpad9",
    "kp_add": "KP_Add add NumpadAdd",
    "kp_subtract": "KP_Subtract subtract NumpadSubtract",
    "kp_multiply": "KP_Multiply multiply NumpadMultiply",
    "kp_divide": "KP_Divide divide NumpadDivide",
    "kp_decimal": "KP_Decimal decimal NumpadDecimal",
    "f1": "F1 f1",
    "f24": "F24 f24",
    "back": "XF86Back browserback",
    "forward": "XF86Forward browserforward",
    "refresh": "browserrefresh",
    "volumeup": "XF86AudioRaiseVolume volumeup",
    "volumedown": "XF86AudioLowerVolume volumedown",
    "volumemute": "XF86AudioMute volumemute",
    "playpause": "playpause",
    "a": "a KeyA",
    "1": "1 Digit1",
    "+": "+ plus",
    "-": "- minus",
    "/": "/ slash",
    "\\": "\\ backslash Backslash",
    "`": "` grave Backquote",
    "=": "= equal Equal",
    "[": "[ bracketleft BracketLeft",
    ";": "; semicolon Semicolon",
    "'": "' apostrophe Quote",
    ",": ", comma Comma",
    ".": ". period Period",
    "_": "_ underscore",
    "*": "* asterisk",
    "@": "@ at",
    "#": "# numbersign",
}  # fmt: skip
CASES = [(spelling, name) for name, spellings in SPELLINGS.items() for spelling in spellings.split(" ")]


def test_every_spelling_has_one_name() -> None:
    for spelling, name in CASES:
        assert canonical_key(spelling) == name, spelling


@pytest.mark.parametrize("spelling", ["space", "Space", "SPACE", "spacebar", " "])
def test_space_has_a_name(spelling: str) -> None:
    assert canonical_key(spelling) == "space"


@pytest.mark.parametrize(
    ("spelling", "name"),
    [("page up", "pageup"), ("Caps Lock", "capslock"), ("left arrow", "left"), ("right-shift", "shift_r")],
)
def test_words_may_be_joined_in_any_way(spelling: str, name: str) -> None:
    assert canonical_key(spelling) == name


def test_a_name_is_a_spelling_of_itself() -> None:
    for name in NAMED_KEYS:
        assert canonical_key(name) == name
        assert canonical_key(name.upper()) == name


@given(st.characters())
def test_a_character_is_its_own_name_or_no_key(character: str) -> None:
    try:
        name = canonical_key(character)
    except InvalidAction:
        assert unicodedata.category(character) in ("Cc", "Cs", "Cn")
    else:
        assert name == character or name in NAMED_KEYS
        assert canonical_key(name) == name


def test_case_matters_for_a_character_and_for_nothing_else() -> None:
    assert canonical_key("A") == "A"
    assert canonical_key("a") == "a"
    assert canonical_key("eNtEr") == "enter"


@given(st.text(max_size=30))
def test_any_text_is_a_key_or_an_invalid_action(text: str) -> None:
    try:
        name = canonical_key(text)
    except InvalidAction as error:
        assert len(str(error)) < 500
    else:
        assert canonical_key(name) == name


def test_a_mistyped_key_gets_a_suggestion() -> None:
    with pytest.raises(InvalidAction) as caught:
        canonical_key("Retrun")
    assert caught.value.message == "unknown key 'Retrun'"
    assert caught.value.fix is not None and "return" in caught.value.fix


@pytest.mark.parametrize("spelling", ["", "a" * 1_000_000, "ctrl+s", "🙂🙂"])
def test_what_is_no_key_is_refused_in_a_message_of_one_printable_line(spelling: str) -> None:
    with pytest.raises(InvalidAction) as caught:
        canonical_key(spelling)
    assert len(caught.value.message) < 100
    assert caught.value.fix is not None and caught.value.fix.isprintable()


def test_modifiers_are_known_on_either_side() -> None:
    assert all(is_modifier(key) for key in (*MODIFIERS, "ctrl_r", "alt_r", "shift_r", "super_r"))
    assert not any(is_modifier(key) for key in ("capslock", "enter", "a", "f1", "menu"))
