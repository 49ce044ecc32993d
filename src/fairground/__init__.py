"""Fairground: real software as environments for computer-use agents, proven sound and scored with correct statistics.

`fairground.make(id)` opens a Gymnasium environment. The names below are the stable API; the packages of `fairground`
hold everything else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__version__ = "0.3.0"

from fairground.core.late import late_names

if TYPE_CHECKING:
    from fairground.agents import Agent as Agent
    from fairground.agents import Brief as Brief
    from fairground.agents import Turn as Turn
    from fairground.agents import make_agent as make_agent
    from fairground.core import Action as Action
    from fairground.core import Answer as Answer
    from fairground.core import Check as Check
    from fairground.core import Click as Click
    from fairground.core import Configuration as Configuration
    from fairground.core import Done as Done
    from fairground.core import Drag as Drag
    from fairground.core import Episode as Episode
    from fairground.core import Fail as Fail
    from fairground.core import FairgroundError as FairgroundError
    from fairground.core import Frame as Frame
    from fairground.core import Key as Key
    from fairground.core import Node as Node
    from fairground.core import Observation as Observation
    from fairground.core import Outcome as Outcome
    from fairground.core import Scroll as Scroll
    from fairground.core import State as State
    from fairground.core import Type as Type
    from fairground.core import Verdict as Verdict
    from fairground.core import Wait as Wait
    from fairground.env import FairgroundEnv as FairgroundEnv
    from fairground.env import make as make
    from fairground.rollout import read_episode as read_episode
    from fairground.rollout import run_episode as run_episode
    from fairground.verify import close_to as close_to
    from fairground.verify import contains as contains
    from fairground.verify import equal as equal
    from fairground.verify import holds as holds
    from fairground.verify import judge as judge
    from fairground.verify import unchanged as unchanged
    from fairground.worlds import App as App
    from fairground.worlds import Scenario as Scenario
    from fairground.worlds import ScreenSpec as ScreenSpec
    from fairground.worlds import Seat as Seat
    from fairground.worlds import Suite as Suite
    from fairground.worlds import World as World
    from fairground.worlds import open_seat as open_seat
    from fairground.worlds import resolve as resolve

# Looked up late: `import fairground.core` stays light, and imports between packages go one way.
_HOMES = {
    "agents": "Agent Brief Turn make_agent",
    "core": "Action Answer Check Click Configuration Done Drag Episode Fail FairgroundError Frame Key Node Observation "
    "Outcome Scroll State Type Verdict Wait",
    "env": "FairgroundEnv make",
    "rollout": "read_episode run_episode",
    "verify": "close_to contains equal holds judge unchanged",
    "worlds": "App Scenario ScreenSpec Seat Suite World open_seat resolve",
}
_LATE = {name: package for package, names in _HOMES.items() for name in names.split()}

__all__ = ["__version__", *_LATE]

__getattr__ = late_names(__name__, _LATE)
