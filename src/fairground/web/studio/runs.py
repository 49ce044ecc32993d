"""Runs: how far they are and what came out, down to each episode; two of them compared."""

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
    """All runs, those that were begun last first; those that were run together stand together."""
    found = find_runs(places_of(request))
    if not found:
        how: Child = "They show up here once there are some."
        if visitor_of(request).person.role == "admin":
            how = ("Start one, such as ", tag("code", "fairground run pocket/notes --agent random"), ".")
        return _page(request, "Runs", tag("h1", "Runs"), _live(empty("There is no run here yet", how), "/api/runs", 3))
    runs = _summaries(found.values())
    wanted = RunFilter(text, tag_)
    fitting = _ordered(wanted(runs))
    every = 1 if any(one.state == "going" for one in runs) else 5
    sound, broken = ([one for one in fitting if (one.state == "damaged") == bad] for bad in (False, True))
    nothing = None if fitting else empty("No run fits", tag("a", "Show all of them", href="/runs"), ".")
    return _page(
        request,
        "Runs",
        tag("h1", "Runs"),
        tag("p", "The score is the mean of the apps' success rates. Errored and invalid episodes are not scored, and "
            "are counted separately.", class_="lead"),
        run_filter_form(runs, wanted),
        _live((run_table(sound) if sound else None, _damaged(broken), nothing), "/api/runs", every),
        chooser(sound),
    )  # fmt: skip


@router.get("/runs/compare", include_in_schema=False)
def compare(request: Request, a: Name = "", b: Name = "") -> Response:
    """Two runs, paired on what both were run on."""
    return _page(request, "Compare runs", *compare_page(find_runs(places_of(request)), a, b))


@router.get("/runs/{name}", include_in_schema=False)
def one_run(request: Request, name: str) -> Response:
    """A run, or runs that belong together."""
    some = members(find_runs(places_of(request)), name)
    if some[0].name == name:
        return _run(request, some[0])
    return _group(request, name, some)


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
    """Episodes that fit; the address holds the filter."""
    some = members(find_runs(places_of(request)), name)
    wanted = Filter(agent, outcome, scenario, text, check, sort)
    every = _interval(_summaries(some))
    content = episodes_page(name, some, wanted, number)
    return _page(request, f"Episodes of {name}", *content[:-1], _live(content[-1], f"/api{run_path(name)}/mark", every))


@router.get("/runs/{name}/episodes/{episode}", include_in_schema=False)
def one_episode(request: Request, name: str, episode: str) -> Response:
    """The way to an episode's replay."""
    for run in members(find_runs(places_of(request)), name):
        for one in episodes_of(run):
            if one.folder and one.folder == episode:
                return RedirectResponse(replay_path(one), 307)
    raise Absent(f"there is no episode {episode[:80]!r} in this run", fix="choose one in the run's list")


@router.post("/runs/{name}/label", include_in_schema=False)
def label(
    request: Request,
    _: Admin,
    name: str,
    called: Annotated[str, Form(alias="name", max_length=1_000)] = "",
    tags: Annotated[str, Form(max_length=10_000)] = "",
) -> Response:
    """Gives a run, or runs that belong together, a name and tags."""
    first = members(find_runs(places_of(request)), name)[0]
    if first.played:
        raise Refused("people's attempts have no name and no tags")
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
    how = ("attempts that people made, the first " if found.played
           else (counted(run.rollouts, "rollout"), " per configuration, begun "))  # fmt: skip
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
    """What a run's page shows of it, remembered until the run changes: there may be hundreds of scenarios."""
    run, listed = summary_of(found), episodes_of(found)
    summary, _ = scores_of(((found, mark),))
    return standing(run, tally(run.contender, listed), summary), by_scenario(run.name, listed), without_score(listed)


def _group(request: Request, name: str, some: Sequence[Found]) -> Response:
    runs = _summaries(some)
    sound = {one.name for one in runs if one.state != "damaged"}
    title, own = runs[0].group_title, runs[0].group_label
    sections = board_sections([one for one in some if one.name in sound]) if sound else ()
    faults = [tag("p", one.fault, class_="note bad") for one in runs if one.fault]
    buttons = tag("p", tag("a", "All episodes", href=f"{run_path(name)}/episodes", class_="button"), class_="row")
    worlds = dict.fromkeys(world for one in runs for world in one.worlds)
    return _page(
        request,
        title,
        *_head([tag("a", "Runs", href="/runs")], title, name, own.tags),
        tag("p", counted(len(runs), "run"), " that belong together, on ", named(", ".join(worlds)), ".", class_="lead"),
        buttons,
        _live((sections, faults), f"/api{run_path(name)}/mark", _interval(runs)),
        chooser([one for one in runs if one.name in sound]),
        label_form(request, name, own),
    )


def _head(up: Sequence[Html], title: str, name: str, tags: Sequence[str]) -> list[Child]:
    """Where this is, what it is called; the name of its folder where that is another one."""
    folder = tag("span", named(name), class_="muted mono") if not name.endswith(title) else None
    return [
        tag("nav", up, class_="crumbs", aria_label="Where this is"),
        tag("div", tag("h1", named(title)), folder, tag_links(tags), class_="row title"),
    ]


def _ordered(runs: Sequence[RunSummary]) -> list[RunSummary]:
    """The last that were begun first; those that were run together beside each other, by name."""
    begun: dict[str, str] = {}
    for one in runs:
        place = one.group or one.name
        begun[place] = max(begun.get(place, ""), one.started)
    by_name = sorted(runs, key=lambda one: one.name)
    return sorted(by_name, key=lambda one: (begun[one.group or one.name], one.group or one.name), reverse=True)


def _damaged(runs: Sequence[RunSummary]) -> Html | None:
    if not runs:
        return None
    rows = [[tag("a", named(one.name), href=run_path(one.name)), named(one.fault)] for one in runs]
    shown = listing(("Run", "What is wrong"), rows, label="Damaged runs", class_="damaged")
    return tag("section", tag("h2", "Cannot be read"), shown, class_="card")


def _summaries(found: Iterable[Found]) -> list[RunSummary]:
    """What can be said of runs; one that vanished meanwhile is left out."""
    made = []
    for one in found:
        try:
            made.append(summary_of(one))
        except Refused:
            continue
    return made


def _interval(runs: Sequence[RunSummary]) -> int:
    """Seconds between two looks, more where there is more to read; 0 where nothing will change."""
    if all(one.state == "finished" for one in runs):
        return 0
    going = any(one.state == "going" for one in runs)
    return (1 if going else 5) + sum(one.planned for one in runs) // 2000


def _live(content: Child, poll: str, every: int) -> Html:
    """What is fetched again when what it shows has changed."""
    return tag("div", content, id="live", class_="live", data_poll=poll if every else None, data_every=every or None)


def _page(request: Request, title: str, *content: Child) -> Response:
    return page(request, title, *content, place="/runs", scripts=("runs.js",), styles=("runs.css",))
