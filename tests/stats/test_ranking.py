from dataclasses import replace

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import bootstrap

from fairground.core import InvalidInput
from fairground.stats.interval import plain
from fairground.stats.tables.table import Names
from fairground.stats.votes.bradley_terry import ELO, bradley_terry
from fairground.stats.votes.category_ranking import rank_by_category
from fairground.stats.votes.rank_resampling import draw_strengths, units_of
from fairground.stats.votes.ranking import METHODS, Ranking, rank
from fairground.stats.votes.vote_clusters import clusters_of, effective_number
from fairground.stats.votes.votes import BOTH_BAD, TIE, Votes
from fairground.stats.votes.win_rates import disagreements, observed_win_rates, predicted_win_rates

NAMES = [f"agent {at}" for at in range(20)]


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def drawn_votes(strengths: NDArray[np.float64], number: int, rng: np.random.Generator, ties: float = 0.2) -> Votes:
    """Votes whose true ratings, with ties as half, have these strengths."""
    agents = len(strengths)
    left = rng.integers(0, agents, number)
    right = (left + rng.integers(1, agents, number)) % agents
    share = 1 / (1 + np.exp(strengths[right] - strengths[left]))
    tied = np.minimum(ties, 2 * np.minimum(share, 1 - share))
    draw = rng.random(number)
    winner = np.where(draw < share - tied / 2, 0, np.where(draw < share + tied / 2, TIE, 1))
    return Votes.of_codes(NAMES[:agents], left, right, winner)


def with_voters(votes: Votes, codes: NDArray[np.integer], column: str = "voter") -> Votes:
    names = tuple(f"{at:05}" for at in range(codes.max() + 1))
    return replace(votes, **{column: Names(names, codes.astype(np.int32))})


STRENGTHS = np.array([0.6, 0.3, 0.0, -0.3, -0.6])


# --- resampling is exact in law --------------------------------------------------------------------------------------


@pytest.mark.simulation
def test_resamples_of_counts_are_distributed_like_resamples_of_votes() -> None:
    votes = drawn_votes(STRENGTHS[:3], 90, generator(1))
    fit = np.array(bradley_terry(votes).strengths)
    fast, _ = draw_strengths(units_of(votes), fit, 0.0, 4000, generator(2))
    rng = generator(3)
    slow = np.array([bradley_terry(votes.where(rng.integers(0, 90, 90))).strengths for _ in range(400)]).T
    np.testing.assert_allclose(fast.mean(axis=1), slow.mean(axis=1), atol=0.03)
    np.testing.assert_allclose(fast.std(axis=1), slow.std(axis=1), rtol=0.08)
    quantiles = [0.025, 0.25, 0.75, 0.975]
    np.testing.assert_allclose(np.quantile(fast, quantiles, axis=1), np.quantile(slow, quantiles, axis=1), atol=0.08)


@pytest.mark.slow
def test_resamples_of_voters_keep_their_votes_together() -> None:
    rng = generator(4)
    votes = drawn_votes(STRENGTHS[:3], 120, rng)
    votes = with_voters(votes, rng.integers(0, 15, 120))
    assert votes.voter is not None
    fit = np.array(bradley_terry(votes).strengths)
    fast, _ = draw_strengths(units_of(votes, clusters_of(votes, "voter").codes["voter"]), fit, 0.0, 4000, generator(5))
    members = [np.flatnonzero(votes.voter.codes == at) for at in range(15)]
    slow = []
    for _ in range(1500):
        rows = np.concatenate([members[at] for at in rng.integers(0, 15, 15)])
        slow.append(bradley_terry(votes.where(rows)).strengths)
    np.testing.assert_allclose(fast.std(axis=1), np.array(slow).std(axis=0), rtol=0.08)
    np.testing.assert_allclose(fast.mean(axis=1), np.array(slow).mean(axis=0), atol=0.03)


