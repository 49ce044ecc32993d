"""The catalogue: suites, apps and scenarios, with screenshots and proofs."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from fairground.report.html import Child, Html, tag
from fairground.report.looks import face_of
from fairground.web.shell import empty, page
from fairground.web.studio import catalogue_api
from fairground.web.studio.catalogue_app import app_page, look_path, shape
from fairground.web.studio.catalogue_counts import Shelf, find_shelf, find_suite, shelves
from fairground.web.studio.catalogue_looks import book_of
from fairground.web.studio.catalogue_parts import (
    Reader,
    census_facts,
    crumbs,
    scenario_table,
    share,
)
from fairground.web.studio.catalogue_scenario import scenario_page
from fairground.worlds import Suite, suites
from fairground.worlds.census import add_up

router = APIRouter()
router.include_router(catalogue_api.router)


@router.get("/catalogue", include_in_schema=False)
def everything(request: Request) -> Response:
    """Show all suites, and all scenarios with a search."""
    by_suite = {suite.name: list(shelves(suite)) for suite in suites().values()}
    every = [shelf for apps in by_suite.values() for shelf in apps]
    if not every:
        how: Child = (
            "Install one, for example ",
            tag("code", "pip install fairground-pocket"),
            ", and restart the server.",
        )
        if not Reader.of(request).commands:
            how = "Suites that are installed on this server appear here."
        return _page(request, "Catalogue", tag("h1", "Catalogue"), empty("No suites yet", how))
    census = add_up(count for shelf in every for count in shelf.counts)
    return _page(
        request,
        "Catalogue",
        tag("h1", "Catalogue"),
        tag("p", "Real software as environments. A proven configuration can be solved, is not solved at the start, "
                 "and its checks reject near misses.", class_="lead"),
        census_facts(census, ("Suites", f"{len(by_suite):,}"), ("Apps", f"{len(every):,}")),
        [_suite(request, suites()[name], apps) for name, apps in by_suite.items()],
        tag("section", tag("h2", "Scenarios by app"), scenario_table(tuple(every), label="Scenarios"), class_="card"),
    )  # fmt: skip


@router.get("/catalogue/{suite}", include_in_schema=False)
def one_suite(request: Request, suite: str) -> Response:
    """Show a suite with its apps and scenarios."""
    found_suite = find_suite(suite)
    apps = list(shelves(found_suite))
    census = add_up(count for shelf in apps for count in shelf.counts)
    return _page(
        request,
        found_suite.title,
        crumbs(("/catalogue", "Catalogue")),
        tag("h1", found_suite.title),
        tag("p", f"Version {found_suite.version}.", class_="lead"),
        census_facts(census, ("Apps", f"{len(apps):,}")),
        tag("h2", "Apps"),
        _tiles(request, apps, level="h3"),
        tag("section", tag("h2", "Scenarios"), scenario_table(tuple(apps), label="Scenarios"), class_="card"),
    )


@router.get("/catalogue/{suite}/{app}", include_in_schema=False)
def one_app(request: Request, suite: str, app: str) -> Response:
    """Show an app."""
    shelf = find_shelf(suite, app)
    looks = book_of(request).looks(shelf.suite, shelf.app)
    return _page(request, shelf.app.title, *app_page(shelf, looks, Reader.of(request)))


@router.get("/catalogue/{suite}/{app}/{scenario}", include_in_schema=False)
def one_scenario(request: Request, suite: str, app: str, scenario: str) -> Response:
    """Show a scenario."""
    shelf = find_shelf(suite, app)
    looks = book_of(request).looks(shelf.suite, shelf.app)
    return _page(request, scenario, *scenario_page(shelf, shelf.find(scenario), Reader.of(request), looks))


def _page(request: Request, title: str, *content: Child) -> Response:
    return page(
        request, title, *content, place="/catalogue", scripts=("catalogue.js",), styles=("catalogue.css",)
    )  # fmt: skip


def _suite(request: Request, suite: Suite, apps: list[Shelf]) -> Html:
    census = add_up(count for shelf in apps for count in shelf.counts)
    proven = census.proven_configurations
    counts = [f"{len(apps)} apps", f"{census.scenarios:,} scenarios", f"{census.configurations:,} configurations"]
    counts.append("not proven yet" if proven is None else f"{proven:,} proven")
    if census.mutants.share is not None:
        counts.append(f"{share(census.mutants.share)} of mutants rejected")
    heading = tag("h2", tag("a", suite.title, href=f"/catalogue/{suite.name}"))
    line = tag("p", ", ".join(counts), class_="muted")
    return tag("section", heading, line, _tiles(request, apps, level="h3"), class_="suite")


def _tiles(request: Request, apps: list[Shelf], *, level: str) -> Html:
    book = book_of(request)
    tiles = []
    for shelf in apps:
        app, census = shelf.app, add_up(shelf.counts)
        first = face_of(app)
        looks = book.looks(shelf.suite, app)
        ready = first in looks.ready
        face: Child = tag("span", (app.title or app.name)[:1], class_="letter", aria_hidden="true")
        if ready:
            face = tag("img", src=look_path(shelf, *first), alt="", loading="lazy")
        proven = census.proven_configurations
        about = f"{census.scenarios:,} scenarios" + ("" if proven is None else f", {proven:,} proven configurations")
        ask = None if ready or looks.fault else f"/api{shelf.path}/looks"
        frame = tag("span", face, class_=f"face {shape(app)}", data_face=ask, data_picture=look_path(shelf, *first))
        tiles.append(
            tag("a", frame, tag(level, app.title or app.name), tag("p", about), href=shelf.path, class_="card tile app")
        )
    return tag("div", tiles, class_="tiles")
