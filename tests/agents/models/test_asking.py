"""Askers of every vendor, against servers that speak the vendors' protocols."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from PIL import Image

from fairground.agents.models import (
    Asker,
    ContextTooLong,
    ImageRefused,
    ModelRefused,
    ModelUnavailable,
    RequestRefused,
    RetryPolicy,
    make_asker,
)
from fairground.core import Frame, InvalidInput, MissingPrerequisite, UnknownName

from .stage import Time
from .wire import anthropic_wire, gemini_wire, openai_wire

pytestmark = pytest.mark.process

KEY = "test-key"
WORDS = "The list holds tea."


@dataclass(frozen=True)
class Vendor:
    """One protocol: how its server is made and what it can be made to do."""

    name: str
    server: Callable[[Iterable[Any]], Any]
    path: str
    says: Callable[[str], Any]
    cut: Any
    refuses: Any
    busy: Any
    broken: Any
    half: Any
    too_large: Any
    too_long: Any

    def __str__(self) -> str:
        return self.name.partition(":")[0]

    def asker(self, server: Any, time: Time | None = None, **options: Any) -> Asker:
        pace = (time or Time()).pace()
        return make_asker(self.name, base_url=server.url + self.path, api_key=KEY, pace=pace, **options)


def openai_like(name: str, says: Callable[[str], Any], **more: Any) -> Vendor:
    return Vendor(
        name,
        openai_wire.OpenAIServer,
        "/v1",
        says,
        busy=openai_wire.busy(retry_after="7"),
        broken=openai_wire.broken(),
        too_large=openai_wire.failed(400, "invalid_request_error", "image too large", "image_too_large"),
        too_long=openai_wire.failed(400, "invalid_request_error", "too long", "context_length_exceeded"),
        **more,
    )


VENDORS = [
    Vendor(
        "anthropic:claude-sonnet-5-5",
        anthropic_wire.AnthropicServer,
        "",
        lambda words: anthropic_wire.says(anthropic_wire.thinking("Hm."), anthropic_wire.text(words)),
        cut=anthropic_wire.says(anthropic_wire.text("The list"), stop="max_tokens"),
        refuses=anthropic_wire.says(stop="refusal", stop_details={"explanation": "not this"}),
        busy=anthropic_wire.busy(retry_after="7"),
        broken=anthropic_wire.failed(500, "api_error", "Internal server error"),
        half=anthropic_wire.breaks_off(anthropic_wire.text(WORDS), after=4),
        too_large=anthropic_wire.failed(400, "invalid_request_error", "image exceeds 5 MB maximum: too large"),
        too_long=anthropic_wire.failed(400, "invalid_request_error", "prompt is too long"),
    ),
    openai_like(
        "openai:gpt-5.4-mini",
        lambda words: openai_wire.responds(openai_wire.reasoning("Hm."), openai_wire.message(words)),
        cut=openai_wire.cut(openai_wire.message("The list")),
        refuses=openai_wire.responds(openai_wire.refusal("not this")),
        half=openai_wire.breaks_off(openai_wire.message(WORDS), after=3),
    ),
    Vendor(
        "gemini:gemini-3.5-flash",
        gemini_wire.GeminiServer,
        "",
        lambda words: gemini_wire.says(gemini_wire.thought("Hm."), gemini_wire.text(words)),
        cut=gemini_wire.says(gemini_wire.text("The list"), finish="MAX_TOKENS"),
        refuses=gemini_wire.says(finish="SAFETY", message="not this"),
        busy=gemini_wire.busy("7s"),
        broken=gemini_wire.failed(500, "INTERNAL", "An internal error has occurred."),
        half=gemini_wire.breaks_off(gemini_wire.text(WORDS), after=1),
        too_large=gemini_wire.failed(400, "INVALID_ARGUMENT", "Unable to process input image."),
        too_long=gemini_wire.failed(400, "INVALID_ARGUMENT", "The input token count (9) exceeds the maximum"),
    ),
    openai_like(
        "compatible:a-model",
        openai_wire.completes,
        cut=openai_wire.completes("The list", finish="length"),
        refuses=openai_wire.completes(None, refusal="not this"),
        half=openai_wire.returns(b'{"choices": [{"message": {"content": "The li', cut=True),
    ),
]
every_vendor = pytest.mark.parametrize("vendor", VENDORS, ids=str)


def frame(shade: int, size: tuple[int, int] = (320, 200)) -> Frame:
    return Frame(np.full((size[1], size[0], 3), shade, np.uint8))


def pictures(data: Any) -> list[Image.Image]:
    """All pictures in a request, in order, whatever the vendor calls them."""
    if isinstance(data, dict):
        return [image for value in data.values() for image in pictures(value)]
    if isinstance(data, list):
        return [image for value in data for image in pictures(value)]
    if not isinstance(data, str) or len(data) < 100:
        return []
    try:
        raw = base64.b64decode(data.rpartition(",")[2].translate(str.maketrans("-_", "+/")))
        return [Image.open(io.BytesIO(raw)).convert("RGB")]
    except (ValueError, OSError):
        return []


@every_vendor
def test_pictures_come_before_the_question_and_no_tool_is_offered(vendor: Vendor) -> None:
    with vendor.server([vendor.says(WORDS)]) as server:
        asker = vendor.asker(server)
        answer = asker.ask("What does the list hold?", [frame(10), frame(200, (100, 60))], system="You look.")
        asker.close()
    assert (answer, server.complaints) == (WORDS, [])
    body = server.bodies[0]
    assert not body.get("tools")
    shown = pictures(body)
    assert [image.size for image in shown] == [(320, 200), (100, 60)]
    assert [image.getpixel((5, 5)) for image in shown] == [(10, 10, 10), (200, 200, 200)]
    said = str(body)
    assert said.index("Picture 2 of 2") < said.index("What does the list hold?")
    assert "You look." in said
    assert (asker.usage.requests, asker.usage.tokens) == (1, 1050)


@every_vendor
def test_no_answer_depends_on_what_was_asked_before(vendor: Vendor) -> None:
    with vendor.server([vendor.says("One."), vendor.says("Two.")]) as server:
        asker = vendor.asker(server)
        assert [asker.ask("the first question"), asker.ask("the second question")] == ["One.", "Two."]
        asker.close()
    assert "the first question" not in str(server.bodies[1])
    assert server.complaints == []


@every_vendor
def test_a_busy_a_broken_and_a_half_answer_are_asked_for_again(vendor: Vendor) -> None:
    time = Time()
    with vendor.server([vendor.busy, vendor.broken, vendor.half, vendor.says(WORDS)]) as server:
        asker = vendor.asker(server, time)
        assert asker.ask("Well?") == WORDS
        asker.close()
    assert (asker.usage.failures, server.complaints) == (3, [])
    assert time.waits[0] == 7  # as the server asked


@every_vendor
def test_a_server_that_never_answers_is_an_error_and_no_answer(vendor: Vendor) -> None:
    with vendor.server([vendor.broken] * 3) as server:
        asker = vendor.asker(server, retries=RetryPolicy(attempts=3))
        with pytest.raises(ModelUnavailable, match="3 attempts"):
            asker.ask("Well?")
        asker.close()


@every_vendor
def test_a_refusal_is_not_asked_for_again(vendor: Vendor) -> None:
    with vendor.server([vendor.refuses]) as server:
        asker = vendor.asker(server)
        with pytest.raises(ModelRefused, match="refused"):
            asker.ask("Well?")
        asker.close()
    assert len(server.asked) == 1


@every_vendor
def test_a_picture_too_large_is_shrunk_once(vendor: Vendor) -> None:
    with vendor.server([vendor.too_large, vendor.says(WORDS), vendor.too_large, vendor.too_large]) as server:
        asker = vendor.asker(server)
        assert asker.ask("Well?", [frame(10)]) == WORDS
        with pytest.raises(ImageRefused):
            asker.ask("Well?", [frame(10)])
        asker.close()
    assert [pictures(body)[0].size for body in server.bodies[:2]] == [(320, 200), (160, 100)]


@every_vendor
def test_a_question_too_long_is_said_to_be(vendor: Vendor) -> None:
    with vendor.server([vendor.too_long]) as server:
        asker = vendor.asker(server)
        with pytest.raises(ContextTooLong):
            asker.ask("Well? " * 50)
        asker.close()


@every_vendor
def test_answers_that_are_cut_or_empty_are_asked_for_again_but_not_for_ever(vendor: Vendor) -> None:
    with vendor.server([vendor.cut, vendor.says(" "), vendor.says(WORDS), *[vendor.cut] * 3]) as server:
        asker = vendor.asker(server)
        assert asker.ask("Well?") == WORDS
        with pytest.raises(ModelUnavailable, match="3 unusable answers in a row"):
            asker.ask("Well?")
        asker.close()
    assert asker.usage.requests == 6  # all are paid for


def test_temperature_and_seed_go_to_servers_that_take_them() -> None:
    compatible, gemini = VENDORS[3], VENDORS[2]
    with compatible.server([compatible.says(WORDS)]) as server:
        asker = compatible.asker(server, temperature=0.0, seed=7)
        asker.ask("Well?")
        asker.close()
    assert (server.bodies[0]["temperature"], server.bodies[0]["seed"]) == (0.0, 7)
    with gemini.server([gemini.says(WORDS)]) as server:
        asker = gemini.asker(server, temperature=0.0, seed=7)
        asker.ask("Well?")
        asker.close()
    generation = server.bodies[0]["generationConfig"]
    assert (generation["temperature"], generation["seed"]) == (0.0, 7)


def test_a_model_that_takes_no_temperature_is_told_apart_from_a_broken_server() -> None:
    anthropic = VENDORS[0]
    with anthropic.server([]) as server:
        asker = anthropic.asker(server, temperature=0.0)
        with pytest.raises(RequestRefused, match="temperature"):
            asker.ask("Well?")
        asker.close()


def test_names_are_those_of_agents_and_prices_are_known() -> None:
    asker = make_asker("compatible:some/model@http://127.0.0.1:9/v1")
    assert (asker.name, asker.usage.dollars) == ("compatible:some/model", None)
    assert make_asker("anthropic:claude-sonnet-5-5").usage.dollars == 0.0
    with pytest.raises(UnknownName, match="anthropic:MODEL"):
        make_asker("antropic:claude-sonnet-5-5")
    with pytest.raises(UnknownName):
        make_asker("anthropic:")
    with pytest.raises(InvalidInput, match="is not of the form MODEL@URL"):
        make_asker("compatible:a-model")


def test_a_missing_key_is_said_before_anything_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(variable, raising=False)
    for name in ("openai:gpt-5.4-mini", "gemini:gemini-3.5-flash"):
        with pytest.raises(MissingPrerequisite, match="no API key"):
            make_asker(name).check()
