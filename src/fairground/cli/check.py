"""`fairground check`: finds what is wrong with a folder that is to be a world."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from fairground.cli.output import Json, Runner, console, print_json
from fairground.core import Configuration, InvalidConfiguration
from fairground.screen import encode_png
from fairground.verify import judge
from fairground.worlds import World, open_seat, read_folder


def check(
    folder: Annotated[Path, typer.Argument(help="A folder with a world.toml.")],
    static: Annotated[bool, typer.Option("--static", help="Only read the files; start nothing.")] = False,
    screenshot: Annotated[Path | None, typer.Option(help="Save what the first scenario begins with.")] = None,
    runner: Runner = None,
    json: Json = False,
) -> None:
    """Finds what is wrong with a world: reads it, opens it, judges it untouched."""
    suite = read_folder(folder)
    app = suite.apps[0]
    report: dict[str, Any] = {"folder": str(folder), "app": app.name, "scenarios": []}
    if not suite.scenarios:
        console.print(f"{folder}: no [[scenario]] yet: it can be opened, but there is nothing to solve")
    if not json:
        words = f"{len(suite.scenarios)} scenario{'s' if len(suite.scenarios) != 1 else ''}"
        console.print(f"[green]ok[/] {escape(str(folder))}/world.toml: app {app.name}, {words}", highlight=False)
    for scenario in [] if static else suite.scenarios:
        configuration = Configuration(
            suite=suite.name,
            app=app.name,
            scenario=scenario.name,
            instance=next(iter(scenario.instances)),
            profile=next(iter(app.profiles)),
            theme=next(iter(app.themes)),
            ui_state=next(iter(app.ui_states)),
        )
        world = World.of(suite, configuration)
        started = time.monotonic()
        with open_seat(world, runner=runner) as seat:
            opened = time.monotonic() - started
            if screenshot is not None:
                screenshot.write_bytes(encode_png(seat.screen.grab()))
                screenshot = None
            verdict = judge(world, seat.before, seat.finish())
        row = {"world": world.id, "seconds": round(opened, 2), "reward_at_start": verdict.reward}
        report["scenarios"].append(row)
        if verdict.success:
            raise InvalidConfiguration(
                f"{world.id} is already solved before anything is done: every check passes on the untouched state",
                fix="add a check that only a solved state passes",
            )
        if not json:
            console.print(
                f"[green]ok[/] {escape(world.id)} opens in {opened:.1f} s; not solved at the start", highlight=False
            )
            if verdict.reward > 0:
                console.print(
                    f"[yellow]warning[/] doing nothing earns {verdict.reward:.2f}: give checks that hold at the start "
                    "weight = 0 and integrity = true",
                    highlight=False,
                )
    if json:
        print_json(report)
