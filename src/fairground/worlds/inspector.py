"""Inspectors: named endpoints over the recorded state of an app, with typed arguments and JSON answers.

An app's author defines in an inspector how the app's state is read. Scenarios use it in their checks, and users with
`fairground inspect`. Its reference is generated from the code. Endpoints see only a recorded state, so they give the
same answer for an open seat and for an old episode.
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
"""The part of an app's state that an endpoint is about."""

Kind = Literal["query", "check"]

Ask = TypeVar("Ask", bound=Callable[..., Any])

_REQUIRED = inspect.Parameter.empty
_TRUE, _FALSE = frozenset({"true", "yes", "1"}), frozenset({"false", "no", "0"})


@dataclass(frozen=True)
class Argument:
    """One argument of an endpoint.

    Attributes:
        name: As used in `name=value`.
        kind: Its Python type.
        default: Its default; `inspect.Parameter.empty` if it is required.
        help: Its description.
    """

    name: str
    kind: Any
    default: Any
    help: str

    @property
    def required(self) -> bool:
        """Whether it is required."""
        return self.default is _REQUIRED


@dataclass(frozen=True)
class Endpoint:
    """A question that an inspector answers.

    Attributes:
        name: Such as `cell` or `check-cell`.
        kind: A query answers with data, a check with a `Check`.
        surface: The part of the state it is about.
        summary: Description in one line.
        about: The rest of the description.
        arguments: Its arguments.
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
        channels: How its state is read, for the reference: description by channel name.
    """

    def __init__(self, app: str, channels: Mapping[str, str] | None = None) -> None:
        check_name("app", app)
        self.app = app
        self.channels = dict(channels or {})
        self._endpoints: dict[str, Endpoint] = {}

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """In the order of their definition."""
        return tuple(self._endpoints.values())

    def query(self, surface: Surface, name: str = "") -> Callable[[Ask], Ask]:
        """Decorator for an endpoint that answers with data.

        The function takes a `State`, then arguments of the types `str`, `int`, `float`, `bool` or `list[str]`. The
        endpoint's name is the function's name with dashes, and its docstring becomes the reference.
        """
        return self._register("query", surface, name)

    def check(self, surface: Surface, name: str = "") -> Callable[[Ask], Ask]:
        """Decorator for an endpoint that decides: it returns a `Check` with its evidence."""
        return self._register("check", surface, name)

    def find(self, name: str) -> Endpoint:
        """Return the endpoint with this name.

        Raises:
            UnknownName: There is none. The message suggests similar names.
        """
        if name not in self._endpoints:
            raise unknown(f"endpoint of {self.app}", name, self._endpoints)
        return self._endpoints[name]

    def ask(self, state: State, name: str, arguments: Mapping[str, Any] | None = None) -> Any:
        """Ask an endpoint about a state. Returns JSON-serializable data.

        Args:
            state: A recorded state.
            name: Name of the endpoint.
            arguments: Arguments by name. Texts are converted to the required type.

        Raises:
            InvalidInput: There is no such endpoint, or the arguments are not valid.
            StateError: The requested data is not in the state, or cannot be read.
        """
        endpoint = self.find(name)
        answer = endpoint.ask(state, **_bound(endpoint, arguments or {}))
        if isinstance(answer, Check) and endpoint.surface == "live":
            answer = answer.as_weak()
        return jsonable(answer)

    def reference(self) -> str:
        """Return the reference of all endpoints in Markdown, for the app's README."""
        parts = [f"## Endpoints\n\n{len(self.endpoints)} of them; `fairground inspect` asks them from a terminal.\n"]
        if self.channels:
            rows = "".join(f"| {name} | {description} |\n" for name, description in self.channels.items())
            parts.append(f"| channel | what is read there |\n| --- | --- |\n{rows}")
        for surface in typing.get_args(Surface):
            on_surface = [endpoint for endpoint in self.endpoints if endpoint.surface == surface]
            if on_surface:
                parts.append(f"### {surface.capitalize()}\n\n" + "\n".join(map(_entry, on_surface)))
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
    """Convert an endpoint's result to plain data: dataclasses and records to mappings, tuples to lists."""
    if isinstance(value, Record):
        return value.model_dump(mode="json")
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {entry.name: jsonable(getattr(value, entry.name)) for entry in dataclasses.fields(value)}
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
        raise InvalidInput(
            f"endpoint {name} has no docstring", fix="describe what it answers; the reference is generated from it"
        )
    prose, _, listed = text.partition("\nArgs:\n")
    listed = re.split(r"\n(?:Returns|Raises|Example):\n", listed)[0]
    summary, _, about = prose.partition("\n")
    helps = {match[1]: " ".join(match[2].split()) for match in _ARGUMENT.finditer(listed)}
    hints = typing.get_type_hints(ask)
    given = list(inspect.signature(ask).parameters.values())[1:]
    arguments = tuple(
        Argument(parameter.name, hints.get(parameter.name, str), parameter.default, helps.get(parameter.name, ""))
        for parameter in given
    )
    if kind == "check" and hints.get("return") is not Check:
        raise InvalidInput(f"endpoint {name} is a check and must return a Check")
    return Endpoint(name, kind, surface, summary.strip(), about.strip(), arguments, ask)


_ARGUMENT = re.compile(r"^ {4}(\w+): (.*(?:\n {8,}.*)*)", re.MULTILINE)


def _bound(endpoint: Endpoint, given: Mapping[str, Any]) -> dict[str, Any]:
    known = {argument.name: argument for argument in endpoint.arguments}
    for name in given:
        if name not in known:
            raise unknown(f"argument of {endpoint.name}", name, known)
    missing = [argument.name for argument in endpoint.arguments if argument.required and argument.name not in given]
    if missing:
        example = " ".join(f"{name}=..." for name in missing)
        raise InvalidInput(f"{endpoint.name} needs {', '.join(missing)}", fix=f"add {example}")
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
    """The type itself, for a type that may also be None."""
    if isinstance(kind, types.UnionType) or typing.get_origin(kind) is typing.Union:
        options = [option for option in typing.get_args(kind) if option is not type(None)]
        return options[0] if len(options) == 1 else kind
    return kind


def _entry(endpoint: Endpoint) -> str:
    words = " ".join(
        f"{argument.name}=..." if argument.required else f"[{argument.name}=...]" for argument in endpoint.arguments
    )
    lines = [f"- **`{' '.join((endpoint.name, words)).strip()}`**: {endpoint.summary}"]
    if endpoint.about:
        lines.append("  " + " ".join(endpoint.about.split()))
    lines += [
        f"    - `{argument.name}`: {argument.help}{_default(argument)}"
        for argument in endpoint.arguments
        if argument.help
    ]
    return "\n".join(lines)


def _default(argument: Argument) -> str:
    return "" if argument.required or argument.default in (None, "") else f" (`{argument.default}` unless given)"
