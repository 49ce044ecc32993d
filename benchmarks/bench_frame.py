"""A 1280x720 frame as an RGB array, compared with the minimum cost and with other tools; and the cost of a whole step.

python benchmarks/bench_frame.py [--json]
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import mmap
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import cv2
import mss
import numpy as np
from figures import Figure, show

from fairground.core import Move
from fairground.sandbox import open_sandbox
from fairground.screen import Desktop, encode_png, open_desktop

WIDTH, HEIGHT = 1280, 720
QUICK, SLOW, STEPS = 300, 7, 60


def main(argv: list[str] | None = None) -> int:
    """Measure and print the figures. Returns 0 if every bar was met, else 1."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    wanted = parser.parse_args(argv)
    # Frames: without isolation, so that the peers can reach the display. Steps: in the sandbox that agents use.
    with _desktop("bare") as desktop:
        figures = _measure(desktop)
    with _desktop(None) as desktop:
        figures += _measure_step(desktop)
    return show(figures, as_json=wanted.json)


@contextlib.contextmanager
def _desktop(runner: str | None) -> Iterator[Desktop]:
    """Open a desktop with static text."""
    sandbox = open_sandbox(runner=runner)
    try:
        desktop = open_desktop(sandbox, (WIDTH, HEIGHT))
        try:
            sandbox.start(["xterm", "-e", "sh", "-c", "ls -la /usr/bin; exec cat"], env=desktop.env)
            while not desktop.screen.windows():
                desktop.screen.wait_change(0.25)
            desktop.screen.settle(20)
            yield desktop
        finally:
            desktop.close()
    finally:
        sandbox.discard()


def _measure(desktop: Desktop) -> list[Figure]:
    screen = desktop.screen
    raw, ours = _in_turns([_raw_grab(screen._framebuffer.fd), lambda: screen.grab().pixels], QUICK)
    with tempfile.TemporaryDirectory() as folder:
        programs = _screenshot_programs(desktop.display, Path(folder))
        shots = dict(zip(programs, _in_turns(list(programs.values()), SLOW), strict=True))
    figures = [
        Figure("raw mmap and convert", raw * 1e3, "ms"),
        Figure("grab", ours * 1e3, "ms", "at most 2x raw", most=2 * raw * 1e3, note=f"{ours / raw:.2f}x raw"),
        Figure("mss", _mss(desktop.display) * 1e3, "ms"),
    ]
    figures += [Figure(f"screenshot by {name}", seconds * 1e3, "ms") for name, seconds in shots.items()]
    if shots:
        best = min(shots.values()) / ours
        figures.append(Figure("grab, against the fastest of these", best, "x faster", "at least 20x", least=20))
    frame = screen.grab()
    (png,) = _in_turns([lambda: encode_png(frame)], STEPS)
    figures.append(Figure("PNG encoding of the frame", png * 1e3, "ms", note=f"{len(encode_png(frame)) / 1e3:.0f} kB"))
    return figures


def _measure_step(desktop: Desktop) -> list[Figure]:
    screen = desktop.screen
    points = itertools.cycle([(600, 300), (660, 360)])

    def step() -> None:
        screen.act(Move(point=next(points)))
        screen.settle()
        encode_png(screen.grab())

    (whole,) = _in_turns([step], STEPS)
    note = f"static screen, {desktop.sandbox.runner} runner"
    return [Figure("step: act, settle, grab, PNG", whole * 1e3, "ms", "under 25 ms", most=25, note=note)]


def _in_turns(jobs: list[Callable[[], object]], rounds: int) -> list[float]:
    """Return the median seconds of each job. Jobs alternate, so that noise affects all of them alike."""
    times: list[list[float]] = [[] for _ in jobs]
    for _ in range(rounds):
        for job, spent in zip(jobs, times, strict=True):
            started = time.perf_counter()
            job()
            spent.append(time.perf_counter() - started)
    return [statistics.median(spent) for spent in times]


def _raw_grab(fd: int) -> Callable[[], object]:
    memory = mmap.mmap(fd, 0, mmap.MAP_SHARED, mmap.PROT_READ)
    size = WIDTH * HEIGHT * 4
    pixels = np.frombuffer(memory, np.uint8, size, len(memory) - size).reshape(HEIGHT, WIDTH, 4)
    return lambda: cv2.cvtColor(pixels, cv2.COLOR_BGRA2RGB)


def _mss(display: str) -> float:
    open_mss = mss.MSS if hasattr(mss, "MSS") else mss.mss  # renamed in version 10
    with open_mss(display=display) as grabber:
        area = grabber.monitors[0]
        # Convert its BGRA with OpenCV, as we do: in NumPy this would take longer than the grab itself.
        return _in_turns([lambda: cv2.cvtColor(np.array(grabber.grab(area)), cv2.COLOR_BGRA2RGB)], 20)[0]


def _screenshot_programs(display: str, folder: Path) -> dict[str, Callable[[], object]]:
    """Return the installed screenshot programs. Their output is read as an array, except for xwd."""
    lines = {
        "import (ImageMagick)": (["import", "-window", "root", str(folder / "import.png")], folder / "import.png"),
        "scrot": (["scrot", "--overwrite", str(folder / "scrot.png")], folder / "scrot.png"),
        "xwd": (["xwd", "-root", "-silent", "-out", str(folder / "root.xwd")], None),
    }
    env = {**os.environ, "DISPLAY": display}

    def job(argv: list[str], image: Path | None) -> Callable[[], object]:
        def shoot() -> object:
            subprocess.run(argv, env=env, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            return None if image is None else cv2.imread(str(image), cv2.IMREAD_COLOR_RGB)

        return shoot

    return {name: job(*line) for name, line in lines.items() if shutil.which(line[0][0])}


if __name__ == "__main__":
    sys.exit(main())
