"""Near misses of databases: a value changed, a row removed or duplicated."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress

from fairground.prove.edits_text import in_turn
from fairground.prove.edits_values import near_leaf

_ROWS = 2_000  # maximum number of rows read per table
_STEPS = 1_000_000  # maximum number of SQLite virtual machine steps: a database may have triggers that never end

_Place = tuple[str, int]  # table and rowid
_Row = tuple[object, ...]


def edit_database(content: bytes, before: bytes | None, draw: random.Random) -> Iterator[tuple[str, bytes]]:
    """Yield edits of new rows, alternating with some of old rows. Yields nothing for an unreadable file."""
    try:
        rows = _rows(content)
        was = _rows(before) if before is not None else {}
    except sqlite3.Error:
        return
    new = [place for place, row in rows.items() if was.get(place) != row]
    old = [place for place, row in rows.items() if was.get(place) == row]
    draw.shuffle(new)
    draw.shuffle(old)
    for place in in_turn(new, old):
        for name, sql, values in _edits(content, place, was.get(place), draw):
            with suppress(sqlite3.Error), closing(_opened(content)) as db:  # a constraint may forbid it
                db.execute(sql, values)
                db.commit()
                yield name, db.serialize()


def _edits(
    content: bytes, place: _Place, was: _Row | None, draw: random.Random
) -> Iterator[tuple[str, str, tuple[object, ...]]]:
    table, rowid = place
    quoted = _quoted(table)
    with closing(_opened(content)) as db:
        cursor = db.execute(f"SELECT * FROM {quoted} WHERE rowid = ?", (rowid,))
        names = [column[0] for column in cursor.description]
        row = cursor.fetchone()
        # The key identifies the row; changing it would remove the row and add another.
        keys = {line[1] for line in db.execute(f"PRAGMA table_info({quoted})") if line[5]}
    columns = [at for at, name in enumerate(names) if name not in keys]
    draw.shuffle(columns)
    changed = [at for at in columns if was is None or len(was) != len(row) or was[at] != row[at]]
    for at in [*changed, *(at for at in columns if at not in changed)][:3]:
        for value in list(near_leaf(row[at], draw))[:1]:
            sql = f"UPDATE {quoted} SET {_quoted(names[at])} = ? WHERE rowid = ?"
            yield f"{table}[{rowid}].{names[at]} changed", sql, (value, rowid)
    yield f"{table}[{rowid}] gone", f"DELETE FROM {quoted} WHERE rowid = ?", (rowid,)
    others = ", ".join(_quoted(names[at]) for at in sorted(columns))
    if others:
        sql = f"INSERT INTO {quoted} ({others}) SELECT {others} FROM {quoted} WHERE rowid = ?"
        yield f"{table}[{rowid}] twice", sql, (rowid,)


def _rows(content: bytes) -> dict[_Place, _Row]:
    rows: dict[_Place, _Row] = {}
    with closing(_opened(content)) as db:
        tables = db.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        for (table,) in sorted(tables.fetchall()):
            with suppress(sqlite3.Error):  # a virtual table whose module is missing, or a table without row IDs
                for row in db.execute(f"SELECT rowid, * FROM {_quoted(table)} ORDER BY rowid LIMIT {_ROWS}"):
                    rows[table, row[0]] = row[1:]
    return rows


def _opened(content: bytes) -> sqlite3.Connection:
    db = sqlite3.connect(":memory:")
    try:
        # Clears the write-ahead log flag in the header, which an in-memory copy does not support.
        db.deserialize(content[:18] + b"\x01\x01" + content[20:])
        db.execute("PRAGMA trusted_schema = OFF")
        db.set_progress_handler(lambda: 1, _STEPS)
    except BaseException:
        db.close()
        raise
    return db


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
