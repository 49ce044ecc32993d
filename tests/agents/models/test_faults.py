"""One table of faults over every vendor's protocol, through the vendors' own SDKs: servers that are busy, broken, cut
off or talk nonsense; keys that are missing; models that refuse or cannot write a call.

What only one vendor has is in `test_anthropic_faults.py` and its neighbours.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from fairground.agents.models import (
    ImageRefused,
    ModelUnavailable,
    RetryPolicy,
    Unreachable,
    Unusable,
    compatible_agent,
)
from fairground.agents.models.calling import AnswerUnusable
from fairground.core import Click, Done, Fail, InfrastructureError, Look, MissingPrerequisite

from .faults_anthropic import ANTHROPIC
from .faults_compatible import COMPATIBLE
from .faults_gemini import GEMINI
from .faults_openai import OPENAI
from .stage import Time, play
from .vendors import Stand, Vendor
from .wire.openai_wire import OpenAIServer, completes, tool_call

pytestmark = pytest.mark.process

VENDORS = [ANTHROPIC, OPENAI, GEMINI, COMPATIBLE]
Stands = Callable[..., Stand]
every_vendor = pytest.mark.parametrize("vendor", VENDORS, ids=str)
# What is the same code for all of them: one in tier 1.
any_vendor = pytest.mark.parametrize(
    "vendor",
    [vendor if vendor is COMPATIBLE else pytest.param(vendor, marks=pytest.mark.slow) for vendor in VENDORS],
    ids=str,
)


def every(table: str) -> Any:
    """Every row of this table of every vendor."""
    rows = [(vendor, name) for vendor in VENDORS for name in getattr(vendor, table)]
    return pytest.mark.parametrize(("vendor", "fault"), rows, ids=[f"{vendor}-{name}" for vendor, name in rows])


@pytest.fixture(scope="module")
def stands() -> Iterator[Stands]:
    opened: dict[tuple[str, bool | None], Stand] = {}
    with ExitStack() as stack:

        def stand(vendor: Vendor, stream: bool | None = None) -> Stand:
            if (vendor.name, stream) not in opened:
                time, server = Time(), stack.enter_context(vendor.server([]))
                options = {} if stream is None else {"stream": stream}
                opened[vendor.name, stream] = Stand(vendor, server, vendor.agent(server, time=time, **options), time)
            return opened[vendor.name, stream]

        yield stand


# --- servers ---------------------------------------------------------------------------------------------------------


@every("passing")
def test_a_failure_that_may_pass_is_tried_again_and_is_not_part_of_the_conversation(
    stands: Stands, vendor: Vendor, fault: str
) -> None:
    stand, behaviour = stands(vendor), vendor.passing[fault]
    assert stand.play(behaviour, behaviour, vendor.done)[0].action == Done()
    first, second, third = stand.server.bodies
    assert first == second == third
    assert stand.time.waits == [1.0, 2.0], "twice as long each time"
    assert stand.agent.usage.failures == 2 and stand.server.complaints == []


@every_vendor
def test_a_whole_answer_that_is_none_is_tried_again(stands: Stands, vendor: Vendor) -> None:
    stand = stands(vendor, stream=False)
    for body in vendor.no_answers:
        assert stand.play(vendor.returns(body), vendor.done)[0].action == Done(), body
        assert len(stand.server.asked) == 2, body


@every("hints")
def test_the_servers_hint_is_honoured(stands: Stands, vendor: Vendor, fault: str) -> None:
    behaviour, seconds = vendor.hints[fault]
    stand = stands(vendor)
    stand.play(behaviour, vendor.done)
    assert stand.time.waits == [pytest.approx(seconds)]


@any_vendor
def test_a_server_that_asks_for_more_time_than_there_is_is_taken_at_its_word(stands: Stands, vendor: Vendor) -> None:
    stand = stands(vendor)
    with pytest.raises(ModelUnavailable, match="1 attempts"):
        stand.play(vendor.an_hour)
    assert stand.time.waits == [] and len(stand.server.asked) == 1


@pytest.mark.parametrize("vendor", [vendor for vendor in VENDORS if vendor.paid_midway], ids=str)
def test_what_broke_off_midway_is_counted_because_it_is_paid_for(stands: Stands, vendor: Vendor) -> None:
    stand = stands(vendor)
    stand.play(vendor.paid_midway, vendor.done)
    usage = stand.agent.usage
    assert (usage.requests, usage.failures, usage.input_tokens) == (2, 1, 2000)


@every_vendor
def test_after_the_budget_of_attempts_it_is_an_infrastructure_error(vendor: Vendor) -> None:
    behaviour, status = vendor.overloaded
    with vendor.server([behaviour] * 3) as server, pytest.raises(ModelUnavailable, match=f"3 attempts.*{status}"):
        play(vendor.agent(server, retries=RetryPolicy(attempts=3)))
    assert len(server.asked) == 3, "the SDK tries nothing of its own"
    assert issubclass(ModelUnavailable, InfrastructureError)


@every_vendor
def test_nobody_listening_is_not_waited_for(vendor: Vendor) -> None:
    with vendor.server([]) as server:
        pass
    time = Time()
    agent = vendor.agent(server, time=time)
    with pytest.raises(
        Unreachable, match=rf"{re.escape(server.url)}\S* \(connection refused\)\n  fix: start the server"
    ):
        play(agent)
    assert time.waits == [] and isinstance(agent.failure, InfrastructureError) and not agent.replied
    with pytest.raises(Unreachable, match="connection refused"):
        agent.reach()


@any_vendor
def test_a_server_that_has_answered_and_is_gone_is_waited_for(vendor: Vendor, caplog: pytest.LogCaptureFixture) -> None:
    time = Time()
    with vendor.server([vendor.wait()]) as server:
        agent = vendor.agent(server, time=time, retries=RetryPolicy(attempts=3))
        agent.reach()
        play(agent)
        agent.close()
    with pytest.raises(ModelUnavailable, match="3 attempts") as caught:
        play(agent)
    assert not isinstance(caught.value, Unreachable) and time.waits == [1.0, 2.0]
    said = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert len(said) == 2 and re.fullmatch(rf"{agent.model}: retrying in 2 s \(attempt 3 of 3\): .+", said[1])


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://nowhere.invalid/v1", "unknown host"),
        ("https://127.0.0.1:{port}/v1", "TLS: .*http://"),
    ],
)
def test_an_unknown_host_and_a_server_without_tls_are_not_waited_for(url: str, why: str) -> None:
    with OpenAIServer([]) as server:
        time = Time()
        address = url.format(port=server.url.rpartition(":")[2])
        with pytest.raises(Unreachable, match=re.compile(f"{re.escape(address)}.*{why}.*after @", re.DOTALL)):
            play(compatible_agent("a-model", base_url=address, pace=time.pace()))
    assert time.waits == []


@every_vendor
def test_a_wrong_key_and_a_wrong_name_of_the_model_are_unusable_and_name_the_server(
    stands: Stands, vendor: Vendor
) -> None:
    stand = stands(vendor)
    for status in ("401", "404"):
        behaviour = next(row[0] for name, row in vendor.refused.items() if status in name)
        with pytest.raises(Unusable, match=re.escape(stand.server.url)):
            stand.play(behaviour)


@every_vendor
def test_an_answer_that_only_drips_is_given_up_and_tried_again(vendor: Vendor) -> None:
    with vendor.server([vendor.drips, vendor.done]) as server:
        patient = RetryPolicy(seconds=1e6)
        time = Time(per_look=20.0)
        agent = vendor.agent(server, time=time, stream=True, answer_seconds=300.0, retries=patient)
        assert play(agent)[0].action == Done()
    assert agent.usage.failures == 1


@pytest.mark.parametrize(
    ("vendor", "stream"),
    [(ANTHROPIC, True), (OPENAI, True), (OPENAI, False), (GEMINI, True), (COMPATIBLE, True), (COMPATIBLE, False)],
    ids=str,
)
def test_a_flood_of_words_is_no_answer(stands: Stands, vendor: Vendor, stream: bool) -> None:
    stand = stands(vendor, stream=stream)
    assert stand.play(vendor.says("x" * (5 << 20)), vendor.done)[0].action == Done()
    assert stand.agent.usage.failures == 1


@every("refused")
def test_a_refused_request_is_not_tried_again_and_says_what_to_do(stands: Stands, vendor: Vendor, fault: str) -> None:
    behaviour, error, says_what = vendor.refused[fault]
    stand = stands(vendor)
    with pytest.raises(error, match=says_what):
        stand.play(behaviour)
    assert len(stand.server.asked) == 1


@every("too_large")
def test_pictures_that_are_too_large_are_shrunk_once(vendor: Vendor, fault: str) -> None:
    too_large = vendor.too_large[fault]
    with vendor.server([too_large, vendor.click(), vendor.done, too_large, too_large]) as server:
        agent = vendor.agent(server)
        turns = play(agent, 2)
        assert turns[0].action == Click(point=vendor.clicked_when_shrunk), "points mean the same on the screen"
        assert vendor.told_when_shrunk in vendor.heard(server.bodies[1]) and server.complaints == []
        with pytest.raises(ImageRefused):
            play(agent)


@every("too_long")
def test_a_conversation_that_is_too_long_is_cut_once_and_then_ends_as_the_agents_own(
    stands: Stands, vendor: Vendor, fault: str
) -> None:
    stand, full = stands(vendor), vendor.too_long[fault]
    waits = [vendor.wait() for _ in range(3)]
    assert stand.play(*waits, full, vendor.done, turns=4)[-1].action == Done()
    assert [vendor.frames(body) for body in stand.server.bodies] == [1, 2, 3, 4, 1] and stand.server.complaints == []
    turn = stand.play(*[vendor.wait() for _ in range(3)], full, full, turns=4)[-1]
    assert isinstance(turn.action, Fail) and "too long" in turn.action.reason


# --- keys and SDK ----------------------------------------------------------------------------------------------------


@pytest.fixture
def nothing_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    for name in (name for vendor in VENDORS for name in (*vendor.keys, *vendor.unset)):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.mark.parametrize("key", [None, ""])
@pytest.mark.parametrize("vendor", [ANTHROPIC, OPENAI, GEMINI], ids=str)
def test_without_a_key_there_is_a_clear_word_and_no_request(nothing_set: None, vendor: Vendor, key: str | None) -> None:
    with vendor.server([]) as server:
        with pytest.raises(MissingPrerequisite, match=vendor.no_key):
            vendor.agent(server, api_key=key).check()
        assert server.asked == []


@every("keys")
def test_a_key_of_the_environment_will_do(
    nothing_set: None, monkeypatch: pytest.MonkeyPatch, vendor: Vendor, fault: str
) -> None:
    monkeypatch.setenv(fault, "test-key")
    monkeypatch.setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")  # another product's; Gemini's agent speaks one protocol
    with vendor.server([vendor.done]) as server:
        agent = vendor.agent(server, api_key=None)
        agent.check()
        assert play(agent)[0].action == Done() and server.complaints == []


@every_vendor
def test_without_the_sdk_the_fix_is_the_line_to_run(monkeypatch: pytest.MonkeyPatch, vendor: Vendor) -> None:
    monkeypatch.setitem(sys.modules, vendor.sdk, None)
    with (
        vendor.server([]) as server,
        pytest.raises(MissingPrerequisite, match=re.escape(f"fairground[{vendor.extra}]")),
    ):
        vendor.agent(server).check()


# --- models ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stream", [True, False])
@every("refusals")
def test_a_refusal_ends_the_episode_as_the_agents_own_doing(
    stands: Stands, vendor: Vendor, fault: str, stream: bool
) -> None:
    behaviour, reason = vendor.refusals[fault]
    (turn,) = stands(vendor, stream=stream).play(behaviour)
    assert isinstance(turn.action, Fail) and turn.action.reason.startswith("the model refused: ")
    assert reason in turn.action.reason and turn.thought == turn.action.reason


@every("unusable")
def test_an_answer_that_nobody_can_use_is_asked_for_again_with_what_was_wrong(
    stands: Stands, vendor: Vendor, fault: str
) -> None:
    behaviour, complaint = vendor.unusable[fault]
    stand = stands(vendor)
    assert stand.play(behaviour, vendor.click())[0].action == vendor.clicked
    assert stand.server.complaints == [] and re.search(complaint, vendor.heard(stand.server.bodies[1]))


@every_vendor
def test_calls_before_a_bad_one_are_carried_out_and_those_after_it_are_not(stands: Stands, vendor: Vendor) -> None:
    stand = stands(vendor)
    turns = stand.play(vendor.bad_calls(), vendor.done, turns=2)
    assert [turn.action.kind for turn in turns] == ["wait", "done"]
    assert "fly" in vendor.heard(stand.server.bodies[1]) and stand.server.complaints == []


@any_vendor
def test_a_model_that_never_makes_sense_costs_steps_and_can_still_recover(stands: Stands, vendor: Vendor) -> None:
    stand = stands(vendor)
    turns = stand.play(*vendor.nonsense(), vendor.click(), turns=2)
    assert turns[0].action == Look() and "3 answers" in turns[0].thought
    assert turns[1].action == vendor.clicked and stand.server.complaints == []


@any_vendor
def test_an_answer_too_long_to_be_one_is_asked_for_again(vendor: Vendor) -> None:
    with vendor.server([vendor.says("x" * 30_000), vendor.says("42")]) as server:
        play(vendor.agent(server), kind="answer")
    assert "at most 20000" in vendor.heard(server.bodies[1]) and server.complaints == []


@every_vendor
def test_a_model_that_floods_whenever_it_is_unsure_has_failed(stands: Stands, vendor: Vendor) -> None:
    stand = stands(vendor, stream=True)
    with pytest.raises(AnswerUnusable, match="3 unusable answers") as raised:
        stand.play(*[vendor.says("x" * (5 << 20))] * 3)
    assert not isinstance(raised.value, InfrastructureError)  # which would not be scored


def test_a_model_that_writes_201_calls_whenever_it_is_unsure_has_failed(stands: Stands) -> None:
    stand = stands(COMPATIBLE, stream=True)
    calls = [tool_call("click", x=1, y=1) for _ in range(201)]
    with pytest.raises(AnswerUnusable, match="or 200 calls"):
        stand.play(*[completes("", *calls)] * 3)
