"""Cache keys of proofs, computed from the content that a proof depends on.

Nothing is looked up by name or date, so no stale result is used. A key covers the rules of proving, the app, the
scenario, its parameters and the profile. Changing one scenario changes only the keys of that scenario.
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
"""Version of the proof rules. Increase it when the requirements change; everything is then proven again."""

KEY = 16
"""Number of characters of a key: 64 bits, for some ten thousand keys."""


class Keys:
    """The keys of a suite for its current sources, which are read when they are first needed."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite
        self._rules = fingerprint({"rules": RULES, "checks": _matchers()})
        self._apps: dict[str, str] = {}
        self._scenarios: dict[tuple[str, str], str] = {}

    def pair(self, scenario: Scenario, instance: str, profile: str) -> str:
        """Return the key of one instance on one profile."""
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
        """Return the key of the mutants of one instance on one profile, which use values from other instances."""
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
        """Return the key of the oracle on a real screen."""
        app = self._suite.app(scenario.app)
        axes = [theme, _plain(app.themes[theme]), ui_state, _plain(app.ui_states[ui_state])]
        return fingerprint(["screen", self.pair(scenario, instance, profile), axes])[:KEY]

    def recording(self, world: World) -> str:
        """Return the key of a world's recording: everything its states depend on, and nothing that judges them.

        That is the app, what the scenario sets up, the configuration, the packages, and our own code that sends input
        and records. The oracle is not included: its moves are looked up in addition to the key.
        """
        axes = [world.profile, world.theme, world.ui_state]
        parts = [
            "recording",
            self._app(world.app),
            _set_up(world.scenario),
            [world.id, world.seed, dict(world.parameters), axes],
            package_versions(world.app.packages),
            _driver(),
        ]
        return fingerprint(_plain(parts))[:KEY]

    def _base(self, scenario: Scenario) -> list[str]:
        name = (scenario.app, scenario.name)
        if name not in self._scenarios:
            self._scenarios[name] = fingerprint(_scenario_parts(scenario))
        return [self._rules, self._app(self._suite.app(scenario.app)), self._scenarios[name]]

    def _app(self, app: App) -> str:
        if app.name not in self._apps:
            self._apps[app.name] = fingerprint(_app_parts(self._suite, app))
        return self._apps[app.name]


def _app_parts(suite: Suite, app: App) -> Any:
    """Return what an app consists of. Scenario modules in its folder belong to the scenarios."""
    if type(app).sources is not App.sources:
        return _plain(app.sources())  # the author declares it
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
    """Return the parts of a scenario that an app may read when it sets up a world."""
    if type(scenario).setup is not Scenario.setup:
        return written_in(scenario)
    attributes = {name: value for base in reversed(type(scenario).__mro__) for name, value in vars(base).items()}
    attributes |= vars(scenario)
    words = ("template", "step_budget", "time_budget")
    plain = (str, int, float, bool, tuple, frozenset)
    return {name: str(value) for name, value in sorted(attributes.items())
            if isinstance(value, plain) and name not in words and not name.startswith("__")}  # fmt: skip


@lru_cache(maxsize=1)
def _driver() -> str:
    """Return the digest of our own code that sends input, waits and records."""
    import fairground.agents
    import fairground.screen
    import fairground.worlds

    agents, screen, worlds = (Path(str(module.__file__)).parent for module in (
        fairground.agents, fairground.screen, fairground.worlds))  # fmt: skip
    modules = [*screen.glob("*.py"), agents / "oracle.py", agents / "gestures.py", Path(__file__).with_name("seats.py")]
    modules += [worlds / f"{name}.py" for name in ("app", "seat", "stages", "folder_recording")]
    return code_address(sorted(modules))


@lru_cache(maxsize=1)
def _matchers() -> str:
    """Return the digest of the matchers that checks are written with: a changed matcher may judge differently.

    Readers of files and answers are not included: each belongs to the scenarios that use it.
    """
    import fairground.verify

    folder = Path(fairground.verify.__file__).parent
    return code_address(path for path in _files(folder) if "reading" not in path.parts and path.name != "answers.py")


@lru_cache(maxsize=4)
def _makers(rehearsed: bool, kind: str) -> str:
    """Return the digest of the code that makes near misses."""
    here, names = Path(__file__).parent, ("answers", "mutants") if rehearsed else ("edits*",)
    if kind == "answer":
        names = (*names, "answers")
    modules = sorted(path for name in {*names} for path in here.glob(f"{name}.py"))
    return code_address(modules)


def _plain(value: Any) -> Any:
    return json.loads(json.dumps(value, default=str, sort_keys=True))
