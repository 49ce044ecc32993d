"""`fairground run` and `fairground resume`: many episodes, in parallel, that survive being stopped."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from fairground.cli.output import Json, Runner, console, errors, print_json
from fairground.core import AXES, InvalidInput, Outcome
from fairground.report import write_report
from fairground.rollout import (
    Budget,
    Event,
    Planned,
    RunSpec,
    RunStore,
    carry_out,
    make_plan,
    named_agent,
    run_table,
    start_run,
)
from fairground.rollout.ray_executor import need_ray, on_ray
from fairground.stats import Summary, plain, summarise

Workers = Annotated[
    int | None,
    typer.Option(help="Episodes at a time; by default up to 4 here, and every seat of a Ray cluster.", min=1),
]
_WORKERS = max(1, min(4, os.cpu_count() or 1))


class Where(StrEnum):
    """Who carries episodes out."""

    LOCAL = "local"
    RAY = "ray"


Place = Annotated[Where, typer.Option("--executor", help="Processes on this machine, or a Ray cluster.")]
Address = Annotated[
    str | None,
    typer.Option(help="Of the Ray cluster (host:port, or auto); by default RAY_ADDRESS, or a new one on this machine."),
]


def run(
    worlds: Annotated[list[str], typer.Argument(help="Suites, apps, scenarios: desk, desk/calc, pocket/notes/...")],
    agent: Annotated[
        str, typer.Option(help="do-nothing, random, script:FILE, program:COMMAND, replay:RUN.")
    ] = "random",
    rollouts: Annotated[int, typer.Option(help="Attempts at each configuration.", min=1)] = 3,
    configs: Annotated[int, typer.Option(help="Configurations a scenario, drawn at random; 0 for all.", min=0)] = 4,
    axes: Annotated[str, typer.Option(help="The axes to vary, with commas.")] = ",".join(AXES),
    steps: Annotated[int | None, typer.Option(help="Most actions an episode.", min=1)] = None,
    seconds: Annotated[float | None, typer.Option(help="Most seconds an episode.")] = None,
    dollars: Annotated[float | None, typer.Option(help="Most dollars for the whole run.")] = None,
    retries: Annotated[int, typer.Option(help="How often an errored episode is tried again.", min=0)] = 2,
    condition: Annotated[str, typer.Option(help="A name for how this run differs from others of the agent.")] = "",
    seed: Annotated[int, typer.Option(help="The same seed gives the same plan.", min=0)] = 0,
    workers: Workers = None,
    executor: Place = Where.LOCAL,
    address: Address = None,
    out: Annotated[Path | None, typer.Option(help="Folder of the run; must be empty or absent.")] = None,
    runner: Runner = None,
    video: Annotated[bool, typer.Option("--video", help="Make a video of every episode.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show the plan.")] = False,
    json: Json = False,
) -> None:
    """Runs an agent over many configurations, and ends with a score, its interval and a report."""
    spec = RunSpec(
        worlds=tuple(worlds),
        agent=agent,
        condition=condition,
        rollouts=rollouts,
        configs=configs or None,
        axes=tuple(part for part in axes.split(",") if part),
        seed=seed,
        budget=Budget(steps=steps, seconds=seconds, dollars=dollars),
        retries=retries,
        runner=runner,
        video=video,
    )
    if callable(check := getattr(named_agent(agent), "check", None)):
        check()  # a clear word, such as that there is no key, before anything starts
    plan = make_plan(spec)
    if not json:
        _print_plan(spec, plan)
    if dry_run:
        if json:
            print_json({"spec": spec.plain(), "plan": [one.plain() for one in plan]})
        return
    name = agent.split(":")[0]
    folder = out or Path("runs") / f"{datetime.now().strftime('%Y%m%d-%H%M%S')}-{name}"
    _check_place(executor, address)
    _do(start_run(folder, spec), workers, json, executor, address)


def resume(
    folder: Annotated[Path, typer.Argument(help="The folder of a run.")],
    workers: Workers = None,
    executor: Place = Where.LOCAL,
    address: Address = None,
    json: Json = False,
) -> None:
    """Goes on with a run that was stopped: what it still lacks, and nothing twice."""
    _check_place(executor, address)
    _do(RunStore.open(folder, write=True), workers, json, executor, address)


def _print_plan(spec: RunSpec, plan: tuple[Planned, ...]) -> None:
    configurations = {one.configuration for one in plan}
    scenarios = {text.partition("@")[0].rpartition("/")[0] for text in configurations}
    console.print(
        f"[bold]plan[/]   {escape(spec.agent)}: {len(scenarios)} scenarios, {len(configurations)} configurations x "
        f"{spec.rollouts} rollouts = [bold]{len(plan)} episodes[/], seed {spec.seed}",
        highlight=False,
    )


def _check_place(place: Where, address: str | None) -> None:
    if place is Where.RAY:
        need_ray()
    elif address is not None:
        raise InvalidInput("--address is that of a Ray cluster", fix="add --executor ray")


def _do(store: RunStore, workers: int | None, json: bool, place: Where, address: str | None) -> None:
    try:
        with store, _shown(store, quiet=json) as tell:
            executor = on_ray(store, address=address, workers=workers) if place is Where.RAY else None
            carry_out(store, workers=workers or _WORKERS, executor=executor, on_event=tell)
    except KeyboardInterrupt:
        errors.print(f"\nstopped; go on with: fairground resume {store.folder}", highlight=False, soft_wrap=True)
        raise
    found = summarise(run_table(store.folder))
    page = write_report(found, store.folder / "report.html")
    if json:
        print_json({"folder": str(store.folder), "page": str(page), "summary": plain(found)})
        return
    _print_end(found, store.folder, page)


@contextmanager
def _shown(store: RunStore, *, quiet: bool) -> Iterator[Callable[[Event], None]]:
    begun = store.progress()
    bar = Progress(
        TextColumn("[bold]run[/]   "),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.description}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=errors,
        transient=True,
        disable=quiet or not errors.is_terminal,
    )
    with bar:
        task = bar.add_task("opening seats", total=begun.planned, completed=begun.finished)

        def tell(event: Event) -> None:
            now = event.progress
            words = ", ".join(f"{number} {outcome}" for outcome, number in now.outcomes.items())
            bar.update(task, completed=now.finished, description=words)
            if event.finished.outcome in (Outcome.ERRORED, Outcome.INVALID) and not quiet:
                again = "" if event.final else ", will be tried again"
                first = event.finished.error.splitlines()[0] if event.finished.error else ""
                errors.print(
                    f"[yellow]{event.finished.outcome}[/]{again}: {escape(event.row.planned.configuration)}: "
                    f"{escape(first)}",
                    highlight=False,
                )

        yield tell


def _print_end(found: Summary, folder: Path, page: Path) -> None:
    for one in found.standings:
        score = one.score
        console.print(
            f"[bold]score[/]  {escape(str(one.contender))}: [bold]{100 * score.estimate:.1f}%[/] "
            f"\\[{100 * score.low:.1f}, {100 * score.high:.1f}], {one.episodes} episodes scored",
            highlight=False,
        )
    for note in found.notes:
        console.print(f"[yellow]note[/]   {escape(note)}", highlight=False)
    console.print(f"[bold]run[/]    {folder}", highlight=False, soft_wrap=True)
    console.print(f"[bold]page[/]   {page}", highlight=False, soft_wrap=True)
