"""Data of the leaderboard: ratings with intervals, correctness, win rates, groups, and behaviour against preference."""

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
"""Minimum number of votes for a rating. With fewer, resampling underestimates the uncertainty; with a single vote it
shows none at all.
"""
_TOO_FEW = f"too few votes: an agent needs at least {FEWEST} votes for a rating; intervals from fewer are too narrow"
_ALL_ALIKE = "all votes are for the same agent, so resampling cannot estimate the uncertainty of its rating"
_RESAMPLES = 1_000
_ASKED = ("0", "1 or 2", "3 or more")
_REPEATED = ("none", "up to 30%", "over 30%")


@dataclass(frozen=True)
class Style:
    """How often agents with a certain behaviour were preferred.

    Attributes:
        what: The behaviour, such as how often the person was asked.
        how: Its level.
        wins: Share of votes for such a side, ties as half.
        votes: Number of sides.
    """

    what: str
    how: str
    wins: Interval
    votes: int


@dataclass(frozen=True)
class OrderTests:
    """Tests of whether the order is due to chance.

    Attributes:
        permutation: Test of whether all agents could be equally good.
        pairs: Every pair, with Holm's correction and Cohen's d.
        noise: Stability of the order when votes are reversed at random; empty if all ratings are equal.
    """

    permutation: PermutationTest
    pairs: tuple[PairTest, ...]
    noise: tuple[NoiseSensitivity, ...]


@dataclass(frozen=True)
class Standings:
    """All data of a leaderboard. Votes on one task and votes of one person are treated as dependent everywhere.

    Attributes:
        ranking: Ratings and ranks of agents with enough votes; None if there are none, with the reason in `why`.
        tests: Tests of its order; None without a ranking.
        unranked: Agents with too few votes for a rating, and their number of votes.
        correct: How often each agent was judged correct.
        verified: How often the verifier passed each agent.
        agreed: How often people and verifier agree about a side: correct or not.
        observed: Observed win rates.
        predicted: Win rates predicted by the ratings.
        categories: Rankings by category.
        platforms: Rankings by platform.
        general: GenScores: whether an agent is good in all categories; for agents with at least `FEWEST` judgements.
        general_categories: The categories that these agents share and on which their scores are based.
        styles: Behaviour against preference.
        votes: Number of votes that count.
        left_out: Number of votes that do not count, by reason.
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
    """Compute the leaderboard of these votes. The result is deterministic.

    Args:
        rows: The votes; flagged ones are only counted as such.
        seed: Seed of the resampling.
        resamples: Number of resamples for intervals, and of shuffles for tests.
        grouped: Whether to rank categories and platforms separately, too, which costs one ranking each.
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
    names = {agent.agent for agent in ranking.agents} if ranking is not None else set()
    judged = _judged(good)
    general, general_categories = _general(judged, rng)
    return Standings(
        ranking=ranking,
        why=why if good else "there are no votes yet",
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
    """Return the counting votes between agents with at least `FEWEST` of them each."""
    counting = [row for row in rows if row.counts]
    while counting:
        numbers = _numbers(counting)
        left = [row for row in counting if min(numbers[row.a], numbers[row.b]) >= FEWEST]
        if len(left) == len(counting):
            break
        counting = left
    return counting


def agreement(rows: Sequence[Row], *, seed: int = SEED) -> dict[str, Agreement | str]:
    """Compute Krippendorff's alpha for each question between people who judged the same battles.

    For ordered answers, disagreement counts by distance (ordinal scale); a tie of either kind lies between the two
    sides. If there is no alpha, a text says why.
    """
    questions: dict[str, tuple[Literal["nominal", "ordinal"], Callable[[Row], dict[str, object]]]] = {
        "preference": ("ordinal", lambda row: {"": _PREFERENCE[row.winner]}),
        "correctness": ("ordinal", lambda row: {"a": _GRADES.get(row.correct_a), "b": _GRADES.get(row.correct_b)}),
        "safety": ("nominal", lambda row: {"a": row.safe_a, "b": row.safe_b}),
        "efficiency": ("ordinal", lambda row: {"a": _GRADES.get(row.efficient_a), "b": _GRADES.get(row.efficient_b)}),
    }
    alphas: dict[str, Agreement | str] = {}
    for name, (scale, answer) in questions.items():
        ratings: dict[str, dict[str, object]] = defaultdict(dict)
        for row in rows:
            if row.counts:
                for side, value in answer(row).items():
                    if value is not None:
                        ratings[f"{row.battle} {side}"][row.person] = value
        try:
            alphas[name] = krippendorff_alpha(ratings, rng=np.random.default_rng(seed), scale=scale)
        except InvalidInput as error:
            alphas[name] = error.message
    return alphas


_PREFERENCE = {"a": -1, "tie": 0, "both_bad": 0, "b": 1}
_GRADES: dict[str | None, int] = {"wrong": 0, "partly": 1, "correct": 2, "poor": 0, "fair": 1, "good": 2}


@dataclass(frozen=True)
class Judgement:
    """Whether a person judged one side of a battle correct."""

    agent: str
    correct: bool
    category: str
    task: str
    person: str


def recent_judgements(rows: Sequence[Row], window: int) -> dict[str, list[Judgement]]:
    """Return the last judgements of each agent, newest last, for `Retirement`."""
    by_agent: dict[str, list[Judgement]] = defaultdict(list)
    for judgement in _judged([row for row in rows if row.counts]):
        by_agent[judgement.agent].append(judgement)
    return {agent: judgements[-window:] for agent, judgements in by_agent.items()}


def correctness(judged: Sequence[Judgement]) -> dict[str, Share]:
    """Return how often each agent was judged correct, by name; clustered by task and person."""
    return dict(sorted(_judged_shares(judged, [judgement.agent for judgement in judged]).items())) if judged else {}


def _judged_shares(judged: Sequence[Judgement], groups: Sequence[Key]) -> dict[Key, Share]:
    clusters = clusters_in(
        {"task": [judgement.task for judgement in judged], "voter": [judgement.person for judgement in judged]}
    )
    return clustered_shares([judgement.correct for judgement in judged], groups, clusters)


def _ranking(table: Votes | None, rng: np.random.Generator, resamples: int) -> tuple[Ranking | None, str]:
    """Return a ranking, or why there is none."""
    if table is None:
        return None, _TOO_FEW
    try:
        ranking = rank(table, rng=rng, resamples=resamples)
    except InvalidInput as error:
        return None, error.message
    return (None, _ALL_ALIKE) if _has_no_width(ranking) else (ranking, "")


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
        Judgement(agent, answer == "correct", row.category or "other", task, row.person)
        for row, task in zip(rows, task_labels(rows), strict=True)
        for agent, answer in ((row.a, row.correct_a), (row.b, row.correct_b))
        if answer is not None
    ]


