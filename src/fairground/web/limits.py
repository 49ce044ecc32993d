"""How much anybody may ask for: bytes a request, and requests a minute."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

from starlette.types import Message, Receive

MAX_BODY: Final = 1 << 20
"""Bytes of a request that uploads nothing."""

MAX_UPLOAD: Final = 64 << 20
"""Bytes of one that does."""


class TooLarge(Exception):
    """A body went on after its limit."""


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


def limited(receive: Receive, most: int) -> Receive:
    """A body that ends with `TooLarge` when it goes on for too long, whatever its header said."""
    seen = 0

    async def receive_limited() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > most:
            raise TooLarge
        return message

    return receive_limited
