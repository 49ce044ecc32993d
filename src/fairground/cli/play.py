"""`fairground play`: a person solves a task in the browser; it is recorded and judged like an agent's episode."""

from __future__ import annotations

import tempfile
import webbrowser
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from fairground.cli.output import EpisodeFolder, Json, Runner, Seed, WorldName, console, errors, print_json
from fairground.cli.show import print_episode
from fairground.core import InfrastructureError, InvalidInput
from fairground.report import write_episode_page
from fairground.worlds import resolve

_SEEN_SECONDS = 10.0  # how long the server stays up so that the page can show the verdict


def play(
    world: WorldName,
    out: EpisodeFolder = None,
    port: Annotated[int, typer.Option(metavar="PORT", min=0, max=65535, help="Local port; 0 picks a free one.")] = 0,
    browser: Annotated[bool, typer.Option("--browser", help="Open the page in your browser.")] = False,
    video: Annotated[bool, typer.Option(help="Write video.mp4.")] = True,
    runner: Runner = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Solve a task yourself in the browser and see the verdict.

    \b
    Examples:
      fairground play pocket/notes
      fairground play desk/calc/region-total --browser

    Prints the address of a page. Solve the task there and press Done. The episode is recorded and judged like an
    agent's; its agent is called `human`. With --json, the address goes to standard error, and the episode is printed
    at the end.
    """  # noqa: D301 (\b keeps line breaks)
    from fairground.serving import check_port

    check_port("127.0.0.1", port)
    from fairground.arena import Store  # late: a web server is slow to import
    from fairground.web import Site, serving
    from fairground.web.playing import Play, play_name

    chosen_world = resolve(world, seed=seed, unproven=True)  # unproven: authors try unfinished worlds
    folder = out or Path("episodes") / play_name(chosen_world)
    if folder.exists() and any(folder.iterdir()):
        raise InvalidInput(f"{folder} is not empty", fix="choose another folder with --out")
    with tempfile.TemporaryDirectory(prefix="fairground-play-") as home, Store(Path(home) / "play.sqlite") as store:
        site = Site(store, Path(home))
        attempt = Play(site.house, chosen_world, folder, runner=runner, video=video)
        with serving(site, port=port) as url:
            attempt.start()
            address = f"{url}live/{attempt.id}/join/{attempt.key}"
            if json:
                errors.print(address, highlight=False, soft_wrap=True)
            else:
                console.print(f"[bold]{escape(chosen_world.id)}[/]", highlight=False)
                console.print(f"[bold]task[/]   {escape(chosen_world.instruction)}", highlight=False)
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
