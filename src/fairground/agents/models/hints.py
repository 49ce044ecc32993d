"""Read how long a busy server asks to wait, from headers or the error body."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

_IN_WORDS = re.compile(r"\btry again in (\d+(?:\.\d+)?)\s*(ms|s)\b", re.IGNORECASE)
_DELAY = re.compile(r"(\d+(?:\.\d+)?)s")
_MAX_TEXT = 10_000


def retry_hint(headers: Mapping[str, str], body: Any = None, *, now: datetime | None = None) -> float | None:
    """Return the seconds that the server asks to wait before the next attempt. None if it does not say.

    Reads `retry-after-ms`, `retry-after` (seconds or a date), and vendors' error bodies: Google's `retryDelay` and
    OpenAI's "try again in 1.5s". Anything else is ignored.

    Args:
        headers: Headers of the answer, with lower-case names or a case-insensitive mapping.
        body: The answer's body as plain data, if known.
        now: Time to compare a date with. Default: the current time.
    """
    seconds = _from_headers(headers, now or datetime.now(UTC))
    return seconds if seconds is not None else _from_body(body)


def _from_headers(headers: Mapping[str, str], now: datetime) -> float | None:
    if (milliseconds := _number(headers.get("retry-after-ms"))) is not None:
        return milliseconds / 1000
    after = headers.get("retry-after")
    if (seconds := _number(after)) is not None:
        return seconds
    try:
        date = parsedate_to_datetime(after or "")
    except (ValueError, OverflowError):
        return None
    aware = date if date.tzinfo is not None else date.replace(tzinfo=UTC)
    return max((aware - now).total_seconds(), 0.0)


def _from_body(body: Any) -> float | None:
    error = body.get("error") if isinstance(body, dict) else None
    if not isinstance(error, dict):
        return None
    details = error.get("details")
    for detail in details[:20] if isinstance(details, list) else ():
        delay = detail.get("retryDelay") if isinstance(detail, dict) else None
        if isinstance(delay, str) and (match := _DELAY.fullmatch(delay[:20])):
            return float(match[1])
    message = error.get("message")
    if isinstance(message, str) and (match := _IN_WORDS.search(message[:_MAX_TEXT])):
        return float(match[1]) / (1000 if match[2].lower() == "ms" else 1)
    return None


def _number(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None