@pytest.mark.simulation
def test_weighted_votes_are_drawn_with_their_weights() -> None:
    rng = generator(6)
    votes = replace(drawn_votes(STRENGTHS[:3], 100, rng), weight=rng.choice([0.0, 0.5, 1.0, 4.0], 100))
    fit = np.array(bradley_terry(votes).strengths)
    fast, _ = draw_strengths(units_of(votes), fit, 0.0, 4000, generator(7))
    slow = np.array([bradley_terry(votes.where(rng.integers(0, 100, 100))).strengths for _ in range(600)]).T
    np.testing.assert_allclose(fast.std(axis=1), slow.std(axis=1), rtol=0.1)
    assert units_of(votes).number.sum() == 100


def test_each_vote_as_its_own_voter_is_a_resample_of_votes() -> None:
    votes = with_voters(drawn_votes(STRENGTHS, 400, generator(8)), np.arange(400))
    one = rank(votes, rng=generator(1), resamples=4000)
    other = rank(votes, rng=generator(2), resamples=4000, cluster="voter")
    for row in one.agents:
        assert other[row.agent].rating.low == pytest.approx(row.rating.low, abs=3)
    exact = [rank(votes, rng=generator(1), method="sandwich", cluster=cluster) for cluster in ("none", "voter")]
    np.testing.assert_allclose(exact[0].covariance, exact[1].covariance, rtol=1e-9, atol=1e-15)


def test_the_sandwich_agrees_with_a_binomial_regression() -> None:
    rng = generator(9)
    votes = with_voters(drawn_votes(STRENGTHS, 500, rng), rng.integers(0, 25, 500), "task")
    assert votes.task is not None
    design = np.zeros((500, 5))
    design[np.arange(500), votes.left] += 1
    design[np.arange(500), votes.right] -= 1
    model = sm.GLM(votes.score, design[:, 1:], family=sm.families.Binomial())
    shift = np.vstack([np.zeros(4), np.eye(4)]) - 1 / 5
    for cluster, kind, keywords, number in (
        ("none", "HC0", None, 500),
        ("task", "cluster", {"groups": votes.task.codes, "use_correction": False}, effective_number(votes.task.codes)),
    ):
        found = model.fit(cov_type=kind, cov_kwds=keywords, tol=1e-14).cov_params()
        ranking = rank(votes, rng=generator(), method="sandwich", cluster=cluster)
        expected = shift @ found @ shift.T * number / (number - 1)
        np.testing.assert_allclose(ranking.covariance, expected, rtol=1e-6, atol=1e-12)


def test_three_methods_agree_on_many_votes() -> None:
    votes = drawn_votes(STRENGTHS, 20_000, generator(10))
    rankings = [rank(votes, rng=generator(1), resamples=4000, method=method) for method in METHODS]
    for name in votes.agents:
        ends = np.array([(ranking[name].rating.low, ranking[name].rating.high) for ranking in rankings])
        assert np.ptp(ends, axis=0).max() < 1


