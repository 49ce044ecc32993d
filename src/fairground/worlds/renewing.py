"""Seats that are used again: brought to another world of their app, with nothing left of whoever sat there before."""

from __future__ import annotations

from fairground.core import FairgroundError
from fairground.screen import CdpScreen
from fairground.worlds.app import App, Scenario, World
from fairground.worlds.seat import Seat, seat_fingerprint
from fairground.worlds.stages import prepare


def renew(seat: Seat, world: World) -> bool:
    """Brings a used seat to another world, as if it had just been opened there; says whether it is.

    False, when the app cannot, or when it cannot be made sure that nothing was left: then throw the seat away and
    open a new one. Only seats whose screen is a page can be renewed: the page goes on in a new browser context, and all
    else that an agent can reach is there to be looked at.
    """
    try:
        return _renew(seat, world)
    except FairgroundError:
        return False  # whatever it is, a new seat has it as well, or has not


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
    """Whether the seats of two worlds differ by no more than what `App.reset` brings about."""
    if (old.suite.name, old.suite.origin, old.app.name) != (new.suite.name, new.suite.origin, new.app.name):
        return False
    return old.app.env(old) == new.app.env(new) and not sets_up(old) and not sets_up(new)


def sets_up(world: World) -> bool:
    """Whether the files of a seat depend on its configuration."""
    app, scenario = type(world.app), type(world.scenario)
    return app.setup is not App.setup or scenario.setup is not Scenario.setup
