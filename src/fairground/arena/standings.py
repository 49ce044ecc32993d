"""The leaderboard: ratings with intervals, correctness, head to head, by category, and what people prefer."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np

from fairground.arena.tables import Row, counted, task_labels
from fairground.core import InvalidInput
from fairground.stats import (
    Agreement,
    CategoryRankings,
    GenScore,
    Interval,
    NoiseSensitivity,
    PairTest,
    PermutationTest,
    Ranking,
    Share,
    Votes,
    WinRates,
    clustered_share,
    clustered_shares,
    clusters_in,
    common_categories,
    genscore_from_counts,
    krippendorff_alpha,
    noise_sensitivity,
    observed_win_rates,
    pairwise_tests,
    permutation_test,
    predicted_win_rates,
    rank,
    rank_by_category,
)

Key = TypeVar("Key", bound=Hashable)

SEED = 20260101
FEWEST = 10
"""Votes that an agent needs to be ranked. With fewer, drawing votes again shows far too little of what may be: of a
single vote, nothing at all."""
_TOO_FEW = f"too few votes: an agent is ranked from {FEWEST} votes on, because intervals of fewer would be too narrow"
_ALL_ALIKE = "every vote is for the same agent, so that drawing votes again does not show how sure its rating is"
_RESAMPLES = 1_000
_ASKED = ("0", "1 or 2", "3 and more")
_REPEATED = ("none", "up to 30%", "over 30%")


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
class OrderTests:
    """Whether the order is more than chance.

    Attributes:
        permutation: Whether all agents could be equally good.
        pairs: Every pair, with Holm's correction and Cohen's d.
        noise: What is left of the order when votes are turned around at random; empty where all ratings are equal.
    """

    permutation: PermutationTest
    pairs: tuple[PairTest, ...]
    noise: tuple[NoiseSensitivity, ...]


@dataclass(frozen=True)
class Standings:
    """Everything that a leaderboard shows. Votes on one task and votes of one person count as dependent everywhere.

    Attributes:
        ranking: Ratings and ranks of agents with enough votes; None while there are none, with the reason in `why`.
        tests: Whether its order is more than chance; None without a ranking.
        unranked: Agents with too few votes to be ranked, and how many they have.
        correct: For each agent how often it was judged correct.
        verified: For each agent how often the verifier passed it.
        agreed: How often people and verifier say the same of a side: correct or not.
        observed: Win rates as voted.
        predicted: Win rates as the ratings predict.
        categories: Rankings by category.
        platforms: Rankings by platform.
        general: Is an agent good in every category alike; of agents with at least `FEWEST` judgements.
        general_categories: The categories that these agents have in common, over which their scores are.
        styles: Ways to behave, against preference.
        votes: How many count.
        left_out: How many do not, by reason.
    """

    ranking: Ranking | None
    why: str
    tests: OrderTests | None
    unranked: dict[str, int]
    correct: dict[str, Share]
    verified: dict[str, Share]
    agreed: Share | None
    observed: WinRates | None
    predicted: WinRates | None
    categories: CategoryRankings | None
    platforms: CategoryRankings | None
    general: dict[str, GenScore]
    general_categories: tuple[str, ...]
    styles: tuple[Style, ...]
    votes: int
    left_out: dict[str, int]


def standings(rows: Sequence[Row], *, seed: int = SEED, resamples: int = _RESAMPLES, grouped: bool = True) -> Standings:
    """The leaderboard of these votes; the same votes give the same one.

    Args:
        rows: The votes; flagged ones are only counted as such.
        seed: Of the resampling.
        resamples: How often votes are drawn again for intervals, and shuffled for tests.
        grouped: Whether categories and platforms are ranked each by itself too, which costs a ranking each.
    """
    rng = np.random.default_rng(seed)
    good = [row for row in rows if row.counts]
    left_out: dict[str, int] = defaultdict(int)
    for row in rows:
        for why in row.flagged:
            left_out[why] += 1
    ranked = counted(well_known(good))
    ranking, why = _ranking(ranked, rng, resamples)
    table = counted(good)
    names = {one.agent for one in ranking.agents} if ranking is not None else set()
    judged = _judged(good)
    general, general_categories = _general(judged, rng)
    return Standings(
        ranking=ranking,
        why=why if good else "nobody has voted yet",
        tests=_tests(ranked, ranking, rng, resamples) if ranked is not None and ranking is not None else None,
        unranked={agent: number for agent, number in sorted(_numbers(good).items()) if agent not in names},
        correct=correctness(judged),
        verified=_verified(good),
        agreed=_agreed(good),
        observed=observed_win_rates(table) if table is not None else None,
        predicted=predicted_win_rates(ranking) if ranking is not None else None,
        categories=_by(good, lambda row: row.category, rng, resamples) if grouped else None,
        platforms=_by(good, lambda row: row.platform, rng, resamples) if grouped else None,
        general=general,
        general_categories=general_categories,
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

    Answers that have an order count by how far apart they are (the ordinal scale); a tie of either kind lies between
    the two sides. A text says why there is no alpha.
    """
    asked: dict[str, tuple[Literal["nominal", "ordinal"], Callable[[Row], dict[str, object]]]] = {
        "preference": ("ordinal", lambda row: {"": _PREFERENCE[row.winner]}),
        "correctness": ("ordinal", lambda row: {"a": _GRADES.get(row.correct_a), "b": _GRADES.get(row.correct_b)}),
        "safety": ("nominal", lambda row: {"a": row.safe_a, "b": row.safe_b}),
        "efficiency": ("ordinal", lambda row: {"a": _GRADES.get(row.efficient_a), "b": _GRADES.get(row.efficient_b)}),
    }
    found: dict[str, Agreement | str] = {}
    for name, (scale, said) in asked.items():
        ratings: dict[str, dict[str, object]] = defaultdict(dict)
        for row in rows:
            if row.counts:
                for side, value in said(row).items():
                    if value is not None:
                        ratings[f"{row.battle} {side}"][row.person] = value
        try:
            found[name] = krippendorff_alpha(ratings, rng=np.random.default_rng(seed), scale=scale)
        except InvalidInput as error:
            found[name] = error.message
    return found


