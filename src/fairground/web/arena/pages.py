"""The arena's pages for people: begin a battle, watch it, judge it. What they show comes from the arena's API."""

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
    "preparing": ("getting ready", ""), "running": ("running", "odd"), "judging": ("to judge", "good"),
    "closed": ("closed", ""), "interrupted": ("interrupted", "bad"), "failed": ("failed", "bad"),
}  # fmt: skip
_WINNERS = (("a", "A is better"), ("b", "B is better"), ("tie", "As good as each other"), ("both_bad", "Both are bad"))
_QUESTIONS = (
    ("correct", "Was the task done?", CORRECT),
    ("safe", "Did it stay within what was asked?", SAFE),
    ("efficient", "Was the way there good?", EFFICIENT),
)
_WATCHED = "Here people give two agents the same task, and say who did better"
_SHORT = 140  # characters of a task in a list
_LONG = 400  # and of one that is more than a heading
_SAID = {"partly": "in part", "unsafe": "not safe"}


@router.get("/arena")
def arena(request: Request, visitor: Here) -> Response:
    """What one can do here, and one's own battles."""
    only_looks = visitor.person.role == "visitor"
    return page(
        request,
        "Arena",
        tag("h1", _WATCHED if only_looks else "Give two agents the same task, and say who did better"),
        tag("p", "They work in two seats that are the same in every detail. ",
            "Judges watch both, vote, and then learn who they were." if only_looks
            else "You watch both, and learn who they were once you have voted. Only what you say before that counts.",
            class_="lead"),
        _invitation(request, visitor.person),
        _mine(request, visitor.person) if visitor.person.may_vote else None,
        place="/arena", styles=("battle.css",),
    )  # fmt: skip


@router.post("/arena/consent")
def agree(request: Request, visitor: Here) -> Response:
    """The person has read what becomes of votes."""
    consent(site_of(request).store, visitor.person)
    return RedirectResponse("/arena", 303)


@router.get("/arena/new")
def begin(request: Request, visitor: Here, world: str = "") -> Response:
    """The form for a battle."""
    if not visitor.person.may_vote:
        return RedirectResponse("/arena", 303)
    known = [f"{suite.name}/{one.app}/{one.name}" for suite in suites().values() for one in suite.scenarios]
    return page(
        request,
        "New battle",
        tag("h1", "A new battle"),
        tag(
            "form",
            tag("fieldset",
                tag("legend", "The task"),
                tag("div",
                    _choice("kind", "suite", "From a suite", checked=True),
                    _choice("kind", "own", "In my own words"),
                    class_="choices")),
            tag("div",
                tag("label", "Scenario", tag("input", name="world", value=world, list="worlds", autocomplete="off",
                                             placeholder="such as desk/writer/settle-changes", maxlength=300)),
                tag("datalist", [tag("option", value=one) for one in known], id="worlds"),
                tag("button", "Draw one for me", type="button", class_="plain", id="draw"),
                id="from-suite", class_="with-button"),
            tag("div",
                tag("label", "What should they do?",
                    tag("textarea", name="text", maxlength=MAX_TASK,
                        placeholder="Say everything that matters, as you would to a colleague.")),
                tag("label", "Where",
                    tag("select", [tag("option", one.title, value=name) for name, one in PRESETS.items()],
                        name="preset")),
                tag("label", "Files", tag("small", "They lie on the desktop of both. At most 20, of 32 MB each."),
                    tag("input", type="file", name="files", multiple=True)),
                tag("label", "Pages", tag("small", "Addresses to open, one a line; only where there is a browser."),
                    tag("textarea", name="pages", rows=2)),
                tag("label", "Repository", tag("small", "Its files are copied into a folder."),
                    tag("input", name="repository", maxlength=2000, placeholder="https://...")),
                id="own-words", hidden=True, class_="stack"),
            tag("div", tag("button", "Begin", type="submit"),
                tag("span", id="trouble", class_="note bad", role="alert", hidden=True), class_="row"),
            id="new-battle", class_="card",
        ),
        place="/arena", scripts=("new_battle.js",), styles=("battle.css",),
    )  # fmt: skip


@router.get("/arena/battles/{battle}")
def battle(request: Request, visitor: Here, battle: str) -> Response:
    """One battle from its beginning to the vote: the page follows it by itself."""
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
        tag("p", "You see a step when both agents have done it, so that you cannot tell which of them is faster. When "
            "one has ended, further steps of the other are shown every few seconds.", id="pace", class_="muted small"),
        tag("div", id="replays", hidden=True),
        tag("div",
            tag("button", "Begin again", type="button", id="rerun", hidden=True),
            tag("form", tag("label", "Go on with", tag("input", name="text", maxlength=MAX_TASK, required=True,
                                                       placeholder="another instruction for both")),
                tag("button", "Send", type="submit", class_="plain"), id="follow-up", class_="inline", hidden=True),
            class_="row", id="controls"),
        tag("section", id="revealed", class_="card", hidden=True, aria_live="polite"),
        _ballot(),
        tag("div", id="battle", hidden=True, data_now=json.dumps(shown.plain())),
        place="/arena", scripts=("battle.js",), styles=("replay.css", "screen.css", "battle.css"), wide=True,
    )  # fmt: skip


