"""Phone apps: reset and step compared with the raw protocol and with MiniWoB++, and eight seats at once.

python benchmarks/bench_pocket.py [--json] [--app email] [--seats 8] [--rounds 40]

The raw figures are measured on the same page of the same browser in the same run. A raw reset is `Page.navigate`, the
load event and `Page.captureScreenshot`. A raw step is a tap by `Input.dispatchMouseEvent` and `Page.captureScreenshot`.
Raw operations do not wait for the page to settle, and decode no picture.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

from figures import Figure, show
from peer import need_peers, run_peer

from fairground.core import Click
from fairground.screen import CdpScreen
from fairground.worlds import Seat, SharedBrowser, World, open_seat, renew, resolve

TASKS = ("click-button", "email-inbox")
EPISODE = 10
SECONDS = 8.0
FIND_INERT = """(() => {
  for (let y = 5; y < innerHeight; y += 10) for (let x = 3; x < innerWidth; x += 20) {
    const hit = document.elementFromPoint(x, y);
    if (hit && !hit.closest("a, button, input, select, textarea, label, form, dialog, [tabindex]")) return [x, y];
  }
})()"""
"""Finds a place where a tap does nothing. A tap that navigates would also change the page of the raw measurement."""


def main(argv: list[str] | None = None) -> int:
    """Measure and print the figures. Returns 0 if every bar was met, else 1."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--app", default="email", help="app of the pocket suite")
    parser.add_argument("--seats", type=int, default=8, help="number of concurrent seats")
    parser.add_argument("--rounds", type=int, default=40, help="number of resets")
    wanted = parser.parse_args(argv)
    need_peers()
    worlds = _worlds(wanted.app, 2 * wanted.rounds)
    figures = [
        *_alone(worlds, wanted.rounds),
        *_peer(wanted.rounds),
        *_together(worlds, wanted.seats),
    ]
    return show(figures, as_json=wanted.json)


def _worlds(app: str, count: int) -> list[World]:
    """Return random configurations of an app. Consecutive ones differ."""
    draw = random.Random(0)
    suite = resolve(f"pocket/{app}").suite
    axes = suite.app(app)
    scenarios = [scenario for scenario in suite.scenarios if scenario.app == app and suite.pairs(scenario)]
    found: list[World] = []
    while len(found) < count:
        scenario = draw.choice(scenarios)
        instance, profile = draw.choice(suite.pairs(scenario))
        theme, ui_state = draw.choice(list(axes.themes)), draw.choice(list(axes.ui_states))
        world = resolve(f"pocket/{app}/{scenario.name}/{instance}@{profile}/{theme}/{ui_state}")
        if not found or world != found[-1]:
            found.append(world)
    return found


def _alone(worlds: Sequence[World], rounds: int) -> list[Figure]:
    """Measure one seat with its own browser. Measurements alternate, so that noise affects all of them alike."""
    resets, loads, steps, taps = [], [], [], []
    with open_seat(worlds[-1]) as seat:
        screen = cast(CdpScreen, seat.screen)
        for number, world in enumerate(worlds[: rounds + 1]):
            reset = _seconds(lambda world=world: _reset(seat, world))  # type: ignore[misc]
            if number == 0:
                continue  # warm-up
            resets.append(reset)
            place = screen.evaluate(FIND_INERT)
            for _ in range(3 if place else 0):
                steps.append(_seconds(lambda place=place: _step(screen, place)))  # type: ignore[misc]
                taps.append(_seconds(_raw_tap(screen, place)))
            # Not directly after the reset: its background work would slow down the raw measurement.
            loads.append(_seconds(_raw_load(screen)))
    reset, load, step, tap = map(statistics.median, (resets, loads, steps, taps))
    return [
        Figure("raw: navigate, loaded, captureScreenshot", load * 1e3, "ms"),
        Figure("reset to another configuration, ready to observe", reset * 1e3, "ms", "under 60 ms", most=60),
        Figure("reset, relative to raw", reset / load, "x", "at most 2x", most=2),
        Figure("raw: tap, captureScreenshot", tap * 1e3, "ms"),
        Figure("step: tap, settled, frame", step * 1e3, "ms"),
        Figure("step, relative to raw", step / tap, "x", "at most 2x", most=2),
    ]


