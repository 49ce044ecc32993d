"""ASGI middleware in front of the site: the checks that every request passes first.

In this order: the `Host` header names this server; the `Origin` is one of our pages; the request is within the size and
rate limits; the cookie identifies the person (a new visitor gets a cookie); and a request that changes something
carries the CSRF token of that person's pages. After these checks, `scope["state"]["visitor"]` is the `Visitor`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Final
from urllib.parse import parse_qs

from python_multipart.multipart import parse_options_header
from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fairground.arena import Person, Store, new_person
from fairground.serving import Refusal, is_ours, refuse, same_place, values_of
from fairground.web.limits import (
    MAX_BODY,
    MAX_SOCKETS,
    MAX_UPLOAD,
    Pace,
    Rates,
    TooLarge,
    TooSlow,
    Turnstile,
    ending,
    limited,
)
from fairground.web.session import COOKIE, MAX_AGE, Known, Signer

TOKEN_HEADER: Final = "x-fairground-token"
TOKEN_FIELD: Final = "token"
_SAFE: Final = ("GET", "HEAD", "OPTIONS")
_UPLOADS: Final = "/uploads"  # paths with this ending accept file uploads
_FORM: Final = "application/x-www-form-urlencoded"
_FILES: Final = "multipart/form-data"
_HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self'; "
        "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # with "no-referrer", browsers send forms with the origin "null"
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}


@dataclass(frozen=True)
class Visitor:
    """The person who makes a request.

    Attributes:
        person: The person in the arena's database.
        token: CSRF token. Pages put it into their forms, scripts into the header `X-Fairground-Token`.
    """

    person: Person
    token: str


@dataclass(frozen=True)
class Door:
    """ASGI middleware that checks requests before the site's app sees them.

    Attributes:
        app: The site's app.
        store: Database of people.
        signer: Signs cookies and CSRF tokens.
        host: Host that the server listens on, as configured.
        rates: Rate limits.
        secure: Whether browsers use https. If so, cookies are sent only over https.
        pace: Timeouts for receiving a request.
        sockets: Number of open WebSockets per person.
        known: Cache of people who made requests recently.
    """

    app: ASGIApp
    store: Store
    signer: Signer
    host: str
    rates: Rates
    secure: bool = False
    pace: Pace = field(default_factory=Pace)
    sockets: Turnstile = field(default_factory=lambda: Turnstile(MAX_SOCKETS))
    known: Known = field(default_factory=Known)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            return
        refusal = _misplaced(scope, self.host)
        if refusal is not None:
            await _refuse(refusal, scope, send)
            return
        if _is_static(scope):
            await self.app(scope, receive, _with_headers(send, {"Cache-Control": "public, max-age=86400, immutable"}))
            return
        cookies = _cookies(scope)
        if len(cookies) > 1:  # the second one may come from another port or host name of this machine
            problem = (
                "this browser has two sessions for this site; delete its cookies for this site and reload the page"
            )
            await _refuse(Refusal(HTTPStatus.BAD_REQUEST, problem), scope, send)
            return
        cookie = cookies.pop() if cookies else ""
        person = await self._person(cookie)
        key = person.id if person is not None else f"at {(scope.get('client') or ('',))[0]}"
        refusal = self._too_often(scope, key, fresh=person is None)
        if refusal is not None:
            await _refuse(refusal, scope, send)
            return
        extra = {"Cache-Control": "no-store"}
        if person is None:
            if scope["type"] == "websocket" or scope["method"] not in _SAFE:
                await _refuse(Refusal(HTTPStatus.FORBIDDEN, "there is no session; open a page first"), scope, send)
                return
            person = await run_in_threadpool(new_person, self.store)
            cookie = self.signer.cookie(person.id)
            extra["Set-Cookie"] = self._written(cookie)
        visitor = Visitor(person, self.signer.token(cookie))
        if scope["type"] == "websocket":
            await self._connect(scope, receive, send, visitor)
            return
        if scope["method"] not in _SAFE:
            receive, refusal = await self._checked(scope, receive, cookie, person)
            if refusal is not None:
                await _refuse(refusal, scope, send)
                return
        send = _with_headers(send, extra)
        # the request may change the person, so the cache entry is removed before the response is sent
        if scope["method"] not in _SAFE:
            send = self._forgetting(person, send)
        await self.app(_of(scope, visitor), receive, send)

    def login(self, person: Person) -> str:
        """Return the `Set-Cookie` header value that makes a browser this person's session."""
        return self._written(self.signer.cookie(person.id))

    async def _person(self, cookie: str) -> Person | None:
        id_ = self.signer.person(cookie) if cookie else None
        if id_ is None:
            return None
        return self.known.find(id_) or await run_in_threadpool(self.known.look_up, self.store, id_)

    def _forgetting(self, person: Person, send: Send) -> Send:
        async def send_and_forget(message: Message) -> None:
            if message["type"] == "http.response.start":
                self.known.forget(person.id)
            await send(message)

        return send_and_forget

    def _written(self, cookie: str) -> str:
        # Lax, not Strict: the session must survive following an invitation link from a mail.
        return (
            f"{COOKIE}={cookie}; Path=/; HttpOnly; SameSite=Lax; Max-Age={MAX_AGE}{'; Secure' if self.secure else ''}"
        )

    def _too_often(self, scope: Scope, key: str, *, fresh: bool) -> Refusal | None:
        wait = self.rates.pages.take(key)
        if not wait and scope["type"] == "http" and scope["method"] not in _SAFE:
            wait = self.rates.changes.take(key)
        if not wait and fresh:
            wait = self.rates.people.take(key)
        return Refusal(HTTPStatus.TOO_MANY_REQUESTS, f"too many requests; wait {wait:.1f} s") if wait else None

    async def _connect(self, scope: Scope, receive: Receive, send: Send, visitor: Visitor) -> None:
        person = visitor.person.id
        if not self.sockets.enter(person):
            problem = f"you have {MAX_SOCKETS} windows open, the maximum; close some of them"
            await _refuse(Refusal(HTTPStatus.TOO_MANY_REQUESTS, problem), scope, send)
            return
        try:
            await self.app(_of(scope, visitor), receive, send)
        finally:
            self.sockets.leave(person)

    async def _checked(
        self, scope: Scope, receive: Receive, cookie: str, person: Person
    ) -> tuple[Receive, Refusal | None]:
        """Check a request that changes something.

        Returns a `receive` that replays the body if the check had to read it.
        """
        kind = "".join(values_of(scope, b"content-type")).partition(";")[0].strip().lower()
        # A form is read here before its token is checked, so its size limit is small.
        large = scope["path"].endswith(_UPLOADS) and kind != _FORM and person.role != "visitor"
        limit, seconds = (MAX_UPLOAD, self.pace.upload) if large else (MAX_BODY, self.pace.body)
        receive = limited(receive, limit, seconds)
        if any(_exceeds(length, limit) for length in values_of(scope, b"content-length")):
            return receive, _cut_off(TooLarge(limit))
        refused = Refusal(
            HTTPStatus.FORBIDDEN, "this page has expired or is not from this site; reload it and try again"
        )
        given = values_of(scope, TOKEN_HEADER.encode())
        if given:
            whole = _whole_files(scope, receive) if kind == _FILES else receive
            return whole, None if all(self.signer.is_token(cookie, token) for token in given) else refused
        if kind != _FORM:
            return receive, refused
        try:
            body = await _whole(receive)
        except (TooLarge, TooSlow) as error:
            return receive, _cut_off(error)
        try:
            tokens = parse_qs(body.decode(), max_num_fields=2_000).get(TOKEN_FIELD, [""])
        except ValueError:
            return receive, Refusal(HTTPStatus.BAD_REQUEST, "a form may have at most 2,000 fields, encoded in UTF-8")
        return _again(body, receive), None if self.signer.is_token(cookie, tokens[0]) else refused


