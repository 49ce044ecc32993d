"""Helpers for page modules: the site, the visitor and access checks of a request."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, Final, cast

from fastapi import Depends, Request
from starlette.requests import HTTPConnection

from fairground.arena import Person, Refused
from fairground.core import InvalidInput
from fairground.web.door import Door, Visitor

if TYPE_CHECKING:
    from fairground.web.site import Site

_RANK: Final = {"visitor": 0, "judge": 1, "admin": 2}


class TooLong(InvalidInput):
    """The request is larger than allowed."""


def site_of(connection: HTTPConnection) -> Site:
    """Return the site that serves a request or WebSocket."""
    return cast("Site", connection.app.state.site)


def door_of(connection: HTTPConnection) -> Door:
    """Return the site's middleware."""
    return cast(Door, connection.app.state.door)


def visitor_of(connection: HTTPConnection) -> Visitor:
    """Return the visitor of a request. The middleware always sets one."""
    return cast(Visitor, connection.scope["state"]["visitor"])


def has_role(connection: HTTPConnection, role: str) -> bool:
    """Whether the visitor has this role or a higher one."""
    return _RANK[visitor_of(connection).person.role] >= _RANK[role]


def need(role: str) -> Callable[[HTTPConnection], Awaitable[Person]]:
    """Return a dependency that requires this role or a higher one."""

    async def check(connection: HTTPConnection) -> Person:
        person = visitor_of(connection).person
        if not has_role(connection, role):
            raise Refused(f"this requires the role {role}; your role is {person.role}", fix="open an invitation link")
        return person

    return check


def wants_json(request: Request) -> bool:
    """Whether the client is a program rather than a browser that loads a page."""
    # Static files are served before the visitor is known, so no page can be rendered for them.
    return request.url.path.startswith(("/api/", "/static/")) or "text/html" not in request.headers.get("accept", "")


async def _here(connection: HTTPConnection) -> Visitor:
    # Not `visitor_of` itself: FastAPI runs sync dependencies in a thread pool, which takes longer than the call.
    return visitor_of(connection)


Here = Annotated[Visitor, Depends(_here)]
Judge = Annotated[Person, Depends(need("judge"))]
Admin = Annotated[Person, Depends(need("admin"))]
