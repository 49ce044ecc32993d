"""`fairground prove`: checks that every configuration of a suite is sound, and reports the faults of the others."""

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
from fairground.core import Configuration, InvalidInput
from fairground.prove import Options, Proof, check_tables, load_suite, select, write_tables
from fairground.prove import prove as prove_suite
from fairground.prove.findings import AgentScore
from fairground.prove.proving import OnProgress
from fairground.worlds import MutantCount, Scenario, Suite

LEAST = 0.8
"""Scenarios that reject a smaller share of their mutants are listed as weak."""

_SHOWN = 10


def prove(
    name: Annotated[
        str,
        typer.Argument(metavar="NAME", help="SUITE, SUITE/APP or SUITE/APP/SCENARIO. Or a folder with a world.toml."),
    ],
    sample: Annotated[
        int | None, typer.Option(help="Try at most N (instance, profile) pairs per scenario; write no table.", min=1)
    ] = None,
    workers: Annotated[int | None, typer.Option(help="Number of processes. [default: number of cores]", min=1)] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Also run oracles on real screens.")] = True,
    agents: Annotated[
        bool, typer.Option("--agents", help="Also score agents that must fail: idle, random, blind, cheating.")
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Prove nothing; only check that the proof tables match the sources.")
    ] = False,
    rejudge: Annotated[
        bool, typer.Option("--rejudge", help="Judge unchanged configurations again from their recordings.")
    ] = False,
    pack: Annotated[
        bool, typer.Option("--pack", help="Also write a pack: one recording per scenario, to ship with the suite.")
    ] = False,
    from_pack: Annotated[
        bool, typer.Option("--from-pack", help="Only judge the recordings in the suite's packs; open nothing.")
    ] = False,
    seconds: Annotated[float, typer.Option(metavar="SECONDS", help="Timeout per pair.", min=0.1)] = 30.0,
    page: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the results as an HTML page.")] = None,
    table: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Folder for the proof tables. [default: the suite's own]")
    ] = None,
    json: Json = False,
) -> None:
    """Prove that every configuration is sound.

    \b
    Examples:
      fairground prove pocket/notes/count-label
      fairground prove pocket --sample 2 --no-browser
      fairground prove pocket --check
      fairground prove desk/calc --from-pack --agents
      fairground prove pocket --agents --page proof.html

    A configuration is sound when its text is coherent, the task is feasible and not already done, its oracle solves
    it, and near misses are rejected. Results of unchanged configurations are reused, so a stopped command continues
    where it was. The exit status is 1 when something is not sound.
    """  # noqa: D301 (\b keeps line breaks)
    suite, scenarios = select(name)
    if check:
        _check(suite, scenarios, json)
        return
    if from_pack:
        _judge_packs(name, suite, scenarios, agents=agents, workers=workers or os.cpu_count() or 1, json=json)
        return
    if page is not None and not page.parent.is_dir():
        raise InvalidInput(f"there is no folder {page.parent}", fix="create it, or choose another folder")
    options = Options(
        sample=sample, workers=workers or os.cpu_count() or 1, browser=browser, seconds=seconds, rejudge=rejudge
    )
    with progress(json) as on_progress:
        proof = prove_suite(partial(load_suite, name), scenarios, options, on_progress=on_progress)
        if agents:
            answers = [pair.answer for scenario in proof.scenarios for pair in scenario.pairs.values() if pair.answer]
            proof.agents = _score_agents(name, answers, options.workers, on_progress)
    written = _write(proof, table or suite.proofs, suite)
    if pack:
        written += _write_packs(suite, scenarios, table or suite.proofs)
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
    """Writes the tables of scenarios whose pairs were all tried. A sample writes none."""
    complete = [scenario for scenario in proof.scenarios if len(scenario.pairs) == scenario.wanted]
    if proof.sampled or folder is None:
        return []
    return write_tables(replace(proof, scenarios=complete), folder, suite)


