"""`fairground clarifications`: what a run made of its instructions, and what the audit said of each."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from fairground.cli.output import Json, clean, console, print_json
from fairground.core import InvalidInput
from fairground.rollout import is_run
from fairground.rollout.interventions import read_clarifications

_COLOURS = {"ok": "green", "unusable": "yellow"}


def clarifications(
    folder: Annotated[Path, typer.Argument(help="The folder of a run with --with clarified:MODEL.")],
    json: Json = False,
) -> None:
    """Lists each clarified instruction of a run with its class: ok, impossible, trivial, harmful or unusable.

    Only those that are ok were used; with the others, agents got the original.
    """
    if not is_run(folder):
        raise InvalidInput(f"{folder} is no run: it has no run.sqlite", fix="give the folder that `run` wrote")
    found = read_clarifications(folder)
    counts = Counter(one.audit for one in found.values())
    if json:
        print_json({"counts": dict(counts), "clarifications": [one.plain() for one in found.values()]})
        return
    if not found:
        console.print("no instruction of this run was clarified; run with --with clarified:MODEL", highlight=False)
        return
    for one in found.values():
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
