import itertools

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import minimize

from fairground.core import InvalidInput, UnknownName
from fairground.stats.interval import plain
from fairground.stats.votes.bradley_terry import ELO, Pairs, bradley_terry, solvable, solve, with_prior
from fairground.stats.votes.votes import BOTH_BAD, TIE, Votes, counts

NAMES = list("abcdefgh")


def random_votes(rng: np.random.Generator, number: int, agents: int = 5, ties: float = 0.3) -> Votes:
    strengths = rng.normal(0, 1, agents)
    left = rng.integers(0, agents, number)
    right = (left + rng.integers(1, agents, number)) % agents
    lost = rng.random(number) > 1 / (1 + np.exp(strengths[right] - strengths[left]))
    winner = np.where(rng.random(number) < ties, rng.integers(TIE, BOTH_BAD + 1, number), lost)
    return Votes.of_codes(NAMES[:agents], left, right, winner)


def loss(strengths: NDArray[np.float64], votes: Votes) -> float:
    gap = strengths[votes.left] - strengths[votes.right]
    weight = np.ones(len(votes)) if votes.weight is None else votes.weight
    return float((weight * (np.logaddexp(0, gap) - votes.score * gap)).sum())


# --- right numbers ---------------------------------------------------------------------------------------------------


def test_three_wins_to_one_are_95_points_each_way() -> None:
    fit = bradley_terry(Votes.of_wins(["a", "b"], [[0, 3], [1, 0]]))
    assert fit.ratings["a"] == pytest.approx(1095.424251, abs=1e-6)
    assert fit.ratings["b"] == pytest.approx(904.575749, abs=1e-6)
    assert fit.prior == 0 and fit.notes == ()


def test_a_tie_of_either_kind_is_half_a_win_each_way() -> None:
    wins = bradley_terry(Votes.of_wins(["a", "b"], [[0, 3], [2, 0]]))
    for kind in ("tie", "both_bad"):
        ties = bradley_terry(
            Votes.of(["a"] * 3 + ["b"] * 2, ["b"] * 3 + ["a"] * 2, ["left"] * 2 + [kind] * 2 + ["left"])
        )
        assert ties.ratings["a"] == pytest.approx(wins.ratings["a"], abs=1e-9)
    assert bradley_terry(Votes.of(["a"], ["b"], ["tie"])).ratings == {"a": 1000, "b": 1000}


@pytest.mark.parametrize("seed", range(5))
def test_no_other_strengths_are_more_likely(seed: int) -> None:
    votes = random_votes(np.random.default_rng(seed), 300)
    fit = bradley_terry(votes)
    found = minimize(loss, np.zeros(5), args=(votes,), method="BFGS", options={"gtol": 1e-9})
    np.testing.assert_allclose(fit.strengths, found.x - found.x.mean(), atol=2e-6)
    assert loss(np.array(fit.strengths), votes) <= found.fun + 1e-10


def test_the_slope_is_zero_at_the_strengths() -> None:
    votes = random_votes(np.random.default_rng(8), 100_000)
    strengths = np.array(bradley_terry(votes).strengths)
    rest = votes.score - 1 / (1 + np.exp(strengths[votes.right] - strengths[votes.left]))
    slope = np.bincount(votes.left, rest, 5) - np.bincount(votes.right, rest, 5)
    assert np.abs(slope).max() < 1e-6


def test_strengths_agree_with_a_binomial_regression() -> None:
    votes = random_votes(np.random.default_rng(1), 400)
    design = np.zeros((len(votes), 5))
    design[np.arange(len(votes)), votes.left] += 1
    design[np.arange(len(votes)), votes.right] -= 1
    found = sm.GLM(votes.score, design[:, 1:], family=sm.families.Binomial()).fit(tol=1e-14)
    strengths = np.concatenate([[0], found.params])
    np.testing.assert_allclose(bradley_terry(votes).strengths, strengths - strengths.mean(), atol=1e-8)


