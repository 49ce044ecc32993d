import itertools
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate
from scipy import stats as scipy_stats

from fairground.core import InvalidInput
from fairground.stats.axes.components import difference_components, variance_components
from fairground.stats.interval import plain
from fairground.stats.planning.planning import DifferenceComponents, VarianceComponents
from fairground.stats.tables.cells import Cells
from fairground.stats.tables.table import Contender

AXES = ("instance", "profile", "theme", "ui_state")


def grid(successes, rollouts, shape, name="x", values=None):
    """Cells of a full grid; successes have the shape (apps, scenarios, *shape)."""
    successes = np.asarray(successes, dtype=np.float64)
    apps, scenarios = successes.shape[:2]
    size = int(np.prod(shape))
    levels = np.array(list(itertools.product(*map(range, shape))), dtype=np.int32).reshape(size, len(shape))
    return Cells(
        contender=Contender(name),
        apps=tuple(f"a{app:02}" for app in range(apps)),
        scenarios=tuple(f"a{app:02}/s{scenario:02}" for app in range(apps) for scenario in range(scenarios)),
        app_of=np.repeat(np.arange(apps), scenarios).astype(np.int32),
        axes=AXES[: len(shape)],
        axis_values=tuple(tuple(map(str, range(length))) for length in shape),
        scenario=np.repeat(np.arange(apps * scenarios), size).astype(np.int32),
        levels=np.tile(levels, (apps * scenarios, 1)),
        successes=successes.ravel(),
        rollouts=np.broadcast_to(rollouts, successes.shape).ravel().astype(np.int64),
        values=values,
    )


def gaussian(rng, apps, scenarios, shape, rollouts, sds, app_effects=None):
    """Rewards with normal effects: sds are of scenario, each axis, interaction and rollout."""
    scenario_sd, *axis_sds, interaction_sd, rollout_sd = sds
    wide = (apps, scenarios) + (1,) * len(shape)
    mean = rng.normal(0, scenario_sd, wide)
    if app_effects is not None:
        mean = mean + np.reshape(app_effects, (apps, 1) + (1,) * len(shape))
    for axis, (length, sd) in enumerate(zip(shape, axis_sds, strict=True)):
        own = [apps, scenarios] + [1] * len(shape)
        own[2 + axis] = length
        mean = mean + rng.normal(0, sd, own)
    mean = mean + rng.normal(0, interaction_sd, (apps, scenarios, *shape))
    values = mean[..., None] + rng.normal(0, rollout_sd, (*mean.shape, rollouts))
    return grid(values.sum(axis=-1), rollouts, shape, values=values.ravel())


def run(cells, seed=0, resamples=50, **options):
    return variance_components(cells, rng=np.random.default_rng(seed), resamples=resamples, **options)


def raw(found):
    return {part.name: part.raw for part in found.parts}


def average(draws):
    """Means and standard errors of repeated raw estimates, by name."""
    table = {name: np.array([draw[name] for draw in draws]) for name in draws[0]}
    return {name: (column.mean(), column.std(ddof=1) / np.sqrt(len(column))) for name, column in table.items()}


def test_a_full_grid_gives_the_crossed_analysis_of_variance():
    rng = np.random.default_rng(1)
    shape, rollouts = (3, 4), 2
    cells = gaussian(rng, 1, 5, shape, rollouts, (0.5, 0.3, 0.2, 0.25, 0.6))
    y = cells.means.reshape(5, *shape)
    within = cells.values.reshape(-1, rollouts).var(axis=1, ddof=1).mean()
    row, column, mean = y.mean(2, keepdims=True), y.mean(1, keepdims=True), y.mean((1, 2), keepdims=True)
    ms_row = (4 * (row - mean) ** 2).sum() / (5 * 2)
    ms_column = (3 * (column - mean) ** 2).sum() / (5 * 3)
    ms_both = ((y - row - column + mean) ** 2).sum() / (5 * 6)
    one, two, both = (ms_row - ms_both) / 4, (ms_column - ms_both) / 3, ms_both - within / 2
    scenario = mean.var(ddof=1) - one / 3 - two / 4 - both / 12 - within / 24
    assert raw(run(cells)) == pytest.approx(
        {"scenario": scenario, "instance": one, "profile": two, "interaction": both, "rollout": within}
    )


