"""The notes of a profile, built from its file. The result is the same on every machine."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from importlib.resources import files
from typing import Any, Final

from fairground_pocket.notes.store import NOW, Note

PROFILES: Final = ("student", "cafe", "parent")

SHARED_LABELS: Final = ("Health", "Ideas", "Money", "Recipes", "Travel")
"""Labels that every profile has, so that tasks about them make sense on each."""


@dataclass(frozen=True)
class Profile:
    """What a phone holds when the episode starts."""

    owner: str
    labels: tuple[str, ...]
    notes: tuple[Note, ...]


def read_profile(name: str) -> Profile:
    """Builds a profile from `profiles/NAME.toml`: written notes, and series such as one note per lecture."""
    data = tomllib.loads(files(__package__).joinpath(f"profiles/{name}.toml").read_text(encoding="utf-8"))
    # Only `random()` is used: Python guarantees that its sequence never changes.
    draw = random.Random(data["seed"]).random
    for entry in (*data["note"], *data["series"]):
        entry["labels"].sort(key=data["labels"].index)
    notes = [_written(entry, draw) for entry in data["note"]]
    notes += [note for entry in data["series"] for note in _series(entry, draw)]
    notes.sort(key=lambda note: note.created)
    return Profile(data["owner"], tuple(data["labels"]), tuple(notes))


def _written(entry: dict[str, Any], draw: Callable[[], float]) -> Note:
    modified = _moment(entry["days"], draw)
    before = timedelta(days=int(30 * draw()), minutes=int(600 * draw())) if draw() < 0.5 else timedelta()
    return Note(
        title=entry["title"],
        body=entry["body"],
        created=modified - before,
        modified=modified,
        pinned=entry.get("pinned", False),
        trashed=_moment(entry["trashed"], draw) if "trashed" in entry else None,
        labels=tuple(entry["labels"]),
    )


def _series(entry: dict[str, Any], draw: Callable[[], float]) -> Iterator[Note]:
    last = entry.get("last", entry["count"])
    for back in range(entry["count"]):
        moment = _moment(entry["newest"] + back * entry["every"], draw)
        title = entry["title"].format(n=last - back, day=f"{moment.day} {moment:%B}")
        left = list(entry["lines"])
        lines = [left.pop(int(draw() * len(left))) for _ in range(entry["pick"])]
        yield Note(title, "\n".join(lines), moment, moment, labels=tuple(entry["labels"]))


def _moment(days: int, draw: Callable[[], float]) -> datetime:
    """A minute of a past day between 07:00 and 23:00, or of today since 07:00."""
    minutes = int(draw() * (150 if days == 0 else 960))
    return datetime.combine(NOW.date() - timedelta(days=days), time(7)) + timedelta(minutes=minutes)
