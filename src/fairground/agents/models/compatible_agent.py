"""Agents that any model drives whose server speaks OpenAI's Chat Completions: vLLM, SGLang, llama.cpp, and others."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from fairground.agents.models.calling import Pace, RetryPolicy
from fairground.agents.models.compatible_chat import CompatibleChat, CompatibleOptions
from fairground.agents.models.compatible_dialects import text_prompt
from fairground.agents.models.context import ContextPolicy, ImageLimits
from fairground.agents.models.driver import EpisodeBudget, ModelAgent
from fairground.agents.models.prices import load_prices, price_of
from fairground.core import InvalidInput

_URL = re.compile(r"https?://[^\s/?#@]+(/[^\s?#]*)?", re.IGNORECASE)
_NAMED = re.compile(r"(?P<model>[^\s#]+?)@(?P<url>https?://[^#]*)(#(?P<dialect>.*))?", re.IGNORECASE)
_MAX_NAME = 2_000


def compatible_agent(
    model: str,
    *,
    base_url: str,
    dialect: str | None = None,
    context: ContextPolicy | None = None,
    limits: ImageLimits | None = None,
    budget: EpisodeBudget | None = None,
    retries: RetryPolicy | None = None,
    asks: int = 3,
    prices: Path | None = None,
    api_key: str | None = None,
    pace: Pace | None = None,
    **options: object,
) -> ModelAgent:
    """An agent that a model behind an OpenAI-compatible server drives, through OpenAI's SDK (extra `openai`).

    Args:
        model: The model's name at that server.
        base_url: Where the server's API begins, such as `http://127.0.0.1:8000/v1`.
        dialect: What the model writes: `functions`, which any model that can call functions does, or a text format of
            its own, such as `ui-tars-1.5` or `qwen3-vl`. By default what the model's name tells, or else `functions`.
        context: Which frames stay in the conversation.
        limits: How large the pictures are; by default what suits the dialect.
        budget: Tokens, seconds and dollars of one episode.
        retries: How often and how long one request is tried.
        asks: How many unusable answers in a row one step may cost.
        prices: A price table to complete the package's.
        api_key: By default COMPATIBLE_API_KEY; OpenAI's own key is never sent there.
        pace: Time and chance, for tests.
        options: Fields of `CompatibleOptions`: `max_tokens`, `temperature`, `seed`, `extra`, `stream`...

    Nothing is asked of the server before `begin`.
    """
    if not _URL.fullmatch(base_url[:_MAX_NAME]):
        raise InvalidInput(
            f"the address {base_url[:200]!r} is not one of a server",
            fix="write it as http://HOST:PORT/v1, without user or password; a key goes into COMPATIBLE_API_KEY",
        )
    chosen = CompatibleOptions.parse({"model": model, "dialect": dialect, **options}, where="compatible")
    pace = pace or Pace()
    chat = CompatibleChat(chosen, base_url=base_url, api_key=api_key, pace=pace)
    return ModelAgent(
        chat,
        name=f"compatible:{model}" + (f"#{dialect}" if dialect else ""),
        limits=limits or chat.manner.limits,
        context=context or ContextPolicy(),
        price=price_of(model, load_prices(prices)),
        budget=budget or EpisodeBudget(),
        retries=retries or RetryPolicy(),
        asks=asks,
        coordinates=chat.manner.coordinates,
        pace=pace,
        system=text_prompt if chat.manner.words else None,
    )


def compatible_from(text: str, **options: Any) -> ModelAgent:
    """The agent that `MODEL@BASE_URL` names, or `MODEL@BASE_URL#DIALECT`; `options` are those of `compatible_agent`."""
    found = _NAMED.fullmatch(text) if len(text) <= _MAX_NAME else None
    if found is None:
        raise InvalidInput(
            f"{text[:200]!r} names no model and server",
            fix="write MODEL@http://HOST:PORT/v1, and #DIALECT after it if the model writes one of its own",
        )
    return compatible_agent(found["model"], base_url=found["url"], dialect=found["dialect"], **options)
