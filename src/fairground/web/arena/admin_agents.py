"""Agents: how they do, and which of them are drawn for battles."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from pydantic import Field

from fairground.arena import Absent, AgentLine, Store, all_votes, bring_back, list_agents, retire
from fairground.core import Record
from fairground.report.html import Html, tag
from fairground.report.statistics_words import rate_range
from fairground.web.arena.admin_frame import ADMINS, TROUBLES, AgentName, Words, frame, hidden, moment, sending, words
from fairground.web.arena.leaderboard_data import Share
from fairground.web.shell import empty, pill, table
from fairground.web.visit import site_of

router = APIRouter(dependencies=ADMINS)


class Agent(Record):
    """An agent of the arena."""

    name: str
    added: float
    retired: float | None = Field(description="When it was taken out; null while it is drawn.")
    why: str
    votes: int
    correct: Share | None = Field(description="Over its last judgements.")
    due: bool = Field(description="Whether the rule would retire it.")
    identified: int = Field(description="Battles in which it typed a name that tells who it is; they do not count.")
    hidden: int = Field(description="Other battles in which it wrote one, which was hidden.")


class Leaving(Record):
    """Which agent goes, and why."""

    name: AgentName
    why: Words = ""


class Returning(Record):
    """Which agent comes back."""

    name: AgentName


@router.get("/admin/agents", include_in_schema=False)
def show(request: Request) -> Response:
    """Every agent, and what can be done with it."""
    store, rule = site_of(request).store, site_of(request).retirement
    found = list_agents(store, all_votes(store), rule)
    rows = [
        (
            tag("bdi", one.name),
            _state(one),
            f"{one.votes:,}",
            f"{rate_range(one.correct)} of {one.judged:,}" if one.correct is not None else "not judged yet",
            _identified(one),
            moment(one.added),
            _change(one),
        )
        for one in found
    ]
    heads = ("Agent", "State", "Votes", f"Correct of the last {rule.window}, %", "Told its name", "Added", "Change")
    said = (
        f"An agent is due to leave when fewer than {rule.least:.0%} of its last {rule.window} judgements found it "
        "correct. Who is retired is drawn no more, and stays on the leaderboard."
    )
    return frame(
        request,
        "Agents",
        tag("p", said, class_="lead"),
        tag("section", table(heads, rows, label="Agents"), class_="card")
        if rows
        else empty("There is no agent yet", "Start the server with --agent, or take votes of another arena in."),
    )


@router.get("/api/admin/agents", responses=TROUBLES, tags=["admin"])
def all_of_them(request: Request) -> list[Agent]:
    """Every agent, by name."""
    store = site_of(request).store
    return [_told(one) for one in list_agents(store, all_votes(store))]


@router.post("/api/admin/agents/retire", responses=TROUBLES, tags=["admin"])
def leave(request: Request, which: Leaving) -> Agent:
    """Takes an agent out: it is drawn no more."""
    store = site_of(request).store
    _find(store, which.name)
    retire(store, which.name, which.why or "by an admin")
    return _told(_find(store, which.name))


@router.post("/api/admin/agents/return", responses=TROUBLES, tags=["admin"])
def come_back(request: Request, which: Returning) -> Agent:
    """Lets a retired agent be drawn again."""
    store = site_of(request).store
    _find(store, which.name)
    bring_back(store, which.name)
    return _told(_find(store, which.name))


def _find(store: Store, name: str) -> AgentLine:
    for one in list_agents(store, all_votes(store)):
        if one.name == name:
            return one
    raise Absent("there is no such agent")


def _told(one: AgentLine) -> Agent:
    known = one.correct
    return Agent(
        name=one.name,
        added=one.added,
        retired=one.retired,
        why=one.why,
        votes=one.votes,
        correct=Share(estimate=known.estimate, low=known.low, high=known.high, of=one.judged) if known else None,
        due=one.due,
        identified=one.identified,
        hidden=one.hidden,
    )


def _state(one: AgentLine) -> list[Html]:
    if one.retired is not None:
        return [pill("retired"), tag("p", words(one.why), class_="small muted")]
    return [pill("due to leave", "bad")] if one.due else [pill("drawn", "good")]


def _identified(one: AgentLine) -> str:
    """In how many battles it told who it is."""
    hidden = f"{one.hidden:,} hidden" if one.hidden else ""
    typed = f"{one.identified:,} on the screen" if one.identified else ""
    return ", ".join(part for part in (typed, hidden) if part) or "never"


def _change(one: AgentLine) -> Html:
    name = hidden("name", one.name)
    if one.retired is not None:
        button = tag("button", "Bring back", type="submit", class_="plain")
        return sending("/api/admin/agents/return", name, button)
    reason = tag("input", name="why", maxlength=500, placeholder="Reason", aria_label=f"Reason to retire {one.name}")
    return sending("/api/admin/agents/retire", name, reason, tag("button", "Retire", type="submit", class_="plain"))
