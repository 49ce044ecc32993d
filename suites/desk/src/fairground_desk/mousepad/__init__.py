"""Mousepad, a small text editor: how it is prepared and launched, the files it opens, what is asked of agents in it."""

from fairground_desk.mousepad.app import Mousepad
from fairground_desk.mousepad.scenarios import SCENARIOS

__all__ = ["SCENARIOS", "Mousepad"]
