"""Fixed costs of desk episodes, compared with launching the app again on an open desktop.

Measured in two ways. With `ahead`, as in runs: the next seat opens while the agent of the current episode thinks (a
model needs more time for one step than a seat needs to open). Without `ahead`: a desktop is started for each reset.

python benchmarks/bench_desk.py [--json] [--rounds 3] [APP ...]
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from dataclasses import dataclass, field

from figures import Figure, show

from fairground.sandbox import SandboxSpec, default_runner, open_sandbox
from fairground.screen import open_desktop
from fairground.verify import judge
from fairground.worlds import Ahead, Seat, World, open_seat, planned_fingerprint, prepare, resolve, suites
from fairground.worlds.stages import run_setup


@dataclass
class Times:
    """Measured seconds of one app."""

    raw: list[float] = field(default_factory=list)
    handed: list[float] = field(default_factory=list)
    reset: list[float] = field(default_factory=list)
    capture: list[float] = field(default_factory=list)
    verify: list[float] = field(default_factory=list)


def main(argv: list[str] | None = None) -> int:
    """Measure and print the figures. Returns 0 if every bar was met, else 1."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--rounds", type=int, default=3, help="number of measurements per app")
    parser.add_argument("apps", nargs="*", metavar="APP")
    wanted = parser.parse_args(argv)
    names = wanted.apps or [app.name for app in suites()["desk"].apps]
    times = {name: _measure(resolve(f"desk/{name}", unproven=True), wanted.rounds) for name in names}
    figures = [figure for name, found in times.items() for figure in _figures(name, found)]
    captures = [second for one in times.values() for second in one.capture]
    verifies = [second for one in times.values() for second in one.verify]
    figures += [
        _bar("capture of the final state, all apps", captures, 0.5),
        _bar("verification of an episode, all apps", verifies, 0.3),
    ]
    return show(figures, as_json=wanted.json)


def _figures(name: str, found: Times) -> list[Figure]:
    raw, handed, reset, capture, verify = (
        statistics.median(some) for some in (found.raw, found.handed, found.reset, found.capture, found.verify)
    )
    ahead, alone = handed + capture + verify, reset + capture + verify
    return [
        Figure(f"{name}: launch on an open desktop", raw * 1e3, "ms"),
        Figure(
            f"{name}: reset, capture and verification", ahead * 1e3, "ms", "at most 1.2x launching",
            most=1.2 * raw * 1e3, note=f"{ahead / raw:.2f}x",
        ),
        Figure(f"{name}: the same without `ahead`", alone * 1e3, "ms", note=f"{alone / raw:.2f}x"),
    ]  # fmt: skip


def _bar(what: str, seconds: list[float], bar: float) -> Figure:
    median = statistics.median(seconds)
    note = f"worst {max(seconds) * 1e3:.0f}"
    return Figure(what, median * 1e3, "ms", f"under {bar * 1e3:g} ms", most=bar * 1e3, note=note)


def _measure(world: World, rounds: int) -> Times:
    """Measure alternately, so that noise affects all figures alike."""
    found = Times()
    open_seat(world).close()  # builds the stages and fills the page cache
    for _ in range(rounds):
        found.raw.append(_launch(world))
        found.handed.append(_hand_over(world))
        started = time.perf_counter()
        with open_seat(world) as seat:
            found.reset.append(time.perf_counter() - started)
            started = time.perf_counter()
            after = seat.finish()
            found.capture.append(time.perf_counter() - started)
            before = seat.before
        started = time.perf_counter()
        judge(world, before, after)
        found.verify.append(time.perf_counter() - started)
    return found


def _hand_over(world: World) -> float:
    """Return the seconds from the end of an episode to the first frame of the next one."""
    opened: list[Seat] = []

    def build(wanted: World) -> Seat:
        opened.append(open_seat(wanted))
        return opened[-1]

    ahead = Ahead(build)
    try:
        ahead.order(world)
        used = ahead.take(world)
        ahead.order(world)
        used.finish()
        while not (len(opened) == 2 and opened[1].sandbox.frozen):  # wait for the next seat while the agent thinks
            time.sleep(0.01)
        started = time.perf_counter()
        ahead.give_back(used)
        seat = ahead.take(world)
        seat.screen.grab()
        took = time.perf_counter() - started
        seat.close()
        return took
    finally:
        ahead.close()


def _launch(world: World) -> float:
    """Return the seconds from launching the program until it is usable, with sandbox, files and desktop ready."""
    runner = default_runner()
    stages = prepare(world, runner=runner)
    sandbox = open_sandbox(SandboxSpec(layers=stages.layers), runner=runner)
    try:
        run_setup(sandbox, world)
        desktop = open_desktop(sandbox, size=world.app.screen.size, style=world.app.desktop(world))
        env = {**desktop.env, **world.app.env(world)}
        seat = Seat(world, sandbox, desktop.screen, env, stages, planned_fingerprint(world))
        started = time.perf_counter()
        world.app.launch(seat)
        took = time.perf_counter() - started
        desktop.close()
        return took
    finally:
        sandbox.discard()


if __name__ == "__main__":
    sys.exit(main())
