import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as their_mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import confint_proportions_2indep, proportions_ztest

from fairground.core import InvalidInput
from fairground.stats.interval import plain
from fairground.stats.paired_tests import (
    LARGEST_EXACT,
    cliffs_delta,
    cohens_d,
    cohens_d_paired,
    holm,
    mcnemar,
    two_proportions,
    wilcoxon,
)

small = st.lists(st.integers(-4, 4), min_size=1, max_size=10)
samples = st.lists(st.integers(-5, 5), min_size=2, max_size=30)

# --- McNemar ---------------------------------------------------------------------------------------------------------


def test_mcnemar_has_the_golden_values():
    result = mcnemar(10, 2)
    assert result.p_chi_square == pytest.approx(0.0209213, abs=5e-8)
    assert result.p_exact == pytest.approx(0.0385742, abs=5e-8)
    assert result.difference == 8 and result.statistic == pytest.approx(64 / 12)


def test_mcnemar_recommends_the_exact_test_below_25_changes():
    few, many = mcnemar(20, 4), mcnemar(20, 5)
    assert few.recommended == "exact" and few.p_value == few.p_exact
    assert many.recommended == "approximate" and many.p_value == many.p_chi_square


def test_mcnemar_without_any_change_has_p_1_and_says_that_this_proves_nothing():
    result = mcnemar(0, 0, pairs=50)
    assert result.p_exact == result.p_chi_square == result.p_value == 1
    assert result.odds_ratio is None
    assert "not evidence" in result.notes[0]
    assert result.risk_difference.low < 0 < result.risk_difference.high
    plain(result)


@given(b=st.integers(0, 80), c=st.integers(0, 80))
def test_mcnemar_agrees_with_statsmodels(b, c):
    result = mcnemar(b, c)
    if b + c:
        table = [[0, c], [b, 0]]
        assert result.p_exact == pytest.approx(their_mcnemar(table, exact=True).pvalue, abs=1e-12)
        theirs = their_mcnemar(table, exact=False, correction=False)
        assert result.p_chi_square == pytest.approx(theirs.pvalue, abs=1e-12)


@given(b=st.integers(0, 200), c=st.integers(0, 200), rest=st.integers(1, 100))
def test_mcnemar_effects_hold_their_estimates_and_turn_around_with_the_sides(b, c, rest):
    forth, back = mcnemar(b, c, pairs=b + c + rest), mcnemar(c, b, pairs=b + c + rest)
    assert forth.p_exact == back.p_exact and forth.difference == -back.difference
    risk, mirror = forth.risk_difference, back.risk_difference
    assert -1 <= risk.low <= risk.estimate <= risk.high <= 1
    assert risk.low == pytest.approx(-mirror.high, abs=1e-12)
    if forth.odds_ratio is not None:
        assert forth.odds_ratio.low <= forth.odds_ratio.estimate <= forth.odds_ratio.high


def test_mcnemar_odds_ratio_without_regressions_is_infinite_above_and_informative_below():
    ratio = mcnemar(8, 0).odds_ratio
    assert ratio.estimate == ratio.high == float("inf") and ratio.low > 1
    assert plain(ratio)["high"] is None


def test_mcnemar_survives_huge_counts():
    result = mcnemar(600_000, 590_000)
    assert 0 < result.p_exact < 1e-15 and 0 < result.p_chi_square < 1e-15


@pytest.mark.parametrize(("b", "c"), [(-1, 2), (1.5, 2), (float("nan"), 1), ("a", 1), ([1], 2)])
def test_mcnemar_refuses_what_is_no_count(b, c):
    with pytest.raises(InvalidInput, match="improved"):
        mcnemar(b, c)
    with pytest.raises(InvalidInput, match="pairs"):
        mcnemar(5, 5, pairs=9)


# --- Wilcoxon --------------------------------------------------------------------------------------------------------


def test_wilcoxon_has_the_golden_values():
    result = wilcoxon([1, 1, -1, 2, 0, 0, 3, -2])
    assert (result.pairs, result.nonzero, result.w_plus, result.w_minus) == (8, 6, 14.5, 6.5)
    assert result.p_normal == pytest.approx(0.395108, abs=5e-7)
    assert result.p_exact == 0.53125
    assert result.mean_difference == 0.5
    assert result.rank_biserial == pytest.approx(8 / 21)
    assert result.recommended == "exact" and result.p_value == result.p_exact


