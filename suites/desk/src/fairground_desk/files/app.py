"""PCManFM as a world: somebody's folders, and in which of them it is opened."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from fairground.core import State
from fairground.sandbox import Sandbox
from fairground.worlds import Seat, World
from fairground_desk.files.homes import FOLDERS, HOMES, Home, build
from fairground_desk.files.inspector import BOOKMARKS, FILES, LIBFM, PCMANFM, TRASH
from fairground_desk.kit import DeskApp, wait_drawn

_MOST = 4_000_000  # bytes that the list of modes may have

_CHOOSER = b"""[Filechooser Settings]
LocationMode=filename-entry
StartupMode=cwd
ShowHidden=false
ShowSizeColumn=true
SortColumn=name
SortOrder=ascending
"""
_LIBFM = b"""[config]
single_click=0
use_trash=1
confirm_del=1
confirm_trash=1
backup_as_hidden=0
thumbnail_local=1

[ui]
big_icon_size=48
small_icon_size=24
show_thumbnail=1

[places]
places_home=1
places_desktop=1
places_trash=0
places_applications=0
"""


class Files(DeskApp):
    """The unmodified PCManFM of Debian, with GTK 2."""

    name = "files"
    title = "PCManFM"
    packages = ("pcmanfm", "libatk-adaptor", "libgail-common")
    folders = (*FOLDERS, TRASH)
    settings = (PCMANFM, LIBFM, BOOKMARKS)
    inspector = FILES
    profiles: ClassVar[Mapping[str, Mapping[str, Any]]] = {name: {"home": name} for name in HOMES}
    ui_states: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "home": {"at": "~", "width": 760, "height": 500},
        "documents-list": {"at": "~/Documents", "view_mode": "list", "width": 900, "height": 560},
        "downloads-compact": {"at": "~/Downloads", "view_mode": "compact", "width": 820, "height": 520},
        "album": {"at": "~/Pictures/{album}", "width": 1100, "height": 620},
        "tree-pane": {"at": "~/Projects", "side_pane_mode": "dirtree", "show_statusbar": 0,
                      "width": 860, "height": 540},
        "large": {"at": "~/Documents/Invoices", "sort": "mtime;descending;", "always_show_tabs": 1,
                  "width": 1240, "height": 640},
    }  # fmt: skip

    def env(self, world: World) -> dict[str, str]:
        """Accessibility of GTK 2 is a module."""
        return {"GTK_MODULES": "gail:atk-bridge"}

    def setup(self, sandbox: Sandbox, world: World) -> None:
        """Writes the folders, and the settings of the UI state."""
        for path, content in build(home_of(world)).items():
            sandbox.write_file(path, content, mode=0o755 if path.endswith(".sh") else 0o644)
        sandbox.write_file("~/.config/gtk-2.0/gtkfilechooser.ini", _CHOOSER)
        sandbox.write_file(LIBFM, _LIBFM)
        sandbox.write_file(PCMANFM, _settings(world.ui_state).encode())
        sandbox.write_file(BOOKMARKS, f"file://{sandbox.home}/Documents/Invoices Invoices\n".encode())

    def launch(self, seat: Seat) -> None:
        """Opens the folder of the UI state."""
        place = str(seat.world.ui_state["at"]).format(album=home_of(seat.world).album)
        folder = place.replace("~", seat.sandbox.home)
        self.start(seat, ["pcmanfm", folder])
        wait_drawn(seat, f"^{re.escape(folder.rpartition('/')[2])}$")

    def live(self, seat: Seat) -> Mapping[str, Any]:
        """Windows, and what the status bar says; with the permissions of all files, which only a program can tell."""
        seat.keep["modes"] = _modes(seat)
        windows = [window.title for window in seat.screen.windows() if window.title != "tint2"]
        tree = seat.screen.tree()
        bar = next((node for node in tree.walk() if node.role == "status bar"), None)
        place = next((node.value for node in tree.walk() if node.role == "text" and node.value.startswith("/")), "")
        home = seat.sandbox.home
        return {"windows": windows, "status": bar.name if bar else "", "location": place.replace(home, "~", 1)}

    def capture(self, seat: Seat, world: World) -> State:
        """As for every app, and permissions and link targets."""
        state = super().capture(seat, world)
        modes = seat.keep.pop("modes", None)
        if modes is None and not seat.sandbox.frozen:
            modes = _modes(seat)
        return State(files=state.files, data={**state.data, "modes": modes or {}}, missing=state.missing)


def home_of(world: World) -> Home:
    """Whose home a configuration is about."""
    return HOMES[str(world.profile["home"])]


def _modes(seat: Seat) -> dict[str, dict[str, str]]:
    """Permission bits of every file and folder, and where links lead."""
    home = seat.sandbox.home
    places = [folder.replace("~", home) for folder in FOLDERS]
    # Names may hold every letter but the zero byte, tabs and line ends with them.
    argv = ["find", *places, "-printf", r"%m\0%l\0%p\0"]
    said = seat.sandbox.run(argv, check=False, timeout=20.0, limit=_MOST).stdout.decode(errors="surrogateescape")
    found: dict[str, dict[str, str]] = {}
    parts = said.split("\0")[:-1]
    # A list that was cut off ends before its third part.
    for mode, target, path in zip(parts[0::3], parts[1::3], parts[2::3], strict=False):
        found[path.replace(home, "~", 1)] = {"mode": mode, "target": target.replace(home, "~", 1)}
    return found


def _settings(ui_state: Mapping[str, Any]) -> str:
    keys = {
        "always_show_tabs": 0, "max_tab_chars": 32, "win_width": ui_state["width"], "win_height": ui_state["height"],
        "splitter_pos": 160, "side_pane_mode": "places", "view_mode": "icon", "show_hidden": 0,
        "sort": "name;ascending;", "toolbar": "newtab;navigation;home;", "show_statusbar": 1,
        "pathbar_mode_buttons": 0, "focus_previous": 0, "change_tab_on_drop": 1,
    }  # fmt: skip
    keys |= {key: value for key, value in ui_state.items() if key in keys}
    lines = "".join(f"{key}={value}\n" for key, value in keys.items())
    return f"[config]\nbm_open_method=0\n\n[volume]\nmount_on_startup=0\nmount_removable=0\nautorun=0\n\n[ui]\n{lines}"
