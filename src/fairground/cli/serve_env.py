"""`fairground serve-env`: environments over the network, for trainers."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fairground.cli.output import WORLD, Json, Runner, console, listed, print_json
from fairground.core import InvalidInput

if TYPE_CHECKING:
    from fairground.remote import Host
    from fairground.worlds import Selection

_SHORTEST_TOKEN = 16


class Where(StrEnum):
    """Where seats are."""

    LOCAL = "local"
    RAY = "ray"


def serve_env(
    worlds: Annotated[list[str], typer.Argument(metavar="WORLD...", help=WORLD)],
    seats: Annotated[int, typer.Option(min=1, help="How many sessions fit. More are refused at once.")] = 1,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Address to listen on. All but loopback addresses need a token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(metavar="PORT", min=0, max=65535, help="Port; 0 picks a free one.")] = 8470,
    token_file: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="File with the token that clients must send. [default: $FAIRGROUND_TOKEN]"),
    ] = None,
    tls_cert: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Certificate with its chain (PEM), to serve https.")
    ] = None,
    tls_key: Annotated[Path | None, typer.Option(metavar="FILE", help="Private key of the certificate (PEM).")] = None,
    lease: Annotated[
        float, typer.Option(metavar="SECONDS", min=1, help="Close a session after this long without a call.")
    ] = 300.0,
    observe: Annotated[
        str,
        typer.Option(
            metavar="NAMES",
            help="What sessions observe unless they ask for something else, separated by commas: screen, cursor, tree, "
            "windows.",
        ),
    ] = "screen",
    split: Annotated[
        str, typer.Option(metavar="FILE:SIDE", help="Serve one side of a split (`fairground split`), such as train.")
    ] = "",
    warm: Annotated[
        int,
        typer.Option(min=0, help="How many seats to open in advance for next episodes, besides --seats; not on Ray."),
    ] = 1,
    share_browser: Annotated[
        bool, typer.Option(help="Open phone apps as pages of shared browsers: less memory, less isolation.")
    ] = False,
    runner: Runner = None,
    executor: Annotated[
        Where, typer.Option(help="Where seats are: this machine, or the nodes of a Ray cluster.")
    ] = Where.LOCAL,
    address: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Address of the Ray cluster. [default: a local one]")
    ] = None,
    json: Json = False,
) -> None:
    """Serve environments to trainers on this and other machines.

    \b
    Examples:
      fairground serve-env pocket/email --seats 8 --share-browser
      fairground serve-env desk/calc --seats 4 --host 0.0.0.0 --token-file token
      fairground serve-env pocket --split splits.json:train --seats 16

    Clients use `fairground.remote.RemoteEnv`, OpenEnv's client, or HTTP and WebSocket. Prints the address and the lines
    of Python that connect. Ctrl-C or SIGTERM closes all seats and ends the server.
    """  # noqa: D301 (\b keeps line breaks)
    from fairground.serving import check_port, is_loopback

    token = _read_token(token_file)
    if token is None and not is_loopback(host):
        raise InvalidInput(
            f"other machines can connect to {host}, so the server needs a token",
            fix="pass --token-file FILE, or set FAIRGROUND_TOKEN; or listen on 127.0.0.1",
        )
    if (tls_cert is None) != (tls_key is None):
        raise InvalidInput("--tls-cert and --tls-key belong together", fix="pass both of them, or neither")
    if executor is Where.RAY and share_browser:
        raise InvalidInput("--share-browser shares browsers on this machine, not on the nodes of a Ray cluster")
    if executor is Where.LOCAL and address is not None:
        raise InvalidInput("--address is the address of a Ray cluster", fix="add --executor ray")
    check_port(host, port)
    from fairground.remote import EnvironmentServer  # late: a web server is slow to import
    from fairground.serving import Tls
    from fairground.worlds import select

    selection, side = select(*worlds), None
    if split:
        from fairground.study import read_side

        whole, side = read_side(split)
        selection = whole.select(side, selection)
    # Requests wait less for computing threads: a fifth of Python's default switch interval.
    sys.setswitchinterval(0.001)
    server = EnvironmentServer(
        selection,
        seats=seats,
        host=host,
        port=port,
        token=token,
        tls=Tls(tls_cert, tls_key) if tls_cert and tls_key else None,
        lease=lease,
        place=_ray_host(seats, address, runner) if executor is Where.RAY else None,
        share_browser=share_browser,
        warm=warm,
        runner=runner,
        observations=listed(observe),
        side=side,
    )
    with _ended_by_signals() as ended, server:
        facts = {"url": server.url, "worlds": worlds, "configurations": len(selection), "seats": server.place.seats}
        if json:
            print_json(facts)
        else:
            world = _for_one_env(worlds, selection)
            _print_lines(facts, world, seats, token_file, has_token=token is not None)
        sys.stdout.flush()
        while not ended.wait(1.0):
            server.check()


def _for_one_env(worlds: list[str], selection: Selection) -> str | list[str]:
    """Return what one environment of a client can ask for: all worlds, or an app if the screens have several sizes."""
    apps = list(dict.fromkeys(part.name.rpartition("/")[0] for part in selection.parts))
    if len({part.suite.app(part.scenario.app).screen.size for part in selection.parts}) > 1:
        return apps[0]
    suites = {part.suite.name for part in selection.parts}
    if any(text.partition("/")[0].partition("@")[0] not in suites for text in worlds):
        worlds = apps  # a folder of this machine; clients name worlds by suite and app
    return worlds[0] if len(worlds) == 1 else worlds


def _print_lines(
    facts: dict[str, Any], world: str | list[str], seats: int, token_file: Path | None, *, has_token: bool
) -> None:
    token = ""
    if has_token:
        token = f", token=open({str(token_file)!r}).read().strip()" if token_file else ", token='...'"
    served = ", ".join(facts["worlds"])
    rows = {
        "address": facts["url"],
        "worlds": f"{served} ({facts['configurations']:,} configurations)",
        "seats": str(facts["seats"]) if facts["seats"] >= seats else f"{facts['seats']} of {seats} so far",
    }
    for name, value in rows.items():
        console.print(f"{name:10}{value}", highlight=False, soft_wrap=True, markup=False)
    console.print("\nConnect with:\n", highlight=False)
    for line in (
        "from fairground.remote import RemoteEnv",
        f"env = RemoteEnv({facts['url']!r}, world={world!r}{token})",
        "observation, info = env.reset(seed=0)",
    ):
        console.print(f"  {line}", highlight=False, soft_wrap=True, markup=False)
    console.print("\nPress Ctrl-C to stop.", highlight=False)


def _read_token(path: Path | None) -> str | None:
    """Return the token from a file or the environment. Never from the command line, which other users can read."""
    if path is not None:
        try:
            token = path.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise InvalidInput(f"--token-file: {path} cannot be read: {error}") from None
        source = str(path)
    elif (named := os.environ.get("FAIRGROUND_TOKEN")) is not None:
        token, source = named.strip(), "FAIRGROUND_TOKEN"
    else:
        return None
    if len(token) < _SHORTEST_TOKEN or not token.isascii() or not token.isprintable() or " " in token:
        raise InvalidInput(
            f"{source}: expected a token of at least {_SHORTEST_TOKEN} ASCII characters without spaces",
            fix='make one with: python3 -c "import secrets; print(secrets.token_urlsafe(32))"',
        )
    return token


def _ray_host(seats: int, address: str | None, runner: str | None) -> Host:
    from fairground.remote.ray_host import RayHost

    return RayHost(seats, address=address, runner=runner)


@contextlib.contextmanager
def _ended_by_signals() -> Iterator[threading.Event]:
    """Yield an event that SIGTERM sets. Ctrl-C interrupts as usual."""
    ended = threading.Event()
    before = signal.signal(signal.SIGTERM, lambda *_: ended.set())
    try:
        yield ended
    finally:
        signal.signal(signal.SIGTERM, before)
