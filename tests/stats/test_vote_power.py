import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, binomtest, norm

from fairground.core import InvalidInput
from fairground.stats.interval import plain
from fairground.stats.votes.vote_power import detectable_gap, vote_power, votes_needed, win_share


def test_fifty_points_take_511_votes_with_a_winner() -> None:
    found = votes_needed(50, power=0.9, alpha=0.05)
    assert found.win_share == pytest.approx(0.5715, abs=5e-5)
    assert found.decisive == found.votes == 511
    assert vote_power(511, 50) >= 0.9 > vote_power(510, 50)
    plain(found)


def test_two_hundred_votes_a_pair_are_not_enough_for_fifty_points() -> None:
    assert vote_power(200, 50) == pytest.approx(0.525, abs=0.001)
    assert detectable_gap(200) == pytest.approx(80.4, abs=0.2)


def test_exact_power_is_that_of_the_binomial_test() -> None:
    for votes, gap in ((10, 200), (37, 120), (200, 50)):
        share = win_share(gap)
        rejected = [wins for wins in range(votes + 1) if binomtest(wins, votes).pvalue <= 0.05]
        power = binom.pmf(rejected, votes, share).sum()
        assert vote_power(votes, gap, method="exact") == pytest.approx(power, abs=1e-12)


def test_five_votes_can_never_be_significant() -> None:
    assert vote_power(5, 2000, method="exact") == 0  # five to none has p = 0.0625
    assert vote_power(6, 2000, method="exact") > 0.99


def test_the_exact_number_is_enough_from_there_on() -> None:
    found = votes_needed(100, power=0.8)
    for number in range(found.decisive_exact, found.decisive_exact + 40):
        assert vote_power(number, 100, method="exact") >= 0.8
    assert vote_power(found.decisive_exact - 1, 100, method="exact") < 0.8
    assert found.exact_power == vote_power(found.decisive, 100, method="exact")


def test_ties_inflate_the_number_when_the_gap_is_of_votes_with_a_winner() -> None:
    found = votes_needed(50, tie_rate=1 / 3)
    assert found.decisive == 511
    assert found.votes == math.ceil(511 * 1.5)


def test_a_gap_between_ratings_that_count_ties_as_half_means_clearer_winners() -> None:
    apart, half = (votes_needed(50, tie_rate=1 / 3, ties=ties) for ties in ("apart", "half"))
    assert half.win_share == pytest.approx(0.5 + (apart.win_share - 0.5) * 1.5)
    assert half.votes < apart.votes
    with pytest.raises(InvalidInput, match="cannot be 400 points apart"):
        votes_needed(400, tie_rate=0.6, ties="half")


@pytest.mark.parametrize("ties", ["apart", "half"])
@pytest.mark.parametrize(("gap", "tie_rate"), [(50, 0.0), (80, 1 / 3), (150, 0.2)])
def test_the_promised_power_is_found_in_simulated_votes(gap: float, tie_rate: float, ties: str) -> None:
    rng = np.random.default_rng(1)
    needed = votes_needed(gap, power=0.8, tie_rate=tie_rate, ties=ties)
    expected = 1 / (1 + 10 ** (-gap / 400))
    # With ties as half, it is the mean of all votes that the ratings give.
    share = (expected - tie_rate / 2) / (1 - tie_rate) if ties == "half" else expected
    decisive = rng.binomial(needed.votes, 1 - tie_rate, 20_000)
    wins = rng.binomial(decisive, share)
    z = (wins - decisive / 2) / np.sqrt(decisive / 4)
    assert (np.abs(z) > norm.ppf(0.975)).mean() == pytest.approx(0.8, abs=0.025)


def test_without_a_gap_the_power_is_the_error_rate() -> None:
    assert vote_power(500, 0) == pytest.approx(0.05)
    assert vote_power(500, 0, method="exact") <= 0.05


@given(st.floats(5, 400), st.floats(0.3, 0.99), st.floats(0, 0.6))
def test_number_and_gap_are_inverse(gap: float, power: float, tie_rate: float) -> None:
    found = votes_needed(gap, power=power, tie_rate=tie_rate)
    assert vote_power(found.votes, gap, tie_rate=tie_rate) >= power - 1e-9
    # At so many votes the wanted gap is just seen; with a single one less it is not, up to rounding.
    assert detectable_gap(found.votes, power=power, tie_rate=tie_rate) <= gap + 1e-6
    assert votes_needed(-gap, power=power, tie_rate=tie_rate) == found


@given(st.integers(10, 10**6), st.floats(1, 300))
def test_more_votes_and_wider_gaps_have_more_power(votes: int, gap: float) -> None:
    assert vote_power(votes + 1, gap) >= vote_power(votes, gap) - 1e-12
    assert vote_power(votes, gap + 1) >= vote_power(votes, gap) - 1e-12
    assert 0 <= vote_power(votes, gap, method="exact") <= 1


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: votes_needed(0), "too few to detect"),
        (lambda: votes_needed(float("nan")), "gap"),
        (lambda: votes_needed(50, power=1.0), "power"),
        (lambda: votes_needed(50, power=0.04), "more than alpha"),
        (lambda: votes_needed(50, alpha=0), "alpha"),
        (lambda: votes_needed(50, tie_rate=1.0), "tie_rate"),
        (lambda: votes_needed(50, ties="ignored"), "ties"),
        (lambda: votes_needed(50, design_effect=0), "design_effect"),
        (lambda: vote_power(0, 50), "votes"),
        (lambda: vote_power(10, 50, method="magic"), "method"),
        (lambda: detectable_gap(0), "votes"),
        (lambda: detectable_gap(2), "cannot detect any gap"),
    ],
)
def test_bad_questions_are_refused(call: object, told: str) -> None:
    with pytest.raises(InvalidInput, match=told):
        call()  # type: ignore[operator]


def test_dependent_votes_are_worth_fewer() -> None:
    assert votes_needed(50, design_effect=2.7).votes == math.ceil(2.7 * 511)
    assert votes_needed(50, design_effect=2.7).decisive == votes_needed(50).decisive
    assert detectable_gap(540, design_effect=2.7) == pytest.approx(detectable_gap(200))
    assert vote_power(540, 50, design_effect=2.7) == pytest.approx(vote_power(200, 50))
