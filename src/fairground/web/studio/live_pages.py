"""Content of the live pages."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final
from urllib.parse import quote

from fastapi import Request, Response

from fairground.arena import Person
from fairground.core import Check, Outcome
from fairground.report.describe import evidence
from fairground.report.html import Child, Html, tag
from fairground.report.outcomes import outcome_pill
from fairground.web.house import Hosted
from fairground.web.playing import Play
from fairground.web.shell import empty, fact, form, page, pill, table
from fairground.web.trouble import unplaced
from fairground.worlds import App, Suite, World, suites

_LONG: Final = 2_000  # maximum length of a value in characters


def seats_list(seats: Sequence[Hosted], opening: Sequence[Play], person: Person, *, may_open: bool) -> Html:
    """Render the open seats as tiles with their current screens."""
    if not seats and not opening:
        how = "Choose an app below to open one." if may_open else "Seats that you may watch appear here."
        return empty("No open seats", how)
    tiles = [
        tag("a", tag("h2", play.title), tag("p", pill("opening")), href=f"/live/{quote(play.id)}", class_="card tile")
        for play in opening
    ]
    for hosted in seats:
        how = "yours" if hosted.owner == person.id else "yours" if hosted.may_drive(person) else "watch"
        tiles.append(
            tag(
                "a",
                tag("img", src=f"/seats/{quote(hosted.id)}/screenshot.png", alt="", loading="lazy"),
                tag("h2", tag("bdi", hosted.title)),
                tag("p", pill(how, "good" if how != "watch" else "")),
                href=f"/live/{quote(hosted.id)}",
                class_="card tile",
            )
        )
    return tag("div", tiles, class_="tiles live-seats")


def app_form() -> Html:
    """Render the form to choose an app or enter a world's ID."""
    groups = [
        tag("optgroup", [tag("option", app.title or app.name, value=f"{suite.name}/{app.name}") for app in suite.apps],
            label=suite.title or suite.name)
        for suite in suites().values()
    ]  # fmt: skip
    by_app = tag(
        "form",
        tag("label", "App", tag("select", groups, name="app")),
        tag("button", "Choose a task", type="submit"),
        action="/live/new",
        class_="inline",
    )
    by_id = tag(
        "form",
        tag("label", "Or a world ID", tag("input", name="world", required=True, maxlength=400, dir="ltr",
            placeholder="suite/app/scenario/instance@profile/theme/ui_state", autocomplete="off", spellcheck="false")),
        tag("button", "Continue", type="submit", class_="plain"),
        action="/live/new",
        class_="inline",
    )  # fmt: skip
    return tag("section", tag("h2", "Open a seat"), by_app, by_id, class_="card live-open")


def chooser(suite: Suite, app: App) -> list[Child]:
    """Render the scenarios of an app."""
    rows = []
    for scenario in suite.scenarios:
        if scenario.app == app.name:
            address = f"/live/new?world={quote(f'{suite.name}/{app.name}/{scenario.name}', safe='')}"
            rows.append((tag("a", scenario.name, href=address), scenario.kind, tag("bdi", scenario.template[:300])))
    scenarios = table(("Scenario", "Kind", "Task"), rows, label="Scenarios")
    return [
        _crumbs(app.title or app.name),
        tag("h1", f"Choose a task in {app.title or app.name}"),
        tag("section", scenarios, class_="card") if rows else empty("No scenarios yet", "This app has no scenarios."),
    ]


def confirmation(request: Request, world: World) -> list[Child]:
    """Render what a person is about to open."""
    scenario = world.scenario
    width, height = world.app.screen.size
    facts = [
        fact("Screen", f"{width} by {height}"),
        fact("Actions", f"at most {scenario.step_budget}"),
        fact("Time", f"at most {_minutes(scenario.time_budget)}"),
    ]
    button = tag("button", "Open seat", type="submit")
    hidden = tag("input", type="hidden", name="world", value=world.id)
    return [
        _crumbs("Open a seat"),
        tag("h1", tag("bdi", world.instruction)),
        tag("p", tag("code", world.id), class_="muted"),
        tag(
            "section",
            tag("dl", facts, class_="facts"),
            tag("p", _HOW[scenario.kind], class_="muted"),
            form(request, "/live/new", hidden, tag("div", button, class_="row")),
            class_="card",
        ),
    ]


_HOW: Final = {
    "action": "Do the task in the seat, then press Done. Your actions are recorded and checked.",
    "answer": "Find the answer in the seat, then enter it. Your actions are recorded, and your answer is checked.",
}


def opening_page(request: Request, play: Play) -> Response:
    """Render the page while the seat opens."""
    return page(
        request,
        "Opening",
        _crumbs("Opening"),
        tag("h1", tag("bdi", play.world.instruction)),
        tag(
            "section",
            tag("p", "The seat is opening. The first time, its software is prepared, which can take minutes.",
                role="status"),
            tag("progress", aria_label="Opening the seat"),
            tag("p", tag("span", "0", id="seconds"), " seconds", class_="muted"),
            _end_form(request, play),
            class_="card",
            id="live-wait",
            data_api=f"/api/live/{quote(play.id)}",
        ),
        place="/live", scripts=("live_wait.js",), styles=("live.css",),
    )  # fmt: skip


