"""`fairground play`: a task for you, in the browser, recorded and judged like an agent's."""

from __future__ import annotations

import tempfile
import webbrowser
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from fairground.cli.output import Json, Runner, Seed, console, errors, print_json
from fairground.cli.show import print_episode
from fairground.core import InfrastructureError, InvalidInput
from fairground.report import write_episode_page
from fairground.worlds import resolve

_SEEN_SECONDS = 10.0  # for the page to show the verdict, before its server goes away


def play(
    world: Annotated[str, typer.Argument(help="Such as desk/calc, or a folder with a world.toml.")],
    out: Annotated[Path | None, typer.Option(help="Folder for the episode; must not exist.")] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port on this machine; 0 takes a free one.")] = 0,
    browser: Annotated[bool, typer.Option("--browser", help="Open the page in a browser.")] = False,
    video: Annotated[bool, typer.Option(help="Make video.mp4.")] = True,
    runner: Runner = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Lets you try a task yourself: solve it in the browser, and see what the checks say.

    The recording is an episode like any other, of the agent `human`. With --json the episode is printed at the end;
    the address of the page goes to the standard error.
    """
    from fairground.web.ports import check_port

    check_port("127.0.0.1", port)
    from fairground.arena import Store  # late: a web server is slow to import, and --help should not be
    from fairground.web import Site, serving
    from fairground.web.playing import Play, play_name

    found = resolve(world, seed=seed, unproven=True)  # a person may try what is being written
    folder = out or Path("episodes") / play_name(found)
    if folder.exists() and any(folder.iterdir()):
        raise InvalidInput(f"{folder} is not empty", fix="choose another folder with --out")
    with tempfile.TemporaryDirectory(prefix="fairground-play-") as home, Store(Path(home) / "play.sqlite") as store:
        site = Site(store, Path(home))
        attempt = Play(site.house, found, folder, runner=runner, video=video)
        with serving(site, port=port) as url:
            attempt.start()
            address = f"{url}live/{attempt.id}/join/{attempt.key}"
            if json:
                errors.print(address, highlight=False, soft_wrap=True)
            else:
                console.print(f"[bold]{escape(found.id)}[/]", highlight=False)
                console.print(f"[bold]task[/]   {escape(found.instruction)}", highlight=False)
                console.print(f"[bold]page[/]   {address}   (Ctrl-C gives up)", highlight=False, soft_wrap=True)
            if browser:
                webbrowser.open(address)
            try:
                attempt.wait()
            except KeyboardInterrupt:
                attempt.leave("gave up at the terminal")
                attempt.wait()
            attempt.read.wait(_SEEN_SECONDS if attempt.owner else 0)
    episode = attempt.episode
    if episode is None:
        raise InfrastructureError(attempt.failure or "the attempt was not recorded")
    page = write_episode_page(folder)
    if json:
        print_json({"folder": str(folder), "page": str(page), **episode.plain()})
    else:
        print_episode(episode)
        console.print(f"[bold]replay[/] {page}", highlight=False, soft_wrap=True)
    if episode.outcome is not None and not episode.outcome.scored:
        raise typer.Exit(1)
