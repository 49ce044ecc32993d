"""Prove a suite: every instance on every profile, mutants, and oracles on real screens. Parallel and cached."""

from __future__ import annotations

import itertools
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from fairground.core import InvalidInput
from fairground.prove.cache import Cache
from fairground.prove.crew import Crew, Lost
from fairground.prove.findings import Fault, MutantProof, PairProof, ScreenProof, Status, Traced
from fairground.prove.jobs import (
    MUTANT_PAIRS,
    SCREENS,
    Job,
    MutantJob,
    PairJob,
    Prover,
    ScreenJob,
    mutant_jobs,
    screen_jobs,
)
from fairground.prove.keys import Keys
from fairground.prove.proof import Proof, ScenarioProof
from fairground.prove.sampling import diagonal
from fairground.prove.seats import has_rehearsal
from fairground.worlds import Scenario, Suite, suite_of

R = TypeVar("R", bound=Traced)

SECONDS = 30.0
"""Timeout in seconds of a pair without a screen. Mutants and seats have more time."""

_ON_SEATS = " on seats"
_SLOW = 10  # timeout factor for seats and for mutants
_HOPELESS = 3  # after this many pairs of a scenario hang or die, the others are not tried


@dataclass(frozen=True)
class Options:
    """How much is tried.

    Attributes:
        sample: Maximum number of pairs per scenario, and of looks on screens. None for all, which is required for a
            proof table.
        workers: Number of worker processes.
        browser: Whether to try real screens. Otherwise only cached results of screens are used, and apps that need a
            seat are not proven.
        mutant_pairs: Number of pairs per scenario whose mutants are tried; a quarter if their oracle needs a seat.
        screens: Minimum number of times that each scenario's oracle is tried on a screen.
        seconds: Timeout of a pair.
        rejudge: Judge pairs and mutants again although nothing changed: from recordings, or on seats where there is
            none.
    """

    sample: int | None = None
    workers: int = 2
    browser: bool = True
    mutant_pairs: int = MUTANT_PAIRS
    screens: int = SCREENS
    seconds: float = SECONDS
    rejudge: bool = False


OnProgress = Callable[[str, int, int], None]
"""Called with a phase, the number of completed jobs in it, and their total."""


def load_suite(text: str) -> Suite:
    """Return the suite that a name starts with. Called again in every worker."""
    return suite_of(text)[0]


def select(text: str) -> tuple[Suite, list[Scenario]]:
    """Return the suite and the scenarios that `SUITE[/APP[/SCENARIO]]` selects."""
    suite, rest = suite_of(text)
    parts = [part for part in rest.split("/") if part]
    if len(parts) > 2 or "@" in text:
        raise InvalidInput(f"{text!r} selects more than scenarios", fix="write SUITE, SUITE/APP or SUITE/APP/SCENARIO")
    if len(parts) == 2:
        return suite, [suite.scenario(*parts)]
    wanted = {suite.app(parts[0]).name} if parts else {app.name for app in suite.apps}
    selected = [scenario for scenario in suite.scenarios if scenario.app in wanted]
    if not selected:
        raise InvalidInput(f"{text} has no scenario yet")
    return suite, selected


