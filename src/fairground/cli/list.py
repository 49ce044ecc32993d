"""`fairground list`: the installed suites, apps and scenarios."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from fairground.cli.output import Json, console, print_entry, print_json
from fairground.core import unknown
from fairground.report.plural import counted
from fairground.worlds import App, Suite, suites
from fairground.worlds.census import ScenarioCount, add_up, count_scenarios

_SCREEN_LINES = 17  # suites and apps that fit a terminal of 24 lines, beside the header, the totals and the hints


@dataclass(frozen=True)
class _Listed:
    suite: Suite
    app: App
    counts: tuple[ScenarioCount, ...]


def list_(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="SUITE, SUITE/APP or SUITE/APP/SCENARIO. [default: all suites]")
    ] = "",
    json: Json = False,
) -> None:
    """List suites, apps and scenarios.

    \b
    Examples:
      fairground list                              Suites and apps.
      fairground list pocket                       Scenarios of a suite.
      fairground list pocket/notes                 An app: axes, instructions.
      fairground list pocket/notes/count-label     One scenario.
      fairground list --json                       Everything.

    Configurations are all combinations of instance, profile, theme and UI state. A configuration is proven when
    `fairground prove` has shown that it can be solved and that near misses are rejected.
    """  # noqa: D301 (\b keeps line breaks)
    wanted, _, rest = name.strip("/").partition("/")
    app_name, _, scenario_name = rest.partition("/")
    known = suites()
    if wanted and wanted not in known:
        raise unknown("suite", wanted, known)
    chosen = [known[wanted]] if wanted else list(known.values())
    listed = [_listed(suite, app) for suite in chosen for app in ([suite.app(app_name)] if app_name else suite.apps)]
    if scenario_name:
        listed = [_only(listed[0], scenario_name)]
    if json:
        print_json({"totals": _totals(listed), "apps": [_plain(row) for row in listed]})
    elif not wanted:
        _print_overview(listed)
    else:
        _print_scenarios(listed)
        if app_name:
            _print_details(listed[0])
        else:
            _print_totals(listed)
            console.print(f"[dim]Details of an app: fairground list {listed[0].suite.name}/APP[/]", highlight=False)


def _listed(suite: Suite, app: App) -> _Listed:
    return _Listed(suite, app, count_scenarios(suite, app))


def _only(row: _Listed, scenario: str) -> _Listed:
    """Leaves one scenario; raises for an unknown name."""
    chosen = row.suite.scenario(row.app.name, scenario)
    return _Listed(row.suite, row.app, tuple(count for count in row.counts if count.scenario.name == chosen.name))


def _print_overview(listed: Sequence[_Listed]) -> None:
    """Prints one line per suite and app, or only per suite where apps do not fit one screen."""
    if not listed:
        console.print("No suite is installed. Install one, such as: pip install fairground-pocket", highlight=False)
        return
    by_suite: dict[str, list[_Listed]] = {}
    for row in listed:
        by_suite.setdefault(row.suite.name, []).append(row)
    with_apps = len(by_suite) + len(listed) <= _SCREEN_LINES
    table = _table("", "", ">scenarios", ">configurations", ">proven")
    for name, rows in by_suite.items():
        table.add_row(f"[bold]{name}[/]", f"[bold]{escape(rows[0].suite.title)}[/]", *_numbers(rows, "bold"))
        for row in rows if with_apps else ():
            table.add_row(f"  {name}/{row.app.name}", escape(row.app.title), *_numbers([row]))
    console.print(table)
    _print_totals(listed)
    suite, app = listed[0].suite.name, listed[0].app.name
    console.print(
        f"[dim]More: fairground list {suite}, fairground list {suite}/{app}, fairground list --json[/]", highlight=False
    )


def _numbers(rows: Sequence[_Listed], style: str = "default") -> list[str]:
    totals = _totals(rows)
    proven = totals["proven_configurations"]
    texts = (f"{totals['scenarios']:,}", f"{totals['configurations']:,}", "-" if proven is None else f"{proven:,}")
    return [f"[{style}]{text}[/]" for text in texts]


def _print_scenarios(listed: Sequence[_Listed]) -> None:
    for row in listed:
        app = row.app
        about = f"{escape(app.title)}, {_screen(app)}"
        axes = " x ".join(
            counted(len(values), noun)
            for values, noun in ((app.profiles, "profile"), (app.themes, "theme"), (app.ui_states, "UI state"))
        )
        print_entry("", f"[bold]{row.suite.name}/{app.name}[/]  {about}, {axes}", indent=2)
        table = _table("  scenario", "kind", ">instances", ">configurations", ">proven")
        for count in row.counts:
            proven = count.proven_configurations
            table.add_row(
                f"  {count.scenario.name}",
                count.scenario.kind,
                f"{len(count.scenario.instances):,}",
                f"{count.configurations:,}",
                "-" if proven is None else f"{proven:,}",
            )
        console.print(table)


def _screen(app: App) -> str:
    """Returns the screen in words: `browser page, 412 x 915`."""
    width, height = app.screen.size
    return f"{'desktop' if app.screen.has_desktop else 'browser page'}, {width} x {height}"


def _print_totals(listed: Sequence[_Listed]) -> None:
    totals = _totals(listed)
    proven, share = totals["proven_configurations"], totals["mutants"]["share_rejected"]
    parts = [
        counted(totals["apps"], "app"),
        f"{counted(totals['scenarios'], 'scenario')} ({totals['action']} action, {totals['answer']} answer)",
        counted(totals["instances"], "instance"),
        counted(totals["configurations"], "configuration") + (f" ({proven:,} proven)" if proven is not None else ""),
    ]
    if share is not None:
        parts.append(f"{share:.1%} of mutants rejected")
    console.print()
    print_entry("", ", ".join(parts), indent=2)


def _print_details(row: _Listed) -> None:
    console.print()
    app = row.app
    for axis, values in (("profiles", app.profiles), ("themes", app.themes), ("ui_states", app.ui_states)):
        print_entry(f"[bold]{axis}[/]", ", ".join(values), indent=11)
    for scenario in (count.scenario for count in row.counts):
        console.print()
        print_entry("", f"[bold]{scenario.name}[/]  {escape(scenario.template)}", indent=2)
        print_entry("  instances", ", ".join(scenario.instances), indent=13)
        print_entry("  step budget", str(scenario.step_budget), indent=15)


def _table(*columns: str) -> Table:
    """An empty table. Columns whose name begins with `>` are aligned to the right."""
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for column in columns:
        table.add_column(column.lstrip(">"), justify="right" if column.startswith(">") else "left", no_wrap=True)
    return table


def _totals(listed: Sequence[_Listed]) -> dict[str, Any]:
    """Counts over apps. What is proven is None where no suite has proofs."""
    census = add_up(count for row in listed for count in row.counts)
    return {
        "apps": len(listed),
        "scenarios": census.scenarios,
        "action": census.action,
        "answer": census.answer,
        "instances": census.instances,
        "configurations": census.configurations,
        "proven_configurations": census.proven_configurations,
        "mutants": {**census.mutants.plain(), "share_rejected": census.mutants.share},
    }


def _plain(row: _Listed) -> dict[str, Any]:
    app = row.app
    return {
        "totals": _totals([row]),
        "suite": row.suite.name,
        "version": row.suite.version,
        "app": app.name,
        "title": app.title,
        "packages": list(app.packages),
        "screen": {"backend": app.screen.backend, "size": list(app.screen.size)},
        "profiles": list(app.profiles),
        "themes": list(app.themes),
        "ui_states": list(app.ui_states),
        "scenarios": [
            {
                "name": count.scenario.name,
                "kind": count.scenario.kind,
                "template": count.scenario.template,
                "instances": {name: dict(values) for name, values in count.scenario.instances.items()},
                "step_budget": count.scenario.step_budget,
                "proven_configurations": count.proven_configurations,
                "mutants_rejected": count.mutants.share,
            }
            for count in row.counts
        ],
    }
