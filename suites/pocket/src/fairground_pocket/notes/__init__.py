"""A notes app for a phone: its database, its pages, its server and its tasks."""

from fairground_pocket.notes.app import Notes, reset
from fairground_pocket.notes.scenarios.count_label import CountLabel
from fairground_pocket.notes.scenarios.pin_and_label import PinAndLabel

__all__ = ["CountLabel", "Notes", "PinAndLabel", "reset"]
