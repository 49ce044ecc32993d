"""The LibreOffice Impress app: its files, settings and start position."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar
from urllib.parse import quote

from fairground.sandbox import Sandbox
from fairground.worlds import World
from fairground_desk.impress.folders import folder_of
from fairground_desk.impress.inspector import INSPECTOR
from fairground_desk.impress.talks import TALKS
from fairground_desk.office import REGISTRY, OfficeApp

_MAXIMISED = "40,60,1000,600;5;0,0,1280,720;"
_AS_WINDOW = "70,40,1120,640;1;0,0,1280,720;"
_BARS = ("standardbar", "toolbar")


class Impress(OfficeApp):
    """LibreOffice Impress as packaged by Debian, unmodified."""

    name = "impress"
    title = "LibreOffice Impress"
    part, shown = "impress", "Impress"
    packages = ("libreoffice-impress", *OfficeApp.packages)
    folders = ("~/Documents", "~/Pictures")
    inspector = INSPECTOR
    profiles: ClassVar[Mapping[str, Mapping[str, Any]]] = {name: {"talk": name} for name in TALKS}
    ui_states: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "first-slide": {},
        "later-slide": {"slide": "figures"},
        "window": {"window": True, "slide": "agenda"},
        "no-sidebar": {"sidebar": False},
        "no-slide-pane": {"pane": False, "slide": "background"},
        "bare": {"bars": False, "slide": "process"},
    }

    def opened(self, world: World) -> str:
        return TALKS[str(world.profile["talk"])].path

    def setup(self, sandbox: Sandbox, world: World) -> None:
        """Write the profile's files and the UI state's settings."""
        profile, state = str(world.profile["talk"]), world.ui_state
        for path, content in folder_of(profile).items():
            sandbox.write_file(path, content)
        settings = sandbox.read_file(REGISTRY).decode()
        if state.get("window"):
            settings = settings.replace(_MAXIMISED, _AS_WINDOW)
        added = _user(TALKS[profile].author)
        if not state.get("bars", True):
            added += "".join(map(_hidden_bar, _BARS))
        if not state.get("sidebar", True):
            added += _HIDDEN_SIDEBAR
        if not state.get("pane", True):
            added += _HIDDEN_PANE
        sandbox.write_file(REGISTRY, settings.replace("</oor:items>", f"{added}</oor:items>").encode())

    def place(self, world: World) -> str:
        """Return the URL fragment of the UI state's slide, or an empty string."""
        role = world.ui_state.get("slide")
        return f"#{quote(TALKS[str(world.profile['talk'])].part(str(role)).name)}" if role else ""


def _hidden_bar(bar: str) -> str:
    return (
        '<item oor:path="/org.openoffice.Office.UI.ImpressWindowState/UIElements/States/org.openoffice.Office.UI.'
        f"WindowState:WindowStateType['private:resource/toolbar/{bar}']\">"
        '<prop oor:name="Visible" oor:op="fuse"><value>false</value></prop></item>\n'
    )


_HIDDEN_SIDEBAR = (
    '<item oor:path="/org.openoffice.Office.Views/Windows"><node oor:name="simpress/10336" oor:op="replace">'
    '<node oor:name="UserData"><prop oor:name="Data" oor:op="fuse" oor:type="xs:string">'
    "<value>V2,H,0,AL:(5,16,0/0/377/450,377;541)</value></prop></node></node></item>\n"
)
_HIDDEN_PANE = (
    '<item oor:path="/org.openoffice.Office.Impress/MultiPaneGUI/SlideSorterBar/Visible">'
    '<prop oor:name="ImpressView" oor:op="fuse"><value>false</value></prop></item>\n'
)


def _user(name: str) -> str:
    """Return the user data: the name that comments and saved files carry."""
    given, _, family = name.partition(" ")
    item = (
        '<item oor:path="/org.openoffice.UserProfile/Data"><prop oor:name="{}" oor:op="fuse">'
        "<value>{}</value></prop></item>\n"
    )
    return item.format("givenname", given) + item.format("sn", family)
