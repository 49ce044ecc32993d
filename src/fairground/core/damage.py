"""Damaged episodes: recordings that differ from what was written.

`RunStore.rows` and `ended_episodes` skip damaged episodes and report each with `notice`. To collect the reports, read
inside a `noticing()` block, as the command line does to set its exit status.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

_NAMED = 3  # damaged episodes that a note lists by name


@dataclass(frozen=True)
class Damaged:
    """An episode that differs from what was recorded. It is neither passed, failed nor errored.

    Attributes:
        home: Folder of the run, or the folder that the caller named.
        number: Number in the plan of the run; None outside a run.
        folder: Folder of the episode, relative to `home`; "" if unknown.
        problem: What was found and what was expected.
        fix: What to do, if running the episode again is not enough.
    """

    home: Path
    number: int | None
    folder: str
    problem: str
    fix: str = ""

    @property
    def name(self) -> str:
        """The episode's folder; if that is unknown, its row in the index."""
        return str(self.home / self.folder) if self.folder else f"{self.home / 'run.sqlite'}, episode {self.number}"

    @property
    def advice(self) -> str:
        """What to do: `fix`, or the default advice."""
        if self.fix:
            return self.fix
        if self.number is None:
            return "record the episode again, or restore the folder from a copy"
        return f"`fairground resume {self.home}` runs it again; or restore it from a copy"

    def plain(self) -> dict[str, object]:
        """Return the JSON form."""
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
    """Collect the damaged episodes reported inside the block, without duplicates, in order of discovery."""
    noted: dict[Damaged, None] = {}
    token = _noticed.set(noted)
    try:
        yield noted
    finally:
        _noticed.reset(token)


@contextmanager
def unnoticed() -> Iterator[None]:
    """Ignore damage reported inside the block, for example while estimates read earlier runs."""
    token = _noticed.set(None)
    try:
        yield
    finally:
        _noticed.reset(token)


def notice(one: Damaged) -> None:
    """Report to the innermost `noticing()` block, if there is one."""
    noted = _noticed.get()
    if noted is not None:
        noted[one] = None


def noticed() -> tuple[Damaged, ...]:
    """The damaged episodes reported to the innermost `noticing()` block so far."""
    return tuple(_noticed.get() or ())


def damage_note(damaged: Sequence[Damaged]) -> str:
    """Return one sentence for tables and pages that names the first damaged episodes; empty if there are none.

    Folders appear without their parent path, because a page may be public.
    """
    if not damaged:
        return ""
    places = [f"{episode.home.name}/{episode.folder or f'episode {episode.number}'}" for episode in damaged[:_NAMED]]
    named = "; ".join(f"{place}: {episode.problem}" for place, episode in zip(places, damaged, strict=False))
    more = f"; and {len(damaged) - _NAMED:,} more" if len(damaged) > _NAMED else ""
    count = "1 episode is" if len(damaged) == 1 else f"{len(damaged):,} episodes are"
    return f"{count} damaged and not counted: {named}{more}"
