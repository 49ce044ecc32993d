"""Agents driven by models behind any server with OpenAI's Chat Completions API: vLLM, SGLang, llama.cpp, and others."""

from __future__ import annotations

import re
from typing import Any

from fairground.agents.models.building import Access, Vendor, agent_maker
from fairground.agents.models.compatible_chat import CompatibleChat, CompatibleOptions
from fairground.agents.models.compatible_dialects import text_prompt
from fairground.agents.models.driver import ModelAgent
from fairground.core import InvalidInput

_URL = re.compile(r"https?://[^\s/?#@]+(/[^\s?#=:]*)?", re.IGNORECASE)
_NAMED = re.compile(r"(?P<model>[^\s#]+?)@(?P<url>https?://[^#]*)(#(?P<dialect>.*))?", re.IGNORECASE)
_MAX_NAME = 2_000


def compatible_agent(model: str, *, base_url: str, dialect: str | None = None, **options: Any) -> ModelAgent:
    """Create an agent driven by a model behind an OpenAI-compatible server, through OpenAI's SDK (extra `openai`).

    Args:
        model: The model's name at that server.
        base_url: Base address of the server's API, such as `http://127.0.0.1:8000/v1`.
        dialect: What the model writes: `functions`, for any model that can call functions, or a text format such as
            `ui-tars-1.5` or `qwen3-vl`. Default: according to the model's name, otherwise `functions`.
        options: Arguments of `MakeAgent`, and fields of `CompatibleOptions`: `max_tokens`, `temperature`, `seed`,
            `extra`, `stream`... The default key is COMPATIBLE_API_KEY; OpenAI's own key is never sent there.
    """
    return _agent(model, base_url=base_url, dialect=dialect, **options)


def compatible_from(text: str, **options: Any) -> ModelAgent:
    """Create the agent for `MODEL@BASE_URL` or `MODEL@BASE_URL#DIALECT`. Options as for `compatible_agent`."""
    model, url, dialect = split_name(text)
    return compatible_agent(model, base_url=url, dialect=dialect, **options)


def split_name(text: str) -> tuple[str, str, str | None]:
    """Split `MODEL@BASE_URL#DIALECT` into model, address and dialect (None if absent).

    Raises:
        InvalidInput: If there is no model, or the address is invalid.
    """
    match = _NAMED.fullmatch(text) if len(text) <= _MAX_NAME else None
    if match is None:
        raise InvalidInput(
            f"{text[:200]!r} is not of the form MODEL@URL",
            fix="write MODEL@http://HOST:PORT/v1, followed by #DIALECT if the model writes its own format",
        )
    return match["model"], _server(match["url"]), match["dialect"]


@agent_maker
def _agent(model: str, access: Access, options: dict[str, object]) -> Vendor:
    url, dialect = _server(access.base_url or ""), options["dialect"]
    chosen = CompatibleOptions.parse({"model": model, **options}, where="compatible")
    chat = CompatibleChat(chosen, base_url=url, api_key=access.api_key, pace=access.pace)
    return Vendor(
        chat,
        f"compatible:{model}" + (f"#{dialect}" if dialect else ""),
        chat.manner.limits,
        chat.manner.coordinates,
        text_prompt if chat.manner.words else None,
        "after @",
    )


def _server(url: str) -> str:
    if not _URL.fullmatch(url[:_MAX_NAME]):
        raise InvalidInput(
            f"invalid server address {url[:200]!r}",
            fix="write it as http://HOST:PORT/v1, with nothing after it; set the API key in COMPATIBLE_API_KEY",
        )
    return url
