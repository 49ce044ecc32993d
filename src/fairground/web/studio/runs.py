"""Run pages: progress and results of runs and their episodes, and comparison of two runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Form, Query, Request, Response
from fastapi.responses import RedirectResponse

from fairground.arena import Absent, Refused
from fairground.report.html import Child, Html, tag
from fairground.report.statistics_words import counted
from fairground.web.shell import empty, page
from fairground.web.studio import runs_api
from fairground.web.studio.runs_board import board_sections
from fairground.web.studio.runs_compare import chooser, compare_page
from fairground.web.studio.runs_found import Found, find_runs, places_of
from fairground.web.studio.runs_labels import RunFilter, change_label, label_form, run_filter_form, tag_links
from fairground.web.studio.runs_list import episodes_page, members
from fairground.web.studio.runs_page import by_scenario, standing, without_score
from fairground.web.studio.runs_parts import listing, named, replay_path, run_path
from fairground.web.studio.runs_read import RunSummary, episodes_of, summary_of
from fairground.web.studio.runs_scores import scores_of
from fairground.web.studio.runs_table import run_table
from fairground.web.studio.runs_tally import Filter, tally
from fairground.web.visit import Admin, visitor_of

router = APIRouter()
router.include_router(runs_api.router)

Name = Annotated[str, Query(max_length=400)]


@router.get("/runs", include_in_schema=False)
def every_run(
    request: Request, text: Name = "", tag_: Annotated[str, Query(alias="tag", max_length=100)] = ""
) -> Response:
    """List all runs, newest first. Runs of the same group are listed together."""
    by_name = find_runs(places_of(request))
    if not by_name:
        how: Child = "Runs appear here when they have been started."
        if visitor_of(request).person.role == "admin":
            how = ("Start one, for example ", tag("code", "fairground run pocket/notes --agent random"), ".")
        return _page(request, "Runs", tag("h1", "Runs"), _live(empty("No runs yet", how), "/api/runs", 3))
    runs = _summaries(by_name.values())
    wanted = RunFilter(text, tag_)
    fitting = _ordered(wanted(runs))
    every = 1 if any(run.state == "going" for run in runs) else 5
    sound, broken = ([run for run in fitting if (run.state == "damaged") == bad] for bad in (False, True))
    nothing = None if fitting else empty("No runs match", tag("a", "Show all runs", href="/runs"), ".")
    return _page(
        request,
        "Runs",
        tag("h1", "Runs"),
        tag("p", "The score is the mean of the apps' success rates. Errored and invalid episodes are counted "
                 "separately and do not affect the score.", class_="lead"),
        run_filter_form(runs, wanted),
        _live((run_table(sound) if sound else None, _damaged(broken), nothing), "/api/runs", every),
        chooser(sound),
    )  # fmt: skip


@router.get("/runs/compare", include_in_schema=False)
def compare(request: Request, a: Name = "", b: Name = "") -> Response:
    """Compare two runs, paired on what both ran."""
    return _page(request, "Compare runs", *compare_page(find_runs(places_of(request)), a, b))


@router.get("/runs/{name}", include_in_schema=False)
def one_run(request: Request, name: str) -> Response:
    """Show a run, or a group of runs."""
    runs = members(find_runs(places_of(request)), name)
    if runs[0].name == name:
        return _run(request, runs[0])
    return _group(request, name, runs)


@router.get("/runs/{name}/episodes", include_in_schema=False)
def episodes(
    request: Request,
    name: str,
    agent: Name = "",
    outcome: Name = "",
    scenario: Name = "",
    text: Name = "",
    check: Name = "",
    sort: Name = "",
    number: Annotated[int, Query(alias="page", ge=1, le=1_000_000)] = 1,
) -> Response:
    """List the episodes that match the filter in the URL."""
    runs = members(find_runs(places_of(request)), name)
    wanted = Filter(agent, outcome, scenario, text, check, sort)
    every = _interval(_summaries(runs))
    content = episodes_page(name, runs, wanted, number)
    return _page(request, f"Episodes of {name}", *content[:-1], _live(content[-1], f"/api{run_path(name)}/mark", every))


@router.get("/runs/{name}/episodes/{episode}", include_in_schema=False)
def one_episode(request: Request, name: str, episode: str) -> Response:
    """Redirect to an episode's replay."""
    for run in members(find_runs(places_of(request)), name):
        for listed in episodes_of(run):
            if listed.folder and listed.folder == episode:
                return RedirectResponse(replay_path(listed), 307)
    raise Absent(f"there is no episode {episode[:80]!r} in this run", fix="choose one from the run's list")


@router.post("/runs/{name}/label", include_in_schema=False)
def label(
    request: Request,
    _: Admin,
    name: str,
    called: Annotated[str, Form(alias="name", max_length=1_000)] = "",
    tags: Annotated[str, Form(max_length=10_000)] = "",
) -> Response:
    """Give a run, or a group of runs, a name and tags."""
    first = members(find_runs(places_of(request)), name)[0]
    if first.played:
        raise Refused("people's attempts cannot have a name or tags")
    change_label(first, group=first.name != name, name=called, tags=tags)
    return RedirectResponse(run_path(name), 303)


