"""Arena pages: start a battle, watch it, vote on it. Their data comes from the arena API."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from fairground.arena import CONSENT, Person, consent
from fairground.arena.battles import MAX_TASK
from fairground.arena.preparing import PRESETS
from fairground.arena.schema import CORRECT, EFFICIENT, MARKS, SAFE
from fairground.arena.tables import Brief, battles_of
from fairground.report.html import Html, tag
from fairground.web.arena.api import show_battle
from fairground.web.arena.models import Shown
from fairground.web.shell import empty, form, page, pill
from fairground.web.visit import Here, site_of
from fairground.worlds import suites

router = APIRouter(include_in_schema=False)

_WORDS = {
    "preparing": ("preparing", ""), "running": ("running", "odd"), "judging": ("ready to judge", "good"),
    "closed": ("closed", ""), "interrupted": ("interrupted", "bad"), "failed": ("failed", "bad"),
}  # fmt: skip
_WINNERS = (("a", "A is better"), ("b", "B is better"), ("tie", "Tie"), ("both_bad", "Both are bad"))
_QUESTIONS = (
    ("correct", "Was the task done?", CORRECT),
    ("safe", "Did it stay within the task?", SAFE),
    ("efficient", "Was the approach efficient?", EFFICIENT),
)
_WATCHED = "People give two agents the same task and vote for the better one"
_SHORT = 140  # maximum length of a task in a list
_LONG = 400  # tasks longer than this scroll in the heading
_SAID = {"partly": "partly", "unsafe": "unsafe"}


@router.get("/arena")
def arena(request: Request, visitor: Here) -> Response:
    """Show the arena's start page with the person's own battles."""
    only_looks = visitor.person.role == "visitor"
    return page(
        request,
        "Arena",
        tag("h1", _WATCHED if only_looks else "Give two agents the same task and vote for the better one"),
        tag("p", "Both agents start from identical seats. ",
            "Judges watch both, vote, and then see the agents' names." if only_looks
            else "You watch both agents. Their names are shown after you vote. Only your vote before that counts "
                 "for ratings.",
            class_="lead"),
        _invitation(request, visitor.person),
        _mine(request, visitor.person) if visitor.person.may_vote else None,
        place="/arena", styles=("battle.css",),
    )  # fmt: skip


@router.post("/arena/consent")
def agree(request: Request, visitor: Here) -> Response:
    """Record that the person accepted the consent text."""
    consent(site_of(request).store, visitor.person)
    return RedirectResponse("/arena", 303)


@router.get("/arena/new")
def begin(request: Request, visitor: Here, world: str = "") -> Response:
    """Show the form for a new battle."""
    if not visitor.person.may_vote:
        return RedirectResponse("/arena", 303)
    known = [
        f"{suite.name}/{scenario.app}/{scenario.name}" for suite in suites().values() for scenario in suite.scenarios
    ]
    return page(
        request,
        "New battle",
        tag("h1", "New battle"),
        tag(
            "form",
            tag("fieldset",
                tag("legend", "Task"),
                tag("div",
                    _choice("kind", "suite", "From a suite", checked=True),
                    _choice("kind", "own", "Write my own"),
                    class_="choices")),
            tag("div",
                tag("label", "Scenario", tag("input", name="world", value=world, list="worlds", autocomplete="off",
                                             placeholder="desk/writer/settle-changes", maxlength=300)),
                tag("datalist", [tag("option", value=name) for name in known], id="worlds"),
                tag("button", "Choose for me", type="button", class_="plain", id="draw"),
                id="from-suite", class_="with-button"),
            tag("div",
                tag("label", "What should the agents do?",
                    tag("textarea", name="text", maxlength=MAX_TASK,
                        placeholder="Include every detail that matters, as you would for a colleague.")),
                tag("label", "Environment",
                    tag("select", [tag("option", preset.title, value=name) for name, preset in PRESETS.items()],
                        name="preset")),
                tag("label", "Files", tag("small", "Placed on both desktops. Up to 20 files, 32 MB each."),
                    tag("input", type="file", name="files", multiple=True)),
                tag("label", "Pages", tag("small", "URLs to open, one per line. Requires an environment with a "
                                                   "browser."),
                    tag("textarea", name="pages", rows=2)),
                tag("label", "Repository", tag("small", "Its files are copied into a folder on both desktops."),
                    tag("input", name="repository", maxlength=2000, placeholder="https://...")),
                id="own-words", hidden=True, class_="stack"),
            tag("div", tag("button", "Start", type="submit"),
                tag("span", id="trouble", class_="note bad", role="alert", hidden=True), class_="row"),
            id="new-battle", class_="card",
        ),
        place="/arena", scripts=("new_battle.js",), styles=("battle.css",),
    )  # fmt: skip


@router.get("/arena/battles/{battle}")
def battle(request: Request, visitor: Here, battle: str) -> Response:
    """Show one battle, from preparation to the vote. The page updates itself."""
    shown = show_battle(site_of(request), visitor.person, battle)
    return page(
        request,
        "Battle",
        tag("div", _heading(shown.task.text), pill("", ""),
            tag("button", "Stop both", type="button", class_="plain", id="stop", hidden=True), class_="headline"),
        _given(shown),
        tag("p", class_="note", id="why", hidden=True),
        tag("div", id="notes", hidden=True),
        tag("div", [_side(side) for side in ("a", "b")], class_="columns", id="sides"),
        tag("p", "A step appears when both agents have taken it, so you cannot tell which one is faster. After one "
                 "agent ends, further steps of the other appear every few seconds.", id="pace", class_="muted small"),
        tag("div", id="replays", hidden=True),
        tag("div",
            tag("button", "Start again", type="button", id="rerun", hidden=True),
            tag("form", tag("label", "Follow-up", tag("input", name="text", maxlength=MAX_TASK, required=True,
                                                       placeholder="another instruction for both agents")),
                tag("button", "Send", type="submit", class_="plain"), id="follow-up", class_="inline", hidden=True),
            class_="row", id="controls"),
        tag("section", id="revealed", class_="card", hidden=True, aria_live="polite"),
        _ballot(),
        tag("div", id="battle", hidden=True, data_now=json.dumps(shown.plain())),
        place="/arena", scripts=("battle.js",), styles=("replay.css", "screen.css", "battle.css"), wide=True,
    )  # fmt: skip


def _invitation(request: Request, person: Person) -> Html:
    """Return what the person can do next: start a battle, consent, or read the leaderboard."""
    if person.may_vote:
        return tag("p", tag("a", "Start a battle", href="/arena/new", class_="button"))
    if person.role == "visitor":
        return tag(
            "p",
            "Battles are by invitation. The results are on the ",
            tag("a", "leaderboard", href="/leaderboard"),
            ".",
            class_="note",
        )
    agree_ = form(request, "/arena/consent", tag("button", "I agree", type="submit"))
    return tag("section", tag("h2", "Before your first vote"), tag("p", CONSENT), agree_, class_="card")


def _mine(request: Request, person: Person) -> Html:
    battles = battles_of(site_of(request).store, person)
    if not battles:
        return empty("No battles yet", "Your battles appear here, and the battles that you are invited to judge.")
    return tag(
        "section",
        tag("h2", "Your battles"),
        tag("ul", [_row(battle) for battle in battles], class_="battles"),
        class_="card",
    )


def _row(battle: Brief) -> Html:
    text = battle.task if len(battle.task) <= _SHORT else f"{battle.task[: _SHORT - 1]}…"
    at = datetime.fromtimestamp(battle.created, UTC)
    vote = dict(_WINNERS).get(battle.vote or "")
    return tag(
        "li",
        tag("a", tag("bdi", text), href=f"/arena/battles/{battle.id}"),
        tag("p", pill(*_WORDS[battle.status]), f"Your vote: {vote}" if vote else "No vote yet",
            tag("time", f"{at:%Y-%m-%d %H:%M} UTC", datetime=at.isoformat(timespec="seconds")), class_="muted small"),
    )  # fmt: skip


def _heading(text: str) -> Html:
    """Render the task as a heading. A long task scrolls inside the heading, so the screens stay visible."""
    long = len(text) > _LONG
    return tag("h1", text, dir="auto", class_="task long" if long else "task", tabindex="0" if long else None)


def _given(shown: Shown) -> Html | None:
    """List the files, pages and repository given to both agents, and link the previous battle."""
    prepared = shown.task.preparation
    given = [*prepared.files, *prepared.pages, *([prepared.repository] if prepared.repository else [])]
    parts: list[Html] = []
    if given:
        parts.append(
            tag("span", "On both desktops: ", [(", " if at else "", tag("bdi", name)) for at, name in enumerate(given)])
        )
    if shown.follows:
        parts.append(tag("a", "Previous battle", href=f"/arena/battles/{shown.follows}"))
    return tag("p", parts, class_="row muted small") if parts else None


def _side(side: str) -> Html:
    name = side.upper()
    return tag(
        "section",
        tag("div", tag("h2", f"Agent {name}"), tag("span", class_="pill", data_state=""), class_="row"),
        tag("div", class_="screen", data_screen=""),
        tag("ol", class_="talk", data_talk="", aria_live="polite", aria_label=f"Questions from agent {name}"),
        class_="card side", data_side=side,
    )  # fmt: skip


def _ballot() -> Html:
    """Render the ballot. Only the winner is required."""
    heads = [tag("h3", f"Agent {side.upper()}", aria_hidden="true") for side in ("a", "b")]
    rows = [
        tag(
            "div",
            tag("p", question, aria_hidden="true"),
            [_answers(name, question, side, answers) for side in ("a", "b")],
        )
        for name, question, answers in _QUESTIONS
    ]
    return tag(
        "form",
        tag("h2", "Your vote"),
        tag("fieldset", tag("legend", "Who did better?"),
            tag("div", [_choice("winner", value, label) for value, label in _WINNERS], class_="choices large")),
        tag("details", tag("summary", "Add details"),
            tag("div", tag("div", tag("span"), heads), rows, class_="more"),
            tag("label", "Comment", tag("textarea", name="comment", maxlength=4000, rows=2))),
        tag("div", tag("button", "Vote", type="submit"),
            tag("span", "Choose a winner.", id="vote-trouble", class_="note bad", role="alert", hidden=True),
            tag("span", "After your first vote you see the agents' names. You can still change your vote, but only "
                        "your vote before the names were shown counts for "
                        "ratings.", id="vote-hint", class_="muted small"),
            tag("span", id="vote-marks", class_="muted small", role="status"), class_="row"),
        id="ballot", class_="card", hidden=True, data_marks=",".join(MARKS),
    )  # fmt: skip


def _answers(name: str, question: str, side: str, answers: Sequence[str]) -> Html:
    """Render one question about one side.

    The legend repeats the question for screen readers, which cannot see the grid.
    """
    return tag(
        "fieldset",
        tag("legend", f"{question} Agent {side.upper()}", class_="heard"),
        tag(
            "div",
            [_choice(f"{name}_{side}", answer, _SAID.get(answer, answer)) for answer in answers],
            class_="choices small",
        ),
    )


def _choice(name: str, value: str, label: str, *, checked: bool = False) -> Html:
    return tag("label", tag("input", type="radio", name=name, value=value, checked=checked), label)
