"""GenScore: is an agent good in every category alike, or only on average."""

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
    """GenScore with what it is made of: harmonic_mean * max(0, 1 - cv) * (worst / mean).

    Attributes:
        score: From 0 to 1; never above the mean rate.
        interval: With its interval; None when it was made of bare rates, which do not say how sure they are.
        mean: Mean rate over categories, each counting the same.
        harmonic_mean: Pulled down by poor categories.
        cv: Coefficient of variation: population standard deviation over mean.
        worst: The lowest rate.
        rates: The rates that were used, smoothed, in the order given.
        smoothing: How zeros were kept from making the harmonic mean zero, in words.
        notes: What must not be over-read.
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
    """GenScore of one agent's success rates by category.

    Args:
        rates: One for each category, from 0 to 1.
        floor: Raise lower rates to this. Without it, one category at 0 makes the score 0, and a note says so.
    """
    given = _rates(rates)
    if floor is not None and not 0 < floor < 1:
        raise InvalidInput(f"floor: expected a number between 0 and 1, got {floor!r}", fix="0.01 is an example")
    used = given if floor is None else np.maximum(given, floor)
    notes = []
    if floor is not None and (given < floor).any():
        notes.append(
            f"{int((given < floor).sum())} categories below {floor:g} were raised to it; the score depends on it."
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
    """GenScore of one agent from its successes and episodes by category, with an interval.

    Chance makes categories look less even than they are, so the score of an even agent comes out too low, and a plain
    bootstrap, which adds chance once more, lower still. The upper end therefore also covers every evener agent, on the
    way from the observed rates to their mean, that could well have given a score as low as this one.

    Args:
        successes: In each category.
        trials: Episodes in each category, or one number for all.
        rng: Where randomness comes from.
        smoothing: "add-half" for (c + 0.5) / (n + 1), "add-one" for (c + 1) / (n + 2), "none" for c / n.
        level: Confidence level.
        replicates: Bootstrap resamples.
        worth: How many independent trials those of each category are worth, where they depend on each other (such as
            `Share.worth`). It widens the interval and leaves the score as it is.
    """
    check_level(level)
    c, n = check_counts(successes, trials)
    if c.ndim != 1:
        raise InvalidInput(f"successes: expected a list with a number for each category, got shape {c.shape}")
    if smoothing not in _ADDED:
        raise InvalidInput(f"smoothing: expected one of {', '.join(_ADDED)}, got {smoothing!r}")
    if replicates < 100:
        raise InvalidInput(f"replicates: expected at least 100, got {replicates}", fix="2,000 is usual")
    rates = _smooth(c, n, smoothing)
    score = float(_score(rates))
    size = n if worth is None else _whole(worth, n)
    low, high = _ends(np.rint(c / n * size).astype(np.int64), size, smoothing, score, level, replicates, rng)
    interval = Interval(score, low, high, level, "parametric bootstrap, widened towards evenness")
    words = {"add-half": "(c + 0.5) / (n + 1)", "add-one": "(c + 1) / (n + 2)", "none": "none"}[smoothing]
    notes = []
    if smoothing != "none" and (c == 0).any():
        notes.append(
            f"{int((c == 0).sum())} categories without success: their rate, and the score, come from smoothing."
        )
    if n.min() < 10:
        notes.append(f"The smallest category has {n.min()} episodes: the score is then mostly chance and smoothing.")
    return _result(rates, interval, words, notes)


def common_categories(judged: Mapping[str, Collection[str]]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Agents and the categories that all of them have, for scores that can be compared.

    All agents, if they share two categories or more. Otherwise the agents with the fewest categories are left out until
    the others do.

    Args:
        judged: The categories of each agent.

    Returns:
        The agents and the categories, sorted. Both are empty when not even two agents share two categories.
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
        raise InvalidInput("worth: expected a number for each category, above 0 and at most its trials")
    return np.maximum(np.rint(numbers), 1).astype(np.int64)


def _ends(
    c: Counts, n: Counts, smoothing: Smoothing, score: float, level: float, replicates: int, rng: np.random.Generator
) -> tuple[float, float]:
    """Percentile ends at the observed rates; the upper one raised to the evenest agent that the score allows."""
    rates = _smooth(c, n, "add-half")  # what could be true: a category without success is not without hope
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
    # And the overall level may be higher than it looks: by as much as the mean rate's own interval says.
    sure = len(n) ** 2 / float((1 / n).sum())
    lift = score_bounds(float((c / n).mean()), sure, level)[1] / mean
    reach = min(1.0, float(_score(evenest)) * max(1.0, lift))
    return min(low, score), max(high, score, reach)


def _result(rates: Floats, interval: Interval | None, smoothing: str, notes: list[str]) -> GenScore:
    mean, worst = float(rates.mean()), float(rates.min())
    if not worst:
        notes.append("A category has the rate 0, which makes the score 0 whatever the others are.")
    if len(rates) == 1:
        notes.append("One category: the score is its rate and says nothing about evenness.")
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
    """GenScore along the last axis; 0 wherever a rate is 0."""
    mean, worst = rates.mean(axis=-1), rates.min(axis=-1)
    safe = np.where(mean > 0, mean, 1.0)
    evenness = np.maximum(0.0, 1 - rates.std(axis=-1) / safe)
    return np.asarray(_harmonic(rates) * evenness * worst / safe, dtype=np.float64)


def _harmonic(rates: Floats) -> Floats:
    worst = rates.min(axis=-1, keepdims=True)
    ratios = worst / np.where(worst > 0, rates, 1.0)  # relative to the worst: the inverse of a tiny rate overflows
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
