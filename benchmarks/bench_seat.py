"""Seats of LibreOffice Calc: warm hand-over, cold start compared with a launch by hand, and sixteen seats at once.

python benchmarks/bench_seat.py [--json] [--seats 16]
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path

from figures import Figure, show

from fairground.core import Click, Key
from fairground.sandbox import Pool, SandboxSpec, default_runner, open_sandbox
from fairground.screen import open_desktop
from fairground.worlds import Seat, World, open_seat, prepare, resolve

WORLD = "desk/calc"
COLD, WARM = 5, 12


def main(argv: list[str] | None = None) -> int:
    """Measure and print the figures. Returns 0 if every bar was met, else 1."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--seats", type=int, default=16, help="number of seats open at once")
    wanted = parser.parse_args(argv)
    world = resolve(WORLD)
    open_seat(world).close()  # builds the stages and fills the page cache
    by_hand, cold = _alternate(world)
    warm = _warm(world)
    memory, slowest = _many(world, wanted.seats)
    ratio = cold / by_hand
    figures = [
        Figure("Calc launched by hand on an open display, settled", by_hand * 1e3, "ms"),
        Figure(
            "cold Calc seat, settled",
            cold * 1e3,
            "ms",
            "at most 1.3x by hand",
            most=1.3 * by_hand * 1e3,
            note=f"{ratio:.2f}x by hand",
        ),
        Figure("warm Calc seat to its first frame", warm * 1e3, "ms", "under 50 ms", most=50),
        Figure(
            "warm seat, relative to a cold seat", warm / cold, "x", "under 1/10", most=0.1, note=f"1/{cold / warm:.0f}"
        ),
        Figure(f"{wanted.seats} live Calc seats: memory per seat", memory / 1e6, "MB", "under 200 MB", most=200),
        Figure(
            "slowest of these seats to act, settle and grab", slowest * 1e3, "ms", "none starved (under 5 s)", most=5000
        ),
    ]
    return show(figures, as_json=wanted.json)


def _alternate(world: World) -> tuple[float, float]:
    """Return the median seconds of a launch by hand and of opening a seat, measured alternately."""
    hands, seats = [], []
    for _ in range(COLD):
        hands.append(_launch_by_hand(world))
        started = time.perf_counter()
        seat = open_seat(world)
        seats.append(time.perf_counter() - started)
        seat.close()
    return statistics.median(hands), statistics.median(seats)


def _launch_by_hand(world: World) -> float:
    """Launch Calc on an open display with the same prepared profile, as a person would. Returns the seconds."""
    runner = default_runner()
    stages = prepare(world, runner=runner)
    sandbox = open_sandbox(SandboxSpec(layers=stages.layers), runner=runner)
    try:
        world.app.setup(sandbox, world)
        desktop = open_desktop(sandbox, size=world.app.screen.size)
        workbook = f"{sandbox.home}/Documents/sales.ods"
        started = time.perf_counter()
        sandbox.start(
            ["soffice", "--norestore", "--nologo", "--nofirststartwizard", "--calc", workbook],
            env={**desktop.env, **world.app.env(world)},
        )
        while not any(Path(workbook).name in window.title for window in desktop.screen.windows()):
            desktop.screen.wait_change(0.25)
        desktop.screen.settle(30)
        took = time.perf_counter() - started
        desktop.close()
        return took
    finally:
        sandbox.discard()


def _warm(world: World) -> float:
    """Return the median seconds from requesting a seat of a pool to its first frame."""
    times = []
    with Pool(open_seat, size=2) as pool:
        for _ in range(WARM):
            pool.wait_ready(world, 2)
            started = time.perf_counter()
            seat = pool.take(world)
            seat.screen.grab()
            times.append(time.perf_counter() - started)
            seat.close()
    return statistics.median(times)


def _many(world: World, count: int) -> tuple[float, float]:
    """Return the memory per live seat (by MemAvailable) and the slowest reaction to a click and a key."""
    seats: list[Seat] = []
    before = _available()
    try:
        for _ in range(count):
            seats.append(open_seat(world))
        memory = (before - _available()) / count
        times = []
        for seat in seats:
            started = time.perf_counter()
            seat.screen.act(Click(point=(300, 300)))
            seat.screen.act(Key(keys=("down",)))
            settled = seat.screen.settle(10)
            seat.screen.grab()
            times.append(time.perf_counter() - started if settled.quiet else float("inf"))
        return memory, max(times)
    finally:
        for seat in seats:
            seat.close()


def _available() -> int:
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError("/proc/meminfo has no MemAvailable")


if __name__ == "__main__":
    sys.exit(main())
