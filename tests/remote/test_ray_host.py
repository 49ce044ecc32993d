"""The environment server on a Ray cluster of several nodes, all on this machine: real nodes, one killed for real."""

from __future__ import annotations

import importlib.util
import os
import shutil
import socket
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fairground.core import Done, InfrastructureError, InvalidAction, Look
from fairground.remote import Capacity, EnvironmentServer, RemoteEnv, SessionLost, open_group
from fairground.remote.ray_host import RayHost
from tests.waiting import eventually

ROOT = Path(__file__).parents[2]
WORLD = "pocket/notes/count-label"
SMALL = {"object_store_memory": 80 << 20}
pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(600),
    pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="ray is an extra: fairground[ray]"),
]


@pytest.fixture(scope="module")
def surroundings() -> Iterator[None]:
    """What nodes inherit: where this package is, and a folder that goes away."""
    folder = tempfile.mkdtemp(prefix="fgray", dir="/tmp")  # the path of a socket must be short
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_TMPDIR", folder)
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), *filter(None, sys.path)]))
        yield
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def cluster(surroundings: None) -> Iterator[Any]:
    """A head without seats, and a node with one seat."""
    from ray.cluster_utils import Cluster

    nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False, **SMALL})
    try:
        nodes.add_node(num_cpus=1, resources={"seats": 1}, **SMALL)
        yield nodes
    finally:
        nodes.shutdown()


def test_a_killed_node_costs_only_its_own_sessions_and_its_seats(
    cluster: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    import ray

    doomed = cluster.add_node(num_cpus=1, resources={"seats": 2}, **SMALL)
    host = RayHost(address=cluster.address)
    with EnvironmentServer(WORLD, place=host) as server:
        eventually(lambda: host.seats == 3)
        envs = open_group(server.url, WORLD, 3, seed=5)
        assert len({env.start.fingerprint for env in envs if env.start}) == 1
        with pytest.raises(Capacity, match="3 of 3 are in use"):
            RemoteEnv(server.url).reset()
        for env in envs:
            assert env.step(Look())[4]["step"] == 1
        with pytest.raises(InvalidAction, match="unknown key"):
            envs[0]._call("step", action={"kind": "key", "keys": ["nokey"]})
        cluster.remove_node(doomed, allow_graceful=False)
        eventually(lambda: host.seats == 1)
        lost, alive = [], []
        for env in envs:
            try:
                assert env.step(Look())[4]["step"] == 2
                alive.append(env)
            except InfrastructureError as error:
                assert "was lost" in str(error)
                lost.append(env)
        assert len(alive) == 1 and len(lost) == 2
        for env in lost:
            with pytest.raises(SessionLost):
                env.reset()
        assert alive[0].step(Done())[4]["outcome"] == "failed"
        alive[0].reset(seed=5)
        eventually(lambda: server.sessions.in_use == 1)
        with pytest.raises(Capacity, match="1 of 1 are in use"):
            RemoteEnv(server.url).reset()
        cluster.add_node(num_cpus=1, resources={"seats": 1}, **SMALL)
        eventually(lambda: host.seats == 2)
        joined = RemoteEnv(server.url, reconnect=True)
        joined.reset(seed=5)
        assert joined.start is not None and alive[0].start is not None
        assert joined.start.fingerprint == alive[0].start.fingerprint
        alive[0].close()
        joined.close()
        eventually(lambda: server.sessions.in_use == 0)
        assert host.seats == 2
    assert not ray.is_initialized()
    assert capfd.readouterr().out == ""


def test_a_local_cluster_is_started_and_ended_with_the_host(surroundings: None) -> None:
    import ray

    host = RayHost(2)
    with EnvironmentServer(WORLD, place=host) as server:
        env = RemoteEnv(server.url)
        env.reset(seed=1)
        env.close()
        eventually(lambda: server.sessions.in_use == 0)
        env.reset(seed=1)  # the actor serves another session
        assert env.step(Done())[4]["outcome"] == "failed"
        env.close()
    assert not ray.is_initialized()


def test_a_cluster_that_is_not_there_is_said_at_once() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        with pytest.raises(InfrastructureError, match=r"no Ray cluster at .*refused"):
            RayHost(address=f"127.0.0.1:{taken.getsockname()[1]}")
