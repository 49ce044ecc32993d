"""The coverage studies: exact where they can be, the paper's figures within the error of so many experiments."""

import numpy as np
import pytest

from fairground.core import InvalidInput
from fairground.stats import LADDER, Coverage, Shape, count, make_up, rate_coverage, suite_coverage, table_of


def by_method(found: tuple[Coverage, ...]) -> dict[str, Coverage]:
    return {one.method: one for one in found}


def test_single_configurations_have_the_exact_coverage_of_the_paper() -> None:
    found = rate_coverage((3, 20))
    assert found.wald == pytest.approx((0.2569, 0.5973), abs=5e-5)
    assert found.wilson == pytest.approx((0.9529, 0.9533), abs=5e-5)


def test_exact_coverage_agrees_with_drawing() -> None:
    rng = np.random.default_rng(1)
    successes = np.where(rng.random(200_000) < 0.68, 0, 3)
    rates = rng.beta(successes + 0.5, 3 - successes + 0.5)
    fresh = rng.binomial(5, rates)
    from fairground.stats import wilson_bounds

    low, high = wilson_bounds(fresh, np.full(len(fresh), 5))
    assert rate_coverage((5,)).wilson[0] == pytest.approx(((low <= rates) & (rates <= high)).mean(), abs=0.002)


@pytest.mark.slow
def test_each_rung_of_the_ladder_holds_more() -> None:
    found = by_method(suite_coverage(Shape(), rng=np.random.default_rng(2), experiments=50, resamples=200))
    rollouts, axes, full = (found[name].coverage.estimate for name in LADDER)
    assert rollouts < axes < full
    # Golden: 0.23, 0.555 and 0.93; 50 experiments have standard errors of 0.06, 0.07 and 0.036.
    assert 0.05 < rollouts < 0.41
    assert 0.34 < axes < 0.77
    assert full > 0.82
    assert found["coin flips (Wald)"].coverage.estimate < 0.6


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_ladder_has_the_golden_coverage() -> None:
    found = by_method(suite_coverage(Shape(), rng=np.random.default_rng(3), experiments=1000, resamples=400))
    # Within three standard errors of the golden figures, plus a point for app rates that the paper does not print.
    for name, golden in zip(LADDER, (0.23, 0.555, 0.93), strict=True):
        error = (golden * (1 - golden) / 1000) ** 0.5
        assert found[name].coverage.estimate == pytest.approx(golden, abs=3 * error + 0.01)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_extended_table_has_the_golden_coverage() -> None:
    shape = Shape(apps=tuple(np.linspace(0.05, 0.95, 15)), scenarios=10, scenario_sd=0.08, configuration_sd=0.03)
    found = by_method(suite_coverage(shape, rng=np.random.default_rng(4), experiments=600, resamples=300))
    assert found["rollouts"].coverage.estimate == pytest.approx(0.60, abs=0.07)
    assert found["+ scenarios (full)"].coverage.estimate > 0.98


@pytest.mark.slow
@pytest.mark.parametrize("sampled", [3, 6])
def test_configurations_that_were_sampled_are_covered(sampled: int) -> None:
    """Resampling them whole, as `auto` does below half of the grid; with effects of the axes themselves."""
    shape = Shape(apps=(0.4, 0.5, 0.6), scenarios=12, axis_sd=0.1, scenario_sd=0.1, sampled=sampled)
    found = by_method(suite_coverage(shape, rng=np.random.default_rng(5), experiments=120, resamples=200))
    assert found["+ scenarios (full)"].coverage.estimate > 0.88


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("sampled", "design"), [(6, "sampled"), (6, "grid"), (20, "grid"), (None, "grid")])
def test_sampled_and_ragged_configurations_are_covered(sampled: int | None, design: str) -> None:
    shape = Shape(apps=(0.4, 0.5, 0.6), scenarios=12, axis_sd=0.1, scenario_sd=0.1, sampled=sampled)
    found = by_method(
        suite_coverage(shape, rng=np.random.default_rng(6), experiments=500, resamples=300, design=design)  # type: ignore[arg-type]
    )
    assert found["+ scenarios (full)"].coverage.estimate > 0.93


def test_a_made_up_benchmark_has_the_shape_asked_for() -> None:
    shape = Shape(apps=(0.2, 0.8), scenarios=50, axes=(2, 3), rollouts=4, sampled=4)
    cells = make_up(shape, rng=np.random.default_rng(7))
    assert (len(cells.apps), len(cells.scenarios), len(cells)) == (2, 100, 400)
    assert (cells.rollouts == 4).all() and cells.levels.max(axis=0).tolist() == [1, 2]
    places = cells.scenario * 6 + cells.levels @ np.array([3, 1])
    assert len(set(places.tolist())) == 400 and (np.diff(places) > 0).all()
    assert cells.app_means == pytest.approx([0.25, 0.75], abs=0.12)


def test_a_benchmark_without_axes_can_be_made_up() -> None:
    cells = make_up(Shape(apps=(0.5,), axes=()), rng=np.random.default_rng(8))
    assert len(cells) == 8 and cells.levels.shape == (8, 0)
    assert count(table_of({"scenario": ["a"], "success": [1]})).levels.shape == (1, 0)


@pytest.mark.parametrize(
    "wrong", [{"apps": ()}, {"apps": (1.5,)}, {"scenarios": 0}, {"axes": (0,)}, {"scenario_sd": -1.0}, {"sampled": 0}]
)
def test_a_shape_that_cannot_be_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        Shape(**wrong)  # type: ignore[arg-type]
