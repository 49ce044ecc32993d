"""Recorded episodes that are not as they were written: what was found, and who is told.

Whatever reads a run through `RunStore.rows` or `ended_episodes` leaves damaged episodes out and calls `notice`. A
program that wants the list reads inside of `noticing()`, as the command line does for its exit status.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

_NAMED = 3  # damaged episodes that a note names


@dataclass(frozen=True)
class Damaged:
    """One episode that is not as it was recorded. It is neither passed nor failed nor errored.

    Attributes:
        home: The folder of its run, or the folder that was named.
        number: In the plan of its run; None outside of a run.
        folder: Of the episode, below `home`; "" where it is not known.
        problem: What was found and what was expected.
        fix: What to do about it, where it is not enough to run the episode again.
    """

    home: Path
    number: int | None
    folder: str
    problem: str
    fix: str = ""

    @property
    def name(self) -> str:
        """The episode's folder; where that is not known, the row of the index."""
        return str(self.home / self.folder) if self.folder else f"{self.home / 'run.sqlite'}, episode {self.number}"

    @property
    def advice(self) -> str:
        """What to do about it."""
        if self.fix:
            return self.fix
        if self.number is None:
            return "record the episode again, or restore the folder from a copy"
        return f"`fairground resume {self.home}` runs it again; or restore it from a copy"

    def plain(self) -> dict[str, object]:
        """As JSON has it."""
        return {
            "run": str(self.home),
            "number": self.number,
            "folder": self.folder,
            "problem": self.problem,
            "fix": self.advice,
        }


_noticed: ContextVar[dict[Damaged, None] | None] = ContextVar("noticed", default=None)


@contextmanager
def noticing() -> Iterator[dict[Damaged, None]]:
    """Collects what is noticed inside of the block, each once, in the order in which it was found."""
    found: dict[Damaged, None] = {}
    token = _noticed.set(found)
    try:
        yield found
    finally:
        _noticed.reset(token)


@contextmanager
def unnoticed() -> Iterator[None]:
    """Damage that is found inside of the block is nobody's concern, such as where estimates look at earlier runs."""
    token = _noticed.set(None)
    try:
        yield
    finally:
        _noticed.reset(token)


def notice(one: Damaged) -> None:
    """Tells the innermost `noticing()` block, if there is one."""
    found = _noticed.get()
    if found is not None:
        found[one] = None


def noticed() -> tuple[Damaged, ...]:
    """What the innermost `noticing()` block knows so far."""
    return tuple(_noticed.get() or ())


def damage_note(damaged: Sequence[Damaged]) -> str:
    """One sentence for tables and pages; it names the first episodes. Empty where nothing is damaged.

    Folders are named without the way to them: a page may be shown to others.
    """
    if not damaged:
        return ""
    places = [f"{one.home.name}/{one.folder or f'episode {one.number}'}" for one in damaged[:_NAMED]]
    named = "; ".join(f"{place}: {one.problem}" for place, one in zip(places, damaged, strict=False))
    more = f"; and {len(damaged) - _NAMED:,} more" if len(damaged) > _NAMED else ""
    count = "1 episode is" if len(damaged) == 1 else f"{len(damaged):,} episodes are"
    return f"{count} damaged and not counted: {named}{more}"