def seat_page(request: Request, hosted: Hosted, play: Play | None, person: Person) -> Response:
    """Render the screen with its controls."""
    drives = hosted.may_drive(person)
    instruction = hosted.seat.world.instruction
    stream = f"/seats/{quote(hosted.id)}/stream"
    stage = tag("div", id="live-screen", data_stream=stream, data_drives="yes" if drives else "no")
    return page(
        request,
        hosted.title,
        _crumbs(hosted.title),
        tag("h1", tag("bdi", instruction or hosted.title), class_="live-task"),
        _tools(hosted, play, drives=drives),
        _end_form(request, play) if play is not None and not drives and person.role == "admin" else None,
        stage,
        tag("p", id="live-said", class_="note", role="status", hidden=True),
        tag("p", "Click the screen to type into it. Ctrl+Alt+Esc releases the keyboard. ",
            "Ctrl+Shift+V types the text on your clipboard. Copy out (Ctrl+Shift+C) puts the text that was last ",
            "copied in the seat on your clipboard.", class_="muted small") if drives else None,
        place="/live", scripts=("live_seat.js",), styles=("screen.css", "live.css"), wide=True,
    )  # fmt: skip


def _end_form(request: Request, play: Play) -> Html:
    button = tag("button", "End attempt", type="submit", class_="plain")
    return form(request, f"/live/{quote(play.id)}/end", tag("div", button, class_="row"))


def _tools(hosted: Hosted, play: Play | None, *, drives: bool) -> Html:
    parts: list[Child] = [tag("span", "Connecting", id="live-state", class_="pill", role="status")]
    if play is not None:
        scenario = play.world.scenario
        parts += [
            tag("span", tag("b", "0", id="live-steps"), f" of {scenario.step_budget} actions", class_="live-fact"),
            tag("span", tag("b", "0:00", id="live-time"), f" of {_minutes(scenario.time_budget)}", class_="live-fact"),
        ]
    if drives:
        parts += [
            tag(
                "label", tag("input", type="checkbox", id="live-control", checked=True), "Control", class_="live-switch"
            ),
            tag("button", "Keyboard", type="button", id="live-keys", class_="plain touch-only"),
            tag(
                "button",
                "Copy out",
                type="button",
                id="live-copy",
                class_="plain",
                disabled=True,
                title="Copy the seat's clipboard text to your clipboard",
            ),
        ]
    else:
        parts.append(pill("view only"))
    if play is not None and drives:
        if play.world.scenario.kind == "answer":
            parts.append(
                tag("form", tag("label", tag("span", "Your answer", class_="live-hidden"),
                    tag("input", id="live-answer", maxlength=2000, required=True, placeholder="Your answer",
                        autocomplete="off")),
                    tag("button", "Answer", type="submit"), id="live-answers", class_="inline")
            )  # fmt: skip
        else:
            parts.append(tag("button", "Done", type="button", id="live-done"))
        parts.append(tag("button", "Give up", type="button", id="live-fail", class_="plain"))
    api = f"/api/live/{quote(play.id)}" if play is not None else None
    return tag("div", parts, class_="row live-tools", id="live-tools", data_api=api)


def verdict_page(request: Request, play: Play) -> Response:
    """Render the verdict and the replay."""
    episode = play.episode
    outcome = episode.outcome if episode is not None else None
    verdict = episode.verdict if episode is not None else None
    content: list[Child] = [_crumbs("Verdict"), tag("h1", _WORDS.get(outcome, "The attempt could not be recorded"))]
    content.append(tag("p", tag("bdi", play.world.instruction), class_="lead"))
    if episode is not None:
        content.append(
            tag(
                "dl",
                fact("Outcome", outcome_pill(str(outcome) if outcome else "incomplete")),
                fact("Reward", f"{verdict.reward:.2f}") if verdict is not None else None,
                fact("Actions", str(episode.steps)),
                fact("Time", f"{episode.seconds:.0f} s"),
                class_="facts",
            )
        )
    if trouble := play.failure or (episode.error if episode is not None else ""):
        content.append(tag("pre", unplaced(trouble), class_="note bad", tabindex="0"))
    if verdict is not None:
        rows = [_check(check) for check in verdict.checks]
        checks = table(("Result", "Check", "Expected", "Found"), rows, label="Checks", class_="live-checks")
        content.append(tag("section", tag("h2", "Checks"), checks, class_="card"))
    again = f"/live/new?world={quote(play.world.id, safe='')}"
    back = tag("a", "All live seats", href="/live", class_="button plain")
    content.append(tag("p", tag("a", "Try again", href=again, class_="button"), back, class_="row"))
    if episode is not None and episode.first_frame:
        options = json.dumps({"source": f"/api/live/{play.id}/replay"})
        place = tag("div", id="replay", class_="replay-place", data_options=options)
        content.append(tag("section", tag("h2", "Replay", id="replay-title"), place, class_="card"))
    return page(
        request, "Verdict", *content,
        place="/live", scripts=("replay_page.js",), styles=("live.css", "replay.css"),
    )  # fmt: skip


_WORDS: Final[dict[Outcome | None, str]] = {
    Outcome.PASSED: "Passed",
    Outcome.FAILED: "Not passed",
    Outcome.ERRORED: "Infrastructure error; not a result",
    Outcome.INVALID: "Invalid configuration; not a result",
}


def _check(check: Check) -> tuple[Child, ...]:
    sign = outcome_pill("passed" if check.passed else "failed")
    values = [tag("pre", evidence(value)[:_LONG], dir="auto") for value in (check.expected, check.found)]
    return (sign, tag("bdi", check.name), *values)


def _crumbs(here: str) -> Html:
    parts = tag("a", "Live", href="/live"), tag("span", tag("bdi", here))
    return tag("nav", parts, class_="crumbs", aria_label="Breadcrumb")


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 60 else f"{seconds:.0f} s"
