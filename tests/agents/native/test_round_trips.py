"""What is written is read back as the same doing, whatever the dialect: compared event by event."""

import string
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairground.agents.native import DIALECTS, Inexpressible, dialect
from fairground.core import (
    MODIFIERS,
    NAMED_KEYS,
    Action,
    Answer,
    CallUser,
    Click,
    Done,
    Drag,
    Fail,
    Key,
    KeyDown,
    KeyUp,
    Look,
    MouseDown,
    MouseUp,
    Move,
    Scroll,
    Type,
    Wait,
)

SIZE = (970, 690)  # finer on every grid and on the resized picture (980x700), so every pixel can be said

# --- what hands do ---------------------------------------------------------------------------------------------------


def events(actions: Iterable[Action]) -> list[tuple[Any, ...]]:
    """What happens on the screen: a second, plain reading of the actions, against which dialects are held."""
    found: list[tuple[Any, ...]] = []
    pointer: Any = None
    for event in _raw(actions):
        last = found[-1] if found else ("",)
        if event[0] == "at":
            if event[1] != pointer:
                pointer = event[1]
                found.append(event)
        elif event[0] == last[0] == "wheel":
            found[-1] = ("wheel", last[1] + event[1], last[2] + event[2])
        elif event[0] == last[0] == "wait":
            found[-1] = ("wait", last[1] + event[1])
        elif event not in (("wheel", 0, 0), ("wait", 0)):
            found.append(event)
    return found


def _raw(actions: Iterable[Action]) -> Iterator[tuple[Any, ...]]:
    for action in actions:
        held = getattr(action, "modifiers", ())
        yield from (("down", key) for key in held)
        if isinstance(action, Click | Move | MouseDown | MouseUp | Scroll) and action.point is not None:
            yield ("at", action.point)
        match action:
            case Click():
                yield ("click", action.button, action.count)
            case MouseDown():
                yield ("press", action.button)
            case MouseUp():
                yield ("release", action.button)
            case Scroll():
                yield ("wheel", *action.clicks())
            case Drag():
                yield from (("at", action.path[0]), ("press", action.button))
                yield from (("at", point) for point in action.path[1:])
                yield ("release", action.button)
            case Key():
                for _ in range(action.repeat):
                    keys = _pressed(action.keys)
                    yield from (("down", key) for key in keys)
                    yield ("wait", action.seconds)
                    yield from (("up", key) for key in reversed(keys))
            case KeyDown() | KeyUp():
                yield ("down" if isinstance(action, KeyDown) else "up", action.key)
            case Type():
                yield ("type", action.text)
            case Wait():
                yield ("wait", action.seconds)
            case Look():
                yield ("look", action.region)
            case Answer() | CallUser():
                yield (action.kind, action.text)
            case Done() | Fail():
                yield (action.kind,)  # no dialect carries the reason of a failure
        yield from (("up", key) for key in reversed(held))


def _pressed(keys: tuple[str, ...]) -> list[str]:
    """Ctrl+A is the key that says A; a capital alone is Shift and the letter."""
    command = any(key.removesuffix("_r") in ("ctrl", "alt", "super", "altgr") for key in keys)
    found: list[str] = []
    for key in keys:
        if len(key) == len(key.lower()) == 1 and command:
            key = key.lower()
        elif len(key) == 1 and key in string.ascii_uppercase:
            if not {"shift", "shift_r"} & {*keys, *found}:
                found.append("shift")
            key = key.lower()
        found.append(key)
    return found


# --- every action ----------------------------------------------------------------------------------------------------

points = st.tuples(st.integers(0, SIZE[0] - 1), st.integers(0, SIZE[1] - 1))
places = st.one_of(st.none(), points)
modifiers = st.lists(st.sampled_from(MODIFIERS), unique=True, max_size=2).map(tuple)
buttons = st.sampled_from(["left", "middle", "right", "back", "forward"])
keys = st.one_of(st.sampled_from(NAMED_KEYS), st.sampled_from("abzAZ019+-'\"\\/,<é漢ßÉ"))
texts = st.text(
    st.one_of(st.sampled_from("ab '\"\\\n\t)(`<>n漢"), st.characters(codec="utf-8", exclude_categories=("Cc",)))
)
amounts = st.integers(-30, 30)
whole = st.sampled_from([0, 1, 2, 3, 4, 5, 10, 0.5])

