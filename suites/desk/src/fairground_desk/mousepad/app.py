"""Mousepad as an app: its settings, the user's files, and which of them are open."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from fairground.core import Node
from fairground.sandbox import Sandbox
from fairground.worlds import Seat, World
from fairground_desk.kit import DeskApp, wait_drawn
from fairground_desk.mousepad.documents import build
from fairground_desk.mousepad.inspector import MOUSEPAD, SETTINGS
from fairground_desk.mousepad.workplaces import WORKPLACES, Workplace

_SHOWN = 2_000  # maximum length of a text from the accessibility tree


class Mousepad(DeskApp):
    """The unmodified Mousepad of Debian.

    Its settings use GLib's key file backend, which writes changes immediately. The default backend, dconf, is a service
    that writes later.
    """

    name = "mousepad"
    title = "Mousepad"
    packages = ("mousepad",)
    settings = (SETTINGS, "~/.local/share/recently-used.xbel")
    inspector = MOUSEPAD
    profiles: ClassVar[Mapping[str, Mapping[str, Any]]] = {name: {"workplace": name} for name in WORKPLACES}
    ui_states: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "letter": {"open": ("letter",), "window": {"width": 900, "height": 560}},
        "minutes-maximised": {"open": ("notes",), "window": {"maximized": True}},
        "three-tabs": {"open": ("config", "contacts", "log"), "window": {"width": 1020, "height": 620}},
        "toolbar": {
            "open": ("todo",), "window": {"width": 760, "height": 480},
            "show": {"toolbar-visible": True, "statusbar-visible": True},
        },
        "empty": {"open": (), "window": {"width": 640, "height": 420}, "show": {"statusbar-visible": True}},
        "end-of-log": {
            "open": ("log",), "line": 300, "window": {"width": 1100, "height": 600},
            "view": {"use-default-monospace-font": False, "font-name": "'Monospace 12'"},
        },
    }  # fmt: skip

    def env(self, world: World) -> dict[str, str]:
        return {"GSETTINGS_BACKEND": "keyfile"}

    def setup(self, sandbox: Sandbox, world: World) -> None:
        """Write the workplace's files, and the settings."""
        for path, content in build(workplace(world)).items():
            sandbox.write_file(path, content)
        sandbox.write_file(SETTINGS, _settings(world.ui_state).encode())

    def launch(self, seat: Seat) -> None:
        """Open the files of the UI state, the last one in front."""
        ui_state = seat.world.ui_state
        place = workplace(seat.world)
        paths = [place.path(role).replace("~", seat.sandbox.home) for role in ui_state["open"]]
        line = [f"--line={ui_state['line']}"] if "line" in ui_state else []
        self.start(seat, ["mousepad", *line, *paths])
        wait_drawn(seat, r" - Mousepad$")

    def live(self, seat: Seat) -> Mapping[str, Any]:
        """Return windows, tabs, and the text of the active tab, saved or not."""
        windows = [window.title for window in seat.screen.windows()]
        editors = [title for title in windows if title.endswith(" - Mousepad")]
        tree = seat.screen.tree()
        tabs = [node for node in tree.walk() if node.role == "page tab"]
        text = _edited(tree)
        return {
            "windows": editors,
            "dialogs": [title for title in windows if title not in editors and title != "tint2"],
            "modified": [title.removeprefix("*") for title in editors if title.startswith("*")],
            "tabs": [tab.name for tab in tabs],
            "front": next((tab.name for tab in tabs if "selected" in tab.states), ""),
            "text": text,
            "whole": len(text) < _SHOWN,
        }


def workplace(world: World) -> Workplace:
    """Return the workplace of a configuration."""
    return WORKPLACES[str(world.profile["workplace"])]


_WINDOW = {"width": 640, "height": 480, "maximized": False, "fullscreen": False}


def _settings(ui_state: Mapping[str, Any]) -> str:
    """Always show tabs, so that every open file is visible; restore nothing after a crash.

    Settings that Mousepad itself writes some time after its start (the timer, the window's state) are already included.
    """
    groups: dict[str, Mapping[str, Any]] = {
        "preferences/window": {"always-show-tabs": True, **ui_state.get("show", {})},
        "preferences/file": {"session-restore": "'never'", "autosave-timer": 0},
        "preferences/view": ui_state.get("view", {}),
        "state/window": {**_WINDOW, **ui_state["window"]},
    }
    return "\n".join(
        f"[org/xfce/mousepad/{group}]\n" + "".join(f"{key}={_value(value)}\n" for key, value in keys.items())
        for group, keys in groups.items()
    )


def _value(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _edited(tree: Node) -> str:
    fields = [node for node in tree.walk() if node.role == "text" and "multi line" in node.states]
    return next((node.value for node in fields if "editable" in node.states), "")