def _write_packs(suite: Suite, scenarios: list[Scenario], folder: Path | None) -> list[Path]:
    from fairground.prove.pack import make_pack, write_pack
    from fairground.prove.recordings import Recordings
    from fairground.prove.seats import has_rehearsal

    if folder is None:
        raise InvalidInput(
            f"suite {suite.name} has no folder for packs", fix="set Suite(proofs=FOLDER), or give --table"
        )
    apps = [
        name for name in dict.fromkeys(scenario.app for scenario in scenarios) if not has_rehearsal(suite.app(name))
    ]
    with Recordings() as store:
        return [write_pack(folder, app, make_pack(suite, app, store)) for app in apps]


def _score_agents(name: str, answers: list[str], workers: int, on_progress: OnProgress) -> list[AgentScore]:
    from fairground.prove.resistance import score_agents  # late: it imports what runs agents

    return score_agents(name, answers=answers, workers=workers, on_progress=on_progress)


def _judge_packs(name: str, suite: Suite, scenarios: list[Scenario], *, agents: bool, workers: int, json: bool) -> None:
    """Judges what the packs hold, and reports what is no longer sound. With `agents`, also scores the cheaters."""
    from fairground.prove.pack import judge_pack, pack_path

    wanted = {(scenario.app, scenario.name) for scenario in scenarios}
    apps = [
        app for app in dict.fromkeys(app for app, _ in wanted) if suite.proofs and pack_path(suite.proofs, app).exists()
    ]
    if not apps:
        raise InvalidInput(f"{suite.name} has no packs", fix=f"write them with: fairground prove {suite.name} --pack")
    rows = []
    with progress(json) as on_progress:
        for app in apps:
            for done in judge_pack(suite, app):
                if (app, Configuration.from_id(done.configuration).scenario) in wanted:
                    rows.append(done)
                    on_progress("recordings", len(rows), len(wanted))
        answers = [done.pair.answer for done in rows if done.pair.answer]
        scores = _score_agents(name, answers, workers, on_progress) if agents else []
    faulty = [done for done in rows if done.pair.fault is not None or done.mutants.error]
    mutants = sum((done.mutants.count for done in rows), MutantCount())
    if json:
        facts = [
            {"configuration": done.configuration, "why": done.pair.reason or done.mutants.error} for done in faulty
        ]
        figures = {"suite": suite.name, "judged": len(rows), "faulty": facts, "mutants": mutants.plain()}
        print_json({**figures, "agents": [score.plain() for score in scores]})
    else:
        _print_agents(scores)
        for done in faulty:
            text = f"{done.configuration}: {done.pair.reason or done.mutants.error}"
            console.print(f"[bold red]faulty[/]  {escape(clean(text))}", highlight=False)
        console.print(
            f"[bold]{len(rows) - len(faulty):,}[/] of {len(rows):,} recordings are judged as solved; "
            f"mutants rejected {_share(mutants)} ({mutants.rejected:,} of {mutants.counted:,})",
            highlight=False,
        )
    if faulty:
        raise typer.Exit(1)


def _check(suite: Suite, scenarios: list[Scenario], json: bool) -> None:
    stale = check_tables(suite, scenarios)
    if json:
        print_json({"suite": suite.name, "stale": [vars(table) for table in stale]})
    elif stale:
        for table in stale:
            pairs = f" ({table.pairs:,} pairs)" if table.pairs else ""
            console.print(f"[bold red]stale[/]  {escape(table.name)}: {escape(table.why)}{pairs}", highlight=False)
        errors.print(f"  [bold]fix:[/] fairground prove {escape(suite.name)}", highlight=False)
    else:
        proven = sum(len(suite.pairs(scenario)) for scenario in scenarios)
        console.print(f"[green]up to date[/]  {proven:,} proven pairs of {len(scenarios):,} scenarios", highlight=False)
    if stale:
        raise typer.Exit(1)


