"""`fairground inspect`: asks an app's inspector, about a seat that is open or about a recording."""

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

from fairground.cli.output import Json, console, print_json
from fairground.core import FairgroundError, InvalidConfiguration, InvalidInput, State, StateError
from fairground.core.limited import ReadingBudget, within
from fairground.core.plainjson import plain, sayable
from fairground.rollout import read_episode
from fairground.worlds import App, Argument, Endpoint, Inspector, Suite, choose_seat, find_app

_MAX_FILE = 64 << 20
_MAX_FILES = 10_000
_MAX_FOLDER = 1 << 30


def inspect(
    app: Annotated[str, typer.Argument(help="Such as desk/calc, or calc; or a folder with a world.toml.")],
    endpoint: Annotated[str, typer.Argument(help="What to ask; all that can be asked is listed without it.")] = "",
    arguments: Annotated[list[str] | None, typer.Argument(metavar="[NAME=VALUE]...", help="What it is told.")] = None,
    episode: Annotated[Path | None, typer.Option(help="Ask about a recorded episode: its folder.")] = None,
    before: Annotated[bool, typer.Option("--before", help="With --episode: the state before the agent began.")] = False,
    state: Annotated[
        Path | None, typer.Option(help="Ask about a file, or a folder whose files are taken for those of the home.")
    ] = None,
    seat: Annotated[str, typer.Option(help="Which open seat, where there are several: its number.")] = "",
    describe: Annotated[bool, typer.Option("--describe", help="Say all about the endpoint instead of asking.")] = False,
    json: Json = False,
) -> None:
    """Asks an app about its state: a seat that is open, or a recording. The answer is JSON.

    \b
      fairground inspect desk/calc                              what can be asked
      fairground inspect calc cell --describe                   all about one endpoint
      fairground inspect calc cell sheet=Sales address=B3       of the seat that fairground open has open
      fairground inspect calc sheets --episode runs/x/ep/0001   of a recorded episode, when it ended
      fairground inspect calc sheets --state my-files           of files that you have

    The status is 0, and 1 when a check did not pass or something could not be read: then there is no answer.
    """  # noqa: D301 (click reads \b as: keep these lines)
    suite, found = find_app(app)
    inspector = found.inspector
    if inspector is None:
        raise InvalidInput(
            f"{suite.name}/{found.name} has no inspector, so nothing can be asked",
            fix="write one and set App.inspector: docs/inspectors.md",
        )
    if not endpoint:
        _list(suite, found, inspector, json)
        return
    wanted = inspector.find(endpoint)
    if describe:
        _describe(suite, found, wanted, json)
        return
    given = _given(arguments or [])
    answer = _asked(inspector, _state(suite, found, episode, before, state, seat), wanted, given)
    print_json(answer)
    if wanted.kind == "check" and not answer["passed"]:
        raise typer.Exit(1)


def read_files(place: Path) -> State:
    """A file, or all files of a folder, as a state: each at its path below the home, `~/...`.

    Raises:
        InvalidInput: When there is nothing, or more than is recorded of an app.
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
        raise InvalidInput("one state is asked about: give --episode, --state or --seat")
    if before and episode is None:
        raise InvalidInput("--before is about a recorded episode", fix="give --episode FOLDER")
    if place is not None:
        return read_files(place)
    if episode is None:
        return choose_seat(suite.name, app.name, seat).capture()
    recorded = read_episode(episode)
    configuration = recorded.episode.configuration
    if configuration.suite != suite.name:  # of another app of the suite may be a task that spans both
        raise InvalidInput(f"{episode} is an episode of {configuration.id}, not of {suite.name}/{app.name}")
    when: Literal["before", "after"] = "before" if before else "after"
    found = recorded.state(when)
    if found is None:
        raise StateError(f"{episode} holds no state of the app {when} the agent {'began' if before else 'ended'}")
    return found


def _given(words: Sequence[str]) -> dict[str, str]:
    given = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name:
            raise InvalidInput(
                f"{word[:80]!r} is not an argument", fix="write name=value, in quotes where it has spaces"
            )
        if name in given:
            raise InvalidInput(f"{name} is given twice")
        given[name] = value
    return given


def _asked(inspector: Inspector, state: State, endpoint: Endpoint, given: dict[str, str]) -> Any:
    """Asks within the limits for what an agent left: 2 s of processor time for each file, and 300 MB."""

    def ask() -> bytes:
        try:
            said = {"answer": plain(inspector.ask(state, endpoint.name, given))}
        except FairgroundError as error:
            said = {"error": [isinstance(error, StateError), error.message, error.fix]}
        except MemoryError:
            raise
        except Exception as error:  # an endpoint's own code, which must raise StateError for what it cannot read
            said = {"broke": sayable(f"{type(error).__name__}: {error}")}
        return dumps(said).encode()

    budget = ReadingBudget().times(len(state.files))
    said = loads(within(budget, f"the state that {endpoint.name} is asked about", ask))
    if "error" in said:
        unreadable, message, fix = said["error"]
        raise (StateError if unreadable else InvalidInput)(message, fix=fix)
    if "broke" in said:
        raise InvalidConfiguration(
            f"endpoint {endpoint.name} of {inspector.app} broke: {said['broke']}",
            fix="repair the endpoint: what it cannot read is a StateError",
        )
    return said["answer"]


def _list(suite: Suite, app: App, inspector: Inspector, json: bool) -> None:
    if json:
        plain = {"suite": suite.name, "app": app.name, "channels": inspector.channels}
        print_json({**plain, "endpoints": [_plain(one) for one in inspector.endpoints]})
        return
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("endpoint", no_wrap=True)
    table.add_column("arguments", max_width=40)
    table.add_column("surface", no_wrap=True)
    table.add_column("answers", ratio=1)
    for one in inspector.endpoints:
        words = " ".join(argument.name if argument.required else f"[{argument.name}]" for argument in one.arguments)
        table.add_row(f"[bold]{one.name}[/]", escape(words), f"[dim]{one.surface}[/]", escape(one.summary))
    console.print(f"[bold]{escape(app.title or app.name)}[/]: {len(inspector.endpoints)} endpoints", highlight=False)
    console.print(table)
    console.print(
        f"\n[dim]ask:[/] fairground inspect {suite.name}/{app.name} ENDPOINT name=value   "
        "[dim]all about one:[/] --describe",
        highlight=False,
    )


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
        for one in endpoint.arguments:
            table.add_row(
                f"[bold]{one.name}[/]", f"[dim]{escape(_kind(one))}[/]", escape(one.help), escape(_unless(one))
            )
        console.print(Padding(table, (1, 0, 0, 2)))
    words = " ".join(f"{one.name}=..." for one in endpoint.arguments if one.required)
    console.print(f"\n  fairground inspect {suite.name}/{app.name} {endpoint.name} {words}".rstrip(), highlight=False)


def _plain(endpoint: Endpoint) -> dict[str, Any]:
    return {
        "name": endpoint.name,
        "kind": endpoint.kind,
        "surface": endpoint.surface,
        "summary": endpoint.summary,
        "about": endpoint.about,
        "arguments": [
            {
                "name": one.name,
                "type": _kind(one),
                "required": one.required,
                "default": None if one.required else one.default,
                "help": one.help,
            }
            for one in endpoint.arguments
        ],
    }


def _kind(argument: Argument) -> str:
    return argument.kind.__name__ if argument.kind in (str, int, float, bool) else str(argument.kind)


def _unless(argument: Argument) -> str:
    if argument.required:
        return ""
    return "may be left out" if argument.default in (None, "") else f"{argument.default} unless given"