@given(differences=small)
def test_wilcoxon_exact_p_is_that_of_all_signs_enumerated(differences):
    result = wilcoxon(differences)
    ranks = stats.rankdata(np.abs([d for d in differences if d]))
    if not len(ranks):
        assert result.p_value == 1
        return
    signs = np.array(list(itertools.product([0, 1], repeat=len(ranks))))
    sums = signs @ ranks
    expected = min(1.0, 2 * min(np.mean(sums <= result.w_plus), np.mean(sums >= result.w_plus)))
    assert result.p_exact == pytest.approx(expected, abs=1e-12)


@given(differences=st.lists(st.integers(-20, 20), min_size=1, max_size=60))
def test_wilcoxon_normal_p_agrees_with_scipy(differences):
    result = wilcoxon(differences)
    if result.nonzero:
        theirs = stats.wilcoxon(differences, zero_method="wilcox", correction=False, method="asymptotic")
        assert result.p_normal == pytest.approx(theirs.pvalue, abs=1e-12)
        assert min(result.w_plus, result.w_minus) == theirs.statistic


def test_wilcoxon_exact_p_agrees_with_scipy_where_there_are_no_ties():
    rng = np.random.default_rng(2)
    for size in (3, 10, 25, 50):
        differences = rng.normal(0.3, 1, size)
        assert wilcoxon(differences).p_exact == pytest.approx(stats.wilcoxon(differences, method="exact").pvalue)


@given(differences=st.lists(st.integers(-9, 9), min_size=1, max_size=40), factor=st.sampled_from([0.5, 3, 1024]))
def test_wilcoxon_does_not_depend_on_order_scale_or_direction(differences, factor):
    result = wilcoxon(differences)
    other = wilcoxon(-factor * np.array(differences[::-1]))
    assert other.p_exact == pytest.approx(result.p_exact, abs=1e-12)
    assert other.p_normal == pytest.approx(result.p_normal, abs=1e-12)
    assert (other.w_plus, other.rank_biserial) == (result.w_minus, pytest.approx(-result.rank_biserial))


def test_wilcoxon_is_exact_for_hundreds_of_tied_differences():
    differences = [1] * 160 + [-1] * 140  # all tied: a sign test
    assert wilcoxon(differences).p_exact == pytest.approx(stats.binomtest(160, 300).pvalue, rel=1e-9)
    rng = np.random.default_rng(3)
    many = wilcoxon(rng.integers(-4, 5, 480))
    assert many.p_exact == pytest.approx(many.p_normal, rel=0.02)


def test_wilcoxon_past_the_limit_uses_the_approximation_and_says_so():
    result = wilcoxon(np.r_[np.ones(LARGEST_EXACT), -np.ones(1)])
    assert result.p_exact is None and result.recommended == "approximate" and result.p_value == result.p_normal
    assert any("normal approximation" in note for note in result.notes)
    plain(result)


@pytest.mark.slow
def test_wilcoxon_survives_a_million_ties():
    result = wilcoxon(np.r_[np.ones(3_000_000), -np.ones(2_999_000)])
    assert 0 < result.p_normal < 1
    assert result.rank_biserial == pytest.approx(1000 / 5_999_000)


def test_wilcoxon_of_zeros_only_has_p_1_and_says_so():
    result = wilcoxon([0, 0, 0])
    assert result.p_value == result.p_exact == result.p_normal == 1 and result.rank_biserial == 0
    assert "All differences are zero" in result.notes[0]


def test_wilcoxon_says_when_no_result_could_be_significant():
    result = wilcoxon([1, 2, 3, 4, 5])
    assert result.p_exact == 0.0625 and "p < 0.05" in result.notes[0]
    assert not wilcoxon([1, 2, 3, 4, 5, 6]).notes


@pytest.mark.parametrize("bad", [[], [1, float("nan")], [float("inf")], ["a"], [[1, 2]], 3])
def test_wilcoxon_refuses_what_is_no_list_of_numbers(bad):
    with pytest.raises(InvalidInput, match="differences"):
        wilcoxon(bad)


# --- Holm ------------------------------------------------------------------------------------------------------------


def test_holm_has_the_golden_values():
    np.testing.assert_allclose(holm([0.01, 0.04, 0.03, 0.005, 0.5]), [0.04, 0.09, 0.09, 0.025, 0.5], atol=1e-15)


