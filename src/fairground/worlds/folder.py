"""A folder as a suite of one app: `world.toml` and up to three stage scripts, without Python.

    my-app/
      world.toml      packages, how to launch, axes, scenarios with their checks
      install         as root, once: installs the software into its own layer (optional)
      configure       as the user, once: settings that every configuration shares (optional)
      setup           as the user, per configuration: its data (optional)
      files/          files for the scripts

The scripts are programs in any language. They run in a folder that contains the scripts and `files`. `world.toml`
contains the answers, so it never enters the sandbox.
"""

from __future__ import annotations

import os
import re
import stat
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from fairground.core import AXES, AppError, Check, InvalidInput, Parameter, Record, StageError, State, unknown
from fairground.sandbox import Limits, Sandbox, hash_path
from fairground.screen import encode_png
from fairground.worlds.addresses import parser_sources
from fairground.worlds.app import App, Scenario, ScreenSpec, Suite, World
from fairground.worlds.dialogs import Dialog, open_dialogs
from fairground.worlds.folder_checks import CheckTable, SqliteTable, check_filled
from fairground.worlds.folder_deciding import decide
from fairground.worlds.folder_oracle import check_conditions, read_moves
from fairground.worlds.folder_recording import covers, record
from fairground.worlds.oracle import Move
from fairground.worlds.placeholders import fill
from fairground.worlds.seat import Seat
from fairground.worlds.written import code_address

SCRIPTS = ("install", "configure", "setup")
FILE = "world.toml"
_STAGE = "~/.stage"
_MAX_TOML = 1 << 20
_MAX_FILES = 256 << 20
_SOON = 5.0  # seconds in which most programs show their window
_DECIDING = (
    "addresses",
    "folder_checks",
    "folder_deciding",
    "folder_leaves",
    "folder_oracle",
    "folder_recording",
    "patterns",
)


class AppTable(Record):
    """`[app]`: the software."""

    name: str
    title: str = ""
    packages: tuple[str, ...] = Field((), description="Debian packages it consists of")
    launch: tuple[str, ...] = Field(min_length=1, description="the command, as a list of words; ~/ is the home")
    window: str = Field(min_length=1, description="pattern of the title of the window that shows that it is ready")
    ready_seconds: float = Field(60, gt=0, le=600)
    size: tuple[int, int] = Field((1280, 720), description="screen size")
    network: Literal["none", "outbound"] = "none"
    env: dict[str, str] = {}
    save: tuple[str, ...] = Field((), description="a command to run when an episode ends, before the state is recorded")
    memory_mb: int = Field(4096, ge=64)
    record: tuple[str, ...] = Field((), description="folders to record completely; for a guard, the home")
    dialogs: tuple[str, ...] = Field((), description="patterns of dialogs that may be open at the start")

    @model_validator(mode="after")
    def _check(self) -> Self:
        _check_pattern("window", self.window)
        for pattern in self.dialogs:
            _check_pattern("dialogs", pattern)
        if bad := next((path for path in self.record if path != "~" and not path.startswith(("~/", "/"))), None):
            raise ValueError(f"record: {bad!r} is neither absolute nor below ~/")
        if not all(200 <= side <= 7680 for side in self.size):
            raise ValueError(f"size must be a width and height from 200 to 7680, got {self.size}")
        return self


class AxisTable(Record):
    """One value of an axis: environment variables, and any other keys for `setup`."""

    model_config = ConfigDict(frozen=True, extra="allow")
    env: dict[str, str] = {}
    dialogs: tuple[str, ...] = Field((), description="patterns of dialogs that may be open at the start")

    @model_validator(mode="after")
    def _check(self) -> Self:
        for pattern in self.dialogs:
            _check_pattern("dialogs", pattern)
        return self


class ScenarioTable(Record):
    """`[[scenario]]`: a parameterised task."""

    name: str
    kind: Literal["action", "answer"] = "action"
    instruction: str = Field(min_length=1)
    step_budget: int = Field(50, ge=1, le=10_000)
    time_budget: float = Field(1800, gt=0)
    instances: dict[str, dict[str, Parameter]] = {"default": {}}
    check: tuple[CheckTable, ...] = Field(min_length=1)
    oracle: tuple[dict[str, Any], ...] = Field((), description="moves that solve it; see folder_oracle")


