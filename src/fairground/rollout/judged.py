"""Recorded episodes, judged by a model: beside their verdicts, never over them.

Each judgement is a file `judgement-<what>.json` in the episode's folder. Its name follows from the model, the
checklist, the prompts and the frames that were shown, so what has been judged so is not judged again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from fairground import __version__
from fairground.agents.models import Asker, Usage
from fairground.core import (
    Check,
    Checklist,
    EpisodeError,
    FairgroundError,
    InfrastructureError,
    InvalidConfiguration,
    InvalidInput,
    MissingPrerequisite,
    Outcome,
    Record,
    Verdict,
    fingerprint,
)
from fairground.rollout.disk import read_inside, write_whole
from fairground.rollout.ended import ended_episodes, result_folders
from fairground.rollout.folder import MAX_EPISODE, EpisodeFolder, read_episode
from fairground.rollout.plan import RunSpec, world_for
from fairground.rollout.store import RunStore, is_run
from fairground.rollout.strictjson import dumps, read_record
from fairground.verify import default_checklist, judge_by_checklist, sampled
from fairground.verify.judge_checklist import prompt_digest
from fairground.worlds import World

FRAMES = 12
"""Frames that a judge is shown of one episode, unless it is said otherwise."""


class Judgement(Record):
    """The content of `judgement-<what>.json`."""

    format: Literal[1] = 1
    judged: str = Field(description="UTC, ISO 8601")
    fairground: str = Field(description="version that judged it")
    model: str = Field(description="who judged it")
    prompt: str = Field(description="content address of the prompts")
    checklist: Checklist
    frames: tuple[Annotated[str, Field(pattern="^[0-9a-f]{24}$")], ...] = Field(
        min_length=1, description="digests of the frames that were shown"
    )
    verdict: Verdict = Field(description="the model's; the episode's own stays what it is")
    usage: Usage = Field(description="what it took")


@dataclass(frozen=True)
class Judged:
    """One episode, and what the model made of it.

    Attributes:
        folder: The episode's.
        configuration: Its id.
        rollout: Which attempt; 0 for an episode outside of a run.
        agent: Who acted.
        instruction: What it was asked.
        state: The outcome that counts, by the state verifier: passed or failed.
        checks: The state verifier's, when the episode was run.
        judgement: None where there is none.
        problem: Why there is none.
        kept: Whether it was there already.
    """

    folder: Path
    configuration: str
    rollout: int
    agent: str
    instruction: str
    state: Outcome
    checks: tuple[Check, ...] = ()
    judgement: Judgement | None = None
    problem: str = ""
    kept: bool = False


def judge_recorded(
    paths: Sequence[Path],
    make: Callable[[], Asker],
    *,
    checklist: Checklist | None = None,
    frames: int = FRAMES,
    workers: int = 1,
    on_done: Callable[[int, int], None] | None = None,
) -> list[Judged]:
    """Judges every scored episode of runs and episode folders, and keeps what was judged.

    Errored and invalid episodes are no results and are left out. An episode that cannot be judged is among the results
    with a `problem`; it is tried again the next time.

    Args:
        paths: Folders of runs, which may still go on; of several runs side by side; or of episodes.
        make: Makes a model to ask; one for each worker.
        checklist: For all of them; by default what each scenario gives, or else what follows from its checks.
        frames: The most frames of an episode that are shown.
        workers: Questions that are asked at the same time.
        on_done: Told how many episodes are done, and how many there are.

    Raises:
        InvalidInput: There is nothing to judge, or the model's name is wrong.
        MissingPrerequisite: The vendor's SDK or a key is missing, or the key is refused.
    """
    sampled(2, frames)  # says now what is wrong with the number
    jobs = [job for path in result_folders(paths) for job in _jobs(path)]
    if not jobs:
        raise InvalidInput(f"{', '.join(map(str, paths))}: no episode has passed or failed yet")
    asked = {} if checklist is not None else _richest(jobs)
    desk = _Desk(make)
    over = threading.Event()

    def work(job: _Job) -> Judged:
        if over.is_set():
            raise InfrastructureError("not asked, because an earlier question ended it")
        try:
            return _judged(job, desk.asker(), checklist, asked, frames)
        except BaseException:
            over.set()  # the key is refused, or the model unknown: so it would be for all the others
            raise

    found: list[Judged] = []
    with desk, ThreadPoolExecutor(max(1, workers)) as pool:
        desk.asker().check()
        try:
            for one in pool.map(work, jobs):
                found.append(one)
                if on_done is not None:
                    on_done(len(found), len(jobs))
        finally:
            over.set()  # also when a person interrupts
    return found


def read_judgements(folder: Path) -> list[Judgement]:
    """Every judgement of an episode, oldest first."""
    names = sorted(path.name for path in folder.glob("judgement-*.json"))
    found = [_read(folder, name) for name in names]
    return sorted(found, key=lambda one: one.judged)


@dataclass(frozen=True)
class _Job:
    folder: Path
    configuration: str
    rollout: int
    outcome: Outcome
    spec: RunSpec | None


class _Desk:
    """A model for each thread, all closed at the end."""

    def __init__(self, make: Callable[[], Asker]) -> None:
        self._make = make
        self._local = threading.local()
        self._all: list[Asker] = []

    def asker(self) -> Asker:
        if not hasattr(self._local, "asker"):
            self._local.asker = self._make()
            self._all.append(self._local.asker)
        asker: Asker = self._local.asker
        return asker

    def __enter__(self) -> _Desk:
        return self

    def __exit__(self, *error: object) -> None:
        for asker in self._all:
            asker.close()


def _jobs(path: Path) -> Iterator[_Job]:
    if not is_run(path):
        for one in ended_episodes(path)[0]:
            if one.finished.outcome.scored:
                folder = path / one.finished.folder
                yield _Job(folder, one.configuration.id, one.rollout, one.finished.outcome, None)
        return
    with RunStore.open(path) as store:
        for row in store.rows():
            if row.finished is not None and row.finished.outcome.scored:
                planned = row.planned
                folder = path / row.finished.folder
                yield _Job(folder, planned.configuration, planned.rollout, row.finished.outcome, store.spec)


def _task(configuration: str) -> str:
    """What two configurations share that ask the same of the same data: all but theme and UI state."""
    return configuration.rsplit("/", 2)[0]


def _richest(jobs: Sequence[_Job]) -> dict[str, tuple[Check, ...]]:
    """The longest list of checks that any episode of a task was given.

    A scenario may stop at the first thing that is wrong: which checks there are would then tell the judge how it ended.
    """
    found: dict[str, tuple[Check, ...]] = {}
    for job in jobs:
        try:
            verdict = read_episode(job.folder).episode.verdict
        except EpisodeError:
            continue  # said when it is judged
        checks = () if verdict is None else verdict.checks
        if len(checks) > len(found.get(_task(job.configuration), ())):
            found[_task(job.configuration)] = checks
    return found


def _judged(
    job: _Job, asker: Asker, checklist: Checklist | None, asked: dict[str, tuple[Check, ...]], limit: int
) -> Judged:
    found = Judged(job.folder, job.configuration, job.rollout, "", "", job.outcome)
    try:
        recorded = read_episode(job.folder)
        episode = recorded.episode
        checks = () if episode.verdict is None else episode.verdict.checks
        found = replace(found, agent=episode.agent, instruction=episode.instruction, checks=checks)
        if not recorded.complete:
            raise EpisodeError("incomplete: the recording stopped before the episode ended")
        world = _world(job, recorded)
        if episode.answer is not None or (world is not None and world.scenario.kind == "answer"):
            raise EpisodeError("the task asks for an answer; answers are the agent's words, which no judge reads")
        own = None if world is None or checklist is not None else _own(world)
        usual = default_checklist(episode.instruction, asked.get(_task(job.configuration), ()))
        chosen = checklist or own or usual
        return _ask(found, recorded, chosen, asker, limit)
    except (InvalidInput, MissingPrerequisite):
        raise
    except FairgroundError as error:
        return replace(found, problem=error.message)


def _world(job: _Job, recorded: EpisodeFolder) -> World | None:
    """The world it was run in; None where its suite, or what it ran of it, is not installed here."""
    episode = recorded.episode
    spec = job.spec or RunSpec(worlds=(episode.configuration.suite,), agent=episode.agent)
    try:
        return replace(world_for(episode.configuration, spec, seed=episode.seed), parameters=episode.parameters)
    except InvalidInput:
        return None


def _own(world: World) -> Checklist | None:
    """The checklist that the scenario gives, if it does."""
    try:
        return world.scenario.checklist(world)
    except Exception as error:
        raise InvalidConfiguration(
            f"{world.id}: the checklist of scenario {world.scenario.name} broke: {type(error).__name__}: {error}",
            fix="repair the scenario, or give a checklist of yours",
        ) from error


def _ask(found: Judged, recorded: EpisodeFolder, checklist: Checklist, asker: Asker, limit: int) -> Judged:
    shown = _shown(recorded, limit)
    what = {"model": asker.name, "prompt": prompt_digest(), "checklist": checklist.digest, "frames": shown}
    name = f"judgement-{fingerprint(what)[:16]}.json"
    if (recorded.path / name).exists():
        return replace(found, judgement=_read(recorded.path, name), kept=True)
    before = asker.usage
    verdict = judge_by_checklist(asker, found.instruction, [recorded.frame(digest) for digest in shown], checklist)
    judgement = Judgement(
        judged=datetime.now(UTC).isoformat(timespec="microseconds"),
        fairground=__version__,
        model=asker.name,
        prompt=prompt_digest(),
        checklist=checklist,
        frames=tuple(shown),
        verdict=verdict,
        usage=used(asker.usage, before),
    )
    write_whole(recorded.path / name, dumps(judgement, indent=2))
    return replace(found, judgement=judgement)


def _shown(recorded: EpisodeFolder, limit: int) -> list[str]:
    """The frames to show; of those that show the same one after the other, only the first."""
    digests = [one for place, one in enumerate(recorded.digests) if place == 0 or one != recorded.digests[place - 1]]
    return [digests[place] for place in sampled(len(digests), limit)]


def _read(folder: Path, name: str) -> Judgement:
    return read_record(Judgement, read_inside(folder, name, limit=MAX_EPISODE), where=name)


def used(now: Usage, before: Usage) -> Usage:
    """What was used between two moments."""
    counts = {
        name: getattr(now, name) - getattr(before, name)
        for name in type(now).model_fields
        if name != "dollars"
    }  # fmt: skip
    dollars = None if now.dollars is None or before.dollars is None else max(now.dollars - before.dollars, 0.0)
    return Usage(**counts, dollars=dollars)
