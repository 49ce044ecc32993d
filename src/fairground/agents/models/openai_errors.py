"""Translate errors of OpenAI's SDK into the errors shared by all vendors.

Compatible servers word their errors differently, so only keywords are matched.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from fairground.agents.models.calling import (
    AccessRefused,
    ContextTooLong,
    ImageRefused,
    ModelRefused,
    RequestRefused,
    Transient,
    UnknownModel,
)
from fairground.agents.models.hints import retry_hint

_TOO_LONG = re.compile(
    r"context_length_exceeded|exceed_context|maximum context length|max_model_len|string_above_max_length"
    r"|(exceeds?|longer than|larger than|outside) .{0,40}context|context (window|size|length).{0,40}exceed"
    r"|maximum model length|prompt is too long|input.{0,20} too long|at most \d+ images?\b|too many images",
    re.IGNORECASE,
)
_TOO_MUCH = re.compile(r"request too large", re.IGNORECASE)  # one request exceeds the limit per minute
_TOO_LARGE = re.compile(
    r"image_(file_)?too_large|image.{0,80}(exceed|too large|larger than|dimension|max(imum)? (allowed )?size)",
    re.IGNORECASE | re.DOTALL,
)
_POLICY = re.compile(r"content_filter|policy|invalid_prompt|moderation|safety|responsible_?ai", re.IGNORECASE)
_QUOTA = re.compile(r"insufficient_quota|billing", re.IGNORECASE)
_PASSING = re.compile(r"server_error|rate_limit|overloaded|timeout|unavailable|internal|\b(408|409|429|5\d\d)\b", re.I)
_ACCOUNT = {401: "the API key is invalid", 402: "the account has no credit", 403: "the API key has no permission"}
_DURATION = re.compile(r"(?:(\d{1,4})h)?(?:(\d{1,5})m(?!s))?(?:(\d{1,6}(?:\.\d{1,9})?)(ms|s))?")
_IN_WORDS = re.compile(r"\btry again in ([\dhms.]{2,20}?)\.?(?:\s|$)", re.IGNORECASE)
_LIMITS = ("requests", "tokens")
_MAX_TEXT = 10_000
_SHOWN = 600


def translate(error: Any, model: str, *, key: str, where: str, place: str) -> Exception:
    """Return the error to raise for an `openai.APIStatusError`.

    Args:
        error: The SDK's exception.
        model: The model's name.
        key: Environment variable of the API key.
        where: The server's address.
        place: Where the user wrote it; empty for the vendor's own server.
    """
    body, status = error.body, int(error.status_code)
    details = body if isinstance(body, dict) else {}
    code = " ".join(str(details[name]) for name in ("type", "code") if details.get(name))
    message = str(details.get("message") or details.get("detail") or (body if isinstance(body, str) else error.message))
    summary = f"{status} {code}: {message}"[:_SHOWN]
    headers = error.response.headers

    if _QUOTA.search(code):
        return AccessRefused(f"the account has no credit left: {summary}", fix="add credit, or use another key")
    if status == 413 or (_TOO_MUCH if status == 429 else _TOO_LONG).search(f"{code} {message}"[:_MAX_TEXT]):
        return ContextTooLong(summary)
    advice = headers.get("x-should-retry")
    if advice == "true" or ((status in (408, 409, 429) or status >= 500) and advice != "false"):
        return Transient(summary, _hint(headers, message))
    if status in _ACCOUNT:
        return AccessRefused(
            f"{_ACCOUNT[status]} at {where}: {summary}", fix=f"set {key} to a key that may use the model"
        )
    if status == 404:
        address = f", and the address {place}, which usually ends in /v1" if place else ""
        return UnknownModel(
            f"no model {model!r} at {where}, or no access with this key: {summary}",
            fix=f"check the name of the model{address}",
        )
    return _by_gist(code, message, summary)


def translate_failure(code: str, message: str) -> Exception:
    """Return the error to raise for a failure within an answer, which has no HTTP status."""
    summary = f"{code}: {message}"[:_SHOWN]
    if _TOO_LONG.search(f"{code} {message}"[:_MAX_TEXT]):
        return ContextTooLong(summary)
    if not code or _PASSING.search(code):
        return Transient(summary, _hint({}, message))
    return _by_gist(code, message, summary)


def _by_gist(code: str, message: str, summary: str) -> Exception:
    if _POLICY.search(code):
        return ModelRefused(summary)
    if _TOO_LARGE.search(f"{code} {message}"[:_MAX_TEXT]):
        return ImageRefused(summary, fix="reduce the image limits")
    return RequestRefused(
        f"the server rejects the request: {summary}",
        fix="check that the model supports the agent's options (tool, dialect, temperature, effort, summary)",
    )


def _hint(headers: Mapping[str, str], message: str) -> float | None:
    """Return the seconds to wait: what the server asks for, or until an exhausted rate limit resets."""
    hint = retry_hint(headers, {"error": {"message": message}})
    if hint is not None:
        return hint
    if match := _IN_WORDS.search(message[:_MAX_TEXT]):
        return _seconds(match[1])
    used_up = (each for each in _LIMITS if headers.get(f"x-ratelimit-remaining-{each}") == "0")
    waits = [_seconds(headers.get(f"x-ratelimit-reset-{each}", "")) for each in used_up]
    return max((wait for wait in waits if wait is not None), default=None)


def _seconds(text: str) -> float | None:
    """Parse `6m0s`, `1.5s` or `120ms`. None for anything else."""
    match = _DURATION.fullmatch(text)
    if match is None or not text:
        return None
    hours, minutes, rest, unit = match.groups()
    return int(hours or 0) * 3600 + int(minutes or 0) * 60 + float(rest or 0) / (1000 if unit == "ms" else 1)
