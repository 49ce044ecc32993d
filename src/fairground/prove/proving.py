"""Proving a suite: every instance on every profile, mutants, the oracle on real screens; parallel and cached."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from fairground.core import InvalidInput, Record
from fairground.prove.cache import Cache
from fairground.prove.crew import Crew, Lost
from fairground.prove.findings import Fault, MutantProof, PairProof, ScreenProof, Status
from fairground.prove.jobs import Job, MutantJob, PairJob, Prover, ScreenJob
from fairground.prove.keys import Keys
from fairground.prove.proof import Proof, ScenarioProof
from fairground.prove.sampling import covering, diagonal
from fairground.prove.seats import has_rehearsal
from fairground.worlds import Scenario, Suite, suite_of

R = TypeVar("R", bound=Record)

SECONDS = 30.0
"""A pair has without a screen; mutants and seats have more."""

_ON_SEATS = " on seats"
_SLOW = 10  # times as long, for what is done on a seat or is many pairs' work
_HOPELESS = 3  # pairs of a scenario that hang or die, after which the others are not tried


@dataclass(frozen=True)
class Options:
    """How much is tried.

    Attributes:
        sample: Pairs of each scenario, and looks on screens at most; None for all, which alone makes a proof table.
        workers: Processes.
        browser: Try on real screens. Without it, what is known of screens is taken, and nothing else tried there: apps
            that only a seat can show are then not proven.
        mutant_pairs: Pairs of each scenario of which mutants are tried; half as many where each takes a seat.
        screens: Times that each scenario's oracle is tried on a screen, at least.
        seconds: Time limit of a pair.
        rejudge: Judge pairs and mutants again although nothing they are made of has changed: from what was recorded,
            and on seats where nothing was.
    """

    sample: int | None = None
    workers: int = 2
    browser: bool = True
    mutant_pairs: int = 4
    screens: int = 4
    seconds: float = SECONDS
    rejudge: bool = False


OnProgress = Callable[[str, int, int], None]
"""Told of a phase, how many of its jobs are done, and how many there are."""


def load_suite(text: str) -> Suite:
    """The suite that a name begins with; found anew in every worker."""
    return suite_of(text)[0]


def select(text: str) -> tuple[Suite, list[Scenario]]:
    """The scenarios that `SUITE[/APP[/SCENARIO]]` names."""
    suite, rest = suite_of(text)
    parts = [part for part in rest.split("/") if part]
    if len(parts) > 2 or "@" in text:
        raise InvalidInput(
            f"{text!r} names more than a scenario", fix="expected SUITE, SUITE/APP or SUITE/APP/SCENARIO"
        )
    if len(parts) == 2:
        return suite, [suite.scenario(*parts)]
    wanted = {suite.app(parts[0]).name} if parts else {app.name for app in suite.apps}
    found = [one for one in suite.scenarios if one.app in wanted]
    if not found:
        raise InvalidInput(f"{text} has no scenario yet")
    return suite, found


def prove(
    load: Callable[[], Suite],
    scenarios: Sequence[Scenario] | None = None,
    options: Options | None = None,
    *,
    cache: Cache | None = None,
    on_progress: OnProgress = lambda phase, done, total: None,
) -> Proof:
    """Proves scenarios of a suite; what has not changed since it was proven is not tried again.

    May be killed at any instant, and called again: it goes on where it was.

    Args:
        load: Loads the suite; also in the workers' processes, so it must survive being pickled.
        scenarios: Which; all unless given.
        options: How much is tried.
        cache: What is known; this user's unless given.
        on_progress: Told how far it is.
    """
    started = time.monotonic()
    suite = load()
    own = cache is None
    doing = _Proving(suite, load, options or Options(), cache or Cache(), on_progress)
    try:
        proof = doing.prove(list(scenarios if scenarios is not None else suite.scenarios))
    finally:
        doing.crew.close()
        doing.cache.flush()
        if own:
            doing.cache.close()
    proof.seconds = time.monotonic() - started
    return proof


class _Proving:
    def __init__(
        self, suite: Suite, load: Callable[[], Suite], options: Options, cache: Cache, on_progress: OnProgress
    ) -> None:
        self.suite, self.options, self.cache = suite, options, cache
        self.keys = Keys(suite)
        self.on_progress = on_progress
        self.reused = 0
        self.crew = Crew(partial(Prover, load, cache.path.with_name("recordings.sqlite")), options.workers)

    def prove(self, scenarios: list[Scenario]) -> Proof:
        found = {(one.app, one.name): self._blank(one) for one in scenarios}
        quick = [one for one in scenarios if has_rehearsal(self.suite.app(one.app))]
        on_seats = [one for one in scenarios if one not in quick]
        for some, where, slower in ((quick, "", 1), (on_seats, _ON_SEATS, _SLOW)):
            limit = self.options.seconds * slower
            self._pairs([job for one in some for job in self._pair_jobs(one)], found, f"pairs{where}", limit)
            jobs = [job for one in some for job in self._mutant_jobs(one, found[one.app, one.name])]
            self._mutants(jobs, found, f"mutants{where}", self.options.seconds * _SLOW)
        self._screens(list(self._screen_jobs(quick, found)), found)
        return Proof(
            self.suite.name,
            self.suite.version,
            list(found.values()),
            sampled=self.options.sample is not None,
            reused=self.reused,
        )

    def _blank(self, scenario: Scenario) -> ScenarioProof:
        app = self.suite.app(scenario.app)
        looks = len(app.themes) * len(app.ui_states)
        wanted = len(scenario.instances) * len(app.profiles)
        return ScenarioProof(app.name, scenario.name, scenario.kind, looks, wanted)

    # --- pairs -------------------------------------------------------------------------------------------------------

    def _pair_jobs(self, scenario: Scenario) -> Iterator[PairJob]:
        profiles = list(self.suite.app(scenario.app).profiles)
        pairs = list(diagonal(list(scenario.instances), profiles))
        for instance, profile in pairs[: self.options.sample]:
            key = self.keys.pair(scenario, instance, profile)
            yield PairJob(scenario.app, scenario.name, instance, profile, key)

    def _pairs(
        self, jobs: list[PairJob], found: dict[tuple[str, str], ScenarioProof], phase: str, seconds: float
    ) -> None:
        hung: Counter[tuple[str, str]] = Counter()

        def hopeless(job: Job) -> bool:
            return hung[job.app, job.scenario] >= _HOPELESS

        for job, result in self._done("pair", PairProof, jobs, phase, seconds, hopeless):
            at = found[job.app, job.scenario]
            pair = (job.instance, job.profile)
            at.keys[pair] = job.key
            if isinstance(result, PairProof):
                at.pairs[pair] = result
            elif result is None:
                message = f"not tried: {_HOPELESS} others of this scenario hung or died"
                at.pairs[pair] = PairProof(status=Status.FAULTY, fault=Fault.LOST, message=message)
            elif result.slow or result.died:
                hung[job.app, job.scenario] += 1
                fault = Fault.TOO_SLOW if result.slow else Fault.LOST
                at.pairs[pair] = PairProof(status=Status.FAULTY, fault=fault, message=result.why[:600])
            else:
                at.errors[f"{job.instance}@{job.profile}"] = result.why
        for one in found.values():
            one.pairs = dict(sorted(one.pairs.items()))

    # --- mutants -----------------------------------------------------------------------------------------------------

    def _mutant_jobs(self, scenario: Scenario, found: ScenarioProof) -> Iterator[MutantJob]:
        proven = {pair for pair, one in found.pairs.items() if one.status is Status.PROVEN}
        instances, profiles = list(scenario.instances), list(self.suite.app(scenario.app).profiles)
        most = self.options.mutant_pairs
        if not has_rehearsal(self.suite.app(scenario.app)):
            most = math.ceil(most / 2)
        chosen = [pair for pair in diagonal(instances, profiles) if pair in proven][:most]
        for instance, profile in chosen:
            at = instances.index(instance)
            turned = (*instances[at + 1 :], *instances[:at])
            others = tuple(other for other in turned if (other, profile) in proven)[:3]
            key = self.keys.mutants(scenario, instance, profile, others)
            yield MutantJob(scenario.app, scenario.name, instance, profile, key, others)

    def _mutants(
        self, jobs: list[MutantJob], found: dict[tuple[str, str], ScenarioProof], phase: str, seconds: float
    ) -> None:
        kept: dict[Job, MutantProof] = {}
        for job, result in self._done("mutants", MutantProof, jobs, phase, seconds):
            if isinstance(result, MutantProof):
                kept[job] = result
            elif result is not None:
                kept[job] = MutantProof(error=result.why[:600])
        for job in jobs:  # in the order of the jobs, not of their ends
            if job in kept:
                found[job.app, job.scenario].mutants.append(kept[job])

    # --- screens -----------------------------------------------------------------------------------------------------

    def _screen_jobs(
        self, scenarios: list[Scenario], found: dict[tuple[str, str], ScenarioProof]
    ) -> Iterator[ScreenJob]:
        """All pairs of theme and UI state of an app, over its scenarios; each scenario on several."""
        wanted = {(one.app, one.name) for one in scenarios}
        for app in self.suite.apps:
            own = [one for one in self.suite.scenarios if one.app == app.name]
            looks = covering(len(own), list(app.themes), list(app.ui_states), self.options.screens)
            for scenario, some in zip(own, looks, strict=True):
                if (scenario.app, scenario.name) not in wanted:
                    continue
                at = found[scenario.app, scenario.name]
                pairs = [
                    pair
                    for pair in diagonal(list(scenario.instances), list(app.profiles))
                    if pair in at.pairs and at.pairs[pair].status is Status.PROVEN
                ]
                for number, (theme, ui_state) in enumerate(some[: self.options.sample] if pairs else ()):
                    instance, profile = pairs[number % len(pairs)]
                    key = self.keys.screen(scenario, instance, profile, theme, ui_state)
                    yield ScreenJob(scenario.app, scenario.name, instance, profile, key, theme, ui_state)

    def _screens(self, jobs: list[ScreenJob], found: dict[tuple[str, str], ScenarioProof]) -> None:
        seconds = self.options.seconds * _SLOW
        for job, result in self._done("screen", ScreenProof, jobs, f"oracles{_ON_SEATS}", seconds):
            at = found[job.app, job.scenario]
            if isinstance(result, ScreenProof):
                at.screens.append(result)
            elif result is not None:
                assert isinstance(job, ScreenJob)
                at.errors[f"{job.instance}@{job.profile}/{job.theme}/{job.ui_state}"] = result.why
        for one in found.values():
            one.screens.sort(key=lambda screen: screen.configuration)

    # --- all of them -------------------------------------------------------------------------------------------------

    def _done(
        self,
        kind: str,
        record: type[R],
        jobs: Sequence[Job],
        phase: str,
        seconds: float,
        hopeless: Callable[[Job], bool] = lambda _: False,
    ) -> Iterator[tuple[Job, R | Lost | None]]:
        """Every job with what is known or found; None for one that was not tried."""
        on_seats = phase.endswith(_ON_SEATS)
        judged_again = self.options.rejudge and kind != "screen"
        known = {} if judged_again else self.cache.get(kind, (job.key for job in jobs), record)
        if on_seats:  # the machine may have been too busy, or what makes the moves be better now
            known = {key: one for key, one in known.items() if not _failed(one)}
        self.reused += sum(job.key in known for job in jobs)
        todo = [job for job in jobs if job.key not in known]
        done = len(jobs) - len(todo)
        for job in jobs:
            if job.key in known:
                yield job, known[job.key]
        if not todo or (on_seats and not self.options.browser):
            return
        self.on_progress(phase, done, len(jobs))
        skipped: list[Job] = []

        def worthwhile(some: Iterable[Job]) -> Iterator[Job]:
            for job in some:
                if hopeless(job):
                    skipped.append(job)
                else:
                    yield job

        for job, result in self.crew.do(worthwhile(todo), seconds=seconds):
            if isinstance(result, Record):
                self.cache.put(kind, job.key, result)
            yield job, result
            done += 1
            self.on_progress(phase, done + len(skipped), len(jobs))
        yield from ((job, None) for job in skipped)


def _failed(found: Record) -> bool:
    return (isinstance(found, PairProof) and found.status is Status.FAULTY) or (
        isinstance(found, ScreenProof) and not found.solved
    )
