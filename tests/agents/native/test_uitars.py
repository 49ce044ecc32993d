"""UI-TARS' text in both spellings, by hand and both ways."""

import pytest

from fairground.agents.native import Inexpressible, dialect, smart_resize
from fairground.core import (
    Action,
    Answer,
    CallUser,
    Click,
    Done,
    Drag,
    InvalidAction,
    Key,
    Look,
    Move,
    Scroll,
    Type,
    Wait,
)

SIZE = (1280, 720)  # 1288x728 for the model
NAMES = ("ui-tars-1.0", "ui-tars-1.5", "ui-tars-grid")

PLACED: list[tuple[str, str, Action]] = [
    (
        "click(point='<point>644 364</point>')",
        "click(start_box='<|box_start|>(644,364)<|box_end|>')",
        Click(point=(640, 360)),
    ),
    (
        "left_double(point='<point>0 0</point>')",
        "left_double(start_box='<|box_start|>(0,0)<|box_end|>')",
        Click(point=(0, 0), count=2),
    ),
    (
        "right_single(point='<point>1287 727</point>')",
        "right_single(start_box='<|box_start|>(1287,727)<|box_end|>')",
        Click(point=(1279, 719), button="right"),
    ),
    (
        "drag(start_point='<point>0 0</point>', end_point='<point>644 364</point>')",
        "drag(start_box='<|box_start|>(0,0)<|box_end|>', end_box='<|box_start|>(644,364)<|box_end|>')",
        Drag(path=((0, 0), (640, 360))),
    ),
    (
        "scroll(point='<point>644 364</point>', direction='down')",
        "scroll(start_box='<|box_start|>(644,364)<|box_end|>', direction='down')",
        Scroll(point=(640, 360), dy=5),
    ),
]
PLAIN: list[tuple[str, Action]] = [
    ("hotkey(key='ctrl c')", Key(keys=("ctrl", "c"))),
    ("hotkey(key='enter')", Key(keys=("enter",))),
    ("hotkey(key='ctrl +')", Key(keys=("ctrl", "+"))),
    ("type(content='tea')", Type(text="tea")),
    (r"type(content='tea\n')", Type(text="tea\n")),
    (r"type(content='it\'s C:\\new')", Type(text=r"it's C:\new")),
    ("scroll(direction='left')", Scroll(dx=-5)),
    ("wait()", Wait(seconds=5)),
    ("finished()", Done()),
    ("finished(content='42')", Answer(text="42")),
    ("call_user()", CallUser()),
    ("call_user(content='which one?')", CallUser(text="which one?")),
]


def test_the_picture_is_larger_for_the_model() -> None:
    assert smart_resize(SIZE) == (1288, 728)


@pytest.mark.parametrize(("points", "boxes", "action"), PLACED)
def test_places_are_read_in_both_spellings_and_written_in_ones_own(points: str, boxes: str, action: Action) -> None:
    for name, own in (("ui-tars-1.0", points), ("ui-tars-1.5", boxes)):
        assert dialect(name).parse(f"Thought: so.\nAction: {points}", SIZE) == (action,)
        assert dialect(name).parse(f"Action: {boxes}", SIZE) == (action,)
        assert dialect(name).write(action, SIZE) == (f"Action: {own}",)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("text", "action"), PLAIN)
def test_the_rest_is_the_same_in_all(name: str, text: str, action: Action) -> None:
    assert dialect(name).parse(f"Action: {text}", SIZE) == (action,)
    assert dialect(name).write(action, SIZE) == (f"Action: {text}",)


def test_hosted_models_write_on_a_grid() -> None:
    native = "Action: click(point='<point>500 500</point>')"
    assert dialect("ui-tars-grid").parse(native, SIZE) == (Click(point=(640, 360)),)


