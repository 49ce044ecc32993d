"""What stands on the pages of live seats."""

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

_LONG: Final = 2_000  # characters of a value


def seats_list(seats: Sequence[Hosted], opening: Sequence[Play], person: Person, *, may_open: bool) -> Html:
    """The open seats as tiles, each with what it shows now."""
    if not seats and not opening:
        how = "Choose an app below, and sit in it yourself." if may_open else "Seats that you may watch appear here."
        return empty("No seat is open", how)
    tiles = [
        tag("a", tag("h2", play.title), tag("p", pill("opening")), href=f"/live/{quote(play.id)}", class_="card tile")
        for play in opening
    ]
    for hosted in seats:
        how = "yours" if hosted.owner == person.id else "to use" if hosted.may_drive(person) else "to watch"
        tiles.append(
            tag(
                "a",
                tag("img", src=f"/seats/{quote(hosted.id)}/screenshot.png", alt="", loading="lazy"),
                tag("h2", tag("bdi", hosted.title)),
                tag("p", pill(how, "good" if how != "to watch" else "")),
                href=f"/live/{quote(hosted.id)}",
                class_="card tile",
            )
        )
    return tag("div", tiles, class_="tiles live-seats")


def app_form() -> Html:
    """Which app to open, or a world by its id."""
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
        tag("label", "Or the id of a world", tag("input", name="world", required=True, maxlength=400, dir="ltr",
            placeholder="suite/app/scenario/instance@profile/theme/ui_state", autocomplete="off", spellcheck="false")),
        tag("button", "Go on", type="submit", class_="plain"),
        action="/live/new",
        class_="inline",
    )  # fmt: skip
    return tag("section", tag("h2", "Open a seat"), by_app, by_id, class_="card live-open")


def chooser(suite: Suite, app: App) -> list[Child]:
    """The scenarios of an app."""
    rows = []
    for scenario in suite.scenarios:
        if scenario.app == app.name:
            address = f"/live/new?world={quote(f'{suite.name}/{app.name}/{scenario.name}', safe='')}"
            rows.append((tag("a", scenario.name, href=address), scenario.kind, tag("bdi", scenario.template[:300])))
    found = table(("Scenario", "Kind", "Task"), rows, label="Scenarios")
    return [
        _crumbs(app.title or app.name),
        tag("h1", f"Choose a task in {app.title or app.name}"),
        tag("section", found, class_="card") if rows else empty("No scenario yet", "This app has no task."),
    ]


def confirmation(request: Request, world: World) -> list[Child]:
    """What a person is about to open."""
    scenario = world.scenario
    width, height = world.app.screen.size
    facts = [
        fact("Screen", f"{width} by {height}"),
        fact("Actions", f"at most {scenario.step_budget}"),
        fact("Time", f"at most {_minutes(scenario.time_budget)}"),
    ]
    button = tag("button", "Open the seat", type="submit")
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
    "action": "Do it in the seat, then press Done. What you do is recorded, and checks say whether it is right.",
    "answer": "Find it out in the seat, then give your answer. What you do is recorded, and checks say whether it "
    "is right.",
}


def opening_page(request: Request, play: Play) -> Response:
    """While the seat is made."""
    return page(
        request,
        "Opening",
        _crumbs("Opening"),
        tag("h1", tag("bdi", play.world.instruction)),
        tag(
            "section",
            tag("p", "The seat is being opened. The first time, its software is made ready; that may take minutes.",
                role="status"),
            tag("progress", aria_label="Opening the seat"),
            tag("p", tag("span", "0", id="seconds"), " seconds so far", class_="muted"),
            _end_form(request, play),
            class_="card",
            id="live-wait",
            data_api=f"/api/live/{quote(play.id)}",
        ),
        place="/live", scripts=("live_wait.js",), styles=("live.css",),
    )  # fmt: skip


def seat_page(request: Request, hosted: Hosted, play: Play | None, person: Person) -> Response:
    """The screen, and around it what its user needs."""
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
        tag("p", "Click the picture to type into it; Ctrl, Alt and Esc together give the keyboard back. ",
            "Ctrl, Shift and V type what is on your clipboard. Copy out, or Ctrl, Shift and C, puts on it what was ",
            "copied in the seat: copy it there first.", class_="muted small") if drives else None,
        place="/live", scripts=("live_seat.js",), styles=("screen.css", "live.css"), wide=True,
    )  # fmt: skip


def _end_form(request: Request, play: Play) -> Html:
    button = tag("button", "End this attempt", type="submit", class_="plain")
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
                "label", tag("input", type="checkbox", id="live-control", checked=True), "Use it", class_="live-switch"
            ),
            tag("button", "Keyboard", type="button", id="live-keys", class_="plain touch-only"),
            tag(
                "button",
                "Copy out",
                type="button",
                id="live-copy",
                class_="plain",
                disabled=True,
                title="Copy the text that was copied in the seat to your clipboard",
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
            parts.append(tag("button", "Done: judge it", type="button", id="live-done"))
        parts.append(tag("button", "Give up", type="button", id="live-fail", class_="plain"))
    api = f"/api/live/{quote(play.id)}" if play is not None else None
    return tag("div", parts, class_="row live-tools", id="live-tools", data_api=api)


def verdict_page(request: Request, play: Play) -> Response:
    """What the checks said, and the replay."""
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
    back = tag("a", "Live seats", href="/live", class_="button plain")
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
    Outcome.ERRORED: "Something broke on our side; that is no result",
    Outcome.INVALID: "The task itself is at fault; that is no result",
}


def _check(check: Check) -> tuple[Child, ...]:
    sign = outcome_pill("passed" if check.passed else "failed")
    values = [tag("pre", evidence(value)[:_LONG], dir="auto") for value in (check.expected, check.found)]
    return (sign, tag("bdi", check.name), *values)


def _crumbs(here: str) -> Html:
    parts = tag("a", "Live", href="/live"), tag("span", tag("bdi", here))
    return tag("nav", parts, class_="crumbs", aria_label="Where you are")


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 60 else f"{seconds:.0f} s"
