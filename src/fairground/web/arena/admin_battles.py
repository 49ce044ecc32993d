"""Battles in the admin pages. Agent names are hidden while anyone can still judge the battle."""

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
_EVIDENCE = 4  # maximum number of evidence lines per battle on the page


class Evidence(Record):
    """A name that an agent wrote and that identifies it."""

    side: str
    channel: str = Field(description="typed, question, answer or thought. Only typed text appears on the screen.")
    step: int
    word: str
    text: str
    seen: bool = Field(description="Whether it may have been visible on the screen.")


class Fought(Record):
    """A battle in the admin list."""

    id: str
    created: float
    owner: str = Field(description="First letters of the ID of the person who started it.")
    world: str
    task: str
    category: str
    platform: str
    status: str
    why: str
    votes: int
    shared: bool = Field(description="Whether every judge may judge it, not only the person who started it.")
    agents: tuple[str, str] | None = Field(
        description="Names of both agents; null while anyone can still judge the battle."
    )
    identified: str = Field(description="Sides whose agent typed a name that identifies it: a, b or ab.")
    evidence: list[Evidence] = Field(description="What they wrote; empty while `agents` is null.")


class Battles(Record):
    """A page of battles, and the total number."""

    battles: list[Fought]
    total: int


class Closed(Record):
    """Status of a battle."""

    id: str
    status: str


@router.get("/admin/battles", include_in_schema=False)
def show(request: Request, status: Annotated[Status, Query()] = "", offset: Offset = 0) -> Response:
    """Show battles, newest first."""
    battles, total = list_battles(site_of(request).store, status=status, limit=_PAGE, offset=offset)
    kinds = [
        tag("a", name or "all", href=f"/admin/battles?status={name}" if name else "/admin/battles",
            aria_current="true" if name == status else None)
        for name in ("", *STATUSES)
    ]  # fmt: skip
    heads = ("Started", "Task", "World", "Status", "Votes", "Started by", "Agents", "Change")
    rows = [_row(battle) for battle in battles]
    more = pager("/admin/battles", {"status": status}, offset, _PAGE, total)
    return frame(
        request,
        "Battles",
        tag("nav", kinds, class_="tabs", aria_label="Status"),
        tag("section", table(heads, rows, label="Battles"), more, class_="card")
        if rows
        else empty("No battles found", "Battles are started in the arena."),
    )


@router.get("/api/admin/battles", responses=TROUBLES, tags=["admin"])
def some(request: Request, status: Annotated[Status, Query()] = "", limit: Limit = 50, offset: Offset = 0) -> Battles:
    """List battles, newest first."""
    lines_found, total = list_battles(site_of(request).store, status=status, limit=limit, offset=offset)
    lines = [
        Fought(
            **{
                **vars(battle),
                "owner": battle.owner[:8],
                "evidence": [Evidence(**vars(finding)) for finding in battle.evidence],
            }
        )
        for battle in lines_found
    ]
    return Battles(battles=lines, total=total)


@router.post("/api/admin/battles/{battle}/close", responses=TROUBLES, tags=["admin"])
def end(request: Request, battle: BattleId) -> Closed:
    """Close a battle: votes on it can no longer be given or changed."""
    store = site_of(request).store
    find_battle(store, battle)
    close(store, battle)
    return Closed(id=battle, status=find_battle(store, battle).status)


def _row(battle: BattleLine) -> tuple[Child, ...]:
    what = (
        words(battle.task),
        tag("p", *(pill(name) for name in (battle.category, battle.platform) if name), class_="row"),
    )
    return (
        moment(battle.created),
        what,
        tag("code", battle.world),
        (
            pill(battle.status, _KINDS.get(battle.status, "")),
            pill("all judges") if battle.shared else None,
            tag("p", words(battle.why), class_="small muted") if battle.why else None,
            _identified(battle),
        ),
        f"{battle.votes:,}",
        tag("code", battle.owner[:8]),
        [tag("p", tag("bdi", name)) for name in battle.agents]
        if battle.agents
        else tag("span", "secret", class_="muted"),
        _changes(battle) if battle.status == "judging" else None,
    )


def _identified(battle: BattleLine) -> Child:
    """Render which agents identified themselves, and how.

    The evidence contains the name, so it is shown only after the battle can no longer be judged.
    """
    if not battle.identified and not battle.evidence:
        return None
    mark = pill(f"identified: {' and '.join(battle.identified)}", "odd") if battle.identified else None
    if battle.agents is None:
        return tag("div", mark, tag("p", "Close the battle to see the evidence.", class_="small muted"))
    first = sorted(battle.evidence, key=lambda finding: not finding.seen)[:_EVIDENCE]
    items = [
        tag("li", f"{finding.side.upper()}, step {finding.step}, {finding.channel}"
            f"{'' if finding.seen else ' (redacted)'}: ", words(finding.text))
        for finding in first
    ]  # fmt: skip
    more = len(battle.evidence) - len(first)
    rest = tag("p", f"{more:,} more; the API lists all.", class_="small muted") if more else None
    return tag("div", mark, tag("details", tag("summary", "Evidence"), tag("ul", items, class_="small"), rest))


def _changes(battle: BattleLine) -> Html:
    more = sending(
        f"/api/battles/{battle.id}/judges",
        tag(
            "button",
            "Open to judges",
            type="submit",
            class_="plain",
            title="Lets all judges vote on it, to measure their agreement",
        ),
        ask="Every judge will see this battle and may vote on it. Its votes count once it is closed. Open it?",
    )
    end_it = sending(
        f"/api/admin/battles/{battle.id}/close",
        tag("button", "Close", type="submit", class_="plain"),
        ask="Votes on it can then no longer be given or changed. Close it?",
    )
    return tag("div", None if battle.shared else more, end_it, class_="stack")
