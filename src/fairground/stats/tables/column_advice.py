"""What others call our columns, and how to say so in a message."""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Iterable, Sequence

from fairground.stats.tables.table import NAMES, NUMBERS

ALIASES = {
    "agent": ("model", "policy", "system"),
    "condition": ("setting", "variant"),
    "app": ("domain", "application", "environment", "category"),
    "scenario": ("task", "task_id", "task_name", "task_template", "goal", "example_id"),
    "instance": ("seed", "params", "instance_id"),
    "rollout": ("trial", "attempt", "run", "repeat"),
    "success": ("passed", "correct", "is_successful", "solved"),
    "reward": ("score", "result"),
    "seconds": ("time", "duration", "elapsed"),
    "cost": ("usd", "price"),
}
"""What others call our columns. Only for advice: a column is never guessed."""

KNOWN = frozenset((*NAMES, *NUMBERS, "outcome", "success"))
"""Every column that means something here."""


def lookalikes(name: str, columns: Sequence[str]) -> list[str]:
    """Columns that may be what we call `name`, the likeliest first."""
    lower = {column.lower(): column for column in reversed(columns)}
    near = [lower[alias] for alias in (name, *ALIASES.get(name, ())) if alias in lower]
    near += [lower[one] for one in difflib.get_close_matches(name, list(lower), cutoff=0.8)]
    return [column for column in dict.fromkeys(near) if column not in KNOWN]


def renames(pairs: Sequence[tuple[str, str]]) -> str:
    """How to say that their columns are ours, on the command line and in Python."""
    words = " ".join(f"--rename {_quoted(f'{theirs}={ours}')}" for theirs, ours in pairs)
    return f"{words} (in Python: rename={dict(pairs)!r})"


def listed(columns: Iterable[str]) -> str:
    """Names of columns, as a person can read them whatever they hold."""
    shown = [name if name.isprintable() and name == name.strip() != "" else repr(name) for name in map(short, columns)]
    more = f", and {len(shown) - 30} more" if len(shown) > 30 else ""
    return ", ".join(shown[:30]) + more or "no columns"


def short(text: str) -> str:
    """The beginning of a text, where it is long."""
    return text if len(text) <= 60 else text[:57] + "..."


def _quoted(text: str) -> str:
    return shlex.quote(text) if text.isprintable() else repr(text)
