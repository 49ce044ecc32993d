"""How much anybody may ask for: bytes and seconds a request, requests a minute, WebSockets at once."""

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
"""Bytes of a request that uploads nothing."""

MAX_UPLOAD: Final = 64 << 20
"""Bytes of one that does."""

MAX_SOCKETS: Final = 32
"""WebSockets that one person may have open: a dozen windows with a battle in each."""


class TooLarge(HTTPException):
    """A body went on after its limit. An answer in itself, because FastAPI makes of other errors whatever it likes."""

    def __init__(self, most: int) -> None:
        super().__init__(413, f"at most {most:,} bytes can be sent here")


class TooSlow(HTTPException):
    """A body did not come to its end in time."""

    def __init__(self, seconds: float) -> None:
        super().__init__(408, f"the request did not end within {seconds:g} s")


@dataclass(frozen=True)
class Pace:
    """How long the server waits for somebody who sends slowly, in seconds.

    Attributes:
        head: For the beginning of a request, up to its body.
        body: For the body of a request that uploads nothing.
        upload: For one that does.
    """

    head: float = 20.0
    body: float = 60.0
    upload: float = 900.0


class Buckets:
    """Lets each key do something `rate` times a second, and `burst` times at once.

    Args:
        rate: Given back each second.
        burst: The most that is saved up.
        keys: Keys that are remembered; those that asked longest ago are forgotten, and start full.
    """

    def __init__(self, rate: float, burst: float, keys: int = 20_000) -> None:
        self._rate, self._burst, self._keys = rate, burst, keys
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, key: str) -> float:
        """0 when it may; else the seconds until it may."""
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
    """Lets each key be inside so many times at once; for one event loop.

    Args:
        most: How many times.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._inside: Counter[str] = Counter()

    def enter(self, key: str) -> bool:
        """Whether it may come in; if so, it has."""
        if self._inside[key] >= self._most:
            return False
        self._inside[key] += 1
        return True

    def leave(self, key: str) -> None:
        """One that came in goes."""
        self._inside[key] -= 1
        if not self._inside[key]:
            del self._inside[key]


@dataclass(frozen=True)
class Rates:
    """How often one person, or one address without a cookie, may ask.

    Attributes:
        pages: Everything.
        changes: What changes something.
        people: New cookies an address.
    """

    pages: Buckets
    changes: Buckets
    people: Buckets

    @classmethod
    def usual(cls) -> Rates:
        """Far more than hands can do, far less than would hurt."""
        return cls(Buckets(50, 400), Buckets(10, 60), Buckets(5, 400))


def limited(receive: Receive, most: int, seconds: float) -> Receive:
    """A body that ends with `TooLarge` or `TooSlow` when it goes on for too long, whatever its header said."""
    seen, over = 0, False
    deadline = asyncio.get_running_loop().time() + seconds

    async def receive_limited() -> Message:
        nonlocal seen, over
        if over:  # what comes now is only that the connection was closed, and may take forever
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
    """A body that must have this mark at its end, nearly: one that was cut off in the middle is not half taken."""
    tail = b""

    async def receive_to_the_end() -> Message:
        nonlocal tail
        message = await receive()
        tail = (tail + message.get("body", b""))[-len(mark) - 64 :]
        if not message.get("more_body", False) and mark not in tail:
            raise HTTPException(400, "the request ends in the middle of a file")
        return message

    return receive_to_the_end
