import itertools
import math
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from fairground.core import InvalidInput
from fairground.stats.axes.matched_pairs import exact_null, matched_pairs
from fairground.stats.axes.sensitivity import sensitivity, varied_axes
from fairground.stats.interval import plain
from fairground.stats.tables.cells import Cells, count
from fairground.stats.tables.intake import table_of
from fairground.stats.tables.table import Contender

AXES = ("instance", "profile", "theme", "ui_state")


def cells_of(rows, axes=AXES[:2]):
    """Rows of (app, scenario, levels, successes, rollouts), in any order."""
    rows = sorted(rows)
    names = sorted({(app, scenario) for app, scenario, *_ in rows})
    apps = sorted({app for app, _ in names})
    levels = np.array([row[2] for row in rows], dtype=np.int32).reshape(len(rows), len(axes))
    return Cells(
        contender=Contender("x"),
        apps=tuple(apps),
        scenarios=tuple(f"{app}/{scenario}" for app, scenario in names),
        app_of=np.array([apps.index(app) for app, _ in names], dtype=np.int32),
        axes=tuple(axes),
        axis_values=tuple(tuple(str(level) for level in range(int(levels[:, i].max()) + 1)) for i in range(len(axes))),
        scenario=np.array([names.index((row[0], row[1])) for row in rows], dtype=np.int32),
        levels=levels,
        successes=np.array([row[3] for row in rows], dtype=np.float64),
        rollouts=np.array([row[4] for row in rows], dtype=np.int64),
    )


def grid(rng, apps=2, scenarios=3, shape=(3, 2), rollouts=3, rate=lambda app, scenario, levels: 0.5):
    return cells_of(
        [
            (f"a{app}", f"s{scenario}", levels, int(rng.binomial(rollouts, rate(app, scenario, levels))), rollouts)
            for app in range(apps)
            for scenario in range(scenarios)
            for levels in itertools.product(*map(range, shape))
        ],
        AXES[: len(shape)],
    )


def run(cells, seed=0, **options):
    return sensitivity(cells, rng=np.random.default_rng(seed), **{"permutations": 200, "resamples": 200, **options})


def naive_pairs(cells, axis):
    """All matched pairs, by comparing every two cells."""
    found = []
    for i, j in itertools.combinations(range(len(cells)), 2):
        differs = [a for a in range(len(cells.axes)) if cells.levels[i, a] != cells.levels[j, a]]
        if cells.scenario[i] == cells.scenario[j] and differs == [axis]:
            found.append((i, j))
    return found


def test_the_floor_of_two_cells_with_three_rollouts_at_one_half_is_the_golden_value():
    # Expected conditional floor, summed over every outcome of six fair coins: what GOLDEN.md computed for p = .5.
    expected = 0.0
    for one, other in itertools.product(range(4), repeat=2):
        cells = cells_of([("a", "s", (0,), one, 3), ("a", "s", (1,), other, 3)], AXES[:1])
        floor = run(cells, permutations=1, resamples=1)["instance"].floor
        expected += math.comb(3, one) * math.comb(3, other) / 64 * floor
    assert expected == pytest.approx(0.3125, abs=1e-12)


@pytest.mark.parametrize("p", [0.37, *(pytest.param(p, marks=pytest.mark.slow) for p in (0.1, 0.9))])
@pytest.mark.simulation
def test_floors_are_unbiased_with_ragged_rollouts_and_three_cells_on_a_line(p):
    sizes = (2, 3, 5)
    floor = mad = 0.0
    for solved in itertools.product(*(range(size + 1) for size in sizes)):
        rows = [("a", "s", (level,), c, n) for level, (c, n) in enumerate(zip(solved, sizes, strict=True))]
        chance = math.prod(scipy_stats.binom.pmf(c, n, p) for c, n in zip(solved, sizes, strict=True))
        found = run(cells_of(rows, AXES[:1]), permutations=1, resamples=1)["instance"]
        floor += chance * found.floor
        mad += chance * found.mad.estimate
    assert floor == pytest.approx(mad, abs=1e-12)


