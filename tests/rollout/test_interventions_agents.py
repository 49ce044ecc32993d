"""An agent that is sent back after it ended hears why, in the words of every protocol it may speak."""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from fairground.agents import Driven, ProgramAgent, Turn
from fairground.core import Answer, Click, Done, Fail, Look
from fairground.rollout import named_agent
from tests.agents.models.openai_stage import compatible_at, openai_at, words_in
from tests.agents.models.stage import agent_at, brief, results_of, screen, words_of
from tests.agents.models.wire import gemini_stage
from tests.agents.models.wire import gemini_wire as gemini
from tests.agents.models.wire.anthropic_wire import AnthropicServer, member, says, text, tool
from tests.agents.models.wire.openai_rules import KEY
from tests.agents.models.wire.openai_wire import (
    OpenAIServer,
    completes,
    computer,
    function,
    message,
    responds,
    tool_call,
)
from tests.agents.models.wire.openai_wire import (
    act as input_of,
)

BACK = "The task is not done yet. Go on."


def sent_back(agent: Any, kind: str, times: int = 2) -> list[Turn]:
    agent.begin(brief(kind))
    turns = [agent.act(screen(0))]
    for number in range(1, times):
        turns.append(agent.act(screen(number, messages=(BACK,))))
    return turns


def test_anthropics_model_gets_the_objection_as_the_result_of_its_answer() -> None:
    script = [says(tool("give_answer", answer="3")), says(tool("give_answer", answer="4"))]
    with AnthropicServer(script) as server:
        turns = sent_back(agent_at(server), "answer")
    assert [turn.action for turn in turns] == [Answer(text="3"), Answer(text="4")]
    (result,) = results_of(server.bodies[1])
    assert BACK in words_of(result) and server.complaints == []


def test_anthropics_model_that_said_it_was_done_is_told_in_a_message() -> None:
    with AnthropicServer([says(text("All done.")), says(member("left_click", coordinate=[5, 5]))]) as server:
        turns = sent_back(agent_at(server), "action")
    assert [turn.action for turn in turns] == [Done(), Click(point=(5, 5))]
    assert BACK in words_of(server.bodies[1]["messages"][-1]) and server.complaints == []


def test_openais_model_is_told_both_ways() -> None:
    script = [responds(function("give_answer", answer="3")), responds(message("It is 4."))]
    with OpenAIServer(script) as server:
        turns = sent_back(openai_at(server), "answer")
    assert [turn.action for turn in turns] == [Answer(text="3"), Answer(text="It is 4.")]
    assert BACK in words_in(server.bodies[1]["input"][-2:]) and server.complaints == []
    script = [responds(message("Done.")), responds(computer(input_of("click", button="left", x=1, y=1)))]
    with OpenAIServer(script) as server:
        turns = sent_back(openai_at(server), "action")
    assert turns[0].action == Done() and isinstance(turns[1].action, Click)
    assert BACK in words_in(server.bodies[1]["input"][-1:]) and server.complaints == []


def test_geminis_model_is_told_both_ways() -> None:
    script = [gemini.says(gemini.call("give_answer", answer="3")), gemini.says(gemini.text("4"))]
    with gemini.GeminiServer(script) as server:
        turns = sent_back(gemini_stage.agent_at(server), "answer", times=2)
    assert [turn.action for turn in turns] == [Answer(text="3"), Answer(text="4")]
    assert BACK in gemini_stage.words_of(server.bodies[1]["contents"][-1:]) and server.complaints == []
    with gemini.GeminiServer([gemini.says(gemini.text("Done."))] * 2) as server:
        turns = sent_back(gemini_stage.agent_at(server), "action")
    assert [turn.action for turn in turns] == [Done(), Done()]
    assert BACK in gemini_stage.words_of(server.bodies[1]["contents"][-1:]) and server.complaints == []


def test_a_compatible_model_is_told_by_functions_and_in_text() -> None:
    with OpenAIServer([completes(None, tool_call("give_up", reason="No.")), completes("Done.")]) as server:
        turns = sent_back(compatible_at(server), "action")
    assert [turn.action for turn in turns] == [Fail(reason="No."), Done()]
    assert BACK in words_in(server.bodies[1]["messages"][-2:]) and server.complaints == []
    said = "Thought: All is there.\nAction: finished()"
    with OpenAIServer([completes(said), completes(said)]) as server:
        turns = sent_back(compatible_at(server, "ui-tars-1.5-7b"), "action")
    assert isinstance(turns[1].action, Done) and BACK in words_in(server.bodies[1]["messages"][-1])
    assert server.complaints == []


def test_a_model_that_refused_or_ran_out_can_be_asked_again() -> None:
    refusal = completes(None, refusal="I would rather not.")
    with OpenAIServer([refusal, refusal, completes("Done.")]) as server:
        turns = sent_back(compatible_at(server), "action", times=3)
    assert [turn.action.kind for turn in turns] == ["fail", "fail", "done"] and server.complaints == []


def test_calls_that_came_after_the_end_in_one_answer_are_not_carried_out() -> None:
    both = says(tool("give_answer", answer="3"), member("left_click", coordinate=[5, 5]))
    with AnthropicServer([both, says(tool("give_answer", answer="4"))]) as server:
        turns = sent_back(agent_at(server), "answer")
    assert [turn.action for turn in turns] == [Answer(text="3"), Answer(text="4")]
    told = [words_of(one) for one in results_of(server.bodies[1])]
    assert BACK in told[0] and "Not carried out" in told[1] and server.complaints == []


def test_a_deterministic_model_is_asked_to_decode_greedily(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMPATIBLE_API_KEY", KEY)
    with OpenAIServer([completes("Done."), completes("Done.")]) as server:
        for deterministic in (True, False):
            agent = named_agent(f"compatible:a-model@{server.url}/v1", deterministic=deterministic)
            sent_back(agent, "action", times=1)
    assert (server.bodies[0]["temperature"], server.bodies[0]["seed"]) == (0.0, 0)
    assert "temperature" not in server.bodies[1] and "seed" not in server.bodies[1] and server.complaints == []


PROGRAM = """
import json, sys
for line in sys.stdin:
    told = json.loads(line)
    if told["kind"] == "observe":
        kind = {"kind": "look"} if told["messages"] else {"kind": "done"}
        print(json.dumps({"action": kind, "thought": " ".join(told["messages"])}), flush=True)
    elif told["kind"] == "end":
        break
"""


@pytest.mark.process
def test_a_program_is_told_by_another_observation(tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text(PROGRAM)
    agent = ProgramAgent([sys.executable, str(tmp_path / "agent.py")])
    try:
        turns = sent_back(agent, "action")
    finally:
        agent.close()
    assert turns == [Turn(Done()), Turn(Look(), BACK)]


def test_whoever_drives_an_agent_sees_that_it_goes_on() -> None:
    agent = Driven("person")
    thread = threading.Thread(target=sent_back, args=(agent, "action"))
    thread.start()
    after = agent.play(Turn(Done()))
    assert after is not None and after.messages == (BACK,)
    agent.end()
    thread.join()
