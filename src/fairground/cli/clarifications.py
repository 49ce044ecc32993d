"""`fairground clarifications`: what a run made of its instructions, and what the audit said of each."""

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
    folder: Annotated[Path, typer.Argument(help="The folder of runs with --with clarified:MODEL.")],
    json: Json = False,
) -> None:
    """Lists each clarified instruction of a run with its class: ok, impossible, trivial, harmful or unusable.

    Only those that are ok were used; with the others, agents got the original.
    """
    runs = run_folders([folder])
    found = [(run, one) for run in runs for one in read_clarifications(run).values()]
    counts = Counter(one.audit for _, one in found)
    if json:
        listed = [{"run": str(run), **one.plain()} for run, one in found]
        print_json({"counts": dict(counts), "clarifications": listed})
        return
    if not found:
        console.print("no instruction of this run was clarified; run with --with clarified:MODEL", highlight=False)
        return
    last = None
    for run, one in found:
        if len(runs) > 1 and run != last:
            console.print(f"[bold]run[/] {escape(str(run))}", highlight=False, soft_wrap=True)
            last = run
        colour = _COLOURS.get(one.audit, "red")
        used = "" if one.audit == "ok" else ", not used"
        console.print(f"[bold]{escape(one.configuration)}[/]: [{colour}]{one.audit}[/]{used}", highlight=False)
        rows = Table.grid(padding=(0, 0, 0, 2))
        for label, text in (("was", one.original), ("now", one.clarified), ("why", one.reason)):
            if text:
                rows.add_row(f"[dim]{label}[/]", escape(clean(text)))
        console.print(rows, highlight=False)
    summary = ", ".join(f"{number} {name}" for name, number in counts.most_common())
    console.print(f"[bold]{len(found)} clarified:[/] {summary}", highlight=False)
