"""The catalogue as JSON, and screenshots of apps."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter, Request, Response
from pydantic import Field

from fairground.arena import Absent
from fairground.core import Record
from fairground.web.studio.catalogue_counts import Shelf, find_shelf, shelves
from fairground.web.studio.catalogue_looks import book_of
from fairground.web.trouble import ABSENT, CHANGING
from fairground.web.visit import has_role
from fairground.worlds import suites
from fairground.worlds.census import Census, ScenarioCount, add_up

router = APIRouter()


class Totals(Record):
    """Number of scenarios, configurations and proofs."""

    scenarios: int
    action: int
    answer: int
    instances: int
    configurations: int
    proven_configurations: int | None = Field(description="null without proofs")
    mutants_rejected: float | None = Field(
        description="share of near misses that were rejected; null if there were none"
    )


class ScenarioEntry(Record):
    """A scenario in the catalogue."""

    name: str
    kind: Literal["action", "answer"]
    template: str
    instances: int
    step_budget: int
    pairs: int = Field(description="number of (instance, profile) pairs")
    proven_pairs: int | None = Field(description="null if the suite has no proofs")
    infeasible_pairs: int | None
    faulty_pairs: int | None
    configurations: int
    proven_configurations: int | None
    mutants_rejected: float | None


class AppEntry(Record):
    """An app in the catalogue."""

    name: str
    title: str
    backend: str
    size: tuple[int, int]
    packages: tuple[str, ...]
    profiles: tuple[str, ...]
    themes: tuple[str, ...]
    ui_states: tuple[str, ...]
    endpoints: int
    totals: Totals
    scenarios: tuple[ScenarioEntry, ...]


class SuiteEntry(Record):
    """A suite in the catalogue."""

    name: str
    title: str
    version: str
    totals: Totals
    apps: tuple[AppEntry, ...]


class Catalogue(Record):
    """All installed suites."""

    totals: Totals
    suites: tuple[SuiteEntry, ...]


class Picture(Record):
    """Screenshot of an app with one value of an axis."""

    axis: Literal["profile", "theme", "ui_state"]
    value: str
    path: str = Field(description="URL of the screenshot (WebP)")


class LooksReply(Record):
    """Progress of an app's screenshots."""

    pictures: tuple[Picture, ...]
    making: bool = Field(description="whether more screenshots are being made")
    fault: str = Field(description="why no more can be made; otherwise empty")


@router.get("/api/catalogue", response_model=Catalogue)
def catalogue() -> Response:
    """List suites, apps and scenarios with their proofs."""
    by_suite = {name: list(shelves(suite)) for name, suite in suites().items()}
    entries = [
        SuiteEntry(
            name=name, title=suites()[name].title, version=suites()[name].version,
            totals=_totals(add_up(count for shelf in apps for count in shelf.counts)), apps=tuple(map(_app, apps)),
        )
        for name, apps in by_suite.items()
    ]  # fmt: skip
    every = add_up(count for apps in by_suite.values() for shelf in apps for count in shelf.counts)
    catalogue = Catalogue(totals=_totals(every), suites=tuple(entries))
    return Response(catalogue.model_dump_json(), media_type="application/json")


@router.get("/api/catalogue/{suite}/{app}/looks", responses=ABSENT)
def looks(request: Request, suite: str, app: str) -> LooksReply:
    """List the screenshots of an app that are ready."""
    return _looks(request, find_shelf(suite, app))


@router.post("/api/catalogue/{suite}/{app}/looks", status_code=202, responses=ABSENT | CHANGING)
def make_looks(request: Request, suite: str, app: str, face: bool = False) -> LooksReply:
    """Request the missing screenshots of an app. They are made in their own seat, after earlier requests.

    With `face`, only the screenshot used in lists is made, with priority.
    """
    shelf = find_shelf(suite, app)
    book_of(request).ask(shelf.suite, shelf.app, face=face)
    return _looks(request, shelf)


@router.get("/catalogue/{suite}/{app}/looks/{axis}/{value}", include_in_schema=False)
def picture(request: Request, suite: str, app: str, axis: str, value: str) -> Response:
    """Return a screenshot."""
    shelf = find_shelf(suite, app)
    picture = book_of(request).picture(shelf.suite, shelf.app, axis, value)
    if picture is None:
        raise Absent("this screenshot does not exist, or is not ready yet")
    return Response(picture, media_type="image/webp")


def _looks(request: Request, shelf: Shelf) -> LooksReply:
    looks = book_of(request).looks(shelf.suite, shelf.app)
    pictures = [
        Picture.parse({"axis": axis, "value": value, "path": f"{shelf.path}/looks/{axis}/{value}"})
        for axis, value in looks.ready
    ]
    fault = looks.said(commands=has_role(request, "admin"))
    return LooksReply(pictures=tuple(pictures), making=looks.making, fault=fault)


def _app(shelf: Shelf) -> AppEntry:
    app = shelf.app
    return AppEntry(
        name=app.name, title=app.title, backend=app.screen.backend, size=app.screen.size, packages=app.packages,
        profiles=tuple(app.profiles), themes=tuple(app.themes), ui_states=tuple(app.ui_states),
        endpoints=len(app.inspector.endpoints) if app.inspector is not None else 0,
        totals=_totals(add_up(shelf.counts)), scenarios=tuple(map(_scenario, shelf.counts)),
    )  # fmt: skip


def _scenario(count: ScenarioCount) -> ScenarioEntry:
    scenario = count.scenario
    return ScenarioEntry(
        name=scenario.name, kind=scenario.kind, template=scenario.template, instances=len(scenario.instances),
        step_budget=scenario.step_budget,
        pairs=count.pairs, proven_pairs=count.proven if count.held else None,
        infeasible_pairs=count.infeasible if count.held else None, faulty_pairs=count.faulty if count.held else None,
        configurations=count.configurations, proven_configurations=count.proven_configurations,
        mutants_rejected=count.mutants.share,
    )  # fmt: skip


def _totals(census: Census) -> Totals:
    return Totals(
        scenarios=census.scenarios, action=census.action, answer=census.answer, instances=census.instances,
        configurations=census.configurations, proven_configurations=census.proven_configurations,
        mutants_rejected=census.mutants.share,
    )  # fmt: skip
