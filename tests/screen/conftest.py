"""Desktops in real sandboxes, and an X program of our own that says what reaches it."""

from __future__ import annotations

import struct
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from fairground.sandbox import Sandbox, SandboxSpec, namespace_support, open_sandbox
from fairground.screen import Desktop, open_desktop
from fairground.screen import xrequests as x
from fairground.screen.x11 import X11Screen
from fairground.screen.xwire import XConnection

DEADLINE = 30.0
_EVENTS = 0x3 | 0xC | 0x40 | 0x8000  # keys, buttons, motion, exposure
_KINDS = {2: "key down", 3: "key up", 4: "down", 5: "up", 6: "move"}


def until(condition: Callable[[], Any], what: str, timeout: float = DEADLINE) -> Any:
    """Waits for a condition; its value, once it is true."""
    deadline = time.monotonic() + timeout
    while not (found := condition()):
        assert time.monotonic() < deadline, f"waited {timeout:g} s for {what}"
        time.sleep(0.005)
    return found


@dataclass(frozen=True)
class Event:
    """One input event as a program gets it."""

    kind: str
    detail: int
    time: int
    x: int
    y: int
    state: int


class Client:
    """A window of an X program that runs here, outside of the sandbox. One thread at a time."""

    def __init__(self, connection: XConnection, bounds: tuple[int, int, int, int], title: str, *, ping: bool) -> None:
        self.connection = connection
        self.seen: list[Event] = []
        self.pings: list[bytes] = []
        self.window, self._gc = connection.new_id(), connection.new_id()
        left, top, width, height = bounds
        atom = connection.atoms("WM_PROTOCOLS", "_NET_WM_PING", "_NET_WM_NAME", "UTF8_STRING", "WM_NORMAL_HINTS")
        name = title.encode()
        hints = struct.pack("<18I", 1, *[0] * 17)  # the position is the user's wish
        connection.send(
            struct.pack("<BBHIIhhHHHHIIII", 1, 0, 10, self.window, connection.root, left, top, width, height, 0, 1, 0,
                        0x802, 0xFFFFFF, _EVENTS),
            struct.pack("<BBHIII", 55, 0, 4, self._gc, self.window, 0),
            _property(self.window, atom["_NET_WM_NAME"], atom["UTF8_STRING"], 8, name),
            _property(self.window, atom["WM_NORMAL_HINTS"], 41, 32, hints),
        )  # fmt: skip
        if ping:
            connection.send(
                _property(self.window, atom["WM_PROTOCOLS"], 4, 32, struct.pack("<I", atom["_NET_WM_PING"]))
            )
        connection.send(struct.pack("<BxHI", 8, 2, self.window))
        connection.sync()

    def read(self) -> list[Event]:
        """All input events so far."""
        self.connection.sync()
        while self.connection.events:
            event = self.connection.events.popleft()
            if event[0] in _KINDS:
                when, rx, ry, state = *struct.unpack_from("<I", event, 4), *struct.unpack_from("<hh4xH", event, 20)
                self.seen.append(Event(_KINDS[event[0]], event[1], when, rx, ry, state))
            elif event[0] & 0x7F == x.CLIENT_MESSAGE:
                self.pings.append(event)
        return self.seen

    def pong(self) -> None:
        """Answers the pings that have come, as a program does that has handled everything before them."""
        self.read()
        for event in self.pings:
            _window, kind, *data = struct.unpack_from("<II5I", event, 4)
            mask = x.SUBSTRUCTURE_NOTIFY | x.SUBSTRUCTURE_REDIRECT
            root = self.connection.root
            self.connection.send(x.send_message(root, root, kind, tuple(data), mask=mask))
        self.pings.clear()
        self.connection.sync()

    def fill(self, bounds: tuple[int, int, int, int], colour: int) -> None:
        """Paints a rectangle of the window."""
        self.connection.send(
            struct.pack("<BxHIII", 56, 4, self._gc, 1 << 2, colour),
            struct.pack("<BxHIIhhHH", 70, 5, self.window, self._gc, *bounds),
        )
        self.connection.sync()


