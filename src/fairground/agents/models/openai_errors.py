"""What OpenAI's SDK raises, as the errors that every vendor's agent has in common.

Servers of other makers that speak the same protocol word their errors as they like, so only the gist is looked for.
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
_TOO_MUCH = re.compile(r"request too large", re.IGNORECASE)  # more in one request than the limit of a whole minute
_TOO_LARGE = re.compile(
    r"image_(file_)?too_large|image.{0,80}(exceed|too large|larger than|dimension|max(imum)? (allowed )?size)",
    re.IGNORECASE | re.DOTALL,
)
_POLICY = re.compile(r"content_filter|policy|invalid_prompt|moderation|safety|responsible_?ai", re.IGNORECASE)
_QUOTA = re.compile(r"insufficient_quota|billing", re.IGNORECASE)
_PASSING = re.compile(r"server_error|rate_limit|overloaded|timeout|unavailable|internal|\b(408|409|429|5\d\d)\b", re.I)
_ACCOUNT = {401: "the key is not valid", 402: "the account has no credit", 403: "the key may not use this"}
_DURATION = re.compile(r"(?:(\d{1,4})h)?(?:(\d{1,5})m(?!s))?(?:(\d{1,6}(?:\.\d{1,9})?)(ms|s))?")
_IN_WORDS = re.compile(r"\btry again in ([\dhms.]{2,20}?)\.?(?:\s|$)", re.IGNORECASE)
_LIMITS = ("requests", "tokens")
_MAX_TEXT = 10_000
_SHOWN = 600


def translate(error: Any, model: str, *, key: str, where: str, place: str) -> Exception:
    """The error to raise for an `openai.APIStatusError`: the server's answer was a refusal of some kind.

    Args:
        error: What the SDK raised.
        model: Whom it was about.
        key: The variable that a key is taken from.
        where: The server's address.
        place: Where a person wrote it; empty for the vendor's own server.
    """
    body, status = error.body, int(error.status_code)
    details = body if isinstance(body, dict) else {}
    code = " ".join(str(details[name]) for name in ("type", "code") if details.get(name))
    message = str(details.get("message") or details.get("detail") or (body if isinstance(body, str) else error.message))
    said = f"{status} {code}: {message}"[:_SHOWN]
    headers = error.response.headers

    if _QUOTA.search(code):
        return AccessRefused(f"the account has no credit left: {said}", fix="add credit, or use another key")
    if status == 413 or (_TOO_MUCH if status == 429 else _TOO_LONG).search(f"{code} {message}"[:_MAX_TEXT]):
        return ContextTooLong(said)
    advice = headers.get("x-should-retry")
    if advice == "true" or ((status in (408, 409, 429) or status >= 500) and advice != "false"):
        return Transient(said, _hint(headers, message))
    if status in _ACCOUNT:
        return AccessRefused(f"{_ACCOUNT[status]} at {where}: {said}", fix=f"set {key} to a key that may use the model")
    if status == 404:
        address = f", and the address {place}: it usually ends in /v1" if place else ""
        return UnknownModel(
            f"no model {model!r} at {where}, or not for this key: {said}", fix=f"check the name of the model{address}"
        )
    return _by_gist(code, message, said)


def translate_failure(code: str, message: str) -> Exception:
    """The error to raise for one that came inside an answer, where there is no status."""
    said = f"{code}: {message}"[:_SHOWN]
    if _TOO_LONG.search(f"{code} {message}"[:_MAX_TEXT]):
        return ContextTooLong(said)
    if not code or _PASSING.search(code):
        return Transient(said, _hint({}, message))
    return _by_gist(code, message, said)


def _by_gist(code: str, message: str, said: str) -> Exception:
    if _POLICY.search(code):
        return ModelRefused(said)
    if _TOO_LARGE.search(f"{code} {message}"[:_MAX_TEXT]):
        return ImageRefused(said, fix="lower the limits of the pictures' size")
    return RequestRefused(
        f"the server does not take the request: {said}",
        fix="check that the model takes the options of the agent (tool, dialect, temperature, effort, summary)",
    )


def _hint(headers: Mapping[str, str], message: str) -> float | None:
    """Seconds to wait: what the server asks for, or until the limit that is used up is full again."""
    asked = retry_hint(headers, {"error": {"message": message}})
    if asked is not None:
        return asked
    if found := _IN_WORDS.search(message[:_MAX_TEXT]):
        return _seconds(found[1])
    used_up = (each for each in _LIMITS if headers.get(f"x-ratelimit-remaining-{each}") == "0")
    waits = [_seconds(headers.get(f"x-ratelimit-reset-{each}", "")) for each in used_up]
    return max((wait for wait in waits if wait is not None), default=None)


def _seconds(text: str) -> float | None:
    """`6m0s`, `1.5s`, `120ms`; None for anything else."""
    found = _DURATION.fullmatch(text)
    if found is None or not text:
        return None
    hours, minutes, rest, unit = found.groups()
    return int(hours or 0) * 3600 + int(minutes or 0) * 60 + float(rest or 0) / (1000 if unit == "ms" else 1)
