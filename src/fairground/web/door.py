"""The door of the site: what every request meets first.

In this order: is it meant for this server (`Host`), does it come from a page of ours (`Origin`), is it small enough and
not one of too many, who is it (a cookie, given to whoever has none), and does a request that changes something carry
the token of that person's pages. Behind the door, `scope["state"]["visitor"]` says who it is.
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
from fairground.web.guard import Refusal, is_ours, refuse, same_place, values_of
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
_UPLOADS: Final = "/uploads"  # what a path that takes files ends with
_FORM: Final = "application/x-www-form-urlencoded"
_FILES: Final = "multipart/form-data"
_HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self'; "
        "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # with none at all, browsers say that forms come from "null"
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}


@dataclass(frozen=True)
class Visitor:
    """Who asks.

    Attributes:
        person: As the arena knows them.
        token: What pages for this person put into their forms, and scripts into the header `X-Fairground-Token`.
    """

    person: Person
    token: str


@dataclass(frozen=True)
class Door:
    """An ASGI app in front of the site's.

    Attributes:
        app: The site.
        store: Where people are kept.
        signer: Of cookies.
        host: Where the server listens, as it was told.
        rates: How often anybody may ask.
        secure: Whether browsers reach it by https, so that cookies need to travel only there.
        pace: How long a request may take to come in.
        sockets: Who has how many WebSockets open.
        known: Who asked a moment ago.
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
        if len(cookies) > 1:  # one may have been put there by a page of another port or name of this machine
            said = "this browser has two sessions here; remove the cookies of this site, and load the page again"
            await _refuse(Refusal(HTTPStatus.BAD_REQUEST, said), scope, send)
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
        if scope["method"] not in _SAFE:  # it may have changed who they are: before they are told, so that all see it
            send = self._forgetting(person, send)
        await self.app(_of(scope, visitor), receive, send)

    def login(self, person: Person) -> str:
        """The header that makes a browser this person's."""
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
        # Lax, not Strict: who follows an invitation from a mail is the same person.
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
            said = f"{MAX_SOCKETS} windows of yours are open already; close some of them"
            await _refuse(Refusal(HTTPStatus.TOO_MANY_REQUESTS, said), scope, send)
            return
        try:
            await self.app(_of(scope, visitor), receive, send)
        finally:
            self.sockets.leave(person)

    async def _checked(
        self, scope: Scope, receive: Receive, cookie: str, person: Person
    ) -> tuple[Receive, Refusal | None]:
        """Whether a request that changes something may; its body, where that had to be read for it, is given again."""
        kind = "".join(values_of(scope, b"content-type")).partition(";")[0].strip().lower()
        # A form is read here, and before its token is known: so it is never large.
        large = scope["path"].endswith(_UPLOADS) and kind != _FORM and person.role != "visitor"
        limit, seconds = (MAX_UPLOAD, self.pace.upload) if large else (MAX_BODY, self.pace.body)
        receive = limited(receive, limit, seconds)
        if any(_exceeds(one, limit) for one in values_of(scope, b"content-length")):
            return receive, _cut_off(TooLarge(limit))
        refused = Refusal(HTTPStatus.FORBIDDEN, "this page is too old, or not ours; load it again and repeat")
        given = values_of(scope, TOKEN_HEADER.encode())
        if given:
            whole = _whole_files(scope, receive) if kind == _FILES else receive
            return whole, None if all(self.signer.is_token(cookie, one) for one in given) else refused
        if kind != _FORM:
            return receive, refused
        try:
            body = await _whole(receive)
        except (TooLarge, TooSlow) as error:
            return receive, _cut_off(error)
        try:
            found = parse_qs(body.decode(), max_num_fields=2_000).get(TOKEN_FIELD, [""])
        except ValueError:
            return receive, Refusal(HTTPStatus.BAD_REQUEST, "a form has at most 2,000 fields, in UTF-8")
        return _again(body, receive), None if self.signer.is_token(cookie, found[0]) else refused


def _of(scope: Scope, visitor: Visitor) -> Scope:
    return {**scope, "state": {**scope.get("state", {}), "visitor": visitor}}


def _misplaced(scope: Scope, host: str) -> Refusal | None:
    hosts, origins = values_of(scope, b"host"), values_of(scope, b"origin")
    if len(hosts) != 1 or not is_ours(hosts[0], host):
        return Refusal(HTTPStatus.BAD_REQUEST, f"this server is not called {', '.join(hosts) or 'nothing'}")
    asks = scope["type"] == "websocket" or (bool(origins) and scope["method"] not in _SAFE)
    if asks and (len(origins) != 1 or not same_place(origins[0], hosts[0])):
        return Refusal(HTTPStatus.FORBIDDEN, f"a page of {', '.join(origins) or 'nowhere'} may not ask this")
    return None


def _is_static(scope: Scope) -> bool:
    return scope["type"] == "http" and scope["path"].startswith("/static/") and scope["method"] in _SAFE


def _cookies(scope: Scope) -> set[str]:
    """All of our name: a parser of whole headers would lose ours over somebody else's that is damaged."""
    pairs = (pair.partition("=") for line in values_of(scope, b"cookie") for pair in line.split(";"))
    return {value.strip() for name, _, value in pairs if name.strip() == COOKIE}


def _exceeds(length: str, limit: int) -> bool:
    return length.isdecimal() and (len(length) > 18 or int(length) > limit)


def _whole_files(scope: Scope, receive: Receive) -> Receive:
    """Files, all of them: the parser behind takes what it has when a body just ends."""
    _, said = parse_options_header("".join(values_of(scope, b"content-type")))
    return ending(receive, b"--%b--" % said.get(b"boundary", b""))


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
            if message["status"] == HTTPStatus.REQUEST_TIMEOUT:  # the rest is not waited for
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
    if refusal.status == HTTPStatus.REQUEST_TIMEOUT:  # the rest is not waited for
        more.append((b"connection", b"close"))
    body = json.dumps({"error": refusal.reason}).encode() + b"\n"
    await refuse(refusal, scope, send, "application/json", body, more)
