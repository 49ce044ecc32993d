"""Model judgements of recorded episodes. They are stored next to the verdicts and never replace them.

Each judgement is a file `judgement-<key>.json` in the episode's folder. The key is derived from the model, the
checklist, the prompts and the frames shown, so the same judgement is not made twice.
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
"""Default maximum number of frames of an episode shown to a judge."""


class Judgement(Record):
    """The content of `judgement-<key>.json`: a model's verdict, and what it was based on."""

    format: Literal[1] = Field(1, description="version of the file format")
    judged: str = Field(description="UTC, ISO 8601")
    fairground: str = Field(description="version of Fairground that judged it")
    model: str = Field(description="model that judged it")
    prompt: str = Field(description="content address of the prompts")
    checklist: Checklist = Field(description="what the model was asked to check")
    frames: tuple[Annotated[str, Field(pattern="^[0-9a-f]{24}$")], ...] = Field(
        min_length=1, description="digests of the frames that were shown"
    )
    verdict: Verdict = Field(description="the model's verdict; the episode's own verdict does not change")
    usage: Usage = Field(description="model usage of this judgement")


@dataclass(frozen=True)
class Judged:
    """One episode with its judgement.

    Attributes:
        folder: The episode's folder.
        configuration: Configuration ID.
        rollout: Index of the attempt; 0 for an episode outside of a run.
        agent: Agent name.
        instruction: The instruction.
        state: The state verifier's outcome, which counts: passed or failed.
        checks: The state verifier's checks when the episode was run.
        judgement: The judgement, or None.
        problem: Why there is no judgement.
        kept: Whether the judgement already existed.
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
    """Judge every scored episode of runs and episode folders, and store the judgements.

    Errored and invalid episodes are not results and are left out. An episode that cannot be judged is returned with a
    `problem`, and is tried again the next time.

    Args:
        paths: Folders of runs (finished or not), of several runs side by side, or of episodes.
        make: Creates an asker for the model; called once per worker.
        checklist: Checklist for all episodes. By default each scenario's own, or one derived from its checks.
        frames: Maximum number of frames shown per episode.
        workers: Number of parallel requests.
        on_done: Called with the number of judged episodes and their total.

    Raises:
        InvalidInput: If there is nothing to judge, or the model's name is wrong.
        MissingPrerequisite: If the vendor's SDK or an API key is missing, or the key is rejected.
    """
    sampled(2, frames)  # fails early if the number is invalid
    jobs = [job for path in result_folders(paths) for job in _jobs(path)]
    if not jobs:
        raise InvalidInput(f"{', '.join(map(str, paths))}: no episode has passed or failed yet")
    checks_by_task = {} if checklist is not None else _richest(jobs)
    desk = _Desk(make)
    over = threading.Event()

    def work(job: _Job) -> Judged:
        if over.is_set():
            raise InfrastructureError("not asked, because an earlier request failed for all")
        try:
            return _judged(job, desk.asker(), checklist, checks_by_task, frames)
        except BaseException:
            over.set()  # the key is rejected or the model unknown: all other requests would fail too
            raise

    results: list[Judged] = []
    with desk, ThreadPoolExecutor(max(1, workers)) as pool:
        desk.asker().check()
        try:
            for episode in pool.map(work, jobs):
                results.append(episode)
                if on_done is not None:
                    on_done(len(results), len(jobs))
        finally:
            over.set()  # also on Ctrl-C
    return results


def read_judgements(folder: Path) -> list[Judgement]:
    """Return every judgement of an episode, oldest first."""
    names = sorted(path.name for path in folder.glob("judgement-*.json"))
    judgements = [_read(folder, name) for name in names]
    return sorted(judgements, key=lambda judgement: judgement.judged)


@dataclass(frozen=True)
class _Job:
    folder: Path
    configuration: str
    rollout: int
    outcome: Outcome
    spec: RunSpec | None


class _Desk:
    """One asker per thread, all closed at the end."""

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
        for episode in ended_episodes(path)[0]:
            if episode.finished.outcome.scored:
                folder = path / episode.finished.folder
                yield _Job(folder, episode.configuration.id, episode.rollout, episode.finished.outcome, None)
        return
    with RunStore.open(path) as store:
        for row in store.rows():
            if row.finished is not None and row.finished.outcome.scored:
                planned = row.planned
                folder = path / row.finished.folder
                yield _Job(folder, planned.configuration, planned.rollout, row.finished.outcome, store.spec)


def _task(configuration: str) -> str:
    """Return the part of a configuration ID that identifies the task: all but theme and UI state."""
    return configuration.rsplit("/", 2)[0]


def _richest(jobs: Sequence[_Job]) -> dict[str, tuple[Check, ...]]:
    """Return the longest list of checks among each task's episodes.

    A scenario may stop at the first failed check, so the number of checks would reveal the outcome to the judge.
    """
    longest: dict[str, tuple[Check, ...]] = {}
    for job in jobs:
        try:
            verdict = read_episode(job.folder).episode.verdict
        except EpisodeError:
            continue  # reported when it is judged
        checks = () if verdict is None else verdict.checks
        if len(checks) > len(longest.get(_task(job.configuration), ())):
            longest[_task(job.configuration)] = checks
    return longest


def _judged(
    job: _Job, asker: Asker, checklist: Checklist | None, checks_by_task: dict[str, tuple[Check, ...]], limit: int
) -> Judged:
    result = Judged(job.folder, job.configuration, job.rollout, "", "", job.outcome)
    try:
        recorded = read_episode(job.folder)
        episode = recorded.episode
        checks = () if episode.verdict is None else episode.verdict.checks
        result = replace(result, agent=episode.agent, instruction=episode.instruction, checks=checks)
        if not recorded.complete:
            raise EpisodeError("incomplete: the recording stopped before the episode ended")
        world = _world(job, recorded)
        if episode.answer is not None or (world is not None and world.scenario.kind == "answer"):
            raise EpisodeError("the task asks for an answer; a judge sees only frames, so it cannot judge answers")
        own = None if world is None or checklist is not None else _own(world)
        usual = default_checklist(episode.instruction, checks_by_task.get(_task(job.configuration), ()))
        chosen = checklist or own or usual
        return _ask(result, recorded, chosen, asker, limit)
    except (InvalidInput, MissingPrerequisite):
        raise
    except FairgroundError as error:
        return replace(result, problem=error.message)


def _world(job: _Job, recorded: EpisodeFolder) -> World | None:
    """Return the world of an episode. None if its suite, or its part of the suite, is not installed."""
    episode = recorded.episode
    spec = job.spec or RunSpec(worlds=(episode.configuration.suite,), agent=episode.agent)
    try:
        return replace(world_for(episode.configuration, spec, seed=episode.seed), parameters=episode.parameters)
    except InvalidInput:
        return None


def _own(world: World) -> Checklist | None:
    """Return the scenario's own checklist, or None."""
    try:
        return world.scenario.checklist(world)
    except Exception as error:
        raise InvalidConfiguration(
            f"{world.id}: the checklist of scenario {world.scenario.name} raised {type(error).__name__}: {error}",
            fix="fix the scenario, or give your own checklist",
        ) from error


