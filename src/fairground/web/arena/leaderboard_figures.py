"""The figures of the leaderboard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.special import expit

from fairground.arena import Style
from fairground.report.plots import Cell, Figure, Row, figure, forest, look_of, matrix
from fairground.report.plots.scale import percent
from fairground.report.statistics_words import counted, rate_range
from fairground.stats import Interval, Ranking, Share

Shares = Mapping[str, Share]

_FAR = 200.0  # rating points from the mean at which a cell has its full colour
_MOST = 60
"""Rows of a figure; the table has all."""


def ratings_figure(ranking: Ranking) -> Figure:
    """Ratings with intervals, the best first."""
    rows = []
    for place, one in enumerate(ranking.agents[:_MOST]):
        note = f"{one.rating.estimate:.0f} [{one.rating.low:.0f}, {one.rating.high:.0f}]"
        said = f"{one.agent}: {note}, rank {one.rank}, {counted(one.votes, 'vote')}"
        rows.append(Row(one.agent, one.rating, look_of(place), note=note, said=said))
    return figure(
        "ratings",
        "Ratings with intervals",
        "; ".join(row.said for row in rows[:20]),
        lambda width: forest(rows, width=width, write=lambda value: f"{value:,.0f}", axis="Rating, Elo scale"),
    )


def judged_figure(agents: Sequence[str], correct: Shares, verified: Shares) -> Figure:
    """What people say of each agent, and below in grey what the verifier says."""
    rows = []
    for place, name in enumerate(agents[:_MOST]):
        if name not in correct:
            continue
        own, other = correct[name].interval, verified.get(name)
        checked = f"; verifier {rate_range(other.interval)} of {other.number:,}" if other else ""
        said = f"{name}: people {rate_range(own)} percent of {correct[name].number:,}{checked}"
        ghost = other.interval if other else None
        rows.append(Row(name, own, look_of(place), note=rate_range(own), said=said, ghost=ghost))
    return figure(
        "judged",
        "Judged correct, and verified",
        "; ".join(row.said for row in rows[:20]),
        lambda width: forest(
            rows, width=width, write=percent, axis="Percent correct; grey: verifier", floor=0.0, ceiling=1.0
        ),
    )


def predicted_spans(ranking: Ranking) -> dict[tuple[str, str], Interval]:
    """For each pair the win rate that the ratings predict, with its interval over the resamples."""
    tails = [(1 - ranking.level) / 2, (1 + ranking.level) / 2]
    found = {}
    for one, name in enumerate(ranking.names):
        chance = expit(ranking.drawn[one] - ranking.drawn)
        low, high = np.quantile(chance, tails, axis=1)
        middle = expit(ranking.strengths[one] - ranking.strengths)
        for other, against in enumerate(ranking.names):
            if one != other:
                value = float(middle[other])
                ends = min(float(low[other]), value), max(float(high[other]), value)
                found[name, against] = Interval(value, *ends, ranking.level, "resampled ratings")
    return found


def group_figure(
    name: str,
    title: str,
    agents: Sequence[str],
    groups: Sequence[str],
    spans: Mapping[tuple[str, str], Interval],
) -> Figure:
    """Ratings of agents (rows) in each group (columns), coloured by their distance from the mean."""
    shown = agents[:_MOST]
    cells: list[list[Cell | None]] = []
    for agent in shown:
        line: list[Cell | None] = []
        for group in groups:
            found = spans.get((agent, group))
            if found is None:
                line.append(None)
                continue
            gap = (found.estimate - 1000) / _FAR
            said = f"{agent}, {group}: {found.estimate:.0f} [{found.low:.0f}, {found.high:.0f}]"
            clear = not found.low <= 1000 <= found.high
            line.append(Cell(max(-1.0, min(1.0, gap)), f"{found.estimate:.0f}", said, clear))
        cells.append(line)
    return figure(
        name,
        title,
        f"A matrix of {len(shown)} agents and {len(groups)} groups of tasks with ratings; bold where the interval "
        "leaves out the mean of 1000.",
        lambda width: matrix(shown, list(groups), cells, width=width),
    )


def general_figure(agents: Sequence[str], spans: Mapping[str, Interval]) -> Figure:
    """GenScores with intervals."""
    rows = []
    for place, name in enumerate(agents[:_MOST]):
        found = spans[name]
        note = f"{found.estimate:.2f} [{found.low:.2f}, {found.high:.2f}]"
        rows.append(Row(name, found, look_of(place), note=note, said=f"{name}: {note}"))
    return figure(
        "general",
        "GenScore with intervals",
        "; ".join(row.said for row in rows[:20]),
        lambda width: forest(
            rows, width=width, write=lambda value: f"{value:.1f}", axis="GenScore", floor=0.0, ceiling=1.0
        ),
    )


def style_figure(styles: Sequence[Style]) -> Figure:
    """How often sides that behaved in some way were preferred."""
    kinds = list(dict.fromkeys(one.what for one in styles))
    rows = []
    for one in styles:
        note = rate_range(one.wins)
        label = f"{one.what}: {one.how}"
        rows.append(
            Row(
                label,
                one.wins,
                look_of(kinds.index(one.what)),
                note=note,
                said=f"{label}: {note} of {one.votes:,} sides",
            )
        )
    return figure(
        "styles",
        "Preference by behaviour",
        "; ".join(row.said for row in rows),
        lambda width: forest(
            rows,
            width=width,
            write=percent,
            axis="Preferred, percent",
            zero=0.5,
            floor=0.0,
            ceiling=1.0,
            apart=width < 400,
        ),
    )
