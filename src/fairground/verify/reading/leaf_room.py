"""How long the paths of leaves may be together.

A path repeats the names of everything above it, so one long name above many things would take more memory than any
limit on the file itself allows.
"""

from __future__ import annotations

from fairground.core import StateError

MAX_CHARACTERS = 64 << 20


class LeafRoom:
    """Counts the characters of paths, and says when there are too many."""

    def __init__(self, what: str, characters: int = MAX_CHARACTERS) -> None:
        self._what = what
        self._left = characters

    def take(self, path: str) -> str:
        """The path itself; raises `StateError` when there is no room for it."""
        self._left -= len(path)
        if self._left < 0:
            raise StateError(f"{self._what}: names that are too long for what they hold")
        return path
