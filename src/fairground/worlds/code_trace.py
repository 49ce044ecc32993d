"""Which code took part in a computation, and a digest of it that tells whether it has changed since.

Code is counted in units: functions, methods, classes, constants and imports (`fairground.core.code_units`), named
`module:unit`. A unit takes part if it was executed while it was traced, or if such a unit refers to it. Changing any
other code leaves the digest as it is.
"""

from __future__ import annotations

import contextlib
import importlib.util
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any, Self

from fairground.core.code_units import BODY, Unit, code_units
from fairground.worlds.digest_cache import remembered

_GONE = "gone"
_UNCOUNTED = ("fairground.prove.", "fairground.worlds.code_trace", "fairground.sandbox.")
"""Modules that are not part of what is proven: our own proving code, and the sandbox, which neither judges nor acts."""

_OURS = "fairground"
_STANDARD = frozenset(sys.stdlib_module_names)
_WORDS = ("__future__", "abc", "collections.abc", "dataclasses", "typing")  # imports that only declare
_RUN_AT_IMPORT = ("__init__", "__new__", "__post_init__")


class Trace:
    """Records which code runs inside `with` blocks, which may be nested and repeated. Other threads are not traced.

    Args:
        thing: An object whose classes take part, such as a scenario. Its packages are traced besides Fairground's own.
        without: Files whose code is not counted, because something else covers them.
    """

    def __init__(self, thing: object = None, without: Iterable[Path] = ()) -> None:
        self._classes = type(thing).__mro__
        packages = {_OURS, *(base.__module__.partition(".")[0] for base in self._classes)} - _STANDARD
        self._scope = _scope(frozenset(packages), frozenset(without))
        self._seen: dict[int, CodeType] = {}  # by identity: equal code of two modules counts for both
        self._depth = 0
        self._before: Any = None
        self._scope.clear_caches()

    def __enter__(self) -> Self:
        self._depth += 1
        if self._depth == 1:
            self._before = sys.gettrace()
            sys.settrace(self._called)
        return self

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        if self._depth == 0:
            sys.settrace(self._before)

    def units(self) -> tuple[str, ...]:
        """Return the units that took part as `module:unit digest`, sorted."""
        classes = {(base.__module__, base.__qualname__.partition(".")[0]) for base in self._classes}
        return self._scope.closed(frozenset(classes | self._scope.units(self._seen)))

    def _called(self, frame: FrameType, event: str, argument: Any) -> None:
        self._seen[id(frame.f_code)] = frame.f_code


class _Scope:
    """The modules that are counted, with what is known about them."""

    def __init__(self, packages: frozenset[str], without: frozenset[Path]) -> None:
        self._packages = packages
        self._without = {str(path.resolve()) for path in without}
        self._counted: dict[str, bool] = {}
        self._unit_of: dict[int, tuple[CodeType, tuple[str, str] | None]] = {}
        self._closed: dict[frozenset[tuple[str, str]], tuple[str, ...]] = {}
        self._clears: dict[ModuleType, list[Callable[[], object]]] = {}

    def counts(self, module: str) -> bool:
        """Return whether the code of a module is counted."""
        if module not in self._counted:
            file = getattr(sys.modules.get(module), "__file__", None)
            self._counted[module] = (
                module.partition(".")[0] in self._packages
                and not module.startswith(_UNCOUNTED)
                and file is not None
                and str(Path(file).resolve()) not in self._without
            )
        return self._counted[module]

    def units(self, seen: Mapping[int, CodeType]) -> set[tuple[str, str]]:
        """Return the units that contain code objects, which are given by their identity."""
        if unknown := seen.keys() - self._unit_of.keys():
            modules = {getattr(module, "__file__", None): name for name, module in list(sys.modules.items())}
            for identity in unknown:
                code = seen[identity]
                module = modules.get(code.co_filename)
                counted = module is not None and self.counts(module)
                self._unit_of[identity] = code, (module, _unit_of(module, code)) if module and counted else None
        return {unit for identity in seen if (unit := self._unit_of[identity][1]) is not None}

    def closed(self, ran: frozenset[tuple[str, str]]) -> tuple[str, ...]:
        """Return units, with everything that they refer to, as `module:unit digest`, sorted."""
        if ran not in self._closed:
            names = sorted(f"{module}:{name}" for module, name in _closed(ran, self.counts))
            self._closed[ran] = tuple(f"{name} {unit_digest(name)}" for name in names)
        return self._closed[ran]

    def clear_caches(self) -> None:
        """Clear function caches, so that a function runs although another trace has seen it."""
        for name, module in list(sys.modules.items()):
            if (name.startswith("fairground.verify") or not name.startswith(_OURS + ".")) and self.counts(name):
                if module not in self._clears:
                    self._clears[module] = list(_cache_clears(module))
                for clear in self._clears[module]:
                    clear()


@lru_cache(maxsize=64)
def _scope(packages: frozenset[str], without: frozenset[Path]) -> _Scope:
    return _Scope(packages, without)


