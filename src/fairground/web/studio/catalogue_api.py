"""The catalogue as JSON, and the pictures of apps."""

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
    """Counts of scenarios."""

    scenarios: int
    action: int
    answer: int
    instances: int
    configurations: int
    proven_configurations: int | None = Field(description="null where there are no proofs")
    mutants_rejected: float | None = Field(description="share of near misses that were rejected; null where none were")


class ScenarioEntry(Record):
    """One scenario."""

    name: str
    kind: Literal["action", "answer"]
    template: str
    instances: int
    step_budget: int
    pairs: int = Field(description="instances on profiles")
    proven_pairs: int | None = Field(description="null where the suite has no proofs")
    infeasible_pairs: int | None
    faulty_pairs: int | None
    configurations: int
    proven_configurations: int | None
    mutants_rejected: float | None


class AppEntry(Record):
    """One app."""

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
    """One suite."""

    name: str
    title: str
    version: str
    totals: Totals
    apps: tuple[AppEntry, ...]


class Catalogue(Record):
    """Everything that can be opened here."""

    totals: Totals
    suites: tuple[SuiteEntry, ...]


class Picture(Record):
    """How a value of an axis looks."""

    axis: Literal["profile", "theme", "ui_state"]
    value: str
    path: str = Field(description="where the picture is, as WebP")


class LooksReply(Record):
    """How far the pictures of an app are."""

    pictures: tuple[Picture, ...]
    making: bool = Field(description="more will come by themselves")
    fault: str = Field(description="why no more will come, where that was tried; else empty")


@router.get("/api/catalogue", response_model=Catalogue)
def catalogue() -> Response:
    """Suites, apps and scenarios, with what is proven of them."""
    found = {name: list(shelves(suite)) for name, suite in suites().items()}
    entries = [
        SuiteEntry(
            name=name, title=suites()[name].title, version=suites()[name].version,
            totals=_totals(add_up(count for shelf in some for count in shelf.counts)), apps=tuple(map(_app, some)),
        )
        for name, some in found.items()
    ]  # fmt: skip
    every = add_up(count for some in found.values() for shelf in some for count in shelf.counts)
    whole = Catalogue(totals=_totals(every), suites=tuple(entries))
    return Response(whole.model_dump_json(), media_type="application/json")


@router.get("/api/catalogue/{suite}/{app}/looks", responses=ABSENT)
def looks(request: Request, suite: str, app: str) -> LooksReply:
    """Which pictures of an app there are by now."""
    return _looks(request, find_shelf(suite, app))


@router.post("/api/catalogue/{suite}/{app}/looks", status_code=202, responses=ABSENT | CHANGING)
def make_looks(request: Request, suite: str, app: str, face: bool = False) -> LooksReply:
    """Has the missing pictures of an app made, in a seat of its own, after those that were asked for before.

    With `face` only the one that stands for it in lists, and sooner.
    """
    shelf = find_shelf(suite, app)
    book_of(request).ask(shelf.suite, shelf.app, face=face)
    return _looks(request, shelf)


@router.get("/catalogue/{suite}/{app}/looks/{axis}/{value}", include_in_schema=False)
def picture(request: Request, suite: str, app: str, axis: str, value: str) -> Response:
    """One picture."""
    shelf = find_shelf(suite, app)
    found = book_of(request).picture(shelf.suite, shelf.app, axis, value)
    if found is None:
        raise Absent("there is no such picture, or not yet")
    return Response(found, media_type="image/webp")


def _looks(request: Request, shelf: Shelf) -> LooksReply:
    found = book_of(request).looks(shelf.suite, shelf.app)
    pictures = [
        Picture.parse({"axis": axis, "value": value, "path": f"{shelf.path}/looks/{axis}/{value}"})
        for axis, value in found.ready
    ]
    fault = found.said(commands=has_role(request, "admin"))
    return LooksReply(pictures=tuple(pictures), making=found.making, fault=fault)


def _app(shelf: Shelf) -> AppEntry:
    app = shelf.app
    return AppEntry(
        name=app.name, title=app.title, backend=app.screen.backend, size=app.screen.size, packages=app.packages,
        profiles=tuple(app.profiles), themes=tuple(app.themes), ui_states=tuple(app.ui_states),
        endpoints=len(app.inspector.endpoints) if app.inspector is not None else 0,
        totals=_totals(add_up(shelf.counts)), scenarios=tuple(map(_scenario, shelf.counts)),
    )  # fmt: skip


def _scenario(count: ScenarioCount) -> ScenarioEntry:
    one = count.scenario
    return ScenarioEntry(
        name=one.name, kind=one.kind, template=one.template, instances=len(one.instances), step_budget=one.step_budget,
        pairs=count.pairs, proven_pairs=count.proven if count.held else None,
        infeasible_pairs=count.infeasible if count.held else None, faulty_pairs=count.faulty if count.held else None,
        configurations=count.configurations, proven_configurations=count.proven_configurations,
        mutants_rejected=count.mutants.share,
    )  # fmt: skip


def _totals(found: Census) -> Totals:
    return Totals(
        scenarios=found.scenarios, action=found.action, answer=found.answer, instances=found.instances,
        configurations=found.configurations, proven_configurations=found.proven_configurations,
        mutants_rejected=found.mutants.share,
    )  # fmt: skip
