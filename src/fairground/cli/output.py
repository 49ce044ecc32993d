"""Shared options and printing: text and tables for people, one JSON value for programs."""

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


def print_json(value: Any) -> None:
    """Prints one JSON value to standard output. Adds damaged episodes to an object under the key `damaged`."""
    if isinstance(value, dict) and (damaged := noticed()):
        value = {**value, "damaged": [episode.plain() for episode in damaged]}
    print(json.dumps(value, ensure_ascii=False, indent=2, default=str), flush=True)
