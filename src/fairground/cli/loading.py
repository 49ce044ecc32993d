"""Commands, each loaded when it is asked for: importing them all takes seconds.

The list of all commands needs none of them: a summary is read from the command's source.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import Any

import typer
from typer.core import TyperGroup

_WORDS = {"str": "TEXT", "text": "TEXT", "path": "PATH", "file": "PATH", "directory": "PATH", "filename": "PATH"}
_WORDS |= dict.fromkeys(("int", "integer", "float"), "NUMBER")
_TYPE = re.compile(r" (?:<([^<>]+)>|((?:INTEGER|FLOAT)(?: RANGE)?))$")
_RANGE = re.compile(r"(?:(-?[\d.]+)<=)?x([<>])=(-?[\d.]+)")


class Commands(TyperGroup):
    """The commands of a program by name, where each is `module:attribute` below this package.

    Attributes:
        known: Set before the group is made, because Typer makes it.
    """

    known: Mapping[str, str] = {}

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands: dict[str, Any] = dict.fromkeys(self.known)  # their names are what typos are compared with

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Loads a command; None when there is none of this name."""
        return load(cmd_name, self.known[cmd_name]) if cmd_name in self.known else None

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Lists all with their summaries, and loads none."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, _summary(place)) for name, place in self.known.items()])


@cache
def load(name: str, place: str) -> Any:
    """A command, with help in plain words; made once per process."""
    module, _, attribute = place.partition(":")
    found = getattr(import_module(f"fairground.cli.{module}"), attribute)
    if not isinstance(found, typer.Typer):
        app = typer.Typer(add_completion=False, rich_markup_mode=None)
        app.command(name)(found)
        found = app
    command = typer.main.get_command(found)
    command.name = name
    _reword(command)
    return command


def _summary(place: str) -> str:
    """The first sentence of a command's help, from its source."""
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
    """A text, or the help of a group of commands: a text too, or the name of one."""
    if isinstance(value, ast.Call):
        value = next((one.value for one in value.keywords if one.arg == "help"), value)
    if isinstance(value, ast.Name):
        return texts.get(value.id, "")
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else ""


def first_sentence(text: str) -> str:
    """What a list of commands says of one: all of its first sentence."""
    paragraph = " ".join(text.strip().partition("\n\n")[0].split())
    sentence, dot, _ = paragraph.partition(". ")
    return sentence + dot.rstrip()


def _reword(command: Any) -> None:
    """Words in place of the types of Python, and whole sentences in place of beginnings."""
    command.short_help = command.short_help or first_sentence(command.help or "")
    for parameter in command.params:
        _reword_parameter(parameter)
    for inner in getattr(command, "commands", {}).values():
        _reword(inner)


def _reword_parameter(parameter: Any) -> None:
    told = parameter.get_help_record
    name = (parameter.metavar or parameter.name.upper()).strip("[].")
    several = "..." if parameter.nargs != 1 else ""

    def record(ctx: Any) -> tuple[str, str] | None:
        found = told(ctx)
        if found is None:
            return None
        left = f"{name}{several}" if is_argument else _TYPE.sub(_type_in_words, found[0])
        return left, _RANGE.sub(_range_in_words, found[1])

    is_argument = parameter.param_type_name == "argument"
    parameter.get_help_record = record
    if is_argument:
        usage = f"{name if parameter.required else f'[{name}]'}{several}"
        parameter.get_usage_pieces = lambda ctx: [usage]


def _type_in_words(found: re.Match[str]) -> str:
    label = (found[1] or found[2]).removesuffix(" range").removesuffix(" RANGE")
    label = label.removeprefix("list[").removesuffix("]")
    return f" {_WORDS.get(label.lower(), label)}"


def _range_in_words(found: re.Match[str]) -> str:
    low, sign, end = found.groups()
    return f"{low} to {end}" if low else f"at {'least' if sign == '>' else 'most'} {end}"