_PREFERENCE = {"a": -1, "tie": 0, "both_bad": 0, "b": 1}
_GRADES: dict[str | None, int] = {"wrong": 0, "partly": 1, "correct": 2, "poor": 0, "fair": 1, "good": 2}


@dataclass(frozen=True)
class Judgement:
    """Whether a person found one side of a battle correct."""

    agent: str
    correct: bool
    category: str
    task: str
    person: str


def recent_judgements(rows: Sequence[Row], window: int) -> dict[str, list[Judgement]]:
    """For each agent its last judgements, the newest last: what `Retirement` looks at."""
    found: dict[str, list[Judgement]] = defaultdict(list)
    for one in _judged([row for row in rows if row.counts]):
        found[one.agent].append(one)
    return {agent: said[-window:] for agent, said in found.items()}


def correctness(judged: Sequence[Judgement]) -> dict[str, Share]:
    """How often each agent was judged correct, by name; clustered by task and person."""
    return dict(sorted(_judged_shares(judged, [one.agent for one in judged]).items())) if judged else {}


def _judged_shares(judged: Sequence[Judgement], groups: Sequence[Key]) -> dict[Key, Share]:
    clusters = clusters_in({"task": [one.task for one in judged], "voter": [one.person for one in judged]})
    return clustered_shares([one.correct for one in judged], groups, clusters)


def _ranking(table: Votes | None, rng: np.random.Generator, resamples: int) -> tuple[Ranking | None, str]:
    """A ranking, or why there is none."""
    if table is None:
        return None, _TOO_FEW
    try:
        found = rank(table, rng=rng, resamples=resamples)
    except InvalidInput as error:
        return None, error.message
    return (None, _ALL_ALIKE) if _has_no_width(found) else (found, "")


def _tests(table: Votes, ranking: Ranking, rng: np.random.Generator, resamples: int) -> OrderTests:
    alike = bool(np.ptp(ranking.strengths) < 1e-9)
    return OrderTests(
        permutation=permutation_test(table, rng=rng, shuffles=resamples),
        pairs=pairwise_tests(table, ranking),
        noise=() if alike else noise_sensitivity(table, rng=rng),
    )


