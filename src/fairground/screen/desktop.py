"""A desktop inside a sandbox: Xvfb, a session bus, a window manager, and the screen on them.

All of these run backstage, where programs on the desktop can neither signal nor trace them.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np

from fairground.core import InvalidInput, Key, MissingPrerequisite, SandboxError, ScreenError
from fairground.sandbox import Process, Sandbox
from fairground.screen import xrequests as x
from fairground.screen.atspi import TreeReader
from fairground.screen.desktopstyle import DesktopStyle
from fairground.screen.framebuffer import MAX_SIDE, Framebuffer
from fairground.screen.sessionbus import ACTIVATOR, BUS, bus_config
from fairground.screen.wallpapers import paint
from fairground.screen.windowmanager import openbox_config
from fairground.screen.x11 import X11Screen
from fairground.screen.xwire import XConnection

BACKGROUND: Final = 0x3D5A73  # a calm blue; black would look like a screen that is off
_READY_SECONDS: Final = 20.0
_END_SECONDS: Final = 2.0
_POLL: Final = 0.002
_FRAMEBUFFER_FD, _READY_FD = 8, 9  # one digit: sh supports no higher ones
_PACKAGES: Final = {
    "Xvfb": "xvfb",
    "dbus-daemon": "dbus",
    "openbox": "openbox",
    "at-spi-bus-launcher": "at-spi2-core",
    "tint2": "tint2",
}
_ACCESSIBILITY_BUS: Final = ("/usr/libexec/at-spi-bus-launcher", "/usr/lib/at-spi2-core/at-spi-bus-launcher")

# The link lets Xvfb draw into our memory. The script prints the folder for the desktop's files before it starts Xvfb,
# so that they are written meanwhile.
_XVFB: Final = """
command -v Xvfb >/dev/null || exit 127
folder="$(mktemp -d "$5/desktop.XXXXXX")" || exit 1
ln -s "/proc/self/fd/$1" "$folder/Xvfb_screen0" && echo "$folder" >&$2 || exit 1
exec Xvfb -displayfd "$2" -screen 0 "$3" -dpi "$4" -fbdir "$folder" -nolisten tcp -noreset -s 0
"""

# A program can ask the X server to close another client's connection. A window manager or panel that is closed this way
# is restarted, but not without limit.
_KEPT_UP: Final = """
command -v "$1" >/dev/null || exit 127
for again in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do "$@"; done
exit 1
"""

_ROWS_BYTES: Final = 1 << 17  # maximum bytes of a picture per request; the server accepts a little more


@dataclass(frozen=True)
class Desktop:
    """A desktop that is ready for programs.

    Attributes:
        screen: Its screen.
        env: Environment variables for programs on this desktop.
        display: Name of the X display, such as `:0`.
        processes: The processes started for it, by name.
        sandbox: The sandbox it runs in.
    """

    screen: X11Screen
    env: dict[str, str]
    display: str
    processes: Mapping[str, Process]
    sandbox: Sandbox

    def close(self) -> None:
        """Close the screen and end its processes. Calling it twice is allowed.

        In a frozen sandbox no process can end; `Sandbox.discard` ends them.
        """
        self.screen.close()
        if self.sandbox.alive and not self.sandbox.frozen:
            _end(self.processes.values())


def open_desktop(
    sandbox: Sandbox,
    size: tuple[int, int] = (1280, 720),
    *,
    dpi: int = 96,
    window_manager: bool = True,
    accessibility: bool = True,
    style: DesktopStyle | None = None,
) -> Desktop:
    """Start a desktop in a sandbox. Returns when programs can be started on it.

    Args:
        sandbox: Where it runs.
        size: Width and height of the screen in pixels.
        dpi: Resolution that the X server reports.
        window_manager: Whether to start a window manager.
        accessibility: Whether to start the accessibility bus, which `Screen.tree` needs.
        style: The look of the desktop; by default plain, without a panel.

    Raises:
        MissingPrerequisite: A program is not installed. The fix is the command that installs it.
        ScreenError: A program did not start. The message includes the end of its output.
    """
    style = style or DesktopStyle()
    width, height = size
    if not (64 <= width <= MAX_SIDE and 64 <= height <= MAX_SIDE and 24 <= dpi <= 1200):
        raise InvalidInput(f"screen size {width}x{height} at {dpi} dpi: expected 64 to {MAX_SIDE} pixels per side")
    processes: dict[str, Process] = {}
    framebuffer = Framebuffer()
    connection: XConnection | None = None
    try:
        with _Line() as ready:
            fds = {_FRAMEBUFFER_FD: framebuffer.fd, _READY_FD: ready.writer}
            words = [str(_FRAMEBUFFER_FD), str(_READY_FD), f"{width}x{height}x24", str(dpi), sandbox.backstage]
            processes["Xvfb"] = _start(sandbox, "Xvfb", ["sh", "-c", _XVFB, "Xvfb", *words], {}, fds)
            ready.close_writer()
            folder = ready.read(processes["Xvfb"])
            _write_settings(sandbox, folder, style)
            display = ":" + ready.read(processes["Xvfb"])
        framebuffer.map()
        reach = partial(sandbox.connect, f"/tmp/.X11-unix/X{display[1:]}")
        connection = XConnection(reach())
        screen = X11Screen(
            connection, framebuffer, cpu_seconds=sandbox.cpu_seconds, at_work=sandbox.at_work, reach=reach
        )
        # The first key event makes X notify every program about a new keyboard, so send one before there is any
        # program.
        screen.act(Key(keys=("shift",)))
        connection.send(x.set_background(connection.root, BACKGROUND), x.clear_area(connection.root))
        if style.wallpaper:
            _set_wallpaper(connection, style.wallpaper, size)
        env = _environment(display, folder, accessibility=accessibility) | style.environment(folder)
        if window_manager:
            argv = ["openbox", "--sm-disable", "--config-file", f"{folder}/openbox.xml"]
            processes["openbox"] = _keep_up(sandbox, argv, env)
        with _Line() as ready:
            argv = ["sh", "-c", BUS, "dbus-daemon", folder, f"--print-address={_READY_FD}"]
            processes["dbus-daemon"] = _start(sandbox, "dbus-daemon", argv, env, {_READY_FD: ready.writer})
            ready.close_writer()
            ready.read(processes["dbus-daemon"])
        processes["activator"] = sandbox.start(["sh", "-c", ACTIVATOR, "activator", folder], env=env)
        if accessibility:
            # No need to wait: a program that needs it asks the session bus, which waits until it has started.
            processes["at-spi-bus-launcher"] = _start_accessibility(sandbox, env)
            screen.tree_reader = TreeReader(sandbox.connect, env["DBUS_SESSION_BUS_ADDRESS"])
        if window_manager:
            _wait_for(screen.has_window_manager, processes["openbox"])
        if style.panel != "none":
            processes["tint2"] = _keep_up(sandbox, ["tint2", "-c", f"{folder}/tint2rc"], env)
            _wait_for(lambda: any(window.title == "tint2" for window in screen.windows()), processes["tint2"])
        return Desktop(screen, env, display, processes, sandbox)
    except BaseException:
        if connection is not None:
            connection.close()
        framebuffer.close()
        _end(processes.values())
        raise


def _environment(display: str, folder: str, *, accessibility: bool) -> dict[str, str]:
    env = {
        "DISPLAY": display,
        "XDG_CONFIG_DIRS": f"{folder}/xdg:/etc/xdg",
        "XDG_SESSION_TYPE": "x11",
        "DBUS_SESSION_BUS_ADDRESS": f"unix:path={folder}/bus",
        "GDK_BACKEND": "x11",
        "QT_QPA_PLATFORM": "xcb",
        "LIBGL_ALWAYS_SOFTWARE": "1",
    }
    if accessibility:
        env |= {"GNOME_ACCESSIBILITY": "1", "QT_ACCESSIBILITY": "1", "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1"}
    else:
        env |= {"NO_AT_BRIDGE": "1", "GTK_A11Y": "none"}
    return env


def _write_settings(sandbox: Sandbox, folder: str, style: DesktopStyle) -> None:
    sandbox.write_file(f"{folder}/openbox.xml", openbox_config(style.frames).encode())
    sandbox.write_file(f"{folder}/bus.conf", bus_config(folder).encode())
    for place, content in style.files().items():
        sandbox.write_file(f"{folder}/{place}", content)


def _set_wallpaper(connection: XConnection, wallpaper: str, size: tuple[int, int]) -> None:
    """Set a wallpaper behind all windows."""
    width, height = size
    picture = np.zeros((height, width, 4), np.uint8)
    picture[..., :3] = paint(wallpaper, size)[..., ::-1]
    pixmap, context = connection.new_id(), connection.new_id()
    connection.send(x.create_pixmap(pixmap, connection.root, width, height), x.create_context(context, pixmap))
    step = max(1, _ROWS_BYTES // (4 * width))
    for top in range(0, height, step):
        connection.send(x.put_rows(pixmap, context, width, top, picture[top : top + step].tobytes()))
    connection.send(x.set_picture(connection.root, pixmap), x.clear_area(connection.root), x.free_pixmap(pixmap))


def _start(
    sandbox: Sandbox, name: str, argv: Sequence[str], env: Mapping[str, str], fds: Mapping[int, int] | None = None
) -> Process:
    try:
        return sandbox.start(argv, env=env, fds=fds, backstage=True)
    except MissingPrerequisite:
        raise _missing(name) from None


def _keep_up(sandbox: Sandbox, argv: Sequence[str], env: Mapping[str, str]) -> Process:
    return _start(sandbox, argv[0], ["sh", "-c", _KEPT_UP, argv[0], *argv], env)


def _start_accessibility(sandbox: Sandbox, env: Mapping[str, str]) -> Process:
    first, second = ([place, "--launch-immediately", "--a11y=1"] for place in _ACCESSIBILITY_BUS)
    try:
        return sandbox.start(first, env=env, backstage=True)
    except MissingPrerequisite:
        return _start(sandbox, "at-spi-bus-launcher", second, env)


def _missing(name: str) -> MissingPrerequisite:
    fix = f"apt-get install {_PACKAGES[name]}"
    return MissingPrerequisite(f"a desktop needs {name}, which is not installed", fix=fix)


def _name(process: Process) -> str:
    return process.argv[3] if process.argv[:2] == ("sh", "-c") else process.argv[0]


def _failed(process: Process, name: str) -> ScreenError | MissingPrerequisite:
    if process.poll() == 127:
        return _missing(name)
    printed = process.output(2000).strip()
    state = "still running" if process.poll() is None else f"exited with status {process.poll()}"
    return ScreenError(f"{name} did not become ready ({state})" + (f"\n{printed}" if printed else ""))


def _wait_for(ready: Callable[[], bool], process: Process) -> None:
    deadline = time.monotonic() + _READY_SECONDS
    while not ready():
        if process.poll() is not None or time.monotonic() > deadline:
            raise _failed(process, _name(process))
        time.sleep(_POLL)  # poll interval: there is no notification for this condition


def _end(processes: Iterable[Process]) -> None:
    running = list(processes)
    # The programs of a discarded sandbox have ended with it.
    with contextlib.suppress(SandboxError):
        for process in running:
            process.kill(signal.SIGTERM)  # a killed Xvfb would leave its lock and its socket in /tmp
        deadline = time.monotonic() + _END_SECONDS
        for process in running:
            try:
                process.wait(max(0.0, deadline - time.monotonic()))
            except TimeoutError:
                process.kill()


class _Line:
    """A pipe on which a program reports, line by line, that it is ready."""

    def __init__(self) -> None:
        self._reader, self.writer = os.pipe2(os.O_CLOEXEC)
        self._read = b""

    def __enter__(self) -> _Line:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._reader)
        self.close_writer()

    def close_writer(self) -> None:
        """Leave the program as the only writer, so that its end is noticed."""
        if self.writer >= 0:
            os.close(self.writer)
            self.writer = -1

    def read(self, process: Process) -> str:
        """Return the next line. Raises if the program ends or takes too long."""
        deadline = time.monotonic() + _READY_SECONDS
        while b"\n" not in self._read:
            left = deadline - time.monotonic()
            data = b""
            if left > 0 and select.select([self._reader], [], [], left)[0]:
                data = os.read(self._reader, 4096)
            if not data:
                with contextlib.suppress(TimeoutError):
                    process.wait(1.0)  # it has closed its end; its status tells why
                raise _failed(process, _name(process))
            self._read += data
        line, _, self._read = self._read.partition(b"\n")
        return line.decode().strip()
