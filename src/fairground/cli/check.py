"""`fairground check`: finds what is wrong with a folder that is to be a world."""

from __future__ import annotations

import contextlib
import re
import tempfile
import time
from base64 import b64decode
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from fairground.cli.output import Json, Runner, clean, console, errors, print_json
from fairground.core import AppError, Configuration, Verdict
from fairground.report.describe import evidence
from fairground.screen import encode_png
from fairground.verify import judge
from fairground.worlds import Scenario, Seat, Suite, World, open_seat, read_folder
from fairground.worlds.dialogs import Dialog
from fairground.worlds.finding import is_control
from fairground.worlds.folder import FolderApp

_REST_SECONDS = 10.0
_CAUSE = "remove its cause in install, configure or setup"
_WINDOW = (
    "correct launch or window (a pattern of its window's title) in [app] of world.toml, or remove the cause in setup"
)


@dataclass
class _Row:
    """What was found of one scenario."""

    world: World
    pictures: Path
    seconds: float = 0.0
    verdict: Verdict | None = None
    dialogs: list[Dialog] = field(default_factory=list)
    controls: list[str] = field(default_factory=list)
    oracle: dict[str, Any] | None = None
    faults: list[dict[str, str]] = field(default_factory=list)

    def picture(self, name: str) -> Path:
        """Where a screenshot goes that shows what is wrong."""
        return self.pictures / f"{self.world.scenario.name}-{name}.png"

    def fault(self, message: str, fix: str) -> None:
        self.faults.append({"message": message, "fix": fix})

    def plain(self) -> dict[str, Any]:
        verdict = self.verdict
        return {
            "world": self.world.id,
            "ok": not self.faults,
            "seconds": round(self.seconds, 2),
            "reward_at_start": verdict.reward if verdict else None,
            "checks_at_start": [check.plain() for check in verdict.checks] if verdict else [],
            "dialogs": [vars(dialog) for dialog in self.dialogs],
            "controls": self.controls,
            "oracle": self.oracle,
            "faults": self.faults,
        }


def check(
    folder: Annotated[Path, typer.Argument(help="A folder with a world.toml.")],
    static: Annotated[bool, typer.Option("--static", help="Only read the files; start nothing.")] = False,
    screenshot: Annotated[Path | None, typer.Option(help="Save what the first scenario begins with.")] = None,
    oracle: Annotated[bool, typer.Option("--oracle/--no-oracle", help="Also play each scenario's oracle.")] = True,
    controls: Annotated[
        bool, typer.Option("--controls", help="Also list the controls that a move can name at the start.")
    ] = False,
    runner: Runner = None,
    json: Json = False,
) -> None:
    """Finds what is wrong with a world: reads it, opens it, judges it untouched, plays its oracles.

    \b
      fairground check my-world                          the first configuration of each scenario
      fairground check my-world --controls --no-oracle   what is on the screen, while you write an oracle
      fairground prove my-world                          every instance on every profile, and near misses

    The status is 1 when something is wrong.
    """  # noqa: D301 (click reads \b as: keep these lines)
    suite = read_folder(folder)
    app = suite.apps[0]
    if not suite.scenarios:
        errors.print(f"{folder}: no [[scenario]] yet: it can be opened, but there is nothing to solve", highlight=False)
    if not json:
        words = f"{len(suite.scenarios)} scenario{'s' if len(suite.scenarios) != 1 else ''}"
        console.print(f"[green]ok[/] {escape(str(folder))}/world.toml: app {app.name}, {words}", highlight=False)
    rows: list[_Row] = []
    pictures = Path(tempfile.mkdtemp(prefix="fairground-check-"))
    for scenario in [] if static else suite.scenarios:
        row = _Row(World.of(suite, _first(suite, scenario)), pictures)
        _try(row, runner, None if rows else screenshot, oracle)
        rows.append(row)
        if not json:
            _print(row, controls, oracle)
    with contextlib.suppress(OSError):  # it stays when something is in it
        pictures.rmdir()
    if json:
        print_json({"folder": str(folder), "app": app.name, "scenarios": [row.plain() for row in rows]})
    if any(row.faults for row in rows):
        raise typer.Exit(1)


def _first(suite: Suite, scenario: Scenario) -> Configuration:
    app = suite.apps[0]
    return Configuration(
        suite=suite.name,
        app=app.name,
        scenario=scenario.name,
        instance=next(iter(scenario.instances)),
        profile=next(iter(app.profiles)),
        theme=next(iter(app.themes)),
        ui_state=next(iter(app.ui_states)),
    )


