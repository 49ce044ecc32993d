"""`fairground record`: one episode of one agent in one world."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from fairground.cli.output import (
    AgentName,
    EpisodeFolder,
    Json,
    Observe,
    Runner,
    Seed,
    WorldName,
    console,
    listed,
    print_entry,
    print_json,
)
from fairground.cli.show import print_episode
from fairground.core import InvalidInput, Step
from fairground.env import check_observations
from fairground.report import contact_sheet, describe, write_episode_page
from fairground.rollout import named_agent, run_episode
from fairground.worlds import resolve


def record(
    world: WorldName,
    agent: AgentName = "random",
    out: EpisodeFolder = None,
    seed: Seed = 0,
    runner: Runner = None,
    observe: Observe = "",
    video: Annotated[bool, typer.Option(help="Write video.mp4.")] = True,
    json: Json = False,
) -> None:
    """Run an agent once and record the episode.

    \b
    Examples:
      fairground record pocket/notes --agent random
      fairground record pocket/notes/count-label --agent my_agent.py:MyAgent
      fairground record desk/calc --agent oracle --out episodes/first

    Writes a folder with all steps, screenshots, the verdict, a video and a replay page. The exit status is 1 when the
    episode ends with an error. Use `fairground run` for scores.
    """  # noqa: D301 (\b keeps line breaks)
    chosen_world = resolve(world, seed=seed)
    wanted = listed(observe)
    check_observations(wanted)
    chosen = named_agent(agent)
    if callable(check := getattr(chosen, "check", None)):
        check()
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
    folder = out or Path("episodes") / f"{stamp}-{chosen_world.configuration.scenario}-{agent.split(':')[0]}"
    if folder.exists() and any(folder.iterdir()):
        raise InvalidInput(f"{folder} is not empty", fix="choose another folder with --out")
    if not json:
        console.print(f"[bold]{escape(chosen_world.id)}[/]", highlight=False)
        print_entry("[bold]task[/]", escape(chosen_world.instruction))
        console.print(
            "[dim]opening the app; the first time takes longer, because its checkpoints are built[/]", highlight=False
        )

    def show_step(step: Step) -> None:
        if not json:
            wait = f"{step.act_ms + step.settle_ms:.0f} ms"
            mark = f"  [red]refused: {escape(step.refused.splitlines()[0])}[/]" if step.refused else ""
            console.print(
                f"  {step.index + 1:>3}  {escape(describe(step.action))}  [dim]{wait}[/]{mark}", highlight=False
            )

    episode = run_episode(
        chosen_world, chosen, folder, runner=runner, observations=wanted, video=video, on_step=show_step
    )
    page = write_episode_page(folder)
    sheet = folder / "contact-sheet.png"
    sheet.write_bytes(contact_sheet(folder))
    if json:
        print_json({"folder": str(folder), "page": str(page), "contact_sheet": str(sheet), **episode.plain()})
    else:
        print_episode(episode)
        console.print(f"[bold]sheet[/]  {sheet}", highlight=False, soft_wrap=True)
        console.print(f"[bold]page[/]   {page}", highlight=False, soft_wrap=True)
    if episode.error:
        raise typer.Exit(1)
