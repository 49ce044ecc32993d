import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

from fairground.core import InvalidInput
from fairground.stats.interval import plain
from fairground.stats.proportions import wilson
from fairground.stats.tasks.reliability import (
    consistency,
    pass_at_k,
    pass_curve,
    pass_hat_k,
    reliability_summary,
)
from fairground.stats.tasks.transitions import transitions


def generator(seed=0):
    return np.random.default_rng(seed)


@st.composite
def tasks(draw, most_tasks=12, most_rollouts=9):
    trials = draw(st.lists(st.integers(1, most_rollouts), min_size=1, max_size=most_tasks))
    return [draw(st.integers(0, n)) for n in trials], trials


# --- Pass^k and pass@k -----------------------------------------------------------------------------------------------


def test_pass_hat_k_has_the_golden_values():
    values = [pass_hat_k([0, 1, 2, 3], 3, k).estimate for k in (1, 2, 3)]
    assert values == pytest.approx([0.5, 1 / 3, 0.25], abs=1e-15)


def test_pass_at_k_counts_a_task_with_any_success_at_k_equal_to_n():
    assert [pass_at_k([0, 1, 2, 3], 3, k).estimate for k in (1, 2, 3)] == pytest.approx([0.5, 2 / 3, 0.75])


@given(case=tasks(), k=st.integers(1, 9))
def test_both_are_the_mean_of_binomial_coefficients(case, k):
    c, n = case
    usable = [(a, b) for a, b in zip(c, n, strict=True) if b >= k]
    if not usable:
        with pytest.raises(InvalidInput, match=f"no task has {k} rollouts"):
            pass_hat_k(c, n, k)
        return
    hat = sum(Fraction(math.comb(a, k), math.comb(b, k)) for a, b in usable) / len(usable)
    at = sum(1 - Fraction(math.comb(b - a, k), math.comb(b, k)) for a, b in usable) / len(usable)
    assert pass_hat_k(c, n, k).estimate == pytest.approx(float(hat), abs=1e-12)
    assert pass_at_k(c, n, k).estimate == pytest.approx(float(at), abs=1e-12)
    assert pass_hat_k(c, n, k).tasks == len(usable)
    assert pass_hat_k(c, n, k).left_out == len(c) - len(usable)


@given(case=tasks())
def test_pass_hat_falls_with_k_and_pass_at_rises(case):
    c, n = case
    n = [max(n)] * len(n)
    hat = [pass_hat_k(c, n, k).estimate for k in range(1, n[0] + 1)]
    at = [pass_at_k(c, n, k).estimate for k in range(1, n[0] + 1)]
    assert all(a >= b - 1e-12 for a, b in itertools.pairwise(hat))
    assert all(a <= b + 1e-12 for a, b in itertools.pairwise(at))
    assert hat[0] == pytest.approx(at[0]) and hat[-1] == pytest.approx(np.mean(np.array(c) == n[0]))


def test_thousands_of_rollouts_do_not_overflow():
    n, c, k = 5000, 4990, 2500
    exact = Fraction(math.comb(c, k), math.comb(n, k))
    assert pass_hat_k([c], n, k).estimate == pytest.approx(float(exact), rel=1e-11)
    assert pass_at_k([10], n, k).estimate == pytest.approx(1 - float(exact), rel=1e-11)
    assert pass_hat_k([n], n, n).estimate == 1 and pass_hat_k([n - 1], n, n).estimate == 0


def test_a_task_solved_always_counts_for_every_k():
    assert [pass_hat_k([7], 7, k).estimate for k in range(1, 8)] == [1.0] * 7


def test_the_estimate_is_unbiased():
    """The plug-in (c/n)^k is not: for p = 0.6, k = 3, n = 4 its mean is 0.321, and the truth 0.216."""
    rng = generator(1)
    c = rng.binomial(4, 0.6, 200_000)
    assert pass_hat_k(c, 4, 3).estimate == pytest.approx(0.6**3, abs=0.004)
    assert pass_at_k(c, 4, 3).estimate == pytest.approx(1 - 0.4**3, abs=0.004)
    assert np.mean((c / 4) ** 3) == pytest.approx(0.321, abs=0.004)


def test_tasks_with_too_few_rollouts_are_left_out_and_counted():
    result = pass_hat_k([1, 2, 3], [1, 2, 3], 2)
    assert (result.estimate, result.tasks, result.left_out) == (1.0, 2, 1)
    assert "fewer than 2 rollouts: 1 of 3 tasks" in result.notes[0]
    assert not pass_hat_k([1, 2, 3], [1, 2, 3], 1).notes


@pytest.mark.parametrize("k", [0, -1, 1.5, float("nan"), "2", [1, 2]])
def test_a_k_that_is_no_count_is_refused(k):
    with pytest.raises(InvalidInput, match="k"):
        pass_hat_k([1, 2], 3, k)