def test_a_weight_of_two_is_two_votes() -> None:
    votes = random_votes(np.random.default_rng(2), 200)
    weight = np.random.default_rng(3).integers(0, 4, 200)
    weighted = Votes(votes.agents, votes.left, votes.right, votes.winner, weight=weight.astype(float))
    repeated = votes.where(np.repeat(np.arange(200), weight))
    np.testing.assert_allclose(bradley_terry(weighted).strengths, bradley_terry(repeated).strengths, atol=1e-9)


def test_the_scale_of_weights_does_not_matter() -> None:
    votes = random_votes(np.random.default_rng(2), 200)
    for scale in (1e-9, 1e9):
        scaled = Votes(votes.agents, votes.left, votes.right, votes.winner, weight=np.full(200, scale))
        np.testing.assert_allclose(bradley_terry(scaled).strengths, bradley_terry(votes).strengths, atol=1e-8)


def test_lopsided_votes_converge() -> None:
    wins = [[0, 10**6, 3], [1, 0, 10**5], [0, 2, 0]]
    fit = bradley_terry(Votes.of_wins(["a", "b", "c"], wins))
    found = counts(Votes.of_wins(["a", "b", "c"], wins))
    strengths = np.array(fit.strengths)
    chance = 1 / (1 + np.exp(strengths[found.second] - strengths[found.first]))
    rest = found.wins - found.total * chance
    assert np.abs(np.bincount(found.first, rest, 3) - np.bincount(found.second, rest, 3)).max() < 1e-4
    assert fit.ratings["a"] - fit.ratings["b"] == pytest.approx(400 * 6, abs=1)


def test_the_anchor_gets_its_rating_and_the_others_move_along() -> None:
    votes = random_votes(np.random.default_rng(4), 200)
    free, tied = bradley_terry(votes), bradley_terry(votes, anchor=("c", 1500))
    assert tied.ratings["c"] == 1500
    for name in free.agents:
        assert tied.ratings[name] - 1500 == pytest.approx(free.ratings[name] - free.ratings["c"], abs=1e-9)
    with pytest.raises(UnknownName, match="zed"):
        bradley_terry(votes, anchor=("zed", 1000))
    with pytest.raises(InvalidInput, match="finite rating"):
        bradley_terry(votes, anchor=("a", float("nan")))


# --- what must not matter --------------------------------------------------------------------------------------------


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.permutations(range(5)))
def test_names_order_and_sides_do_not_matter(seed: int, order: list[int]) -> None:
    rng = np.random.default_rng(seed)
    votes = random_votes(rng, 60)
    fit = bradley_terry(votes, prior=0.5)
    assert sum(fit.strengths) == pytest.approx(0, abs=1e-9)
    assert np.mean(list(fit.ratings.values())) == pytest.approx(1000)
    position = np.argsort(order)
    rows = rng.permutation(60)
    swap = rng.random(60) < 0.5
    left, right = position[votes.left], position[votes.right]
    winner = np.where(swap & (votes.winner < TIE), 1 - votes.winner, votes.winner)
    renamed = Votes.of_codes(
        [NAMES[at] for at in order], np.where(swap, right, left)[rows], np.where(swap, left, right)[rows], winner[rows]
    )
    again = bradley_terry(renamed, prior=0.5)
    for name in NAMES[:5]:
        assert again.ratings[name] == pytest.approx(fit.ratings[name], abs=1e-6)


def test_many_sets_at_once_are_solved_as_one_by_one() -> None:
    rng = np.random.default_rng(5)
    sets = [counts(random_votes(np.random.default_rng(seed), 300)) for seed in range(40)]
    pairs = Pairs(5, sets[0].first, sets[0].second)
    score = np.stack([found.wins + found.ties / 2 for found in sets], axis=1)
    total = np.stack([found.total for found in sets], axis=1)
    for start in (None, rng.normal(0, 1, 5)):  # far from most solutions: those are left to Newton
        solved = solve(pairs, score, total, start)
        for at, found in enumerate(sets):
            np.testing.assert_allclose(solved[:, at], bradley_terry(found).strengths, atol=1e-8)


