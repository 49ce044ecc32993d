"""Runs on a Ray cluster of several nodes, all on this machine: real nodes, killed for real."""

import collections
import importlib.util
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from fairground.core import InfrastructureError, InvalidInput, MissingPrerequisite, Outcome
from fairground.rollout import Event, Finished, Job, RunStore, carry_out, read_episode
from fairground.rollout.ray_executor import RayExecutor, need_ray

from .stub_work import SPEC, Stub, plan_of

ROOT = Path(__file__).parents[2]
SMALL = {"object_store_memory": 80 << 20}

ON_RAY = ("--executor", "ray", "--workers", "2")
AGENT = """
from fairground.core import Done


class Mine:
    def begin(self, brief):
        pass

    def act(self, observation):
        return Done()
"""
needs_ray = pytest.mark.skipif(
    importlib.util.find_spec("ray") is None, reason="ray is an extra, fairground[ray]; `make test` installs it"
)


class Recording(Stub):
    """A stub that leaves a folder, as an episode does."""

    def do(self, job: Job) -> tuple[Finished, bool]:
        folder = self._run / job.folder
        (folder / "frames").mkdir(parents=True)
        (folder / "frames" / "0.png").write_bytes(b"\x89PNG" * 1000)
        (folder / "episode.json").write_text(json.dumps({"number": job.planned.number}))
        return super().do(job)


class Broken(Stub):
    """A work with a fault of its own."""

    def do(self, job: Job) -> tuple[Finished, bool]:
        raise KeyError("a bug")


class Keyless(Stub):
    """Cannot even begin."""

    def __init__(self, run: Path) -> None:
        raise MissingPrerequisite("no API key for model", fix="export KEY=...")


@pytest.fixture(scope="module")
def surroundings() -> Iterator[None]:
    """What nodes that are started here inherit: where tests are, and a folder that goes away."""
    folder = tempfile.mkdtemp(prefix="fgray", dir="/tmp")  # the path of a socket must be short
    places = os.pathsep.join([str(ROOT), *filter(None, sys.path)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_TMPDIR", folder)
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("PYTHONPATH", places)
        yield
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def cluster(surroundings: None) -> Iterator[Any]:
    """A head without seats, and two nodes with one each."""
    from ray.cluster_utils import Cluster

    nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False, **SMALL})
    try:
        for _ in range(2):
            nodes.add_node(num_cpus=1, resources={"seats": 1}, **SMALL)
        yield nodes
    finally:
        nodes.shutdown()


def begun(folder: Path) -> collections.Counter[str]:
    """How often each attempt was begun."""
    return collections.Counter(line for file in folder.glob("done-*.txt") for line in file.read_text().splitlines())


def outcomes(store: RunStore) -> list[str]:
    return [row.finished.outcome.value if row.finished else "none" for row in store.rows()]


