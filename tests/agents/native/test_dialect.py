"""Dialects by name, what they tell a model, and how they refuse."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from fairground.agents.native import DIALECTS, Inexpressible, dialect
from fairground.core import Click, Fail, InvalidAction, InvalidInput, KeyDown, UnknownName

SIZE = (1280, 720)


def test_a_dialect_is_found_by_name() -> None:
    for name, each in DIALECTS.items():
        assert dialect(name) is each and each.name == name and each.summary


def test_a_name_that_is_nearly_right_is_suggested() -> None:
    with pytest.raises(UnknownName, match="did you mean .*anthropic-20251124") as error:
        dialect("antropic-20251124")
    assert error.value.message == "unknown dialect 'antropic-20251124'"


@pytest.mark.parametrize("name", DIALECTS)
def test_the_tools_are_plain_data(name: str) -> None:
    tools = dialect(name).describe_tools(SIZE)
    assert tools and json.loads(json.dumps(tools)) == tools


@pytest.mark.parametrize("name", ["ui-tars-1.0", "ui-tars-1.5", "ui-tars-grid", "pyautogui", "opencua", "computer-13"])
def test_text_dialects_tell_the_usage_of_each_action(name: str) -> None:
    for tool in dialect(name).describe_tools(SIZE):
        assert set(tool) == {"name", "usage", "description"} and all(tool.values())


@pytest.mark.parametrize("name", ["pyautogui", "opencua"])
def test_the_usage_that_is_told_is_understood(name: str) -> None:
    for tool in dialect(name).describe_tools(SIZE):
        code = "x, y, clicks, seconds = 10, 20, 2, 1\n" + tool["usage"]
        assert dialect(name).parse(code, SIZE)


@pytest.mark.parametrize("name", ["ui-tars-1.0", "ui-tars-1.5", "ui-tars-grid"])
def test_the_usage_that_uitars_is_told_is_understood(name: str) -> None:
    for tool in dialect(name).describe_tools(SIZE):
        usage = tool["usage"].replace("x y", "10 20").replace("x,y", "10,20")
        assert dialect(name).parse(f"Action: {usage}", SIZE)


def test_an_inexpressible_action_names_the_dialect_and_the_action() -> None:
    with pytest.raises(Inexpressible) as error:
        dialect("openai-computer").write(KeyDown(key="shift"), SIZE)
    assert "openai-computer cannot express key_down" in error.value.message and "shift" in error.value.message
    assert isinstance(error.value, InvalidInput) and not isinstance(error.value, InvalidAction)


def test_an_action_off_the_screen_is_not_written() -> None:
    for each in DIALECTS.values():
        with pytest.raises(InvalidAction, match="off the 1280x720 screen"):
            each.write(Click(point=(1280, 0)), SIZE)


def test_an_action_in_another_space_is_written_in_the_dialects_own() -> None:
    (native,) = dialect("openai-computer").write(Click(point=(0.5, 0.5), space="unit"), SIZE)
    assert (native["x"], native["y"]) == (640, 360)


def test_the_reason_of_a_failure_is_not_carried() -> None:
    assert dialect("pyautogui").write(Fail(reason="no such file"), SIZE) == ("FAIL",)


@pytest.mark.process
def test_no_sdk_is_imported() -> None:
    code = (
        "import sys, fairground.agents.native\n"
        "wrong = {'anthropic', 'openai', 'google.genai', 'pyautogui'} & set(sys.modules)\n"
        "assert not wrong, wrong"
    )
    root = Path(__file__).parents[3]
    subprocess.run([sys.executable, "-c", code], check=True, cwd=root, env={"PYTHONPATH": str(root / "src")})
