"""What Anthropic's SDK raises, as the errors that every vendor's agent has in common."""

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

# There is no code for these; the wording may change, so only its gist is looked for.
_TOO_LONG = re.compile(r"prompt is too long|exceeds? (the )?context|context (window|limit|length)", re.IGNORECASE)
_TOO_LARGE = re.compile(r"image.{0,80}(exceed|too large|larger than|dimension|max(imum)? (allowed )?size)", re.I | re.S)
_PASSING = {"rate_limit_error", "overloaded_error", "api_error", "timeout_error", "conflict_error"}
_ACCOUNT = {401: "the key is not valid", 402: "the account has no credit", 403: "the key may not use this"}
_KINDS = {"authentication_error": 401, "billing_error": 402, "permission_error": 403, "not_found_error": 404}
_SHOWN = 600


def translate(error: Any, model: str, where: str) -> Exception:
    """The error to raise for an `anthropic.APIStatusError`: the server's answer was a refusal of some kind."""
    body = error.body
    details = body.get("error") if isinstance(body, dict) else None
    kind = str(details.get("type", "")) if isinstance(details, dict) else ""
    message = str(details.get("message", "")) if isinstance(details, dict) else str(error.message)
    said = f"{error.status_code} {kind}: {message}"[:_SHOWN]
    status = _KINDS.get(kind, error.status_code)

    advice = error.response.headers.get("x-should-retry")
    passing = kind in _PASSING or status in (408, 409, 429) or status >= 500
    if advice == "true" or (passing and advice != "false"):
        return Transient(said, retry_hint(error.response.headers, body))
    if status in _ACCOUNT:
        return AccessRefused(
            f"{_ACCOUNT[status]} at {where}: {said}", fix="set ANTHROPIC_API_KEY to a key that may use the model"
        )
    if status == 404:
        return UnknownModel(
            f"no model {model!r} at {where}, or not for this key: {said}", fix="check the name of the model"
        )
    if status == 413 or _TOO_LONG.search(message):
        return ContextTooLong(said)
    if _TOO_LARGE.search(message):
        return ImageRefused(said, fix="lower the limits of the pictures' size")
    return RequestRefused(
        f"the server does not take the request: {said}",
        fix="check that the model takes the options of the agent (tool, temperature, effort, thinking)",
    )
