"""App, Scenario and Suite: what an author writes to turn software into worlds.

Subclass `App` for a piece of software and `Scenario` for a parameterised task in it, and put them into a `Suite`.
Everything but `launch` and `checks` has a working default. A folder with a `world.toml` provides the same three without
Python.
"""

from __future__ import annotations

import inspect
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from fairground.core import (
    AXES,
    Check,
    Checklist,
    Configuration,
    Incoherent,
    InvalidInput,
    Parameter,
    State,
    StateError,
    check_name,
    unknown,
)
from fairground.sandbox import Limits, Sandbox
from fairground.screen import DesktopStyle
from fairground.worlds.inspector import Inspector
from fairground.worlds.oracle import Command, Move, Rehearsal, Stuck
from fairground.worlds.proof_keys import PairKeys
from fairground.worlds.proofs import ProofTable, read_table
from fairground.worlds.written import hash_files, written_in

if TYPE_CHECKING:
    from fairground.worlds.seat import Seat

NOT_VARIED: Mapping[str, Mapping[str, Any]] = {"default": {}}
"""An axis with one value: the default of apps that do not vary it."""


@dataclass(frozen=True)
class ScreenSpec:
    """The screen of an app.

    Attributes:
        backend: `x11` is a desktop; `cdp` is a page of a browser.
        size: Width and height in pixels.
    """

    backend: Literal["x11", "cdp"] = "x11"
    size: tuple[int, int] = (1280, 720)

    @property
    def has_desktop(self) -> bool:
        """Whether agents can access files, other programs and windows besides the app. What they leave is untrusted."""
        return self.backend == "x11"

    @property
    def renewable(self) -> bool:
        """Whether a seat can be reused for the next episode by loading its page again."""
        return self.backend == "cdp"