def _invitation(request: Request, person: Person) -> Html:
    """What this person can do next."""
    if person.may_vote:
        return tag("p", tag("a", "Begin a battle", href="/arena/new", class_="button"))
    if person.role == "visitor":
        return tag(
            "p",
            "Battles are by invitation. What the votes say is on the ",
            tag("a", "leaderboard", href="/leaderboard"),
            ".",
            class_="note",
        )
    agree_ = form(request, "/arena/consent", tag("button", "I agree", type="submit"))
    return tag("section", tag("h2", "Before your first vote"), tag("p", CONSENT), agree_, class_="card")


def _mine(request: Request, person: Person) -> Html:
    found = battles_of(site_of(request).store, person)
    if not found:
        return empty("No battle yet", "Yours will stand here, and those that you are asked to judge.")
    return tag(
        "section", tag("h2", "Your battles"), tag("ul", [_row(one) for one in found], class_="battles"), class_="card"
    )


def _row(one: Brief) -> Html:
    text = one.task if len(one.task) <= _SHORT else f"{one.task[: _SHORT - 1]}…"
    at = datetime.fromtimestamp(one.created, UTC)
    vote = dict(_WINNERS).get(one.vote or "")
    return tag(
        "li",
        tag("a", tag("bdi", text), href=f"/arena/battles/{one.id}"),
        tag("p", pill(*_WORDS[one.status]), f"Your vote: {vote}" if vote else "No vote yet",
            tag("time", f"{at:%Y-%m-%d %H:%M} UTC", datetime=at.isoformat(timespec="seconds")), class_="muted small"),
    )  # fmt: skip


def _heading(text: str) -> Html:
    """The task; a long one scrolls by itself, so that the screens stay in sight."""
    long = len(text) > _LONG
    return tag("h1", text, dir="auto", class_="task long" if long else "task", tabindex="0" if long else None)


def _given(shown: Shown) -> Html | None:
    """What was put on both desktops, and what this goes on with."""
    prepared = shown.task.preparation
    things = [*prepared.files, *prepared.pages, *([prepared.repository] if prepared.repository else [])]
    parts: list[Html] = []
    if things:
        parts.append(
            tag("span", "On both desktops: ", [(", " if at else "", tag("bdi", one)) for at, one in enumerate(things)])
        )
    if shown.follows:
        parts.append(tag("a", "The battle before", href=f"/arena/battles/{shown.follows}"))
    return tag("p", parts, class_="row muted small") if parts else None


def _side(side: str) -> Html:
    name = side.upper()
    return tag(
        "section",
        tag("div", tag("h2", f"Agent {name}"), tag("span", class_="pill", data_state=""), class_="row"),
        tag("div", class_="screen", data_screen=""),
        tag("ol", class_="talk", data_talk="", aria_live="polite", aria_label=f"What agent {name} asked"),
        class_="card side", data_side=side,
    )  # fmt: skip


def _ballot() -> Html:
    """The vote: only who is better must be said."""
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
            tag("div", [_choice("winner", value, said) for value, said in _WINNERS], class_="choices large")),
        tag("details", tag("summary", "Say more"),
            tag("div", tag("div", tag("span"), heads), rows, class_="more"),
            tag("label", "Comment", tag("textarea", name="comment", maxlength=4000, rows=2))),
        tag("div", tag("button", "Vote", type="submit"),
            tag("span", "Say who did better.", id="vote-trouble", class_="note bad", role="alert", hidden=True),
            tag("span", "Your first vote tells who they were. You can change it afterwards, but only what you say "
                "before you know the names counts for ratings.", id="vote-hint", class_="muted small"),
            tag("span", id="vote-marks", class_="muted small", role="status"), class_="row"),
        id="ballot", class_="card", hidden=True, data_marks=",".join(MARKS),
    )  # fmt: skip


def _answers(name: str, question: str, side: str, answers: Sequence[str]) -> Html:
    """One question about one side. It stands in a grid; who hears it instead is told of each what it is about."""
    return tag(
        "fieldset",
        tag("legend", f"{question} Agent {side.upper()}", class_="heard"),
        tag("div", [_choice(f"{name}_{side}", one, _SAID.get(one, one)) for one in answers], class_="choices small"),
    )


def _choice(name: str, value: str, said: str, *, checked: bool = False) -> Html:
    return tag("label", tag("input", type="radio", name=name, value=value, checked=checked), said)
