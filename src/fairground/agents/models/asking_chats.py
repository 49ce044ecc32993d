"""Vendors' conversations without tools, for models that answer questions and do not act.

Each is the vendor's agent conversation without what only acting needs: computer tools, their beta headers, prompt
caching for the next step, and reasoning that is sent back to the server.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from fairground.agents.models.anthropic_chat import AnthropicChat, AnthropicOptions
from fairground.agents.models.anthropic_models import traits_of as anthropic_traits
from fairground.agents.models.calling import Pace
from fairground.agents.models.chat import Reply
from fairground.agents.models.compatible_agent import split_name
from fairground.agents.models.compatible_chat import CompatibleChat, CompatibleOptions
from fairground.agents.models.compatible_functions import FUNCTIONS
from fairground.agents.models.context import Context, ImageLimits, Seen
from fairground.agents.models.endings import SpokenTool
from fairground.agents.models.gemini_chat import GeminiChat, GeminiOptions
from fairground.agents.models.gemini_models import traits_of as gemini_traits
from fairground.agents.models.openai_agent import LIMITS as OPENAI_LIMITS
from fairground.agents.models.openai_chat import OpenAIChat, OpenAIOptions


class Toolless(Protocol):
    """The part of `Chat` that an asker needs."""

    model: str

    def check(self) -> None:
        """See `Chat.check`."""

    def close(self) -> None:
        """See `Chat.close`."""

    def begin(self, system: str, tools: tuple[SpokenTool, ...], context: Context) -> None:
        """See `Chat.begin`."""

    def tell(self, text: str, seen: Seen | None = None) -> None:
        """See `Chat.tell`."""

    def ask(self) -> Reply:
        """See `Chat.ask`."""


@dataclass(frozen=True)
class Made:
    """A conversation and its image limits."""

    chat: Toolless
    limits: ImageLimits


def _anthropic(
    model: str, *, temperature: float | None, seed: int | None, pace: Pace, base_url: str | None, api_key: str | None
) -> Made:
    options = AnthropicOptions.parse({"model": model, "temperature": temperature}, where="anthropic")
    return Made(
        _Anthropic(options, api_key=api_key, base_url=base_url, pace=pace),
        anthropic_traits(model).limits,
    )


def _openai(
    model: str, *, temperature: float | None, seed: int | None, pace: Pace, base_url: str | None, api_key: str | None
) -> Made:
    fields = {"model": model, "temperature": temperature, "summary": "off"}
    options = OpenAIOptions.parse(fields, where="openai")
    return Made(_OpenAI(options, api_key=api_key, base_url=base_url, pace=pace), OPENAI_LIMITS)


def _gemini(
    model: str, *, temperature: float | None, seed: int | None, pace: Pace, base_url: str | None, api_key: str | None
) -> Made:
    fields = {"model": model, "temperature": temperature, "seed": seed, "thinking": "off"}
    options = GeminiOptions.parse(fields, where="gemini")
    return Made(_Gemini(options, api_key=api_key, base_url=base_url, pace=pace), gemini_traits(model).limits)


def _compatible(
    name: str, *, temperature: float | None, seed: int | None, pace: Pace, base_url: str | None, api_key: str | None
) -> Made:
    model, url, _ = split_name(name if base_url is None else f"{name}@{base_url}")
    # A text dialect would be explained to the model; the functions of this dialect are left out below.
    fields = {"model": model, "dialect": FUNCTIONS.name, "temperature": temperature, "seed": seed}
    options = CompatibleOptions.parse(fields, where="compatible")
    return Made(_Compatible(options, base_url=url, api_key=api_key, pace=pace), ImageLimits())


MAKERS: dict[str, Callable[..., Made]] = {
    "anthropic": _anthropic,
    "openai": _openai,
    "gemini": _gemini,
    "compatible": _compatible,
}
"""Functions that create a conversation, by the prefix of the model's name."""


class _Anthropic(AnthropicChat):
    def _request(self) -> dict[str, Any]:
        return _without(super()._request(), "tools", "betas", "cache_control")


class _OpenAI(OpenAIChat):
    def _request(self) -> dict[str, Any]:
        return _without(super()._request(), "tools", "include")


class _Gemini(GeminiChat):
    def _tools(self) -> list[dict[str, Any]]:
        return []


class _Compatible(CompatibleChat):
    def _request(self) -> dict[str, Any]:
        return _without(super()._request(), "tools")


def _without(request: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in request.items() if name not in names}
