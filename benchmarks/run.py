"""Runs every `bench_*.py` beside this file, one after the other, and prints one table.

A bench module has `main(argv: list[str] | None = None) -> int`. With `--json` it prints a list of figures, each an
object with

- `what`: what was measured, in words;
- `value` and `unit`: the median;
- `bar`: the bar that it should keep, in words ("at most 2x the raw copy"), or "" when there is none;
- `ok`: whether it kept the bar, or null when there is none;
- `note`: optional, such as the figure of the peer that it was compared with.

Each runs in a process of its own, so that one cannot slow the next down. Exit status: 0 when all bars were kept, 1
when one was missed, 2 when a module could not measure.

    python benchmarks/run.py [--json] [NAME ...]      # NAME: part of a module's name
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

HERE = Path(__file__).parent
SECONDS = 900  # for one module; past that it hangs


@dataclass(frozen=True)
class Figure:
    """One line of the table."""

    what: str
    value: float
    unit: str
    bar: str = ""
    ok: bool | None = None
    note: str = ""


def main(argv: list[str] | None = None) -> int:
    """Runs the modules whose names contain one of the given words, or all."""
    parser = argparse.ArgumentParser(description="Run the benchmarks and print one table.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="part of a module's name; all when none is given")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    wanted = parser.parse_args(argv)

    modules = sorted(HERE.glob("bench_*.py"))
    if wanted.names:
        modules = [module for module in modules if any(name in module.stem for name in wanted.names)]
    if not modules:
        known = ", ".join(module.stem.removeprefix("bench_") for module in sorted(HERE.glob("bench_*.py")))
        print(f"no benchmark fits {wanted.names}; there are: {known}", file=sys.stderr)
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
        print(json.dumps({name: [asdict(figure) for figure in rows] for name, rows in figures.items()}, indent=2))
    else:
        Console().print(table(figures))
    missed = any(figure.ok is False for rows in figures.values() for figure in rows)
    return 2 if broken else int(missed)


class BenchFailed(Exception):
    """A module ended without figures; says the end of its output."""


def measure(module: Path) -> list[Figure]:
    """The figures of one module, run in a process of its own."""
    try:
        # Its exit status may say that a bar was missed; what counts here is whether it printed figures.
        done = subprocess.run(
            [sys.executable, str(module), "--json"], capture_output=True, text=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise BenchFailed(f"it was not done after {SECONDS} seconds") from None
    try:
        return [Figure(**row) for row in json.loads(done.stdout)]
    except (ValueError, TypeError) as error:
        output = (done.stdout[-1000:] + done.stderr[-2000:]).strip()
        raise BenchFailed(f"{error}; it ended with status {done.returncode} and said:\n{output}") from None


def table(figures: dict[str, list[Figure]]) -> Table:
    """All figures, with whether each kept its bar."""
    shown = Table("what", "figure", "bar", "", title="medians of this run", title_justify="left")
    shown.columns[1].justify = "right"
    for name, rows in figures.items():
        shown.add_section()
        for figure in rows:
            mark = {True: "[green]kept[/green]", False: "[red]missed[/red]", None: ""}[figure.ok]
            note = f"[dim]{escape(figure.note)}[/dim]" if figure.note else ""
            bar = "\n".join(part for part in (escape(figure.bar), note) if part)
            number = f"{figure.value:,.0f}" if abs(figure.value) >= 100 else f"{figure.value:.3g}"
            shown.add_row(escape(f"{name}: {figure.what}"), f"{number} {figure.unit}", bar, mark)
    return shown


if __name__ == "__main__":
    raise SystemExit(main())
