"""Agents that Anthropic's models drive."""

from __future__ import annotations

from pathlib import Path

from fairground.agents.models.anthropic_chat import AnthropicChat, AnthropicOptions
from fairground.agents.models.anthropic_models import traits_of
from fairground.agents.models.calling import Pace, RetryPolicy
from fairground.agents.models.context import ContextPolicy, ImageLimits
from fairground.agents.models.driver import EpisodeBudget, ModelAgent
from fairground.agents.models.prices import load_prices, price_of


def anthropic_agent(
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
    """An agent that one of Anthropic's models drives, through the vendor's SDK (extra `anthropic`).

    Args:
        model: The model's name, such as `claude-sonnet-5-5`.
        context: Which frames stay in the conversation.
        limits: How large the pictures are; by default what the model sees at full size.
        budget: Tokens, seconds and dollars of one episode.
        retries: How often and how long one request is tried.
        asks: How many unusable answers in a row one step may cost.
        prices: A price table to complete the package's.
        api_key: By default what the SDK finds: ANTHROPIC_API_KEY first.
        base_url: Of another server that speaks the same protocol.
        pace: Time and chance, for tests.
        options: Fields of `AnthropicOptions`: `tool`, `max_tokens`, `temperature`, `effort`, `thinking`, `stream`...

    Nothing is asked of the server, and no key is looked for, before `check` or `begin`.
    """
    chosen = AnthropicOptions.parse({"model": model, **options}, where="anthropic")
    pace = pace or Pace()
    return ModelAgent(
        AnthropicChat(chosen, api_key=api_key, base_url=base_url, pace=pace),
        name=f"anthropic:{model}",
        limits=limits or traits_of(model).limits,
        context=context or ContextPolicy(),
        price=price_of(model, load_prices(prices)),
        budget=budget or EpisodeBudget(),
        retries=retries or RetryPolicy(),
        asks=asks,
        pace=pace,
    )
