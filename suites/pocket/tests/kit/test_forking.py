"""Forks of an episode on the phone: the same state, and independent of the original."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from fairground.agents.oracle import carry_out
from fairground.core import Action, Click, Done, Key, KeyDown, Scroll, Type
from fairground.env import FairgroundEnv
from fairground.worlds import App, ForkFailed, Move, Seat, SharedBrowser, World, resolve
from fairground_pocket import suite

from .test_seats import world_of

pytestmark = pytest.mark.process
BACK, FORWARD, TAB = (Key(keys=(name,)) for name in ("back", "forward", "tab"))


class Source:
    """Seats that share one browser."""

    def __init__(self, browser: SharedBrowser) -> None:
        self._browser = browser

    def take(self, kind: World, timeout: float = 120.0) -> Seat:
        return self._browser.open_seat(kind)


@pytest.fixture(scope="module")
def source() -> Iterator[Source]:
    with SharedBrowser() as browser:
        yield Source(browser)


@pytest.fixture
def notes(source: Source) -> Iterator[FairgroundEnv]:
    env = FairgroundEnv(resolve("pocket/notes/pin-and-label"), pool=source)
    env.reset(seed=1)
    yield env
    env.close()


def test_forks_take_different_routes_and_the_original_still_passes(notes: FairgroundEnv) -> None:
    moves = moves_of(notes)
    play(notes, moves[:-1])
    assert notes.forking == "exact" and notes.score().success is False
    passes, fails = notes.fork(2)
    try:
        assert notes.observation is not None and notes.seat is not None
        for fork in (passes, fails):
            assert fork.observation is not None and fork.seat is not None and fork.seat is not notes.seat
            assert fork.observation.frame == notes.observation.frame and fork.observation.step == notes.observation.step
            assert fork.world == notes.world and fork.seat.fingerprint == notes.seat.fingerprint
            assert fork.seat.capture() == notes.seat.capture()
        untouched = notes.seat.capture()
        assert finish(passes, moves[-1:]) == 1.0
        assert fails.step(Done())[1] < 1.0
        assert notes.seat.capture() == untouched
        assert finish(notes, moves[-1:]) == 1.0
    finally:
        passes.close()
        fails.close()


def test_a_fork_has_unsent_text_the_caret_the_clipboard_and_the_history(notes: FairgroundEnv) -> None:
    notes.step(tap(notes, "New note"))
    for action in (Type(text="kept words"), Key(keys=("ctrl", "a")), Key(keys=("ctrl", "c")), Key(keys=("home",))):
        notes.step(action)
    same_after(notes, Key(keys=("ctrl", "v")), TAB, Type(text="body"), BACK, FORWARD)


def test_a_page_that_answers_a_form_is_copied_and_the_form_is_not_sent_again(notes: FairgroundEnv) -> None:
    notes.step(tap(notes, "New note"))
    notes.step(tap(notes, "Save"))  # refused: it has no title
    assert notes.seat is not None
    before = notes.seat.capture()
    same_after(notes, tap(notes, "Title"), Type(text="Now it has one"), Key(keys=("enter",)))
    assert notes.seat.capture() != before


def test_a_held_key_is_refused_and_the_episode_goes_on(notes: FairgroundEnv) -> None:
    notes.step(KeyDown(key="shift"))
    with pytest.raises(ForkFailed, match="held down: shift"):
        notes.fork()
    assert finish(notes, moves_of(notes)) == 1.0


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("app", [pytest.param(app, id=app.name) for app in suite.apps])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_walk_and_part_of_the_task_are_forked_and_both_pass(app: App, seed: int, source: Source) -> None:
    env = FairgroundEnv(world_of(app, 0), pool=source)
    env.reset(seed=seed)
    random = Random(seed)
    fork: FairgroundEnv | None = None
    try:
        for action in [*[None] * 4, *[BACK] * 4]:  # back to where it began: not every task starts from anywhere
            env.step(action or stroll(env, random))
        moves = moves_of(env)
        filled = [number for number, move in enumerate(moves) if type(move).__name__ == "Fill"] or range(len(moves))
        half = random.choice(list(filled)) + 1  # a form that is not sent yet, if the task has one
        play(env, moves[:half])
        (fork,) = env.fork()
        assert fork.seat is not None and env.seat is not None
        assert fork.seat.screen.grab() == env.seat.screen.grab() and fork.seat.capture() == env.seat.capture()
        assert [finish(each, moves[half:]) for each in (fork, env)] == [1.0, 1.0]
    finally:
        env.close()
        if fork is not None:
            fork.close()


def same_after(env: FairgroundEnv, *actions: Action) -> None:
    """Fork, and do the same in both: they look and are the same after each action."""
    (fork,) = env.fork()
    try:
        for action in actions:
            frames = [each.step(action)[0]["screen"].tobytes() for each in (env, fork)]
            assert frames[0] == frames[1], action
        assert env.seat is not None and fork.seat is not None
        assert env.seat.capture() == fork.seat.capture()
    finally:
        fork.close()


def moves_of(env: FairgroundEnv) -> list[Move]:
    assert env.seat is not None
    return list(env.world.scenario.oracle(env.world, env.seat.before))


def play(env: FairgroundEnv, moves: list[Move]) -> None:
    assert env.seat is not None
    for turn in carry_out(env.seat, moves):
        if not turn.action.ends:
            env.step(turn.action)


def finish(env: FairgroundEnv, moves: list[Move]) -> float:
    play(env, moves)
    return env.step(Done())[1]


def tap(env: FairgroundEnv, name: str) -> Click:
    assert env.seat is not None
    roles = ("link", "button", "textbox")
    node = next(node for node in env.seat.screen.tree().walk() if node.role in roles and node.name.startswith(name))
    return Click(point=middle(node.bounds))


def stroll(env: FairgroundEnv, random: Random) -> Action:
    """Something harmless: scroll, go back or on, move the focus, follow a link in view."""
    assert env.seat is not None
    links = [
        middle(node.bounds)
        for node in env.seat.screen.tree().walk()
        if node.role == "link" and node.bounds and 0 < middle(node.bounds)[1] < 890
    ]
    scroll = Scroll(point=(200, 500), dy=random.choice([300, -100]), unit="pixels")
    choices: list[Action] = [scroll, BACK, TAB]
    if links:
        choices += [Click(point=random.choice(links))] * 3
    return random.choice(choices)


def middle(bounds: tuple[int, int, int, int] | None) -> tuple[int, int]:
    assert bounds is not None
    return bounds[0] + bounds[2] // 2, bounds[1] + bounds[3] // 2
