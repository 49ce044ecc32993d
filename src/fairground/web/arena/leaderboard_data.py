"""The leaderboard as programs get it: every number with its interval, nothing of who voted or on which battle."""

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
    """What every refusal says."""

    error: str
    fix: str | None = None


class Span(Record):
    """A number with its interval at the level of the leaderboard."""

    estimate: float
    low: float
    high: float


class Share(Span):
    """How often, and of how many."""

    of: int


class Ranked(Record):
    """One agent."""

    agent: str
    rank: int = Field(description="By the lower end of the rating's interval; agents may share one.")
    ranks: tuple[int, int] = Field(description="Best and worst rank over the resamples, each agent by itself.")
    sure_ranks: tuple[int, int] = Field(description="Ranks that tests of all pairs leave possible, all at once.")
    rating: Span
    votes: int
    wins: int
    losses: int
    ties: int = Field(description="Votes for neither, those that found both bad among them.")
    both_bad: int
    win_rate: Span
    best: float = Field(description="Share of the resamples in which it has the highest rating.")
    correct: Share | None = Field(description="How often people judged it correct.")
    verified: Share | None = Field(description="How often the verifier passed it.")
    general: Span | None = Field(description="GenScore over `general_categories`.")
    retired: str | None = Field(description="Why it is drawn no more; null while it is.")


class Rates(Record):
    """How often the agent of each row beats that of each column; null where they never met."""

    agents: tuple[str, ...]
    rates: tuple[tuple[Span | None, ...], ...]
    votes: tuple[tuple[int, ...], ...] = Field(description="How many votes each rests on; empty for predictions.")


class Pair(Record):
    """Two agents compared."""

    better: str
    worse: str
    gap: Span = Field(description="In rating points.")
    p: float = Field(description="Two-sided.")
    p_holm: float = Field(description="The same with Holm's correction over all pairs.")
    d: float | None = Field(description="Cohen's d of the votes between the two; null where they never met.")
    votes: int = Field(description="Between the two.")


class Noise(Record):
    """What is left of the order when a share of the votes is turned around at random."""

    share: float
    tau: Span = Field(description="Kendall's tau with the order of the votes as they are.")
    same_best: float = Field(description="How often the best agent stays the best.")


class Order(Record):
    """Whether the order is more than chance."""

    p: float = Field(description="Of the permutation test: all agents are equally good.")
    shuffles: int
    spread: float = Field(description="Standard deviation of the ratings, in points.")
    chance_spread: Span = Field(description="The same of shuffled votes.")
    pairs: tuple[Pair, ...]
    noise: tuple[Noise, ...]


class Behaviour(Record):
    """How often sides that behaved in one way were preferred."""

    what: str
    how: str
    wins: Share


class Group(Record):
    """A category or platform."""

    name: str
    votes: int
    ratings: dict[str, Span]
    refused: str = Field(description="Why it cannot be ranked; empty when it is.")


class Alpha(Record):
    """Krippendorff's alpha, or why there is none."""

    alpha: Span | None
    scale: str = Field(description="nominal, or ordinal for answers that have an order")
    units: int
    missing: str


class Leaderboard(Record):
    """Everything that the page shows."""

    kind: Literal["", "category", "platform"]
    name: str
    votes: int
    fresh: bool = Field(description="Whether the newest votes are in it; if not, they are being counted.")
    counted: float = Field(description="Seconds since 1970.")
    waiting: int = Field(description="Votes that wait, because somebody may still judge their battles.")
    left_out: dict[str, int] = Field(description="Votes that do not count, by reason; one may have several.")
    why: str = Field(description="Why there is no ranking; empty when there is.")
    level: float
    method: str
    clusters: dict[str, int] = Field(description="How many tasks and voters votes were clustered by; empty for none.")
    notes: tuple[str, ...]
    agents: tuple[Ranked, ...]
    order: Order | None = Field(description="Whether the order is more than chance; null without a ranking.")
    unranked: dict[str, int] = Field(description="Agents with too few votes to be ranked, and how many they have.")
    agreed: Share | None = Field(description="How often people and verifier say the same of a side.")
    observed: Rates | None
    predicted: Rates | None
    categories: tuple[Group, ...]
    platforms: tuple[Group, ...]
    general_categories: tuple[str, ...] = Field(description="Categories that the agents with a GenScore share.")
    styles: tuple[Behaviour, ...]
    agreement: dict[str, Alpha]


