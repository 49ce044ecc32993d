"""Differences between Anthropic's models: computer tool, thinking, image size.

Extend this data as models appear. An unknown model is treated as a new one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from fairground.agents.models.context import ImageLimits

TOOLSET = "computer_toolset_20260801"
BETAS: dict[str, tuple[str, ...]] = {
    "computer_20250124": ("computer-use-2025-01-24",),
    "computer_20251124": ("computer-use-2025-11-24",),
    TOOLSET: (),
}
"""The computer tools, oldest first, with the beta headers that each needs."""

BINDING_BETA = "thinking-binding-controls-2026-08-01"
"""Lets a conversation continue after its beginning was edited, without the thinking that was bound to it."""


@dataclass(frozen=True)
class Traits:
    """What a model supports.

    Attributes:
        tool: The newest computer tool that it supports.
        adaptive: Whether it decides by itself how much to think.
        limits: The largest image that it sees at full size.
    """

    tool: str = TOOLSET
    adaptive: bool = True
    limits: ImageLimits = field(default_factory=ImageLimits)


_KNOWN: tuple[tuple[re.Pattern[str], Traits], ...] = tuple(
    (re.compile(pattern), traits)
    for pattern, traits in (
        (r"claude-opus-4-5\b", Traits("computer_20251124", adaptive=False)),
        (r"claude-(sonnet|haiku)-4-5\b", Traits("computer_20250124", adaptive=False)),
        (r"claude-(opus|sonnet)-4-6\b", Traits("computer_20251124")),
        (r"claude-opus-4-7\b", Traits("computer_20251124")),
        (r"claude-(opus|sonnet)-4(-0|-1)?(-20\d{6})?$", Traits("computer_20250124", adaptive=False)),
        (r"claude-3", Traits("computer_20250124", adaptive=False)),
    )
)


def traits_of(model: str) -> Traits:
    """Return the traits of a model by its name."""
    return next((traits for pattern, traits in _KNOWN if pattern.search(model)), Traits())
