"""Behaviour of passed and failed episodes: means and their difference, with confidence intervals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fairground.core import EpisodeError, InvalidInput, Outcome
from fairground.core.damage import Damaged, notice
from fairground.rollout.abreast import abreast
from fairground.rollout.behaviour import MEASURES, Behaviour, measure
from fairground.rollout.ended import Ended, ended_episodes, result_folders
from fairground.rollout.folder import read_episode
from fairground.stats import Contender, Interval
from fairground.stats.suites.clusters import added_by, number_interval, ratio_spread

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

_CLUSTERS = ("scenarios", "episodes")


@dataclass(frozen=True)
class Watched:
    """A measured episode.

    Attributes:
        contender: The agent and condition.
        scenario: `suite/app/scenario`.
        outcome: How the episode ended.
        behaviour: The measures.
    """

    contender: Contender
    scenario: str
    outcome: Outcome
    behaviour: Behaviour


@dataclass(frozen=True)
class ByOutcome:
    """One measure by outcome. A mean is None if fewer than two episodes have the measure: it would have no interval.

    Attributes:
        passed: Mean over the passed episodes.
        failed: Mean over the failed episodes.
        difference: Mean of passed minus mean of failed episodes. It shows association, not cause: scenarios that often
            fail may require different behaviour.
        counts: Number of passed and failed episodes that have the measure.
    """

    passed: Interval | None
    failed: Interval | None
    difference: Interval | None
    counts: tuple[int, int]


@dataclass(frozen=True)
class BehaviourSummary:
    """The behaviour of one contender.

    Attributes:
        contender: The agent and condition.
        outcomes: Number of measured episodes by outcome. Only passed and failed ones are compared.
        scenarios: Number of scenarios.
        measures: The measures by name, in the order of `MEASURES`.
        endings: Number of episodes by outcome and by how they ended.
        notes: Caveats for the reader.
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
    """Measure every scored episode of some runs.

    Args:
        folders: Folders of runs (finished or not), of several runs side by side, or of episodes outside of a run.
        workers: Number of worker processes.
        on_done: Called with the number of measured episodes and their total.

    Returns:
        The measured episodes, and a message for each episode that could not be read.

    Raises:
        InvalidInput: If a folder is not a run, or no folder has a scored episode.
    """
    read = [ended_episodes(folder) for folder in result_folders(folders)]
    jobs = [job for ended, _ in read for job in _jobs(ended)]
    if not jobs:
        listed = ", ".join(map(str, folders))
        raise InvalidInput(
            f"{listed}: no episode has passed or failed yet",
            fix="wait for the run, or continue it with `fairground resume`",
        )
    watched, problems = [], [note for _, notes in read for note in notes]
    measured = abreast(_measured, [job.folder for job in jobs], workers)
    for done, (job, result) in enumerate(zip(jobs, measured, strict=True), 1):
        if isinstance(result, str):
            problems.append(result)
            notice(Damaged(job.folder.parent, None, job.folder.name, result))
        else:
            watched.append(Watched(job.contender, job.scenario, job.outcome, result))
        if on_done is not None:
            on_done(done, len(jobs))
    return watched, problems


def compare_by_outcome(rows: Sequence[Watched], *, level: float = 0.95) -> tuple[BehaviourSummary, ...]:
    """Compare each contender's measures between passed and failed episodes.

    Intervals are clustered by scenario, as for `steps` and `cost` in a summary. If an outcome occurred in only one
    scenario, they are clustered by episode, and a note says so.

    Args:
        rows: Measured episodes. Unscored ones are counted but not compared.
        level: Confidence level. The intervals are not corrected for the number of measures.
    """
    contenders = sorted({row.contender for row in rows})
    return tuple(
        _compare(contender, [row for row in rows if row.contender == contender], level) for contender in contenders
    )


@dataclass(frozen=True)
class _Job:
    contender: Contender
    scenario: str
    outcome: Outcome
    folder: Path


def _jobs(ended: Sequence[Ended]) -> Iterator[_Job]:
    for episode in ended:
        if episode.finished.outcome.scored:
            named = episode.configuration
            scenario = f"{named.suite}/{named.app}/{named.scenario}"
            contender = Contender(episode.agent, episode.condition)
            yield _Job(contender, scenario, episode.finished.outcome, episode.home / episode.finished.folder)


def _measured(folder: Path) -> Behaviour | str:
    try:
        return measure(read_episode(folder))
    except EpisodeError as error:
        return error.message


