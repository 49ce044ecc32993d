"""What there is, counted, and remembered until a proof table changes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace

from fairground.arena import Absent, Refused
from fairground.core import InvalidInput, UnknownName
from fairground.worlds import App, ProofTable, Suite, suites
from fairground.worlds.census import ScenarioCount, count_scenarios


@dataclass(frozen=True, eq=False)
class Shelf:
    """An app with its scenarios, counted. The same object until its proof table changes.

    Attributes:
        suite: Where it is from.
        app: Which.
        counts: Its scenarios.
        proof: What its proof table says; None where there is none, or none that can be read.
        fault: Why nothing is known of its proofs; empty when all is well.
    """

    suite: Suite
    app: App
    counts: tuple[ScenarioCount, ...]
    proof: ProofTable | None = None
    fault: str = ""

    @property
    def path(self) -> str:
        """Its page."""
        return f"/catalogue/{self.suite.name}/{self.app.name}"

    def find(self, name: str) -> ScenarioCount:
        """A scenario of it."""
        for one in self.counts:
            if one.scenario.name == name:
                return one
        raise _missing("scenario", name)


def find_suite(name: str) -> Suite:
    """The suite of that name. Raises `Refused`, which pages answer with 404, when there is none."""
    if name not in suites():
        raise _missing("suite", name)
    return suites()[name]


def shelves(suite: Suite) -> Iterator[Shelf]:
    """The apps of a suite."""
    return (shelf(suite, app) for app in suite.apps)


def find_shelf(suite: str, app: str) -> Shelf:
    """The app of that name, counted. Raises `Refused`, which pages answer with 404, when there is none."""
    found = find_suite(suite)
    try:
        return shelf(found, found.app(app))
    except UnknownName:
        raise _missing("app", app) from None


def shelf(suite: Suite, app: App) -> Shelf:
    """An app, counted."""
    try:
        table = suite.proof(app.name)
    except InvalidInput:
        blind = replace(suite, proofs=None)
        fault = "The proof table of this app cannot be read."
        return Shelf(suite, app, count_scenarios(blind, app), fault=fault)
    key = (suite.name, app.name)
    with _LOCK:
        known = _KNOWN.get(key)
    # A table that was not written since is the same object.
    if known is None or known.proof is not table or known.suite is not suite:
        known = Shelf(suite, app, count_scenarios(suite, app), table)
        with _LOCK:
            _KNOWN[key] = known
    return known


_KNOWN: dict[tuple[str, str], Shelf] = {}
_LOCK = threading.Lock()


def _missing(kind: str, name: str) -> Refused:
    return Absent(f"there is no {kind} named {name[:100]!r}", fix="the catalogue lists all that there are")
