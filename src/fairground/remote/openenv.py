"""OpenEnv's wire protocol (0.10), so that its clients and the trainers built on them connect as they are.

A connection to `/ws` is a session; it opens with the first reset. Over HTTP, `/reset` opens a session and returns its
id in the metadata; `/step` and `/state` name it.
"""

from __future__ import annotations

import base64
import json
import logging
from collections.abc import Mapping
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket

from fairground import __version__
from fairground.core import FairgroundError, InvalidInput, parse_json, unknown
from fairground.remote.calls import Answer, Calls
from fairground.remote.errors import Capacity, SessionLost, to_wire
from fairground.remote.http_api import ACTION_SCHEMA, read_object
from fairground.remote.protocol import REQUESTS
from fairground.remote.sessions import Owner
from fairground.remote.websocket_api import send_within
from fairground.worlds import PINS

_log = logging.getLogger(__name__)

_OPENING: Final = ("world", "observations", "split", "lease")
_NOT_OURS: Final = ("episode_id", "timeout_s", "request_id")  # OpenEnv's own; they have no effect here
_METHOD_NOT_FOUND: Final = -32601


def routes(calls: Calls, send_seconds: float) -> list[BaseRoute]:
    """Return the routes of OpenEnv's API."""

    async def connect(websocket: WebSocket) -> None:
        await _serve(calls, websocket, send_seconds)

    async def reset(request: Request) -> Response:
        fields = await read_object(request)
        named = fields.pop("session", None)
        session = _Session(calls, None, _named(named) if named is not None else None)
        return JSONResponse(await session.reset(fields))

    async def step(request: Request) -> Response:
        fields = await read_object(request)
        session = _Session(calls, None, _named(fields.pop("session", None)))
        action = fields.get("action")
        if not isinstance(action, dict):
            raise InvalidInput("action: expected an object")
        return JSONResponse(await session.step(action))

    async def state(request: Request) -> Response:
        return JSONResponse(await _Session(calls, None, request.query_params.get("session")).state())

    async def schema(_: Request) -> Response:
        return JSONResponse({"action": ACTION_SCHEMA, "observation": _OBSERVATION, "state": _STATE})

    async def metadata(_: Request) -> Response:
        named = calls.sessions.served.named
        words = f"Worlds of {named} for computer-use agents: screenshots in, mouse and keyboard actions out."
        return JSONResponse({"name": "fairground", "description": words, "version": __version__})

    async def mcp(_: Request) -> Response:
        error = {"code": _METHOD_NOT_FOUND, "message": "this server has no MCP tools; see `fairground mcp`"}
        return JSONResponse({"jsonrpc": "2.0", "id": None, "error": error})

    async def openapi(_: Request) -> Response:
        return JSONResponse(_OPENAPI)

    return [
        WebSocketRoute("/ws", connect),
        Route("/reset", reset, methods=["POST"]),
        Route("/step", step, methods=["POST"]),
        Route("/state", state, methods=["GET"]),
        Route("/schema", schema, methods=["GET"]),
        Route("/metadata", metadata, methods=["GET"]),
        Route("/mcp", mcp, methods=["POST"]),
        Route("/openapi.json", openapi, methods=["GET"]),
    ]


