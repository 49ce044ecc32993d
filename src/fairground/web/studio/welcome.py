"""The first page, and the way in for those who were invited."""

from __future__ import annotations

from collections.abc import Sequence

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from fairground.arena import accept
from fairground.report.html import Html, tag
from fairground.web.shell import form, page
from fairground.web.visit import Here, door_of, site_of

router = APIRouter(include_in_schema=False)

_STUDIO = (
    ("/catalogue", "Catalogue", "Suites, apps and scenarios; how they look, what is proven of them."),
    ("/runs", "Runs", "Outcomes with their intervals, down to each step of each episode."),
    ("/live", "Live", "Sit in a seat yourself, or watch one."),
)
_ARENA = (
    ("/arena", "Battles", "Give two anonymous agents the same task, watch, and say who did better."),
    ("/leaderboard", "Leaderboard", "What people's votes say, and how sure it is."),
)
_ADMIN = ("/admin", "Admin", "Who may come in, which agents fight, which votes count.")


@router.get("/")
def welcome(request: Request, visitor: Here) -> Response:
    """What there is."""
    arena = (*_ARENA, _ADMIN) if visitor.person.role == "admin" else _ARENA
    return page(
        request,
        "Welcome",
        tag("h1", "Real software as worlds for computer-use agents"),
        tag("p", "Look at what there is, at what is proven of it and what agents did there, and judge them yourself.",
            class_="lead"),
        _rooms("Studio", "See everything.", _STUDIO),
        _rooms("Arena", "Judge two agents side by side.", arena),
        styles=("welcome.css",),
    )  # fmt: skip


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
