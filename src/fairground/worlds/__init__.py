"""Software made into worlds: App, Scenario, Suite, the four axes, staged setup, seats, and how they are found.

Suites and everything that runs agents import this; it imports `screen`, `sandbox` and `core`.
"""

from fairground.worlds.app import NOT_VARIED, App, Scenario, ScreenSpec, Suite, World
from fairground.worlds.folder import WorldFile, read_folder
from fairground.worlds.oracle import Enter, Fill, Move, Press, Rehearsal, Say, Stuck, Tap
from fairground.worlds.packages import package_versions
from fairground.worlds.registry import resolve, suites
from fairground.worlds.seat import Seat, open_seat, planned_fingerprint
from fairground.worlds.stages import Stages, prepare

__all__ = [
    "NOT_VARIED",
    "App",
    "Enter",
    "Fill",
    "Move",
    "Press",
    "Rehearsal",
    "Say",
    "Scenario",
    "ScreenSpec",
    "Seat",
    "Stages",
    "Stuck",
    "Suite",
    "Tap",
    "World",
    "WorldFile",
    "open_seat",
    "package_versions",
    "planned_fingerprint",
    "prepare",
    "read_folder",
    "resolve",
    "suites",
]
