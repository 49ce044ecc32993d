"""Tasks about files: which of them may change, and what must be true of them when the attempt is over."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Sequence
from fnmatch import fnmatchcase
from typing import Any, ClassVar

from fairground.core import Check, State
from fairground.verify import unchanged
from fairground.worlds import Command, Move, Press, Scenario, Tap, World


class DeskTask(Scenario):
    """A task whose result is in the user's files.

    Attributes:
        changes: Paths of files and folders that may change, appear or go, with `{parameters}`; `*` stands for any
            letters. Everything else in the app's folders must stay as it is, to the byte.
    """

    changes: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """The checks of this task; that nothing else changed is added to them.

        A `StateError` (a file that is missing or cannot be read any more) fails the attempt.
        """

    def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """The task's own checks, and the guard over all other files."""
        allowed = [path.format_map(world.parameters) for path in self.changes]
        return [*self.judge(world, before, after, answer), files_unchanged(before, after, allowed)]


def files_unchanged(before: State, after: State, allowed: Collection[str] = ()) -> Check:
    """A guard: no file or folder of the user's was added, removed or altered but those that match `allowed`."""
    one, other = _entries(before), _entries(after)
    passes = {path for path in (*one, *other) if any(fnmatchcase(path, pattern) for pattern in allowed)}
    return unchanged("no other file changed", one, other, allowed=passes)


def menu(*names: str) -> list[Move]:
    """Through menus to a command, by their names: `menu("Format", "Paragraph...")`."""
    return [Tap(name) for name in names]


def uno(name: str, **arguments: Any) -> Command:
    """A command of LibreOffice: `uno("InsertTable", Columns=3, Rows=2)`."""
    return Command(f".uno:{name}", arguments)


def save() -> Press:
    """Saves the document under its own name."""
    return Press("ctrl+s")


def _entries(state: State) -> dict[str, Any]:
    return {one["path"]: state.files.get(one["path"], one["kind"]) for one in state.get("files")}
