"""Fairground: real software as worlds for computer-use agents, proven sound and judged with correct statistics.

`fairground.make(id)` opens a Gymnasium environment over a seat; the rooms below hold everything else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from fairground.env import make as make

__all__ = ["__version__", "make"]


def __getattr__(name: str) -> Any:
    # Looked up late, so that `import fairground.core` stays light and imports go down only.
    if name == "make":
        from fairground.env import make

        return make
    raise AttributeError(f"module 'fairground' has no attribute {name!r}")
