"""How agents behave when they pass and when they fail: means, and their difference, with intervals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fairground.core import EpisodeError, InvalidInput, Outcome
from fairground.rollout.abreast import abreast
from fairground.rollout.behaviour import MEASURES, Behaviour, measure
from fairground.rollout.ended import ended_episodes, result_folders
from fairground.rollout.folder import read_episode
from fairground.stats import Contender, Interval, interval_of

FEW = 10
"""Scenarios below which a bootstrap over them is known to be too narrow."""

_AT_ONCE = 4_000_000  # numbers of a block of resamples


@dataclass(frozen=True)
class Watched:
    """An episode as it is compared with others.

    Attributes:
        contender: Whose it is.
        scenario: `suite/app/scenario`.
        outcome: How it ended.
        behaviour: What was measured.
    """

    contender: Contender
    scenario: str
    outcome: Outcome
    behaviour: Behaviour


@dataclass(frozen=True)
class ByOutcome:
    """One measure, by outcome. None where fewer than two episodes have it: a number needs its interval.

    Attributes:
        passed: Mean over the episodes that passed.
        failed: Mean over those that failed.
        difference: The first minus the second. Scenarios that are often failed may ask for other behaviour anyway, so
            this says what goes along with passing, not what brings it about.
        counts: How many passed and failed episodes have the measure.
    """

    passed: Interval | None
    failed: Interval | None
    difference: Interval | None
    counts: tuple[int, int]


@dataclass(frozen=True)
class BehaviourSummary:
    """One contender's behaviour.

    Attributes:
        contender: Who.
        outcomes: How many episodes were measured, by outcome; only passed and failed ones are compared.
        scenarios: In how many scenarios.
        measures: By name, in the order of `MEASURES`.
        endings: How many episodes of each outcome ended how.
        notes: What must be known to read this rightly.
    """

    contender: Contender
    outcomes: dict[Outcome, int]
    scenarios: int
    measures: dict[str, ByOutcome]
    endings: dict[Outcome, dict[str, int]]
    notes: tuple[str, ...]


def watch_runs(
    folders: Sequence[Path], *, workers: int = 1, on_done: Callable[[int, int], None] | None = None
) -> tuple[list[Watched], list[str]]:
    """Measures every scored episode of runs, and says which could not be read, and why.

    Args:
        folders: Of runs, which may still go on; of several runs side by side; or of episodes outside of a run.
        workers: Processes to share the work.
        on_done: Told how many episodes are done, and how many there are.

    Raises:
        InvalidInput: When one is no run, or none has a scored episode.
    """
    jobs = [job for folder in result_folders(folders) for job in _jobs(folder)]
    if not jobs:
        listed = ", ".join(map(str, folders))
        raise InvalidInput(f"{listed}: no episode has passed or failed yet", fix="wait, or `fairground resume` it")
    watched, problems = [], []
    measured = abreast(_measured, [job.folder for job in jobs], workers)
    for done, (job, found) in enumerate(zip(jobs, measured, strict=True), 1):
        if isinstance(found, str):
            problems.append(found)
        else:
            watched.append(Watched(job.contender, job.scenario, job.outcome, found))
        if on_done is not None:
            on_done(done, len(jobs))
    return watched, problems


def compare_by_outcome(
    rows: Sequence[Watched], *, seed: int = 0, resamples: int = 2000, level: float = 0.95
) -> tuple[BehaviourSummary, ...]:
    """Sets each contender's measures against the outcome.

    Intervals draw scenarios whole, as those of `steps` and `cost` in a summary do. Where an outcome was met in one
    scenario only, they draw episodes instead, and a note says so.

    Args:
        rows: Episodes; those that are not scored are counted and left out.
        seed: Each contender has a stream of its own that follows from it.
        resamples: Of the bootstrap.
        level: Of the intervals; they are not corrected for the number of measures.
    """
    if resamples < 1:
        raise InvalidInput(f"resamples: expected at least 1, got {resamples}")
    contenders = sorted({row.contender for row in rows})
    streams = np.random.default_rng(seed).spawn(len(contenders))
    compare = partial(_compare, resamples=resamples, level=level)
    return tuple(
        compare(contender, [row for row in rows if row.contender == contender], stream)
        for contender, stream in zip(contenders, streams, strict=True)
    )


@dataclass(frozen=True)
class _Job:
    contender: Contender
    scenario: str
    outcome: Outcome
    folder: Path


def _jobs(folder: Path) -> Iterator[_Job]:
    for one in ended_episodes(folder)[0]:
        if one.finished.outcome.scored:
            named = one.configuration
            scenario = f"{named.suite}/{named.app}/{named.scenario}"
            contender = Contender(one.agent, one.condition)
            yield _Job(contender, scenario, one.finished.outcome, one.home / one.finished.folder)


def _measured(folder: Path) -> Behaviour | str:
    try:
        return measure(read_episode(folder))
    except EpisodeError as error:
        return error.message


@dataclass(frozen=True, eq=False)
class _Numbers:
    """A contender's scored episodes: episode x measure, with NaN where there is nothing to measure."""

    values: NDArray[np.float64]
    passed: NDArray[np.bool_]
    scenario: NDArray[np.int64]


