"""Ways through the app that several oracles take."""

from __future__ import annotations

from collections.abc import Sequence

from fairground.worlds import Move, Tap, World


def to_the_list(world: World) -> Sequence[Move]:
    """From where a UI state starts to the list of notes."""
    return [Tap("Back")] if "open" in world.ui_state else []