def test_a_nested_balanced_table_agrees_with_restricted_maximum_likelihood():
    # For balanced data with positive estimates REML and the analysis of variance are the same.
    pd = pytest.importorskip("pandas")
    smf = pytest.importorskip("statsmodels.formula.api")
    rng = np.random.default_rng(2)
    cells = gaussian(rng, 1, 12, (5,), 4, (0.8, 0.6, 0.0, 0.7))
    frame = pd.DataFrame(
        {
            "y": cells.values,
            "scenario": np.repeat(cells.scenario, cells.rollouts),
            "cell": np.repeat(np.arange(len(cells)), cells.rollouts),
        }
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = smf.mixedlm("y ~ 1", frame, groups="scenario", re_formula="1", vc_formula={"cell": "0 + C(cell)"})
        fit = model.fit(reml=True)
    found = raw(run(cells))
    assert found["scenario"] == pytest.approx(float(fit.cov_re.iloc[0, 0]), rel=1e-3)
    assert found["instance"] == pytest.approx(float(fit.vcomp[0]), rel=1e-3)
    assert found["rollout"] == pytest.approx(float(fit.scale), rel=1e-3)


@pytest.mark.simulation
def test_every_component_is_unbiased_on_a_grid():
    rng = np.random.default_rng(3)
    apps = np.array([0.0, 0.4, 1.0])
    sds = (0.5, 0.3, 0.1, 0.2, 0.6)
    draws = [raw(run(gaussian(rng, 3, 4, (3, 2), 2, sds, apps), resamples=1)) for _ in range(250)]
    truth = {"app": apps.var(ddof=1)} | {
        name: sd**2 for name, sd in zip(("scenario", "instance", "profile", "interaction", "rollout"), sds, strict=True)
    }
    for name, (mean, error) in average(draws).items():
        assert abs(mean - truth[name]) < 4 * error, name


@pytest.mark.simulation
def test_every_component_is_unbiased_with_cells_missing_and_ragged_rollouts():
    rng = np.random.default_rng(4)
    sds, shape = (0.5, 0.3, 0.4, 0.2, 0.6), (4, 3)
    keep = rng.random(2 * 5 * 12) < 0.6
    keep[[0, 12, 24, 36, 48, 60, 72, 84, 96, 108]] = True
    rollouts = rng.integers(2, 6, keep.sum())
    draws = []
    for _ in range(250):
        full = gaussian(rng, 2, 5, shape, 5, sds, (0.0, 0.7)).keep(keep)
        kept = [v[:n] for v, n in zip(full.values.reshape(-1, 5), rollouts, strict=True)]
        ragged = Cells(
            **{
                **{name: getattr(full, name) for name in Cells.__dataclass_fields__},
                "successes": np.array([v.sum() for v in kept]),
                "rollouts": rollouts,
                "values": np.concatenate(kept),
            }
        )
        draws.append(raw(run(ragged, resamples=1)))
    names = ("scenario", "instance", "profile", "interaction", "rollout")
    truth = {"app": 0.7**2 / 2} | {name: sd**2 for name, sd in zip(names, sds, strict=True)}
    for name, (mean, error) in average(draws).items():
        assert abs(mean - truth[name]) < 4 * error, name


@pytest.mark.slow
def test_the_calibrated_benchmark_of_the_paper_is_recovered():
    # p_s = clip(p_app + N(0, .25)), p_c = clip(p_s + N(0, .05)): clipping makes the true variances smaller.
    rng = np.random.default_rng(5)
    app_rate, draws, truths = 0.41, [], []
    for _ in range(150):
        p_s = np.clip(app_rate + rng.normal(0, 0.25, (4, 8)), 0, 1)
        p_c = np.clip(p_s[:, :, None, None, None] + rng.normal(0, 0.05, (4, 8, 3, 3, 3)), 0, 1)
        draws.append(raw(run(grid(rng.binomial(3, p_c), 3, (3, 3, 3)), resamples=1)))
        truths.append((p_c * (1 - p_c)).mean())

    def clipped_moment(power, centre, sd):
        density = scipy_stats.norm(centre, sd)
        return integrate.quad(lambda x: x**power * density.pdf(x), 0, 1)[0] + density.sf(1)

    sources = np.linspace(0, 1, 401)
    means = np.array([clipped_moment(1, p, 0.05) for p in sources])
    inner = np.array([clipped_moment(2, p, 0.05) for p in sources]) - means**2
    sample = np.clip(app_rate + np.random.default_rng(6).normal(0, 0.25, 400_000), 0, 1)
    found = average(draws)
    assert found["scenario"][0] == pytest.approx(np.interp(sample, sources, means).var(), abs=4 * found["scenario"][1])
    assert found["interaction"][0] == pytest.approx(np.interp(sample, sources, inner).mean(), abs=0.001)
    assert found["rollout"][0] == pytest.approx(np.mean(truths), abs=0.002)
    for axis in AXES[:3]:
        assert abs(found[axis][0]) < 4 * found[axis][1]
    assert np.sqrt(found["scenario"][0]) == pytest.approx(0.25, abs=0.04)
    assert np.sqrt(found["interaction"][0]) == pytest.approx(0.05, abs=0.01)


def test_rollout_variance_of_counts_is_the_unbiased_one():
    found = run(grid([[[1, 2], [0, 3]]], 3, (2,)))
    assert found["rollout"].raw == pytest.approx((2 * (1 * 2 / (3 * 2))) / 4)


def test_parts_of_binary_data_add_up_to_the_variance_of_an_episode():
    rng = np.random.default_rng(7)
    found = run(grid(rng.binomial(3, rng.beta(0.5, 0.5, (10, 20, 3, 3))), 3, (3, 3)))
    assert found.total == pytest.approx(0.25, abs=0.01)
    assert sum(part.share for part in found.parts) == pytest.approx(1)


def test_an_effect_that_is_there_is_found_at_its_level():
    rng = np.random.default_rng(8)
    theme = np.array([0.2, 0.8])[None, None, None, :]
    found = run(grid(rng.binomial(4, np.broadcast_to(theme, (3, 60, 3, 2))), 4, (3, 2)))
    assert found["profile"].variance == pytest.approx(0.6**2 / 2, abs=0.02)
    assert found["instance"].variance < 0.01
    assert found["scenario"].variance < 0.03
    assert found.configuration.variance == pytest.approx(0.18, abs=0.02)


def test_a_variance_below_nothing_is_raised_to_nothing_and_said():
    # Every cell solved exactly half: less spread than coins would show.
    found = run(grid(np.ones((2, 4, 2, 2)), 2, (2, 2)))
    assert found["interaction"].raw < 0
    assert found["interaction"].variance == found["interaction"].sd == 0
    assert found["interaction"].interval.low == 0
    assert any("below 0" in note for note in found.notes)


def test_a_single_rollout_is_never_told_from_the_configuration():
    rng = np.random.default_rng(9)
    found = run(grid(rng.binomial(1, 0.5, (2, 6, 3, 3)), 1, (3, 3)))
    assert [part.name for part in found.parts] == ["app", "scenario", "instance", "profile", "interaction and rollout"]
    assert found.configuration is None
    assert any("not repeated" in note for note in found.notes)
    with pytest.raises(InvalidInput, match="rollout"):
        found.to_plan()
    one_axis = run(grid(rng.binomial(1, 0.5, (2, 6, 3)), 1, (3,)))
    assert [part.name for part in one_axis.parts] == ["app", "scenario", "configuration and rollout"]
    assert one_axis["configuration and rollout"].raw == pytest.approx(0.25, abs=0.06)


@pytest.mark.parametrize(
    ("shape", "axes", "rollouts", "names"),
    [
        ((2, 3), (), 3, ["app", "scenario", "rollout"]),
        ((2, 3), (), 1, ["app", "scenario and rollout"]),
        ((2, 3, 1), (1,), 3, ["app", "scenario and configuration", "rollout"]),
        ((2, 3, 1), (1,), 1, ["app", "scenario and configuration and rollout"]),
        ((2, 1), (), 3, ["app and scenario", "rollout"]),
        ((1, 3), (), 3, ["scenario", "rollout"]),
        ((1, 1, 4), (4,), 3, ["instance", "rollout"]),
        ((1, 1), (), 3, ["rollout"]),
    ],
)
def test_a_level_without_repetition_lends_its_name_to_the_one_above(shape, axes, rollouts, names):
    rng = np.random.default_rng(10)
    found = run(grid(rng.binomial(rollouts, 0.5, shape), rollouts, axes))
    assert [part.name for part in found.parts] == names
    assert found.notes


def test_one_episode_is_refused():
    with pytest.raises(InvalidInput, match="one episode"):
        run(grid([[1]], 1, ()))


def test_axes_that_change_together_are_given_as_one_configuration():
    rng = np.random.default_rng(11)
    cells = grid(rng.binomial(3, 0.5, (2, 5, 2, 2)), 3, (2, 2))
    tandem = cells.keep(cells.levels[:, 0] == cells.levels[:, 1])
    found = run(tandem)
    assert [part.name for part in found.parts] == ["app", "scenario", "configuration", "rollout"]
    assert any("cannot separate the effects of the axes" in note for note in found.notes)


def test_an_instance_drawn_afresh_for_every_configuration_takes_the_interaction_in():
    rng = np.random.default_rng(12)
    cells = grid(rng.binomial(3, 0.5, (2, 6, 6, 3)), 3, (6, 3))
    sampled = cells.keep(cells.levels[:, 0] % 3 == cells.levels[:, 1])
    found = run(sampled)
    assert [part.name for part in found.parts] == ["app", "scenario", "instance", "profile", "rollout"]
    assert any("counted together" in note for note in found.notes)


def test_noise_of_single_rollouts_is_taken_from_the_same_scenario_and_said():
    rollouts = np.array([[[3, 3, 1], [3, 3, 3]]])
    found = run(grid(np.array([[[1, 2, 1], [0, 3, 3]]]), rollouts, (3,)))
    assert found["rollout"].raw == pytest.approx((1 / 3 + 0) / 2)
    assert any("1 configurations have only one rollout" in note for note in found.notes)


def test_no_variance_at_all_has_no_shares():
    found = run(grid(np.full((2, 3, 2, 2), 4), 4, (2, 2)))
    assert found.total == 0
    assert {part.share for part in found.parts} == {0.0}
    assert any("same result" in note for note in found.notes)
    assert plain(found)["total"] == 0


def test_what_is_hard_for_both_cancels_in_the_difference():
    rng = np.random.default_rng(13)
    hard = rng.uniform(0.1, 0.7, (3, 30, 1, 1))
    lead = rng.normal(0.1, 0.05, (3, 30, 1, 1))
    one, other = (
        grid(rng.binomial(6, np.broadcast_to(np.clip(p, 0, 1), (3, 30, 3, 2))), 6, (3, 2), name)
        for p, name in ((hard + lead, "one"), (hard, "other"))
    )
    found = difference_components(one, other, rng=rng, resamples=50)
    alone = run(one), run(other)
    assert found["scenario"].raw < 0.015 < 0.02 < alone[0]["scenario"].raw
    assert found["scenario"].raw == pytest.approx(0.05**2, abs=0.008)
    assert found["rollout"].raw == pytest.approx(alone[0]["rollout"].raw + alone[1]["rollout"].raw)
    assert found.contender == "one minus other"
    plan = found.to_plan()
    assert isinstance(plan, DifferenceComponents) and plan.paired


def test_an_agent_differs_from_its_copy_by_rollouts_only():
    rng = np.random.default_rng(14)
    draws = []
    for _ in range(60):
        p = rng.beta(0.5, 0.5, (3, 20, 3))
        one, other = (grid(rng.binomial(5, p), 5, (3,), name) for name in ("one", "other"))
        draws.append(raw(difference_components(one, other, rng=rng, resamples=1)))
    found = average(draws)
    for name in ("app", "scenario", "instance"):
        assert abs(found[name][0]) < 4 * found[name][1]
    assert found["rollout"][0] == pytest.approx(2 * 0.125, abs=0.01)  # E[p (1 - p)] of Beta(1/2, 1/2) is 1/8


def test_the_plan_gets_scenario_configuration_and_rollout():
    rng = np.random.default_rng(15)
    found = run(grid(rng.binomial(3, rng.beta(1, 1, (3, 10, 3, 2))), 3, (3, 2)))
    plan = found.to_plan()
    assert type(plan) is VarianceComponents
    assert (plan.scenario, plan.configuration, plan.rollout) == (
        found["scenario"].variance,
        found.configuration.variance,
        found["rollout"].variance,
    )
    with pytest.raises(InvalidInput, match="no component"):
        found["theme"]


@pytest.mark.simulation
def test_intervals_cover_the_scenario_variance():
    rng = np.random.default_rng(16)
    inside = 0
    for _ in range(200):
        cells = gaussian(rng, 5, 10, (3,), 2, (0.5, 0.3, 0.0, 0.5))
        inside += 0.25 in variance_components(cells, rng=rng, resamples=300)["scenario"].interval
    assert 170 <= inside <= 199  # 190 is nominal; a bootstrap of a variance is a little short


@pytest.mark.parametrize("options", [{"resamples": 0}, {"level": 0.0}])
def test_bad_options_are_refused(options):
    with pytest.raises(InvalidInput):
        run(grid(np.ones((1, 2, 2)), 2, (2,)), **options)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.permutations(range(3)), st.floats(0.3, 1))
def test_components_do_not_depend_on_names_and_their_intervals_hold_them(seed, swap, kept):
    rng = np.random.default_rng(seed)
    successes = rng.binomial(3, rng.beta(0.5, 0.5, (2, 3, 3, 2)))
    mask = rng.random((2, 3, 3, 2)) < kept
    mask[:, :, 0, 0] = True
    found = run(grid(successes, 3, (3, 2)).keep(mask.ravel()))
    swapped = run(grid(successes[:, ::-1, swap], 3, (3, 2)).keep(mask[:, ::-1, swap].ravel()))
    assert raw(found) == pytest.approx(raw(swapped), abs=1e-9)
    for part in found.parts:
        assert part.variance == max(part.raw, 0)
        if part.interval is not None:
            assert part.variance in part.interval
            assert part.interval.low >= 0
    plain(found)
