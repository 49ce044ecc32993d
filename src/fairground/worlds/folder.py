"""A folder as a suite of one app: `world.toml` and up to three staged scripts, no Python needed.

    my-app/
      world.toml      what it is: packages, how to launch, axes, scenarios with their checks
      install         as root, once: installs the software into a layer of its own (optional)
      configure       as the user, once: settings that every configuration shares (optional)
      setup           as the user, for each configuration: its data (optional)
      files/          whatever the scripts need; they find it beside them

The scripts are programs in any language. While they run, the folder's scripts and `files` lie in the current
folder; `world.toml`, which knows the answers, never enters the sandbox.
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

from fairground.core import Check, InvalidInput, Parameter, Record, StageError, State, StateError
from fairground.sandbox import Limits, Sandbox, hash_path
from fairground.worlds.app import App, Scenario, ScreenSpec, Suite, World
from fairground.worlds.seat import Seat

SCRIPTS = ("install", "configure", "setup")
FILE = "world.toml"
_STAGE = "~/.stage"
_MAX_TOML = 1 << 20
_MAX_FILES = 256 << 20
_MAX_MATCHED = 100_000  # characters a pattern is tried on: agents write the text, and patterns can be slow


class AppTable(Record):
    """`[app]`: the software."""

    name: str
    title: str = ""
    packages: tuple[str, ...] = Field((), description="Debian packages it consists of")
    launch: tuple[str, ...] = Field(min_length=1, description="the command, a word an entry; ~/ is the home")
    window: str = Field(min_length=1, description="pattern of the title of the window that says it is ready")
    ready_seconds: float = Field(60, gt=0, le=600)
    size: tuple[int, int] = Field((1280, 720), description="of the screen")
    network: Literal["none", "outbound"] = "none"
    env: dict[str, str] = {}
    save: tuple[str, ...] = Field((), description="a command to run when an episode ends, before the state is recorded")
    memory_mb: int = Field(4096, ge=64)

    @model_validator(mode="after")
    def _check(self) -> Self:
        try:
            re.compile(self.window)
        except re.error as error:
            raise ValueError(f"window is not a valid pattern: {error}") from None
        if not all(200 <= side <= 7680 for side in self.size):
            raise ValueError(f"size is width and height from 200 to 7680, got {self.size}")
        return self


class AxisTable(Record):
    """One value of an axis: its own environment, and whatever else `setup` wants to know."""

    model_config = ConfigDict(frozen=True, extra="allow")
    env: dict[str, str] = {}


class CheckTable(Record):
    """`[[scenario.check]]`: one criterion over a file as it is when the episode ends, or over the answer."""

    name: str = Field(min_length=1)
    file: str | None = Field(None, description="path of the file it looks at")
    answer: bool = Field(False, description="look at the agent's answer instead of a file")
    exists: bool | None = Field(None, description="the file is there, or is not")
    equals: str | None = Field(None, description="the whole text, white space at the ends aside")
    contains: str | None = None
    lacks: str | None = Field(None, description="text that must not be in it")
    matches: str | None = Field(None, description="pattern that must be found in it")
    unchanged: bool | None = Field(None, description="the same bytes as before the agent began")
    weight: float = Field(1.0, ge=0)
    integrity: bool = False

    @model_validator(mode="after")
    def _check(self) -> Self:
        if (self.file is None) == (not self.answer):
            raise ValueError("a check looks at a file (file = ...) or at the answer (answer = true), at one of them")
        tests = [self.exists, self.equals, self.contains, self.lacks, self.matches, self.unchanged]
        if sum(test is not None for test in tests) != 1:
            raise ValueError("a check has one of exists, equals, contains, lacks, matches, unchanged")
        if self.answer and (self.exists is not None or self.unchanged is not None):
            raise ValueError("exists and unchanged are about files, not about an answer")
        if self.unchanged is False:
            raise ValueError("unchanged is true or left out")
        if self.matches is not None:
            try:
                re.compile(re.sub(r"\{\w+\}", "x", self.matches))
            except re.error as error:
                raise ValueError(f"matches is not a valid pattern: {error}") from None
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


class WorldFile(Record):
    """The whole of `world.toml`."""

    app: AppTable
    profiles: dict[str, AxisTable] = {"default": AxisTable()}
    themes: dict[str, AxisTable] = {"default": AxisTable()}
    ui_states: dict[str, AxisTable] = {"default": AxisTable()}
    scenario: tuple[ScenarioTable, ...] = ()


class FolderApp(App):
    """An app that a folder describes."""

    checkpoint_setup = True

    def __init__(self, folder: Path, world: WorldFile) -> None:
        table = world.app
        self.folder = folder
        self.table = table
        self.install_script = folder / "install" if (folder / "install").exists() else None
        # Instances of one class with values of their own: what a Python author writes as class attributes.
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
        """The scripts and files; not `world.toml`, whose checks may change without any stage being run again."""
        return {
            **{name: hash_path(self.folder / name) for name in (*SCRIPTS, "files")},
            "network": self.table.network,
        }

    def env(self, world: World) -> dict[str, str]:
        """The app's environment with what the axes add."""
        env = dict(self.table.env)
        for axis in (world.profile, world.theme, world.ui_state):
            env |= axis["env"]
        return env

    def configure(self, sandbox: Sandbox) -> None:
        """Runs the folder's `configure`."""
        self._run("configure", sandbox, {})

    def setup(self, sandbox: Sandbox, world: World) -> None:
        """Runs the folder's `setup`, which learns the configuration from its environment."""
        self._run("setup", sandbox, {**self.env(world), **stage_env(world)})

    def launch(self, seat: Seat) -> None:
        """Starts the command and waits for its window."""
        seat.start([_at_home(word, seat.sandbox) for word in self.table.launch])
        seat.wait_window(self.table.window, timeout=self.table.ready_seconds)

    def save(self, seat: Seat) -> None:
        """Runs the `save` command, if there is one."""
        if self.table.save:
            words = [_at_home(word, seat.sandbox) for word in self.table.save]
            seat.sandbox.run(words, env=seat.env, timeout=60)

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
            said = (done.stdout + done.stderr).decode(errors="replace").strip()[-2000:]
            raise StageError(f"{script} ended with status {done.code}; its output ends:\n{said}")


