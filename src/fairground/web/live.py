"""The live view of a seat: a web page that shows the seat and lets a person use it."""

from __future__ import annotations

import asyncio
import contextlib
import re
import secrets
import threading
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from fastapi import FastAPI, Response, WebSocket, WebSocketDisconnect
from fastapi.responses import JSONResponse

from fairground.core import FairgroundError, InfrastructureError
from fairground.serving import Exposed, Listening, is_loopback
from fairground.web.guard import Guard
from fairground.web.viewing import MAX_MESSAGE, Viewer, describe
from fairground.web.watching import Watched, Watcher

MAX_VIEWERS: Final = 16
_STATIC: Final = Path(__file__).parent / "static"
_SHARED: Final = ("copy_out.js", "input.js", "link.js", "screen.css", "screen.js")  # shared with the pages of the site
_TYPES: Final = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


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
    """Serve the live view of a seat until Ctrl-C, or until `stop` is set.

    Args:
        seat: The seat to show. The caller closes it.
        host: Host to listen on. Anything but loopback raises the warning `Exposed`.
        port: Port to listen on; 0 chooses a free one.
        control: If False, nobody can use the seat.
        on_ready: Called with the URL, including its token, when the server answers.
        stop: Ends the server from another thread.
        lock: Held while the screen is used. Pass your own if other code uses the screen too.
    """
    stop = stop or threading.Event()
    live = LiveServer(seat, host=host, port=port, control=control, lock=lock)
    with live as server, contextlib.suppress(KeyboardInterrupt):
        if on_ready is not None:
            on_ready(server.url)
        while not stop.wait(0.25):
            server.check()


class LiveServer:
    """The live view of a seat, served from its own threads.

    Args:
        seat: The seat to show. The caller closes it.
        host: Host to listen on.
        port: Port to listen on; 0 chooses a free one.
        control: If False, nobody can use the seat.
        lock: Held while the screen is used. Pass your own if other code uses the screen too.
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
        self._listening: Listening | None = None
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
        """The URL to open, including its token. Available after `start`."""
        if not self._url:
            raise InfrastructureError("the live view has no URL before it is started", fix="call start() first")
        return self._url

    def start(self) -> None:
        """Start the server and return when it answers. Raises `InfrastructureError` if the address is not available."""
        host, _ = self._address
        if not is_loopback(host):
            warnings.warn(
                f"the live view listens on {host}: anyone who has its URL can use the seat from other machines, and "
                "the traffic is not encrypted",
                Exposed,
                stacklevel=2,
            )
        listening = Listening(Guard(self._app(), self.token, host), *self._address, max_message=MAX_MESSAGE)
        self._watcher.start()
        try:
            listening.start()
        except BaseException:
            self._watcher.stop()
            raise
        self._listening = listening
        self._url = f"{listening.url}{self.token}/"

    def check(self) -> None:
        """Raise `InfrastructureError` if the server has exited unexpectedly."""
        if self._listening is not None:
            self._listening.check()

    def stop(self) -> None:
        """Disconnect all viewers and stop the server. Can be called twice. The seat stays open."""
        if self._listening is None:
            return
        for viewer in tuple(self._viewers):
            viewer.leave()
        self._listening.stop()
        self._watcher.stop()
        self._listening = None

    def __enter__(self) -> LiveServer:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _app(self) -> FastAPI:
        app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False)
        for path in (*sorted(_STATIC.iterdir()), *(_STATIC / "site" / name for name in _SHARED)):
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
            image = await asyncio.wrap_future(self._watcher.picture())
        except FairgroundError as error:
            return JSONResponse(describe(error), status_code=503)
        name = re.sub(r"[^a-z0-9]+", "-", self._seat.world.id.lower()).strip("-")[:80]
        name += time.strftime("-%Y%m%d-%H%M%S.png")
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response(image, media_type="image/png", headers=headers)

    async def _stream(self, websocket: WebSocket) -> None:
        await websocket.accept()
        if len(self._viewers) >= MAX_VIEWERS:
            await websocket.close(4429, f"{MAX_VIEWERS} viewers are connected, the maximum")
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
