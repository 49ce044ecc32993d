"""Deterministic samples that cover all values, the same on every machine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

A = TypeVar("A")
B = TypeVar("B")


def diagonal(ones: Sequence[A], others: Sequence[B]) -> Iterator[tuple[A, B]]:
    """Yield every pair, in an order in which any prefix is spread over both sequences."""
    if len(ones) < len(others):
        yield from ((one, other) for other, one in diagonal(others, ones))
        return
    for shift in range(len(others)):
        for place, one in enumerate(ones):
            yield one, others[(place + shift) % len(others)]


def covering(scenarios: int, themes: Sequence[A], ui_states: Sequence[B], least: int) -> list[list[tuple[A, B]]]:
    """Return for each scenario at least `least` pairs of theme and UI state, so that together they cover every pair."""
    pairs = list(diagonal(themes, ui_states))
    each = max(min(least, len(pairs)), -(-len(pairs) // max(scenarios, 1)))
    return [[pairs[(number * each + place) % len(pairs)] for place in range(each)] for number in range(scenarios)]
