"""From a vendor's chat to an agent: what every vendor's constructor takes, said once."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from fairground.agents.models.calling import Pace, RetryPolicy
from fairground.agents.models.chat import Chat
from fairground.agents.models.context import ContextPolicy, ImageLimits
from fairground.agents.models.driver import EpisodeBudget, ModelAgent
from fairground.agents.models.prices import load_prices, price_of
from fairground.agents.models.prompting import Coordinates
from fairground.agents.protocol import Brief


@dataclass(frozen=True)
class Access:
    """How a vendor's server is reached.

    Attributes:
        api_key: None: what the vendor's SDK finds in the environment.
        base_url: None: the vendor's own server.
        pace: Time and chance.
    """

    api_key: str | None
    base_url: str | None
    pace: Pace


@dataclass(frozen=True)
class Vendor:
    """What a vendor adds to an agent.

    Attributes:
        chat: The conversation.
        name: What reports call the agent.
        limits: How large pictures are, unless the caller says.
        coordinates: How the model names a point.
        system: What the model is told about its situation, where the usual words do not fit.
        place: Where a person writes the server's address, for errors.
    """

    chat: Chat
    name: str
    limits: ImageLimits
    coordinates: Coordinates = "pixels"
    system: Callable[[Brief], str] | None = None
    place: str = "(base_url)"


class MakeAgent(Protocol):
    """A constructor of model agents."""

    def __call__(
        self,
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
        """Makes an agent. Nothing is asked of the server, and no key is looked for, before `check` or `begin`.

        Args:
            model: The model's name.
            context: Which frames stay in the conversation.
            limits: How large the pictures are; by default what the model sees at full size.
            budget: Tokens, seconds and dollars of one episode.
            retries: How often and how long one request is tried.
            asks: How many unusable answers in a row one step may cost.
            prices: A price table to complete the package's.
            api_key: By default what the vendor's environment variable holds.
            base_url: Of another server that speaks the same protocol.
            pace: Time and chance, for tests.
            options: Fields of the vendor's own options, such as `temperature`.
        """


def agent_maker(vendor: Callable[[str, Access, dict[str, object]], Vendor]) -> MakeAgent:
    """Makes a vendor's constructor of what is its own: the model's name, how to reach it and its options go in."""

    @functools.wraps(vendor, assigned=("__module__", "__name__", "__qualname__", "__doc__"))
    def make(
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
        pace = pace or Pace()
        access = Access(api_key, base_url, pace)
        found = vendor(model, access, options)
        return ModelAgent(
            found.chat,
            name=found.name,
            limits=limits or found.limits,
            context=context or ContextPolicy(),
            price=price_of(model, load_prices(prices)),
            budget=budget or EpisodeBudget(),
            retries=retries or RetryPolicy(),
            asks=asks,
            coordinates=found.coordinates,
            pace=pace,
            system=found.system,
            server=None if access.base_url is None else (access.base_url, found.place),
        )

    del make.__wrapped__  # so that `help` shows this signature
    return make