@pytest.mark.parametrize(
    ("c", "n"), [([], 3), ([4], 3), ([-1], 3), ([0], 0), ([1, 2], [3]), (2, 3), ([[1]], 3), ([float("nan")], 3)]
)
def test_impossible_tasks_are_refused(c, n):
    if (c, n) == ([1, 2], [3]):  # one number of rollouts for all is allowed, also as a list of one
        assert pass_hat_k(c, n, 1).estimate == 0.5
        return
    for function in (lambda: pass_hat_k(c, n, 1), lambda: consistency(c, n), lambda: pass_curve(c, n, rng=generator())):
        with pytest.raises(InvalidInput):
            function()


# --- curves ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", ["Pass^k", "pass@k"])
@pytest.mark.parametrize("resample", ["tasks", "rollouts"])
@settings(max_examples=25, deadline=None)
@given(case=tasks(), seed=st.integers(0, 99))
def test_a_curve_has_the_point_estimates_inside_its_intervals(metric, resample, case, seed):
    c, n = case
    curve = pass_curve(c, n, rng=generator(seed), metric=metric, resample=resample, largest_k=max(n), replicates=100)
    one = pass_hat_k if metric == "Pass^k" else pass_at_k
    assert curve.ks == tuple(range(1, max(n) + 1)) and len(curve.points) == len(curve.ks)
    for k, point, used, left_out in zip(curve.ks, curve.points, curve.tasks, curve.left_out, strict=True):
        expected = one(c, n, k)
        assert point.estimate == pytest.approx(expected.estimate, abs=1e-12)
        assert (used, left_out) == (expected.tasks, expected.left_out)
        assert 0 <= point.low <= point.estimate <= point.high <= 1
    plain(curve)


def test_intervals_over_tasks_have_the_variance_that_theory_says():
    """The mean has the variance of the tasks' values over their number, within each app."""
    rng = generator(2)
    c, n, apps = rng.binomial(6, rng.beta(1, 1, 60)), 6, np.repeat(["a", "b", "c"], [10, 20, 30])
    values = np.array([math.comb(x, 2) / math.comb(n, 2) for x in c])
    within = sum(values[apps == app].var(ddof=1) * (apps == app).sum() for app in "abc") / 60**2
    curve = pass_curve(c, n, rng=rng, groups=apps, largest_k=2, level=0.6827)
    assert curve.points[1].width / 2 == pytest.approx(within**0.5, rel=0.03)
    everywhere = pass_curve(c, n, rng=rng, largest_k=2, level=0.6827)
    assert everywhere.points[1].width / 2 == pytest.approx(values.std(ddof=1) / 60**0.5, rel=0.03)


def test_groups_that_explain_everything_narrow_the_interval():
    c = np.r_[np.full(19, 5), 4, np.zeros(19, int), 1]
    apps = ["good"] * 20 + ["bad"] * 20
    grouped = pass_curve(c, 5, rng=generator(), groups=apps).points[0]
    assert grouped.width < pass_curve(c, 5, rng=generator()).points[0].width / 3


def test_resampling_is_the_same_for_the_same_seed_and_any_order_of_tasks():
    rng = generator(3)
    c, n = rng.binomial(8, 0.5, 50), np.full(50, 8)
    order = rng.permutation(50)
    assert pass_curve(c, n, rng=generator(7)) == pass_curve(c[order], n, rng=generator(7))


def test_names_of_groups_do_not_matter():
    c, groups = generator(4).binomial(3, 0.5, 40), np.arange(40) % 4
    renamed = [("app", str(9 - g)) for g in groups]
    assert pass_curve(c, 3, rng=generator(1), groups=groups) == pass_curve(c, 3, rng=generator(1), groups=renamed)


@settings(max_examples=20, deadline=None)
@given(low=st.floats(0.3, 0.9), more=st.floats(0.01, 0.09))
def test_a_higher_level_gives_a_wider_curve(low, more):
    c = generator(5).binomial(4, 0.4, 30)
    narrow, wide = (pass_curve(c, 4, rng=generator(1), level=level, replicates=500) for level in (low, low + more))
    for a, b in zip(narrow.points, wide.points, strict=True):
        assert b.low <= a.low and a.high <= b.high


def test_more_tasks_narrow_the_curve():
    few, many = (pass_curve([0, 1, 2, 3, 3] * times, 3, rng=generator()) for times in (6, 60))
    assert all(a.width > 2 * b.width for a, b in zip(few.points, many.points, strict=True))


