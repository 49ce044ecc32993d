"""Anthropic's agent against a server that is as strict as the real one: what it sends, what it makes of answers."""

from __future__ import annotations

import base64
import re
from typing import Any

import numpy as np
import pytest

from fairground.agents import Agent
from fairground.agents.models import BudgetSpent, ContextPolicy, EpisodeBudget, ImageLimits, ModelUnavailable, Usage
from fairground.core import (
    Answer,
    CallUser,
    Click,
    Done,
    Drag,
    Fail,
    Frame,
    InvalidInput,
    Key,
    Look,
    Observation,
    Type,
    UnknownName,
)
from fairground.screen import decode

from .stage import MODEL, SIZE, Time, agent_at, brief, images_in, play, results_of, screen, words_of
from .wire.anthropic_wire import AnthropicServer, member, says, text, thinking, tool, use

pytestmark = pytest.mark.process


def test_a_call_becomes_an_action_with_the_models_thought() -> None:
    script = [says(thinking("The field is empty."), text("I click it."), member("left_click", coordinate=[100, 200]))]
    with AnthropicServer(script) as server:
        agent = agent_at(server)
        assert isinstance(agent, Agent)
        turn = play(agent)[0]
    assert turn.action == Click(point=(100, 200))
    assert turn.thought == "The field is empty.\nI click it."
    assert server.complaints == []


def test_the_first_request_tells_the_task_and_shows_the_screen() -> None:
    with AnthropicServer([says(text("Done."))]) as server:
        play(agent_at(server), [screen(77)])
    body = server.bodies[0]
    assert "Add tea to the list." in words_of(body["messages"])
    assert "20 actions" in words_of(body["system"])
    shown = decode(base64.b64decode(images_in(body)[0]["source"]["data"]))
    assert shown.size == SIZE and int(shown.pixels[0, 0, 0]) == 77
    assert {tool.get("name") for tool in body["tools"]} == {None, "call_user", "give_up"}


@pytest.mark.parametrize(
    ("model", "tool_type", "header"),
    [
        ("claude-haiku-4-5-20251001", "computer_20250124", "computer-use-2025-01-24"),
        ("claude-sonnet-4-6", "computer_20251124", "computer-use-2025-11-24"),
        ("claude-opus-5-5", "computer_toolset_20260801", None),
        ("claude-of-the-future-9", "computer_toolset_20260801", None),
    ],
)
def test_each_model_gets_its_own_tool_and_header(model: str, tool_type: str, header: str | None) -> None:
    with AnthropicServer([says(text("Done."))]) as server:
        agent = agent_at(server, model)
        if "future" in model:
            with pytest.raises(Exception, match="does not support"):  # this server does not know it yet
                play(agent)
        else:
            play(agent)
            assert server.complaints == []
    assert server.bodies[0]["tools"][0]["type"] == tool_type
    assert server.asked[0].headers.get("anthropic-beta") == header


@pytest.mark.parametrize("stream", [True, False])
def test_calls_of_the_older_tools_are_read_too(stream: bool) -> None:
    script = [says(use("zoom", region=[0, 0, 64, 36])), says(use("key", text="ctrl+s")), says(text("Saved."))]
    with AnthropicServer(script) as server:
        turns = play(agent_at(server, "claude-opus-4-6", stream=stream), 3)
    assert [turn.action for turn in turns] == [Look(region=(0, 0, 64, 36)), Key(keys=("ctrl", "s")), Done()]
    assert server.complaints == []


def test_several_calls_of_one_answer_become_turns_and_their_results_go_back_together() -> None:
    calls = [member("left_click", coordinate=[5, 5]), member("type", text="tea"), member("key", text="Return")]
    with AnthropicServer([says(*calls), says(text("Done."))]) as server:
        turns = play(agent_at(server), 4)
    assert [turn.action.kind for turn in turns] == ["click", "type", "key", "done"]
    assert len(server.asked) == 2 and server.complaints == []
    results = results_of(server.bodies[1])
    assert [result["tool_use_id"] for result in results] == [call["id"] for call in calls]
    assert all(result["toolset_name"] == "computer" for result in results)
    assert [len(images_in({"messages": [{"content": [result]}]})) for result in results] == [0, 0, 1]


def test_a_call_of_several_actions_takes_several_turns_and_gives_one_result() -> None:
    with AnthropicServer([says(member("key", text="Down Down Tab")), says(text("Done."))]) as server:
        turns = play(agent_at(server), 3)
    assert [turn.action for turn in turns] == [Key(keys=("down",), repeat=2), Key(keys=("tab",)), Done()]
    assert len(results_of(server.bodies[1])) == 1 and server.complaints == []


def test_thinking_goes_back_as_it_came() -> None:
    script = [says(thinking("Step by step."), member("wait", duration=1)), says(text("Done."))]
    with AnthropicServer(script) as server:
        play(agent_at(server), 2)
    sent = server.bodies[1]["messages"][1]["content"][0]
    assert sent["type"] == "thinking" and sent["thinking"] == "Step by step." and sent["signature"]
    assert server.complaints == []