class FolderScenario(Scenario):
    """A task that a folder describes."""

    def __init__(self, app: str, table: ScenarioTable) -> None:
        self.table = table
        self.app = app  # type: ignore[misc]
        self.name = table.name  # type: ignore[misc]
        self.kind = table.kind  # type: ignore[misc]
        self.template = table.instruction  # type: ignore[misc]
        self.instances = table.instances  # type: ignore[misc]
        self.step_budget = table.step_budget  # type: ignore[misc]
        self.time_budget = table.time_budget  # type: ignore[misc]
        paths = dict.fromkeys(check.file for check in table.check if check.file is not None)
        self.recorded = tuple(paths)  # type: ignore[misc]

    def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """Decides each check on the recorded files."""
        return [_decide(table, world.parameters, before, after, answer) for table in self.table.check]


def read_folder(folder: Path) -> Suite:
    """Reads and checks a folder; an error names the file, the field and what is wrong with it."""
    folder = folder.resolve()
    path = folder / FILE
    try:
        if path.stat().st_size > _MAX_TOML:
            raise InvalidInput(f"{path} is larger than {_MAX_TOML} bytes")
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}", fix="fairground new APP writes one") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path} is not valid TOML: {error}") from None
    world = WorldFile.parse(data, where=FILE)
    _check_scripts(folder)
    try:
        suite = Suite(
            name=world.app.name,
            title=world.app.title or world.app.name,
            version="folder",
            apps=(FolderApp(folder, world),),
            scenarios=tuple(FolderScenario(world.app.name, table) for table in world.scenario),
            origin=str(folder),
        )
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error.message}", fix=error.fix) from None
    for scenario in world.scenario:
        _check_placeholders(path, scenario)
    return suite


def stage_env(world: World) -> dict[str, str]:
    """How a script learns which configuration it sets up."""
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


