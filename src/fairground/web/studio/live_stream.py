"""WebSocket stream and screenshot of a seat."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Final

from fastapi import APIRouter, Request, Response, WebSocket, WebSocketDisconnect
from starlette.concurrency import run_in_threadpool

from fairground.arena import Refused
from fairground.core import ScreenError
from fairground.web.viewing import Viewer
from fairground.web.visit import Here, site_of, visitor_of

MAX_VIEWERS: Final = 16
"""Maximum number of pages that show one seat."""

router = APIRouter(include_in_schema=False)


@router.websocket("/seats/{seat}/stream")
async def stream(websocket: WebSocket, seat: str) -> None:
    """Stream a seat to a person who may watch it, and take input from a person who may use it (see `viewing`)."""
    person = visitor_of(websocket).person
    await websocket.accept()
    try:
        hosted = await run_in_threadpool(site_of(websocket).house.seen_by, seat, person)
    except Refused as error:
        await websocket.close(4404, error.message)
        return
    # the middleware limits the number of WebSockets per person
    if len(hosted.viewers) >= MAX_VIEWERS and person.id != hosted.owner:
        await websocket.close(4429, f"{MAX_VIEWERS} viewers are connected, the maximum")
        return
    viewer = Viewer(websocket, hosted.watcher, control=hosted.may_drive(person), steer=hosted.steer)
    hosted.viewers.add(viewer)
    try:
        with contextlib.suppress(WebSocketDisconnect):
            await viewer.serve(hosted.hello(person))
    except ScreenError as error:  # it was closed in the meantime
        await websocket.close(4404, error.message)
    finally:
        hosted.viewers.discard(viewer)


@router.get("/seats/{seat}/screenshot.png")
async def screenshot(request: Request, visitor: Here, seat: str) -> Response:
    """Return a screenshot of a seat."""
    hosted = await run_in_threadpool(site_of(request).house.seen_by, seat, visitor.person)
    image = await asyncio.wrap_future(hosted.watcher.picture())
    return Response(image, media_type="image/png", headers={"Content-Disposition": 'inline; filename="seat.png"'})
