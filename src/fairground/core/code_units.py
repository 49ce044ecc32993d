"""Digests of the parts of a Python module: functions, methods, classes, constants and imports.

With them, something that depends on three functions of a module stays valid when a fourth one changes. As in `digest`,
comments, docstrings, formatting and names of local variables have no effect.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from fairground.core.digest import canonical

BODY = "<module>"
"""Name of the unit of all top-level statements that define no name: loops, conditions, calls."""

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Unit:
    """A part of a module.

    Attributes:
        kind: `function`, `class`, `value` or `import`.
        digest: Digest of its code.
        names: Names that its code reads, and attributes of names as `name.attribute`. Local names are included.
        imports: For an import, the module and the name in it; the name is empty for a whole module. Relative imports
            begin with dots.
        lasting: For a method, whether its result is stored in the object (`cached_property`).
    """

    kind: str
    digest: str
    names: frozenset[str]
    imports: tuple[str, str] | None = None
    lasting: bool = False


@lru_cache(maxsize=1024)
def code_units(source: bytes) -> Mapping[str, Unit]:
    """Return the units of a module by name: `function`, `Class`, `Class.method`, `CONSTANT`. Empty if it is invalid."""
    try:
        module = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return {}
    parts: dict[str, list[tuple[str, ast.AST]]] = {}
    units: dict[str, Unit] = {}
    for statement in module.body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            units.update(_imports(statement))
        elif not _is_type_checking(statement):
            for name, kind, node in _split(statement):
                parts.setdefault(name, []).append((kind, node))
    for name, nodes in parts.items():
        units[name] = _unit([kind for kind, _ in nodes], [node for _, node in nodes])
    return units


def _split(statement: ast.stmt) -> Iterator[tuple[str, str, ast.AST]]:
    if isinstance(statement, _FUNCTIONS):
        yield statement.name, "function", statement
    elif isinstance(statement, ast.ClassDef):
        methods = [entry for entry in statement.body if isinstance(entry, _FUNCTIONS)]
        # Only the names of its methods: a new one may override another.
        named = [ast.Global(names=sorted({method.name for method in methods}))] if methods else []
        rest = [entry for entry in statement.body if not isinstance(entry, _FUNCTIONS)]
        fields = {name: value for name, value in ast.iter_fields(statement) if name != "body"}
        yield statement.name, "class", ast.ClassDef(**fields, body=[*rest, *named])
        for method in methods:
            yield f"{statement.name}.{method.name}", "function", method
    elif names := list(_assigned(statement)):
        for name in names:
            yield name, "value", statement
    elif not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)):  # a docstring
        yield BODY, "value", statement
        for name in _bound_inside(statement):
            yield name, "value", statement


def _assigned(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, ast.Assign):
        targets: Iterable[ast.AST] = statement.targets
    elif isinstance(statement, ast.AnnAssign | ast.AugAssign):
        targets = [statement.target]
    else:
        return
    for target in targets:
        yield from (node.id for node in ast.walk(target) if isinstance(node, ast.Name))


def _bound_inside(statement: ast.stmt) -> Iterator[str]:
    """Names that a compound statement defines, such as an import that may fail."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from ((alias.asname or alias.name).partition(".")[0] for alias in node.names)
        elif isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            yield node.name


def _imports(statement: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, Unit]]:
    for alias in statement.names:
        if isinstance(statement, ast.ImportFrom):
            source = ("." * statement.level + (statement.module or ""), alias.name)
            bound = alias.asname or alias.name
        else:
            source = (alias.name if alias.asname else alias.name.partition(".")[0], "")
            bound = alias.asname or source[0]
        yield bound, Unit("import", _hash(source), frozenset(), source)


def _unit(kinds: list[str], nodes: list[ast.AST]) -> Unit:
    names = frozenset(name for node in nodes for name in _names(node))
    lasting = any("cached_property" in name for node in nodes for name in _decorators(node))
    return Unit(kinds[-1], _hash([canonical(node) for node in nodes]), names, lasting=lasting)


def _names(node: ast.AST) -> Iterator[str]:
    """Names that code reads when it runs. Annotations are not evaluated."""
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        yield f"{node.value.id}.{node.attr}"
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _names(child)


def _decorators(node: ast.AST) -> Iterator[str]:
    for decorator in getattr(node, "decorator_list", ()):
        yield from _names(decorator)


def _is_type_checking(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.If) and "TYPE_CHECKING" in set(_names(statement.test))


def _hash(value: object) -> str:
    return hashlib.blake2b(repr(value).encode(errors="surrogatepass"), digest_size=6).hexdigest()
