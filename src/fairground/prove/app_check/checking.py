"""Run the whole checklist of an app."""

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
"""Called with a phase, the number of completed steps in it, and their total."""


class AppCheck(Record):
    """The result of checking an app."""

    suite: str
    app: str
    items: tuple[Item, ...] = Field(description="in the order in which an author usually works on them")

    @property
    def passed(self) -> bool:
        """Whether no item failed."""
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
    """Run the checklist of an app.

    Args:
        suite: The suite of the app.
        app: The app.
        quick: Open no seat: check only sources, tests and proof tables.
        tests: Folder of the app's tests. Default: found next to the app.
        least: Minimum counts, such as `{"scenarios": 20, "endpoints": 15}`. Fewer fail the item `axes`.
        runner: Name of the sandbox runner.
        on_progress: Called with the progress.

    Raises:
        UnknownName: If `least` has an unknown count.
        MissingPrerequisite: If this machine lacks what the app needs.
    """
    items = check_endpoints(app, tests)
    items += check_tasks(
        suite, app, quick=quick, least=least, on_scenario=lambda done, of: on_progress("scenarios", done, of)
    )
    if quick:
        reason = "needs seats; run without --quick"
        items += [Item(name=name, asks=asks, status="not tried", evidence=reason) for name, asks in ASKS.items()]
    else:
        begun: list[str] = []

        def tell(phase: str) -> None:
            begun.append(phase)
            on_progress("seats", len(begun) - 1, len(ASKS))

        items += check_seats(suite, app, runner=runner, on_phase=tell)
        on_progress("seats", len(ASKS), len(ASKS))
    return AppCheck(suite=suite.name, app=app.name, items=tuple(items))
