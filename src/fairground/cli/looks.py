"""`fairground looks`: every theme and UI state of apps, as pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fairground.cli.output import Json, console, print_json
from fairground.core import InvalidInput
from fairground.report.looks import Look, face, looks_of, looks_sheet, suite_sheet
from fairground.report.plural import counted
from fairground.rollout.disk import write_whole
from fairground.worlds import suite_of


def looks(
    name: Annotated[str, typer.Argument(metavar="NAME", help="SUITE or SUITE/APP.")],
    out: Annotated[Path, typer.Option("-o", "--out", metavar="FOLDER", help="Folder for the pictures.")] = Path(
        "looks"
    ),
    profile: Annotated[str | None, typer.Option(metavar="NAME", help="Profile to show. [default: the first]")] = None,
    faces: Annotated[
        bool, typer.Option("--faces", help="Draw only one small picture per app, for the catalogue.")
    ] = False,
    json: Json = False,
) -> None:
    """Draw each app in all its themes and UI states.

    \b
    Examples:
      fairground looks pocket
      fairground looks pocket/email --profile amara-lagos -o pictures
      fairground looks pocket --faces -o faces

    Writes one picture per app, and for a suite also small overviews of all themes and of all UI states. With --faces,
    writes the pictures that a suite ships in its folder `Suite.pictures`; the catalogue shows them.
    """  # noqa: D301 (\b keeps line breaks)
    if faces and profile is not None:
        raise InvalidInput(
            "--faces and --profile cannot be combined", fix="remove one of them: faces show the first profile"
        )
    suite, rest = suite_of(name)
    apps = [suite.app(rest)] if rest else list(suite.apps)
    written: dict[str, str] = {}

    def keep(key: str, file: str, picture: bytes, words: str) -> None:
        out.mkdir(parents=True, exist_ok=True)
        written[key] = str(out / file)
        write_whole(out / file, picture)
        if not json:
            console.print(f"[bold]{key}[/]  {words} in {out / file}", highlight=False, soft_wrap=True)

    themes: list[list[Look]] = []
    states: list[list[Look]] = []
    for app in apps:
        if faces:
            keep(app.name, f"{app.name}.webp", face(suite, app), "face")
            continue
        drawn = list(looks_of(suite, app, profile))
        title = f"{app.title}: {counted(len(app.themes), 'theme')}, {counted(len(app.ui_states), 'UI state')}"
        keep(app.name, f"{suite.name}-{app.name}.png", looks_sheet(title, drawn), counted(len(drawn), "look"))
        themes.append([Look(f"{app.title}, {name}", look.frame) for name, look in zip(app.themes, drawn, strict=False)])
        deep = zip(app.ui_states, drawn[len(app.themes) :], strict=True)
        states.append([Look(name, look.frame) for name, look in deep])
    if not rest and not faces:
        for kind, rows in (("themes", themes), ("UI states", states)):
            file = f"{suite.name}-{kind.split()[-1]}.webp"
            keep(kind, file, suite_sheet(f"{suite.title}: {kind} of all apps", rows), "all apps")
    if json:
        print_json(written)
