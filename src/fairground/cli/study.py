"""`fairground study`: agents under several conditions, paired on the same configurations."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from fairground.cli.output import Json, Observe, clean, console, errors, home_of, listed, print_json
from fairground.cli.run import AgentErrors
from fairground.cli.stats.options import counted, grid, label, p_shown, print_notes, show, shown
from fairground.core import InvalidInput
from fairground.report import write_study_page
from fairground.report.describe import in_a_line
from fairground.report.outcomes import outcome_markup
from fairground.rollout import Event, RunStore
from fairground.rollout.study import StudyRun, StudySpec, read_study
from fairground.rollout.study_results import ConditionResult, StudyResult, study_result, write_result
from fairground.rollout.study_run import PlannedStudy, Study, carry_out_study, open_study, plan_study, start_study
from fairground.stats import Interval, plain

PAGE = "study.html"
_WORKERS = max(1, min(4, os.cpu_count() or 1))


def study(
    file: Annotated[Path | None, typer.Argument(help="What to compare, as TOML.", metavar="FILE.toml")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder of the study; must be empty or absent.")] = None,
    resume: Annotated[Path | None, typer.Option(help="Goes on with the study in this folder.")] = None,
    workers: Annotated[int, typer.Option(help="Episodes at a time.", min=1)] = _WORKERS,
    observe: Observe = "",
    agent_errors: Annotated[
        AgentErrors | None,
        typer.Option(help="Count episodes that the agent broke off as failed, or exclude them.", show_default="failed"),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show the plan.")] = False,
    json: Json = False,
) -> None:
    """Runs a baseline and conditions on the same configurations; says what each changed, and how surely."""
    if (file is None) == (resume is None):
        raise InvalidInput(
            "a study needs a file, or a folder to go on with", fix="study FILE.toml, or study --resume DIR"
        )
    if resume is not None and out is not None:
        raise InvalidInput("--out and --resume do not go together", fix="leave --out away: a study stays where it is")
    for option, given in (("--observe", observe), ("--agent-errors", agent_errors)):
        if resume is not None and given:
            raise InvalidInput(f"{option} and --resume do not go together", fix="a study keeps what it was begun with")
    begun = open_study(resume) if resume is not None else None
    if begun is not None:
        spec = begun.spec
    else:
        assert file is not None
        spec = read_study(file)
        said = {"agent_errors": agent_errors.value} if agent_errors is not None else {}
        own = {"observe": listed(observe) or spec.observe, "home": home_of(spec.agents), **said}
        spec = spec.model_copy(update=own)
    planned = plan_study(spec)
    if not json:
        _print_plan(spec, planned)
    if dry_run:
        if json:
            print_json({"study": spec.plain(), "runs": [_plain_run(*pair) for pair in planned.plans.items()]})
        return
    if begun is None:
        name = file.stem if file is not None else "study"
        begun = start_study(out or Path("studies") / f"{datetime.now().strftime('%Y%m%d-%H%M%S')}-{name}", spec)
    _do(begun, planned, workers, json)


def _do(begun: Study, planned: PlannedStudy, workers: int, json: bool) -> None:
    try:
        with _progress(planned.episodes, quiet=json) as (on_run, on_event):
            waiting = carry_out_study(begun, workers=workers, on_run=on_run, on_event=on_event)
    except KeyboardInterrupt:
        errors.print(
            f"\nstopped; go on with: fairground study --resume {begun.folder}", highlight=False, soft_wrap=True
        )
        raise
    found = study_result(begun)
    path = write_result(begun, found)
    page = write_study_page(begun, found, begun.folder / PAGE)
    if json:
        left = [{"agent": run.agent, "condition": run.condition} for run in waiting]
        print_json({"folder": str(begun.folder), "page": str(page), "result": plain(found), "not_begun": left})
        return
    _print_result(found)
    for run in waiting:
        errors.print(
            f"[yellow]not begun[/]  {escape(run.agent)}, {escape(run.condition)}: what it learns from has not ended",
            highlight=False,
        )
    for name, place in (("study", begun.folder), ("json", path), ("page", page)):
        console.print(f"[bold]{name:<6}[/] {place}", highlight=False, soft_wrap=True)


def _print_plan(spec: StudySpec, planned: PlannedStudy) -> None:
    first = next(iter(planned.plans.values()))
    tasks = len({one.pairing for one in first})
    made = grid("plan", "agent", "condition", "compared with", "what is changed", ">episodes")
    for run, plan in planned.plans.items():
        changed = ", ".join(one.name for one in run.spec.interventions) or "nothing"
        made.add_row(label(run.agent), label(run.condition), label(run.base or "-"), label(changed), f"{len(plan):,}")
    show(made)
    console.print(
        f"{counted(tasks, 'configuration')} x {counted(spec.rollouts, 'rollout')} in each of "
        f"{counted(len(planned.plans), 'run')} = [bold]{counted(planned.episodes, 'episode')}[/], seed {spec.seed}",
        highlight=False,
    )
    print_notes(("", note) for note in planned.notes)


def _plain_run(run: StudyRun, plan: tuple[object, ...]) -> dict[str, object]:
    return {
        "agent": run.agent,
        "condition": run.condition,
        "base": run.base,
        "folder": run.folder,
        "episodes": len(plan),
        "interventions": [one.plain() for one in run.spec.interventions],
    }


@contextmanager
def _progress(
    episodes: int, *, quiet: bool
) -> Iterator[tuple[Callable[[StudyRun, RunStore], None], Callable[[StudyRun, Event], None]]]:
    """One bar for the whole study; errors are said above it."""
    bar = Progress(
        TextColumn("[bold]study[/] "),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.description}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=errors,
        transient=True,
        disable=quiet or not errors.is_terminal,
    )
    before = 0
    with bar:
        task = bar.add_task("opening seats", total=episodes)

        def on_run(run: StudyRun, store: RunStore) -> None:
            nonlocal before
            begun = store.progress()
            bar.update(task, completed=before + begun.finished, description=label(f"{run.agent}, {run.condition}"))
            before += begun.planned

        def on_event(run: StudyRun, event: Event) -> None:
            done = before - event.progress.planned + event.progress.finished
            bar.update(task, completed=done)
            if event.finished.error and not quiet:
                again = "" if event.final else ", will be tried again"
                first = in_a_line(event.finished.error)
                errors.print(
                    f"{outcome_markup(event.finished.outcome)}{again}: {escape(run.condition)}: "
                    f"{escape(event.row.planned.configuration)}: {escape(clean(first))}",
                    highlight=False,
                )

        yield on_run, on_event


def _print_result(found: StudyResult) -> None:
    agents = list(dict.fromkeys(one.agent for one in found.conditions))
    for agent in agents:
        mine = [one for one in found.conditions if one.agent == agent]
        k = max((one.k for one in mine), default=0)
        made = grid(
            f"{label(agent)}: Pass^1 is how often a task is solved, Pass^{k} how many are solved {k} times of {k}",
            "condition", ">Pass^1", f">Pass^{k}", f">pass@{k}", ">b - c", ">p", ">change a task", ">p", ">scored",
        )  # fmt: skip
        made.columns[0].no_wrap = True  # there is always room for a condition's name: numbers go on beyond the edge
        for one in mine:
            made.add_row(label(one.condition), *_scores(one, k), *_changed(one), f"{one.scored:,} of {one.planned:,}")
        show(made)
    compared = [one.change.base for one in found.conditions if one.change is not None]
    if compared:
        console.print(
            f"[dim]b - c: tasks that became reliable minus those that ceased to be, against "
            f"{escape(' or '.join(dict.fromkeys(compared)))} (McNemar); change a task: in solved rollouts (Wilcoxon); "
            f"p after Holm over {counted(len(compared), 'comparison')}[/]",
            highlight=False,
        )
    _print_advice(found)
    print_notes(
        (str(one) if len(agents) > 1 else one.condition, note)
        for one in found.conditions
        for note in (*one.notes, *(one.change.notes if one.change else ()))
    )


def _scores(one: ConditionResult, k: int) -> list[str]:
    if one.reliability is None:
        return ["-", "-", "-"]
    whole = one.k == k
    return [
        shown(one.reliability.pass_hat.points[0]),
        shown(one.reliability.pass_hat.points[-1]) if whole else "-",
        shown(one.reliability.pass_at.points[-1]) if whole else "-",
    ]


def _changed(one: ConditionResult) -> list[str]:
    if one.change is None:
        return ["", "", "", ""]
    moved = one.change.transitions
    gained, lost = len(moved.improved), len(moved.regressed)
    return [
        f"{gained - lost:+d} ({gained} - {lost})",
        p_shown(one.change.mcnemar_p),
        _signed(moved.delta) + ("" if moved.unit == "counts" else " of the rate"),
        p_shown(one.change.wilcoxon_p),
    ]


def _signed(interval: Interval) -> str:
    return f"{interval.estimate:+.2f} \\[{interval.low:+.2f}, {interval.high:+.2f}]"


def _print_advice(found: StudyResult) -> None:
    advised = [one for one in found.conditions if one.advice]
    if not advised:
        return
    made = grid(
        "what agents were told beside the task",
        "agent", "condition", ">with a plan", ">clarifications rejected", ">sent back", ">advisers' tokens", ">dollars",
    )  # fmt: skip
    made.columns[1].no_wrap = True
    for one in advised:
        said = one.advice
        made.add_row(
            label(one.agent),
            label(one.condition),
            f"{said.plans - said.without_plan} of {said.plans}" if said.plans else "",
            f"{said.rejected} of {said.clarified}" if said.clarified else "",
            f"{counted(said.rounds, 'round')} in {counted(said.sent_back, 'episode')}" if said.rounds else "",
            f"{said.tokens:,}" if said.tokens else "",
            "not known" if said.dollars is None else f"{said.dollars:.2f}" if said.tokens else "",
        )
    show(made)
