"""Runs: how far they are and what came out, down to each episode; two of them compared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import RedirectResponse

from fairground.arena import Absent, Refused
from fairground.report.html import Child, Html, tag
from fairground.report.statistics_words import counted
from fairground.web.shell import empty, page, table
from fairground.web.studio import runs_api
from fairground.web.studio.runs_compare import chooser, compare_page
from fairground.web.studio.runs_found import Found, find_runs, places_of
from fairground.web.studio.runs_list import episodes_page, members
from fairground.web.studio.runs_page import by_agent, by_scenario, standing, without_score
from fairground.web.studio.runs_parts import dollars, named, no_score, rate_words, replay_path, run_path, state_pill
from fairground.web.studio.runs_read import RunSummary, episodes_of, summary_of
from fairground.web.studio.runs_tally import Filter, tally

_WORLDS_NAMED = 2  # in a list of runs

router = APIRouter()
router.include_router(runs_api.router)

Name = Annotated[str, Query(max_length=400)]


@router.get("/runs", include_in_schema=False)
def every_run(request: Request) -> Response:
    """All runs, those that were begun last first."""
    found = find_runs(places_of(request))
    if not found:
        how = ("Start one, such as ", tag("code", "fairground run pocket/notes --agent random"), ". It shows up here.")
        return _page(request, "Runs", tag("h1", "Runs"), _live(empty("There is no run here yet", how), "/api/runs", 3))
    runs = _summaries(found.values())
    runs.sort(key=lambda one: (one.started, one.name), reverse=True)
    every = 1 if any(one.state == "going" for one in runs) else 5
    sound, broken = ([one for one in runs if (one.state == "damaged") == bad] for bad in (False, True))
    return _page(
        request,
        "Runs",
        tag("h1", "Runs"),
        tag("p", "Success is out of the scored episodes. What errored or was invalid is no score, and stands apart.",
            " Intervals know that attempts at one scenario resemble each other.",
            class_="lead"),
        _live((_run_table(sound) if sound else None, _damaged(broken)), "/api/runs", every),
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
    number: Annotated[int, Query(alias="page", ge=1, le=1_000_000)] = 1,
) -> Response:
    """Episodes that fit; the address holds the filter."""
    some = members(find_runs(places_of(request)), name)
    wanted = Filter(agent, outcome, scenario, text)
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


def _run(request: Request, found: Found) -> Response:
    run = summary_of(found)
    up = [tag("a", "Runs", href="/runs")]
    up += [tag("a", named(run.group), href=run_path(run.group))] if run.group else []
    head: list[Child] = [tag("nav", up, class_="crumbs", aria_label="Where this is"), tag("h1", named(run.name))]
    if run.state == "damaged":
        fault = tag("p", run.fault, class_="note bad")
        return _page(request, run.name, *head, _live(fault, f"/api{run_path(run.name)}/mark", 5))
    how = ("attempts that people made, the first " if found.played
           else (counted(run.rollouts, "rollout"), " a configuration, begun "))  # fmt: skip
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
    return _page(request, run.name, *head, about, left_out, buttons, live)


@lru_cache(maxsize=32)
def _sections(found: Found, _mark: str) -> tuple[Html | None, ...]:
    """What a run's page shows of it, remembered until the run changes: there may be hundreds of scenarios."""
    run, listed = summary_of(found), episodes_of(found)
    return standing([run], tally(run.contender, listed)), by_scenario(run.name, listed), without_score(listed)


def _group(request: Request, name: str, some: Sequence[Found]) -> Response:
    runs = _summaries(some)
    sound = [one for one in runs if one.state != "damaged"]
    listed = [one for run in some if run.name in {each.name for each in sound} for one in episodes_of(run)]
    parts = [
        standing(sound, tally(name, listed)),
        by_agent(listed, sound),
        without_score(listed),
        [tag("p", one.fault, class_="note bad") for one in runs if one.state == "damaged"],
    ]
    buttons = tag("p", tag("a", "All episodes", href=f"{run_path(name)}/episodes", class_="button"), class_="row")
    return _page(
        request,
        name,
        tag("nav", tag("a", "Runs", href="/runs"), class_="crumbs", aria_label="Where this is"),
        tag("h1", named(name)),
        tag("p", f"{counted(len(runs), 'run')} that belong together.", class_="lead"),
        buttons,
        _live(parts, f"/api{run_path(name)}/mark", _interval(runs)),
        chooser(sound),
    )


def _run_table(runs: Sequence[RunSummary]) -> Html:
    heads = ("Run", "State", "Success, 95%", "No score", "Ended", "Cost", "Begun")
    rows: list[list[Child]] = []
    for run in runs:
        short = run.name.removeprefix(f"{run.group}:") if run.group else run.name
        group = ("in ", tag("a", named(run.group), href=run_path(run.group)), ": ") if run.group else None
        about = tag("div", group, named(run.contender), " on ", _worlds(run.worlds), class_="small muted")
        done = tag("progress", value=run.ended, max=max(run.planned, 1), aria_label=f"Episodes of {run.name}")
        listed = f"{run_path(run.name)}/episodes"
        rows.append(
            [
                (tag("a", named(short), href=run_path(run.name)), about),
                state_pill(run),
                rate_words(run.rate),
                no_score(run, lambda which, listed=listed: listed + Filter(outcome=which).query()),  # type: ignore[misc]
                (f"{run.ended:,} of {run.planned:,}", done if run.state != "finished" else None),
                dollars(run.cost) if run.cost else "",
                tag("time", run.started, datetime=run.started),
            ]
        )
    return tag("section", table(heads, rows, label="Runs", class_="runs"), class_="card")


def _worlds(worlds: Sequence[str]) -> Child:
    """What was asked for, in a line; the run's own page has all of it."""
    if len(worlds) <= _WORLDS_NAMED:
        return named(", ".join(worlds))
    return (named(worlds[0]), tag("span", f" and {len(worlds) - 1:,} others", title=", ".join(worlds[1:])))


def _damaged(runs: Sequence[RunSummary]) -> Html | None:
    if not runs:
        return None
    rows = [[tag("a", named(one.name), href=run_path(one.name)), named(one.fault)] for one in runs]
    shown = table(("Run", "What is wrong"), rows, label="Damaged runs", class_="damaged")
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