@pytest.mark.parametrize("metric", ["Pass^k", "pass@k"])
@pytest.mark.simulation
def test_intervals_over_tasks_cover_what_holds_for_all_such_tasks(metric):
    """60 tasks with p ~ Beta(0.5, 0.7), 5 rollouts each. Resampling rollouts as well would be off centre for k > 1."""
    rng = generator(6)
    a, b = (0.5, 0.7) if metric == "Pass^k" else (0.7, 0.5)  # pass@k is Pass^k of failure
    moments = np.exp([special.betaln(a + k, b) - special.betaln(a, b) for k in range(1, 6)])
    covered = np.zeros(5)
    for _ in range(400):
        p = rng.beta(0.5, 0.7, 60)
        curve = pass_curve(rng.binomial(5, p), 5, rng=rng, metric=metric, replicates=500)
        truth = moments if metric == "Pass^k" else 1 - moments
        covered += [t in point for t, point in zip(truth, curve.points, strict=True)]
    assert covered / 400 == pytest.approx(np.full(5, 0.94), abs=0.04)


@pytest.mark.simulation
def test_intervals_over_rollouts_cover_what_holds_for_these_very_tasks():
    rng = generator(7)
    p = rng.beta(0.5, 0.7, 100)
    covered = np.zeros(4)
    for _ in range(300):
        curve = pass_curve(rng.binomial(8, p), 8, rng=rng, resample="rollouts", largest_k=4, replicates=400)
        covered += [np.mean(p**k) in point for k, point in zip(curve.ks, curve.points, strict=True)]
    assert covered / 300 == pytest.approx(np.full(4, 0.94), abs=0.04)


def test_drawing_rollouts_again_does_not_move_the_interval_off_its_estimate():
    """Without the correction every resample would lie above: the mean of drawn values is (c/n)^k."""
    c = np.full(200, 2)
    point = pass_curve(c, 4, rng=generator(8), resample="rollouts", largest_k=2).points[1]
    assert point.estimate == pytest.approx(1 / 6)
    assert (point.low + point.high) / 2 == pytest.approx(1 / 6, abs=0.01)


def test_both_ways_to_draw_rollouts_have_the_same_law():
    """Many equal tasks are drawn as one multinomial, few one by one; each width is that of one task over sqrt(N)."""
    many = pass_curve(np.full(400, 3), 6, rng=generator(9), resample="rollouts", largest_k=2)
    few = pass_curve(np.full(4, 3), 6, rng=generator(9), resample="rollouts", largest_k=2, replicates=40_000)
    for a, b in zip(many.points, few.points, strict=True):
        assert b.width == pytest.approx(10 * a.width, rel=0.1)


@pytest.mark.parametrize(("c", "estimate"), [([3] * 12, 1.0), ([0] * 12, 0.0)])
@pytest.mark.parametrize("resample", ["tasks", "rollouts"])
def test_all_successes_or_none_are_not_certainty(c, estimate, resample):
    curve = pass_curve(c, 3, rng=generator(), resample=resample)
    expected = wilson(12 if estimate else 0, 12)
    for point in curve.points:
        assert (point.estimate, point.low, point.high) == pytest.approx((estimate, expected.low, expected.high))


def test_one_task_gets_a_wide_interval():
    curve = pass_curve([2], 4, rng=generator())
    assert curve.points[0].low < 0.15 and curve.points[0].high > 0.85


def test_groups_of_one_task_are_one_group_together():
    curve = pass_curve([0, 1, 2, 3], 3, rng=generator(), groups=list("abcd"))
    assert curve == pass_curve([0, 1, 2, 3], 3, rng=generator())


def test_by_default_a_curve_ends_where_half_of_the_tasks_run_out():
    curve = pass_curve([1] * 6, [1, 5, 5, 5, 9, 9], rng=generator())
    assert curve.ks[-1] == 5 and curve.tasks == (6, 5, 5, 5, 5)
    assert "fewer than 5 rollouts: 1 of 6 tasks" in curve.notes[0]


def test_hundreds_of_rollouts_give_a_curve_of_hundreds_of_points():
    c = generator(1).binomial(450, generator(2).beta(3, 0.2, 40))
    curve = pass_curve(c, 450, rng=generator(), replicates=200)
    assert len(curve.points) == 450
    assert curve.points[-1].estimate == np.mean(c == 450)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"largest_k": 4}, "no task has 4 rollouts"),
        ({"largest_k": 0}, "k"),
        ({"groups": ["a"]}, "one per task"),
        ({"resample": "both"}, "resample"),
        ({"metric": "pass"}, "metric"),
        ({"replicates": 5}, "replicates"),
        ({"level": 95}, "level"),
    ],
)
def test_bad_options_are_refused(options, words):
    with pytest.raises(InvalidInput, match=words):
        pass_curve([0, 1, 2], 3, rng=generator(), **options)


# --- consistency -----------------------------------------------------------------------------------------------------


