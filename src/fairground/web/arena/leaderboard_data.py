"""The leaderboard as programs get it: every number with its interval, nothing of who voted or on which battle."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from fairground.core import Record
from fairground.stats import Agreement, CategoryRankings, Interval, Ranking, WinRates
from fairground.web.arena.leaderboard_count import Count


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
    general: Span | None = Field(description="GenScore over categories.")
    retired: str | None = Field(description="Why it is drawn no more; null while it is.")


class Rates(Record):
    """How often the agent of each row beats that of each column; null where they never met."""

    agents: tuple[str, ...]
    rates: tuple[tuple[float | None, ...], ...]
    votes: tuple[tuple[int, ...], ...]


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
    unranked: dict[str, int] = Field(description="Agents with too few votes to be ranked, and how many they have.")
    agreed: Share | None = Field(description="How often people and verifier say the same of a side.")
    observed: Rates | None
    predicted: Rates | None
    categories: tuple[Group, ...]
    platforms: tuple[Group, ...]
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
        unranked=dict(found.unranked),
        agreed=_share(found.agreed),
        observed=_rates(found.observed),
        predicted=_rates(found.predicted),
        categories=_groups(found.categories, count.categories),
        platforms=_groups(found.platforms, count.platforms),
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
                rating=Span(**_ends(one.rating)),
                votes=one.votes,
                wins=one.wins,
                losses=one.losses,
                ties=one.ties,
                both_bad=one.both_bad,
                win_rate=Span(**_ends(one.win_rate)),
                best=one.best,
                correct=_share(count.standings.correct.get(one.agent)),
                verified=_share(count.standings.verified.get(one.agent)),
                general=Span(**_ends(general.interval)) if general is not None and general.interval else None,
                retired=count.retired.get(one.agent),
            )
        )
    return tuple(found)


def _ends(found: Interval) -> dict[str, float]:
    return {"estimate": found.estimate, "low": found.low, "high": found.high}


def _share(found: tuple[Interval, int] | None) -> Share | None:
    return Share(**_ends(found[0]), of=found[1]) if found is not None else None


def _rates(found: WinRates | None) -> Rates | None:
    return Rates(agents=found.agents, rates=found.rates, votes=found.votes) if found is not None else None


def _groups(found: CategoryRankings | None, numbers: Mapping[str, int]) -> tuple[Group, ...]:
    ranked = found.rankings if found is not None else {}
    refused = found.refused if found is not None else {}
    return tuple(
        Group(
            name=name,
            votes=number,
            ratings={one.agent: Span(**_ends(one.rating)) for one in ranked[name].agents} if name in ranked else {},
            refused=refused.get(name, ""),
        )
        for name, number in numbers.items()
    )


def _alpha(found: Agreement | str) -> Alpha:
    if isinstance(found, str):
        return Alpha(alpha=None, units=0, missing=found)
    return Alpha(alpha=Span(**_ends(found.alpha)), units=found.units, missing="")
