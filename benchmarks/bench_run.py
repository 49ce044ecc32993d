"""Runs: overhead of the harness per step, throughput of store and scheduler, time to resume, and memory.

python benchmarks/bench_run.py [--json]
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from figures import Figure, show

from fairground.agents import Brief
from fairground.core import Action, Move, Observation, Outcome
from fairground.rollout import Event, Finished, Job, Planned, RunSpec, RunStore, carry_out, run_episode
from fairground.screen import Screen
from fairground.worlds import Seat, World, open_seat, resolve

WORLD = "desk/calc"
EPISODES = 3
WORKERS = 2
WARM, STUBS, LARGE = 1_000, 10_000, 100_000
SPEC = RunSpec(worlds=("stub",), agent="random")


def main(argv: list[str] | None = None) -> int:
    """Measure and print the figures. Returns 0 if every bar was met, else 1."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    wanted = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as folder:
        # Measure memory first: memory that the others leave behind would hide its growth.
        figures = _stubs(Path(folder, "stubs")) + _resume(Path(folder, "large")) + _overhead(Path(folder))
    return show(figures, as_json=wanted.json)


# --- overhead of the harness per step -----------------------------------------------------------------------------


def _overhead(folder: Path) -> list[Figure]:
    """Measure the time between two calls of the agent, minus the time spent in the screen."""
    world = resolve(WORLD)
    added, screens = [], []
    for number in range(EPISODES):
        clocks, agent = Clocks(), Mover()
        run_episode(world, agent, folder / str(number), pool=clocks, video=False)
        spent = [clocks.spent_until(moment) for moment in agent.asked]
        for place in range(2, len(agent.asked)):  # skip the first step: its caches are cold
            screen = spent[place] - spent[place - 1]
            screens.append(screen)
            added.append(agent.asked[place] - agent.answered[place - 1] - screen)
    ours = statistics.median(added)
    note = f"of {len(added)} steps in {WORLD}, each with a new frame; act, settle and grab: "
    note += f"{statistics.median(screens) * 1e3:.0f} ms"
    return [
        Figure(
            "overhead of the harness per step, without the screen", ours * 1e3, "ms", "under 3 ms", most=3, note=note
        )
    ]


class Mover:
    """An agent that takes no time and causes a new frame at every step."""

    name = "mover"

    def __init__(self) -> None:
        self.asked: list[float] = []
        self.answered: list[float] = []

    def begin(self, brief: Brief) -> None:
        """Do nothing."""

    def act(self, observation: Observation) -> Action:
        """Move the pointer to a new place."""
        self.asked.append(time.perf_counter())
        number = len(self.asked)
        action = Move(point=(300 + 7 * number, 250 + 5 * number))
        self.answered.append(time.perf_counter())
        return action


class Clocks:
    """A source of seats whose screens record when they were busy."""

    def __init__(self) -> None:
        self._busy: list[tuple[float, float]] = []

    def take(self, kind: World, timeout: float = 120.0) -> Seat:
        """Open a new seat with a timed screen."""
        seat = open_seat(kind)
        seat.screen = cast(Screen, Clocked(seat.screen, self._busy))
        return seat

    def spent_until(self, moment: float) -> float:
        """Return the seconds of screen calls that had ended at a moment."""
        return sum(end - begin for begin, end in self._busy if end <= moment)


class Clocked:
    """A screen that records the start and end of each call."""

    def __init__(self, screen: Screen, busy: list[tuple[float, float]]) -> None:
        self._screen, self._busy = screen, busy

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._screen, name)
        return self._timed(found) if callable(found) else found

    def _timed(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*args: Any, **options: Any) -> Any:
            begin = time.perf_counter()
            try:
                return call(*args, **options)
            finally:
                self._busy.append((begin, time.perf_counter()))

        return timed


# --- store and scheduler ------------------------------------------------------------------------------------------


class Stub:
    """A worker whose episodes take no time."""

    def order(self, job: Job) -> None:
        """Do nothing: a stub needs no seat."""

    def do(self, job: Job) -> tuple[Finished, bool]:
        """Return a passed episode immediately."""
        return Finished(Outcome.PASSED, reward=1.0, steps=3, seconds=0.1, folder=job.folder), True

    def close(self) -> None:
        """Do nothing: there is nothing to close."""


def _plan(episodes: int) -> list[Planned]:
    names = [f"suite/app/scenario-{number // 4}/instance@profile/theme/state" for number in range(episodes)]
    return [
        Planned(number=number, configuration=name, rollout=number % 4, seed=number) for number, name in enumerate(names)
    ]


def _stubs(folder: Path) -> list[Figure]:
    """Measure the speed and the memory growth of a run of stub episodes."""
    seen: dict[int, tuple[float, int]] = {}

    def look(event: Event) -> None:
        if event.progress.finished in (WARM, STUBS):
            seen[event.progress.finished] = (time.perf_counter(), _memory())

    with RunStore.create(folder, SPEC, _plan(STUBS)) as store:
        carry_out(store, workers=WORKERS, make_work=Stub, on_event=look)
    (begin, before), (end, after) = seen[WARM], seen[STUBS]
    rate = (STUBS - WARM) / (end - begin) * 60
    grown = (after - before) / 1e6
    return [
        Figure(
            "stub episodes through store and scheduler", rate, "per minute", "at least 1,000", least=1000,
            note=f"{WORKERS} workers; one synced commit per episode",
        ),
        Figure(
            f"memory from {WARM:,} to {STUBS:,} stub episodes", grown, "MB more", "under 20 MB", most=20,
            note=f"{after / 1e6:.0f} MB at the end",
        ),
    ]  # fmt: skip


def _memory() -> int:
    """Return the resident memory of this process in bytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError("/proc/self/status has no VmRSS")


def _resume(folder: Path) -> list[Figure]:
    """Measure opening a large run to resume it: unfinished episodes and progress."""
    left = 100
    with RunStore.create(folder, SPEC, _plan(LARGE)) as store, store.committing() as db:  # as `finish` writes it
        db.execute(
            "UPDATE episodes SET attempts = 1, outcome = CASE number % 3 WHEN 0 THEN 'passed' ELSE 'failed' END,"
            " reward = 0.5, steps = 20, seconds = 60.5, tokens = 50000, cost = 0.25, ended_by = 'agent', error = '',"
            " folder = printf('episodes/%06d', number), finished = '2026-01-01T00:00:00.000+00:00'"
            " WHERE number < ?",
            (LARGE - left,),
        )
        for number in range(LARGE - left):
            store.seal(number)
    times = []
    for _ in range(5):
        started = time.perf_counter()
        with RunStore.open(folder, write=True) as store:
            rows = list(store.unfinished())
            progress = store.progress()
        times.append(time.perf_counter() - started)
        assert len(rows) == left and progress.finished == LARGE - left
    took = statistics.median(times)
    return [Figure(f"resume of a run with {LARGE - left:,} finished episodes", took, "s", "under 2 s", most=2)]


if __name__ == "__main__":
    sys.exit(main())