class WorldFile(Record):
    """The content of `world.toml`.

    Attributes:
        app: The software.
        profiles: The data that the app holds, by profile name.
        themes: How the app looks, by theme name.
        ui_states: Where the app starts, by name.
        scenario: The tasks.
    """

    app: AppTable
    profiles: dict[str, AxisTable] = {"default": AxisTable()}
    themes: dict[str, AxisTable] = {"default": AxisTable()}
    ui_states: dict[str, AxisTable] = {"default": AxisTable()}
    scenario: tuple[ScenarioTable, ...] = ()


class FolderApp(App):
    """An app described by a folder."""

    checkpoint_setup = True
    failure_picture: Path | None = None
    """Where to save the screen if the app's window does not appear; None to not save it."""

    def __init__(self, folder: Path, world: WorldFile) -> None:
        table = world.app
        self.folder = folder
        self.table = table
        self.install_script = folder / "install" if (folder / "install").exists() else None
        # Set per instance, because all folder apps share this class. A Python author sets them as class attributes.
        self.name = table.name  # type: ignore[misc]
        self.title = table.title or table.name  # type: ignore[misc]
        self.packages = table.packages  # type: ignore[misc]
        self.screen = ScreenSpec("x11", table.size)  # type: ignore[misc]
        self.network = table.network  # type: ignore[misc]
        self.limits = Limits(memory=table.memory_mb << 20)  # type: ignore[misc]
        self.profiles = {name: value.model_dump() for name, value in world.profiles.items()}  # type: ignore[misc]
        self.themes = {name: value.model_dump() for name, value in world.themes.items()}  # type: ignore[misc]
        self.ui_states = {name: value.model_dump() for name, value in world.ui_states.items()}  # type: ignore[misc]

    def sources(self) -> Any:
        """The scripts and files. Not `world.toml`: its checks may change without running any stage again."""
        return {
            **{name: hash_path(self.folder / name) for name in (*SCRIPTS, "files")},
            "network": self.table.network,
        }

    def env(self, world: World) -> dict[str, str]:
        """The app's environment, with the variables of the axes."""
        env = dict(self.table.env)
        for axis in (world.profile, world.theme, world.ui_state):
            env |= axis["env"]
        return env

    def configure(self, sandbox: Sandbox) -> None:
        """Run the folder's `configure`."""
        self._run("configure", sandbox, {})

    def setup(self, sandbox: Sandbox, world: World) -> None:
        """Run the folder's `setup`, with the configuration in its environment."""
        self._run("setup", sandbox, {**self.env(world), **stage_env(world)})

    def launch(self, seat: Seat) -> None:
        """Start the command and wait for its window."""
        seat.start([_at_home(word, seat.sandbox) for word in self.table.launch])
        ready = self.table.ready_seconds
        # most windows appear soon; if not, an error dialog may be open instead
        for timeout in (min(_SOON, ready), ready):
            try:
                seat.wait_window(self.table.window, timeout=timeout)
                return
            except AppError as error:
                seat.check()
                dialogs = self.unmeant_dialogs(seat)
                if timeout < ready and not any(dialog.is_error for dialog in dialogs):
                    continue
                if self.failure_picture is not None:
                    self.failure_picture.write_bytes(encode_png(seat.screen.grab()))
                shown = "; ".join(f"a dialog is open, {dialog}" for dialog in dialogs)
                raise AppError(f"{error.message}; {shown}" if shown else error.message, fix=error.fix) from None

    def unmeant_dialogs(self, seat: Seat) -> list[Dialog]:
        """Return the open dialogs that neither the app nor an axis declares as expected, errors first."""
        axes = (seat.world.profile, seat.world.theme, seat.world.ui_state)
        meant = [*self.table.dialogs, *(pattern for axis in axes for pattern in axis["dialogs"])]
        return open_dialogs(seat.screen.tree(), seat.screen.windows(), self.table.window, meant)

    def save(self, seat: Seat) -> None:
        """Run the `save` command, if there is one."""
        if self.table.save:
            words = [_at_home(word, seat.sandbox) for word in self.table.save]
            seat.sandbox.run(words, env=seat.env, timeout=60, backstage=False)  # it may use what the user has set up

    def capture(self, seat: Seat, world: World) -> State:
        """Record the files that checks name, and whole folders for guards and `record`."""
        scenario = world.scenario
        guards = scenario.guards if isinstance(scenario, FolderScenario) else ()
        named = [path.format_map(world.parameters) for path in scenario.recorded]
        folders = self.table.record or (("~",) if guards else ())
        allowed = [pattern.format_map(world.parameters) for guard in guards for pattern in guard.allow]

        def passing(path: str) -> bool:
            return path not in named and any(covers(pattern, path) for pattern in allowed)

        return record(seat.sandbox, named, folders, passing)

    def _run(self, stage: str, sandbox: Sandbox, env: Mapping[str, str]) -> None:
        script = self.folder / stage
        if not script.exists():
            return
        _copy_in(self.folder, stage, sandbox)
        place = _STAGE.replace("~", sandbox.home, 1)
        done = sandbox.run(
            [f"{place}/{stage}"], env={"FAIRGROUND_STAGE": stage, **env}, cwd=_STAGE, timeout=1800, check=False
        )
        sandbox.run(["rm", "-rf", place])
        if done.code != 0:
            output = (done.stdout + done.stderr).decode(errors="replace").strip()[-2000:]
            raise StageError(f"{script} exited with status {done.code}; its output ends:\n{output}")


