"""Inkscape: the app, its drawings, its inspector and its scenarios."""

from fairground_desk.inkscape.app import Inkscape
from fairground_desk.inkscape.scenarios import SCENARIOS

__all__ = ["SCENARIOS", "Inkscape"]
