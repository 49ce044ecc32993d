"""A text editor as a world, with an inspector: small enough for every item of the checklist."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from fairground.core import Check, Configuration, State
from fairground.sandbox import Sandbox
from fairground.verify import contains, equal, unchanged
from fairground.worlds import App, Enter, Inspector, Move, Press, Scenario, Seat, Suite, World

NOTE = "~/note.txt"
inspector = Inspector("jotter", channels={"file": "the saved note"})


@inspector.query("content")
def lines(state: State, first: int = 1) -> list[str]:
    """The lines of the note.

    Args:
        first: The number of the first that is wanted.
    """
    return state.text(NOTE).splitlines()[first - 1 :]


@inspector.check("content")
def check_line(state: State, text: str) -> Check:
    """Whether a line of the note is this text.

    Args:
        text: All of the line.
    """
    return contains("the line is there", text, lines(state))


class Jotter(App):
    """mousepad with a note."""

    name = "jotter"
    title = "Jotter"
    packages = ("mousepad",)
    profiles: ClassVar[Mapping[str, Mapping[str, Any]]] = {"milk": {"note": "milk"}, "rice": {"note": "rice"}}
    recorded = (NOTE,)
    inspector = inspector

    def setup(self, sandbox: Sandbox, world: World) -> None:
        sandbox.write_file(NOTE, f"{world.profile['note']}\n".encode())

    def launch(self, seat: Seat) -> None:
        seat.start(["mousepad", f"{seat.sandbox.home}/note.txt"])
        seat.wait_window("note.txt")


class Careless(Jotter):
    """With every fault that a seat can have: a second window, chance, and something kept on the host."""

    _seats: ClassVar[Any] = itertools.count(1)

    def setup(self, sandbox: Sandbox, world: World) -> None:
        number = next(self._seats)
        sandbox.write_file(NOTE, f"seat {number}\n".encode())
        sandbox.write_file(f"~/kept-{'x' * number}.txt", b"")

    def launch(self, seat: Seat) -> None:
        super().launch(seat)
        seat.sandbox.start(["xterm", "-T", "Welcome"], env=seat.env)
        seat.wait_window("Welcome")


class AddLine(Scenario):
    """One line more."""

    name = "add-line"
    app = "jotter"
    template = "Add the line {line} at the end of the note, and save it."
    instances: ClassVar[Mapping[str, Mapping[str, Any]]] = {"tea": {"line": "tea"}}

    def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        line = world.parameters["line"]
        return [
            contains("the line is there", line, lines(after)),
            equal("it is the last", line, (lines(after) or [""])[-1]),
            unchanged("the other lines", dict(enumerate(lines(before))), dict(enumerate(lines(after)[:-1]))),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        return [Press("ctrl+end"), Enter(str(world.parameters["line"])), Press("ctrl+s")]


class Given(AddLine):
    """A task that is half done when it begins, and that nobody has solved."""

    name = "given"
    instances: ClassVar[Mapping[str, Mapping[str, Any]]] = {"milk": {"line": "milk"}}
    oracle = Scenario.oracle


def suite(app: App | None = None, *scenarios: Scenario) -> Suite:
    """A suite of the one app."""
    return Suite("scraps", "Scraps", "1", (app or Jotter(),), scenarios or (AddLine(),), origin="test")


def world(profile: str = "milk") -> World:
    """A world of the jotter."""
    axes = {"theme": "default", "ui_state": "default", "profile": profile}
    names = {"suite": "scraps", "app": "jotter", "scenario": "add-line", "instance": "tea"}
    return World.of(suite(), Configuration(**names, **axes))
