"""`fairground run` and `fairground resume`: many episodes, in parallel, that survive being stopped."""

from __future__ import annotations

import os
import re
import time
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
from fairground.cli.output import AGENTS, Json, Observe, Runner, console, errors, home_of, listed, print_json
from fairground.cli.stats.options import counted
from fairground.cli.stats.summary import print_standings
from fairground.core import AXES, InfrastructureError, InvalidInput, Outcome
from fairground.report import run_gallery, write_report
from fairground.report.outcomes import outcome_markup
from fairground.rollout import (
    Budget,
    Event,
    Planned,
    RunSpec,
    RunStore,
    carry_out,
    make_plan,
    run_table,
    runs_in,
    start_run,
)
from fairground.rollout import Progress as Standing
from fairground.rollout.estimates import Estimate, Range, estimate
from fairground.rollout.interventions import check_interventions, parse_intervention
from fairground.rollout.label import make_label, write_label
from fairground.rollout.plan import plan_notes
from fairground.rollout.ray_executor import need_ray, on_ray
from fairground.rollout.work import agent_of
from fairground.stats import Summary, plain, summarise

Workers = Annotated[
    int | None,
    typer.Option(help="Episodes at a time; by default up to 4 here, and every seat of a Ray cluster.", min=1),
]
_WORKERS = max(1, min(4, os.cpu_count() or 1))
_TELL = 10.0  # seconds between two lines of progress where there is no terminal


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
    agent: Annotated[
        list[str] | None, typer.Option(help=f"{AGENTS} Several agents have the same configurations. [default: random]")
    ] = None,
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
    name: Annotated[str, typer.Option(help="What to call the run in the studio.")] = "",
    tag: Annotated[list[str] | None, typer.Option(help="A word to find the run by; may be repeated.")] = None,
    runner: Runner = None,
    observe: Observe = "",
    video: Annotated[bool, typer.Option("--video", help="Make a video of every episode.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show the plan, and what it would take.")] = False,
    json: Json = False,
) -> None:
    """Runs agents over many configurations, and ends with scores, their intervals and a report.

    \b
      fairground run pocket/notes --agent random --configs 2 --dry-run     what would be run, and what it would take
      fairground run pocket --agent oracle --agent random --out both       two agents on the same configurations
      fairground run pocket --agent anthropic:claude-sonnet-5-5 --dollars 20 --out first
      fairground resume first                                              after Ctrl-C, a crash, or with more --dollars
      fairground compare first second                                      who is better, and where

    Plan and worlds follow from the words and the seed. Episodes that errored are tried again, and are never a score.
    """  # noqa: D301 (click reads \b as: keep these lines)
    agents = list(dict.fromkeys(agent or ["random"]))
    spec = RunSpec(
        worlds=tuple(worlds),
        agent=agents[0],
        condition=condition,
        interventions=tuple(parse_intervention(words) for words in with_ or ()),
        rollouts=rollouts,
        configs=configs or None,
        axes=listed(axes),
        seed=seed,
        budget=Budget(steps=steps, seconds=seconds, tokens=tokens, dollars=dollars),
        retries=retries,
        prices={} if prices is None else read_prices(prices),
        runner=runner,
        video=video,
        observe=listed(observe),
    )
    _check_place(executor, address, ship)
    called = make_label(name, tag or ())
    specs = [spec.model_copy(update={"agent": one, "home": home_of([one])}) for one in agents]
    actors = [_checked(one, ship) for one in specs]
    plan = make_plan(spec)  # which does not depend on the agent
    places = [Path("runs"), *([] if out is None else [out.parent])]
    found = [
        estimate(one, plan, actor, workers=workers or _WORKERS, places=places)
        for one, actor in zip(specs, actors, strict=True)
    ]
    if not json:
        _print_plan(agents, spec, plan)
        for one, took in zip(agents, found, strict=True):
            if len(agents) > 1:
                console.print(f"[bold]agent[/]  {escape(one)}", highlight=False)
            _print_estimate(took)
        for note in plan_notes(spec, plan):
            console.print(f"[yellow]note[/]   {escape(note)}", highlight=False)
    if dry_run:
        if json:
            shown = [{"spec": one.plain(), "estimate": took.plain()} for one, took in zip(specs, found, strict=True)]
            planned = {"plan": [one.plain() for one in plan]}
            print_json({**shown[0], **planned} if len(shown) == 1 else {"runs": shown, **planned})
        return
    who = _plain_name(agents[0].split(":")[0]) if len(agents) == 1 else f"{len(agents)}-agents"
    folder = out or Path("runs") / f"{datetime.now().strftime('%Y%m%d-%H%M%S')}-{who}"
    stores = [start_run(place, one) for place, one in zip(_places(folder, agents), specs, strict=True)]
    if called.name or called.tags:
        write_label(folder, name=called.name, tags=called.tags)
    _do(folder, stores, workers, json, executor, address, ship)


def resume(
    folder: Annotated[Path, typer.Argument(help="The folder of a run, or of several side by side.")],
    workers: Workers = None,
    executor: Place = Where.LOCAL,
    address: Address = None,
    ship: Ship = False,
    dollars: Annotated[float | None, typer.Option(help="Most dollars for the whole run, in place of its own.")] = None,
    json: Json = False,
) -> None:
    """Goes on with a run that was stopped: what it still lacks, and nothing twice."""
    _check_place(executor, address, ship)
    stores = [RunStore.open(one, write=True) for one in runs_in(folder) or [folder]]
    try:
        for store in stores:
            if dollars is not None:
                budget = store.spec.budget.model_copy(update={"dollars": dollars})
                store.spec = store.spec.model_copy(update={"budget": budget})
            _checked(store.spec, ship)
    except BaseException:
        for store in stores:
            store.close()
        raise
    _do(folder, stores, workers, json, executor, address, ship)