def prove(
    load: Callable[[], Suite],
    scenarios: Sequence[Scenario] | None = None,
    options: Options | None = None,
    *,
    cache: Cache | None = None,
    on_progress: OnProgress = lambda phase, done, total: None,
) -> Proof:
    """Prove scenarios of a suite. Unchanged results are taken from the cache.

    May be killed at any time and called again: it continues where it stopped.

    Args:
        load: Loads the suite, also in the workers' processes, so it must be picklable.
        scenarios: The scenarios to prove. Default: all.
        options: How much is tried.
        cache: Cached results. Default: the user's cache.
        on_progress: Called with the progress.
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
        found = {(scenario.app, scenario.name): self._blank(scenario) for scenario in scenarios}
        quick = [scenario for scenario in scenarios if has_rehearsal(self.suite.app(scenario.app))]
        on_seats = [scenario for scenario in scenarios if scenario not in quick]
        for group, where, slower in ((quick, "", 1), (on_seats, _ON_SEATS, _SLOW)):
            limit = self.options.seconds * slower
            self._pairs([job for scenario in group for job in self._pair_jobs(scenario)], found, f"pairs{where}", limit)
            jobs = [job for each in group for job in self._mutant_jobs(each, found[each.app, each.name])]
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
            key = self.keys.result(scenario, instance, profile)
            yield PairJob(scenario.app, scenario.name, instance, profile, key)

    def _pairs(
        self, jobs: list[PairJob], proofs: dict[tuple[str, str], ScenarioProof], phase: str, seconds: float
    ) -> None:
        hung: Counter[tuple[str, str]] = Counter()

        def hopeless(job: Job) -> bool:
            return hung[job.app, job.scenario] >= _HOPELESS

        for job, result in self._done("pair", PairProof, jobs, phase, seconds, hopeless):
            at = proofs[job.app, job.scenario]
            pair = (job.instance, job.profile)
            at.keys[pair] = self.keys.pair(self.suite.scenario(job.app, job.scenario), *pair)
            if isinstance(result, PairProof):
                at.add(pair, result)
            elif result is None:
                message = f"not tried: {_HOPELESS} other pairs of this scenario hung or died"
                at.pairs[pair] = PairProof(status=Status.FAULTY, fault=Fault.LOST, message=message)
            elif result.slow or result.died:
                hung[job.app, job.scenario] += 1
                fault = Fault.TOO_SLOW if result.slow else Fault.LOST
                at.pairs[pair] = PairProof(status=Status.FAULTY, fault=fault, message=result.why[:600])
            else:
                at.errors[f"{job.instance}@{job.profile}"] = result.why
        for scenario in proofs.values():
            scenario.pairs = dict(sorted(scenario.pairs.items()))

    # --- mutants -----------------------------------------------------------------------------------------------------

    def _mutant_jobs(self, scenario: Scenario, proof: ScenarioProof) -> Iterator[MutantJob]:
        proven = {pair for pair, result in proof.pairs.items() if result.status is Status.PROVEN}
        return mutant_jobs(self.suite, self.keys, scenario, proven, self.options.mutant_pairs)

    def _mutants(
        self, jobs: list[MutantJob], proofs: dict[tuple[str, str], ScenarioProof], phase: str, seconds: float
    ) -> None:
        results: dict[Job, MutantProof] = {}
        for job, result in self._done("mutants", MutantProof, jobs, phase, seconds):
            if isinstance(result, MutantProof):
                results[job] = result
            elif result is not None:
                results[job] = MutantProof(error=result.why[:600])
        for job in jobs:  # in the order of the jobs, not of completion
            if job in results:
                proofs[job.app, job.scenario].add_mutants(job.key, results[job])

    # --- screens -----------------------------------------------------------------------------------------------------

    def _screen_jobs(
        self, scenarios: list[Scenario], proofs: dict[tuple[str, str], ScenarioProof]
    ) -> Iterator[ScreenJob]:
        for scenario in scenarios:
            pairs = proofs[scenario.app, scenario.name].pairs
            proven = {pair for pair, result in pairs.items() if result.status is Status.PROVEN}
            jobs = screen_jobs(self.suite, self.keys, scenario, proven, self.options.screens)
            yield from itertools.islice(jobs, self.options.sample)

    def _screens(self, jobs: list[ScreenJob], proofs: dict[tuple[str, str], ScenarioProof]) -> None:
        seconds = self.options.seconds * _SLOW
        for job, result in self._done("screen", ScreenProof, jobs, f"oracles{_ON_SEATS}", seconds):
            at = proofs[job.app, job.scenario]
            if isinstance(result, ScreenProof):
                at.add_screen(job.key, result)
            elif result is not None:
                assert isinstance(job, ScreenJob)
                at.errors[f"{job.instance}@{job.profile}/{job.theme}/{job.ui_state}"] = result.why
        for scenario in proofs.values():
            scenario.screens.sort(key=lambda screen: screen.configuration)

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
        """Yield every job with its cached or new result. None for a job that was not tried."""
        on_seats = phase.endswith(_ON_SEATS)
        judged_again = self.options.rejudge and kind != "screen"
        known = {} if judged_again else self.cache.get(kind, (job.key for job in jobs), record)
        if on_seats:  # the machine may have been too busy, or the code that plays moves may have improved
            known = {key: result for key, result in known.items() if not _failed(result)}
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
            if isinstance(result, Traced):
                self.cache.put(kind, job.key, result)
            yield job, result
            done += 1
            self.on_progress(phase, done + len(skipped), len(jobs))
        yield from ((job, None) for job in skipped)


def _failed(result: Traced) -> bool:
    return (isinstance(result, PairProof) and result.status is Status.FAULTY) or (
        isinstance(result, ScreenProof) and not result.solved
    )
