"""What differs between Anthropic's models: their computer tool, how they think, what they see.

Data, to be completed as models come. A model that is not here is taken for a new one.
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
"""Lets a conversation go on whose beginning was edited, without the thinking that was bound to it."""


@dataclass(frozen=True)
class Traits:
    """What a model takes.

    Attributes:
        tool: The newest computer tool that it takes.
        adaptive: Whether it decides by itself how much to think.
        limits: The largest picture that it sees at full size.
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
    """The traits of a model by its name."""
    return next((traits for pattern, traits in _KNOWN if pattern.search(model)), Traits())
