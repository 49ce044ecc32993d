"""Mousepad, a small text editor: its app, its files, its inspector and its scenarios."""

from fairground_desk.mousepad.app import Mousepad
from fairground_desk.mousepad.scenarios import SCENARIOS

__all__ = ["SCENARIOS", "Mousepad"]
