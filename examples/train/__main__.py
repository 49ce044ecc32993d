"""Train a small policy on phone tasks, and say how good it is.

Example: python -m examples.train
"""

from __future__ import annotations

import argparse
import json
import os
import time
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from examples.train.curve import write_curve
from examples.train.evaluation import gain, rate, shown
from examples.train.family import AXES_HELD_OUT, SCENARIOS
from examples.train.rollouts import Sessions
from examples.train.server import serve
from examples.train.training import CLONED, HELD_OUT, LEARNED, NEW_SCENARIOS, TRAINING, Plan, Training
from fairground.core import FairgroundError, InvalidInput

FULL = Plan(SCENARIOS)
SHORT = Plan(
    ("finish-draft", "delete-for-ever", "delete-contact", "favourite"),
    demonstrations=3, epochs=40, iterations=1, groups=2, attempts=4, test=3, axis=0, points=1,
)  # fmt: skip
_WORLD = "pocket/email"
_CPU_SECONDS = 3.5  # per episode, server and browser included


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m examples.train", description=__doc__)
    parser.add_argument(
        "--out", type=Path, default=Path("runs/train"), help="folder; a killed training continues there"
    )
    parser.add_argument("--short", action="store_true", help="four scenarios, a few minutes: shows that it works")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seats", type=int, default=2 * (os.cpu_count() or 1), help="sessions at the same time")
    parser.add_argument("--url", help="use this server (`fairground serve-env`) instead of starting one")
    given = parser.parse_args()
    console = Console(markup=False, highlight=False)
    plan = Plan(**{**asdict(SHORT if given.short else FULL), "seed": given.seed})
    try:
        if given.seats < 1:
            raise InvalidInput(f"--seats: expected at least 1, got {given.seats}")
        with ExitStack() as stack:
            _claim(given.out, plan)
            minutes = plan.episodes * _CPU_SECONDS / (os.cpu_count() or 1) / 60
            console.print(f"{plan.episodes} episodes on {given.seats} sessions: about {minutes:.0f} minutes if idle")
            progress = stack.enter_context(_progress(console))
            task = progress.add_task("starting the server", total=plan.episodes)
            url = given.url or stack.enter_context(serve(_WORLD, given.seats))
            sessions = stack.enter_context(Sessions(url, _WORLD, given.seats))
            begun = time.monotonic()

            def tell(said: str) -> None:
                progress.console.print(f"{(time.monotonic() - begun) / 60:5.1f} min  {said}")
                progress.update(task, description=said.partition(":")[0][:40])

            def note() -> None:
                progress.advance(task)
                row = progress.tasks[0]
                if not console.is_terminal and row.completed % 20 == 0 and row.time_remaining is not None:
                    tell(f"episode {row.completed:.0f} of {plan.episodes}: {row.time_remaining / 60:.0f} minutes left")

            training = Training(plan, sessions, given.out, tell, note)
            training.run()
            progress.update(task, completed=plan.episodes)
        _report(console, training)
    except FairgroundError as error:
        console.print(f"error: {error}")
        return 1
    except KeyboardInterrupt:
        console.print("stopped; the same command continues")
        return 130
    return 0


def _claim(folder: Path, plan: Plan) -> None:
    """Use a folder for this plan only."""
    folder.mkdir(parents=True, exist_ok=True)
    path, wanted = folder / "plan.json", json.dumps(asdict(plan), indent=1)
    if path.exists() and path.read_text() != wanted:
        raise InvalidInput(f"{folder} belongs to a training with another plan", fix="choose another folder with --out")
    path.write_text(wanted)


def _progress(console: Console) -> Progress:
    return Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("episodes"),
        TimeElapsedColumn(), TextColumn("remaining"), TimeRemainingColumn(), console=console,
    )  # fmt: skip


def _report(console: Console, training: Training) -> None:
    records = training.records
    agents = ["do-nothing", "random", "untrained", CLONED, LEARNED, "oracle"]
    of_agent = {agent: records.rows(agent, HELD_OUT) for agent in agents}
    table = Table(title=f"Successes on held-out configurations: {HELD_OUT}", title_justify="left", box=SIMPLE_HEAD)
    table.add_column("scenario", no_wrap=True)
    for agent in agents:
        table.add_column(agent, justify="right")
    for scenario in training.plan.scenarios:
        cells = [[row for row in of_agent[agent] if row["scenario"] == scenario] for agent in agents]
        passed = [f"{sum(row['outcome'] == 'passed' for row in rows)}/{len(rows)}" for rows in cells]
        table.add_row(scenario, *passed)
    console.print(table)
    rates = Table("agent", "success, 95% interval", title="All scenarios", title_justify="left", box=SIMPLE_HEAD)
    for agent in agents:
        rates.add_row(agent, shown(rate(of_agent[agent])))
    console.print(rates)
    sets = [TRAINING, *(f"{axis} new" for axis in AXES_HELD_OUT), HELD_OUT, NEW_SCENARIOS]
    if training.plan.axis:
        axes = Table("configurations", CLONED, LEARNED, title="Generalisation", title_justify="left", box=SIMPLE_HEAD)
        for of in sets:
            rows = [records.rows(agent, of) for agent in (CLONED, LEARNED)]
            axes.add_row(of, *(shown(rate(some)) if some else "" for some in rows))
        console.print(axes)
    both = of_agent[CLONED] + of_agent[LEARNED]
    difference = gain(both, LEARNED, CLONED)
    console.print(
        f"Reinforcement learning adds {100 * difference.estimate:.0f} points "
        f"[{100 * difference.low:.0f}, {100 * difference.high:.0f}] to cloning."
    )
    if training.sessions.errors:
        console.print(f"Attempts made again after infrastructure errors: {training.sessions.errors}")
    cloned = next(point for point in training.points if point.said.startswith(f"{CLONED},"))
    path = training.folder / "training.svg"
    write_curve(path, training.points, cloned, rate(of_agent["random"]))
    console.print(f"curve     {path}")
    console.print(f"episodes  {records.path}  (fairground stats {records.path} --where 'set={HELD_OUT}')")


if __name__ == "__main__":
    raise SystemExit(main())
