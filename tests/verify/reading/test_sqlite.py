"""Databases: those that SQLite wrote, and those that were made to run something, lie, or never end."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairground.core import StateError
from fairground.verify.reading.sqlite import Database, DatabaseLimits, leaves, read_database

NOTES = (
    "CREATE TABLE notes(id INTEGER PRIMARY KEY, title TEXT, size REAL, body BLOB)",
    "INSERT INTO notes VALUES (1, 'Grant é', 2.5, x'00ff'), (2, NULL, 1, NULL)",
    "CREATE TABLE plain(a, b)",
    "INSERT INTO plain VALUES ('x', 1)",
)


def make(*statements: str) -> bytes:
    with closing(sqlite3.connect(":memory:")) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()
        return connection.serialize()


@pytest.fixture(scope="module")
def hostile() -> Database:
    return read_database(
        make(
            *NOTES,
            "CREATE VIEW seen AS SELECT title FROM notes",
            "CREATE TABLE computed(a, b AS (hex(a)))",
            "CREATE VIRTUAL TABLE words USING fts5(word)",
            "CREATE TRIGGER spring AFTER INSERT ON notes BEGIN DELETE FROM notes; END",
        )
    )


@pytest.mark.parametrize(
    "query",
    [
        *("SELECT * FROM seen", "SELECT count(*) AS n FROM seen", "SELECT n FROM (SELECT title AS n FROM seen)"),
        *("SELECT a FROM computed", "SELECT count(*) AS n FROM computed", "SELECT * FROM words"),
        *("SELECT load_extension('x') AS x", "SELECT random() AS x", "SELECT zeroblob(1000000000) AS x"),
        *("SELECT value FROM json_each('[1]')", "SELECT name FROM pragma_table_info('notes')"),
        *("DELETE FROM notes", "INSERT INTO notes VALUES (3, '', 1, '')", "CREATE TABLE x(a)", "DROP TABLE notes"),
        *("PRAGMA query_only=OFF", "ATTACH ':memory:' AS other", "VACUUM INTO '/tmp/never'", "BEGIN", ""),
        "WITH RECURSIVE more(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more) SELECT n FROM more",
        *("SELECT 1 AS a; SELECT 2 AS b", "SELECT id, id FROM notes", "SELECT nothing FROM notes", "SELECT ("),
    ],
)
def test_a_query_that_is_no_plain_reading_is_refused(hostile: Database, query: str) -> None:
    with pytest.raises(StateError, match=r"^database \(SQLite\)"):
        hostile.rows(query)
    assert len(hostile.table("notes")) == 2


def test_what_a_schema_would_run_is_listed_as_refused(hostile: Database) -> None:
    assert {name: why.rsplit(" ", 1)[-1] for name, why in hostile.refused.items()} == {
        "seen": "view",
        "computed": "computed",
        "words": "table",
        "spring": "trigger",
    }
    assert "seen" not in hostile.tables and "words" not in hostile.tables
    with pytest.raises(StateError, match="it is a view"):
        hostile.table("seen")


def test_tables_columns_and_rows_are_read() -> None:
    database = read_database(make(*NOTES))
    assert database.tables == ("notes", "plain")
    assert database.columns("notes") == ("id", "title", "size", "body")
    assert database.table("notes")[0] == {"id": 1, "title": "Grant é", "size": 2.5, "body": b"\x00\xff"}
    assert database.rows("SELECT title AS t FROM notes WHERE id = ?", 1) == ({"t": "Grant é"},)
    found = leaves(database)
    assert found["notes[1].title"] == "Grant é" and found["plain[0].b"] == 1
    assert str(found["notes[1].body"]).startswith("sha256:")
    with pytest.raises(StateError, match="no table 'other'; it has notes, plain"):
        database.table("other")


def test_a_log_is_replayed_and_only_its_finished_transactions(tmp_path: Path) -> None:
    path = tmp_path / "live"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("CREATE TABLE a(x)")
        connection.execute("INSERT INTO a VALUES (1)")
        data, wal = path.read_bytes(), Path(f"{path}-wal").read_bytes()
        connection.execute("INSERT INTO a VALUES (2)")
        longer = Path(f"{path}-wal").read_bytes()
    assert read_database(data, wal).table("a") == ({"x": 1},)
    assert read_database(data, longer).table("a") == ({"x": 1}, {"x": 2})
    assert read_database(data, longer[:-1]).table("a") == ({"x": 1},)
    assert read_database(data).tables == ()


def test_a_database_in_the_middle_of_a_change_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "live"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("CREATE TABLE a(x)")
        connection.execute("PRAGMA cache_spill=1")
        connection.execute("BEGIN")
        connection.execute("INSERT INTO a VALUES (1)")
        idle = Path(f"{path}-journal").read_bytes()
        connection.execute("COMMIT")
    data = path.read_bytes()
    assert read_database(data, journal=b"").tables == ("a",)
    with pytest.raises(StateError, match="its journal is in use"):
        read_database(data, journal=bytes.fromhex("d9d505f920a163d7") + idle)


def test_a_query_that_would_never_end_is_stopped() -> None:
    numbers = make("CREATE TABLE n(i)", *(f"INSERT INTO n VALUES ({number})" for number in range(300)))
    database = read_database(numbers, limits=DatabaseLimits(steps=1_000_000))
    with pytest.raises(StateError, match="ran longer"):
        database.rows("SELECT count(*) AS c FROM n a, n b, n c, n d WHERE a.i + b.i < c.i - d.i")
    assert database.rows("SELECT count(*) AS c FROM n") == ({"c": 300},)


def test_an_answer_over_the_limits_is_refused() -> None:
    limits = DatabaseLimits(rows=1)
    with pytest.raises(StateError, match="more than 1 rows"):
        read_database(make(*NOTES), limits=limits).table("notes")


def test_a_schema_with_very_many_tables_is_refused() -> None:
    bomb = make(
        "PRAGMA writable_schema=ON",
        "CREATE TABLE a(x)",
        "WITH RECURSIVE more(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more WHERE n < 100000) INSERT INTO "
        "sqlite_schema SELECT 'table', 't' || n, 't' || n, 2, 'CREATE TABLE t' || n || '(x)' FROM more",
    )
    with pytest.raises(StateError):
        read_database(bomb)


def test_a_virtual_table_in_disguise_is_refused() -> None:
    disguised = make(
        "CREATE VIRTUAL TABLE words USING fts5(word)",
        "PRAGMA writable_schema=ON",
        "UPDATE sqlite_schema SET sql = 'CREATE/**/VIRTUAL TABLE words USING fts5(word)' WHERE name = 'words'",
    )
    assert read_database(disguised).refused == {"words": "it is a virtual table"}


@pytest.mark.parametrize("data", [b"", b"SQLite format 3\0", b"\0" * 4096, bytes(range(256)) * 16], ids=len)
def test_what_is_no_database_is_refused(data: bytes) -> None:
    with pytest.raises(StateError, match="database"):
        read_database(data)


def test_a_huge_file_is_refused_before_it_is_read() -> None:
    with pytest.raises(StateError, match="expected at most 1000"):
        read_database(make(*NOTES), limits=DatabaseLimits(size=1000))


def test_a_log_that_makes_a_huge_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "live"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("CREATE TABLE a(x)")
        connection.execute("INSERT INTO a VALUES (zeroblob(300000))")
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("INSERT INTO a VALUES (zeroblob(300000))")
        data, wal = path.read_bytes(), Path(f"{path}-wal").read_bytes()
    assert len(read_database(data, wal).table("a")) == 2
    with pytest.raises(StateError, match="with its log"):
        read_database(data, wal, limits=DatabaseLimits(size=400_000))


SOUND = make(*NOTES, *(f"INSERT INTO plain VALUES ('{'y' * 200}', {number})" for number in range(60)))


@given(st.data())
def test_a_damaged_database_gives_its_rows_or_an_error(data: st.DataObject) -> None:
    raw = bytearray(SOUND)
    for _ in range(data.draw(st.integers(1, 8))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    try:
        with read_database(bytes(raw[: data.draw(st.integers(0, len(raw)))])) as database:
            leaves(database)
    except StateError as error:
        assert error.message.startswith("database (SQLite)")


@given(st.data())
def test_a_damaged_log_is_replayed_or_an_error(logged: tuple[bytes, bytes], data: st.DataObject) -> None:
    raw = bytearray(logged[1])
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    try:
        with read_database(logged[0], bytes(raw[: data.draw(st.integers(1, len(raw)))])) as database:
            leaves(database)
    except StateError as error:
        assert error.message.startswith("database (SQLite)")


@pytest.fixture(scope="module")
def logged(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, bytes]:
    path = tmp_path_factory.mktemp("logged") / "live"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        for statement in NOTES:
            connection.execute(statement)
        return path.read_bytes(), Path(f"{path}-wal").read_bytes()
