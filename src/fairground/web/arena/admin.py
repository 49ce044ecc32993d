"""Admin pages: invitations, agents, battles, votes, filters, and data import and export."""

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
    ("/admin/invitations", "Invitations", "Links that make a visitor a judge or an admin."),
    ("/admin/agents", "Agents", "Their results, and which of them take part in new battles."),
    ("/admin/battles", "Battles", "Running and past battles. Close a battle, or open it to all judges."),
    ("/admin/votes", "Votes", "Run the filters, see which votes they flagged, and clear flags."),
    ("/admin/filters", "Filters", "Which votes do not count, and the history of these settings."),
    ("/admin/data", "Data", "Export votes as a data set, or import votes from another arena."),
)


@router.get("/admin", include_in_schema=False)
def overview(request: Request) -> Response:
    """Show an overview of the arena."""
    store = site_of(request).store
    with store.read() as connection:
        query = select(battles.c.status, func.count()).group_by(battles.c.status)
        by_status: dict[str, int] = {status: count for status, count in connection.execute(query)}
        number = connection.execute(select(func.count()).select_from(votes)).scalar_one()
        active = connection.execute(select(func.count()).where(agents.c.retired.is_(None))).scalar_one()
    facts = [
        fact("Votes", f"{number:,}"),
        fact("Flagged", f"{sum(flag_counts(store).values()):,}"),
        fact("Active agents", f"{active:,}"),
        fact("Open invitations", f"{sum(invitation.open for invitation in all_invitations(store)):,}"),
        *(fact(f"Battles {status}", f"{count:,}") for status, count in sorted(by_status.items())),
    ]
    doors = [tag("a", tag("h2", name), tag("p", about), href=path, class_="card tile") for path, name, about in _DOORS]
    return frame(request, "Arena admin", tag("dl", facts, class_="facts"), tag("div", doors, class_="tiles"))