def test_sets_of_very_many_agents_are_solved_as_one_by_one() -> None:
    rng = np.random.default_rng(6)
    agents, names = 120, [f"{at:03}" for at in range(120)]
    strengths = rng.normal(0, 1, agents)
    left = np.arange(6000) % agents
    right = (left + rng.integers(1, agents, 6000)) % agents
    lost = rng.random(6000) > 1 / (1 + np.exp(strengths[right] - strengths[left]))
    found = counts(Votes.of_codes(names, left, right, lost))
    pairs, score = Pairs(agents, found.first, found.second), found.wins + found.ties / 2
    # Weights far from even: one matrix does not serve all, and conjugate gradients have work to do.
    weight = rng.exponential(1, (len(score), 12))
    solved = solve(
        pairs, score[:, None] * weight, found.total[:, None] * weight, np.array(bradley_terry(found).strengths)
    )
    for at in range(12):
        alone = solve(pairs, (score * weight[:, at])[:, None], (found.total * weight[:, at])[:, None])
        np.testing.assert_allclose(solved[:, at], alone[:, 0], atol=1e-8)


# --- votes without finite ratings ------------------------------------------------------------------------------------


def reaches(agents: int, edges: set[tuple[int, int]]) -> bool:
    """Whether every agent leads to every other, by Warshall's algorithm."""
    there = np.eye(agents, dtype=bool)
    for one, other in edges:
        there[one, other] = True
    for middle in range(agents):
        there |= there[:, middle : middle + 1] & there[middle]
    return bool(there.all())


def test_finite_strengths_are_recognised() -> None:
    rng = np.random.default_rng(0)
    first, second = np.triu_indices(4, 1)
    score = rng.choice([0.0, 0.5, 1.0], (6, 300), p=[0.45, 0.1, 0.45])
    total = np.where(rng.random((6, 300)) < 0.8, 1.0, 0.0)
    score *= total
    found = solvable(Pairs(4, first, second), score, total)
    for at in range(300):
        edges = set()
        for i, j, won, met in zip(first, second, score[:, at], total[:, at], strict=True):
            edges |= {(i, j)} if won > 0 else set()
            edges |= {(j, i)} if met - won > 0 else set()
        assert found[at] == reaches(4, edges)
    assert 0 < found.sum() < 300


def test_an_agent_that_never_won_gets_a_finite_rating_and_a_note() -> None:
    fit = bradley_terry(Votes.of_wins(["a", "b", "c"], [[0, 3, 5], [1, 0, 5], [0, 0, 0]]))
    assert fit.prior == 0.5
    assert "c never won" in fit.notes[0] and "0.5 virtual tied votes" in fit.notes[0]
    assert fit.ratings["c"] < fit.ratings["b"] < fit.ratings["a"]
    plain(fit)


def test_an_agent_that_never_lost_is_named() -> None:
    fit = bradley_terry(Votes.of_wins(["a", "b"], [[0, 5], [0, 0]]))
    assert "b never won" in fit.notes[0] and "a never lost" in fit.notes[0]
    assert fit.ratings["a"] > 1000 > fit.ratings["b"]


def test_one_vote_is_enough_for_a_rating_with_a_note() -> None:
    fit = bradley_terry(Votes.of(["a"], ["b"], ["left"]))
    # One win and half a virtual tie: 1.25 to 0.25.
    assert fit.ratings["a"] - fit.ratings["b"] == pytest.approx(400 * np.log10(5))
    assert fit.notes


def test_groups_between_which_all_votes_go_one_way_are_named() -> None:
    wins = [[0, 2, 1, 0], [2, 0, 0, 1], [0, 0, 0, 3], [0, 0, 3, 0]]
    fit = bradley_terry(Votes.of_wins(NAMES[:4], wins))
    assert "{a, b}" in fit.notes[0] and "{c, d}" in fit.notes[0]
    assert min(fit.ratings["a"], fit.ratings["b"]) > max(fit.ratings["c"], fit.ratings["d"])


