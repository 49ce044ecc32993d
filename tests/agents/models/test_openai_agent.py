"""OpenAI's agent against a server that is as strict as the real one: what it sends, what it makes of answers."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from fairground.agents import Agent
from fairground.agents.models import (
    BudgetSpent,
    ContextPolicy,
    EpisodeBudget,
    ImageLimits,
    load_prices,
    openai_agent,
    price_of,
)
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
    Scroll,
    Type,
    Wait,
)
from fairground.screen import decode

from .openai_stage import openai_at, pictures_in, words_in
from .stage import Time, play, screen
from .wire.openai_wire import OpenAIServer, act, computer, function, message, preview, reasoning, responds

pytestmark = pytest.mark.process

DONE = responds(message("Done."))
CLICK = act("click", button="left", x=5, y=5)


def size_of(url: str) -> tuple[int, int]:
    return decode(base64.b64decode(url.partition(",")[2])).size


def outputs_of(body: Any) -> list[Any]:
    return [item for item in body["input"] if item.get("type", "").endswith("_output")]


@pytest.mark.parametrize("stream", [True, False])
def test_a_call_becomes_an_action_with_the_models_thought(stream: bool) -> None:
    with OpenAIServer([responds(reasoning("The list is open."), computer(CLICK)), DONE]) as server:
        agent = openai_at(server, stream=stream)
        assert isinstance(agent, Agent) and agent.name == "openai:gpt-5.4-mini"
        turns = play(agent, 2)
    assert [turn.action for turn in turns] == [Click(point=(5, 5)), Done()]
    assert turns[0].thought == "The list is open." and turns[1].thought == "Done."
    assert server.complaints == []


def test_what_is_asked_is_whole_and_nothing_is_kept_at_the_server() -> None:
    with OpenAIServer([responds(reasoning("Hm."), computer(CLICK)), DONE]) as server:
        play(openai_at(server), 2)
    first, second = server.bodies
    assert first["store"] is False and "previous_response_id" not in first
    assert first["tools"][0] == {"type": "computer"}
    assert [tool["name"] for tool in first["tools"][1:]] == ["call_user", "give_up"]
    assert "Add tea to the list." in words_in(first["input"]) and len(pictures_in(first)) == 1
    assert second["input"][: len(first["input"])] == first["input"], "what the server has cached stays as it was"
    assert second["input"][1]["type"] == "reasoning" and second["input"][1]["encrypted_content"]


def test_every_action_of_the_tool_is_carried_out_in_order() -> None:
    actions = [
        act("double_click", x=1, y=2, keys=None),
        act("drag", path=[{"x": 1, "y": 1}, {"x": 9, "y": 9}]),
        act("scroll", x=3, y=4, scroll_x=0, scroll_y=240),
        act("keypress", keys=["CTRL", "S"]),
        act("type", text="tea"),
        act("wait"),
        act("screenshot"),
    ]
    with OpenAIServer([responds(computer(*actions)), DONE]) as server:
        turns = play(openai_at(server), 8)
    assert [turn.action for turn in turns] == [
        Click(point=(1, 2), count=2),
        Drag(path=((1, 1), (9, 9))),
        Scroll(point=(3, 4), dy=240, unit="pixels"),
        Key(keys=("ctrl", "s")),
        Type(text="tea"),
        Wait(seconds=2.0),
        Look(),
        Done(),
    ]
    assert len(outputs_of(server.bodies[1])) == 1 and server.complaints == []


def test_the_preview_is_told_the_size_and_gives_one_action_at_a_time() -> None:
    script = [responds(preview(act("click", button="wheel", x=639, y=359))), DONE]
    with OpenAIServer(script) as server:
        turns = play(openai_at(server, "computer-use-preview-2025-03-11", limits=ImageLimits(side=640)), 2)
    assert turns[0].action == Click(point=(1279, 719), button="middle")
    tool = server.bodies[0]["tools"][0]
    assert (tool["display_width"], tool["display_height"], tool["environment"]) == (640, 360, "linux")
    assert server.bodies[0]["truncation"] == "auto" and server.complaints == []


def test_a_scaled_screen_is_seen_smaller_and_acted_on_at_full_size() -> None:
    size = (2560, 1440)
    with OpenAIServer([responds(computer(act("move", x=799, y=449))), DONE]) as server:
        turns = play(openai_at(server, limits=ImageLimits(side=800)), [screen(size=size)] * 2, size=size)
    assert turns[0].action.points == ((2558, 1438),)
    assert size_of(pictures_in(server.bodies[0])[0]) == (800, 450)


@pytest.mark.parametrize(("kind", "action"), [("action", Done()), ("answer", Answer(text="42"))])
def test_words_without_a_call_end_the_task(kind: str, action: object) -> None:
    with OpenAIServer([responds(message(" 42 "))]) as server:
        assert play(openai_at(server), kind=kind)[0].action == action


def test_an_answer_can_be_given_by_function_and_only_where_one_is_asked_for() -> None:
    with OpenAIServer([responds(function("give_answer", answer="42"))]) as server:
        assert play(openai_at(server), kind="answer")[0].action == Answer(text="42")
    with OpenAIServer([responds(function("give_answer", answer="42")), DONE]) as server:
        assert play(openai_at(server))[0].action == Done()
    assert "no function 'give_answer'" in words_in(server.bodies[1]["input"]) and server.complaints == []


def test_the_person_is_asked_and_the_reply_reaches_the_model() -> None:
    script = [responds(function("call_user", question="Which list?")), responds(function("give_up", reason="None."))]
    with OpenAIServer(script) as server:
        turns = play(openai_at(server), [screen(), screen(messages=("The blue one.",))])
    assert [turn.action for turn in turns] == [CallUser(text="Which list?"), Fail(reason="None.")]
    (output,) = outputs_of(server.bodies[1])
    assert output["output"][0] == {"type": "input_text", "text": "The blue one."}
    assert len(pictures_in(output)) == 1 and server.complaints == []


def test_calls_of_both_kinds_in_one_answer_get_their_results_together() -> None:
    script = [responds(computer(CLICK), function("call_user", question="Now?"), computer(act("wait"))), DONE]
    with OpenAIServer(script) as server:
        turns = play(openai_at(server), 4)
    assert [turn.action.kind for turn in turns] == ["click", "call_user", "wait", "done"]
    kinds = [item["type"] for item in outputs_of(server.bodies[1])]
    assert kinds == ["computer_call_output", "function_call_output", "computer_call_output"]
    assert server.complaints == []


def test_a_refused_action_is_told_after_the_picture_and_the_rest_is_not_carried_out() -> None:
    script = [responds(computer(CLICK, act("type", text="x")), computer(act("wait"))), DONE]
    with OpenAIServer(script) as server:
        turns = play(openai_at(server), [screen(), screen(1, messages=("Refused: the button is gone",))])
    assert [turn.action.kind for turn in turns] == ["click", "done"]
    last = server.bodies[1]["input"][-1]
    assert "the button is gone" in words_in(last) and "Not carried out" in words_in(last)
    assert server.complaints == []


def test_old_frames_are_forgotten_and_leave_a_small_picture_where_the_protocol_wants_one() -> None:
    waits = [responds(reasoning(f"{step}"), computer(act("wait"))) for step in range(6)]
    with OpenAIServer([*waits, DONE]) as server:
        play(openai_at(server, context=ContextPolicy(frames=2, slack=1)), 7)
    sizes = [size_of(url) for url in pictures_in(server.bodies[-1])]
    assert sizes.count((1280, 720)) in (2, 3) and set(sizes) == {(1280, 720), (64, 64)}
    assert "left out" in words_in(server.bodies[-1]["input"][0]) and server.complaints == []


def test_a_safety_check_stops_the_agent_unless_it_may_acknowledge() -> None:
    checks = [{"id": "sc_1", "code": "malicious_instructions", "message": "The page gives orders."}]
    with OpenAIServer([responds(computer(CLICK, checks=checks))]) as server:
        agent = openai_at(server)
        turn = play(agent)[0]
    assert isinstance(turn.action, Fail) and "malicious_instructions: The page gives orders." in turn.action.reason
    assert agent.usage.tokens == 1050, "it is paid for"
    with OpenAIServer([responds(computer(CLICK, checks=checks)), DONE]) as server:
        turns = play(openai_at(server, safety="acknowledge"), 2)
    assert turns[0].action == Click(point=(5, 5)) and "Safety check acknowledged" in turns[0].thought
    assert outputs_of(server.bodies[1])[0]["acknowledged_safety_checks"] == checks and server.complaints == []


def test_usage_counts_each_token_once() -> None:
    usage = {
        "input_tokens": 6000,
        "input_tokens_details": {"cached_tokens": 5000, "cache_write_tokens": 400},
        "output_tokens": 10,
        "output_tokens_details": {"reasoning_tokens": 4},
        "total_tokens": 6010,
    }
    with OpenAIServer([responds(message("Done."), usage=usage)]) as server:
        agent = openai_at(server)
        play(agent)
    used = agent.usage
    assert (used.input_tokens, used.cached_tokens, used.stored_tokens, used.tokens) == (600, 5000, 400, 6010)
    assert used.dollars == pytest.approx((1000 * 0.75 + 5000 * 0.075 + 10 * 4.5) / 1e6)


def test_a_dated_snapshot_has_the_price_of_its_model() -> None:
    prices = load_prices()
    assert price_of("gpt-5.4-mini-2026-03-17", prices) == price_of("gpt-5.4-mini", prices) is not None


def test_an_answer_without_counts_costs_nobody_knows_what() -> None:
    with OpenAIServer([responds(message("Done."), usage=None)]) as server:
        agent = openai_at(server)
        play(agent)
    assert agent.usage.dollars is None and agent.usage.requests == 1


def test_spent_tokens_are_the_agents_own_failure() -> None:
    script = [responds(computer(act("wait"))) for _ in range(5)]
    with OpenAIServer(script) as server, pytest.raises(BudgetSpent, match="token budget"):
        play(openai_at(server, budget=EpisodeBudget(tokens=2000)), 6)
    assert len(server.bodies) == 2


def test_options_are_passed_on_and_wrong_ones_refused() -> None:
    with OpenAIServer([DONE]) as server:
        play(openai_at(server, effort="low", summary="off", max_tokens=99))
    assert server.bodies[0]["reasoning"] == {"effort": "low"} and server.bodies[0]["max_output_tokens"] == 99
    for options in ({"tool": "mouse"}, {"effort": "huge"}, {"colour": "blue"}, {"safety": "ignore"}):
        with pytest.raises(InvalidInput, match=next(iter(options))):
            openai_agent("gpt-5.4-mini", **options)  # type: ignore[arg-type]


def test_frames_can_go_out_as_jpeg() -> None:
    with OpenAIServer([responds(computer(CLICK)), DONE]) as server:
        play(openai_at(server, context=ContextPolicy(format="jpeg")), 2)
    assert all(url.startswith("data:image/jpeg") for url in pictures_in(server.bodies[1])) and not server.complaints


def test_an_action_under_both_names_is_meant_once() -> None:
    with OpenAIServer([responds(computer(CLICK, action=CLICK)), DONE]) as server:
        assert [turn.action.kind for turn in play(openai_at(server), 3)] == ["click", "done"]


def test_a_second_episode_knows_nothing_of_the_first() -> None:
    with OpenAIServer([responds(computer(CLICK)), DONE]) as server:
        agent = openai_at(server, time=Time())
        play(agent)
        assert play(agent)[0].action == Done()
    assert len(server.bodies[1]["input"]) == 1
