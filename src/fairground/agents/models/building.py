"""Create agents from vendors' chats: the arguments shared by all vendors."""

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
    """How to reach a vendor's server.

    Attributes:
        api_key: API key. None: the one that the vendor's SDK finds in the environment.
        base_url: Address. None: the vendor's own server.
        pace: Clock and randomness.
    """

    api_key: str | None
    base_url: str | None
    pace: Pace


@dataclass(frozen=True)
class Vendor:
    """Vendor-specific parts of an agent.

    Attributes:
        chat: The conversation.
        name: Agent name in reports.
        limits: Default image limits.
        coordinates: How the model names a point.
        system: Creates the system prompt, if the default does not fit.
        place: Where the user wrote the server's address, for errors.
    """

    chat: Chat
    name: str
    limits: ImageLimits
    coordinates: Coordinates = "pixels"
    system: Callable[[Brief], str] | None = None
    place: str = "(base_url)"


class MakeAgent(Protocol):
    """A function that creates model agents."""

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
        """Create an agent. Makes no request and looks for no key before `check` or `begin`.

        Args:
            model: The model's name.
            context: Which frames stay in the conversation.
            limits: Image limits. Default: what the model sees at full size.
            budget: Tokens, seconds and dollars per episode.
            retries: Retry policy per request.
            asks: Maximum number of consecutive unusable answers per step.
            prices: Price table that extends the built-in one.
            api_key: API key. Default: from the vendor's environment variable.
            base_url: Address of another server with the same protocol.
            pace: Clock and randomness, for tests.
            options: Fields of the vendor's own options, such as `temperature`.
        """


def agent_maker(vendor: Callable[[str, Access, dict[str, object]], Vendor]) -> MakeAgent:
    """Create a vendor's `MakeAgent` from a function of model name, access and options."""

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
        parts = vendor(model, access, options)
        return ModelAgent(
            parts.chat,
            name=parts.name,
            limits=limits or parts.limits,
            context=context or ContextPolicy(),
            price=price_of(model, load_prices(prices)),
            budget=budget or EpisodeBudget(),
            retries=retries or RetryPolicy(),
            asks=asks,
            coordinates=parts.coordinates,
            pace=pace,
            system=parts.system,
            server=None if access.base_url is None else (access.base_url, parts.place),
        )

    del make.__wrapped__  # so that `help` shows this signature
    return make
