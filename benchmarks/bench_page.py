"""A browser page as a screen: grab, step, typing and start, compared with the raw protocol and with Playwright.

python benchmarks/bench_page.py [--json]
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import random
import shutil
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import cv2
import numpy as np
from figures import Figure, show
from playwright.sync_api import Browser, sync_playwright

from fairground.core import Click, Type
from fairground.sandbox import open_sandbox
from fairground.screen.browser import open_page
from fairground.screen.cdp import CdpScreen

WIDTH, HEIGHT = 412, 915
ROUNDS, STARTS = 40, 5
TEXT = "The quick brown fox jumps over the lazy dog, again"
PAGE = (
    "data:text/html,<!doctype html><meta name=viewport content='width=device-width'><title>bench</title>"
    "<body style='font-family:sans-serif'><h1>Notes</h1><textarea autofocus rows=4></textarea>"
    + "".join(f"<section><h2>Note {n}</h2><p>{'Some words to draw. ' * 6}</p></section>" for n in range(12))
)


def main(argv: list[str] | None = None) -> int:
    """Measure and print the figures. Returns 0 if every bar was met, else 1."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    wanted = parser.parse_args(argv)
    with _peer() as peer:
        figures = [*_measure_page(peer), *_measure_start(peer), *_measure_unpaced()]
    return show(figures, as_json=wanted.json)


def _measure_page(peer: Browser) -> list[Figure]:
    theirs = peer.new_page(viewport={"width": WIDTH, "height": HEIGHT})
    theirs.goto(PAGE)
    with _screen() as (screen, memory):
        places = itertools.cycle([(100, 700), (140, 760)])

        def their_step() -> None:
            theirs.mouse.click(*next(places))
            _decode(theirs.screenshot())

        raw, grab, step, shot, their_whole = _in_turns(
            [_raw(screen), _grab(screen), _step(screen), lambda: _decode(theirs.screenshot()), their_step], ROUNDS
        )
        screen.act(Click(point=(100, 110)))
        theirs.mouse.click(100, 110)
        typed, their_typed = _in_turns(
            [lambda: screen.act(Type(text=TEXT)), lambda: theirs.keyboard.type(TEXT)], ROUNDS // 4
        )
        (tree,) = _in_turns([screen.tree], ROUNDS // 4)
        return [
            Figure("captureScreenshot, undecoded", raw * 1e3, "ms"),
            _faster("grab", grab, "Playwright screenshot", shot, near=(1.5, raw)),
            _faster("step: click, settle, grab", step, "Playwright click and screenshot, unsettled", their_whole,
                    near=(2, raw)),
            _faster(f"{len(TEXT)} characters", typed, "Playwright", their_typed),
            Figure("accessibility tree", tree * 1e3, "ms"),
            Figure("memory of a page", memory / 1e6, "MB"),
        ]  # fmt: skip


def _measure_start(peer: Browser) -> list[Figure]:
    chromium = peer.browser_type

    def our_start() -> None:
        with _screen():
            pass

    def their_start() -> None:
        browser = _launch(chromium)
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        page.goto(PAGE)
        page.screenshot()
        browser.close()

    ours, theirs = _in_turns([our_start, their_start], STARTS)
    return [
        Figure("sandbox, browser, page, settled, closed", ours * 1e3, "ms", "under 1 s", most=1000,
               note=f"Playwright, without a sandbox: {theirs * 1e3:.0f} ms")
    ]  # fmt: skip


def _measure_unpaced() -> list[Figure]:
    with _screen(paced=False) as (screen, _):
        raw, step = _in_turns([_raw(screen), _step(screen)], ROUNDS)
        note = f"captureScreenshot: {raw * 1e3:.1f} ms"
        return [Figure("step with paced=False", step * 1e3, "ms", note=note)]


def _faster(what: str, ours: float, name: str, theirs: float, near: tuple[float, float] | None = None) -> Figure:
    """Compare with a peer. `near` is the allowed multiple of captureScreenshot, and its seconds."""
    bar, limit, note = f"faster than {name}", theirs, f"{name}: {theirs * 1e3:.1f} ms"
    if near is not None:
        times, raw = near
        bar += f", at most {times:g}x captureScreenshot"
        limit = min(limit, times * raw)
        note += f"; {ours / raw:.2f}x captureScreenshot"
    return Figure(what, ours * 1e3, "ms", bar, most=limit * 1e3, note=note)


@contextlib.contextmanager
def _screen(**options: Any) -> Iterator[tuple[CdpScreen, int]]:
    sandbox = open_sandbox()
    try:
        screen = open_page(sandbox, (WIDTH, HEIGHT), url=PAGE, **options)
        yield screen, sandbox.memory_bytes()
        screen.close()
    finally:
        sandbox.discard()


@contextlib.contextmanager
def _peer() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = _launch(playwright.chromium)
        yield browser
        browser.close()


def _launch(chromium: Any) -> Browser:
    browser: Browser = chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
    return browser


def _raw(screen: CdpScreen) -> Callable[[], object]:
    view = screen._view
    page = view.page(time.monotonic() + 10)
    wish = {"format": "png", "optimizeForSpeed": True}
    return lambda: screen._wire.call("Page.captureScreenshot", wish, session=page.session)


def _grab(screen: CdpScreen) -> Callable[[], object]:
    def grab() -> object:
        screen._settled_at = 0.0  # do not reuse the frame from settling
        return screen.grab()

    return grab


def _step(screen: CdpScreen) -> Callable[[], object]:
    places = itertools.cycle([(100, 700), (140, 760)])

    def step() -> object:
        screen.act(Click(point=next(places)))
        if not screen.settle().quiet:
            raise RuntimeError("a static page did not settle")
        return screen.grab()

    return step


def _decode(png: bytes) -> object:
    return cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_COLOR_RGB)


def _in_turns(jobs: list[Callable[[], object]], rounds: int) -> list[float]:
    """Return the median seconds of each job.

    Jobs alternate, so that noise affects all of them alike. The order changes in each round: a browser draws 60 times
    per second, and in a fixed order each job would always start at the same phase between two frames.
    """
    shuffler = random.Random(0)
    times: list[list[float]] = [[] for _ in jobs]
    for _ in range(rounds):
        for job, spent in shuffler.sample(list(zip(jobs, times, strict=True)), len(jobs)):
            started = time.perf_counter()
            job()
            spent.append(time.perf_counter() - started)
    return [statistics.median(spent) for spent in times]


if __name__ == "__main__":
    sys.exit(main())
