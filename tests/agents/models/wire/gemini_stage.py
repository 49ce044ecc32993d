"""What the tests of Gemini's agent have in common."""

from __future__ import annotations

from typing import Any

from fairground.agents.models import ModelAgent, gemini_agent

from ..stage import Time
from .gemini_rules import KEY
from .gemini_wire import GeminiServer

MODEL = "gemini-3.5-flash"
OLD_MODEL = "gemini-2.5-computer-use-preview-10-2025"


def agent_at(server: GeminiServer, model: str = MODEL, *, time: Time | None = None, **options: Any) -> ModelAgent:
    options.setdefault("api_key", KEY)
    return gemini_agent(model, base_url=server.url, pace=(time or Time()).pace(), **options)


def responses_of(body: Any, number: int = -1) -> list[dict[str, Any]]:
    """The function responses of a turn of a request."""
    return [part["functionResponse"] for part in body["contents"][number]["parts"] if "functionResponse" in part]


def words_of(content: Any) -> str:
    """All text in a content or a list of them, results included."""
    if isinstance(content, list):
        return "\n".join(filter(None, map(words_of, content)))
    found = []
    for part in content["parts"]:
        found.append(part.get("text", ""))
        found += [str(value) for value in part.get("functionResponse", {}).get("response", {}).values()]
    return "\n".join(filter(None, found))


def images_in(body: Any) -> list[dict[str, Any]]:
    found = []
    for content in body["contents"]:
        for part in content["parts"]:
            inner = part.get("functionResponse", {}).get("parts", []) or [part]
            found += [each["inlineData"] for each in inner if "inlineData" in each]
    return found
