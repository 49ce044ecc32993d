"""What differs between Gemini's models: the names of their functions, and what they see.

Data, to be completed as models come. A model that is not here is taken for a new one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from fairground.agents.models.context import ImageLimits

LIMITS = ImageLimits(side=1920, pixels=1920 * 1200)
"""A usual desktop at full size; coordinates are on a grid, so a smaller picture costs sharpness only."""

_FIRST_NAMES = re.compile(r"(^|/)gemini-(2\.|3-|3\.[0-4]\b)")


@dataclass(frozen=True)
class Traits:
    """What a model takes.

    Attributes:
        dialect: How its computer calls are written.
        limits: How large the pictures are that it gets.
    """

    dialect: str = "gemini-3.5"
    limits: ImageLimits = LIMITS


def traits_of(model: str) -> Traits:
    """The traits of a model by its name: Gemini 2.5 and 3 call `click_at`, those since 3.5 call `click`."""
    return Traits("gemini-2.5") if _FIRST_NAMES.search(model) else Traits()
