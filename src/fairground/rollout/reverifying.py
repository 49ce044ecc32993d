"""Rescore recorded states with the current verifiers. Nothing is run, and no recording is changed.

The task stays the same: checks are applied to the recorded states and answer, with the episode's own parameters, even
if the instance has different ones now.
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
    """A check whose result changed.

    Attributes:
        name: Name of the check.
        before: Whether it passed before. None if it did not exist.
        now: Whether it passes now. None if it no longer exists.
        expected: What it expects (expected, if it no longer exists).
        found: What it found.
    """

    name: str
    before: bool | None
    now: bool | None
    expected: object = None
    found: object = None


@dataclass(frozen=True)
class Rescored:
    """One episode with its rescoring.

    Attributes:
        number: Episode number in the run's plan.
        configuration: Configuration ID.
        rollout: Index of the attempt.
        folder: Folder, relative to the run's.
        before: The outcome in the index.
        before_verdict: The verdict behind it. None for an invalid episode.
        now: The outcome with the current checks. None if it was not rescored.
        now_verdict: The verdict with the current checks, or None.
        problem: Why it was not rescored, or what failed in the checks.
        notes: Caveats for the reader.
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
        """Whether the outcome, the reward or any check changed."""
        if self.now is None:
            return False
        rewards = [None if verdict is None else verdict.reward for verdict in (self.before_verdict, self.now_verdict)]
        return self.before is not self.now or rewards[0] != rewards[1] or bool(self.checks)

    @property
    def checks(self) -> tuple[CheckChange, ...]:
        """The checks whose result changed; current checks first."""
        old, new = _by_name(self.before_verdict), _by_name(self.now_verdict)
        changes = [
            CheckChange(check.name, _decided(old.get(key)), check.passed, check.expected, check.found)
            for key, check in new.items()
            if _decided(old.get(key)) is not check.passed
        ]
        if self.now_verdict is not None:
            gone = [check for key, check in old.items() if key not in new]
            changes += [CheckChange(check.name, check.passed, None, check.expected, check.found) for check in gone]
        return tuple(changes)


def reverify(folder: Path, *, workers: int = 1, on_done: Callable[[int, int], None] | None = None) -> list[Rescored]:
    """Rescore every finished episode of a run, in the order of its plan. Writes nothing.

    Errored episodes have no result and are left out. Damaged episodes are left out too: every file is checked first,
    and `damage.noticing` lists the damage. An episode that cannot be rescored (its world no longer exists, or its state
    cannot be read) is returned with a `problem` and without an outcome.

    Args:
        folder: The run's folder. The run may still be in progress.
        workers: Number of worker processes.
        on_done: Called with the number of rescored episodes and their total.
    """
    jobs = list(_jobs(folder))
    if not jobs:
        raise InvalidInput(
            f"{folder}: no episode of this run has a result",
            fix="wait for the run, or continue it with `fairground resume`",
        )
    results = []
    for rescored in abreast(_rescore, jobs, workers):
        results.append(rescored)
        if on_done is not None:
            on_done(len(results), len(jobs))
    return results


def write_changes(folder: Path, found: Iterable[Rescored]) -> list[Path]:
    """Write a new verdict file for each episode that changed, and then add all to the run's index.

    A kill in between leaves verdict files that are not in the index; they are ignored.

    Raises:
        RunBusy: If another process is writing the run.
    """
    paths, rows = [], []
    with RunStore.open(folder, write=True) as store:
        for episode in found:
            if not episode.changed or episode.now is None:
                continue
            scored = datetime.now(UTC).isoformat(timespec="microseconds")
            verdict = LaterVerdict(
                scored=scored,
                fairground=__version__,
                suite=episode.suite,
                outcome=episode.now,
                verdict=episode.now_verdict,
                error=episode.problem,
                replaces=episode.before,
            )
            path = write_verdict(folder / episode.folder, verdict)
            reward = None if episode.now_verdict is None else episode.now_verdict.reward
            rows.append(ScoredAgain(episode.number, scored, episode.now, reward, f"{episode.folder}/{path.name}"))
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
    """File of the verdict that counts; "" for the original verdict."""
    spec: RunSpec


def _jobs(folder: Path) -> Iterator[_Job]:
    with RunStore.open(folder) as store:
        newest = {verdict.number: verdict.file for verdict in read_verdicts(folder)}
        for row in store.rows(full=True):  # the verdict depends on all files
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
    result = Rescored(job.number, job.configuration, job.rollout, job.folder, job.outcome)
    try:
        recorded = read_episode(job.run / job.folder)
        result = replace(result, before_verdict=_counting(recorded, job.verdict))
        return _judged(result, recorded, job)
    except FairgroundError as error:
        return replace(result, problem=error.message)


def _judged(result: Rescored, recorded: EpisodeFolder, job: _Job) -> Rescored:
    episode = recorded.episode
    if not recorded.complete:
        raise EpisodeError("incomplete: the recording stopped before the episode ended")
    if episode.configuration.id != job.configuration:
        raise EpisodeError(f"the folder holds an episode of {episode.configuration.id}")
    before, after = recorded.state("before"), recorded.state("after")
    if after is None and episode.ended_by in AGENTS_FAULT:  # the only finding is that the agent aborted
        return replace(result, now=result.before, now_verdict=result.before_verdict)
    if before is None or after is None:
        when = "before" if before is None else "after"
        raise EpisodeError(f"no state was recorded {when} the episode")
    world = world_for(episode.configuration, job.spec, seed=episode.seed)
    notes = []
    if dict(world.parameters) != episode.parameters:
        notes.append("the instance's parameters have changed; the episode was judged with its own")
        world = replace(world, parameters=episode.parameters)
    result = replace(result, notes=tuple(notes), suite=world.suite.version)
    try:
        verdict = judge_left(world, before, after, episode.answer)
    except InvalidConfiguration as error:
        return replace(result, now=Outcome.INVALID, problem=error.message)
    except FairgroundError as error:
        return replace(result, problem=error.message)
    if episode.ended_by in AGENTS_FAULT:
        verdict = Verdict.of([*verdict.checks, guard(episode.ended_by, episode.error, weight=0.0)])
    outcome = Outcome.PASSED if verdict.success else Outcome.FAILED
    return replace(result, now=outcome, now_verdict=verdict)


def _counting(recorded: EpisodeFolder, file: str) -> Verdict | None:
    """Return the verdict that counts so far."""
    return recorded.episode.verdict if file in ("", "episode.json") else read_verdict(recorded.path, file).verdict


def _by_name(verdict: Verdict | None) -> dict[tuple[str, int], Check]:
    """Return checks by name and occurrence: several may have the same name."""
    checks: dict[tuple[str, int], Check] = {}
    for check in () if verdict is None else verdict.checks:
        checks[check.name, sum(name == check.name for name, _ in checks)] = check
    return checks


def _decided(check: Check | None) -> bool | None:
    return None if check is None else check.passed
