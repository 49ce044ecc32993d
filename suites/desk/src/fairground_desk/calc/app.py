"""LibreOffice Calc as a world: its workbooks, and where they are opened."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from fairground.sandbox import Sandbox
from fairground.worlds import World
from fairground_desk.calc.odswriter import View
from fairground_desk.calc.sales import PROFILES, build
from fairground_desk.office import OfficeApp

WORKBOOK = "~/Documents/sales.ods"


class Calc(OfficeApp):
    """The unmodified LibreOffice Calc of Debian."""

    name = "calc"
    title = "LibreOffice Calc"
    part, shown = "calc", "Calc"
    packages = ("libreoffice-calc", *OfficeApp.packages)
    profiles: ClassVar[Mapping[str, Mapping[str, Any]]] = {name: {"shop": name} for name in PROFILES}
    ui_states: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "sales": {"sheet": "Sales"},
        "scrolled": {"sheet": "Sales", "row": 180},
        "summary": {"sheet": "Summary"},
    }

    def setup(self, sandbox: Sandbox, world: World) -> None:
        """Puts the profile's workbook in place."""
        sandbox.write_file(WORKBOOK, build(PROFILES[str(world.profile["shop"])], View(**world.ui_state)))

    def opened(self, world: World) -> str:
        """The workbook."""
        return WORKBOOK
