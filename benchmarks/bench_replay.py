"""The replay of a 500-step episode: time from following its link until the first frame is shown and keys work.

The baseline is the minimum for any page: the same frame alone, from the same server. Both are measured alternately in
the same browser.

python benchmarks/bench_replay.py [--json]
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from figures import Figure, show
from playwright.sync_api import Browser, Page, sync_playwright

from fairground.arena import Store
from fairground.core import Action, Click, Configuration, Drag, Episode, Fingerprint, Frame, Scroll, Step, Type
from fairground.rollout import Planned, Recorder, RunSpec, RunStore
from fairground.web.site import Site, serving

STEPS, ROUNDS = 500, 9
WIDTH, HEIGHT = 1280, 720
THOUGHT = "The total belongs below the last number, so I look for the end of the column first. " * 8
USABLE = ".replay[data-ready] .replay-shot[data-shown='1']"


def main(argv: list[str] | None = None) -> int:
    """Measure and print the figures. Returns 0 if every bar was met, else 1."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    wanted = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        home = Path(folder)
        first = _record(home / "runs" / "long")
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        with Store(home / "arena.sqlite") as store, serving(Site(store, home, (home / "runs",))) as url:
            figures = _measure(browser, url, first, home / "runs/long/episodes/000000/steps.jsonl")
        browser.close()
    return show(figures, as_json=wanted.json)


def _measure(browser: Browser, url: str, first: str, steps_file: Path) -> list[Figure]:
    def replay(page: Page) -> None:
        page.goto(f"{url}replay/long/000000", wait_until="commit")
        page.wait_for_selector(USABLE)
        page.keyboard.press("ArrowRight")
        page.wait_for_selector(".replay-shot[data-shown='2']")

    def bare(page: Page) -> None:
        page.goto(f"{url}api/replays/long/000000/frames/{first}.png", wait_until="load")

    ours, raw = [], []
    for _ in range(ROUNDS):
        steps_file.touch()  # invalidates the server's cache of the episode
        ours.append(_timed(browser, replay))
        raw.append(_timed(browser, bare))
    steps, jumps = _moving(browser, f"{url}replay/long/000000")
    whole, least = statistics.median(ours), statistics.median(raw)
    return [
        Figure(f"replay of {STEPS} steps, until a key press shows step 2", whole * 1e3, "ms", "under 1 s", most=1000,
               note=f"slowest of {ROUNDS}: {max(ours) * 1e3:.0f} ms; {whole / least:.1f}x the baseline"),
        Figure("baseline: the frame alone", least * 1e3, "ms"),
        Figure("next step by key, until its frame is shown", steps * 1e3, "ms"),
        Figure("jump to any step, until its frame is shown", jumps * 1e3, "ms"),
    ]  # fmt: skip


def _timed(browser: Browser, visit: Callable[[Page], None]) -> float:
    """Return the seconds of a visit with an empty browser cache."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto("about:blank")
    started = time.perf_counter()
    visit(page)
    spent = time.perf_counter() - started
    context.close()
    return spent


def _moving(browser: Browser, address: str) -> tuple[float, float]:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(address)
    page.wait_for_selector(USABLE)
    steps, jumps = [], []
    for number in range(2, 40):
        started = time.perf_counter()
        page.keyboard.press("ArrowRight")
        page.wait_for_selector(f".replay-shot[data-shown='{number}']")
        steps.append(time.perf_counter() - started)
    for place in np.random.default_rng(0).permutation(np.arange(60, STEPS))[:20]:
        started = time.perf_counter()
        page.get_by_role("slider", name="Step").fill(str(place))
        page.wait_for_selector(f".replay-shot[data-shown='{place + 1}']")
        jumps.append(time.perf_counter() - started)
    page.close()
    return statistics.median(steps), statistics.median(jumps)


def _record(run: Path) -> str:
    """Record a run with one unfinished episode. Returns the digest of its first frame."""
    configuration = Configuration(suite="desk", app="calc", scenario="sum")
    plan = [Planned(number=0, configuration=configuration.id, rollout=0, seed=0)]
    RunStore.create(run, RunSpec(worlds=("desk",), agent="long"), plan).close()
    fingerprint = Fingerprint(
        digest="0" * 32, fairground="0", suite="0", packages={}, stages={}, seed=0, runner="namespace", isolated=True,
        screen=f"x11 {WIDTH}x{HEIGHT}",
    )  # fmt: skip
    episode = Episode(
        id="long", status="running", agent="long", configuration=configuration, instruction="Add the column up.",
        seed=0, step_budget=STEPS, started="2026-01-01T00:00:00Z", fingerprint=fingerprint,
    )  # fmt: skip
    with Recorder(run / "episodes" / "000000", episode, video=False) as recorder:
        first = _frame(0)
        recorder.first(first)
        for index in range(STEPS):
            step = Step(
                index=index, action=_action(index), frame="", seconds=1.5 * index, act_ms=4.0, settle_ms=60.0,
                settled=True, agent_ms=1200.0, thought=THOUGHT, cursor=(index, 300),
            )  # fmt: skip
            recorder.step(step, _frame(index + 1))
    return first.digest


def _action(index: int) -> Action:
    kinds: list[Action] = [
        Click(point=(index + 40, 300)), Type(text="=SUM(A1:A40)"), Scroll(dy=3, point=(600, 400)),
        Drag(path=tuple((100 + 4 * n, 200 + n) for n in range(60))),
    ]  # fmt: skip
    return kinds[index % len(kinds)]


def _frame(seed: int) -> Frame:
    """Return a frame that resembles a window full of text (a PNG of about 60 kB)."""
    rng = np.random.default_rng(seed)
    pixels = np.full((HEIGHT, WIDTH, 3), 246, np.uint8)
    pixels[:48] = (52, 56, 70)
    words = rng.random((HEIGHT // 24, WIDTH // 8)) < 0.3
    pixels[np.kron(words, np.pad(np.ones((10, 6), bool), ((7, 7), (1, 1))))] = (40, 44, 52)
    return Frame(pixels)


if __name__ == "__main__":
    sys.exit(main())
