"""`fairground prove`: is every configuration of a suite sound, and what is wrong with those that are not."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from fairground.cli.output import Json, clean, console, errors, print_json
from fairground.cli.stats.options import grid, label, show
from fairground.core import InvalidInput
from fairground.prove import Options, Proof, check_tables, load_suite, select, write_tables
from fairground.prove import prove as prove_suite
from fairground.prove.proving import OnProgress
from fairground.worlds import MutantCount, Scenario, Suite

LEAST = 0.8
"""A scenario that rejects fewer of its mutants is named."""

_SHOWN = 10


def prove(
    name: Annotated[str, typer.Argument(help="SUITE, SUITE/APP or SUITE/APP/SCENARIO; or a folder with a world.toml.")],
    sample: Annotated[
        int | None, typer.Option(help="Only so many pairs of instance and profile a scenario; writes no table.", min=1)
    ] = None,
    workers: Annotated[int | None, typer.Option(help="Processes; as many as there are cores.", min=1)] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Also try oracles on real screens.")] = True,
    agents: Annotated[
        bool, typer.Option("--agents", help="Also score agents that should fail: idle, random, blind, cheating.")
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Try nothing: only whether the proof tables are of these sources.")
    ] = False,
    rejudge: Annotated[
        bool, typer.Option("--rejudge", help="Judge again what has not changed, from what was recorded on seats.")
    ] = False,
    seconds: Annotated[float, typer.Option(help="Most seconds a pair.", min=0.1)] = 30.0,
    page: Annotated[Path | None, typer.Option(help="Write an HTML page of what was found.")] = None,
    table: Annotated[
        Path | None, typer.Option(help="Folder for the proof tables; the suite's own unless given.")
    ] = None,
    json: Json = False,
) -> None:
    """Proves every configuration: coherent, feasible, not already done, solved by its oracle, near misses rejected.

    \b
      fairground prove pocket                        all of it, in parallel; what has not changed is not tried again
      fairground prove pocket/notes/count-label      one scenario, while it is written
      fairground prove pocket --sample 2 --no-browser
      fairground prove pocket --check                are the tables that the package ships those of its sources?
      fairground prove pocket --agents --page proof.html

    It may be stopped at any instant, and goes on where it was. The status is 0 when everything tried is sound.
    """  # noqa: D301 (click reads \b as: keep these lines)
    suite, scenarios = select(name)
    if check:
        _check(suite, scenarios, json)
        return
    if page is not None and not page.parent.is_dir():
        raise InvalidInput(f"there is no folder {page.parent}", fix="make it, or write elsewhere")
    options = Options(
        sample=sample, workers=workers or os.cpu_count() or 1, browser=browser, seconds=seconds, rejudge=rejudge
    )
    with progress(json) as on_progress:
        proof = prove_suite(partial(load_suite, name), scenarios, options, on_progress=on_progress)
        if agents:
            from fairground.prove.resistance import score_agents

            said = [pair.answer for one in proof.scenarios for pair in one.pairs.values() if pair.answer]
            proof.agents = score_agents(name, answers=said, workers=options.workers, on_progress=on_progress)
    written = _write(proof, table or suite.proofs, suite)
    if page is not None:
        from fairground.report.proof_page import write_proof_page

        write_proof_page(proof, page)
    if json:
        print_json({**proof.summary(), "tables": [str(path) for path in written], "page": str(page) if page else None})
    else:
        _print(proof, written, page)
    if not proof.sound:
        raise typer.Exit(1)


def _write(proof: Proof, folder: Path | None, suite: Suite) -> list[Path]:
    """The tables, where there is a place for them: of the scenarios of which every pair was tried."""
    whole = [one for one in proof.scenarios if len(one.pairs) == one.wanted]
    if proof.sampled or folder is None:
        return []
    return write_tables(replace(proof, scenarios=whole), folder, suite)


def _check(suite: Suite, scenarios: list[Scenario], json: bool) -> None:
    stale = check_tables(suite, scenarios)
    if json:
        print_json({"suite": suite.name, "stale": [vars(one) for one in stale]})
    elif stale:
        for one in stale:
            pairs = f" ({one.pairs:,} pairs)" if one.pairs else ""
            console.print(f"[bold red]stale[/]  {escape(one.name)}: {escape(one.why)}{pairs}", highlight=False)
        errors.print(f"  [bold]fix:[/] fairground prove {escape(suite.name)}", highlight=False)
    else:
        proven = sum(len(suite.pairs(one)) for one in scenarios)
        console.print(f"[green]up to date[/]  {proven:,} proven pairs of {len(scenarios):,} scenarios", highlight=False)
    if stale:
        raise typer.Exit(1)


def _print(proof: Proof, written: list[Path], page: Path | None) -> None:
    _print_apps(proof)
    _print_faults(proof)
    weak = [one for one in proof.scenarios if (one.mutant_count.share or 1.0) < LEAST]
    for one in weak[:_SHOWN]:
        survivor = one.survivors[0] if one.survivors else None
        where = f", such as {survivor.kind} ({survivor.name})" if survivor else ""
        text = f"{one.name} rejects {_share(one.mutant_count)} of its mutants{where}"
        console.print(f"[yellow]weak[/]    {escape(clean(text))}", highlight=False)
    for score in proof.agents:
        rate = score.passed / score.scored if score.scored else 0.0
        text = f"{score.agent}: {rate:.1%} [{score.low:.1%}, {score.high:.1%}] of {score.scored}"
        late = f", {score.errored} errored" if score.errored else ""
        console.print(f"[bold]agent[/]   {escape(text)}{late}", highlight=False)
    total = sum(one.proven for one in proof.scenarios)
    known = f", {proof.reused:,} results known before" if proof.reused else ""
    console.print(
        f"\n[bold]{total:,}[/] proven configurations; mutants rejected {_share(proof.mutants)} "
        f"({proof.mutants.rejected:,} of {proof.mutants.counted:,}); {proof.seconds:.1f} s{known}",
        highlight=False,
    )
    if proof.sampled:
        console.print("[dim]only a sample was tried, so no table was written[/]")
    for path in [*written, *([page] if page else [])]:
        console.print(f"[dim]wrote[/]   {escape(str(path))}", highlight=False, soft_wrap=True)


def _print_apps(proof: Proof) -> None:
    heads = ("scenarios", "pairs", "proven", "infeasible", "faulty", "rejected", "screens")
    made = grid("apps", "app", *(f">{head}" for head in heads))
    for app, figures in proof.summary()["apps"].items():
        mutants = sum((one.mutant_count for one in proof.scenarios if one.app == app), MutantCount())
        screen = figures["screen"]
        made.add_row(
            label(f"{proof.suite}/{app}"),
            f"{figures['scenarios']:,}",
            f"{figures['pairs']:,}",
            f"{figures['proven']:,}",
            f"{figures['infeasible']:,}",
            f"[red]{figures['faulty']:,}[/]" if figures["faulty"] else "0",
            _share(mutants),
            f"{screen['solved']} of {screen['tried']}" if screen["tried"] else "-",
        )
    show(made)


def _print_faults(proof: Proof) -> None:
    lines = []
    for one in proof.scenarios:
        for (fault, message), pairs in one.faults.items():
            lines.append(("faulty", f"{one.name}: {fault.value}: {message} ({len(pairs)} pairs, {'@'.join(pairs[0])})"))
        lines += [("faulty", f"{one.name}: {mutants.error}") for mutants in one.mutants if mutants.error]
        lines += [("screen", f"{it.configuration}: {it.message}") for it in one.screens if not it.solved]
        lines += [("error", f"{one.name} {where}: {why}") for where, why in one.errors.items()]
        if not proof.sampled and len(one.pairs) + len(one.errors) < one.wanted:
            lines.append(("left", f"{one.name}: {one.wanted - len(one.pairs)} pairs need a seat; prove with --browser"))
    for kind, text in lines[:_SHOWN]:
        console.print(f"[bold red]{kind:<6}[/]  {escape(clean(text))}", highlight=False)
    if len(lines) > _SHOWN:
        console.print(f"[dim]and {len(lines) - _SHOWN} more; --page FILE shows all[/]")


def _share(count: MutantCount) -> str:
    return f"{count.share:.1%}" if count.share is not None else "-"


@contextmanager
def progress(quiet: bool) -> Iterator[OnProgress]:
    """Bars with an estimate of what is left, one for each phase; nothing where only JSON is wanted."""
    if quiet:
        yield lambda phase, done, total: None
        return
    columns = (TextColumn("{task.description:<16}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
               TextColumn("left"), TimeRemainingColumn())  # fmt: skip
    with Progress(*columns, console=errors, transient=True) as bars:
        known: dict[str, TaskID] = {}

        def tell(phase: str, done: int, total: int) -> None:
            if phase not in known:
                known[phase] = bars.add_task(phase, total=total, completed=done)
            bars.update(known[phase], completed=done, total=total)

        yield tell
