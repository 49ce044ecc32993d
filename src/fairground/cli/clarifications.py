"""`fairground clarifications`: the clarified instructions of a run, and the audit of each."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from fairground.cli.output import Json, clean, console, print_json
from fairground.rollout.ended import run_folders
from fairground.rollout.interventions import read_clarifications

_COLOURS = {"ok": "green", "unusable": "yellow"}


def clarifications(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder of runs that used --with clarified:MODEL.")],
    json: Json = False,
) -> None:
    """List the clarified instructions of a run, with their audit.

    \b
    Example:
      fairground clarifications runs/clarified

    The audit classifies each as ok, impossible, trivial, harmful or unusable. Agents received only those that are ok;
    in all other cases they received the original.
    """  # noqa: D301 (\b keeps line breaks)
    runs = run_folders([folder])
    clarified = [(run, entry) for run in runs for entry in read_clarifications(run).values()]
    counts = Counter(entry.audit for _, entry in clarified)
    if json:
        listed = [{"run": str(run), **entry.plain()} for run, entry in clarified]
        print_json({"counts": dict(counts), "clarifications": listed})
        return
    if not clarified:
        console.print("no instruction of this run was clarified; run with --with clarified:MODEL", highlight=False)
        return
    last = None
    for run, entry in clarified:
        if len(runs) > 1 and run != last:
            console.print(f"[bold]run[/] {escape(str(run))}", highlight=False, soft_wrap=True)
            last = run
        colour = _COLOURS.get(entry.audit, "red")
        used = "" if entry.audit == "ok" else ", not used"
        console.print(f"[bold]{escape(entry.configuration)}[/]: [{colour}]{entry.audit}[/]{used}", highlight=False)
        rows = Table.grid(padding=(0, 0, 0, 2))
        for label, text in (("was", entry.original), ("now", entry.clarified), ("why", entry.reason)):
            if text:
                rows.add_row(f"[dim]{label}[/]", escape(clean(text)))
        console.print(rows, highlight=False)
    summary = ", ".join(f"{number} {name}" for name, number in counts.most_common())
    console.print(f"[bold]{len(clarified)} clarified:[/] {summary}", highlight=False)
