"""What can be asked about an app: named endpoints over its recorded state, with typed arguments and JSON answers.

An inspector is where an app's author says how its state is read. Scenarios ask it in their checks, people by
`fairground inspect`, and its reference is written from the code. Endpoints see a recording and nothing else, so they
answer the same for a seat that is open now and for an episode of years ago.
"""

from __future__ import annotations

import dataclasses
import inspect
import json
import re
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from fairground.core import Check, InvalidInput, Record, State, check_name, unknown

Surface = Literal["content", "formatting", "structure", "settings", "history", "files", "metadata", "live"]
"""Which part of an app's state an endpoint is about."""

Kind = Literal["query", "check"]

Ask = TypeVar("Ask", bound=Callable[..., Any])

_REQUIRED = inspect.Parameter.empty
_TRUE, _FALSE = frozenset({"true", "yes", "1"}), frozenset({"false", "no", "0"})


@dataclass(frozen=True)
class Argument:
    """One argument of an endpoint.

    Attributes:
        name: As it is given, `name=value`.
        kind: The Python type that it has.
        default: What it is unless given; `inspect.Parameter.empty` when it must be given.
        help: In words.
    """

    name: str
    kind: Any
    default: Any
    help: str

    @property
    def required(self) -> bool:
        """Whether it must be given."""
        return self.default is _REQUIRED


@dataclass(frozen=True)
class Endpoint:
    """A question that an inspector answers.

    Attributes:
        name: Such as `cell` or `check-cell`.
        kind: A query answers with data, a check with a `Check`.
        surface: What it is about.
        summary: In a line.
        about: The rest of what is to be known, for people.
        arguments: What it needs to be told.
        ask: The function itself: a state first, then the arguments.
    """

    name: str
    kind: Kind
    surface: Surface
    summary: str
    about: str
    arguments: tuple[Argument, ...]
    ask: Callable[..., Any]


class Inspector:
    """The endpoints of an app.

    Args:
        app: Name of the app.
        channels: How its state is read, for people: where each kind of it is kept, by the name of the channel.
    """

    def __init__(self, app: str, channels: Mapping[str, str] | None = None) -> None:
        check_name("app", app)
        self.app = app
        self.channels = dict(channels or {})
        self._endpoints: dict[str, Endpoint] = {}

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """In the order in which they were written."""
        return tuple(self._endpoints.values())

    def query(self, surface: Surface, name: str = "") -> Callable[[Ask], Ask]:
        """Makes a function an endpoint that answers with data.

        It takes a `State`, then arguments of the types `str`, `int`, `float`, `bool` or `list[str]`. Its name, with
        dashes, is the endpoint's; its docstring is the reference.
        """
        return self._register("query", surface, name)

    def check(self, surface: Surface, name: str = "") -> Callable[[Ask], Ask]:
        """Makes a function an endpoint that decides: it returns a `Check`, with its evidence."""
        return self._register("check", surface, name)

    def find(self, name: str) -> Endpoint:
        """The endpoint with this name; raises `InvalidInput` with the nearest that exist."""
        if name not in self._endpoints:
            raise unknown(f"endpoint of {self.app}", name, self._endpoints)
        return self._endpoints[name]

    def ask(self, state: State, name: str, arguments: Mapping[str, Any] | None = None) -> Any:
        """The answer to a question about a state, as JSON-ready data.

        Args:
            state: A recording.
            name: Of the endpoint.
            arguments: By name; texts are turned into the type that is wanted.

        Raises:
            InvalidInput: When there is no such endpoint, or the arguments are not those that it takes.
            StateError: When what is asked for is not in the state, or cannot be read.
        """
        endpoint = self.find(name)
        return jsonable(endpoint.ask(state, **_bound(endpoint, arguments or {})))

    def reference(self) -> str:
        """Every endpoint in Markdown, for the app's README."""
        parts = [f"## Endpoints\n\n{len(self.endpoints)} of them; `fairground inspect` asks them from a terminal.\n"]
        if self.channels:
            rows = "".join(f"| {name} | {told} |\n" for name, told in self.channels.items())
            parts.append(f"| channel | what is read there |\n| --- | --- |\n{rows}")
        for surface in typing.get_args(Surface):
            some = [one for one in self.endpoints if one.surface == surface]
            if some:
                parts.append(f"### {surface.capitalize()}\n\n" + "\n".join(map(_entry, some)))
        return "\n".join(parts)

    def _register(self, kind: Kind, surface: Surface, name: str) -> Callable[[Ask], Ask]:
        def add(ask: Ask) -> Ask:
            endpoint = _endpoint(ask, kind, surface, name)
            if endpoint.name in self._endpoints:
                raise InvalidInput(f"inspector of {self.app}: two endpoints are named {endpoint.name}")
            self._endpoints[endpoint.name] = endpoint
            return ask

        return add


