import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fairground.core import InvalidInput
from fairground.stats.agreement import krippendorff_alpha, ratings_from_triples
from fairground.stats.interval import plain

SCALES = ["nominal", "ordinal", "interval", "ratio"]

# Krippendorff's example: a row for each of four coders, a column for each of twelve units.
_ = None
CODERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
    [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
]
CLASSIC = [list(unit) for unit in zip(*CODERS, strict=True)]


def generator(seed=0):
    return np.random.default_rng(seed)


def alpha(ratings, scale="nominal", **options):
    options = {"rng": generator(), "replicates": 100} | options
    return krippendorff_alpha(ratings, scale=scale, **options)


def by_definition(units, scale):
    """The coincidence matrix, pair by pair, and the distances as they are defined."""
    units = [[v for v in unit if v is not None] for unit in units]
    units = [unit for unit in units if len(unit) > 1]
    values = sorted({v for unit in units for v in unit})
    place = {v: i for i, v in enumerate(values)}
    matrix = np.zeros((len(values), len(values)))
    for unit in units:
        for i, a in enumerate(unit):
            for j, b in enumerate(unit):
                if i != j:
                    matrix[place[a], place[b]] += 1 / (len(unit) - 1)
    totals = matrix.sum(axis=0)
    distance = np.zeros_like(matrix)
    for c, first in enumerate(values):
        for k, second in enumerate(values):
            low, high = min(c, k), max(c, k)
            if scale == "nominal":
                distance[c, k] = c != k
            elif scale == "ordinal":
                distance[c, k] = (totals[low : high + 1].sum() - (totals[c] + totals[k]) / 2) ** 2 if c != k else 0
            elif scale == "interval":
                distance[c, k] = (first - second) ** 2
            else:
                distance[c, k] = ((first - second) / (first + second)) ** 2 if first + second else 0
    n = totals.sum()
    expected = totals @ distance @ totals / (n * (n - 1))
    return 1 - (matrix * distance).sum() / n / expected


@st.composite
def tables(draw):
    coders = draw(st.integers(2, 5))
    value = st.one_of(st.none(), st.integers(0, 4))
    return draw(st.lists(st.lists(value, min_size=coders, max_size=coders), min_size=2, max_size=12))


def usable(table):
    units = [[v for v in unit if v is not None] for unit in table]
    units = [unit for unit in units if len(unit) > 1]
    return len(units) > 1 and len({v for unit in units for v in unit}) > 1


@pytest.mark.parametrize(
    ("scale", "value"), [("nominal", 0.743421), ("ordinal", 0.815388), ("interval", 0.849107), ("ratio", 0.797403)]
)
def test_the_classic_example_has_its_published_values(scale, value):
    result = alpha(CLASSIC, scale)
    assert result.alpha.estimate == pytest.approx(value, abs=5e-7)
    assert (result.units, result.values, result.left_out) == (11, 40, 1)
    assert "fewer than two values: 1 of the units" in result.notes[0]


@pytest.mark.parametrize("scale", SCALES)
@settings(deadline=None)
@given(table=tables())
@pytest.mark.simulation
def test_alpha_is_what_the_definition_says(scale, table):
    assume(usable(table))
    assert alpha(table, scale).alpha.estimate == pytest.approx(by_definition(table, scale), abs=1e-9)


@pytest.mark.parametrize("scale", SCALES)
def test_every_form_of_the_same_ratings_gives_the_same_result(scale):
    array = np.array(CLASSIC, dtype=float)
    triples = [(u, c, v) for u, unit in enumerate(CLASSIC) for c, v in enumerate(unit) if v is not None]
    forms = [
        array,
        array.astype(object),
        {f"unit {i}": unit for i, unit in enumerate(CLASSIC)},
        {i: {c: v for c, v in enumerate(unit) if v is not None} for i, unit in enumerate(CLASSIC)},
        ratings_from_triples(triples) | {"unseen": {}},
    ]
    expected = alpha(CLASSIC, scale)
    for form in forms:
        result = alpha(form, scale)
        assert result.alpha == expected.alpha


