"""An arena's database: on SQLite, and on a real PostgreSQL where a test asks for both (`on_both`) or in slow runs."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine

from fairground.arena import Store
from fairground.arena import store as arena_store

PLACES = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)


@contextmanager
def disk_not_waited_for() -> Iterator[None]:
    """SQLite's commits do not wait for the disk, as PostgreSQL's do not without fsync: no test cuts the power."""
    tune = arena_store._tune

    def tune_for_tests(connection: Any, record: object) -> None:
        tune(connection, record)
        connection.execute("PRAGMA synchronous=OFF").close()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arena_store, "_tune", tune_for_tests)
        yield


@pytest.fixture(scope="session", autouse=True)
def no_waiting_for_the_disk() -> Iterator[None]:
    with disk_not_waited_for():
        yield


@contextmanager
def run_postgresql(folder: Path, fsync: str = "off") -> Iterator[str]:
    """Runs a server that only listens on a socket in its folder."""
    here = PLACES[0]
    data, user = folder / "data", "postgres" if os.geteuid() == 0 else None
    folder.mkdir()
    if user:
        shutil.chown(folder, user, user)

    def run(*argv: str) -> None:
        subprocess.run(argv, check=True, user=user, capture_output=True, cwd=folder, timeout=60)

    run(str(here / "initdb"), "-D", str(data), "-U", "arena", "-A", "trust", "-N")
    options = f"-k {folder} -c listen_addresses='' -c fsync={fsync}"
    run(str(here / "pg_ctl"), "-D", str(data), "-w", "-l", str(folder / "log"), "-o", options, "start")
    try:
        yield f"postgresql://arena@/postgres?host={folder}"
    finally:
        run(str(here / "pg_ctl"), "-D", str(data), "-m", "immediate", "stop")


on_both = pytest.mark.parametrize(
    "url", ["sqlite", pytest.param("postgresql", marks=pytest.mark.process)], indirect=True
)
"""For tests of what differs between the databases: transactions that meet, migrations, texts that one does not take."""

on_sqlite = pytest.mark.parametrize("url", ["sqlite"], indirect=True)

_SERVER = pytest.StashKey[str]()
_numbers = itertools.count()


@pytest.fixture(scope="session")
def postgresql(pytestconfig: pytest.Config) -> str:
    """A server for the whole session: modules of other folders import this fixture, and share the server."""
    if not PLACES:
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql, which `make test` does as root")
    if _SERVER not in pytestconfig.stash:
        folder = Path(tempfile.mkdtemp(prefix="fg-pg-"))  # short: a socket's path has a limit
        folder.chmod(0o755)
        with ExitStack() as stack:
            stack.callback(shutil.rmtree, folder, ignore_errors=True)
            server = stack.enter_context(run_postgresql(folder / "server"))
            make_database(server, "blank", "template1")
            with Store(at_database(server, "blank")):
                pass
            pytestconfig.add_cleanup(stack.pop_all().close)
        pytestconfig.stash[_SERVER] = server
    return pytestconfig.stash[_SERVER]


def make_database(server: str, name: str, template: str) -> None:
    """Makes a database that is a copy of another."""
    engine = create_engine(server.replace("postgresql:", "postgresql+psycopg:"), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql(f"CREATE DATABASE {name} TEMPLATE {template}")
    engine.dispose()


def at_database(server: str, name: str) -> str:
    """The address of a database of the server."""
    return server.replace("/postgres?", f"/{name}?")


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database without anything in it."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/arena.sqlite"
    server: str = request.getfixturevalue("postgresql")
    name = f"arena_{next(_numbers)}"
    make_database(server, name, "blank")
    return at_database(server, name)


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    with Store(url) as opened:
        yield opened
