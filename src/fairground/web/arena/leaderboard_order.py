"""Tests of the leaderboard's order, for people: a sentence per test, and pairs of agents as a table."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from fairground.arena import OrderTests
from fairground.report.html import Child, Html, tag
from fairground.report.statistics_words import chance, counted, rate, who
from fairground.stats import PairTest
from fairground.web.shell import table

_MOST: Final = 15  # agents; with more, a table of every pair is too long to read
_HEADS: Final = ("Better than", "Gap", "p", "d", "Votes")


def order_sentences(tests: OrderTests, level: float) -> list[Child]:
    """What the permutation test and the tests of pairs say."""
    shuffled, spread = tests.permutation, tests.permutation.null_spread
    p = chance(shuffled.p_value)
    apart = sum(pair.p_holm <= 1 - level for pair in tests.pairs)
    return [
        (
            tag("strong", "Agents differ: " if shuffled.p_value <= 1 - level else "All agents may be equally good: "),
            f"their ratings have a standard deviation of {shuffled.spread:.0f} points, shuffled votes give "
            f"{spread.estimate:.0f} [{spread.low:.0f}, {spread.high:.0f}]. Permutation test, "
            f"p {p if p.startswith('<') else f'= {p}'}, {shuffled.shuffles:,} shuffles, {shuffled.clustered}.",
        ),
        (
            tag("strong", f"{apart} of {counted(len(tests.pairs), 'pair')} can be told apart"),
            f" at {1 - level:.0%} after Holm's correction.",
        ),
    ]


def pair_tables(tests: OrderTests, order: Sequence[str]) -> Html:
    """Neighbours of the ranking, and behind them every pair."""
    found = {frozenset((pair.better, pair.worse)): pair for pair in tests.pairs}
    near = [found[frozenset(two)] for two in pairwise(order)]
    rows = [_row(pair) for pair in near]
    parts: list[Child] = [table(_HEADS, rows, label="Neighbours in the ranking, compared", class_="tight")]
    if len(order) > _MOST:
        parts.append(tag("p", f"All {len(tests.pairs):,} pairs are in the API.", class_="small muted"))
    elif len(order) > 2:
        every = table(_HEADS, [_row(pair) for pair in tests.pairs], label="Every pair, compared", class_="tight")
        parts.append(tag("details", tag("summary", f"All {len(tests.pairs)} pairs"), every))
    return tag("div", tag("h3", "Neighbours in the ranking"), parts)


def noise_table(tests: OrderTests) -> Html | None:
    """What is left of the order when votes are turned around."""
    if not tests.noise:
        return None
    rows = [
        (
            f"{one.share:.0%}",
            tag("span", f"{one.tau.estimate:.2f} ", tag("small", f"[{one.tau.low:.2f}, {one.tau.high:.2f}]")),
            rate(one.same_best),
        )
        for one in tests.noise
    ]
    heads = ("Turned around", "Kendall's tau", "Same best")
    return tag("div", tag("h3", "If votes are noisy"), table(heads, rows, label="Sensitivity to noise", class_="tight"))


def _row(pair: PairTest) -> tuple[Child, ...]:
    return (
        tag("span", who(pair.better), " > ", who(pair.worse), class_="pair"),
        tag("span", f"{pair.gap.estimate:.0f} ", tag("small", f"[{pair.gap.low:.0f}, {pair.gap.high:.0f}]")),
        chance(pair.p_holm),
        "" if pair.d is None else f"{round(pair.d, 2) + 0.0:.2f}",  # which is never -0.00
        f"{pair.votes:,}",
    )
