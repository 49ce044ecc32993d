"""The environment server: sessions of environments over HTTP and WebSocket."""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import WebSocketRoute
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket

from fairground.core import FairgroundError, InvalidInput
from fairground.env import check_observations
from fairground.remote import http_api, openenv
from fairground.remote.calls import Calls
from fairground.remote.errors import Unauthorized
from fairground.remote.host import Host, LocalHost
from fairground.remote.http_api import problem
from fairground.remote.metrics import Metrics
from fairground.remote.protocol import MAX_MESSAGE
from fairground.remote.seats import Seats
from fairground.remote.sessions import Sessions
from fairground.remote.websocket_api import SEND_SECONDS, Connection
from fairground.remote.worker import Worker
from fairground.serving import Listening, Tls, is_loopback, is_ours, same_place, values_of
from fairground.worlds import Selection, World, select


class EnvironmentServer:
    """Serves environments over HTTP and WebSocket, from a thread. A context manager.

    Args:
        worlds: What to serve: a world, a configuration id or a prefix of one, several of these, or a selection.
        seats: How many sessions fit. A client that wants more gets the error `capacity` at once.
        host: Address to listen on. Other machines can connect to any but a loopback address; that needs a token.
        port: Port to listen on; 0 chooses a free one.
        token: Clients must send it as `Authorization: Bearer TOKEN`.
        tls: Serve https with this certificate.
        lease: Close a session after this many seconds without a call.
        place: Where the environments live. By default, threads of this process.
        share_browser: Open seats of phone apps as pages of shared browsers: less memory, less isolation.
        warm: How many seats to open in advance, in addition to `seats`, for episodes that are expected next.
        runner: Which runner creates sandboxes.
        observations: What sessions observe, unless their client asks for something else.
        side: The side of a split that `worlds` are, such as `train`. Clients may ask for it by name.
        send_seconds: Disconnect a WebSocket client that does not read a message for this long.

    Raises:
        InvalidInput: The address can be reached from other machines, and there is no token.
        InfrastructureError: The address is not available.
    """

    def __init__(
        self,
        worlds: str | World | Sequence[str | World] | Selection,
        *,
        seats: int = 1,
        host: str = "127.0.0.1",
        port: int = 0,
        token: str | None = None,
        tls: Tls | None = None,
        lease: float = 300.0,
        place: Host | None = None,
        share_browser: bool = False,
        warm: int = 0,
        runner: str | None = None,
        observations: Sequence[str] = ("screen",),
        side: str | None = None,
        send_seconds: float = SEND_SECONDS,
    ) -> None:
        if token is None and not is_loopback(host):
            raise InvalidInput(
                f"other machines can connect to {host}, so the server needs a token",
                fix="pass --token-file FILE, or set FAIRGROUND_TOKEN; or listen on 127.0.0.1",
            )
        self.served = worlds if isinstance(worlds, Selection) else select(*_listed(worlds))
        check_observations(observations)
        if place is None:
            place = _local_host(seats, Seats(seats, warm=warm, share=share_browser, runner=runner))
        self.place = place
        metrics = Metrics()
        self.sessions = Sessions(
            self.place,
            self.served,
            lease=lease,
            metrics=metrics,
            observations=observations,
            side=side,
            ahead=warm > 0,
        )
        calls = Calls(self.sessions, metrics)
        app = make_app(calls, host=host, token=token, send_seconds=send_seconds)
        self._listening = Listening(app, host, port, max_message=MAX_MESSAGE, pong_seconds=lease, tls=tls)
        self.url = self._listening.url.rstrip("/")
        """Where clients connect."""

    def start(self) -> None:
        """Start serving, and return when requests are answered."""
        self._listening.start()

    def check(self) -> None:
        """Raise `InfrastructureError` if the server has exited unexpectedly."""
        self._listening.check()

    def stop(self) -> None:
        """Answer running calls with `closing`, stop serving, and close all seats. Can be called twice."""
        self.sessions.shut()
        self._listening.stop()
        self.place.shutdown()

    def __enter__(self) -> EnvironmentServer:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def make_app(calls: Calls, *, host: str, token: str | None, send_seconds: float = SEND_SECONDS) -> ASGIApp:
    """Return the ASGI application, with its access checks."""

    async def connect(websocket: WebSocket) -> None:
        await Connection(calls, websocket, send_seconds=send_seconds).serve()

    app = Starlette(
        routes=[
            *http_api.routes(calls),
            WebSocketRoute("/v1/connect", connect),
            *openenv.routes(calls, send_seconds),
        ],
        exception_handlers={HTTPException: _on_http, FairgroundError: _on_error, Exception: _on_error},
    )
    return _Access(app, host, token)


async def _on_http(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    words = {404: "there is no such path", 405: "the path does not take this method"}
    return problem(InvalidInput(words.get(error.status_code, str(error.detail))), error.status_code)


async def _on_error(_: Request, error: Exception) -> Response:
    return problem(error)


@dataclass(frozen=True)
class _Access:
    """ASGI middleware that lets only permitted requests through.

    Pages of other sites must not use the server. Without a token, they could reach it by a name of their own that
    points here, so `Host` is checked. With a token they cannot, and clients may use any name, such as a cluster's.
    """

    app: ASGIApp
    host: str
    token: str | None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            return
        refusal = self._refusal(scope)
        if refusal is None:
            await self.app(scope, receive, send)
            return
        response = problem(refusal)
        if scope["type"] == "websocket":
            await WebSocket(scope, receive, send).send_denial_response(response)
        else:
            await response(scope, receive, send)

    def _refusal(self, scope: Scope) -> Unauthorized | None:
        hosts, origins = values_of(scope, b"host"), values_of(scope, b"origin")
        if origins and (len(origins) != 1 or len(hosts) != 1 or not same_place(origins[0], hosts[0])):
            return Unauthorized(f"requests from pages of {', '.join(origins)[:200]} are not allowed")
        if self.token is None:
            if len(hosts) != 1 or not is_ours(hosts[0], self.host):
                named = ", ".join(hosts)[:200] or "(none given)"
                return Unauthorized(f"this server does not serve the host {named}", fix="use the printed address")
            return None
        if scope["type"] == "http" and scope["path"] == "/health":
            return None
        sent = values_of(scope, b"authorization")
        expected = f"Bearer {self.token}".encode()
        if len(sent) != 1 or not hmac.compare_digest(sent[0].encode("latin-1"), expected):
            return Unauthorized(
                "the token is missing or wrong", fix="send the server's token as the header Authorization: Bearer TOKEN"
            )
        return None


def _local_host(seats: int, source: Seats) -> LocalHost:
    return LocalHost(seats, lambda observations: Worker(observations, seats=source), source.close)


def _listed(worlds: Any) -> list[str | World]:
    return [worlds] if isinstance(worlds, str | World) else list(worlds)
