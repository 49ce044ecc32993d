"""What commands print: tables and words for people, one JSON value for programs."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer
from rich.console import Console

console = Console()
errors = Console(stderr=True)

Json = Annotated[bool, typer.Option("--json", help="Print one JSON value instead of words.")]
Runner = Annotated[str | None, typer.Option(help="namespace, bare, or one that a package adds.")]
Seed = Annotated[int, typer.Option(help="For whatever is random in world and agent.")]


def print_json(value: Any) -> None:
    """One JSON value on standard output, and nothing else."""
    print(json.dumps(value, ensure_ascii=False, indent=2, default=str))
