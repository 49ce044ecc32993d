"""The GIMP app: files, settings, launch, capture and the `script-fu` command."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from fairground.core import AppError, State
from fairground.sandbox import Sandbox
from fairground.worlds import Command, Seat, Stuck, World
from fairground_desk.gimp.inspector import GIMP, GIMPRC, RECENT
from fairground_desk.gimp.preferences import CONFIG, MENURC, gimprc, sessionrc
from fairground_desk.gimp.profiles import STUDIOS, Studio, build
from fairground_desk.gimp.scriptfu import SERVE, do, open_images, unsaved_copies, wait_ready
from fairground_desk.kit import READY_SECONDS, DeskApp, wait_drawn

_PROGRAM = "/usr/bin/gimp-2.10"
# GIMP reports an error for each missing folder.
_FOLDERS = ("brushes", "dynamics", "gradients", "palettes", "patterns", "tool-options", "tool-presets", "tmp")


class Gimp(DeskApp):
    """GIMP 2.10 as packaged by Debian, unmodified."""

    name = "gimp"
    title = "GIMP"
    packages = ("gimp", "libatk-adaptor")
    folders = ("~/Pictures", "~/Documents")
    settings = (GIMPRC, f"{CONFIG}/sessionrc", f"{CONFIG}/templaterc", RECENT)
    checkpoint_setup = True
    inspector = GIMP
    profiles: ClassVar[Mapping[str, Mapping[str, Any]]] = {name: {"studio": name} for name in STUDIOS}
    ui_states: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "usual": {},
        "channels": {"page": 1, "docks": 280, "icons": "small"},
        "no-docks": {"hidden": "yes"},
        "plain-canvas": {"status": "no", "rulers": "no", "bars": "no", "docks": 300},
        "small-window": {"maximized": "no", "left": 90, "top": 40, "width": 980, "height": 560, "icons": "small"},
        "second-open": {"also": "second", "page": 3},
    }

    def env(self, world: World) -> dict[str, str]:
        """Load the bridge that gives GTK 2 programs an accessibility tree."""
        return {"GTK_MODULES": "gail:atk-bridge", "NO_AT_BRIDGE": "0"}

    def configure(self, sandbox: Sandbox) -> None:
        """Build GIMP's plug-in cache once for all seats. This is most of the time of a first start."""
        home = CONFIG.replace("~", sandbox.home)
        sandbox.run(["mkdir", "-p", *(f"{home}/{name}" for name in _FOLDERS)])
        sandbox.write_file(GIMPRC, gimprc({}, dark=False, widgets="Adwaita"))
        sandbox.run(["gimp-console-2.10", "-i", "-b", "(gimp-quit 0)"], timeout=180.0)
        sandbox.read_file(f"{CONFIG}/pluginrc")

    def setup(self, sandbox: Sandbox, world: World) -> None:
        """Write the profile's pictures and the UI state's settings."""
        for path, data in build(str(world.profile["studio"])).items():
            sandbox.write_file(path, data)
        dark, widgets = bool(world.theme.get("dark")), str(world.theme.get("widgets", "Adwaita"))
        sandbox.write_file(GIMPRC, gimprc(world.ui_state, dark=dark, widgets=widgets))
        sandbox.write_file(f"{CONFIG}/menurc", MENURC)
        sandbox.write_file(f"{CONFIG}/sessionrc", sessionrc(world.ui_state))

    def launch(self, seat: Seat) -> None:
        """Open the task's picture, then wait until it is drawn and the Script-Fu server answers."""
        studio = studio_of(seat.world)
        first = opened(seat.world)
        also = studio.second_path if seat.world.ui_state.get("also") and first != studio.second_path else None
        paths = [path.replace("~", seat.sandbox.home) for path in (also, first) if path]
        self.start(seat, [_PROGRAM, "--no-splash", *paths, "-b", SERVE])
        wait_drawn(seat, rf"^\S*{re.escape(first.rpartition('/')[2].rpartition('.')[0])}.*GIMP")
        wait_ready(seat, READY_SECONDS)

    def live(self, seat: Seat) -> Mapping[str, Any]:
        """Return the open images, and keep copies of those with unsaved changes for `capture`."""
        images = open_images(seat)
        seat.keep["unsaved"] = unsaved_copies(seat, images)
        return {"images": images}

    def capture(self, seat: Seat, world: World) -> State:
        """Add the unsaved images to the state, as XCF files named `unsaved:` plus path or name."""
        state = super().capture(seat, world)
        unsaved = {f"unsaved:{name}": data for name, data in seat.keep.pop("unsaved", {}).items()}
        return State(files={**state.files, **unsaved}, data=state.data, missing=state.missing)

    def command(self, seat: Seat, command: Command) -> None:
        """Run Scheme code on an open image: `Command("script-fu", {"image": "a.xcf", "code": "..."})`."""
        if command.name != "script-fu":
            super().command(seat, command)
            return
        code = str(command.arguments["code"]).replace("~/", f"{seat.sandbox.home}/")
        try:
            do(seat, str(command.arguments["image"]), code)
        except AppError as error:
            raise Stuck(error.message) from error


def studio_of(world: World) -> Studio:
    """Return the `Studio` of the world's profile."""
    return STUDIOS[str(world.profile["studio"])]


def opened(world: World) -> str:
    """Return the path of the picture opened at the start, which the scenario's `opens` attribute selects."""
    role = getattr(world.scenario, "opens", "project")
    path = getattr(studio_of(world), f"{role}_path")
    assert isinstance(path, str)
    return path
