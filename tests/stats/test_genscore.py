import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairground.core import InvalidInput
from fairground.stats.genscore import common_categories, genscore, genscore_from_counts
from fairground.stats.interval import plain

rates = st.lists(st.floats(0.001, 1), min_size=1, max_size=12)


def generator(seed=0):
    return np.random.default_rng(seed)


def test_genscore_has_the_golden_value():
    result = genscore([0.2, 0.4, 0.6])
    assert result.score == pytest.approx(0.0968321, abs=5e-8)
    assert result.harmonic_mean == pytest.approx(3 / (5 + 2.5 + 1 / 0.6))
    assert result.cv == pytest.approx(np.std([0.2, 0.4, 0.6]) / 0.4)  # population, not sample
    assert (result.worst, result.interval, result.smoothing) == (0.2, None, "none")
    plain(result)


@given(r=rates)
def test_genscore_is_its_formula_and_never_above_the_mean(r):
    x = np.array(r)
    expected = len(x) / (1 / x).sum() * max(0, 1 - x.std() / x.mean()) * x.min() / x.mean()
    result = genscore(r)
    assert result.score == pytest.approx(expected, abs=1e-12)
    assert 0 <= result.score <= result.mean + 1e-12


@given(r=rates, seed=st.integers(0, 99))
def test_the_order_of_categories_does_not_matter(r, seed):
    assert genscore(generator(seed).permutation(r)).score == pytest.approx(genscore(r).score, abs=1e-12)


@given(rate=st.floats(0.001, 1), categories=st.integers(1, 30))
def test_an_even_agent_scores_its_rate(rate, categories):
    assert genscore([rate] * categories).score == pytest.approx(rate)


def test_very_uneven_agents_score_0_rather_than_less():
    assert genscore([1.0] + [1e-6] * 9).score == 0.0
    assert genscore([5e-324, 1.0]).score == 0.0


def test_a_zero_needs_a_floor_or_makes_the_score_0_with_a_note():
    bare, raised = genscore([0.0, 0.5]), genscore([0.0, 0.5], floor=0.1)
    assert bare.score == 0 and "makes the score 0" in bare.notes[0]
    assert raised.score == pytest.approx(genscore([0.1, 0.5]).score)
    assert "at least 0.1" in raised.smoothing and "raised" in raised.notes[0]
    assert genscore([0.0, 0.0]).score == 0
    assert not genscore([0.2, 0.5], floor=0.1).notes


@pytest.mark.parametrize(
    ("smoothing", "expected"),
    [("add-half", [0.5 / 11, 5.5 / 11]), ("add-one", [1 / 12, 6 / 12]), ("none", [0.0, 0.5])],
)
def test_the_result_says_how_counts_were_smoothed(smoothing, expected):
    result = genscore_from_counts([0, 5], 10, rng=generator(), smoothing=smoothing, replicates=200)
    assert result.rates == pytest.approx(expected)
    assert result.score == pytest.approx(genscore(expected).score)
    assert result.smoothing == {"add-half": "(c + 0.5) / (n + 1)", "add-one": "(c + 1) / (n + 2)"}.get(
        smoothing, "none"
    )
    assert any("have no success" in note or "makes the score 0" in note for note in result.notes)
    plain(result)


@settings(max_examples=40, deadline=None)
@given(data=st.data(), level=st.floats(0.5, 0.99))
def test_an_interval_holds_its_score(data, level):
    trials = data.draw(st.lists(st.integers(1, 50), min_size=1, max_size=8))
    successes = [data.draw(st.integers(0, n)) for n in trials]
    result = genscore_from_counts(successes, trials, rng=generator(), level=level, replicates=100)
    assert 0 <= result.interval.low <= result.score == result.interval.estimate <= result.interval.high <= 1