def test_nominal_values_may_be_anything_hashable():
    names = {1: "left", 2: ("a", "pair"), 3: True, 4: frozenset("x"), 5: "tie", None: None}
    table = [[names[v] for v in unit] for unit in CLASSIC]
    assert alpha(table).alpha.estimate == pytest.approx(0.743421, abs=5e-7)


@settings(deadline=None, max_examples=25)
@given(table=tables(), seed=st.integers(0, 999))
def test_alpha_does_not_depend_on_the_order_of_units_and_coders(table, seed):
    assume(usable(table))
    rng = generator(seed)
    shuffled = [list(rng.permutation(np.array(table[i], dtype=object))) for i in rng.permutation(len(table))]
    for scale in SCALES:
        assert alpha(shuffled, scale).alpha.estimate == pytest.approx(alpha(table, scale).alpha.estimate, abs=1e-9)


def test_scales_ignore_what_they_should():
    values = np.array(CLASSIC, dtype=float)
    assert alpha(
        np.array([9, 4, 7, 1, 3])[np.nan_to_num(values - 1).astype(int)] * (values / values)
    ).alpha.estimate == (pytest.approx(0.743421, abs=5e-7))
    assert alpha(np.exp(values), "ordinal").alpha.estimate == pytest.approx(0.815388, abs=5e-7)
    assert alpha(1e9 - 3 * values, "interval").alpha.estimate == pytest.approx(0.849107, abs=5e-7)
    assert alpha(values * 1e-90, "interval").alpha.estimate == pytest.approx(0.849107, abs=5e-7)
    assert alpha(7 * values, "ratio").alpha.estimate == pytest.approx(0.797403, abs=5e-7)


def test_perfect_agreement_is_1_and_says_that_the_interval_has_no_width():
    result = alpha([[1, 1], [2, 2], [3, 3]])
    assert result.alpha.estimate == 1 and result.observed == 0
    assert any("width 0" in note for note in result.notes)


def test_disagreement_on_purpose_is_below_0():
    assert alpha([[0, 1], [1, 0]] * 10).alpha.estimate < 0


def test_ratings_by_chance_have_alpha_0_inside_the_interval():
    result = alpha(generator(1).integers(0, 3, (3000, 3)), replicates=500)
    assert result.alpha.estimate == pytest.approx(0, abs=0.03)
    assert 0 in result.alpha


@pytest.mark.parametrize(
    "scale",
    ["nominal", pytest.param("ordinal", marks=pytest.mark.slow), pytest.param("interval", marks=pytest.mark.slow)],
)
@pytest.mark.simulation
def test_intervals_cover_the_value_of_the_population(scale):
    """Three coders who copy the true label with chance 0.8 and otherwise guess: 150 units, 200 studies."""
    rng = generator(2)

    def ratings(units):
        truth = rng.integers(0, 3, (units, 1))
        return np.where(rng.random((units, 3)) < 0.8, truth, rng.integers(0, 3, (units, 3)))

    population = alpha(ratings(100_000), scale).alpha.estimate
    found = [population in alpha(ratings(150), scale, rng=rng, replicates=300).alpha for _ in range(200)]
    assert np.mean(found) == pytest.approx(0.94, abs=0.04)


@pytest.mark.simulation
def test_intervals_of_few_units_hold_as_well():
    """Three coders, twelve units: without Student's t some 88% of the intervals would hold."""
    rng = generator(4)

    def ratings(units):
        truth = rng.integers(0, 5, (units, 1))
        return np.where(rng.random((units, 3)) < 0.6, truth, rng.integers(0, 5, (units, 3)))

    population = alpha(ratings(100_000), "ordinal").alpha.estimate
    found = [alpha(ratings(12), "ordinal", rng=rng, replicates=300).alpha for _ in range(300)]
    assert 0.90 <= np.mean([population in one for one in found]) <= 0.98
    assert all(-1 <= one.low <= one.estimate <= one.high <= 1 for one in found)


