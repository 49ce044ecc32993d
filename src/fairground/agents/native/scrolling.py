"""Wheel clicks and pixels, for dialects that scroll by the pixel."""

from __future__ import annotations

from fairground.agents.native.dialect import CannotSay
from fairground.core import Scroll

PIXELS_A_CLICK = 120
_MOST = 20_000  # pixels; what a canonical scroll takes


def whole_pixels(scroll: Scroll) -> tuple[int, int]:
    """A scroll in whole pixels across and down: as asked where it was in whole pixels, else by the wheel click."""
    exact = scroll.unit == "pixels" and scroll.dx == int(scroll.dx) and scroll.dy == int(scroll.dy)
    across, down = scroll.clicks()
    pixels = (int(scroll.dx), int(scroll.dy)) if exact else (across * PIXELS_A_CLICK, down * PIXELS_A_CLICK)
    if max(map(abs, pixels)) > _MOST:
        raise CannotSay(f"more than {_MOST} pixels are not scrolled at once")
    return pixels
