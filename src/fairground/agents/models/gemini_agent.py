"""Agents that Gemini's models drive."""

from __future__ import annotations

from pathlib import Path

from fairground.agents.models.calling import Pace, RetryPolicy
from fairground.agents.models.context import ContextPolicy, ImageLimits
from fairground.agents.models.driver import EpisodeBudget, ModelAgent
from fairground.agents.models.gemini_chat import GeminiChat, GeminiOptions
from fairground.agents.models.gemini_models import traits_of
from fairground.agents.models.prices import load_prices, price_of


def gemini_agent(
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
    """An agent that one of Gemini's models drives, through the vendor's SDK (extra `gemini`).

    Args:
        model: The model's name, such as `gemini-3.5-flash`.
        context: Which frames stay in the conversation.
        limits: How large the pictures are.
        budget: Tokens, seconds and dollars of one episode.
        retries: How often and how long one request is tried.
        asks: How many unusable answers in a row one step may cost.
        prices: A price table to complete the package's.
        api_key: By default GEMINI_API_KEY, or GOOGLE_API_KEY.
        base_url: Of another server that speaks the same protocol.
        pace: Time and chance, for tests.
        options: Fields of `GeminiOptions`: `dialect`, `exclude`, `acknowledge_safety`, `temperature`, `seed`...

    Nothing is asked of the server, and no key is looked for, before `check` or `begin`.
    """
    chosen = GeminiOptions.parse({"model": model, **options}, where="gemini")
    pace = pace or Pace()
    return ModelAgent(
        GeminiChat(chosen, api_key=api_key, base_url=base_url, pace=pace),
        name=f"gemini:{model}",
        limits=limits or traits_of(model).limits,
        context=context or ContextPolicy(),
        price=price_of(model, load_prices(prices)),
        budget=budget or EpisodeBudget(),
        retries=retries or RetryPolicy(),
        asks=asks,
        coordinates="grid",
        pace=pace,
    )
