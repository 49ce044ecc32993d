"""The class for TRL, by TRL's contract: how its trainer finds tools, resets rollouts and asks for rewards."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from fairground.core import InfrastructureError, InvalidAction, InvalidInput, ScreenError
from fairground.remote import EnvironmentServer, trl_environment
from fairground.remote.trl import TrlEnvironment

from .stage import BOARDS

PEER = Path(__file__).parents[2] / ".setup" / "openenv" / "bin" / "python"
TOOLS = ["answer", "click", "done", "drag", "key", "move", "scroll", "type", "wait"]


def tools_of(kind: type) -> list[Callable[..., Any]]:
    """What TRL offers to the model: all public functions of the class but two."""
    members = inspect.getmembers(kind, predicate=inspect.isfunction)
    return [tool for name, tool in members if name not in ("reset", "get_reward") and not name.startswith("_")]


def test_tools_are_the_public_methods_and_all_their_arguments_are_described() -> None:
    assert [tool.__name__ for tool in tools_of(TrlEnvironment)] == TOOLS
    for tool in tools_of(TrlEnvironment):
        text = inspect.getdoc(tool) or ""
        for name, parameter in inspect.signature(tool).parameters.items():
            if name != "self":
                assert parameter.annotation is not inspect.Parameter.empty and f"\n    {name}: " in text


@pytest.fixture(scope="module")
def rollout() -> Iterator[TrlEnvironment]:
    with EnvironmentServer(BOARDS, seats=1, share_browser=True) as server:
        rollout = trl_environment(server.url)()
        yield rollout
        rollout._env.close()


@pytest.mark.process
def test_a_rollout_is_reset_by_its_row_uses_tools_and_is_judged_at_the_end(rollout: TrlEnvironment) -> None:
    row = {"prompt": [{"role": "user", "content": "Do it."}], "seed": 3, "difficulty": 2}
    text, image = rollout.reset(**row)
    assert text["type"] == "text" and text["text"]
    assert image["type"] == "image" and isinstance(image["image"], Image.Image)
    assert image["image"].size == rollout._env.size
    for use in (
        lambda: rollout.click(5, 5),
        lambda: rollout.move(6, 6),
        lambda: rollout.drag(5, 5, 9, 9),
        lambda: rollout.scroll(5, 5, 2),
        lambda: rollout.type("a"),
        lambda: rollout.key("ctrl+a"),
        lambda: rollout.key("ctrl++"),
        lambda: rollout.wait(0.0),
    ):
        assert [part["type"] for part in use()][-1] == "image"
    with pytest.raises(InvalidAction, match="off the"):
        rollout.click(100_000, 5)
    assert rollout.get_reward() == 0.0  # the model just stopped
    with pytest.raises(InvalidInput, match="the task has ended"):
        rollout.click(5, 5)
    assert rollout.reset(**row)[0] == text
    rollout.done()
    assert rollout.get_reward() == 0.0 == rollout.get_reward()


@pytest.mark.process
def test_an_infrastructure_error_is_never_a_reward(rollout: TrlEnvironment, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(action: Any) -> Any:
        raise ScreenError("the screen is gone")

    rollout.reset(seed=3)
    with monkeypatch.context() as patch:
        patch.setattr(rollout._env, "step", broken)
        with pytest.raises(InfrastructureError):
            rollout.click(5, 5)
        assert rollout.get_reward() is None
        rollout.reset(seed=3)
        assert rollout.get_reward() is None
    rollout.reset(seed=3)
    assert rollout.get_reward() == 0.0


SCHEMAS = """
import inspect, json, sys
from transformers.utils import get_json_schema
sys.path += sys.argv[1:]
from fairground.remote.trl import TrlEnvironment
tools = [tool for name, tool in inspect.getmembers(TrlEnvironment, inspect.isfunction)
         if name not in ("reset", "get_reward") and not name.startswith("_")]
print(json.dumps([get_json_schema(tool)["function"] for tool in tools]))
"""


@pytest.mark.slow
@pytest.mark.skipif(not PEER.exists(), reason="transformers is not installed; `make test-all` installs it")
def test_the_schemas_that_the_model_is_shown_are_complete() -> None:
    # Packages that only we need come last, so that the peer's own versions of the others are used.
    command = [str(PEER), "-c", SCHEMAS, *filter(None, sys.path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    schemas = {schema["name"]: schema for schema in json.loads(done.stdout.splitlines()[-1])}
    assert sorted(schemas) == TOOLS
    assert schemas["click"]["parameters"]["required"] == ["x", "y"]
    assert schemas["click"]["parameters"]["properties"]["x"]["type"] == "integer"
    assert all(schema["description"] for schema in schemas.values())