def test_the_null_law_is_the_one_found_by_dealing_outcomes_in_every_order():
    cells = cells_of([("a", "s", (0,), 2, 2), ("a", "s", (1,), 1, 3), ("a", "s", (2,), 0, 1)], AXES[:1])
    pairs = matched_pairs(cells, 0)
    null = exact_null(pairs)
    outcomes = [1, 1, 1, 0, 0, 0]
    sums = defaultdict(float)
    orders = list(itertools.permutations(outcomes))
    for order in orders:
        rates = [sum(order[:2]) / 2, sum(order[2:5]) / 3, float(order[5])]
        for pair, (i, j) in enumerate(itertools.combinations(range(3), 2)):
            sums[pair, round(abs(rates[i] - rates[j]), 9)] += 1 / len(orders)
    for pair in range(3):
        law = null.chances[[null.kind[pair]]].toarray()[0]
        for size, chance in zip(null.sizes, law, strict=True):
            assert chance == pytest.approx(sums.get((pair, round(float(size), 9)), 0.0), abs=1e-12)
        assert law.sum() == pytest.approx(1)


def test_pairs_are_those_of_a_comparison_of_every_two_cells_with_cells_missing():
    rng = np.random.default_rng(3)
    cells = grid(rng, shape=(4, 3, 2), scenarios=3)
    cells = cells.keep(rng.random(len(cells)) < 0.6)
    found = run(cells)
    for axis, name in enumerate(cells.axes):
        shifts = np.array([abs(cells.means[i] - cells.means[j]) for i, j in naive_pairs(cells, axis)])
        result = found[name]
        assert result.pairs == len(shifts)
        assert result.mad.estimate == pytest.approx(shifts.mean())
        assert result.p90 == pytest.approx(np.quantile(shifts, 0.9, method="inverted_cdf"))
        above = [(shifts > at + 1e-9).mean() for at in result.exceedance.thresholds]
        assert result.exceedance.fraction == pytest.approx(above)


def test_shifts_of_an_app_and_of_a_scenario_are_those_of_their_cells_alone():
    rng = np.random.default_rng(4)
    cells = grid(rng, apps=2, scenarios=2, shape=(3, 2))
    found = run(cells)["instance"]
    for shift in found.per_app:
        alone = run(cells.keep(np.array([shift.name == cells.apps[cells.app_of[s]] for s in cells.scenario])))[
            "instance"
        ]
        assert (shift.pairs, shift.p90, shift.p90_floor) == (alone.pairs, alone.p90, alone.p90_floor)
        assert (shift.mad, shift.floor) == pytest.approx((alone.mad.estimate, alone.floor))
        assert shift.interval is not None and shift.mad in shift.interval
    for shift in found.per_scenario:
        alone = run(cells.keep(np.array([cells.scenarios[s] == shift.name for s in cells.scenario])))["instance"]
        assert (shift.mad, shift.floor) == pytest.approx((alone.mad.estimate, alone.floor))
        assert shift.p90_floor == alone.p90_floor
        assert shift.interval is None
    assert sum(shift.pairs for shift in found.per_scenario) == found.pairs


def test_whole_scenarios_are_compared_only_where_both_values_are_present():
    # Theme 1 is missing at profile 1, where theme 0 always fails: averaging what is there would invent a shift.
    rows = [
        ("a", "s", (0, 0), 3, 3),
        ("a", "s", (0, 1), 3, 3),
        ("a", "s", (1, 0), 0, 3),
    ]
    found = run(cells_of(rows, ("profile", "theme")))["theme"]
    assert found.pairs == found.by_scenario.pairs == 1
    assert found.by_scenario.mad.estimate == 0


def test_opposite_shifts_cancel_in_whole_scenarios_and_not_in_pairs():
    rows = [("a", "s", (profile, theme), 3 * (profile == theme), 3) for profile in (0, 1) for theme in (0, 1)]
    found = run(cells_of(rows, ("profile", "theme")))["theme"]
    assert found.mad.estimate == 1
    assert found.by_scenario.mad.estimate == 0


def test_the_floor_of_whole_scenarios_is_the_mean_over_every_order():
    rows = [("a", "s", (0, 0), 1, 1), ("a", "s", (0, 1), 0, 1), ("a", "s", (1, 0), 2, 2), ("a", "s", (1, 1), 0, 2)]
    found = run(cells_of(rows, ("profile", "theme")), permutations=40_000)["theme"]
    first = {1.0: 1 / 2, -1.0: 1 / 2}
    second = {1.0: 1 / 6, 0.0: 4 / 6, -1.0: 1 / 6}
    law = [(abs(a + b) / 2, p * q) for (a, p), (b, q) in itertools.product(first.items(), second.items())]
    assert found.by_scenario.floor == pytest.approx(sum(size * chance for size, chance in law), abs=0.005)
    above = sum(chance for size, chance in law if size > 0.5)
    assert found.by_scenario.exceedance.floor[10] == pytest.approx(above, abs=0.01)


