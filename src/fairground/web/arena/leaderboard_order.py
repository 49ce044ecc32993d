"""Tests of the leaderboard's order as text and tables: one sentence per test, one row per pair of agents."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from fairground.arena import OrderTests
from fairground.report.html import Child, Html, tag
from fairground.report.statistics_words import chance, counted, rate, who
from fairground.stats import PairTest
from fairground.web.shell import table

_MOST: Final = 15  # maximum number of agents for which all pairs are listed
_HEADS: Final = ("Better than", "Gap", "p", "d", "Votes")


def order_sentences(tests: OrderTests, level: float) -> list[Child]:
    """Describe the results of the permutation test and of the pairwise tests."""
    shuffled, spread = tests.permutation, tests.permutation.null_spread
    p = chance(shuffled.p_value)
    apart = sum(pair.p_holm <= 1 - level for pair in tests.pairs)
    return [
        (
            tag(
                "strong",
                "The agents differ: " if shuffled.p_value <= 1 - level else "The agents may all be equally good: ",
            ),
            f"the standard deviation of their ratings is {shuffled.spread:.0f} points; for shuffled votes it is "
            f"{spread.estimate:.0f} [{spread.low:.0f}, {spread.high:.0f}]. Permutation test, p "
            f"{p if p.startswith('<') else f'= {p}'}, {shuffled.shuffles:,} shuffles, {shuffled.clustered}.",
        ),
        (
            tag("strong", f"{apart} of {counted(len(tests.pairs), 'pair')} differ significantly"),
            f" at {1 - level:.0%} after Holm's correction.",
        ),
    ]


def pair_tables(tests: OrderTests, order: Sequence[str]) -> Html:
    """Render neighbours in the ranking, and all pairs in a fold-out table."""
    by_pair = {frozenset((pair.better, pair.worse)): pair for pair in tests.pairs}
    near = [by_pair[frozenset(two)] for two in pairwise(order)]
    rows = [_row(pair) for pair in near]
    parts: list[Child] = [table(_HEADS, rows, label="Neighbours in the ranking, compared", class_="tight")]
    if len(order) > _MOST:
        parts.append(tag("p", f"The API returns all {len(tests.pairs):,} pairs.", class_="small muted"))
    elif len(order) > 2:
        every = table(_HEADS, [_row(pair) for pair in tests.pairs], label="Every pair, compared", class_="tight")
        parts.append(tag("details", tag("summary", f"All {len(tests.pairs)} pairs"), every))
    return tag("div", tag("h3", "Neighbours in the ranking"), parts)


def noise_table(tests: OrderTests) -> Html | None:
    """Render how stable the order is when votes are reversed."""
    if not tests.noise:
        return None
    rows = [
        (
            f"{noise.share:.0%}",
            tag("span", f"{noise.tau.estimate:.2f} ", tag("small", f"[{noise.tau.low:.2f}, {noise.tau.high:.2f}]")),
            rate(noise.same_best),
        )
        for noise in tests.noise
    ]
    heads = ("Votes reversed", "Kendall's tau", "Best agent unchanged")
    return tag(
        "div", tag("h3", "Sensitivity to noisy votes"), table(heads, rows, label="Sensitivity to noise", class_="tight")
    )


def _row(pair: PairTest) -> tuple[Child, ...]:
    return (
        tag("span", who(pair.better), " > ", who(pair.worse), class_="pair"),
        tag("span", f"{pair.gap.estimate:.0f} ", tag("small", f"[{pair.gap.low:.0f}, {pair.gap.high:.0f}]")),
        chance(pair.p_holm),
        "" if pair.d is None else f"{round(pair.d, 2) + 0.0:.2f}",  # avoids -0.00
        f"{pair.votes:,}",
    )
