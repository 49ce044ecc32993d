"""The LibreOffice Writer app: its files, settings and start position."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar
from xml.sax.saxutils import escape

from fairground.sandbox import Sandbox
from fairground.worlds import World
from fairground_desk.office import REGISTRY, OfficeApp
from fairground_desk.writer.documents import FOLDER, PICTURES, REPORT, document, other_files
from fairground_desk.writer.inspector import WRITER
from fairground_desk.writer.odtwriter import View
from fairground_desk.writer.organisation import PROFILES, organisation

_MAXIMISED = "40,60,1000,600;5;0,0,1280,720;"
_AS_WINDOW = "70,40,1110,650;1;0,0,1280,720;"
_TEXT_WINDOW = re.compile(r"(TextDocument'\]\"><prop [^>]*><value>)" + re.escape(_MAXIMISED))
_BARS = ("standardbar", "textobjectbar")


class Writer(OfficeApp):
    """LibreOffice Writer as packaged by Debian, unmodified."""

    name = "writer"
    title = "LibreOffice Writer"
    part, shown = "writer", "Writer"
    packages = ("libreoffice-writer", *OfficeApp.packages)
    folders = (FOLDER, PICTURES)
    inspector = WRITER
    profiles: ClassVar[Mapping[str, Mapping[str, Any]]] = {name: {"organisation": name} for name in PROFILES}
    ui_states: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "top": {},
        "further-down": {"top": 42_000},
        "zoomed": {"zoom": 140},
        "window": {"window": True, "zoom": 80},
        "bare": {"bars": False, "marks": True},
        "two-pages": {"columns": 2, "zoom": 60},
    }

    def setup(self, sandbox: Sandbox, world: World) -> None:
        """Write the profile's files and the UI state's settings."""
        profile, opened, state = str(world.profile["organisation"]), self.opened(world), world.ui_state
        for path, content in other_files(profile, opened).items():
            sandbox.write_file(path, content)
        view = View(top=state.get("top", 0), zoom=state.get("zoom", 100), columns=state.get("columns", 1))
        sandbox.write_file(opened, document(profile, opened, view))
        settings = sandbox.read_file(REGISTRY).decode()
        if state.get("window"):
            settings = _TEXT_WINDOW.sub(rf"\g<1>{_AS_WINDOW}", settings)
        # The user's name, which comments and tracked changes carry.
        first, _, last = organisation(profile).user.partition(" ")
        added = [_set("UserProfile/Data", "givenname", first), _set("UserProfile/Data", "sn", last)]
        if not state.get("bars", True):
            added += [_set(f"{_STATES}['private:resource/toolbar/{bar}']", "Visible", "false") for bar in _BARS]
        if state.get("marks"):
            added.append(_set("Office.Writer/Content/NonprintingCharacter", "MetaCharacters", "true"))
        sandbox.write_file(REGISTRY, settings.replace("</oor:items>", "".join(added) + "</oor:items>").encode())

    def opened(self, world: World) -> str:
        """Return the path of the document that the task is about."""
        return str(getattr(world.scenario, "document", None) or REPORT)


_STATES = "Office.UI.WriterWindowState/UIElements/States/org.openoffice.Office.UI.WindowState:WindowStateType"


def _set(path: str, name: str, value: str) -> str:
    return (
        f'<item oor:path="/org.openoffice.{path}"><prop oor:name="{name}" oor:op="fuse"><value>{escape(value)}</value>'
        "</prop></item>\n"
    )
