"""`fairground experiment`: measurements of suites themselves, with real episodes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from fairground.cli.output import Json, console, print_json
from fairground.cli.prove import progress
from fairground.core import InvalidInput
from fairground.prove.replay_experiment import ReplayPlan, replay_experiment

experiment = typer.Typer(help="Measurements of suites themselves.", no_args_is_help=True, rich_markup_mode=None)


@experiment.callback()
def _root() -> None:
    """Measurements of suites themselves."""


@experiment.command("replay")
def replay(
    name: Annotated[str, typer.Argument(help="SUITE, SUITE/APP or SUITE/APP/SCENARIO.")],
    out: Annotated[Path, typer.Option(help="Folder of the six runs and of the page.")] = Path("runs/replay"),
    agent: Annotated[str, typer.Option(help="Who is recorded; oracle:slip=CHANCE is good and not perfect.")] = (
        "oracle:slip=0.1"
    ),
    tasks: Annotated[int, typer.Option(help="How many tasks.", min=1)] = 12,
    watched: Annotated[int, typer.Option("--k", help="Attempts at each that are watched.", min=1)] = 4,
    seed: Annotated[int, typer.Option(help="Which configurations.", min=0)] = 0,
    workers: Annotated[int, typer.Option(help="Episodes at a time.", min=1)] = 2,
    json: Json = False,
) -> None:
    """Records an agent, plays its successes back blindly: pass@k on a static suite, next to nothing on a varied one."""
    if agent.startswith("replay:"):
        raise InvalidInput("a replay cannot be recorded to be replayed", fix="name an agent that acts")
    plan = ReplayPlan(agent=agent, tasks=tasks, watched=watched, seed=seed)
    with progress(json) as on_progress:
        result = replay_experiment(name, out, plan, workers=workers, on_progress=on_progress)
    from fairground.report.replay_page import replay_figure, write_replay_page

    page = write_replay_page(result, out / "replay.html")
    (out / "replay.svg").write_text(replay_figure(result).standalone(), encoding="utf-8")
    if json:
        print_json({**result.plain(), "page": str(page)})
        return
    shown = Table(box=None, pad_edge=False)
    for head in ("k", "pass@k of the agent", "replay, static", "replay, varied"):
        shown.add_column(head, justify="right")
    for place, k in enumerate(result.ks):
        points = (result.pass_at_k[place], result.static[place], result.varied[place])
        shown.add_row(str(k), *(f"{one.estimate:.0%} \\[{one.low:.0%}, {one.high:.0%}]" for one in points))
    console.print(shown)
    for kind, count in result.unscored.items():
        if count:
            left = result.left_out[kind]
            console.print(f"{kind}: {count} episodes errored or were invalid, and are left out; so are {left} tasks")
    console.print(f"[dim]wrote[/]   {page}", highlight=False, soft_wrap=True)
