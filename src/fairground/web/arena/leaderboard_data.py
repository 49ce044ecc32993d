"""The leaderboard as JSON: every number with its interval, without voters or battles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import Field

from fairground.arena import OrderTests
from fairground.core import Record
from fairground.stats import Agreement, CategoryRankings, Interval, Ranking, WinRates
from fairground.stats import Share as Counted
from fairground.web.arena.leaderboard_count import Count
from fairground.web.arena.leaderboard_figures import predicted_spans


class Trouble(Record):
    """Body of every error response."""

    error: str
    fix: str | None = None


class Span(Record):
    """A number with its interval, at the leaderboard's confidence level."""

    estimate: float
    low: float
    high: float


class Share(Span):
    """A rate, and the number of cases."""

    of: int


class Ranked(Record):
    """An agent on the leaderboard."""

    agent: str
    rank: int = Field(description="By the lower end of the rating's interval. Agents can share a rank.")
    ranks: tuple[int, int] = Field(description="Best and worst rank over the resamples, per agent.")
    sure_ranks: tuple[int, int] = Field(
        description="Ranks that are compatible with the tests of all pairs, simultaneously."
    )
    rating: Span
    votes: int
    wins: int
    losses: int
    ties: int = Field(description='Votes without a winner, including "both are bad".')
    both_bad: int
    win_rate: Span
    best: float = Field(description="Share of the resamples in which it has the highest rating.")
    correct: Share | None = Field(description="How often people judged it correct.")
    verified: Share | None = Field(description="How often the verifier passed it.")
    general: Span | None = Field(description="GenScore over `general_categories`.")
    retired: str | None = Field(description="Why it was retired; null while it is active.")


class Rates(Record):
    """How often the agent in each row beats the agent in each column; null if they never met."""

    agents: tuple[str, ...]
    rates: tuple[tuple[Span | None, ...], ...]
    votes: tuple[tuple[int, ...], ...] = Field(description="Number of votes behind each rate; empty for predictions.")


class Pair(Record):
    """Comparison of two agents."""

    better: str
    worse: str
    gap: Span = Field(description="In rating points.")
    p: float = Field(description="Two-sided.")
    p_holm: float = Field(description="Holm-corrected over all pairs.")
    d: float | None = Field(description="Cohen's d of the votes between the two; null if they never met.")
    votes: int = Field(description="Number of votes between the two.")


class Noise(Record):
    """Stability of the order when a random share of the votes is reversed."""

    share: float
    tau: Span = Field(description="Kendall's tau between the original and the new order.")
    same_best: float = Field(description="How often the best agent stays the best.")


class Order(Record):
    """Tests of whether the order is due to chance."""

    p: float = Field(description="Of the permutation test. Null hypothesis: all agents are equally good.")
    shuffles: int
    spread: float = Field(description="Standard deviation of the ratings, in points.")
    chance_spread: Span = Field(description="Standard deviation for shuffled votes.")
    pairs: tuple[Pair, ...]
    noise: tuple[Noise, ...]


class Behaviour(Record):
    """How often sides with a certain behaviour were preferred."""

    what: str
    how: str
    wins: Share


class Group(Record):
    """A category or platform."""

    name: str
    votes: int
    ratings: dict[str, Span]
    refused: str = Field(description="Why it cannot be ranked; empty if it is.")


class Alpha(Record):
    """Krippendorff's alpha, or why there is none."""

    alpha: Span | None
    scale: str = Field(description="nominal, or ordinal for ordered answers")
    units: int
    missing: str


class Leaderboard(Record):
    """Everything on the leaderboard page."""

    kind: Literal["", "category", "platform"]
    name: str
    votes: int
    fresh: bool = Field(description="Whether the newest votes are included. If not, they are being counted.")
    counted: float = Field(description="Seconds since 1970.")
    waiting: int = Field(description="Votes that do not count yet because their battles can still be judged.")
    left_out: dict[str, int] = Field(description="Votes that do not count, by reason. A vote can have several reasons.")
    why: str = Field(description="Why there is no ranking; empty if there is one.")
    level: float
    method: str
    clusters: dict[str, int] = Field(
        description="Number of tasks and of voters used as clusters; empty without clustering."
    )
    notes: tuple[str, ...]
    agents: tuple[Ranked, ...]
    order: Order | None = Field(description="Tests of the order; null without a ranking.")
    unranked: dict[str, int] = Field(description="Agents with too few votes for a rating, and their number of votes.")
    agreed: Share | None = Field(description="How often people and the verifier agree about a side.")
    observed: Rates | None
    predicted: Rates | None
    categories: tuple[Group, ...]
    platforms: tuple[Group, ...]
    general_categories: tuple[str, ...] = Field(description="Categories shared by all agents with a GenScore.")
    styles: tuple[Behaviour, ...]
    agreement: dict[str, Alpha]


