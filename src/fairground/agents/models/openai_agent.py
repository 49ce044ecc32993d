"""Agents that OpenAI's models drive."""

from __future__ import annotations

from fairground.agents.models.building import Access, Vendor, agent_maker
from fairground.agents.models.context import ImageLimits
from fairground.agents.models.openai_chat import OpenAIChat, OpenAIOptions

LIMITS = ImageLimits(side=1600, pixels=1_500_000)
"""What the models see at full size: larger pictures the server would shrink before they see them."""


@agent_maker
def openai_agent(model: str, access: Access, options: dict[str, object]) -> Vendor:
    """An agent that one of OpenAI's models drives with its computer tool, through the vendor's SDK (extra `openai`).

    Takes a model's name, such as `gpt-5.4-mini` or `computer-use-preview`, what every `MakeAgent` takes, and fields of
    `OpenAIOptions`: `tool`, `max_tokens`, `temperature`, `effort`, `summary`, `safety`... The key is by default
    OPENAI_API_KEY.
    """
    chosen = OpenAIOptions.parse({"model": model, **options}, where="openai")
    chat = OpenAIChat(chosen, api_key=access.api_key, base_url=access.base_url, pace=access.pace)
    return Vendor(chat, f"openai:{model}", LIMITS)
