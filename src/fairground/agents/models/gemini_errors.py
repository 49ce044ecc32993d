"""What Gemini's SDK raises, as the errors that every vendor's agent has in common."""

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

# Most refusals are an INVALID_ARGUMENT; the wording may change, so only its gist is looked for.
_TOO_LONG = re.compile(
    r"token count.{0,60}exceeds|exceeds the maximum number of tokens|payload size exceeds|context (window|length)", re.I
)
_IMAGE = re.compile(r"unable to process input image|image.{0,80}(exceed|too large|larger than|dimension)", re.I | re.S)
_BAD_KEY = re.compile(r"API key (not valid|not found|expired)|API_KEY_(INVALID|EXPIRED)", re.I)
_PASSING = {"RESOURCE_EXHAUSTED", "UNAVAILABLE", "INTERNAL", "DEADLINE_EXCEEDED", "ABORTED", "CANCELLED", "UNKNOWN"}
_ACCOUNT = {
    "UNAUTHENTICATED": "the key is not valid",
    "PERMISSION_DENIED": "the key may not use this",
    "FAILED_PRECONDITION": "the account may not use this",  # no billing, or not from this country
}
_STATUSES = {401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND"}
_SHOWN = 600


def translate(error: Any, model: str, where: str) -> Exception:
    """The error to raise for a `google.genai.errors.APIError`: the server's answer was a refusal of some kind."""
    code = error.code if isinstance(error.code, int) else 0
    status = error.status if isinstance(error.status, str) else ""
    message = error.message if isinstance(error.message, str) else ""
    said = f"{code} {status}: {message}"[:_SHOWN]
    status = status if status in _ACCOUNT or status in _PASSING else _STATUSES.get(code, status)

    if status in _PASSING or code in (408, 429, 499) or code >= 500:
        return Transient(said, retry_hint(_headers(error), error.details))
    if _BAD_KEY.search(message):
        status = "UNAUTHENTICATED"
    if status in _ACCOUNT:
        return AccessRefused(
            f"{_ACCOUNT[status]} at {where}: {said}", fix="set GEMINI_API_KEY to a key that may use the model"
        )
    if status == "NOT_FOUND":
        return UnknownModel(
            f"no model {model!r} at {where}, or not for this key: {said}", fix="check the name of the model"
        )
    if code == 413 or _TOO_LONG.search(message):
        return ContextTooLong(said)
    if _IMAGE.search(message):
        return ImageRefused(said, fix="lower the limits of the pictures' size")
    return RequestRefused(
        f"the server does not take the request: {said}",
        fix="check that the model takes the options of the agent (dialect, temperature, thinking, effort)",
    )


def _headers(error: Any) -> dict[str, str]:
    found = getattr(error.response, "headers", None) or {}
    return {str(name).lower(): str(value) for name, value in found.items()}