def test_a_prior_of_zero_refuses_what_has_no_finite_rating() -> None:
    with pytest.raises(InvalidInput, match="no finite ratings"):
        bradley_terry(Votes.of_wins(["a", "b"], [[0, 5], [0, 0]]), prior=0)
    assert bradley_terry(Votes.of_wins(["a", "b"], [[0, 5], [1, 0]]), prior=0).prior == 0


def test_a_given_prior_is_always_used_and_draws_ratings_together() -> None:
    votes = Votes.of_wins(["a", "b"], [[0, 3], [1, 0]])
    gaps = []
    for prior in (0.0, 1.0, 10.0, 1e6):
        fit = bradley_terry(votes, prior=prior)
        gaps.append(fit.ratings["a"] - 1000)
        assert bool(fit.notes) == (prior > 0)
    assert gaps == sorted(gaps, reverse=True) and gaps[-1] < 0.01
    # With two agents a prior of 1 is one tie.
    tied = bradley_terry(Votes.of_wins(["a", "b"], [[0, 3], [1, 0]], [[0, 1], [0, 0]]))
    assert gaps[1] == pytest.approx(tied.ratings["a"] - 1000)
    for bad in (-1.0, float("nan")):
        with pytest.raises(InvalidInput, match="prior"):
            bradley_terry(votes, prior=bad)


def test_the_light_prior_hardly_moves_ratings_that_are_well_known() -> None:
    wins = np.array([[0, 600, 40], [400, 0, 40], [0, 0, 0]])
    without = bradley_terry(Votes.of_wins(["a", "b"], wins[:2, :2]))
    with_lost = bradley_terry(Votes.of_wins(["a", "b", "c"], wins))
    gap = with_lost.ratings["a"] - with_lost.ratings["b"]
    assert gap == pytest.approx(without.ratings["a"] - without.ratings["b"], abs=0.5)


def test_virtual_ties_are_spread_over_all_others() -> None:
    pairs, score, total = with_prior(
        Pairs(3, np.array([2]), np.array([0])), np.array([[3.0]]), np.array([[4.0]]), prior=1.0
    )
    assert list(zip(pairs.first, pairs.second, strict=True)) == list(itertools.combinations(range(3), 2))
    assert total[:, 0].tolist() == [0.5, 4.5, 0.5]
    assert score[:, 0].tolist() == [0.25, 1.25, 0.25]  # agent 2 was listed first: 0 has 1 of 4


def test_groups_that_never_met_are_refused_by_name() -> None:
    votes = Votes.of_wins(NAMES[:4], [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 2], [0, 0, 1, 0]])
    for prior in (None, 0.0):
        with pytest.raises(InvalidInput, match=r"2 groups .* \{a, b\} and \{c, d\}"):
            bradley_terry(votes, prior=prior)
    fit = bradley_terry(votes, prior=1.0)
    assert "never met" in fit.notes[0]
    assert fit.ratings["a"] == pytest.approx(1000) and fit.ratings["c"] > fit.ratings["d"]


def test_an_agent_without_votes_is_a_group_of_its_own() -> None:
    with pytest.raises(InvalidInput, match=r"\{c\}"):
        bradley_terry(Votes.of_wins(["a", "b", "c"], [[0, 1, 0], [1, 0, 0], [0, 0, 0]]))


def test_no_votes_and_one_agent_are_refused() -> None:
    with pytest.raises(InvalidInput, match="two agents"):
        bradley_terry(Votes.of([], [], []))
    with pytest.raises(InvalidInput, match="needs votes"):
        bradley_terry(Votes.of_codes(["a", "b"], [], [], []))
    with pytest.raises(InvalidInput, match="needs votes"):
        bradley_terry(Votes.of(["a"], ["b"], ["left"], weight=[0]))
    with pytest.raises(InvalidInput, match="two agents"):
        bradley_terry(Votes.of_codes(["a"], [], [], []))


def test_four_hundred_points_are_ten_to_one() -> None:
    assert ELO * np.log(10) == pytest.approx(400)
