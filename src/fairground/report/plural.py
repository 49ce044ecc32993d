"""Numbers with their nouns, for pages and terminals."""

from __future__ import annotations


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Format as `1 episode` or `1,234 episodes`. Give the plural if it is not the noun with an s."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
