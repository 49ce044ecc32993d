"""A limit on the total length of leaf paths.

A path repeats the names of all its ancestors, so one long name above many leaves would use more memory than any limit
on the file itself allows.
"""

from __future__ import annotations

from fairground.core import StateError

MAX_CHARACTERS = 64 << 20


class LeafRoom:
    """Counts the characters of paths, up to a limit."""

    def __init__(self, what: str, characters: int = MAX_CHARACTERS) -> None:
        self._what = what
        self._left = characters

    def take(self, path: str) -> str:
        """Return the path itself.

        Raises:
            StateError: The limit is exceeded.
        """
        self._left -= len(path)
        if self._left < 0:
            raise StateError(f"{self._what}: names that are too long for what they hold")
        return path