def test_a_higher_level_widens_the_interval_and_more_units_narrow_it():
    rng = generator(3)
    few = np.where(rng.random((100, 3)) < 0.7, rng.integers(0, 3, (100, 1)), rng.integers(0, 3, (100, 3)))
    many = np.tile(few, (20, 1))
    narrow, wide = alpha(few, level=0.5).alpha, alpha(few, level=0.99).alpha
    assert wide.low <= narrow.low <= narrow.estimate <= narrow.high <= wide.high
    assert alpha(many).alpha.width < alpha(few).alpha.width / 2


def test_the_same_seed_gives_the_same_interval():
    assert alpha(CLASSIC, rng=generator(9)) == alpha(CLASSIC, rng=generator(9))
    plain(alpha(CLASSIC))


def test_resamples_without_variation_are_counted():
    result = alpha([[0, 0], [0, 0], [0, 1], [0, 0]], replicates=500)
    assert any("resamples contain a single value" in note for note in result.notes)
    assert result.alpha.low <= result.alpha.estimate <= result.alpha.high


@pytest.mark.slow
def test_a_hundred_thousand_units_are_no_trouble():
    rng = generator(4)
    few_values = rng.integers(0, 5, (100_000, 3)).astype(float)
    few_values[rng.random(few_values.shape) < 0.2] = np.nan
    for scale in SCALES:
        assert alpha(few_values, scale).alpha.estimate == pytest.approx(0, abs=0.02)
    scores = rng.normal(size=(100_000, 1)) + rng.normal(size=(100_000, 3))
    assert alpha(scores, "interval").alpha.estimate == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize(
    ("ratings", "words"),
    [
        ([], "at least two units"),
        ([[1, 2]], "at least two units"),
        ([[1, None], [None, 2]], "got 0 of 2"),
        ([[1, 1], [1, 1]], "all values are equal; agreement is perfect"),
        ([[1, 1], [1, 1], [2, None]], "all values are equal"),
        ([1, 2, 3], "unit 1: expected a list or mapping of values"),
        (["ab", "cd"], "unit 1: expected a list or mapping of values"),
        (np.array([1.0, 2.0]), "units x coders"),
        ([[[1], [2]], [[1], [2]]], "unhashable"),
    ],
)
def test_ratings_that_say_nothing_are_refused(ratings, words):
    with pytest.raises(InvalidInput, match=words):
        alpha(ratings)


@pytest.mark.parametrize(
    ("scale", "ratings", "words"),
    [
        ("ordinal", [["low", "high"], ["low", "low"]], "compares numbers, got 'low'"),
        ("interval", [[1, float("inf")], [1, 2]], "up to 1e"),
        ("ratio", [[1, -1], [1, 2]], "negative values"),
        ("ratio", np.random.default_rng(0).random((4000, 2)), "up to 3000 different values"),
        ("cardinal", [[1, 2], [2, 2]], "scale: expected one of"),
    ],
)
def test_values_that_a_scale_cannot_compare_are_refused(scale, ratings, words):
    with pytest.raises(InvalidInput, match=words):
        alpha(ratings, scale)


def test_triples_that_repeat_or_lack_something_are_refused():
    with pytest.raises(InvalidInput, match=r"triples\[1\]: coder 'ann' rates unit 1 a second time"):
        ratings_from_triples([(1, "ann", "a"), (1, "ann", "b")])
    with pytest.raises(InvalidInput, match=r"triples\[0\]: expected \(unit, coder, value\)"):
        ratings_from_triples([(1, "ann")])


@pytest.mark.parametrize("options", [{"level": 1.5}, {"replicates": 3}])
def test_bad_options_are_refused(options):
    with pytest.raises(InvalidInput):
        alpha(CLASSIC, **options)
