"""Translate errors of Gemini's SDK into the errors shared by all vendors."""

from __future__ import annotations

import re
from typing import Any

from fairground.agents.models.calling import (
    AccessRefused,
    ContextTooLong,
    ImageRefused,
    RequestRefused,
    Transient,
    UnknownModel,
)
from fairground.agents.models.hints import retry_hint

# Most rejections are an INVALID_ARGUMENT. The wording may change, so only keywords are matched.
_TOO_LONG = re.compile(
    r"token count.{0,60}exceeds|exceeds the maximum number of tokens|payload size exceeds|context (window|length)", re.I
)
_IMAGE = re.compile(r"unable to process input image|image.{0,80}(exceed|too large|larger than|dimension)", re.I | re.S)
_BAD_KEY = re.compile(r"API key (not valid|not found|expired)|API_KEY_(INVALID|EXPIRED)", re.I)
_PASSING = {"RESOURCE_EXHAUSTED", "UNAVAILABLE", "INTERNAL", "DEADLINE_EXCEEDED", "ABORTED", "CANCELLED", "UNKNOWN"}
_ACCOUNT = {
    "UNAUTHENTICATED": "the API key is invalid",
    "PERMISSION_DENIED": "the API key has no permission",
    "FAILED_PRECONDITION": "the account has no access",  # no billing, or unsupported country
}
_STATUSES = {401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND"}
_SHOWN = 600


def translate(error: Any, model: str, where: str) -> Exception:
    """Return the error to raise for a `google.genai.errors.APIError`."""
    code = error.code if isinstance(error.code, int) else 0
    status = error.status if isinstance(error.status, str) else ""
    message = error.message if isinstance(error.message, str) else ""
    summary = f"{code} {status}: {message}"[:_SHOWN]
    status = status if status in _ACCOUNT or status in _PASSING else _STATUSES.get(code, status)

    if status in _PASSING or code in (408, 429, 499) or code >= 500:
        return Transient(summary, retry_hint(_headers(error), error.details))
    if _BAD_KEY.search(message):
        status = "UNAUTHENTICATED"
    if status in _ACCOUNT:
        return AccessRefused(
            f"{_ACCOUNT[status]} at {where}: {summary}", fix="set GEMINI_API_KEY to a key that may use the model"
        )
    if status == "NOT_FOUND":
        return UnknownModel(
            f"no model {model!r} at {where}, or no access with this key: {summary}", fix="check the name of the model"
        )
    if code == 413 or _TOO_LONG.search(message):
        return ContextTooLong(summary)
    if _IMAGE.search(message):
        return ImageRefused(summary, fix="reduce the image limits")
    return RequestRefused(
        f"the server rejects the request: {summary}",
        fix="check that the model supports the agent's options (dialect, temperature, thinking, effort)",
    )


def _headers(error: Any) -> dict[str, str]:
    headers = getattr(error.response, "headers", None) or {}
    return {str(name).lower(): str(value) for name, value in headers.items()}
