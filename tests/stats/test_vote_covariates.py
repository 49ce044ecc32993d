from dataclasses import replace

import numpy as np
import pytest
import statsmodels.api as sm
from numpy.typing import NDArray

from fairground.core import InvalidInput, UnknownName
from fairground.stats.interval import plain
from fairground.stats.tables.table import Names
from fairground.stats.votes.bradley_terry import ELO, bradley_terry
from fairground.stats.votes.ranking import rank
from fairground.stats.votes.vote_clusters import effective_number
from fairground.stats.votes.votes import Votes

STRENGTHS = np.array([0.8, 0.2, -0.3, -0.7])


def styled_votes(number: int, effect: float = 0.7, place: float = 0.3, seed: int = 0) -> Votes:
    """Votes that also lean to the longer answer and to the left."""
    rng = np.random.default_rng(seed)
    left = rng.integers(0, 4, number)
    right = (left + rng.integers(1, 4, number)) % 4
    # Strong agents answer at length, so that leaving length out flatters them.
    length = rng.normal(0, 1, number) + 0.8 * (STRENGTHS[left] - STRENGTHS[right])
    logit = STRENGTHS[left] - STRENGTHS[right] + effect * length + place
    winner = np.where(rng.random(number) < 0.2, 2, rng.random(number) > 1 / (1 + np.exp(-logit)))
    votes = Votes.of_codes(list("abcd"), left, right, winner)
    voter = Names(tuple(f"{at:03}" for at in range(40)), rng.integers(0, 40, number).astype(np.int32))
    return replace(votes, covariates={"length": length, "left": np.ones(number)}, voter=voter)


def design(votes: Votes, names: list[str]) -> NDArray[np.float64]:
    rows = np.arange(len(votes))
    agents = np.zeros((len(votes), len(votes.agents)))
    agents[rows, votes.left] += 1
    agents[rows, votes.right] -= 1
    return np.column_stack([agents[:, 1:], *(votes.covariates[name] for name in names)])


