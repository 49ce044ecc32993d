"""Convert wheel clicks to pixels, for dialects that scroll by pixels."""

from __future__ import annotations

from fairground.agents.native.dialect import CannotSay
from fairground.core import Scroll

PIXELS_A_CLICK = 120
_MOST = 20_000  # maximum pixels of a canonical scroll


def whole_pixels(scroll: Scroll) -> tuple[int, int]:
    """Return a scroll in whole pixels: exact if it was given in whole pixels, otherwise rounded to wheel clicks."""
    exact = scroll.unit == "pixels" and scroll.dx == int(scroll.dx) and scroll.dy == int(scroll.dy)
    across, down = scroll.clicks()
    pixels = (int(scroll.dx), int(scroll.dy)) if exact else (across * PIXELS_A_CLICK, down * PIXELS_A_CLICK)
    if max(map(abs, pixels)) > _MOST:
        raise CannotSay(f"it scrolls at most {_MOST} pixels at once")
    return pixels
