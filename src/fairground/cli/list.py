"""`fairground list`: what there is to open and to run."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from fairground.cli.output import Json, console, print_json
from fairground.core import unknown
from fairground.worlds import App, MutantCount, Scenario, Suite, suites


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
        for scenario in _scenarios(suite, app):
            counts = [len(scenario.instances), len(app.profiles), len(app.themes), len(app.ui_states)]
            product = " x ".join(map(str, counts))
            proven = "" if suite.proofs is None else f"{_proven(suite, scenario):,} proven"
            name = f"  {suite.name}/{app.name}/{scenario.name}"
            table.add_row(name, scenario.kind, f"{product} = {math.prod(counts):,}", proven)
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
    for scenario in _scenarios(suite, app):
        console.print(f"\n[bold]{scenario.name}[/]  {escape(scenario.template)}")
        console.print(f"  instances  {', '.join(scenario.instances)}", highlight=False)


def _scenarios(suite: Suite, app: App) -> list[Scenario]:
    return [scenario for scenario in suite.scenarios if scenario.app == app.name]


def _proven(suite: Suite, scenario: Scenario) -> int:
    app = suite.app(scenario.app)
    return len(suite.pairs(scenario)) * len(app.themes) * len(app.ui_states)


def _mutants(suite: Suite, scenario: Scenario) -> MutantCount:
    table = suite.proof(scenario.app)
    found = table.find(scenario.name) if table is not None else None
    return found.mutants if found is not None else MutantCount()


def _totals(pairs: Sequence[tuple[Suite, App]]) -> dict[str, Any]:
    """Counts over apps; what is proven is null where no suite has proofs."""
    found = [(suite, app, scenario) for suite, app in pairs for scenario in _scenarios(suite, app)]
    kinds = Counter(scenario.kind for _, _, scenario in found)
    held = [(suite, scenario) for suite, _, scenario in found if suite.proofs is not None]
    mutants = sum((_mutants(suite, scenario) for suite, scenario in held), MutantCount())
    return {
        "apps": len(pairs),
        "scenarios": len(found),
        "action": kinds["action"],
        "answer": kinds["answer"],
        "instances": sum(len(scenario.instances) for _, _, scenario in found),
        "configurations": sum(
            math.prod(map(len, (scenario.instances, app.profiles, app.themes, app.ui_states)))
            for _, app, scenario in found
        ),
        "proven_configurations": sum(_proven(suite, scenario) for suite, scenario in held) if held else None,
        "mutants": {**mutants.plain(), "share_rejected": mutants.share},
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
                "name": scenario.name,
                "kind": scenario.kind,
                "template": scenario.template,
                "instances": {name: dict(values) for name, values in scenario.instances.items()},
                "step_budget": scenario.step_budget,
                "proven_configurations": _proven(suite, scenario) if suite.proofs is not None else None,
                "mutants_rejected": _mutants(suite, scenario).share,
            }
            for scenario in _scenarios(suite, app)
        ],
    }
