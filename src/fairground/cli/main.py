"""The `fairground` program: dispatches to the commands, and prints errors with their fixes."""

from __future__ import annotations

import io
import json
import shlex
import sys
import warnings
from collections.abc import Sequence
from typing import Any

import typer
from rich.markup import escape

from fairground import __version__
from fairground.cli.loading import Commands
from fairground.cli.output import clean, errors
from fairground.core import DamagedData, FairgroundError, InvalidInput, NeedsOptions
from fairground.core.damage import Damaged, noticed, noticing

# \b keeps click from rewrapping the lines that follow.
_HELP = """Fairground measures how reliably computer-use agents work in real software.

\b
Start here:
  fairground doctor               Check this machine.
  fairground quickstart           Write, run and score an agent of your own.
  fairground play pocket/notes    Solve a task yourself, in the browser.

Name a world by SUITE/APP/SCENARIO/INSTANCE@PROFILE/THEME/UI_STATE. Every part after SUITE/APP is optional. Use
`fairground COMMAND --help` for examples.
"""

# Some versions of Typer bundle click, others import it. This expression finds the usage error of either.
_UsageError: type[Exception] = typer.BadParameter.__mro__[1]

_GROUPS = {
    "First steps": {
        "doctor": "doctor:doctor",
        "quickstart": "quickstart:quickstart",
        "list": "list:list_",
        "play": "play:play",
        "open": "open:open_",
    },
    "Run agents": {
        "run": "run:run",
        "resume": "run:resume",
        "record": "record:record",
        "mcp": "mcp:mcp",
        "serve-env": "serve_env:serve_env",
        "study": "study:study",
    },
    "Look at results": {
        "show": "show:show",
        "compare": "compare:compare",
        "report": "report:report",
        "stats": "stats:stats",
        "behaviour": "behaviour:behaviour",
        "judge": "judge:judge",
        "clarifications": "clarifications:clarifications",
        "export": "export:export",
        "reverify": "reverify:reverify",
        "verify-run": "verify_run:verify_run",
    },
    "Use the browser": {
        "serve": "serve:serve",
        "arena": "arena:arena",
    },
    "Make your own worlds": {
        "new": "new:new",
        "check": "check:check",
        "inspect": "inspect:inspect",
        "prove": "prove:prove",
        "check-app": "check_app:check_app",
        "split": "split:split",
        "looks": "looks:looks",
        "experiment": "experiment:experiment",
    },
    "Clean up": {
        "prune": "prune:prune",
    },
}  # in the order of the help

_COMMANDS = {name: place for commands in _GROUPS.values() for name, place in commands.items()}

_DAMAGED = 3
_LISTED = 20

ANYWHERE = ("stats", "report")
"""Commands that work on every operating system, because they open no world."""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command and returns its exit status.

    The status is 0 for success, 1 for a failure, 2 for invalid usage or input, 3 when recorded results are damaged, and
    130 when interrupted. Damaged episodes are listed and left out of all counts; they take precedence over 0, 1 and 2.
    """
    words = list(sys.argv[1:] if argv is None else argv) or ["--help"]
    warnings.showwarning = _show_warning
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # escape what the encoding of the terminal lacks
            stream.reconfigure(errors="backslashreplace")
    with noticing() as damaged:
        status = _status(words)
    if not damaged or status == 130:
        return status
    if "--json" not in words:
        _print_damaged(tuple(damaged))
    return _DAMAGED


def _status(words: list[str]) -> int:
    try:
        result = _run(words)
        return int(result) if isinstance(result, int) else 0
    except FairgroundError as error:
        options = error.options if isinstance(error, NeedsOptions) else ""
        run = f"{shlex.join(['fairground', *words])} {options}" if options else None
        _print_error(error.message, error.fix, as_json="--json" in words, run=run)
        return _DAMAGED if isinstance(error, DamagedData) else 2 if isinstance(error, InvalidInput) else 1
    except _UsageError as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            print(error)
            return 2
        # format_message() names the option; str() does not.
        message = error.format_message() if hasattr(error, "format_message") else str(error)
        context = getattr(error, "ctx", None)
        command = "fairground" if context is None else context.command_path
        _print_error(message, f"see {command} --help", as_json="--json" in words)
        return 2
    except (typer.Abort, KeyboardInterrupt, BrokenPipeError):
        return 130


def _print_damaged(damaged: Sequence[Damaged]) -> None:
    from fairground.report.plural import counted  # late: help does not need it

    count = counted(len(damaged), "episode is", "episodes are")
    errors.print(f"[bold red]damaged:[/] {count} not as recorded, and not counted", highlight=False)
    for episode in damaged[:_LISTED]:
        errors.print(f"  {escape(clean(f'{episode.name}: {episode.problem}'))}", highlight=False, soft_wrap=True)
    if len(damaged) > _LISTED:
        errors.print(f"  ... and {len(damaged) - _LISTED:,} more; --json lists all", highlight=False)
    for advice in dict.fromkeys(episode.advice for episode in damaged):
        errors.print(f"  [bold]fix:[/] {escape(clean(advice))}", highlight=False, soft_wrap=True)


def _program() -> typer.Typer:
    Commands.known = {name: place for name, place in _COMMANDS.items() if sys.platform == "linux" or name in ANYWHERE}
    Commands.groups = {title: tuple(commands) for title, commands in _GROUPS.items()}
    app = typer.Typer(
        name="fairground",
        cls=Commands,
        help=_HELP,
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )
    app.callback(invoke_without_command=True)(_root)
    return app


def command_line() -> Any:
    """Returns the whole command line as a click command; the reference pages of the docs are generated from it."""
    return typer.main.get_command(_program())


def _run(words: Sequence[str]) -> object:
    return command_line().main(args=list(words), prog_name="fairground", standalone_mode=False)


def _root(version: bool = typer.Option(False, "--version", help="Print the version.")) -> None:
    if version:
        typer.echo(f"fairground {__version__}")
        raise typer.Exit


def _print_error(message: str, fix: str | None, as_json: bool, run: str | None = None) -> None:
    if as_json:
        damaged = [episode.plain() for episode in noticed()]
        more: dict[str, object] = ({"run": run} if run else {}) | ({"damaged": damaged} if damaged else {})
        print(json.dumps({"error": message, "fix": fix} | more))
        return
    # Messages may quote names from files, so each line is escaped. The line breaks are ours.
    lines = "\n".join(clean(line) for line in message.split("\n"))
    errors.print(f"[bold red]error:[/] {escape(lines)}", highlight=False, soft_wrap=True)
    if fix:
        shown = "\n".join(clean(line) for line in fix.split("\n"))
        errors.print(f"  [bold]fix:[/] {escape(shown)}", highlight=False, soft_wrap=True)
    if run:
        errors.print(f"  [bold]run:[/] {escape(clean(run))}", highlight=False, soft_wrap=True)


def _show_warning(
    message: Warning | str, category: type[Warning], filename: str, lineno: int, *_: object, **__: object
) -> None:
    about_the_machine = category.__name__ == "NotIsolated"  # compared by name: its module may not be loaded
    place = "" if about_the_machine else f" ({filename}:{lineno})"
    errors.print(f"[bold yellow]warning:[/] {escape(str(message))}{place}", highlight=False, soft_wrap=True)