def _verified(rows: Sequence[Row]) -> dict[str, Share]:
    """Count each side of a battle once, regardless of the number of votes on it."""
    outcomes = {
        (row.battle, agent): (outcome == "passed", task)
        for row, task in zip(rows, task_labels(rows), strict=True)
        for agent, outcome in ((row.a, row.outcome_a), (row.b, row.outcome_b))
        if outcome in ("passed", "failed")
    }
    if not outcomes:
        return {}
    clusters = clusters_in({"task": [task for _, task in outcomes.values()]})
    shares = clustered_shares([passed for passed, _ in outcomes.values()], [agent for _, agent in outcomes], clusters)
    return dict(sorted(shares.items()))


def _agreed(rows: Sequence[Row]) -> Share | None:
    answer = [
        ((outcome == "passed") == (pairs == "correct"), task, row.person)
        for row, task in zip(rows, task_labels(rows), strict=True)
        for outcome, pairs in ((row.outcome_a, row.correct_a), (row.outcome_b, row.correct_b))
        if outcome in ("passed", "failed") and pairs is not None
    ]
    if not answer:
        return None
    same, tasks, people = zip(*answer, strict=True)
    return clustered_share(same, clusters_in({"task": tasks, "voter": people}))


def _by(
    rows: Sequence[Row], group: Callable[[Row], str], rng: np.random.Generator, resamples: int
) -> CategoryRankings | None:
    groups = sorted({group(row) for row in rows})
    by_group = {name: well_known([row for row in rows if group(row) == name]) for name in groups}
    refused = {name: _TOO_FEW for name in groups if not by_group[name]}
    table = counted([row for name in groups for row in by_group[name]], group)
    if table is None:
        return CategoryRankings({}, refused) if refused else None
    rankings = rank_by_category(table, rng=rng, resamples=resamples)
    alike = {name for name, ranking in rankings.rankings.items() if _has_no_width(ranking)}
    return CategoryRankings(
        {name: ranking for name, ranking in rankings.rankings.items() if name not in alike},
        {**refused, **rankings.refused, **dict.fromkeys(alike, _ALL_ALIKE)},
    )


def _general(judged: Sequence[Judgement], rng: np.random.Generator) -> tuple[dict[str, GenScore], tuple[str, ...]]:
    """Compute GenScores from the correctness in each shared category, for agents with enough judgements."""
    if not judged:
        return {}, ()
    shares = _judged_shares(judged, [(judgement.agent, judgement.category) for judgement in judged])
    tried: dict[str, set[str]] = defaultdict(set)
    numbers = Counter(judgement.agent for judgement in judged)
    for agent, category in shares:
        if numbers[agent] >= FEWEST:
            tried[agent].add(category)
    agents, categories = common_categories(tried)
    scores = {}
    for agent in agents:
        rates = [shares[agent, category] for category in categories]
        scores[agent] = genscore_from_counts(
            [round(rate.interval.estimate * rate.number) for rate in rates],
            [rate.number for rate in rates],
            rng=rng,
            worth=[rate.worth for rate in rates],
        )
    return scores, categories


def _styles(rows: Sequence[Row]) -> list[Style]:
    """Cluster by battle, because its two sides and all its judges are about the same two episodes, and by voter."""
    sides = [
        (row, won, questions, repetition)
        for row in rows
        for won, questions, repetition in (
            (_worth(row.winner, "a"), row.questions_a, row.repetition_a),
            (_worth(row.winner, "b"), row.questions_b, row.repetition_b),
        )
    ]
    styles = []
    for what, kinds, how in (
        ("questions to the person", _ASKED, [_asked(questions) for _, _, questions, _ in sides]),
        ("actions repeated", _REPEATED, [_repeated(repetition) for *_, repetition in sides]),
    ):
        known = [(*side[:2], kind) for side, kind in zip(sides, how, strict=True) if kind is not None]
        if known:
            votes, won, groups = zip(*known, strict=True)
            clusters = clusters_in({"task": [row.battle for row in votes], "voter": [row.person for row in votes]})
            shares = clustered_shares(won, groups, clusters)
            styles += [Style(what, kinds[at], share.interval, share.number) for at, share in sorted(shares.items())]
    return styles


def _asked(questions: int | None) -> int | None:
    return None if questions is None else 0 if questions == 0 else 1 if questions <= 2 else 2


def _repeated(share: float | None) -> int | None:
    return None if share is None else 0 if share == 0 else 1 if share <= 0.3 else 2


def _worth(winner: str, side: str) -> float:
    return 1.0 if winner == side else 0.5 if winner in ("tie", "both_bad") else 0.0
