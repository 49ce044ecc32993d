"""Content digests of the code that a scenario is written in."""

from __future__ import annotations

import ast
import functools
import importlib.util
import inspect
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from fairground.core import code_digest, fingerprint
from fairground.sandbox import hash_path
from fairground.worlds.digest_cache import remembered

_DEPTH = 8
_USED = ("fairground.verify.reading.", "fairground.verify.answers")
"""Modules of Fairground that count as part of the code that uses them: file readers and answer matching."""


def written_in(thing: object) -> str:
    """Return a content digest of the modules of an object's classes and functions, and of the data it holds.

    Includes what these modules import from their own package, and the readers of files and answers that they use. Other
    modules of `fairground` are excluded: their rules have a version.
    """
    modules: set[str] = set()
    data = _plain(vars(thing) if hasattr(thing, "__dict__") else repr(thing), modules, _DEPTH)
    modules.update(base.__module__ for base in type(thing).__mro__)
    files = {name: _content(name) for name in sorted(_closed(modules))}
    return fingerprint({"class": type(thing).__qualname__, "files": files, "data": data})


def held_data(thing: object) -> Any:
    """Return the data that an object holds, as plain data; functions and classes by name."""
    return _plain(vars(thing) if hasattr(thing, "__dict__") else repr(thing), set(), _DEPTH)


def hash_files(paths: Iterable[Path]) -> str:
    """Return a content digest of files and the last two parts of their paths."""
    parts = []
    for path in paths:
        info = path.stat()
        parts.append(["/".join(path.parts[-2:]), _hash_file(path, info.st_mtime_ns, info.st_size)])
    return fingerprint(parts)


def code_address(paths: Iterable[Path]) -> str:
    """Like `hash_files`, but ignore comments, docstrings, layout and local names of Python modules."""
    return fingerprint([["/".join(path.parts[-2:]), _digest(path)] for path in paths])


def module_files(thing: object) -> Iterator[Path]:
    """Files of the modules of an object's class and its bases, except those of `fairground`."""
    for base in type(thing).__mro__:
        module = sys.modules.get(base.__module__)
        if not _ours(base.__module__) and (place := getattr(module, "__file__", None)):
            yield Path(place)


def _ours(name: str) -> bool:
    if name.startswith(_USED):
        return False
    return name.split(".")[0] in ("fairground", "builtins", "abc", "typing", "dataclasses", "functools")


def _closed(modules: set[str]) -> set[str]:
    """Modules with everything that they import from their own packages."""
    closed: set[str] = set()
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        if name not in closed and not _ours(name):
            closed.add(name)
            waiting += _imported(name)
    return closed


@functools.cache
def _imported(name: str) -> tuple[str, ...]:
    """What a module imports from its own package. Of a package only the named modules, not all that it exports."""
    module = sys.modules.get(name)
    place = getattr(module, "__file__", None)
    if module is None or place is None or not Path(place).is_file():
        return ()
    imported = set[str]()
    for node in ast.walk(ast.parse(Path(place).read_bytes())):
        if isinstance(node, ast.Import):
            imported.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            source = "." * node.level + (node.module or "")
            try:
                resolved = importlib.util.resolve_name(source, module.__package__) if node.level else source
            except ImportError:
                continue
            for alias in node.names:
                imported.add(_home(resolved, alias.name))
    top = name.partition(".")[0]
    counts = (candidate for candidate in imported if candidate.partition(".")[0] == top or candidate.startswith(_USED))
    return tuple(sorted(candidate for candidate in counts if candidate in sys.modules))


def _home(module: str, name: str) -> str:
    """The module that defines a name, if a package only re-exports it."""
    if f"{module}.{name}" in sys.modules:
        return f"{module}.{name}"
    package = sys.modules.get(module)
    if hasattr(package, "__path__"):
        return str(getattr(getattr(package, name, None), "__module__", module))
    return module


@functools.cache
def _content(name: str) -> str:
    module: ModuleType | None = sys.modules.get(name)
    place = getattr(module, "__file__", None)
    if place is None or not Path(place).is_file():
        return ""
    return _digest(Path(place))


@functools.lru_cache(maxsize=4096)
def _hash_file(path: Path, changed_ns: int, size: int) -> str:
    return hash_path(path)


def _digest(path: Path) -> str:
    return str(remembered("code", path.read_bytes(), code_digest)) if path.suffix == ".py" else hash_path(path)


def _plain(value: Any, modules: set[str], depth: int) -> Any:
    """Convert data to JSON-serializable form, and collect the modules of functions and classes in it."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return repr(value)
    if depth == 0:
        return "..."
    if isinstance(value, functools.partial):
        return _plain([value.func, value.args, value.keywords], modules, depth - 1)
    if isinstance(value, FunctionType) or inspect.isclass(value) or inspect.ismethod(value):
        modules.add(value.__module__)
        return f"{value.__module__}.{value.__qualname__}"
    if is_dataclass(value):
        modules.add(type(value).__module__)
        inside = {entry.name: getattr(value, entry.name) for entry in fields(value)}
        return [type(value).__qualname__, _plain(inside, modules, depth - 1)]
    if isinstance(value, Mapping):
        return [[str(key), _plain(entry, modules, depth - 1)] for key, entry in value.items()]
    if isinstance(value, set | frozenset):
        return sorted(str(_plain(entry, modules, depth - 1)) for entry in value)
    if isinstance(value, list | tuple):
        return [_plain(entry, modules, depth - 1) for entry in value]
    modules.add(type(value).__module__)
    return type(value).__qualname__
