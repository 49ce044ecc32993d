"""LibreOffice Calc as an app: its workbooks, and where they open."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from fairground.sandbox import Sandbox
from fairground.worlds import World
from fairground_desk.calc.inspector import INSPECTOR
from fairground_desk.calc.sales import PROFILES
from fairground_desk.calc.workbooks import SALES, opened_at, other_files
from fairground_desk.office import REGISTRY, OfficeApp

WORKBOOK = SALES

_MAXIMISED = "40,60,1000,600;5;0,0,1280,720;"
_AS_WINDOW = "90,44,1090,640;1;0,0,1280,720;"
_BARS = ("standardbar", "formatobjectbar")


class Calc(OfficeApp):
    """The unmodified LibreOffice Calc of Debian."""

    name = "calc"
    title = "LibreOffice Calc"
    part, shown = "calc", "Calc"
    packages = ("libreoffice-calc", *OfficeApp.packages)
    inspector = INSPECTOR
    profiles: ClassVar[Mapping[str, Mapping[str, Any]]] = {name: {"shop": name} for name in PROFILES}
    ui_states: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "sales": {},
        "scrolled": {"row": 180},
        "summary": {"sheet": -1},
        "zoomed": {"zoom": 140, "row": 12},
        "window": {"window": True},
        "bare": {"bars": False, "row": 30},
    }

    def setup(self, sandbox: Sandbox, world: World) -> None:
        """Write the profile's workbooks, and the window settings of the UI state."""
        profile, opened = str(world.profile["shop"]), self.opened(world)
        for path, content in other_files(profile, opened).items():
            sandbox.write_file(path, content)
        state = dict(world.ui_state)
        window, bars = state.pop("window", False), state.pop("bars", True)
        sandbox.write_file(opened, opened_at(profile, opened, **state))
        if window or not bars:
            settings = sandbox.read_file(REGISTRY).decode()
            if window:
                settings = settings.replace(_MAXIMISED, _AS_WINDOW, 1)
            if not bars:
                settings = settings.replace("</oor:items>", "".join(map(_hidden, _BARS)) + "</oor:items>")
            sandbox.write_file(REGISTRY, settings.encode())

    def opened(self, world: World) -> str:
        """Path of the workbook that the task is about."""
        return str(getattr(world.scenario, "workbook", None) or WORKBOOK).format_map(world.parameters)


def _hidden(bar: str) -> str:
    return (
        '<item oor:path="/org.openoffice.Office.UI.CalcWindowState/UIElements/States/org.openoffice.Office.UI.'
        f"WindowState:WindowStateType['private:resource/toolbar/{bar}']\">"
        '<prop oor:name="Visible" oor:op="fuse"><value>false</value></prop></item>\n'
    )
