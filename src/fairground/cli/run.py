"""`fairground run` and `fairground resume`: many episodes in parallel, which can be stopped and continued.

The work is in `running`, which is imported late so that help texts load quickly.
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
    typer.Option(
        help="Run N episodes in parallel. [default: up to 4 on this machine; all seats of a Ray cluster]", min=1
    ),
]


class Where(StrEnum):
    """Where episodes run."""

    LOCAL = "local"
    RAY = "ray"


class Choice(StrEnum):
    """How configurations are chosen."""

    RANDOM = "random"
    ONE_AXIS = "one-axis-at-a-time"


class AgentErrors(StrEnum):
    """How to count an episode that ended by an error of the agent."""

    FAILED = "failed"
    EXCLUDED = "excluded"


Place = Annotated[
    Where, typer.Option("--executor", help="Run episodes in processes on this machine, or on a Ray cluster.")
]
Address = Annotated[
    str | None,
    typer.Option(
        metavar="HOST:PORT",
        help="Address of the Ray cluster, or auto. [default: RAY_ADDRESS, else a new cluster on this machine]",
    ),
]
Ship = Annotated[
    bool,
    typer.Option("--ship", help="Send episodes back from Ray nodes that do not share the run's folder."),
]


def run(
    worlds: Annotated[
        list[str],
        typer.Argument(
            metavar="WORLDS", help="Suites, apps, scenarios or configurations, such as pocket or desk/calc."
        ),
    ],
    agent: Annotated[
        list[str] | None,
        typer.Option(
            metavar="AGENT",
            help=f"The agent; repeat for several agents on the same configurations. {AGENTS} [default: random]",
        ),
    ] = None,
    rollouts: Annotated[int, typer.Option(help="Number of attempts per configuration.", min=1)] = 3,
    configs: Annotated[int, typer.Option(help="Number of configurations per scenario; 0 for all.", min=0)] = 4,
    design: Annotated[
        Choice,
        typer.Option(help="Draw configurations at random, or vary one axis at a time from a base configuration."),
    ] = Choice.RANDOM,
    axes: Annotated[str, typer.Option(metavar="NAMES", help="Axes to vary, separated by commas.")] = ",".join(AXES),
    steps: Annotated[
        int | None,
        typer.Option(help="Maximum number of actions per episode. A lower limit of the scenario still applies.", min=1),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS", help="Maximum duration per episode. A lower limit of the scenario still applies."
        ),
    ] = None,
    tokens: Annotated[int | None, typer.Option(help="Maximum number of model tokens per episode.", min=1)] = None,
    dollars: Annotated[float | None, typer.Option(metavar="USD", help="Maximum cost of the whole run.")] = None,
    prices: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="TOML file with prices of models. Adds to the built-in prices; kept with the run."
        ),
    ] = None,
    retries: Annotated[int, typer.Option(help="Retry an errored episode up to N times.", min=0)] = 2,
    agent_errors: Annotated[
        AgentErrors, typer.Option(help="How to count episodes that end by an error of the agent.")
    ] = AgentErrors.FAILED,
    with_: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            metavar="INTERVENTION",
            help="Change how the agent is run: retry, fixed-plan:MODEL, ... See docs/interventions.md.",
        ),
    ] = None,
    condition: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Name of what differs from other runs of this agent, such as v2 after you edited its file. Shown as "
            "AGENT [NAME].",
        ),
    ] = "",
    split: Annotated[
        str, typer.Option(metavar="FILE:SIDE", help="Run only the train or test side of a split, such as s.json:test.")
    ] = "",
    seed: Annotated[int, typer.Option(help="Random seed. The same seed gives the same plan.", min=0)] = 0,
    workers: Workers = None,
    executor: Place = Where.LOCAL,
    address: Address = None,
    ship: Ship = False,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Folder of the run; must be empty or absent. [default: a new one in runs/]"
        ),
    ] = None,
    name: Annotated[str, typer.Option(metavar="NAME", help="Name of the run in the studio.")] = "",
    tag: Annotated[
        list[str] | None,
        typer.Option(metavar="TAG", help="Tag for finding the run in the studio; may be repeated."),
    ] = None,
    runner: Runner = None,
    observe: Observe = "",
    video: Annotated[bool, typer.Option("--video", help="Write a video of every episode.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the plan and its estimated time and cost; run nothing.")
    ] = False,
    json: Json = False,
) -> None:
    """Run agents over many configurations and report their scores.

    \b
    Examples:
      fairground run pocket/notes --agent random --dry-run
      fairground run pocket/notes --agent my_agent.py:MyAgent --configs 6
      fairground run pocket/notes --agent my_agent.py:MyAgent --condition v2
      fairground run pocket/notes --agent oracle --agent random --out both
      fairground run pocket --agent anthropic:claude-sonnet-5-5 --dollars 20

    Prints the plan with its estimated time and cost, runs the episodes, and ends with scores, confidence intervals
    and a report. Continue a stopped run with `fairground resume`. Compare two runs with `fairground compare`.

    An agent keeps its name when you edit its file. Give the next run a --condition, so that tables and reports show
    the two versions as two contenders.

    The arguments and the seed determine the plan and the worlds. An episode that ends by an error of the machine is
    retried and not scored. An error of the agent, such as an exception in its code, counts as failed.
    """  # noqa: D301 (\b keeps line breaks)
    from fairground.agents.models import read_prices
    from fairground.cli.running import How, begin, split_side
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
        split=split,
        only=split_side(split, worlds) if split else {},
    )
    how = How(workers, executor is Where.RAY, address, ship)
    label = make_label(name, tag or ())
    begin(list(dict.fromkeys(agent or ["random"])), spec, how, out=out, label=label, dry_run=dry_run, json=json)


def resume(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder of a run, or of several runs.")],
    workers: Workers = None,
    executor: Place = Where.LOCAL,
    address: Address = None,
    ship: Ship = False,
    dollars: Annotated[
        float | None, typer.Option(metavar="USD", help="New maximum cost of the whole run. [default: unchanged]")
    ] = None,
    errored: Annotated[bool, typer.Option("--errored", help="Also run errored episodes again.")] = False,
    json: Json = False,
) -> None:
    """Continue a run that was stopped.

    \b
    Examples:
      fairground resume runs/first
      fairground resume runs/first --errored --dollars 40

    Runs only the episodes that are missing or damaged.
    """  # noqa: D301 (\b keeps line breaks)
    from fairground.cli.running import How, go_on

    go_on(folder, How(workers, executor is Where.RAY, address, ship), dollars=dollars, errored=errored, json=json)
