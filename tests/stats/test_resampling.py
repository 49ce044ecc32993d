"""The engine against what it claims to be exact in law with: enumeration, closed forms, and a plain loop."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from fairground.core import InvalidInput
from fairground.stats import Cells, exact_variance, resample, table_of
from fairground.stats.suites import resampling as engine
from fairground.stats.suites.nesting import blocks

from .made_up import TINY, grid_cells, some_of, tree, vars_of

LADDER = (("rollouts",), ("axes", "rollouts"), ("scenarios", "axes", "rollouts"))


@pytest.fixture(params=["listed", "direct"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to draw the axes: looked up in a list, and drawn as they come."""
    if request.param == "direct":
        monkeypatch.setattr(engine, "_LISTED", 0)
    return str(request.param)


@pytest.mark.parametrize(("levels", "variance"), list(zip(LADDER, (9 / 256, 5 / 128, 3 / 64), strict=True)))
def test_the_golden_tree_has_its_closed_form_variance(levels: tuple[str, ...], variance: float, way: str) -> None:
    cells = tree(TINY)
    assert exact_variance(cells, levels=levels)[0] == pytest.approx(variance, abs=1e-15)
    means = resample([cells], rng=np.random.default_rng(1), resamples=100_000, levels=levels)[0].mean(axis=1)
    assert means.var() == pytest.approx(variance, rel=0.02)
    assert means.mean() == pytest.approx(cells.app_means.mean(), abs=0.003)


@pytest.mark.parametrize("levels", [*LADDER, ("scenarios",), ("axes",), ("scenarios", "rollouts")])
@pytest.mark.parametrize("axes", [(), (4,), (3, 2), (2, 2, 2)])
def test_the_sampler_has_the_closed_form_variance(levels: tuple[str, ...], axes: tuple[int, ...], way: str) -> None:
    cells = grid_cells(np.random.default_rng(5), axes=axes)
    suite, apps = exact_variance(cells, levels=levels)
    means = resample([cells], rng=np.random.default_rng(2), resamples=30_000, levels=levels)[0]
    # The variance of a variance estimate is about 2/B: five standard errors.
    assert means.mean(axis=1).var() == pytest.approx(suite, rel=5 * (2 / 30_000) ** 0.5, abs=1e-12)
    assert means.var(axis=0) == pytest.approx(list(apps.values()), rel=7 * (2 / 30_000) ** 0.5, abs=1e-12)


def test_every_value_comes_as_often_as_enumeration_says(way: str) -> None:
    """Not only the variance: the whole law of an app's sum of successes, by enumeration of all draws."""
    rows = [("app", f"s{s}", f"t{t}", outcomes) for s, t, outcomes in SMALL]
    cells = tree(rows)
    law = _law_of_sum(cells)
    found = resample([cells], rng=np.random.default_rng(3), resamples=200_000)[0][:, 0]
    sums = np.rint(found * len(cells.scenarios) * 2 * 3).astype(int)
    counts = np.bincount(sums, minlength=len(law))
    assert not counts[law == 0].any()
    expected = law * len(found)
    large = expected >= 5
    observed = np.append(counts[large], counts[~large].sum())
    wanted = np.append(expected[large], expected[~large].sum())
    keep = wanted > 0
    assert stats.chisquare(observed[keep], wanted[keep]).pvalue > 1e-4


SMALL = (
    (0, 0, (1, 1, 0)),
    (0, 1, (1, 1, 1)),
    (1, 0, (0, 0, 0)),
    (1, 1, (0, 1, 0)),
    (2, 0, (1, 0, 0)),
    (2, 1, (1, 1, 0)),
)


def _law_of_sum(cells: Cells) -> NDArray[np.float64]:
    """The law of the sum of successes over all copies, for one app and one axis of two values."""
    number = len(cells.scenarios)
    one = np.zeros(2 * 3 + 1)
    for scenario in range(number):
        members = np.flatnonzero(cells.scenario == scenario)
        for draw in itertools.product(members, repeat=2):
            law = np.ones(1)
            for cell in draw:
                law = np.convolve(law, stats.binom.pmf(np.arange(4), 3, cells.successes[cell] / 3))
            one += law / number / 4
    total = np.ones(1)
    for _ in range(number):
        total = np.convolve(total, one)
    return total


