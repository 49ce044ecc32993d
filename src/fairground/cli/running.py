"""The work of `fairground run` and `fairground resume`: plan, estimate, run with progress, and report."""

from __future__ import annotations

import os
import re
import shlex
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from fairground.agents import Agent, Checkable
from fairground.agents.models import ModelAgent, price_of
from fairground.cli.estimates import print_estimates
from fairground.cli.output import clean, console, errors, home_of, print_command, print_entry, print_json
from fairground.cli.run_folder import check_new_folder
from fairground.cli.stats.options import counted, number_shown, shown
from fairground.cli.stats.summary import print_standings
from fairground.core import AGENTS_FAULT, InfrastructureError, InvalidInput
from fairground.report import run_gallery, write_report
from fairground.report.describe import in_a_line
from fairground.report.outcomes import outcome_markup
from fairground.rollout import (
    Event,
    Executor,
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
from fairground.rollout.estimates import estimate
from fairground.rollout.interventions import check_interventions
from fairground.rollout.label import RunLabel, write_label
from fairground.rollout.plan import plan_notes
from fairground.rollout.ray_executor import need_ray, on_ray
from fairground.rollout.work import agent_of
from fairground.stats import Summary, plain, summarise
from fairground.study import read_side
from fairground.worlds import select

_WORKERS = max(1, min(4, os.cpu_count() or 1))
_PROGRESS_SECONDS = 10.0  # between two lines of progress without a terminal


@dataclass(frozen=True)
class How:
    """Where and how episodes run.

    Attributes:
        workers: Number of parallel episodes; None for the default.
        on_ray: Whether to use a Ray cluster instead of processes on this machine.
        address: Address of the cluster.
        ship: Whether its nodes send episodes back.
    """

    workers: int | None
    on_ray: bool
    address: str | None
    ship: bool

    def check(self) -> None:
        """Raises for options that contradict each other, and where Ray is needed and not installed."""
        if self.on_ray:
            need_ray()
        elif self.address is not None:
            raise InvalidInput("--address needs a Ray cluster", fix="add --executor ray")
        elif self.ship:
            raise InvalidInput("--ship needs a Ray cluster", fix="add --executor ray")

    def executor(self, store: RunStore) -> Executor | None:
        """Returns the executor of one run on the cluster; None for this machine."""
        return on_ray(store, address=self.address, workers=self.workers, ship=self.ship) if self.on_ray else None


def begin(
    agents: list[str], spec: RunSpec, how: How, *, out: Path | None, label: RunLabel, dry_run: bool, json: bool
) -> None:
    """Starts one run per agent, all with the same plan. The `agent` of the spec is ignored."""
    how.check()
    who = _plain_name(agents[0].split(":")[0]) if len(agents) == 1 else f"{len(agents)}-agents"
    folder = out or Path("runs") / f"{datetime.now().strftime('%Y%m%d-%H%M%S')}-{who}"
    check_new_folder(folder)
    specs = [spec.model_copy(update={"agent": agent, "home": home_of([agent])}) for agent in agents]
    actors = [_checked(agent_spec, how) for agent_spec in specs]
    spec = specs[0]
    plan = make_plan(spec)  # does not depend on the agent
    places = [Path("runs"), *([] if out is None else [out.parent])]
    estimates = [
        estimate(agent_spec, plan, actor, workers=how.workers or _WORKERS, places=places)
        for agent_spec, actor in zip(specs, actors, strict=True)
    ]
    if not json:
        _print_plan(agents, spec, plan)
        print_estimates(agents, estimates)
        for note in plan_notes(spec, plan):
            print_entry("[yellow]note[/]", escape(note))
    if dry_run:
        if json:
            runs = [
                {"spec": agent_spec.plain(), "estimate": agent_estimate.plain()}
                for agent_spec, agent_estimate in zip(specs, estimates, strict=True)
            ]
            planned = {"plan": [episode.plain() for episode in plan]}
            print_json({**runs[0], **planned} if len(runs) == 1 else {"runs": runs, **planned})
        return
    for actor in actors:
        if isinstance(actor, ModelAgent):
            actor.reach()  # fails before the run's folder exists
    stores = [start_run(place, agent_spec) for place, agent_spec in zip(_places(folder, agents), specs, strict=True)]
    if label.name or label.tags:
        write_label(folder, name=label.name, tags=label.tags)
    _do(folder, stores, how, json)


def split_side(text: str, worlds: Sequence[str]) -> dict[str, dict[str, tuple[str, ...]]]:
    """Returns the scenarios of the side `FILE:SIDE` among these worlds, with the allowed values of a held-out axis."""
    split, side = read_side(text)
    return split.allowed(side, select(*worlds))


def go_on(folder: Path, how: How, *, dollars: float | None, errored: bool, json: bool) -> None:
    """Runs the missing episodes of all runs in a folder."""
    how.check()
    stores = [RunStore.open(run, write=True) for run in runs_in(folder) or [folder]]
    try:
        for store in stores:
            if dollars is not None:
                budget = store.spec.budget.model_copy(update={"dollars": dollars})
                store.spec = store.spec.model_copy(update={"budget": budget})
            _checked(store.spec, how)
            if errored:
                store.reopen_errored()
            for episode in store.damaged(full=True) if not json else ():
                words = f"damaged, will be run again: {episode.name}: {episode.problem}"
                errors.print(escape(clean(words)), highlight=False, soft_wrap=True)
    except BaseException:
        for store in stores:
            store.close()
        raise
    _do(folder, stores, how, json)


def _places(folder: Path, agents: list[str]) -> list[Path]:
    """Returns the folder of each agent's run: the folder itself, or one subfolder per agent."""
    if len(agents) == 1:
        return [folder]
    names: list[str] = []
    for agent in agents:
        plain_name = _plain_name(agent)
        names.append(plain_name if plain_name not in names else f"{plain_name}-{len(names)}")
    return [folder / name for name in names]


def _plain_name(agent: str) -> str:
    """Makes a file name of an agent's name."""
    return re.sub(r"[^a-z0-9.]+", "-", agent.lower()).strip("-.")[:60] or "agent"


def _checked(spec: RunSpec, how: How) -> Agent:
    """Makes the agent of a run. Raises before anything starts, for example where an API key is missing."""
    check_interventions(spec.interventions, shared=not how.ship)
    agent = agent_of(spec)
    if isinstance(agent, Checkable):
        agent.check()
    if isinstance(agent, ModelAgent):
        agent.price = price_of(agent.model, spec.prices) or agent.price
        if agent.price is None and spec.budget.dollars is not None:
            raise InvalidInput(
                f"a budget of ${spec.budget.dollars:g} cannot be enforced: no price of {agent.model} is known",
                fix="give its price with --prices FILE, or a budget in --tokens instead",
            )
    return agent


def _print_plan(agents: list[str], spec: RunSpec, plan: tuple[Planned, ...]) -> None:
    configurations = {episode.configuration for episode in plan}
    scenarios = {text.partition("@")[0].rpartition("/")[0] for text in configurations}
    print_entry(
        "[bold]plan[/]",
        f"{escape(', '.join(agents))}: {counted(len(scenarios), 'scenario')}, "
        f"{counted(len(configurations), 'configuration')} x {counted(spec.rollouts, 'rollout')} = "
        f"[bold]{counted(len(plan), 'episode')}[/]{' each' if len(agents) > 1 else ''}, seed {spec.seed}",
    )


def _do(folder: Path, stores: list[RunStore], how: How, json: bool) -> None:
    notes: list[str] = []
    try:
        for store in stores:
            with store:
                with _shown(store, f"{store.spec.agent}:", quiet=json) as tell:
                    executor = how.executor(store)
                    ended = carry_out(store, workers=how.workers or _WORKERS, executor=executor, on_event=tell)
                notes += _shortcomings(store, ended)
    except KeyboardInterrupt:
        errors.print()
        print_command("stopped; continue with", shlex.join(["fairground", "resume", str(folder)]), to=errors)
        raise
    finally:
        for store in stores:
            store.close()
    table = replace(run_table([store.folder for store in stores]), source=str(folder))
    summary = summarise(table)
    summary = replace(summary, notes=(*summary.notes, *notes))
    page = folder / "report.html"
    write_report(summary, page, pictures=run_gallery([store.folder for store in stores], page))
    if json:
        print_json({"folder": str(folder), "page": str(page), "summary": plain(summary)})
        return
    if len(stores) > 1:
        print_standings(summary, table)
    _print_end(summary, folder, page, scores=len(stores) == 1)


def _shortcomings(store: RunStore, ended: Standing) -> list[str]:
    """Returns notes on incomplete runs and errors of the agent; raises where no episode was scored."""
    planned = counted(ended.planned, "episode")
    spent = f"its budget of ${store.spec.budget.dollars} was spent after {ended.finished} of {planned}"
    if not any(outcome.scored for outcome in ended.outcomes):
        counts = ", ".join(f"{number} {outcome}" for outcome, number in ended.outcomes.items()) or spent
        raise InfrastructureError(
            f"{store.folder}: no episode was scored: {counts}",
            fix=f"find the cause with: fairground show {store.folder / 'episodes' / '000000'}",
        )
    notes = [f"The run is incomplete: {spent}."] if ended.finished < ended.planned else []
    agent_errors = [
        row.finished
        for row in store.rows()
        if row.finished is not None and row.finished.ended_by in AGENTS_FAULT and row.finished.outcome.scored
    ]
    if agent_errors:
        notes.append(
            f"{len(agent_errors)} of {counted(ended.finished, 'episode')} ended by an error of {store.spec.agent}, "
            f"which counts as failed; the first: {in_a_line(agent_errors[0].error)}"
        )
    return notes


@contextmanager
def _shown(store: RunStore, who: str, *, quiet: bool) -> Iterator[Callable[[Event], None]]:
    """Shows progress: a bar in a terminal, else a line every few seconds."""
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
    printed_at = time.monotonic()
    if not (quiet or terminal):
        print_entry("[bold]run[/]", f"{escape(who)} opening seats", to=errors)
    with bar:
        task = bar.add_task("opening seats", total=begun.planned, completed=begun.finished)

        def tell(event: Event) -> None:
            nonlocal printed_at
            now = event.progress
            words = ", ".join(f"{number} {outcome}" for outcome, number in now.outcomes.items())
            bar.update(task, completed=now.finished, description=words)
            if not (quiet or terminal) and (
                now.finished == now.planned or time.monotonic() - printed_at >= _PROGRESS_SECONDS
            ):
                printed_at = time.monotonic()
                done = f"{now.finished} of {counted(now.planned, 'episode')}"
                print_entry("[bold]run[/]", f"{escape(who)} {done}: {words}", to=errors)
            if event.finished.error and not quiet:
                again = "" if event.final else ", will be retried"
                first = in_a_line(event.finished.error)
                print_entry(
                    "",
                    f"{outcome_markup(event.finished.outcome)}{again}: {escape(event.row.planned.configuration)}: "
                    f"{escape(first)}",
                    to=errors,
                )

        yield tell


def _print_end(summary: Summary, folder: Path, page: Path, *, scores: bool) -> None:
    for standing in summary.standings if scores else ():
        score, strict = standing.score, standing.score_errors_failed
        print_entry(
            "[bold]score[/]",
            f"{escape(str(standing.contender))}: [bold]{100 * score.estimate:.1f}%[/] "
            f"\\[{100 * score.low:.1f}, {100 * score.high:.1f}], "
            + (f"{shown(strict)} with errors as failures, " if strict else "")
            + (f"mean reward {number_shown(standing.reward)}, " if standing.reward else "")
            + f"{counted(standing.episodes, 'episode')} scored",
        )
    for note in summary.notes:
        print_entry("[yellow]note[/]", escape(note))
    console.print(f"[bold]run[/]    {folder}", highlight=False, soft_wrap=True)
    console.print(f"[bold]page[/]   {page}", highlight=False, soft_wrap=True)
