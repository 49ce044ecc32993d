"""One open page of the live view: images and input over one WebSocket.

The server sends binary messages (a big-endian 32-bit number, then a JPEG or PNG) and JSON objects with a `type`:
`hello`, `cursor`, `trouble`, `control`, `done`, `refused`, `clipboard`, `bye`. The page sends the four messages of
`Request`. A viewer gets the next image after it reports that the last one is drawn, so a slow viewer skips images but
is never behind.
"""

from __future__ import annotations

import asyncio
import contextlib
import struct
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Annotated, Any, Final, Literal, TypeAlias

from fastapi import WebSocket
from pydantic import Field, TypeAdapter

from fairground.core import (
    Action,
    FairgroundError,
    InvalidAction,
    InvalidInput,
    Key,
    KeyDown,
    KeyUp,
    MouseDown,
    MouseUp,
    Record,
    Scroll,
    parse_action,
    parse_as,
    parse_json,
)
from fairground.screen import Screen
from fairground.web.trouble import unplaced
from fairground.web.watching import View, Watcher

MAX_MESSAGE: Final = 256 * 1024  # bytes: the longest text of an action, JSON-escaped, plus some overhead
MAX_HOLD: Final = 2.0  # maximum seconds that one action may hold a key, because it blocks the screen for others
MAX_WHEEL: Final = 200  # maximum wheel clicks per action
INPUT_KINDS: Final = frozenset(
    ("click", "move", "mouse_down", "mouse_up", "scroll", "drag", "key", "key_down", "key_up", "type")
)
_WAITING: Final = 64  # maximum number of queued actions per viewer; further messages are not read until some are done
ENDS: Final = frozenset(("done", "fail", "answer"))

Steer: TypeAlias = Callable[[Action], Future[None]]
"""Executes a person's input. The future completes when it was executed, with the error if it failed."""


class Act(Record):
    """Requests an action. Answered by `done` or `refused` with the same id."""

    type: Literal["act"]
    id: int = Field(ge=0, le=2**53, strict=True)
    action: dict[str, Any]


class Drawn(Record):
    """Reports that the viewer has drawn the last image and is ready for the next."""

    type: Literal["drawn"]


class Control(Record):
    """Switches this viewer between using and viewing."""

    type: Literal["control"]
    on: bool = Field(strict=True)


class Copy(Record):
    """Requests the text that was copied last in the seat.

    Answered by `clipboard` or `refused`. Not recorded as an action.
    """

    type: Literal["copy"]


Request: TypeAlias = Act | Drawn | Control | Copy
_REQUEST: TypeAdapter[Request] = TypeAdapter(Annotated[Request, Field(discriminator="type")])


