"""The local server refuses what the real one refuses; without that, the other tests would prove little."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from .stage import play
from .wire.gemini_rules import Refused, camel, check
from .wire.gemini_stage import OLD_MODEL, agent_at
from .wire.gemini_wire import GeminiServer, call, confirm, says, text, thought
from .wire.server import Asked

pytestmark = pytest.mark.process

SAFE = confirm("Sure?")


def late(model: str, *calls: dict[str, Any]) -> Asked:
    with GeminiServer([says(thought("Hm."), *calls), says(text("Done."))]) as server:
        play(agent_at(server, model, acknowledge_safety=True, effort=None), 3)
    assert server.complaints == []
    return replace(server.asked[-1], body=camel(server.asked[-1].body))


@pytest.fixture(scope="module")
def good() -> Asked:
    """A real request of the SDK, late in a conversation."""
    return late("gemini-3.5-flash", call("click", x=5, y=5, safety_decision=SAFE), call("wait", seconds=1))


@pytest.fixture(scope="module")
def old() -> Asked:
    return late(OLD_MODEL, call("click_at", x=5, y=5), call("wait_5_seconds"))


def changed(good: Asked, change: Callable[[Any], Any]) -> Asked:
    body = copy.deepcopy(good.body)
    change(body)
    return replace(good, body=body)


def test_good_requests_are_taken(good: Asked, old: Asked) -> None:
    check(good)
    check(old)


def part(body: Any, turn: int, number: int) -> Any:
    return body["contents"][turn]["parts"][number]


def response(body: Any, number: int) -> Any:
    return part(body, 2, number)["functionResponse"]


WRONG: dict[str, tuple[Callable[[Any], Any], str]] = {
    "a response is missing": (lambda body: body["contents"][2]["parts"].pop(0), "number of function response"),
    "a response too many": (lambda body: body["contents"][2]["parts"].append(part(body, 2, 0)), "number of"),
    "words before a response": (lambda body: body["contents"][2]["parts"].insert(0, {"text": "x"}), "come first"),
    "another name": (lambda body: response(body, 0).update(name="type"), "the response is of type"),
    "another id": (lambda body: response(body, 0).update(id="call_x"), "another id"),
    "an empty response": (lambda body: response(body, 0).update(response={}), "expected an object"),
    "words among pictures": (lambda body: response(body, 1).update(parts=[{"text": "x"}]), "Unknown name"),
    "not acknowledged": (
        lambda body: response(body, 0)["response"].pop("safety_acknowledgement"),
        "was not acknowledged",
    ),
    "two turns of one side": (lambda body: body["contents"].append(body["contents"][-1]), "alternate"),
    "the model's turn last": (lambda body: body["contents"].pop(), "last turn"),
    "an empty turn": (lambda body: body["contents"][0].update(parts=[]), "must not be empty"),
    "a blank text": (lambda body: part(body, 0, 0).update(text=" "), "empty text"),
    "a part of nothing": (lambda body: body["contents"][1]["parts"].append({"thought": True}), "oneof"),
    "no base64": (lambda body: part(body, 0, 1)["inlineData"].update(data="%%"), "Base64"),
    "no picture": (lambda body: part(body, 0, 1)["inlineData"].update(data="AAAA"), "input image"),
    "another media type": (
        lambda body: part(body, 0, 1)["inlineData"].update(mimeType="image/jpeg"),
        "it is image/png",
    ),
    "no signature": (lambda body: part(body, 1, 1).pop("thoughtSignature"), "missing a thought_signature"),
    "a signature of another part": (
        lambda body: part(body, 1, 2).update(thoughtSignature=part(body, 1, 1)["thoughtSignature"]),
        "Corrupted",
    ),
    "edited after signing": (lambda body: part(body, 1, 1)["functionCall"]["args"].update(x=6), "Corrupted"),
    "an unknown field": (lambda body: body.update(seed=1), "Unknown name"),
    "an unknown setting": (lambda body: body["generationConfig"].update(heat=1), "Unknown name"),
    "too hot": (lambda body: body["generationConfig"].update(temperature=3), "range"),
    "an unknown environment": (lambda body: body["tools"][0]["computerUse"].update(environment="X"), "environment"),
    "left out what is not there": (
        lambda body: body["tools"][0]["computerUse"].update(excludedPredefinedFunctions=["click_at"]),
        "excluded_predefined",
    ),
    "two functions of one name": (
        lambda body: body["tools"][1]["functionDeclarations"].append(body["tools"][1]["functionDeclarations"][0]),
        "Duplicate",
    ),
    "a function without a schema": (
        lambda body: body["tools"][1]["functionDeclarations"][0].pop("parametersJsonSchema"),
        "wrong fields",
    ),
}


@pytest.mark.parametrize(("change", "complaint"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_request_is_refused(good: Asked, change: Callable[[Any], Any], complaint: str) -> None:
    with pytest.raises(Refused, match=complaint):
        check(changed(good, change))


WRONG_FOR_OLD: dict[str, tuple[Callable[[Any], Any], str]] = {
    "no address": (lambda body: response(body, 0)["response"].pop("url"), "url"),
    "a desktop": (
        lambda body: body["tools"][0]["computerUse"].update(environment="ENVIRONMENT_DESKTOP"),
        "not supported",
    ),
    "a level of thinking": (
        lambda body: body["generationConfig"]["thinkingConfig"].update(thinkingLevel="LOW"),
        "Thinking level",
    ),
}


@pytest.mark.parametrize(("change", "complaint"), WRONG_FOR_OLD.values(), ids=WRONG_FOR_OLD.keys())
def test_what_older_models_do_not_take_is_refused(old: Asked, change: Callable[[Any], Any], complaint: str) -> None:
    with pytest.raises(Refused, match=complaint):
        check(changed(old, change))


def test_a_wrong_key_or_place_is_refused(good: Asked) -> None:
    with pytest.raises(Refused, match="API key not valid"):
        check(replace(good, headers=good.headers | {"x-goog-api-key": "other"}))
    with pytest.raises(Refused, match="404"):
        check(replace(good, path="/v1beta/models/x:countTokens"))
