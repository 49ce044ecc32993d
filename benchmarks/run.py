"""Run every `bench_*.py` in this folder, one after another. Prints one table, then each bar that was missed.

A benchmark module defines `main(argv: list[str] | None = None) -> int`. With `--json` it prints a list of figures
(`figures.Figure`). Each module runs in its own process, so that it cannot slow down the next one.

Exit status: 0 if all bars were met, 1 if a bar was missed, 2 if a module could not measure.

    python benchmarks/run.py [--json] [NAME ...]      # NAME: part of a module's name
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

from figures import Figure, from_json, show_tables, to_json
from rich.console import Console
from rich.markup import escape

HERE = Path(__file__).parent
SECONDS = 900  # timeout per module


def main(argv: list[str] | None = None) -> int:
    """Run the modules whose names contain one of the given words, or all modules."""
    parser = argparse.ArgumentParser(
        description="Run the benchmarks. Print one table, then each bar that was missed and by how much.",
        epilog="Exit status: 0 if all bars were met, 1 if a bar was missed, 2 if a module could not measure "
        "or no module matches.",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="part of a module's name (default: all modules)")
    parser.add_argument(
        "--json", action="store_true", help="print the figures as JSON, with the amount by which each missed its bar"
    )
    wanted = parser.parse_args(argv)

    modules = sorted(HERE.glob("bench_*.py"))
    if wanted.names:
        modules = [module for module in modules if any(name in module.stem for name in wanted.names)]
    if not modules:
        known = ", ".join(module.stem.removeprefix("bench_") for module in sorted(HERE.glob("bench_*.py")))
        print(f"no benchmark matches {wanted.names}; available: {known}", file=sys.stderr)
        return 2

    console = Console(stderr=True)
    figures: dict[str, list[Figure]] = {}
    broken = []
    for module in modules:
        name = module.stem.removeprefix("bench_")
        with console.status(f"measuring {name}"):
            try:
                figures[name] = measure(module)
            except BenchFailed as error:
                broken.append(name)
                console.print(f"[red]{name} could not measure[/red]\n{escape(str(error))}", highlight=False)

    if wanted.json:
        print(json.dumps({name: [to_json(figure) for figure in rows] for name, rows in figures.items()}, indent=2))
        status = int(any(figure.ok is False for rows in figures.values() for figure in rows))
    else:
        status = show_tables(figures)
    return 2 if broken else status


class BenchFailed(Exception):
    """A module exited without figures. The message contains the end of its output."""


def measure(module: Path) -> list[Figure]:
    """Run one module in its own process and return its figures."""
    try:
        # A nonzero exit status may only mean a missed bar, so success is judged by the printed figures.
        done = subprocess.run(
            [sys.executable, str(module), "--json"], capture_output=True, text=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise BenchFailed(f"timed out after {SECONDS} seconds") from None
    try:
        return [from_json(row) for row in json.loads(done.stdout)]
    except (ValueError, TypeError, AttributeError) as error:
        output = (done.stdout[-1000:] + done.stderr[-2000:]).strip()
        raise BenchFailed(f"{error}; exit status {done.returncode}, output:\n{output}") from None


if __name__ == "__main__":
    raise SystemExit(main())
