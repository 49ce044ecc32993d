"""Invitations: links that make somebody a judge or an admin."""

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
    """What an invitation should be."""

    role: Literal["judge", "admin"] = "judge"
    uses: int = Field(1, ge=1, le=10_000)
    days: float = Field(14.0, gt=0, le=366)
    note: Words = ""


class Made(Record):
    """A link that was made; it is told this once."""

    path: str = Field(description="What comes behind the site's address.")


class Listed(Record):
    """An invitation; its link cannot be had again."""

    id: str
    role: str
    created: float
    expires: float
    uses_left: int
    note: str
    open: bool


@router.get("/admin/invitations", include_in_schema=False)
def show(request: Request) -> Response:
    """All invitations, and a form for another one."""
    found = all_invitations(site_of(request).store)
    rows = [
        (
            pill(one.role),
            words(one.note) if one.note else tag("span", "no note", class_="muted"),
            moment(one.created),
            moment(one.expires),
            f"{one.uses_left:,}" if one.open else pill("ended" if not one.uses_left else "expired"),
            _revoking(one) if one.open else None,
        )
        for one in found
    ]
    heads = ("Role", "Note", "Made", "Expires", "Uses left", "Change")
    return frame(
        request,
        "Invitations",
        tag("section", tag("h2", "Invite somebody"), _making(), _made(), class_="card"),
        tag("section", tag("h2", "All invitations"), table(heads, rows, label="Invitations"), class_="card")
        if rows
        else empty("Nobody was invited yet", "Make a link above, and send it to somebody who should judge."),
    )


@router.get("/api/admin/invitations", responses=TROUBLES, tags=["admin"])
def all_of_them(request: Request) -> list[Listed]:
    """Every invitation, the newest first."""
    return [_listed(one) for one in all_invitations(site_of(request).store)]


@router.post("/api/admin/invitations", status_code=201, responses=TROUBLES, tags=["admin"])
def make(request: Request, wanted: NewInvitation) -> Made:
    """Makes a link, and tells it this once."""
    secret = invite(site_of(request).store, wanted.role, uses=wanted.uses, days=wanted.days, note=wanted.note)
    return Made(path=f"/enter/{secret}")


@router.post("/api/admin/invitations/{invitation}/revoke", responses=TROUBLES, tags=["admin"])
def end(request: Request, invitation: InvitationId) -> Listed:
    """Nobody comes in by it any more."""
    store = site_of(request).store
    revoke(store, invitation)
    return next(_listed(one) for one in all_invitations(store) if one.id == invitation)


def _listed(one: Invitation) -> Listed:
    return Listed(**vars(one), open=one.open)


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
        tag("label", "Note, for you", tag("input", name="note", maxlength=500, autocomplete="off"), class_="grows"),
        tag("button", "Make a link", type="submit"),
        then="link",
    )


def _made() -> Html:
    return tag(
        "div",
        tag("label", "The link, shown this once", tag("input", id="link", readonly=True)),
        tag("button", "Copy", type="button", class_="plain", data_copy="link"),
        id="made",
        class_="note row",
        hidden=True,
    )


def _revoking(one: Invitation) -> Html:
    button = tag("button", "Revoke", type="submit", class_="quiet")
    return sending(
        f"/api/admin/invitations/{one.id}/revoke", button, ask="Nobody comes in by this link then. Revoke it?"
    )
