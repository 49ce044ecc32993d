"""Invitations: links that make a visitor a judge or an admin."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Request, Response
from pydantic import Field

from fairground.arena import Invitation, all_invitations, invite, revoke
from fairground.core import Record
from fairground.report.html import Html, tag
from fairground.web.arena.admin_frame import ADMINS, TROUBLES, Words, frame, moment, sending, words
from fairground.web.shell import empty, pill, table
from fairground.web.visit import site_of

router = APIRouter(dependencies=ADMINS)

InvitationId = Annotated[str, Path(pattern="^[0-9a-f]{64}$")]


class NewInvitation(Record):
    """Properties of a new invitation."""

    role: Literal["judge", "admin"] = "judge"
    uses: int = Field(1, ge=1, le=10_000)
    days: float = Field(14.0, gt=0, le=366)
    note: Words = ""


class Made(Record):
    """A new invitation link. It is shown only once."""

    path: str = Field(description="Path to append to the site's URL.")


class Listed(Record):
    """An invitation. Its link cannot be retrieved again."""

    id: str
    role: str
    created: float
    expires: float
    uses_left: int
    note: str
    open: bool


@router.get("/admin/invitations", include_in_schema=False)
def show(request: Request) -> Response:
    """Show all invitations and a form for a new one."""
    invitations = all_invitations(site_of(request).store)
    rows = [
        (
            pill(invitation.role),
            words(invitation.note) if invitation.note else tag("span", "no note", class_="muted"),
            moment(invitation.created),
            moment(invitation.expires),
            f"{invitation.uses_left:,}"
            if invitation.open
            else pill("ended" if not invitation.uses_left else "expired"),
            _revoking(invitation) if invitation.open else None,
        )
        for invitation in invitations
    ]
    heads = ("Role", "Note", "Created", "Expires", "Uses left", "Change")
    return frame(
        request,
        "Invitations",
        tag("section", tag("h2", "New invitation"), _making(), _made(), class_="card"),
        tag("section", tag("h2", "All invitations"), table(heads, rows, label="Invitations"), class_="card")
        if rows
        else empty("No invitations yet", "Create a link above and send it to a new judge."),
    )


@router.get("/api/admin/invitations", responses=TROUBLES, tags=["admin"])
def all_of_them(request: Request) -> list[Listed]:
    """List all invitations, newest first."""
    return [_listed(invitation) for invitation in all_invitations(site_of(request).store)]


@router.post("/api/admin/invitations", status_code=201, responses=TROUBLES, tags=["admin"])
def make(request: Request, wanted: NewInvitation) -> Made:
    """Create an invitation link. It is returned only once."""
    secret = invite(site_of(request).store, wanted.role, uses=wanted.uses, days=wanted.days, note=wanted.note)
    return Made(path=f"/enter/{secret}")


@router.post("/api/admin/invitations/{invitation}/revoke", responses=TROUBLES, tags=["admin"])
def end(request: Request, invitation: InvitationId) -> Listed:
    """Revoke an invitation. Its link can no longer be used."""
    store = site_of(request).store
    revoke(store, invitation)
    return next(_listed(entry) for entry in all_invitations(store) if entry.id == invitation)


def _listed(invitation: Invitation) -> Listed:
    return Listed(**vars(invitation), open=invitation.open)


def _making() -> Html:
    return sending(
        "/api/admin/invitations",
        tag(
            "label",
            "Role",
            tag("select", tag("option", "judge", value="judge"), tag("option", "admin", value="admin"), name="role"),
        ),
        tag("label", "Uses", tag("input", type="number", name="uses", value=1, min=1, max=10_000, required=True)),
        tag("label", "Days", tag("input", type="number", name="days", value=14, min=1, max=366, required=True)),
        tag(
            "label",
            "Note (only for admins)",
            tag("input", name="note", maxlength=500, autocomplete="off"),
            class_="grows",
        ),
        tag("button", "Create link", type="submit"),
        then="link",
    )


def _made() -> Html:
    return tag(
        "div",
        tag("label", "Invitation link (shown only once)", tag("input", id="link", readonly=True)),
        tag("button", "Copy", type="button", class_="plain", data_copy="link"),
        id="made",
        class_="note row",
        hidden=True,
    )


def _revoking(invitation: Invitation) -> Html:
    button = tag("button", "Revoke", type="submit", class_="quiet")
    return sending(
        f"/api/admin/invitations/{invitation.id}/revoke", button, ask="This link can then no longer be used. Revoke it?"
    )