def test_an_axis_with_an_effect_is_found_and_the_others_are_not():
    rng = np.random.default_rng(5)
    cells = grid(rng, 3, 6, (3, 3), 5, lambda app, scenario, levels: (0.2, 0.5, 0.8)[levels[1]])
    found = run(cells, permutations=999)
    assert found["profile"].p_value == pytest.approx(0.001)
    assert found["profile"].p_holm == pytest.approx(0.002)
    assert found["profile"].excess.low > 0.05
    assert found["instance"].p_value > 0.05
    assert abs(found["instance"].excess.estimate) < 0.03


@pytest.mark.parametrize(
    ("studies", "fewest", "most"),  # a tenth of the studies is expected at most, give or take 3.6 standard deviations
    [(80, 1, 17), pytest.param(200, 5, 35, marks=pytest.mark.slow)],
)
@pytest.mark.simulation
def test_p_values_are_right_when_nothing_has_an_effect(studies, fewest, most):
    # Rates differ between lines and are extreme: what a pooled-rate floor would get wrong.
    rng = np.random.default_rng(6)
    low = 0
    for _ in range(studies):
        rates = rng.beta(0.3, 0.3, size=(2, 3, 2))
        cells = grid(rng, 2, 3, (2, 4), 3, lambda app, scenario, levels, rates=rates: rates[app, scenario, levels[0]])
        low += sensitivity(cells, rng=rng, permutations=99, resamples=1)["profile"].p_value <= 0.1
    assert fewest <= low <= most


def test_data_that_agree_better_than_chance_have_a_negative_excess_and_a_large_p_value():
    rows = [("a", f"s{s}", (level,), 1, 2) for s in range(5) for level in range(3)]
    found = run(cells_of(rows, AXES[:1]))["instance"]
    assert found.mad.estimate == 0
    assert found.excess.estimate < -0.2
    assert found.p_value == 1


def test_all_successes_have_no_shift_and_no_floor():
    rows = [(f"a{a}", f"s{s}", (level,), 4, 4) for a in range(2) for s in range(3) for level in range(3)]
    found = run(cells_of(rows, AXES[:1]))["instance"]
    assert (found.mad.estimate, found.floor, found.p90, found.p90_floor, found.p_value) == (0, 0, 0, 0, 1)
    assert set(found.exceedance.fraction) == set(found.exceedance.floor) == {0.0}
    assert found.by_scenario.floor == 0


def test_one_scenario_gets_an_interval_that_claims_nothing():
    found = run(cells_of([("a", "s", (0,), 1, 3), ("a", "s", (1,), 3, 3)], AXES[:1]))["instance"]
    assert (found.mad.low, found.mad.high) == (0, 1)
    assert (found.excess.low, found.excess.high) == (-1, 1)
    assert any("no interval" in note for note in found.notes)


def test_an_axis_without_matched_pairs_is_skipped_with_its_reason():
    rows = [("a", "s", (0, 0, 0), 1, 3), ("a", "s", (1, 1, 0), 2, 3), ("a", "t", (0, 0, 0), 1, 3)]
    found = run(cells_of(rows, AXES[:3]))
    assert found.axes == ()
    assert list(found.skipped) == ["instance", "profile", "theme"]
    assert "differ along this axis only" in found.skipped["instance"]
    assert "one value" in found.skipped["theme"]
    with pytest.raises(InvalidInput, match="no two configurations"):
        found["profile"]
    with pytest.raises(InvalidInput, match="not varied"):
        found["ui_state"]


def test_a_table_without_axes_is_refused_with_a_fix():
    cells = cells_of([("a", "s", (), 1, 3), ("a", "t", (), 2, 3)], ())
    assert varied_axes(cells) == ()
    with pytest.raises(InvalidInput, match="only one value of every axis") as caught:
        run(cells)
    assert "theme" in str(caught.value.fix)


def test_rewards_are_refused():
    table = table_of({"scenario": ["s"] * 4, "theme": list("aabb"), "rollout": list("0101"), "reward": [0, 0.5, 1, 0.2],
                      "success": [0, 0, 1, 0]})  # fmt: skip
    assert run(count(table))["theme"].pairs == 1
    with pytest.raises(InvalidInput, match="values other than 0 and 1"):
        run(count(table, value="reward"))


