"""`fairground stats plan`: how many scenarios, configurations and rollouts a study needs."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
import typer

from fairground.cli.output import Json, print_entry, print_json
from fairground.cli.stats.options import (
    AS_IS,
    Level,
    RandomSeed,
    TableOptions,
    counted,
    grid,
    percent,
    print_notes,
    read,
    show,
    takes_tables,
)
from fairground.core import InvalidInput
from fairground.stats import (
    Costs,
    DifferenceComponents,
    Limits,
    Plan,
    Table,
    VarianceComponents,
    count,
    difference_components,
    plain,
    plan_power,
    plan_precision,
    variance_components,
)


@takes_tables
def plan(
    pilot: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="PILOT...", help="Earlier results to estimate variances from: run folders or tables of episodes."
        ),
    ] = None,
    half_width: Annotated[
        float | None, typer.Option(metavar="WIDTH", help="Goal: half-width of the interval, such as 0.03 for 3 points.")
    ] = None,
    difference: Annotated[
        float | None,
        typer.Option(metavar="SHARE", help="Goal: difference between two agents to detect, such as 0.2 for 20 points."),
    ] = None,
    power: Annotated[float, typer.Option(metavar="P", help="Probability of detecting --difference.")] = 0.8,
    agent: Annotated[
        list[str] | None, typer.Option(metavar="AGENT", help="Agent of the pilot; give two for a difference.")
    ] = None,
    sd: Annotated[
        str | None,
        typer.Option(
            metavar="S,C,R",
            help="Without a pilot: standard deviations of scenarios, configurations, rollouts. With --difference, "
            "those of the difference between the agents.",
        ),
    ] = None,
    apps: Annotated[int | None, typer.Option(help="Number of apps. [default: as in the pilot]")] = None,
    scenarios: Annotated[
        str, typer.Option(metavar="MIN-MAX", help="Scenarios per app: a range or a number.")
    ] = "2-100",
    configurations: Annotated[str, typer.Option(metavar="MIN-MAX", help="Configurations per scenario.")] = "1-1000",
    rollouts: Annotated[str, typer.Option(metavar="MIN-MAX", help="Rollouts per configuration.")] = "1-100",
    costs: Annotated[
        str, typer.Option(metavar="S,C,E", help="Costs of a scenario, a configuration, an episode.")
    ] = "0,0,1",
    fixed: Annotated[
        bool, typer.Option("--fixed", help="Treat the scenarios as the whole population, not as a sample.")
    ] = False,
    tables: TableOptions = AS_IS,
    level: Level = 0.95,
    seed: RandomSeed = 0,
    json: Json = False,
) -> None:
    """Plan the cheapest study for a given precision or power.

    \b
    Examples:
      fairground stats plan runs/first runs/second --difference 0.2
      fairground stats plan pilot.csv --half-width 0.03
      fairground stats plan --sd 0.3,0.1,0.35 --apps 15 --difference 0.05

    Shows how many scenarios, configurations and rollouts to run. A pilot needs two scenarios per app and two
    rollouts per configuration; for --difference, two agents on the same configurations.
    """  # noqa: D301 (\b keeps line breaks)
    if (half_width is None) == (difference is None):
        raise InvalidInput(
            f"expected one of --half-width and --difference, got {'none' if half_width is None else 'both'}",
            fix="give --half-width 0.03, or --difference 0.05 (with --power)",
        )
    if bool(pilot) == (sd is not None):
        raise InvalidInput(
            f"expected either a pilot table or --sd, got {'both' if pilot else 'none'}",
            fix="give run folders or a table, or --sd SCENARIO,CONFIGURATION,ROLLOUT such as 0.3,0.1,0.35",
        )
    rng = np.random.default_rng(seed)
    if pilot:
        table = read(pilot, tables)
        components, found_apps = _from_pilot(table, agent, difference is not None, rng)
        apps = found_apps if apps is None else apps
    else:
        if agent or tables != AS_IS:
            raise InvalidInput(
                "--agent and the options for reading tables need a pilot",
                fix="give run folders or a table, or remove these options",
            )
        three = [value**2 for value in _numbers("--sd", sd or "", 3)]
        components = (VarianceComponents if difference is None else DifferenceComponents)(*three)
    if apps is None:
        raise InvalidInput("without a pilot, --apps is required", fix="add the number of apps, such as --apps 15")
    limits = Limits(
        _range("--scenarios", scenarios), _range("--configurations", configurations), _range("--rollouts", rollouts)
    )
    if fixed and limits.scenarios[0] != limits.scenarios[1]:
        raise InvalidInput(
            f"--fixed: expected the number of scenarios that each app has, got {scenarios}",
            fix="give one number, such as --scenarios 26",
        )
    spending = Costs(*_numbers("--costs", costs, 3))
    kind: Literal["fixed", "sampled"] = "fixed" if fixed else "sampled"
    if half_width is not None:
        result = plan_precision(
            components, apps=apps, half_width=half_width, limits=limits, costs=spending, level=level, scenarios_are=kind
        )
    else:
        assert difference is not None and isinstance(components, DifferenceComponents)
        result = plan_power(
            components,
            apps=apps,
            difference=difference,
            power=power,
            limits=limits,
            costs=spending,
            level=level,
            scenarios_are=kind,
        )
    if json:
        print_json({"components": plain(components), "apps": apps, "plan": plain(result)})
        return
    _print(result, components, apps)


def _from_pilot(
    table: Table, agents: list[str] | None, difference: bool, rng: np.random.Generator
) -> tuple[VarianceComponents, int]:
    names = agents or [str(contender) for contender in table.contenders]
    wanted = 2 if difference else 1
    if len(names) != wanted:
        raise InvalidInput(
            f"a plan for {'a difference needs two contenders' if difference else 'one score needs one contender'}, "
            f"got {len(names)}: {', '.join(names[:8])}",
            fix="choose with " + " ".join(f"--agent {name!r}" for name in names[:wanted])
            if len(names) > wanted
            else "name another run as well, such as: fairground stats plan runs/first runs/second --difference 0.2",
        )
    cells = [count(table, name) for name in names]
    if difference:
        return difference_components(cells[0], cells[1], rng=rng).to_plan(), len(cells[0].apps)
    return variance_components(cells[0], rng=rng).to_plan(), len(cells[0].apps)


def _numbers(option: str, text: str, wanted: int) -> list[float]:
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) != wanted or not all(0 <= number < math.inf for number in numbers):
        raise InvalidInput(
            f"{option}: expected {wanted} non-negative numbers separated by commas, got {text!r}",
            fix=f"such as {option} {'0.3,0.1,0.35' if option == '--sd' else '0,0,1'}",
        )
    return numbers


def _range(option: str, text: str) -> tuple[int, int]:
    least, _, most = text.partition("-")
    try:
        return int(least), int(most or least)
    except ValueError:
        raise InvalidInput(f"{option}: expected MIN-MAX or a number, got {text!r}", fix="such as 2-100") from None


def _print(result: Plan, components: VarianceComponents, apps: int) -> None:
    print_entry(
        "",
        f"[bold]{counted(apps, 'app')}[/]; standard deviations: scenarios {components.scenario**0.5:.3f}, "
        f"configurations {components.configuration**0.5:.3f}, rollouts {components.rollout**0.5:.3f}",
        indent=2,
    )
    best = result.cheapest
    print_entry(
        "",
        f"[bold green]{counted(best.scenarios, 'scenario')} per app x {counted(best.configurations, 'configuration')} "
        f"x {counted(best.rollouts, 'rollout')}[/] = {counted(best.episodes, 'episode')}, cost {best.cost:,.6g}, "
        f"half-width ±{percent(best.half_width)}"
        + (f", power {percent(best.power, 0)}" if best.power is not None else ""),
        indent=2,
    )
    table = grid(
        f"cheapest for each number of scenarios; goal: {result.goal} {result.wanted:g}",
        *(">scenarios", ">configurations", ">rollouts", ">episodes", ">cost", ">half-width"),
        *((">power",) if best.power is not None else ()),
    )
    for option in result.by_scenarios:
        table.add_row(
            str(option.scenarios),
            str(option.configurations),
            str(option.rollouts),
            f"{option.episodes:,}",
            f"{option.cost:,.6g}",
            f"±{percent(option.half_width)}",
            *(() if option.power is None else (percent(option.power, 0),)),
        )
    show(table)
    print_entry(
        "",
        f"[dim]The half-width cannot fall below ±{percent(result.floor)}: this is the limit of infinitely many "
        "episodes with the maximum number of scenarios.[/]",
        indent=2,
    )
    print_notes(("", note) for note in result.notes)
