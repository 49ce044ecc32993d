"""Xournal++ as a world: how it is prepared, filled, started and recorded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fairground.core import State, StateError
from fairground.sandbox import Sandbox
from fairground.screen import DesktopStyle
from fairground.worlds import App, Seat, World
from my_desk.xournalpp.inspector import inspector
from my_desk.xournalpp.notebooks import NOTES, PROFILES, as_file, opened

SETTINGS = "~/.config/xournalpp/settings.xml"
# Autosave would write files behind the agent's back, and ask at the next start whether to recover them.
ALWAYS = {"autosaveEnabled": "false", "showSidebar": "true", "mainWndWidth": "900", "mainWndHeight": "640"}


class Xournalpp(App):
    """A notebook for typed and drawn notes."""

    name = "xournalpp"
    title = "Xournal++"
    packages = ("xournalpp",)
    profiles = PROFILES
    themes = {"light": {}, "dark": {"dark": True, "wallpaper": "rings", "panel": "bottom"}}
    ui_states = {"window": {}, "maximized": {"maximized": "true", "showSidebar": "false"}}
    inspector = inspector

    def configure(self, sandbox: Sandbox) -> None:
        """Settings that are the same for every configuration."""
        sandbox.write_file(SETTINGS, f"<settings>\n{_properties(ALWAYS)}</settings>\n".encode())

    def setup(self, sandbox: Sandbox, world: World) -> None:
        """The profile's notebooks, and the settings of the UI state after those of `configure`: the last one counts."""
        for name, notebook in world.profile.items():
            sandbox.write_file(f"{NOTES}/{name}", as_file(notebook))
        text = sandbox.read_file(SETTINGS).decode()
        more = _properties(world.ui_state)
        sandbox.write_file(SETTINGS, text.replace("</settings>", f"{more}</settings>").encode())

    def desktop(self, world: World) -> DesktopStyle:
        """The theme."""
        return DesktopStyle(**world.theme)

    def launch(self, seat: Seat) -> None:
        """Opens the profile's first notebook."""
        seat.start(["xournalpp", opened(seat.world.profile).replace("~", seat.sandbox.home)])
        seat.wait_window(r"\.xopp")

    def save(self, seat: Seat) -> None:
        """Saves nothing for the agent. Notes what only the running program knows, for soon it is frozen."""
        seat.keep["windows"] = _titles(seat)

    def capture(self, seat: Seat, world: World) -> State:
        """Every file below `~/Notes`, and the titles of the windows: a star in them says that something is unsaved."""
        files: dict[str, bytes] = {}
        missing: dict[str, str] = {}
        listing: list[dict[str, Any]] = []
        for entry in seat.sandbox.list_files(NOTES, limit=1_000):
            path = f"{NOTES}/{entry.path}"
            listing.append({"path": path, "kind": entry.kind, "size": entry.size})
            if entry.kind == "file":
                try:
                    files[path] = seat.sandbox.read_file(path, limit=8 << 20)
                except StateError as error:
                    missing[path] = error.message
        titles = seat.keep.pop("windows", None) if seat.sandbox.frozen else _titles(seat)
        return State(files=files, data={"files": listing, "windows": titles}, missing=missing)


def _titles(seat: Seat) -> list[str]:
    return [window.title for window in seat.screen.windows()]


def _properties(values: Mapping[str, str]) -> str:
    return "".join(f'  <property name="{name}" value="{value}"/>\n' for name, value in values.items())
