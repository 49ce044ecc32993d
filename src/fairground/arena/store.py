"""The database of an arena: an SQLite file or a PostgreSQL URL. It is created and migrated when it is opened."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Column, Connection, Engine, Integer, MetaData, Table, create_engine, event, inspect, select
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.engine import make_url
from sqlalchemy.exc import (
    ArgumentError,
    DBAPIError,
    DisconnectionError,
    NoSuchModuleError,
    OperationalError,
    ProgrammingError,
)
from sqlalchemy.pool import ConnectionPoolEntry

from fairground.arena import schema
from fairground.core import InfrastructureError, InvalidInput
from fairground.core.writing import database_full

Step = Callable[[Connection], None]


def _begin(connection: Connection) -> None:
    schema.metadata.create_all(connection)


def _add_cleared(connection: Connection) -> None:
    schema.cleared.create(connection, checkfirst=True)


def _add_shared(connection: Connection) -> None:
    schema.shared.create(connection, checkfirst=True)


def _add_index(connection: Connection) -> None:
    schema.by_what_they_follow.create(connection, checkfirst=True)


def _add_filter_settings(connection: Connection) -> None:
    schema.filter_settings.create(connection, checkfirst=True)


def _forget_repetition(connection: Connection) -> None:
    """Reset `repetition`. Before, it was another measure: the share of actions that repeat the previous one."""
    connection.execute(schema.sides.update().values(repetition=None))


def _add_reveals(connection: Connection) -> None:
    """Before, the last version of a vote counted; from now on it is the last one before the names were shown.

    The first vote revealed them, except where the same agents had another battle to vote on; those stay unchanged.
    """
    for table in (schema.reveals, schema.identifications):
        table.create(connection, checkfirst=True)
    for column, value in (
        (schema.people.c.browser, None),
        (schema.votes.c.after_reveal, "false"),
        (schema.votes.c.counted, "1"),
        (schema.vote_history.c.after_reveal, "false"),
    ):
        _add_column(connection, column, value)
    battles, votes, history = schema.battles, schema.votes, schema.vote_history
    series = select(battles.c.follows).where(battles.c.follows.is_not(None))
    alone = battles.c.follows.is_(None) & battles.c.id.not_in(series)
    given = select(votes).join(battles, battles.c.id == votes.c.battle).where(alone, battles.c.platform != "import")
    for vote in connection.execute(given).all():
        here = {"battle": vote.battle, "person": vote.person}
        connection.execute(schema.reveals.insert(), {**here, "at": vote.created, "how": "battle"})
        if vote.version == 1:
            continue
        mine = (history.c.battle == vote.battle, history.c.person == vote.person)
        connection.execute(history.update().where(*mine, history.c.version > 1).values(after_reveal=True))
        first_vote = json.loads(
            connection.execute(select(history.c.vote).where(*mine, history.c.version == 1)).scalar_one()
        )
        marks = first_vote.pop("marks")
        connection.execute(
            votes.update()
            .where(votes.c.battle == vote.battle, votes.c.person == vote.person)
            .values(**first_vote, after_reveal=True, counted=1)
        )
        marked = schema.step_marks
        connection.execute(marked.delete().where(marked.c.battle == vote.battle, marked.c.person == vote.person))
        if marks:
            connection.execute(marked.insert(), [{**here, **mark} for mark in marks])


def _add_column(connection: Connection, column: Column[Any], value: str | None) -> None:
    """Add a column to a table that does not have it yet."""
    if column.name in {existing["name"] for existing in inspect(connection).get_columns(column.table.name)}:
        return
    kind = column.type.compile(connection.dialect)
    rest = "" if value is None else f" DEFAULT {value}" + ("" if column.nullable else " NOT NULL")
    connection.exec_driver_sql(f"ALTER TABLE {column.table.name} ADD COLUMN {column.name} {kind}{rest}")


MIGRATIONS: Final[tuple[Step, ...]] = (
    _begin,
    _add_cleared,
    _add_shared,
    _add_index,
    _add_filter_settings,
    _forget_repetition,
    _add_reveals,
)
"""Migrations from each version to the next. Released migrations are never changed; new ones are appended."""

_version = Table("arena_version", MetaData(), Column("version", Integer, nullable=False))
_BUSY_SECONDS = 30.0
_REST_SECONDS = 2.0
_CONNECTIONS = 40  # connections to keep open: one per server thread


class Store:
    """An open database.

    Args:
        url: `sqlite:///path`, a path, or `postgresql://...`.

    Raises:
        InvalidInput: If the URL is invalid, or the database is from a newer version of Fairground.
        InfrastructureError: If the database cannot be reached.
    """

    def __init__(self, url: str | Path) -> None:
        self.engine = _engine(url)
        self._reader = self.engine.execution_options(isolation_level="AUTOCOMMIT")
        self._writer = self.engine.execution_options(writing=True)
        self._turn = threading.RLock() if self.engine.dialect.name == "sqlite" else nullcontext()
        try:
            with self.write() as connection:
                _migrate(connection)
        except (OperationalError, ProgrammingError) as error:
            self.engine.dispose()
            raise InfrastructureError(
                f"the arena's database cannot be used: {_short(error)}",
                fix="check the address, and that the server is running and accepts your login",
            ) from error
        except BaseException:
            self.engine.dispose()
            raise

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Yield a connection for reading. Each query sees the data committed at that time, on both databases."""
        with self._reader.connect() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Run a transaction, all or nothing. SQLite allows one writer at a time, so writers queue here.

        Raises:
            CannotWrite: If the disk is full. Earlier commits are not affected.
        """
        with self._turn:
            try:
                with self._writer.begin() as connection:
                    yield connection
            except OperationalError as error:
                if (full := database_full(error.orig, Path(self.engine.url.database or "."))) is not None:
                    raise full from error
                raise

    def close(self) -> None:
        """Close all connections. Can be called twice."""
        self.engine.dispose()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def upserting(connection: Connection, table: Table) -> Any:
    """Return an insert statement that supports conflict handling."""
    return (postgresql_insert if connection.dialect.name == "postgresql" else sqlite_insert)(table)


def now() -> float:
    """Return seconds since 1970, for all stored times."""
    return time.time()


def _engine(url: str | Path) -> Engine:
    text = str(url)
    if "://" not in text:
        Path(text).expanduser().parent.mkdir(parents=True, exist_ok=True)
        text = f"sqlite:///{Path(text).expanduser().absolute()}"
    try:
        address = make_url(text)
    except ArgumentError:
        raise InvalidInput(f"{text!r} is not a database", fix="give a path, or postgresql://USER@HOST/NAME") from None
    if address.get_backend_name() == "postgresql":
        address = address.set(drivername="postgresql+psycopg")
    elif address.get_backend_name() != "sqlite":
        raise InvalidInput(f"the database must be SQLite or PostgreSQL, got {address.get_backend_name()}")
    try:
        # LIFO: on PostgreSQL, the connection used last is a process that has just planned the same queries.
        engine = create_engine(address, pool_size=_CONNECTIONS, pool_use_lifo=True)
    except (NoSuchModuleError, ModuleNotFoundError) as error:
        raise InvalidInput(f"{error}", fix="pip install 'fairground[postgresql]'") from None
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _tune)
        event.listen(engine, "begin", _take)
    else:
        event.listen(engine, "checkin", _note_use)
        event.listen(engine, "checkout", _check_rested)
    return engine


def _note_use(_: object, record: ConnectionPoolEntry) -> None:
    record.info["used"] = time.monotonic()


def _check_rested(connection: Any, record: ConnectionPoolEntry, _: object) -> None:
    """Replace a connection whose server was restarted.

    Checked only after idle time, because it takes as long as a query.
    """
    if time.monotonic() - record.info.get("used", time.monotonic()) < _REST_SECONDS:
        return
    try:
        connection.execute("SELECT 1")
        connection.rollback()
    except Exception as error:  # depends on the driver
        raise DisconnectionError from error


def _tune(connection: object, _: object) -> None:
    """Configure SQLite for concurrent readers, durable commits and explicit transactions.

    To survive a power failure, every commit waits for the disk (`synchronous=FULL`, some milliseconds), as on
    PostgreSQL. A vote is not acknowledged before it is durable.
    """
    connection.isolation_level = None  # type: ignore[attr-defined]
    cursor = connection.cursor()  # type: ignore[attr-defined]
    wait = f"busy_timeout={_BUSY_SECONDS * 1e3:.0f}"
    for setting in (wait, "journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        cursor.execute(f"PRAGMA {setting}")
    cursor.close()


def _take(connection: Connection) -> None:
    # Take the write lock at the start: a reader that becomes a writer later could find that another one has written.
    if connection.get_execution_options().get("writing"):
        connection.exec_driver_sql("BEGIN IMMEDIATE")


def _migrate(connection: Connection) -> None:
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql("SELECT pg_advisory_xact_lock(7041776)")  # two servers may start at the same time
    if not inspect(connection).has_table(_version.name):
        _version.create(connection)
        connection.execute(_version.insert().values(version=0))
    at = connection.execute(select(_version.c.version)).scalar_one()
    if at > len(MIGRATIONS):
        raise InvalidInput(
            f"the database is from a newer version of Fairground (schema version {at}, this one supports "
            f"{len(MIGRATIONS)})",
            fix="use that version of Fairground, or another database",
        )
    for step in MIGRATIONS[at:]:
        step(connection)
    connection.execute(_version.update().values(version=len(MIGRATIONS)))


def _short(error: DBAPIError) -> str:
    return str(error.orig).strip().splitlines()[0][:300] if error.orig else str(error)[:300]