def loop(cells: Cells, rng: np.random.Generator, resamples: int, design: str = "auto") -> NDArray[np.float64]:
    """The bootstrap, word for word: replicate x app."""
    values = _episodes(cells)
    nested = blocks(cells, design)  # type: ignore[arg-type]
    out = np.empty((resamples, len(cells.apps)))
    for b in range(resamples):
        for app, scenarios in enumerate(nested):
            drawn = []
            for scenario in rng.integers(len(scenarios), size=len(scenarios)):
                block = scenarios[scenario]
                where = dict(zip(block.places.tolist(), block.cells.tolist(), strict=True))
                copies: list[float] = []
                while not copies:
                    chosen = [rng.integers(size, size=size) for size in block.shape]
                    for index in itertools.product(*chosen):
                        cell = where.get(int(np.ravel_multi_index(index, block.shape)))
                        if cell is not None:
                            copies.append(rng.choice(values[cell], size=len(values[cell])).mean())
                drawn.append(np.mean(copies))
            out[b, app] = np.mean(drawn)
    return out


def _episodes(cells: Cells) -> list[NDArray[np.float64]]:
    if cells.values is not None:
        return np.split(cells.values, np.cumsum(cells.rollouts)[:-1])
    return [np.r_[np.ones(int(c)), np.zeros(int(n - c))] for c, n in zip(cells.successes, cells.rollouts, strict=True)]


def same_law(one: NDArray[np.float64], other: NDArray[np.float64]) -> bool:
    """Two samples of suite means: no sign of different laws."""
    jitter = np.random.default_rng(0).normal(0, 1e-6, len(one))  # sums in another order differ in the last digit
    return bool(stats.ks_2samp(one + jitter, other + jitter[: len(other)]).pvalue > 1e-3)


@pytest.mark.parametrize("design", ["grid", "sampled"])
@pytest.mark.simulation
def test_ragged_cells_with_holes_have_the_law_of_a_plain_loop(design: str) -> None:
    rng = np.random.default_rng(11)
    cells = some_of(grid_cells(rng, apps=2, scenarios=3, axes=(3, 2), rollouts=3), rng)
    assert len(set(cells.rollouts.tolist())) > 1 and len(cells) < 36
    fast = resample([cells], rng=rng, resamples=4000, design=design)[0]  # type: ignore[arg-type]
    slow = loop(cells, rng, 800, design)
    for app in range(2):
        assert same_law(slow[:, app], fast[:, app][:800])
    assert fast.mean(axis=1).std() == pytest.approx(slow.mean(axis=1).std(), rel=0.08)


@pytest.mark.simulation
def test_a_complete_grid_has_the_law_of_a_plain_loop(way: str) -> None:
    rng = np.random.default_rng(12)
    cells = grid_cells(rng, apps=2, scenarios=4, axes=(2, 2), rollouts=3)
    assert same_law(loop(cells, rng, 700).mean(axis=1), resample([cells], rng=rng, resamples=700)[0].mean(axis=1))


def test_values_that_are_not_zero_or_one_have_the_law_of_a_plain_loop() -> None:
    rng = np.random.default_rng(13)
    cells = some_of(grid_cells(rng, apps=2, scenarios=3, axes=(2,), rollouts=3), rng)
    values = np.round(rng.random(int(cells.rollouts.sum())), 2)
    starts = np.r_[0, np.cumsum(cells.rollouts)[:-1]]
    sums = np.add.reduceat(values, starts)
    cells = Cells(**{**vars_of(cells), "values": values, "successes": sums})
    fast = resample([cells], rng=rng, resamples=3000)[0].mean(axis=1)
    slow = loop(cells, rng, 800).mean(axis=1)
    assert same_law(slow, fast[:800])
    assert fast.std() == pytest.approx(slow.std(), rel=0.08)


def test_zeros_and_ones_as_values_are_the_same_as_counts() -> None:
    rng = np.random.default_rng(14)
    cells = grid_cells(rng, apps=2, scenarios=4, axes=(2,), rollouts=3)
    as_values = replace(cells, values=np.concatenate(_episodes(cells)))
    one = resample([cells], rng=rng, resamples=4000)[0].mean(axis=1)
    other = resample([as_values], rng=rng, resamples=4000)[0].mean(axis=1)
    assert same_law(one, other)


def test_an_agent_drawn_with_itself_differs_by_rollouts_only(way: str) -> None:
    """The difference of a contender and its twin has the variance of rollouts alone, twice."""
    cells = grid_cells(np.random.default_rng(15), apps=3, scenarios=6, axes=(3, 2), rollouts=4)
    twin = replace(cells, contender=replace(cells.contender, agent="b"))
    means = resample([cells, twin], rng=np.random.default_rng(16), resamples=40_000)
    difference = (means[0] - means[1]).mean(axis=1)
    expected = 2 * exact_variance(cells, levels=("rollouts",))[0]
    assert difference.var() == pytest.approx(expected, rel=0.05)
    assert difference.mean() == pytest.approx(0, abs=4 * (expected / 40_000) ** 0.5)
    assert means[0].mean(axis=1).var() == pytest.approx(exact_variance(cells)[0], rel=0.05)


