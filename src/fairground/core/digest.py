"""Digests of Python modules that change only if their behaviour may change.

Comments, docstrings, formatting and names of local variables do not affect the digest, so rewording a module does not
invalidate proofs that depend on it. The digest is the same on every supported Python version.
"""

from __future__ import annotations

import ast
import hashlib
import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_LEFT_OUT = ("ctx", "kind", "type_comment", "type_ignores")
_VARIABLE: dict[type[ast.AST], str] = {
    ast.Name: "id",
    ast.arg: "arg",
    ast.ExceptHandler: "name",
    ast.MatchAs: "name",
    ast.MatchStar: "name",
    ast.MatchMapping: "rest",
}
"""The field of a node that holds the name of a variable."""


@lru_cache(maxsize=2048)
def code_digest(source: bytes) -> str:
    """Return a digest of a module's code, or of its bytes if they are not valid Python."""
    try:
        code = repr(canonical(ast.parse(source))).encode(errors="surrogatepass")
    except (SyntaxError, ValueError, RecursionError):
        code = source
    return hashlib.blake2b(code, digest_size=16).hexdigest()


def canonical(node: ast.AST) -> Any:
    """Return a tree of code as nested tuples, without the parts that do not affect behaviour."""
    return _canonical(node, _Scope())


@dataclass(frozen=True)
class _Scope:
    """Names of variables in the digest: locals are numbered, all others keep their names."""

    names: dict[str, str] = field(default_factory=dict)
    numbers: Iterator[int] = field(default_factory=itertools.count)

    def with_locals(self, names: Iterable[str]) -> _Scope:
        numbered = {name: f"${next(self.numbers)}" for name in dict.fromkeys(names)}
        return _Scope(self.names | numbered, self.numbers)

    def without(self, names: Iterable[str]) -> _Scope:
        hidden = set(names)
        return _Scope({name: number for name, number in self.names.items() if name not in hidden}, self.numbers)


def _canonical(node: Any, scope: _Scope) -> Any:
    if isinstance(node, list):
        return tuple(_canonical(entry, scope) for entry in node)
    if not isinstance(node, ast.AST):
        return repr(node)
    if isinstance(node, _FUNCTIONS):
        return _function(node, scope)
    if isinstance(node, ast.Module):
        return _fields(node, scope, body=_code(node.body))
    if isinstance(node, ast.ClassDef):
        body = _code(node.body)
        return _fields(node, scope.without(_bound(body)), body=body)
    if isinstance(node, ast.Lambda):
        scope = scope.with_locals(_parameters(node.args))
    elif isinstance(node, _COMPREHENSIONS):
        scope = scope.with_locals(_bound([generator.target for generator in node.generators]))
    return _fields(node, scope)


def _function(node: ast.FunctionDef | ast.AsyncFunctionDef, scope: _Scope) -> Any:
    body = _code(node.body)
    parameters = _parameters(node.args)  # parameters keep their names, because callers may pass them by keyword
    outer = {name for inner in _own(body) if isinstance(inner, ast.Global | ast.Nonlocal) for name in inner.names}
    local = [name for name in _bound(body) if name not in outer and name not in parameters]
    around = scope.without(parameters)
    return (_fields(node, around, body=[]), _canonical(body, around.with_locals(local)))


def _fields(node: ast.AST, scope: _Scope, **replaced: Any) -> Any:
    parts: list[Any] = [type(node).__name__]
    for name, value in ast.iter_fields(node):
        value = replaced.get(name, value)
        if name in _LEFT_OUT or value is None or value == []:  # newer versions of Python add empty fields
            continue
        variable = name == _VARIABLE.get(type(node))
        parts.append((name, scope.names.get(value, value) if variable else _canonical(value, scope)))
    return tuple(parts)


def _code(body: list[ast.stmt]) -> list[ast.stmt]:
    """Drop statements without effect: docstrings, attribute docstrings, `pass` and `...`."""
    return [
        entry
        for entry in body
        if not isinstance(entry, ast.Pass)
        and not (
            isinstance(entry, ast.Expr)
            and isinstance(entry.value, ast.Constant)
            and (isinstance(entry.value.value, str) or entry.value.value is ...)
        )
    ]


def _parameters(arguments: ast.arguments) -> list[str]:
    single = [arguments.vararg, arguments.kwarg]
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *(entry for entry in single if entry)]
    return [parameter.arg for parameter in named]


def _bound(nodes: Iterable[ast.AST]) -> list[str]:
    """Variables bound by the nodes of one scope, in order."""
    bound = []
    for node in _own(nodes):
        name = getattr(node, _VARIABLE.get(type(node), ""), None)
        if name and not isinstance(getattr(node, "ctx", None), ast.Load):
            bound.append(name)
    return bound


def _own(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Nodes of one scope, in order. Comprehensions contribute only what they bind outside (`:=`)."""
    for node in nodes:
        yield node
        if isinstance(node, _COMPREHENSIONS):
            yield from (inner.target for inner in ast.walk(node) if isinstance(inner, ast.NamedExpr))
        elif not isinstance(node, (*_FUNCTIONS, ast.Lambda, ast.ClassDef)):
            yield from _own(ast.iter_child_nodes(node))
