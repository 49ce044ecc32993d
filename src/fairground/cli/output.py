"""What commands print: tables and words for people, one JSON value for programs."""

from __future__ import annotations

import json
import unicodedata
from typing import Annotated, Any

import typer
from rich.console import Console

console = Console()
errors = Console(stderr=True)

AGENTS = "do-nothing, random, oracle, script:FILE, program:COMMAND, replay:RUN, or a model: anthropic:MODEL, ..."
AgentName = Annotated[str, typer.Option("--agent", help=AGENTS)]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON value instead of words.")]
Runner = Annotated[str | None, typer.Option(help="namespace, bare, or one that a package adds.")]
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


def print_json(value: Any) -> None:
    """One JSON value on standard output, and nothing else."""
    print(json.dumps(value, ensure_ascii=False, indent=2, default=str), flush=True)
