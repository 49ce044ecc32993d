"""Plots on the leaderboard page."""

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

_FAR = 200.0  # distance from the mean, in rating points, at which a cell has full colour
_MOST = 60
"""Maximum number of rows in a plot. Tables show all rows."""


def ratings_figure(ranking: Ranking) -> Figure:
    """Plot ratings with intervals, best first."""
    rows = []
    for place, agent in enumerate(ranking.agents[:_MOST]):
        note = f"{agent.rating.estimate:.0f} [{agent.rating.low:.0f}, {agent.rating.high:.0f}]"
        tooltip = f"{agent.agent}: {note}, rank {agent.rank}, {counted(agent.votes, 'vote')}"
        rows.append(Row(agent.agent, agent.rating, look_of(place), note=note, said=tooltip))
    return figure(
        "ratings",
        "Ratings with intervals",
        "; ".join(row.said for row in rows[:20]),
        lambda width: forest(rows, width=width, write=lambda value: f"{value:,.0f}", axis="Rating, Elo scale"),
    )


def judged_figure(agents: Sequence[str], correct: Shares, verified: Shares) -> Figure:
    """Plot how often people judged each agent correct, and below in grey how often the verifier passed it."""
    rows = []
    for place, name in enumerate(agents[:_MOST]):
        if name not in correct:
            continue
        own, verifier = correct[name].interval, verified.get(name)
        checked = f"; verifier {rate_range(verifier.interval)} of {verifier.number:,}" if verifier else ""
        tooltip = f"{name}: people {rate_range(own)} percent of {correct[name].number:,}{checked}"
        ghost = verifier.interval if verifier else None
        rows.append(Row(name, own, look_of(place), note=rate_range(own), said=tooltip, ghost=ghost))
    return figure(
        "judged",
        "Judged correct, and verified",
        "; ".join(row.said for row in rows[:20]),
        lambda width: forest(
            rows, width=width, write=percent, axis="Percent correct; grey: verifier", floor=0.0, ceiling=1.0
        ),
    )


def predicted_spans(ranking: Ranking) -> dict[tuple[str, str], Interval]:
    """Return the predicted win rate of each pair, with its interval over the resamples."""
    tails = [(1 - ranking.level) / 2, (1 + ranking.level) / 2]
    spans = {}
    for row, name in enumerate(ranking.names):
        chance = expit(ranking.drawn[row] - ranking.drawn)
        low, high = np.quantile(chance, tails, axis=1)
        middle = expit(ranking.strengths[row] - ranking.strengths)
        for column, against in enumerate(ranking.names):
            if row != column:
                value = float(middle[column])
                ends = min(float(low[column]), value), max(float(high[column]), value)
                spans[name, against] = Interval(value, *ends, ranking.level, "resampled ratings")
    return spans


def group_figure(
    name: str,
    title: str,
    agents: Sequence[str],
    groups: Sequence[str],
    spans: Mapping[tuple[str, str], Interval],
) -> Figure:
    """Plot ratings of agents (rows) in each group (columns), coloured by distance from the mean."""
    shown = agents[:_MOST]
    cells: list[list[Cell | None]] = []
    for agent in shown:
        line: list[Cell | None] = []
        for group in groups:
            span = spans.get((agent, group))
            if span is None:
                line.append(None)
                continue
            gap = (span.estimate - 1000) / _FAR
            tooltip = f"{agent}, {group}: {span.estimate:.0f} [{span.low:.0f}, {span.high:.0f}]"
            clear = not span.low <= 1000 <= span.high
            line.append(Cell(max(-1.0, min(1.0, gap)), f"{span.estimate:.0f}", tooltip, clear))
        cells.append(line)
    return figure(
        name,
        title,
        f"Matrix of ratings of {len(shown)} agents in {len(groups)} groups of tasks. Bold: the interval excludes "
        "the mean of 1000.",
        lambda width: matrix(shown, list(groups), cells, width=width),
    )


def general_figure(agents: Sequence[str], spans: Mapping[str, Interval]) -> Figure:
    """Plot GenScores with intervals."""
    rows = []
    for place, name in enumerate(agents[:_MOST]):
        span = spans[name]
        note = f"{span.estimate:.2f} [{span.low:.2f}, {span.high:.2f}]"
        rows.append(Row(name, span, look_of(place), note=note, said=f"{name}: {note}"))
    return figure(
        "general",
        "GenScore with intervals",
        "; ".join(row.said for row in rows[:20]),
        lambda width: forest(
            rows, width=width, write=lambda value: f"{value:.1f}", axis="GenScore", floor=0.0, ceiling=1.0
        ),
    )


def style_figure(styles: Sequence[Style]) -> Figure:
    """Plot how often sides with a certain behaviour were preferred."""
    kinds = list(dict.fromkeys(style.what for style in styles))
    rows = []
    for style in styles:
        note = rate_range(style.wins)
        label = f"{style.what}: {style.how}"
        rows.append(
            Row(
                label,
                style.wins,
                look_of(kinds.index(style.what)),
                note=note,
                said=f"{label}: {note} of {style.votes:,} sides",
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
