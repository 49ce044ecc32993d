"""`fairground stats plan`: how much to run."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
import typer

from fairground.cli.output import Json, console, print_json
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
    pilot: Annotated[Path | None, typer.Argument(help="A table to estimate the variances from.")] = None,
    half_width: Annotated[float | None, typer.Option(help="The half-width wanted, such as 0.03.")] = None,
    difference: Annotated[float | None, typer.Option(help="The difference that should be found, such as 0.05.")] = None,
    power: Annotated[float, typer.Option(help="With this chance.")] = 0.8,
    agent: Annotated[list[str] | None, typer.Option(help="Whose pilot; two of them for a difference.")] = None,
    sd: Annotated[
        str | None, typer.Option(help="Without a pilot: standard deviations SCENARIO,CONFIGURATION,ROLLOUT.")
    ] = None,
    apps: Annotated[int | None, typer.Option(help="How many apps; the pilot's unless given.")] = None,
    scenarios: Annotated[str, typer.Option(help="Scenarios an app: LEAST-MOST, or a number.")] = "2-100",
    configurations: Annotated[str, typer.Option(help="Configurations a scenario.")] = "1-1000",
    rollouts: Annotated[str, typer.Option(help="Rollouts a configuration.")] = "1-100",
    costs: Annotated[str, typer.Option(help="SCENARIO,CONFIGURATION,EPISODE, in any one unit.")] = "0,0,1",
    fixed: Annotated[bool, typer.Option("--fixed", help="Only these scenarios matter: they are not a sample.")] = False,
    tables: TableOptions = AS_IS,
    level: Level = 0.95,
    seed: RandomSeed = 0,
    json: Json = False,
) -> None:
    """The cheapest scenarios x configurations x rollouts for a wanted half-width or a wanted power."""
    if (half_width is None) == (difference is None):
        raise InvalidInput(
            f"a plan has one goal, got {'none' if half_width is None else 'two'}",
            fix="say --half-width 0.03, or --difference 0.05 (with --power)",
        )
    if (pilot is None) == (sd is None):
        raise InvalidInput(
            f"a plan needs to know how results vary from one place, got {'none' if pilot is None else 'two'}",
            fix="give a pilot table, or --sd SCENARIO,CONFIGURATION,ROLLOUT such as 0.3,0.1,0.35",
        )
    rng = np.random.default_rng(seed)
    if pilot is not None:
        table = read([pilot], tables)
        components, found_apps = _from_pilot(table, agent, difference is not None, rng)
        apps = found_apps if apps is None else apps
    else:
        if agent or tables != AS_IS:
            raise InvalidInput(
                "--agent and the options that say how to read a table are about a pilot, and there is none",
                fix="give the pilot's table, or leave them out",
            )
        three = [value**2 for value in _numbers("--sd", sd or "", 3)]
        components = (VarianceComponents if difference is None else DifferenceComponents)(*three)
    if apps is None:
        raise InvalidInput("without a pilot, the number of apps is not known", fix="say --apps 15")
    limits = Limits(
        _range("--scenarios", scenarios), _range("--configurations", configurations), _range("--rollouts", rollouts)
    )
    if fixed and limits.scenarios[0] != limits.scenarios[1]:
        raise InvalidInput(
            f"--fixed: expected the number of scenarios that each app has, got {scenarios}", fix="say --scenarios 26"
        )
    spending = Costs(*_numbers("--costs", costs, 3))
    kind: Literal["fixed", "sampled"] = "fixed" if fixed else "sampled"
    if half_width is not None:
        found = plan_precision(
            components, apps=apps, half_width=half_width, limits=limits, costs=spending, level=level, scenarios_are=kind
        )
    else:
        assert difference is not None and isinstance(components, DifferenceComponents)
        found = plan_power(
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
        print_json({"components": plain(components), "apps": apps, "plan": plain(found)})
        return
    _print(found, components, apps)


def _from_pilot(
    table: Table, agents: list[str] | None, difference: bool, rng: np.random.Generator
) -> tuple[VarianceComponents, int]:
    names = agents or [str(one) for one in table.contenders]
    wanted = 2 if difference else 1
    if len(names) != wanted:
        raise InvalidInput(
            f"a plan for {'a difference needs two contenders' if difference else 'one score needs one contender'}, "
            f"got {len(names)}: {', '.join(names[:8])}",
            fix="say which: " + " ".join(f"--agent {name!r}" for name in names[:wanted]),
        )
    cells = [count(table, name) for name in names]
    if difference:
        return difference_components(cells[0], cells[1], rng=rng).to_plan(), len(cells[0].apps)
    return variance_components(cells[0], rng=rng).to_plan(), len(cells[0].apps)


def _numbers(option: str, text: str, wanted: int) -> list[float]:
    try:
        found = [float(part) for part in text.split(",")]
    except ValueError:
        found = []
    if len(found) != wanted or not all(0 <= number < math.inf for number in found):
        raise InvalidInput(
            f"{option}: expected {wanted} numbers from 0 up with commas between them, got {text!r}",
            fix=f"such as {option} {'0.3,0.1,0.35' if option == '--sd' else '0,0,1'}",
        )
    return found


def _range(option: str, text: str) -> tuple[int, int]:
    least, _, most = text.partition("-")
    try:
        return int(least), int(most or least)
    except ValueError:
        raise InvalidInput(f"{option}: expected LEAST-MOST or a number, got {text!r}", fix="such as 2-100") from None


def _print(found: Plan, components: VarianceComponents, apps: int) -> None:
    console.print(
        f"[bold]{counted(apps, 'app')}[/]; standard deviations: scenarios {components.scenario**0.5:.3f}, "
        f"configurations {components.configuration**0.5:.3f}, rollouts {components.rollout**0.5:.3f}",
        highlight=False,
    )
    best = found.cheapest
    console.print(
        f"[bold green]{counted(best.scenarios, 'scenario')} an app x {counted(best.configurations, 'configuration')} x "
        f"{counted(best.rollouts, 'rollout')}[/] = {counted(best.episodes, 'episode')}, cost {best.cost:,.6g}, "
        f"half-width ±{percent(best.half_width)}"
        + (f", power {percent(best.power, 0)}" if best.power is not None else ""),
        highlight=False,
    )
    made = grid(
        f"cheapest for each number of scenarios; {found.goal} {found.wanted:g} wanted",
        *(">scenarios", ">configurations", ">rollouts", ">episodes", ">cost", ">half-width"),
        *((">power",) if best.power is not None else ()),
    )
    for one in found.by_scenarios:
        made.add_row(
            str(one.scenarios),
            str(one.configurations),
            str(one.rollouts),
            f"{one.episodes:,}",
            f"{one.cost:,.6g}",
            f"±{percent(one.half_width)}",
            *(() if one.power is None else (percent(one.power, 0),)),
        )
    show(made)
    console.print(
        f"[dim]With the most scenarios allowed and endless episodes the half-width would still be "
        f"±{percent(found.floor)}.[/]",
        highlight=False,
    )
    print_notes(("", note) for note in found.notes)
