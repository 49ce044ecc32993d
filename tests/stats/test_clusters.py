"""The default intervals: hand-made cases, agreement with textbook tests, and coverage by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats as scipy_stats

from fairground.core import InvalidInput
from fairground.stats import (
    DISTRIBUTIONS,
    StudyShape,
    app_scores,
    calibrate,
    compare,
    count,
    power,
    score,
    score_of_counts,
    score_profile,
    summarise,
    table_from_rows,
    table_of,
    wilson,
)
from fairground.stats.planning.plan_records import DifferenceComponents
from fairground.stats.suites.clusters import difference_spread, score_spread


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def codes(*sizes: int) -> np.ndarray:
    return np.repeat(np.arange(len(sizes)), sizes).astype(np.int32)


def test_the_variance_is_that_of_stratified_sampling() -> None:
    means = rng().random(9)
    found = score_spread(means, codes(4, 3, 2))
    parts = [means[:4], means[4:7], means[7:]]
    assert found.estimate == pytest.approx(np.mean([part.mean() for part in parts]))
    assert found.variance == pytest.approx(sum(part.var(ddof=1) / len(part) for part in parts) / 9)


def test_degrees_of_freedom_are_scenarios_less_apps_where_apps_are_of_one_size() -> None:
    assert score_spread(rng().random(12), codes(3, 3, 3, 3)).freedom == pytest.approx(8)
    uneven = score_spread(rng().random(12), codes(2, 10)).freedom
    assert 1 < uneven < 2, "nearly all of the variance comes from the app with two scenarios"


def test_many_studies_at_once_give_what_each_gives_alone() -> None:
    many = rng().random((5, 11))
    for app_of in (codes(5, 4, 2), codes(5, 4, 1, 1), codes(10, 1), codes(*[1] * 11)):
        together = score_spread(many, app_of), difference_spread(many, app_of)
        for at, row in enumerate(many):
            for whole, alone in zip(together, (score_spread(row, app_of), difference_spread(row, app_of)), strict=True):
                assert whole.variance[at] == pytest.approx(float(alone.variance))
                assert whole.freedom == alone.freedom


def test_apps_with_one_scenario_are_the_clusters() -> None:
    means = rng().random(8)
    found = score_spread(means, codes(*[1] * 8))
    assert found.variance == pytest.approx(means.var(ddof=1) / 8) and found.freedom == pytest.approx(7)
    assert found.clusters == "apps"


def test_one_app_with_one_scenario_is_given_the_spread_of_the_others() -> None:
    means = np.array([0.2, 0.4, 0.1, 0.9, 0.5])
    found = score_spread(means, codes(2, 2, 1))
    spreads = [means[:2].var(ddof=1), means[2:4].var(ddof=1)]
    assert found.variance == pytest.approx((sum(spreads) / 2 + np.mean(spreads)) / 9)


def test_a_paired_difference_in_one_app_has_the_variance_of_the_paired_t_test() -> None:
    one, other = rng().random((2, 30))
    found = difference_spread(one - other, codes(30))
    test = scipy_stats.ttest_rel(one, other)
    assert found.estimate / np.sqrt(found.variance) == pytest.approx(test.statistic)
    assert found.freedom == 29


def test_compare_agrees_with_the_paired_t_test_in_a_large_suite() -> None:
    draws = rng(3)
    ease = draws.random(200)
    rows = [
        {"agent": agent, "scenario": f"s{s}", "success": draws.random() < min(1, rate + bonus), "rollout": rollout}
        for agent, bonus in (("a", 0.06), ("b", 0.0))
        for s, rate in enumerate(ease.tolist())
        for rollout in range(5)
    ]
    table = table_from_rows(rows)
    a, b = count(table, "a"), count(table, "b")
    found = compare(a, b, rng=rng())
    test = scipy_stats.ttest_rel(a.scenario_means, b.scenario_means)
    low, high = test.confidence_interval()
    assert found.p_value == pytest.approx(test.pvalue, rel=0.1)
    assert found.difference.low == pytest.approx(low, abs=0.002)
    assert found.difference.high == pytest.approx(high, abs=0.002)


@pytest.mark.parametrize("seed", range(40))
def test_the_p_value_agrees_with_the_interval(seed: int) -> None:
    draws = rng(seed)
    rows = [
        {"agent": agent, "app": f"app{s % 3}", "scenario": f"s{s}", "success": draws.random() < 0.3 + bonus}
        for agent, bonus in (("a", 0.4), ("b", 0.0))
        for s in range(3 + seed)
    ]
    table = table_from_rows(rows)
    for pairing in ("auto", "apart"):
        found = compare(count(table, "a"), count(table, "b"), rng=rng(), pairing=pairing)  # type: ignore[arg-type]
        assert (found.p_value < 0.05) == (0 not in found.difference) == (found.decided is not None)


def test_one_scenario_has_the_interval_of_its_configurations_and_says_so() -> None:
    table = table_of(
        {"scenario": ["only"] * 6, "theme": list("aabbcc"), "success": [1, 1, 0, 1, 0, 0], "rollout": [0, 1] * 3}
    )
    (found,) = app_scores(count(table)).values()
    assert found.estimate == 0.5 and "configurations" in found.method
    assert score(count(table), rng=rng()).low == found.low


def test_one_configuration_has_wilsons_interval_over_its_rollouts() -> None:
    table = table_of({"scenario": ["only"] * 6, "success": [1, 1, 0, 1, 1, 0], "rollout": range(6)})
    (found,) = app_scores(count(table)).values()
    assert (found.low, found.high) == pytest.approx((wilson(4, 6).low, wilson(4, 6).high))
    assert "rollouts" in found.method


def test_every_way_to_a_score_gives_the_same_interval() -> None:
    draws = rng(5)
    rows = [
        (f"app{s % 3}", f"s{s}", theme, draws.random() < 0.5) for s in range(9) for theme in "abc" for _ in range(2)
    ]
    app, scenario, theme, success = zip(*rows, strict=True)
    table = table_of({"app": app, "scenario": scenario, "theme": theme, "success": success})
    cells = count(table)
    own = score(cells, rng=rng())
    counts = [
        (cells.apps[cells.app_of[s]], cells.scenarios[s], int(passed), int(rollouts))
        for s, passed, rollouts in zip(cells.scenario, cells.successes, cells.rollouts, strict=True)
    ]
    counted = score_of_counts(counts)
    standing = summarise(table, depth="scores").standings[0]
    assert (own.low, own.high) == (standing.score.low, standing.score.high)
    assert (own.low, own.high) == pytest.approx((counted.low, counted.high))


def test_all_passed_counts_each_scenario_once() -> None:
    table = table_of({"scenario": [f"s{s}" for s in range(8)] * 5, "success": [1] * 40})
    found = score(count(table), rng=rng())
    assert found.high == 1 and found.low == pytest.approx(wilson(8, 8).low) and found.low < wilson(40, 40).low


def test_other_statistics_have_intervals_around_them() -> None:
    draws = rng(1)
    rows = [(f"app{a}", f"s{s}", draws.random() < a / 8) for a in range(9) for s in range(6) for _ in range(3)]
    app, scenario, success = zip(*rows, strict=True)
    cells = count(table_of({"app": app, "scenario": scenario, "success": success}))
    for statistic in ("median", "iqm", "trimmed-mean", lambda apps: apps.min(axis=-1)):
        found = score(cells, statistic, rng=rng())
        assert 0 <= found.low <= found.estimate <= found.high <= 1 and found.width > 0.05


def test_mean_reward_stands_next_to_success() -> None:
    draws = rng(2)
    rows = [
        {"scenario": f"s{s}", "success": reward > 0.7, "reward": reward}
        for s in range(10)
        for reward in draws.random(3).tolist()
    ]
    standing = summarise(table_from_rows(rows), depth="scores").standings[0]
    assert standing.reward is not None and standing.reward.estimate == pytest.approx(
        np.mean([r["reward"] for r in rows])
    )
    assert standing.reward.low < standing.reward.estimate < standing.reward.high
    without = [{key: value for key, value in row.items() if key != "reward"} for row in rows]
    assert summarise(table_from_rows(without), depth="scores").standings[0].reward is None


def test_steps_have_a_t_interval_and_no_profile() -> None:
    table = table_of({"scenario": ["a", "b"], "success": [1, 0], "steps": [3, 9]})
    cells = count(table, value="steps")
    found = score(cells, rng=rng())
    assert found.estimate == 6 and found.high > 9 and found.method.startswith("t,")
    with pytest.raises(InvalidInput, match="from 0 to 1"):
        score_profile(cells, rng=rng())


@pytest.mark.parametrize("text", ["", "8x", "0x2", "8x2x3x4x5", "eight", "1x1x5x5", "1000x1000x1000"])
def test_shapes_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="shape"):
        StudyShape.of(text)


@pytest.mark.simulation
@pytest.mark.parametrize(
    "shape",
    [
        "8x2x1x1",
        "1x116x1x5",
        *(pytest.param(shape, marks=pytest.mark.slow) for shape in ("8x1x2x2", "8x2x4x3", "10x3x1x1", "4x5x2x2")),
    ],
)
def test_intervals_hold_and_equals_are_not_told_apart(shape: str) -> None:
    found = [
        calibrate(StudyShape.of(shape), name, rng=rng(at), experiments=2500) for at, name in enumerate(DISTRIBUTIONS)
    ]
    for one in found:  # 2,500 studies: one standard error is 0.44 points, and four are allowed
        assert 0.93 - 0.018 < one.coverage.estimate < 0.985 + 0.01, one
        assert one.type_one.estimate < 0.06 + 0.018, one
        assert shape == "8x1x2x2" or one.power.estimate > one.paired_t.estimate - 0.05, one


@pytest.mark.simulation
def test_power_promises_what_compare_delivers() -> None:
    for shape in ("1x116x1x5", "8x2x4x3", "20x6x1x5"):
        study = StudyShape.of(shape)
        found = calibrate(study, "uniform", rng=rng(), experiments=4000, difference=0.06)
        # What calibrate makes up: rates r and r + 0.12 (1 - r), in a configuration Beta(20 r, 20 (1 - r)), and tosses.
        rates = rng(1).random(400_000)
        better = rates + 0.12 * (1 - rates)
        parts = DifferenceComponents(
            float((better - rates).var()),
            float(sum((rate * (1 - rate) / 21).mean() for rate in (rates, better))),
            float(sum((rate * (1 - rate) * 20 / 21).mean() for rate in (rates, better))),
        )
        promised = power(
            parts, difference=0.06, apps=study.apps, scenarios=study.scenarios,
            configurations=study.configurations, rollouts=study.rollouts,
        )  # fmt: skip
        assert found.power.estimate == pytest.approx(promised.power, abs=0.035)


@pytest.mark.simulation
def test_the_nested_bootstrap_can_be_measured_with_the_same_studies() -> None:
    nested = calibrate(StudyShape.of("8x2x1x1"), "uniform", rng=rng(), experiments=60, scheme="prism", resamples=200)
    ours = calibrate(StudyShape.of("8x2x1x1"), "uniform", rng=rng(), experiments=60)
    assert nested.coverage.estimate < 0.93 < ours.coverage.estimate


@pytest.mark.parametrize("scenarios", [6, 10, 40])
def test_one_that_passes_all_and_one_that_passes_none_are_told_apart(scenarios: int) -> None:
    rows = [
        {"agent": agent, "scenario": f"s{s}", "success": agent == "a"} for agent in ("a", "b") for s in range(scenarios)
    ]
    table = table_from_rows(rows)
    found = compare(count(table, "a"), count(table, "b"), rng=rng())
    assert found.decided == count(table, "a").contender and found.difference.high == 1
    assert found.p_value == pytest.approx(2 * scipy_stats.norm.sf(scenarios**0.5), rel=1e-3)
