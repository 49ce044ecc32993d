"""The seats themselves: a stream of pictures and input, and a picture alone."""

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
"""Pages that may show one seat at a time."""

router = APIRouter(include_in_schema=False)


@router.websocket("/seats/{seat}/stream")
async def stream(websocket: WebSocket, seat: str) -> None:
    """Shows a seat to whoever may see it, and takes input from whoever may use it (`viewing`)."""
    person = visitor_of(websocket).person
    await websocket.accept()
    try:
        hosted = await run_in_threadpool(site_of(websocket).house.seen_by, seat, person)
    except Refused as error:
        await websocket.close(4404, error.message)
        return
    if len(hosted.viewers) >= MAX_VIEWERS and person.id != hosted.owner:  # whose own windows have a limit at the door
        await websocket.close(4429, f"{MAX_VIEWERS} viewers already")
        return
    viewer = Viewer(websocket, hosted.watcher, control=hosted.may_drive(person), steer=hosted.steer)
    hosted.viewers.add(viewer)
    try:
        with contextlib.suppress(WebSocketDisconnect):
            await viewer.serve(hosted.hello(person))
    except ScreenError as error:  # it was closed just now
        await websocket.close(4404, error.message)
    finally:
        hosted.viewers.discard(viewer)


@router.get("/seats/{seat}/screenshot.png")
async def screenshot(request: Request, visitor: Here, seat: str) -> Response:
    """What a seat shows now."""
    hosted = await run_in_threadpool(site_of(request).house.seen_by, seat, visitor.person)
    image = await asyncio.wrap_future(hosted.watcher.picture())
    return Response(image, media_type="image/png", headers={"Content-Disposition": 'inline; filename="seat.png"'})
