"""The WebSocket API: one connection drives any number of sessions, and gets every frame once."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import OrderedDict
from typing import Any, Final

from starlette.websockets import WebSocket, WebSocketDisconnect

from fairground.core import FairgroundError, InvalidInput, parse_json
from fairground.remote.calls import Answer, Calls
from fairground.remote.errors import to_wire
from fairground.remote.protocol import KEPT_FRAMES
from fairground.remote.sessions import Owner

_log = logging.getLogger(__name__)

SEND_SECONDS: Final = 30.0
"""How long a client may take to read a message before it is disconnected."""

_IN_FLIGHT: Final = 512  # calls of a connection that are not answered yet; more are read when some are answered


class Connection:
    """One WebSocket connection.

    Args:
        calls: The methods of the wire.
        websocket: The connection.
        send_seconds: How long the client may take to read a message.
    """

    def __init__(self, calls: Calls, websocket: WebSocket, *, send_seconds: float = SEND_SECONDS) -> None:
        self._calls, self._websocket, self._send_seconds = calls, websocket, send_seconds
        self._owner = Owner()
        self._sent: OrderedDict[str, None] = OrderedDict()
        self._writing = asyncio.Lock()
        self._room = asyncio.Semaphore(_IN_FLIGHT)
        self._tasks: set[asyncio.Task[None]] = set()

    async def serve(self) -> None:
        """Serve the connection until it ends. Then its sessions are closed."""
        await self._websocket.accept()
        try:
            while True:
                message = await self._websocket.receive()
                if message["type"] == "websocket.disconnect":
                    return
                await self._room.acquire()
                task = asyncio.create_task(self._answer(message.get("text")))
                self._tasks.add(task)
                task.add_done_callback(self._done)
        finally:
            self._calls.sessions.leave(self._owner)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._room.release()

    async def _answer(self, text: str | None) -> None:
        message, answer = await self._perform(text)
        del text  # a client that does not read may have sent many
        await self._send(message, answer)

    async def _perform(self, text: str | None) -> tuple[dict[str, Any], Answer | None]:
        """Perform the call in a message. Returns the answer as plain data, and with its frames."""
        number: Any = None
        try:
            if text is None:
                raise InvalidInput("expected a text message with a JSON object, got a binary message")
            data = parse_json(text, where="message")
            if not isinstance(data, dict):
                raise InvalidInput(f"message: expected a JSON object, got {type(data).__name__}")
            number = data.pop("id", None)
            if not isinstance(number, int) or isinstance(number, bool):
                number = None
                raise InvalidInput("message.id: expected an integer")
            method, session = data.pop("method", None), data.pop("session", None)
            if not isinstance(method, str):
                raise InvalidInput("message.method: expected a string")
            if not (session is None or isinstance(session, str)):
                raise InvalidInput("message.session: expected a string")
            answer = await self._calls.call(method, session, data, self._owner)
        except Exception as error:
            if not isinstance(error, FairgroundError):
                _log.exception("a call failed unexpectedly")
            return {"id": number, "error": to_wire(error)[1]}, None
        return {"id": number, "result": answer.data}, answer

    async def _send(self, message: dict[str, Any], answer: Answer | None) -> None:
        """Send an answer, and before it the frames that the client does not have."""
        if self._owner.gone:
            return
        messages: list[str | bytes] = [json.dumps(message, ensure_ascii=False, separators=(",", ":"))]
        async with self._writing:
            for picture in answer.pictures if answer else ():
                if picture.digest in self._sent:
                    continue
                self._sent[picture.digest] = None
                if len(self._sent) > KEPT_FRAMES:
                    self._sent.popitem(last=False)
                self._calls.metrics.frames_sent += 1
                self._calls.metrics.frame_bytes += len(picture.png)
                messages.insert(-1, picture.digest.encode() + picture.png)
            if not await send_within(self._send_seconds, self._websocket, *messages):
                self._owner.gone = True


async def send_within(seconds: float, websocket: WebSocket, *messages: str | bytes) -> bool:
    """Send messages. Returns False if the connection has ended, or ends it if the client does not read in time."""
    try:
        async with asyncio.timeout(seconds):
            for message in messages:
                await (websocket.send_text(message) if isinstance(message, str) else websocket.send_bytes(message))
        return True
    except TimeoutError:
        # Closing it in order would wait until the client reads.
        websocket.scope["extensions"]["fairground.abort"]["call"]()
    except (WebSocketDisconnect, RuntimeError):
        pass  # it ended meanwhile
    return False