def test_bca_agrees_with_scipy_where_it_can_compute_the_same() -> None:
    # With two agents a rating is a monotone function of the win share, and BCa respects such functions. Weights make
    # the share smooth and lopsided, so that the corrections show.
    rng = generator(26)
    weight, won = rng.lognormal(0, 0.7, 200), (rng.random(200) < 0.9).astype(float)
    votes = replace(Votes.of_codes(["a", "b"], np.zeros(200), np.ones(200), 1 - won), weight=weight)

    def share(won: NDArray[np.float64], weight: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
        return (won * weight).sum(axis=axis) / weight.sum(axis=axis)

    ends = {}
    for method in ("BCa", "percentile"):
        options = {"n_resamples": 20_000, "method": method, "paired": True, "rng": generator(1)}
        found = bootstrap((won, weight), share, **options).confidence_interval
        ends[method] = [1000 + 200 * np.log10(end / (1 - end)) for end in found]
    assert np.abs(np.subtract(ends["BCa"], ends["percentile"])).min() > 4
    for name, method in (("BCa", "bca"), ("percentile", "percentile")):
        rating = rank(votes, rng=generator(2), resamples=20_000, method=method)["a"].rating
        assert [rating.low, rating.high] == pytest.approx(ends[name], abs=2)
        assert rating.method == f"bootstrap over votes, {method}"


# --- intervals -------------------------------------------------------------------------------------------------------


def covered(strengths: NDArray[np.float64], votes: int, experiments: int, method: str, seed: int) -> float:
    rng = generator(seed)
    true = 1000 + ELO * (strengths - strengths.mean())
    hits = []
    for _ in range(experiments):
        ranking = rank(drawn_votes(strengths, votes, rng), rng=rng, resamples=400, method=method)
        hits += [true[at] in ranking[NAMES[at]].rating for at in range(len(strengths))]
    return float(np.mean(hits))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.simulation
def test_intervals_hold_the_truth_as_often_as_they_say(method: str) -> None:
    # 5 x 70 intervals, correlated within an experiment: a standard error of about 0.016.
    assert 0.91 <= covered(STRENGTHS, 600, 70, method, seed=11) <= 0.985


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("votes", [200, 2000])
def test_intervals_hold_the_truth_as_often_as_they_say_in_many_experiments(method: str, votes: int) -> None:
    strengths = np.linspace(0.9, -0.9, 12)
    # Some 33 votes an agent are few: everything may be a little short there.
    floor = 0.92 if votes == 200 else 0.935
    assert floor <= covered(strengths, votes, 500, method, seed=12) <= 0.965


def test_votes_of_few_voters_who_lean_need_the_voters_drawn() -> None:
    rng = generator(13)
    number, voters = 3000, 40
    codes = rng.integers(0, voters, number)
    taste = rng.normal(0, 1.0, (voters, 3))  # each voter has a favourite of their own
    left = rng.integers(0, 3, number)
    right = (left + rng.integers(1, 3, number)) % 3
    gap = taste[codes, left] - taste[codes, right]
    winner = (rng.random(number) > 1 / (1 + np.exp(-gap))).astype(int)
    votes = with_voters(Votes.of_codes(NAMES[:3], left, right, winner), codes)
    naive, right_one = (rank(votes, rng=generator(1), cluster=cluster) for cluster in ("none", "voter"))
    for row in naive.agents:
        assert right_one[row.agent].rating.width > 2 * row.rating.width


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(METHODS))
def test_higher_levels_hold_lower_ones_and_the_estimate_lies_inside(seed: int, method: str) -> None:
    votes = drawn_votes(STRENGTHS[:4], 250, generator(seed))
    narrow, wide = (
        rank(votes, rng=generator(seed), resamples=300, level=level, method=method) for level in (0.5, 0.99)
    )
    for row in narrow.agents:
        other = wide[row.agent].rating
        assert other.low <= row.rating.low <= row.rating.high <= other.high
        assert other.low <= row.rating.estimate <= other.high
        assert row.ranks[0] >= wide[row.agent].ranks[0] and row.ranks[1] <= wide[row.agent].ranks[1]


@pytest.mark.parametrize("method", METHODS)
def test_four_times_the_votes_halve_the_interval(method: str) -> None:
    votes = drawn_votes(STRENGTHS, 1000, generator(14))
    four = votes.where(np.tile(np.arange(1000), 4))
    one, other = (rank(v, rng=generator(1), resamples=3000, method=method) for v in (votes, four))
    for row in one.agents:
        assert other[row.agent].rating.width == pytest.approx(row.rating.width / 2, rel=0.1)


def test_the_same_generator_gives_the_same_ranking() -> None:
    votes = drawn_votes(STRENGTHS, 300, generator(15))
    assert plain(rank(votes, rng=generator(7))) == plain(rank(votes, rng=generator(7)))
    assert plain(rank(votes, rng=generator(7))) != plain(rank(votes, rng=generator(8)))


def test_names_order_and_sides_of_votes_do_not_matter() -> None:
    votes = drawn_votes(STRENGTHS, 300, generator(16))
    rows = generator(17).permutation(300)
    mirrored = np.where(votes.winner < TIE, 1 - votes.winner, votes.winner)
    names = [f"other {at}" for at in range(5)]
    swapped = Votes.of_codes(names, votes.right[rows], votes.left[rows], mirrored[rows])
    one, other = rank(votes, rng=generator(1)), rank(swapped, rng=generator(1))
    for at in range(5):
        first, second = one[NAMES[at]], other[names[at]]
        assert first.rating.low == pytest.approx(second.rating.low, abs=1e-6)
        assert (first.rank, first.ranks, first.sure_ranks, first.wins) == (
            second.rank,
            second.ranks,
            second.sure_ranks,
            second.wins,
        )


