"""An arena's database, once on SQLite and once on a real PostgreSQL of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fairground.arena import Store

PLACES = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)


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


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    if not PLACES:
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql, which `make test` does as root")
    folder = Path(tempfile.mkdtemp(prefix="fg-pg-"))  # short: a socket's path has a limit
    folder.chmod(0o755)
    try:
        with run_postgresql(folder / "server") as server:
            yield server
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database that is empty."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/arena.sqlite"
    server: str = request.getfixturevalue("postgresql")
    name = f"arena_{abs(hash(str(tmp_path))) % 10**12}"
    with Store(server) as store, store.engine.connect() as connection:
        connection.execution_options(isolation_level="AUTOCOMMIT").exec_driver_sql(f"CREATE DATABASE {name}")
    return server.replace("/postgres?", f"/{name}?")


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    with Store(url) as opened:
        yield opened