class _Session:
    """A session as OpenEnv sees it: it opens with the first reset."""

    def __init__(self, calls: Calls, owner: Owner | None, name: str | None = None) -> None:
        self._calls, self._owner, self._name = calls, owner, name

    async def reset(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        fields = {name: value for name, value in fields.items() if name not in _NOT_OURS and value is not None}
        options = {name: fields.pop(name) for name in (*PINS, "next") if name in fields}
        more = fields.pop("options", {})
        if not isinstance(more, dict):
            raise InvalidInput(f"options: expected an object, got {type(more).__name__}")
        options |= more
        request: dict[str, Any] = {"options": options}
        if "seed" in fields:
            request["seed"] = fields.pop("seed")
        opening = {name: fields.pop(name) for name in _OPENING if name in fields}
        for name in fields:
            raise unknown("field of reset", str(name)[:60], ["seed", "options", *_OPENING, *PINS])
        if self._name is None:
            answer = await self._calls.call("open", None, request | opening, self._owner)
            start = answer.data["sessions"][0]
            self._name = start["session"]
        else:
            if "world" in opening:
                options["world"] = opening.pop("world")
            for name in opening:
                raise InvalidInput(f"{name}: expected with the first reset of a session only")
            answer = await self._calls.call("reset", self._name, request, self._owner)
            start = answer.data
        return self._result(start, start["observation"], answer, None, False, {})

    async def step(self, action: Mapping[str, Any]) -> dict[str, Any]:
        if self._name is None:
            raise InvalidInput("the episode has not begun", fix="call reset first")
        # OpenEnv's typed actions always have `metadata`.
        plain = {name: value for name, value in action.items() if name != "metadata"}
        start, _ = self._calls.sessions.facts(self._name)
        answer = await self._calls.call("step", self._name, {"action": plain}, self._owner)
        data = answer.data
        done = data["terminated"] or data["truncated"]
        info = data["info"]
        extra = {"truncated": data["truncated"], "settled": info["settled"]}
        if done:
            extra |= {name: info[name] for name in ("outcome", "ended_by")}
            extra["checks"] = info["verdict"]["checks"] if info["verdict"] else []
        return self._result(start, data["observation"], answer, data["reward"], done, extra)

    async def state(self) -> dict[str, Any]:
        start, steps = self._calls.sessions.facts(self._name) if self._name is not None else ({}, 0)
        facts = {name: start.get(name) for name in ("world", "instruction", "step_budget")}
        return {"episode_id": self._name, "step_count": steps, **facts}

    def _result(
        self,
        start: Mapping[str, Any],
        seen: Mapping[str, Any],
        answer: Answer,
        reward: float | None,
        done: bool,
        extra: dict[str, Any],
    ) -> dict[str, Any]:
        metadata = {"session": start["session"], "seed": start["seed"], **extra}
        observation: dict[str, Any] = {
            "instruction": start["instruction"],
            "world": start["world"],
            "step": seen["step"],
            "messages": seen["messages"],
            "metadata": metadata,
        }
        if answer.pictures:
            picture = answer.pictures[0]
            observation["screenshot"] = base64.b64encode(picture.png).decode("ascii")
            observation["screenshot_digest"] = picture.digest
        observation |= {name: seen[name] for name in ("cursor", "tree", "windows") if seen[name] is not None}
        return {"observation": observation, "reward": reward, "done": done, "metadata": metadata}


async def _serve(calls: Calls, websocket: WebSocket, send_seconds: float) -> None:
    """Serve a connection: one message after the other, until it ends. Then its session is closed."""
    await websocket.accept()
    owner = Owner()
    session = _Session(calls, owner)
    try:
        while (message := await websocket.receive())["type"] != "websocket.disconnect":
            try:
                answer = await _answer(session, message.get("text"))
            except Exception as error:
                if not isinstance(error, FairgroundError):
                    _log.exception("a call failed unexpectedly")
                answer = {"type": "error", "data": _error(calls, error)}
            if answer is None:
                await websocket.close()
                return
            if not await send_within(send_seconds, websocket, json.dumps(answer, ensure_ascii=False)):
                return
    finally:
        calls.sessions.leave(owner)


async def _answer(session: _Session, text: str | None) -> dict[str, Any] | None:
    """Return the answer to a message, or None if it ends the connection."""
    if text is None:
        raise InvalidInput("expected a text message, got a binary message")
    message = parse_json(text, where="message")
    if not isinstance(message, dict):
        raise InvalidInput(f"message: expected a JSON object, got {type(message).__name__}")
    kind, data = message.get("type"), message.get("data", {})
    if not isinstance(data, dict):
        raise InvalidInput(f"message.data: expected an object, got {type(data).__name__}")
    match kind:
        case "reset":
            return {"type": "observation", "data": await session.reset(data)}
        case "step":
            return {"type": "observation", "data": await session.step(data)}
        case "state":
            return {"type": "state", "data": await session.state()}
        case "close":
            return None
    raise unknown("message type", str(kind)[:60], ["reset", "step", "state", "close"])


def _error(calls: Calls, error: Exception) -> dict[str, Any]:
    """Return an error with OpenEnv's code."""
    body = to_wire(error)[1]
    code = "EXECUTION_ERROR"
    if isinstance(error, Capacity):
        code = "CAPACITY_REACHED"
        body |= {"active_sessions": calls.sessions.in_use, "max_sessions": calls.sessions.host.seats}
    elif isinstance(error, SessionLost):
        code = "SESSION_ERROR"
    elif isinstance(error, InvalidInput):
        code = "VALIDATION_ERROR"
    if body["fix"]:
        body["message"] += f"\n  fix: {body['fix']}"  # OpenEnv's client shows the message only
    return {**body, "code": code}


def _named(value: Any) -> str:
    if not isinstance(value, str):
        raise InvalidInput("session: expected the id that /reset returned in its metadata")
    return value


_TEXT: Final = {"type": "string"}
_OBSERVATION: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "instruction": {**_TEXT, "description": "the task"},
        "world": {**_TEXT, "description": "configuration id"},
        "step": {"type": "integer"},
        "messages": {"type": "array", "items": _TEXT, "description": "messages for the agent"},
        "screenshot": {**_TEXT, "contentEncoding": "base64", "contentMediaType": "image/png"},
        "screenshot_digest": _TEXT,
        "tree": {**_TEXT, "description": "the accessibility tree as indented text, if asked for"},
        "cursor": {"type": "array", "items": {"type": "integer"}},
        "windows": {"type": "array", "items": {"type": "object"}},
        "reward": {"type": ["number", "null"]},
        "done": {"type": "boolean"},
        "metadata": {"type": "object", "description": "session, seed; at the end outcome, ended_by and checks"},
    },
}
_STATE: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "episode_id": {"type": ["string", "null"], "description": "the session"},
        "step_count": {"type": "integer"},
        "world": {"type": ["string", "null"]},
        "instruction": {"type": ["string", "null"]},
        "step_budget": {"type": ["integer", "null"]},
    },
}