class App(ABC):
    """A piece of software made into a world.

    The stages run in this order, each in a sandbox: `configure` (once per version of the app; its result is cached),
    `setup` (per configuration), `launch` (per seat).

    Attributes:
        name: Short name, part of configuration ids.
        title: Display name.
        packages: Debian packages of the app. Their versions are part of the fingerprint.
        profiles: Axis: which data the app holds. Name -> input for `setup`.
        themes: Axis: how it looks.
        ui_states: Axis: where it starts.
        network: `none`, or `outbound` for software that needs the internet.
        recorded: Paths that `capture` records, before the agent begins and after it ends.
        install_script: A program that installs the software as root, into its own layer.
        checkpoint_setup: Cache the result of `setup` too. Useful if it takes longer than a tenth of a second.
        clocks: Names of recorded fields that depend on the time, or that follow from other fields, such as checksums.
            Proofs ignore differences in them. `tabs.title` means the title of each tab only.
        inspector: The inspector of its state; None for apps that have only their scenarios' checks.
    """

    name: ClassVar[str] = ""
    title: ClassVar[str] = ""
    packages: ClassVar[tuple[str, ...]] = ()
    screen: ClassVar[ScreenSpec] = ScreenSpec()
    profiles: ClassVar[Mapping[str, Mapping[str, Any]]] = NOT_VARIED
    themes: ClassVar[Mapping[str, Mapping[str, Any]]] = NOT_VARIED
    ui_states: ClassVar[Mapping[str, Mapping[str, Any]]] = NOT_VARIED
    network: ClassVar[Literal["none", "outbound"]] = "none"
    limits: ClassVar[Limits] = Limits()
    recorded: ClassVar[tuple[str, ...]] = ()
    checkpoint_setup: ClassVar[bool] = False
    clocks: ClassVar[tuple[str, ...]] = ()
    inspector: ClassVar[Inspector | None] = None
    install_script: Path | None = None

    def source_files(self) -> Iterable[Path]:
        """Return the files of the app: by default all in the folder of its module.

        Cached stages are rebuilt when their content changes. Proofs become stale when their code or data changes.
        """
        folder = Path(inspect.getfile(type(self))).parent
        return [path for path in sorted(folder.rglob("*")) if path.is_file() and "__pycache__" not in path.parts]

    def sources(self) -> Any:
        """Return a content digest of the inputs of the stages. Override it if they are not a set of files."""
        return hash_files(self.source_files())

    def env(self, world: World) -> dict[str, str]:
        """Return the environment of every program in the seat, for example for themes."""
        return {}

    def configure(self, sandbox: Sandbox) -> None:
        """Prepare the app's own settings in the home folder, the same for every configuration."""

    def setup(self, sandbox: Sandbox, world: World) -> None:
        """Set up the data, theme and UI state of one configuration."""

    @abstractmethod
    def launch(self, seat: Seat) -> None:
        """Start the software. Return when a user could begin to work."""

    def reset(self, seat: Seat, world: World) -> bool:
        """Bring an open seat to another configuration without restarting anything. Returns False if it cannot.

        `renew` calls this with an empty page on the screen. Serve the new world on another port than the old one,
        because closed pages may still send requests for a moment. The caller updates the seat's `world`, `before` and
        `fingerprint`.
        """
        return False

    def rehearse(self, world: World) -> Rehearsal | None:
        """Return the world without a screen, if the app supports it; None for apps that need a seat."""
        return None

    def save(self, seat: Seat) -> None:
        """At the end of an episode, save what a user would expect to be saved automatically."""

    def desktop(self, world: World) -> DesktopStyle:
        """Return the look of the desktop around the app. Themes vary it."""
        return DesktopStyle()

    def command(self, seat: Seat, command: Command) -> None:
        """Perform an oracle's command with the app's own automation.

        Raises:
            Stuck: The app refuses.
        """
        raise Stuck(f"{self.name} supports no commands, got {command.name!r}")

    def capture(self, seat: Seat, world: World) -> State:
        """Record the state: the files named by `recorded` and by the scenario."""
        files, missing = {}, {}
        for path in dict.fromkeys((*self.recorded, *world.scenario.recorded)):
            place = path.format_map(world.parameters)
            try:
                files[place] = seat.sandbox.read_file(place)
            except StateError as error:
                missing[place] = error.message
        return State(files=files, missing=missing)


class Scenario(ABC):
    """A parameterised task in an app.

    Attributes:
        name: Short name, part of configuration ids.
        app: Name of the app.
        kind: `action` changes something; `answer` asks for something.
        template: The instruction, with `{parameters}`.
        instances: Axis: name -> parameters.
        recorded: Paths that checks need, besides the app's own; may contain `{parameters}`.
        step_budget: Maximum number of actions.
        time_budget: Maximum number of seconds.
        left_open: Captured data that the task leaves open, such as `live.tabs`. An edit there is not a near miss, even
            if a check reads it as evidence of something else.
    """

    name: ClassVar[str] = ""
    app: ClassVar[str] = ""
    kind: ClassVar[Literal["action", "answer"]] = "action"
    template: ClassVar[str] = ""
    instances: ClassVar[Mapping[str, Mapping[str, Parameter]]] = {"default": {}}
    recorded: ClassVar[tuple[str, ...]] = ()
    step_budget: ClassVar[int] = 50
    time_budget: ClassVar[float] = 1800.0
    left_open: ClassVar[tuple[str, ...]] = ()

    def sources(self) -> Any:
        """Return a content digest of the task's code and data. Proofs of the task become stale when it changes.

        By default it covers the modules of its class, of the base classes and of the functions it holds, and its own
        data.
        """
        return written_in(self)

    def instruction(self, parameters: Mapping[str, Parameter]) -> str:
        """Return the instruction with the parameters filled in."""
        return self.template.format_map(parameters)

    def phrase(self, world: World) -> str:
        """Return the instruction for one configuration. Override it if the text depends on the profile's data.

        Raises:
            InvalidConfiguration: The profile's data lacks what the instruction needs.
        """
        return self.instruction(world.parameters)

    def setup(self, sandbox: Sandbox, world: World) -> None:
        """Add what this task needs to the result of the app's `setup`."""

    @abstractmethod
    def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """Judge recorded states. Runs on the host and sees nothing else."""

    def checklist(self, world: World) -> Checklist | None:
        """Return the checklist for a model that judges recorded frames.

        None: it is derived from the instruction and the checks.
        """
        return None

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """Return moves that solve the task from any UI state; empty if there is no oracle yet.

        Raises:
            InvalidConfiguration: The task is not possible with the data of this profile.
        """
        return ()

    def near_states(self, world: World, before: State, after: State) -> Mapping[str, State]:
        """Return near misses of the solved state by name, as edits of the recording.

        Only those that `prove` cannot generate.
        """
        return {}

    def mutants(self, world: World, before: State) -> Mapping[str, Sequence[Move]]:
        """Return near misses by name, as moves that look right and are not.

        Only those that `prove` cannot generate. It generates the usual ones: a move left out, repeated, with another
        entity, or with another amount.
        """
        return {}


