"""The whole checklist of an app."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from pydantic import Field

from fairground.core import Record
from fairground.prove.app_check.endpoints import check_endpoints
from fairground.prove.app_check.item import Item
from fairground.prove.app_check.seats import ASKS, check_seats
from fairground.prove.app_check.tasks import check_tasks
from fairground.worlds import App, Suite

OnProgress = Callable[[str, int, int], None]
"""Told of a phase, how much of it is done, and how much there is."""


class AppCheck(Record):
    """What was found of an app."""

    suite: str
    app: str
    items: tuple[Item, ...] = Field(description="in the order in which an author meets them")

    @property
    def passed(self) -> bool:
        """Whether nothing failed."""
        return all(item.status != "failed" for item in self.items)


def check_app(
    suite: Suite,
    app: App,
    *,
    quick: bool = False,
    tests: Path | None = None,
    least: Mapping[str, int] | None = None,
    runner: str | None = None,
    on_progress: OnProgress = lambda phase, done, total: None,
) -> AppCheck:
    """Goes through the checklist.

    Args:
        suite: Where the app is from.
        app: Which.
        quick: Open no seat: only what sources, tests and proof tables say.
        tests: Folder of its tests; found beside it unless given.
        least: Minimum counts, such as `{"scenarios": 20, "endpoints": 15}`; fewer fail the item `axes`.
        runner: Of the sandboxes.
        on_progress: Told how far it is.

    Raises:
        UnknownName: When there is no count with a name in `least`.
        MissingPrerequisite: When this machine lacks what the app needs.
    """
    items = check_endpoints(app, tests)
    items += check_tasks(
        suite, app, quick=quick, least=least, on_scenario=lambda done, of: on_progress("scenarios", done, of)
    )
    if quick:
        told = "needs seats; leave --quick out"
        items += [Item(name=name, asks=asks, status="not tried", evidence=told) for name, asks in ASKS.items()]
    else:
        begun: list[str] = []

        def tell(phase: str) -> None:
            begun.append(phase)
            on_progress("seats", len(begun) - 1, len(ASKS))

        items += check_seats(suite, app, runner=runner, on_phase=tell)
        on_progress("seats", len(ASKS), len(ASKS))
    return AppCheck(suite=suite.name, app=app.name, items=tuple(items))
