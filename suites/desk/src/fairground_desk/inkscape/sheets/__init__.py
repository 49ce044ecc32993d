"""The drawings of the profiles, one module per organisation."""

from collections.abc import Mapping
from functools import cache
from typing import Final

from fairground.worlds import World
from fairground_desk.inkscape.sheet import Sheet
from fairground_desk.inkscape.sheets.energy import energy, figures
from fairground_desk.inkscape.sheets.museum import museum
from fairground_desk.inkscape.sheets.roastery import roastery
from fairground_desk.inkscape.sheets.transit import transit

__all__ = ["SHEETS", "figures", "sheet_of"]

_BUILDERS = {"museum": museum, "transit": transit, "energy": energy, "roastery": roastery}
SHEETS: Final[Mapping[str, Mapping[str, str]]] = {name: {"sheet": name} for name in _BUILDERS}
"""The profile axis: maps a profile name to its drawing."""


@cache
def _sheet(name: str) -> Sheet:
    return _BUILDERS[name]()


def sheet_of(world: World) -> Sheet:
    """Return the drawing of a world's profile."""
    return _sheet(str(world.profile["sheet"]))