def _of(scope: Scope, visitor: Visitor) -> Scope:
    return {**scope, "state": {**scope.get("state", {}), "visitor": visitor}}


def _misplaced(scope: Scope, host: str) -> Refusal | None:
    hosts, origins = values_of(scope, b"host"), values_of(scope, b"origin")
    if len(hosts) != 1 or not is_ours(hosts[0], host):
        return Refusal(
            HTTPStatus.BAD_REQUEST, f"this server does not serve the host {', '.join(hosts) or '(none given)'}"
        )
    asks = scope["type"] == "websocket" or (bool(origins) and scope["method"] not in _SAFE)
    if asks and (len(origins) != 1 or not same_place(origins[0], hosts[0])):
        return Refusal(
            HTTPStatus.FORBIDDEN, f"requests from pages of {', '.join(origins) or '(no origin given)'} are not allowed"
        )
    return None


def _is_static(scope: Scope) -> bool:
    return scope["type"] == "http" and scope["path"].startswith("/static/") and scope["method"] in _SAFE


def _cookies(scope: Scope) -> set[str]:
    """Return all values of our cookie. A parser of whole headers would drop ours if another cookie is malformed."""
    pairs = (pair.partition("=") for line in values_of(scope, b"cookie") for pair in line.split(";"))
    return {value.strip() for name, _, value in pairs if name.strip() == COOKIE}


def _exceeds(length: str, limit: int) -> bool:
    return length.isdecimal() and (len(length) > 18 or int(length) > limit)


def _whole_files(scope: Scope, receive: Receive) -> Receive:
    """Require the closing boundary of a multipart body: the parser accepts a truncated body without error."""
    _, options = parse_options_header("".join(values_of(scope, b"content-type")))
    return ending(receive, b"--%b--" % options.get(b"boundary", b""))


async def _whole(receive: Receive) -> bytes:
    parts, more = [], True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            break
        parts.append(message.get("body", b""))
        more = message.get("more_body", False)
    return b"".join(parts)


def _again(body: bytes, receive: Receive) -> Receive:
    given = False

    async def receive_again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receive_again


def _with_headers(send: Send, extra: dict[str, str]) -> Send:
    added = [(name.lower().encode(), value.encode()) for name, value in {**_HEADERS, **extra}.items()]

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = {name for name, _ in message.get("headers", ())}
            fresh = [(name, value) for name, value in added if name not in own or name == b"set-cookie"]
            if message["status"] == HTTPStatus.REQUEST_TIMEOUT:  # the rest of the body is not read
                fresh.append((b"connection", b"close"))
            message = {**message, "headers": [*message.get("headers", ()), *fresh]}
        await send(message)

    return send_with_headers


def _cut_off(error: TooLarge | TooSlow) -> Refusal:
    return Refusal(HTTPStatus(error.status_code), error.detail)


async def _refuse(refusal: Refusal, scope: Scope, send: Send) -> None:
    more = [(name.lower().encode(), value.encode()) for name, value in _HEADERS.items()]
    if refusal.status == HTTPStatus.TOO_MANY_REQUESTS:
        more.append((b"retry-after", b"2"))
    if refusal.status == HTTPStatus.REQUEST_TIMEOUT:  # the rest of the body is not read
        more.append((b"connection", b"close"))
    body = json.dumps({"error": refusal.reason}).encode() + b"\n"
    await refuse(refusal, scope, send, "application/json", body, more)
