"""The jobs of a proof that workers execute: pairs, mutants and runs on a screen."""

from __future__ import annotations

import contextlib
import itertools
import math
import time
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeAlias

from fairground.core import Configuration, InfrastructureError, InvalidConfiguration
from fairground.prove.crew import Lost
from fairground.prove.discrimination import SIDE_EFFECTS, try_mutants
from fairground.prove.findings import Fault, MutantProof, PairProof, ScreenProof, Status
from fairground.prove.keys import Keys
from fairground.prove.pairs import Faulty, prove_pair
from fairground.prove.recordings import Recorded, Recordings
from fairground.prove.sampling import covering, diagonal
from fairground.prove.seats import Seats, has_rehearsal
from fairground.worlds import Rehearsal, Scenario, Suite, World
from fairground.worlds.code_trace import Trace
from fairground.worlds.proof_keys import app_files


@dataclass(frozen=True)
class PairJob:
    """Prove an instance on a profile."""

    app: str
    scenario: str
    instance: str
    profile: str
    key: str


@dataclass(frozen=True)
class MutantJob:
    """Try mutants of an instance on a profile, with values from other instances."""

    app: str
    scenario: str
    instance: str
    profile: str
    key: str
    others: tuple[str, ...]


@dataclass(frozen=True)
class ScreenJob:
    """Run the oracle on a real screen."""

    app: str
    scenario: str
    instance: str
    profile: str
    key: str
    theme: str
    ui_state: str


Job: TypeAlias = PairJob | MutantJob | ScreenJob

Pair: TypeAlias = tuple[str, str]
"""An instance and a profile."""

MUTANT_PAIRS = 4
"""Default number of pairs per scenario whose mutants are tried."""

SCREENS = 4
"""Default minimum number of times that each scenario's oracle is tried on a screen."""


def mutant_jobs(
    suite: Suite, keys: Keys, scenario: Scenario, proven: Collection[Pair], most: int = MUTANT_PAIRS
) -> Iterator[MutantJob]:
    """Yield the jobs for the mutants of a scenario: on the first `most` of its proven pairs; a quarter on seats."""
    instances, profiles = list(scenario.instances), list(suite.app(scenario.app).profiles)
    if not has_rehearsal(suite.app(scenario.app)):
        most = math.ceil(most / 4)
    chosen = [pair for pair in diagonal(instances, profiles) if pair in proven][:most]
    for instance, profile in chosen:
        at = instances.index(instance)
        turned = (*instances[at + 1 :], *instances[:at])
        others = tuple(other for other in turned if (other, profile) in proven)[:3]
        key = keys.mutants(scenario, instance, profile, others)
        yield MutantJob(scenario.app, scenario.name, instance, profile, key, others)


def screen_jobs(
    suite: Suite, keys: Keys, scenario: Scenario, proven: Collection[Pair], least: int = SCREENS
) -> Iterator[ScreenJob]:
    """Yield the jobs that run a scenario's oracle on a screen.

    The scenarios of an app share all pairs of theme and UI state between them; each has at least `least`.
    """
    app = suite.app(scenario.app)
    if not has_rehearsal(app):
        return  # every pair was tried on a seat
    own = [each for each in suite.scenarios if each.app == app.name]
    place = next(number for number, each in enumerate(own) if each.name == scenario.name)
    looks = covering(len(own), list(app.themes), list(app.ui_states), least)[place]
    pairs = [pair for pair in diagonal(list(scenario.instances), list(app.profiles)) if pair in proven]
    for number, (theme, ui_state) in enumerate(looks if pairs else ()):
        instance, profile = pairs[number % len(pairs)]
        key = keys.screen(scenario, instance, profile, theme, ui_state)
        yield ScreenJob(scenario.app, scenario.name, instance, profile, key, theme, ui_state)


