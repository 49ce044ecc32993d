"""Agents that Anthropic's models drive."""

from __future__ import annotations

from fairground.agents.models.anthropic_chat import AnthropicChat, AnthropicOptions
from fairground.agents.models.anthropic_models import traits_of
from fairground.agents.models.building import Access, Vendor, agent_maker


@agent_maker
def anthropic_agent(model: str, access: Access, options: dict[str, object]) -> Vendor:
    """An agent that one of Anthropic's models drives, through the vendor's SDK (extra `anthropic`).

    Takes a model's name, such as `claude-sonnet-5-5`, what every `MakeAgent` takes, and fields of `AnthropicOptions`:
    `tool`, `max_tokens`, `temperature`, `effort`, `thinking`, `stream`... The key is by default what the SDK finds,
    ANTHROPIC_API_KEY first.
    """
    chosen = AnthropicOptions.parse({"model": model, **options}, where="anthropic")
    chat = AnthropicChat(chosen, api_key=access.api_key, base_url=access.base_url, pace=access.pace)
    return Vendor(chat, f"anthropic:{model}", traits_of(model).limits)
