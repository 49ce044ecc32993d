"""Worlds: apps, scenarios and suites, the four axes, staged setup, seats, and lookup by name.

Suites and everything that runs agents import this package. It imports `screen`, `sandbox` and `core`.
"""

from fairground.worlds.ahead import Ahead
from fairground.worlds.app import NOT_VARIED, App, Scenario, ScreenSpec, Suite, World
from fairground.worlds.folder import WorldFile, read_folder
from fairground.worlds.forking import ForkFailed, Forking, ForksExactly, forking_of
from fairground.worlds.inspector import Argument, Endpoint, Inspector, Surface, jsonable
from fairground.worlds.live_seats import LiveSeat, choose_seat, live_seats, share_seat
from fairground.worlds.oracle import Act, Command, Enter, Fill, Move, Point, Press, Rehearsal, Say, Stuck, Tap
from fairground.worlds.packages import package_versions
from fairground.worlds.page_copy import SeatCopy, copy_seat, paste_seat
from fairground.worlds.proofs import (
    MutantCount,
    ProofTable,
    ProvenInstance,
    ProvenScenario,
    ScreenCount,
    read_table,
    write_table,
)
from fairground.worlds.registry import find_app, installed, resolve, suite_of, suites
from fairground.worlds.renewing import renew
from fairground.worlds.seat import Seat, open_seat, planned_fingerprint
from fairground.worlds.selection import PINS, Design, Selection, derived_seed, select
from fairground.worlds.sharing import SharedBrowser, can_share
from fairground.worlds.stages import Stages, prepare

__all__ = [
    "NOT_VARIED",
    "PINS",
    "Act",
    "Ahead",
    "App",
    "Argument",
    "Command",
    "Design",
    "Endpoint",
    "Enter",
    "Fill",
    "ForkFailed",
    "Forking",
    "ForksExactly",
    "Inspector",
    "LiveSeat",
    "Move",
    "MutantCount",
    "Point",
    "Press",
    "ProofTable",
    "ProvenInstance",
    "ProvenScenario",
    "Rehearsal",
    "Say",
    "Scenario",
    "ScreenCount",
    "ScreenSpec",
    "Seat",
    "SeatCopy",
    "Selection",
    "SharedBrowser",
    "Stages",
    "Stuck",
    "Suite",
    "Surface",
    "Tap",
    "World",
    "WorldFile",
    "can_share",
    "choose_seat",
    "copy_seat",
    "derived_seed",
    "find_app",
    "forking_of",
    "installed",
    "jsonable",
    "live_seats",
    "open_seat",
    "package_versions",
    "paste_seat",
    "planned_fingerprint",
    "prepare",
    "read_folder",
    "read_table",
    "renew",
    "resolve",
    "select",
    "share_seat",
    "suite_of",
    "suites",
    "write_table",
]
