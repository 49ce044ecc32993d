"""Two contenders: pairing, decisions, and that the error rate is what it says."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairground.core import InvalidInput
from fairground.stats import Cells, Contender, Shape, compare, count, make_up, table_from_rows

from .made_up import grid_cells, some_of, vars_of


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def named(cells: Cells, name: str) -> Cells:
    return replace(cells, contender=Contender(name))


def outcomes(cells: Cells, values: np.ndarray) -> Cells:
    return Cells(**{**vars_of(cells), "successes": values.astype(float)})


def test_the_sign_is_that_of_a_minus_b_and_turns_with_the_order() -> None:
    a = grid_cells(rng(1), contender="a")
    b = named(outcomes(a, np.maximum(a.successes - 1, 0)), "b")
    there, back = compare(a, b, rng=rng(2)), compare(b, a, rng=rng(3))
    assert there.difference.estimate == pytest.approx(a.app_means.mean() - b.app_means.mean())
    assert there.difference.estimate == pytest.approx(-back.difference.estimate)
    assert there.difference.low == pytest.approx(-back.difference.high, abs=0.02)
    assert there.decided == back.decided == a.contender
    assert there.scores == pytest.approx((a.app_means.mean(), b.app_means.mean()))


def test_pairing_cancels_what_is_hard_for_both() -> None:
    """Scenarios differ a lot and agents a little: paired, the difference is seen; apart, it is not."""
    base = grid_cells(rng(4), apps=4, scenarios=12, axes=(2, 2), rollouts=8, contender="a")
    easier = np.minimum(base.successes + (rng(5).random(len(base)) < 0.5), base.rollouts)
    a, b = named(outcomes(base, easier), "a"), named(base, "b")
    paired, apart = compare(a, b, rng=rng(6)), compare(a, b, rng=rng(6), pairing="apart")
    assert paired.pairing == "configurations" and paired.matched == len(base)
    assert paired.decided == a.contender and apart.decided is None
    assert paired.difference.width < apart.difference.width / 2
    assert any("Not paired" in note for note in apart.notes)


def test_configurations_that_only_one_was_run_in_are_left_out_and_said() -> None:
    a = grid_cells(rng(7), contender="a")
    b = named(some_of(a, rng(8), share=0.8), "b")
    found = compare(a, b, rng=rng(9))
    assert found.pairing == "configurations"
    assert found.left_out == (len(a) - len(b), 0) and found.left_out[0] > 0
    assert any(f"{len(a) - len(b)} of a's {len(a)} configurations" in note for note in found.notes)


def test_contenders_run_in_other_configurations_are_paired_by_scenario() -> None:
    rows = [
        {"agent": agent, "app": "notes", "scenario": f"s{s}", "theme": f"{agent}{t}", "success": (s + t) % 2}
        for agent in "ab"
        for s in range(6)
        for t in range(3)
    ]
    table = table_from_rows(rows)
    found = compare(count(table, "a"), count(table, "b"), rng=rng())
    assert (found.pairing, found.matched) == ("scenarios", 6)
    with pytest.raises(InvalidInput, match="share no configuration"):
        compare(count(table, "a"), count(table, "b"), rng=rng(), pairing="configurations")


def test_contenders_run_in_other_scenarios_are_not_paired() -> None:
    rows = [
        {"agent": agent, "app": "notes", "scenario": f"{agent}{s}", "success": s % 2}
        for agent in "ab"
        for s in range(6)
    ]
    table = table_from_rows(rows)
    assert compare(count(table, "a"), count(table, "b"), rng=rng()).pairing == "apart"
    with pytest.raises(InvalidInput, match="share no scenario"):
        compare(count(table, "a"), count(table, "b"), rng=rng(), pairing="scenarios")


def test_contenders_run_in_other_apps_cannot_be_compared() -> None:
    rows = [{"agent": agent, "app": agent, "scenario": "s", "success": 1} for agent in "ab"]
    table = table_from_rows(rows)
    with pytest.raises(InvalidInput, match="different apps"):
        compare(count(table, "a"), count(table, "b"), rng=rng())
    with pytest.raises(InvalidInput, match="with itself"):
        compare(count(table, "a"), count(table, "a"), rng=rng())


def test_two_perfect_agents_are_not_told_apart_with_certainty() -> None:
    rows = [{"agent": agent, "app": "x", "scenario": f"s{s}", "success": 1} for agent in "ab" for s in range(5)]
    table = table_from_rows(rows)
    found = compare(count(table, "a"), count(table, "b"), rng=rng())
    assert found.difference.estimate == 0 and found.difference.width > 0.5 and found.p_value == 1
    assert found.decided is None


def test_a_perfect_agent_beats_a_hopeless_one() -> None:
    rows = [
        {"agent": agent, "app": "x", "scenario": f"s{s}", "success": int(agent == "a")}
        for agent in "ab"
        for s in range(20)
    ]
    table = table_from_rows(rows)
    found = compare(count(table, "a"), count(table, "b"), rng=rng())
    assert found.difference.estimate == 1 and found.difference.low > 0.6 and found.decided == Contender("a")


def test_a_clear_difference_survives_a_correction_for_many_pairs() -> None:
    """A p-value that stops at two in the number of replicates could never pass Holm with a thousand pairs."""
    a = grid_cells(rng(10), apps=6, scenarios=20, contender="a")
    b = named(outcomes(a, np.maximum(a.successes - 2, 0)), "b")
    assert compare(a, b, rng=rng(11), resamples=1000).p_value * 1000 < 0.05


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32), level=st.sampled_from([0.8, 0.95]))
def test_a_decision_an_interval_and_a_p_value_say_the_same(seed: int, level: float) -> None:
    a, b = (grid_cells(rng(seed + at), apps=2, scenarios=4, axes=(2,), contender=name) for at, name in enumerate("ab"))
    found = compare(a, b, rng=rng(seed), resamples=2000, level=level)
    assert found.difference.low <= found.difference.estimate <= found.difference.high
    assert (found.decided is None) == (0 in found.difference)
    assert 0 < found.p_value <= 1
    if abs(found.p_value - (1 - level)) > 0.02:
        assert (found.p_value < 1 - level) == (found.decided is not None)


def _false_alarms(experiments: int) -> float:
    shape = Shape(apps=(0.3, 0.5, 0.6), scenarios=12, axes=(2, 2), rollouts=2, scenario_sd=0.2)
    draws = rng(12)
    alarms = 0
    for _ in range(experiments):
        # Two agents that are equally good: each finds its own scenarios hard, by the same law.
        a, b = named(make_up(shape, rng=draws), "a"), named(make_up(shape, rng=draws), "b")
        alarms += compare(a, b, rng=draws, resamples=300).decided is not None
    return alarms / experiments


@pytest.mark.simulation
def test_equal_agents_are_rarely_told_apart() -> None:
    assert _false_alarms(150) < 0.1


@pytest.mark.slow
def test_equal_agents_are_told_apart_in_a_twentieth_of_studies_at_most() -> None:
    assert 0.005 < _false_alarms(1500) < 0.065
