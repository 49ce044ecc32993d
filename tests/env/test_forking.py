"""Score and fork in the middle of an episode, on a desktop and on a phone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from fairground.core import Action, Done, InvalidInput, Key, Outcome, Type
from fairground.env import FairgroundEnv, environment
from fairground.env.forking import fork_seat
from fairground.worlds import ForkFailed, Forking, Seat, World, forking_of, open_seat, resolve
from tests.note_world import write_note_world

SAVE = Key(keys=("ctrl", "s"))


@pytest.fixture(scope="module")
def desktop(tmp_path_factory: pytest.TempPathFactory) -> World:
    folder = tmp_path_factory.mktemp("worlds") / "pad"
    return resolve(str(write_note_world(folder, "mousepad", "note", "mousepad", "--disable-server", "note.txt")))


@pytest.fixture
def env(desktop: World) -> Iterator[FairgroundEnv]:
    env = FairgroundEnv(desktop)
    yield env
    env.close()


@pytest.mark.process
def test_an_episode_that_is_scored_ends_as_one_that_is_not(env: FairgroundEnv) -> None:
    actions: list[Action] = [Type(text="hel"), Type(text="lo"), SAVE, Done()]
    scored, rewards = episode(env, actions, score=True)
    assert rewards == [0.0, 0.0, 1.0], "what is not saved yet does not count"
    plain, _ = episode(env, actions, score=False)
    assert scored == plain and scored[-1] == Outcome.PASSED


@pytest.mark.process
def test_a_phone_that_is_scored_ends_as_one_that_is_not_and_an_answer_is_judged() -> None:
    env = FairgroundEnv("pocket/notes/count-label")
    try:
        actions: list[Action] = [Key(keys=("tab",)), Type(text="a"), Done()]
        assert episode(env, actions, score=True)[0] == episode(env, actions, score=False)[0]
        env.reset(seed=1)
        assert env.seat is not None
        (said,) = [move.text for move in env.world.scenario.oracle(env.world, env.seat.before) if hasattr(move, "text")]
        assert env.score(said).success and not env.score("no idea").success and not env.score().success
        assert env.step(Done())[4]["outcome"] == "failed"
    finally:
        env.close()


@pytest.mark.process
def test_a_replayed_fork_continues_alone(env: FairgroundEnv) -> None:
    env.reset(seed=1)
    env.step(Type(text="hell"))
    assert env.forking == "replay"
    (fork,) = env.fork()
    try:
        assert fork.observation is not None and env.observation is not None
        assert (fork.observation.frame, fork.observation.step) == (env.observation.frame, 1)
        for each, text in ((fork, "!"), (env, "o")):
            each.step(Type(text=text))
            each.step(SAVE)
        assert [each.step(Done())[1] for each in (fork, env)] == [0.0, 1.0]
    finally:
        fork.close()


@pytest.mark.slow
def test_a_fork_takes_its_seat_from_where_the_next_one_is_opened_ahead(desktop: World) -> None:
    env = FairgroundEnv(desktop, ahead=True)
    forks: list[FairgroundEnv] = []
    try:
        env.reset(seed=1)
        env.step(Type(text="hello"))
        forks = env.fork(2)
        for each in (*forks, env):
            each.step(SAVE)
            assert each.step(Done())[1] == 1.0
        env.reset()
        assert env.step(Done())[1] == 0.0
    finally:
        for each in (env, *forks):
            each.close()


@pytest.mark.process
@pytest.mark.slow
def test_a_replay_that_differs_is_an_error_leaves_no_seat_and_the_original_goes_on(env: FairgroundEnv) -> None:
    env.reset(seed=1)
    env.step(Type(text="hello"))
    assert env.seat is not None
    taken: list[Seat] = []

    def take() -> Seat:
        taken.append(open_seat(env.world))
        return taken[-1]

    with pytest.raises(ForkFailed, match="the picture"):
        fork_seat(env.seat, [Type(text="other")], take, 1, 5.0)
    assert not taken[0].sandbox.alive
    env.step(SAVE)
    assert env.step(Done())[1] == 1.0


class Clock:
    """The environment's clock, which stands still by itself."""

    now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.mark.process
@pytest.mark.slow
def test_forks_have_used_as_much_time_and_scoring_and_forking_use_none(
    env: FairgroundEnv, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()

    def slowly(call: Callable[..., Any]) -> Callable[..., Any]:
        def slow(*given: Any) -> Any:
            clock.now += 5_000.0
            return call(*given)

        return slow

    monkeypatch.setattr(environment, "time", clock)
    for name in ("look", "fork_seat"):
        monkeypatch.setattr(environment, name, slowly(getattr(environment, name)))
    env.reset(seed=1)
    budget = env.world.scenario.time_budget
    clock.now += budget - 10.0
    env.score()
    (fork,) = env.fork()
    try:
        clock.now += 9.0
        assert [each.step({"kind": "look"})[3] for each in (env, fork)] == [False, False]
        clock.now += 2.0
        assert [each.step({"kind": "look"})[4]["ended_by"] for each in (env, fork)] == ["time_budget"] * 2
    finally:
        fork.close()


def test_what_cannot_be_scored_or_forked_says_so(desktop: World) -> None:
    env = FairgroundEnv(desktop)
    for call in (env.score, env.fork):
        with pytest.raises(InvalidInput, match="has not begun"):
            call()
    with pytest.raises(InvalidInput, match="at least 1"):
        env.fork(0)


@pytest.mark.parametrize(
    ("name", "network", "expected"),
    [("pocket/notes", "none", "exact"), ("pocket/email", "none", "exact"), ("desk/mousepad", "none", "replay"),
     ("desk/mousepad", "outbound", "none")],
)  # fmt: skip
def test_the_app_declares_how_it_is_forked(
    name: str, network: str, expected: Forking, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = resolve(name)
    monkeypatch.setattr(type(world.app), "network", network)
    assert forking_of(world) == expected


def episode(env: FairgroundEnv, actions: Sequence[Action], *, score: bool) -> tuple[list[object], list[float]]:
    """What an episode showed and left, and the rewards in between."""
    env.reset(seed=1)
    seen: list[object] = []
    rewards = []
    for action in actions:
        seen.append(env.step(action)[0]["screen"].tobytes())
        if score and env.outcome is None:
            rewards.append(env.score().reward)
    return [*seen, env.after, env.verdict, env.outcome], rewards
