"""Scenarios about files: which files may change, and what must be true of them at the end."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Sequence
from fnmatch import fnmatchcase
from typing import Any, ClassVar

from fairground.core import Check, State
from fairground.verify import unchanged
from fairground.worlds import Command, Move, Press, Scenario, Tap, World


class DeskTask(Scenario):
    """A scenario whose result is in the user's files.

    Attributes:
        changes: Paths of files and folders that may change, appear or be deleted, with `{parameters}`; `*` matches any
            characters. Everything else in the app's folders must stay the same, byte by byte.
    """

    changes: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """Return the checks of this task. `checks` adds the guard that nothing else changed.

        A `StateError` (a file is missing or cannot be read) fails the episode.
        """

    def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """Return the task's checks, and a guard over all other files."""
        allowed = [path.format_map(world.parameters) for path in self.changes]
        return [*self.judge(world, before, after, answer), files_unchanged(before, after, allowed)]


def files_unchanged(before: State, after: State, allowed: Collection[str] = ()) -> Check:
    """Guard that no file or folder was added, removed or changed, except for those that match `allowed`."""
    old, new = _entries(before), _entries(after)
    passes = {path for path in (*old, *new) if any(fnmatchcase(path, pattern) for pattern in allowed)}
    return unchanged("no other file changed", old, new, allowed=passes)


def menu(*names: str) -> list[Move]:
    """Choose a menu command by names: `menu("Format", "Paragraph...")`."""
    return [Tap(name) for name in names]


def uno(name: str, **arguments: Any) -> Command:
    """Carry out a command of LibreOffice: `uno("InsertTable", Columns=3, Rows=2)`."""
    return Command(f".uno:{name}", arguments)


def save() -> Press:
    """Save the document under its own name."""
    return Press("ctrl+s")


def _entries(state: State) -> dict[str, Any]:
    return {entry["path"]: state.files.get(entry["path"], entry["kind"]) for entry in state.get("files")}
