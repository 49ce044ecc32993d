"""Shared options and printing: text and tables for people, one JSON value for programs."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape
from rich.text import Text

from fairground.core.damage import noticed

console = Console(emoji=False)
errors = Console(stderr=True, emoji=False)

AGENTS = (
    "Built in: do-nothing, random, oracle, script:FILE, program:COMMAND, replay:RUN. Your own: FILE.py:CLASS or "
    "MODULE:CLASS. Models: anthropic:MODEL, openai:MODEL, gemini:MODEL, compatible:MODEL@URL."
)
WORLD = (
    "A world: SUITE/APP, optionally with /SCENARIO/INSTANCE and @PROFILE/THEME/UI_STATE. Or a folder with a world.toml."
)
AgentName = Annotated[str, typer.Option("--agent", metavar="AGENT", help=f"The agent. {AGENTS}")]
WorldName = Annotated[str, typer.Argument(metavar="WORLD", help=WORLD)]
EpisodeFolder = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="FOLDER",
        help="Folder for the episode; must be empty or absent. [default: a new one in episodes/]",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON value instead of text.")]
Runner = Annotated[
    str | None,
    typer.Option(
        metavar="RUNNER",
        help="Sandbox runner: namespace, bare, or one that a package adds. "
        "[default: namespace where the machine allows it, else bare]",
    ),
]
Observe = Annotated[
    str,
    typer.Option(
        metavar="NAMES",
        help="What the agent observes, separated by commas: screen, cursor, tree, windows. "
        "[default: what the agent asks for]",
    ),
]
Seed = Annotated[int, typer.Option(help="Random seed of the world and the agent.")]


_WORD = re.compile(r"(?:\d[\d,.]* (?=[a-z]))?\S+\s*")  # a number stays with its noun: `6 episodes`
_CONTROL_CATEGORIES = ("Cc", "Cs", "Zl", "Zp")
_DIRECTION_MARKS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def clean(text: str) -> str:
    """Escapes control characters and text direction marks, so that text cannot control the terminal."""
    return "".join(
        letter.encode("unicode_escape").decode()
        if unicodedata.category(letter) in _CONTROL_CATEGORIES or letter in _DIRECTION_MARKS
        else letter
        for letter in text
    )


def listed(text: str) -> tuple[str, ...]:
    """Splits the value of an option that takes a comma-separated list."""
    return tuple(part.strip() for part in text.split(",") if part.strip())


def home_of(agents: Iterable[str]) -> str:
    """Returns the folder in which workers look for Python agents: the current one, or "" without such agents."""
    from fairground.agents import is_python_agent  # not needed for help texts

    return str(Path.cwd()) if any(map(is_python_agent, agents)) else ""


def print_entry(label: str, text: str, *, indent: int = 7, to: Console = console) -> None:
    """Prints a text after a label, wrapped with a hanging indent. A word is never broken, even if it does not fit.

    Args:
        label: Rich markup, shorter than the indent. With "", the first line starts at column 0.
        text: Rich markup.
        indent: Column of the text and of its continuation lines.
        to: Where it is printed.
    """
    head = Text.from_markup(label, emoji=False)
    head.pad_right(indent - head.cell_len if label else 0)
    body = Text.from_markup(text, emoji=False)
    for place, line in enumerate(body.divide(_line_starts(body.plain, max(20, to.width - indent)))):
        line.rstrip()
        to.print(head + line if place == 0 else Text(" " * indent) + line, highlight=False, soft_wrap=True)


def _line_starts(text: str, width: int) -> list[int]:
    """Returns where lines after the first begin. Rich's own wrapping breaks words that do not fit."""
    starts, used = [], 0
    for word in _WORD.finditer(text):
        if used and used + cell_len(word[0].rstrip()) > width:
            starts.append(word.start())
            used = 0
        used += cell_len(word[0])
    return starts


def print_command(about: str, *commands: str, to: Console = console) -> None:
    """Prints what commands do, and below it each command alone on an unbroken line, so that it can be copied."""
    lines = (f"{about}:", *(f"  {command}" for command in commands))
    to.print("\n".join(escape(clean(line)) for line in lines), highlight=False, soft_wrap=True)


def print_json(value: Any) -> None:
    """Prints one JSON value to standard output. Adds damaged episodes to an object under the key `damaged`."""
    if isinstance(value, dict) and (damaged := noticed()):
        value = {**value, "damaged": [episode.plain() for episode in damaged]}
    print(json.dumps(value, ensure_ascii=False, indent=2, default=str), flush=True)
