"""The three cached stages before launch: install, configure, setup.

Each stage's cache key is a fingerprint of all its inputs: the key of the stage below, the content of its scripts or
code, the versions of the app's packages, and for `setup` the configuration. If a stage fails, the error includes the
end of its output, and later stages do not run.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import fairground.sandbox.keeper as keeper_package
from fairground.core import FairgroundError, StageError
from fairground.sandbox import Completed, Sandbox, SandboxSpec, open_sandbox
from fairground.sandbox.layers import Layer, LayerStore, hash_path, remove_tree
from fairground.worlds.app import World
from fairground.worlds.packages import machine_state, package_versions

_FORMAT = 1  # increases when layers are built differently
_INSTALL_SECONDS = 3600
_TAIL = 4000


@dataclass
class Stages:
    """The result of the stages of a world.

    Attributes:
        keys: Stage -> content digest.
        logs: Stage -> its output when it was built.
        layers: Folders for `SandboxSpec.layers`.
        pending: Stages that must run in the seat's own sandbox, because they are not cached.
        packages: Version of each package of the app.
    """

    keys: dict[str, str] = field(default_factory=dict)
    logs: dict[str, str] = field(default_factory=dict)
    layers: tuple[Path, ...] = ()
    pending: tuple[str, ...] = ()
    packages: dict[str, str] = field(default_factory=dict)


def prepare(world: World, *, runner: str, store: LayerStore | None = None) -> Stages:
    """Find or build the stages of a world for a runner."""
    stages = Stages()
    app = world.app
    store = store or LayerStore()
    layered = runner == "namespace"
    if app.install_script is not None and layered and os.geteuid() == 0:
        _add(stages, "install", _install(app.install_script, store))
    stages.packages = package_versions(app.packages, stages.layers)

    inputs: dict[str, Any] = {
        "stage": "configure",
        "format": _FORMAT,
        "below": stages.keys,
        "sources": app.sources(),
        "packages": stages.packages,
    }
    if not layered:
        stages.pending = ("configure", "setup")
        stages.keys["configure"] = stages.keys["setup"] = "not kept"
        return stages
    _add(stages, "configure", _stage(world, "configure", inputs, stages, runner, store, app.configure))
    if app.checkpoint_setup:
        inputs = {"stage": "setup", "below": stages.keys, **_identity(world)}
        _add(stages, "setup", _stage(world, "setup", inputs, stages, runner, store, lambda box: run_setup(box, world)))
    else:
        stages.pending = ("setup",)
        stages.keys["setup"] = "not kept"
    return stages


def run_setup(sandbox: Sandbox, world: World) -> None:
    """Run the last stage: the app's setup, then the scenario's."""
    world.app.setup(sandbox, world)
    world.scenario.setup(sandbox, world)


def _identity(world: World) -> dict[str, Any]:
    return {
        "configuration": world.configuration.model_dump(),
        "parameters": dict(world.parameters),
        "seed": world.seed,
        "axes": json.loads(json.dumps([world.profile, world.theme, world.ui_state], default=str)),
    }


def _add(stages: Stages, name: str, layer: Layer) -> None:
    stages.keys[name] = layer.key
    stages.logs[name] = layer.log
    stages.layers = (*stages.layers, layer.path)


def _stage(
    world: World,
    name: str,
    inputs: Any,
    stages: Stages,
    runner: str,
    store: LayerStore,
    work: Callable[[Sandbox], None],
) -> Layer:
    def build(tree: Path) -> str:
        spec = SandboxSpec(layers=stages.layers, writable=tree, network=world.app.network, limits=world.app.limits)
        sandbox = open_sandbox(spec, runner=runner)
        log: list[str] = []
        try:
            work(cast(Sandbox, _Logged(sandbox, log)))
        except FairgroundError as error:
            raise StageError(
                f"stage {name} of {world.app.name} failed: {error.message}\n{''.join(log)[-_TAIL:]}".rstrip(),
                fix=error.fix,
            ) from error
        finally:
            sandbox.discard()
        for folder in ("etc", "var"):  # only the sandbox's own identity files; a user can change only the home
            remove_tree(tree / folder)
        return "".join(log)

    return store.build(inputs, build)


class _Logged:
    """A sandbox that records the output of its commands."""

    def __init__(self, sandbox: Sandbox, log: list[str]) -> None:
        self._sandbox = sandbox
        self._log = log

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sandbox, name)

    def run(self, argv: Sequence[str], *, check: bool = True, **options: Any) -> Completed:
        self._log.append(f"$ {' '.join(argv)}\n")
        done = self._sandbox.run(argv, check=False, **options)
        self._log.append((done.stdout + done.stderr).decode(errors="replace"))
        if check and done.code != 0:
            raise StageError(f"{argv[0]} exited with status {done.code}")
        return done


def _install(script: Path, store: LayerStore) -> Layer:
    """A system layer: the install script, run as root over a copy-on-write view of this machine."""
    inputs = {
        "stage": "install",
        "format": _FORMAT,
        "script": hash_path(script),
        "files": hash_path(script.parent / "files"),
        "machine": machine_state(),
    }
    start = "import sys; sys.path.insert(0, sys.argv[1]); from keeper.install import main; main(sys.argv[2])"

    def build(tree: Path) -> str:
        os.chown(tree, 0, 0)
        order = {"layers": [], "tree": str(tree), "world": str(script.parent)}
        place = str(Path(keeper_package.__file__).parents[1])
        log = tree.parent / "log.txt"
        with log.open("wb") as file:
            try:
                code = subprocess.run(
                    [sys.executable, "-I", "-S", "-B", "-c", start, place, json.dumps(order)],
                    stdin=subprocess.DEVNULL,
                    stdout=file,
                    stderr=subprocess.STDOUT,
                    timeout=_INSTALL_SECONDS,
                    check=False,
                ).returncode
            except subprocess.TimeoutExpired:
                code = -1
        output = log.read_text(encoding="utf-8", errors="replace")
        if code != 0:
            raise StageError(f"stage install failed with status {code}:\n{output[-_TAIL:]}".rstrip())
        remove_tree(tree / "root")
        for leftovers in ("var/cache/apt/archives", "var/lib/apt/lists", "usr/sbin/policy-rc.d"):
            path = tree / leftovers
            if path.is_dir():
                remove_tree(path)
            else:
                path.unlink(missing_ok=True)
        for name in os.listdir(tree):
            with contextlib.suppress(OSError):
                (tree / name).rmdir()  # a tree without changes needs no overlay
        return output

    return store.build(inputs, build)
