"""`fairground inspect`: queries the state of an app: an open seat, a recorded episode, or files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from json import dumps, loads
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from fairground.cli.output import Json, console, print_command, print_json
from fairground.core import FairgroundError, InvalidConfiguration, InvalidInput, State, StateError
from fairground.core.limited import ReadingBudget, within
from fairground.core.plainjson import plain, sayable
from fairground.report.plural import counted
from fairground.rollout import read_episode
from fairground.worlds import App, Argument, Endpoint, Inspector, Suite, choose_seat, find_app

_MAX_FILE = 64 << 20
_MAX_FILES = 10_000
_MAX_FOLDER = 1 << 30
_KINDS = {"str": "text", "int": "integer", "float": "number", "bool": "true or false"}


def inspect(
    app: Annotated[
        str, typer.Argument(metavar="APP", help="SUITE/APP or APP, such as desk/calc. Or a folder with a world.toml.")
    ],
    endpoint: Annotated[str, typer.Argument(metavar="ENDPOINT", help="The query. [default: list all endpoints]")] = "",
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME=VALUE]...", help="Arguments of the endpoint.")
    ] = None,
    episode: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Query the state at the end of this recorded episode.")
    ] = None,
    before: Annotated[bool, typer.Option("--before", help="With --episode: query the state at its start.")] = False,
    state: Annotated[
        Path | None, typer.Option(metavar="PATH", help="Query a file, or a folder that stands for the home folder.")
    ] = None,
    seat: Annotated[str, typer.Option(metavar="ID", help="The open seat to query, where there are several.")] = "",
    describe: Annotated[bool, typer.Option("--describe", help="Describe the endpoint; query nothing.")] = False,
    json: Json = False,
) -> None:
    """Query the state of an app.

    \b
    Examples:
      fairground inspect desk/calc
      fairground inspect desk/calc cell --describe
      fairground inspect desk/calc cell sheet=Sales address=B3
      fairground inspect desk/calc sheets --episode runs/first/episodes/000000
      fairground inspect desk/calc sheets --state my-files

    Without --episode and --state, queries the seat that `fairground open` has open. The answer is JSON. The exit
    status is 1 when a check does not pass or the state cannot be read.
    """  # noqa: D301 (\b keeps line breaks)
    suite, target = find_app(app)
    inspector = target.inspector
    if inspector is None:
        raise InvalidInput(
            f"{suite.name}/{target.name} has no inspector, so it cannot be queried",
            fix="write one and set App.inspector: docs/inspectors.md",
        )
    if not endpoint:
        _list(suite, target, inspector, json)
        return
    wanted = inspector.find(endpoint)
    if describe:
        _describe(suite, target, wanted, json)
        return
    given = _given(arguments or [])
    answer = _asked(inspector, _state(suite, target, episode, before, state, seat), wanted, given)
    print_json(answer)
    if wanted.kind == "check" and not answer["passed"]:
        raise typer.Exit(1)


def read_files(place: Path) -> State:
    """Reads a file, or all files of a folder, as a state with paths below the home folder, `~/...`.

    Raises:
        InvalidInput: The path does not exist, or holds more than Fairground records of an app.
    """
    if place.is_file():
        return State(files={f"~/{place.name}": _content(place)})
    if not place.is_dir():
        raise InvalidInput(f"{place} is neither a file nor a folder")
    files: dict[str, bytes] = {}
    size = 0
    for folder, _, names in os.walk(place):
        for name in sorted(names):
            path = Path(folder, name)
            if not path.is_file() or path.is_symlink():
                continue
            content = _content(path)
            size += len(content)
            files[f"~/{path.relative_to(place).as_posix()}"] = content
            if len(files) > _MAX_FILES or size > _MAX_FOLDER:
                limits = f"{_MAX_FILES:,} files of {_MAX_FOLDER >> 20:,} MB together"
                raise InvalidInput(f"{place} holds more than {limits}", fix="give a smaller folder, or one file")
    return State(files=files)


def _content(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            content = file.read(_MAX_FILE + 1)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}") from None
    if len(content) > _MAX_FILE:
        raise InvalidInput(f"{path} is larger than {_MAX_FILE >> 20} MB")
    return content


def _state(suite: Suite, app: App, episode: Path | None, before: bool, place: Path | None, seat: str) -> State:
    if sum((episode is not None, place is not None, bool(seat))) > 1:
        raise InvalidInput("expected one of --episode, --state and --seat, got several")
    if before and episode is None:
        raise InvalidInput("--before needs a recorded episode", fix="add --episode FOLDER")
    if place is not None:
        return read_files(place)
    if episode is None:
        return choose_seat(suite.name, app.name, seat).capture()
    recorded = read_episode(episode)
    configuration = recorded.episode.configuration
    if configuration.suite != suite.name:  # apps may differ: a task can span several apps of a suite
        raise InvalidInput(f"{episode} is an episode of {configuration.id}, not of {suite.name}/{app.name}")
    when: Literal["before", "after"] = "before" if before else "after"
    captured = recorded.state(when)
    if captured is None:
        raise StateError(f"{episode} holds no state of the app {when} the agent {'began' if before else 'ended'}")
    return captured


def _given(words: Sequence[str]) -> dict[str, str]:
    given = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name:
            raise InvalidInput(f"{word[:80]!r} is not an argument", fix="write name=value, with quotes around spaces")
        if name in given:
            raise InvalidInput(f"{name} is given twice")
        given[name] = value
    return given


def _asked(inspector: Inspector, state: State, endpoint: Endpoint, given: dict[str, str]) -> Any:
    """Asks within the limits for what an agent left: 2 s of processor time for each file, and 300 MB."""

    def ask() -> bytes:
        try:
            reply = {"answer": plain(inspector.ask(state, endpoint.name, given))}
        except FairgroundError as error:
            reply = {"error": [isinstance(error, StateError), error.message, error.fix]}
        except MemoryError:
            raise
        except Exception as error:  # an endpoint's own code, which must raise StateError for what it cannot read
            reply = {"broke": sayable(f"{type(error).__name__}: {error}")}
        return dumps(reply).encode()

    budget = ReadingBudget().times(len(state.files))
    reply = loads(within(budget, f"the state that {endpoint.name} reads", ask))
    if "error" in reply:
        unreadable, message, fix = reply["error"]
        raise (StateError if unreadable else InvalidInput)(message, fix=fix)
    if "broke" in reply:
        raise InvalidConfiguration(
            f"endpoint {endpoint.name} of {inspector.app} failed: {reply['broke']}",
            fix="fix the endpoint: raise StateError for what it cannot read",
        )
    return reply["answer"]


def _list(suite: Suite, app: App, inspector: Inspector, json: bool) -> None:
    if json:
        plain = {"suite": suite.name, "app": app.name, "channels": inspector.channels}
        print_json({**plain, "endpoints": [_plain(endpoint) for endpoint in inspector.endpoints]})
        return
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("endpoint", no_wrap=True)
    table.add_column("arguments", max_width=40)
    table.add_column("surface", no_wrap=True)
    table.add_column("answers", ratio=1)
    for endpoint in inspector.endpoints:
        words = " ".join(
            argument.name if argument.required else f"[{argument.name}]" for argument in endpoint.arguments
        )
        table.add_row(
            f"[bold]{endpoint.name}[/]", escape(words), f"[dim]{endpoint.surface}[/]", escape(endpoint.summary)
        )
    count = counted(len(inspector.endpoints), "endpoint")
    console.print(f"[bold]{escape(app.title or app.name)}[/]: {count}", highlight=False)
    console.print(table)
    console.print()
    print_command("query one", f"fairground inspect {suite.name}/{app.name} ENDPOINT name=value")
    print_command("details of one", f"fairground inspect {suite.name}/{app.name} ENDPOINT --describe")


def _describe(suite: Suite, app: App, endpoint: Endpoint, json: bool) -> None:
    if json:
        print_json({"suite": suite.name, "app": app.name, **_plain(endpoint)})
        return
    console.print(f"[bold]{endpoint.name}[/]  [dim]{endpoint.kind}, {endpoint.surface}[/]", highlight=False)
    console.print(Padding(escape(endpoint.summary), (0, 0, 0, 2)), highlight=False)
    if endpoint.about:
        console.print(Padding("\n" + escape(endpoint.about), (0, 0, 0, 2)), highlight=False)
    if endpoint.arguments:
        table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
        for argument in endpoint.arguments:
            table.add_row(
                f"[bold]{argument.name}[/]",
                f"[dim]{escape(_KINDS.get(_kind(argument), _kind(argument)))}[/]",
                escape(argument.help),
                escape(_default(argument)),
            )
        console.print(Padding(table, (1, 0, 0, 2)))
    words = " ".join(f"{argument.name}=..." for argument in endpoint.arguments if argument.required)
    command = f"fairground inspect {suite.name}/{app.name} {endpoint.name} {words}".rstrip()
    console.print(f"\n  {escape(command)}", highlight=False, soft_wrap=True)


def _plain(endpoint: Endpoint) -> dict[str, Any]:
    return {
        "name": endpoint.name,
        "kind": endpoint.kind,
        "surface": endpoint.surface,
        "summary": endpoint.summary,
        "about": endpoint.about,
        "arguments": [
            {
                "name": argument.name,
                "type": _kind(argument),
                "required": argument.required,
                "default": None if argument.required else argument.default,
                "help": argument.help,
            }
            for argument in endpoint.arguments
        ],
    }


def _kind(argument: Argument) -> str:
    return argument.kind.__name__ if argument.kind in (str, int, float, bool) else str(argument.kind)


def _default(argument: Argument) -> str:
    if argument.required:
        return ""
    return "optional" if argument.default in (None, "") else f"default: {argument.default}"
