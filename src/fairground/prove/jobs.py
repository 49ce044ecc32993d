"""What a worker does for a proof: pairs, mutants and tries on a screen, by name."""

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
    """Try mutants of an instance on a profile, borrowing from others."""

    app: str
    scenario: str
    instance: str
    profile: str
    key: str
    others: tuple[str, ...]


@dataclass(frozen=True)
class ScreenJob:
    """Try the oracle on a real screen."""

    app: str
    scenario: str
    instance: str
    profile: str
    key: str
    theme: str
    ui_state: str


Job: TypeAlias = PairJob | MutantJob | ScreenJob


class Prover:
    """Carries jobs out, in a worker.

    Args:
        load: Loads the suite, in the worker's process.
        recordings: The file with what was recorded on seats; this user's unless given.
    """

    def __init__(self, load: Callable[[], Suite], recordings: Path | None = None) -> None:
        self._suite = load()
        self._seats = Seats()
        self._keys = Keys(self._suite)
        self._recordings = Recordings(recordings)

    def do(self, job: Job, say: Callable[[str], None]) -> PairProof | MutantProof | ScreenProof | Lost:
        """Does one; what the machine is at fault for says nothing of the suite."""
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
        """Throws seats away."""
        self._seats.close()
        self._recordings.close()

    def _open(self, world: World, take: int = 1) -> Rehearsal:
        """A world without a screen where its app can; else as it was recorded, or on a seat."""
        found = world.app.rehearse(world) if has_rehearsal(world.app) else None
        if found is not None:
            return found
        return Recorded(world, self._keys.recording(world), self._recordings, self._seats.open, take=take)

    def _world(self, job: Job, *, instance: str = "", scenario: str = "") -> World:
        """The world of a job. Where it does not say theme and UI state, they change from pair to pair."""
        app = self._suite.app(job.app)
        turn = zlib.crc32(f"{job.scenario}/{job.instance}@{job.profile}".encode())
        themes, ui_states = list(app.themes), list(app.ui_states)
        theme, ui_state = themes[turn % len(themes)], ui_states[turn // len(themes) % len(ui_states)]
        if isinstance(job, ScreenJob):
            theme, ui_state = job.theme, job.ui_state
        found = Configuration(
            suite=self._suite.name,
            app=app.name,
            scenario=scenario or job.scenario,
            instance=instance or job.instance,
            profile=job.profile,
            theme=theme,
            ui_state=ui_state,
        )
        return World.of(self._suite, found)

    def _mutants(self, job: MutantJob, say: Callable[[str], None]) -> MutantProof:
        world = self._world(job)
        effects = ((one.name, next(iter(one.instances))) for one in self._effects(job))
        elsewhere = list(itertools.islice(self._feasible(job, effects), SIDE_EFFECTS))
        others = list(self._feasible(job, ((job.scenario, other) for other in job.others)))
        try:
            return try_mutants(world, self._open, others, elsewhere, again=partial(self._open, take=2), say=say)
        except (Faulty, InvalidConfiguration) as error:
            return MutantProof(error=str(error))

    def _feasible(self, job: MutantJob, tasks: Iterable[tuple[str, str]]) -> Iterator[World]:
        """Those of these scenarios and instances that make sense on the job's profile."""
        for scenario, instance in tasks:
            with contextlib.suppress(InvalidConfiguration):
                yield self._world(job, scenario=scenario, instance=instance)

    def _effects(self, job: MutantJob) -> list[Scenario]:
        """The scenarios that come after this one, which change something."""
        known = [one for one in self._suite.scenarios if one.app == job.app]
        at = next(place for place, one in enumerate(known) if one.name == job.scenario)
        return [one for one in (*known[at + 1 :], *known[:at]) if one.kind == "action"]

    def _screen(self, job: ScreenJob, say: Callable[[str], None]) -> ScreenProof:
        """Tries once more, on a new seat, what fails: it may be what was left there, or that the machine was slow."""
        started = time.perf_counter()
        world = self._world(job)
        found = prove_pair(lambda: world, self._seats.open, say)
        if found.status is not Status.PROVEN:
            self._seats.close()
            found = prove_pair(lambda: world, self._seats.open, say)
        solved = found.status is Status.PROVEN
        picture = "" if solved else self._seats.picture()
        ms = round((time.perf_counter() - started) * 1000, 2)
        return ScreenProof(configuration=world.id, solved=solved, message=found.reason, picture=picture, ms=ms)
