"""Agents driven by Anthropic's models."""

from __future__ import annotations

from fairground.agents.models.anthropic_chat import AnthropicChat, AnthropicOptions
from fairground.agents.models.anthropic_models import traits_of
from fairground.agents.models.building import Access, Vendor, agent_maker


@agent_maker
def anthropic_agent(model: str, access: Access, options: dict[str, object]) -> Vendor:
    """Create an agent driven by one of Anthropic's models, through the vendor's SDK (extra `anthropic`).

    Takes a model name such as `claude-sonnet-5-5`, the arguments of `MakeAgent`, and fields of `AnthropicOptions`:
    `tool`, `max_tokens`, `temperature`, `effort`, `thinking`, `stream`... The default key is the one that the SDK
    finds, first ANTHROPIC_API_KEY.
    """
    chosen = AnthropicOptions.parse({"model": model, **options}, where="anthropic")
    chat = AnthropicChat(chosen, api_key=access.api_key, base_url=access.base_url, pace=access.pace)
    return Vendor(chat, f"anthropic:{model}", traits_of(model).limits)