def _compare(
    contender: Contender, rows: Sequence[Watched], rng: np.random.Generator, *, resamples: int, level: float
) -> BehaviourSummary:
    # Sorted, so that figures do not depend on the order of rows.
    scored = sorted((row for row in rows if row.outcome.scored), key=_order)
    names = sorted({row.scenario for row in scored})
    data = _Numbers(
        np.array([_values(row.behaviour) for row in scored], dtype=np.float64).reshape(-1, len(MEASURES)),
        np.array([row.outcome is Outcome.PASSED for row in scored], dtype=bool),
        np.array([names.index(row.scenario) for row in scored], dtype=np.int64),
    )
    found, single = _by_outcome(data, rng, resamples, level)
    outcomes = Counter(row.outcome for row in rows)
    endings = {
        outcome: dict(Counter(row.behaviour.ended for row in rows if row.outcome is outcome).most_common())
        for outcome in Outcome
        if outcomes[outcome]
    }
    return BehaviourSummary(
        contender=contender,
        outcomes={outcome: outcomes[outcome] for outcome in Outcome if outcomes[outcome]},
        scenarios=len(names),
        measures=found,
        endings=endings,
        notes=_notes(found, outcomes, len(names), single),
    )


def _by_outcome(
    data: _Numbers, rng: np.random.Generator, resamples: int, level: float
) -> tuple[dict[str, ByOutcome], bool]:
    """Each measure's means; and whether some interval had to draw episodes, for want of scenarios."""
    sides = (data.passed, ~data.passed)
    given = ~np.isnan(data.values)
    counts = [np.count_nonzero(given[side], axis=0) for side in sides]
    met = [_scenarios_met(data, given, side) for side in sides]
    narrow = any(
        0 < scenarios < 2 <= count
        for side in (0, 1)
        for scenarios, count in zip(met[side], counts[side].tolist(), strict=True)
    )
    # Both sides are drawn together, so that the difference knows what they share.
    by_scenario = _draw(data, data.scenario, rng, resamples)
    by_episode = _draw(data, np.arange(len(data.passed)), rng, resamples) if narrow else by_scenario
    found = {}
    for at, name in enumerate(MEASURES):
        means: list[Interval | None] = []
        for side in (0, 1):
            values = data.values[sides[side] & given[:, at], at]
            drawn, what = (by_scenario, "scenarios") if met[side][at] > 1 else (by_episode, "episodes")
            means.append(_interval(drawn[side][:, at], values.mean(), level, what) if len(values) > 1 else None)
        passed, failed = means
        difference = None
        if passed is not None and failed is not None:
            wide = met[0][at] > 1 and met[1][at] > 1
            drawn, what = (by_scenario, "scenarios") if wide else (by_episode, "episodes")
            apart = drawn[0][:, at] - drawn[1][:, at]
            difference = _interval(apart, passed.estimate - failed.estimate, level, what)
        found[name] = ByOutcome(passed, failed, difference, (int(counts[0][at]), int(counts[1][at])))
    return found, narrow


def _scenarios_met(data: _Numbers, given: NDArray[np.bool_], side: NDArray[np.bool_]) -> list[int]:
    """In how many scenarios each measure was met on one side."""
    return [len(np.unique(data.scenario[side & given[:, at]])) for at in range(data.values.shape[1])]


def _draw(
    data: _Numbers, cluster: NDArray[np.int64], rng: np.random.Generator, resamples: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Resampled means of both sides, resample x measure; NaN where a resample has no such episode."""
    size, width = (int(cluster.max()) + 1 if len(cluster) else 0), data.values.shape[1]
    drawn = np.full((2, resamples, width), np.nan)
    if not size:
        return drawn[0], drawn[1]
    given = ~np.isnan(data.values)
    filled = np.where(given, data.values, 0.0)
    parts = []
    for side in (data.passed, ~data.passed):
        sums, sizes = np.zeros((size, width)), np.zeros((size, width))
        np.add.at(sums, cluster[side], filled[side])
        np.add.at(sizes, cluster[side], given[side].astype(np.float64))
        parts.append((sums, sizes))
    block = max(1, _AT_ONCE // size)
    for start in range(0, resamples, block):
        rows = min(block, resamples - start)
        times = rng.multinomial(size, np.full(size, 1 / size), size=rows).astype(np.float64)
        for at, (sums, sizes) in enumerate(parts):
            there = times @ sizes
            np.divide(times @ sums, there, out=drawn[at, start : start + rows], where=there > 0)
    return drawn[0], drawn[1]


def _interval(drawn: NDArray[np.float64], estimate: float, level: float, what: str) -> Interval:
    usable = drawn[~np.isnan(drawn)]
    return interval_of(usable, float(estimate), level=level, label=f"bootstrap over {what}")


def _order(row: Watched) -> tuple[str, str, list[float]]:
    return row.scenario, row.outcome, np.nan_to_num(_values(row.behaviour), nan=-1.0).tolist()


def _values(behaviour: Behaviour) -> list[float]:
    found = (getattr(behaviour, name) for name in MEASURES)
    return [np.nan if value is None else value for value in found]


def _notes(
    found: Mapping[str, ByOutcome], outcomes: Mapping[Outcome, int], scenarios: int, single: bool
) -> tuple[str, ...]:
    notes = []
    for outcome in (Outcome.PASSED, Outcome.FAILED):
        if outcomes[outcome] < 2:
            number = "no episode" if not outcomes[outcome] else "one episode"
            notes.append(f"{number} {outcome}: nothing can be said about those")
    if single:
        notes.append(
            "an outcome was met in one scenario only: intervals there draw episodes, and leave out how scenarios differ"
        )
    elif scenarios < FEW:
        notes.append(f"there are {scenarios} scenarios: a bootstrap over so few is too narrow")
    flat = [
        name
        for name, one in found.items()
        if any(side is not None and side.width == 0 for side in (one.passed, one.failed))
    ]
    if flat:
        notes.append(
            f"in {len(flat)} of {len(found)} measures every episode of an outcome had the same value: a bootstrap sees "
            "no variation there"
        )
    return tuple(notes)
