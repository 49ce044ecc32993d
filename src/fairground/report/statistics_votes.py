"""The section of votes: ratings with intervals, and how often each agent beats each other one."""

from __future__ import annotations

from collections.abc import Sequence

from fairground.report.data_table import Rows, Value, behind, table
from fairground.report.html import tag
from fairground.report.plots import Cell, Figure, Row, figure, forest, look_of, matrix
from fairground.report.statistics_sections import Exhibit, Section
from fairground.report.statistics_words import counted, rate, rate_range
from fairground.stats.votes.ranking import Ranking
from fairground.stats.votes.win_rates import WinRates, predicted_win_rates


def votes(ranking: Ranking, observed: WinRates | None) -> Section:
    """Ratings from votes, and win rates as the ratings predict them and, if given, as they were."""
    exhibits = [_ratings(ranking)]
    if len(ranking.agents) > 1:
        order = [agent.agent for agent in ranking.agents]
        exhibits.append(
            Exhibit(
                win_rate_figure("win-rates-predicted", "Win rates by the ratings", predicted_win_rates(ranking), order),
                tag("p", "How often the agent of the row would beat the agent of the column, in percent, if ratings "
                    "were all there is to know; ties count half."),
                "That these are observations: pairs that never met have a number too.",
            )
        )  # fmt: skip
        if observed is not None:
            exhibits.append(
                Exhibit(
                    win_rate_figure("win-rates-observed", "Win rates in the votes", observed, order),
                    tag("p", "The same as counted in the votes; empty where two agents never met. Where it differs "
                        "much from the prediction, one number per agent does not tell the whole story."),
                    "That a rate from a handful of votes is a fact about the two agents: point at a cell to see how "
                    "many votes it rests on.",
                )
            )  # fmt: skip
    notes = tag("ul", [tag("li", note) for note in ranking.notes], class_="notes") if ranking.notes else None
    return Section("votes", "What people preferred", tuple(exhibits), intro=notes)


def _ratings(ranking: Ranking) -> Exhibit:
    rows = []
    for place, agent in enumerate(ranking.agents):
        note = f"{agent.rating.estimate:.0f} [{agent.rating.low:.0f}, {agent.rating.high:.0f}]"
        said = f"{agent.agent}: {note}, rank {agent.rank}, {counted(agent.votes, 'vote')}"
        rows.append(Row(agent.agent, agent.rating, look_of(place), note=note, said=said))
    drawn = figure(
        "ratings",
        "Ratings with intervals",
        "; ".join(row.said for row in rows[:20]),
        lambda width: forest(rows, width=width, write=lambda value: f"{value:,.0f}", axis="Rating, Elo scale"),
    )
    heads = ("Agent", "Rank", "Ranks", "Rating", "Interval", "Votes", "Won", "Lost", "Tied", "Both bad", "Win rate, %")
    numbers: Rows = [
        [
            agent.agent, Value(str(agent.rank), agent.rank), Value(_span(agent.ranks), agent.ranks[0]),
            Value(f"{agent.rating.estimate:.0f}", agent.rating.estimate),
            Value(f"[{agent.rating.low:.0f}, {agent.rating.high:.0f}]", agent.rating.width),
            *(Value(f"{count:,}", count)
              for count in (agent.votes, agent.wins, agent.losses, agent.ties, agent.both_bad)),
            Value(rate_range(agent.win_rate), agent.win_rate.estimate),
        ]
        for agent in ranking.agents
    ]  # fmt: skip
    return Exhibit(
        drawn,
        (
            tag("p", f"Bradley-Terry ratings from {counted(ranking.votes, 'vote')} on the Elo scale: 100 points more "
                "mean to win 64% of decided votes. Ties count half; votes for neither count as ties."),
            tag("p", f"Intervals by {ranking.method}, {ranking.clustered}. Agents are ranked by the lower ends of "
                "their intervals."),
        ),
        "That a rating holds for other tasks, other voters or other agents: it is relative to those who took part. "
        "That overlapping intervals mean a tie: ratings depend on each other.",
        behind("Numbers", table("ratings-numbers", heads, numbers)),
    )  # fmt: skip


def _span(ranks: tuple[int, int]) -> str:
    return str(ranks[0]) if ranks[0] == ranks[1] else f"{ranks[0]} to {ranks[1]}"


def win_rate_figure(name: str, title: str, found: WinRates, order: Sequence[str]) -> Figure:
    """How often the agent of the row beats the agent of the column; all agents of `order` are among those found."""
    place = {agent: index for index, agent in enumerate(found.agents)}
    cells: list[list[Cell | None]] = []
    for row in order:
        line: list[Cell | None] = []
        for column in order:
            value = found.rates[place[row]][place[column]] if row != column else None
            if value is None:
                line.append(None)
                continue
            count = counted(found.votes[place[row]][place[column]], "vote") if found.votes else "by the ratings"
            said = f"{row} against {column}: {rate(value)}, {count}"
            line.append(Cell((value - 0.5) * 2, f"{value * 100:.0f}", said))
        cells.append(line)
    return figure(
        name,
        title,
        f"A matrix of {len(order)} agents: how often the agent of the row beats the agent of the column, in percent.",
        lambda width: matrix(order, order, cells, width=width, corner="Row beats column, percent"),
    )
