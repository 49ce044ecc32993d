"""The clients on a real server with real phone apps: the same episodes as the local environment has."""

from __future__ import annotations

import asyncio
import pickle
import threading
from collections.abc import Iterator
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector.utils import concatenate, create_empty_array

from fairground.core import Click, Done, InvalidAction, InvalidInput, Look, Scroll, UnknownName, Verdict, Wait
from fairground.env import OBSERVATIONS, FairgroundEnv, encode_action
from fairground.remote import AsyncClient, Cancelled, Capacity, EnvironmentServer, RemoteEnv, open_group

from .stage import held_server

pytestmark = pytest.mark.process

WORLD = "pocket/notes/count-label"
SIZE = (412, 915)
WRONG: list[Any] = [{"kind": "click", "point": [5000, 10]}, {"kind": "jump"}, {"kind": "key", "keys": ["nokey"]}, None]


@pytest.fixture(scope="module")
def server() -> Iterator[EnvironmentServer]:
    with EnvironmentServer(WORLD, seats=4, share_browser=True) as server:
        yield server


@pytest.fixture
def env(server: EnvironmentServer) -> Iterator[RemoteEnv]:
    env = RemoteEnv(server.url)
    yield env
    env.close()


def same(left: dict[str, Any], right: dict[str, Any]) -> bool:
    return left.keys() == right.keys() and all(np.array_equal(left[name], right[name]) for name in left)


def test_an_episode_is_the_same_as_in_the_local_environment_step_by_step(server: EnvironmentServer) -> None:
    local = FairgroundEnv(WORLD, observations=OBSERVATIONS, render_mode="rgb_array")
    remote = RemoteEnv(server.url, WORLD, observations=OBSERVATIONS, render_mode="rgb_array")
    try:
        assert remote.action_space == local.action_space
        assert remote.observation_space == local.observation_space
        assert remote.size == local.size == SIZE
        for env in (local, remote):
            with pytest.raises(InvalidInput, match="call reset first"):
                env.step(Done())
        for seed in (7, None):
            here, there = local.reset(seed=seed), remote.reset(seed=seed)
            assert same(here[0], there[0]) and here[1] == there[1]
            for action in (Scroll(point=(200, 500), dy=3), Look(), Wait(seconds=0), Click(point=(206, 3))):
                expected, got = local.step(action), remote.step(action)
                assert same(expected[0], got[0]) and expected[1:] == got[1:]
                assert got[0] in remote.observation_space
                assert np.array_equal(local.render(), remote.render())
            for action in WRONG:
                messages = []
                for env in (local, remote):
                    with pytest.raises(InvalidAction) as refused:
                        env.step(action)
                    messages.append(str(refused.value))
                assert messages[0] == messages[1]
            expected, got = local.step(Done()), remote.step(Done())
            assert same(expected[0], got[0]) and expected[1:] == got[1:]
            assert got[2] and got[4]["outcome"] == "failed" and got[4]["verdict"]["checks"]
            with pytest.raises(InvalidInput, match="call reset first"):
                remote.step(Done())
    finally:
        local.close()
        remote.close()


@pytest.mark.slow
def test_gymnasiums_own_checker_passes(env: RemoteEnv) -> None:
    check_env(env, skip_render_check=True)


def test_a_wrong_name_is_refused_where_it_is_written(server: EnvironmentServer, env: RemoteEnv) -> None:
    with pytest.raises(UnknownName, match="observation"):
        RemoteEnv(server.url, observations=("sound",))
    with pytest.raises(UnknownName, match="pocket/mail"):
        RemoteEnv(server.url, "pocket/mail")
    with pytest.raises(UnknownName, match="render mode"):
        RemoteEnv(server.url, render_mode="human")
    with pytest.raises(InvalidInput, match="unknown option of reset"):
        env.reset(options={"colour": "red"})
    with pytest.raises(InvalidInput, match="cannot be sent as JSON"):
        env.reset(options={"world": object()})
    env.reset(seed=1)  # and the environment can still be used


@pytest.mark.parametrize("kind", [gymnasium.vector.SyncVectorEnv, gymnasium.vector.AsyncVectorEnv])
@pytest.mark.slow
def test_vector_environments_reset_themselves_on_the_step_after_the_end(server: EnvironmentServer, kind: Any) -> None:
    make = partial(RemoteEnv, server.url)
    pickle.loads(pickle.dumps(make))
    # A process that is spawned shares nothing with this one.
    settings = {"context": "spawn"} if kind is gymnasium.vector.AsyncVectorEnv else {}
    vector = kind([make, make], **settings)
    try:
        first, _ = vector.reset(seed=[3, 3])
        assert first["screen"].shape == (2, 915, 412, 3) and np.array_equal(*first["screen"])

        def step(*actions: Any) -> Any:
            samples = [encode_action(action, SIZE) for action in actions]
            space = vector.single_action_space
            return vector.step(concatenate(space, samples, create_empty_array(space, 2)))

        _, rewards, terminated, _, _ = step(Done(), Look())
        assert terminated.tolist() == [True, False] and rewards.tolist() == [0.0, 0.0]
        _, _, terminated, _, infos = step(Done(), Look())  # ignored by the first, which is reset
        assert terminated.tolist() == [False, False]
        assert infos["world"][0].startswith(WORLD) and infos["_world"].tolist() == [True, False]
    finally:
        vector.close()


