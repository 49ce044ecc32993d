"""Frames that a client received: a bounded cache of PNGs by digest."""

from __future__ import annotations

from typing import Final

from fairground.remote.protocol import DIGEST_LENGTH, KEPT_FRAMES

KEPT_BYTES: Final = 32 << 20
"""Maximum size in bytes of the PNGs that a client keeps. It asks the server again for one that it dropped."""

MAX_FRAME_BYTES: Final = 64 << 20
"""Maximum size in bytes of a message with a frame."""


class FrameCache:
    """The last PNGs of a connection, by digest, within limits."""

    def __init__(self) -> None:
        self._pngs: dict[str, bytes] = {}  # in the order in which they came
        self._bytes = 0

    def receive(self, message: bytes) -> None:
        """Keep the frame of a binary message (its digest, then the PNG), and drop the oldest ones above the limits."""
        digest, png = message[:DIGEST_LENGTH].decode("ascii", "replace"), message[DIGEST_LENGTH:]
        self._bytes += len(png) - len(self._pngs.pop(digest, b""))
        self._pngs[digest] = png
        while len(self._pngs) > KEPT_FRAMES or (self._bytes > KEPT_BYTES and len(self._pngs) > 1):
            self._bytes -= len(self._pngs.pop(next(iter(self._pngs))))

    def get(self, digest: str) -> bytes | None:
        """Return a PNG, or None if it was dropped or never came."""
        return self._pngs.get(digest)
