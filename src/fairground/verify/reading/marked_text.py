"""Text with marks that start and end in it: bookmarks, comments, tracked insertions."""

from __future__ import annotations

from bisect import bisect_right

from fairground.verify.reading.prose import Budget

MAX_MARKS = 5_000
MAX_MARKED = 5_000  # maximum characters of a marked range


class MarkedText:
    """Collects text, so that the text between two marks can be returned."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._parts: list[str] = []
        self._starts: list[int] = []
        self._length = 0
        self._open: dict[str, int] = {}
        self._marks = 0

    def say(self, text: str) -> None:
        """Add text at the end."""
        if text:
            self._budget.take("letters", len(text))
            self._parts.append(text)
            self._starts.append(self._length)
            self._length += len(text)

    def start(self, mark: str) -> None:
        """Open a mark here."""
        self._marks += 1
        if self._marks > MAX_MARKS:
            raise self._budget.fault(f"more than {MAX_MARKS} bookmarks, comments and changes")
        self._open[mark] = self._length

    def end(self, mark: str) -> str | None:
        """Close a mark and return the text since its start; None if it is not open."""
        if mark not in self._open:
            return None
        start = self._open.pop(mark)
        place = max(bisect_right(self._starts, start) - 1, 0)
        parts: list[str] = []
        collected = 0
        while place < len(self._parts) and collected < MAX_MARKED:
            part = self._parts[place][max(start - self._starts[place], 0) :]
            parts.append(part)
            collected += len(part)
            place += 1
        return "".join(parts)[:MAX_MARKED]
