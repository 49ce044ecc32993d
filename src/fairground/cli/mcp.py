"""`fairground mcp`: a world as an MCP server over standard input and output."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from fairground.cli.output import EpisodeFolder, Observe, Runner, Seed, WorldName, errors, listed
from fairground.core import InvalidInput, Step
from fairground.env import check_observations
from fairground.interop import serve_mcp
from fairground.report import describe
from fairground.worlds import resolve


def mcp(
    world: WorldName,
    agent: Annotated[str, typer.Option(metavar="NAME", help="Name of the client in results.")] = "mcp",
    out: EpisodeFolder = None,
    seed: Seed = 0,
    runner: Runner = None,
    observe: Observe = "",
    video: Annotated[
        bool, typer.Option("--video", help="Write video.mp4. The client waits until it is written.")
    ] = False,
) -> None:
    """Serve a world to an MCP client and record the episode.

    \b
    Example, as the server command in the client's configuration:
      fairground mcp pocket/notes/count-label --agent my-client

    The client starts this command. Standard output carries the protocol, so messages go to standard error.
    """  # noqa: D301 (\b keeps line breaks)
    wanted = listed(observe)
    check_observations(wanted)
    chosen_world = resolve(world, seed=seed)
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
    folder = (out or Path("episodes") / f"{stamp}-{chosen_world.configuration.scenario}-mcp").absolute()
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InvalidInput(f"{folder} is not empty", fix="choose another folder with --out")
    errors.print(
        f"[bold]{escape(chosen_world.id)}[/]: waiting for the client's first call", highlight=False, soft_wrap=True
    )

    def show_step(step: Step) -> None:
        mark = f"  refused: {escape(step.refused.splitlines()[0])}" if step.refused else ""
        errors.print(f"  {step.index + 1:>3}  {escape(describe(step.action))}{mark}", highlight=False, soft_wrap=True)

    episode = serve_mcp(
        chosen_world, folder, agent=agent, runner=runner, observations=wanted, video=video, on_step=show_step
    )
    if episode is None:
        errors.print("the client called no tool; nothing was recorded", highlight=False, soft_wrap=True)
        return
    reward = "" if episode.verdict is None else f", reward {episode.verdict.reward:.2f}"
    errors.print(f"[bold]{episode.outcome}[/]{reward}, steps: {episode.steps}", highlight=False, soft_wrap=True)
    if episode.error:
        errors.print(escape(episode.error), highlight=False, soft_wrap=True)
    errors.print(f"[bold]look[/]  fairground show {escape(str(folder))}", highlight=False, soft_wrap=True)
    if episode.outcome is None or not episode.outcome.scored:
        raise typer.Exit(1)
