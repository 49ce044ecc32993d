"""Who may use a server: checks of the `Host` and `Origin` headers, which pages of other sites cannot forge."""

from __future__ import annotations

import ipaddress
import socket
from dataclasses import dataclass
from http import HTTPStatus
from typing import TypeAlias
from urllib.parse import urlsplit

from starlette.types import Scope, Send

Headers: TypeAlias = list[tuple[bytes, bytes]]


@dataclass(frozen=True)
class Refusal:
    """Why a request was rejected."""

    status: HTTPStatus
    reason: str


def is_ours(authority: str, host: str) -> bool:
    """Whether a `Host` header names a server that listens on `host`.

    The port is not compared, because ports can be forwarded.
    """
    try:
        name = urlsplit(f"//{authority}").hostname or ""
    except ValueError:
        return False
    if name == "localhost" or name == host.lower():
        return True
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        # Others can make a DNS name point here, so besides these only the machine's own name is accepted.
        return not is_loopback(host) and name == socket.gethostname().lower()
    return address.is_loopback or not is_loopback(host)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server that listens on `host`. Does not resolve names."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def values_of(scope: Scope, name: bytes) -> list[str]:
    """Return the values of a request header."""
    return [value.decode("latin-1") for key, value in scope["headers"] if key == name]


def same_place(origin: str, host: str) -> bool:
    """Whether the `Origin` of a page is the server that it makes the request to."""
    return origin.lower() in (f"http://{host.lower()}", f"https://{host.lower()}")


async def refuse(refusal: Refusal, scope: Scope, send: Send, kind: str, body: bytes, more: Headers) -> None:
    """Answer a rejected request, or reject a WebSocket."""
    answer = "http.response"
    if scope["type"] == "websocket":
        if "websocket.http.response" not in scope.get("extensions", {}):
            await send({"type": "websocket.close", "code": 4403, "reason": refusal.reason[:100]})
            return
        answer = "websocket.http.response"
    headers = [(b"content-type", kind.encode()), (b"content-length", str(len(body)).encode()), *more]
    await send({"type": f"{answer}.start", "status": int(refusal.status), "headers": headers})
    await send({"type": f"{answer}.body", "body": body})
