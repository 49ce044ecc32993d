"""The HTTP API below /v1, and health and metrics."""

from __future__ import annotations

import asyncio
import functools
import json
from typing import Annotated, Any, Final

from pydantic import Field, TypeAdapter
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from fairground import __version__
from fairground.core import Action, InvalidInput, parse_json, unknown
from fairground.remote.calls import Answer, Calls
from fairground.remote.errors import Capacity, TooLarge, to_wire
from fairground.remote.protocol import MAX_MESSAGE, REQUESTS
from fairground.remote.sessions import Sessions
from fairground.worlds import Selection, forking_of
from fairground.worlds.selection import Part

BODY_SECONDS: Final = 30.0
"""How long a client may take to send the body of a request."""

_FORKING: Final = ("none", "replay", "exact")  # the server as a whole forks as its weakest app does
_PATHS: Final = tuple(method for method in REQUESTS if method not in ("open", "close"))


def routes(calls: Calls) -> list[BaseRoute]:
    """Return the routes of the HTTP API."""
    sessions = calls.sessions

    async def opened(request: Request, answer: Answer) -> Response:
        if await request.is_disconnected():  # nobody learns the ids, so nobody could close them
            for start in answer.data["sessions"]:
                await sessions.close(start["session"], "disconnect")
        return _json(answer.data, 201)

    async def open_sessions(request: Request) -> Response:
        return await opened(request, await calls.call("open", None, await read_object(request), None))

    async def call_session(request: Request) -> Response:
        method = request.path_params["method"]
        if method not in _PATHS:
            raise unknown("method", method[:60], _PATHS)
        answer = await calls.call(method, request.path_params["session"], await read_object(request), None)
        return await opened(request, answer) if method == "fork" else _json(answer.data)

    async def close_session(request: Request) -> Response:
        await calls.call("close", request.path_params["session"], {}, None)
        return Response(status_code=204)

    async def frame(request: Request) -> Response:
        digest = request.path_params["digest"]
        tag = f'"{digest}"'
        picture = calls.pictures.get(digest)
        if picture is None:
            error = InvalidInput(f"there is no frame {digest[:60]!r}; the server keeps the last ones only")
            return problem(error, 404)
        headers = {"ETag": tag, "Cache-Control": "private, max-age=31536000, immutable"}
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        calls.metrics.frames_sent += 1
        calls.metrics.frame_bytes += len(picture.png)
        return Response(picture.png, media_type="image/png", headers=headers)

    async def server(_: Request) -> Response:
        return _json(await asyncio.to_thread(describe, sessions))

    async def health(_: Request) -> Response:
        ready = sessions.accepting
        return _json({"status": "healthy" if ready else "closing"}, 200 if ready else 503)

    async def metrics(_: Request) -> Response:
        gauges = {
            "seats": ("Seats in all.", float(sessions.host.seats)),
            "seats_in_use": ("Seats in use, also by sessions that are opening or closing.", float(sessions.in_use)),
            "sessions": ("Open sessions.", float(sessions.count)),
        }
        return PlainTextResponse(calls.metrics.text(gauges), media_type="text/plain; version=0.0.4")

    return [
        Route("/v1/sessions", open_sessions, methods=["POST"]),
        Route("/v1/sessions/{session}", close_session, methods=["DELETE"]),
        Route("/v1/sessions/{session}/{method}", call_session, methods=["POST"]),
        Route("/v1/frames/{digest}", frame, methods=["GET"]),
        Route("/v1/server", server, methods=["GET"]),
        Route("/health", health, methods=["GET"]),
        Route("/metrics", metrics, methods=["GET"]),
    ]


def describe(sessions: Sessions) -> dict[str, Any]:
    """Return what a server offers."""
    parts = sessions.served.parts
    forks = _forking(sessions.served) if sessions.host.forks else dict.fromkeys(_apps(sessions.served), "none")
    sizes = {part.name: part.suite.app(part.scenario.app).screen.size for part in parts}
    return {
        "version": __version__,
        "worlds": [
            {
                "name": part.name,
                "configurations": len(part),
                "kind": part.scenario.kind,
                "size": sizes[part.name],
                "fork": forks[part.suite.name, part.scenario.app],
            }
            for part in parts
        ],
        "seats": {"all": sessions.host.seats, "in_use": sessions.in_use},
        "size": next(iter(sizes.values())) if len(set(sizes.values())) == 1 else None,
        "lease": sessions.lease,
        "split": sessions.side,
        "observations": sessions.observations,
        "actions": ACTION_SCHEMA,
        "capabilities": {"fork": min(forks.values(), key=_FORKING.index), "score": True, "group": True},
    }


@functools.lru_cache(maxsize=4)
def _forking(served: Selection) -> dict[tuple[str, str], str]:
    return {app: forking_of(part.world(0)) for app, part in _apps(served).items()}


def _apps(served: Selection) -> dict[tuple[str, str], Part]:
    """The apps of a selection, each with one of its scenarios."""
    return {(part.suite.name, part.scenario.app): part for part in served.parts}


ACTION_SCHEMA: Final[dict[str, Any]] = TypeAdapter(Annotated[Action, Field(discriminator="kind")]).json_schema()
"""JSON schema of actions."""


async def read_object(request: Request) -> dict[str, Any]:
    """Return the JSON object in the body. An empty body is an empty object.

    Raises:
        TooLarge: The body is larger than `MAX_MESSAGE`.
        InvalidInput: The body is not a JSON object, or did not arrive within `BODY_SECONDS`.
    """
    chunks, size = [], 0
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for chunk in request.stream():
                size += len(chunk)
                if size > MAX_MESSAGE:
                    raise TooLarge(f"the body is larger than {MAX_MESSAGE:,} bytes")
                chunks.append(chunk)
    except TimeoutError:
        raise InvalidInput(f"the body did not arrive within {BODY_SECONDS:g} s") from None
    except ClientDisconnect:
        raise InvalidInput("the client left before its body was complete") from None
    body = b"".join(chunks)
    data = parse_json(body, where="body") if body else {}
    if not isinstance(data, dict):
        raise InvalidInput(f"body: expected a JSON object, got {type(data).__name__}")
    return data


def problem(error: BaseException, status: int | None = None) -> Response:
    """Return the response to a call that failed."""
    usual, body = to_wire(error)
    headers = {}
    if isinstance(error, Capacity):
        headers["Retry-After"] = str(int(error.retry_after) + 1)
    if isinstance(error, TooLarge):
        headers["Connection"] = "close"  # the rest of the body is not read
    return _json({"error": body}, status or usual, headers)


def _json(data: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return Response(text.encode("utf-8", "replace"), status, headers, "application/json")