def varied_look(suite: Suite, app: str, scenario: str, instance: str, profile: str) -> tuple[str, str]:
    """Return the theme and UI state that a pair is proven with. They vary from pair to pair."""
    turn = zlib.crc32(f"{scenario}/{instance}@{profile}".encode())
    themes, ui_states = list(suite.app(app).themes), list(suite.app(app).ui_states)
    return themes[turn % len(themes)], ui_states[turn // len(themes) % len(ui_states)]


class Prover:
    """Executes jobs in a worker.

    Args:
        load: Loads the suite, in the worker's process.
        recordings: File with recordings made on seats. Default: the user's.
    """

    def __init__(self, load: Callable[[], Suite], recordings: Path | None = None) -> None:
        self._suite = load()
        self._seats = Seats()
        self._keys = Keys(self._suite)
        self._recordings = Recordings(recordings)
        self._app_files: dict[str, frozenset[Path]] = {}

    def do(self, job: Job, say: Callable[[str], None]) -> PairProof | MutantProof | ScreenProof | Lost:
        """Run a job. Infrastructure errors are returned as `Lost`: they say nothing about the suite."""
        try:
            match job:
                case PairJob():
                    return self._pair(job, say)
                case MutantJob():
                    return self._mutants(job, say)
                case ScreenJob():
                    return self._screen(job, say)
        except InfrastructureError as error:
            return Lost(str(error))

    def close(self) -> None:
        """Close seats and recordings."""
        self._seats.close()
        self._recordings.close()

    def _trace(self, job: Job) -> Trace:
        """Return a trace of the code that takes part, without that of the app, which its key covers."""
        app = self._suite.app(job.app)
        if app.name not in self._app_files:
            self._app_files[app.name] = frozenset(app_files(self._suite, app))
        return Trace(self._suite.scenario(job.app, job.scenario), self._app_files[app.name])

    def _open(self, world: World, take: int = 1) -> Rehearsal:
        """Open a world without a screen if its app can. Otherwise use its recording, or a seat."""
        rehearsal = world.app.rehearse(world) if has_rehearsal(world.app) else None
        if rehearsal is not None:
            return rehearsal
        return Recorded(world, self._keys.recording(world), self._recordings, self._seats.open, take=take)

    def _world(self, job: Job, *, instance: str = "", scenario: str = "") -> World:
        """Return the world of a job, or of another task on the same profile, with the same look."""
        theme, ui_state = varied_look(self._suite, job.app, job.scenario, job.instance, job.profile)
        if isinstance(job, ScreenJob):
            theme, ui_state = job.theme, job.ui_state
        configuration = Configuration(
            suite=self._suite.name,
            app=job.app,
            scenario=scenario or job.scenario,
            instance=instance or job.instance,
            profile=job.profile,
            theme=theme,
            ui_state=ui_state,
        )
        return World.of(self._suite, configuration)

    def _pair(self, job: PairJob, say: Callable[[str], None]) -> PairProof:
        proof = prove_pair(partial(self._world, job), self._open, say, self._trace(job))
        if proof.fault is Fault.STUCK and not has_rehearsal(self._suite.app(job.app)):
            self._recordings.forget(self._keys.recording(self._world(job)))  # the machine may have been too busy
        return proof

    def _mutants(self, job: MutantJob, say: Callable[[str], None]) -> MutantProof:
        world = self._world(job)
        effects = ((scenario.name, next(iter(scenario.instances))) for scenario in self._effects(job))
        elsewhere = list(itertools.islice(self._feasible(job, effects), SIDE_EFFECTS))
        others = list(self._feasible(job, ((job.scenario, other) for other in job.others)))
        try:
            return try_mutants(
                world,
                self._open,
                others,
                elsewhere,
                again=partial(self._open, take=2),
                say=say,
                trace=self._trace(job),
            )
        except (Faulty, InvalidConfiguration) as error:
            return MutantProof(error=str(error))

    def _feasible(self, job: MutantJob, tasks: Iterable[tuple[str, str]]) -> Iterator[World]:
        """Yield the worlds of those tasks that are feasible on the job's profile."""
        for scenario, instance in tasks:
            with contextlib.suppress(InvalidConfiguration):
                yield self._world(job, scenario=scenario, instance=instance)

    def _effects(self, job: MutantJob) -> list[Scenario]:
        """Return the action scenarios of the app, starting after this one."""
        known = [scenario for scenario in self._suite.scenarios if scenario.app == job.app]
        at = next(place for place, scenario in enumerate(known) if scenario.name == job.scenario)
        return [scenario for scenario in (*known[at + 1 :], *known[:at]) if scenario.kind == "action"]

    def _screen(self, job: ScreenJob, say: Callable[[str], None]) -> ScreenProof:
        """Run the oracle on a seat.

        A failure is retried on a new seat: leftovers or a slow machine may be the cause.
        """
        started = time.perf_counter()
        world = self._world(job)
        proof = prove_pair(lambda: world, self._seats.open, say, self._trace(job))
        if proof.status is not Status.PROVEN:
            self._seats.close()
            proof = prove_pair(lambda: world, self._seats.open, say, self._trace(job))
        solved = proof.status is Status.PROVEN
        picture = "" if solved else self._seats.picture()
        ms = round((time.perf_counter() - started) * 1000, 2)
        return ScreenProof(
            configuration=world.id, solved=solved, message=proof.reason, picture=picture, ms=ms, units=proof.units
        )
