"""GIMP 2.10: the app, its profiles, its inspector and its scenarios."""

from fairground_desk.gimp.app import Gimp
from fairground_desk.gimp.scenarios import SCENARIOS

__all__ = ["SCENARIOS", "Gimp"]
