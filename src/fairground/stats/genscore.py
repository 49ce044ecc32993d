"""GenScore: whether an agent is equally good in every category, or only on average."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairground.core import InvalidInput
from fairground.stats.interval import Interval, check_level
from fairground.stats.proportions import check_counts, check_numbers, score_bounds

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
Smoothing = Literal["add-half", "add-one", "none"]

_ADDED: dict[str, float] = {"add-half": 0.5, "add-one": 1.0, "none": 0.0}
_STEPS = 11
_CELLS_AT_ONCE = 4_000_000


@dataclass(frozen=True)
class GenScore:
    """GenScore and its parts: harmonic_mean * max(0, 1 - cv) * (worst / mean).

    Attributes:
        score: From 0 to 1; never above the mean rate.
        interval: The score with its interval. None if it was computed from rates without counts.
        mean: Mean rate over categories, equally weighted.
        harmonic_mean: Harmonic mean, which poor categories pull down.
        cv: Coefficient of variation: population standard deviation divided by the mean.
        worst: The lowest rate.
        rates: The smoothed rates that were used, in the order given.
        smoothing: How rates of 0 were smoothed, which would make the harmonic mean 0.
        notes: Caveats for the reader.
    """

    score: float
    interval: Interval | None
    mean: float
    harmonic_mean: float
    cv: float
    worst: float
    rates: tuple[float, ...]
    smoothing: str
    notes: tuple[str, ...] = ()


def genscore(rates: ArrayLike, *, floor: float | None = None) -> GenScore:
    """Compute GenScore from an agent's success rates by category.

    Args:
        rates: One rate per category, from 0 to 1.
        floor: Minimum to which lower rates are raised. Without it, one category at 0 makes the score 0, and a note says
            so.
    """
    given = _rates(rates)
    if floor is not None and not 0 < floor < 1:
        raise InvalidInput(f"floor: expected a number between 0 and 1, got {floor!r}", fix="use 0.01, for example")
    used = given if floor is None else np.maximum(given, floor)
    notes = []
    if floor is not None and (given < floor).any():
        notes.append(
            f"{int((given < floor).sum())} categories below {floor:g} were raised to it; the score depends on "
            "this floor."
        )
    return _result(used, None, "none" if floor is None else f"rates raised to at least {floor:g}", notes)


def genscore_from_counts(
    successes: ArrayLike,
    trials: ArrayLike,
    *,
    rng: np.random.Generator,
    smoothing: Smoothing = "add-half",
    level: float = 0.95,
    replicates: int = 2_000,
    worth: ArrayLike | None = None,
) -> GenScore:
    """Compute GenScore from an agent's successes and episodes by category, with an interval.

    Random noise makes categories look less even than they are, so the score of an even agent is too low. A plain
    bootstrap adds noise once more and is lower still. The upper end therefore also covers more even agents (between the
    observed rates and their mean) that could plausibly have given a score this low.

    Args:
        successes: Successes per category.
        trials: Episodes per category, or one number for all.
        rng: Random generator.
        smoothing: "add-half" for (c + 0.5) / (n + 1), "add-one" for (c + 1) / (n + 2), "none" for c / n.
        level: Confidence level.
        replicates: Number of bootstrap resamples.
        worth: Effective number of independent trials per category, if they depend on each other (such as
            `Share.worth`). It widens the interval and does not change the score.
    """
    check_level(level)
    c, n = check_counts(successes, trials)
    if c.ndim != 1:
        raise InvalidInput(f"successes: expected a list with one number per category, got shape {c.shape}")
    if smoothing not in _ADDED:
        raise InvalidInput(f"smoothing: expected one of {', '.join(_ADDED)}, got {smoothing!r}")
    if replicates < 100:
        raise InvalidInput(f"replicates: expected at least 100, got {replicates}", fix="use 2,000")
    rates = _smooth(c, n, smoothing)
    score = float(_score(rates))
    size = n if worth is None else _whole(worth, n)
    low, high = _ends(np.rint(c / n * size).astype(np.int64), size, smoothing, score, level, replicates, rng)
    interval = Interval(score, low, high, level, "parametric bootstrap, widened towards evenness")
    words = {"add-half": "(c + 0.5) / (n + 1)", "add-one": "(c + 1) / (n + 2)", "none": "none"}[smoothing]
    notes = []
    if smoothing != "none" and (c == 0).any():
        notes.append(
            f"{int((c == 0).sum())} categories have no success: their rate, and so the score, depends on smoothing."
        )
    if n.min() < 10:
        notes.append(f"The smallest category has {n.min()} episodes: the score is then mostly noise and smoothing.")
    return _result(rates, interval, words, notes)


def common_categories(judged: Mapping[str, Collection[str]]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return agents and the categories that all of them have, for comparable scores.

    All agents, if they share two categories or more. Otherwise the agents with the fewest categories are left out until
    the others do.

    Args:
        judged: The categories of each agent.

    Returns:
        The agents and the categories, sorted. Both are empty if not even two agents share two categories.
    """
    agents = sorted(judged, key=lambda agent: (-len(set(judged[agent])), agent))
    while len(agents) > 1:
        common = set.intersection(*(set(judged[agent]) for agent in agents))
        if len(common) > 1:
            return tuple(sorted(agents)), tuple(sorted(common))
        agents.pop()
    return (), ()


