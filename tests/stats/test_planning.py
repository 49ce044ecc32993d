"""Planning: the formulas by hand, against statsmodels, against brute force, and against simulated benchmarks."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.power import TTestIndPower, TTestPower

from fairground.core import InvalidInput
from fairground.stats.interval import plain
from fairground.stats.planning.planning import (
    Costs,
    DifferenceComponents,
    Limits,
    VarianceComponents,
    paired_components,
    plan_power,
    plan_precision,
    power,
    precision,
    unpaired_components,
)

ONE = VarianceComponents(0.06, 0.01, 0.12)
TWO = DifferenceComponents(0.02, 0.01, 0.24)


def test_the_half_width_is_t_times_the_standard_error_of_the_nested_mean() -> None:
    found = precision(ONE, apps=4, scenarios=10, configurations=3, rollouts=2)
    variance = (0.06 / 10 + 0.01 / 30 + 0.12 / 60) / 4
    assert found.standard_error == pytest.approx(math.sqrt(variance), rel=1e-12)
    assert found.degrees_of_freedom == 36
    assert found.half_width == pytest.approx(stats.t.ppf(0.975, 36) * math.sqrt(variance), rel=1e-12)
    assert sum(found.shares.values()) == pytest.approx(1)
    assert found.shares["scenario"] == pytest.approx(0.06 / 10 / 4 / variance)


def test_fixed_scenarios_add_no_variance_and_leave_more_degrees_of_freedom() -> None:
    sizes = {"apps": 2, "scenarios": 5, "configurations": 4, "rollouts": 3}
    found = precision(ONE, **sizes, scenarios_are="fixed")
    assert found.standard_error == pytest.approx(math.sqrt((0.01 / 20 + 0.12 / 60) / 2))
    assert found.degrees_of_freedom == 2 * 5 * 3
    assert found.shares["scenario"] == 0
    without_axes = precision(VarianceComponents(0.06, 0, 0.12), **sizes, scenarios_are="fixed")
    assert without_axes.degrees_of_freedom == 2 * 5 * (12 - 1)


def test_one_fixed_scenario_one_configuration_is_the_usual_interval_for_a_rate() -> None:
    found = precision(
        VarianceComponents(0.3, 0, 0.25), apps=1, scenarios=1, configurations=1, rollouts=400, scenarios_are="fixed"
    )
    assert found.half_width == pytest.approx(stats.t.ppf(0.975, 399) * 0.5 / 20)


@pytest.mark.parametrize(("scenarios", "difference"), [(5, 0.2), (20, 0.1), (60, -0.05), (300, 0.02)])
def test_paired_power_is_that_of_a_one_sample_t_test_on_scenarios(scenarios: int, difference: float) -> None:
    found = power(TWO, difference=difference, apps=1, scenarios=scenarios, configurations=3, rollouts=2)
    spread = math.sqrt(0.02 + 0.01 / 3 + 0.24 / 6)
    peer = TTestPower().power(abs(difference) / spread, nobs=scenarios, alpha=0.05)
    assert found.power == pytest.approx(peer, abs=1e-9)


@pytest.mark.parametrize(("scenarios", "difference"), [(5, 0.2), (40, 0.1)])
def test_unpaired_power_is_that_of_a_two_sample_t_test(scenarios: int, difference: float) -> None:
    found = power(
        unpaired_components(ONE, ONE), difference=difference, apps=1, scenarios=scenarios, configurations=2, rollouts=1
    )
    spread = math.sqrt(0.06 + 0.01 / 2 + 0.12 / 2)
    peer = TTestIndPower().power(difference / spread, nobs1=scenarios, alpha=0.05)
    assert found.power == pytest.approx(peer, abs=1e-9)


def test_pairing_takes_out_what_the_agents_share() -> None:
    paired = paired_components(ONE, ONE, scenario_correlation=1, configuration_correlation=0.5)
    assert (paired.scenario, paired.configuration, paired.rollout) == pytest.approx((0, 0.01, 0.24))
    apart = unpaired_components(ONE, ONE)
    assert (apart.scenario, apart.configuration, apart.rollout) == pytest.approx((0.12, 0.02, 0.24))
    sizes = {"apps": 3, "scenarios": 10, "configurations": 2, "rollouts": 2}
    assert power(paired, difference=0.05, **sizes).power > power(apart, difference=0.05, **sizes).power


def test_power_knows_no_sign_and_is_certain_without_variance() -> None:
    sizes = {"apps": 3, "scenarios": 10, "configurations": 2, "rollouts": 2}
    assert power(TWO, difference=0.05, **sizes).power == power(TWO, difference=-0.05, **sizes).power
    assert power(DifferenceComponents(0, 0, 0), difference=0.01, **sizes).power == pytest.approx(1)
    assert power(TWO, difference=1e-9, **sizes).power == pytest.approx(0.05, abs=1e-6)


@pytest.mark.parametrize("scenarios", [2, 3, 9, 100])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.9999])
def test_power_grows_with_the_difference_up_to_certainty_and_is_always_a_number(scenarios: int, level: float) -> None:
    sizes = {"apps": 1, "scenarios": scenarios, "configurations": 1, "rollouts": 1, "level": level}
    found = [
        power(DifferenceComponents(0, 0, 10.0**-exponent), difference=0.3, **sizes).power
        for exponent in np.linspace(0, 12, 200)
    ]
    assert all(0 <= value <= 1 for value in found)
    assert np.all(np.diff(found) >= -1e-9)


variances = st.floats(0, 0.25)
prices = st.sampled_from([0.0, 0.3, 1.0, 7.0, 50.0])
ranges = st.tuples(st.integers(1, 6), st.integers(0, 5)).map(lambda pair: (pair[0], sum(pair)))


@settings(max_examples=30, deadline=None)
@given(
    parts=st.tuples(variances, variances, variances),
    prices=st.tuples(prices, prices, prices.filter(bool)),
    limits=st.tuples(ranges, ranges, ranges),
    apps=st.integers(1, 4),
    share=st.floats(0.02, 0.98),
    goal=st.sampled_from(["half-width", "power"]),
    scenarios_are=st.sampled_from(["sampled", "fixed"]),
    paired=st.booleans(),
)
@pytest.mark.slow
def test_the_plan_is_what_trying_every_design_finds(
    parts, prices, limits, apps, share, goal, scenarios_are, paired
) -> None:
    if scenarios_are == "fixed":
        limits = ((limits[0][1], limits[0][1]), *limits[1:])
    bounds, costs = Limits(*limits), Costs(*prices)
    components = DifferenceComponents(*parts, paired=paired) if goal == "power" else VarianceComponents(*parts)
    agents, sets = (2 if goal == "power" else 1), (1 if paired or goal != "power" else 2)
    tried = []
    for s, c, r in itertools.product(*(range(least, most + 1) for least, most in limits)):
        sizes = {"apps": apps, "scenarios": s, "configurations": c, "rollouts": r, "scenarios_are": scenarios_are}
        try:
            if goal == "power":
                value = power(components, difference=0.2, **sizes).power
            else:
                value = precision(components, **sizes).half_width
        except InvalidInput:
            continue  # one of a kind shows no spread
        cost = apps * s * (sets * (prices[0] + c * prices[1]) + agents * c * r * prices[2])
        tried.append((cost, apps * s * c * r * agents, value, (s, c, r)))
    values = [row[2] for row in tried]
    wanted = 0.05 + 0.94 * share if goal == "power" else min(0.9, share * (max(values) if values else 1) + 1e-3)
    good = [row for row in tried if (row[2] >= wanted if goal == "power" else row[2] <= wanted)]

    def plan():
        options = {"apps": apps, "limits": bounds, "costs": costs, "scenarios_are": scenarios_are}
        if goal == "power":
            return plan_power(components, difference=0.2, power=wanted, **options)
        return plan_precision(components, half_width=wanted, **options)

    if not good:
        with pytest.raises(InvalidInput):
            plan()
        return
    found = plan()
    least = min(row[0] for row in good)
    fewest = min(row[1] for row in good if row[0] <= least * (1 + 1e-9))
    assert found.cheapest.cost == pytest.approx(least, rel=1e-9)
    assert found.cheapest.episodes == fewest
    sizes = (found.cheapest.scenarios, found.cheapest.configurations, found.cheapest.rollouts)
    assert sizes in [row[3] for row in good]
    for row in found.by_scenarios:
        best = min(other[0] for other in good if other[3][0] == row.scenarios)
        assert row.cost == pytest.approx(best, rel=1e-9)


def test_free_configurations_are_better_than_rollouts() -> None:
    plan = plan_precision(ONE, apps=5, half_width=0.06, limits=Limits((20, 20)))
    assert plan.cheapest.rollouts == 1


def test_dear_scenarios_make_for_fewer_of_them() -> None:
    limits = Limits((2, 300))
    cheap = plan_precision(ONE, apps=5, half_width=0.05, limits=limits, costs=Costs(scenario=1)).cheapest
    dear = plan_precision(ONE, apps=5, half_width=0.05, limits=limits, costs=Costs(scenario=1000)).cheapest
    assert dear.scenarios < cheap.scenarios
    assert dear.episodes > cheap.episodes


def test_the_unit_of_cost_does_not_matter() -> None:
    options = {"apps": 5, "half_width": 0.05, "limits": Limits((2, 100))}
    one = plan_precision(ONE, **options, costs=Costs(60, 2, 3)).cheapest
    other = plan_precision(ONE, **options, costs=Costs(6000, 200, 300)).cheapest
    assert (one.scenarios, one.configurations, one.rollouts) == (
        other.scenarios,
        other.configurations,
        other.rollouts,
    )


def test_a_large_search_ends_with_a_design_whose_neighbours_are_worse() -> None:
    limits = Limits((2, 20_000), (1, 20_000), (1, 20_000))
    plan = plan_precision(ONE, apps=1, half_width=0.004, limits=limits, costs=Costs(20, 1, 1))
    best = plan.cheapest
    assert best.half_width <= 0.004
    for s, c, r in itertools.product((-1, 0, 1), repeat=3):
        sizes = (best.scenarios + s, best.configurations + c, best.rollouts + r)
        if min(sizes) < 1:
            continue
        other = precision(ONE, apps=1, scenarios=sizes[0], configurations=sizes[1], rollouts=sizes[2])
        cost = sizes[0] * (20 + sizes[1] * (1 + sizes[2]))
        assert other.half_width > 0.004 or cost >= best.cost


def test_the_table_and_the_curve_show_the_trade() -> None:
    plan = plan_precision(ONE, apps=15, half_width=0.03, limits=Limits((2, 200)), costs=Costs(60, 1, 3))
    counts = [row.scenarios for row in plan.by_scenarios]
    assert counts == sorted(counts)
    assert counts[-1] == 200
    assert plan.cheapest in plan.by_scenarios
    assert all(row.half_width <= 0.03 for row in plan.by_scenarios)
    assert plan.cheapest in plan.curve
    widths = [point.half_width for point in plan.curve]
    assert widths == sorted(widths, reverse=True)
    assert len(plan.curve) == 9
    more = plan_power(TWO, apps=15, difference=0.04, limits=Limits((2, 100)), power=0.9)
    powers = [point.power for point in more.curve]
    assert powers == sorted(powers)
    assert more.cheapest in more.curve
    assert plain(plan)["cheapest"]["power"] is None
    assert plain(more)["cheapest"]["power"] >= 0.9


def test_a_half_width_below_the_floor_of_the_scenarios_is_refused_with_the_floor() -> None:
    floor = stats.t.ppf(0.975, 4 * 19) * math.sqrt(0.06 / 80)
    with pytest.raises(InvalidInput, match=f"unlimited .* {floor:.4g}") as caught:
        plan_precision(ONE, apps=4, half_width=0.03, limits=Limits((2, 20)))
    assert "at least 65 scenarios" in str(caught.value.fix)

    def reached(s: int) -> float:
        return float(stats.t.ppf(0.975, 4 * (s - 1)) * math.sqrt(0.06 / (4 * s)))

    assert reached(65) < 0.03 <= reached(64)
    just = plan_precision(ONE, apps=4, half_width=floor * 1.01, limits=Limits((2, 20), (1, 5000), (1, 5000)))
    assert just.cheapest.scenarios == 20
    assert just.floor == pytest.approx(floor)


@pytest.mark.simulation
def test_a_power_out_of_reach_is_refused_with_what_can_be_had() -> None:
    with pytest.raises(InvalidInput, match="would be 0.2") as caught:
        plan_power(DifferenceComponents(0.024, 0.01, 0.24), apps=4, difference=0.03, limits=Limits((2, 10)))
    assert "at least 53 scenarios" in str(caught.value.fix)


def test_limits_on_configurations_and_rollouts_are_told_apart_from_the_floor() -> None:
    with pytest.raises(
        InvalidInput, match="2 configurations and 3 rollouts; they give 0.06492, and unlimited ones 0.05"
    ):
        plan_precision(ONE, apps=4, half_width=0.055, limits=Limits((2, 20), (1, 2), (1, 3)))


def test_fixed_scenarios_have_no_floor_and_must_be_counted() -> None:
    plan = plan_precision(ONE, apps=4, half_width=0.03, limits=Limits((20, 20)), scenarios_are="fixed")
    assert plan.floor == 0
    assert any("these scenarios only" in note for note in plan.notes)
    with pytest.raises(InvalidInput, match="fixed scenarios"):
        plan_precision(ONE, apps=4, half_width=0.03, limits=Limits((2, 20)), scenarios_are="fixed")


@pytest.mark.parametrize(
    "call",
    [
        lambda: VarianceComponents(-0.01, 0, 0),
        lambda: VarianceComponents(float("nan"), 0, 0),
        lambda: VarianceComponents(400, 0, 0),
        lambda: Costs(episode=-1),
        lambda: Costs(0, 0, 0),
        lambda: Costs(episode=float("inf")),
        lambda: Limits((0, 5)),
        lambda: Limits((6, 5)),
        lambda: Limits((2, 10**9)),
        lambda: precision(ONE, apps=0, scenarios=2, configurations=1, rollouts=1),
        lambda: precision(ONE, apps=1, scenarios=1, configurations=1, rollouts=1),
        lambda: precision(ONE, apps=1, scenarios=2.5, configurations=1, rollouts=1),
        lambda: precision(ONE, apps=1, scenarios=2, configurations=0, rollouts=1),
        lambda: precision(ONE, apps=1, scenarios=math.inf, configurations=1, rollouts=1),
        lambda: precision(ONE, apps=1, scenarios=2, configurations=1, rollouts=math.nan),
        lambda: precision(ONE, apps=1, scenarios=2, configurations=1, rollouts=1, level=95),
        lambda: precision(ONE, apps=1, scenarios=9, configurations=1, rollouts=5, scenarios_are="fixed"),
        lambda: precision(ONE, apps=1, scenarios=9, configurations=1, rollouts=5, scenarios_are="random"),
        lambda: power(ONE, difference=0.1, apps=1, scenarios=9, configurations=1, rollouts=5),
        lambda: power(TWO, difference=0, apps=1, scenarios=9, configurations=1, rollouts=5),
        lambda: power(TWO, difference=float("nan"), apps=1, scenarios=9, configurations=1, rollouts=5),
        lambda: plan_precision(ONE, apps=1, half_width=0, limits=Limits((2, 5))),
        lambda: plan_precision(ONE, apps=1, half_width=3, limits=Limits((2, 5))),
        lambda: plan_power(TWO, apps=1, difference=0.1, power=0.03, limits=Limits((2, 5))),
        lambda: plan_power(TWO, apps=1, difference=0.1, power=1, limits=Limits((2, 5))),
        lambda: paired_components(ONE, ONE, scenario_correlation=2, configuration_correlation=0),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_fix(call) -> None:
    with pytest.raises(InvalidInput) as caught:
        call()
    assert caught.value.fix


# Simulated benchmarks. Beta scenarios within an app, Beta configurations within a scenario, binary rollouts: the three
# variances follow from the mean m and the two concentrations, exactly.


def _beta(mean: np.ndarray, concentration: float, rng: np.random.Generator) -> np.ndarray:
    mean = np.clip(mean, 1e-6, 1 - 1e-6)
    return rng.beta(mean * concentration, (1 - mean) * concentration)


@pytest.mark.parametrize(("mean", "sizes"), [(0.5, (3, 6, 4, 2)), (0.2, (5, 3, 2, 5)), (0.9, (1, 12, 1, 3))])
def test_the_suite_mean_of_simulated_benchmarks_varies_as_the_formula_says(mean: float, sizes) -> None:
    apps, s, c, r = sizes
    rng, experiments = np.random.default_rng(7), 8000
    between, within = 2.0, 9.0
    scenario = mean * (1 - mean) / (between + 1)
    configuration = (mean * (1 - mean) - scenario) / (within + 1)
    components = VarianceComponents(scenario, configuration, mean * (1 - mean) - scenario - configuration)
    p = _beta(_beta(np.full((experiments, apps, s, 1), mean), between, rng) + np.zeros(c), within, rng)
    means = (rng.binomial(r, p) / r).mean(axis=(1, 2, 3))
    wanted = precision(components, apps=apps, scenarios=s, configurations=c, rollouts=r).standard_error
    assert means.std(ddof=1) == pytest.approx(wanted, rel=4 / math.sqrt(2 * experiments))  # four Monte Carlo errors


@pytest.mark.parametrize(("difference", "sizes"), [(0.0, (2, 12, 2, 1)), (0.2, (2, 12, 2, 1)), (0.08, (4, 8, 3, 2))])
def test_simulated_comparisons_find_a_difference_as_often_as_the_power_says(difference: float, sizes) -> None:
    apps, s, c, r = sizes
    rng, experiments = np.random.default_rng(11), 6000
    shared, own = 0.11, 0.06  # standard deviations of scenario effects; those of configurations are half as large

    def effects(*shape: int) -> np.ndarray:
        return rng.standard_normal((experiments, *shape))

    scenario, configuration = effects(apps, s, 1), effects(apps, s, c)
    rates = [
        0.5
        + sign * difference / 2
        + shared * (scenario + configuration / 2)
        + own * (effects(apps, s, 1) + effects(apps, s, c) / 2)
        for sign in (1, -1)
    ]
    scores = [rng.binomial(r, np.clip(rate, 0, 1)) / r for rate in rates]
    by_scenario = (scores[0] - scores[1]).mean(axis=3)
    error = np.sqrt(by_scenario.var(axis=2, ddof=1).mean(axis=1) / (s * apps))
    found = np.abs(by_scenario.mean(axis=(1, 2))) > stats.t.ppf(0.975, apps * (s - 1)) * error
    spread = shared**2 + own**2
    agent = VarianceComponents(spread, spread / 4, 0.25 - (difference / 2) ** 2 - spread * 1.25)
    alike = shared**2 / spread
    components = paired_components(agent, agent, scenario_correlation=alike, configuration_correlation=alike)
    wanted = 0.05
    if difference:
        wanted = power(components, difference=difference, apps=apps, scenarios=s, configurations=c, rollouts=r).power
        assert 0.3 < wanted < 0.9
    assert found.mean() == pytest.approx(wanted, abs=4 * math.sqrt(wanted * (1 - wanted) / experiments))
