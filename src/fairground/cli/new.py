"""`fairground new`: the skeleton of a world, which can be opened at once."""

from __future__ import annotations

import re
import shlex
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from fairground.cli.output import Json, print_command, print_entry, print_json
from fairground.core import InvalidInput, check_name


def new(
    app: Annotated[str, typer.Argument(metavar="PROGRAM", help="The program to start, such as mousepad.")],
    folder: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Folder to create. [default: the name of the program]")
    ] = None,
    package: Annotated[
        str | None, typer.Option(metavar="NAME", help="Its Debian package. [default: the name of the program]")
    ] = None,
    json: Json = False,
) -> None:
    """Create a world for your own software.

    \b
    Examples:
      fairground new mousepad
      fairground new evince --folder my-reader
      fairground check mousepad                    Then check what you edit.

    Writes a folder with a world.toml, scripts and files. It opens as it is. docs/worlds.md explains how to edit it.
    """  # noqa: D301 (\b keeps line breaks)
    name = check_name("app", re.sub(r"[^a-z0-9]+", "-", app.lower()).strip("-") or app)
    target = folder or Path(name)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise InvalidInput(f"{target} already exists", fix="choose another folder with --folder")
    skeleton = files("fairground.cli") / "skeleton"
    (target / "files").mkdir(parents=True)
    values = {"@NAME@": name, "@PROGRAM@": app, "@PACKAGE@": package or app, "@TITLE@": app.capitalize()}
    written = []
    for entry in ("world.toml", "install", "configure", "setup", "files/welcome.txt"):
        text = (skeleton / entry).read_text(encoding="utf-8")
        for mark, value in values.items():
            text = text.replace(mark, value)
        path = target / entry
        path.write_text(text, encoding="utf-8")
        if entry in ("install", "configure", "setup"):
            path.chmod(0o755)
        written.append(str(path))
    if json:
        print_json({"folder": str(target), "files": written})
        return
    print_entry("", escape(f"wrote {target}/ with {', '.join(Path(path).name for path in written)}"), indent=2)
    print_command(f"next: edit {target}/world.toml, then", shlex.join(["fairground", "check", str(target)]))
