"""`fairground judge`: recorded episodes, judged by a model, and how far it agrees with the state verifier."""

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
    paths: Annotated[list[Path], typer.Argument(help="Folders of runs or episodes.", metavar="RUN_OR_EPISODE...")],
    model: Annotated[
        str, typer.Option(help="Who judges: anthropic:MODEL, openai:MODEL, gemini:MODEL or compatible:MODEL@URL.")
    ],
    checklist: Annotated[
        Path | None, typer.Option(help="A .toml or .json file; else each scenario's own, or its checks.")
    ] = None,
    frames: Annotated[int, typer.Option(help="The most frames that are shown of an episode.", min=2, max=100)] = FRAMES,
    workers: Annotated[int, typer.Option(help="Questions at the same time.", min=1, max=256)] = 4,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="The page to write; by default judge.html in the run.")
    ] = None,
    level: Level = 0.95,
    seed: RandomSeed = 0,
    browser: Annotated[bool, typer.Option("--browser", help="Open the page in a browser.")] = False,
    json: Json = False,
) -> None:
    """Judges recorded episodes by a model and a checklist; their verdicts stay what they are."""
    if output is not None and output.suffix.lower() not in (".html", ".htm"):
        raise InvalidInput(f"--output: expected a name that ends in .html, got {output.name!r}", fix="judge.html")
    asked = None if checklist is None else read_checklist(checklist)
    name = make_asker(model).name
    with progress("judging", quiet=json) as bar:
        found = judge_recorded(
            paths,
            lambda: make_asker(model),
            checklist=asked,
            frames=frames,
            workers=workers,
            on_done=lambda done, all_: bar.update(bar.task_ids[0], completed=done, total=all_),
        )
    agreement = judge_agreement(found, model=name, seed=seed, level=level)
    place = output or (paths[0] / "judge.html" if runs_in(paths[0]) else None)
    page = None if place is None else write_judge_page(agreement, place)
    if json:
        print_json(_plain(agreement, found, page))
    else:
        if len(found) == 1 and found[0].judgement is not None:
            _print_one(found[0])
        _print(agreement, found)
        if page is not None:
            console.print(f"[bold]page[/]        {label(page, 1000)}", highlight=False, soft_wrap=True)
    if browser and page is not None:
        webbrowser.open(page.resolve().as_uri())


def _print_one(one: Judged) -> None:
    assert one.judgement is not None
    made = grid("what the judge found", "", "item", "evidence")
    for check in one.judgement.verdict.checks:
        seen = check.found.get("evidence", "") if isinstance(check.found, dict) else ""
        made.add_row("[green]✓[/]" if check.passed else "[red]✗[/]", label(check.name, 60), label(seen, 90))
    show(made)


def _print(found: JudgeAgreement, episodes: list[Judged]) -> None:
    kept = sum(one.kept for one in episodes)
    console.print(
        f"[bold]judged[/]      {counted(found.judged, 'episode')} by {label(found.model, 80)}"
        + (f", {kept:,} of them before" if kept else ""),
        highlight=False,
    )
    if found.judged:
        made = grid("", "", ">judge: passed", ">judge: failed")
        made.add_row("state: passed", f"{found.passed:,}", f"[yellow]{len(found.false_fails):,}[/]")
        made.add_row("state: failed", f"[red]{len(found.false_passes):,}[/]", f"{found.failed:,}")
        show(made)
    if found.agreement is not None:
        console.print(f"[bold]agreement[/]   {shown(found.agreement)}", highlight=False)
    console.print(
        f"[bold]kappa[/]       {_beyond(found.kappa)}   [bold]alpha[/] {_beyond(found.alpha)}", highlight=False
    )
    for title, some in (("false pass", found.false_passes), ("false fail", found.false_fails)):
        for one in some[:_LISTED]:
            console.print(
                f"[bold]{title}[/]  {label(one.configuration, 100)}  {label(one.folder, 1000)}",
                highlight=False,
                soft_wrap=True,
            )
        if len(some) > _LISTED:
            console.print(f"... and {counted(len(some) - _LISTED, title)} more; --json and the page have them")
    problems = Counter(one.problem for one in found.not_judged)
    for problem, number in problems.most_common(5):
        console.print(f"[yellow]not judged[/]  {counted(number, 'episode')}: {escape(clean(problem))}", highlight=False)
    if len(problems) > 5:
        console.print(f"[yellow]not judged[/]  and for {len(problems) - 5} other reasons; --json has them all")
    console.print(f"[bold]took[/]        {_cost(found.spent)}", highlight=False)
    if found.spent != found.usage:
        console.print(f"[bold]in all[/]      {_cost(found.usage)}", highlight=False)
    print_notes(("", note) for note in found.notes)


def _beyond(interval: Interval | None) -> str:
    if interval is None:
        return "no value"
    return f"{interval.estimate:.2f} \\[{interval.low:.2f}, {interval.high:.2f}]"


def _cost(usage: Usage) -> str:
    dollars = "cost not known" if usage.dollars is None else f"${usage.dollars:,.2f}"
    return f"{counted(usage.requests, 'request')}, {counted(usage.tokens, 'token')}, {dollars}"


def _plain(found: JudgeAgreement, episodes: list[Judged], page: Path | None) -> dict[str, object]:
    return {
        "model": found.model,
        "judged": found.judged,
        "passed": found.passed,
        "failed": found.failed,
        "false_passes": [str(one.folder) for one in found.false_passes],
        "false_fails": [str(one.folder) for one in found.false_fails],
        "not_judged": [{"folder": str(one.folder), "problem": one.problem} for one in found.not_judged],
        "agreement": plain(found.agreement),
        "kappa": plain(found.kappa),
        "alpha": plain(found.alpha),
        "items": plain(found.items),
        "usage": found.usage.plain(),
        "spent": found.spent.plain(),
        "notes": list(found.notes),
        "page": None if page is None else str(page),
        "episodes": [
            {
                "folder": str(one.folder),
                "configuration": one.configuration,
                "rollout": one.rollout,
                "state": one.state.value,
                "verdict": None if one.judgement is None else one.judgement.verdict.plain(),
                "kept": one.kept,
            }
            for one in episodes
        ],
    }