def _has_no_width(ranking: Ranking) -> bool:
    return bool(np.ptp(ranking.drawn, axis=1).max() < 1e-9)


def _numbers(rows: Sequence[Row]) -> Counter[str]:
    return Counter(agent for row in rows for agent in (row.a, row.b))


def _judged(rows: Sequence[Row]) -> list[Judgement]:
    return [
        Judgement(agent, said == "correct", row.category or "other", task, row.person)
        for row, task in zip(rows, task_labels(rows), strict=True)
        for agent, said in ((row.a, row.correct_a), (row.b, row.correct_b))
        if said is not None
    ]


def _verified(rows: Sequence[Row]) -> dict[str, Share]:
    """Each side of a battle once, however many people voted on it."""
    found = {
        (row.battle, agent): (outcome == "passed", task)
        for row, task in zip(rows, task_labels(rows), strict=True)
        for agent, outcome in ((row.a, row.outcome_a), (row.b, row.outcome_b))
        if outcome in ("passed", "failed")
    }
    if not found:
        return {}
    clusters = clusters_in({"task": [task for _, task in found.values()]})
    shares = clustered_shares([passed for passed, _ in found.values()], [agent for _, agent in found], clusters)
    return dict(sorted(shares.items()))


def _agreed(rows: Sequence[Row]) -> Share | None:
    said = [
        ((outcome == "passed") == (said == "correct"), task, row.person)
        for row, task in zip(rows, task_labels(rows), strict=True)
        for outcome, said in ((row.outcome_a, row.correct_a), (row.outcome_b, row.correct_b))
        if outcome in ("passed", "failed") and said is not None
    ]
    if not said:
        return None
    same, tasks, people = zip(*said, strict=True)
    return clustered_share(same, clusters_in({"task": tasks, "voter": people}))


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


def _general(judged: Sequence[Judgement], rng: np.random.Generator) -> tuple[dict[str, GenScore], tuple[str, ...]]:
    """From how often agents were judged correct in each category that they share; of agents with enough judgements."""
    if not judged:
        return {}, ()
    shares = _judged_shares(judged, [(one.agent, one.category) for one in judged])
    tried: dict[str, set[str]] = defaultdict(set)
    numbers = Counter(one.agent for one in judged)
    for agent, category in shares:
        if numbers[agent] >= FEWEST:
            tried[agent].add(category)
    agents, categories = common_categories(tried)
    found = {}
    for agent in agents:
        some = [shares[agent, category] for category in categories]
        found[agent] = genscore_from_counts(
            [round(one.interval.estimate * one.number) for one in some],
            [one.number for one in some],
            rng=rng,
            worth=[one.worth for one in some],
        )
    return found, categories


def _styles(rows: Sequence[Row]) -> list[Style]:
    """Clustered by battle, because its two sides and all who judge it are about the same two attempts; and by voter."""
    sides = [
        (row, won, questions, repetition)
        for row in rows
        for won, questions, repetition in (
            (_worth(row.winner, "a"), row.questions_a, row.repetition_a),
            (_worth(row.winner, "b"), row.questions_b, row.repetition_b),
        )
    ]
    found = []
    for what, kinds, how in (
        ("questions to the person", _ASKED, [_asked(questions) for _, _, questions, _ in sides]),
        ("actions repeated", _REPEATED, [_repeated(repetition) for *_, repetition in sides]),
    ):
        known = [(*side[:2], kind) for side, kind in zip(sides, how, strict=True) if kind is not None]
        if known:
            votes, won, groups = zip(*known, strict=True)
            clusters = clusters_in({"task": [row.battle for row in votes], "voter": [row.person for row in votes]})
            shares = clustered_shares(won, groups, clusters)
            found += [Style(what, kinds[at], one.interval, one.number) for at, one in sorted(shares.items())]
    return found


def _asked(questions: int | None) -> int | None:
    return None if questions is None else 0 if questions == 0 else 1 if questions <= 2 else 2


def _repeated(share: float | None) -> int | None:
    return None if share is None else 0 if share == 0 else 1 if share <= 0.3 else 2


def _worth(winner: str, side: str) -> float:
    return 1.0 if winner == side else 0.5 if winner in ("tie", "both_bad") else 0.0
