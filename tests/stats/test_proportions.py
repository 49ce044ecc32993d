import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from fairground.core import InvalidInput
from fairground.stats.interval import plain
from fairground.stats.proportions import (
    clopper_pearson,
    clopper_pearson_bounds,
    clustered_wilson,
    exact_coverage,
    jeffreys,
    jeffreys_bounds,
    mean_interval,
    score_bounds,
    wald,
    wald_bounds,
    wilson,
    wilson_bounds,
)

METHODS = [wilson, wald, clopper_pearson, jeffreys]
BOUNDS = [wilson_bounds, wald_bounds, clopper_pearson_bounds, jeffreys_bounds]


@st.composite
def counts(draw, most=2000):
    trials = draw(st.integers(1, most))
    return draw(st.integers(0, trials)), trials


def test_wilson_has_the_golden_values():
    none, one = wilson(0, 3), wilson(1, 3)
    assert (none.low, none.estimate) == (0.0, 0.0)
    assert none.high == pytest.approx(0.5614970, abs=5e-8)
    assert (one.low, one.high) == pytest.approx((0.0614919, 0.7923404), abs=5e-8)
    assert one.method == "wilson" and one.level == 0.95


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [(wilson_bounds, "wilson"), (wald_bounds, "normal"), (clopper_pearson_bounds, "beta")],
)
@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999])
def test_bounds_agree_with_statsmodels(ours, theirs, level):
    trials = 25
    successes = np.arange(trials + 1)
    low, high = ours(successes, trials, level)
    expected_low, expected_high = proportion_confint(successes, trials, alpha=1 - level, method=theirs)
    np.testing.assert_allclose(low, np.clip(expected_low, 0, 1), atol=1e-12)
    np.testing.assert_allclose(high, np.clip(expected_high, 0, 1), atol=1e-12)


def test_jeffreys_is_the_beta_posterior_inside_and_exact_at_the_ends():
    low, high = jeffreys_bounds(np.arange(11), 10)
    posterior = stats.beta(np.arange(11) + 0.5, 10 - np.arange(11) + 0.5)
    np.testing.assert_allclose(low[1:], posterior.ppf(0.025)[1:], rtol=1e-10)
    np.testing.assert_allclose(high[:-1], posterior.ppf(0.975)[:-1], rtol=1e-10)
    assert low[0] == 0.0 and high[-1] == 1.0


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("trials", [1, 2, 3, 7, 1000, 10**9])
def test_the_ends_are_exact_where_the_data_are_one_sided(method, trials):
    none, every = method(0, trials), method(trials, trials)
    assert none.low == 0.0 and none.estimate == 0.0
    assert every.high == 1.0 and every.estimate == 1.0
    if method is not wald:
        assert 0 < none.high < 1 and 0 < every.low < 1


@pytest.mark.parametrize("method", METHODS)
@given(case=counts(), level=st.floats(0.001, 0.999999))
def test_an_interval_holds_its_estimate_and_stays_within_0_and_1(method, case, level):
    interval = method(*case, level)
    assert 0 <= interval.low <= interval.estimate <= interval.high <= 1


@pytest.mark.parametrize("method", METHODS)
@given(case=counts(), level=st.floats(0.1, 0.99))
def test_success_and_failure_are_mirror_images(method, case, level):
    successes, trials = case
    interval, mirror = method(successes, trials, level), method(trials - successes, trials, level)
    assert interval.low == pytest.approx(1 - mirror.high, abs=1e-9)
    assert interval.high == pytest.approx(1 - mirror.low, abs=1e-9)


@pytest.mark.parametrize("method", METHODS)
@given(case=counts(), low=st.floats(0.01, 0.98), more=st.floats(0.001, 0.01))
def test_a_higher_level_gives_a_wider_interval(method, case, low, more):
    narrow, wide = method(*case, low), method(*case, low + more)
    assert wide.low <= narrow.low + 1e-12 and narrow.high <= wide.high + 1e-12


