"""What is on the clipboard of a screen, as plain text that is safe to hand on."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Protocol, runtime_checkable

from fairground.core import ScreenError
from fairground.screen.protocol import Screen

MOST_BYTES: Final = 1 << 20
"""Of a clipboard's text, in UTF-8; the rest is cut off."""

SECONDS: Final = 2.0
"""How long whoever holds the clipboard may take to hand it over."""

_LINE_END: Final = re.compile(r"\r\n?")
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")  # all but tab and new line


@dataclass(frozen=True)
class Clipping:
    """Text from a clipboard: nothing is known of who wrote it.

    Attributes:
        text: Without control characters other than tab and new line; empty where there is no text.
        cut: Whether there was more than `MOST_BYTES`.
    """

    text: str
    cut: bool = False


@runtime_checkable
class HasClipboard(Protocol):
    """A screen whose clipboard can be read; not all can."""

    def clipboard(self) -> Clipping:
        """What was copied last; from any thread, also while another uses the screen.

        Changes nothing: neither what is on the clipboard nor who holds it. Raises `ScreenError` when whoever holds it
        does not hand it over in time, or not as text.
        """


def read_clipboard(screen: Screen) -> Clipping:
    """What was copied last on a screen.

    Raises:
        ScreenError: As `HasClipboard.clipboard` does, and when the screen has no clipboard that can be read.
    """
    if not isinstance(screen, HasClipboard):
        raise ScreenError(
            f"a screen of the backend {screen.backend} has no clipboard that can be read",
            fix="give it a method clipboard(), as those of this package have",
        )
    return screen.clipboard()


def clipping(text: str, *, cut: bool = False) -> Clipping:
    """Makes text fit to be handed on; `cut` says that some was left out already."""
    raw = _CONTROL.sub("", _LINE_END.sub("\n", text)).encode()
    return Clipping(raw[:MOST_BYTES].decode(errors="ignore"), cut or len(raw) > MOST_BYTES)
