"""`fairground run` and `fairground resume`: many episodes, in parallel, that survive being stopped.

What they do is in `running`, which loads the rooms: the help of a command needs none.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from fairground.cli.output import AGENTS, Json, Observe, Runner, listed
from fairground.core import AXES

Workers = Annotated[
    int | None,
    typer.Option(help="Episodes at a time; by default up to 4 here, and every seat of a Ray cluster.", min=1),
]


class Where(StrEnum):
    """Who carries episodes out."""

    LOCAL = "local"
    RAY = "ray"


class Choice(StrEnum):
    """How configurations are chosen."""

    RANDOM = "random"
    ONE_AXIS = "one-axis-at-a-time"


class AgentErrors(StrEnum):
    """What becomes of an episode that the agent broke off."""

    FAILED = "failed"
    EXCLUDED = "excluded"


Place = Annotated[Where, typer.Option("--executor", help="Processes on this machine, or a Ray cluster.")]
Address = Annotated[
    str | None,
    typer.Option(help="Of the Ray cluster (host:port, or auto); by default RAY_ADDRESS, or a new one on this machine."),
]
Ship = Annotated[
    bool,
    typer.Option("--ship", help="Ray nodes send episodes back, for when they do not share the folder of the run."),
]


def run(
    worlds: Annotated[list[str], typer.Argument(help="Suites, apps, scenarios: desk, desk/calc, pocket/notes/...")],
    agent: Annotated[
        list[str] | None, typer.Option(help=f"{AGENTS} Several agents have the same configurations. [default: random]")
    ] = None,
    rollouts: Annotated[int, typer.Option(help="Attempts at each configuration.", min=1)] = 3,
    configs: Annotated[int, typer.Option(help="Configurations per scenario; 0 for all.", min=0)] = 4,
    design: Annotated[
        Choice, typer.Option(help="Draw configurations at random, or vary one axis at a time from a base.")
    ] = Choice.RANDOM,
    axes: Annotated[str, typer.Option(help="The axes to vary, with commas.")] = ",".join(AXES),
    steps: Annotated[int | None, typer.Option(help="Most actions an episode.", min=1)] = None,
    seconds: Annotated[float | None, typer.Option(help="Most seconds an episode.")] = None,
    tokens: Annotated[int | None, typer.Option(help="Most tokens of a model, an episode.", min=1)] = None,
    dollars: Annotated[float | None, typer.Option(help="Most dollars for the whole run.")] = None,
    prices: Annotated[
        Path | None, typer.Option(help="A price table (TOML) that completes the package's; kept with the run.")
    ] = None,
    retries: Annotated[int, typer.Option(help="How often an errored episode is tried again.", min=0)] = 2,
    agent_errors: Annotated[
        AgentErrors, typer.Option(help="Count episodes that the agent broke off as failed, or exclude them.")
    ] = AgentErrors.FAILED,
    with_: Annotated[
        list[str] | None,
        typer.Option("--with", help="What to change about how the agent is run: retry, fixed-plan:MODEL, ... (docs)."),
    ] = None,
    condition: Annotated[str, typer.Option(help="A name for how this run differs from others of the agent.")] = "",
    seed: Annotated[int, typer.Option(help="The same seed gives the same plan.", min=0)] = 0,
    workers: Workers = None,
    executor: Place = Where.LOCAL,
    address: Address = None,
    ship: Ship = False,
    out: Annotated[Path | None, typer.Option(help="Folder of the run; must be empty or absent.")] = None,
    name: Annotated[str, typer.Option(help="What to call the run in the studio.")] = "",
    tag: Annotated[list[str] | None, typer.Option(help="A word to find the run by; may be repeated.")] = None,
    runner: Runner = None,
    observe: Observe = "",
    video: Annotated[bool, typer.Option("--video", help="Make a video of every episode.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show the plan, and what it would take.")] = False,
    json: Json = False,
) -> None:
    """Runs agents over many configurations, and ends with scores, their intervals and a report.

    \b
      fairground run pocket/notes --agent random --configs 2 --dry-run     what would be run, and what it would take
      fairground run pocket --agent oracle --agent random --out both       two agents on the same configurations
      fairground run pocket --agent anthropic:claude-sonnet-5-5 --dollars 20 --out first
      fairground resume first                                              after Ctrl-C, a crash, or with more --dollars
      fairground compare first second                                      who is better, and where

    Plan and worlds follow from the words and the seed. Episodes that errored are tried again, and are not scored. What
    the agent causes itself, such as an exception of its code, counts as failed.
    """  # noqa: D301 (click reads \b as: keep these lines)
    from fairground.agents.models import read_prices
    from fairground.cli.running import How, begin
    from fairground.rollout import Budget, RunSpec
    from fairground.rollout.interventions import parse_intervention
    from fairground.rollout.label import make_label

    spec = RunSpec(
        worlds=tuple(worlds),
        agent="",
        condition=condition,
        interventions=tuple(parse_intervention(words) for words in with_ or ()),
        rollouts=rollouts,
        configs=configs or None,
        design=design.value,
        axes=listed(axes),
        seed=seed,
        budget=Budget(steps=steps, seconds=seconds, tokens=tokens, dollars=dollars),
        retries=retries,
        agent_errors=agent_errors.value,
        prices={} if prices is None else read_prices(prices),
        runner=runner,
        video=video,
        observe=listed(observe),
    )
    how = How(workers, executor is Where.RAY, address, ship)
    label = make_label(name, tag or ())
    begin(list(dict.fromkeys(agent or ["random"])), spec, how, out=out, label=label, dry_run=dry_run, json=json)


def resume(
    folder: Annotated[Path, typer.Argument(help="The folder of a run, or of several side by side.")],
    workers: Workers = None,
    executor: Place = Where.LOCAL,
    address: Address = None,
    ship: Ship = False,
    dollars: Annotated[float | None, typer.Option(help="Most dollars for the whole run, in place of its own.")] = None,
    errored: Annotated[bool, typer.Option("--errored", help="Also try episodes again that ended as errored.")] = False,
    json: Json = False,
) -> None:
    """Goes on with a run that was stopped: what it still lacks, and nothing twice."""
    from fairground.cli.running import How, go_on

    go_on(folder, How(workers, executor is Where.RAY, address, ship), dollars=dollars, errored=errored, json=json)
