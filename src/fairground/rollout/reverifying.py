"""Scoring recorded states again with today's verifiers. Nothing is run, and nothing recorded is changed.

The task stays what it was: checks are applied to the recorded states and answer, with the parameters that the episode
was run with, even where the instance has others by now.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from fairground import __version__
from fairground.core import (
    AGENTS_FAULT,
    Check,
    EpisodeError,
    FairgroundError,
    InvalidConfiguration,
    InvalidInput,
    Outcome,
    Verdict,
)
from fairground.env import judge_left
from fairground.rollout.abreast import abreast
from fairground.rollout.attribution import guard
from fairground.rollout.folder import EpisodeFolder, read_episode
from fairground.rollout.plan import RunSpec, world_for
from fairground.rollout.store import RunStore
from fairground.rollout.verdicts import (
    LaterVerdict,
    ScoredAgain,
    commit_verdicts,
    read_verdict,
    read_verdicts,
    write_verdict,
)


@dataclass(frozen=True)
class CheckChange:
    """A check that decides otherwise than before.

    Attributes:
        name: Of the check.
        before: Whether it passed then; None where it was not there.
        now: Whether it passes now; None where it is gone.
        expected: What it expects; as it was, where it is gone.
        found: What it found.
    """

    name: str
    before: bool | None
    now: bool | None
    expected: object = None
    found: object = None


@dataclass(frozen=True)
class Rescored:
    """One episode, scored again or not.

    Attributes:
        number: In the plan of its run.
        configuration: Its id.
        rollout: Which attempt.
        folder: Below the run's.
        before: The outcome that counts in the index.
        before_verdict: The verdict that this came from; None for an invalid episode.
        now: The outcome by today's checks; None when it was not scored again.
        now_verdict: None unless today's checks came to one.
        problem: Why it was not scored again, or what broke in the checks.
        notes: What must be known to read this rightly.
        suite: Version of the suite whose checks were applied.
    """

    number: int
    configuration: str
    rollout: int
    folder: str
    before: Outcome
    before_verdict: Verdict | None = None
    now: Outcome | None = None
    now_verdict: Verdict | None = None
    problem: str = ""
    notes: tuple[str, ...] = ()
    suite: str = ""

    @property
    def changed(self) -> bool:
        """Whether outcome, reward or any check came out otherwise."""
        if self.now is None:
            return False
        rewards = [None if one is None else one.reward for one in (self.before_verdict, self.now_verdict)]
        return self.before is not self.now or rewards[0] != rewards[1] or bool(self.checks)

    @property
    def checks(self) -> tuple[CheckChange, ...]:
        """The checks that decide otherwise, those of today first."""
        old, new = _by_name(self.before_verdict), _by_name(self.now_verdict)
        found = [
            CheckChange(check.name, _decided(old.get(key)), check.passed, check.expected, check.found)
            for key, check in new.items()
            if _decided(old.get(key)) is not check.passed
        ]
        if self.now_verdict is not None:
            gone = [check for key, check in old.items() if key not in new]
            found += [CheckChange(one.name, one.passed, None, one.expected, one.found) for one in gone]
        return tuple(found)


def reverify(folder: Path, *, workers: int = 1, on_done: Callable[[int, int], None] | None = None) -> list[Rescored]:
    """Scores every episode of a run that has ended, in the order of its plan. Writes nothing.

    Errored episodes have no result and are left out. So are damaged ones: every file is checked first, and
    `damage.noticing` lists what is found. An episode that cannot be scored (its world is gone, its state cannot be
    read) is among the results with a `problem`, and without an outcome.

    Args:
        folder: The run's; one that still goes on may be read too.
        workers: Processes to share the work.
        on_done: Told how many episodes are done, and how many there are.
    """
    jobs = list(_jobs(folder))
    if not jobs:
        raise InvalidInput(f"{folder}: no episode of this run has a result", fix="wait, or `fairground resume` it")
    found = []
    for one in abreast(_rescore, jobs, workers):
        found.append(one)
        if on_done is not None:
            on_done(len(found), len(jobs))
    return found


def write_changes(folder: Path, found: Iterable[Rescored]) -> list[Path]:
    """Writes a verdict beside the old one for each episode that changed, and then puts all into the run's index.

    A kill in between leaves verdict files that the index does not know of; they count for nothing.

    Raises:
        RunBusy: When the run is being written by another process.
    """
    paths, rows = [], []
    with RunStore.open(folder, write=True) as store:
        for one in found:
            if not one.changed or one.now is None:
                continue
            scored = datetime.now(UTC).isoformat(timespec="microseconds")
            verdict = LaterVerdict(
                scored=scored,
                fairground=__version__,
                suite=one.suite,
                outcome=one.now,
                verdict=one.now_verdict,
                error=one.problem,
                replaces=one.before,
            )
            path = write_verdict(folder / one.folder, verdict)
            reward = None if one.now_verdict is None else one.now_verdict.reward
            rows.append(ScoredAgain(one.number, scored, one.now, reward, f"{one.folder}/{path.name}"))
            paths.append(path)
        commit_verdicts(store, rows)
    return paths


@dataclass(frozen=True)
class _Job:
    number: int
    configuration: str
    rollout: int
    run: Path
    folder: str
    outcome: Outcome
    verdict: str
    """The file with the verdict that counts; "" for the one it was given when it was run."""
    spec: RunSpec


def _jobs(folder: Path) -> Iterator[_Job]:
    with RunStore.open(folder) as store:
        newest = {one.number: one.file for one in read_verdicts(folder)}
        for row in store.rows(full=True):  # a verdict rests on all of it
            if row.finished is None or row.finished.outcome is Outcome.ERRORED:
                continue
            planned, finished = row.planned, row.finished
            yield _Job(
                number=planned.number,
                configuration=planned.configuration,
                rollout=planned.rollout,
                run=folder,
                folder=finished.folder,
                outcome=finished.outcome,
                verdict=newest.get(planned.number, "").rpartition("/")[2],
                spec=store.spec,
            )


def _rescore(job: _Job) -> Rescored:
    found = Rescored(job.number, job.configuration, job.rollout, job.folder, job.outcome)
    try:
        recorded = read_episode(job.run / job.folder)
        found = replace(found, before_verdict=_counting(recorded, job.verdict))
        return _judged(found, recorded, job)
    except FairgroundError as error:
        return replace(found, problem=error.message)


def _judged(found: Rescored, recorded: EpisodeFolder, job: _Job) -> Rescored:
    episode = recorded.episode
    if not recorded.complete:
        raise EpisodeError("incomplete: the recording stopped before the episode ended")
    if episode.configuration.id != job.configuration:
        raise EpisodeError(f"the folder holds an episode of {episode.configuration.id}")
    before, after = recorded.state("before"), recorded.state("after")
    if after is None and episode.ended_by in AGENTS_FAULT:  # there is nothing to judge but that it broke off
        return replace(found, now=found.before, now_verdict=found.before_verdict)
    if before is None or after is None:
        when = "before" if before is None else "after"
        raise EpisodeError(f"no state was recorded {when} the episode")
    world = world_for(episode.configuration, job.spec, seed=episode.seed)
    notes = []
    if dict(world.parameters) != episode.parameters:
        notes.append("the instance has other parameters now; judged by those that the episode was run with")
        world = replace(world, parameters=episode.parameters)
    found = replace(found, notes=tuple(notes), suite=world.suite.version)
    try:
        verdict = judge_left(world, before, after, episode.answer)
    except InvalidConfiguration as error:
        return replace(found, now=Outcome.INVALID, problem=error.message)
    except FairgroundError as error:
        return replace(found, problem=error.message)
    if episode.ended_by in AGENTS_FAULT:
        verdict = Verdict.of([*verdict.checks, guard(episode.ended_by, episode.error, weight=0.0)])
    outcome = Outcome.PASSED if verdict.success else Outcome.FAILED
    return replace(found, now=outcome, now_verdict=verdict)


def _counting(recorded: EpisodeFolder, file: str) -> Verdict | None:
    """The verdict that counts until now."""
    return recorded.episode.verdict if file in ("", "episode.json") else read_verdict(recorded.path, file).verdict


def _by_name(verdict: Verdict | None) -> dict[tuple[str, int], Check]:
    """Checks by name; where several have one, also by which of them."""
    found: dict[tuple[str, int], Check] = {}
    for check in () if verdict is None else verdict.checks:
        found[check.name, sum(name == check.name for name, _ in found)] = check
    return found


def _decided(check: Check | None) -> bool | None:
    return None if check is None else check.passed
