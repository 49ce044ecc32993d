"""`fairground export`: episodes as a table for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from fairground.cli.output import Json, clean, console, errors, print_json
from fairground.cli.stats.options import counted
from fairground.rollout.export import export_runs


def export(
    runs: Annotated[list[Path], typer.Argument(help="Folders of runs or episodes.", metavar="FOLDER...")],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="The .csv, .jsonl or .parquet file to write.")
    ],
    json: Json = False,
) -> None:
    """Export episodes as a table with one row per episode.

    \b
    Examples:
      fairground export runs/first -o first.csv
      fairground stats first.csv
    """  # noqa: D301 (\b keeps line breaks)
    table = export_runs(runs, output)
    for note in table.notes:
        errors.print(f"[yellow]note[/]  {escape(clean(note))}", highlight=False, soft_wrap=True)
    if json:
        outcomes = {outcome.value: number for outcome, number in table.outcomes().items()}
        print_json({"file": str(output), "episodes": len(table), "outcomes": outcomes})
        return
    console.print(f"[bold]{counted(len(table), 'episode')}[/] in {output}", highlight=False, soft_wrap=True)