def centred(params: NDArray[np.float64], covariance: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
    """From strengths relative to the first agent to strengths that sum to 0."""
    shift = np.zeros((len(params) + 1, len(params)))
    shift[1:] = np.eye(len(params))
    shift[:4] -= shift[:4].mean(axis=0)
    return shift @ params, shift @ covariance @ shift.T


def test_fit_and_errors_agree_with_a_binomial_regression() -> None:
    votes = styled_votes(600)
    names = ["length", "left"]
    ranking = rank(votes, rng=np.random.default_rng(0), cluster="none", covariates=names)
    model = sm.GLM(votes.score, design(votes, names), family=sm.families.Binomial())
    found = model.fit(cov_type="HC0", tol=1e-14)
    params, covariance = centred(found.params, found.cov_params())
    np.testing.assert_allclose(ranking.strengths, params[:4], atol=1e-8)
    assert [row.value.estimate for row in ranking.coefficients] == pytest.approx(list(params[4:]), abs=1e-8)
    np.testing.assert_allclose(ranking.covariance, covariance[:4, :4] * 600 / 599, rtol=1e-6, atol=1e-12)
    low, high = ranking.coefficients[0].value.low, ranking.coefficients[0].value.high
    assert (high - low) / 2 == pytest.approx(1.9639 * np.sqrt(covariance[4, 4] * 600 / 599), rel=1e-3)


def test_clustered_errors_agree_too() -> None:
    votes = styled_votes(600)
    assert votes.voter is not None
    ranking = rank(votes, rng=np.random.default_rng(0), method="sandwich", cluster="voter", covariates=["length"])
    model = sm.GLM(votes.score, design(votes, ["length"]), family=sm.families.Binomial())
    keywords = {"groups": votes.voter.codes, "use_correction": False}
    found = model.fit(cov_type="cluster", cov_kwds=keywords, tol=1e-14)
    _, covariance = centred(found.params, found.cov_params())
    lost = (number := effective_number(votes.voter.codes)) / (number - 1)
    np.testing.assert_allclose(ranking.covariance, covariance[:4, :4] * lost, rtol=1e-6, atol=1e-12)
    assert ranking.clusters == {"voter": 40}


def test_covariates_take_away_what_style_added() -> None:
    votes = styled_votes(20_000)
    plainly = bradley_terry(votes)
    ranking = rank(votes, rng=np.random.default_rng(0), method="sandwich", covariates=["length", "left"])
    true = 1000 + ELO * STRENGTHS
    # Ties are a fifth of the votes and draw all ratings together by about that; the inflation goes the other way.
    assert plainly.ratings["a"] > true[0]
    assert ranking["a"].rating.estimate < true[0]
    assert ranking.coefficients[0].value.low > 0 and ranking.coefficients[1].value.low > 0
    plain(ranking)


def test_a_covariate_that_says_nothing_has_an_interval_around_zero_and_changes_little() -> None:
    votes = styled_votes(4000, effect=0.0, place=0.0, seed=5)
    ranking = rank(votes, rng=np.random.default_rng(0), method="sandwich", covariates=["left"])
    assert 0 in ranking.coefficients[0].value
    for name, rating in bradley_terry(votes).ratings.items():
        assert ranking[name].rating.estimate == pytest.approx(rating, abs=1)


def test_the_unit_of_a_covariate_scales_its_coefficient_only() -> None:
    votes = styled_votes(500)
    far = replace(votes, covariates={"length": votes.covariates["length"] * 1e6})
    one, other = (rank(v, rng=np.random.default_rng(0), method="sandwich", covariates=["length"]) for v in (votes, far))
    np.testing.assert_allclose(one.strengths, other.strengths, atol=1e-9)
    assert one.coefficients[0].value.high == pytest.approx(1e6 * other.coefficients[0].value.high)
    assert one.coefficients[0].points.estimate == pytest.approx(ELO * one.coefficients[0].value.estimate)


@pytest.mark.parametrize(
    ("column", "told"),
    [
        (np.zeros(300), "'x' is 0 in every vote"),
        (np.full(300, np.nan), "row 1 has nan"),
        ("agents", "cannot be separated from each other or from the agents"),
        ("winner", "determine the winner"),
        ("once", "determine the winner"),
    ],
)
def test_a_covariate_that_cannot_serve_is_refused(column: NDArray[np.float64] | str, told: str) -> None:
    votes = styled_votes(300)
    named = {
        "agents": STRENGTHS[votes.left] - STRENGTHS[votes.right],
        "winner": votes.score - 0.5,
        "once": np.where(np.arange(300) == (votes.winner == 0).argmax(), 1.0, 0.0),
    }
    votes = replace(votes, covariates={"x": named[column] if isinstance(column, str) else column})
    with pytest.raises(InvalidInput, match=told):
        rank(votes, rng=np.random.default_rng(0), method="sandwich", covariates=["x"])


def test_an_unknown_covariate_and_a_bootstrap_are_refused() -> None:
    votes = styled_votes(100)
    with pytest.raises(UnknownName, match="lenght"):
        rank(votes, rng=np.random.default_rng(0), method="sandwich", covariates=["lenght"])
    with pytest.raises(InvalidInput, match="covariates need method 'sandwich'"):
        rank(votes, rng=np.random.default_rng(0), method="bca", covariates=["length"])


def test_the_prior_works_with_covariates() -> None:
    votes = Votes.of(["a", "a", "b", "a"], ["b", "b", "a", "c"], ["left", "right", "left", "left"])
    votes = replace(votes, covariates={"x": np.array([1.0, -0.5, -1.0, 0.3])})
    ranking = rank(votes, rng=np.random.default_rng(0), method="sandwich", covariates=["x"], prior=1.0)
    assert ranking.prior == 1 and np.isfinite(ranking.strengths).all()
