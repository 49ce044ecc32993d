"""`fairground open`: an app in the browser, for a person to try."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from fairground.cli.output import Json, Runner, Seed, WorldName, console, errors, print_json
from fairground.core import InfrastructureError
from fairground.screen import encode_png
from fairground.worlds import Seat, open_seat, resolve, share_seat


def open_(
    world: WorldName,
    screenshot: Annotated[Path, typer.Option(metavar="FILE", help="Where to save a screenshot.")] = Path(
        "screenshot.png"
    ),
    port: Annotated[int, typer.Option(metavar="PORT", min=0, max=65535, help="Local port; 0 picks a free one.")] = 0,
    serve: Annotated[bool, typer.Option(help="Serve a live view of the screen until Ctrl-C.")] = True,
    view_only: Annotated[
        bool, typer.Option("--view-only", help="Ignore mouse and keyboard input in the live view.")
    ] = False,
    runner: Runner = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Open an app in the browser and look around.

    \b
    Examples:
      fairground open pocket/notes
      fairground open desk/calc --view-only
      fairground open desk/calc --no-serve --screenshot calc.png

    Saves a screenshot, then serves a live view of the screen until Ctrl-C. Nothing is recorded or judged; use
    `fairground play` for that. While it is open, `fairground inspect` can query its state.
    """  # noqa: D301 (\b keeps line breaks)
    from fairground.serving import check_port

    if serve:
        check_port("127.0.0.1", port)
    from fairground.web import serve_live  # late: a web server is slow to import

    chosen_world = resolve(world, seed=seed, unproven=True)  # unproven: authors look at unfinished worlds
    started = time.monotonic()
    if not json:
        console.print(f"opening {escape(chosen_world.id)} ...", highlight=False)
    with open_seat(chosen_world, runner=runner) as seat:
        seconds = time.monotonic() - started
        screenshot.write_bytes(encode_png(seat.screen.grab()))
        if not json:
            console.print(f"ready in {seconds:.1f} s; screenshot in {screenshot}", highlight=False)
            console.print(f"[bold]task[/]  {escape(chosen_world.instruction)}", highlight=False)
            for note in seat.sandbox.notes:
                console.print(f"[yellow]note[/]  {escape(note)}", highlight=False)

        def say(url: str) -> None:
            if json:
                print_json({"world": chosen_world.id, "seconds": seconds, "screenshot": str(screenshot), "url": url})
            else:
                console.print(f"[bold]live[/]  {url}   (Ctrl-C stops)", highlight=False, soft_wrap=True)
                if shared and chosen_world.app.inspector is not None:
                    console.print(
                        f"[bold]query[/] fairground inspect {chosen_world.suite.name}/{chosen_world.app.name}"
                    )

        if serve:
            lock = threading.Lock()
            with _shared(seat, lock) as shared:
                serve_live(seat, port=port, control=not view_only, on_ready=say, lock=lock)
        elif json:
            print_json({"world": chosen_world.id, "seconds": seconds, "screenshot": str(screenshot)})


@contextlib.contextmanager
def _shared(seat: Seat, lock: threading.Lock) -> Iterator[str]:
    """Lets `fairground inspect` reach the seat. If that fails, the seat works without it."""
    with contextlib.ExitStack() as stack:
        name = ""
        try:
            name = stack.enter_context(share_seat(seat, lock))
        except InfrastructureError as error:
            errors.print(
                f"[yellow]note[/]  `fairground inspect` cannot reach this seat: {escape(error.message)}",
                highlight=False,
            )
        yield name
