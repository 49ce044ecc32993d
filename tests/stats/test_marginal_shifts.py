"""Marginal shifts: each value of an axis against its others, with scenarios as clusters."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats as scipy_stats

from fairground.stats.axes.marginal_shifts import AxisShifts, marginal_shifts
from fairground.stats.axes.sensitivity import sensitivity
from fairground.stats.interval import plain
from fairground.stats.tables.cells import Cells
from fairground.stats.tables.table import Contender

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]


def cells_of(levels: Numbers, successes: NDArray[np.generic], rollouts: int, axes: tuple[str, ...]) -> Cells:
    """Levels for each scenario, configuration and axis; successes for each scenario and configuration."""
    scenarios, configurations, _ = levels.shape
    return Cells(
        contender=Contender("x"),
        apps=("a",),
        scenarios=tuple(f"a/s{scenario}" for scenario in range(scenarios)),
        app_of=np.zeros(scenarios, dtype=np.int32),
        axes=axes,
        axis_values=tuple(tuple(f"{axis}{value}" for value in range(levels.max() + 1)) for axis in axes),
        scenario=np.repeat(np.arange(scenarios), configurations).astype(np.int32),
        levels=levels.reshape(-1, len(axes)).astype(np.int32),
        successes=np.ravel(successes).astype(np.float64),
        rollouts=np.full(scenarios * configurations, rollouts),
    )


def shifts(cells: Cells, axis: str = "theme", *, permutations: int = 99, level: float = 0.95) -> AxisShifts:
    rng = np.random.default_rng(0)
    return marginal_shifts(cells, cells.axes, rng=rng, permutations=permutations, level=level)[axis]


def drawn_at_random(
    rng: np.random.Generator, base: Floats, configurations: int, sizes: tuple[int, ...], rollouts: int, effects: Floats
) -> Cells:
    """A run whose configurations are drawn from the grid; `effects` are of each scenario and value of each axis."""
    grid = np.array(list(itertools.product(*map(range, sizes))))
    picks = np.stack([rng.choice(len(grid), configurations, replace=False) for _ in base])
    levels = grid[picks]
    scenario = np.arange(len(base))[:, None, None]
    rates = np.clip(base[:, None] + effects[scenario, np.arange(len(sizes)), levels].sum(axis=2), 0, 1)
    return cells_of(levels, rng.binomial(rollouts, rates), rollouts, ("profile", "theme", "ui_state")[: len(sizes)])


def test_a_shift_is_the_regression_within_scenarios_with_a_bias_reduced_sandwich() -> None:
    rng = np.random.default_rng(1)
    cells = drawn_at_random(rng, rng.random(7), 5, (3, 3, 3), 2, np.zeros((7, 3, 3)))
    found = {one.value: one for one in shifts(cells).values}
    assert len(found) == 3 and shifts(cells).within == "scenarios"
    for level, name in enumerate(cells.axis_values[1]):
        dummies = (cells.scenario[:, None] == np.arange(7)).astype(float)
        design = np.column_stack([dummies, cells.levels[:, 1] == level])
        bread = np.linalg.pinv(design.T @ design)
        slope = bread @ design.T @ cells.means
        assert found[name].shift.estimate == pytest.approx(slope[-1])
        # CR2 and Satterthwaite's degrees of freedom by their definitions, cluster by cluster.
        residual, hat = np.eye(35) - design @ bread @ design.T, cells.means - design @ slope
        meat, rows = 0.0, []
        for scenario in range(7):
            own = cells.scenario == scenario
            size, direction = np.linalg.eigh(residual[np.ix_(own, own)])
            inverse = direction @ np.diag(np.where(size > 1e-9, size, np.inf) ** -0.5) @ direction.T
            weights = (bread @ design.T)[-1, own] @ inverse
            meat += (weights @ hat[own]) ** 2
            rows.append(weights @ residual[own])
        spread = np.array(rows) @ np.array(rows).T
        freedom = np.trace(spread) ** 2 / np.trace(spread @ spread)
        half = scipy_stats.t.ppf(0.975, freedom) * meat**0.5
        shift = found[name].shift
        assert (shift.low, shift.high) == pytest.approx((max(-1, slope[-1] - half), min(1, slope[-1] + half)), abs=1e-6)
        assert found[name].p_value == pytest.approx(2 * scipy_stats.t.sf(abs(slope[-1]) / meat**0.5, freedom), abs=1e-6)


def test_scenarios_that_weigh_the_same_make_it_a_t_test() -> None:
    rng = np.random.default_rng(2)
    levels = np.broadcast_to([[0], [1]], (9, 2, 1))
    passed = rng.integers(0, 5, (9, 2))
    first, second = shifts(cells_of(levels, passed, 4, ("theme",))).values
    expected = scipy_stats.ttest_1samp((passed[:, 0] - passed[:, 1]) / 4, 0)
    low, high = expected.confidence_interval(0.95)
    assert (first.value, second.value) == ("theme0", "theme1")
    assert (first.shift.low, first.shift.high, first.p_value) == pytest.approx((low, high, expected.pvalue))
    assert second.shift.estimate == -first.shift.estimate


def test_the_test_of_an_axis_counts_every_order_within_scenarios() -> None:
    levels = np.array([[[0], [1], [2]], [[0], [1], [1]], [[0], [1], [2]]])
    passed = np.array([[3, 1, 0], [2, 3, 1], [2, 0, 0]])
    found = shifts(cells_of(levels, passed, 3, ("theme",)), permutations=20_000)
    assert found.too_few == {"theme2": 2}

    def apart(order: Floats) -> float:
        above = order - order.mean(axis=1, keepdims=True)
        spread = (above**2).sum(axis=1) / 2
        return sum(
            above[levels[:, :, 0] == value].sum() ** 2 / (spread @ (many * (3 - many) / 3))
            for value, many in ((0, np.array([1, 1, 1])), (1, np.array([1, 2, 1])))
        )

    orders = [np.array(order) / 3 for order in itertools.product(*(itertools.permutations(row) for row in passed))]
    share = np.mean([apart(order) >= apart(passed / 3) - 1e-9 for order in orders])
    assert found.p_value == pytest.approx(share, abs=0.015)


def test_the_value_that_hurts_is_named_and_the_other_axes_are_not() -> None:
    rng = np.random.default_rng(3)
    effects = np.zeros((40, 3, 5))
    effects[:, 1, 2] = -0.35
    cells = drawn_at_random(rng, rng.uniform(0.4, 0.9, 40), 4, (5, 5, 5), 3, effects)
    found = sensitivity(cells, rng=rng, permutations=999)
    theme = found.marginal["theme"]
    assert theme.within == "scenarios" and theme.scenarios >= 35
    assert theme.p_holm is not None and theme.p_holm < 0.01
    assert theme.values[0].value == "theme2" and theme.values[0].p_holm < 0.01
    assert theme.values[0].shift.low < -0.35 < theme.values[0].shift.high < 0
    assert all((found.marginal[axis].p_holm or 0) > 0.05 for axis in ("profile", "ui_state"))
    assert all(one.p_value <= one.p_holm for axis in found.marginal.values() for one in axis.values)
    assert plain(found)["marginal"]["theme"]["values"][0]["value"] == "theme2"


def test_configurations_that_differ_along_the_axis_only_are_preferred_where_a_plan_has_them() -> None:
    # Every scenario has a default and one change of each axis. The profile ruins everything, the theme does nothing:
    # compared with all others of its scenario, the changed theme would look 50 points better.
    levels = np.broadcast_to([[0, 0], [1, 0], [0, 1]], (10, 3, 2))
    passed = np.broadcast_to([4, 0, 4], (10, 3))
    found = marginal_shifts(cells_of(levels, passed, 4, ("profile", "theme")), ("profile", "theme"),
                            rng=np.random.default_rng(0), permutations=999)  # fmt: skip
    assert found["theme"].within == "lines"
    assert found["theme"].values[0].shift.estimate == 0 and found["theme"].p_value == 1
    assert found["profile"].values[0].shift.estimate == pytest.approx(1) and (found["profile"].p_value or 1) < 0.01


def test_fewer_than_three_scenarios_are_not_enough_for_an_interval() -> None:
    rng = np.random.default_rng(4)
    two = shifts(cells_of(np.broadcast_to([[0], [1]], (2, 2, 1)), rng.integers(0, 3, (2, 2)), 2, ("theme",)))
    assert two.values == () and two.p_value is None and two.p_holm is None
    assert two.notes == ("theme: not enough data: at least 3 scenarios must vary this axis, found 2.",)
    own = np.arange(12).reshape(6, 2, 1)  # every scenario has values of its own, as instances have
    alone = shifts(cells_of(own, rng.integers(0, 3, (6, 2)), 2, ("theme",)))
    assert "no value can be compared with another in 3 scenarios" in alone.notes[0] and len(alone.too_few) == 12


def test_an_agent_that_always_passes_has_no_shift_and_no_certainty() -> None:
    found = shifts(cells_of(np.broadcast_to([[0], [1]], (5, 2, 1)), np.full((5, 2), 3), 3, ("theme",)))
    assert found.p_value == 1
    assert all(one.shift.estimate == 0 and one.p_value == 1 and one.shift.width > 0.8 for one in found.values)


SHAPES = [(30, 4, 1, 10), (30, 4, 3, 3), (8, 4, 1, 3), (8, 4, 3, 3)]


def mostly_slow(quick: tuple[int, ...]) -> pytest.MarkDecorator:
    """All shapes, of which one is tried with every change."""
    marked = [pytest.param(shape, marks=() if shape == quick else pytest.mark.slow) for shape in SHAPES]
    return pytest.mark.parametrize("shape", marked)


def ordinary_run(rng: np.random.Generator, scenarios: int, configurations: int, rollouts: int, values: int) -> Cells:
    """The theme has effects that differ between scenarios, the profile has the same everywhere, the UI state none."""
    effects = np.zeros((scenarios, 3, values))
    effects[:, 0] = np.linspace(-0.1, 0.1, values)
    effects[:, 1] = np.linspace(0.1, -0.1, values) + rng.uniform(-0.1, 0.1, (scenarios, values))
    base = rng.uniform(0.3, 0.7, scenarios)  # so that no rate is cut to [0, 1], and the truth is known
    return drawn_at_random(rng, base, configurations, (values,) * 3, rollouts, effects)


@mostly_slow((30, 4, 1, 10))
@pytest.mark.simulation
def test_intervals_of_ordinary_runs_cover(shape: tuple[int, int, int, int]) -> None:
    rng, values = np.random.default_rng(5), shape[3]
    truth = np.linspace(0.1, -0.1, values) * values / (values - 1)
    covered: list[bool] = []
    for _ in range(300 if values > 3 else 700):
        found = marginal_shifts(ordinary_run(rng, *shape), ("theme",), rng=rng, permutations=1)["theme"]
        covered += [truth[int(one.value.removeprefix("theme"))] in one.shift for one in found.values]
    assert 0.93 <= np.mean(covered) <= 0.98


@mostly_slow((8, 4, 3, 3))
@pytest.mark.simulation
def test_an_axis_without_effect_is_said_to_matter_no_more_often_than_promised(shape: tuple[int, int, int, int]) -> None:
    rng = np.random.default_rng(6)
    chances = [
        marginal_shifts(ordinary_run(rng, *shape), ("ui_state",), rng=rng, permutations=99)["ui_state"].p_value or 1
        for _ in range(400)
    ]
    assert np.mean(np.array(chances) <= 0.05) <= 0.06