def jsonable(value: Any) -> Any:
    """Plain data of what an endpoint returned: dataclasses and records become mappings, tuples become lists."""
    if isinstance(value, Record):
        return value.model_dump(mode="json")
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {one.name: jsonable(getattr(value, one.name)) for one in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): jsonable(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [jsonable(entry) for entry in value]
    if isinstance(value, bytes):
        return f"{len(value)} bytes"
    if value is None or isinstance(value, str | int | float | bool):
        return value
    return str(value)


def _endpoint(ask: Callable[..., Any], kind: Kind, surface: Surface, name: str) -> Endpoint:
    name = name or ask.__name__.strip("_").replace("_", "-")
    check_name("endpoint", name)
    text = inspect.getdoc(ask) or ""
    if not text:
        raise InvalidInput(f"endpoint {name} has no docstring", fix="say what it answers: the reference is made of it")
    prose, _, listed = text.partition("\nArgs:\n")
    listed = re.split(r"\n(?:Returns|Raises|Example):\n", listed)[0]
    summary, _, about = prose.partition("\n")
    helps = {found[1]: " ".join(found[2].split()) for found in _ARGUMENT.finditer(listed)}
    hints = typing.get_type_hints(ask)
    given = list(inspect.signature(ask).parameters.values())[1:]
    arguments = tuple(
        Argument(one.name, hints.get(one.name, str), one.default, helps.get(one.name, "")) for one in given
    )
    if kind == "check" and hints.get("return") is not Check:
        raise InvalidInput(f"endpoint {name} is a check and must return a Check")
    return Endpoint(name, kind, surface, summary.strip(), about.strip(), arguments, ask)


_ARGUMENT = re.compile(r"^ {4}(\w+): (.*(?:\n {8,}.*)*)", re.MULTILINE)


def _bound(endpoint: Endpoint, given: Mapping[str, Any]) -> dict[str, Any]:
    known = {one.name: one for one in endpoint.arguments}
    for name in given:
        if name not in known:
            raise unknown(f"argument of {endpoint.name}", name, known)
    missing = [one.name for one in endpoint.arguments if one.required and one.name not in given]
    if missing:
        example = " ".join(f"{name}=..." for name in missing)
        raise InvalidInput(f"{endpoint.name} needs {', '.join(missing)}", fix=f"give {example}")
    return {name: _coerced(endpoint.name, known[name], value) for name, value in given.items()}


def _coerced(endpoint: str, argument: Argument, value: Any) -> Any:
    kind = _plain_kind(argument.kind)
    if not isinstance(value, str) or kind is str:
        return value
    try:
        if kind is bool:
            if value.casefold() not in _TRUE | _FALSE:
                raise ValueError(value)
            return value.casefold() in _TRUE
        if kind in (int, float):
            return kind(value)
        return json.loads(value)
    except ValueError:
        wanted = getattr(kind, "__name__", str(kind))
        raise InvalidInput(f"{endpoint}: {argument.name} is {value[:80]!r}, expected {wanted}") from None


def _plain_kind(kind: Any) -> Any:
    """The type itself of one that may also be None."""
    if isinstance(kind, types.UnionType) or typing.get_origin(kind) is typing.Union:
        some = [one for one in typing.get_args(kind) if one is not type(None)]
        return some[0] if len(some) == 1 else kind
    return kind


def _entry(endpoint: Endpoint) -> str:
    words = " ".join(f"{one.name}=..." if one.required else f"[{one.name}=...]" for one in endpoint.arguments)
    lines = [f"- **`{' '.join((endpoint.name, words)).strip()}`**: {endpoint.summary}"]
    if endpoint.about:
        lines.append("  " + " ".join(endpoint.about.split()))
    lines += [f"    - `{one.name}`: {one.help}{_default(one)}" for one in endpoint.arguments if one.help]
    return "\n".join(lines)


def _default(argument: Argument) -> str:
    return "" if argument.required or argument.default in (None, "") else f" (`{argument.default}` unless given)"
