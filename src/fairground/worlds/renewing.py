"""Reuse of seats: bring a seat to another world of its app, with nothing left of the previous episode."""

from __future__ import annotations

from fairground.core import FairgroundError
from fairground.screen import CdpScreen
from fairground.worlds.app import App, Scenario, World
from fairground.worlds.seat import Seat, seat_fingerprint
from fairground.worlds.stages import prepare


def renew(seat: Seat, world: World) -> bool:
    """Bring a used seat to another world, as if it had just been opened there. Returns whether that worked.

    False if the app does not support it, or if something of the previous episode may be left. In that case, close the
    seat and open a new one. Only seats whose screen is a page can be reused: the page continues in a new browser
    context, and everything else that an agent can access is checked.
    """
    try:
        return _renew(seat, world)
    except FairgroundError:
        return False  # if the error is not due to this seat, opening a new one raises it too


def _renew(seat: Seat, world: World) -> bool:
    screen = seat.screen
    if not isinstance(screen, CdpScreen) or not _alike(seat.world, world):
        return False
    stages = prepare(world, runner=seat.sandbox.runner)
    if (stages.keys, stages.layers, stages.packages) != (seat.stages.keys, seat.stages.layers, seat.stages.packages):
        return False
    seat.thaw()
    if not seat.alive or seat.files_changed():
        return False
    screen.renew()
    if not world.app.reset(seat, world):
        return False
    seat.check()
    seat.world, seat.stages = world, stages
    seat.fingerprint = seat_fingerprint(world, stages, seat.sandbox)
    seat.before = seat.capture()
    return True


def _alike(old: World, new: World) -> bool:
    """Whether `App.reset` can handle all differences between the seats of two worlds."""
    if (old.suite.name, old.suite.origin, old.app.name) != (new.suite.name, new.suite.origin, new.app.name):
        return False
    return old.app.env(old) == new.app.env(new) and not sets_up(old) and not sets_up(new)


def sets_up(world: World) -> bool:
    """Whether the files of a seat depend on its configuration."""
    app, scenario = type(world.app), type(world.scenario)
    return app.setup is not App.setup or scenario.setup is not Scenario.setup