def _decide(
    table: CheckTable, parameters: Mapping[str, Parameter], before: State, after: State, answer: str | None
) -> Check:
    def fill(text: str | None) -> str:
        return (text or "").format_map(parameters)

    def result(passed: bool, expected: str, found: Any) -> Check:
        return Check(
            name=fill(table.name), passed=passed, weight=table.weight, integrity=table.integrity,
            expected=expected, found=found,
        )  # fmt: skip

    path = fill(table.file)
    if table.exists is not None:
        there = path in after.files
        return result(
            there == table.exists, "there" if table.exists else "not there", "there" if there else "not there"
        )
    if table.unchanged:
        same = path in before.files and before.files.get(path) == after.files.get(path)
        return result(same, "the same as before", "the same" if same else after.missing.get(path, "changed"))
    if table.answer:
        text = answer if answer is not None else None
    else:
        try:
            text = after.text(path)
        except StateError as error:
            return result(False, "a readable text file", error.message)
    if text is None:
        return result(False, "an answer", "none was given")
    shown = text if len(text) <= 500 else text[:500] + "..."
    if table.equals is not None:
        return result(text.strip() == fill(table.equals).strip(), fill(table.equals), shown)
    if table.contains is not None:
        return result(fill(table.contains) in text, f"contains {fill(table.contains)!r}", shown)
    if table.lacks is not None:
        return result(fill(table.lacks) not in text, f"lacks {fill(table.lacks)!r}", shown)
    if len(text) > _MAX_MATCHED:
        return result(False, f"at most {_MAX_MATCHED} characters to match", f"{len(text)} characters")
    escaped = {name: re.escape(str(value)) for name, value in parameters.items()}
    pattern = re.sub(r"\{(\w+)\}", lambda found: escaped.get(found[1], found[0]), table.matches or "")
    return result(re.search(pattern, text) is not None, f"matches {pattern!r}", shown)


def _check_scripts(folder: Path) -> None:
    for name in SCRIPTS:
        script = folder / name
        if not script.exists():
            continue
        if not script.is_file():
            raise InvalidInput(f"{script} is not a file; a stage is one executable script")
        if not script.stat().st_mode & stat.S_IXUSR:
            raise InvalidInput(f"{script} is not executable", fix=f"chmod +x {script}")
        if script.read_bytes()[:2] not in (b"#!", b"\x7fE"):
            raise InvalidInput(f"{script} does not begin with #! and an interpreter", fix="begin it with #!/bin/bash")


def _check_placeholders(path: Path, scenario: ScenarioTable) -> None:
    texts = {"instruction": scenario.instruction}
    for number, check in enumerate(scenario.check):
        for field in ("name", "file", "equals", "contains", "lacks"):
            if (text := getattr(check, field)) is not None:
                texts[f"check[{number}].{field}"] = text
    for instance, parameters in scenario.instances.items():
        for where, text in texts.items():
            try:
                text.format_map(parameters)
            except (KeyError, IndexError, ValueError) as error:
                raise InvalidInput(
                    f"{path}: scenario {scenario.name}.{where} uses {error}, which instance {instance} does not have",
                    fix=f"add it under instances.{instance}, or write {{{{ and }}}} for braces that are meant as such",
                ) from None


def _copy_in(folder: Path, stage: str, sandbox: Sandbox) -> None:
    sandbox.write_file(f"{_STAGE}/{stage}", (folder / stage).read_bytes(), mode=0o755)
    total = 0
    files = folder / "files"
    for path in sorted(files.rglob("*")) if files.is_dir() else []:
        if path.is_symlink() or not path.is_file():
            continue
        total += path.stat().st_size
        if total > _MAX_FILES:
            raise InvalidInput(f"{files} holds more than {_MAX_FILES >> 20} MB")
        mode = 0o755 if os.access(path, os.X_OK) else 0o644
        sandbox.write_file(f"{_STAGE}/files/{path.relative_to(files)}", path.read_bytes(), mode=mode)


def _at_home(word: str, sandbox: Sandbox) -> str:
    return sandbox.home + word[1:] if word == "~" or word.startswith("~/") else word
