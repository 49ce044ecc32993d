"""Translate errors of Anthropic's SDK into the errors shared by all vendors."""

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

# There is no code for these errors. The wording may change, so only keywords are matched.
_TOO_LONG = re.compile(r"prompt is too long|exceeds? (the )?context|context (window|limit|length)", re.IGNORECASE)
_TOO_LARGE = re.compile(r"image.{0,80}(exceed|too large|larger than|dimension|max(imum)? (allowed )?size)", re.I | re.S)
_PASSING = {"rate_limit_error", "overloaded_error", "api_error", "timeout_error", "conflict_error"}
_ACCOUNT = {401: "the API key is invalid", 402: "the account has no credit", 403: "the API key has no permission"}
_KINDS = {"authentication_error": 401, "billing_error": 402, "permission_error": 403, "not_found_error": 404}
_SHOWN = 600


def translate(error: Any, model: str, where: str) -> Exception:
    """Return the error to raise for an `anthropic.APIStatusError`."""
    body = error.body
    details = body.get("error") if isinstance(body, dict) else None
    kind = str(details.get("type", "")) if isinstance(details, dict) else ""
    message = str(details.get("message", "")) if isinstance(details, dict) else str(error.message)
    summary = f"{error.status_code} {kind}: {message}"[:_SHOWN]
    status = _KINDS.get(kind, error.status_code)

    advice = error.response.headers.get("x-should-retry")
    passing = kind in _PASSING or status in (408, 409, 429) or status >= 500
    if advice == "true" or (passing and advice != "false"):
        return Transient(summary, retry_hint(error.response.headers, body))
    if status in _ACCOUNT:
        return AccessRefused(
            f"{_ACCOUNT[status]} at {where}: {summary}", fix="set ANTHROPIC_API_KEY to a key that may use the model"
        )
    if status == 404:
        return UnknownModel(
            f"no model {model!r} at {where}, or no access with this key: {summary}", fix="check the name of the model"
        )
    if status == 413 or _TOO_LONG.search(message):
        return ContextTooLong(summary)
    if _TOO_LARGE.search(message):
        return ImageRefused(summary, fix="reduce the image limits")
    return RequestRefused(
        f"the server rejects the request: {summary}",
        fix="check that the model supports the agent's options (tool, temperature, effort, thinking)",
    )