def _property(window: int, name: int, kind: int, width: int, data: bytes) -> bytes:
    padded = data + bytes(-len(data) % 4)
    head = struct.pack("<BBHIIIB3xI", 18, 0, 6 + len(padded) // 4, window, name, kind, width, len(data) * 8 // width)
    return head + padded


@dataclass
class Bench:
    """A desktop in its sandbox, and what a test starts on it."""

    sandbox: Sandbox
    desktop: Desktop
    clients: list[XConnection] = field(default_factory=list)
    programs: list[Any] = field(default_factory=list)
    stop: threading.Event = field(default_factory=threading.Event)
    threads: list[threading.Thread] = field(default_factory=list)

    @property
    def screen(self) -> X11Screen:
        return self.desktop.screen

    def start(self, *argv: str) -> Any:
        program = self.sandbox.start(argv, env=self.desktop.env)
        self.programs.append(program)
        return program

    def open(self, *argv: str, title: str) -> Any:
        """Starts a program and waits until its window is there, has the focus, and has been drawn."""
        program = self.start(*argv)
        until(
            lambda: any(title in window.title and window.focused for window in self.screen.windows()),
            f"a window {title!r} of {argv[0]}",
        )
        assert self.screen.settle(DEADLINE).quiet
        return program

    def keep_busy(self) -> None:
        """Starts a program that does nothing but work, and waits until it does."""
        before = self.sandbox.cpu_seconds()
        self.start("sh", "-c", "while :; do :; done")
        until(lambda: self.sandbox.cpu_seconds() > before + 0.05, "a busy program")

    def connect(self) -> XConnection:
        connection = XConnection(self.sandbox.connect(f"/tmp/.X11-unix/X{self.desktop.display[1:]}"))
        self.clients.append(connection)
        return connection

    def client(
        self,
        bounds: tuple[int, int, int, int] = (200, 150, 600, 400),
        title: str = "client",
        *,
        ping: bool = False,
        wait: bool = True,
    ) -> Client:
        client = Client(self.connect(), bounds, title, ping=ping)
        if not wait:
            return client
        until(lambda: any(window.title == title for window in self.screen.windows()), "the client's window")
        self.screen.settle()
        client.read().clear()
        return client

    def run(self, work: Callable[[], None]) -> None:
        """Repeats something in a thread until the test ends."""

        def loop() -> None:
            while not self.stop.is_set():
                work()

        thread = threading.Thread(target=loop, daemon=True)
        self.threads.append(thread)
        thread.start()

    def clear(self) -> None:
        """Ends what the test started."""
        self.stop.set()
        for thread in self.threads:
            thread.join()
        self.stop.clear()
        self.threads.clear()
        for connection in self.clients:
            connection.close()
        for program in self.programs:
            program.kill()
        self.clients.clear()
        self.programs.clear()
        if self.screen.alive:
            self.screen.release()
            until(lambda: not self.screen.windows(), "windows to go")
            self.screen.settle()


def _open_bench(runner: str) -> Iterator[Bench]:
    if runner == "namespace" and not namespace_support().ok:
        pytest.skip("this machine allows no namespaces")
    sandbox = open_sandbox(SandboxSpec(), runner=runner)
    try:
        bench = Bench(sandbox, open_desktop(sandbox))
        try:
            yield bench
        finally:
            for connection in bench.clients:
                connection.close()
            bench.desktop.close()
    finally:
        sandbox.discard()


@pytest.fixture(scope="session")
def _shared() -> Iterator[Bench]:
    yield from _open_bench("namespace" if namespace_support().ok else "bare")


@pytest.fixture
def bench(_shared: Bench) -> Iterator[Bench]:
    """A desktop with nothing on it; shared between tests, cleared after each."""
    yield _shared
    _shared.clear()


@pytest.fixture(params=["namespace", pytest.param("bare", marks=pytest.mark.slow)])
def each_bench(request: pytest.FixtureRequest) -> Iterator[Bench]:
    """As `bench`, in each runner in turn."""
    if request.param == "namespace" and namespace_support().ok:
        yield request.getfixturevalue("bench")
    else:
        yield from _open_bench(request.param)


@pytest.fixture(params=["namespace", pytest.param("bare", marks=pytest.mark.slow)])
def own_bench(request: pytest.FixtureRequest) -> Iterator[Bench]:
    """A desktop that a test may break, in each runner in turn."""
    yield from _open_bench(request.param)
