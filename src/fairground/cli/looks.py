"""`fairground looks`: every theme and UI state of apps, as pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fairground.cli.output import Json, console, print_json
from fairground.report.looks import looks_of, looks_sheet
from fairground.rollout.disk import write_whole
from fairground.worlds import suite_of


def looks(
    name: Annotated[str, typer.Argument(help="SUITE or SUITE/APP.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder for the pictures.")] = Path("looks"),
    profile: Annotated[str | None, typer.Option(help="Whose data; the first by default.")] = None,
    json: Json = False,
) -> None:
    """Draws each app in all its themes and UI states, one picture an app.

    \b
      fairground looks pocket
      fairground looks pocket/email --profile amara-lagos -o pictures
    """  # noqa: D301 (click reads \b as: keep these lines)
    suite, rest = suite_of(name)
    apps = [suite.app(rest)] if rest else list(suite.apps)
    made = {}
    for app in apps:
        found = list(looks_of(suite, app, profile))
        out.mkdir(parents=True, exist_ok=True)
        path = out / f"{suite.name}-{app.name}.png"
        write_whole(path, looks_sheet(f"{app.title}: {len(app.themes)} themes, {len(app.ui_states)} UI states", found))
        made[app.name] = str(path)
        if not json:
            console.print(f"[bold]{app.name}[/]  {len(found)} looks in {path}", highlight=False, soft_wrap=True)
    if json:
        print_json(made)
