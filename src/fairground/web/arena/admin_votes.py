"""Votes: which ones the filters flagged, and an admin's decisions about them. Votes are never deleted."""

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
"""Reason of a flag set by an admin."""

Reason = Annotated[str, Query(max_length=20, pattern=NO_NUL)]
_PAGE = 50
_VOTER = 12  # letters of a voter's ID to show: enough to distinguish the voters of a battle


class Which(Record):
    """Identifies a vote."""

    battle: str = Field(pattern="^[0-9a-f-]{1,40}$")
    voter: str = Field(pattern="^[0-9a-f]{12}$", description="As in the list of votes.")


class Flagging(Which):
    """A vote that should not count, and why."""

    detail: Words = ""


class Unflagging(Which):
    """A flag to clear."""

    reason: str = Field(min_length=1, max_length=20, pattern=NO_NUL)


class Found(Record):
    """A flag: why a vote does not count."""

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
        description="Winner in the newest version, if it was given after the person saw the names."
    )
    comment: str = Field(description="Without names while anyone can still judge the battle.")
    task: str
    flags: list[Found]


class Votes(Record):
    """A page of votes, the total number, and the number of flags per reason."""

    votes: list[Given]
    total: int
    flagged: dict[str, int]


@router.get("/admin/votes", include_in_schema=False)
def show(request: Request, reason: Reason = "", flagged: bool = False, offset: Offset = 0) -> Response:
    """Show votes with their flags, newest first."""
    store = site_of(request).store
    votes, total = list_votes(store, flagged=flagged, reason=reason, limit=_PAGE, offset=offset)
    counts = flag_counts(store)
    parameters = {"reason": reason, "flagged": "true" if flagged and not reason else ""}
    heads = ("Given", "Task", "Winner", "Comment", "After", "Voter", "Flags", "Change")
    return frame(
        request,
        "Votes",
        tag("p", "Filters flag votes that should not count. They never delete a vote, and they do not set a flag "
                 "again that you cleared. "
                 "", tag("a", "Change the filter settings", href="/admin/filters"), ".", class_="lead"),
        tag("div", _facts(counts), sending("/api/admin/filters", tag("button", "Run the filters", type="submit")),
            class_="row"),
        _kinds(counts, reason, flagged),
        tag("section", table(heads, [_row(vote) for vote in votes], label="Votes"),
            pager("/admin/votes", parameters, offset, _PAGE, total), class_="card")
        if votes else empty("No votes found", "No vote has this flag, or nobody has voted yet."),
    )  # fmt: skip


@router.get("/api/admin/votes", responses=TROUBLES, tags=["admin"])
def some(request: Request, reason: Reason = "", flagged: bool = False, limit: Limit = 50, offset: Offset = 0) -> Votes:
    """List votes, newest first: all, only flagged ones, or those with one reason."""
    store = site_of(request).store
    lines, total = list_votes(store, flagged=flagged, reason=reason, limit=limit, offset=offset)
    return Votes(votes=[_told(vote) for vote in lines], total=total, flagged=flag_counts(store))


@router.post("/api/admin/filters", responses=TROUBLES, tags=["admin"])
def run_filters(request: Request) -> dict[str, int]:
    """Run the filters. Sets new flags, removes outdated ones, and returns the number of flagged votes."""
    store = site_of(request).store
    apply_filters(store)
    return flag_counts(store)


@router.post("/api/admin/votes/flag", responses=TROUBLES, tags=["admin"])
def set_aside(request: Request, which: Flagging) -> dict[str, int]:
    """Flag a vote that should not count for a reason that no filter covers."""
    store = site_of(request).store
    flag(store, which.battle, _voter(store, which), BY_HAND, which.detail)
    return flag_counts(store)


@router.post("/api/admin/votes/unflag", responses=TROUBLES, tags=["admin"])
def take_back(request: Request, which: Unflagging) -> dict[str, int]:
    """Clear a flag permanently. Filters do not set it again."""
    store = site_of(request).store
    if not clear(store, which.battle, _voter(store, which), which.reason):
        raise Absent("no such flag")
    return flag_counts(store)


def _voter(store: Store, which: Which) -> str:
    voter = voter_of(store, which.battle, which.voter)
    if voter is None:
        raise Absent("no such vote")
    return voter


def _told(vote: VoteLine) -> Given:
    return Given(
        battle=vote.battle,
        voter=vote.person[:_VOTER],
        created=vote.created,
        seconds=vote.seconds,
        winner=vote.winner,
        after_reveal=vote.after_reveal,
        comment=vote.comment,
        task=vote.task,
        flags=[Found(reason=why.reason, detail=why.detail) for why in vote.flags],
    )


def _facts(counts: dict[str, int]) -> Html:
    facts = [fact(reason, f"{number:,}") for reason, number in counts.items()]
    return tag("dl", facts or fact("Flagged", "0"), class_="facts")


def _kinds(counts: dict[str, int], reason: str, flagged: bool) -> Html:
    links = [("/admin/votes", "all votes", not reason and not flagged)]
    links.append(("/admin/votes?flagged=true", "flagged", flagged and not reason))
    links += [(f"/admin/votes?reason={quote(count)}", count, count == reason) for count in counts]
    shown = [tag("a", name, href=path, aria_current="true" if here else None) for path, name, here in links]
    return tag("nav", shown, class_="tabs", aria_label="Which votes")


def _row(vote: VoteLine) -> tuple[Child, ...]:
    return (
        moment(vote.created),
        words(vote.task),
        (
            vote.winner.replace("_", " "),
            tag("p", f"after the names were shown: {vote.after_reveal.replace('_', ' ')}", class_="small muted")
            if vote.after_reveal
            else None,
        ),
        words(vote.comment) if vote.comment else "",
        f"{vote.seconds:,.1f}\N{NO-BREAK SPACE}s" if vote.seconds is not None else "",
        tag("code", vote.person[:8]),
        [_flag(vote, why.reason, why.detail) for why in vote.flags],
        None if vote.flags else _flagging(vote),
    )


def _flag(vote: VoteLine, reason: str, detail: str) -> Html:
    undo = sending(
        "/api/admin/votes/unflag",
        hidden("battle", vote.battle),
        hidden("voter", vote.person[:_VOTER]),
        hidden("reason", reason),
        tag("button", "Clear", type="submit", class_="quiet", aria_label=f"Clear the flag {reason}"),
    )
    label = tag("span", detail or REASONS.get(reason, ""), class_="small muted")
    return tag("div", pill(reason, "odd"), label, undo, class_="flag")


def _flagging(vote: VoteLine) -> Html:
    return sending(
        "/api/admin/votes/flag",
        hidden("battle", vote.battle),
        hidden("voter", vote.person[:_VOTER]),
        tag("button", "Exclude", type="submit", class_="quiet"),
        ask="This vote will then not count. Exclude it?",
    )