def changed_units(units: Iterable[str]) -> list[str]:
    """Return the names of units, as listed by `Trace.units`, whose code is another now."""
    entries = (entry.rpartition(" ") for entry in units)
    return [name for name, _, digest in entries if not name.startswith(_UNCOUNTED) and unit_digest(name) != digest]


def unit_digest(name: str) -> str:
    """Return the digest of the current code of a unit."""
    module, _, unit = name.partition(":")
    return _digests_of(module).get(unit, _GONE)


def _closed(ran: frozenset[tuple[str, str]], counts: Callable[[str], bool]) -> set[tuple[str, str]]:
    """Return units with everything that they refer to.

    Functions count only if they ran; those that constants and class bodies refer to ran when their module was imported.
    """
    closed: set[tuple[str, str]] = set()
    waiting = [(module, name, False) for module, name in ran]
    done: set[tuple[str, str, bool]] = set()
    while waiting:
        entry = waiting.pop()
        module, name, _ = entry
        unit = _units_of(module).get(name)
        if unit is None or entry in done or not counts(module):
            continue
        done.add(entry)
        if unit.imports is None or unit.imports[0] not in _WORDS:
            closed.add((module, name))
        waiting += _referred(*entry, unit)
    return closed


def _referred(module: str, name: str, imported: bool, unit: Unit) -> Iterator[tuple[str, str, bool]]:
    units = _units_of(module)
    yield module, BODY, False
    if unit.kind == "import":
        target = _imported(module, unit)
        if target is not None and (imported or _kind_of(*target) != "function"):
            yield (*target, imported)
        return
    above = name.rpartition(".")[0]
    if above in units:
        yield module, above, imported
    if unit.kind == "class":
        for method, inside in units.items():
            owner, _, last = method.rpartition(".")
            if owner == name and (inside.lasting or (imported and last in _RUN_AT_IMPORT)):
                yield module, method, imported
    runs = imported or unit.kind != "function"
    for first, _, attribute in (read.partition(".") for read in unit.names):
        if first not in units:
            continue
        whole = _whole_module(module, units[first])
        if not attribute and (runs or units[first].kind != "function"):
            yield module, first, runs
        elif attribute and whole is not None:  # `from a import b`, then `b.name`
            yield module, first, runs
            if attribute in (there := _units_of(whole)) and (runs or there[attribute].kind != "function"):
                yield whole, attribute, runs


def _whole_module(module: str, unit: Unit) -> str | None:
    """Return the module that an import binds to a name; None if it binds something else."""
    target = _imported(module, unit) if unit.imports else None
    return target[0] if target is not None and target[1] == BODY else None


def _imported(module: str, unit: Unit) -> tuple[str, str] | None:
    """Return the unit that an import refers to; the body of a module for a whole module. None if it is not known."""
    assert unit.imports is not None
    source, name = unit.imports
    if source.startswith("."):
        package = getattr(sys.modules.get(module), "__package__", None) or ""
        try:
            source = importlib.util.resolve_name(source, package)
        except ImportError:
            return None
    if name and f"{source}.{name}" in sys.modules:
        source, name = f"{source}.{name}", ""
    return source, name or BODY


def _kind_of(module: str, name: str) -> str:
    """Return the kind of a unit, looking through imports."""
    for _ in range(10):
        unit = _units_of(module).get(name)
        if unit is None:
            return ""
        if unit.kind != "import":
            return unit.kind
        target = _imported(module, unit)
        if target is None:
            return ""
        module, name = target
    return ""


def _unit_of(module: str, code: CodeType) -> str:
    """Return the name of the unit that contains a code object."""
    name = code.co_qualname.partition(".<locals>")[0]
    units = _units_of(module)
    while name and name not in units:
        name = name.rpartition(".")[0]
    return name or BODY


def _units_of(module: str) -> Mapping[str, Unit]:
    return code_units(_source(module))


def _digests_of(module: str) -> Mapping[str, str]:
    return _digests(_source(module))


@lru_cache(maxsize=2048)
def _digests(source: bytes) -> Mapping[str, str]:
    digests: Mapping[str, str] = remembered("units", source, _unit_digests)
    return digests


def _unit_digests(source: bytes) -> dict[str, str]:
    return {name: unit.digest for name, unit in code_units(source).items()}


def _source(module: str) -> bytes:
    """Return the source of a module; empty if it has none."""
    file = getattr(sys.modules.get(module), "__file__", None)
    if file is None:
        with contextlib.suppress(ImportError, ValueError):
            spec = importlib.util.find_spec(module)
            file = spec.origin if spec else None
    if file is None or not file.endswith(".py"):
        return b""
    try:
        info = Path(file).stat()
        return _read(file, info.st_mtime_ns, info.st_size)
    except OSError:
        return b""


@lru_cache(maxsize=2048)
def _read(file: str, _modified: int, _size: int) -> bytes:
    return Path(file).read_bytes()


def _cache_clears(module: ModuleType) -> Iterator[Any]:
    for value in list(vars(module).values()):
        if callable(clear := getattr(value, "cache_clear", None)):
            yield clear
        elif isinstance(value, type) and value.__module__ == module.__name__:
            for inner in vars(value).values():
                if callable(clear := getattr(inner, "cache_clear", None)):
                    yield clear
