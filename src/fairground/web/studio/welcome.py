"""The first page, and the way in for those who were invited."""

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
    ("/catalogue", "Catalogue", "Suites, apps and scenarios; how they look, what is proven of them."),
    ("/runs", "Runs", "Outcomes with their intervals, down to each step of each episode."),
)
# Visitors look; judges sit in seats and vote. Each is told only what they may do.
_LIVE = {False: "Watch seats that are open.", True: "Sit in a seat yourself, or watch one."}
_BATTLES = {
    False: "Two anonymous agents at the same task; judges say who did better.",
    True: "Give two anonymous agents the same task, watch, and say who did better.",
}
_LEADERBOARD = ("/leaderboard", "Leaderboard", "What people's votes say, and how sure it is.")
_ADMIN = ("/admin", "Admin", "Who may come in, which agents fight, which votes count.")


@router.get("/")
def welcome(request: Request) -> Response:
    """What there is."""
    judge = has_role(request, "judge")
    studio = (*_LOOK, ("/live", "Live", _LIVE[judge]))
    arena = [("/arena", "Battles", _BATTLES[judge]), _LEADERBOARD]
    arena += [_ADMIN] if has_role(request, "admin") else []
    lead = "Look at what there is, at what is proven of it and at what agents did there"
    return page(
        request,
        "Welcome",
        tag("h1", "Real software as worlds for computer-use agents"),
        tag("p", lead, ", and judge them yourself." if judge else ".", class_="lead"),
        _rooms("Studio", "See everything.", studio),
        _rooms("Arena", "Two agents at the same task, side by side.", arena),
        styles=("welcome.css",),
    )


def _rooms(name: str, said: str, rooms: Sequence[tuple[str, str, str]]) -> Html:
    tiles = [tag("a", tag("h3", name), tag("p", told), href=path, class_="card tile") for path, name, told in rooms]
    return tag("section", tag("h2", name), tag("p", said, class_="muted"), tag("div", tiles, class_="rooms"),
               class_="wing")  # fmt: skip


@router.get("/enter/{secret}")
def invited(request: Request, secret: str) -> Response:
    """Asks before the invitation is used: programs that look at links in mails must not use it up."""
    button = tag("button", "Come in", type="submit")
    return page(
        request,
        "Invitation",
        tag("section", tag("h1", "You are invited"), tag("p", "Nobody asks who you are. A cookie remembers your role."),
            form(request, f"/enter/{secret}", button), class_="card narrow"),
    )  # fmt: skip


@router.post("/enter/{secret}")
def enter(request: Request, visitor: Here, secret: str) -> Response:
    """Makes the visitor what the invitation says."""
    person = accept(site_of(request).store, secret, visitor.person)
    answer = RedirectResponse("/arena" if person.role == "judge" else "/", 303)
    answer.headers["Set-Cookie"] = door_of(request).login(person)
    return answer
