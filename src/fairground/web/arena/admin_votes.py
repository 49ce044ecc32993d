"""Votes: what the filters found, and what an admin makes of it. No vote is ever deleted."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field

from fairground.arena import Absent, VoteLine, apply_filters, clear, flag, flag_counts, list_votes, voter_of
from fairground.arena.filters import REASONS
from fairground.arena.store import Store
from fairground.core import Record
from fairground.report.html import Child, Html, tag
from fairground.web.arena.admin_frame import (
    ADMINS,
    NO_NUL,
    TROUBLES,
    Limit,
    Offset,
    Words,
    frame,
    hidden,
    moment,
    pager,
    sending,
    words,
)
from fairground.web.shell import empty, fact, pill, table
from fairground.web.visit import site_of

router = APIRouter(dependencies=ADMINS)

BY_HAND = "by hand"
"""The reason of a flag that an admin gave."""

Reason = Annotated[str, Query(max_length=20, pattern=NO_NUL)]
_PAGE = 50
_VOTER = 12  # letters of a voter's id: enough to tell voters of a battle apart, and no more than that


class Which(Record):
    """A vote."""

    battle: str = Field(pattern="^[0-9a-f-]{1,40}$")
    voter: str = Field(pattern="^[0-9a-f]{12}$", description="As the list of votes has it.")


class Flagging(Which):
    """A vote that should not count."""

    detail: Words = ""


class Unflagging(Which):
    """A flag to take back."""

    reason: str = Field(min_length=1, max_length=20, pattern=NO_NUL)


class Found(Record):
    """Why a vote does not count."""

    reason: str
    detail: str


class Given(Record):
    """A vote, without the names of its agents."""

    battle: str
    voter: str
    created: float
    seconds: float | None
    winner: str = Field(description="Of the version that counts.")
    after_reveal: str | None = Field(
        description="Whom the newest version is for, where that was given after the person knew the names."
    )
    comment: str = Field(description="Without names, as long as somebody may still judge the battle.")
    task: str
    flags: list[Found]


class Votes(Record):
    """Some votes, how many there are, and how many are flagged for each reason."""

    votes: list[Given]
    total: int
    flagged: dict[str, int]


@router.get("/admin/votes", include_in_schema=False)
def show(request: Request, reason: Reason = "", flagged: bool = False, offset: Offset = 0) -> Response:
    """Votes, the newest first, and what is wrong with them."""
    store = site_of(request).store
    found, total = list_votes(store, flagged=flagged, reason=reason, limit=_PAGE, offset=offset)
    counts = flag_counts(store)
    asked = {"reason": reason, "flagged": "true" if flagged and not reason else ""}
    heads = ("Given", "Task", "Said", "Comment", "After", "Voter", "Flags", "Change")
    return frame(
        request,
        "Votes",
        tag("p", "Filters mark votes that should not count, and never delete them; what you clear they do not mark "
            "again. ", tag("a", "What they look for", href="/admin/filters"), " is yours to set.", class_="lead"),
        tag("div", _facts(counts), sending("/api/admin/filters", tag("button", "Run the filters now", type="submit")),
            class_="row"),
        _kinds(counts, reason, flagged),
        tag("section", table(heads, [_row(one) for one in found], label="Votes"),
            pager("/admin/votes", asked, offset, _PAGE, total), class_="card")
        if found else empty("No such vote", "Nothing is flagged, or nobody has voted yet."),
    )  # fmt: skip


@router.get("/api/admin/votes", responses=TROUBLES, tags=["admin"])
def some(request: Request, reason: Reason = "", flagged: bool = False, limit: Limit = 50, offset: Offset = 0) -> Votes:
    """Votes, the newest first; only flagged ones, or those for one reason."""
    store = site_of(request).store
    found, total = list_votes(store, flagged=flagged, reason=reason, limit=limit, offset=offset)
    return Votes(votes=[_told(one) for one in found], total=total, flagged=flag_counts(store))


@router.post("/api/admin/filters", responses=TROUBLES, tags=["admin"])
def run_filters(request: Request) -> dict[str, int]:
    """Flags what the filters find now, and takes back what they no longer find; says how many are flagged."""
    store = site_of(request).store
    apply_filters(store)
    return flag_counts(store)


@router.post("/api/admin/votes/flag", responses=TROUBLES, tags=["admin"])
def set_aside(request: Request, which: Flagging) -> dict[str, int]:
    """A vote that should not count, for a reason that no filter finds."""
    store = site_of(request).store
    flag(store, which.battle, _voter(store, which), BY_HAND, which.detail)
    return flag_counts(store)


@router.post("/api/admin/votes/unflag", responses=TROUBLES, tags=["admin"])
def take_back(request: Request, which: Unflagging) -> dict[str, int]:
    """Takes a flag back for good: filters do not give it again."""
    store = site_of(request).store
    if not clear(store, which.battle, _voter(store, which), which.reason):
        raise Absent("there is no such flag")
    return flag_counts(store)


def _voter(store: Store, which: Which) -> str:
    found = voter_of(store, which.battle, which.voter)
    if found is None:
        raise Absent("there is no such vote")
    return found


def _told(one: VoteLine) -> Given:
    return Given(
        battle=one.battle,
        voter=one.person[:_VOTER],
        created=one.created,
        seconds=one.seconds,
        winner=one.winner,
        after_reveal=one.after_reveal,
        comment=one.comment,
        task=one.task,
        flags=[Found(reason=why.reason, detail=why.detail) for why in one.flags],
    )


def _facts(counts: dict[str, int]) -> Html:
    told = [fact(reason, f"{number:,}") for reason, number in counts.items()]
    return tag("dl", told or fact("Flagged", "0"), class_="facts")


def _kinds(counts: dict[str, int], reason: str, flagged: bool) -> Html:
    links = [("/admin/votes", "all votes", not reason and not flagged)]
    links.append(("/admin/votes?flagged=true", "flagged", flagged and not reason))
    links += [(f"/admin/votes?reason={quote(one)}", one, one == reason) for one in counts]
    shown = [tag("a", name, href=path, aria_current="true" if here else None) for path, name, here in links]
    return tag("nav", shown, class_="tabs", aria_label="Which votes")


def _row(one: VoteLine) -> tuple[Child, ...]:
    return (
        moment(one.created),
        words(one.task),
        (
            one.winner.replace("_", " "),
            tag("p", f"after the reveal: {one.after_reveal.replace('_', ' ')}", class_="small muted")
            if one.after_reveal
            else None,
        ),
        words(one.comment) if one.comment else "",
        f"{one.seconds:,.1f}\N{NO-BREAK SPACE}s" if one.seconds is not None else "",
        tag("code", one.person[:8]),
        [_flag(one, why.reason, why.detail) for why in one.flags],
        None if one.flags else _flagging(one),
    )


def _flag(one: VoteLine, reason: str, detail: str) -> Html:
    undo = sending(
        "/api/admin/votes/unflag",
        hidden("battle", one.battle),
        hidden("voter", one.person[:_VOTER]),
        hidden("reason", reason),
        tag("button", "Clear", type="submit", class_="quiet", aria_label=f"Clear the flag {reason}"),
    )
    said = tag("span", detail or REASONS.get(reason, ""), class_="small muted")
    return tag("div", pill(reason, "odd"), said, undo, class_="flag")


def _flagging(one: VoteLine) -> Html:
    return sending(
        "/api/admin/votes/flag",
        hidden("battle", one.battle),
        hidden("voter", one.person[:_VOTER]),
        tag("button", "Set aside", type="submit", class_="quiet"),
        ask="This vote will not count then. Set it aside?",
    )