@settings(max_examples=8)
@given(p=st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_holm_agrees_with_statsmodels_and_never_lowers_a_p_value(p):
    adjusted = holm(p)
    np.testing.assert_allclose(adjusted, multipletests(p, method="holm")[1], atol=1e-12)
    assert (adjusted >= np.array(p)).all() and (adjusted <= 1).all()


@pytest.mark.parametrize("bad", [[], [0.5, float("nan")], [1.1], [-0.1], ["x"]])
def test_holm_refuses_what_is_no_p_value(bad):
    with pytest.raises(InvalidInput, match="p_values"):
        holm(bad)


# --- two independent rates -------------------------------------------------------------------------------------------


@given(n=st.integers(1, 300), m=st.integers(1, 300), data=st.data())
def test_two_proportions_agrees_with_statsmodels(n, m, data):
    a, b = data.draw(st.integers(0, n)), data.draw(st.integers(0, m))
    result = two_proportions(a, n, b, m)
    if 0 < a + b < n + m:
        z, p = proportions_ztest([a, b], [n, m])
        assert (result.z, result.p_value) == pytest.approx((z, p), abs=1e-9)
    low, high = confint_proportions_2indep(a, n, b, m, method="newcomb")
    assert result.difference.low == pytest.approx(low, abs=1e-9)
    assert result.difference.high == pytest.approx(high, abs=1e-9)
    assert result.odds_ratio.low <= result.odds_ratio.estimate <= result.odds_ratio.high


def test_two_rates_at_the_same_end_have_p_1_and_an_interval_with_width():
    result = two_proportions(5, 5, 9, 9)
    assert result.p_value == 1 and result.z == 0 and result.notes
    assert result.difference.low < 0 < result.difference.high
    assert "half added" in result.odds_ratio.method


def test_two_proportions_refuses_bad_counts():
    with pytest.raises(InvalidInput):
        two_proportions(5, 4, 1, 2)
    with pytest.raises(InvalidInput):
        two_proportions(0, 0, 1, 2)


# --- effect sizes ----------------------------------------------------------------------------------------------------


def test_cohens_d_is_the_difference_in_pooled_standard_deviations():
    a, b = [1.0, 2.0, 3.0, 4.0], [2.0, 4.0, 6.0]
    pooled = ((3 * np.var(a, ddof=1) + 2 * np.var(b, ddof=1)) / 5) ** 0.5
    assert cohens_d(a, b).estimate == pytest.approx((2.5 - 4) / pooled)
    assert cohens_d_paired([1.0, 2.0, 3.0]).estimate == pytest.approx(2.0)


def test_cohens_d_covers_the_truth():
    rng = np.random.default_rng(4)
    found = [0.5 in cohens_d(rng.normal(0.5, 1, 40), rng.normal(0, 1, 60)) for _ in range(600)]
    assert np.mean(found) == pytest.approx(0.95, abs=0.03)


@given(a=samples, b=samples)
def test_cliffs_delta_is_what_comparing_every_pair_gives(a, b):
    interval = cliffs_delta(a, b)
    assert interval.estimate == pytest.approx(np.sign(np.subtract.outer(a, b)).mean(), abs=1e-12)
    assert -1 <= interval.low <= interval.estimate <= interval.high <= 1
    mirror = cliffs_delta(b, a)
    assert mirror.estimate == pytest.approx(-interval.estimate, abs=1e-12)
    assert mirror.low == pytest.approx(-interval.high, abs=1e-9)


@settings(max_examples=50)
@given(a=samples, b=samples)
def test_cliffs_delta_does_not_depend_on_the_scale(a, b):
    assert cliffs_delta(np.exp(a), np.exp(b)) == cliffs_delta(a, b)


def test_cliffs_delta_without_overlap_is_not_certain():
    interval = cliffs_delta([5, 6, 7], [1, 2, 3, 4])
    assert (interval.estimate, interval.high) == (1, 1) and -1 < interval.low < 0.5


def test_cliffs_delta_covers_the_truth():
    rng = np.random.default_rng(5)
    truth = 2 * stats.norm.cdf(0.5 / 2**0.5) - 1
    found = [truth in cliffs_delta(rng.normal(0.5, 1, 30), rng.normal(0, 1, 50)) for _ in range(600)]
    assert np.mean(found) == pytest.approx(0.95, abs=0.03)


@pytest.mark.parametrize("effect", [cohens_d, cliffs_delta])
def test_effect_sizes_refuse_too_little(effect):
    for bad in ([], [1.0], [1.0, float("nan")]):
        with pytest.raises(InvalidInput):
            effect(bad, [1.0, 2.0])


def test_an_effect_in_standard_deviations_needs_one():
    with pytest.raises(InvalidInput, match="do not vary"):
        cohens_d([0.1] * 3, [0.1] * 7)
    with pytest.raises(InvalidInput, match="do not vary"):
        cohens_d_paired([0.1] * 3)
