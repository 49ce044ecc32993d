"""Counts of scenarios and proofs, cached until a proof table changes."""

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
    """An app with its scenarios and proof counts. The object is reused until the app's proof table changes.

    Attributes:
        suite: The app's suite.
        app: The app.
        counts: Its scenarios.
        proof: Its proof table; None if it is missing or unreadable.
        fault: Why there is no proof table; empty if there is one.
    """

    suite: Suite
    app: App
    counts: tuple[ScenarioCount, ...]
    proof: ProofTable | None = None
    fault: str = ""

    @property
    def path(self) -> str:
        """URL path of its page."""
        return f"/catalogue/{self.suite.name}/{self.app.name}"

    def find(self, name: str) -> ScenarioCount:
        """Return the scenario of that name, or None."""
        for count in self.counts:
            if count.scenario.name == name:
                return count
        raise _missing("scenario", name)


def find_suite(name: str) -> Suite:
    """Return the suite of that name. Raises `Refused` (pages answer 404) if there is none."""
    if name not in suites():
        raise _missing("suite", name)
    return suites()[name]


def shelves(suite: Suite) -> Iterator[Shelf]:
    """Return the apps of a suite."""
    return (shelf(suite, app) for app in suite.apps)


def find_shelf(suite: str, app: str) -> Shelf:
    """Return the app of that name. Raises `Refused` (pages answer 404) if there is none."""
    found_suite = find_suite(suite)
    try:
        return shelf(found_suite, found_suite.app(app))
    except UnknownName:
        raise _missing("app", app) from None


def shelf(suite: Suite, app: App) -> Shelf:
    """Return an app with its counts."""
    try:
        table = suite.proof(app.name)
    except InvalidInput:
        blind = replace(suite, proofs=None)
        fault = "The proof table of this app cannot be read."
        return Shelf(suite, app, count_scenarios(blind, app), fault=fault)
    key = (suite.name, app.name)
    with _LOCK:
        known = _KNOWN.get(key)
    # If the table was not rewritten, the reader returns the same object.
    if known is None or known.proof is not table or known.suite is not suite:
        known = Shelf(suite, app, count_scenarios(suite, app), table)
        with _LOCK:
            _KNOWN[key] = known
    return known


_KNOWN: dict[tuple[str, str], Shelf] = {}
_LOCK = threading.Lock()


def _missing(kind: str, name: str) -> Refused:
    return Absent(f"there is no {kind} named {name[:100]!r}", fix="the catalogue lists all names")
