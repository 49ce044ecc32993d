"""App, Scenario, Suite: what an author writes to turn software into worlds.

Subclass `App` for a piece of software and `Scenario` for a parameterised task in it, and gather them in a
`Suite`. Everything but `launch` and `checks` has a working default. The same three also stand behind a folder
with a `world.toml`, for authors who write no Python.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
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
from fairground.worlds.proofs import ProofTable, read_table
from fairground.worlds.written import hash_files, written_in

if TYPE_CHECKING:
    from fairground.worlds.seat import Seat

NOT_VARIED: Mapping[str, Mapping[str, Any]] = {"default": {}}
"""An axis with one value: what an app has when it does not vary it."""


@dataclass(frozen=True)
class ScreenSpec:
    """Which screen an app sits behind.

    Attributes:
        backend: `x11` is a desktop; `cdp` is a page of a browser.
        size: Width and height in pixels.
    """

    backend: Literal["x11", "cdp"] = "x11"
    size: tuple[int, int] = (1280, 720)

    @property
    def has_desktop(self) -> bool:
        """Whether agents reach more than the app: files, other programs and windows. What they leave is untrusted."""
        return self.backend == "x11"

    @property
    def renewable(self) -> bool:
        """Whether a seat can be handed to the next episode by loading its page again."""
        return self.backend == "cdp"


class App(ABC):
    """A piece of software made into a world.

    The stages run in this order, each in a sandbox: `configure` (once for each version of the app; its result
    is kept), `setup` (for each configuration), `launch` (for each seat).

    Attributes:
        name: Short name, part of configuration ids.
        title: Name for people.
        packages: Debian packages that it consists of; their versions are part of the fingerprint.
        profiles: Axis: which data the app holds. Name -> whatever `setup` needs to build it.
        themes: Axis: how it looks.
        ui_states: Axis: where it starts.
        network: `none`, or `outbound` for software that is nothing without it.
        recorded: Paths that `capture` records, read before the agent begins and after it ends.
        install_script: A program that installs the software as root, into a layer of its own.
        checkpoint_setup: Keep the result of `setup` too; worth it when it takes longer than a tenth of a second.
        clocks: Names of recorded fields that a clock writes, or that follow from other fields as a checksum does: two
            states that differ only there are the same to a proof. `tabs.title` is the title of each of the tabs alone.
        inspector: What can be asked about its state; None for apps that have only their scenarios' checks.
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
        """Files that the app is made of: by default all in the folder of its module.

        Cached stages are rebuilt when their content changes. Proofs become stale when their code or data changes.
        """
        folder = Path(inspect.getfile(type(self))).parent
        return [path for path in sorted(folder.rglob("*")) if path.is_file() and "__pycache__" not in path.parts]

    def sources(self) -> Any:
        """Content address of what the stages are made of. Override it where that is not a set of files."""
        return hash_files(self.source_files())

    def env(self, world: World) -> dict[str, str]:
        """Environment of every program in the seat; themes often need one."""
        return {}

    def configure(self, sandbox: Sandbox) -> None:
        """Prepares the app's own settings in the home folder, the same for every configuration."""

    def setup(self, sandbox: Sandbox, world: World) -> None:
        """Puts the data, theme and starting point of one configuration in place."""

    @abstractmethod
    def launch(self, seat: Seat) -> None:
        """Starts the software and returns when a person could begin to work."""

    def reset(self, seat: Seat, world: World) -> bool:
        """Brings an open seat to another configuration, without starting anything anew; False when it cannot.

        Called by `renew` with an empty page on the screen. Serve the new world at another port than the old one, for
        pages that are gone may still be heard for a moment. What the seat says of its world (`world`, `before`,
        `fingerprint`) is for the caller to renew.
        """
        return False

    def rehearse(self, world: World) -> Rehearsal | None:
        """The world without a screen, for apps that have a way; None for those that only a seat can show."""
        return None

    def save(self, seat: Seat) -> None:
        """When an episode ends: saves what a user would expect to be saved without being told."""

    def desktop(self, world: World) -> DesktopStyle:
        """How the desktop around the app looks; themes vary it."""
        return DesktopStyle()

    def command(self, seat: Seat, command: Command) -> None:
        """Has the app's own automation do something, for an oracle.

        Raises:
            Stuck: When the app refuses.
        """
        raise Stuck(f"{self.name} takes no commands; {command.name!r} was asked for")

    def capture(self, seat: Seat, world: World) -> State:
        """Records the state: the files named by `recorded` and by the scenario."""
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
        template: The instruction, with `{parameters}` in it.
        instances: Axis: name -> parameters.
        recorded: Paths that checks need, beyond the app's own; may have `{parameters}` in them.
        step_budget: How many actions an agent has.
        time_budget: How many seconds.
        left_open: Places of the captured data that the task leaves to whoever does it, such as `live.tabs`: an edit
            there is no near miss, even where a check reads them as evidence of something else.
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
        """Content address of what the task is written in: what is proven of it holds until this changes.

        Here the modules of its class, of that class's bases and of the functions that it holds, and its own data.
        """
        return written_in(self)

    def instruction(self, parameters: Mapping[str, Parameter]) -> str:
        """What the agent is asked, with the parameters filled in."""
        return self.template.format_map(parameters)

    def phrase(self, world: World) -> str:
        """The instruction for one configuration; override it where the words depend on the profile's data.

        Raises:
            InvalidConfiguration: When that data lacks what the words are about.
        """
        return self.instruction(world.parameters)

    def setup(self, sandbox: Sandbox, world: World) -> None:
        """Adds what this task needs to what the app's `setup` put in place."""

    @abstractmethod
    def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """Judges recorded states. Runs on the host and sees nothing else."""

    def checklist(self, world: World) -> Checklist | None:
        """What a model that judges recorded frames is asked; None: what follows from the instruction and the checks."""
        return None

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """Moves that solve the task from any UI state; none when nobody has written them yet.

        Raises:
            InvalidConfiguration: When the task makes no sense with the data of this profile.
        """
        return ()

    def near_states(self, world: World, before: State, after: State) -> Mapping[str, State]:
        """Near misses of the solved state that only an author would think of, by name, as edits of the recording."""
        return {}

    def mutants(self, world: World, before: State) -> Mapping[str, Sequence[Move]]:
        """Near misses that only an author would think of, by name: moves that look right and are not.

        `prove` makes the usual ones itself: a move left out, made twice, another entity, another amount.
        """
        return {}