class Viewer:
    """One open page.

    Args:
        websocket: Accepted connection to the page.
        watcher: Watcher of the seat.
        control: Whether this viewer may use the seat.
        steer: Where input goes instead of the screen, in turn with the watcher: to an episode, which it can end.
    """

    def __init__(self, websocket: WebSocket, watcher: Watcher, *, control: bool, steer: Steer | None = None) -> None:
        self._websocket = websocket
        self._watcher = watcher
        self._allowed = control
        self._kinds = INPUT_KINDS if steer is None else INPUT_KINDS | ENDS
        self._steer: Steer = steer or (lambda action: watcher.do(partial(_act, action)))
        self._control = control
        self._ready = True  # wakes the sender of images
        self._leaving = False
        self._held: dict[str, MouseUp | KeyUp] = {}  # for each held key or button: the action that releases it
        self._loop = asyncio.get_running_loop()
        self._news = asyncio.Event()
        self._acts: asyncio.Queue[Act | Copy] = asyncio.Queue(_WAITING)
        self._copies: asyncio.Queue[Copy] = asyncio.Queue(1)

    def leave(self) -> None:
        """Tell the page that the view is over. Thread-safe."""
        self._leaving = True
        self._wake()

    async def serve(self, hello: dict[str, Any]) -> None:
        """Send images and execute input until either side disconnects.

        Raises:
            ScreenError: If the seat is no longer watched. Nothing has been sent to the page then.
        """
        await asyncio.wrap_future(self._watcher.add(self._wake))  # before `hello`, so that a `bye` is certain to follow
        sides: set[asyncio.Task[None]] = set()
        try:
            await self._websocket.send_json(hello)
            self._news.set()
            sides = {asyncio.create_task(side()) for side in (self._show, self._obey, self._perform, self._give)}
            await asyncio.wait(sides, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for side in sides:
                side.cancel()
            ended = await asyncio.gather(*sides, return_exceptions=True)
            self._watcher.remove(self._wake)
            self._let_go()  # a page that closes during a drag would leave the button pressed
        for result in ended:
            if isinstance(result, Exception):
                raise result

    def _wake(self) -> None:
        with contextlib.suppress(RuntimeError):  # the event loop has ended, and all viewers with it
            self._loop.call_soon_threadsafe(self._news.set)

    async def _show(self) -> None:
        shown, trouble = View(), None
        while not self._leaving:
            view = self._watcher.view
            if (found := view.trouble and {**describe(view.trouble), "blind": view.blind}) != trouble:
                trouble = found
                await self._websocket.send_json({"type": "trouble", "trouble": trouble})
            if view.cursor != shown.cursor:
                await self._websocket.send_json({"type": "cursor", "at": view.cursor})
            number = shown.number
            if view.number != number and view.image and self._ready:
                self._ready, number = False, view.number
                await self._websocket.send_bytes(struct.pack(">I", number & 0xFFFFFFFF) + view.image)
            shown = View(number=number, cursor=view.cursor)
            await self._news.wait()
            self._news.clear()
        await self._websocket.send_json({"type": "bye"})
        await self._websocket.close(1001)

    async def _obey(self) -> None:
        while True:
            message = await self._websocket.receive()
            if message["type"] != "websocket.receive":
                return
            if len(message.get("text") or message.get("bytes") or b"") > MAX_MESSAGE:
                await self._websocket.close(1009)  # for connections where the server accepts larger messages
                return
            try:
                await self._take(_parse(message.get("text")))
            except FairgroundError as error:
                await self._websocket.send_json({"type": "refused", "id": None, **describe(error)})

    async def _take(self, request: Request) -> None:
        match request:
            case Drawn():
                self._ready = True
                self._news.set()
            case Control():
                self._control = request.on and self._allowed
                if request.on and not self._allowed:
                    raise InvalidAction("this seat is view-only", fix="open it with control enabled")
                if not request.on:
                    self._let_go()
                await self._websocket.send_json({"type": "control", "on": self._control})
            case Act() | Copy():
                await self._acts.put(request)

    async def _perform(self) -> None:
        """Execute requested actions in order, without delaying images."""
        while True:
            request = await self._acts.get()
            if isinstance(request, Copy):
                with contextlib.suppress(asyncio.QueueFull):  # an action that is already waiting covers this one
                    self._copies.put_nowait(request)
                continue
            answer: dict[str, Any] = {"type": "done", "id": request.id}
            try:
                await self._act(parse_action(request.action))
            except FairgroundError as error:
                answer = {"type": "refused", "id": request.id, **describe(error)}
            await self._websocket.send_json(answer)

    async def _give(self) -> None:
        """Send the text that was copied in the seat, without delaying further input."""
        while True:
            await self._copies.get()
            try:
                self._check_control(self._control)
                clipboard = await asyncio.to_thread(self._watcher.clipboard)
                answer: dict[str, Any] = {"type": "clipboard", "text": clipboard.text, "cut": clipboard.cut}
            except FairgroundError as error:
                answer = {"type": "refused", "id": None, **describe(error)}
            await self._websocket.send_json(answer)

    def _check_control(self, has: bool) -> None:
        if not has:
            raise InvalidAction("view-only mode is on", fix="switch view-only mode off" if self._allowed else None)

    async def _act(self, action: Action) -> None:
        self._check_control(self._control or (self._allowed and action.ends))
        _limit(action, self._kinds)
        if isinstance(action, MouseDown):
            self._held[action.button] = MouseUp(button=action.button)
        elif isinstance(action, KeyDown):
            self._held[f"key {action.key}"] = KeyUp(key=action.key)
        await asyncio.wrap_future(self._steer(action))
        if isinstance(action, MouseUp):
            self._held.pop(action.button, None)
        elif isinstance(action, KeyUp):
            self._held.pop(f"key {action.key}", None)

    def _let_go(self) -> None:
        """Release what this viewer holds. Not `Screen.release`, because other viewers may hold keys too."""
        for action in self._held.values():
            self._steer(action)
        self._held.clear()


def _act(action: Action, screen: Screen) -> None:
    screen.act(action)


def describe(error: FairgroundError) -> dict[str, Any]:
    """Return an error as a message for the page."""
    return {"error": type(error).__name__, "message": unplaced(error.message), "fix": error.fix}


def _parse(text: str | None) -> Request:
    if text is None:
        raise InvalidInput("message: expected text, got bytes")
    data = parse_json(text, where="message")
    return parse_as(_REQUEST, data, where="message")


def _limit(action: Action, kinds: frozenset[str]) -> None:
    """Reject actions that no person would do and that would block the screen for others."""
    if action.kind not in kinds:
        raise InvalidAction(
            f"action.kind: {action.kind} is not an input action", fix=f"one of {', '.join(sorted(kinds))}"
        )
    if isinstance(action, Key) and action.seconds > MAX_HOLD:
        problem = f"action.seconds: {action.seconds:g}; the maximum here is {MAX_HOLD:g}"
        raise InvalidAction(problem, fix="use key_down and key_up")
    if isinstance(action, Scroll) and max(map(abs, action.clicks())) > MAX_WHEEL:
        raise InvalidAction(f"action: {action.clicks()} wheel clicks; the maximum here is {MAX_WHEEL} at once")