def _places(folder: Path, agents: list[str]) -> list[Path]:
    """Where each agent's run goes: the folder itself, or one in it for each."""
    if len(agents) == 1:
        return [folder]
    names: list[str] = []
    for agent in agents:
        plain_name = _plain_name(agent)
        names.append(plain_name if plain_name not in names else f"{plain_name}-{len(names)}")
    return [folder / name for name in names]


def _plain_name(agent: str) -> str:
    """An agent's name as part of a path."""
    return re.sub(r"[^a-z0-9.]+", "-", agent.lower()).strip("-.")[:60] or "agent"


def _checked(spec: RunSpec, ship: bool) -> Agent:
    """The agent of a run; raises a clear word, such as that there is no key, before anything starts."""
    check_interventions(spec.interventions, shared=not ship)
    agent = agent_of(spec)
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


def _print_plan(agents: list[str], spec: RunSpec, plan: tuple[Planned, ...]) -> None:
    configurations = {one.configuration for one in plan}
    scenarios = {text.partition("@")[0].rpartition("/")[0] for text in configurations}
    console.print(
        f"[bold]plan[/]   {escape(', '.join(agents))}: {counted(len(scenarios), 'scenario')}, "
        f"{counted(len(configurations), 'configuration')} x {counted(spec.rollouts, 'rollout')} = "
        f"[bold]{counted(len(plan), 'episode')}[/]{' each' if len(agents) > 1 else ''}, seed {spec.seed}",
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


def _do(
    folder: Path,
    stores: list[RunStore],
    workers: int | None,
    json: bool,
    place: Where,
    address: str | None,
    ship: bool,
) -> None:
    notes: list[str] = []
    try:
        for store in stores:
            with store, _shown(store, f"{store.spec.agent}:", quiet=json) as tell:
                executor = on_ray(store, address=address, workers=workers, ship=ship) if place is Where.RAY else None
                ended = carry_out(store, workers=workers or _WORKERS, executor=executor, on_event=tell)
            notes += _shortcomings(store, ended)
    except KeyboardInterrupt:
        errors.print(f"\nstopped; go on with: fairground resume {folder}", highlight=False, soft_wrap=True)
        raise
    finally:
        for store in stores:
            store.close()
    table = replace(run_table([store.folder for store in stores]), source=str(folder))
    found = summarise(table)
    found = replace(found, notes=(*found.notes, *notes))
    page = folder / "report.html"
    write_report(found, page, pictures=run_gallery([store.folder for store in stores], page))
    if json:
        print_json({"folder": str(folder), "page": str(page), "summary": plain(found)})
        return
    if len(stores) > 1:
        print_standings(found, table)
    _print_end(found, folder, page, scores=len(stores) == 1)


def _shortcomings(store: RunStore, ended: Standing) -> list[str]:
    """What a reader of the scores must know of a run; raises where there is nothing to score."""
    spent = f"its ${store.spec.budget.dollars} were spent after {ended.finished} of {ended.planned} episodes"
    if not any(outcome.scored for outcome in ended.outcomes):
        counts = ", ".join(f"{number} {outcome}" for outcome, number in ended.outcomes.items()) or spent
        raise InfrastructureError(
            f"{store.folder}: no episode was scored: {counts}",
            fix=f"look at one, such as: fairground show {store.folder / 'episodes' / '000000'}",
        )
    return [f"The run is not whole: {spent}."] if ended.finished < ended.planned else []


@contextmanager
def _shown(store: RunStore, who: str, *, quiet: bool) -> Iterator[Callable[[Event], None]]:
    """Shows progress: a bar in a terminal, a line now and then where the output goes into a file."""
    begun = store.progress()
    terminal = errors.is_terminal
    bar = Progress(
        TextColumn(f"[bold]run[/]    {escape(who)}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.description}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=errors,
        transient=True,
        disable=quiet or not terminal,
    )
    told = time.monotonic()
    if not (quiet or terminal):
        errors.print(f"[bold]run[/]    {escape(who)} opening seats", highlight=False)
    with bar:
        task = bar.add_task("opening seats", total=begun.planned, completed=begun.finished)

        def tell(event: Event) -> None:
            nonlocal told
            now = event.progress
            words = ", ".join(f"{number} {outcome}" for outcome, number in now.outcomes.items())
            bar.update(task, completed=now.finished, description=words)
            if not (quiet or terminal) and (now.finished == now.planned or time.monotonic() - told >= _TELL):
                told = time.monotonic()
                done = f"{now.finished} of {counted(now.planned, 'episode')}"
                errors.print(f"[bold]run[/]    {escape(who)} {done}: {words}", highlight=False)
            if event.finished.outcome in (Outcome.ERRORED, Outcome.INVALID) and not quiet:
                again = "" if event.final else ", will be tried again"
                first = event.finished.error.splitlines()[0] if event.finished.error else ""
                errors.print(
                    f"{outcome_markup(event.finished.outcome)}{again}: {escape(event.row.planned.configuration)}: "
                    f"{escape(first)}",
                    highlight=False,
                )

        yield tell


def _print_end(found: Summary, folder: Path, page: Path, *, scores: bool) -> None:
    for one in found.standings if scores else ():
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
