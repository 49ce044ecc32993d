"""Several seats in one Chromium: less memory per seat and a faster start, but less isolation between them."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from typing import Any, Final, NoReturn, cast

from fairground.core import SandboxError
from fairground.sandbox import FileInfo, Limits, Sandbox, SandboxSpec, open_sandbox
from fairground.screen import Browser, CdpScreen
from fairground.worlds.app import App, World
from fairground.worlds.renewing import sets_up
from fairground.worlds.seat import OpenScreen, Seat, launch
from fairground.worlds.stages import prepare

_NOTE: Final = "the seat shares its browser with other seats"


class SharedBrowser:
    """One Chromium in one sandbox, with one browser context per seat.

    Each seat has its own cookies, storage and caches, and its pages can connect only to its own server. The seats share
    the browser: if it crashes, all of them end, and a page that escapes its renderer process could access the others.
    For apps that are a page with a server on the host. Downloads are refused. Each seat may be used in its own thread.

    Args:
        runner: Which runner creates the sandbox.
        limits: Limits of the sandbox, for all seats together.
    """

    def __init__(self, *, runner: str | None = None, limits: Limits | None = None) -> None:
        self._sandbox = open_sandbox(SandboxSpec(limits=limits or Limits()), runner=runner)
        try:
            self._browser = Browser(self._sandbox)
        except BaseException:
            self._sandbox.discard()
            raise

    @property
    def alive(self) -> bool:
        """Whether the browser runs."""
        return self._sandbox.alive and self._browser.alive

    def open_seat(self, world: World) -> Seat:
        """Open a seat at this world in the shared browser.

        Raises:
            SandboxError: The world cannot share a browser. Other errors are those of the function `open_seat`.
        """
        if not can_share(world):
            raise SandboxError(
                f"{world.id} cannot share a browser: it is not a page, or needs its own files, settings or network",
                fix="open it with open_seat",
            )
        place = _Place(self._sandbox)

        def open_screen() -> OpenScreen:
            listen, size = self._sandbox.listen, world.app.screen.size
            place.screen = self._browser.open_page(size, listen=listen, own_clipboard=True)
            return place.screen, {}, place.screen.close

        return launch(world, prepare(world, runner=self._sandbox.runner), cast(Sandbox, place), open_screen)

    def memory_bytes(self) -> int:
        """Memory in use by the browser with all its pages."""
        return self._sandbox.memory_bytes()

    def close(self) -> None:
        """End the browser. Close the seats first. Calling it twice is allowed."""
        self._browser.close()
        self._sandbox.discard()

    def __enter__(self) -> SharedBrowser:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def can_share(world: World) -> bool:
    """Whether a world's seat needs nothing in its sandbox but a page."""
    app = world.app
    plain = app.install_script is None and type(app).configure is App.configure and app.network == "none"
    return plain and app.screen.renewable and not sets_up(world) and not app.env(world)


class _Place:
    """The sandbox of a seat in a shared browser: only its page and its server."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.runner, self.isolated, self.home = sandbox.runner, sandbox.isolated, sandbox.home
        self.notes = (*sandbox.notes, _NOTE)
        self.screen: CdpScreen | None = None
        self._sandbox = sandbox
        self._open = threading.Event()
        self._open.set()
        self._left = False

    @property
    def frozen(self) -> bool:
        return not self._open.is_set()

    @property
    def alive(self) -> bool:
        return not self._left and self._sandbox.alive

    def listen(self, port: int = 0) -> socket.socket:
        if self.screen is None or port:
            raise SandboxError("a seat in a shared browser has one server, on a port that it cannot choose")
        return _Gate(self.screen.take_server(), self._open)

    def list_files(self, path: str = "~", *, limit: int = 100_000) -> list[FileInfo]:
        return []

    def freeze(self) -> None:
        self._open.clear()
        if self.screen is not None:
            self.screen.freeze()

    def thaw(self) -> None:
        if self.screen is not None and self.frozen:
            self.screen.thaw()
        self._open.set()

    def cpu_seconds(self) -> float:
        return self._sandbox.cpu_seconds()

    def at_work(self) -> int:
        return self._sandbox.at_work()

    def memory_bytes(self) -> int:
        return self._sandbox.memory_bytes()

    def discard(self) -> None:
        self._left = True
        self._open.set()

    def __getattr__(self, name: str) -> Callable[..., NoReturn]:
        if name not in ("run", "start", "read_file", "write_file", "connect"):
            raise AttributeError(name)

        def refuse(*_: Any, **__: Any) -> NoReturn:
            raise SandboxError(f"{name}: a seat in a shared browser has no files or programs", fix="use open_seat")

        return refuse


class _Gate(socket.socket):
    """A listening socket that accepts no connection while its seat is frozen."""

    def __init__(self, server: socket.socket, gate: threading.Event) -> None:
        super().__init__(fileno=server.detach())
        self._gate = gate

    def accept(self) -> tuple[socket.socket, Any]:
        connection = super().accept()
        self._gate.wait()
        return connection

    def shutdown(self, how: int, /) -> None:
        self._gate.set()  # unblocks waiting threads, so that they end
        super().shutdown(how)
