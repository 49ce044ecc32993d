"""A web server on a thread of its own: started when it answers, stopped when it has ended."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import socket
import threading
import time
from collections.abc import Callable
from typing import Final

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from fairground.core import InfrastructureError
from fairground.web.ports import listen

_READY_SECONDS: Final = 20.0
_POLL: Final = 0.005


class Exposed(UserWarning):
    """Said when something can be reached from other machines."""


class Listening:
    """Serves an ASGI app.

    Args:
        app: What answers.
        host: Where to listen.
        port: 0 takes any that is free.
        max_message: Bytes of a WebSocket message, at most.
        head_seconds: How long a connection may take to say what it asks for, up to twice that.
    """

    def __init__(
        self,
        app: ASGIApp,
        host: str = "127.0.0.1",
        port: int = 0,
        *,
        max_message: int = 1 << 20,
        head_seconds: float = 20.0,
    ) -> None:
        self._listener = listen(host, port)
        name = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
        self.url = f"http://{name}:{self._listener.getsockname()[1]}/"
        self._server = _Server(
            uvicorn.Config(
                app,
                lifespan="off",
                http=_prompt(head_seconds),
                ws="websockets-sansio",
                ws_max_size=max_message,
                ws_per_message_deflate=False,  # pictures are small already
                log_config=None,
                log_level="warning",  # below, it would log addresses, and so their secrets
                access_log=False,
                server_header=False,
                date_header=False,
                timeout_graceful_shutdown=5,
            )
        )
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._serve, name="fairground-web", daemon=True)

    def start(self) -> None:
        """Returns when it answers. Raises `InfrastructureError` when it does not."""
        self._thread.start()
        deadline = time.monotonic() + _READY_SECONDS
        while not self._server.started:
            self.check()
            if time.monotonic() > deadline:
                self.stop()
                raise InfrastructureError(f"the web server did not start within {_READY_SECONDS:g} s")
            time.sleep(_POLL)  # between two looks: uvicorn tells nobody that it has started

    def check(self) -> None:
        """Raises `InfrastructureError` when the server has ended by itself."""
        if not self._thread.is_alive():
            raise InfrastructureError("the web server ended by itself") from self._failure

    def stop(self) -> None:
        """Ends it, and returns when it has; may be called twice."""
        self._server.ask_to_exit()
        if self._thread.is_alive():
            self._thread.join()

    def __enter__(self) -> Listening:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _serve(self) -> None:
        with contextlib.closing(self._listener):
            try:
                self._server.run(sockets=[self._listener])
            except BaseException as error:  # `check` says it
                self._failure = error


class _Server(uvicorn.Server):
    """Uvicorn's server, without its poll: `ask_to_exit` wakes it up."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._lock = threading.Lock()
        self._wake: Callable[[], object] | None = None

    def ask_to_exit(self) -> None:
        """May be called from any thread, before it has started and after it has ended too."""
        with self._lock:
            self.should_exit = True
            if self._wake is not None:
                self._wake()

    async def main_loop(self) -> None:
        await self.on_tick(0)
        told = asyncio.Event()
        with self._lock:
            if self.should_exit:
                return
            self._wake = functools.partial(asyncio.get_running_loop().call_soon_threadsafe, told.set)
        try:
            await told.wait()
        finally:
            with self._lock:
                self._wake = None

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        # asyncio leaks a connection that it accepted right before its server is closed, so that is let in first.
        for listener in sockets or ():
            asyncio.get_running_loop().remove_reader(listener)
        for _ in range(2):  # it is attached to the server, and then its protocol is told
            await asyncio.sleep(0)
        await super().shutdown(sockets)


def _prompt(seconds: float) -> type[asyncio.Protocol]:
    """Uvicorn's own protocol, without its patience with connections that never say what they ask for.

    Always the one of h11, which limits heads; the other that uvicorn might find installed does not.
    """

    class Prompt(H11Protocol):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._look_later(None)

        def _look_later(self, waiting: object) -> None:
            self.loop.call_later(seconds, self._look, waiting)

        def _look(self, waiting: object) -> None:
            """Ends what was owed no answer from one look to the next: it has not asked, or was answered long ago."""
            if self.transport.is_closing() or self.transport.get_protocol() is not self:
                return
            now = (self.cycle,) if self.conn.our_state in (h11.IDLE, h11.DONE) else None
            if now is not None and now == waiting:
                self.transport.close()
                return
            self._look_later(now)

    return Prompt