@pytest.mark.parametrize(("kind", "action"), [("action", Done()), ("answer", Answer(text="42"))])
def test_words_without_a_call_end_the_task(kind: str, action: object) -> None:
    with AnthropicServer([says(text(" 42 "))]) as server:
        assert play(agent_at(server), kind=kind)[0].action == action


def test_an_answer_can_be_given_by_tool_and_only_where_one_is_asked_for() -> None:
    with AnthropicServer([says(tool("give_answer", answer="42"))]) as server:
        assert play(agent_at(server), kind="answer")[0].action == Answer(text="42")
    with AnthropicServer([says(tool("give_answer", answer="42")), says(text("Done."))]) as server:
        assert play(agent_at(server))[0].action == Done()
        assert "give_answer" in words_of(results_of(server.bodies[1]))


def test_the_person_is_asked_and_the_reply_reaches_the_model() -> None:
    script = [says(tool("call_user", question="Which list?")), says(tool("give_up", reason="No such list."))]
    with AnthropicServer(script) as server:
        turns = play(agent_at(server), [screen(), screen(messages=("The blue one.",))])
    assert [turn.action for turn in turns] == [CallUser(text="Which list?"), Fail(reason="No such list.")]
    assert words_of(results_of(server.bodies[1])) == "The blue one."
    assert server.complaints == []


def test_a_refused_action_comes_back_as_an_error_and_the_calls_after_it_are_not_carried_out() -> None:
    script = [says(member("left_click", coordinate=[5, 5]), member("type", text="x")), says(text("Done."))]
    with AnthropicServer(script) as server:
        turns = play(agent_at(server), [screen(), screen(1, messages=("Refused: the button is gone",))])
    assert [turn.action.kind for turn in turns] == ["click", "done"]
    first, second = results_of(server.bodies[1])
    assert first["is_error"] and "the button is gone" in words_of(first)
    assert second["is_error"] and "Not carried out" in words_of(second)
    assert len(images_in(server.bodies[1])) == 2, "the model sees the screen as it is now"
    assert server.complaints == []


def test_the_pointer_is_reported_in_the_models_own_pixels() -> None:
    script = [says(use("cursor_position")), says(text("Done."))]
    limits = ImageLimits(side=640)
    with AnthropicServer(script) as server:
        play(agent_at(server, "claude-opus-4-6", limits=limits), [screen(cursor=None), screen(cursor=(1278, 718))])
    assert words_of(results_of(server.bodies[1])) == "X=639,Y=359"
    assert server.complaints == []


def test_a_scaled_screen_is_seen_smaller_and_acted_on_at_full_size() -> None:
    size, small = (2560, 1440), (640, 360)
    script = [says(member("left_click_drag", start_coordinate=[0, 0], coordinate=[639, 359])), says(text("Done."))]
    with AnthropicServer(script) as server:
        seen = [screen(size=size), screen(size=size)]
        turns = play(agent_at(server, limits=ImageLimits(side=640)), seen, size=size)
    assert turns[0].action == Drag(path=((2, 2), (2558, 1438)))
    assert decode(base64.b64decode(images_in(server.bodies[0])[0]["source"]["data"])).size == small


def test_a_zoom_shows_the_region_enlarged() -> None:
    pixels = np.zeros((720, 1280, 3), np.uint8)
    pixels[:36, :64] = 200
    zoomed = Observation(Frame(pixels))
    with AnthropicServer([says(member("zoom", region=[0, 0, 64, 36])), says(text("Done."))]) as server:
        play(agent_at(server), [screen(), zoomed])
    shown = decode(base64.b64decode(images_in(server.bodies[1])[1]["source"]["data"]))
    assert shown.size[0] > 1000 and int(shown.pixels.min()) == 200
    assert server.complaints == []


def test_old_frames_are_forgotten_several_at_once_and_bound_thinking_is_let_go() -> None:
    waits = [says(thinking(f"{step}"), member("wait", duration=1)) for step in range(9)]
    with AnthropicServer([*waits, says(text("Done."))]) as server:
        turns = play(agent_at(server, context=ContextPolicy(frames=2, slack=2)), 10)
    assert len(turns) == 10 and server.complaints == []
    assert [len(images_in(body)) for body in server.bodies] == [1, 2, 3, 4, 2, 3, 4, 2, 3, 4]
    assert "left out" in words_of(server.bodies[-1]["messages"][0])
    binding = [body["thinking"].get("block_binding") for body in server.bodies]
    assert binding[:4] == [None] * 4 and all(binding[4:])


def test_what_was_sent_stays_byte_for_byte_the_same_until_something_is_forgotten() -> None:
    with AnthropicServer([says(member("wait", duration=1)) for _ in range(4)]) as server:
        play(agent_at(server), 4)
    for before, after in zip(server.bodies, server.bodies[1:], strict=False):
        assert after["messages"][: len(before["messages"])] == before["messages"]
        assert after["system"] == before["system"] and after["tools"] == before["tools"]


