"""Gemini's agent against a server that is as strict as the real one: what it sends, what it makes of answers."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from fairground.agents import Agent
from fairground.agents.models import BudgetSpent, ContextPolicy, EpisodeBudget, ImageLimits, ModelUnavailable
from fairground.core import (
    Answer,
    CallUser,
    Click,
    Done,
    Drag,
    Fail,
    InvalidInput,
    Key,
    Look,
    Type,
    UnknownName,
    Wait,
)
from fairground.screen import decode

from .stage import SIZE, Time, play, screen
from .wire.gemini_stage import MODEL, OLD_MODEL, agent_at, images_in, responses_of, words_of
from .wire.gemini_wire import GeminiServer, call, confirm, nameless, says, signed_end, text, thought

pytestmark = pytest.mark.process

DONE = says(text("Done."))
WAIT = says(call("wait", seconds=1))


def shown(image: dict[str, Any]) -> Any:
    return decode(base64.urlsafe_b64decode(image["data"]))


def test_a_call_becomes_an_action_with_the_models_thought_and_intent() -> None:
    click = call("click", x=500, y=500, intent="Open the list.")
    with GeminiServer([says(thought("The field is empty."), text("I click it."), click)]) as server:
        agent = agent_at(server)
        assert isinstance(agent, Agent)
        turn = play(agent)[0]
    assert turn.action == Click(point=(640, 360))
    assert turn.thought == "The field is empty.\nI click it.\nOpen the list."
    assert server.complaints == []


def test_the_first_request_tells_the_task_and_shows_the_screen() -> None:
    with GeminiServer([DONE]) as server:
        play(agent_at(server), [screen(77)])
    body = server.bodies[0]
    assert "Add tea to the list." in words_of(body["contents"])
    told = words_of(body["systemInstruction"])
    assert "20 actions" in told and "grid of 1000" in told and "{" not in told
    assert shown(images_in(body)[0]).size == SIZE and int(shown(images_in(body)[0]).pixels[0, 0, 0]) == 77
    assert [each["name"] for each in body["tools"][1]["functionDeclarations"]] == ["call_user", "give_up"]
    assert server.complaints == []


@pytest.mark.parametrize(
    ("model", "environment"),
    [
        (OLD_MODEL, "ENVIRONMENT_BROWSER"),
        ("gemini-3-flash-preview", "ENVIRONMENT_BROWSER"),
        ("gemini-3.1-pro-preview", "ENVIRONMENT_BROWSER"),
        ("gemini-3.5-flash", "ENVIRONMENT_DESKTOP"),
        ("gemini-3.8-flash", "ENVIRONMENT_DESKTOP"),
        ("gemini-4-of-the-future", "ENVIRONMENT_DESKTOP"),
    ],
)
def test_each_model_gets_the_tool_with_its_own_names(model: str, environment: str) -> None:
    with GeminiServer([DONE]) as server:
        play(agent_at(server, model))
    tool = server.bodies[0]["tools"][0]["computerUse"]
    assert tool["environment"] == environment and server.complaints == []
    assert ("navigate" in tool.get("excludedPredefinedFunctions", [])) == (environment == "ENVIRONMENT_BROWSER")


@pytest.mark.parametrize("stream", [True, False])
def test_calls_with_the_first_names_are_read_and_answered_as_they_want(stream: bool) -> None:
    typed = call("type_text_at", x=500, y=500, text="tea", press_enter=False, clear_before_typing=False)
    script = [says(nameless(typed)), says(nameless(call("key_combination", keys="Control+S"))), DONE]
    with GeminiServer(script) as server:
        turns = play(agent_at(server, OLD_MODEL, stream=stream), 4)
    assert [turn.action for turn in turns] == [
        Click(point=(640, 360)),
        Type(text="tea"),
        Key(keys=("ctrl", "s")),
        Done(),
    ]
    assert responses_of(server.bodies[1])[0]["response"]["url"] and server.complaints == []


def test_the_dialect_can_be_chosen() -> None:
    with GeminiServer([says(call("click_at", x=0, y=0))]) as server:
        turns = play(agent_at(server, "gemini-3.5-flash", dialect="gemini-2.5"))
    assert turns[0].action == Click(point=(0, 0)) and server.complaints == []


def test_several_calls_of_one_answer_become_turns_and_their_results_go_back_together() -> None:
    calls = [call("click", x=5, y=5), call("type", text="tea"), call("press_key", key="Enter")]
    with GeminiServer([says(*calls), DONE]) as server:
        turns = play(agent_at(server), 4)
    assert [turn.action.kind for turn in turns] == ["click", "type", "key", "done"]
    assert len(server.asked) == 2 and server.complaints == []
    responses = responses_of(server.bodies[1])
    assert [each["id"] for each in responses] == [each["functionCall"]["id"] for each in calls]
    assert [len(each.get("parts", [])) for each in responses] == [0, 0, 1], "the last shows the screen"
    assert int(shown(images_in(server.bodies[1])[-1]).pixels[0, 0, 0]) == 3


@pytest.mark.parametrize("stream", [True, False])
def test_thoughts_and_signatures_go_back_with_the_parts_they_came_with(stream: bool) -> None:
    script = [
        says(thought("Step by step."), text("First"), call("wait", seconds=1), call("wait", seconds=2)),
        says(text("And then."), signed_end(), call("wait", seconds=3)),
        DONE,
    ]
    with GeminiServer(script) as server:
        play(agent_at(server, stream=stream), 4)
    first, second = server.bodies[2]["contents"][1]["parts"], server.bodies[2]["contents"][3]["parts"]
    assert [(part.get("text"), "thoughtSignature" in part) for part in first] == [
        ("Step by step.", False),
        ("First", False),
        (None, True),
        (None, False),
    ]
    assert first[0]["thought"] is True
    assert second[1]["text"] == "" and second[1]["thoughtSignature"]
    assert server.complaints == [], "the server checks that each signature is of its part"


@pytest.mark.parametrize(("kind", "action"), [("action", Done()), ("answer", Answer(text="42"))])
def test_words_without_a_call_end_the_task(kind: str, action: object) -> None:
    with GeminiServer([says(thought("Let me see."), text(" 42 "), signed_end())]) as server:
        assert play(agent_at(server), kind=kind)[0].action == action


def test_an_answer_can_be_given_by_function_and_only_where_one_is_asked_for() -> None:
    with GeminiServer([says(call("give_answer", answer="42"))]) as server:
        assert play(agent_at(server), kind="answer")[0].action == Answer(text="42")
    with GeminiServer([says(call("give_answer", answer="42")), DONE]) as server:
        assert play(agent_at(server))[0].action == Done()
        assert "give_answer" in responses_of(server.bodies[1])[0]["response"]["error"]


def test_the_person_is_asked_and_the_reply_reaches_the_model() -> None:
    script = [says(call("call_user", question="Which list?")), says(call("give_up", reason="No such list."))]
    with GeminiServer(script) as server:
        turns = play(agent_at(server), [screen(), screen(messages=("The blue one.",))])
    assert [turn.action for turn in turns] == [CallUser(text="Which list?"), Fail(reason="No such list.")]
    assert responses_of(server.bodies[1])[0]["response"] == {"output": "The blue one."}
    assert server.complaints == []


def test_remarks_beside_the_arguments_of_our_own_functions_are_no_mistake() -> None:
    asked = call("call_user", question="Which?", intent="Ask.", safety_decision=confirm("It talks to a person."))
    with GeminiServer([says(asked), DONE]) as server:
        turns = play(agent_at(server, acknowledge_safety=True), 2)
    assert turns[0].action == CallUser(text="Which?") and turns[0].thought == "Ask."
    assert server.complaints == []


def test_a_refused_action_comes_back_as_an_error_and_the_calls_after_it_are_not_carried_out() -> None:
    script = [says(call("click", x=5, y=5), call("type", text="x")), DONE]
    with GeminiServer(script) as server:
        turns = play(agent_at(server), [screen(), screen(1, messages=("Refused: the button is gone",))])
    assert [turn.action.kind for turn in turns] == ["click", "done"]
    first, second = responses_of(server.bodies[1])
    assert "the button is gone" in first["response"]["error"] and "Not carried out" in second["response"]["error"]
    assert len(images_in(server.bodies[1])) == 2, "the model sees the screen as it is now"
    assert server.complaints == []


# --- safety ----------------------------------------------------------------------------------------------------------

BUY = call("click", x=5, y=5, safety_decision=confirm("This buys something."))


def test_an_action_that_wants_consent_ends_the_episode_unless_it_is_given() -> None:
    with GeminiServer([says(call("type", text="card"), BUY)]) as server:
        turns = play(agent_at(server), 3)
    action = turns[0].action
    assert isinstance(action, Fail) and "This buys something." in action.reason and len(turns) == 1
    assert "require_confirmation" in action.reason and turns[0].thought == action.reason


def test_consent_is_given_where_the_option_says_so() -> None:
    with GeminiServer([says(BUY, call("wait", seconds=1)), DONE]) as server:
        turns = play(agent_at(server, acknowledge_safety=True), 3)
    assert [turn.action.kind for turn in turns] == ["click", "wait", "done"]
    first, second = responses_of(server.bodies[1])
    assert first["response"]["safety_acknowledgement"] == "true"
    assert "safety_acknowledgement" not in second["response"] and server.complaints == []


@pytest.mark.parametrize("decision", [{"decision": "blocked"}, {"decision": "BLOCK", "explanation": "Never."}])
def test_an_action_that_is_blocked_is_not_done_even_so(decision: dict[str, str]) -> None:
    with GeminiServer([says(call("click", x=5, y=5, safety_decision=decision))]) as server:
        assert isinstance(play(agent_at(server, acknowledge_safety=True))[0].action, Fail)


def test_an_action_that_was_found_safe_is_done() -> None:
    decision = {"decision": "regular", "explanation": "Fine."}
    with GeminiServer([says(call("click", x=0, y=0, safety_decision=decision)), DONE]) as server:
        turns = play(agent_at(server), 2)
    assert turns[0].action == Click(point=(0, 0)) and server.complaints == []
    assert "safety_acknowledgement" not in responses_of(server.bodies[1])[0]["response"]


@pytest.mark.parametrize("decision", ["", "sure?", {}, {"decision": None}, ["require_confirmation"], 7])
def test_a_decision_that_nobody_understands_is_not_taken_for_a_yes(decision: Any) -> None:
    with GeminiServer([says(call("click", x=0, y=0, safety_decision=decision))]) as server:
        assert isinstance(play(agent_at(server))[0].action, Fail)


# --- options ---------------------------------------------------------------------------------------------------------


def test_predefined_functions_can_be_left_out_and_are_not_done_if_called_all_the_same() -> None:
    script = [says(call("take_screenshot")), says(call("wait", seconds=1))]
    with GeminiServer(script) as server:
        turns = play(agent_at(server, exclude=["take_screenshot", "key_down"]))
    assert turns[0].action == Wait(seconds=1.0)
    tool = server.bodies[0]["tools"][0]["computerUse"]
    assert tool["excludedPredefinedFunctions"] == ["take_screenshot", "key_down"]
    assert "not offered" in responses_of(server.bodies[1])[0]["response"]["error"]
    assert server.complaints == []


def test_what_is_left_out_is_added_to_what_only_browsers_have() -> None:
    with GeminiServer([DONE]) as server:
        play(agent_at(server, OLD_MODEL, exclude=["hover_at", "search"]))
    left_out = server.bodies[0]["tools"][0]["computerUse"]["excludedPredefinedFunctions"]
    assert set(left_out) > {"hover_at", "navigate"} and left_out.count("search") == 1 and server.complaints == []


def test_decoding_can_be_made_deterministic() -> None:
    with GeminiServer([DONE]) as server:
        play(agent_at(server, temperature=0.0, seed=7, max_tokens=100))
    config = server.bodies[0]["generationConfig"]
    assert (config["temperature"], config["seed"], config["maxOutputTokens"]) == (0, 7, 100)
    assert server.complaints == []


@pytest.mark.parametrize(
    ("model", "options", "sent"),
    [
        (MODEL, {}, {"includeThoughts": True}),
        (MODEL, {"effort": "low"}, {"includeThoughts": True, "thinkingLevel": "LOW"}),
        (MODEL, {"thinking": "off"}, None),
        (OLD_MODEL, {"thinking_tokens": 0, "thinking": "off"}, {"thinkingBudget": 0}),
    ],
)
def test_thinking_is_asked_for_as_the_options_say(model: str, options: dict[str, Any], sent: Any) -> None:
    with GeminiServer([DONE]) as server:
        play(agent_at(server, model, **options))
    assert server.bodies[0]["generationConfig"].get("thinkingConfig") == sent and server.complaints == []


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"dialect": "gemini-3.6"}, UnknownName),
        ({"dialect": "anthropic-20251124"}, UnknownName),
        ({"temperature": "cold"}, InvalidInput),
        ({"seed": -1}, InvalidInput),
        ({"colour": "blue"}, InvalidInput),
        ({"asks": 0}, InvalidInput),
    ],
)
def test_wrong_options_are_refused_when_the_agent_is_made(options: dict[str, Any], error: type[Exception]) -> None:
    with GeminiServer([]) as server, pytest.raises(error, match=next(iter(options))):
        agent_at(server, MODEL, **options)


# --- what the model sees ---------------------------------------------------------------------------------------------


def test_a_scaled_screen_is_seen_smaller_and_acted_on_at_full_size() -> None:
    size = (2560, 1440)
    script = [says(call("drag_and_drop", start_x=0, start_y=0, end_x=1000, end_y=1000)), DONE]
    with GeminiServer(script) as server:
        turns = play(agent_at(server, limits=ImageLimits(side=640)), [screen(size=size)] * 2, size=size)
    assert turns[0].action == Drag(path=((2, 2), (2558, 1438)))
    assert shown(images_in(server.bodies[0])[0]).size == (640, 360)


def test_old_frames_are_forgotten_several_at_once_and_their_results_say_so() -> None:
    with GeminiServer([*[WAIT] * 9, DONE]) as server:
        turns = play(agent_at(server, context=ContextPolicy(frames=2, slack=2)), 10)
    assert len(turns) == 10 and server.complaints == []
    assert [len(images_in(body)) for body in server.bodies] == [1, 2, 3, 4, 2, 3, 4, 2, 3, 4]
    assert "left out" in words_of(server.bodies[-1]["contents"][0])
    assert "left out" in responses_of(server.bodies[-1], 2)[0]["response"]["screenshot"]


def test_what_was_sent_stays_the_same_until_something_is_forgotten() -> None:
    with GeminiServer([WAIT] * 4) as server:
        play(agent_at(server), 4)
    for before, after in zip(server.bodies, server.bodies[1:], strict=False):
        assert after["contents"][: len(before["contents"])] == before["contents"]
        assert after["systemInstruction"] == before["systemInstruction"] and after["tools"] == before["tools"]


def test_frames_can_go_out_as_jpeg() -> None:
    with GeminiServer([DONE]) as server:
        play(agent_at(server, context=ContextPolicy(format="jpeg", quality=60)))
    assert images_in(server.bodies[0])[0]["mimeType"] == "image/jpeg" and server.complaints == []


def test_a_look_shows_the_screen() -> None:
    with GeminiServer([says(call("take_screenshot")), DONE]) as server:
        turns = play(agent_at(server), 2)
    assert turns[0].action == Look() and len(images_in(server.bodies[1])) == 2 and server.complaints == []


# --- usage and budgets -----------------------------------------------------------------------------------------------


def test_usage_counts_cached_tokens_once_and_thinking_as_output() -> None:
    counts = {
        "promptTokenCount": 6000,
        "cachedContentTokenCount": 5000,
        "candidatesTokenCount": 10,
        "thoughtsTokenCount": 90,
        "toolUsePromptTokenCount": 7,
        "totalTokenCount": 6107,
    }
    with GeminiServer([says(text("Done."), usage=counts)] * 2) as server:
        agent = agent_at(server, "gemini-3.5-flash")
        play(agent)
        first = agent.usage
        play(agent)
    assert first == agent.usage, "each episode starts anew"
    assert (first.input_tokens, first.cached_tokens, first.output_tokens) == (1007, 5000, 100)
    assert (first.requests, first.tokens) == (1, 6107)
    assert first.dollars == pytest.approx((1007 * 1.5 + 5000 * 0.15 + 100 * 9) / 1e6)


def test_a_model_without_a_price_costs_nobody_knows_what() -> None:
    with GeminiServer([DONE]) as server:
        agent = agent_at(server, OLD_MODEL)  # its price depends on the length of the prompt
        play(agent)
    assert agent.usage.dollars is None and agent.usage.tokens == 1050


def test_an_answer_without_counts_is_not_taken_for_a_free_one() -> None:
    with GeminiServer([says(text("Done."), usageMetadata=None)]) as server:
        agent = agent_at(server, stream=False)
        play(agent)
    assert (agent.usage.requests, agent.usage.tokens, agent.usage.dollars) == (1, 0, None)


def test_spent_tokens_are_the_agents_own_failure() -> None:
    with GeminiServer([WAIT] * 5) as server, pytest.raises(BudgetSpent, match="token budget: 2100 of 2000"):
        play(agent_at(server, time=Time(per_look=1.0), budget=EpisodeBudget(tokens=2000)), 6)
    assert len(server.bodies) == 2


def test_a_second_episode_knows_nothing_of_the_first() -> None:
    with GeminiServer([says(call("type", text="first")), DONE]) as server:
        agent = agent_at(server)
        play(agent)
        turns = play(agent)
    assert turns[0].action == Done() and len(server.bodies[1]["contents"]) == 1


def test_a_closed_agent_asks_nothing_until_it_begins_again() -> None:
    with GeminiServer([WAIT, DONE]) as server:
        agent = agent_at(server)
        play(agent)
        agent.close()
        with pytest.raises(ModelUnavailable, match="closed"):
            agent.act(screen(1))
        assert len(server.asked) == 1
        assert play(agent)[0].action == Done()