@pytest.mark.parametrize(
    "options",
    [{"permutations": 0}, {"resamples": 0}, {"thresholds": ()}, {"thresholds": (0.1, math.nan)}, {"level": 1.0}],
)
def test_bad_options_are_refused(options):
    with pytest.raises(InvalidInput):
        run(grid(np.random.default_rng(0)), **options)


def test_a_threshold_that_is_a_shift_is_not_exceeded_by_it():
    # 0.8 - 0.5 is 0.30000000000000004 in floating point.
    cells = cells_of([("a", "s", (0,), 8, 10), ("a", "s", (1,), 5, 10)], AXES[:1])
    found = run(cells, thresholds=(0.29, 0.3))["instance"]
    assert found.exceedance.fraction == (1.0, 0.0)


def test_many_levels_and_lines_and_many_rollouts_are_no_trouble():
    rng = np.random.default_rng(8)
    wide = grid(rng, apps=4, scenarios=10, shape=(10, 5), rollouts=2)
    assert run(wide, permutations=50)["instance"].pairs == 4 * 10 * 5 * 45
    deep = cells_of([("a", "s", (level,), 500 * level, 1000) for level in range(3)], AXES[:1])
    found = run(deep)["instance"]
    assert found.mad.estimate == pytest.approx(2 / 3)
    assert found.floor == pytest.approx(math.sqrt(2 / math.pi) * math.sqrt(2 * 0.25 / 1000), rel=0.01)


def test_results_are_plain_data_and_repeat_with_the_seed():
    cells = grid(np.random.default_rng(9))
    assert plain(run(cells, seed=1)) == plain(run(cells, seed=1))


@settings(deadline=None)
@given(st.data())
@pytest.mark.simulation
def test_figures_keep_their_order_and_do_not_depend_on_names(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    rows = [
        (f"a{a}", f"s{s}", levels, int(rng.integers(0, n + 1)), n)
        for a in range(2)
        for s in range(2)
        for levels in itertools.product(range(3), range(2))
        for n in [int(rng.integers(1, 5))]
        if rng.random() < 0.8
    ]
    cells = cells_of(rows) if rows else None
    if cells is None or not varied_axes(cells):
        return
    swap = data.draw(st.permutations(range(3)))
    renamed = cells_of([(a, s, (swap[levels[0]], levels[1]), c, n) for a, s, levels, c, n in rows])
    found, again = run(cells, permutations=20), run(renamed, permutations=20)
    for result in found.axes:
        other = again[result.axis]
        assert (result.pairs, result.p90, result.p90_floor) == pytest.approx((other.pairs, other.p90, other.p90_floor))
        assert result.mad.estimate == pytest.approx(other.mad.estimate)
        assert result.floor == pytest.approx(other.floor)
        assert result.by_scenario.mad.estimate == pytest.approx(other.by_scenario.mad.estimate)
        assert result.mad.estimate in result.mad and result.excess.estimate in result.excess
        for curve in (result.exceedance.fraction, result.exceedance.floor, result.by_scenario.exceedance.floor):
            assert all(0 <= later <= earlier + 1e-12 <= 1 + 1e-9 for earlier, later in itertools.pairwise(curve))
            assert curve[-1] == pytest.approx(0)
        assert 0 < result.p_value <= result.p_holm <= 1


def test_intervals_shrink_with_scenarios_and_widen_with_the_level():
    rng = np.random.default_rng(10)
    few, many = (grid(rng, 2, number, (3,), 3, lambda *_: rng.random()) for number in (5, 80))
    assert run(many)["instance"].mad.width < run(few)["instance"].mad.width / 2
    assert run(few, level=0.5)["instance"].mad.width < run(few, level=0.99)["instance"].mad.width


def test_an_axis_with_a_thousand_values_is_measured_on_some_of_its_pairs() -> None:
    rng = np.random.default_rng(20)
    number = 3000
    table = table_of(
        {
            "scenario": [f"s{at % 3}" for at in range(number)],
            "instance": [str(at) for at in range(number)],
            "success": rng.random(number) < 0.5,
        }
    )
    found = sensitivity(count(table), rng=rng, permutations=50, resamples=50, most_pairs=5000)["instance"]
    assert 3000 < found.pairs <= 5000
    assert found.mad.estimate == pytest.approx(found.floor, abs=0.03)  # half of all pairs differ, by chance alone
    assert any("left out at random" in note for note in found.notes)
