from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import binomtest, kendalltau, norm, spearmanr

from fairground.core import InvalidInput
from fairground.stats.interval import plain
from fairground.stats.paired_tests import holm
from fairground.stats.tables.table import Names
from fairground.stats.votes.bradley_terry import ELO
from fairground.stats.votes.rank_correlation import kendall_tau, kendall_taus, spearman_rho, spearman_rhos
from fairground.stats.votes.rank_sensitivity import noise_sensitivity, step_limit_sensitivity
from fairground.stats.votes.rank_tests import pairwise_tests, permutation_test
from fairground.stats.votes.ranking import rank
from fairground.stats.votes.votes import TIE, Votes

NAMES = [f"agent {at:02}" for at in range(12)]


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def drawn_votes(strengths: NDArray[np.float64], number: int, rng: np.random.Generator, ties: float = 0.3) -> Votes:
    agents = len(strengths)
    left = rng.integers(0, agents, number)
    right = (left + rng.integers(1, agents, number)) % agents
    lost = rng.random(number) > 1 / (1 + np.exp(strengths[right] - strengths[left]))
    return Votes.of_codes(NAMES[:agents], left, right, np.where(rng.random(number) < ties, TIE, lost))


APART = np.linspace(1.0, -1.0, 12)

# --- correlations of orders ------------------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=30))
def test_correlations_agree_with_scipy_with_and_without_ties(pairs: list[tuple[int, int]]) -> None:
    first, second = (np.array(column, dtype=float) for column in zip(*pairs, strict=True))
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        with pytest.raises(InvalidInput, match="no order"):
            kendall_tau(first, second)
        return
    assert kendall_tau(first, second) == pytest.approx(kendalltau(first, second).statistic, abs=1e-12)
    assert spearman_rho(first, second) == pytest.approx(spearmanr(first, second).statistic, abs=1e-12)
    assert kendall_tau(first, first) == pytest.approx(1) and spearman_rho(first, -first) == pytest.approx(-1)


def test_many_correlations_at_once_are_the_same_as_one_by_one() -> None:
    sets = generator().normal(size=(7, 50))
    reference = np.arange(7.0)
    assert kendall_taus(reference, sets).tolist() == [kendall_tau(reference, sets[:, at]) for at in range(50)]
    rhos = spearman_rhos(sets, sets[::-1])
    assert rhos.tolist() == pytest.approx([spearman_rho(sets[:, at], sets[::-1, at]) for at in range(50)])
    assert kendall_taus(reference, np.ones((7, 1))).tolist() == [0]


@pytest.mark.parametrize("values", [[1.0], [1.0, float("nan")], [1.0, 2.0, 3.0]])
def test_what_has_no_order_is_refused(values: list[float]) -> None:
    with pytest.raises(InvalidInput):
        kendall_tau(values, [1.0, 2.0])


# --- the test of the whole ranking -----------------------------------------------------------------------------------


def test_with_two_agents_it_is_the_sign_test() -> None:
    votes = Votes.of_wins(["a", "b"], [[0, 15], [5, 0]], [[0, 7], [0, 0]])
    found = permutation_test(votes, rng=generator(), shuffles=40_000)
    assert found.p_value == pytest.approx(binomtest(15, 20).pvalue, rel=0.06)
    # Net wins of 10 in 27 votes: (10 / 2)^2 over 27 / 4.
    assert found.statistic == pytest.approx(25 / (27 / 4))


def test_ties_stay_ties() -> None:
    votes = Votes.of(["a", "b"] * 10, ["b", "a"] * 10, ["tie", "both_bad"] * 10)
    found = permutation_test(votes, rng=generator(), shuffles=200)
    assert (found.statistic, found.p_value, found.null_spread.high) == (0, 1, 0)
    plain(found)


def test_agents_that_differ_are_told_from_chance() -> None:
    found = permutation_test(drawn_votes(APART, 2000, generator(1)), rng=generator(), shuffles=999)
    assert found.p_value == 1 / 1000
    assert found.spread > found.null_spread.high
    # Under the null every order is about as likely: for 12 agents tau has mean 0 and standard deviation 0.22.
    assert abs(found.null_tau.estimate) < 0.03 and found.null_tau_sd == pytest.approx(0.2209, abs=0.02)
    assert found.same_order == 1 / 1000


def test_the_very_same_order_is_as_rare_for_noise_as_for_truth() -> None:
    """Why the share of shuffles with tau = 1 is no test: it is as small when there is nothing to find."""
    noise = permutation_test(drawn_votes(np.zeros(12), 2000, generator(2)), rng=generator(), shuffles=999)
    assert noise.same_order == 1 / 1000
    assert noise.p_value > 0.05


@pytest.mark.slow
def test_p_values_are_even_when_all_agents_are_equal() -> None:
    rng = generator(3)
    p = np.array(
        [permutation_test(drawn_votes(np.zeros(4), 60, rng), rng=rng, shuffles=99).p_value for _ in range(400)]
    )
    assert (p <= 0.05).mean() == pytest.approx(0.05, abs=0.03)
    assert (p <= 0.5).mean() == pytest.approx(0.5, abs=0.08)


