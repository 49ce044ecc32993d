"""The same moves in a real browser and over HTTP end in the same database, to the byte."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fairground.agents.oracle import carry_out
from fairground.core import Answer, AppError, Configuration, Done
from fairground.verify import judge
from fairground.worlds import Seat, World, open_seat
from fairground_pocket import suite
from fairground_pocket.kit import PocketApp, Task

TASKS = [one for one in suite.scenarios if isinstance(one, Task)]

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def seat() -> Iterator[Seat]:
    """One seat for all: each test brings it to its configuration, whatever the app."""
    with open_seat(_world(TASKS[0], 0)) as made:
        yield made


def test_a_browser_and_the_hand_do_the_same_in_a_task_that_spans_two_apps(seat: Seat) -> None:
    _same(seat, next(one for one in TASKS if (one.app, one.name) == ("flights", "mail-code")))


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("app", [one for one in suite.apps if isinstance(one, PocketApp)], ids=lambda app: app.name)
def test_a_browser_and_the_hand_do_the_same_in_every_task(app: PocketApp) -> None:
    tasks = [one for one in TASKS if one.app == app.name]
    with open_seat(_world(tasks[0], 0)) as seat:
        for task in tasks:
            _same(seat, task)


def test_tapping_the_option_that_is_chosen_already_closes_the_sheet(seat: Seat) -> None:
    task = next(one for one in TASKS if (one.app, one.name) == ("payment", "start-recurring"))
    _go(seat, _world(task, TASKS.index(task)))
    screen = seat.screen
    screen.evaluate("location.href = '/payment/recurring/new'")  # type: ignore[attr-defined]
    screen.settle()
    field = screen.evaluate("document.querySelector('.sheet[data-picks]:has(input:checked)').id")  # type: ignore[attr-defined]
    screen.evaluate(f"location.hash = {field!r}")  # type: ignore[attr-defined]
    screen.evaluate("document.querySelector('.sheet:target input:checked').closest('label').click()")  # type: ignore[attr-defined]
    assert screen.evaluate("location.hash") == ""  # type: ignore[attr-defined]


def test_an_error_of_the_app_is_an_error_and_never_a_score(seat: Seat) -> None:
    _go(seat, _world(TASKS[0], 0))
    seat.keep["pocket"].phone.database("email").close()
    seat.screen.evaluate("fetch(location.href).then(() => 1)")  # type: ignore[attr-defined]
    with pytest.raises(AppError, match="closed database"):
        seat.capture()


def _same(seat: Seat, task: Task) -> None:
    world = _world(task, TASKS.index(task))
    _go(seat, world)
    said = None
    for turn in carry_out(seat, task.oracle(world, seat.before)):
        if isinstance(turn.action, Done | Answer):
            said = turn.action.text if isinstance(turn.action, Answer) else None
            break
        seat.screen.act(turn.action)
        seat.screen.settle()
    after = seat.capture()
    assert judge(world, seat.before, after, said).success, world.id
    rehearsal = world.app.rehearse(world)
    assert rehearsal is not None
    rehearsal.play(task.oracle(world, rehearsal.before))
    assert rehearsal.before == seat.before and rehearsal.state() == after, world.id
    rehearsal.close()


def _go(seat: Seat, world: World) -> None:
    assert world.app.reset(seat, world)
    seat.world, seat.before = world, world.app.capture(seat, world)


def _world(task: Task, number: int) -> World:
    app = suite.app(task.app)
    axes = (task.instances, app.profiles, app.themes, app.ui_states)
    instance, profile, theme, ui_state = (list(axis)[number % len(axis)] for axis in axes)
    names = {"instance": instance, "profile": profile, "theme": theme, "ui_state": ui_state}
    return World.of(suite, Configuration(suite=suite.name, app=task.app, scenario=task.name, **names))
