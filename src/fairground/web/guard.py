"""Access checks of the live view of a seat.

A seat is a keyboard into a program. Its URL is therefore a secret: the path starts with a random token. Only our own
pages may use it: browsers send the host name they looked up (`Host`) and the page that makes a request (`Origin`), and
pages of other sites can forge neither.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fairground.serving import Headers, Refusal, is_ours, refuse, same_place, values_of

_HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_HEADER_BYTES: Final[Headers] = [(name.lower().encode(), value.encode()) for name, value in _HEADERS.items()]


@dataclass(frozen=True)
class Guard:
    """ASGI middleware that lets only valid requests through.

    Attributes:
        app: The wrapped app. It sees the path without the token.
        token: Required first part of the path.
        host: Host that the server listens on, as configured.
    """

    app: ASGIApp
    token: str
    host: str

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            return
        refusal = self._refusal(scope)
        if refusal is not None:
            reason = f"{refusal.reason}\n".encode()
            await refuse(refusal, scope, send, "text/plain; charset=utf-8", reason, _HEADER_BYTES)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), *_HEADER_BYTES]}
            await send(message)

        if scope["path"] == f"/{self.token}" and scope["type"] == "http":
            # Without the final slash, the page's relative links would drop the token.
            location = [(b"location", f"/{self.token}/".encode()), *_HEADER_BYTES]
            await send({"type": "http.response.start", "status": 307, "headers": location})
            await send({"type": "http.response.body"})
            return
        path = "/" + _after_token(scope["path"])
        await self.app({**scope, "path": path, "raw_path": path.encode()}, receive, send_guarded)

    def _refusal(self, scope: Scope) -> Refusal | None:
        hosts, origins = values_of(scope, b"host"), values_of(scope, b"origin")
        if len(hosts) != 1 or not is_ours(hosts[0], self.host):
            return Refusal(
                HTTPStatus.BAD_REQUEST, f"this server does not serve the host {', '.join(hosts) or '(none given)'}"
            )
        if not hmac.compare_digest(_token_of(scope["path"]).encode(), self.token.encode()):
            return Refusal(HTTPStatus.FORBIDDEN, "wrong or missing token; open the complete URL that was printed")
        asks = scope["type"] == "websocket" or bool(origins)
        if asks and (len(origins) != 1 or not same_place(origins[0], hosts[0])):
            return Refusal(
                HTTPStatus.FORBIDDEN,
                f"requests from pages of {', '.join(origins) or '(no origin given)'} are not allowed",
            )
        return None


def _token_of(path: str) -> str:
    return path[1:].partition("/")[0]


def _after_token(path: str) -> str:
    return path[1:].partition("/")[2]
