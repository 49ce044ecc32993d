"""`fairground list`: what there is to open and to run."""

from __future__ import annotations

import math
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from fairground.cli.output import Json, console, print_json
from fairground.core import unknown
from fairground.worlds import App, Scenario, Suite, suites


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
        print_json([_plain(suite, app) for suite, app in pairs])
        return
    for suite, app in pairs:
        width, height = app.screen.size
        about = f"{escape(app.title)}, {app.screen.backend} {width}x{height}"
        console.print(f"[bold]{suite.name}/{app.name}[/]  {about}", highlight=False)
        table = Table(box=None, pad_edge=False, show_header=False)
        table.add_column(no_wrap=True)
        for scenario in _scenarios(suite, app):
            counts = [len(scenario.instances), len(app.profiles), len(app.themes), len(app.ui_states)]
            product = " x ".join(map(str, counts))
            table.add_row(
                f"  {suite.name}/{app.name}/{scenario.name}", scenario.kind, f"{product} = {math.prod(counts):,}"
            )
        console.print(table)
    if not app_name:
        console.print("\n[dim]instances x profiles x themes x ui_states = configurations[/]", highlight=False)
    if app_name:
        for suite, app in pairs:
            _print_axes(suite, app)


def _print_axes(suite: Suite, app: App) -> None:
    console.print()
    for axis, values in (("profiles", app.profiles), ("themes", app.themes), ("ui_states", app.ui_states)):
        console.print(f"[bold]{axis}[/]  {', '.join(values)}")
    for scenario in _scenarios(suite, app):
        console.print(f"\n[bold]{scenario.name}[/]  {escape(scenario.template)}")
        console.print(f"  instances  {', '.join(scenario.instances)}", highlight=False)


def _scenarios(suite: Suite, app: App) -> list[Scenario]:
    return [scenario for scenario in suite.scenarios if scenario.app == app.name]


def _plain(suite: Suite, app: App) -> dict[str, Any]:
    return {
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
                "name": scenario.name,
                "kind": scenario.kind,
                "template": scenario.template,
                "instances": {name: dict(values) for name, values in scenario.instances.items()},
                "step_budget": scenario.step_budget,
            }
            for scenario in _scenarios(suite, app)
        ],
    }
