"""How agents behave when they pass and when they fail: means, and their difference, with intervals."""

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
    read = [ended_episodes(folder) for folder in result_folders(folders)]
    jobs = [job for ended, _ in read for job in _jobs(ended)]
    if not jobs:
        listed = ", ".join(map(str, folders))
        raise InvalidInput(f"{listed}: no episode has passed or failed yet", fix="wait, or `fairground resume` it")
    watched, problems = [], [note for _, notes in read for note in notes]
    measured = abreast(_measured, [job.folder for job in jobs], workers)
    for done, (job, found) in enumerate(zip(jobs, measured, strict=True), 1):
        if isinstance(found, str):
            problems.append(found)
            notice(Damaged(job.folder.parent, None, job.folder.name, found))
        else:
            watched.append(Watched(job.contender, job.scenario, job.outcome, found))
        if on_done is not None:
            on_done(done, len(jobs))
    return watched, problems


def compare_by_outcome(rows: Sequence[Watched], *, level: float = 0.95) -> tuple[BehaviourSummary, ...]:
    """Sets each contender's measures against the outcome.

    Scenarios are the clusters of the intervals, as for `steps` and `cost` in a summary. Where an outcome was met in one
    scenario only, episodes are, and a note says so.

    Args:
        rows: Episodes; those that are not scored are counted and left out.
        level: Of the intervals; they are not corrected for the number of measures.
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
    for one in ended:
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


def _compare(contender: Contender, rows: Sequence[Watched], level: float) -> BehaviourSummary:
    # Sorted, so that figures do not depend on the order of rows.
    scored = sorted((row for row in rows if row.outcome.scored), key=_order)
    names = sorted({row.scenario for row in scored})
    data = _Numbers(
        np.array([_values(row.behaviour) for row in scored], dtype=np.float64).reshape(-1, len(MEASURES)),
        np.array([row.outcome is Outcome.PASSED for row in scored], dtype=bool),
        np.array([names.index(row.scenario) for row in scored], dtype=np.int64),
    )
    found, single = _by_outcome(data, level)
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
        notes=_notes(found, outcomes, single),
    )


def _by_outcome(data: _Numbers, level: float) -> tuple[dict[str, ByOutcome], bool]:
    """Each measure's means; and whether some interval had to take episodes for clusters, for want of scenarios."""
    found, narrow = {}, False
    for at, name in enumerate(MEASURES):
        values = data.values[:, at]
        passed, failed = (side & ~np.isnan(values) for side in (data.passed, ~data.passed))
        counts = int(passed.sum()), int(failed.sum())
        few = [len(np.unique(data.scenario[side])) < 2 for side in (passed, failed)]
        narrow = narrow or any(one and count > 1 for one, count in zip(few, counts, strict=True))
        found[name] = ByOutcome(
            _mean(data, at, passed, level, by_episode=few[0]) if counts[0] > 1 else None,
            _mean(data, at, failed, level, by_episode=few[1]) if counts[1] > 1 else None,
            _difference(data, values, passed, failed, level, by_episode=any(few)) if min(counts) > 1 else None,
            counts,
        )
    return found, narrow


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
    (one, added), (other, taken) = (_added(data, values, side, by_episode=by_episode) for side in (passed, failed))
    both = np.nan_to_num(added) - np.nan_to_num(taken)
    both[np.isnan(added) & np.isnan(taken)] = np.nan
    return number_interval(ratio_spread(one - other, both, clusters=_CLUSTERS[by_episode]), level)


def _order(row: Watched) -> tuple[str, str, list[float]]:
    return row.scenario, row.outcome, np.nan_to_num(_values(row.behaviour), nan=-1.0).tolist()


def _values(behaviour: Behaviour) -> list[float]:
    found = (getattr(behaviour, name) for name in MEASURES)
    return [np.nan if value is None else value for value in found]


def _notes(found: Mapping[str, ByOutcome], outcomes: Mapping[Outcome, int], single: bool) -> tuple[str, ...]:
    notes = []
    for outcome in (Outcome.PASSED, Outcome.FAILED):
        if outcomes[outcome] < 2:
            number = "no episode" if not outcomes[outcome] else "one episode"
            notes.append(f"{number} {outcome}: nothing can be said about those")
    if single:
        notes.append(
            "an outcome was met in one scenario only: episodes are the clusters of the intervals there, which leave "
            "out how scenarios differ"
        )
    flat = [
        name
        for name, one in found.items()
        if any(side is not None and side.width == 0 for side in (one.passed, one.failed))
    ]
    if flat:
        notes.append(
            f"in {len(flat)} of {len(found)} measures every episode of an outcome had the same value: the interval has "
            "no width there"
        )
    return tuple(notes)
