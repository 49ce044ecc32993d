"""Agents that any model drives whose server speaks OpenAI's Chat Completions: vLLM, SGLang, llama.cpp, and others."""

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
    """An agent that a model behind an OpenAI-compatible server drives, through OpenAI's SDK (extra `openai`).

    Args:
        model: The model's name at that server.
        base_url: Where the server's API begins, such as `http://127.0.0.1:8000/v1`.
        dialect: What the model writes: `functions`, which any model that can call functions does, or a text format of
            its own, such as `ui-tars-1.5` or `qwen3-vl`. By default what the model's name tells, or else `functions`.
        options: What every `MakeAgent` takes, and fields of `CompatibleOptions`: `max_tokens`, `temperature`, `seed`,
            `extra`, `stream`... The key is by default COMPATIBLE_API_KEY; OpenAI's own key is never sent there.
    """
    return _agent(model, base_url=base_url, dialect=dialect, **options)


def compatible_from(text: str, **options: Any) -> ModelAgent:
    """The agent that `MODEL@BASE_URL` names, or `MODEL@BASE_URL#DIALECT`; `options` are those of `compatible_agent`."""
    model, url, dialect = split_name(text)
    return compatible_agent(model, base_url=url, dialect=dialect, **options)


def split_name(text: str) -> tuple[str, str, str | None]:
    """The model, the server's address and the dialect, if any, that `MODEL@BASE_URL#DIALECT` names.

    Raises:
        InvalidInput: When it names no model, or the address is not one of a server.
    """
    found = _NAMED.fullmatch(text) if len(text) <= _MAX_NAME else None
    if found is None:
        raise InvalidInput(
            f"{text[:200]!r} names no model and server",
            fix="write MODEL@http://HOST:PORT/v1, and #DIALECT after it if the model writes one of its own",
        )
    return found["model"], _server(found["url"]), found["dialect"]


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
            f"the address {url[:200]!r} is not one of a server",
            fix="write it as http://HOST:PORT/v1, with nothing after it; a key goes into COMPATIBLE_API_KEY",
        )
    return url
