"""Limits per person: size and duration of a request, requests per second, open WebSockets."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter, OrderedDict
from dataclasses import dataclass
from typing import Final

from starlette.exceptions import HTTPException
from starlette.types import Message, Receive

MAX_BODY: Final = 1 << 20
"""Maximum size of a request without uploads, in bytes."""

MAX_UPLOAD: Final = 64 << 20
"""Maximum size of an upload request, in bytes."""

MAX_SOCKETS: Final = 32
"""Maximum number of open WebSockets per person: enough for a dozen windows with a battle in each."""


class TooLarge(HTTPException):
    """The body is larger than its limit.

    It is an `HTTPException`, because FastAPI's default handlers turn other exceptions into their own responses.
    """

    def __init__(self, most: int) -> None:
        super().__init__(413, f"a request may have at most {most:,} bytes here")


class TooSlow(HTTPException):
    """The body did not arrive in time."""

    def __init__(self, seconds: float) -> None:
        super().__init__(408, f"the request did not complete within {seconds:g} s")


@dataclass(frozen=True)
class Pace:
    """Timeouts for receiving a request, in seconds.

    Attributes:
        head: For the request line and headers.
        body: For the body of a request without uploads.
        upload: For the body of an upload request.
    """

    head: float = 20.0
    body: float = 60.0
    upload: float = 900.0


class Buckets:
    """Token buckets: each key may act `rate` times per second, with bursts of up to `burst`.

    Args:
        rate: Tokens added per second.
        burst: Maximum number of tokens.
        keys: Number of keys to remember. The least recently used ones are dropped and start full again.
    """

    def __init__(self, rate: float, burst: float, keys: int = 20_000) -> None:
        self._rate, self._burst, self._keys = rate, burst, keys
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, key: str) -> float:
        """Take a token. Returns 0 on success, otherwise the seconds to wait."""
        now = time.monotonic()
        with self._lock:
            left, at = self._left.pop(key, (self._burst, now))
            left = min(self._burst, left + (now - at) * self._rate)
            wait = 0.0 if left >= 1 else (1 - left) / self._rate
            self._left[key] = (left if wait else left - 1, now)
            if len(self._left) > self._keys:
                self._left.popitem(last=False)
        return wait


class Turnstile:
    """Limits how many times each key may be inside at once. For use in one event loop.

    Args:
        most: Maximum per key.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._inside: Counter[str] = Counter()

    def enter(self, key: str) -> bool:
        """Enter if the limit allows it. Returns whether it did."""
        if self._inside[key] >= self._most:
            return False
        self._inside[key] += 1
        return True

    def leave(self, key: str) -> None:
        """Leave once."""
        self._inside[key] -= 1
        if not self._inside[key]:
            del self._inside[key]


@dataclass(frozen=True)
class Rates:
    """Rate limits per person, or per client address without a cookie.

    Attributes:
        pages: For all requests.
        changes: For requests that change something.
        people: For new cookies, per client address.
    """

    pages: Buckets
    changes: Buckets
    people: Buckets

    @classmethod
    def usual(cls) -> Rates:
        """Return default limits: far above what a person can do, far below what would harm the server."""
        return cls(Buckets(50, 400), Buckets(10, 60), Buckets(5, 400))


def limited(receive: Receive, most: int, seconds: float) -> Receive:
    """Wrap `receive` to raise `TooLarge` or `TooSlow`, regardless of the Content-Length header."""
    seen, over = 0, False
    deadline = asyncio.get_running_loop().time() + seconds

    async def receive_limited() -> Message:
        nonlocal seen, over
        if over:  # after the body only a disconnect follows, and that may take arbitrarily long
            return await receive()
        try:
            async with asyncio.timeout_at(deadline):
                message = await receive()
        except TimeoutError:
            raise TooSlow(seconds) from None
        seen += len(message.get("body", b""))
        over = not message.get("more_body", False)
        if seen > most:
            raise TooLarge(most)
        return message

    return receive_limited


def ending(receive: Receive, mark: bytes) -> Receive:
    """Wrap `receive` to require this boundary near the end of the body, so that a truncated upload is rejected."""
    tail = b""

    async def receive_to_the_end() -> Message:
        nonlocal tail
        message = await receive()
        tail = (tail + message.get("body", b""))[-len(mark) - 64 :]
        if not message.get("more_body", False) and mark not in tail:
            raise HTTPException(400, "the request ends in the middle of a file")
        return message

    return receive_to_the_end
