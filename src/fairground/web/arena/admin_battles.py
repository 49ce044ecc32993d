"""Battles as an admin sees them: without names, as long as somebody may still judge them."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field

from fairground.arena import BattleLine, close, find_battle, list_battles
from fairground.arena.schema import STATUSES
from fairground.core import Record
from fairground.report.html import Child, Html, tag
from fairground.web.arena.admin_frame import (
    ADMINS,
    TROUBLES,
    BattleId,
    Limit,
    Offset,
    frame,
    moment,
    pager,
    sending,
    words,
)
from fairground.web.shell import empty, pill, table
from fairground.web.visit import site_of

router = APIRouter(dependencies=ADMINS)

Status = Literal["", "preparing", "running", "judging", "closed", "interrupted", "failed"]
_KINDS = {"running": "odd", "judging": "good", "interrupted": "bad", "failed": "bad"}
_PAGE = 50
_EVIDENCE = 4  # lines of a battle on the page


class Evidence(Record):
    """A name that an agent wrote and that tells who it is."""

    side: str
    channel: str = Field(description="typed, question, answer or thought; only what is typed is on the screen.")
    step: int
    word: str
    text: str
    seen: bool = Field(description="Whether the screen may have shown it.")


class Fought(Record):
    """A battle."""

    id: str
    created: float
    owner: str = Field(description="The first letters of who began it.")
    world: str
    task: str
    category: str
    platform: str
    status: str
    why: str
    votes: int
    shared: bool = Field(description="Whether every judge may judge it, not only who began it.")
    agents: tuple[str, str] | None = Field(description="The two, when nobody can judge them any more.")
    identified: str = Field(description="Sides whose agent typed a name that tells who it is: a, b or ab.")
    evidence: list[Evidence] = Field(description="What they wrote; empty as long as `agents` is null.")


class Battles(Record):
    """Some battles, and how many there are."""

    battles: list[Fought]
    total: int


class Closed(Record):
    """How a battle stands."""

    id: str
    status: str


@router.get("/admin/battles", include_in_schema=False)
def show(request: Request, status: Annotated[Status, Query()] = "", offset: Offset = 0) -> Response:
    """Battles, the newest first."""
    found, total = list_battles(site_of(request).store, status=status, limit=_PAGE, offset=offset)
    kinds = [
        tag("a", name or "all", href=f"/admin/battles?status={name}" if name else "/admin/battles",
            aria_current="true" if name == status else None)
        for name in ("", *STATUSES)
    ]  # fmt: skip
    heads = ("Begun", "Task", "World", "Status", "Votes", "By", "Agents", "Change")
    rows = [_row(one) for one in found]
    more = pager("/admin/battles", {"status": status}, offset, _PAGE, total)
    return frame(
        request,
        "Battles",
        tag("nav", kinds, class_="tabs", aria_label="Status"),
        tag("section", table(heads, rows, label="Battles"), more, class_="card")
        if rows
        else empty("No such battle", "Battles begin in the arena."),
    )


@router.get("/api/admin/battles", responses=TROUBLES, tags=["admin"])
def some(request: Request, status: Annotated[Status, Query()] = "", limit: Limit = 50, offset: Offset = 0) -> Battles:
    """Battles, the newest first."""
    found, total = list_battles(site_of(request).store, status=status, limit=limit, offset=offset)
    told = [
        Fought(**{**vars(one), "owner": one.owner[:8], "evidence": [Evidence(**vars(said)) for said in one.evidence]})
        for one in found
    ]
    return Battles(battles=told, total=total)


@router.post("/api/admin/battles/{battle}/close", responses=TROUBLES, tags=["admin"])
def end(request: Request, battle: BattleId) -> Closed:
    """No vote on it can be given or changed any more."""
    store = site_of(request).store
    find_battle(store, battle)
    close(store, battle)
    return Closed(id=battle, status=find_battle(store, battle).status)


def _row(one: BattleLine) -> tuple[Child, ...]:
    what = (
        words(one.task),
        tag("p", *(pill(name) for name in (one.category, one.platform) if name), class_="row"),
    )
    return (
        moment(one.created),
        what,
        tag("code", one.world),
        (
            pill(one.status, _KINDS.get(one.status, "")),
            pill("every judge") if one.shared else None,
            tag("p", words(one.why), class_="small muted") if one.why else None,
            _identified(one),
        ),
        f"{one.votes:,}",
        tag("code", one.owner[:8]),
        [tag("p", tag("bdi", name)) for name in one.agents] if one.agents else tag("span", "secret", class_="muted"),
        _changes(one) if one.status == "judging" else None,
    )


def _identified(one: BattleLine) -> Child:
    """Whether an agent told who it is, and how; the evidence names it, so it waits until nobody judges it any more."""
    if not one.identified and not one.evidence:
        return None
    mark = pill(f"identified: {' and '.join(one.identified)}", "odd") if one.identified else None
    if one.agents is None:
        return tag("div", mark, tag("p", "Close the battle to see the evidence.", class_="small muted"))
    first = sorted(one.evidence, key=lambda found: not found.seen)[:_EVIDENCE]
    said = [
        tag("li", f"{found.side.upper()}, step {found.step}, {found.channel}{'' if found.seen else ' (hidden)'}: ",
            words(found.text))
        for found in first
    ]  # fmt: skip
    more = len(one.evidence) - len(first)
    rest = tag("p", f"And {more:,} more; the API lists all.", class_="small muted") if more else None
    return tag("div", mark, tag("details", tag("summary", "Evidence"), tag("ul", said, class_="small"), rest))


def _changes(one: BattleLine) -> Html:
    more = sending(
        f"/api/battles/{one.id}/judges",
        tag("button", "Every judge", type="submit", class_="plain", title="Lets all judge it, to see if they agree"),
        ask="Every judge sees this battle then and may judge it. Its votes count when it is closed. Open it?",
    )
    end_it = sending(
        f"/api/admin/battles/{one.id}/close",
        tag("button", "Close", type="submit", class_="plain"),
        ask="No vote on it can be given or changed then. Close it?",
    )
    return tag("div", None if one.shared else more, end_it, class_="stack")