@dataclass(frozen=True)
class Suite:
    """A curated set of apps with their scenarios.

    A package publishes a suite with the entry point group `fairground.suites`: name -> a `Suite`.
    """

    name: str
    title: str
    version: str
    apps: tuple[App, ...]
    scenarios: tuple[Scenario, ...]
    origin: str = field(default="", compare=False)
    """Where it came from: a package or a folder."""
    proofs: Path | None = field(default=None, compare=False)
    """Folder of its proof tables, written by `fairground prove`. If set, only proven configurations are served."""
    pictures: Path | None = field(default=None, compare=False)
    """Folder with a picture of each app, `APP.webp`, for the catalogue. `fairground looks --faces` writes them."""

    def __post_init__(self) -> None:
        check_name("suite", self.name)
        names = [app.name for app in self.apps]
        for name in names:
            check_name("app", name)
        for scenario in self.scenarios:
            check_name("scenario", scenario.name)
        for app in self.apps:
            for axis in (app.profiles, app.themes, app.ui_states):
                if not axis:
                    raise InvalidInput(f"app {app.name}: an axis needs at least one value")
                for name in axis:
                    check_name(f"value of an axis of {app.name}", name)
        if len(set(names)) != len(names):
            raise InvalidInput(f"suite {self.name}: two apps have the same name: {names}")
        seen = set()
        for scenario in self.scenarios:
            if scenario.app not in names:
                raise InvalidInput(
                    f"scenario {scenario.name} is for unknown app {scenario.app!r}; suite {self.name} has {names}"
                )
            if (scenario.app, scenario.name) in seen:
                raise InvalidInput(f"suite {self.name}: scenario {scenario.app}/{scenario.name} is defined twice")
            seen.add((scenario.app, scenario.name))
            if not scenario.instances:
                raise InvalidInput(f"scenario {scenario.name} has no instances")
            for name in scenario.instances:
                check_name(f"instance of {scenario.name}", name)

    def app(self, name: str) -> App:
        """Return the app with this name."""
        for app in self.apps:
            if app.name == name:
                return app
        raise unknown(f"app of suite {self.name}", name, (app.name for app in self.apps))

    def scenario(self, app: str, name: str) -> Scenario:
        """Return the scenario of this app with this name."""
        known = [scenario for scenario in self.scenarios if scenario.app == self.app(app).name]
        for scenario in known:
            if scenario.name == name:
                return scenario
        raise unknown(f"scenario of {self.name}/{app}", name, (scenario.name for scenario in known))

    def proof(self, app: str) -> ProofTable | None:
        """Return the proof table of an app; None if there is none, or the suite has no proofs."""
        return read_table(self.proofs, app) if self.proofs is not None else None

    def why_stale(self, scenario: Scenario) -> str | None:
        """Return why the proof of a scenario is no longer valid; None if it is valid, or there is none.

        The sources are compared once per process. The environment variable `FAIRGROUND_ALLOW_STALE` turns it off.
        """
        if self.proofs is None or os.environ.get("FAIRGROUND_ALLOW_STALE"):
            return None
        return self._keys.why_stale(scenario)

    @cached_property
    def _keys(self) -> PairKeys:
        return PairKeys(self)

    def pairs(self, scenario: Scenario) -> list[tuple[str, str]]:
        """Return the served (instance, profile) pairs of a scenario: the proven ones, or all without proofs."""
        every = [(instance, profile) for instance in scenario.instances for profile in self.app(scenario.app).profiles]
        if self.proofs is None:
            return every
        if self.why_stale(scenario):
            return []
        table = self.proof(scenario.app)
        row = table.find(scenario.name) if table is not None else None
        proven = (
            {(instance.instance, profile) for instance in row.instances for profile in instance.proven}
            if row
            else set()
        )
        return [pair for pair in every if pair in proven]

    def why_not(self, configuration: Configuration) -> str | None:
        """Return why a configuration is not served; None if it is served."""
        if self.proofs is None:
            return None
        table = self.proof(configuration.app)
        if table is None:
            return f"nothing of {self.name}/{configuration.app} has been proven yet"
        reason = table.why_not(configuration.scenario, configuration.instance, configuration.profile)
        if reason is None:
            reason = self.why_stale(self.scenario(configuration.app, configuration.scenario))
        return reason

    def configurations(self) -> list[Configuration]:
        """Return every served configuration, in a stable order. Large: the product of all axes."""
        return [
            Configuration(
                suite=self.name, app=app.name, scenario=scenario.name,
                instance=instance, profile=profile, theme=theme, ui_state=ui_state,
            )
            for scenario in self.scenarios
            for app in (self.app(scenario.app),)
            for instance, profile in self.pairs(scenario)
            for theme in app.themes
            for ui_state in app.ui_states
        ]  # fmt: skip


