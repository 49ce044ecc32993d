"""`fairground serve`: the web server of the studio and the arena."""

from __future__ import annotations

import sys
import threading
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from fairground.cli.output import Json, console, print_json

CONTENDERS = ("oracle", "random", "do-nothing")


def serve(
    runs: Annotated[
        list[Path] | None, typer.Argument(metavar="FOLDER", help="Folders with runs. [default: runs]")
    ] = None,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Address to listen on. 0.0.0.0 accepts other machines.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(metavar="PORT", min=0, max=65535, help="Port; 0 picks a free one.")] = 8460,
    database: Annotated[
        str,
        typer.Option(
            metavar="DATABASE",
            help="The arena's database: a path, or postgresql://USER@HOST/NAME. [default: arena.sqlite in --home]",
        ),
    ] = "",
    home: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Folder for the database, uploads and recordings.")
    ] = Path("arena"),
    agent: Annotated[
        list[str] | None,
        typer.Option(
            metavar="AGENT", help="An agent for battles; may be repeated. [default: oracle, random, do-nothing]"
        ),
    ] = None,
    battles: Annotated[int, typer.Option(min=1, max=64, help="Number of parallel battles. Each needs two seats.")] = 1,
    retire_below: Annotated[
        float,
        typer.Option(metavar="SHARE", min=0, max=1, help="Retire agents with a smaller share of correct results."),
    ] = 0.1,
    retire_after: Annotated[
        int, typer.Option(min=1, help="Apply --retire-below to the last N judgements of an agent.")
    ] = 100,
    https: Annotated[bool, typer.Option(help="Set for a server behind an https proxy; makes cookies secure.")] = False,
    json: Json = False,
) -> None:
    """Serve the studio and the arena in the browser.

    \b
    Examples:
      fairground serve
      fairground serve runs studies --port 8000
      fairground serve --agent oracle --agent random --battles 2
      fairground serve --host 0.0.0.0 --https

    The studio shows the catalogue, runs and replays. In the arena, people judge battles of two anonymous agents. Prints
    two addresses: the public one, and one that makes its first visitor an admin. Admins invite judges. Stop the server
    with Ctrl-C.
    """  # noqa: D301 (\b keeps line breaks)
    from fairground.serving import check_port

    check_port(host, port)
    from fairground.arena import Retirement, Store, add_agents, invite  # late: a web server is slow to import
    from fairground.rollout import named_agent
    from fairground.web import Site, serving

    # Requests wait less for computing threads (such as battles): a fifth of Python's default switch interval.
    sys.setswitchinterval(0.001)
    makers = {name: partial(named_agent, name) for name in agent or CONTENDERS}
    for make in makers.values():
        make()  # fail now for an unknown agent or a missing API key, not in a battle
    with Store(database or home / "arena.sqlite") as store:
        add_agents(store, list(makers))
        site = Site(
            store,
            home,
            tuple(runs or [Path("runs")]),
            makers,
            battles=battles,
            retirement=Retirement(retire_below, retire_after),
            secure=https,
            plays=(Path("episodes"),),  # the default folder of `fairground play`
        )
        with serving(site, host=host, port=port) as url:
            way_in = f"{url}enter/{invite(store, 'admin', days=1, note='printed by fairground serve')}"
            if json:
                print_json({"url": url, "admin": way_in})
            else:
                for name, address in (("studio and arena", url), ("you, as admin", f"{way_in}   (once)")):
                    console.print(f"[bold]{name:18}[/]{address}", highlight=False, soft_wrap=True)
                console.print("Press Ctrl-C to stop.")
            threading.Event().wait()
