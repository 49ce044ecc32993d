"""What differs between two databases, whatever their tables are like."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Sequence
from typing import Any

import pytest

from fairground.core import State
from fairground_pocket.kit.changes import Add, Allowance, Change, Comparison, Remove, touched

SCHEMA = """
CREATE TABLE chores (id INTEGER PRIMARY KEY, title TEXT, cost);
CREATE TABLE tags (chore INTEGER, tag TEXT, note TEXT, PRIMARY KEY (chore, tag)) WITHOUT ROWID;
CREATE TABLE links (one INTEGER, other INTEGER, PRIMARY KEY (one, other));
CREATE TABLE log (line TEXT);
"""
ROWS: dict[str, list[tuple[Any, ...]]] = {
    "chores": [(1, "Sweep", 3), (2, None, None), (3, "Sweep", 3)],
    "tags": [(1, "home", None), (1, "soon", ""), (2, "home", "x")],
    "links": [(1, 2), (2, 3)],
    "log": [("a",), ("a",), ("b",)],
}


def database(changes: str = "") -> bytes:
    with sqlite3.connect(":memory:") as db:
        db.executescript(SCHEMA)
        for table, rows in ROWS.items():
            db.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)
        db.executescript(changes)
    return db.serialize()


def differing(before: bytes, after: bytes) -> list[str]:
    path = "app.sqlite"
    comparison = Comparison("app", State(files={path: before}), State(files={path: after}), {})
    try:
        return [f"{table} {key}" for table, key, _, _ in comparison._differences("app", ())]
    finally:
        comparison.close()


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ("UPDATE chores SET title = 'Sweep' WHERE id = 2", ["chores (2,)"]),
        ("UPDATE chores SET cost = '3' WHERE id = 1", ["chores (1,)"]),
        ("UPDATE tags SET note = '' WHERE note IS NULL", ["tags (1, 'home')"]),
        ("DELETE FROM chores WHERE id = 1; INSERT INTO chores VALUES (4, 'Sweep', 3)", []),  # entered again
        ("DELETE FROM chores WHERE id = 1; INSERT INTO chores VALUES (4, 'Sweep', 9)", ["chores (1,)", "chores (4,)"]),
        ("UPDATE links SET other = 9 WHERE one = 1", ["links (1, 2)", "links (1, 9)"]),
        ("UPDATE log SET line = 'c' WHERE rowid = 1", ["log ('c',)"]),  # one of two that were alike
        ("INSERT INTO tags VALUES (9, 'new', NULL)", ["tags (9, 'new')"]),
        ("DELETE FROM log", ["log ('a',)", "log ('b',)"]),
        ("UPDATE chores SET cost = 3.0 WHERE id = 1; VACUUM", []),  # the same number
    ],
)
def test_every_row_that_differs_is_found_and_no_other(changes: str, found: list[str]) -> None:
    assert differing(database(), database(changes)) == found
    assert touched(database(), database(changes)) == bool(found)


def test_chance_finds_what_comparing_row_by_row_finds() -> None:
    draw = random.Random(7)
    for _ in range(30):
        changes = ";".join(
            draw.choice(
                [
                    f"UPDATE OR IGNORE chores SET title = '{draw.choice('abc')}' WHERE id = {draw.randint(1, 4)}",
                    f"DELETE FROM chores WHERE id = {draw.randint(1, 4)}",
                    f"INSERT OR IGNORE INTO chores VALUES ({draw.randint(1, 6)}, NULL, {draw.randint(1, 3)})",
                ]
            )
            for _ in range(draw.randint(1, 4))
        )
        before, after = database(), database(changes)
        one, other = ({row[0]: row for row in _chores(content)} for content in (before, after))
        assert differing(before, after) == [f"chores ({key},)" for key in sorted({*one, *other})
                                            if one.get(key) != other.get(key)]  # fmt: skip


def _chores(content: bytes) -> list[tuple[Any, ...]]:
    db = sqlite3.connect(":memory:")
    db.deserialize(content)
    return db.execute("SELECT * FROM chores").fetchall()


FAMILY = """
CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT, address TEXT UNIQUE COLLATE NOCASE, phone TEXT);
CREATE TABLE pets (id INTEGER PRIMARY KEY, owner INTEGER REFERENCES people, name TEXT, age INTEGER);
CREATE TABLE walks (pet INTEGER REFERENCES pets, day TEXT, PRIMARY KEY (pet, day));
INSERT INTO people VALUES (1, 'Ada', 'ada@home', '1'), (2, 'Bo', 'bo@home', '2'), (3, 'Cy', 'cy@home', '3');
INSERT INTO pets VALUES (1, 1, 'Rex', 3), (2, 2, 'Tom', 4), (3, 2, 'Tom', 4);
INSERT INTO walks VALUES (1, 'Monday'), (2, 'Monday');
"""


def family(changes: str = "") -> bytes:
    with sqlite3.connect(":memory:") as db:
        db.executescript(FAMILY + changes)
    return db.serialize()


@pytest.mark.parametrize(
    ("changes", "allowed", "passes"),
    [
        ("DELETE FROM people WHERE id = 2; INSERT INTO people VALUES (9, 'Bo', 'BO@home', '2')", (), False),
        ("DELETE FROM people WHERE id = 2; INSERT INTO people VALUES (9, 'Bo', 'bo@home', '2');"
         "UPDATE pets SET owner = 9 WHERE owner = 2", (), True),
        ("DELETE FROM people WHERE id = 2; INSERT INTO people VALUES (9, 'Bo', 'bo@home', '2');"
         "UPDATE pets SET owner = NULL WHERE owner = 2", (), False),
        ("DELETE FROM people WHERE id = 1; INSERT INTO people VALUES (9, 'Ada', 'ada@home', '7');"
         "UPDATE pets SET owner = 9 WHERE owner = 1", (Change("people", ("phone",), "id = 1"),), True),
        ("DELETE FROM people WHERE id = 1; INSERT INTO people VALUES (9, 'Ada', 'ada@home', '7');"
         "UPDATE pets SET owner = 9 WHERE owner = 1", (Change("people", ("phone",), "id = 2"),), False),
        ("DELETE FROM pets WHERE id = 1; INSERT INTO pets VALUES (8, 1, 'Rex', 4);"
         "UPDATE walks SET pet = 8 WHERE pet = 1", (Change("pets", ("age",), "id = 1"),), True),
        ("DELETE FROM pets WHERE id = 1; INSERT INTO pets VALUES (8, 1, 'Rex', 4), (9, 1, 'Rex', 5);"
         "UPDATE walks SET pet = 8 WHERE pet = 1", (Change("pets", ("age",), "id = 1"),), False),
        ("DELETE FROM pets WHERE id IN (2, 3); INSERT INTO pets VALUES (8, 2, 'Tom', 4), (9, 2, 'Tom', 4);"
         "UPDATE walks SET pet = 8 WHERE pet = 2", (), True),
        ("DELETE FROM people WHERE id = 3; INSERT INTO people VALUES (3, 'Di', 'di@home', '4')",
         (Remove("people", "name = 'Cy'"), Add("people", "name = 'Di'")), True),
        ("DELETE FROM people WHERE id = 3; INSERT INTO people VALUES (3, 'Di', 'di@home', '4')",
         (Remove("people", "name = 'Cy'"),), False),
        ("DELETE FROM people WHERE id = 3; INSERT INTO people VALUES (3, 'Di', 'di@home', '4')",
         (Add("people", "name = 'Di'"),), False),
    ],
)  # fmt: skip
def test_a_row_that_was_entered_again_is_the_same_row(changes: str, allowed: Sequence[Allowance], passes: bool) -> None:
    before, after = (State(files={"app.sqlite": content}) for content in (family(), family(changes)))
    comparison = Comparison("app", before, after, {}, allowed)
    try:
        assert comparison.guard(allowed, {}).passed is passes
    finally:
        comparison.close()
