"""Agents that models drive: what is the same for every vendor, and one conversation for each vendor.

`ModelAgent` turns observations into turns, whoever made the model; a `Chat` knows one vendor's protocol. Usage and
prices, context policy, retries and budgets are shared. Vendor SDKs are imported when an agent begins, not before.
"""

from fairground.agents.models.anthropic_agent import anthropic_agent
from fairground.agents.models.anthropic_chat import AnthropicOptions
from fairground.agents.models.calling import (
    ContextTooLong,
    ImageRefused,
    ModelRefused,
    ModelUnavailable,
    Pace,
    RequestRefused,
    RetryPolicy,
)
from fairground.agents.models.context import ContextPolicy, ImageLimits
from fairground.agents.models.driver import EpisodeBudget, ModelAgent
from fairground.agents.models.prices import Price, load_prices, price_of
from fairground.agents.models.usage import Tokens, Usage

__all__ = [
    "AnthropicOptions",
    "ContextPolicy",
    "ContextTooLong",
    "EpisodeBudget",
    "ImageLimits",
    "ImageRefused",
    "ModelAgent",
    "ModelRefused",
    "ModelUnavailable",
    "Pace",
    "Price",
    "RequestRefused",
    "RetryPolicy",
    "Tokens",
    "Usage",
    "anthropic_agent",
    "load_prices",
    "price_of",
]
