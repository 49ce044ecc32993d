"""Keys of what proofs record and try: recordings, results of pairs, mutants and runs on a screen."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from fairground.core import fingerprint
from fairground.core.code_units import code_units
from fairground.prove.seats import has_rehearsal
from fairground.worlds import App, Scenario, Suite, World
from fairground.worlds.packages import package_versions
from fairground.worlds.proof_keys import KEY, RULES, PairKeys, plain_data, set_up_parts
from fairground.worlds.written import code_address

__all__ = ["RULES", "Keys", "driver_digest", "made_with"]


class Keys(PairKeys):
    """The keys of a suite for its current sources, which are read when they are first needed."""

    def __init__(self, suite: Suite) -> None:
        super().__init__(suite)
        self._around: dict[str, dict[str, str]] = {}

    def result(self, scenario: Scenario, instance: str, profile: str) -> str:
        """Return the key of the result for a pair: also covers packages, and the code that sends input and records."""
        return fingerprint(["pair", self.pair(scenario, instance, profile), self._surroundings(scenario.app)])[:KEY]

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
        axes = [theme, plain_data(app.themes[theme]), ui_state, plain_data(app.ui_states[ui_state])]
        return fingerprint(["screen", self.pair(scenario, instance, profile), axes])[:KEY]

    def recording(self, world: World) -> str:
        """Return the key of a world's recording: everything its states depend on, and nothing that judges them.

        That is the app, what the scenario sets up, the configuration, the packages, and our own code that sends input
        and records. The oracle is not included: its moves are looked up in addition to the key.
        """
        axes = [world.profile, world.theme, world.ui_state]
        parts = [
            "recording",
            self.app(world.app),
            set_up_parts(world.scenario),
            [world.id, world.seed, dict(world.parameters), axes],
            package_versions(world.app.packages),
            driver_digest(),
        ]
        return fingerprint(plain_data(parts))[:KEY]

    def _surroundings(self, name: str) -> dict[str, str]:
        if name not in self._around:
            self._around[name] = made_with(self._suite.app(name))
        return self._around[name]


def made_with(app: App) -> dict[str, str]:
    """Return what produces the recorded states of an app on seats, besides the app: package versions and our driver."""
    if has_rehearsal(app):
        return {}
    return {**package_versions(app.packages), "driver": driver_digest()[:KEY]}


@lru_cache(maxsize=1)
def driver_digest() -> str:
    """Return the digest of our own code that sends input, waits and records."""
    import fairground.agents
    import fairground.screen
    import fairground.worlds

    agents, screen, worlds = (Path(str(module.__file__)).parent for module in (
        fairground.agents, fairground.screen, fairground.worlds))  # fmt: skip
    modules = [*screen.glob("*.py"), agents / "oracle.py", agents / "gestures.py", Path(__file__).with_name("seats.py")]
    modules += [worlds / f"{name}.py" for name in ("seat", "stages", "folder_recording")]
    units = code_units((worlds / "app.py").read_bytes())
    worlds_and_apps = [
        [name, unit.digest] for name, unit in units.items() if name.partition(".")[0] in ("App", "World")
    ]
    return fingerprint([code_address(sorted(modules)), worlds_and_apps])


@lru_cache(maxsize=4)
def _makers(rehearsed: bool, kind: str) -> str:
    """Return the digest of the code that makes near misses."""
    here = Path(__file__).parent
    names: tuple[str, ...] = ("answers", "mutants") if rehearsed else ("edits*", "sameness")
    if kind == "answer":
        names = (*names, "answers")
    modules = sorted(path for name in {*names} for path in here.glob(f"{name}.py"))
    return code_address(modules)