@pytest.mark.parametrize(
    ("text", "actions"),
    [
        ("click(start_box='(644,364)')", (Click(point=(640, 360)),)),
        ("click(start_box='[643, 363, 645, 365]')", (Click(point=(640, 360)),)),
        ("click(point='<bbox>643 363 645 365</bbox>')", (Click(point=(640, 360)),)),
        ('hotkey(key="ctrl+shift+t")', (Key(keys=("ctrl", "shift", "t")),)),
        ("hotkey(key='page down')", (Key(keys=("pagedown",)),)),
        ("hotkey(key='ctrl page up')", (Key(keys=("ctrl", "pageup")),)),
        ("hotkey(key='arrowleft')", (Key(keys=("left",)),)),
        ("type(content='it's \"here\"')", (Type(text='it\'s "here"'),)),
        ("type(content='two\nlines')", (Type(text="two\nlines"),)),
        ('type(content="a)b")', (Type(text="a)b"),)),
        ("type(content='')", (Type(text=""),)),
        ("wait()\n\nhotkey(key='esc')", (Wait(seconds=5), Key(keys=("escape",)))),
        ("type(content='a')\nwait()", (Type(text="a"), Wait(seconds=5))),
    ],
)
def test_what_models_write_beside_the_rules_is_read_too(text: str, actions: tuple[Action, ...]) -> None:
    assert dialect("ui-tars-1.5").parse(f"Thought: hm.\nAction: {text}\n", SIZE) == actions


def test_the_last_action_counts() -> None:
    text = "Thought: I said\nAction: wait()\nbut no.\nAction: finished()"
    assert dialect("ui-tars-1.5").parse(text, SIZE) == (Done(),)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("I am done.", "expected 'Action: ' and one of the actions"),
        ("Action: ", "expected an action such as click"),
        ("Action: click", "expected an action such as click"),
        ("Action: klick(point='<point>1 1</point>')", "unknown action 'klick'\n  fix: did you mean click"),
        ("Action: click()", "click: point is required, and missing"),
        ("Action: click(point='<point>1288 1</point>')", "off the 1288x728 picture"),
        ("Action: click(point='<point>-1 1</point>')", "off the 1288x728 picture"),
        ("Action: click(point='<point>1</point>')", "expected '<point>x y</point>', found '<point>1</point>'"),
        ("Action: click(point='here')", "expected '<point>x y</point>', found 'here'"),
        ("Action: click(point=(1, 2))", "expected arguments such as"),
        ("Action: click(point='(1,2)', point='(1,2)')", "expected arguments such as"),
        ("Action: click(point='(1,2)', times='3')", "unknown field 'times'"),
        ("Action: hotkey(key='')", "key.keys"),
        ("Action: hotkey(key='ctrl foo')", "unknown key 'foo'"),
        ("Action: scroll(point='(1,2)', direction='away')", "expected one of up, down, left, right"),
        ("Action: wait(5)", "expected arguments such as"),
        ("Action: type(text='a')", "type: content is required, and missing"),
        ("Action: type(content='\x00')", "U\\+0000 cannot be typed"),
    ],
)
def test_a_mistake_comes_back_with_what_was_found_and_expected(text: str, complaint: str) -> None:
    with pytest.raises(InvalidAction, match=complaint):
        dialect("ui-tars-1.5").parse(text, SIZE)


@pytest.mark.parametrize(
    "action",
    [
        Move(point=(1, 1)),
        Click(),
        Click(point=(1, 1), button="middle"),
        Click(point=(1, 1), modifiers=("ctrl",)),
        Scroll(dy=3),
        Wait(seconds=1),
        Look(),
        Key(keys=("a",), seconds=1),
    ],
)
def test_what_it_lacks_is_inexpressible(action: Action) -> None:
    with pytest.raises(Inexpressible, match=f"ui-tars-1.5 cannot express {action.kind}"):
        dialect("ui-tars-1.5").write(action, SIZE)


def test_longer_scrolls_and_waits_are_several() -> None:
    tars = dialect("ui-tars-1.0")
    assert tars.write(Scroll(dy=-10), SIZE) == ("Action: scroll(direction='up')",) * 2
    assert tars.write(Wait(seconds=15), SIZE) == ("Action: wait()",) * 3
    assert tars.write(Key(keys=("tab",), repeat=2), SIZE) == ("Action: hotkey(key='tab')",) * 2
