"""The jobs of a proof that workers execute: pairs, mutants and runs on a screen."""

from __future__ import annotations

import contextlib
import itertools
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeAlias

from fairground.core import Configuration, InfrastructureError, InvalidConfiguration
from fairground.prove.crew import Lost
from fairground.prove.discrimination import SIDE_EFFECTS, try_mutants
from fairground.prove.findings import MutantProof, PairProof, ScreenProof, Status
from fairground.prove.keys import Keys
from fairground.prove.pairs import Faulty, prove_pair
from fairground.prove.recordings import Recorded, Recordings
from fairground.prove.seats import Seats, has_rehearsal
from fairground.worlds import Rehearsal, Scenario, Suite, World


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

    def do(self, job: Job, say: Callable[[str], None]) -> PairProof | MutantProof | ScreenProof | Lost:
        """Run a job. Infrastructure errors are returned as `Lost`: they say nothing about the suite."""
        try:
            match job:
                case PairJob():
                    return prove_pair(partial(self._world, job), self._open, say)
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

    def _open(self, world: World, take: int = 1) -> Rehearsal:
        """Open a world without a screen if its app can. Otherwise use its recording, or a seat."""
        rehearsal = world.app.rehearse(world) if has_rehearsal(world.app) else None
        if rehearsal is not None:
            return rehearsal
        return Recorded(world, self._keys.recording(world), self._recordings, self._seats.open, take=take)

    def _world(self, job: Job, *, instance: str = "", scenario: str = "") -> World:
        """Return the world of a job. Unless the job gives theme and UI state, they vary from pair to pair."""
        app = self._suite.app(job.app)
        turn = zlib.crc32(f"{job.scenario}/{job.instance}@{job.profile}".encode())
        themes, ui_states = list(app.themes), list(app.ui_states)
        theme, ui_state = themes[turn % len(themes)], ui_states[turn // len(themes) % len(ui_states)]
        if isinstance(job, ScreenJob):
            theme, ui_state = job.theme, job.ui_state
        configuration = Configuration(
            suite=self._suite.name,
            app=app.name,
            scenario=scenario or job.scenario,
            instance=instance or job.instance,
            profile=job.profile,
            theme=theme,
            ui_state=ui_state,
        )
        return World.of(self._suite, configuration)

    def _mutants(self, job: MutantJob, say: Callable[[str], None]) -> MutantProof:
        world = self._world(job)
        effects = ((scenario.name, next(iter(scenario.instances))) for scenario in self._effects(job))
        elsewhere = list(itertools.islice(self._feasible(job, effects), SIDE_EFFECTS))
        others = list(self._feasible(job, ((job.scenario, other) for other in job.others)))
        try:
            return try_mutants(world, self._open, others, elsewhere, again=partial(self._open, take=2), say=say)
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
        proof = prove_pair(lambda: world, self._seats.open, say)
        if proof.status is not Status.PROVEN:
            self._seats.close()
            proof = prove_pair(lambda: world, self._seats.open, say)
        solved = proof.status is Status.PROVEN
        picture = "" if solved else self._seats.picture()
        ms = round((time.perf_counter() - started) * 1000, 2)
        return ScreenProof(configuration=world.id, solved=solved, message=proof.reason, picture=picture, ms=ms)