# --- the leaderboard -------------------------------------------------------------------------------------------------


def test_rank_goes_by_the_lower_bound() -> None:
    # b won more of its votes, but has few of them.
    wins = np.zeros((6, 6), dtype=int)
    wins[0, 2:], wins[2:, 0] = 130, 70
    wins[1, 2:], wins[2:, 1] = 7, 3
    ranking = rank(Votes.of_wins(list("abcdef"), wins), rng=generator())
    assert ranking["b"].rating.estimate > ranking["a"].rating.estimate
    assert ranking["b"].rating.low < ranking["a"].rating.low
    assert (ranking["a"].rank, ranking["b"].rank) == (1, 2)
    assert [row.rank for row in ranking.agents] == sorted(row.rank for row in ranking.agents)
    assert ranking["b"].best > 0.5 and ranking["b"].ranks[0] == 1


def test_votes_are_tallied_from_each_side() -> None:
    votes = Votes.of(["a", "b", "a", "b", "a"], ["b", "a", "b", "a", "c"], ["left", "left", "tie", "both_bad", "right"])
    row = rank(votes, rng=generator())["a"]
    assert (row.votes, row.wins, row.losses, row.ties, row.both_bad) == (5, 1, 2, 2, 1)
    assert row.win_rate.estimate == pytest.approx(2 / 5)


def test_win_rates_are_weighted_and_counts_are_not() -> None:
    votes = Votes.of(["a", "a"], ["b", "b"], ["left", "right"], weight=[3, 1])
    row = rank(votes, rng=generator())["a"]
    assert (row.votes, row.wins, row.win_rate.estimate) == (2, 1, 0.75)


def test_chances_to_be_the_best_sum_to_one_even_when_all_are_equal() -> None:
    ranking = rank(drawn_votes(STRENGTHS, 200, generator(18)), rng=generator())
    assert sum(row.best for row in ranking.agents) == pytest.approx(1)
    ties = rank(Votes.of(["a", "b", "c"] * 5, ["b", "c", "a"] * 5, ["tie"] * 15), rng=generator())
    assert [row.best for row in ties.agents] == pytest.approx([1 / 3] * 3)
    assert {row.rank for row in ties.agents} == {1}
    assert all(row.rating.low == pytest.approx(1000) and row.sure_ranks == (1, 3) for row in ties.agents)


def test_an_anchor_shifts_ratings_but_no_rank() -> None:
    votes = drawn_votes(STRENGTHS, 400, generator(19))
    for method in METHODS:
        free = rank(votes, rng=generator(1), method=method)
        tied = rank(votes, rng=generator(1), method=method, anchor=(NAMES[2], 1200))
        anchor = tied[NAMES[2]].rating
        assert (anchor.low, anchor.estimate, anchor.high) == (1200, 1200, 1200)
        assert [row.rank for row in free.agents] == [row.rank for row in tied.agents]
        assert [row.agent for row in free.agents] == [row.agent for row in tied.agents]
        other = tied[NAMES[0]].rating
        assert other.low < other.estimate < other.high
        # A difference of two ratings is less certain than one rating against the mean.
        assert other.width > free[NAMES[0]].rating.width


def test_sure_ranks_follow_from_pairs_that_differ() -> None:
    votes = drawn_votes(np.array([2.0, 0.0, 0.0, -2.0]), 2000, generator(20))
    ranking = rank(votes, rng=generator())
    spans = [ranking[NAMES[at]].sure_ranks for at in range(4)]
    assert spans == [(1, 1), (2, 3), (2, 3), (4, 4)]
    for row in ranking.agents:
        assert row.sure_ranks[0] <= row.ranks[0] <= row.ranks[1] <= row.sure_ranks[1]


def test_a_ranking_becomes_plain_data_without_its_arrays() -> None:
    data = plain(rank(drawn_votes(STRENGTHS, 100, generator(21)), rng=generator()))
    assert data["agents"][0]["rating"]["level"] == 0.95
    assert "drawn" not in data and "covariance" not in data