ACTIONS: dict[str, st.SearchStrategy[Action]] = {
    "click": st.builds(Click, point=places, modifiers=modifiers, button=buttons, count=st.integers(1, 3)),
    "move": st.builds(Move, point=places, modifiers=modifiers),
    "mouse_down": st.builds(MouseDown, point=places, modifiers=modifiers, button=buttons),
    "mouse_up": st.builds(MouseUp, point=places, modifiers=modifiers, button=buttons),
    "scroll": st.one_of(
        st.builds(Scroll, point=places, modifiers=modifiers, dx=amounts, dy=amounts),
        st.builds(Scroll, point=places, dy=st.sampled_from([-10, -5, 5, 10])),
        st.builds(Scroll, point=places, dy=st.floats(-3000, 3000), unit=st.just("pixels")),
    ),
    "drag": st.builds(
        Drag,
        path=st.lists(points, min_size=2, max_size=5, unique=True).map(tuple),
        modifiers=modifiers,
        button=buttons,
    ),
    "key": st.builds(
        Key, keys=st.lists(keys, min_size=1, max_size=4).map(tuple), repeat=st.integers(1, 3), seconds=whole
    ),
    "key_down": st.builds(KeyDown, key=keys),
    "key_up": st.builds(KeyUp, key=keys),
    "type": st.builds(Type, text=texts),
    "wait": st.builds(Wait, seconds=whole),
    "look": st.builds(Look, region=st.sampled_from([None, (1, 2, 30, 40), (0, 0, *SIZE)])),
    "answer": st.builds(Answer, text=texts),
    "call_user": st.builds(CallUser, text=texts),
    "done": st.just(Done()),
    "fail": st.builds(Fail, reason=texts),
}


@pytest.mark.parametrize("name", DIALECTS)
@settings(deadline=None)
@given(action=st.one_of(*ACTIONS.values()))
def test_what_is_written_does_the_same_when_read(name: str, action: Action) -> None:
    try:
        calls = dialect(name).write(action, SIZE)
    except Inexpressible as error:
        assert error.message.startswith(f"{name} cannot express {action.kind} (")
        return  # who must be able to say what is in the table below
    back = [part for call in calls for part in dialect(name).parse(call, SIZE)]
    assert events(back) == events([action])


# --- who can say what ------------------------------------------------------------------------------------------------

FAMILIES = {
    "anthropic-20250124": "A", "anthropic-20251124": "AZ", "anthropic-toolset-20260801": "AZ",
    "openai-computer": "O", "openai-preview": "O", "gemini-2.5": "g", "gemini-3.5": "G",
    "ui-tars-1.0": "U", "ui-tars-1.5": "U", "ui-tars-grid": "U", "qwen3-vl": "Q", "qwen3-vl-absolute": "Q",
    "pyautogui": "P", "opencua": "PX", "opencua-relative": "PX", "computer-13": "C",
}  # fmt: skip

SAYABLE: list[tuple[Action, str]] = [
    (Click(point=(1, 1)), "AOgGUQPC"),
    (Click(), "APC"),
    (Click(point=(1, 1), button="right"), "AOGUQPC"),
    (Click(point=(1, 1), button="middle"), "AOGQPC"),
    (Click(point=(1, 1), button="back"), "O"),
    (Click(point=(1, 1), count=2), "AOGUQPC"),
    (Click(point=(1, 1), count=3), "AGQPC"),
    (Click(point=(1, 1), modifiers=("ctrl",)), "AOGPC"),
    (Move(point=(1, 1)), "AOgGQPC"),
    (MouseDown(), "APC"),
    (MouseDown(point=(1, 1)), "AGPC"),
    (MouseUp(button="right"), "PC"),
    (Drag(path=((1, 1), (2, 2))), "AOgGUQPC"),
    (Drag(path=((1, 1), (2, 2), (3, 3))), "AOGPC"),
    (Drag(path=((1, 1), (2, 2)), modifiers=("shift",)), "AOGPC"),
    (Drag(path=((1, 1), (2, 2)), button="right"), "PC"),
    (Scroll(point=(1, 1), dy=5), "AOgGUQPC"),
    (Scroll(point=(1, 1), dy=3), "AOgGQPC"),
    (Scroll(point=(1, 1), dx=5, dy=-5), "AOgGUQPC"),
    (Scroll(dy=5), "AUQPC"),
    (Key(keys=("enter",)), "AOgGUQPC"),
    (Key(keys=("ctrl", "shift", "t"), repeat=3), "AOgGUQPC"),
    (Key(keys=("shift",), seconds=2), "AGPC"),
    (KeyDown(key="shift"), "GPC"),
    (KeyUp(key="shift"), "GPC"),
    (Type(text="Grüße\n"), "AOGUQPC"),
    (Wait(seconds=10), "AOgGUQPC"),
    (Wait(seconds=1), "AGQPC"),
    (Wait(seconds=0.5), "QP"),
    (Look(), "AOGP"),
    (Look(region=(1, 1, 9, 9)), "Z"),
    (Answer(text="4"), "UQX"),
    (CallUser(text="which?"), "U"),
    (Done(), "UQPC"),
    (Fail(), "QPC"),
]


@pytest.mark.parametrize(("action", "families"), SAYABLE, ids=[str(action) for action, _ in SAYABLE])
def test_who_can_say_what(action: Action, families: str) -> None:
    able = set()
    for name, each in DIALECTS.items():
        try:
            each.write(action, SIZE)
        except Inexpressible:
            continue
        able.add(name)
    assert able == {name for name, letters in FAMILIES.items() if set(letters) & set(families)}


def test_every_dialect_is_in_the_table() -> None:
    assert set(FAMILIES) == set(DIALECTS)
