"""Agents driven by OpenAI's models."""

from __future__ import annotations

from fairground.agents.models.building import Access, Vendor, agent_maker
from fairground.agents.models.context import ImageLimits
from fairground.agents.models.openai_chat import OpenAIChat, OpenAIOptions

LIMITS = ImageLimits(side=1600, pixels=1_500_000)
"""What the models see at full size. The server would shrink larger images."""


@agent_maker
def openai_agent(model: str, access: Access, options: dict[str, object]) -> Vendor:
    """Create an agent driven by one of OpenAI's models, through the vendor's SDK (extra `openai`).

    It uses the model's computer tool. Takes a model name such as `gpt-5.4-mini` or `computer-use-preview`, the
    arguments of `MakeAgent`, and fields of `OpenAIOptions`: `tool`, `max_tokens`, `temperature`, `effort`, `summary`,
    `safety`... The default key is OPENAI_API_KEY.
    """
    chosen = OpenAIOptions.parse({"model": model, **options}, where="openai")
    chat = OpenAIChat(chosen, api_key=access.api_key, base_url=access.base_url, pace=access.pace)
    return Vendor(chat, f"openai:{model}", LIMITS)