def _peer(rounds: int) -> list[Figure]:
    found = run_peer("pocket_miniwob.py", {}, rounds, *TASKS)
    note = "160x210 pixels; one page for all episodes; unsettled"
    return [
        Figure(f"MiniWoB++ {task}: {what}", found[task][what] * 1e3, "ms", note=note)
        for task in TASKS
        for what in ("reset", "step")
    ]


def _together(worlds: Sequence[World], count: int) -> list[Figure]:
    """Measure concurrent seats, one thread each: on a shared browser, and with one browser per seat."""
    with SharedBrowser() as browser, _open(browser.open_seat, worlds, count) as seats:
        memory = browser.memory_bytes() / count
        shared, shared_with = _rate(seats, worlds, None), _rate(seats, worlds, EPISODE)
    with _open(open_seat, worlds, count) as seats:
        own_memory = sum(seat.sandbox.memory_bytes() for seat in seats) / count
        own, own_with = _rate(seats, worlds, None), _rate(seats, worlds, EPISODE)
    note, note_with = (f"one browser per seat: {rate:.3g} steps/s" for rate in (own, own_with))
    return [
        Figure(f"{count} seats on one Chromium, in total", shared, "steps/s", "at least 30", least=30, note=note),
        Figure(f"the same with a reset every {EPISODE} steps", shared_with, "steps/s", note=note_with),
        Figure("memory per seat", memory / 1e6, "MB", note=f"one browser per seat: {own_memory / 1e6:.0f} MB"),
    ]


def _rate(seats: Sequence[Seat], worlds: Sequence[World], episode: int | None) -> float:
    """Return the total steps per second of all seats, with a reset after each episode. Taps are random."""
    counts = [0] * len(seats)
    faults: list[BaseException] = []
    end = time.monotonic() + SECONDS

    def work(number: int, seat: Seat) -> None:
        draw = random.Random(number)
        width, height = seat.screen.size
        try:
            while time.monotonic() < end:
                if episode is not None:
                    _reset(seat, draw.choice([world for world in worlds if world != seat.world]))
                for _ in range(episode or EPISODE):
                    _step(seat.screen, (draw.randrange(width), draw.randrange(height)))
                    if time.monotonic() >= end:
                        return
                    counts[number] += 1
        except BaseException as error:
            faults.append(error)

    threads = [threading.Thread(target=work, args=pair) for pair in enumerate(seats)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if faults:
        raise faults[0]
    return sum(counts) / SECONDS


@contextlib.contextmanager
def _open(build: Callable[[World], Seat], worlds: Sequence[World], count: int) -> Iterator[list[Seat]]:
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(build(worlds[number])) for number in range(count)]


def _reset(seat: Seat, world: World) -> None:
    if not renew(seat, world):
        raise RuntimeError(f"the seat could not be renewed to {world.id}")
    seat.screen.grab()


def _step(screen: Any, point: tuple[int, int]) -> None:
    screen.act(Click(point=point))
    screen.settle()
    screen.grab()


def _raw_load(screen: CdpScreen) -> Callable[[], object]:
    url = screen.evaluate("location.href")
    page = screen._view.page(time.monotonic() + 10)

    def load() -> None:
        screen._wire.call("Page.navigate", {"url": url}, session=page.session)
        screen._wire.wait(lambda: not page.loading, 10)
        _raw_shot(screen, page.session)

    return load


def _raw_tap(screen: CdpScreen, point: tuple[int, int]) -> Callable[[], object]:
    page = screen._view.page(time.monotonic() + 10)
    where = {"x": point[0], "y": point[1]}
    button = {**where, "button": "left", "clickCount": 1}
    events = [{"type": "mouseMoved", **where}, {"type": "mousePressed", **button}, {"type": "mouseReleased", **button}]

    def tap() -> None:
        replies = screen._wire.send_all([("Input.dispatchMouseEvent", event) for event in events], session=page.session)
        screen._wire.wait(lambda: all(reply.done for reply in replies), 10)
        _raw_shot(screen, page.session)

    return tap


def _raw_shot(screen: CdpScreen, session: str) -> None:
    screen._wire.call("Page.captureScreenshot", {"format": "png", "optimizeForSpeed": True}, session=session)


def _seconds(job: Callable[[], object]) -> float:
    started = time.perf_counter()
    job()
    return time.perf_counter() - started


if __name__ == "__main__":
    sys.exit(main())
