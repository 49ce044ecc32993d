"""The `fairground` program: gathers the commands and turns errors into words."""

from __future__ import annotations

import io
import json
import shlex
import sys
import warnings
from collections.abc import Sequence

import typer
from rich.markup import escape

from fairground import __version__
from fairground.cli.loading import Commands
from fairground.cli.output import clean, errors
from fairground.core import DamagedData, FairgroundError, InvalidInput, NeedsOptions
from fairground.core.damage import Damaged, noticed, noticing

# \b keeps click from filling the lines that follow.
_HELP = """Real software as worlds for computer-use agents.

\b
  fairground doctor                              what this machine can do, and what to fix
  fairground list                                suites, apps and scenarios
  fairground open desk/calc                      sit in a seat yourself, in the browser
  fairground play desk/calc                      solve a task yourself, and see what the checks say
  fairground inspect desk/calc                   ask an app about its state: that seat's, or a recorded one
  fairground record desk/calc --agent random     let an agent try, and record the episode
  fairground show FOLDER                         look at an episode
  fairground new my-app                          turn your own software into a world:
  fairground check my-app                        write its skeleton, find what is wrong with it
  fairground run pocket --agent random           many episodes at once, resumable; a score with its interval
  fairground study FILE.toml                     a baseline and conditions on the same tasks: what makes it reliable
  fairground compare FIRST SECOND                which of two runs is better, and where
  fairground check-app desk/calc                 is an app all that its users may expect? With what to do about it
  fairground prove pocket                        is every configuration sound: solvable, and not by accident?
  fairground mcp desk/calc                       a seat as an MCP server, for any client to drive
  fairground serve                               all of it in the browser, and an arena where people judge agents
  fairground arena standings                     what people's votes say; invitations, filters, data in and out
  fairground stats results.csv                   anybody's results, with intervals that hold
  fairground report results.csv -o report.html   the same as a page

A world is named SUITE/APP/SCENARIO/INSTANCE@PROFILE/THEME/UI_STATE; leave out what you do not care about.
"""

# Typer carries a click of its own or uses the installed one, depending on its version; this is its error in both.
_UsageError: type[Exception] = typer.BadParameter.__mro__[1]

_COMMANDS = {
    "list": "list:list_",
    "doctor": "doctor:doctor",
    "open": "open:open_",
    "play": "play:play",
    "inspect": "inspect:inspect",
    "looks": "looks:looks",
    "record": "record:record",
    "show": "show:show",
    "serve": "serve:serve",
    "arena": "arena:arena",
    "run": "run:run",
    "resume": "run:resume",
    "study": "study:study",
    "clarifications": "clarifications:clarifications",
    "compare": "compare:compare",
    "behaviour": "behaviour:behaviour",
    "reverify": "reverify:reverify",
    "verify-run": "verify_run:verify_run",
    "judge": "judge:judge",
    "export": "export:export",
    "new": "new:new",
    "check": "check:check",
    "check-app": "check_app:check_app",
    "prove": "prove:prove",
    "experiment": "experiment:experiment",
    "prune": "prune:prune",
    "mcp": "mcp:mcp",
    "stats": "stats:stats",
    "report": "report:report",
}  # in the order of the help

_DAMAGED = 3
_LISTED = 20

ANYWHERE = ("stats", "report")
"""Commands that need no world, and so work on every operating system."""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command; returns its exit status.

    0; 1 for what went wrong; 2 for what was asked wrongly; 3 when recorded results are damaged (they are named and not
    counted), whatever else happened; 130 when interrupted.
    """
    words = list(sys.argv[1:] if argv is None else argv) or ["--help"]
    warnings.showwarning = _show_warning
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # where a letter cannot be said, its code will do
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
        _say(error.message, error.fix, as_json="--json" in words, run=run)
        return _DAMAGED if isinstance(error, DamagedData) else 2 if isinstance(error, InvalidInput) else 1
    except _UsageError as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            print(error)
            return 2
        said = error.format_message() if hasattr(error, "format_message") else str(error)  # the former names the option
        _say(said, "fairground --help, or fairground COMMAND --help", as_json="--json" in words)
        return 2
    except (typer.Abort, KeyboardInterrupt, BrokenPipeError):
        return 130


def _print_damaged(damaged: Sequence[Damaged]) -> None:
    count = "1 episode is" if len(damaged) == 1 else f"{len(damaged):,} episodes are"
    errors.print(f"[bold red]damaged:[/] {count} not as recorded, and not counted", highlight=False)
    for one in damaged[:_LISTED]:
        errors.print(f"  {escape(clean(f'{one.name}: {one.problem}'))}", highlight=False, soft_wrap=True)
    if len(damaged) > _LISTED:
        errors.print(f"  ... and {len(damaged) - _LISTED:,} more; --json has them all", highlight=False)
    for advice in dict.fromkeys(one.advice for one in damaged):
        errors.print(f"  [bold]fix:[/] {escape(clean(advice))}", highlight=False, soft_wrap=True)


def _program() -> typer.Typer:
    Commands.known = {name: place for name, place in _COMMANDS.items() if sys.platform == "linux" or name in ANYWHERE}
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


def _run(words: Sequence[str]) -> object:
    return typer.main.get_command(_program()).main(args=list(words), prog_name="fairground", standalone_mode=False)


def _root(version: bool = typer.Option(False, "--version", help="Print the version.")) -> None:
    if version:
        typer.echo(f"fairground {__version__}")
        raise typer.Exit


def _say(message: str, fix: str | None, as_json: bool, run: str | None = None) -> None:
    if as_json:
        damaged = [one.plain() for one in noticed()]
        more: dict[str, object] = ({"run": run} if run else {}) | ({"damaged": damaged} if damaged else {})
        print(json.dumps({"error": message, "fix": fix} | more))
        return
    # Names from files are among these words. Lines are ours: each fault has its own.
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
    about_the_machine = category.__name__ == "NotIsolated"  # which is in a room that may not be loaded
    place = "" if about_the_machine else f" ({filename}:{lineno})"
    errors.print(f"[bold yellow]warning:[/] {escape(str(message))}{place}", highlight=False, soft_wrap=True)
