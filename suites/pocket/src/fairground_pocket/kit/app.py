"""A pocket app as a world: launched on a phone, reset by replacing databases, rehearsed without a screen."""

from __future__ import annotations

import inspect
from abc import abstractmethod
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Final, Protocol
from typing import cast as as_a

from fairground.core import AppError, InvalidConfiguration, State
from fairground.worlds import App, ForksExactly, Move, Rehearsal, ScreenSpec, Seat, World
from fairground_pocket.kit import profiles
from fairground_pocket.kit.cast import PROFILES, Cast
from fairground_pocket.kit.changes import SUFFIX, touched
from fairground_pocket.kit.database import Database
from fairground_pocket.kit.draw import Draw
from fairground_pocket.kit.facts import look_up
from fairground_pocket.kit.forking import Answers
from fairground_pocket.kit.hand import Hand
from fairground_pocket.kit.phone import HEADERS, Phone, PhoneData
from fairground_pocket.kit.scenario import Staged, Task
from fairground_pocket.kit.serving import Server
from fairground_pocket.kit.shell import FILES
from fairground_pocket.kit.site import Site
from fairground_pocket.kit.themes import THEMES

_KEPT: Final = "pocket"
_REMEMBERED: Final = 16


class PocketApp(ForksExactly, App):
    """Base class of the phone's apps. A subclass defines its `site`, how a profile is filled, and its UI states.

    Attributes:
        site: Its pages and tables.
        ui_states: Name -> `path`, an address below the app with `{placeholders}`, and `facts`, SQL that fills them.
    """

    packages = ("chromium",)
    screen = ScreenSpec("cdp", (412, 915))
    themes: ClassVar[Mapping[str, Mapping[str, Any]]] = THEMES
    profiles: ClassVar[Mapping[str, Mapping[str, Any]]] = {name: {"cast": name} for name in PROFILES}
    ui_states: ClassVar[Mapping[str, Mapping[str, Any]]] = {"start": {"path": "/"}}
    clocks: ClassVar[tuple[str, ...]] = ("now",)
    site: ClassVar[Site]

    @abstractmethod
    def fill(self, database: Database, cast: Cast, draw: Draw) -> None:
        """Fills the empty database of a profile. The same arguments must give the same rows in the same order."""

    def source_files(self) -> Sequence[Path]:
        """The kit and the app without its scenarios, so that a new task does not change the app's fingerprint."""
        return profiles.source_files(Path(inspect.getfile(type(self))).parent)

    def content(self, profile: str) -> bytes:
        """The untouched database of a profile."""
        return profiles.load(self.site, self.fill, profile, self.sources())

    def neighbour(self, world: World, name: str) -> PocketApp:
        """Another app on the same phone."""
        app = world.suite.app(name)
        if not isinstance(app, PocketApp):
            raise InvalidConfiguration(f"{world.id}: {name} is not an app of this phone")
        return app

    def staged(self, world: World) -> Staged:
        """The databases of a configuration's apps, prepared for its task."""
        if not isinstance(world.scenario, Task):
            raise InvalidConfiguration(f"{world.id}: scenario {world.scenario.name} is not a Task of the kit")
        key = (
            world.suite.name,
            self.name,
            world.scenario.name,
            world.configuration.instance,
            world.configuration.profile,
        )
        remembered = _remembered()
        if key not in remembered or remembered[key][0] is not world.scenario:
            remembered[key] = world.scenario, world.scenario.stage(self, world)
            while len(remembered) > _REMEMBERED:
                remembered.popitem(last=False)
        return remembered[key][1]

    def launch(self, seat: Seat) -> None:
        """Serves the phone on the sandbox's own loopback interface, and opens the first screen."""
        seat.keep[_KEPT] = None
        seat.defer(lambda: _end(seat))
        self._serve(seat, seat.world)

    def reset(self, seat: Seat, world: World) -> bool:
        """Starts a new phone on a new port, so that late requests of old pages cannot reach it."""
        phone = self.phone(world)
        _end(seat)
        self._serve(seat, world, phone)
        return True

    def capture(self, seat: Seat, world: World) -> State:
        """Records the databases of the task's apps, and of any other app that was changed."""
        served = _of(seat)
        with served.server.lock:
            self._check(served)
            return self._state(served.phone, world)

    def copy_data(self, seat: Seat) -> PhoneData:
        served = _of(seat)
        with served.server.lock:
            self._check(served)
            return served.phone.copy()

    def paste_data(self, seat: Seat, data: PhoneData) -> None:
        served = _of(seat)
        with served.server.lock:
            served.phone.paste(data)

    def stand_in(self, seat: Seat, page: str | None, *, scripted: bool = False) -> None:
        _of(seat).answers.stand_in(page, scripted=scripted)

    def rehearse(self, world: World) -> Rehearsal:
        phone = self.phone(world)
        return _Rehearsal(self, world, phone)

    def phone(self, world: World) -> Phone:
        """A phone at a configuration, with all apps of the suite that belong on it."""
        contents = self.staged(world).contents
        profile = world.configuration.profile
        apps = [app for app in world.suite.apps if isinstance(app, PocketApp)]

        def content(name: str) -> bytes:
            return contents[name] if name in contents else self.neighbour(world, name).content(profile)

        phone = Phone([app.site for app in apps], world.configuration.theme, content)
        for name in contents:
            phone.database(name)
        return phone

    def start(self, phone: Phone, world: World) -> str:
        """The address at which a UI state starts."""
        state = world.ui_state
        try:
            known = look_up(phone.database(self.name), state.get("facts", {}), {})
            return f"/{self.name}{known.fill(str(state['path']))}"
        except InvalidConfiguration as error:
            raise type(error)(f"{world.id}: UI state: {error.message}", fix=error.fix) from None

    def _serve(self, seat: Seat, world: World, phone: Phone | None = None) -> None:
        phone = phone or self.phone(world)
        path = self.start(phone, world)
        answers = Answers(phone.respond, FILES, HEADERS)
        served = _Served(phone, answers, Server(seat.sandbox.listen(), answers))
        seat.keep[_KEPT] = served
        as_a(_Page, seat.screen).navigate(f"http://127.0.0.1:{served.server.port}{path}")

    def _check(self, served: _Served) -> None:
        if (fault := served.server.fault) is not None:
            raise AppError(f"{self.name} could not answer a request: {type(fault).__name__}: {fault}") from fault

    def _state(self, phone: Phone, world: World) -> State:
        profile = world.configuration.profile
        own = self.staged(world).contents
        files = {}
        for name, database in phone.opened().items():
            now = database.dump()
            app = self.neighbour(world, name)
            if name in own or touched(app.content(profile), now, app.site.free):
                files[name + SUFFIX] = now
        return State(files=files)


class _Page(Protocol):
    def navigate(self, url: str) -> object: ...


@dataclass(frozen=True)
class _Served:
    """What runs on the host for one seat: the phone and its HTTP server."""

    phone: Phone
    answers: Answers
    server: Server


class _Rehearsal:
    """A phone and a hand, without a browser."""

    def __init__(self, app: PocketApp, world: World, phone: Phone) -> None:
        self._app, self._world, self._phone = app, world, phone
        self.before = app._state(phone, world)
        self.hand = Hand(phone.respond, app.start(phone, world))

    def play(self, moves: Sequence[Move]) -> str | None:
        return self.hand.play(moves)

    def state(self) -> State:
        return self._app._state(self._phone, self._world)

    def close(self) -> None:
        self._phone.close()


def _of(seat: Seat) -> _Served:
    served = seat.keep[_KEPT]
    assert isinstance(served, _Served)
    return served


def _end(seat: Seat) -> None:
    if isinstance(served := seat.keep.get(_KEPT), _Served):
        served.server.close()
        served.phone.close()
        seat.keep[_KEPT] = None


@cache
def _remembered() -> OrderedDict[tuple[str, ...], tuple[Task, Staged]]:
    return OrderedDict()
