"""What clients send, and what they make of answers: typed errors, observations as the local environment has them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from fairground.core import FairgroundError, Frame, InfrastructureError, InvalidInput, unknown
from fairground.env import as_element
from fairground.remote.errors import ErrorBody, RemoteError, TooLarge, Unauthorized
from fairground.remote.protocol import MAX_MESSAGE


class ServerLost(RemoteError, InfrastructureError):
    """The server does not answer, or ended the connection. Episodes in progress have no score."""


def error_from(answer: bytes | Mapping[str, Any], status: int = 0) -> FairgroundError:
    """Return the exception for an answer that is an error.

    Args:
        answer: `{"error": {"type", "message", "fix"}}`, or the body of an HTTP answer.
        status: The HTTP status, for bodies that are not ours (of a proxy, for example).
    """
    if isinstance(answer, bytes):
        try:
            answer = json.loads(answer)
        except (ValueError, RecursionError):
            answer = {}
    error = answer.get("error") if isinstance(answer, Mapping) else None
    if isinstance(error, dict):
        try:
            return ErrorBody.parse(error, where="error").exception()
        except InvalidInput as fault:
            return RemoteError(f"the server sent an error that this client cannot read: {fault.message}")
    refused = status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
    return (Unauthorized if refused else RemoteError)(f"the server answered with HTTP status {status}")


def encode_request(number: int, method: str, fields: Mapping[str, Any]) -> str:
    """Return the message of a request. Fields that are None are left out.

    Raises:
        InvalidInput: A field cannot be sent as JSON.
        TooLarge: The server would end the connection, and all sessions with it.
    """
    given = {name: value for name, value in fields.items() if value is not None}
    try:
        message = json.dumps({"id": number, "method": method, **given}, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(f"the arguments of {method} cannot be sent as JSON: {error}") from None
    if len(message) > MAX_MESSAGE:  # ASCII: a character is a byte
        raise TooLarge(f"the arguments of {method} have {len(message):,} bytes; the limit is {MAX_MESSAGE:,}")
    return message


def read_answer(message: str) -> dict[str, Any]:
    """Read a text message of the server. One that is not an answer gives an error without an id."""
    try:
        answer = json.loads(message)
    except (ValueError, RecursionError):
        answer = None
    if isinstance(answer, dict) and ("result" in answer or "error" in answer):
        return answer
    return {"error": {"type": "protocol", "message": f"the server sent no answer, but {message[:80]!r}"}}


def screen_size(server: Mapping[str, Any], world: str | Sequence[str] | None) -> tuple[int, int]:
    """Return the screen size of what a client asks for, by what the server says about itself.

    Raises:
        UnknownName: The server has no such world.
        InvalidInput: The worlds have several sizes. An environment has one.
    """
    parts = {part["name"]: tuple(part["size"]) for part in server["worlds"]}
    sizes: dict[Any, str] = {}
    for wanted in ["*"] if world is None else [world] if isinstance(world, str) else world:
        pattern = [piece for piece in wanted.partition("@")[0].split("/") if piece]
        matching = {size: name for name, size in parts.items() if _matches(pattern, name.split("/"))}
        if not matching:
            raise unknown("world of this server", wanted, parts)
        sizes |= matching
    if len(sizes) > 1:
        listed = ", ".join(f"{width}x{height} ({name})" for (width, height), name in sizes.items())
        raise InvalidInput(
            f"the worlds of an environment must have the same screen size, got {listed}", fix="name one with `world`"
        )
    width, height = next(iter(sizes))
    return width, height


def _matches(pattern: Sequence[str], name: Sequence[str]) -> bool:
    return all(piece in ("*", part) for piece, part in zip(pattern, name, strict=False))


def sample_from(data: Mapping[str, Any], names: Sequence[str], instruction: str, frame: Frame | None) -> dict[str, Any]:
    """Return an observation of the server as a sample of `observation_space`.

    Args:
        data: The observation as the server sent it.
        names: The observations that are wanted.
        instruction: The task of the episode.
        frame: The frame that the observation names; None if it names none.
    """
    values = {**data, "screen": None if frame is None else frame.pixels, "instruction": instruction}
    return {name: as_element(name, values[name]) for name in names}
