"""Worker processes: forks of a server, which differ in nothing from processes that were started one by one."""

import atexit
import multiprocessing
import os
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np
import pytest

from fairground.rollout.worker_context import start_worker, worker_context

pytestmark = pytest.mark.process


def report(pipe: Connection, left: Path) -> None:
    atexit.register(left.touch)
    pipe.send((os.environ.get("SAID_LATER"), Path.cwd(), np.random.random()))


def reported(left: Path) -> tuple[str | None, Path, float]:
    ours, theirs = multiprocessing.Pipe()
    process = start_worker(report, theirs, left)
    theirs.close()
    with ours:
        found: tuple[str | None, Path, float] = ours.recv()
    process.join()
    assert process.exitcode == 0
    return found


def test_a_worker_has_the_environment_of_now_randomness_of_its_own_and_runs_its_exit_handlers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said, _, drawn = reported(tmp_path / "first")
    monkeypatch.setenv("SAID_LATER", "yes")
    monkeypatch.chdir(tmp_path)
    said_later, folder, drawn_later = reported(tmp_path / "second")
    assert (said, said_later, folder) == (None, "yes", tmp_path) and drawn != drawn_later
    assert (tmp_path / "first").exists() and (tmp_path / "second").exists()


def test_where_the_path_of_a_socket_would_be_too_long_workers_are_started_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / ("x" * 100)))
    assert worker_context().get_start_method() == "spawn"
