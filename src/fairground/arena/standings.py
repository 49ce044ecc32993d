"""The leaderboard: ratings with intervals, correctness, head to head, by category, and what people prefer."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from fairground.arena.tables import Row, counted
from fairground.core import InvalidInput
from fairground.stats import (
    Agreement,
    CategoryRankings,
    GenScore,
    Interval,
    Ranking,
    WinRates,
    genscore_from_counts,
    krippendorff_alpha,
    observed_win_rates,
    predicted_win_rates,
    rank,
    rank_by_category,
    wilson,
)

SEED = 20260101
FEWEST = 10
"""Votes that an agent needs to be ranked. With fewer, drawing votes again shows far too little of what may be: of a
single vote, nothing at all."""
_TOO_FEW = f"too few votes: an agent is ranked from {FEWEST} votes on, because intervals of fewer would be too narrow"
_ALL_ALIKE = "every vote is for the same agent, so that drawing votes again does not show how sure its rating is"
_RESAMPLES = 1_000
_ASKED = ("0", "1 or 2", "3 and more")
_REPEATED = ("under 10%", "10 to 30%", "over 30%")


@dataclass(frozen=True)
class Style:
    """How often agents that behaved in one way were preferred.

    Attributes:
        what: What was done, such as how often the person was asked.
        how: How much of it.
        wins: Share of votes for such a side, ties as half.
        votes: On how many sides it rests.
    """

    what: str
    how: str
    wins: Interval
    votes: int


@dataclass(frozen=True)
class Standings:
    """Everything that a leaderboard shows.

    Attributes:
        ranking: Ratings and ranks of agents with enough votes; None while there are none, with the reason in `why`.
        unranked: Agents with too few votes to be ranked, and how many they have.
        correct: For each agent how often it was judged correct, and of how many.
        verified: For each agent how often the verifier passed it, and of how many.
        agreed: How often people and verifier say the same of a side: correct or not.
        observed: Win rates as voted.
        predicted: Win rates as the ratings predict.
        categories: Rankings by category.
        platforms: Rankings by platform.
        general: Is an agent good in every category alike.
        styles: Ways to behave, against preference.
        votes: How many count.
        left_out: How many do not, by reason.
    """

    ranking: Ranking | None
    why: str
    unranked: dict[str, int]
    correct: dict[str, tuple[Interval, int]]
    verified: dict[str, tuple[Interval, int]]
    agreed: tuple[Interval, int] | None
    observed: WinRates | None
    predicted: WinRates | None
    categories: CategoryRankings | None
    platforms: CategoryRankings | None
    general: dict[str, GenScore]
    styles: tuple[Style, ...]
    votes: int
    left_out: dict[str, int]


def standings(rows: Sequence[Row], *, seed: int = SEED, resamples: int = _RESAMPLES, grouped: bool = True) -> Standings:
    """The leaderboard of these votes; the same votes give the same one.

    Args:
        rows: The votes; flagged ones are only counted as such.
        seed: Of the resampling.
        resamples: How often votes are drawn again for intervals.
        grouped: Whether categories and platforms are ranked each by itself too, which costs a ranking each.
    """
    rng = np.random.default_rng(seed)
    good = [row for row in rows if row.counts]
    left_out: dict[str, int] = defaultdict(int)
    for row in rows:
        for why in row.flagged:
            left_out[why] += 1
    ranking, why = _ranking(good, rng, resamples)
    table = counted(good)
    ranked = {one.agent for one in ranking.agents} if ranking is not None else set()
    return Standings(
        ranking=ranking,
        why=why,
        unranked={agent: number for agent, number in sorted(_numbers(good).items()) if agent not in ranked},
        correct=_shares(_judged(good)),
        verified=_shares(_verified(good)),
        agreed=_agreed(good),
        observed=observed_win_rates(table) if table is not None else None,
        predicted=predicted_win_rates(ranking) if ranking is not None else None,
        categories=_by(good, lambda row: row.category, rng, resamples) if grouped else None,
        platforms=_by(good, lambda row: row.platform, rng, resamples) if grouped else None,
        general=_general(good, rng),
        styles=(*_styles(good),),
        votes=len(good),
        left_out=dict(left_out),
    )


def well_known(rows: Sequence[Row]) -> list[Row]:
    """The votes that count between agents of which each has at least `FEWEST` of them."""
    kept = [row for row in rows if row.counts]
    while kept:
        numbers = _numbers(kept)
        left = [row for row in kept if min(numbers[row.a], numbers[row.b]) >= FEWEST]
        if len(left) == len(kept):
            break
        kept = left
    return kept


def agreement(rows: Sequence[Row], *, seed: int = SEED) -> dict[str, Agreement | str]:
    """How far people agree who judged the same battles: Krippendorff's alpha for each thing that they say.

    A text says why there is none.
    """
    asked: dict[str, Callable[[Row], dict[str, object]]] = {
        "preference": lambda row: {"": row.winner},
        "correctness": lambda row: {"a": row.correct_a, "b": row.correct_b},
        "safety": lambda row: {"a": row.safe_a, "b": row.safe_b},
        "efficiency": lambda row: {"a": row.efficient_a, "b": row.efficient_b},
    }
    found: dict[str, Agreement | str] = {}
    for name, said in asked.items():
        ratings: dict[str, dict[str, object]] = defaultdict(dict)
        for row in rows:
            if row.counts:
                for side, value in said(row).items():
                    if value is not None:
                        ratings[f"{row.battle} {side}"][row.person] = value
        try:
            found[name] = krippendorff_alpha(ratings, rng=np.random.default_rng(seed))
        except InvalidInput as error:
            found[name] = error.message
    return found


def recent_judgements(rows: Sequence[Row], window: int) -> dict[str, list[bool]]:
    """For each agent whether it was correct in its last judgements, the newest last: what `Retirement` looks at."""
    return {agent: said[-window:] for agent, said in _judged([row for row in rows if row.counts]).items()}


def _ranking(good: Sequence[Row], rng: np.random.Generator, resamples: int) -> tuple[Ranking | None, str]:
    """A ranking, or why there is none."""
    table = counted(well_known(good))
    if table is None:
        return None, _TOO_FEW if good else "nobody has voted yet"
    try:
        found = rank(table, rng=rng, resamples=resamples)
    except InvalidInput as error:
        return None, error.message
    return (None, _ALL_ALIKE) if _has_no_width(found) else (found, "")


def _has_no_width(ranking: Ranking) -> bool:
    return bool(np.ptp(ranking.drawn, axis=1).max() < 1e-9)


def _numbers(rows: Sequence[Row]) -> Counter[str]:
    return Counter(agent for row in rows for agent in (row.a, row.b))


def _judged(rows: Sequence[Row]) -> dict[str, list[bool]]:
    found: dict[str, list[bool]] = defaultdict(list)
    for row in rows:
        for agent, said in ((row.a, row.correct_a), (row.b, row.correct_b)):
            if said is not None:
                found[agent].append(said == "correct")
    return found


def _verified(rows: Sequence[Row]) -> dict[str, list[bool]]:
    found: dict[str, list[bool]] = defaultdict(list)
    seen: set[tuple[str, str]] = set()
    for row in rows:
        for side, agent, outcome in (("a", row.a, row.outcome_a), ("b", row.b, row.outcome_b)):
            if outcome in ("passed", "failed") and (row.battle, side) not in seen:
                seen.add((row.battle, side))
                found[agent].append(outcome == "passed")
    return found


def _agreed(rows: Sequence[Row]) -> tuple[Interval, int] | None:
    same = [
        (outcome == "passed") == (said == "correct")
        for row in rows
        for outcome, said in ((row.outcome_a, row.correct_a), (row.outcome_b, row.correct_b))
        if outcome in ("passed", "failed") and said is not None
    ]
    return (wilson(sum(same), len(same)), len(same)) if same else None


def _shares(found: dict[str, list[bool]]) -> dict[str, tuple[Interval, int]]:
    return {agent: (wilson(sum(some), len(some)), len(some)) for agent, some in sorted(found.items())}


def _by(
    rows: Sequence[Row], group: Callable[[Row], str], rng: np.random.Generator, resamples: int
) -> CategoryRankings | None:
    groups = sorted({group(row) for row in rows})
    kept = {name: well_known([row for row in rows if group(row) == name]) for name in groups}
    refused = {name: _TOO_FEW for name in groups if not kept[name]}
    table = counted([row for name in groups for row in kept[name]], group)
    if table is None:
        return CategoryRankings({}, refused) if refused else None
    found = rank_by_category(table, rng=rng, resamples=resamples)
    alike = {name for name, one in found.rankings.items() if _has_no_width(one)}
    return CategoryRankings(
        {name: one for name, one in found.rankings.items() if name not in alike},
        {**refused, **found.refused, **dict.fromkeys(alike, _ALL_ALIKE)},
    )


def _general(rows: Sequence[Row], rng: np.random.Generator) -> dict[str, GenScore]:
    """From how often each agent was judged correct in each category; needs two categories."""
    tried: dict[str, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        for agent, said in ((row.a, row.correct_a), (row.b, row.correct_b)):
            if said is not None:
                tried[agent][row.category or "other"].append(said == "correct")
    found = {}
    for agent, categories in sorted(tried.items()):
        if len(categories) > 1:
            some = [categories[name] for name in sorted(categories)]
            found[agent] = genscore_from_counts([sum(one) for one in some], [len(one) for one in some], rng=rng)
    return found


def _styles(rows: Sequence[Row]) -> list[Style]:
    asked: dict[str, list[float]] = {how: [] for how in _ASKED}
    repeated: dict[str, list[float]] = {how: [] for how in _REPEATED}
    for row in rows:
        for won, questions, repetition in (
            (_worth(row.winner, "a"), row.questions_a, row.repetition_a),
            (_worth(row.winner, "b"), row.questions_b, row.repetition_b),
        ):
            if questions is not None:
                asked[_ASKED[0 if questions == 0 else 1 if questions <= 2 else 2]].append(won)
            if repetition is not None:
                repeated[_REPEATED[0 if repetition < 0.1 else 1 if repetition <= 0.3 else 2]].append(won)
    found = []
    for what, groups in (("questions to the person", asked), ("actions repeated", repeated)):
        for how, some in groups.items():
            if some:
                found.append(Style(what, how, wilson(round(sum(some)), len(some)), len(some)))
    return found


def _worth(winner: str, side: str) -> float:
    return 1.0 if winner == side else 0.5 if winner in ("tie", "both_bad") else 0.0
