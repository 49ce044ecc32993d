"""Agents driven by Gemini models."""

from __future__ import annotations

from fairground.agents.models.building import Access, Vendor, agent_maker
from fairground.agents.models.gemini_chat import GeminiChat, GeminiOptions
from fairground.agents.models.gemini_models import traits_of


@agent_maker
def gemini_agent(model: str, access: Access, options: dict[str, object]) -> Vendor:
    """Create an agent driven by a Gemini model, through the vendor's SDK (extra `gemini`).

    Takes a model name such as `gemini-3.5-flash`, the arguments of `MakeAgent`, and fields of `GeminiOptions`:
    `dialect`, `exclude`, `acknowledge_safety`, `temperature`, `seed`... The default key is GEMINI_API_KEY, or
    GOOGLE_API_KEY.
    """
    chosen = GeminiOptions.parse({"model": model, **options}, where="gemini")
    chat = GeminiChat(chosen, api_key=access.api_key, base_url=access.base_url, pace=access.pace)
    return Vendor(chat, f"gemini:{model}", traits_of(model).limits, coordinates="grid")