def test_consistency_classes_are_always_sometimes_never():
    result = consistency([3, 3, 2, 1, 0], 3)
    assert result.counts == {"always": 2, "sometimes": 2, "never": 1}
    assert result.shares["always"] == wilson(2, 5)
    assert not result.notes


def test_consistency_says_what_ragged_and_single_rollouts_hide():
    assert "only one rollout per task" in consistency([0, 1], 1).notes[0]
    assert "2 to 3 rollouts" in consistency([2, 3], [2, 3]).notes[0]


@given(case=tasks())
def test_every_task_is_in_one_class(case):
    result = consistency(*case)
    assert sum(result.counts.values()) == result.tasks == len(case[0])
    assert sum(share.estimate for share in result.shares.values()) == pytest.approx(1)


def test_a_summary_holds_the_classes_and_both_curves():
    summary = reliability_summary([0, 1, 2, 3], 3, rng=generator(), replicates=200)
    assert (summary.tasks, summary.rollouts) == (4, 12)
    assert [point.estimate for point in summary.pass_hat.points] == pytest.approx([0.5, 1 / 3, 0.25])
    assert [point.estimate for point in summary.pass_at.points] == pytest.approx([0.5, 2 / 3, 0.75])
    plain(summary)


# --- transitions -----------------------------------------------------------------------------------------------------

BASE = {"a": (3, 3), "b": (3, 3), "c": (1, 3), "d": (0, 3), "e": (0, 3), "gone": (3, 3)}
NEW = {"a": (3, 3), "b": (2, 3), "c": (3, 3), "d": (3, 3), "e": (1, 3), "fresh": (0, 3)}


def test_transitions_show_what_became_of_each_task():
    result = transitions(BASE, NEW)
    assert result.tasks == 5
    assert result.flow == ((1, 1, 0), (1, 0, 0), (1, 1, 0))
    assert result.improved == ("c", "d") and result.regressed == ("b",)
    assert (result.mcnemar.improved, result.mcnemar.regressed) == (2, 1)
    assert result.only_base == ("gone",) and result.only_new == ("fresh",)
    assert result.unit == "counts" and result.delta.estimate == pytest.approx(5 / 5)
    assert result.wilcoxon.nonzero == 4 and result.wilcoxon.w_plus == 8.5
    assert any("1 of the tasks only in the base, 1 only in the new" in note for note in result.notes)
    plain(result)


def test_the_way_back_mirrors_the_way_there():
    there, back = transitions(BASE, NEW), transitions(NEW, BASE)
    assert back.flow == tuple(zip(*there.flow, strict=True))
    assert back.improved == there.regressed
    assert back.delta.estimate == -there.delta.estimate
    assert back.mcnemar.p_value == there.mcnemar.p_value and back.wilcoxon.p_value == there.wilcoxon.p_value


def test_the_order_of_tasks_does_not_matter():
    assert transitions(dict(reversed(BASE.items())), NEW) == transitions(BASE, NEW)


def test_different_numbers_of_rollouts_are_compared_as_rates_with_a_warning():
    base = {"a": (2, 10), "b": (0, 10), "c": (5, 10)}
    new = {"a": (3, 10), "b": (1, 10), "c": (2, 5)}
    result = transitions(base, new)
    assert result.unit == "rates"
    assert result.delta.estimate == pytest.approx(0.1 / 3)
    assert result.wilcoxon.w_plus == 4 and result.wilcoxon.w_minus == 2  # all three tie, which floats alone would miss
    assert "(tasks where they do: 1)" in result.notes[0]


def test_a_change_on_no_task_is_neither_certain_nor_an_error():
    result = transitions(BASE, BASE)
    assert result.mcnemar.p_value == result.wilcoxon.p_value == 1
    assert result.delta.low < 0 < result.delta.high
    assert result.improved == result.regressed == ()


def test_one_task_in_common_is_enough_for_an_answer():
    result = transitions({"a": (0, 3)}, {"a": (3, 3)})
    assert result.improved == ("a",) and result.delta.low < 3 == result.delta.high


@pytest.mark.parametrize(
    ("base", "words"),
    [
        ({}, "none is in both"),
        ({"z": (1, 3)}, "none is in both"),
        ({"a": (4, 3)}, r"base\['a'\]: successes: expected at most"),
        ({"a": (0, 0)}, r"base\['a'\]: trials"),
        ({"a": 3}, r"base\['a'\]: expected \(successes, rollouts\)"),
        ({"a": (1, 2, 3)}, r"base\['a'\]: expected \(successes, rollouts\)"),
        ({"a": (float("nan"), 3)}, r"base\['a'\]"),
    ],
)
def test_transitions_refuse_what_cannot_be_compared_and_name_the_task(base, words):
    with pytest.raises(InvalidInput, match=words):
        transitions(base, NEW)