def test_an_unknown_agent_is_no_row() -> None:
    with pytest.raises(KeyError):
        rank(drawn_votes(STRENGTHS, 100, generator(21)), rng=generator())["nobody"]


# --- votes that say little -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_an_agent_that_never_won_is_ranked_with_a_note(method: str) -> None:
    votes = Votes.of_wins(["a", "b", "c"], [[0, 30, 10], [20, 0, 10], [0, 0, 0]])
    ranking = rank(votes, rng=generator(), method=method)
    assert ranking.prior == 0.5 and "c never won" in ranking.notes[0]
    assert ranking["c"].rank == 3 and np.isfinite([ranking["c"].rating.low, ranking["c"].rating.high]).all()


def test_resamples_without_finite_ratings_are_counted_in_a_note() -> None:
    votes = Votes.of_wins(["a", "b", "c"], [[0, 6, 4], [4, 0, 4], [1, 0, 0]])
    ranking = rank(votes, rng=generator(), resamples=2000)
    (note,) = ranking.notes
    number = int(note.split()[0])
    # The one vote for c is absent from a resample of 19 with probability (18/19)^19 = 0.358; others may also break.
    assert 0.34 * 2000 < number < 0.42 * 2000 and "light prior" in note
    assert ranking.prior == 0


@pytest.mark.parametrize("method", METHODS)
def test_one_vote_gives_a_ranking_that_says_what_it_rests_on(method: str) -> None:
    ranking = rank(Votes.of(["a"], ["b"], ["left"]), rng=generator(), method=method)
    assert ranking.notes and ranking.votes == 1
    assert ranking["a"].sure_ranks in ((1, 2), (1, 1))
    plain(ranking)


def test_what_cannot_be_ranked_is_refused() -> None:
    with pytest.raises(InvalidInput, match="never met"):
        rank(Votes.of_wins(list("abcd"), np.kron(np.eye(2, dtype=int), [[0, 1], [1, 0]])), rng=generator())
    with pytest.raises(InvalidInput, match="two agents"):
        rank(Votes.of([], [], []), rng=generator())


def test_groups_that_never_met_can_be_ranked_with_a_prior() -> None:
    votes = Votes.of_wins(list("abcd"), np.kron(np.eye(2, dtype=int), [[0, 9], [1, 0]]))
    for method in METHODS:
        ranking = rank(votes, rng=generator(), prior=1.0, method=method)
        assert "never met" in ranking.notes[0]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"method": "magic"}, "method: expected auto, percentile, bca, sandwich"),
        ({"cluster": "moons"}, "cluster: expected auto, none, task, voter, both"),
        ({"level": 1.0}, "level"),
        ({"resamples": 1}, "resamples"),
        ({"cluster": "voter"}, "needs each vote's voter"),
        ({"cluster": "task"}, "needs at least two tasks, got 1"),
        ({"anchor": ("nobody", 1000)}, "unknown agent"),
        ({"prior": -1}, "prior"),
    ],
)
def test_options_that_do_not_fit_are_refused(options: dict[str, object], told: str) -> None:
    votes = Votes.of(["a", "b"], ["b", "a"], ["left", "left"], task=["t", "t"])
    with pytest.raises(InvalidInput, match=told):
        rank(votes, rng=generator(), **options)  # type: ignore[arg-type]


# --- categories and win rates ----------------------------------------------------------------------------------------


def test_each_category_is_ranked_by_its_own_votes() -> None:
    rng = generator(23)
    web, office = drawn_votes(STRENGTHS, 400, rng), drawn_votes(STRENGTHS[::-1], 400, rng)
    both = Votes.of_codes(
        NAMES[:5], np.r_[web.left, office.left], np.r_[web.right, office.right], np.r_[web.winner, office.winner]
    )
    both = replace(both, category=Names(("office", "web"), np.repeat([1, 0], 400).astype(np.int32)))
    found = rank_by_category(both, rng=generator(1))
    assert list(found.rankings) == ["office", "web"] and not found.refused
    expected = rank(web, rng=generator(1).spawn(2)[1])
    assert isinstance(found.rankings["web"], Ranking)
    assert plain(found.rankings["web"]) == plain(expected)
    assert found.rankings["web"].agents[0].agent == NAMES[0]
    assert found.rankings["office"].agents[0].agent == NAMES[4]


