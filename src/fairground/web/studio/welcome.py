"""The start page and the invitation links."""

from __future__ import annotations

from collections.abc import Sequence

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from fairground.arena import accept
from fairground.report.html import Html, tag
from fairground.web.shell import form, page
from fairground.web.visit import Here, door_of, has_role, site_of

router = APIRouter(include_in_schema=False)

_LOOK = (
    ("/catalogue", "Catalogue", "Suites, apps and scenarios: screenshots, variants and proofs."),
    ("/runs", "Runs", "Outcomes with intervals, and a replay of every step of every episode."),
)
# Each role sees only what it may do: visitors watch, judges drive seats and vote.
_LIVE = {False: "Watch open seats.", True: "Take a seat yourself, or watch one."}
_BATTLES = {
    False: "Two anonymous agents do the same task; judges vote for the better one.",
    True: "Give two anonymous agents the same task, watch both, and vote for the better one.",
}
_LEADERBOARD = ("/leaderboard", "Leaderboard", "Ratings from people's votes, with intervals.")
_ADMIN = ("/admin", "Admin", "Invitations, agents, and which votes count.")


@router.get("/")
def welcome(request: Request) -> Response:
    """Show the start page."""
    judge = has_role(request, "judge")
    studio = (*_LOOK, ("/live", "Live", _LIVE[judge]))
    arena = [("/arena", "Battles", _BATTLES[judge]), _LEADERBOARD]
    arena += [_ADMIN] if has_role(request, "admin") else []
    lead = "Browse the worlds, their proofs and what agents did in them"
    return page(
        request,
        "Welcome",
        tag("h1", "Real software as environments for computer-use agents"),
        tag("p", lead, ", and judge agents yourself." if judge else ".", class_="lead"),
        _rooms("Studio", "Catalogue, runs and live seats.", studio),
        _rooms("Arena", "Two agents, the same task, side by side.", arena),
        styles=("welcome.css",),
    )


def _rooms(name: str, about: str, rooms: Sequence[tuple[str, str, str]]) -> Html:
    tiles = [
        tag("a", tag("h3", name), tag("p", description), href=path, class_="card tile")
        for path, name, description in rooms
    ]
    return tag("section", tag("h2", name), tag("p", about, class_="muted"), tag("div", tiles, class_="rooms"),
               class_="wing")  # fmt: skip


@router.get("/enter/{secret}")
def invited(request: Request, secret: str) -> Response:
    """Ask for confirmation first, so that link scanners in mail programs do not use up the invitation."""
    button = tag("button", "Accept", type="submit")
    return page(
        request,
        "Invitation",
        tag("section", tag("h1", "You are invited"), tag("p", "You need no account. A cookie stores your role."),
            form(request, f"/enter/{secret}", button), class_="card narrow"),
    )  # fmt: skip


@router.post("/enter/{secret}")
def enter(request: Request, visitor: Here, secret: str) -> Response:
    """Give the visitor the role of the invitation."""
    person = accept(site_of(request).store, secret, visitor.person)
    answer = RedirectResponse("/arena" if person.role == "judge" else "/", 303)
    answer.headers["Set-Cookie"] = door_of(request).login(person)
    return answer
