"""The text of a screen's clipboard, limited and sanitized."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Protocol, runtime_checkable

from fairground.core import ScreenError
from fairground.screen.protocol import Screen

MOST_BYTES: Final = 1 << 20
"""Maximum bytes of the text in UTF-8. The rest is cut off."""

SECONDS: Final = 2.0
"""Timeout for the program that owns the clipboard."""

_LINE_END: Final = re.compile(r"\r\n?")
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")  # all but tab and newline


@dataclass(frozen=True)
class Clipping:
    """Text from a clipboard. Its origin is unknown and untrusted.

    Attributes:
        text: The text without control characters other than tab and newline; empty if there is no text.
        cut: Whether there was more than `MOST_BYTES`.
    """

    text: str
    cut: bool = False


@runtime_checkable
class HasClipboard(Protocol):
    """A screen whose clipboard can be read. Not all screens support it."""

    def clipboard(self) -> Clipping:
        """Return what was copied last. Thread-safe, also while another thread uses the screen.

        Changes neither the clipboard nor its owner.

        Raises:
            ScreenError: The owner does not answer in time, or does not provide text.
        """


def read_clipboard(screen: Screen) -> Clipping:
    """Return what was copied last on a screen.

    Raises:
        ScreenError: As for `HasClipboard.clipboard`, and if the screen does not support reading the clipboard.
    """
    if not isinstance(screen, HasClipboard):
        raise ScreenError(
            f"the screen backend {screen.backend} does not support reading the clipboard",
            fix="implement the method clipboard() in that backend",
        )
    return screen.clipboard()


def clipping(text: str, *, cut: bool = False) -> Clipping:
    """Sanitize and limit text. `cut` says that some of it is missing already."""
    raw = _CONTROL.sub("", _LINE_END.sub("\n", text)).encode()
    return Clipping(raw[:MOST_BYTES].decode(errors="ignore"), cut or len(raw) > MOST_BYTES)
