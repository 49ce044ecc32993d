"""`fairground check`: finds faults in the folder of a world."""

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
from fairground.report.plural import counted
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
    """The findings about one scenario."""

    world: World
    pictures: Path
    seconds: float = 0.0
    verdict: Verdict | None = None
    dialogs: list[Dialog] = field(default_factory=list)
    controls: list[str] = field(default_factory=list)
    oracle: dict[str, Any] | None = None
    faults: list[dict[str, str]] = field(default_factory=list)

    def picture(self, name: str) -> Path:
        """Returns the path for a screenshot that shows a fault."""
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
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder with a world.toml.")],
    static: Annotated[bool, typer.Option("--static", help="Only read the files; open nothing.")] = False,
    screenshot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Save a screenshot of the first scenario's start.")
    ] = None,
    oracle: Annotated[bool, typer.Option("--oracle/--no-oracle", help="Also run the oracle of each scenario.")] = True,
    controls: Annotated[
        bool, typer.Option("--controls", help="Also list the controls on the first screen that an oracle can name.")
    ] = False,
    runner: Runner = None,
    json: Json = False,
) -> None:
    """Check a world that you are writing.

    \b
    Examples:
      fairground check my-world
      fairground check my-world --static
      fairground check my-world --controls --no-oracle

    Reads the folder and opens the first configuration of each scenario. Checks that the task is not solved at the
    start, and that its oracle solves it. The exit status is 1 when something is wrong. `fairground prove` checks all
    configurations.
    """  # noqa: D301 (\b keeps line breaks)
    suite = read_folder(folder)
    app = suite.apps[0]
    if not suite.scenarios:
        errors.print(f"{folder}: it has no [[scenario]]: the app opens, but there is no task", highlight=False)
    if not json:
        words = counted(len(suite.scenarios), "scenario")
        console.print(f"[green]ok[/] {escape(str(folder))}/world.toml: app {app.name}, {words}", highlight=False)
    rows: list[_Row] = []
    pictures = Path(tempfile.mkdtemp(prefix="fairground-check-"))
    for scenario in [] if static else suite.scenarios:
        row = _Row(World.of(suite, _first(suite, scenario)), pictures)
        _try(row, runner, None if rows else screenshot, oracle)
        rows.append(row)
        if not json:
            _print(row, controls, oracle)
    with contextlib.suppress(OSError):  # fails where a screenshot was written; then the folder stays
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
        row.controls = [f"{node.role} {node.name!r}" for node in tree.walk() if is_control(node) and node.name]
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
    """Waits until the screen and the programs are idle: a dialog may appear shortly after the window."""
    deadline = time.monotonic() + _REST_SECONDS
    seat.screen.settle(_REST_SECONDS)
    while seat.sandbox.at_work() and time.monotonic() < deadline:
        seat.screen.wait_change(0.25)


def _judge_dialogs(row: _Row, picture: Path) -> None:
    for dialog in row.dialogs:
        if not dialog.is_error:
            continue
        row.fault(
            f"{row.world.id} starts with an error dialog, {dialog} (screenshot: {picture})",
            f"{_CAUSE}; if the dialog is intended, allow it in world.toml: "
            f"[app] dialogs = ['{re.escape(dialog.title)}'], or dialogs = [...] of a ui_state",
        )


def _judge_start(row: _Row) -> None:
    """Records faults of the untouched state: a task that is already solved, and guards that fail."""
    assert row.verdict is not None
    if row.verdict.success:
        row.fault(
            f"{row.world.id} is already solved at the start: every check passes on the untouched state",
            "add a check that only a solved state passes",
        )
    for check in row.verdict.checks:
        if check.integrity and not check.passed:
            row.fault(
                f"{row.world.id}: the guard {check.name!r} fails on the untouched state: found {evidence(check.found)}",
                "list what the app changes by itself in its allow = [...], or limit what is recorded in [app] record",
            )


def _play(row: _Row, seat: Seat) -> None:
    """Runs the oracle and judges the final state."""
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
            "reach controls without a name by press, enter and point",
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
            console.print(f"   [dim]control:[/] {escape(clean(name))}", highlight=False)
        if not row.controls:
            console.print("   [dim]no control has a name: use keys, or points in pixels[/]", highlight=False)
    for check in row.verdict.checks:
        shown = clean(evidence(check.found).replace("\n", " "))[:200]
        mark = "passes" if check.passed else "fails"
        console.print(
            f"   [dim]{mark} at the start:[/] {escape(check.name)} [dim](found: {escape(shown)})[/]", highlight=False
        )
    for dialog in row.dialogs:
        if not dialog.is_error:
            _warn(f"a dialog is open at the start, {dialog}: close it in configure, or allow it with dialogs = [...]")
    if row.verdict.reward > 0 and not row.verdict.success:
        _warn(
            f"doing nothing earns {row.verdict.reward:.2f}: give checks that pass at the start weight = 0 and "
            "integrity = true"
        )
    if oracle and row.oracle is None:
        _warn(f"{row.world.scenario.name} has no [[scenario.oracle]], so it is not known whether it can be solved")
    if not row.faults:
        solved = f"; solved by its oracle, moves: {row.oracle['moves']}" if row.oracle else ""
        console.print(
            f"[green]ok[/] {escape(row.world.id)} opens in {row.seconds:.1f} s; not solved at the start{solved}",
            highlight=False,
            soft_wrap=True,
        )


def _warn(text: str) -> None:
    console.print(f"[yellow]warning[/] {escape(clean(text))}", highlight=False, soft_wrap=True)
