"""Cohen's kappa."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import cohens_kappa as theirs

from fairground.core import InvalidInput
from fairground.stats.kappa import cohens_kappa


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


@settings(max_examples=40)
@given(st.lists(st.integers(0, 50), min_size=4, max_size=4))
def test_it_agrees_with_statsmodels(cells: list[int]) -> None:
    table = np.array(cells).reshape(2, 2)
    total = table.sum()
    if total == 0 or max(table[0, 0], table[1, 1]) == total:
        with pytest.raises(InvalidInput):
            cohens_kappa(table, rng=rng(), replicates=100)
        return
    found = cohens_kappa(table, rng=rng(), replicates=100)
    with np.errstate(invalid="ignore", divide="ignore"):  # theirs divides by its standard error, which may be 0
        expected = theirs(table).kappa
    assert found.kappa.estimate == pytest.approx(expected)
    assert found.kappa.low <= found.kappa.estimate <= found.kappa.high


def test_a_case_by_hand() -> None:
    found = cohens_kappa([[20, 5], [10, 15]], rng=rng())
    assert (found.observed, found.expected, found.units) == (0.7, 0.5, 50)
    assert found.kappa.estimate == pytest.approx(0.4)
    assert 0.05 < found.kappa.low < 0.2 < 0.6 < found.kappa.high < 0.7


@pytest.mark.parametrize("table", [[[1, 2]], [[1, -1], [0, 1]], [[0.5, 1], [1, 1]], [[0, 0], [0, 0]], [[9, 0], [0, 0]]])
def test_what_is_no_table_of_counts_or_has_no_value_is_an_error(table: list[list[float]]) -> None:
    with pytest.raises(InvalidInput):
        cohens_kappa(table, rng=rng())
