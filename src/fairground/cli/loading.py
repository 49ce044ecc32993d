"""Lazy loading of commands: importing all of them takes seconds, so each is imported when it is used.

The list of commands imports none of them: it reads their summaries from their source code.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import Any

import typer
from typer.core import TyperGroup

# Used for options without a metavar of their own.
_METAVARS = {"str": "TEXT", "text": "TEXT", "path": "PATH", "file": "PATH", "directory": "PATH", "filename": "PATH"}
_METAVARS |= dict.fromkeys(("int", "integer", "float"), "N")
_TYPE = re.compile(r" (?:<([^<>]+)>|((?:INTEGER|FLOAT)(?: RANGE)?))$")
_RANGE = re.compile(r"(?:(-?[\d.]+)<=)?x([<>])=(-?[\d.]+)")


class Commands(TyperGroup):
    """The commands of a program, in groups for its help.

    Attributes:
        known: `module:attribute` below this package, by name of the command. Set on the class before Typer makes an
            instance.
        groups: The names of commands by title of the group.
    """

    known: Mapping[str, str] = {}
    groups: Mapping[str, Sequence[str]] = {}

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands: dict[str, Any] = dict.fromkeys(self.known)  # names to suggest after a typo

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Loads a command; returns None for an unknown name."""
        return load(cmd_name, self.known[cmd_name]) if cmd_name in self.known else None

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Writes each group of commands with their summaries, without loading a command."""
        width = max(map(len, self.known), default=0)  # of all groups, so that their summaries are aligned
        for title, names in self.groups.items():
            rows = [(name.ljust(width), _summary(self.known[name])) for name in names if name in self.known]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


@cache
def load(name: str, place: str) -> Any:
    """Imports a command and rewords its help. Cached per process."""
    module, _, attribute = place.partition(":")
    target = getattr(import_module(f"fairground.cli.{module}"), attribute)
    if not isinstance(target, typer.Typer):
        app = typer.Typer(add_completion=False, rich_markup_mode=None)
        app.command(name)(target)
        target = app
    command = typer.main.get_command(target)
    command.name = name
    _reword(command)
    return command


def _summary(place: str) -> str:
    """Returns the first sentence of a command's help, read from its source code."""
    module, _, attribute = place.partition(":")
    source = files("fairground.cli") / f"{module}.py"
    if not source.is_file():
        source = files("fairground.cli") / module / "__init__.py"
    texts: dict[str, str] = {}
    for node in ast.parse(source.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            texts[node.name] = ast.get_docstring(node) or ""
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            texts[node.targets[0].id] = _help_in(node.value, texts)
    return first_sentence(texts[attribute])


def _help_in(value: ast.expr, texts: Mapping[str, str]) -> str:
    """Returns a string constant, or the `help` of a `typer.Typer(...)` call, which may name a constant."""
    if isinstance(value, ast.Call):
        value = next((keyword.value for keyword in value.keywords if keyword.arg == "help"), value)
    if isinstance(value, ast.Name):
        return texts.get(value.id, "")
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else ""


def first_sentence(text: str) -> str:
    """Returns the first sentence of a help text, as one line."""
    paragraph = " ".join(text.strip().partition("\n\n")[0].split())
    sentence, dot, _ = paragraph.partition(". ")
    return sentence + dot.rstrip()


def _reword(command: Any) -> None:
    """Replaces Python types by metavars, and truncated summaries by whole sentences."""
    command.short_help = command.short_help or first_sentence(command.help or "")
    for parameter in command.params:
        _reword_parameter(parameter)
    for inner in getattr(command, "commands", {}).values():
        _reword(inner)


def _reword_parameter(parameter: Any) -> None:
    original = parameter.get_help_record
    name = (parameter.metavar or parameter.name.upper()).strip("[].")
    several = "..." if parameter.nargs != 1 else ""

    def record(ctx: Any) -> tuple[str, str] | None:
        columns = original(ctx)
        if columns is None:
            return None
        left = f"{name}{several}" if is_argument else _TYPE.sub(_metavar, columns[0])
        return left, _RANGE.sub(_range_in_words, columns[1])

    is_argument = parameter.param_type_name == "argument"
    parameter.get_help_record = record
    if is_argument:
        usage = f"{name if parameter.required else f'[{name}]'}{several}"
        parameter.get_usage_pieces = lambda ctx: [usage]


def _metavar(match: re.Match[str]) -> str:
    label = (match[1] or match[2]).removesuffix(" range").removesuffix(" RANGE")
    label = label.removeprefix("list[").removesuffix("]")
    return f" {_METAVARS.get(label.lower(), label)}"


def _range_in_words(match: re.Match[str]) -> str:
    low, sign, end = match.groups()
    return f"{low} to {end}" if low else f"at {'least' if sign == '>' else 'most'} {end}"