def _try(row: _Row, runner: str | None, screenshot: Path | None, oracle: bool) -> None:
    world = row.world
    assert isinstance(world.app, FolderApp)
    started = time.monotonic()
    world.app.failure_picture = picture = screenshot or row.picture("start")
    try:
        seat = open_seat(world, runner=runner)
    except AppError as error:
        shown = f" (screenshot: {picture})" if picture.exists() else ""
        row.fault(f"{world.id}: {error.message}{shown}", error.fix or _WINDOW)
        return
    try:
        row.seconds = time.monotonic() - started
        _rest(seat)
        tree = seat.screen.tree()
        row.controls = [f"{one.role} {one.name!r}" for one in tree.walk() if is_control(one) and one.name]
        row.dialogs = world.app.unmeant_dialogs(seat)
        if screenshot is not None or any(dialog.is_error for dialog in row.dialogs):
            picture.write_bytes(encode_png(seat.screen.grab()))
        _judge_dialogs(row, picture)
        if world.app.table.save:
            after = seat.finish()
        else:
            seat.freeze()
            after = seat.capture()
            seat.thaw()
        row.verdict = judge(world, seat.before, after)
        _judge_start(row)
        if oracle and world.scenario.oracle(world, seat.before):
            if world.app.table.save:
                seat.close()
                seat = open_seat(world, runner=runner)
            _play(row, seat)
    finally:
        seat.close()


def _rest(seat: Seat) -> None:
    """Waits until screen and programs are at rest: a dialog may come a moment after the window."""
    deadline = time.monotonic() + _REST_SECONDS
    seat.screen.settle(_REST_SECONDS)
    while seat.sandbox.at_work() and time.monotonic() < deadline:
        seat.screen.wait_change(0.25)


def _judge_dialogs(row: _Row, picture: Path) -> None:
    for dialog in row.dialogs:
        if not dialog.is_error:
            continue
        row.fault(
            f"{row.world.id} begins with an error on the screen, {dialog} (screenshot: {picture})",
            f"{_CAUSE}; if the dialog is meant to be there, allow it in world.toml: "
            f"[app] dialogs = ['{re.escape(dialog.title)}'], or dialogs = [...] of a ui_state",
        )


def _judge_start(row: _Row) -> None:
    """What must not hold, and what must, before anything is done."""
    assert row.verdict is not None
    if row.verdict.success:
        row.fault(
            f"{row.world.id} is already solved before anything is done: every check passes on the untouched state",
            "add a check that only a solved state passes",
        )
    for one in row.verdict.checks:
        if one.integrity and not one.passed:
            row.fault(
                f"{row.world.id}: the guard {one.name!r} fails before anything is done: found {evidence(one.found)}",
                "name what programs change by themselves in its allow = [...], or what is recorded in [app] record",
            )


def _play(row: _Row, seat: Seat) -> None:
    """Plays the oracle, and judges what it leaves."""
    from fairground.prove import Status
    from fairground.prove.pairs import prove_pair
    from fairground.prove.seats import OnSeat, Seats

    seats = Seats()
    try:
        proof = prove_pair(lambda: row.world, lambda _: OnSeat(seat, seats))
        picture = "" if proof.status is Status.PROVEN else seats.picture()
    finally:
        seats.close()
    row.oracle = {"solved": proof.status is Status.PROVEN, "moves": proof.moves, "why": proof.reason}
    if proof.status is not Status.PROVEN:
        where = row.picture("oracle")
        where.write_bytes(b64decode(picture))
        row.fault(
            f"{row.world.suite.origin}/world.toml: scenario {row.world.scenario.name}: {proof.reason} "
            f"(screenshot at the end: {where})",
            "correct the oracle, the checks or the setup; fairground check --controls lists the names at the start; "
            "what has no name can be reached by press, enter and point",
        )


def _print(row: _Row, controls: bool, oracle: bool) -> None:
    for fault in row.faults:
        errors.print(
            f"[bold red]failed[/] {escape(clean(fault['message'].replace(chr(10), ' ')))}",
            highlight=False,
            soft_wrap=True,
        )
        errors.print(f"  [bold]fix:[/] {escape(fault['fix'])}", highlight=False, soft_wrap=True)
    if row.verdict is None:
        return
    if controls:
        for name in row.controls:
            console.print(f"   [dim]control[/] {escape(clean(name))}", highlight=False)
        if not row.controls:
            console.print("   [dim]no control has a name: use keys, or points in pixels[/]", highlight=False)
    for one in row.verdict.checks:
        found = clean(evidence(one.found).replace("\n", " "))[:200]
        mark = "[dim]holds at the start[/]" if one.passed else "[dim]not yet[/]"
        console.print(f"   {mark} {escape(one.name)} [dim]found {escape(found)}[/]", highlight=False)
    for dialog in row.dialogs:
        if not dialog.is_error:
            _warn(f"a dialog is open at the start, {dialog}: close it in configure, or allow it with dialogs = [...]")
    if row.verdict.reward > 0 and not row.verdict.success:
        _warn(
            f"doing nothing earns {row.verdict.reward:.2f}: give checks that hold at the start weight = 0 and "
            "integrity = true"
        )
    if oracle and row.oracle is None:
        _warn(f"{row.world.scenario.name} has no [[scenario.oracle]]: nothing shows that it can be solved")
    if not row.faults:
        told = f"; solved by its oracle, moves: {row.oracle['moves']}" if row.oracle else ""
        console.print(
            f"[green]ok[/] {escape(row.world.id)} opens in {row.seconds:.1f} s; not solved at the start{told}",
            highlight=False,
            soft_wrap=True,
        )


def _warn(text: str) -> None:
    console.print(f"[yellow]warning[/] {escape(clean(text))}", highlight=False, soft_wrap=True)