def _run(request: Request, found: Found) -> Response:
    run = summary_of(found)
    up = [tag("a", "Runs", href="/runs")]
    up += [tag("a", named(run.group_title), href=run_path(run.group))] if run.group else []
    head = _head(up, run.title, run.name, run.tags)
    if run.state == "damaged":
        fault = tag("p", run.fault, class_="note bad")
        return _page(request, run.name, *head, _live(fault, f"/api{run_path(run.name)}/mark", 5))
    how = ("attempts by people, the first " if found.played
           else (counted(run.rollouts, "rollout"), " per configuration, started "))  # fmt: skip
    about = tag("p", named(run.contender), " on ", named(", ".join(run.worlds)), ", ", how,
                tag("time", run.started, datetime=run.started), ".", class_="lead")  # fmt: skip
    left_out = tag("p", run.fault, ".", class_="note") if run.fault else None
    buttons = tag(
        "p",
        tag("a", "All episodes", href=f"{run_path(run.name)}/episodes", class_="button"),
        tag("a", "Compare with another run", href=f"/runs/compare?a={quote(run.name, safe='')}", class_="button plain"),
        class_="row",
    )
    live = _live(_sections(found, run.mark), f"/api{run_path(run.name)}/mark", _interval([run]))
    form = None if found.played else label_form(request, run.name, run.label)
    return _page(request, run.title, *head, about, left_out, buttons, live, form)


@lru_cache(maxsize=32)
def _sections(found: Found, mark: str) -> tuple[Html | None, ...]:
    """Render the sections of a run's page. Cached until the run changes, because there can be hundreds of scenarios."""
    run, listed = summary_of(found), episodes_of(found)
    summary, _ = scores_of(((found, mark),))
    return standing(run, tally(run.contender, listed), summary), by_scenario(run.name, listed), without_score(listed)


def _group(request: Request, name: str, some: Sequence[Found]) -> Response:
    runs = _summaries(some)
    sound = {run.name for run in runs if run.state != "damaged"}
    title, own = runs[0].group_title, runs[0].group_label
    sections = board_sections([run for run in some if run.name in sound]) if sound else ()
    faults = [tag("p", run.fault, class_="note bad") for run in runs if run.fault]
    buttons = tag("p", tag("a", "All episodes", href=f"{run_path(name)}/episodes", class_="button"), class_="row")
    worlds = dict.fromkeys(world for run in runs for world in run.worlds)
    return _page(
        request,
        title,
        *_head([tag("a", "Runs", href="/runs")], title, name, own.tags),
        tag("p", counted(len(runs), "run"), " in one group, on ", named(", ".join(worlds)), ".", class_="lead"),
        buttons,
        _live((sections, faults), f"/api{run_path(name)}/mark", _interval(runs)),
        chooser([run for run in runs if run.name in sound]),
        label_form(request, name, own),
    )


def _head(up: Sequence[Html], title: str, name: str, tags: Sequence[str]) -> list[Child]:
    """Render breadcrumbs and the title, with the folder's name if it is different."""
    folder = tag("span", named(name), class_="muted mono") if not name.endswith(title) else None
    return [
        tag("nav", up, class_="crumbs", aria_label="Breadcrumb"),
        tag("div", tag("h1", named(title)), folder, tag_links(tags), class_="row title"),
    ]


def _ordered(runs: Sequence[RunSummary]) -> list[RunSummary]:
    """Order runs by start, newest first, keeping groups together and sorted by name."""
    begun: dict[str, str] = {}
    for run in runs:
        place = run.group or run.name
        begun[place] = max(begun.get(place, ""), run.started)
    by_name = sorted(runs, key=lambda run: run.name)
    return sorted(by_name, key=lambda run: (begun[run.group or run.name], run.group or run.name), reverse=True)


def _damaged(runs: Sequence[RunSummary]) -> Html | None:
    if not runs:
        return None
    rows = [[tag("a", named(run.name), href=run_path(run.name)), named(run.fault)] for run in runs]
    shown = listing(("Run", "Problem"), rows, label="Damaged runs", class_="damaged")
    return tag("section", tag("h2", "Unreadable runs"), shown, class_="card")


def _summaries(runs: Iterable[Found]) -> list[RunSummary]:
    """Return summaries of runs, without those that were deleted in the meantime."""
    summaries = []
    for run in runs:
        try:
            summaries.append(summary_of(run))
        except Refused:
            continue
    return summaries


def _interval(runs: Sequence[RunSummary]) -> int:
    """Return the seconds between two refreshes: longer if there is more to read, 0 if nothing will change."""
    if all(run.state == "finished" for run in runs):
        return 0
    going = any(run.state == "going" for run in runs)
    return (1 if going else 5) + sum(run.planned for run in runs) // 2000


def _live(content: Child, poll: str, every: int) -> Html:
    """Wrap the part of the page that is refreshed when it changes."""
    return tag("div", content, id="live", class_="live", data_poll=poll if every else None, data_every=every or None)


def _page(request: Request, title: str, *content: Child) -> Response:
    return page(request, title, *content, place="/runs", scripts=("runs.js",), styles=("runs.css",))
