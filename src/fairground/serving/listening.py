"""A web server in a thread. `start` returns when it answers requests, `stop` when it has ended."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import socket
import ssl
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.http11 import Request

from fairground.core import InfrastructureError, InvalidInput
from fairground.serving.ports import listen

_READY_SECONDS: Final = 20.0
_POLL: Final = 0.005


class Exposed(UserWarning):
    """Warns that a server can be reached from other machines."""


@dataclass(frozen=True)
class Tls:
    """A certificate (with its chain) and its private key, as PEM files.

    Raises:
        InvalidInput: One of them cannot be read, or they do not belong together.
    """

    certificate: Path
    key: Path

    def __post_init__(self) -> None:
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(self.certificate, self.key, _no_password)
        except (OSError, ValueError) as error:  # an SSLError is an OSError
            raise InvalidInput(
                f"the TLS certificate {self.certificate} and key {self.key} cannot be used: {error}",
                fix="pass PEM files that belong together; the key must have no password",
            ) from None


def _no_password() -> str:
    raise ValueError("the key has a password")


class Listening:
    """Serves an ASGI app.

    Args:
        app: The app.
        host: Host to listen on.
        port: Port to listen on; 0 chooses a free one.
        max_message: Maximum size of a WebSocket message in bytes.
        head_seconds: Timeout for the request line and headers. It can take effect up to this much later.
        pong_seconds: How long the peer of a WebSocket may not answer a ping before it counts as lost.
        tls: Serve https with this certificate.
    """

    def __init__(
        self,
        app: ASGIApp,
        host: str = "127.0.0.1",
        port: int = 0,
        *,
        max_message: int = 1 << 20,
        head_seconds: float = 20.0,
        pong_seconds: float = 20.0,
        tls: Tls | None = None,
    ) -> None:
        self._listener = listen(host, port)
        name = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
        self.url = f"{'https' if tls else 'http'}://{name}:{self._listener.getsockname()[1]}/"
        self._server = _Server(
            uvicorn.Config(
                app,
                lifespan="off",
                http=_prompt(head_seconds),
                ws=_AbortableWebSocket,
                ws_max_size=max_message,
                ws_ping_timeout=pong_seconds,
                ws_per_message_deflate=False,  # images are already compressed
                log_config=None,
                log_level="warning",  # lower levels would log URLs, which contain secrets
                access_log=False,
                server_header=False,
                date_header=False,
                timeout_graceful_shutdown=5,
                ssl_certfile=tls.certificate if tls else None,
                ssl_keyfile=tls.key if tls else None,
            )
        )
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._serve, name="fairground-web", daemon=True)

    def start(self) -> None:
        """Start the server and return when it answers. Raises `InfrastructureError` if it does not."""
        self._thread.start()
        deadline = time.monotonic() + _READY_SECONDS
        while not self._server.started:
            self.check()
            if time.monotonic() > deadline:
                self.stop()
                raise InfrastructureError(f"the web server did not start within {_READY_SECONDS:g} s")
            time.sleep(_POLL)  # poll interval: uvicorn has no event for "started"

    def check(self) -> None:
        """Raise `InfrastructureError` if the server has exited unexpectedly."""
        if not self._thread.is_alive():
            raise InfrastructureError("the web server exited unexpectedly") from self._failure

    def stop(self) -> None:
        """Stop the server and wait for it. Can be called twice."""
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
            except BaseException as error:  # raised by `check`
                self._failure = error


class _Server(uvicorn.Server):
    """Uvicorn's server without its polling loop: `ask_to_exit` wakes it."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._lock = threading.Lock()
        self._wake: Callable[[], object] | None = None

    def ask_to_exit(self) -> None:
        """Ask the server to exit. Thread-safe; can be called before it starts and after it ends."""
        with self._lock:
            self.should_exit = True
            if self._wake is not None:
                self._wake()

    async def main_loop(self) -> None:
        await self.on_tick(0)
        stopped = asyncio.Event()
        with self._lock:
            if self.should_exit:
                return
            self._wake = functools.partial(asyncio.get_running_loop().call_soon_threadsafe, stopped.set)
        try:
            await stopped.wait()
        finally:
            with self._lock:
                self._wake = None

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        # asyncio leaks a connection that was accepted right before its server is closed, so accept it first.
        for listener in sockets or ():
            asyncio.get_running_loop().remove_reader(listener)
        for _ in range(2):  # one iteration attaches it to the server, the next one informs its protocol
            await asyncio.sleep(0)
        await super().shutdown(sockets)


class _AbortableWebSocket(WebSocketsSansIOProtocol):
    """Uvicorn's WebSocket, with an extension `fairground.abort` of the scope, whose `call` ends it at once.

    Closing it in order waits until the client has read everything, which may be never.
    """

    def handle_connect(self, event: Request) -> None:
        super().handle_connect(event)
        if hasattr(self, "scope"):  # the handshake was accepted
            self.scope["extensions"]["fairground.abort"] = {"call": self.transport.abort}


def _prompt(seconds: float) -> type[asyncio.Protocol]:
    """Return Uvicorn's protocol class with a timeout for connections that send no complete request.

    Always the h11 implementation, which limits the size of headers; the other one that uvicorn may find does not.
    """

    class Prompt(H11Protocol):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._look_later(None)

        def _look_later(self, waiting: object) -> None:
            self.loop.call_later(seconds, self._look, waiting)

        def _look(self, waiting: object) -> None:
            """Close connections that waited for no response at two successive checks: idle, or without a request."""
            if self.transport.is_closing() or self.transport.get_protocol() is not self:
                return
            now = (self.cycle,) if self.conn.our_state in (h11.IDLE, h11.DONE) else None
            if now is not None and now == waiting:
                self.transport.close()
                return
            self._look_later(now)

    return Prompt