def _whole(worth: ArrayLike, trials: Counts) -> Counts:
    numbers = check_numbers(worth, "worth")
    if numbers.shape != trials.shape or (numbers <= 0).any() or (numbers > trials * (1 + 1e-9)).any():
        raise InvalidInput("worth: expected one number per category, above 0 and at most its trials")
    return np.maximum(np.rint(numbers), 1).astype(np.int64)


def _ends(
    c: Counts, n: Counts, smoothing: Smoothing, score: float, level: float, replicates: int, rng: np.random.Generator
) -> tuple[float, float]:
    """Return percentile ends at the observed rates.

    The upper end is raised to the most even agent that the score allows.
    """
    rates = _smooth(c, n, "add-half")  # plausible true rates: a category without success may still have a rate above 0
    mean = float(rates.mean())
    path = mean + np.linspace(0.0, 1.0, _STEPS)[:, None] * (rates - mean)
    draws = np.empty((replicates, _STEPS))
    rows = max(1, _CELLS_AT_ONCE // path.size)
    for start in range(0, replicates, rows):
        drawn = rng.binomial(n, path, (min(rows, replicates - start), *path.shape))
        draws[start : start + rows] = _score(_smooth(drawn, n, smoothing))
    tails = (1 - level) / 2, (1 + level) / 2
    low, high = np.quantile(draws[:, -1], tails).tolist()
    allowed = np.quantile(draws, tails[0], axis=0) <= score
    allowed[-1] = True
    evenest = path[int(np.argmax(allowed))]
    # The overall level may also be higher than observed: by as much as the interval of the mean rate allows.
    sure = len(n) ** 2 / float((1 / n).sum())
    lift = score_bounds(float((c / n).mean()), sure, level)[1] / mean
    reach = min(1.0, float(_score(evenest)) * max(1.0, lift))
    return min(low, score), max(high, score, reach)


def _result(rates: Floats, interval: Interval | None, smoothing: str, notes: list[str]) -> GenScore:
    mean, worst = float(rates.mean()), float(rates.min())
    if not worst:
        notes.append("A category has rate 0, which makes the score 0.")
    if len(rates) == 1:
        notes.append("There is only one category: the score is its rate and says nothing about evenness.")
    return GenScore(
        score=float(_score(rates)),
        interval=interval,
        mean=mean,
        harmonic_mean=float(_harmonic(rates)),
        cv=float(rates.std()) / mean if mean else 0.0,
        worst=worst,
        rates=tuple(rates.tolist()),
        smoothing=smoothing,
        notes=tuple(notes),
    )


def _score(rates: Floats) -> Floats:
    """Return GenScore along the last axis; 0 where a rate is 0."""
    mean, worst = rates.mean(axis=-1), rates.min(axis=-1)
    safe = np.where(mean > 0, mean, 1.0)
    evenness = np.maximum(0.0, 1 - rates.std(axis=-1) / safe)
    return np.asarray(_harmonic(rates) * evenness * worst / safe, dtype=np.float64)


def _harmonic(rates: Floats) -> Floats:
    worst = rates.min(axis=-1, keepdims=True)
    ratios = worst / np.where(worst > 0, rates, 1.0)  # relative to the worst: the inverse of a tiny rate would overflow
    return np.asarray(worst[..., 0] * rates.shape[-1] / np.maximum(ratios.sum(axis=-1), 1.0), dtype=np.float64)


def _smooth(c: Counts, n: Counts, smoothing: Smoothing) -> Floats:
    added = _ADDED[smoothing]
    rates: Floats = (c + added) / (n + 2 * added)
    return rates


def _rates(rates: ArrayLike) -> Floats:
    array = check_numbers(rates, "rates")
    if array.min() < 0 or array.max() > 1:
        raise InvalidInput(f"rates: expected numbers from 0 to 1, got {array.min():g} to {array.max():g}")
    return array
