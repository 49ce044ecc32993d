"""Keys of proofs, computed from the content that a proof depends on. They tell whether a proof is still valid.

Nothing is looked up by name or date, so no stale proof is used. A key covers the rules of proving, the app, what the
scenario sets up, its parameters and the profile. The code that judges is traced and listed beside the key; see
`code_trace`.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairground.core import fingerprint
from fairground.worlds.code_trace import changed_units
from fairground.worlds.written import code_address, held_data, module_files, written_in

if TYPE_CHECKING:
    from fairground.worlds.app import App, Scenario, Suite

RULES = 2
"""Version of the proof rules. Increase it when the requirements change; everything is then proven again."""

_PLACE = re.compile(r" at 0x[0-9a-f]+")  # in the text of a function; its code is traced

KEY = 16
"""Number of characters of a key: 64 bits, for some ten thousand keys."""


class PairKeys:
    """The keys of a suite for its current sources, which are read when they are first needed."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite
        self._apps: dict[str, str] = {}
        self._scenarios: dict[tuple[str, str], str] = {}
        self._stale: dict[tuple[str, str], str | None] = {}

    def pair(self, scenario: Scenario, instance: str, profile: str) -> str:
        """Return the key of one instance on one profile."""
        app = self._suite.app(scenario.app)
        name = (scenario.app, scenario.name)
        if name not in self._scenarios:
            self._scenarios[name] = fingerprint([RULES, self.app(app), scenario_parts(scenario)])
        parts = [
            self._scenarios[name],
            instance,
            dict(scenario.instances[instance]),
            profile,
            plain_data(app.profiles[profile]),
        ]
        return fingerprint(parts)[:KEY]

    def why_stale(self, scenario: Scenario) -> str | None:
        """Return why the proof of a scenario is no longer valid; None if it is valid or the scenario has none."""
        name = (scenario.app, scenario.name)
        if name not in self._stale:
            self._stale[name] = self._why_stale(scenario)
        return self._stale[name]

    def app(self, app: App) -> str:
        """Return the digest of an app."""
        if app.name not in self._apps:
            self._apps[app.name] = fingerprint(_app_parts(self._suite, app))
        return self._apps[app.name]

    def _why_stale(self, scenario: Scenario) -> str | None:
        table = self._suite.proof(scenario.app)
        row = table.find(scenario.name) if table is not None else None
        if row is None:
            return None
        if changed := changed_units(row.units):
            return changed_words(changed)
        profiles = self._suite.app(scenario.app).profiles
        for entry in row.instances:
            known = entry.proven.items() if entry.instance in scenario.instances else ()
            if any(
                self.pair(scenario, entry.instance, profile) != key for profile, key in known if profile in profiles
            ):
                return f"{scenario.app}, or the data of {scenario.name}, changed since it was proven"
        return None


def changed_words(changed: Sequence[str]) -> str:
    """Return a sentence about units of code that have changed."""
    more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
    return f"{changed[0].replace(':', '.')}{more} changed since it was proven"


def scenario_parts(scenario: Scenario) -> Any:
    """Return what a scenario consists of besides the code that judges it: its data, and what it sets up."""
    from fairground.worlds.app import Scenario as Base

    if type(scenario).sources is not Base.sources:
        return plain_data(scenario.sources())  # the author declares it
    about = [scenario.kind, scenario.template, scenario.step_budget, scenario.time_budget, list(scenario.recorded)]
    return [f"{type(scenario).__module__}.{type(scenario).__qualname__}", about, held_data(scenario),
            set_up_parts(scenario)]  # fmt: skip


def set_up_parts(scenario: Scenario) -> Any:
    """Return the parts of a scenario that an app may read when it sets up a world."""
    from fairground.worlds.app import Scenario as Base

    if type(scenario).setup is not Base.setup:
        return written_in(scenario)
    attributes = {name: value for base in reversed(type(scenario).__mro__) for name, value in vars(base).items()}
    attributes |= vars(scenario)
    words = ("template", "step_budget", "time_budget")
    plain = (str, int, float, bool, tuple, frozenset)
    return {name: _PLACE.sub("", str(value)) for name, value in sorted(attributes.items())
            if isinstance(value, plain) and name not in words and not name.startswith("__")}  # fmt: skip


def plain_data(value: Any) -> Any:
    """Return data as JSON would give it back. Other values become text."""
    return json.loads(json.dumps(value, default=str, sort_keys=True))


def _app_parts(suite: Suite, app: App) -> Any:
    """Return what an app consists of. Scenario modules in its folder belong to the scenarios."""
    from fairground.worlds.app import App as Base

    if type(app).sources is not Base.sources:
        return plain_data(app.sources())  # the author declares it
    if type(app).source_files is not Base.source_files:
        return code_address(app.source_files())
    return [code_address(path for path in app_files(suite, app)), written_in(app)]


def app_files(suite: Suite, app: App) -> list[Path]:
    """Return the files that the digest of an app covers, so that tracing need not."""
    from fairground.worlds.app import App as Base

    if type(app).sources is not Base.sources:
        return []
    if type(app).source_files is not Base.source_files:
        return list(app.source_files())
    own = {
        path.resolve() for scenario in suite.scenarios if scenario.app == app.name for path in module_files(scenario)
    }
    own -= {path.resolve() for path in module_files(app)}
    folder = Path(inspect.getfile(type(app))).parent.resolve()
    left_out = {"__pycache__", "proofs"}
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and not left_out.intersection(path.parts))
    return [path for path in files if path not in own]