@dataclass(frozen=True)
class Suite:
    """A curated set of apps with their scenarios.

    A package publishes one by the entry point group `fairground.suites`: name -> a `Suite`.
    """

    name: str
    title: str
    version: str
    apps: tuple[App, ...]
    scenarios: tuple[Scenario, ...]
    origin: str = field(default="", compare=False)
    """Where it came from: a package or a folder."""
    proofs: Path | None = field(default=None, compare=False)
    """Folder of its proof tables, which `fairground prove` writes: then only what is proven there is served."""
    pictures: Path | None = field(default=None, compare=False)
    """Folder with a picture of each app, `APP.webp`, for the catalogue; `fairground looks --faces` writes them."""

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
            raise InvalidInput(f"suite {self.name}: two apps have one name, in {names}")
        seen = set()
        for scenario in self.scenarios:
            if scenario.app not in names:
                raise InvalidInput(f"scenario {scenario.name} is for app {scenario.app!r}; {self.name} has {names}")
            if (scenario.app, scenario.name) in seen:
                raise InvalidInput(f"suite {self.name}: scenario {scenario.app}/{scenario.name} is there twice")
            seen.add((scenario.app, scenario.name))
            if not scenario.instances:
                raise InvalidInput(f"scenario {scenario.name} has no instances")
            for name in scenario.instances:
                check_name(f"instance of {scenario.name}", name)

    def app(self, name: str) -> App:
        """The app with this name."""
        for app in self.apps:
            if app.name == name:
                return app
        raise unknown(f"app of suite {self.name}", name, (app.name for app in self.apps))

    def scenario(self, app: str, name: str) -> Scenario:
        """The scenario of this app with this name."""
        known = [scenario for scenario in self.scenarios if scenario.app == self.app(app).name]
        for scenario in known:
            if scenario.name == name:
                return scenario
        raise unknown(f"scenario of {self.name}/{app}", name, (scenario.name for scenario in known))

    def proof(self, app: str) -> ProofTable | None:
        """What was proven of an app; None where nothing was, or the suite has no proofs."""
        return read_table(self.proofs, app) if self.proofs is not None else None

    def pairs(self, scenario: Scenario) -> list[tuple[str, str]]:
        """The instances and profiles of a scenario that are served: the proven ones, or all without proofs."""
        whole = [(instance, profile) for instance in scenario.instances for profile in self.app(scenario.app).profiles]
        if self.proofs is None:
            return whole
        table = self.proof(scenario.app)
        found = table.find(scenario.name) if table is not None else None
        proven = {(one.instance, profile) for one in found.instances for profile in one.proven} if found else set()
        return [pair for pair in whole if pair in proven]

    def why_not(self, configuration: Configuration) -> str | None:
        """Why a configuration is not served; None when it is."""
        if self.proofs is None:
            return None
        table = self.proof(configuration.app)
        if table is None:
            return f"nothing of {self.name}/{configuration.app} has been proven yet"
        return table.why_not(configuration.scenario, configuration.instance, configuration.profile)

    def configurations(self) -> list[Configuration]:
        """Every configuration that is served, in a stable order. Large: the product of all axes."""
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
    """A configuration with everything its names stand for; equal to another of the same suite, id and seed."""

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
        """What the agent is asked."""
        return self.scenario.phrase(self)

    @property
    def profile(self) -> Mapping[str, Any]:
        """What the profile axis stands for."""
        return self.app.profiles[self.configuration.profile]

    @property
    def theme(self) -> Mapping[str, Any]:
        """What the theme axis stands for."""
        return self.app.themes[self.configuration.theme]

    @property
    def ui_state(self) -> Mapping[str, Any]:
        """What the ui_state axis stands for."""
        return self.app.ui_states[self.configuration.ui_state]

    @classmethod
    def of(cls, suite: Suite, configuration: Configuration, seed: int = 0) -> World:
        """Looks every name up; an unknown one raises with the nearest that exist."""
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