@needs_ray
@pytest.mark.slow
def test_a_run_needs_no_cluster_but_starts_one_for_itself(
    surroundings: None, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    import ray

    folder = tmp_path / "run"
    names = [f"fine-{number}" for number in range(40)]
    names[3], names[20] = "die", "error"
    with RunStore.create(folder, SPEC, plan_of(names)) as store:
        carry_out(store, executor=RayExecutor(Stub, folder, workers=2))
        assert outcomes(store) == ["passed"] * 40 and store.progress().retried == 1 + 2
        assert set(begun(folder).values()) == {1}
    assert not ray.is_initialized()
    assert capfd.readouterr().out == ""


@needs_ray
@pytest.mark.slow
def test_a_node_killed_mid_run_costs_no_episode_and_none_is_done_twice(
    cluster: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    doomed = cluster.add_node(num_cpus=1, resources={"seats": 2}, **SMALL)

    errors: list[str] = []

    def kill(event: Event) -> None:
        if not event.final:
            errors.append(event.finished.error)
        if event.progress.finished == 60 and event.final:
            cluster.remove_node(doomed, allow_graceful=False)

    with RunStore.create(folder, SPEC, plan_of([f"fine-{number}" for number in range(200)])) as store:
        executor = RayExecutor(partial(Stub, seconds=0.02), folder, address=cluster.address)
        assert len(executor._workers) == 4
        carry_out(store, executor=executor, on_event=kill)
        assert outcomes(store) == ["passed"] * 200
        retried = store.progress().retried
        assert 1 <= retried <= 2  # what the two seats of that node had in hand
        assert sum(row.attempts for row in store.rows()) == 200 + retried
    assert len(errors) == retried and all("its worker on the Ray cluster was lost" in error for error in errors)
    counts = begun(folder)
    assert set(counts.values()) == {1}
    assert {int(line.split()[0]) for line in counts} == set(range(200))
    assert len(list(folder.glob("done-*.txt"))) >= 3
    assert capfd.readouterr().out == ""


@needs_ray
@pytest.mark.slow
def test_what_goes_wrong_with_a_worker_costs_only_its_own_episode(cluster: Any, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    names = ["fine-0", "die", "error", "tired", "hang", "fine-1", "fine-2"]
    with RunStore.create(folder, SPEC, plan_of(names)) as store:
        carry_out(store, executor=RayExecutor(Stub, folder, address=cluster.address, patience=5.0))
        assert outcomes(store) == ["passed", "passed", "passed", "failed", "passed", "passed", "passed"]
        assert store.progress().retried == 1 + 2 + 1
    assert set(begun(folder).values()) == {1}


@needs_ray
@pytest.mark.slow
def test_nodes_that_do_not_share_the_folder_send_their_episodes(cluster: Any, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with RunStore.create(folder, SPEC, plan_of(["fine", "error", "fine-2"])) as store:
        carry_out(store, executor=RayExecutor(Recording, folder, address=cluster.address, ship=True))
        rows = list(store.rows())
        assert [row.attempts for row in rows] == [1, 3, 1]
        for row in rows:
            assert row.finished is not None and row.finished.outcome is Outcome.PASSED
            kept = folder / row.finished.folder
            assert json.loads((kept / "episode.json").read_text()) == {"number": row.planned.number}
            assert (kept / "frames" / "0.png").stat().st_size == 4000
    assert not list(folder.glob("done-*.txt")) and not list(folder.rglob(".*.tmp"))


@needs_ray
@pytest.mark.slow
def test_an_episode_too_large_to_send_is_an_error_and_no_score(cluster: Any, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    spec = SPEC.model_copy(update={"retries": 0})
    with RunStore.create(folder, spec, plan_of(["fine"])) as store:
        executor = RayExecutor(Recording, folder, address=cluster.address, ship=True, jobs=1, largest=1000)
        carry_out(store, executor=executor)
        (row,) = store.rows()
        assert row.finished is not None and row.finished.outcome is Outcome.ERRORED
        assert "expected at most 1,000" in row.finished.error


@needs_ray
@pytest.mark.slow
def test_a_fault_in_the_work_is_an_error_that_names_it(cluster: Any, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    spec = SPEC.model_copy(update={"retries": 0})
    with RunStore.create(folder, spec, plan_of(["fine"])) as store:
        carry_out(store, executor=RayExecutor(Broken, folder, address=cluster.address, jobs=1))
        (row,) = store.rows()
        assert row.finished is not None and "KeyError: 'a bug'" in row.finished.error


@needs_ray
@pytest.mark.slow
def test_workers_that_cannot_begin_end_the_run_with_their_own_words(cluster: Any, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with RunStore.create(folder, SPEC, plan_of(["fine"])) as store:
        with pytest.raises(MissingPrerequisite, match="no API key for model"):
            carry_out(store, executor=RayExecutor(Keyless, folder, address=cluster.address))
        with pytest.raises(InfrastructureError, match="is not visible on node"):
            carry_out(store, executor=RayExecutor(Stub, tmp_path / "elsewhere", address=cluster.address))
        assert store.progress().finished == 0


@needs_ray
@pytest.mark.slow
def test_a_cluster_without_a_free_seat_ends_the_run_and_is_left_as_it_was(cluster: Any, tmp_path: Path) -> None:
    import ray

    folder = tmp_path / "run"
    ray.init(address=cluster.address, log_to_driver=False)
    try:
        with RunStore.create(folder, SPEC, plan_of(["fine"])) as store:
            holder = RayExecutor(Stub, folder)
            while holder.room < 4:
                holder.wait(1.0)
            with pytest.raises(InfrastructureError, match="had a seat for this run in 0.2 s"):
                carry_out(store, executor=RayExecutor(Stub, folder, idle=0.2))
            holder.close()
        assert ray.is_initialized()
    finally:
        ray.shutdown()


DRIVER = """
import sys
from functools import partial
from pathlib import Path
from fairground.rollout import RunStore, carry_out
from fairground.rollout.ray_executor import RayExecutor
from tests.rollout.stub_work import Stub
folder = Path(sys.argv[1])
with RunStore.open(folder, write=True) as store:
    carry_out(store, executor=RayExecutor(partial(Stub, seconds=0.01), folder, address=sys.argv[2]))
"""


@needs_ray
@pytest.mark.slow
def test_a_run_whose_driver_is_killed_is_resumed_with_every_episode_once(cluster: Any, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    RunStore.create(folder, SPEC, plan_of([f"fine-{number}" for number in range(150)])).close()
    command = [sys.executable, "-c", DRIVER, str(folder), cluster.address]
    for kills in (5, 30):
        with RunStore.open(folder) as reader:
            process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
            before = reader.progress().finished
            while process.poll() is None and reader.progress().finished < before + kills:
                pass
            process.kill()
            process.wait()
    subprocess.run(command, check=True, timeout=100)
    with RunStore.open(folder) as store:
        assert outcomes(store) == ["passed"] * 150 and all(row.attempts == 1 for row in store.rows())
    assert sum(begun(folder).values()) - 150 <= 2 * 2  # only what two seats had in hand at two kills


@needs_ray
@pytest.mark.slow
@pytest.mark.parametrize("how", [(), ("--ship",)], ids=["shared", "sent back"])
def test_the_command_runs_an_agent_of_ones_own_in_real_seats_on_a_cluster_of_its_own(
    surroundings: None, tmp_path: Path, how: tuple[str, ...]
) -> None:
    (tmp_path / "mine.py").write_text(AGENT)
    words = (
        "run pocket/notes/count-label --agent mine.py:Mine --configs 1 --rollouts 3 --json --executor ray --workers 2"
    )
    done = subprocess.run(
        [sys.executable, "-m", "fairground", *words.split(), *ON_RAY, *how, "--out", str(tmp_path / "run")],
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert json.loads(done.stdout)["folder"] == str(tmp_path / "run")
    with RunStore.open(tmp_path / "run") as store:
        assert outcomes(store) == ["failed"] * 3, [row.finished for row in store.rows()]
        for row in store.rows():
            assert row.finished is not None and read_episode(tmp_path / "run" / row.finished.folder).complete


def test_without_ray_the_fix_is_the_line_to_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingPrerequisite, match=r"pip install 'fairground\[ray\]'"):
        need_ray()


@needs_ray
def test_an_address_where_nothing_answers_is_said_at_once(tmp_path: Path) -> None:
    with socket.socket() as taken:  # bound and not listening: nobody else can answer there meanwhile
        taken.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(InfrastructureError, match=f"no Ray cluster at {address}.*refused"):
            RayExecutor(Stub, tmp_path, address=address)


@needs_ray
def test_an_address_of_a_client_server_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="ray://far:10001 is the address of a Ray client server"):
        RayExecutor(Stub, tmp_path, address="ray://far:10001")
