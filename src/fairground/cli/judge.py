"""`fairground judge`: a model judges recorded episodes; its agreement with the state verifier is measured."""

from __future__ import annotations

import webbrowser
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from fairground.agents.models import Usage, make_asker
from fairground.cli.output import Json, clean, console, print_json
from fairground.cli.stats.options import Level, RandomSeed, counted, grid, label, print_notes, progress, show, shown
from fairground.core import InvalidInput
from fairground.report.judge_page import write_judge_page
from fairground.rollout import runs_in
from fairground.rollout.judge_agreements import JudgeAgreement, judge_agreement
from fairground.rollout.judged import FRAMES, Judged, judge_recorded
from fairground.stats import Interval, plain
from fairground.verify import read_checklist

_LISTED = 20


def judge(
    paths: Annotated[list[Path], typer.Argument(help="Folders of runs or episodes.", metavar="FOLDER...")],
    model: Annotated[
        str,
        typer.Option(
            metavar="MODEL",
            help="The judge: anthropic:MODEL, openai:MODEL, gemini:MODEL or compatible:MODEL@URL.",
        ),
    ],
    checklist: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Checklist, a .toml or .json file. [default: the scenario's checklist, else its checks]",
        ),
    ] = None,
    frames: Annotated[int, typer.Option(help="Maximum number of frames per episode.", min=2, max=100)] = FRAMES,
    workers: Annotated[int, typer.Option(help="Number of parallel requests.", min=1, max=256)] = 4,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="HTML page to write. [default: judge.html in the run]"),
    ] = None,
    level: Level = 0.95,
    seed: RandomSeed = 0,
    browser: Annotated[bool, typer.Option("--browser", help="Open the page in your browser.")] = False,
    json: Json = False,
) -> None:
    """Judge recorded episodes with a model and a checklist.

    \b
    Example:
      fairground judge runs/first --model anthropic:claude-sonnet-5-5

    Reports how far the model agrees with the recorded verdicts, and which episodes it judges differently. The recorded
    verdicts do not change.
    """  # noqa: D301 (\b keeps line breaks)
    if output is not None and output.suffix.lower() not in (".html", ".htm"):
        raise InvalidInput(f"--output: expected a name that ends in .html, got {output.name!r}", fix="judge.html")
    items = None if checklist is None else read_checklist(checklist)
    name = make_asker(model).name
    with progress("judging", quiet=json) as bar:
        episodes = judge_recorded(
            paths,
            lambda: make_asker(model),
            checklist=items,
            frames=frames,
            workers=workers,
            on_done=lambda done, all_: bar.update(bar.task_ids[0], completed=done, total=all_),
        )
    agreement = judge_agreement(episodes, model=name, seed=seed, level=level)
    place = output or (paths[0] / "judge.html" if runs_in(paths[0]) else None)
    page = None if place is None else write_judge_page(agreement, place)
    if json:
        print_json(_plain(agreement, episodes, page))
    else:
        if len(episodes) == 1 and episodes[0].judgement is not None:
            _print_one(episodes[0])
        _print(agreement, episodes)
        if page is not None:
            console.print(f"[bold]page[/]        {label(page, 1000)}", highlight=False, soft_wrap=True)
    if browser and page is not None:
        webbrowser.open(page.resolve().as_uri())


def _print_one(episode: Judged) -> None:
    assert episode.judgement is not None
    table = grid("what the judge found", "", "item", "evidence")
    for check in episode.judgement.verdict.checks:
        seen = check.found.get("evidence", "") if isinstance(check.found, dict) else ""
        table.add_row("[green]✓[/]" if check.passed else "[red]✗[/]", label(check.name, 60), label(seen, 90))
    show(table)


def _print(agreement: JudgeAgreement, episodes: list[Judged]) -> None:
    reused = sum(episode.kept for episode in episodes)
    console.print(
        f"[bold]judged[/]      {counted(agreement.judged, 'episode')} by {label(agreement.model, 80)}"
        + (f", {reused:,} of them in an earlier call" if reused else ""),
        highlight=False,
    )
    if agreement.judged:
        table = grid("", "", ">judge: passed", ">judge: failed")
        table.add_row("state: passed", f"{agreement.passed:,}", f"[yellow]{len(agreement.false_fails):,}[/]")
        table.add_row("state: failed", f"[red]{len(agreement.false_passes):,}[/]", f"{agreement.failed:,}")
        show(table)
    if agreement.agreement is not None:
        console.print(f"[bold]agreement[/]   {shown(agreement.agreement)}", highlight=False)
    console.print(
        f"[bold]kappa[/]       {_beyond(agreement.kappa)}   [bold]alpha[/] {_beyond(agreement.alpha)}", highlight=False
    )
    for title, disagreeing in (("false pass", agreement.false_passes), ("false fail", agreement.false_fails)):
        for episode in disagreeing[:_LISTED]:
            console.print(
                f"[bold]{title}[/]  {label(episode.configuration, 100)}  {label(episode.folder, 1000)}",
                highlight=False,
                soft_wrap=True,
            )
        if len(disagreeing) > _LISTED:
            console.print(f"... and {counted(len(disagreeing) - _LISTED, title)} more; --json and the page list all")
    problems = Counter(episode.problem for episode in agreement.not_judged)
    for problem, number in problems.most_common(5):
        console.print(f"[yellow]not judged[/]  {counted(number, 'episode')}: {escape(clean(problem))}", highlight=False)
    if len(problems) > 5:
        console.print(f"[yellow]not judged[/]  and for {counted(len(problems) - 5, 'other reason')}; --json lists all")
    console.print(f"[bold]cost[/]        {_cost(agreement.spent)}", highlight=False)
    if agreement.spent != agreement.usage:
        console.print(f"[bold]cost in all[/] {_cost(agreement.usage)}", highlight=False)
    print_notes(("", note) for note in agreement.notes)


def _beyond(interval: Interval | None) -> str:
    if interval is None:
        return "no value"
    return f"{interval.estimate:.2f} \\[{interval.low:.2f}, {interval.high:.2f}]"


def _cost(usage: Usage) -> str:
    dollars = "cost not known" if usage.dollars is None else f"${usage.dollars:,.2f}"
    return f"{counted(usage.requests, 'request')}, {counted(usage.tokens, 'token')}, {dollars}"


def _plain(agreement: JudgeAgreement, episodes: list[Judged], page: Path | None) -> dict[str, object]:
    return {
        "model": agreement.model,
        "judged": agreement.judged,
        "passed": agreement.passed,
        "failed": agreement.failed,
        "false_passes": [str(episode.folder) for episode in agreement.false_passes],
        "false_fails": [str(episode.folder) for episode in agreement.false_fails],
        "not_judged": [{"folder": str(episode.folder), "problem": episode.problem} for episode in agreement.not_judged],
        "agreement": plain(agreement.agreement),
        "kappa": plain(agreement.kappa),
        "alpha": plain(agreement.alpha),
        "items": plain(agreement.items),
        "usage": agreement.usage.plain(),
        "spent": agreement.spent.plain(),
        "notes": list(agreement.notes),
        "page": None if page is None else str(page),
        "episodes": [
            {
                "folder": str(episode.folder),
                "configuration": episode.configuration,
                "rollout": episode.rollout,
                "state": episode.state.value,
                "verdict": None if episode.judgement is None else episode.judgement.verdict.plain(),
                "kept": episode.kept,
            }
            for episode in episodes
        ],
    }
