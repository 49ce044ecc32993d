"""A seat: a sandbox with a screen and the app open in it, at one configuration."""

from __future__ import annotations

import copy
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from fairground import __version__
from fairground.core import (
    AppError,
    FairgroundError,
    Fingerprint,
    SandboxError,
    State,
    Window,
    fingerprint,
)
from fairground.sandbox import Completed, FileInfo, Process, Sandbox, SandboxSpec, default_runner, open_sandbox
from fairground.sandbox.layers import LayerStore
from fairground.screen import CdpScreen, Screen, open_desktop, open_page
from fairground.worlds.app import World
from fairground.worlds.stages import Stages, prepare, run_setup

_BROWSERS_OWN = re.compile(r"\.(cache|pki|config/(page-[0-9a-f]+|chromium))(/|$)|\.config$")
_DRAWN_SECONDS = 15.0  # timeout for a window to settle after it appears; one with a clock or a spinner never does


@dataclass(eq=False)
class Seat:
    """A sandbox with a screen and an app, for one agent.

    Apps get it in `launch` and use `start`, `wait_window` and `defer`. Environments use `screen`, `capture`, `freeze`,
    `thaw` and `close`.

    Attributes:
        env: Environment of programs on this seat's desktop.
        before: The state recorded before the agent began.
        keep: Storage for the app.
    """

    world: World
    sandbox: Sandbox
    screen: Screen
    env: dict[str, str]
    stages: Stages
    fingerprint: Fingerprint
    before: State = field(default_factory=State)
    keep: dict[str, Any] = field(default_factory=dict)
    _files: frozenset[FileInfo] = frozenset()
    _programs: list[Process] = field(default_factory=list)
    _deferred: list[Callable[[], None]] = field(default_factory=list)
    _closed: bool = False

    def start(self, argv: Sequence[str], *, env: Mapping[str, str] | None = None) -> Process:
        """Start one of the app's programs on this seat's screen. The seat lives as long as the first one."""
        program = self.sandbox.start(argv, env={**self.env, **(env or {})})
        self._programs.append(program)
        return program

    def wait_window(self, title: str, *, timeout: float = 60.0) -> Window:
        """Wait until a window whose title matches a pattern has appeared and been drawn.

        Raises:
            AppError: The program ended, or the timeout passed. The message includes its output, or the open windows.
        """
        pattern = re.compile(title)
        deadline = time.monotonic() + timeout
        while True:
            for window in self.screen.windows():
                if pattern.search(window.title):
                    self.screen.settle(timeout=min(_DRAWN_SECONDS, max(0.1, deadline - time.monotonic())))
                    return window
            self.check()
            left = deadline - time.monotonic()
            if left <= 0:
                seen = ", ".join(repr(window.title) for window in self.screen.windows()) or "none"
                raise AppError(
                    f"{self.world.app.name} showed no window with a title matching {title!r} within {timeout:g} s; "
                    f"windows: {seen}{self._output_tail()}"
                )
            self.screen.wait_change(min(left, 0.25))

    def check(self) -> None:
        """Check that the app and its sandbox are alive.

        Raises:
            AppError: The app ended.
            SandboxError: The sandbox is gone.
        """
        if not self.sandbox.alive:
            raise SandboxError("the seat's sandbox is gone", fix="open a new seat")
        if self._programs and (code := self._programs[0].poll()) is not None:
            raise AppError(f"{self.world.app.name} exited with status {code}{self._output_tail()}")

    def _output_tail(self) -> str:
        output = "\n".join(program.output(4000) for program in self._programs).strip()
        return f"; its output ends:\n{output[-2000:]}" if output else "; it printed nothing"

    def defer(self, cleanup: Callable[[], None]) -> None:
        """Register a cleanup function to call when the seat is closed; last in, first out."""
        self._deferred.append(cleanup)

    def capture(self) -> State:
        """Record the current state."""
        return self.world.app.capture(self._trusting(), self.world)

    def finish(self) -> State:
        """End an attempt: save what a user expects to be saved, freeze the seat, and record the state."""
        self.screen.release()
        self.world.app.save(self._trusting())
        self.freeze()
        return self.capture()

    def _trusting(self) -> Seat:
        """This seat with backstage commands, which the agent's programs can neither see nor change."""
        seat = copy.copy(self)
        seat.sandbox = cast(Sandbox, _Backstage(self.sandbox))
        return seat

    @property
    def alive(self) -> bool:
        """Whether sandbox, screen and app still run."""
        return (
            self.sandbox.alive and self.screen.alive and not (self._programs and self._programs[0].poll() is not None)
        )

    def freeze(self) -> None:
        """Stop everything in the seat."""
        self.sandbox.freeze()

    def thaw(self) -> None:
        """Continue everything in the seat."""
        self.sandbox.thaw()

    def files_changed(self) -> bool:
        """Whether the home differs from when the seat was opened, apart from the browser's own files."""
        return _files(self.sandbox) != self._files

    @property
    def logs(self) -> dict[str, str]:
        """Output of each stage, and of the app so far."""
        outputs = {f"program-{number}": program.output() for number, program in enumerate(self._programs, 1)}
        return {**self.stages.logs, **outputs}

    def close(self) -> None:
        """Close the seat. Calling it twice is allowed."""
        if self._closed:
            return
        self._closed = True
        try:
            while self._deferred:
                self._deferred.pop()()
        finally:
            self.sandbox.discard()

    def __enter__(self) -> Seat:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Backstage:
    """A sandbox whose commands run backstage by default."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sandbox, name)

    def run(self, argv: Sequence[str], *, backstage: bool = True, **options: Any) -> Completed:
        return self._sandbox.run(argv, backstage=backstage, **options)


def open_seat(world: World, *, runner: str | None = None, store: LayerStore | None = None) -> Seat:
    """Open a seat: run the stages, open sandbox and screen, launch the app, and record the initial state.

    Args:
        world: The world to open.
        runner: Which runner creates the sandbox; by default `default_runner()`.
        store: Where stages are cached; by default the user's cache.
    """
    runner = runner or default_runner()
    stages = prepare(world, runner=runner, store=store)
    app = world.app
    spec = SandboxSpec(layers=stages.layers, network=app.network, limits=app.limits)
    sandbox = open_sandbox(spec, runner=runner)

    def open_screen() -> OpenScreen:
        for stage in stages.pending:
            if stage == "configure":
                app.configure(sandbox)
            else:
                run_setup(sandbox, world)
        return _open_screen(sandbox, world)

    return launch(world, stages, sandbox, open_screen)


OpenScreen = tuple[Screen, Mapping[str, str], Callable[[], None]]
"""A screen, the environment of programs on it, and a function that ends it."""


def launch(world: World, stages: Stages, sandbox: Sandbox, open_screen: Callable[[], OpenScreen]) -> Seat:
    """Open a seat in a sandbox. Discards the sandbox if that fails."""
    app = world.app
    seat: Seat | None = None
    try:
        screen, env, end = open_screen()
        seat = Seat(world, sandbox, screen, {**env, **app.env(world)}, stages, seat_fingerprint(world, stages, sandbox))
        seat.defer(end)
        app.launch(seat)
        seat.check()
        seat.before = seat.capture()
        if isinstance(screen, CdpScreen):  # such a seat may be reused
            seat._files = _files(sandbox)
    except BaseException as error:
        if seat is not None:
            seat.close()
        else:
            sandbox.discard()
        if isinstance(error, FairgroundError) or not isinstance(error, Exception):
            raise
        raise AppError(f"{app.name} could not be launched: {type(error).__name__}: {error}") from error
    return seat


def _open_screen(sandbox: Sandbox, world: World) -> OpenScreen:
    spec = world.app.screen
    if spec.backend == "cdp":
        page = open_page(sandbox, size=spec.size)
        return page, {}, page.close
    desktop = open_desktop(sandbox, size=spec.size, style=world.app.desktop(world))
    # Discarding an isolated sandbox ends the whole desktop, and is faster.
    return desktop.screen, desktop.env, desktop.screen.close if sandbox.isolated else desktop.close


def planned_fingerprint(world: World) -> Fingerprint:
    """Return what is known of a world before a seat exists, for episodes that never got one."""
    return seat_fingerprint(world, Stages(), None)


def seat_fingerprint(world: World, stages: Stages, sandbox: Sandbox | None) -> Fingerprint:
    """Return the fingerprint of a seat at a world."""
    width, height = world.app.screen.size
    facts = {
        "fairground": __version__,
        "suite": f"{world.suite.name} {world.suite.version}",
        "packages": stages.packages,
        "stages": stages.keys,
        "seed": world.seed,
        "runner": sandbox.runner if sandbox else "none",
        "isolated": sandbox.isolated if sandbox else False,
        "screen": f"{world.app.screen.backend} {width}x{height}",
    }
    digest = fingerprint({**facts, "configuration": world.id, "parameters": dict(world.parameters)})
    return Fingerprint.model_validate({"digest": digest, **facts})


def _files(sandbox: Sandbox) -> frozenset[FileInfo]:
    return frozenset(info for info in sandbox.list_files() if not _BROWSERS_OWN.match(info.path))