def test_a_group_starts_at_the_same_state_and_its_members_go_their_own_ways(server: EnvironmentServer) -> None:
    envs = open_group(server.url, WORLD, 3, seed=5)
    try:
        starts = [env.reset() for env in envs]
        assert all(same(starts[0][0], start[0]) and starts[0][1] == start[1] for start in starts)
        assert len({(env.start.world, env.start.seed, env.start.fingerprint) for env in envs if env.start}) == 1
        assert len({env.start.session for env in envs if env.start}) == 3
        results: dict[int, Any] = {}

        def drive(number: int) -> None:
            for _ in range(5):
                results[number] = envs[number].step(Done() if number == 1 else Look())
                if number == 1:
                    break

        threads = [threading.Thread(target=drive, args=(number,)) for number in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [results[number][2] for number in range(3)] == [False, True, False]
        assert results[0][4]["step"] == 5
        with pytest.raises(Capacity, match="2 seats are needed, and 3 of 4 are in use") as full:
            open_group(server.url, WORLD, 2)
        assert full.value.retry_after > 0
        envs[1].reset()  # another episode, and not the start of the group again
        assert envs[1].start is not None and envs[1].start.world != envs[0].start.world
        envs[0].close()  # the others share its connection
        assert envs[2].step(Look())[4]["step"] == 6
    finally:
        for env in envs:
            env.close()


@pytest.mark.slow
def test_an_episode_is_cancelled_from_another_thread() -> None:
    with held_server(2) as (server, gate):
        env = RemoteEnv(server.url)
        env.reset(seed=1)
        failures: list[BaseException] = []

        def step() -> None:
            try:
                env.step(Look())
            except BaseException as error:
                failures.append(error)

        stepping, cancelling = threading.Thread(target=step), threading.Thread(target=env.cancel)
        stepping.start()
        gate.wait_for_step()
        cancelling.start()
        stepping.join()  # answered at once, although the step still runs
        gate.open.set()
        cancelling.join()
        assert isinstance(failures[0], Cancelled)
        with pytest.raises(InvalidInput, match="call reset first"):
            env.step(Look())
        env.reset(seed=1)
        assert env.step(Look())[4]["step"] == 1

        async def cancel() -> None:
            gate.open.clear()
            async with AsyncClient(server.url) as client:
                (session,) = await client.open(seed=1)
                running = asyncio.create_task(session.step(Look()))
                await asyncio.to_thread(gate.wait_for_step)
                cancelling = asyncio.create_task(session.cancel())
                with pytest.raises(Cancelled):
                    await running
                gate.open.set()
                await cancelling
                await session.reset()
                assert (await session.step(Look()))[4]["step"] == 1

        gate.wait_for_step()  # the second step above
        asyncio.run(cancel())
        env.close()


def test_an_episode_is_scored_and_forked_on_its_way(env: RemoteEnv) -> None:
    env.reset(seed=1)
    env.step(Scroll(point=(200, 500), dy=3))
    verdict = env.score(answer="no")
    assert isinstance(verdict, Verdict) and not verdict.success
    (fork,) = env.fork()
    try:
        assert env.last_observation is not None and fork.last_observation is not None
        assert same(env.last_observation, fork.last_observation)
        with pytest.raises(Capacity):
            env.fork(4)
        assert fork.step(Done())[2] and env.step(Look())[4]["step"] == 2
    finally:
        fork.close()


def test_frames_that_the_client_dropped_are_fetched(env: RemoteEnv) -> None:
    first, _ = env.reset(seed=1)
    pixels = np.array(first["screen"])
    del first
    env.last_observation = env._last_frame = None
    assert env._connection is not None
    env._connection._frames._pngs.clear()
    assert np.array_equal(env.step(Look())[0]["screen"], pixels)


def test_many_sessions_share_one_asynchronous_connection(server: EnvironmentServer) -> None:
    async def drive() -> None:
        async with AsyncClient(server.url) as client:
            assert (await client.server())["seats"]["all"] == 4
            group = await client.open(WORLD, seed=5, group=3, observations=("screen", "instruction"))
            assert len({session.start.fingerprint for session in group}) == 1
            assert all(same(session.observation, group[0].observation) for session in group)
            steps = await asyncio.gather(*(session.step(Look()) for session in group))
            assert [info["step"] for *_, info in steps] == [1, 1, 1]
            with pytest.raises(Capacity):
                await client.open(WORLD, group=2)
            with pytest.raises(InvalidAction, match="off the 412x915 screen"):
                await group[0].step(Click(point=(412, 0)))
            _, reward, terminated, truncated, info = await group[0].step(Done())
            assert (reward, terminated, truncated) == (0.0, True, False) and info["outcome"] == "failed"
            with pytest.raises(InvalidInput, match="call reset first"):
                await group[0].step(Look())
            observation, info = await group[0].reset(seed=5)
            assert same(observation, group[1].observation) and info["world"] == group[1].start.world
            await group[2].close()
            await client.open(WORLD)

    asyncio.run(drive())
