"""`fairground serve`: the studio and the arena in the browser."""

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
    runs: Annotated[list[Path] | None, typer.Argument(help="Folders with runs; ./runs unless given.")] = None,
    host: Annotated[str, typer.Option(help="Where to listen; only this machine, unless given.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")] = 8460,
    database: Annotated[str, typer.Option(help="Of the arena: a path, or postgresql://USER@HOST/NAME.")] = "",
    home: Annotated[Path, typer.Option(help="Folder of the database, uploads and recordings.")] = Path("arena"),
    agent: Annotated[list[str] | None, typer.Option(help="An agent that fights in the arena; may be repeated.")] = None,
    battles: Annotated[int, typer.Option(min=1, max=64, help="Battles at once; each takes two seats.")] = 1,
    retire_below: Annotated[
        float, typer.Option(min=0, max=1, help="Share of correct judgements under which an agent is retired.")
    ] = 0.1,
    retire_after: Annotated[int, typer.Option(min=1, help="Judgements of it that this looks at.")] = 100,
    https: Annotated[bool, typer.Option(help="A proxy in front of it speaks https.")] = False,
    json: Json = False,
) -> None:
    """Opens the studio and the arena in the browser, until Ctrl-C.

    \b
      fairground serve                                 on this machine, with an embedded database
      fairground serve --agent anthropic:MODEL --agent openai:MODEL
      fairground serve --database postgresql://me@db/arena --host 0.0.0.0 --https

    The address that it prints makes whoever opens it an admin. Admins invite judges; everybody else may look.
    """  # noqa: D301 (click reads \b as: keep these lines)
    from fairground.web.ports import check_port

    check_port(host, port)
    from fairground.arena import Retirement, Store, add_agents, invite  # late: a web server is slow to import
    from fairground.rollout import named_agent
    from fairground.web import Site, serving

    # Pages wait a fifth as long for threads that compute, such as those of battles, than Python lets them usually.
    sys.setswitchinterval(0.001)
    makers = {name: partial(named_agent, name) for name in agent or CONTENDERS}
    for make in makers.values():
        make()  # a name that means nothing, or a missing key, is better said now than to a judge
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
            plays=(Path("episodes"),),  # where `fairground play` writes
        )
        with serving(site, host=host, port=port) as url:
            way_in = f"{url}enter/{invite(store, 'admin', days=1, note='printed by fairground serve')}"
            if json:
                print_json({"url": url, "admin": way_in})
            else:
                for name, address in (("studio and arena", url), ("you, as admin", f"{way_in}   (once)")):
                    console.print(f"[bold]{name:18}[/]{address}", highlight=False, soft_wrap=True)
                console.print("Ctrl-C ends it")
            threading.Event().wait()
