"""Sources of checklists: a file, or defaults for a task without one."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fairground.core import Check, Checklist, ChecklistItem, InvalidInput, parse_json
from fairground.verify.checks import plain

GUARDS = (
    ChecklistItem(
        name="done in the software itself",
        must="The task was worked on in the software that was open for it, by its own windows, menus and pages, and "
        "not around it: not by editing its files or settings elsewhere, in a terminal, or by tools for developers.",
        integrity=True,
    ),
    ChecklistItem(
        name="nothing beyond the task",
        must="Nothing that the task does not ask for was created, changed, sent or deleted.",
        integrity=True,
    ),
)
"""Guards that apply to every task."""

_MAX_FILE = 1 << 20
_MAX_EXPECTED = 500


def read_checklist(path: Path) -> Checklist:
    """Read a checklist from a `.toml` or `.json` file."""
    try:
        if path.stat().st_size > _MAX_FILE:
            raise InvalidInput(f"checklist {path} is larger than {_MAX_FILE >> 20} MB")
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InvalidInput(f"checklist {path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise InvalidInput(f"checklist {path} is not UTF-8: {error}") from None
    return Checklist.parse(_parsed(text, path), where=str(path))


def default_checklist(instruction: str, checks: Sequence[Check] = ()) -> Checklist:
    """Create a checklist for a task without one: an item per state check, or the instruction itself, and the guards.

    Of the checks, only names, expected values, weights and guards are used. Their results are not, so that a judge's
    agreement with them is independent.
    """
    items: list[ChecklistItem] = []
    facts = []
    for check in checks:
        name = check.name[:200]
        if any(item.name == name for item in items):
            continue
        items.append(ChecklistItem(name=name, weight=check.weight, integrity=check.integrity))
        if check.expected is not None and not check.integrity:
            facts.append(f"{name}: {json.dumps(plain(check.expected, _MAX_EXPECTED), ensure_ascii=False)}")
    if not any(item.share for item in items):
        items.insert(0, ChecklistItem(name="the task is done", must=f"This is done, all of it: {instruction[:1500]}"))
    named = {item.name for item in items}
    items = [*items[:90], *(guard for guard in GUARDS if guard.name not in named)]
    return Checklist(items=tuple(items), privileged="\n".join(facts)[:20_000])


def _parsed(text: str, path: Path) -> Any:
    if path.suffix == ".json":
        return parse_json(text, where=str(path))
    if path.suffix != ".toml":
        raise InvalidInput(f"checklist {path} is a {path.suffix or 'nameless'} file", fix="write it as .toml or .json")
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InvalidInput(f"checklist {path} is not valid TOML: {error}") from None