class FolderScenario(Scenario):
    """A task described by a folder."""

    def __init__(self, world: WorldFile, table: ScenarioTable) -> None:
        self.table = table
        self._said = [world.model_dump(mode="json", exclude={"scenario"}), table.model_dump(mode="json")]
        self.app = world.app.name  # type: ignore[misc]
        self.name = table.name  # type: ignore[misc]
        self.kind = table.kind  # type: ignore[misc]
        self.template = table.instruction  # type: ignore[misc]
        self.instances = table.instances  # type: ignore[misc]
        self.step_budget = table.step_budget  # type: ignore[misc]
        self.time_budget = table.time_budget  # type: ignore[misc]
        paths = dict.fromkeys(path for check in table.check for path in check.recorded)
        self.recorded = tuple(paths)  # type: ignore[misc]
        self.guards = tuple(check for check in table.check if check.nothing_else_changed and check.file is None)

    def sources(self) -> Any:
        """The task's and app's parts of `world.toml`, and the modules that decide checks: all inputs of a proof."""
        here = Path(__file__).parent
        deciding = [here / f"{name}.py" for name in _DECIDING]
        readers = {path for check in self.table.check if check.reads for path in parser_sources(check.reads)}
        return [self._said, code_address((*deciding, *sorted(readers)))]

    def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        return [decide(table, world.parameters, before, after, answer) for table in self.table.check]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """The moves that `world.toml` lists for this configuration."""
        where = f"{FILE}.scenario.{self.name}.oracle"
        return read_moves(self.table.oracle, world.parameters, where, at=world.configuration)


def read_folder(folder: Path) -> Suite:
    """Read and validate a folder.

    Raises:
        InvalidInput: The message contains the file, the field and the fault.
    """
    folder = folder.resolve()
    path = folder / FILE
    try:
        if path.stat().st_size > _MAX_TOML:
            raise InvalidInput(f"{path} is larger than {_MAX_TOML} bytes")
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InvalidInput(
            f"{path} cannot be read: {error.strerror}", fix="create one with fairground new APP"
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path} is not valid TOML: {error}") from None
    world = _parsed(path, data)
    _check_scripts(folder)
    try:
        suite = Suite(
            name=world.app.name,
            title=world.app.title or world.app.name,
            version="folder",
            apps=(FolderApp(folder, world),),
            scenarios=tuple(FolderScenario(world, table) for table in world.scenario),
            origin=str(folder),
        )
        _check_scenarios(world)
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error.message}", fix=error.fix) from None
    return suite


