"""What commands print: tables and words for people, one JSON value for programs."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from fairground.core.damage import noticed

console = Console(emoji=False)
errors = Console(stderr=True, emoji=False)

AGENTS = (
    "do-nothing, random, oracle, script:FILE, program:COMMAND, replay:RUN; "
    "a class of yours: FILE.py:CLASS, MODULE:CLASS; or a model: anthropic:MODEL, ..."
)
AgentName = Annotated[str, typer.Option("--agent", help=AGENTS)]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON value instead of words.")]
Runner = Annotated[str | None, typer.Option(help="namespace, bare, or one that a package adds.")]
Observe = Annotated[
    str,
    typer.Option(
        help="What the agent observes, with commas: screen, cursor, tree, windows. [default: what it asks for]"
    ),
]
Seed = Annotated[int, typer.Option(help="For whatever is random in world and agent.")]


_STEERING = ("Cc", "Cs", "Zl", "Zp")
_DIRECTIONS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def clean(text: str) -> str:
    """Text without what would steer a terminal: control characters and changes of direction are spelt out."""
    return "".join(
        letter.encode("unicode_escape").decode()
        if unicodedata.category(letter) in _STEERING or letter in _DIRECTIONS
        else letter
        for letter in text
    )


def listed(text: str) -> tuple[str, ...]:
    """The parts of an option that takes several, with commas."""
    return tuple(part.strip() for part in text.split(",") if part.strip())


def home_of(agents: Iterable[str]) -> str:
    """The folder that Python agents are to be looked for in, wherever workers are; empty where there are none."""
    from fairground.agents import is_python_agent  # not needed for help texts

    return str(Path.cwd()) if any(map(is_python_agent, agents)) else ""


def print_json(value: Any) -> None:
    """One JSON value on standard output, and nothing else; an object lists damaged episodes, where there are any."""
    if isinstance(value, dict) and (damaged := noticed()):
        value = {**value, "damaged": [one.plain() for one in damaged]}
    print(json.dumps(value, ensure_ascii=False, indent=2, default=str), flush=True)
