"""The database of the notes app: SQLite in the host's memory. The agent can reach it only through the pages."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

NOW: Final = datetime(2025, 3, 14, 9, 30)
"""The app's time at the start of an episode. It is fixed, so that a configuration always shows the same dates."""

TITLE_LENGTH: Final = 120
BODY_LENGTH: Final = 20_000
LABEL_LENGTH: Final = 30
NOTES: Final = 2_000
"""Maximum number of notes: more than a person writes, and few enough for the memory."""

SORTS: Final = {
    "newest": "Last edited first",
    "oldest": "Oldest edit first",
    "title": "Title, A to Z",
}

_SCHEMA: Final = """
CREATE TABLE notes (
    id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL, body TEXT NOT NULL, created TEXT NOT NULL,
    modified TEXT NOT NULL, pinned INTEGER NOT NULL DEFAULT 0, trashed TEXT
);
CREATE TABLE labels (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE COLLATE NOCASE);
CREATE TABLE note_labels (
    note INTEGER NOT NULL REFERENCES notes ON DELETE CASCADE, label INTEGER NOT NULL REFERENCES labels,
    PRIMARY KEY (note, label)
);
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
"""


@dataclass(frozen=True)
class Note:
    """A note. `trashed` is when it was moved to the trash, or None. Labels are in the app's order."""

    title: str
    body: str
    created: datetime
    modified: datetime
    pinned: bool = False
    trashed: datetime | None = None
    labels: tuple[str, ...] = ()
    id: int = field(default=0)


class Store:
    """All data of the app. Only one thread may use it at a time; the server ensures that.

    Args:
        owner: The phone's owner.
        labels: The labels, in display order.
        notes: The notes, by id.
        theme: The initial theme.
    """

    def __init__(self, owner: str, labels: Sequence[str], notes: Iterable[Note], theme: str) -> None:
        self._database = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
        self._database.executescript(_SCHEMA)
        self._database.execute("PRAGMA foreign_keys = ON")
        self._clock = NOW
        self._database.executemany("INSERT INTO labels (name) VALUES (?)", [(label,) for label in labels])
        for name, value in (("owner", owner), ("theme", theme), ("sort", "newest")):
            self._database.execute("INSERT INTO settings VALUES (?, ?)", (name, value))
        for note in notes:
            self._insert(note)

    def copy(self) -> tuple[bytes, datetime]:
        """The database and the clock, for `paste` of another store."""
        return self._database.serialize(), self._clock

    def paste(self, content: bytes, clock: datetime) -> None:
        """Replaces all data."""
        self._database.deserialize(content)
        self._clock = clock

    def close(self) -> None:
        self._database.close()

    def notes(self) -> list[Note]:
        """All notes by id, including those in the trash."""
        labels: dict[int, list[str]] = {}
        for note, name in self._database.execute(
            "SELECT note, name FROM note_labels JOIN labels ON labels.id = label ORDER BY labels.id"
        ):
            labels.setdefault(note, []).append(name)
        columns = "id, title, body, created, modified, pinned, trashed"
        rows = self._database.execute(f"SELECT {columns} FROM notes ORDER BY id")
        return [
            Note(
                title, body, datetime.fromisoformat(created), datetime.fromisoformat(modified), bool(pinned),
                datetime.fromisoformat(trashed) if trashed else None, tuple(labels.get(number, ())), number,
            )
            for number, title, body, created, modified, pinned, trashed in rows
        ]  # fmt: skip

    def note(self, number: int) -> Note | None:
        """The note with this id, or None."""
        return next((note for note in self.notes() if note.id == number), None)

    def labels(self) -> list[str]:
        """The names of all labels, in their order."""
        return [name for (name,) in self._database.execute("SELECT name FROM labels ORDER BY id")]

    def setting(self, name: str) -> str:
        """A setting: `owner`, `theme` or `sort`."""
        (value,) = self._database.execute("SELECT value FROM settings WHERE name = ?", (name,)).fetchone()
        return str(value)

    def set(self, name: str, value: str) -> None:
        self._database.execute("UPDATE settings SET value = ? WHERE name = ?", (value, name))

    def add(self, title: str, body: str, labels: Iterable[str]) -> int:
        """Writes a new note; returns its id."""
        now = self._tick()
        return self._insert(Note(title, body, now, now, labels=tuple(labels)))

    def edit(self, number: int, title: str, body: str, labels: Iterable[str]) -> None:
        """Changes a note. Its modification date changes only with its text, not with its labels."""
        self._database.execute(
            "UPDATE notes SET title = ?1, body = ?2, modified = ?3 WHERE id = ?4 AND (title, body) != (?1, ?2)",
            (title, body, self._tick().isoformat(), number),
        )
        self._database.execute("DELETE FROM note_labels WHERE note = ?", (number,))
        self._attach(number, labels)

    def pin(self, number: int, pinned: bool) -> None:
        self._database.execute("UPDATE notes SET pinned = ? WHERE id = ?", (pinned, number))

    def trash(self, number: int) -> None:
        """Moves a note to the trash. It keeps all its data, so that restoring it leaves no trace."""
        self._database.execute("UPDATE notes SET trashed = ? WHERE id = ?", (self._tick().isoformat(), number))

    def restore(self, number: int) -> None:
        """Takes a note out of the trash."""
        self._database.execute("UPDATE notes SET trashed = NULL WHERE id = ?", (number,))

    def delete(self, numbers: Iterable[int]) -> None:
        """Deletes notes permanently; only notes in the trash can be deleted."""
        wanted = [(number,) for number in numbers]
        self._database.executemany("DELETE FROM notes WHERE id = ? AND trashed IS NOT NULL", wanted)

    def dump(self) -> dict[str, Any]:
        """Everything as plain JSON data: what an episode records."""
        notes = [
            {
                "id": note.id,
                "title": note.title,
                "body": note.body,
                "created": note.created.isoformat(),
                "modified": note.modified.isoformat(),
                "pinned": note.pinned,
                "trashed": note.trashed.isoformat() if note.trashed else None,
                "labels": list(note.labels),
            }
            for note in self.notes()
        ]
        settings = {name: self.setting(name) for name in ("owner", "theme", "sort")}
        return {"notes": notes, "labels": self.labels(), "settings": settings}

    def _insert(self, note: Note) -> int:
        trashed = note.trashed.isoformat() if note.trashed else None
        row = (note.title, note.body, note.created.isoformat(), note.modified.isoformat(), note.pinned, trashed)
        sql = "INSERT INTO notes (title, body, created, modified, pinned, trashed) VALUES (?, ?, ?, ?, ?, ?)"
        number = self._database.execute(sql, row).lastrowid
        assert number is not None
        self._attach(number, note.labels)
        return number

    def _attach(self, number: int, labels: Iterable[str]) -> None:
        for label in labels:
            self._database.execute("INSERT OR IGNORE INTO labels (name) VALUES (?)", (label,))
            self._database.execute(
                "INSERT OR IGNORE INTO note_labels SELECT ?, id FROM labels WHERE name = ?", (number, label)
            )

    def _tick(self) -> datetime:
        """The app's own clock: it advances one minute per change and ignores the machine's clock."""
        self._clock += timedelta(minutes=1)
        return self._clock
