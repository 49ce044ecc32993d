"""Agents written as Python classes: `module:Class`, `path/to/file.py:Class`, or the name of an entry point.

Arguments follow after another colon: `agents.py:Clicker:speed=3,mode="fast"`. Packages publish agents in the entry
point group `fairground.agents`.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import json
import re
import sys
import traceback
from collections.abc import Callable, Mapping
from hashlib import blake2b
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from fairground.agents.models.usage import Usage
from fairground.agents.protocol import Brief, Turn, turn_of
from fairground.core import InvalidInput, Observation, unknown

GROUP = "fairground.agents"
"""Entry point group of published agents."""

TAKEN = (
    *("do-nothing", "random", "oracle", "human", "script", "program", "replay"),
    *("anthropic", "openai", "gemini", "compatible"),
)
"""Prefixes reserved for other agents."""

_FORM = "MODULE:CLASS, FILE.py:CLASS or the name of an installed agent, with arguments after another colon"
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_MODULE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*")


class PythonAgent:
    """Wraps a user's object as an agent. It is checked when created, and its answers are parsed leniently.

    It is trusted code in our own process, but like other agents it never gets the seat.

    Args:
        made: An object with `begin(brief)` and `act(observation)`. `name`, `observations`, `usage`, `check()` and
            `close()` are used if they exist.
        name: Name of the agent if the object has none.

    Attributes:
        observations: What it wants to observe, if it says so.
    """

    def __init__(self, made: Any, name: str) -> None:
        for method, arguments in (("begin", "brief"), ("act", "observation")):
            _check_method(made, method, arguments, name)
        self._made = made
        self.name = str(getattr(made, "name", "") or name)
        # Read once, before any task is known: later, code of the agent runs only where its errors are its failures.
        self.observations = _load(lambda: _observations(made), f"observations of {self.name}")

    @property
    def usage(self) -> Usage | None:
        """Its model usage: a `Usage`, or a dict with its fields."""
        own = getattr(self._made, "usage", None)
        return own if own is None or isinstance(own, Usage) else Usage.parse(own, where=f"usage of {self.name}")

    def check(self) -> None:
        """Call its `check`, if it has one."""
        self._optional("check")

    def begin(self, brief: Brief) -> None:
        """Start an episode."""
        self._made.begin(brief)

    def act(self, observation: Observation) -> Turn:
        """Return its next action. An action may also be plain data, with a `thought` added to its fields."""
        answer = self._made.act(observation)
        if not isinstance(answer, Turn | Mapping) and not hasattr(answer, "kind"):
            raise InvalidInput(
                f"act of {self.name} returned {_shown(answer)}, expected an action",
                fix="return a Turn, an action such as Click(point=(10, 20)), or a dict such as {'kind': 'done'}",
            )
        return turn_of(answer, where=f"{self.name}: the action")

    def close(self) -> None:
        """Call its `close`, if it has one."""
        self._optional("close")

    def _optional(self, method: str) -> None:
        if callable(call := getattr(self._made, method, None)):
            call()


def is_python_agent(text: str) -> bool:
    """Return whether a name is a Python agent, by its form or because a package published it."""
    head, colon, rest = text.partition(":")
    if head in TAKEN:
        return False
    return head in published_agents() or bool(colon and rest and (head.endswith(".py") or _MODULE.fullmatch(head)))


def published_agents() -> dict[str, EntryPoint]:
    """Return the agents that installed packages publish, by name."""
    return {point.name: point for point in entry_points(group=GROUP)}


def python_agent(text: str, *, home: Path | None = None) -> PythonAgent:
    """Create the agent for a name.

    Args:
        text: The name; see the module's description.
        home: Folder of relative files, searched first for modules. Default: the current folder.

    Raises:
        InvalidInput: If it cannot be found, loaded or created. The message says where and why.
    """
    head, _, rest = text.partition(":")
    point = published_agents().get(head)
    if point is not None:
        label, arguments = head, rest
        target = _load(point.load, f"agent {head} ({point.value})")
    else:
        name, _, arguments = rest.partition(":")
        label = name
        target = _find(head, name, (home or Path.cwd()))
    given = read_arguments(arguments, where=text)
    if not isinstance(target, type) and not given and callable(getattr(target, "act", None)):
        return PythonAgent(target, label)  # an existing object
    if not callable(target):
        raise InvalidInput(
            f"{text}: {label} is {_shown(target)}, expected a class or function",
            fix="name a class, or a function that returns an agent",
        )
    try:
        inspect.signature(target).bind(**given)
    except TypeError as error:
        takes = inspect.signature(target)
        raise InvalidInput(f"{text}: {label} cannot be created: {error}", fix=f"it takes {takes}") from None
    except ValueError:
        pass  # a class without a signature, such as one written in C
    return PythonAgent(_load(lambda: target(**given), f"{label} of {text}"), label)


def read_arguments(text: str, *, where: str) -> dict[str, Any]:
    """Parse `speed=3,mode=fast` into arguments. Values are JSON if possible, otherwise text."""
    arguments: dict[str, Any] = {}
    decoder = json.JSONDecoder()
    at = 0
    while at < len(text):
        name = _WORD.match(text, at)
        if name is None or text[name.end() : name.end() + 1] != "=":
            raise InvalidInput(
                f"{where}: expected NAME=VALUE, got {text[at:][:80]!r}", fix=f"write the agent as {_FORM}"
            )
        start = name.end() + 1
        try:
            value, end = decoder.raw_decode(text, start)
        except ValueError:
            value, end = None, -1
        if end < 0 or text[end : end + 1] not in ("", ","):
            end = len(text) if (comma := text.find(",", start)) < 0 else comma
            value = text[start:end]
        arguments[name[0]] = value
        at = end + 1
    return arguments


def _find(place: str, name: str, home: Path) -> Any:
    module = _from_file(home / place) if place.endswith(".py") else _from_module(place, home)
    member: Any = module
    for part in name.split("."):
        if not hasattr(member, part):
            raise unknown(f"class in {place}:", name, _classes(member))
        member = getattr(member, part)
    return member


def _classes(member: Any) -> list[str]:
    """Return the names that an agent can have: what a module or class defines itself, not what it imports."""
    home = getattr(member, "__module__", None) or member.__name__
    public = {name: value for name, value in vars(member).items() if not name.startswith("_") and callable(value)}
    return [name for name, value in public.items() if getattr(value, "__module__", home) == home]


def _from_file(path: Path) -> ModuleType:
    path = path.absolute()
    if not path.is_file():
        raise InvalidInput(f"file {path} does not exist", fix=f"write the agent as {_FORM}")
    name = f"fairground_agent_{blake2b(str(path).encode(), digest_size=6).hexdigest()}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    _look_in(path.parent)
    sys.modules[name] = module  # before it runs, as `import` does: dataclasses look up their module
    loader = spec.loader
    try:
        _load(lambda: loader.exec_module(module), str(path))
    except InvalidInput:
        del sys.modules[name]
        raise
    return module


def _from_module(name: str, home: Path) -> ModuleType:
    _look_in(home)
    module: ModuleType = _load(lambda: importlib.import_module(name), f"module {name}")
    return module


def _look_in(folder: Path) -> None:
    """Make the modules of a folder importable, as Python does for the folder of a script."""
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))


def _load(call: Callable[[], Any], what: str) -> Any:
    """Run a user's code. An exception becomes an error that says where it was raised."""
    try:
        return call()
    except ModuleNotFoundError as error:
        fix = f"install {error.name}, or run this in a folder from which it can be imported" if error.name else None
        raise InvalidInput(f"{what} cannot be loaded: {error}{_place(error)}", fix=fix) from error
    except Exception as error:
        raise InvalidInput(f"{what} cannot be loaded: {type(error).__name__}: {error}{_place(error)}") from error


def _place(error: Exception) -> str:
    if isinstance(error, SyntaxError):
        return ""  # its message has the place
    own = [entry for entry in traceback.extract_tb(error.__traceback__) if "importlib" not in entry.filename]
    return f" ({own[-1].filename}, line {own[-1].lineno})" if own and own[-1].filename != __file__ else ""


def _check_method(target: Any, method: str, argument: str, name: str) -> None:
    call = getattr(target, method, None)
    if not callable(call):
        raise InvalidInput(
            f"{name} is not an agent: it has no method {method}", fix="define begin(brief) and act(observation)"
        )
    try:
        inspect.signature(call).bind(None)
    except TypeError as error:
        takes = inspect.signature(call)
        raise InvalidInput(f"{name}.{method}{takes}: {error}", fix=f"expected {method}(self, {argument})") from None
    except ValueError:
        pass  # unknown signature


def _observations(made: Any) -> tuple[str, ...]:
    """Return what an agent wants to observe; empty if it does not say."""
    wanted = getattr(made, "observations", ())
    return (wanted,) if isinstance(wanted, str) else tuple(wanted)


def _shown(value: Any) -> str:
    return "nothing (None)" if value is None else f"a {type(value).__name__}: {value!r:.80}"
