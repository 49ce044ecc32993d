"""CPU time of short commands, from start to exit.

python benchmarks/bench_cli.py [--json]
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from figures import Figure, show

SECONDS = 0.5
TIMES = 7
WORLD = "pocket/notes"


def main(argv: list[str] | None = None) -> int:
    """Measure and print the figures. Returns 0 if every bar was met, else 1."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    wanted = parser.parse_args(argv)
    return show(_measure(), as_json=wanted.json)


def _measure() -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        episode = str(Path(folder) / "episode")
        _fairground("record", WORLD, "--agent", "do-nothing", "--out", episode)
        commands = {"--help": ["--help"], "run --help": ["run", "--help"], "show EPISODE": ["show", episode]}
        return [_figure(name, words) for name, words in commands.items()]


def _figure(name: str, words: list[str]) -> Figure:
    _fairground(*words)  # warm-up: fills the bytecode cache
    taken = [_fairground(*words) for _ in range(TIMES)]
    return Figure(
        f"fairground {name}", median(taken), "s of CPU", f"under {SECONDS:g} s", most=SECONDS, note=f"{TIMES} times"
    )


def _fairground(*words: str) -> float:
    """Run a command and return its CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "fairground", *words], capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


if __name__ == "__main__":
    sys.exit(main())