def leaderboard(count: Count, fresh: bool) -> Leaderboard:
    """Convert a count to its JSON model."""
    standings, ranking = count.standings, count.standings.ranking
    return Leaderboard(
        kind=count.view.kind,  # type: ignore[arg-type]  # checked by the address
        name=count.view.name,
        votes=standings.votes,
        fresh=fresh,
        counted=count.at,
        waiting=count.waiting,
        left_out=dict(standings.left_out),
        why=standings.why,
        level=ranking.level if ranking is not None else 0.95,
        method=ranking.method if ranking is not None else "",
        clusters=dict(ranking.clusters) if ranking is not None else {},
        notes=ranking.notes if ranking is not None else (),
        agents=_agents(count, ranking) if ranking is not None else (),
        order=_order(standings.tests) if standings.tests is not None else None,
        unranked=dict(standings.unranked),
        agreed=_share(standings.agreed),
        observed=_rates(standings.observed, standings.observed.intervals) if standings.observed is not None else None,
        predicted=_rates(standings.predicted, _predicted(ranking)) if standings.predicted and ranking else None,
        categories=_groups(standings.categories, count.categories),
        platforms=_groups(standings.platforms, count.platforms),
        general_categories=standings.general_categories,
        styles=tuple(
            Behaviour(what=style.what, how=style.how, wins=Share(**_ends(style.wins), of=style.votes))
            for style in standings.styles
        ),
        agreement={name: _alpha(alpha) for name, alpha in count.agreement.items()},
    )


def _agents(count: Count, ranking: Ranking) -> tuple[Ranked, ...]:
    pairs = []
    for agent in ranking.agents:
        general = count.standings.general.get(agent.agent)
        pairs.append(
            Ranked(
                agent=agent.agent,
                rank=agent.rank,
                ranks=agent.ranks,
                sure_ranks=agent.sure_ranks,
                rating=_span(agent.rating),
                votes=agent.votes,
                wins=agent.wins,
                losses=agent.losses,
                ties=agent.ties,
                both_bad=agent.both_bad,
                win_rate=_span(agent.win_rate),
                best=agent.best,
                correct=_share(count.standings.correct.get(agent.agent)),
                verified=_share(count.standings.verified.get(agent.agent)),
                general=_span(general.interval) if general is not None and general.interval else None,
                retired=count.retired.get(agent.agent),
            )
        )
    return tuple(pairs)


def _order(tests: OrderTests) -> Order:
    shuffled = tests.permutation
    return Order(
        p=shuffled.p_value,
        shuffles=shuffled.shuffles,
        spread=shuffled.spread,
        chance_spread=_span(shuffled.null_spread),
        pairs=tuple(
            Pair(
                better=pair.better,
                worse=pair.worse,
                gap=_span(pair.gap),
                p=pair.p_value,
                p_holm=pair.p_holm,
                d=pair.d,
                votes=pair.votes,
            )
            for pair in tests.pairs
        ),
        noise=tuple(Noise(share=noise.share, tau=_span(noise.tau), same_best=noise.same_best) for noise in tests.noise),
    )


def _ends(interval: Interval) -> dict[str, float]:
    return {"estimate": interval.estimate, "low": interval.low, "high": interval.high}


def _span(interval: Interval) -> Span:
    return Span(**_ends(interval))


def _share(share: Counted | None) -> Share | None:
    return Share(**_ends(share.interval), of=share.number) if share is not None else None


def _rates(found: WinRates, spans: Sequence[Sequence[Interval | None]]) -> Rates:
    rates = tuple(tuple(None if rate is None else _span(rate) for rate in row) for row in spans)
    return Rates(agents=found.agents, rates=rates, votes=found.votes)


def _predicted(ranking: Ranking) -> list[list[Interval | None]]:
    spans = predicted_spans(ranking)
    return [[spans.get((name, opponent)) for opponent in ranking.names] for name in ranking.names]


def _groups(rankings: CategoryRankings | None, numbers: Mapping[str, int]) -> tuple[Group, ...]:
    ranked = rankings.rankings if rankings is not None else {}
    refused = rankings.refused if rankings is not None else {}
    return tuple(
        Group(
            name=name,
            votes=number,
            ratings={agent.agent: _span(agent.rating) for agent in ranked[name].agents} if name in ranked else {},
            refused=refused.get(name, ""),
        )
        for name, number in numbers.items()
    )


def _alpha(alpha: Agreement | str) -> Alpha:
    if isinstance(alpha, str):
        return Alpha(alpha=None, scale="", units=0, missing=alpha)
    return Alpha(alpha=_span(alpha.alpha), scale=alpha.scale, units=alpha.units, missing="")
