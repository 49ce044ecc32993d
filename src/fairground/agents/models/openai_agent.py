"""Agents that OpenAI's models drive."""

from __future__ import annotations

from pathlib import Path

from fairground.agents.models.calling import Pace, RetryPolicy
from fairground.agents.models.context import ContextPolicy, ImageLimits
from fairground.agents.models.driver import EpisodeBudget, ModelAgent
from fairground.agents.models.openai_chat import OpenAIChat, OpenAIOptions
from fairground.agents.models.prices import load_prices, price_of

LIMITS = ImageLimits(side=1600, pixels=1_500_000)
"""What the models see at full size: larger pictures the server would shrink before they see them."""


def openai_agent(
    model: str,
    *,
    context: ContextPolicy | None = None,
    limits: ImageLimits | None = None,
    budget: EpisodeBudget | None = None,
    retries: RetryPolicy | None = None,
    asks: int = 3,
    prices: Path | None = None,
    api_key: str | None = None,
    base_url: str | None = None,
    pace: Pace | None = None,
    **options: object,
) -> ModelAgent:
    """An agent that one of OpenAI's models drives with its computer tool, through the vendor's SDK (extra `openai`).

    Args:
        model: The model's name, such as `gpt-5.4-mini` or `computer-use-preview`.
        context: Which frames stay in the conversation.
        limits: How large the pictures are.
        budget: Tokens, seconds and dollars of one episode.
        retries: How often and how long one request is tried.
        asks: How many unusable answers in a row one step may cost.
        prices: A price table to complete the package's.
        api_key: By default OPENAI_API_KEY.
        base_url: Of another server that speaks the same protocol.
        pace: Time and chance, for tests.
        options: Fields of `OpenAIOptions`: `tool`, `max_tokens`, `temperature`, `effort`, `summary`, `safety`...

    Nothing is asked of the server, and no key is looked for, before `check` or `begin`.
    """
    chosen = OpenAIOptions.parse({"model": model, **options}, where="openai")
    pace = pace or Pace()
    return ModelAgent(
        OpenAIChat(chosen, api_key=api_key, base_url=base_url, pace=pace),
        name=f"openai:{model}",
        limits=limits or LIMITS,
        context=context or ContextPolicy(),
        price=price_of(model, load_prices(prices)),
        budget=budget or EpisodeBudget(),
        retries=retries or RetryPolicy(),
        asks=asks,
        pace=pace,
    )
