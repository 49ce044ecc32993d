"""Report section about votes: ratings with intervals, and win rates between agents."""

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
    """Ratings from votes, with win rates predicted by the ratings and, if given, observed ones."""
    exhibits = [_ratings(ranking)]
    if len(ranking.agents) > 1:
        order = [agent.agent for agent in ranking.agents]
        exhibits.append(
            Exhibit(
                win_rate_figure("win-rates-predicted", "Win rates predicted by the "
                                                       "ratings", predicted_win_rates(ranking), order),
                tag("p", "How often the agent in the row beats the agent in the column according to the ratings, in "
                         "percent. Ties count half."),
                "That these rates were observed: pairs that never met have a prediction too.",
            )
        )  # fmt: skip
        if observed is not None:
            exhibits.append(
                Exhibit(
                    win_rate_figure("win-rates-observed", "Observed win rates", observed, order),
                    tag("p", "The same rates as observed in the votes; empty if two agents never met. If they "
                             "differ strongly from the prediction, one number per agent is not enough to describe "
                             "the votes."),
                    "That a rate from a few votes is reliable: point at a cell to see the number of votes.",
                )
            )  # fmt: skip
    notes = tag("ul", [tag("li", note) for note in ranking.notes], class_="notes") if ranking.notes else None
    return Section("votes", "Votes", tuple(exhibits), intro=notes)


def _ratings(ranking: Ranking) -> Exhibit:
    rows = []
    for place, agent in enumerate(ranking.agents):
        note = f"{agent.rating.estimate:.0f} [{agent.rating.low:.0f}, {agent.rating.high:.0f}]"
        tooltip = f"{agent.agent}: {note}, rank {agent.rank}, {counted(agent.votes, 'vote')}"
        rows.append(Row(agent.agent, agent.rating, look_of(place), note=note, said=tooltip))
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
            tag("p", f"Bradley-Terry ratings from {counted(ranking.votes, 'vote')} on the Elo scale: a lead of 100 "
                     "points means winning 64% of decided votes. Ties and votes for neither count as half a win."),
            tag("p", f"Intervals by {ranking.method}, {ranking.clustered}. Agents are ranked by the lower ends of "
                     "their intervals."),
        ),
        "That a rating holds for other tasks, voters or agents: it is relative to those that took part. That "
        "overlapping intervals mean a tie: ratings depend on each other.",
        behind("Numbers", table("ratings-numbers", heads, numbers)),
    )  # fmt: skip


def _span(ranks: tuple[int, int]) -> str:
    return str(ranks[0]) if ranks[0] == ranks[1] else f"{ranks[0]} to {ranks[1]}"


def win_rate_figure(name: str, title: str, found: WinRates, order: Sequence[str]) -> Figure:
    """Plot how often the agent in the row beats the agent in the column. All agents in `order` must have rates."""
    place = {agent: index for index, agent in enumerate(found.agents)}
    cells: list[list[Cell | None]] = []
    for row in order:
        line: list[Cell | None] = []
        for column in order:
            value = found.rates[place[row]][place[column]] if row != column else None
            if value is None:
                line.append(None)
                continue
            count = counted(found.votes[place[row]][place[column]], "vote") if found.votes else "predicted"
            tooltip = f"{row} against {column}: {rate(value)}, {count}"
            line.append(Cell((value - 0.5) * 2, f"{value * 100:.0f}", tooltip))
        cells.append(line)
    return figure(
        name,
        title,
        f"Matrix of {len(order)} agents: how often the agent in the row beats the agent in the column, in percent.",
        lambda width: matrix(order, order, cells, width=width, corner="Row beats column, percent"),
    )