def _ask(result: Judged, recorded: EpisodeFolder, checklist: Checklist, asker: Asker, limit: int) -> Judged:
    shown = _shown(recorded, limit)
    what = {"model": asker.name, "prompt": prompt_digest(), "checklist": checklist.digest, "frames": shown}
    name = f"judgement-{fingerprint(what)[:16]}.json"
    if (recorded.path / name).exists():
        return replace(result, judgement=_read(recorded.path, name), kept=True)
    before = asker.usage
    verdict = judge_by_checklist(asker, result.instruction, [recorded.frame(digest) for digest in shown], checklist)
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
    return replace(result, judgement=judgement)


def _shown(recorded: EpisodeFolder, limit: int) -> list[str]:
    """Return the frames to show, without consecutive duplicates."""
    digests = [
        digest for place, digest in enumerate(recorded.digests) if place == 0 or digest != recorded.digests[place - 1]
    ]
    return [digests[place] for place in sampled(len(digests), limit)]


def _read(folder: Path, name: str) -> Judgement:
    return read_record(Judgement, read_inside(folder, name, limit=MAX_EPISODE), where=name)


def used(now: Usage, before: Usage) -> Usage:
    """Return the usage between two moments."""
    counts = {
        name: getattr(now, name) - getattr(before, name)
        for name in type(now).model_fields
        if name != "dollars"
    }  # fmt: skip
    dollars = None if now.dollars is None or before.dollars is None else max(now.dollars - before.dollars, 0.0)
    return Usage(**counts, dollars=dollars)