@pytest.mark.parametrize("method", METHODS)
@given(case=counts(200), factor=st.integers(2, 50))
def test_the_same_rate_from_more_trials_gives_a_narrower_interval(method, case, factor):
    successes, trials = case
    assert method(successes * factor, trials * factor).width <= method(successes, trials).width + 1e-12


@pytest.mark.parametrize(("method", "bounds"), list(zip(METHODS, BOUNDS, strict=True)))
@given(case=counts())
@settings(max_examples=30)
def test_arrays_and_single_numbers_agree(method, bounds, case):
    low, high = bounds(np.array([case[0]]), np.array([case[1]]), 0.9)
    single = method(*case, 0.9)
    assert (low[0], high[0]) == (single.low, single.high)


def test_bounds_take_arrays_of_any_shape_and_one_number_of_trials():
    low, high = wilson_bounds([[0, 1], [2, 3]], 3)
    assert low.shape == high.shape == (2, 2)
    assert high[0, 0] == wilson(0, 3).high


def test_an_extreme_level_gives_numbers():
    for method in METHODS:
        interval = method(3, 10, 1 - 1e-15)
        assert math.isfinite(interval.low) and math.isfinite(interval.high)


def test_whole_numbers_may_come_as_floats():
    assert wilson(1.0, np.float32(3)) == wilson(1, 3)
    assert plain(wilson(np.int64(1), np.int64(3)))["estimate"] == 1 / 3


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("successes", "trials", "words"),
    [
        (0, 0, "at least 1 trial"),
        (4, 3, "at most the number of trials"),
        (-1, 3, "0 or more"),
        (1.5, 3, "whole number"),
        (1, 2.5, "whole number"),
        (float("nan"), 3, "whole number"),
        (1, float("inf"), "whole number"),
        ("one", 3, "whole numbers"),
        (None, 3, "whole numbers"),
        ([], 3, "at least one"),
        ([1, 2], 3, "expected one number"),
        (1, 2**60, "2^53"),
    ],
)
def test_impossible_counts_are_refused(method, successes, trials, words):
    with pytest.raises(InvalidInput, match=words.replace("^", r"\^")):
        method(successes, trials)


def test_an_error_says_which_count_is_at_fault():
    with pytest.raises(InvalidInput, match=r"successes\[2\]: expected at most the number of trials, got 4"):
        wilson_bounds([1, 3, 4], 3)
    with pytest.raises(InvalidInput, match=r"matching shapes, got \(2,\) and \(3,\)"):
        wilson_bounds([1, 2], [3, 3, 3])


@pytest.mark.parametrize("level", [0, 1, -0.1, 95, float("nan")])
def test_a_level_outside_0_and_1_is_refused(level):
    for method in METHODS:
        with pytest.raises(InvalidInput, match="level"):
            method(1, 3, level)


# --- coverage --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bounds", "rollouts", "golden"),
    [(wald_bounds, 3, 0.2569), (wilson_bounds, 3, 0.9529), (wald_bounds, 20, 0.5973), (wilson_bounds, 20, 0.9533)],
)
@pytest.mark.simulation
def test_coverage_averaged_over_realistic_rates_has_the_golden_values(bounds, rollouts, golden):
    """Rates as they are after 3 rollouts that all failed (0.68) or all succeeded (0.32), at Jeffreys' posterior."""
    quantiles = (np.arange(200_000) + 0.5) / 200_000
    failed = exact_coverage(bounds, rollouts, stats.beta.ppf(quantiles, 0.5, 3.5)).mean()
    solved = exact_coverage(bounds, rollouts, stats.beta.ppf(quantiles, 3.5, 0.5)).mean()
    assert 0.68 * failed + 0.32 * solved == pytest.approx(golden, abs=1e-4)


def test_exact_coverage_is_what_a_simulation_finds():
    rng = np.random.default_rng(1)
    low, high = wilson_bounds(rng.binomial(12, 0.3, 200_000), 12)
    found = np.mean((low <= 0.3) & (high >= 0.3))
    assert exact_coverage(wilson_bounds, 12, [0.3])[0] == pytest.approx(found, abs=0.003)  # some 5 standard errors


