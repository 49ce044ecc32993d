"""`fairground check-app`: the conformance checklist for authors of apps."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from fairground.cli.output import Json, Runner, clean, console, errors, print_json
from fairground.cli.prove import progress
from fairground.core import InvalidInput
from fairground.prove.app_check import AppCheck, write_reference
from fairground.prove.app_check import check_app as go_through
from fairground.worlds import find_app

_MARKS = {
    "passed": "[green]passed[/]",
    "failed": "[bold red]failed[/]",
    "not applicable": "[dim]n/a[/]",
    "not tried": "[yellow]not tried[/]",
}


def check_app(
    app: Annotated[
        str, typer.Argument(metavar="APP", help="SUITE/APP or APP, such as desk/calc. Or a folder with a world.toml.")
    ],
    quick: Annotated[bool, typer.Option("--quick", help="Only read sources, tests and proofs; open nothing.")] = False,
    write: Annotated[
        bool, typer.Option("--write-reference", help="First update the list of endpoints in the app's README.")
    ] = False,
    tests: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Folder of its tests. [default: found near the app]")
    ] = None,
    least: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=N", help="Fail below this number, such as scenarios=20; may be repeated."),
    ] = None,
    runner: Runner = None,
    json: Json = False,
) -> None:
    """Check an app against the conformance checklist.

    \b
    Examples:
      fairground check-app desk/calc
      fairground check-app desk/calc --quick
      fairground check-app desk/calc --write-reference
      fairground check-app desk/calc --quick --least scenarios=20

    Checks endpoints and scenarios, and that real seats start, end and run in parallel as they should. The exit status
    is 1 when an item fails. docs/inspectors.md explains each item.
    """  # noqa: D301 (\b keeps line breaks)
    minima = dict(_minimum(text) for text in least or ())
    suite, target = find_app(app)
    if write:
        path = write_reference(target)
        errors.print(f"[dim]wrote[/]  {escape(str(path))}", highlight=False, soft_wrap=True)
    with progress(json) as on_progress:
        result = go_through(
            suite, target, quick=quick, tests=tests, least=minima, runner=runner, on_progress=on_progress
        )
    if json:
        print_json({**result.plain(), "passed": result.passed})
    else:
        _print(result)
    if not result.passed:
        raise typer.Exit(1)


def _minimum(text: str) -> tuple[str, int]:
    name, _, number = text.partition("=")
    if not number.isdecimal():
        raise InvalidInput(f"--least is {text[:80]!r}, expected NAME=N", fix="write it as --least scenarios=20")
    return name, int(number)


def _print(result: AppCheck) -> None:
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(ratio=1)
    for item in result.items:
        table.add_row(_MARKS[item.status], f"[bold]{escape(item.name)}[/]", escape(clean(item.asks)))
        if item.evidence:
            colour = "red" if item.status == "failed" else "dim"
            table.add_row("", "", f"[{colour}]{escape(clean(item.evidence))}[/]")
        if item.fix:
            table.add_row("", "", f"[bold]fix:[/] {escape(clean(item.fix))}")
    console.print(table)
    counts: Counter[str] = Counter(item.status for item in result.items)
    words = ", ".join(f"{counts[status]} {status}" for status in _MARKS if counts[status])
    console.print(f"\n[bold]{escape(f'{result.suite}/{result.app}')}[/]  {words}", highlight=False)
