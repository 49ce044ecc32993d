"""The Inkscape app: files, settings, launch, live state and commands."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.resources import files
from typing import Any, ClassVar

from fairground.core import AppError, State
from fairground.sandbox import Sandbox
from fairground.worlds import Command, Seat, Stuck, World
from fairground_desk.inkscape.actions import action_states, run_actions
from fairground_desk.inkscape.files import other_files
from fairground_desk.inkscape.inspector import INKSCAPE
from fairground_desk.inkscape.sheets import SHEETS, sheet_of
from fairground_desk.inkscape.svgwriter import View
from fairground_desk.kit import DeskApp, wait_drawn

CONFIG = "~/.config/inkscape"
PREFERENCES = f"{CONFIG}/preferences.xml"
RECENT = "~/.local/share/recently-used.xbel"

_CHANGE_SECONDS = 30.0
_DOCKED = """[Windows]
Count=1

[Window0Column0]
Notebook0Dialogs={dialogs};
NotebookCount=1
BeforeCanvas=false

[Window0]
ColumnCount=1
Floating=false

[transient]
count=0
"""


class Inkscape(DeskApp):
    """Inkscape as packaged by Debian, unmodified."""

    name = "inkscape"
    title = "Inkscape"
    packages = ("inkscape", "libglib2.0-bin")
    folders = ("~/Documents", "~/Pictures")
    settings = (PREFERENCES, RECENT)
    inspector = INKSCAPE
    profiles: ClassVar[Mapping[str, Mapping[str, Any]]] = SHEETS
    ui_states: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "page": {},
        "zoomed": {"zoom": 1.6, "center": (0.3, 0.35)},
        "window": {"window": (90, 30, 1080, 620)},
        "objects": {"dialogs": ("Objects",)},
        "panels": {"dialogs": ("FillStroke", "AlignDistribute", "Text"), "zoom": 0.5},
        "bare": {"hidden": ("commands", "snaptoolbox", "panels", "rulers"), "zoom": 0.9, "center": (0.6, 0.6)},
    }

    def setup(self, sandbox: Sandbox, world: World) -> None:
        """Write the profile's files, and the settings of the theme and the UI state."""
        state, sheet = world.ui_state, sheet_of(world)
        view = View(**{name: state[name] for name in ("zoom", "center", "window") if name in state})
        for path, content in other_files(sheet).items():
            sandbox.write_file(path, content)
        sandbox.write_file(sheet.path, sheet.write(view))
        dark = bool(world.theme.get("dark"))
        sandbox.write_file(PREFERENCES, preferences(dark=dark, hidden=state.get("hidden", ())).encode())
        if dialogs := state.get("dialogs"):
            sandbox.write_file(f"{CONFIG}/dialogs-state-ex.ini", _DOCKED.format(dialogs=";".join(dialogs)).encode())

    def launch(self, seat: Seat) -> None:
        """Open the drawing and wait until it is drawn."""
        sheet = sheet_of(seat.world)
        self.start(seat, ["inkscape", sheet.path.replace("~", seat.sandbox.home)])
        wait_drawn(seat, rf"^{re.escape(sheet.file)} - Inkscape")

    def live(self, seat: Seat) -> Mapping[str, Any]:
        """Return the window titles, those with unsaved changes, and the states of Inkscape's actions."""
        titles = [window.title for window in seat.screen.windows() if window.title.endswith("Inkscape")]
        unsaved = [title.removeprefix("*") for title in titles if title.startswith("*")]
        return {"windows": titles, "unsaved": unsaved, "actions": action_states(seat)}

    def capture(self, seat: Seat, world: World) -> State:
        """Add the path of the drawing that was open at the start."""
        state = super().capture(seat, world)
        return State(state.files, {**state.data, "opened": sheet_of(world).path}, state.missing)

    def command(self, seat: Seat, command: Command) -> None:
        """Run Inkscape's actions: `actions` takes `steps`, each a name and its arguments.

        `await-change` waits until the drawing has unsaved changes, because a file dialog acts with a delay.
        """
        if command.name not in ("actions", "await-change"):
            raise Stuck(f"inkscape takes the commands actions and await-change; {command.name!r} was asked for")
        try:
            if command.name == "actions":
                run_actions(seat, command.arguments["steps"])
            else:
                seat.wait_window(r"^\*.* - Inkscape", timeout=_CHANGE_SECONDS)
        except AppError as error:
            raise Stuck(error.message) from error


def preferences(*, dark: bool = False, hidden: tuple[str, ...] = ()) -> str:
    """Return Inkscape's settings: no welcome screen, no import dialogs, the desktop's theme, hidden bars."""
    text = files(__package__).joinpath("preferences.xml").read_text(encoding="utf-8")
    text = re.sub(r'([dD]arkTheme)="0"', rf'\g<1>="{int(dark)}"', text)
    for bar in hidden:
        text = text.replace(f'<group id="{bar}" state="1"/>', f'<group id="{bar}" state="0"/>', 1)
    return text