def test_contenders_with_other_configurations_share_scenarios_only() -> None:
    """Var(a - b) = Var(a) + Var(b) - 2 Cov, and the covariance is that of scenario means."""
    rng = np.random.default_rng(17)
    one = grid_cells(rng, apps=1, scenarios=12, axes=(4,), rollouts=2)
    other = grid_cells(rng, apps=1, scenarios=12, axes=(3,), rollouts=2)
    other = replace(other, contender=replace(other.contender, agent="b"))
    means = resample([one, other], rng=rng, resamples=40_000)[:, :, 0]
    covariance = np.cov(one.scenario_means, other.scenario_means, ddof=0)[0, 1] / 12
    assert np.cov(means)[0, 1] == pytest.approx(covariance, abs=4e-4)
    for side, cells in enumerate((one, other)):
        assert means[side].var() == pytest.approx(exact_variance(cells)[0], rel=0.05)


def test_the_same_seed_gives_the_same_replicates_whatever_the_number_of_processors(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cells = grid_cells(np.random.default_rng(18), apps=4)
    once = resample([cells], rng=np.random.default_rng(1), resamples=3000)
    monkeypatch.setattr(engine.os, "sched_getaffinity", lambda _: {0})
    again = resample([cells], rng=np.random.default_rng(1), resamples=3000)
    assert np.array_equal(once, again)
    assert not np.array_equal(once, resample([cells], rng=np.random.default_rng(2), resamples=3000))


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32), axes=st.sampled_from([(), (2,), (3, 2), (5, 5), (2, 2, 2, 2)]), holes=st.booleans())
def test_replicates_stay_within_what_was_seen(seed: int, axes: tuple[int, ...], holes: bool) -> None:
    rng = np.random.default_rng(seed)
    cells = grid_cells(rng, apps=2, scenarios=3, axes=axes[:3], rollouts=3)
    if holes and axes:
        cells = some_of(cells, rng)
    means = resample([cells], rng=rng, resamples=50)[0]
    assert np.isfinite(means).all()
    for app in range(2):
        rates = cells.means[cells.app_of[cells.scenario] == app]
        if rates.min() in (0.0, 1.0) and rates.min() == rates.max():
            assert (means[:, app] == rates[0]).all()
    assert means.min() >= 0 and means.max() <= 1


def test_one_episode_can_be_resampled() -> None:
    cells = tree([("app", "s", "dark", (1,))])
    assert resample([cells], rng=np.random.default_rng(0), resamples=10).tolist() == [[[1.0]] * 10]


def test_a_design_is_a_grid_from_half_of_the_product_on() -> None:
    def shapes(themes: list[str], profiles: list[str]) -> list[tuple[int, ...]]:
        from fairground.stats import count

        rows = {"scenario": ["s"] * len(themes), "theme": themes, "profile": profiles, "success": [1] * len(themes)}
        return [block.shape for block in blocks(count(table_of(rows)))[0]]

    assert shapes(["a", "a", "b"], ["x", "y", "x"]) == [(2, 2)]
    assert shapes(["a", "b"], ["x", "y"]) == [(2, 2)]
    assert shapes(["a", "b", "c"], ["x", "y", "z"]) == [(3,)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"resamples": 0}, "resamples: expected at least 1"),
        ({"levels": ()}, "levels: expected some of"),
        ({"levels": ("apps",)}, "levels: expected some of"),
        ({"design": "gird"}, "design: expected auto, grid or sampled"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, object], message: str) -> None:
    cells = tree(TINY)
    with pytest.raises(InvalidInput, match=message):
        resample([cells], **({"rng": np.random.default_rng(0), "resamples": 5} | options))  # type: ignore[arg-type]


def test_contenders_with_other_scenarios_cannot_be_drawn_together() -> None:
    one, other = tree(TINY), tree(TINY[:2])
    with pytest.raises(InvalidInput, match="same scenarios"):
        resample([one, other], rng=np.random.default_rng(0), resamples=5)


def test_a_grid_with_holes_has_no_closed_form() -> None:
    rng = np.random.default_rng(19)
    with pytest.raises(InvalidInput, match="no closed form"):
        exact_variance(some_of(grid_cells(rng), rng, share=0.8), design="grid")
