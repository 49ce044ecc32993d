"""Content keys: what a proof was made of. Nothing is looked up by name or date, so nothing stale can be taken for true.

A key covers the rules of proving, the app, the scenario, its parameters and the profile: changing one scenario changes
the keys of that scenario alone.
"""

from __future__ import annotations

import inspect
import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from fairground.core import fingerprint
from fairground.prove.seats import has_rehearsal
from fairground.worlds import App, Scenario, Suite, World
from fairground.worlds.packages import package_versions
from fairground.worlds.written import code_address, module_files, written_in

RULES = 1
"""Raised when what is asked of a proof changes; everything is then proven anew."""

KEY = 16
"""Letters of a key that are kept: 64 bits, for some ten thousand keys."""


class Keys:
    """The keys of a suite as its sources are now."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite
        self._rules = fingerprint({"rules": RULES, "checks": _matchers()})
        self._apps = {app.name: fingerprint(_app_parts(suite, app)) for app in suite.apps}
        self._scenarios = {
            (scenario.app, scenario.name): fingerprint(_scenario_parts(scenario)) for scenario in suite.scenarios
        }

    def pair(self, scenario: Scenario, instance: str, profile: str) -> str:
        """Of one instance on one profile."""
        app = self._suite.app(scenario.app)
        parts = [
            self._base(scenario),
            instance,
            dict(scenario.instances[instance]),
            profile,
            _plain(app.profiles[profile]),
        ]
        return fingerprint(parts)[:KEY]

    def mutants(self, scenario: Scenario, instance: str, profile: str, others: tuple[str, ...]) -> str:
        """Of the mutants of one instance on one profile, which borrow from other instances."""
        borrowed = [self.pair(scenario, borrowed_from, profile) for borrowed_from in others]
        return fingerprint(
            [
                "mutants",
                _makers(has_rehearsal(self._suite.app(scenario.app)), scenario.kind),
                self.pair(scenario, instance, profile),
                borrowed,
            ]
        )[:KEY]

    def screen(self, scenario: Scenario, instance: str, profile: str, theme: str, ui_state: str) -> str:
        """Of the oracle on a real screen."""
        app = self._suite.app(scenario.app)
        axes = [theme, _plain(app.themes[theme]), ui_state, _plain(app.ui_states[ui_state])]
        return fingerprint(["screen", self.pair(scenario, instance, profile), axes])[:KEY]

    def recording(self, world: World) -> str:
        """Of what is recorded of a world: all that its states come from, and nothing that judges them.

        That is the app, what the scenario sets up, the configuration, the packages, and our own code that gives input
        and records. The oracle is not in it: its moves are looked up with the key.
        """
        axes = [world.profile, world.theme, world.ui_state]
        parts = [
            "recording",
            self._apps[world.app.name],
            _set_up(world.scenario),
            [world.id, world.seed, dict(world.parameters), axes],
            package_versions(world.app.packages),
            _driver(),
        ]
        return fingerprint(_plain(parts))[:KEY]

    def _base(self, scenario: Scenario) -> list[str]:
        return [self._rules, self._apps[scenario.app], self._scenarios[scenario.app, scenario.name]]


def _app_parts(suite: Suite, app: App) -> Any:
    """What an app is made of; the modules of scenarios in its folder are theirs, not its own."""
    if type(app).sources is not App.sources:
        return _plain(app.sources())  # its author says what it is made of
    if type(app).source_files is not App.source_files:
        return code_address(app.source_files())
    own = {
        path.resolve() for scenario in suite.scenarios if scenario.app == app.name for path in module_files(scenario)
    }
    own -= {path.resolve() for path in module_files(app)}
    folder = Path(inspect.getfile(type(app))).parent.resolve()
    return [code_address(path for path in _files(folder) if path not in own), written_in(app)]


def _scenario_parts(scenario: Scenario) -> Any:
    about = [scenario.kind, scenario.template, scenario.step_budget, scenario.time_budget, list(scenario.recorded)]
    return [_plain(scenario.sources()), about]


def _files(folder: Path) -> list[Path]:
    left_out = {"__pycache__", "proofs"}
    return [path for path in sorted(folder.rglob("*")) if path.is_file() and not left_out.intersection(path.parts)]


def _set_up(scenario: Scenario) -> Any:
    """What of a scenario an app may look at when it sets a world up."""
    if type(scenario).setup is not Scenario.setup:
        return written_in(scenario)
    told = {name: value for base in reversed(type(scenario).__mro__) for name, value in vars(base).items()}
    told |= vars(scenario)
    words = ("template", "step_budget", "time_budget")
    plain = (str, int, float, bool, tuple, frozenset)
    return {name: str(value) for name, value in sorted(told.items())
            if isinstance(value, plain) and name not in words and not name.startswith("__")}  # fmt: skip


@lru_cache(maxsize=1)
def _driver() -> str:
    """Our own code that gives input, waits and records."""
    import fairground.agents
    import fairground.screen
    import fairground.worlds

    agents, screen, worlds = (Path(str(one.__file__)).parent for one in (
        fairground.agents, fairground.screen, fairground.worlds))  # fmt: skip
    modules = [*screen.glob("*.py"), agents / "oracle.py", agents / "gestures.py", Path(__file__).with_name("seats.py")]
    modules += [worlds / f"{name}.py" for name in ("app", "seat", "stages", "folder_recording")]
    return code_address(sorted(modules))


@lru_cache(maxsize=1)
def _matchers() -> str:
    """What checks are written with is fairground's own: a changed matcher may judge otherwise.

    Readers of files and of answers are not among them: each belongs to the scenarios that use it.
    """
    import fairground.verify

    folder = Path(fairground.verify.__file__).parent
    return code_address(path for path in _files(folder) if "reading" not in path.parts and path.name != "answers.py")


@lru_cache(maxsize=4)
def _makers(rehearsed: bool, kind: str) -> str:
    """What near misses are made with: others would be made by changed makers."""
    here, names = Path(__file__).parent, ("answers", "mutants") if rehearsed else ("edits*",)
    if kind == "answer":
        names = (*names, "answers")
    modules = sorted(path for name in {*names} for path in here.glob(f"{name}.py"))
    return code_address(modules)


def _plain(value: Any) -> Any:
    return json.loads(json.dumps(value, default=str, sort_keys=True))
