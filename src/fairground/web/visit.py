"""What page modules ask of a request: the site, who asks, whether they may."""

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
    """Somebody sent more than is taken."""


def site_of(connection: HTTPConnection) -> Site:
    """The site that a request or WebSocket is for."""
    return cast("Site", connection.app.state.site)


def door_of(connection: HTTPConnection) -> Door:
    """Its door."""
    return cast(Door, connection.app.state.door)


def visitor_of(connection: HTTPConnection) -> Visitor:
    """Who asks: whatever came through the door has somebody."""
    return cast(Visitor, connection.scope["state"]["visitor"])


def has_role(connection: HTTPConnection, role: str) -> bool:
    """Whether the person who asks has this role or a higher one."""
    return _RANK[visitor_of(connection).person.role] >= _RANK[role]


def need(role: str) -> Callable[[HTTPConnection], Awaitable[Person]]:
    """A dependency that lets only people of this role, or a higher one, on."""

    async def check(connection: HTTPConnection) -> Person:
        person = visitor_of(connection).person
        if not has_role(connection, role):
            raise Refused(f"this is for {role}s; you are a {person.role}", fix="open the link of an invitation")
        return person

    return check


def wants_json(request: Request) -> bool:
    """Whether a program asks, and not a person's browser on its way to a page."""
    # Files that are the same for everybody are given before it is known who asks: there is nobody to make a page for.
    return request.url.path.startswith(("/api/", "/static/")) or "text/html" not in request.headers.get("accept", "")


async def _here(connection: HTTPConnection) -> Visitor:
    # Not `visitor_of` itself: what is not async is sent to another thread, which takes longer than all of it.
    return visitor_of(connection)


Here = Annotated[Visitor, Depends(_here)]
Judge = Annotated[Person, Depends(need("judge"))]
Admin = Annotated[Person, Depends(need("admin"))]
