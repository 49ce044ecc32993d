"""The admin's room: who may come in, which agents fight, which votes count, and data in and out."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from sqlalchemy import func, select

from fairground.arena import all_invitations, flag_counts
from fairground.arena.schema import agents, battles, votes
from fairground.report.html import tag
from fairground.web.arena import (
    admin_agents,
    admin_battles,
    admin_data,
    admin_filters,
    admin_invitations,
    admin_votes,
)
from fairground.web.arena.admin_frame import ADMINS, frame
from fairground.web.shell import fact
from fairground.web.visit import site_of

router = APIRouter(dependencies=ADMINS)
for _part in (admin_invitations, admin_agents, admin_battles, admin_votes, admin_filters, admin_data):
    router.include_router(_part.router)

_DOORS = (
    ("/admin/invitations", "Invitations", "Links that make somebody a judge or an admin."),
    ("/admin/agents", "Agents", "How they do, and which of them are drawn."),
    ("/admin/battles", "Battles", "What ran and what runs; close one, or let several people judge it."),
    ("/admin/votes", "Votes", "Run the filters, see what they found, and take it back."),
    ("/admin/filters", "Filters", "What makes a vote not count, and who has changed that."),
    ("/admin/data", "Data", "Votes out as a data set, and in from another arena."),
)


@router.get("/admin", include_in_schema=False)
def overview(request: Request) -> Response:
    """How the arena stands."""
    store = site_of(request).store
    with store.read() as connection:
        query = select(battles.c.status, func.count()).group_by(battles.c.status)
        by_status: dict[str, int] = {status: count for status, count in connection.execute(query)}
        number = connection.execute(select(func.count()).select_from(votes)).scalar_one()
        active = connection.execute(select(func.count()).where(agents.c.retired.is_(None))).scalar_one()
    told = [
        fact("Votes", f"{number:,}"),
        fact("Flagged", f"{sum(flag_counts(store).values()):,}"),
        fact("Agents that are drawn", f"{active:,}"),
        fact("Open invitations", f"{sum(one.open for one in all_invitations(store)):,}"),
        *(fact(f"Battles {status}", f"{count:,}") for status, count in sorted(by_status.items())),
    ]
    doors = [tag("a", tag("h2", name), tag("p", said), href=path, class_="card tile") for path, name, said in _DOORS]
    return frame(request, "The arena's admin", tag("dl", told, class_="facts"), tag("div", doors, class_="tiles"))
