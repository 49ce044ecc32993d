"""Tools beside the computer's, and the prompts that speak of them."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairground.agents import Brief
from fairground.agents.models.endings import CALL_USER, GIVE_ANSWER, GIVE_UP, SpokenTool, read_spoken, spoken_tools
from fairground.agents.models.prompting import prompt, system_prompt, task_prompt
from fairground.agents.models.wellformed import well_formed
from fairground.core import Answer, CallUser, Fail, InvalidAction, MissingPrerequisite

from .test_calling import PLAIN

TOOLS = st.sampled_from([CALL_USER, GIVE_UP, GIVE_ANSWER])


@given(TOOLS, st.text(max_size=200))
def test_each_tool_is_one_action_with_its_words(tool: SpokenTool, words: str) -> None:
    action = read_spoken(tool, {tool.field: words})
    expected = {"call_user": CallUser, "give_up": Fail, "give_answer": Answer}[tool.name]
    assert isinstance(action, expected) and words.strip() in (action.plain().get("text"), action.plain().get("reason"))


@given(TOOLS, PLAIN)
def test_other_arguments_are_the_models_mistake_and_nothing_else(tool: SpokenTool, arguments: Any) -> None:
    with pytest.raises(InvalidAction):
        read_spoken(tool, arguments)


def test_an_answer_has_a_limit() -> None:
    with pytest.raises(InvalidAction, match="at most 20000"):
        read_spoken(GIVE_ANSWER, {"answer": "x" * 20_001})


@pytest.mark.parametrize("kind", ["action", "answer"])
def test_prompts_name_only_tools_that_are_there_and_leave_no_gap(kind: Any) -> None:
    brief = Brief("Find {x}.", (1280, 720), 12, kind)
    told = system_prompt(brief)
    names = {tool.name for tool in spoken_tools(kind)}
    every = {"call_user", "give_up", "give_answer"}
    assert {name for name in every if name in told} == names
    assert "{" not in told and "12 actions" in told
    assert "Find {x}." in task_prompt(brief)


def test_every_prompt_file_says_something_and_a_missing_one_is_told() -> None:
    files = [file for file in resources.files("fairground.agents").joinpath("prompts").iterdir()]
    assert len(files) >= 4 and all(file.name.endswith(".md") and file.read_text().strip() for file in files)
    with pytest.raises(MissingPrerequisite, match="nothing.md"):
        prompt("nothing")


@given(
    st.recursive(st.text(st.characters(codec=None)), lambda parts: st.lists(parts) | st.dictionaries(st.text(), parts))
)
def test_whatever_a_model_says_can_be_written_down(data: Any) -> None:
    mended = well_formed(data)
    json.dumps(mended, ensure_ascii=False).encode("utf-8")
    assert well_formed(mended) == mended
