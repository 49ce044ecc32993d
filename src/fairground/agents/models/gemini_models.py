"""Differences between Gemini models: function names and image size.

Extend this data as models appear. An unknown model is treated as a new one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from fairground.agents.models.context import ImageLimits

LIMITS = ImageLimits(side=1920, pixels=1920 * 1200)
"""A common desktop at full size. Coordinates are on a grid, so a smaller image only loses sharpness."""

_FIRST_NAMES = re.compile(r"(^|/)gemini-(2\.|3-|3\.[0-4]\b)")


@dataclass(frozen=True)
class Traits:
    """What a model supports.

    Attributes:
        dialect: How its computer calls are written.
        limits: Its image limits.
    """

    dialect: str = "gemini-3.5"
    limits: ImageLimits = LIMITS


def traits_of(model: str) -> Traits:
    """Return the traits of a model by its name. Gemini 2.5 and 3 call `click_at`; models since 3.5 call `click`."""
    return Traits("gemini-2.5") if _FIRST_NAMES.search(model) else Traits()
