"""A click and fifty typed characters over a persistent connection, compared with xdotool.

python benchmarks/bench_input.py [--json]
"""

from __future__ import annotations

import argparse
import itertools
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

from figures import Figure, show

from fairground.core import Click, Type
from fairground.sandbox import open_sandbox
from fairground.screen import Desktop, open_desktop

TEXT = "The quick brown fox jumps over the lazy dog, twice."[:50]
ACCENTED = "Größe, naïveté, Zoë: “ça va” — déjà vu… 20 € señor"[:50]
ROUNDS = 15


def main(argv: list[str] | None = None) -> int:
    """Measure and print the figures. Returns 0 if every bar was met, else 1."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    wanted = parser.parse_args(argv)
    if shutil.which("xdotool") is None:
        print("xdotool is not installed: apt-get install xdotool", file=sys.stderr)
        return 2
    sandbox = open_sandbox(runner="bare")  # without isolation, so that xdotool can reach the display
    try:
        desktop = open_desktop(sandbox)
        try:
            sandbox.start(["xterm", "-e", "cat"], env=desktop.env)
            while not desktop.screen.windows():
                desktop.screen.wait_change(0.25)
            desktop.screen.settle(20)
            return show(_measure(desktop), as_json=wanted.json)
        finally:
            desktop.close()
    finally:
        sandbox.discard()


def _measure(desktop: Desktop) -> list[Figure]:
    screen = desktop.screen
    env = {**os.environ, "DISPLAY": desktop.display}
    # Alternate two places: repeated clicks at one place are delayed on purpose, to avoid a double click.
    points = itertools.cycle([(600, 300), (660, 360)])

    def xdotool(*words: str) -> None:
        subprocess.run(["xdotool", *words], env=env, check=True)

    def click_by_xdotool() -> None:
        left, top = next(points)
        xdotool("mousemove", str(left), str(top), "click", "1")

    def rest(job: Callable[[], object]) -> float:
        """Return the median seconds of a job. Each round starts on a settled screen."""
        spent = []
        for _ in range(ROUNDS):
            screen.settle()
            started = time.perf_counter()
            job()
            spent.append(time.perf_counter() - started)
        return statistics.median(spent)

    click = rest(lambda: screen.act(Click(point=next(points))))
    text = rest(lambda: screen.act(Type(text=TEXT)))
    accented = rest(lambda: screen.act(Type(text=ACCENTED)))
    their_click = rest(click_by_xdotool)
    their_text = rest(lambda: xdotool("type", TEXT))
    their_hasty_text = rest(lambda: xdotool("type", "--delay", "0", TEXT))
    times = their_click / click, their_text / text, their_hasty_text / text
    return [
        Figure(
            "click",
            click * 1e3,
            "ms",
            "20x faster than xdotool",
            most=their_click / 20 * 1e3,
            note=f"{times[0]:.0f}x faster",
        ),
        Figure(
            "50 characters",
            text * 1e3,
            "ms",
            "20x faster than xdotool",
            most=their_text / 20 * 1e3,
            note=f"{times[1]:.0f}x faster",
        ),
        Figure("50 characters with accents", accented * 1e3, "ms"),
        Figure("click by xdotool", their_click * 1e3, "ms"),
        Figure("50 characters by xdotool", their_text * 1e3, "ms", note="with its default delay of 12 ms"),
        Figure(
            "50 characters by xdotool --delay 0", their_hasty_text * 1e3, "ms", note=f"ours is {times[2]:.0f}x faster"
        ),
    ]


if __name__ == "__main__":
    sys.exit(main())