def stage_env(world: World) -> dict[str, str]:
    """The environment variables that tell a script which configuration to set up."""
    configuration = world.configuration
    return {
        "FAIRGROUND_SCENARIO": configuration.scenario,
        "FAIRGROUND_INSTANCE": configuration.instance,
        "FAIRGROUND_PROFILE": configuration.profile,
        "FAIRGROUND_THEME": configuration.theme,
        "FAIRGROUND_UI_STATE": configuration.ui_state,
        "FAIRGROUND_SEED": str(world.seed),
        **{f"FAIRGROUND_PARAM_{name.upper()}": str(value) for name, value in world.parameters.items()},
    }


def _check_scripts(folder: Path) -> None:
    for name in SCRIPTS:
        script = folder / name
        if not script.exists():
            continue
        if not script.is_file():
            raise InvalidInput(f"{script} is not a file; a stage must be one executable script")
        if not script.stat().st_mode & stat.S_IXUSR:
            raise InvalidInput(f"{script} is not executable", fix=f"chmod +x {script}")
        if script.read_bytes()[:2] not in (b"#!", b"\x7fE"):
            raise InvalidInput(f"{script} does not begin with #! and an interpreter", fix="begin it with #!/bin/bash")


def _parsed(path: Path, data: Any) -> WorldFile:
    """Parse the tables. For an unknown key, the error suggests a similar one."""
    try:
        return WorldFile.parse(data, where=FILE)
    except InvalidInput as error:
        match = re.search(
            r"^(?:.*\.)?(\w+?|world\.toml)(?:\[\d+\])?\.([^.\n]+): unknown field$", error.message, re.MULTILINE
        )
        tables: dict[str, type[Record]] = {FILE: WorldFile, "app": AppTable, "scenario": ScenarioTable}
        tables |= {"check": CheckTable, "sqlite": SqliteTable}
        fix = f"edit {path}"
        if match is not None and match[1] in tables:
            known = [field.alias or name for name, field in tables[match[1]].model_fields.items()]
            fix = f"{unknown('key', match[2], known).fix} (in {path})"
        raise InvalidInput(error.message, fix=fix) from None


def _check_scenarios(world: WorldFile) -> None:
    """Check that all placeholders in texts, addresses and moves of every instance can be filled in."""
    axes = dict(zip(AXES[1:], ([*world.profiles], [*world.themes], [*world.ui_states]), strict=True))
    for number, scenario in enumerate(world.scenario):
        where = f"scenario[{number}]"
        check_conditions(scenario.oracle, {"instance": [*scenario.instances], **axes}, f"{where}.oracle")
        for instance, parameters in scenario.instances.items():
            try:
                fill(scenario.instruction, parameters, f"{where}.instruction")
                for place, check in enumerate(scenario.check):
                    check_filled(check, parameters, f"{where}.check[{place}]")
                read_moves(scenario.oracle, parameters, f"{where}.oracle")
            except InvalidInput as error:
                raise InvalidInput(
                    f"{error.message} (scenario {scenario.name}, instance {instance})", fix=error.fix
                ) from None


def _check_pattern(field: str, pattern: str) -> None:
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"{field} is not a valid pattern: {error}") from None


def _copy_in(folder: Path, stage: str, sandbox: Sandbox) -> None:
    sandbox.write_file(f"{_STAGE}/{stage}", (folder / stage).read_bytes(), mode=0o755)
    total = 0
    files = folder / "files"
    for path in sorted(files.rglob("*")) if files.is_dir() else []:
        if path.is_symlink() or not path.is_file():
            continue
        total += path.stat().st_size
        if total > _MAX_FILES:
            raise InvalidInput(f"{files} is larger than {_MAX_FILES >> 20} MB")
        mode = 0o755 if os.access(path, os.X_OK) else 0o644
        sandbox.write_file(f"{_STAGE}/files/{path.relative_to(files)}", path.read_bytes(), mode=mode)


def _at_home(word: str, sandbox: Sandbox) -> str:
    return sandbox.home + word[1:] if word == "~" or word.startswith("~/") else word