def _operation(words: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
    operation: dict[str, Any] = {"summary": words, "responses": {"200": {"description": "OK"}}}
    if body is not None:
        operation["requestBody"] = {"content": {"application/json": {"schema": body}}}
    return operation


def _schema(method: str) -> dict[str, Any]:
    return REQUESTS[method].model_json_schema()


_OPENAPI: Final[dict[str, Any]] = {
    "openapi": "3.1.0",
    "info": {"title": "Fairground environment server", "version": __version__},
    "paths": {
        "/v1/sessions": {"post": _operation("Open sessions", _schema("open"))},
        **{
            f"/v1/sessions/{{session}}/{method}": {"post": _operation(str(REQUESTS[method].__doc__), _schema(method))}
            for method in ("reset", "step", "score", "fork", "cancel")
        },
        "/v1/sessions/{session}": {"delete": _operation("Close a session")},
        "/v1/frames/{digest}": {"get": _operation("Get a frame as PNG")},
        "/v1/server": {"get": _operation("What the server offers")},
        "/health": {"get": _operation("Whether it can serve")},
        "/metrics": {"get": _operation("Metrics as Prometheus text")},
        "/reset": {"post": _operation("OpenEnv: open or reset a session", {"type": "object"})},
        "/step": {"post": _operation("OpenEnv: perform an action", {"type": "object", "required": ["action"]})},
        "/state": {"get": _operation("OpenEnv: state of a session")},
        "/schema": {"get": _operation("OpenEnv: JSON schemas")},
        "/metadata": {"get": _operation("OpenEnv: name and description")},
        "/mcp": {"post": _operation("OpenEnv: always a JSON-RPC error; there are no MCP tools")},
    },
}