def test_frames_can_go_out_as_jpeg() -> None:
    with AnthropicServer([says(text("Done."))]) as server:
        play(agent_at(server, context=ContextPolicy(format="jpeg", quality=60)))
    assert images_in(server.bodies[0])[0]["source"]["media_type"] == "image/jpeg" and server.complaints == []


def test_usage_counts_what_the_server_says_and_starts_anew_with_each_episode() -> None:
    counts = {"input_tokens": 100, "output_tokens": 10, "cache_read_input_tokens": 5000}
    script = [says(text("Done."), usage=counts), says(text("Done."), usage=counts)]
    with AnthropicServer(script) as server:
        agent = agent_at(server, "claude-opus-5-5")
        play(agent)
        first = agent.usage
        play(agent)
    dollars = (100 * 4 + 10 * 20 + 5000 * 0.2) / 1e6
    assert first == agent.usage
    assert (first.requests, first.tokens, first.cached_tokens) == (1, 5110, 5000)
    assert first.dollars == pytest.approx(dollars)
    assert Usage.parse(first.plain()) == first


def test_a_model_without_a_price_costs_nobody_knows_what() -> None:
    with AnthropicServer([says(text("Done."))]) as server:
        agent = agent_at(server, "claude-sonnet-5-9")
        play(agent)
    assert agent.usage.dollars is None and agent.usage.tokens == 1050


@pytest.mark.parametrize(
    ("budget", "reason"),
    [
        (EpisodeBudget(tokens=2000), "token budget: 2100 of 2000"),
        (EpisodeBudget(dollars=0.005), "dollar budget: $0.01 of $0.01"),
    ],
)
def test_spent_tokens_and_dollars_are_the_agents_own_failure(budget: EpisodeBudget, reason: str) -> None:
    script = [says(member("wait", duration=1)) for _ in range(5)]
    with AnthropicServer(script) as server, pytest.raises(BudgetSpent, match=re.escape(reason)):
        play(agent_at(server, time=Time(per_look=1.0), budget=budget), 6)
    assert len(server.bodies) == 2


def test_an_agent_whose_time_is_over_gives_up_and_is_judged_on_what_it_did() -> None:
    script = [says(member("wait", duration=1)) for _ in range(5)]
    with AnthropicServer(script) as server:
        turns = play(agent_at(server, time=Time(per_look=1.0), budget=EpisodeBudget(seconds=30)), 6)
    last = turns[-1]
    assert isinstance(last.action, Fail) and "time budget" in last.action.reason and "time budget" in last.thought
    assert 1 < len(turns) < 6


def test_decoding_can_be_made_deterministic_where_the_model_allows_it() -> None:
    with AnthropicServer([says(text("Done."))]) as server:
        play(agent_at(server, "claude-haiku-4-5", temperature=0.0))
    assert server.bodies[0]["temperature"] == 0 and server.complaints == []
    with AnthropicServer([]) as server, pytest.raises(Exception, match="temperature"):
        play(agent_at(server, temperature=0.0))


def test_effort_is_passed_on() -> None:
    with AnthropicServer([says(text("Done."))]) as server:
        play(agent_at(server, effort="low"))
    assert server.bodies[0]["output_config"] == {"effort": "low"}


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"tool": "computer_20251125"}, UnknownName),
        ({"temperature": "cold"}, InvalidInput),
        ({"colour": "blue"}, InvalidInput),
    ],
)
def test_wrong_options_are_refused_when_the_agent_is_made(options: dict[str, Any], error: type[Exception]) -> None:
    with AnthropicServer([]) as server, pytest.raises(error, match=next(iter(options)).split("_")[0]):
        agent_at(server, MODEL, **options)


def test_a_second_episode_knows_nothing_of_the_first() -> None:
    with AnthropicServer([says(member("type", text="first")), says(text("Done."))]) as server:
        agent = agent_at(server)
        play(agent)
        turns = play(agent)
    assert turns[0].action == Done() and len(server.bodies[1]["messages"]) == 1


def test_a_closed_agent_asks_nothing_until_it_begins_again() -> None:
    with AnthropicServer([says(member("wait", duration=1)), says(text("Done."))]) as server:
        agent = agent_at(server)
        play(agent)
        agent.close()
        with pytest.raises(ModelUnavailable, match="closed"):
            agent.act(screen(1))
        assert len(server.asked) == 1
        assert play(agent)[0].action == Done()


def test_typed_text_is_taken_as_it_is() -> None:
    words = 'Grüße "日本" {steps} \n\ttab'
    with AnthropicServer([says(member("type", text=words))]) as server:
        assert play(agent_at(server))[0].action == Type(text=words)


def test_braces_in_an_instruction_are_left_alone() -> None:
    from dataclasses import replace

    with AnthropicServer([says(text("Done."))]) as server:
        agent = agent_at(server)
        agent.begin(replace(brief(), instruction="Write {instruction} and {ending}."))
        agent.act(screen())
    assert "Write {instruction} and {ending}." in words_of(server.bodies[0]["messages"])