@dataclass(frozen=True, eq=False)
class _Numbers:
    """A contender's scored episodes as an (episode, measure) array. NaN where there is nothing to measure."""

    values: NDArray[np.float64]
    passed: NDArray[np.bool_]
    scenario: NDArray[np.int64]


def _compare(contender: Contender, rows: Sequence[Watched], level: float) -> BehaviourSummary:
    # Sorted, so that results do not depend on the order of rows.
    scored = sorted((row for row in rows if row.outcome.scored), key=_order)
    names = sorted({row.scenario for row in scored})
    data = _Numbers(
        np.array([_values(row.behaviour) for row in scored], dtype=np.float64).reshape(-1, len(MEASURES)),
        np.array([row.outcome is Outcome.PASSED for row in scored], dtype=bool),
        np.array([names.index(row.scenario) for row in scored], dtype=np.int64),
    )
    measures, single = _by_outcome(data, level)
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
        measures=measures,
        endings=endings,
        notes=_notes(measures, outcomes, single),
    )


def _by_outcome(data: _Numbers, level: float) -> tuple[dict[str, ByOutcome], bool]:
    """Return the means of each measure, and whether any interval is clustered by episode for lack of scenarios."""
    measures, narrow = {}, False
    for at, name in enumerate(MEASURES):
        values = data.values[:, at]
        passed, failed = (side & ~np.isnan(values) for side in (data.passed, ~data.passed))
        counts = int(passed.sum()), int(failed.sum())
        few = [len(np.unique(data.scenario[side])) < 2 for side in (passed, failed)]
        narrow = narrow or any(single and count > 1 for single, count in zip(few, counts, strict=True))
        measures[name] = ByOutcome(
            _mean(data, at, passed, level, by_episode=few[0]) if counts[0] > 1 else None,
            _mean(data, at, failed, level, by_episode=few[1]) if counts[1] > 1 else None,
            _difference(data, values, passed, failed, level, by_episode=any(few)) if min(counts) > 1 else None,
            counts,
        )
    return measures, narrow


def _added(data: _Numbers, values: Floats, side: Bools, *, by_episode: bool) -> tuple[float, Floats]:
    clusters = np.arange(len(values)) if by_episode else data.scenario
    return added_by(values[side], clusters[side], len(values))


def _mean(data: _Numbers, at: int, side: Bools, level: float, *, by_episode: bool) -> Interval:
    spread = ratio_spread(
        *_added(data, data.values[:, at], side, by_episode=by_episode), clusters=_CLUSTERS[by_episode]
    )
    share = list(MEASURES.values())[at].unit == "share"
    return number_interval(spread, level, smallest=0.0, largest=1.0 if share else np.inf)


def _difference(
    data: _Numbers, values: Floats, passed: Bools, failed: Bools, level: float, *, by_episode: bool
) -> Interval:
    (mean_passed, added), (mean_failed, taken) = (
        _added(data, values, side, by_episode=by_episode) for side in (passed, failed)
    )
    both = np.nan_to_num(added) - np.nan_to_num(taken)
    both[np.isnan(added) & np.isnan(taken)] = np.nan
    return number_interval(ratio_spread(mean_passed - mean_failed, both, clusters=_CLUSTERS[by_episode]), level)


def _order(row: Watched) -> tuple[str, str, list[float]]:
    return row.scenario, row.outcome, np.nan_to_num(_values(row.behaviour), nan=-1.0).tolist()


def _values(behaviour: Behaviour) -> list[float]:
    values = (getattr(behaviour, name) for name in MEASURES)
    return [np.nan if value is None else value for value in values]


def _notes(measures: Mapping[str, ByOutcome], outcomes: Mapping[Outcome, int], single: bool) -> tuple[str, ...]:
    notes = []
    for outcome in (Outcome.PASSED, Outcome.FAILED):
        if outcomes[outcome] < 2:
            number = "no episode" if not outcomes[outcome] else "one episode"
            notes.append(f"{number} {outcome}: no estimate for this outcome")
    if single:
        notes.append(
            "an outcome occurred in only one scenario: its intervals are clustered by episode and do not "
            "include variation between scenarios"
        )
    flat = [
        name
        for name, measure in measures.items()
        if any(side is not None and side.width == 0 for side in (measure.passed, measure.failed))
    ]
    if flat:
        notes.append(
            f"in {len(flat)} of {len(measures)} measures every episode of an outcome had the same value: that "
            "interval has width 0"
        )
    return tuple(notes)
