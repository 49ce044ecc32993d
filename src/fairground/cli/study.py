"""`fairground study`: agents under several conditions, paired on the same configurations."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from fairground.cli.output import (
    Json,
    Observe,
    clean,
    console,
    errors,
    home_of,
    listed,
    print_command,
    print_entry,
    print_json,
)
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
    file: Annotated[
        Path | None, typer.Argument(help="TOML file with the agents and conditions.", metavar="FILE.toml")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Folder of the study; must be empty or absent. [default: a new one in studies/]"
        ),
    ] = None,
    resume: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Continue the study in this folder.")] = None,
    workers: Annotated[int, typer.Option(help="Run N episodes in parallel.", min=1)] = _WORKERS,
    observe: Observe = "",
    agent_errors: Annotated[
        AgentErrors | None,
        typer.Option(
            help="How to count episodes that end by an error of the agent. [default: as in the file, else failed]"
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the plan; run nothing.")] = False,
    json: Json = False,
) -> None:
    """Run a baseline and conditions, and report what each changed.

    \b
    Examples:
      fairground study study.toml --dry-run
      fairground study study.toml --out studies/first
      fairground study --resume studies/first

    All conditions run on the same configurations, so their effects are compared in pairs, with p-values and intervals.
    docs/studies.md describes the file.
    """  # noqa: D301 (\b keeps line breaks)
    if (file is None) == (resume is None):
        raise InvalidInput(
            "a study needs either a file, or a folder to resume", fix="study FILE.toml, or study --resume FOLDER"
        )
    if resume is not None and out is not None:
        raise InvalidInput(
            "--out and --resume cannot be combined", fix="remove --out: a resumed study stays in its folder"
        )
    for option, given in (("--observe", observe), ("--agent-errors", agent_errors)):
        if resume is not None and given:
            raise InvalidInput(
                f"{option} and --resume cannot be combined", fix=f"remove {option}: a resumed study keeps its settings"
            )
    begun = open_study(resume) if resume is not None else None
    if begun is not None:
        spec = begun.spec
    else:
        assert file is not None
        spec = read_study(file)
        errors_option = {"agent_errors": agent_errors.value} if agent_errors is not None else {}
        own = {"observe": listed(observe) or spec.observe, "home": home_of(spec.agents), **errors_option}
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
        errors.print()
        resume = shlex.join(["fairground", "study", "--resume", str(begun.folder)])
        print_command("stopped; continue with", resume, to=errors)
        raise
    result = study_result(begun)
    path = write_result(begun, result)
    page = write_study_page(begun, result, begun.folder / PAGE)
    if json:
        left = [{"agent": run.agent, "condition": run.condition} for run in waiting]
        print_json({"folder": str(begun.folder), "page": str(page), "result": plain(result), "not_begun": left})
        return
    _print_result(result)
    for run in waiting:
        errors.print(
            f"[yellow]not begun[/]  {escape(run.agent)}, {escape(run.condition)}: "
            "the runs that it learns from have not ended",
            highlight=False,
        )
    for name, place in (("study", begun.folder), ("json", path), ("page", page)):
        console.print(f"[bold]{name:<6}[/] {place}", highlight=False, soft_wrap=True)


def _print_plan(spec: StudySpec, planned: PlannedStudy) -> None:
    first = next(iter(planned.plans.values()))
    tasks = len({episode.pairing for episode in first})
    table = grid("plan", "agent", "condition", "compared with", "what is changed", ">episodes")
    for run, plan in planned.plans.items():
        changed = ", ".join(intervention.name for intervention in run.spec.interventions) or "nothing"
        table.add_row(label(run.agent), label(run.condition), label(run.base or "-"), label(changed), f"{len(plan):,}")
    show(table)
    print_entry(
        "",
        f"{counted(tasks, 'configuration')} x {counted(spec.rollouts, 'rollout')} in each of "
        f"{counted(len(planned.plans), 'run')} = [bold]{counted(planned.episodes, 'episode')}[/], seed {spec.seed}",
        indent=2,
    )
    print_notes(("", note) for note in planned.notes)


def _plain_run(run: StudyRun, plan: tuple[object, ...]) -> dict[str, object]:
    return {
        "agent": run.agent,
        "condition": run.condition,
        "base": run.base,
        "folder": run.folder,
        "episodes": len(plan),
        "interventions": [intervention.plain() for intervention in run.spec.interventions],
    }


@contextmanager
def _progress(
    episodes: int, *, quiet: bool
) -> Iterator[tuple[Callable[[StudyRun, RunStore], None], Callable[[StudyRun, Event], None]]]:
    """Shows one progress bar for the whole study; prints errors above it."""
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
                again = "" if event.final else ", will be retried"
                first = in_a_line(event.finished.error)
                errors.print(
                    f"{outcome_markup(event.finished.outcome)}{again}: {escape(run.condition)}: "
                    f"{escape(event.row.planned.configuration)}: {escape(clean(first))}",
                    highlight=False,
                )

        yield on_run, on_event


def _print_result(result: StudyResult) -> None:
    agents = list(dict.fromkeys(condition.agent for condition in result.conditions))
    for agent in agents:
        mine = [condition for condition in result.conditions if condition.agent == agent]
        k = max((condition.k for condition in mine), default=0)
        table = grid(
            f"{label(agent)}: Pass^1 is the success rate, Pass^{k} the share of tasks solved in all {k} rollouts",
            "condition", ">Pass^1", f">Pass^{k}", f">pass@{k}", ">b - c", ">p", ">change per task", ">p", ">scored",
        )  # fmt: skip
        table.columns[0].no_wrap = True  # never wrap the condition; numbers may exceed the terminal
        for condition in mine:
            table.add_row(
                label(condition.condition),
                *_scores(condition, k),
                *_changed(condition),
                f"{condition.scored:,} of {condition.planned:,}",
            )
        show(table)
    compared = [condition.change.base for condition in result.conditions if condition.change is not None]
    if compared:
        print_entry(
            "",
            f"[dim]b - c: tasks that became reliable minus tasks that stopped being reliable, against "
            f"{escape(' or '.join(dict.fromkeys(compared)))} (McNemar). change per task: in solved "
            f"rollouts (Wilcoxon). p: Holm-corrected for {counted(len(compared), 'comparison')}[/]",
            indent=2,
        )
    _print_advice(result)
    print_notes(
        (str(condition) if len(agents) > 1 else condition.condition, note)
        for condition in result.conditions
        for note in (*condition.notes, *(condition.change.notes if condition.change else ()))
    )


def _scores(condition: ConditionResult, k: int) -> list[str]:
    if condition.reliability is None:
        return ["-", "-", "-"]
    all_attempts = condition.k == k
    return [
        shown(condition.reliability.pass_hat.points[0]),
        shown(condition.reliability.pass_hat.points[-1]) if all_attempts else "-",
        shown(condition.reliability.pass_at.points[-1]) if all_attempts else "-",
    ]


def _changed(condition: ConditionResult) -> list[str]:
    if condition.change is None:
        return ["", "", "", ""]
    moved = condition.change.transitions
    gained, lost = len(moved.improved), len(moved.regressed)
    return [
        f"{gained - lost:+d} ({gained} - {lost})",
        p_shown(condition.change.mcnemar_p),
        _signed(moved.delta) + ("" if moved.unit == "counts" else " of the rate"),
        p_shown(condition.change.wilcoxon_p),
    ]


def _signed(interval: Interval) -> str:
    return f"{interval.estimate:+.2f} \\[{interval.low:+.2f}, {interval.high:+.2f}]"


def _print_advice(result: StudyResult) -> None:
    advised = [condition for condition in result.conditions if condition.advice]
    if not advised:
        return
    table = grid(
        "advice that agents received beside the task",
        "agent", "condition", ">with a plan", ">clarifications rejected", ">sent back", ">advisers' tokens", ">dollars",
    )  # fmt: skip
    table.columns[1].no_wrap = True
    for condition in advised:
        advice = condition.advice
        table.add_row(
            label(condition.agent),
            label(condition.condition),
            f"{advice.plans - advice.without_plan} of {advice.plans}" if advice.plans else "",
            f"{advice.rejected} of {advice.clarified}" if advice.clarified else "",
            f"{counted(advice.rounds, 'round')} in {counted(advice.sent_back, 'episode')}" if advice.rounds else "",
            f"{advice.tokens:,}" if advice.tokens else "",
            "not known" if advice.dollars is None else f"{advice.dollars:.2f}" if advice.tokens else "",
        )
    show(table)
