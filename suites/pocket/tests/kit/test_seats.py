"""The same questions to every app of the phone, on seats that share a browser; and a seat that has its own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest

from fairground.core import Configuration
from fairground.verify import judge
from fairground.worlds import App, Seat, SharedBrowser, World, open_seat, renew
from fairground_pocket import suite

pytestmark = pytest.mark.conformance

QUESTIONS = {"dialog", "alertdialog", "alert"}
OWN_BROWSER = ("notes", "flights")  # an app with its own server, and one of the kit


@pytest.fixture(scope="module")
def browser() -> Iterator[SharedBrowser]:
    with SharedBrowser() as shared:
        yield shared


@pytest.mark.parametrize("app", suite.apps, ids=lambda app: app.name)
def test_an_app_opens_asks_nothing_is_renewed_and_leaves_nothing(app: App, browser: SharedBrowser) -> None:
    assert_renewed_and_left(app, browser.open_seat)


@pytest.mark.parametrize(
    "app",
    [pytest.param(app, id=app.name, marks=() if app.name in OWN_BROWSER else pytest.mark.slow) for app in suite.apps],
)
def test_an_app_in_a_browser_of_its_own_leaves_no_process(app: App) -> None:
    assert_renewed_and_left(app, open_seat)


def assert_renewed_and_left(app: App, open_: Callable[[World], Seat]) -> None:
    first, then = world_of(app, 0), world_of(app, 1)
    known = set(threading.enumerate())
    with open_(first) as seat:
        assert seat.screen.size == (412, 915) and len(seat.screen.windows()) == 1
        assert not QUESTIONS & {node.role for node in seat.screen.tree().walk()}
        assert seat.before.files or seat.before.data
        nothing = judge(first, seat.before, seat.capture())
        assert nothing.reward == 0 and nothing.integrity and not nothing.success
        before = seat.before
        assert renew(seat, then) and seat.world is then and seat.before != before
        assert renew(seat, first) and seat.before == before, "as it began"
        threads = {one for one in threading.enumerate() if one.name.startswith("pocket-")} - known
        after = seat.finish()
    assert judge(first, before, after).integrity
    for thread in threads:
        thread.join(60)
    assert threads and not any(thread.is_alive() for thread in threads) and not seat.sandbox.alive


def world_of(app: App, turn: int) -> World:
    """A task of an app that is about a change; each turn has other data, another theme and another UI state."""
    scenario = next(one for one in suite.scenarios if one.app == app.name and one.kind == "action")
    axes = (scenario.instances, app.profiles, app.themes, app.ui_states)
    instance, profile, theme, ui_state = (list(axis)[turn] for axis in axes)
    names = {"instance": instance, "profile": profile, "theme": theme, "ui_state": ui_state}
    return World.of(suite, Configuration(suite=suite.name, app=app.name, scenario=scenario.name, **names))