@dataclass(frozen=True, eq=False)
class World:
    """A configuration with everything its names refer to. Worlds of the same suite, id and seed are equal."""

    configuration: Configuration
    suite: Suite
    app: App
    scenario: Scenario
    parameters: Mapping[str, Parameter]
    seed: int = 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, World) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[str, str, int]:
        return self.suite.origin, self.configuration.id, self.seed

    @property
    def id(self) -> str:
        """The configuration's id."""
        return self.configuration.id

    @property
    def instruction(self) -> str:
        """The instruction for the agent."""
        return self.scenario.phrase(self)

    @property
    def profile(self) -> Mapping[str, Any]:
        """The value of the profile axis."""
        return self.app.profiles[self.configuration.profile]

    @property
    def theme(self) -> Mapping[str, Any]:
        """The value of the theme axis."""
        return self.app.themes[self.configuration.theme]

    @property
    def ui_state(self) -> Mapping[str, Any]:
        """The value of the ui_state axis."""
        return self.app.ui_states[self.configuration.ui_state]

    @classmethod
    def of(cls, suite: Suite, configuration: Configuration, seed: int = 0) -> World:
        """Look up all names of a configuration.

        Raises:
            UnknownName: A name does not exist. The message suggests similar names.
            Incoherent: The instruction needs a parameter that the instance lacks.
        """
        app = suite.app(configuration.app)
        scenario = suite.scenario(configuration.app, configuration.scenario)
        axes = (scenario.instances, app.profiles, app.themes, app.ui_states)
        for axis, values in zip(AXES, axes, strict=True):
            if (name := getattr(configuration, axis)) not in values:
                raise unknown(f"{axis} of {suite.name}/{app.name}", name, values)
        parameters = scenario.instances[configuration.instance]
        world = cls(configuration, suite, app, scenario, parameters, seed)
        try:
            _ = world.instruction
        except (KeyError, IndexError, ValueError) as error:
            raise Incoherent(f"{configuration.id}: the instruction needs parameter {error}") from None
        return world
