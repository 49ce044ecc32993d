"""Inkscape: how it is prepared and launched, the drawings it holds, and what is asked of agents in it."""

from fairground_desk.inkscape.app import Inkscape
from fairground_desk.inkscape.scenarios import SCENARIOS

__all__ = ["SCENARIOS", "Inkscape"]
