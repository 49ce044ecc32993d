"""pyautogui text, by hand and both ways: read with `ast`, never run."""

import pytest

from fairground.agents.native import Inexpressible, dialect
from fairground.core import (
    Action,
    Answer,
    CallUser,
    Click,
    Done,
    Drag,
    Fail,
    InvalidAction,
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

SIZE = (1280, 720)

BOTH_WAYS: list[tuple[str, Action]] = [
    ("pyautogui.click(x=10, y=20)", Click(point=(10, 20))),
    ("pyautogui.click()", Click()),
    ("pyautogui.click(x=10, y=20, clicks=3)", Click(point=(10, 20), count=3)),
    ("pyautogui.click(x=10, y=20, button='right')", Click(point=(10, 20), button="right")),
    ("pyautogui.moveTo(x=1279, y=719)", Move(point=(1279, 719))),
    ("pyautogui.mouseDown(button='left')", MouseDown()),
    ("pyautogui.mouseUp(x=1, y=2, button='middle')", MouseUp(point=(1, 2), button="middle")),
    ("pyautogui.moveTo(x=1, y=2)\npyautogui.dragTo(x=3, y=4, button='left')", Drag(path=((1, 2), (3, 4)))),
    ("pyautogui.scroll(-5, x=1, y=2)", Scroll(point=(1, 2), dy=5)),
    ("pyautogui.scroll(5)", Scroll(dy=-5)),
    ("pyautogui.hscroll(3)", Scroll(dx=3)),
    ("pyautogui.press('enter')", Key(keys=("enter",))),
    ("pyautogui.press('tab', presses=4)", Key(keys=("tab",), repeat=4)),
    ("pyautogui.hotkey('ctrl', 'shift', 't')", Key(keys=("ctrl", "shift", "t"))),
    ("pyautogui.keyDown('win')", KeyDown(key="super")),
    ("pyautogui.keyUp('win')", KeyUp(key="super")),
    ("pyautogui.write('it\\'s \"so\"\\n')", Type(text='it\'s "so"\n')),
    ("time.sleep(0.5)", Wait(seconds=0.5)),
    ("pyautogui.screenshot()", Look()),
    (
        "pyautogui.keyDown('ctrl')\npyautogui.click(x=1, y=2)\npyautogui.keyUp('ctrl')",
        Click(point=(1, 2), modifiers=("ctrl",)),
    ),
    ("DONE", Done()),
    ("FAIL", Fail()),
]


@pytest.mark.parametrize(("code", "action"), BOTH_WAYS)
def test_each_call_is_read_and_written(code: str, action: Action) -> None:
    assert dialect("pyautogui").parse(code, SIZE) == (action,)
    (written,) = dialect("pyautogui").write(action, SIZE)
    assert written.replace('"it\'s \\"so\\"\\n"', "'it\\'s \"so\"\\n'") == code


READ_ONLY: list[tuple[str, tuple[Action, ...]]] = [
    ("pyautogui.click(10, 20)", (Click(point=(10, 20)),)),
    ("pyautogui.click((10, 20))", (Click(point=(10, 20)),)),
    ("pyautogui.click(10, 20, 2, 0.1, 'right')", (Click(point=(10, 20), button="right", count=2),)),
    ("pyautogui.click(y=20, x=10, duration=0.5, tween=pyautogui.easeInOutQuad)", (Click(point=(10, 20)),)),
    ("pyautogui.click(10.7, 20.2)", (Click(point=(10, 20)),)),
    ("pyautogui.rightClick(1, 2)", (Click(point=(1, 2), button="right"),)),
    ("pyautogui.middleClick()", (Click(button="middle"),)),
    ("pyautogui.doubleClick(1, 2)", (Click(point=(1, 2), count=2),)),
    ("pyautogui.tripleClick(1, 2)", (Click(point=(1, 2), count=3),)),
    ("computer.triple_click(1, 2)", (Click(point=(1, 2), count=3),)),
    ("pyautogui.typewrite('a', interval=0.05)", (Type(text="a"),)),
    ("pyautogui.typewrite(['a', 'enter'])", (Key(keys=("a",)), Key(keys=("enter",)))),
    ("pyautogui.press(['left', 'up'], presses=2)", (Key(keys=("left",)), Key(keys=("up",))) * 2),
    ("pyautogui.hotkey(['ctrl', 'c'])", (Key(keys=("ctrl", "c")),)),
    ("pyautogui.hotkey('ctrl', 'c', interval=0.1)", (Key(keys=("ctrl", "c")),)),
    ("pyautogui.dragTo(3, 4, duration=1)", (MouseDown(), Move(point=(3, 4)), MouseUp())),
    (
        "pyautogui.moveTo(1, 2); pyautogui.mouseDown(); pyautogui.moveTo(3, 4); pyautogui.mouseUp(5, 6)",
        (Drag(path=((1, 2), (3, 4), (5, 6))),),
    ),
    ("import pyautogui\nimport time\n# now\npyautogui.sleep(2)  # wait", (Wait(seconds=2),)),
    ("x, y = 10, 20\nstep = 5\npyautogui.click(x + 2 * step, y - step)", (Click(point=(20, 15)),)),
    ("pyautogui.PAUSE = 1\npyautogui.FAILSAFE = False\npyautogui.click()", (Click(),)),
    ("'''Thought: so'''\npyautogui.click()", (Click(),)),
    ("pyautogui.click()\nDONE", (Click(), Done())),
    ("WAIT", (Wait(seconds=1),)),
    ("computer.wait(seconds=3)", (Wait(seconds=3),)),
    ("computer.wait()", (Wait(seconds=20),)),
    ("computer.terminate(status='success')", (Done(),)),
    ("computer.terminate(status='success', answer='42')", (Answer(text="42"),)),
    ("computer.terminate(status='failure')", (Fail(),)),
    ("I will click.\n```python\npyautogui.click(1, 2)\n```\nand then\n```\nDONE\n```", (Click(point=(1, 2)), Done())),
    ("It loads.\n```WAIT```", (Wait(seconds=1),)),
    ("## Code:\n```code\npyautogui.click(1, 2)", (Click(point=(1, 2)),)),
    (r"pyautogui.write('C:\data')", (Type(text=r"C:\data"),)),
]


@pytest.mark.parametrize(("code", "actions"), READ_ONLY)
def test_other_forms_are_read(code: str, actions: tuple[Action, ...]) -> None:
    assert dialect("pyautogui").parse(code, SIZE) == actions


@pytest.mark.parametrize(
    ("code", "complaint"),
    [
        ("", "no action found"),
        ("import pyautogui", "no action found"),
        ("pyautogui.click(", "line 1: not valid Python"),
        ("I clicked it.", "not valid Python"),
        ("pyautogui.clik(1, 2)", "unknown function 'pyautogui.clik'\n  fix: did you mean pyautogui.click"),
        ("click(1, 2)", "unknown function 'click'"),
        ("import os", "found Import"),
        ("import pyautogui as p", "found Import"),
        ("os.system('true')", "unknown function 'os.system'"),
        ("__import__('os').system('true')", "expected a call such as pyautogui.click"),
        ("pyautogui.write(open('/etc/passwd').read())", "expected a plain value, found Call"),
        ("pyautogui.write(f'{1}')", "expected a plain value, found JoinedStr"),
        ("pyautogui.write('a' * 10**9)", "expected a number, found 'a'|expected a plain value"),
        ("pyautogui.click(2 ** 99, 1)", "expected a plain value, found BinOp"),
        ("pyautogui.click(1 / 0, 1)", "a division by zero"),
        ("pyautogui.click(*[1, 2])", "found Starred"),
        ("pyautogui.click(**{'x': 1})", "expected a call such as"),
        ("for i in range(3):\n    pyautogui.click()", "found For"),
        ("pyautogui.click(z, 1)", "expected a plain value, found Name \\(z\\)"),
        ("x, y = 1\npyautogui.click(x, y)", "expected a call such as"),
        ("pyautogui.click(1)", "y is required, and missing"),
        ("pyautogui.click(1, 2, x=3)", "was given x twice"),
        ("pyautogui.click(1, 2, speed=3)", "has no argument 'speed'"),
        ("pyautogui.click('button.png')", "required|expected a number"),
        ("pyautogui.click(1, 2, clicks=9)", "click.count"),
        ("pyautogui.click(1, 2, button='main')", "expected left, middle or right, found 'main'"),
        ("pyautogui.click(1280, 2)", "off the 1280x720 screen"),
        ("pyautogui.click(True, 2)", "expected a number, found True"),
        ("pyautogui.click(1e999, 2)", "expected a number, found inf"),
        ("pyautogui.moveRel(10, 10)", "unknown function 'pyautogui.moveRel'"),
        ("pyautogui.press('any')", "unknown key 'any'"),
        ("pyautogui.press('a', presses=1000)", "key.repeat"),
        ("pyautogui.hotkey()", "key.keys"),
        ("pyautogui.hotkey(1, 2)", "expected names of keys"),
        ("pyautogui.scroll('up')", "expected a number, found 'up'"),
        ("pyautogui.scroll(10**6)", "expected a plain value, found BinOp"),
        ("pyautogui.scroll(1000000)", "20000"),
        ("time.sleep(-1)", "wait.seconds"),
        ("time.sleep(1e9)", "wait.seconds"),
        ("x = 1;" * 500, "expected at most 400 statements"),
        ("pyautogui.press(['a', 'b'], presses=101)", "expected at most 200 keys"),
        ("pyautogui.click()\x00", "not valid Python"),
    ],
)
def test_a_mistake_comes_back_with_what_was_found_and_expected(code: str, complaint: str) -> None:
    with pytest.raises(InvalidAction, match=complaint):
        dialect("pyautogui").parse(code, SIZE)


def test_nothing_is_executed(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("code")
    for code in (f"open({str(folder / 'made')!r}, 'w')", f"pyautogui.write(str(open({str(folder / 'made')!r}, 'w')))"):
        with pytest.raises(InvalidAction):
            dialect("pyautogui").parse(code, SIZE)
    assert list(folder.iterdir()) == []


def test_opencua_measures_on_the_resized_picture_or_in_shares() -> None:
    assert dialect("opencua").parse("pyautogui.click(x=644, y=364)", SIZE) == (Click(point=(640, 360)),)
    assert dialect("opencua-relative").parse("pyautogui.click(x=0.5, y=0.5)", SIZE) == (Click(point=(640, 360)),)
    assert dialect("opencua").write(Done(), SIZE) == ("computer.terminate(status='success')",)
    assert dialect("opencua").write(Answer(text="4"), SIZE) == ("computer.terminate(status='success', answer='4')",)
    with pytest.raises(InvalidAction, match="off the 1280x720 screen"):
        dialect("opencua-relative").parse("pyautogui.click(x=640, y=360)", SIZE)


@pytest.mark.parametrize(
    "action", [Answer(text="4"), CallUser(), Click(button="back"), Key(keys=("altgr",)), Look(region=(0, 0, 1, 1))]
)
def test_what_it_lacks_is_inexpressible(action: Action) -> None:
    with pytest.raises(Inexpressible, match=f"pyautogui cannot express {action.kind}"):
        dialect("pyautogui").write(action, SIZE)
