"""Routes through the app that several oracles share."""

from __future__ import annotations

from collections.abc import Sequence

from fairground.worlds import Move, Tap, World


def to_the_list(world: World) -> Sequence[Move]:
    """From the start of a UI state to the list of notes."""
    return [Tap("Back")] if "open" in world.ui_state else []
