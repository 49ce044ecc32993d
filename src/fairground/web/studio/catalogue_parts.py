"""Shared parts of the catalogue pages: counts, the searchable table of scenarios, percentages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from fastapi import Request

from fairground.report.html import Child, Html, tag
from fairground.web.shell import fact, pill, table
from fairground.web.studio.catalogue_counts import Shelf
from fairground.web.visit import has_role
from fairground.worlds.census import Census, ScenarioCount


def census_facts(found: Census, *more: tuple[str, str]) -> Html:
    """Render a row of counts, preceded by `more`."""
    proven = found.proven_configurations
    rows = [
        *more,
        ("Scenarios", f"{found.scenarios:,}"),
        ("Instances", f"{found.instances:,}"),
        ("Configurations", f"{found.configurations:,}"),
        ("Proven", "none" if proven is None else f"{proven:,}"),
        ("Mutants rejected", share(found.mutants.share)),
    ]
    return tag("dl", [fact(name, value) for name, value in rows], class_="facts")


@lru_cache(maxsize=128)
def scenario_table(shelves: tuple[Shelf, ...], *, label: str) -> Html:
    """Render the scenarios of some apps with a search. Cached: a shelf is a new object when its proofs change."""
    several = len(shelves) > 1
    heads = ["Scenario", "Kind", "Instances", "Proven pairs", "Mutants rejected"]
    rows = [_row(shelf, count) for shelf in shelves for count in shelf.counts]
    if not rows:
        return tag("p", "No scenarios yet.", class_="muted")
    apps = [(f"{shelf.suite.name}/{shelf.app.name}", shelf.app.title) for shelf in shelves]
    tools = tag(
        "form",
        tag("label", "Search", tag("input", type="search", name="q", placeholder="Words in the task", maxlength=100)),
        _choice("App", "app", apps) if several else None,
        _choice("Kind", "kind", (("action", "action"), ("answer", "answer"))),
        _choice("Proof", "proof", (("whole", "all feasible pairs"), ("faulty", "with faults"), ("none", "none"))),
        tag("output", f"{len(rows):,} scenarios", class_="muted small", role="status"),
        class_="inline filter", role="search", data_filter=True,
    )  # fmt: skip
    if not several:
        return tag("div", tools, table(heads, rows, label=label, class_="scenarios"), class_="filtered")
    return tag("div", tools, [_group(shelf, heads, label) for shelf in shelves if shelf.counts], class_="filtered")


def proven_cell(count: ScenarioCount) -> Child:
    """Render how many pairs of a scenario are proven."""
    if not count.held:
        return tag("span", "none", class_="muted")
    feasible = count.pairs - count.infeasible
    text = f"{count.proven:,} of {feasible:,}" if feasible else "none feasible"
    return (text, " ", pill(f"{count.faulty:,} faulty", "bad") if count.faulty else None)


@dataclass(frozen=True)
class Reader:
    """What the reader of a page may do.

    Attributes:
        opens: Whether they may open seats and start battles.
        commands: Whether they may run commands on the server.
    """

    opens: bool = False
    commands: bool = False

    @classmethod
    def of(cls, request: Request) -> Reader:
        """Return the reader for a request."""
        return cls(opens=has_role(request, "judge"), commands=has_role(request, "admin"))


def proof_fault(reader: Reader, shelf: Shelf) -> Html | None:
    """Render why an app has no proof data, and how to fix it for those who can."""
    if not shelf.fault:
        return None
    fix = prose(f" Run `fairground prove {shelf.suite.name}/{shelf.app.name}` to write it again.")
    return tag("p", shelf.fault, fix if reader.commands else None, class_="note bad")


def share(value: float | None) -> str:
    """Format as `97.3%`. 100% appears only if nothing is missing."""
    if value is None:
        return "none tried"
    return "100%" if value == 1 else f"{min(value, 0.999):.1%}"


def crumbs(*parts: tuple[str, str]) -> Html:
    """Render breadcrumbs: names and URLs of the parent pages."""
    return tag("nav", [tag("a", name, href=path) for path, name in parts], class_="crumbs", aria_label="Breadcrumb")


def prose(text: str) -> list[Child]:
    """Render an author's text, with backticks as code."""
    return [tag("code", part) if place % 2 else part for place, part in enumerate(text.split("`"))]


def proof_word(count: ScenarioCount) -> str:
    """Return the state of a proof as a search term."""
    if count.faulty:
        return "faulty"
    complete = count.held and count.proven and count.proven + count.infeasible == count.pairs
    return "whole" if complete else "none" if not count.proven else "part"


def _group(shelf: Shelf, heads: Sequence[str], label: str) -> Html:
    """Render the scenarios of one of several apps in a fold-out: all of them would be hundreds."""
    rows = [_row(shelf, count) for count in shelf.counts]
    title = (shelf.app.title or shelf.app.name, tag("span", f" {len(rows):,}", class_="muted"))
    shown = table(heads, rows, label=f"{label}: {shelf.suite.title}, {shelf.app.title}", class_="scenarios")
    return tag("details", tag("summary", title), shown, class_="group")


def _row(shelf: Shelf, count: ScenarioCount) -> list[Child]:
    scenario = count.scenario
    name = tag(
        "a", tag("b", scenario.name), href=f"{shelf.path}/{scenario.name}",
        data_app=f"{shelf.suite.name}/{shelf.app.name}",
        data_kind=scenario.kind, data_proof=proof_word(count),
    )  # fmt: skip
    return [
        (name, tag("div", tag("bdi", scenario.template), class_="template")),
        pill(scenario.kind),
        f"{len(scenario.instances):,}",
        proven_cell(count),
        share(count.mutants.share) if count.held else "",
    ]


def _choice(label: str, name: str, options: Sequence[tuple[str, str]]) -> Html:
    every = [tag("option", "any", value=""), *(tag("option", label, value=value) for value, label in options)]
    return tag("label", label, tag("select", every, name=name))