@pytest.mark.simulation
def test_voters_who_lean_need_their_votes_swapped_together() -> None:
    rng = generator(4)
    small = {"none": 0, "auto": 0}
    for _ in range(120):
        taste = rng.normal(0, 1.5, (15, 3))
        voter = rng.integers(0, 15, 300)
        left = rng.integers(0, 3, 300)
        right = (left + rng.integers(1, 3, 300)) % 3
        lost = rng.random(300) > 1 / (1 + np.exp(taste[voter, right] - taste[voter, left]))
        votes = Votes.of_codes(NAMES[:3], left, right, lost.astype(int))
        votes = replace(votes, voter=Names(tuple(f"{at:02}" for at in range(15)), voter.astype(np.int32)))
        for cluster in small:
            small[cluster] += permutation_test(votes, rng=rng, shuffles=99, cluster=cluster).p_value <= 0.05
    assert small["none"] > 60  # far too often: the votes are not independent
    assert small["auto"] <= 14


def test_weights_count_in_the_statistic() -> None:
    votes = drawn_votes(APART[:4], 200, generator(5))
    once = permutation_test(votes, rng=generator(1), shuffles=500)
    doubled = permutation_test(replace(votes, weight=np.full(200, 2.0)), rng=generator(1), shuffles=500)
    assert doubled.statistic == pytest.approx(2 * once.statistic)
    assert doubled.p_value == pytest.approx(once.p_value, abs=0.02)


def test_one_vote_is_never_significant() -> None:
    found = permutation_test(Votes.of(["a"], ["b"], ["left"]), rng=generator(), shuffles=500)
    assert found.p_value == 1 and found.notes


def test_shuffles_must_be_a_number_from_one_up() -> None:
    with pytest.raises(InvalidInput, match="shuffles"):
        permutation_test(drawn_votes(APART[:3], 50, generator()), rng=generator(), shuffles=0)


# --- pairs -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["percentile", "sandwich"])
def test_pairs_use_the_error_of_the_difference(method: str) -> None:
    votes = drawn_votes(APART[:5], 3000, generator(6))
    ranking = rank(votes, rng=generator(), method=method, resamples=4000)
    anchored = rank(votes, rng=generator(), method="sandwich", anchor=(NAMES[1], 1000))
    (row,) = [row for row in pairwise_tests(votes, ranking) if {row.better, row.worse} == set(NAMES[:2])]
    # Relative to the second agent, the first one's own interval is that of the difference.
    assert row.gap.width == pytest.approx(anchored[NAMES[0]].rating.width, rel=0.05)
    naive = np.hypot(ranking[NAMES[0]].rating.width, ranking[NAMES[1]].rating.width)
    assert row.gap.width > 1.05 * naive  # and errors taken as independent would be too small
    assert row.gap.estimate == pytest.approx(abs(ELO * (ranking.strengths[0] - ranking.strengths[1])))
    assert row.p_value == pytest.approx(2 * norm.sf(row.z))


def test_all_pairs_are_corrected_together_and_listed_from_the_top() -> None:
    votes = drawn_votes(APART[:6], 800, generator(7))
    ranking = rank(votes, rng=generator())
    rows = pairwise_tests(votes, ranking)
    assert len(rows) == 15
    assert [row.p_holm for row in rows] == pytest.approx(list(holm([row.p_value for row in rows])))
    order = sorted(ranking.names, key=lambda name: -ranking[name].rating.estimate)
    assert [(row.better, row.worse) for row in rows] == [(a, b) for at, a in enumerate(order) for b in order[at + 1 :]]
    assert all(row.gap.estimate >= 0 for row in rows)
    assert sum(row.votes for row in rows) == 800
    plain(rows)


def test_cohens_d_is_of_one_vote_and_does_not_grow_with_their_number() -> None:
    effects = []
    for times in (1, 100):
        votes = Votes.of_wins(["a", "b"], np.array([[0, 6], [2, 0]]) * times, np.array([[0, 2], [0, 0]]) * times)
        (row,) = pairwise_tests(votes, rank(votes, rng=generator()))
        assert row.better == "a" and row.votes == 10 * times
        effects.append(row.d)
    # Votes of +1 (six), -1 (two) and 0 (two): mean 0.4, variance 0.8 - 0.16.
    assert effects == pytest.approx([0.5, 0.5])


def test_cohens_d_has_the_sign_of_the_votes_between_the_two() -> None:
    # a is better overall, but lost to b whenever they met.
    votes = Votes.of_wins(["a", "b", "c"], [[0, 1, 50], [4, 0, 5], [5, 30, 0]])
    rows = {(row.better, row.worse): row for row in pairwise_tests(votes, rank(votes, rng=generator()))}
    assert rows["a", "b"].d == pytest.approx(-0.6 / 0.8)