@given(trials=st.integers(1, 60), p=st.floats(0, 1), level=st.floats(0.5, 0.99))
def test_clopper_pearson_never_covers_less_than_it_claims(trials, p, level):
    assert exact_coverage(clopper_pearson_bounds, trials, [p], level)[0] >= level - 1e-9


def test_coverage_at_certain_rates_and_with_many_trials_is_a_number():
    covered = exact_coverage(wilson_bounds, 5000, [0.0, 1e-300, 0.5, 1.0])
    assert covered[0] == covered[3] == 1.0
    assert covered[2] == pytest.approx(0.95, abs=0.01)


def test_coverage_keeps_the_shape_of_its_rates_whatever_the_portions():
    p = np.linspace(0, 1, 5000).reshape(50, 100)
    covered = exact_coverage(wilson_bounds, 2000, p)
    assert covered.shape == (50, 100)
    assert covered[10, 10] == exact_coverage(wilson_bounds, 2000, [p[10, 10]])[0]


@pytest.mark.parametrize("p", [[1.2], [-0.1], [float("nan")], []])
def test_coverage_of_impossible_rates_is_refused(p):
    with pytest.raises(InvalidInput):
        exact_coverage(wilson_bounds, 3, p)


# --- means of bounded values -----------------------------------------------------------------------------------------


def test_a_mean_has_student_s_interval():
    values = np.array([0.2, 0.4, 0.5, 0.9])
    interval = mean_interval(values)
    low, high = stats.t.interval(0.95, 3, values.mean(), stats.sem(values))
    assert interval.estimate == pytest.approx(0.5)
    assert interval.low == pytest.approx(max(low, 0)) and interval.high == pytest.approx(min(high, 1))


def test_a_mean_without_spread_is_not_certain():
    assert mean_interval([1.0] * 10).low == pytest.approx(wilson(10, 10).low)
    assert mean_interval([0.5]).width > 0.5
    change = mean_interval([0.0] * 4, smallest=-3, largest=3)
    assert change.low == pytest.approx(-change.high) and -3 < change.low < 0


def test_values_outside_their_bounds_are_refused():
    with pytest.raises(InvalidInput, match="from 0 to 1"):
        mean_interval([0.5, 1.5])


def test_score_bounds_are_wilson_s_for_counts():
    assert score_bounds(0.25, 8) == pytest.approx((wilson(2, 8).low, wilson(2, 8).high))


@pytest.mark.parametrize(
    "alike",
    [
        pytest.param(0.05, id="one coin", marks=pytest.mark.slow),
        pytest.param(0.4, id="some"),
        pytest.param(3.0, id="nearly the same", marks=pytest.mark.slow),
    ],
)
def test_groups_of_trials_are_covered_however_alike_they_are(alike: float) -> None:
    """Rates of groups are drawn from a Beta distribution, wide or narrow; Wilson's own is for the narrowest."""
    rng, truth, held, naive = np.random.default_rng(3), 0.4, 0, 0
    for _ in range(1500):
        rates = rng.beta(truth / alike, (1 - truth) / alike, size=20)
        c = rng.binomial(6, rates)
        found, as_one = clustered_wilson(c, np.full(20, 6)), wilson(int(c.sum()), 120)
        held += found.low <= truth <= found.high
        naive += as_one.low <= truth <= as_one.high
        assert found.low <= as_one.low and as_one.high <= found.high, "never narrower than for independent trials"
    assert 0.93 <= held / 1500 <= 0.99
    assert alike < 0.4 or naive / 1500 < 0.85


def test_groups_that_all_agree_count_once_each() -> None:
    assert clustered_wilson([0] * 8, [4] * 8).high == pytest.approx(wilson(0, 8).high)
    assert clustered_wilson([4] * 8, [4] * 8).low == pytest.approx(wilson(8, 8).low)
    assert clustered_wilson([3], [9]).low == pytest.approx(wilson(3, 9).low), "one group is all there is to say"
    assert clustered_wilson([2] * 9, [4] * 9).width >= wilson(18, 36).width, "groups that happen to be equal"
    with pytest.raises(InvalidInput, match="at least 1 trial"):
        clustered_wilson([0, 1], [0, 2])