def leaderboard(count: Count, fresh: bool) -> Leaderboard:
    """A count as data."""
    found, ranking = count.standings, count.standings.ranking
    return Leaderboard(
        kind=count.view.kind,  # type: ignore[arg-type]  # checked by the address
        name=count.view.name,
        votes=found.votes,
        fresh=fresh,
        counted=count.at,
        waiting=count.waiting,
        left_out=dict(found.left_out),
        why=found.why,
        level=ranking.level if ranking is not None else 0.95,
        method=ranking.method if ranking is not None else "",
        clusters=dict(ranking.clusters) if ranking is not None else {},
        notes=ranking.notes if ranking is not None else (),
        agents=_agents(count, ranking) if ranking is not None else (),
        order=_order(found.tests) if found.tests is not None else None,
        unranked=dict(found.unranked),
        agreed=_share(found.agreed),
        observed=_rates(found.observed, found.observed.intervals) if found.observed is not None else None,
        predicted=_rates(found.predicted, _predicted(ranking)) if found.predicted and ranking else None,
        categories=_groups(found.categories, count.categories),
        platforms=_groups(found.platforms, count.platforms),
        general_categories=found.general_categories,
        styles=tuple(
            Behaviour(what=one.what, how=one.how, wins=Share(**_ends(one.wins), of=one.votes)) for one in found.styles
        ),
        agreement={name: _alpha(one) for name, one in count.agreement.items()},
    )


def _agents(count: Count, ranking: Ranking) -> tuple[Ranked, ...]:
    found = []
    for one in ranking.agents:
        general = count.standings.general.get(one.agent)
        found.append(
            Ranked(
                agent=one.agent,
                rank=one.rank,
                ranks=one.ranks,
                sure_ranks=one.sure_ranks,
                rating=_span(one.rating),
                votes=one.votes,
                wins=one.wins,
                losses=one.losses,
                ties=one.ties,
                both_bad=one.both_bad,
                win_rate=_span(one.win_rate),
                best=one.best,
                correct=_share(count.standings.correct.get(one.agent)),
                verified=_share(count.standings.verified.get(one.agent)),
                general=_span(general.interval) if general is not None and general.interval else None,
                retired=count.retired.get(one.agent),
            )
        )
    return tuple(found)


def _order(found: OrderTests) -> Order:
    shuffled = found.permutation
    return Order(
        p=shuffled.p_value,
        shuffles=shuffled.shuffles,
        spread=shuffled.spread,
        chance_spread=_span(shuffled.null_spread),
        pairs=tuple(
            Pair(
                better=one.better,
                worse=one.worse,
                gap=_span(one.gap),
                p=one.p_value,
                p_holm=one.p_holm,
                d=one.d,
                votes=one.votes,
            )
            for one in found.pairs
        ),
        noise=tuple(Noise(share=one.share, tau=_span(one.tau), same_best=one.same_best) for one in found.noise),
    )


def _ends(found: Interval) -> dict[str, float]:
    return {"estimate": found.estimate, "low": found.low, "high": found.high}


def _span(found: Interval) -> Span:
    return Span(**_ends(found))


def _share(found: Counted | None) -> Share | None:
    return Share(**_ends(found.interval), of=found.number) if found is not None else None


def _rates(found: WinRates, spans: Sequence[Sequence[Interval | None]]) -> Rates:
    rates = tuple(tuple(None if one is None else _span(one) for one in row) for row in spans)
    return Rates(agents=found.agents, rates=rates, votes=found.votes)


def _predicted(ranking: Ranking) -> list[list[Interval | None]]:
    spans = predicted_spans(ranking)
    return [[spans.get((one, other)) for other in ranking.names] for one in ranking.names]


def _groups(found: CategoryRankings | None, numbers: Mapping[str, int]) -> tuple[Group, ...]:
    ranked = found.rankings if found is not None else {}
    refused = found.refused if found is not None else {}
    return tuple(
        Group(
            name=name,
            votes=number,
            ratings={one.agent: _span(one.rating) for one in ranked[name].agents} if name in ranked else {},
            refused=refused.get(name, ""),
        )
        for name, number in numbers.items()
    )


def _alpha(found: Agreement | str) -> Alpha:
    if isinstance(found, str):
        return Alpha(alpha=None, scale="", units=0, missing=found)
    return Alpha(alpha=_span(found.alpha), scale=found.scale, units=found.units, missing="")