@pytest.mark.parametrize(
    "p",
    [
        pytest.param(np.full(8, 0.5), id="even"),
        pytest.param(np.linspace(0.45, 0.55, 8), id="nearly even", marks=pytest.mark.slow),
        pytest.param(np.linspace(0.3, 0.7, 8), id="uneven", marks=pytest.mark.slow),
        pytest.param([0.05, 0.1, 0.3, 0.4, 0.5], id="low", marks=pytest.mark.slow),
        pytest.param([0.9, 0.7], id="two", marks=pytest.mark.slow),
    ],
)
@pytest.mark.simulation
def test_intervals_cover_the_score_of_the_true_rates(p):
    """A plain percentile bootstrap covers 0% for the even agent: chance alone pushes all its resamples below."""
    rng, truth = generator(1), genscore(p).score
    found = [
        truth in genscore_from_counts(rng.binomial(40, p), 40, rng=rng, replicates=200).interval for _ in range(200)
    ]
    assert np.mean(found) >= 0.91  # 0.95 less some three standard errors


def test_more_episodes_narrow_the_interval():
    few, many = (genscore_from_counts([2 * t, 5 * t, 8 * t], 10 * t, rng=generator()) for t in (1, 100))
    assert many.interval.width < few.interval.width / 4
    assert "mostly noise" not in "".join(few.notes)
    assert "mostly noise" in "".join(genscore_from_counts([1, 2], 3, rng=generator()).notes)


def test_ragged_categories_and_one_category_are_fine():
    assert genscore_from_counts([1, 50], [2, 90], rng=generator()).interval.width > 0
    one = genscore_from_counts([5], 10, rng=generator())
    assert one.score == 0.5 and any("only one category" in note for note in one.notes)


@pytest.mark.parametrize("bad", [[], [1.2], [-0.1], [float("nan")], ["a"], [[0.5]]])
def test_rates_that_are_none_are_refused(bad):
    with pytest.raises(InvalidInput, match="rates"):
        genscore(bad)


@pytest.mark.parametrize("floor", [0, 1, -0.1, float("nan")])
def test_a_floor_that_is_no_rate_is_refused(floor):
    with pytest.raises(InvalidInput, match="floor"):
        genscore([0.5], floor=floor)


@pytest.mark.parametrize(
    ("successes", "trials", "options"),
    [
        ([], 3, {}),
        ([4], 3, {}),
        ([1, 0], [3, 0], {}),
        (1, 3, {}),
        ([1], 3, {"smoothing": "laplace"}),
        ([1], 3, {"replicates": 1}),
        ([1], 3, {"level": 1}),
    ],
)
def test_bad_counts_and_options_are_refused(successes, trials, options):
    with pytest.raises(InvalidInput):
        genscore_from_counts(successes, trials, rng=generator(), **options)


def test_dependent_trials_widen_the_interval_and_leave_the_score():
    alone = genscore_from_counts([30, 22, 18], [40, 40, 40], rng=generator())
    same = genscore_from_counts([30, 22, 18], [40, 40, 40], rng=generator(), worth=[40.0, 40.0, 40.0])
    fewer = genscore_from_counts([30, 22, 18], [40, 40, 40], rng=generator(), worth=[10, 10, 10])
    assert same.interval == alone.interval and fewer.score == alone.score
    assert fewer.interval.width > 1.3 * alone.interval.width
    for wrong in ([40, 40], [0, 40, 40], [41, 40, 40]):
        with pytest.raises(InvalidInput, match="worth"):
            genscore_from_counts([30, 22, 18], [40, 40, 40], rng=generator(), worth=wrong)


def test_agents_are_compared_on_the_categories_that_they_share():
    assert common_categories({"ash": "abcd", "birch": "abc", "cedar": "bcd"}) == (("ash", "birch", "cedar"), ("b", "c"))
    # The newcomer shares one category with the others, which is too few.
    judged = {"ash": "abcd", "birch": "abcd", "cedar": "abc", "newcomer": "ae"}
    assert common_categories(judged) == (("ash", "birch", "cedar"), ("a", "b", "c"))
    assert common_categories({"ash": "ab", "birch": "cd"}) == ((), ())
    assert common_categories({"ash": "ab"}) == ((), ()) and common_categories({}) == ((), ())
