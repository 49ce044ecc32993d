"""Intervals of apps and suites: golden figures, statistics, profiles, and what happens at the ends."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from fairground.core import InvalidInput, UnknownName
from fairground.stats import (
    Cells,
    app_intervals,
    bootstrap,
    exact_variance,
    interval_of,
    iqm,
    mean,
    median,
    profile,
    suite_interval,
    trimmed_mean,
    wilson,
)

from .made_up import TINY, grid_cells, some_of, tree, vars_of


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_a_wide_suite_has_the_interval_that_its_closed_form_variance_gives() -> None:
    """With many scenarios the bootstrap is normal, so percentiles must agree with the exact variance."""
    cells = grid_cells(rng(1), apps=6, scenarios=40, axes=(2, 2), rollouts=3)
    found = suite_interval(bootstrap(cells, rng=rng(2), resamples=20_000))
    half = stats.norm.ppf(0.975) * exact_variance(cells)[0] ** 0.5
    centre = cells.app_means.mean()
    assert (found.low, found.high) == pytest.approx((centre - half, centre + half), abs=0.03 * half)


def test_every_app_counts_the_same_whatever_its_size() -> None:
    cells = tree(
        [("big", f"s{s}", "dark", (1, 1)) for s in range(9)]
        + [("small", "s0", "dark", (0, 0)), ("small", "s1", "dark", (0, 1))]
    )
    assert suite_interval(bootstrap(cells, rng=rng())).estimate == pytest.approx((1 + 0.25) / 2)


def test_rollouts_do_not_weigh_configurations_nor_configurations_scenarios() -> None:
    cells = tree([("app", "s0", "dark", (1,) * 9), ("app", "s0", "light", (0,)), ("app", "s1", "dark", (0,))])
    assert suite_interval(bootstrap(cells, rng=rng())).estimate == pytest.approx((0.5 + 0) / 2)


@pytest.mark.parametrize("number", [1, 2, 3, 4, 5, 7, 10, 15])
def test_statistics_agree_with_scipy(number: int) -> None:
    apps = rng(number).random((20, number))
    assert mean(apps) == pytest.approx(apps.mean(axis=1))
    assert median(apps) == pytest.approx(np.median(apps, axis=1))
    assert trimmed_mean(apps) == pytest.approx(stats.trim_mean(apps, 0.1, axis=1))
    assert iqm(apps) == pytest.approx(stats.trim_mean(apps, 0.25, axis=1))


def test_a_statistic_of_your_own_may_take_rows_or_all_at_once() -> None:
    replicates = bootstrap(grid_cells(rng(3)), rng=rng(4), resamples=500)

    def worst(apps: np.ndarray) -> np.ndarray:
        return apps.min(axis=-1)

    def worst_row(apps: np.ndarray) -> float:
        if apps.ndim > 1:
            raise ValueError("one row at a time")
        return min(apps)

    assert suite_interval(replicates, worst).low == suite_interval(replicates, worst_row).low
    assert suite_interval(replicates, worst).high < suite_interval(replicates, "mean").high
    assert "worst" in suite_interval(replicates, worst).method


def test_a_statistic_that_gives_no_number_is_refused() -> None:
    replicates = bootstrap(grid_cells(rng(3)), rng=rng(4), resamples=50)
    with pytest.raises(InvalidInput, match="one finite number"):
        suite_interval(replicates, lambda apps: np.full(apps.shape[:-1], np.nan))
    with pytest.raises(UnknownName, match="did you mean mean"):
        suite_interval(replicates, "maen")


@pytest.mark.parametrize("outcomes", [(1, 1), (0, 0)])
def test_a_bootstrap_that_sees_no_variation_does_not_claim_certainty(outcomes: tuple[int, int]) -> None:
    cells = tree([(app, f"s{s}", "dark", outcomes) for app in ("a", "b") for s in range(5)])
    replicates = bootstrap(cells, rng=rng())
    suite = suite_interval(replicates)
    assert (suite.low, suite.high) == pytest.approx(
        (wilson(10 * outcomes[0], 10).low, wilson(10 * outcomes[0], 10).high)
    )
    assert "wilson" in suite.method
    app = app_intervals(replicates)["a"]
    assert (app.low, app.high) == pytest.approx((wilson(5 * outcomes[0], 5).low, wilson(5 * outcomes[0], 5).high))


def test_one_episode_gives_nearly_no_knowledge() -> None:
    found = suite_interval(bootstrap(tree([("app", "s", "dark", (1,))]), rng=rng()))
    assert (found.low, found.high) == pytest.approx((wilson(1, 1).low, 1.0))


def test_bca_is_percentile_for_replicates_that_are_even_around_the_estimate() -> None:
    even = np.linspace(-1, 1, 20_001)
    plain_, corrected = (interval_of(even, 0.0, method=method) for method in ("percentile", "bca"))
    assert (corrected.low, corrected.high) == pytest.approx((plain_.low, plain_.high), abs=1e-3)


def test_bca_agrees_with_scipy() -> None:
    data = rng(5).exponential(size=30)
    theirs = stats.bootstrap((data,), np.mean, n_resamples=20_000, method="BCa", rng=rng(6)).confidence_interval
    draws = data[rng(7).integers(30, size=(20_000, 30))].mean(axis=1)
    left_out = (data.sum() - data) / 29
    pull = left_out.mean() - left_out
    acceleration = (pull**3).sum() / (6 * (pull**2).sum() ** 1.5)
    ours = interval_of(draws, float(data.mean()), method="bca", acceleration=acceleration)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), rel=0.02)


def test_bca_of_one_app_has_the_jackknife_acceleration_of_its_scenarios() -> None:
    cells = tree([("app", f"s{s}", "dark", (1, 1, 1, 1) if s else (0, 0, 0, 0)) for s in range(12)])
    replicates = bootstrap(cells, rng=rng(8), resamples=20_000)
    percentile, bca = (suite_interval(replicates, method=method) for method in ("percentile", "bca"))
    assert bca.low < percentile.low  # the data lean to the left, and so must the interval
    assert app_intervals(replicates, method="bca")["app"].low == pytest.approx(bca.low)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32), statistic=st.sampled_from(["mean", "median", "iqm", "trimmed-mean"]))
def test_intervals_hold_the_estimate_and_grow_with_the_level(seed: int, statistic: str) -> None:
    cells = some_of(grid_cells(rng(seed), apps=4, scenarios=3, axes=(2,), rollouts=2), rng(seed))
    replicates = bootstrap(cells, rng=rng(seed), resamples=200)
    for method in ("percentile", "bca"):
        narrow, wide = (suite_interval(replicates, statistic, level=level, method=method) for level in (0.8, 0.99))  # type: ignore[arg-type]
        assert wide.low <= narrow.low <= narrow.estimate <= narrow.high <= wide.high
        assert wide.low >= 0 and wide.high <= 1
        for one in app_intervals(replicates, method=method).values():  # type: ignore[arg-type]
            assert 0 <= one.low <= one.estimate <= one.high <= 1


def test_intervals_shrink_with_scenarios() -> None:
    widths = [
        np.mean(
            [
                suite_interval(
                    bootstrap(grid_cells(rng(seed), apps=3, scenarios=number, axes=(2,)), rng=rng(seed), resamples=400)
                ).width
                for seed in range(5)
            ]
        )
        for number in (4, 16, 64)
    ]
    assert widths[1] == pytest.approx(widths[0] / 2, rel=0.35)
    assert widths[2] == pytest.approx(widths[1] / 2, rel=0.35)


def test_a_profile_falls_from_one_and_holds_its_curve() -> None:
    cells = grid_cells(rng(9), apps=8)
    found = profile(bootstrap(cells, rng=rng(10)))
    fraction, low, high = map(np.array, (found.fraction, found.low, found.high))
    assert fraction[0] == 1 and (np.diff(fraction) <= 0).all()
    assert ((low <= fraction) & (fraction <= high)).all() and (high - low).max() > 0
    at = found.thresholds.index(0.5)
    assert fraction[at] == pytest.approx((cells.app_means >= 0.5).mean())


def test_a_profile_takes_a_rate_of_three_tenths_for_at_least_three_tenths() -> None:
    cells = tree([("app", f"s{s}", "dark", (1,) if s < 3 else (0,)) for s in range(10)])
    assert profile(bootstrap(cells, rng=rng()), [0.3]).fraction == (1.0,)


@pytest.mark.parametrize("level", [0, 1, 1.5, float("nan"), -0.2])
def test_a_level_must_be_between_zero_and_one(level: float) -> None:
    replicates = bootstrap(tree(TINY), rng=rng(), resamples=10)
    for attempt in (suite_interval, app_intervals, profile):
        with pytest.raises(InvalidInput, match="level: expected a number between 0 and 1"):
            attempt(replicates, level=level)  # type: ignore[operator]


def test_an_unknown_method_is_refused() -> None:
    with pytest.raises(InvalidInput, match="method: expected percentile or bca"):
        suite_interval(bootstrap(tree(TINY), rng=rng(), resamples=10), method="student")  # type: ignore[arg-type]


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32), value=st.sampled_from([0, 1]))
def test_episodes_that_all_end_alike_are_known_for_that_however_ragged(seed: int, value: int) -> None:
    draws = rng(seed)
    cells = some_of(grid_cells(draws, apps=3, scenarios=3, axes=(3, 2), rollouts=3), draws)
    cells = Cells(**{**vars_of(cells), "successes": cells.rollouts * float(value)})
    replicates = bootstrap(cells, rng=draws, resamples=100)
    assert "wilson" in suite_interval(replicates).method
    assert suite_interval(replicates).width > 0.1
    assert all("wilson" in one.method for one in app_intervals(replicates).values())
