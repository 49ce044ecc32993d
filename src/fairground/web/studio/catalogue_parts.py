"""Parts that pages of the catalogue share: counts as facts, a table of scenarios that can be searched, shares."""

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
    """Counts in a row; `more` stand before them."""
    proven = found.proven_configurations
    rows = [
        *more,
        ("Scenarios", f"{found.scenarios:,}"),
        ("Instances", f"{found.instances:,}"),
        ("Configurations", f"{found.configurations:,}"),
        ("Proven", "not yet" if proven is None else f"{proven:,}"),
        ("Mutants rejected", share(found.mutants.share)),
    ]
    return tag("dl", [fact(name, value) for name, value in rows], class_="facts")


@lru_cache(maxsize=128)
def scenario_table(shelves: tuple[Shelf, ...], *, label: str) -> Html:
    """Every scenario of some apps, with what searches them. Remembered: a shelf is new when its proofs are."""
    several = len(shelves) > 1
    heads = ["Scenario", "Kind", "Instances", "Proven pairs", "Mutants rejected"]
    rows = [_row(one, count) for one in shelves for count in one.counts]
    if not rows:
        return tag("p", "There is no scenario yet.", class_="muted")
    apps = [(f"{one.suite.name}/{one.app.name}", one.app.title) for one in shelves]
    tools = tag(
        "form",
        tag("label", "Search", tag("input", type="search", name="q", placeholder="Words of the task", maxlength=100)),
        _choice("App", "app", apps) if several else None,
        _choice("Kind", "kind", (("action", "action"), ("answer", "answer"))),
        _choice("Proof", "proof", (("whole", "all that can be"), ("faulty", "with faults"), ("none", "not yet"))),
        tag("output", f"{len(rows):,} scenarios", class_="muted small", role="status"),
        class_="inline filter", role="search", data_filter=True,
    )  # fmt: skip
    if not several:
        return tag("div", tools, table(heads, rows, label=label, class_="scenarios"), class_="filtered")
    return tag("div", tools, [_group(one, heads, label) for one in shelves if one.counts], class_="filtered")


def proven_cell(count: ScenarioCount) -> Child:
    """How much of a scenario is proven."""
    if not count.held:
        return tag("span", "not yet", class_="muted")
    feasible = count.pairs - count.infeasible
    said = f"{count.proven:,} of {feasible:,}" if feasible else "none can be"
    return (said, " ", pill(f"{count.faulty:,} faulty", "bad") if count.faulty else None)


@dataclass(frozen=True)
class Reader:
    """What the person who reads a page can do about what it says.

    Attributes:
        opens: Whether they may open seats and begin battles.
        commands: Whether they may be told to run commands on the server.
    """

    opens: bool = False
    commands: bool = False

    @classmethod
    def of(cls, request: Request) -> Reader:
        """The person who asks."""
        return cls(opens=has_role(request, "judge"), commands=has_role(request, "admin"))


def proof_fault(reader: Reader, shelf: Shelf) -> Html | None:
    """Why nothing is known of an app's proofs, and for those who can, what to do about it."""
    if not shelf.fault:
        return None
    fix = prose(f" Run `fairground prove {shelf.suite.name}/{shelf.app.name}` to write it again.")
    return tag("p", shelf.fault, fix if reader.commands else None, class_="note bad")


def share(value: float | None) -> str:
    """`97.3%`; 100% only where nothing is missing."""
    if value is None:
        return "none tried"
    return "100%" if value == 1 else f"{min(value, 0.999):.1%}"


def crumbs(*parts: tuple[str, str]) -> Html:
    """Where a page is: names with their addresses; the page itself is the heading below."""
    return tag("nav", [tag("a", name, href=path) for path, name in parts], class_="crumbs", aria_label="Where this is")


def prose(text: str) -> list[Child]:
    """An author's words, with what stands between backticks as code."""
    return [tag("code", part) if place % 2 else part for place, part in enumerate(text.split("`"))]


def proof_word(count: ScenarioCount) -> str:
    """How the search calls the state of a proof."""
    if count.faulty:
        return "faulty"
    whole = count.held and count.proven and count.proven + count.infeasible == count.pairs
    return "whole" if whole else "none" if not count.proven else "part"


def _group(shelf: Shelf, heads: Sequence[str], label: str) -> Html:
    """The scenarios of one of several apps, to be opened: all of them at once are hundreds."""
    rows = [_row(shelf, count) for count in shelf.counts]
    title = (shelf.app.title or shelf.app.name, tag("span", f" {len(rows):,}", class_="muted"))
    shown = table(heads, rows, label=f"{label}: {shelf.suite.title}, {shelf.app.title}", class_="scenarios")
    return tag("details", tag("summary", title), shown, class_="group")


def _row(shelf: Shelf, count: ScenarioCount) -> list[Child]:
    one = count.scenario
    name = tag(
        "a", tag("b", one.name), href=f"{shelf.path}/{one.name}", data_app=f"{shelf.suite.name}/{shelf.app.name}",
        data_kind=one.kind, data_proof=proof_word(count),
    )  # fmt: skip
    return [
        (name, tag("div", tag("bdi", one.template), class_="template")),
        pill(one.kind),
        f"{len(one.instances):,}",
        proven_cell(count),
        share(count.mutants.share) if count.held else "",
    ]


def _choice(label: str, name: str, options: Sequence[tuple[str, str]]) -> Html:
    every = [tag("option", "any", value=""), *(tag("option", said, value=value) for value, said in options)]
    return tag("label", label, tag("select", every, name=name))
