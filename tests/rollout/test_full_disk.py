"""A disk that is full, or becomes so: an error with the folder and the room, nothing lost, nothing half-written.

The disk is real: a small tmpfs in a namespace of its own, which root and everybody else may mount.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from .damage_stage import EPISODES

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("disk")


@pytest.fixture(scope="module", params=["few", pytest.param("all", marks=pytest.mark.slow)])
def found(request: pytest.FixtureRequest, root: Path) -> dict[str, Any]:
    """What came of each part, in one process, with little room of a few or of all sizes."""
    mount = 'mount -t tmpfs -o size=3m none "$0" && exec "$1" -m tests.rollout.small_disk "$0" "$2"'
    words = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", mount, str(root), sys.executable]
    words.append(request.param)
    place = os.pathsep.join([str(ROOT), *sys.path])
    done = subprocess.run(words, cwd=ROOT, env={**os.environ, "PYTHONPATH": place}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    results: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return results


def is_full(said: Any, root: Path) -> bool:
    """Whether an error says that the disk is full, where, and how much room there is."""
    kind, text = said
    return kind == "CannotWrite" and "the disk is full" in text and str(root) in text and "bytes free there" in text


def test_a_run_that_cannot_be_started_leaves_nothing_half_written(found: dict[str, Any], root: Path) -> None:
    tried = found["starting"]
    refused = [(said, half) for _, said, half, _ in tried if said]
    assert refused and len(refused) < len(tried), "both kinds must have been tried"
    assert all(is_full(said, root) and half in ([], ["run.sqlite"]) for said, half in refused), refused
    assert all(whole for *_, whole in tried), "it can be started, or gone on with, once there is room"


def test_an_episode_that_cannot_be_committed_is_not_lost(found: dict[str, Any], root: Path) -> None:
    tried = found["committing"]
    refused = [said for _, said, *_ in tried if said]
    assert refused and len(refused) < len(tried) and all(is_full(said, root) for said in refused), refused
    for _, said, committed, did, intact in tried:
        assert committed == (said is None) and intact == EPISODES
        assert did == EPISODES - 1, "what was recorded is taken over, not run again"


def test_a_run_that_cannot_be_gone_on_with_stays_as_it_was(found: dict[str, Any], root: Path) -> None:
    tried = found["going_on"]
    refused = [said for _, said, _ in tried if said]
    assert refused and all(is_full(said, root) for said in refused), refused
    assert all(sound for *_, sound in tried)


def test_what_was_committed_before_the_disk_was_full_stays(found: dict[str, Any], root: Path) -> None:
    ((said, committed, later),) = found["ended"]
    assert is_full(said, root) and committed == later < EPISODES


def test_pages_figures_and_tables_are_whole_or_as_they_were(found: dict[str, Any], root: Path) -> None:
    for name, room, said, broken in found["files"]:
        assert said is not None, (name, room)
        status, words = said
        assert status == 1 and "the disk is full" in words and "bytes free there" in words, (name, room, said)
        assert "Traceback" not in words and not broken, (name, room, broken)


def test_databases_of_the_arena_and_of_proofs_say_so_and_work_again(found: dict[str, Any], root: Path) -> None:
    tried = found["databases"]
    for kind in ("open the arena", "vote", "prove"):
        refused = [said for what, _, said, _ in tried if what == kind and said]
        assert refused and all(is_full(said, root) for said in refused), (kind, refused)
    assert all(works for *_, works in tried)
