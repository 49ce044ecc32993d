"""Agents: their results, and which of them take part in new battles."""

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
    """An agent in the arena."""

    name: str
    added: float
    retired: float | None = Field(description="When it was retired; null while it is active.")
    why: str
    votes: int
    correct: Share | None = Field(description="Over its most recent judgements.")
    due: bool = Field(description="Whether the retirement rule applies to it.")
    identified: int = Field(description="Battles in which it typed a name that identifies it; these do not count.")
    hidden: int = Field(description="Other battles in which it wrote such a name, which was redacted.")


class Leaving(Record):
    """An agent to retire, and the reason."""

    name: AgentName
    why: Words = ""


class Returning(Record):
    """A retired agent to bring back."""

    name: AgentName


@router.get("/admin/agents", include_in_schema=False)
def show(request: Request) -> Response:
    """Show all agents and the actions on them."""
    store, rule = site_of(request).store, site_of(request).retirement
    agents = list_agents(store, all_votes(store), rule)
    rows = [
        (
            tag("bdi", agent.name),
            _state(agent),
            f"{agent.votes:,}",
            f"{rate_range(agent.correct)} of {agent.judged:,}" if agent.correct is not None else "not judged yet",
            _identified(agent),
            moment(agent.added),
            _change(agent),
        )
        for agent in agents
    ]
    heads = ("Agent", "State", "Votes", f"Correct in the last {rule.window}, %", "Identified itself", "Added", "Change")
    rule_text = (
        f"The rule suggests retiring an agent when fewer than {rule.least:.0%} of its last {rule.window} judgements "
        "found it correct. A retired agent takes part in no new battles. It stays on the leaderboard."
    )
    return frame(
        request,
        "Agents",
        tag("p", rule_text, class_="lead"),
        tag("section", table(heads, rows, label="Agents"), class_="card")
        if rows
        else empty("No agents yet", "Start the server with --agent, or import votes from another arena."),
    )


@router.get("/api/admin/agents", responses=TROUBLES, tags=["admin"])
def all_of_them(request: Request) -> list[Agent]:
    """List all agents by name."""
    store = site_of(request).store
    return [_told(agent) for agent in list_agents(store, all_votes(store))]


@router.post("/api/admin/agents/retire", responses=TROUBLES, tags=["admin"])
def leave(request: Request, which: Leaving) -> Agent:
    """Retire an agent. It takes part in no new battles."""
    store = site_of(request).store
    _find(store, which.name)
    retire(store, which.name, which.why or "by an admin")
    return _told(_find(store, which.name))


@router.post("/api/admin/agents/return", responses=TROUBLES, tags=["admin"])
def come_back(request: Request, which: Returning) -> Agent:
    """Bring back a retired agent."""
    store = site_of(request).store
    _find(store, which.name)
    bring_back(store, which.name)
    return _told(_find(store, which.name))


def _find(store: Store, name: str) -> AgentLine:
    for agent in list_agents(store, all_votes(store)):
        if agent.name == name:
            return agent
    raise Absent("no such agent")


def _told(agent: AgentLine) -> Agent:
    known = agent.correct
    return Agent(
        name=agent.name,
        added=agent.added,
        retired=agent.retired,
        why=agent.why,
        votes=agent.votes,
        correct=Share(estimate=known.estimate, low=known.low, high=known.high, of=agent.judged) if known else None,
        due=agent.due,
        identified=agent.identified,
        hidden=agent.hidden,
    )


def _state(agent: AgentLine) -> list[Html]:
    if agent.retired is not None:
        return [pill("retired"), tag("p", words(agent.why), class_="small muted")]
    return [pill("suggested for retirement", "bad")] if agent.due else [pill("drawn", "good")]


def _identified(agent: AgentLine) -> str:
    """Return the number of battles in which the agent identified itself."""
    hidden = f"{agent.hidden:,} redacted" if agent.hidden else ""
    typed = f"{agent.identified:,} on the screen" if agent.identified else ""
    return ", ".join(part for part in (typed, hidden) if part) or "never"


def _change(agent: AgentLine) -> Html:
    name = hidden("name", agent.name)
    if agent.retired is not None:
        button = tag("button", "Bring back", type="submit", class_="plain")
        return sending("/api/admin/agents/return", name, button)
    reason = tag("input", name="why", maxlength=500, placeholder="Reason", aria_label=f"Reason to retire {agent.name}")
    return sending("/api/admin/agents/retire", name, reason, tag("button", "Retire", type="submit", class_="plain"))