def test_pairs_that_never_met_or_never_differed_have_no_d() -> None:
    votes = Votes.of_wins(["a", "b", "c"], [[0, 3, 0], [2, 0, 4], [0, 0, 0]])
    rows = {frozenset((row.better, row.worse)): row for row in pairwise_tests(votes, rank(votes, rng=generator()))}
    assert rows[frozenset("ac")].d is None and rows[frozenset("ac")].votes == 0
    assert rows[frozenset("bc")].d is None and rows[frozenset("bc")].votes == 4
    assert rows[frozenset("ab")].d is not None


def test_resamples_that_cannot_vary_are_no_evidence() -> None:
    votes = Votes.of(["a"] * 5, ["b"] * 5, ["left"] * 5)
    (row,) = pairwise_tests(votes, rank(votes, rng=generator()))
    assert (row.p_value, row.z) == (1, 0)


@pytest.mark.simulation
@pytest.mark.parametrize("experiments", [60, pytest.param(150, marks=pytest.mark.slow)])
def test_equal_agents_are_seldom_told_apart(experiments: int) -> None:
    rng = generator(8)
    found = []
    for _ in range(experiments):
        votes = drawn_votes(np.zeros(4), 300, rng)
        rows = pairwise_tests(votes, rank(votes, rng=rng, resamples=300))
        found.append(min(row.p_holm for row in rows) <= 0.05)
    assert np.mean(found) <= 0.1


def test_a_ranking_of_other_agents_is_refused() -> None:
    with pytest.raises(InvalidInput, match="different agents"):
        pairwise_tests(
            drawn_votes(APART[:3], 50, generator()), rank(drawn_votes(APART[:4], 90, generator()), rng=generator())
        )


# --- sensitivity -----------------------------------------------------------------------------------------------------


def test_noise_wears_the_order_down_and_turning_all_votes_reverses_it() -> None:
    votes = drawn_votes(APART, 2200, generator(9))
    none, some, much, half, every = noise_sensitivity(votes, rng=generator(), shares=(0, 0.1, 0.3, 0.5, 1))
    assert none.tau.low == none.tau.high == 1 and none.same_best == 1
    assert 1 > some.tau.estimate > much.tau.estimate > 0.3
    assert abs(half.tau.estimate) < 0.1 and half.tau.low < 0 < half.tau.high
    assert every.tau.low == every.tau.high == pytest.approx(-1) and every.same_best == 0
    plain((some, much))


@pytest.mark.simulation
def test_noise_agrees_with_turning_votes_one_by_one() -> None:
    votes = drawn_votes(APART[:6], 400, generator(10))
    (fast,) = noise_sensitivity(votes, rng=generator(), shares=(0.2,), repeats=2000)
    reference = rank(votes, rng=generator(), resamples=2).strengths
    rng, taus = generator(11), []
    for _ in range(120):
        picked = rng.permutation(400)[:80]
        winner = votes.winner.copy()
        winner[picked] = np.where(winner[picked] < TIE, 1 - winner[picked], winner[picked])
        noisy = rank(replace(votes, winner=winner), rng=rng, resamples=2).strengths
        taus.append(kendall_tau(reference, noisy))
    assert fast.tau.estimate == pytest.approx(np.mean(taus), abs=0.03)


def test_noise_refuses_what_has_no_order() -> None:
    with pytest.raises(InvalidInput, match="same rating"):
        noise_sensitivity(Votes.of(["a"], ["b"], ["tie"]), rng=generator())
    with pytest.raises(InvalidInput, match="shares"):
        noise_sensitivity(drawn_votes(APART[:3], 50, generator()), rng=generator(), shares=(1.2,))


def test_the_same_votes_agree_fully_and_other_votes_less() -> None:
    rng = generator(12)
    votes = drawn_votes(APART, 5000, rng)
    same = step_limit_sensitivity(votes, votes, rng=rng)
    assert same.spearman.estimate == same.kendall.estimate == pytest.approx(1)
    assert same.spearman.low > 0.9 and same.first == same.second
    changed = APART.copy()
    changed[[0, 5]] = changed[[5, 0]]  # a planner that is cut short
    other = step_limit_sensitivity(votes, drawn_votes(changed, 5000, rng), rng=rng)
    expected = spearmanr(list(other.first.values()), list(other.second.values())).statistic
    assert other.spearman.estimate == pytest.approx(expected)
    assert other.spearman.high < 0.95 and other.kendall.low <= other.kendall.estimate <= other.kendall.high
    plain(other)


def test_few_votes_make_the_agreement_uncertain() -> None:
    rng = generator(13)
    votes = drawn_votes(APART, 2000, rng)
    found = step_limit_sensitivity(votes, drawn_votes(APART, 100, rng), rng=rng)
    assert found.spearman.width > 0.2


def test_agents_of_one_set_only_are_left_out_and_named() -> None:
    rng = generator(14)
    one, other = drawn_votes(APART[:5], 600, rng), drawn_votes(APART[:4], 600, rng)
    found = step_limit_sensitivity(one, other, rng=rng)
    assert found.agents == tuple(NAMES[:4])
    assert any(NAMES[4] in note for note in found.notes)
    with pytest.raises(InvalidInput, match="three agents"):
        step_limit_sensitivity(one, drawn_votes(APART[:2], 50, rng), rng=rng)
