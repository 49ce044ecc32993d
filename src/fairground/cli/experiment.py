"""`fairground experiment`: experiments that measure suites, with real episodes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from fairground.cli.output import Json, console, print_json
from fairground.cli.prove import progress
from fairground.core import InvalidInput
from fairground.prove.replay_experiment import ReplayPlan, replay_experiment
from fairground.report.plural import counted

experiment = typer.Typer(
    help="Run experiments that measure suites.", no_args_is_help=True, rich_markup_mode=None, add_completion=False
)


@experiment.callback()
def _root() -> None:
    """Run experiments that measure suites."""


@experiment.command("replay")
def replay(
    name: Annotated[str, typer.Argument(metavar="NAME", help="SUITE, SUITE/APP or SUITE/APP/SCENARIO.")],
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Folder for the six runs and the page.")] = Path(
        "runs/replay"
    ),
    agent: Annotated[
        str,
        typer.Option(metavar="AGENT", help="The agent to record. oracle:slip=P skips each move with probability P."),
    ] = "oracle:slip=0.1",
    tasks: Annotated[int, typer.Option(help="Number of tasks.", min=1)] = 12,
    watched: Annotated[int, typer.Option("--k", help="Recorded attempts per task.", min=1)] = 4,
    seed: Annotated[int, typer.Option(help="Random seed for the choice of configurations.", min=0)] = 0,
    workers: Annotated[int, typer.Option(help="Run N episodes in parallel.", min=1)] = 2,
    json: Json = False,
) -> None:
    """Measure what blind replay of recorded successes scores.

    \b
    Example:
      fairground experiment replay pocket/notes --tasks 4

    Records an agent, then replays its successes without looking at the screen: once on the same configurations
    (static), once on other ones (varied). On a static suite, replay scores the agent's pass@k. On a varied suite it
    scores much less.
    """  # noqa: D301 (\b keeps line breaks)
    if agent.startswith("replay:"):
        raise InvalidInput("--agent: a replay cannot be recorded", fix="name an agent that acts, such as oracle")
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
        shown.add_row(str(k), *(f"{point.estimate:.0%} \\[{point.low:.0%}, {point.high:.0%}]" for point in points))
    console.print(shown)
    for kind, count in result.unscored.items():
        if count:
            left = result.left_out[kind]
            lost = counted(count, "errored or invalid episode")
            console.print(f"{kind}: excluded {lost}, and {counted(left, 'task')} without enough scored episodes")
    console.print(f"[dim]wrote[/]   {page}", highlight=False, soft_wrap=True)
