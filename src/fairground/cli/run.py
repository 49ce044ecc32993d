"""`fairground run` and `fairground resume`: many episodes, in parallel, that survive being stopped."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from fairground.agents import Agent
from fairground.agents.models import ModelAgent, price_of, read_prices
from fairground.cli.output import AgentName, Json, Runner, console, errors, print_json
from fairground.cli.stats.options import counted
from fairground.core import AXES, InfrastructureError, InvalidInput, Outcome
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
from fairground.rollout.estimate import Estimate, Range, estimate
from fairground.rollout.interventions import check_interventions, parse_intervention
from fairground.rollout.plan import plan_notes
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
Ship = Annotated[
    bool,
    typer.Option("--ship", help="Ray nodes send episodes back, for when they do not share the folder of the run."),
]


def run(
    worlds: Annotated[list[str], typer.Argument(help="Suites, apps, scenarios: desk, desk/calc, pocket/notes/...")],
    agent: AgentName = "random",
    rollouts: Annotated[int, typer.Option(help="Attempts at each configuration.", min=1)] = 3,
    configs: Annotated[int, typer.Option(help="Configurations a scenario, drawn at random; 0 for all.", min=0)] = 4,
    axes: Annotated[str, typer.Option(help="The axes to vary, with commas.")] = ",".join(AXES),
    steps: Annotated[int | None, typer.Option(help="Most actions an episode.", min=1)] = None,
    seconds: Annotated[float | None, typer.Option(help="Most seconds an episode.")] = None,
    tokens: Annotated[int | None, typer.Option(help="Most tokens of a model, an episode.", min=1)] = None,
    dollars: Annotated[float | None, typer.Option(help="Most dollars for the whole run.")] = None,
    prices: Annotated[
        Path | None, typer.Option(help="A price table (TOML) that completes the package's; kept with the run.")
    ] = None,
    retries: Annotated[int, typer.Option(help="How often an errored episode is tried again.", min=0)] = 2,
    with_: Annotated[
        list[str] | None,
        typer.Option("--with", help="What to change about how the agent is run: retry, fixed-plan:MODEL, ... (docs)."),
    ] = None,
    condition: Annotated[str, typer.Option(help="A name for how this run differs from others of the agent.")] = "",
    seed: Annotated[int, typer.Option(help="The same seed gives the same plan.", min=0)] = 0,
    workers: Workers = None,
    executor: Place = Where.LOCAL,
    address: Address = None,
    ship: Ship = False,
    out: Annotated[Path | None, typer.Option(help="Folder of the run; must be empty or absent.")] = None,
    runner: Runner = None,
    video: Annotated[bool, typer.Option("--video", help="Make a video of every episode.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show the plan, and what it would take.")] = False,
    json: Json = False,
) -> None:
    """Runs an agent over many configurations, and ends with a score, its interval and a report.

    \b
      fairground run pocket/notes --agent random --configs 2 --dry-run     what would be run, and what it would take
      fairground run pocket --agent anthropic:claude-sonnet-5-5 --dollars 20 --out first
      fairground resume first                                              after Ctrl-C, a crash, or with more --dollars
      fairground compare first second                                      who is better, and where

    Plan and worlds follow from the words and the seed. Episodes that errored are tried again, and are never a score.
    """  # noqa: D301 (click reads \b as: keep these lines)
    spec = RunSpec(
        worlds=tuple(worlds),
        agent=agent,
        condition=condition,
        interventions=tuple(parse_intervention(words) for words in with_ or ()),
        rollouts=rollouts,
        configs=configs or None,
        axes=tuple(part for part in axes.split(",") if part),
        seed=seed,
        budget=Budget(steps=steps, seconds=seconds, tokens=tokens, dollars=dollars),
        retries=retries,
        prices={} if prices is None else read_prices(prices),
        runner=runner,
        video=video,
    )
    _check_place(executor, address, ship)
    actor = _checked(spec, ship)
    plan = make_plan(spec)
    places = [Path("runs"), *([] if out is None else [out.parent])]
    found = estimate(spec, plan, actor, workers=workers or _WORKERS, places=places)
    if not json:
        _print_plan(spec, plan)
        _print_estimate(found)
        for note in plan_notes(spec, plan):
            console.print(f"[yellow]note[/]   {escape(note)}", highlight=False)
    if dry_run:
        if json:
            print_json({"spec": spec.plain(), "estimate": found.plain(), "plan": [one.plain() for one in plan]})
        return
    name = agent.split(":")[0]
    folder = out or Path("runs") / f"{datetime.now().strftime('%Y%m%d-%H%M%S')}-{name}"
    _do(start_run(folder, spec), workers, json, executor, address, ship)


def resume(
    folder: Annotated[Path, typer.Argument(help="The folder of a run.")],
    workers: Workers = None,
    executor: Place = Where.LOCAL,
    address: Address = None,
    ship: Ship = False,
    dollars: Annotated[float | None, typer.Option(help="Most dollars for the whole run, in place of its own.")] = None,
    json: Json = False,
) -> None:
    """Goes on with a run that was stopped: what it still lacks, and nothing twice."""
    _check_place(executor, address, ship)
    store = RunStore.open(folder, write=True)
    try:
        if dollars is not None:
            budget = store.spec.budget.model_copy(update={"dollars": dollars})
            store.spec = store.spec.model_copy(update={"budget": budget})
        _checked(store.spec, ship)
    except BaseException:
        store.close()
        raise
    _do(store, workers, json, executor, address, ship)


def _checked(spec: RunSpec, ship: bool) -> Agent:
    """The agent of a run; raises a clear word, such as that there is no key, before anything starts."""
    check_interventions(spec.interventions, shared=not ship)
    agent = named_agent(spec.agent)
    if callable(check := getattr(agent, "check", None)):
        check()
    if isinstance(agent, ModelAgent):
        agent.price = price_of(agent.model, spec.prices) or agent.price
        if agent.price is None and spec.budget.dollars is not None:
            raise InvalidInput(
                f"a budget of ${spec.budget.dollars:g} cannot be kept: no price of {agent.model} is known",
                fix="give its price with --prices FILE, or a budget in --tokens instead",
            )
    return agent


def _print_plan(spec: RunSpec, plan: tuple[Planned, ...]) -> None:
    configurations = {one.configuration for one in plan}
    scenarios = {text.partition("@")[0].rpartition("/")[0] for text in configurations}
    console.print(
        f"[bold]plan[/]   {escape(spec.agent)}: {counted(len(scenarios), 'scenario')}, "
        f"{counted(len(configurations), 'configuration')} x {counted(spec.rollouts, 'rollout')} = "
        f"[bold]{counted(len(plan), 'episode')}[/], seed {spec.seed}",
        highlight=False,
    )


def _print_estimate(found: Estimate) -> None:
    rows = [("time", f"{_lasting(found.seconds)} with {counted(found.workers, 'worker')}", found.seconds_from)]
    if found.tokens is not None:
        rows.append(("tokens", f"{_amount(found.tokens)}", found.tokens_from))
        cost = "unknown" if found.dollars is None else f"${found.dollars.low:,.2f} to ${found.dollars.high:,.2f}"
        rows.append(("cost", cost, found.dollars_from))
    made = Table.grid(padding=(0, 1, 0, 0))
    for name, value, whence in rows:
        made.add_row(f"[bold]{name:<6}[/]", f"{value}\n[dim]{escape(whence)}[/]")
    console.print(made, highlight=False)


def _lasting(seconds: Range) -> str:
    for size, unit in ((3600, "hours"), (60, "minutes")):
        if seconds.high >= 2 * size:
            return f"{seconds.low / size:.1f} to {seconds.high / size:.1f} {unit}"
    return f"{seconds.low:.0f} to {seconds.high:.0f} seconds"


def _amount(tokens: Range) -> str:
    for size, unit in ((1e6, " million"), (1e3, " thousand")):
        if tokens.high >= size:
            return f"{tokens.low / size:.1f} to {tokens.high / size:.1f}{unit}"
    return f"{tokens.low:.0f} to {tokens.high:.0f}"


def _check_place(place: Where, address: str | None, ship: bool) -> None:
    if place is Where.RAY:
        need_ray()
    elif address is not None:
        raise InvalidInput("--address is that of a Ray cluster", fix="add --executor ray")
    elif ship:
        raise InvalidInput("--ship is for the nodes of a Ray cluster", fix="add --executor ray")


def _do(store: RunStore, workers: int | None, json: bool, place: Where, address: str | None, ship: bool) -> None:
    try:
        with store, _shown(store, quiet=json) as tell:
            executor = on_ray(store, address=address, workers=workers, ship=ship) if place is Where.RAY else None
            ended = carry_out(store, workers=workers or _WORKERS, executor=executor, on_event=tell)
    except KeyboardInterrupt:
        errors.print(f"\nstopped; go on with: fairground resume {store.folder}", highlight=False, soft_wrap=True)
        raise
    spent = f"its ${store.spec.budget.dollars} were spent after {ended.finished} of {ended.planned} episodes"
    if not any(outcome.scored for outcome in ended.outcomes):
        counts = ", ".join(f"{number} {outcome}" for outcome, number in ended.outcomes.items()) or spent
        raise InfrastructureError(
            f"{store.folder}: no episode was scored: {counts}",
            fix=f"look at one, such as: fairground show {store.folder / 'episodes' / '000000'}",
        )
    found = summarise(run_table(store.folder))
    if ended.finished < ended.planned:
        found = replace(found, notes=(*found.notes, f"The run is not whole: {spent}."))
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
