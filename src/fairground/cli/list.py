"""`fairground list`: what there is to open and to run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from fairground.cli.output import Json, console, print_json
from fairground.core import unknown
from fairground.worlds import App, Suite, suites
from fairground.worlds.census import add_up, count_scenarios


def list_(
    name: Annotated[str, typer.Argument(help="SUITE or SUITE/APP; everything if left out.")] = "", json: Json = False
) -> None:
    """Lists suites, apps and scenarios, with their axes."""
    wanted, _, app_name = name.strip("/").partition("/")
    known = suites()
    if wanted and wanted not in known:
        raise unknown("suite", wanted, known)
    chosen = [known[wanted]] if wanted else list(known.values())
    pairs = [(suite, app) for suite in chosen for app in suite.apps]
    if app_name:
        pairs = [(chosen[0], chosen[0].app(app_name))]
    if json:
        print_json({"totals": _totals(pairs), "apps": [_plain(suite, app) for suite, app in pairs]})
        return
    for suite, app in pairs:
        width, height = app.screen.size
        about = f"{escape(app.title)}, {app.screen.backend} {width}x{height}"
        console.print(f"[bold]{suite.name}/{app.name}[/]  {about}", highlight=False)
        table = Table(box=None, pad_edge=False, show_header=False)
        table.add_column(no_wrap=True)
        for one in count_scenarios(suite, app):
            axes = (one.scenario.instances, app.profiles, app.themes, app.ui_states)
            product = " x ".join(str(len(values)) for values in axes)
            number = one.proven_configurations
            proven = "" if number is None else f"{number:,} proven"
            name = f"  {suite.name}/{app.name}/{one.scenario.name}"
            table.add_row(name, one.scenario.kind, f"{product} = {one.configurations:,}", proven)
        console.print(table)
    if not app_name:
        console.print("\n[dim]instances x profiles x themes x ui_states = configurations[/]", highlight=False)
        _print_totals(_totals(pairs))
    if app_name:
        for suite, app in pairs:
            _print_axes(suite, app)


def _print_totals(totals: dict[str, Any]) -> None:
    proven, share = totals["proven_configurations"], totals["mutants"]["share_rejected"]
    told = f"; {proven:,} proven" if proven is not None else ""
    told += f", mutants rejected {share:.1%}" if share is not None else ""
    kinds = f"{totals['action']} action, {totals['answer']} answer"
    console.print(
        f"{totals['apps']} apps, {totals['scenarios']} scenarios ({kinds}), "
        f"{totals['instances']:,} instances, {totals['configurations']:,} configurations{told}",
        highlight=False,
    )


def _print_axes(suite: Suite, app: App) -> None:
    console.print()
    for axis, values in (("profiles", app.profiles), ("themes", app.themes), ("ui_states", app.ui_states)):
        console.print(f"[bold]{axis}[/]  {', '.join(values)}")
    for scenario in (one for one in suite.scenarios if one.app == app.name):
        console.print(f"\n[bold]{scenario.name}[/]  {escape(scenario.template)}")
        console.print(f"  instances  {', '.join(scenario.instances)}", highlight=False)


def _totals(pairs: Sequence[tuple[Suite, App]]) -> dict[str, Any]:
    """Counts over apps; what is proven is null where no suite has proofs."""
    found = add_up(one for suite, app in pairs for one in count_scenarios(suite, app))
    return {
        "apps": len(pairs),
        "scenarios": found.scenarios,
        "action": found.action,
        "answer": found.answer,
        "instances": found.instances,
        "configurations": found.configurations,
        "proven_configurations": found.proven_configurations,
        "mutants": {**found.mutants.plain(), "share_rejected": found.mutants.share},
    }


def _plain(suite: Suite, app: App) -> dict[str, Any]:
    return {
        "totals": _totals([(suite, app)]),
        "suite": suite.name,
        "version": suite.version,
        "app": app.name,
        "title": app.title,
        "packages": list(app.packages),
        "screen": {"backend": app.screen.backend, "size": list(app.screen.size)},
        "profiles": list(app.profiles),
        "themes": list(app.themes),
        "ui_states": list(app.ui_states),
        "scenarios": [
            {
                "name": one.scenario.name,
                "kind": one.scenario.kind,
                "template": one.scenario.template,
                "instances": {name: dict(values) for name, values in one.scenario.instances.items()},
                "step_budget": one.scenario.step_budget,
                "proven_configurations": one.proven_configurations,
                "mutants_rejected": one.mutants.share,
            }
            for one in count_scenarios(suite, app)
        ],
    }