def test_a_category_that_cannot_be_ranked_is_listed_with_the_reason() -> None:
    votes = Votes.of(
        ["a", "b", "a", "c"], ["b", "a", "b", "d"], ["left"] * 4, category=["web", "web", "split", "split"]
    )
    found = rank_by_category(votes, rng=generator())
    assert list(found.rankings) == ["web"] and "never met" in found.refused["split"]
    with pytest.raises(InvalidInput, match="category for every vote"):
        rank_by_category(drawn_votes(STRENGTHS, 50, generator()), rng=generator())


def test_observed_win_rates_have_no_value_where_agents_never_met() -> None:
    votes = Votes.of(["a", "b", "a", "b"], ["b", "a", "b", "c"], ["left", "left", "tie", "both_bad"])
    found = observed_win_rates(votes)
    assert found.rates == ((None, 0.5, None), (0.5, None, 0.5), (None, 0.5, None))
    assert found.votes == ((0, 3, 0), (3, 0, 1), (0, 1, 0))
    plain(found)


def test_predicted_win_rates_follow_the_elo_formula() -> None:
    ranking = rank(drawn_votes(STRENGTHS, 300, generator(24)), rng=generator(), anchor=(NAMES[0], 1500))
    rates = predicted_win_rates(ranking).rates
    gap = ranking[NAMES[1]].rating.estimate - ranking[NAMES[3]].rating.estimate
    assert rates[1][3] == pytest.approx(1 / (1 + 10 ** (-gap / 400)))
    assert rates[3][1] == pytest.approx(1 - (rates[1][3] or 0)) and rates[2][2] is None
    assert predicted_win_rates(bradley_terry(drawn_votes(STRENGTHS, 300, generator(24)))).rates[1][3] == rates[1][3]


def test_a_circle_of_wins_is_a_disagreement() -> None:
    circle = Votes.of_wins(["a", "b", "c"], [[0, 80, 20], [20, 0, 80], [80, 20, 0]])
    found = disagreements(circle, rank(circle, rng=generator()))
    assert all(row.predicted == pytest.approx(0.5) and row.p_holm < 1e-6 for row in found)
    assert found[0].votes == 100 and abs(found[0].z) == pytest.approx(6)


def test_votes_that_follow_the_model_seldom_disagree() -> None:
    small = []
    for seed in range(60):
        votes = drawn_votes(STRENGTHS, 800, generator(seed))
        rows = disagreements(votes, rank(votes, rng=generator(), resamples=10))
        assert [abs(row.z) for row in rows] == sorted((abs(row.z) for row in rows), reverse=True)
        small.append(min(row.p_holm for row in rows) < 0.05)
    assert np.mean(small) <= 0.1


def test_weighted_votes_disagree_by_what_they_are_worth() -> None:
    circle = Votes.of_wins(["a", "b", "c"], [[0, 80, 20], [20, 0, 80], [80, 20, 0]])
    plainly = disagreements(circle, rank(circle, rng=generator()))
    scaled = replace(circle, weight=np.full(len(circle), 7.0))
    again = disagreements(scaled, rank(scaled, rng=generator()))
    assert abs(again[0].z) == pytest.approx(abs(plainly[0].z))


def test_a_ranking_of_other_votes_is_refused() -> None:
    votes = drawn_votes(STRENGTHS, 100, generator())
    with pytest.raises(InvalidInput, match="different agents"):
        disagreements(drawn_votes(STRENGTHS[:3], 100, generator()), rank(votes, rng=generator()))


def test_both_bad_is_kept_apart_in_the_tally_and_a_tie_in_the_rating() -> None:
    votes = drawn_votes(STRENGTHS, 200, generator(25))
    bad = replace(votes, winner=np.where(votes.winner == TIE, BOTH_BAD, votes.winner).astype(np.int8))
    one, other = rank(votes, rng=generator()), rank(bad, rng=generator())
    assert one["agent 0"].rating == other["agent 0"].rating
    assert (one["agent 0"].both_bad, other["agent 0"].both_bad) == (0, other["agent 0"].ties)
