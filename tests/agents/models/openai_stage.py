"""What the tests of OpenAI's protocols share, beside the stage of all agents."""

from __future__ import annotations

from typing import Any

from fairground.agents.models import ModelAgent, compatible_agent, openai_agent

from .stage import Time
from .wire.openai_rules import KEY
from .wire.openai_wire import OpenAIServer

MODEL = "gpt-5.4-mini"


def openai_at(server: OpenAIServer, model: str = MODEL, *, time: Time | None = None, **options: Any) -> ModelAgent:
    options.setdefault("api_key", KEY)
    return openai_agent(model, base_url=f"{server.url}/v1", pace=(time or Time()).pace(), **options)


def compatible_at(
    server: OpenAIServer, model: str = "a-model", *, time: Time | None = None, **options: Any
) -> ModelAgent:
    options.setdefault("api_key", KEY)
    return compatible_agent(model, base_url=f"{server.url}/v1", pace=(time or Time()).pace(), **options)


def pictures_in(data: Any) -> list[str]:
    """All pictures in a request, in order, as data URLs."""
    if isinstance(data, dict):
        return [url for value in data.values() for url in pictures_in(value)]
    if isinstance(data, list):
        return [url for value in data for url in pictures_in(value)]
    return [data] if isinstance(data, str) and data.startswith("data:image/") else []


def words_in(data: Any) -> str:
    """All texts in a request but pictures."""
    if isinstance(data, dict):
        data = list(data.values())
    if isinstance(data, list):
        return "\n".join(filter(None, map(words_in, data)))
    return data if isinstance(data, str) and not data.startswith("data:image/") else ""
