"""Agents driven by models: shared code, and one conversation class per vendor.

`ModelAgent` turns observations into actions for any vendor. A `Chat` implements one vendor's protocol. Usage and
prices, context policy, retries and budgets are shared. Vendor SDKs are imported only when an agent begins.
"""

from fairground.agents.models.anthropic_agent import anthropic_agent
from fairground.agents.models.anthropic_chat import AnthropicOptions
from fairground.agents.models.asking import Asker, make_asker
from fairground.agents.models.building import MakeAgent
from fairground.agents.models.calling import (
    AccessRefused,
    BudgetSpent,
    ContextTooLong,
    ImageRefused,
    ModelRefused,
    ModelUnavailable,
    Pace,
    RequestRefused,
    RetryPolicy,
    UnknownModel,
    Unreachable,
    Unusable,
)
from fairground.agents.models.compatible_agent import compatible_agent, compatible_from
from fairground.agents.models.compatible_chat import CompatibleOptions
from fairground.agents.models.context import ContextPolicy, ImageLimits
from fairground.agents.models.driver import EpisodeBudget, ModelAgent
from fairground.agents.models.gemini_agent import gemini_agent
from fairground.agents.models.gemini_chat import GeminiOptions
from fairground.agents.models.openai_agent import openai_agent
from fairground.agents.models.openai_chat import OpenAIOptions
from fairground.agents.models.prices import Price, load_prices, price_of, read_prices
from fairground.agents.models.usage import Tokens, Usage
from fairground.verify.json_answers import UnreadableAnswer, read_json_answer

__all__ = [
    "AccessRefused",
    "AnthropicOptions",
    "Asker",
    "BudgetSpent",
    "CompatibleOptions",
    "ContextPolicy",
    "ContextTooLong",
    "EpisodeBudget",
    "GeminiOptions",
    "ImageLimits",
    "ImageRefused",
    "MakeAgent",
    "ModelAgent",
    "ModelRefused",
    "ModelUnavailable",
    "OpenAIOptions",
    "Pace",
    "Price",
    "RequestRefused",
    "RetryPolicy",
    "Tokens",
    "UnknownModel",
    "Unreachable",
    "UnreadableAnswer",
    "Unusable",
    "Usage",
    "anthropic_agent",
    "compatible_agent",
    "compatible_from",
    "gemini_agent",
    "load_prices",
    "make_asker",
    "openai_agent",
    "price_of",
    "read_json_answer",
    "read_prices",
]