def _print(proof: Proof, written: list[Path], page: Path | None) -> None:
    _print_apps(proof)
    _print_faults(proof)
    weak = [scenario for scenario in proof.scenarios if (scenario.mutant_count.share or 1.0) < LEAST]
    for scenario in weak[:_SHOWN]:
        survivor = scenario.survivors[0] if scenario.survivors else None
        where = f", such as {survivor.kind} ({survivor.name})" if survivor else ""
        text = f"{scenario.name} rejects {_share(scenario.mutant_count)} of its mutants{where}"
        console.print(f"[yellow]weak[/]    {escape(clean(text))}", highlight=False)
    _print_agents(proof.agents)
    total = sum(scenario.proven for scenario in proof.scenarios)
    known = f", {proof.reused:,} results reused" if proof.reused else ""
    console.print(
        f"\n[bold]{total:,}[/] proven configurations; mutants rejected {_share(proof.mutants)} "
        f"({proof.mutants.rejected:,} of {proof.mutants.counted:,}); {proof.seconds:.1f} s{known}",
        highlight=False,
    )
    if proof.sampled:
        console.print("[dim]no table was written, because only a sample was tried[/]")
    for path in [*written, *([page] if page else [])]:
        console.print(f"[dim]wrote[/]   {escape(str(path))}", highlight=False, soft_wrap=True)


def _print_agents(scores: list[AgentScore]) -> None:
    for score in scores:
        rate = score.passed / score.scored if score.scored else 0.0
        text = f"{score.agent}: {rate:.1%} [{score.low:.1%}, {score.high:.1%}] of {score.scored}"
        late = f", {score.errored} errored" if score.errored else ""
        console.print(f"[bold]agent[/]   {escape(text)}{late}", highlight=False)


def _print_apps(proof: Proof) -> None:
    heads = ("scenarios", "pairs", "proven", "infeasible", "faulty", "rejected", "screens")
    table = grid("apps", "app", *(f">{head}" for head in heads))
    for app, figures in proof.summary()["apps"].items():
        mutants = sum((scenario.mutant_count for scenario in proof.scenarios if scenario.app == app), MutantCount())
        screen = figures["screen"]
        table.add_row(
            label(f"{proof.suite}/{app}"),
            f"{figures['scenarios']:,}",
            f"{figures['pairs']:,}",
            f"{figures['proven']:,}",
            f"{figures['infeasible']:,}",
            f"[red]{figures['faulty']:,}[/]" if figures["faulty"] else "0",
            _share(mutants),
            f"{screen['solved']} of {screen['tried']}" if screen["tried"] else "-",
        )
    show(table)


def _print_faults(proof: Proof) -> None:
    lines = []
    for scenario in proof.scenarios:
        for (fault, message), pairs in scenario.faults.items():
            lines.append(
                ("faulty", f"{scenario.name}: {fault.value}: {message} ({len(pairs)} pairs, {'@'.join(pairs[0])})")
            )
        lines += [("faulty", f"{scenario.name}: {mutants.error}") for mutants in scenario.mutants if mutants.error]
        lines += [
            ("screen", f"{screen.configuration}: {screen.message}") for screen in scenario.screens if not screen.solved
        ]
        lines += [("error", f"{scenario.name} {where}: {why}") for where, why in scenario.errors.items()]
        if not proof.sampled and len(scenario.pairs) + len(scenario.errors) < scenario.wanted:
            lines.append(
                (
                    "left",
                    f"{scenario.name}: {scenario.wanted - len(scenario.pairs)} pairs need a screen; "
                    "prove with --browser",
                )
            )
    for kind, text in lines[:_SHOWN]:
        console.print(f"[bold red]{kind:<6}[/]  {escape(clean(text))}", highlight=False)
    if len(lines) > _SHOWN:
        console.print(f"[dim]and {len(lines) - _SHOWN} more; --page FILE lists all[/]")


def _share(count: MutantCount) -> str:
    return f"{count.share:.1%}" if count.share is not None else "-"


@contextmanager
def progress(quiet: bool) -> Iterator[OnProgress]:
    """Shows one progress bar per phase with the remaining time; nothing if `quiet`."""
    if quiet:
        yield lambda phase, done, total: None
        return
    columns = (TextColumn("{task.description:<16}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
               TextColumn("left"), TimeRemainingColumn())  # fmt: skip
    with Progress(*columns, console=errors, transient=True) as bars:
        known: dict[str, TaskID] = {}

        def update(phase: str, done: int, total: int) -> None:
            if phase not in known:
                known[phase] = bars.add_task(phase, total=total, completed=done)
            bars.update(known[phase], completed=done, total=total)

        yield update
