"""Parse Python code of a model as calls with plain arguments. It is never executed.

Supported: consecutive calls, plain values, names assigned a plain value before, and arithmetic on numbers. Everything
else (loops, conditions, functions, other names) is rejected.
"""

from __future__ import annotations

import ast
import operator
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from fairground.agents.native.fields import number
from fairground.agents.native.limits import shown
from fairground.core import InvalidAction

MAX_STATEMENTS = 400
_MAX_DEPTH = 12  # maximum depth of an expression
_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
}


@dataclass(frozen=True)
class CodeCall:
    """One call: its dotted name, its unevaluated arguments, and its line for errors."""

    name: str
    positional: tuple[ast.expr, ...]
    named: tuple[tuple[str, ast.expr], ...]
    line: int


@dataclass
class Names:
    """The names assigned so far, with their values."""

    values: dict[str, Any] = field(default_factory=dict)

    def value(self, node: ast.expr, depth: int = 0) -> Any:
        """Return the plain value of an expression."""
        if depth > _MAX_DEPTH:
            raise InvalidAction(f"line {node.lineno}: an expression nested deeper than {_MAX_DEPTH} levels")
        match node:
            case ast.Constant(value=None | bool() | int() | float() | str() as value):
                return value
            case ast.Name(id=name) if name in self.values:
                return self.values[name]
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                return [self.value(part, depth + 1) for part in parts]
            case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=operand):
                operand_value = number(self.value(operand, depth + 1), f"line {node.lineno}")
                return -operand_value if isinstance(sign, ast.USub) else operand_value
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
                a, b = (number(self.value(part, depth + 1), f"line {node.lineno}") for part in (left, right))
                if b == 0 and isinstance(op, ast.Div | ast.FloorDiv):
                    raise InvalidAction(f"line {node.lineno}: a division by zero")
                return number(_ARITHMETIC[type(op)](a, b), f"line {node.lineno}")
        raise InvalidAction(
            f"line {node.lineno}: expected a plain value, found {_source(node)}",
            fix="write numbers and texts out; nothing is executed",
        )

    def assign(self, target: ast.expr, value: Any) -> None:
        """Assign values to names: `x = 1`, `x, y = 1, 2`."""
        match target:
            case ast.Name(id=name):
                self.values[name] = value
            case ast.Tuple(elts=parts) | ast.List(elts=parts) if isinstance(value, list) and len(parts) == len(value):
                for part, item in zip(parts, value, strict=True):
                    if not isinstance(part, ast.Name):
                        raise refused(target)
                    self.values[part.id] = item
            case _:
                raise refused(target)


def statements(code: str) -> list[ast.stmt]:
    """Return the statements of a program text."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about escapes such as \d, which do not matter here
            body = ast.parse(code).body
    except SyntaxError as error:
        raise InvalidAction(f"line {error.lineno or 1}: not valid Python: {error.msg}") from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise InvalidAction(f"not valid Python: {error or type(error).__name__}") from None
    if len(body) > MAX_STATEMENTS:
        raise InvalidAction(f"expected at most {MAX_STATEMENTS} statements, found {len(body)}")
    return body


def call_of(node: ast.expr) -> CodeCall:
    """Return an expression as a call of a dotted name."""
    if not isinstance(node, ast.Call):
        raise refused(node)
    named = []
    for keyword in node.keywords:
        if keyword.arg is None or any(isinstance(part, ast.Starred) for part in node.args):
            raise refused(node)
        named.append((keyword.arg, keyword.value))
    return CodeCall(_dotted(node.func), tuple(node.args), tuple(named), node.lineno)


def bind(call: CodeCall, parameters: Iterable[str], unread: Iterable[str], names: Names) -> dict[str, Any]:
    """Return the arguments of a call by name, including positional ones. Those in `unread` are left out."""
    known, skipped = tuple(parameters), set(unread)
    if len(call.positional) > len(known):
        raise InvalidAction(f"line {call.line}: {call.name} takes {len(known)} arguments, found {len(call.positional)}")
    given = [*zip(known, call.positional, strict=False), *call.named]
    bound: dict[str, Any] = {}
    for name, node in given:
        if name not in known:
            raise InvalidAction(
                f"line {call.line}: {call.name} has no argument {shown(name)}", fix=f"known: {', '.join(known)}"
            )
        if name in bound:
            raise InvalidAction(f"line {call.line}: {call.name} was given {name} twice")
        bound[name] = None if name in skipped else names.value(node)
    return {name: value for name, value in bound.items() if value is not None}


def _dotted(node: ast.expr) -> str:
    parts: list[str] = []
    while isinstance(node, ast.Attribute) and len(parts) < 4:
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        raise refused(node)
    return ".".join([node.id, *reversed(parts)])


def refused(node: ast.expr | ast.stmt) -> InvalidAction:
    """Return the error for unsupported code."""
    return InvalidAction(
        f"line {node.lineno}: expected a call such as pyautogui.click(x, y), found {_source(node)}",
        fix="write the calls one after the other; nothing else is read",
    )


def _source(node: ast.AST) -> str:
    """Describe a node in a word. Unparsing deep nodes could fail."""
    return type(node).__name__ + (f" ({node.id[:40]})" if isinstance(node, ast.Name) else "")
