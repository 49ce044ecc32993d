"""The live view of a seat: a page in the browser that shows it, and lets a person use it."""

from __future__ import annotations

import asyncio
import contextlib
import re
import secrets
import socket
import threading
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import uvicorn
from fastapi import FastAPI, Response, WebSocket, WebSocketDisconnect
from fastapi.responses import JSONResponse

from fairground.core import FairgroundError, InfrastructureError
from fairground.screen import encode_png
from fairground.web.guard import Guard, is_loopback
from fairground.web.viewing import MAX_MESSAGE, Viewer, describe
from fairground.web.watching import Watched, Watcher

MAX_VIEWERS: Final = 16
_READY_SECONDS: Final = 20.0
_POLL: Final = 0.005
_STATIC: Final = Path(__file__).parent / "static"
_TYPES: Final = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


class Exposed(UserWarning):
    """Said when a live view can be reached from other machines."""


def serve_live(
    seat: Watched,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    control: bool = True,
    on_ready: Callable[[str], None] | None = None,
    stop: threading.Event | None = None,
    lock: threading.Lock | None = None,
) -> None:
    """Serves the live view of a seat until Ctrl-C, or until `stop` is set.

    Args:
        seat: What to show; still the caller's to close.
        host: Where to listen. Anything but loopback is said aloud (`Exposed`).
        port: 0 takes any that is free.
        control: False lets nobody touch the seat, whatever the page says.
        on_ready: Gets the address, token included, once it answers.
        stop: Ends it from another thread.
        lock: Held while the screen is touched. Give yours when something else touches it too.
    """
    stop = stop or threading.Event()
    live = LiveServer(seat, host=host, port=port, control=control, lock=lock)
    with live as server, contextlib.suppress(KeyboardInterrupt):
        if on_ready is not None:
            on_ready(server.url)
        while not stop.wait(0.25):
            server.check()


class LiveServer:
    """The live view of a seat, served from threads of its own.

    Args:
        seat: What to show; still the caller's to close.
        host: Where to listen.
        port: 0 takes any that is free.
        control: False lets nobody touch the seat.
        lock: Held while the screen is touched. Give yours when something else touches it too.
    """

    def __init__(
        self,
        seat: Watched,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        control: bool = True,
        lock: threading.Lock | None = None,
    ) -> None:
        self.token = secrets.token_urlsafe(24)
        self.lock = lock or threading.Lock()
        self._seat = seat
        self._address = (host, port)
        self._control = control
        self._watcher = Watcher(seat, self.lock)
        self._viewers: set[Viewer] = set()
        self._url = ""
        self._server: uvicorn.Server | None = None
        self._thread: threading.Thread | None = None
        self._failure: BaseException | None = None
        self._hello = {
            "type": "hello",
            "size": list(seat.screen.size),
            "backend": seat.screen.backend,
            "configuration": seat.world.id,
            "instruction": seat.world.instruction,
            "control": control,
        }

    @property
    def url(self) -> str:
        """The address to open, token included; known once started."""
        if not self._url:
            raise InfrastructureError("the live view has no address before it is started", fix="call start() first")
        return self._url

    def start(self) -> None:
        """Returns when the address answers; raises `InfrastructureError` when it cannot be had."""
        host, _ = self._address
        if not is_loopback(host):
            warnings.warn(
                f"the live view listens on {host}: whoever has its address can use the seat from another machine, "
                "and anybody on the way can read it",
                Exposed,
                stacklevel=2,
            )
        listener = _listen(*self._address)
        name = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
        url = f"http://{name}:{listener.getsockname()[1]}/{self.token}/"
        config = uvicorn.Config(
            Guard(self._app(), self.token, host),
            lifespan="off",
            ws="websockets-sansio",
            ws_max_size=MAX_MESSAGE,
            ws_per_message_deflate=False,  # pictures are small already
            log_config=None,
            log_level="warning",  # below, it would log addresses, and so the token
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=5,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._serve, args=(listener,), name="fairground-live", daemon=True)
        self._watcher.start()
        self._thread.start()
        try:
            self._wait_started(self._server)
        except BaseException:
            self.stop()
            raise
        self._url = url

    def check(self) -> None:
        """Raises `InfrastructureError` when the server has ended by itself."""
        if self._thread is not None and not self._thread.is_alive():
            raise InfrastructureError("the live view ended by itself") from self._failure

    def stop(self) -> None:
        """Says goodbye to every viewer and ends; may be called twice. The seat stays open."""
        if self._server is None or self._thread is None:
            return
        for viewer in tuple(self._viewers):
            viewer.leave()
        self._server.should_exit = True
        self._thread.join()
        self._watcher.stop()
        self._server = self._thread = None

    def __enter__(self) -> LiveServer:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _wait_started(self, server: uvicorn.Server) -> None:
        deadline = time.monotonic() + _READY_SECONDS
        while not server.started:
            self.check()
            if time.monotonic() > deadline:
                raise InfrastructureError(f"the live view did not start within {_READY_SECONDS:g} s")
            time.sleep(_POLL)  # between two looks: uvicorn tells nobody that it has started

    def _serve(self, listener: socket.socket) -> None:
        assert self._server is not None
        try:
            self._server.run(sockets=[listener])
        except BaseException as error:  # `check` says it
            self._failure = error
        finally:
            listener.close()

    def _app(self) -> FastAPI:
        app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False)
        for path in sorted(_STATIC.iterdir()):
            if path.suffix in _TYPES:
                route = "/" if path.name == "live.html" else f"/{path.name}"
                app.get(route)(_file(path.read_bytes(), _TYPES[path.suffix]))
        app.get("/state")(self._state)
        app.get("/screenshot.png")(self._screenshot)
        app.websocket("/stream")(self._stream)
        return app

    async def _state(self) -> Response:
        trouble = self._watcher.view.trouble
        return JSONResponse({**self._hello, "type": "state", "trouble": trouble and describe(trouble)})

    async def _screenshot(self) -> Response:
        try:
            image = await asyncio.wrap_future(self._watcher.do(lambda screen: encode_png(screen.grab())))
        except FairgroundError as error:
            return JSONResponse(describe(error), status_code=503)
        name = re.sub(r"[^a-z0-9]+", "-", self._seat.world.id.lower()).strip("-")[:80]
        name += time.strftime("-%Y%m%d-%H%M%S.png")
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response(image, media_type="image/png", headers=headers)

    async def _stream(self, websocket: WebSocket) -> None:
        await websocket.accept()
        if len(self._viewers) >= MAX_VIEWERS:
            await websocket.close(4429, f"{MAX_VIEWERS} viewers already")
            return
        viewer = Viewer(websocket, self._watcher, control=self._control)
        self._viewers.add(viewer)
        try:
            with contextlib.suppress(WebSocketDisconnect):
                await viewer.serve(self._hello)
        finally:
            self._viewers.discard(viewer)


def _file(content: bytes, media_type: str) -> Callable[[], Any]:
    async def file() -> Response:
        return Response(content, media_type=media_type)

    return file


def _listen(host: str, port: int) -> socket.socket:
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        # Named as TCP, because asyncio sends small messages at once only on sockets that say so.
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            listener.listen()
        except OSError:
            listener.close()
            raise
    except (OSError, OverflowError) as error:
        raise InfrastructureError(
            f"cannot listen on {host} port {port}: {error}", fix="choose another port, or 0 for any that is free"
        ) from None
    return listener
