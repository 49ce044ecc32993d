"""`fairground open`: a seat for a person."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from fairground.cli.output import Json, Runner, Seed, console, errors, print_json
from fairground.core import InfrastructureError
from fairground.screen import encode_png
from fairground.worlds import Seat, open_seat, resolve, share_seat


def open_(
    world: Annotated[str, typer.Argument(help="Such as desk/calc, or a folder with a world.toml.")],
    screenshot: Annotated[Path, typer.Option(help="Where to save what it looks like.")] = Path("screenshot.png"),
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port on this machine; 0 takes a free one.")] = 0,
    serve: Annotated[bool, typer.Option(help="Serve the live view until Ctrl-C.")] = True,
    view_only: Annotated[bool, typer.Option("--view-only", help="Look, do not touch.")] = False,
    runner: Runner = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Opens a seat for you: a screenshot, and a live view in the browser."""
    from fairground.web.ports import check_port

    if serve:
        check_port("127.0.0.1", port)
    from fairground.web import serve_live  # late: a web server is slow to import, and --help should not be

    found = resolve(world, seed=seed, unproven=True)  # a person may look at what is being written
    started = time.monotonic()
    if not json:
        console.print(f"opening {escape(found.id)} ...", highlight=False)
    with open_seat(found, runner=runner) as seat:
        seconds = time.monotonic() - started
        screenshot.write_bytes(encode_png(seat.screen.grab()))
        if not json:
            console.print(f"ready in {seconds:.1f} s; screenshot in {screenshot}", highlight=False)
            console.print(f"[bold]task[/]  {escape(found.instruction)}", highlight=False)
            for note in seat.sandbox.notes:
                console.print(f"[yellow]note[/]  {escape(note)}", highlight=False)

        def say(url: str) -> None:
            if json:
                print_json({"world": found.id, "seconds": seconds, "screenshot": str(screenshot), "url": url})
            else:
                console.print(f"[bold]live[/]  {url}   (Ctrl-C ends it)", highlight=False, soft_wrap=True)
                if shared and found.app.inspector is not None:
                    console.print(f"[bold]ask[/]   fairground inspect {found.suite.name}/{found.app.name}")

        if serve:
            lock = threading.Lock()
            with _shared(seat, lock) as shared:
                serve_live(seat, port=port, control=not view_only, on_ready=say, lock=lock)
        elif json:
            print_json({"world": found.id, "seconds": seconds, "screenshot": str(screenshot)})


@contextlib.contextmanager
def _shared(seat: Seat, lock: threading.Lock) -> Iterator[str]:
    """Lets `fairground inspect` reach the seat; where it cannot be reached, it can still be used."""
    with contextlib.ExitStack() as stack:
        name = ""
        try:
            name = stack.enter_context(share_seat(seat, lock))
        except InfrastructureError as error:
            errors.print(
                f"[yellow]note[/]  fairground inspect will not find it: {escape(error.message)}", highlight=False
            )
        yield name
