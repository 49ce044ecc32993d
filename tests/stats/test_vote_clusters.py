"""Votes of one task or voter depend on each other: intervals, rates and tests respect that by default."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import expit

from fairground.core import InvalidInput
from fairground.stats.interval import plain
from fairground.stats.proportions import wilson
from fairground.stats.tables.table import Names
from fairground.stats.votes.bradley_terry import ELO, bradley_terry
from fairground.stats.votes.rank_sensitivity import step_limit_sensitivity
from fairground.stats.votes.rank_tests import pairwise_tests, permutation_test
from fairground.stats.votes.ranking import rank
from fairground.stats.votes.vote_clusters import Clusters, clusters_in, clusters_of, effective_number
from fairground.stats.votes.vote_rates import clustered_share, clustered_shares
from fairground.stats.votes.votes import TIE, Votes
from fairground.stats.votes.win_rates import disagreements, observed_win_rates

STRENGTHS = np.array([0.5, 0.2, -0.1, -0.6])
AGENTS = ("ash", "birch", "cedar", "elm")


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def names(codes: NDArray[np.integer]) -> Names:
    used, codes = np.unique(codes, return_inverse=True)
    return Names(tuple(f"{code:05}" for code in used), codes.astype(np.int32))


def made_up(
    rng: np.random.Generator,
    number: int,
    *,
    tasks: int = 0,
    voters: int = 0,
    taste: float = 0.8,
    strengths: NDArray[np.float64] = STRENGTHS,
    uneven: bool = False,
) -> Votes:
    """Votes where each task and each voter favours agents of its own; 0 tasks or voters: none that repeats."""
    left = rng.integers(0, 4, number)
    right = (left + rng.integers(1, 4, number)) % 4
    gap = strengths[left] - strengths[right]
    labels = {}
    for name, size in (("task", tasks), ("voter", voters)):
        codes = np.arange(number)
        if size:
            share = 1 / np.arange(1, size + 1) if uneven else np.ones(size)
            codes = rng.choice(size, number, p=share / share.sum())
            favour = rng.normal(0, taste, (size, 4))
            gap = gap + favour[codes, left] - favour[codes, right]
        labels[name] = names(codes)
    chance, draw = expit(gap), rng.random(number)
    winner = np.where(draw < 0.9 * chance, 0, np.where(draw < 0.9 * chance + 0.1, TIE, 1))
    return replace(Votes.of_codes(AGENTS, left, right, winner), **labels)


def copied(votes: Votes, times: int) -> Votes:
    """Every vote given again and again; all copies are on one task of their own."""
    return replace(
        votes.where(np.tile(np.arange(len(votes)), times)), task=names(np.tile(np.arange(len(votes)), times))
    )


# --- which clusters ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tasks", "voters", "expected"),
    [
        (None, None, {}),
        ([1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6], {}),
        ([1, 2, 3, 4, 5, 5], None, {"task": 5}),
        (None, [1, 2, 3, 4, 5, 1], {"voter": 5}),
        ([1, 2, 3, 4, 5, 1], [1, 2, 3, 4, 5, 5], {"task": 5, "voter": 5}),
        (["", "", "", "", "", "x"], None, {}),
    ],
)
def test_votes_are_clustered_by_what_repeats(tasks: object, voters: object, expected: dict[str, int]) -> None:
    votes = Votes.of(["a"] * 6, ["b"] * 6, ["left", "right"] * 3, task=tasks, voter=voters)  # type: ignore[arg-type]
    found = clusters_of(votes)
    assert found.numbers == expected and not found.notes
    assert (found.freedom is None) == (not expected)


def test_few_voters_are_not_clustered_by_unless_asked() -> None:
    votes = made_up(generator(1), 300, voters=3)
    ranking = rank(votes, rng=generator())
    assert ranking.cluster == "none" and ranking.degrees_of_freedom is None
    assert ranking.notes == ("3 voters are too few to cluster by: intervals and tests apply to these voters only",)
    assert plain(rank(votes, rng=generator(), cluster="none"))["agents"] == plain(ranking)["agents"]
    asked = rank(votes, rng=generator(), cluster="voter")
    assert asked.clusters == {"voter": 3} and not asked.notes
    assert asked["ash"].rating.width > 1.5 * ranking["ash"].rating.width


def test_one_voter_with_most_of_the_votes_is_as_good_as_one_voter() -> None:
    codes = np.concatenate([np.zeros(270, dtype=int), np.arange(1, 31)])
    votes = replace(made_up(generator(2), 300), voter=names(codes))
    (note,) = rank(votes, rng=generator()).notes
    assert note.startswith("31 voters (equivalent to 1.2 of equal size) are too few to cluster by")
    assert effective_number(codes) == pytest.approx(300**2 / (270**2 + 30))


def test_a_vote_without_a_voter_is_a_voter_of_its_own() -> None:
    voters = [*(f"v{number % 20}" for number in range(200)), *[None] * 100]
    votes = made_up(generator(3), 300)
    shown = ["left" if code == 0 else "right" if code == 1 else "tie" for code in votes.winner]
    votes = Votes.of(np.array(AGENTS)[votes.left], np.array(AGENTS)[votes.right], shown, voter=voters)  # type: ignore[arg-type]
    for cluster in ("auto", "voter"):
        ranking = rank(votes, rng=generator(), cluster=cluster)
        assert ranking.clusters == {"voter": 120}
        assert "100 votes have no voter: each counts as a separate voter" in ranking.notes


def test_two_kinds_of_clusters_need_the_sandwich() -> None:
    votes = made_up(generator(4), 300, tasks=30, voters=20)
    ranking = rank(votes, rng=generator())
    assert (ranking.method, ranking.cluster, ranking.clusters) == ("sandwich", "both", {"task": 30, "voter": 20})
    assert ranking["ash"].rating.method == "sandwich over tasks and voters"
    with pytest.raises(InvalidInput, match="both tasks and voters repeat"):
        rank(votes, rng=generator(), method="percentile")
    assert rank(votes, rng=generator(), method="percentile", cluster="task").clusters == {"task": 30}


# --- copies of votes tell nothing new ---------------------------------------------------------------------------------


def test_copies_of_votes_change_nothing_but_the_design_effect() -> None:
    votes = made_up(generator(5), 200)
    nine = copied(votes, 9)
    one, other = rank(votes, rng=generator(), method="sandwich"), rank(nine, rng=generator(), method="sandwich")
    np.testing.assert_allclose(other.covariance, one.covariance, rtol=1e-9)
    assert other.design_effect == pytest.approx(9, rel=0.01) and one.design_effect == 1
    for row in one.agents:
        twin = other[row.agent]
        assert twin.rating.low == pytest.approx(row.rating.low, abs=0.2)
        assert twin.win_rate.low == pytest.approx(row.win_rate.low, abs=0.005)
        assert twin.sure_ranks == row.sure_ranks
    for cluster, factor in (("none", 3), ("auto", 1)):
        drawn = rank(nine, rng=generator(), resamples=4000, cluster=cluster)
        assert one["ash"].rating.width == pytest.approx(factor * drawn["ash"].rating.width, rel=0.06)


def test_copies_of_votes_change_no_test() -> None:
    votes = made_up(generator(6), 150, strengths=STRENGTHS / 3)
    nine = copied(votes, 9)
    once, again = (permutation_test(some, rng=generator(), shuffles=4000) for some in (votes, nine))
    assert again.p_value == pytest.approx(once.p_value, abs=0.03)
    assert permutation_test(nine, rng=generator(), cluster="none").p_value < once.p_value / 4
    pairs = [pairwise_tests(some, rank(some, rng=generator(), method="sandwich")) for some in (votes, nine)]
    assert [row.p_value for row in pairs[1]] == pytest.approx([row.p_value for row in pairs[0]], abs=0.01)
    circle = Votes.of_wins(["a", "b", "c"], [[0, 14, 6], [6, 0, 14], [14, 6, 0]])
    circles = [circle, copied(circle, 9)]
    worst = [disagreements(some, rank(some, rng=generator()))[0] for some in circles]
    assert worst[1].p_holm == pytest.approx(worst[0].p_holm, rel=0.4)  # t instead of normal
    assert (
        disagreements(circles[1], rank(circles[1], rng=generator(), cluster="none"))[0].p_holm < 1e-3 * worst[1].p_holm
    )


def test_copies_of_votes_change_no_comparison_of_orders() -> None:
    one, other = made_up(generator(7), 120), made_up(generator(8), 120)
    apart = step_limit_sensitivity(one, other, rng=generator(), resamples=2000)
    twin = step_limit_sensitivity(copied(one, 9), copied(other, 9), rng=generator(), resamples=2000)
    assert twin.spearman.low == pytest.approx(apart.spearman.low, abs=0.21)  # a rho of four agents has few values
    assert "bootstrap over tasks" in twin.spearman.method and "bootstrap over votes" in apart.spearman.method


def test_tasks_that_are_voters_are_one_kind_of_cluster() -> None:
    votes = made_up(generator(9), 400, tasks=25)
    same = replace(votes, voter=votes.task)
    one = rank(votes, rng=generator(), method="sandwich", cluster="task")
    both = rank(same, rng=generator())
    assert both.cluster == "both"
    np.testing.assert_allclose(both.covariance, one.covariance, rtol=1e-9)


def test_a_two_way_variance_is_never_below_either_way_alone() -> None:
    for seed in range(6):
        votes = made_up(generator(seed), 250, tasks=25, voters=15, taste=seed % 3 / 2)
        found = {
            cluster: rank(votes, rng=generator(), method="sandwich", cluster=cluster, resamples=2).covariance
            for cluster in ("task", "voter", "both")
        }
        larger = max((found["task"], found["voter"]), key=np.trace)
        assert np.linalg.eigvalsh(found["both"] - larger).min() > -1e-12


# --- rates ------------------------------------------------------------------------------------------------------------


def test_shares_of_values_that_stand_alone_have_the_interval_of_wilson() -> None:
    values = [1.0] * 7 + [0.0] * 13
    expected = wilson(7, 20)
    for clusters in (Clusters(), clusters_in({"task": names(np.arange(20))}, cluster="task")):
        found = clustered_share(values, clusters).interval
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=0.06)
    assert clustered_share(values, Clusters()).interval.low == pytest.approx(expected.low)


def test_values_that_agree_count_once_per_cluster() -> None:
    clusters = clusters_in({"task": [f"task {number % 6}" for number in range(60)]})
    assert clustered_share(np.ones(60), clusters).interval.low == pytest.approx(wilson(6, 6).low)
    halves = clustered_share(np.arange(60) % 6 < 3, clusters)  # each task always goes one way
    assert halves.interval.low == pytest.approx(wilson(3, 6).low)
    assert (halves.number, halves.worth) == (60, pytest.approx(6))
    even = clustered_share(np.arange(60) // 6 % 2, clusters)  # no task leans
    assert even.interval.width == pytest.approx(wilson(30, 60).width) and even.worth == 60


def test_groups_of_values_have_shares_of_their_own() -> None:
    clusters = clusters_in({"task": [f"task {number % 10}" for number in range(40)]})
    found = clustered_shares([1.0] * 20 + [0.0, 0.5] * 10, ["good"] * 20 + ["poor"] * 20, clusters)
    assert {name: (one.interval.estimate, one.number) for name, one in found.items()} == {
        "good": (1.0, 20),
        "poor": (0.25, 20),
    }
    assert found["good"].interval.low == pytest.approx(wilson(10, 10).low)


def test_rates_of_pairs_are_the_same_from_both_sides() -> None:
    votes = made_up(generator(10), 600, tasks=20, voters=30)
    found, alone = observed_win_rates(votes), observed_win_rates(votes, cluster="none")
    wider = 0
    for one in range(4):
        assert found.intervals[one][one] is None
        for other in range(one):
            span, mirrored = found.intervals[one][other], found.intervals[other][one]
            assert span is not None and mirrored is not None
            assert (span.low, span.high) == pytest.approx((1 - mirrored.high, 1 - mirrored.low))
            assert span.low <= span.estimate <= span.high and span.estimate == found.rates[one][other]
            plainly = alone.intervals[one][other]
            assert plainly is not None and span.width >= plainly.width - 1e-12
            wider += span.width > 1.05 * plainly.width
    assert wider >= 3


# --- coverage and error rates -----------------------------------------------------------------------------------------

SHAPES = {
    "20 tasks": {"number": 400, "tasks": 20},
    "40 uneven voters": {"number": 500, "voters": 40, "uneven": True},
    "15 tasks and 12 voters": {"number": 400, "tasks": 15, "voters": 12},
}
SLOW_SHAPES = [pytest.param(shape, marks=pytest.mark.slow) for shape in list(SHAPES)[:2]]


def truth(taste: float) -> NDArray[np.float64]:
    """The ratings that endless votes on endless tasks would have."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    one, other = np.indices((4, 4))
    gap = (STRENGTHS[one] - STRENGTHS[other])[..., None] + np.sqrt(2) * taste * nodes
    share = 0.9 * (expit(gap) * weights / weights.sum()).sum(axis=-1) + 0.05
    counts = np.rint(1e6 * share).astype(np.int64)
    np.fill_diagonal(counts, 0)
    return np.array(bradley_terry(Votes.of_wins(AGENTS, counts // 100)).strengths)


@pytest.mark.simulation
@pytest.mark.parametrize("shape", [*SLOW_SHAPES, "15 tasks and 12 voters"])
def test_intervals_hold_the_truth_when_tasks_and_voters_repeat(shape: str) -> None:
    options = SHAPES[shape]
    kinds = ("tasks" in options) + ("voters" in options)
    expected = 1000 + ELO * truth(0.8 * np.sqrt(kinds))
    rng = generator(11)
    held: dict[str, list[bool]] = {"auto": [], "none": []}
    for _ in range(80):
        votes = made_up(rng, **options)  # type: ignore[arg-type]
        for cluster, hits in held.items():
            ranking = rank(votes, rng=rng, resamples=200, cluster=cluster)
            hits += [rating in ranking[name].rating for name, rating in zip(AGENTS, expected, strict=True)]
    # 320 intervals, correlated within an experiment: a standard error of about 0.02.
    assert 0.89 <= np.mean(held["auto"]) <= 0.99
    assert np.mean(held["none"]) < 0.85  # what the default was


@pytest.mark.simulation
@pytest.mark.parametrize(
    ("shape", "experiments"),
    [("15 tasks and 12 voters", 30), *(pytest.param(shape, 80, marks=pytest.mark.slow) for shape in SHAPES)],
)
def test_equal_agents_are_seldom_told_apart_when_tasks_and_voters_repeat(shape: str, experiments: int) -> None:
    rng = generator(12)
    wrong = {"permutation": 0, "pairs": 0, "permutation, independent": 0}
    for _ in range(experiments):
        votes = made_up(rng, strengths=np.zeros(4), **SHAPES[shape])  # type: ignore[arg-type]
        wrong["permutation"] += permutation_test(votes, rng=rng, shuffles=99).p_value <= 0.05
        wrong["permutation, independent"] += (
            permutation_test(votes, rng=rng, shuffles=99, cluster="none").p_value <= 0.05
        )
        ranking = rank(votes, rng=rng, resamples=200)
        wrong["pairs"] += min(row.p_holm for row in pairwise_tests(votes, ranking)) <= 0.05
    rates = {name: number / experiments for name, number in wrong.items()}
    assert rates["permutation"] <= 11 / 80 and rates["pairs"] <= 11 / 80  # a twentieth is expected
    assert rates["permutation, independent"] > 1 / 4
