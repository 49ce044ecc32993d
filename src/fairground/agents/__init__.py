"""Agents: the agent protocol, built-in agents without a model, model agents, and your own programs and classes."""

from fairground.agents.builtin import DoNothing, RandomAgent, Scripted, make_agent
from fairground.agents.driven import Driven, human_agent
from fairground.agents.human import HumanAgent
from fairground.agents.jsonlines import ProgramFault
from fairground.agents.oracle import OracleAgent, make_moves
from fairground.agents.program import ProgramAgent, program_agent
from fairground.agents.protocol import (
    Agent,
    Brief,
    Checkable,
    Closeable,
    HasObservations,
    HasUsage,
    TakesSeat,
    Turn,
)
from fairground.agents.python import PythonAgent, is_python_agent, python_agent
from fairground.agents.replay import ReplayAgent, Trajectory

__all__ = [
    "Agent",
    "Brief",
    "Checkable",
    "Closeable",
    "DoNothing",
    "Driven",
    "HasObservations",
    "HasUsage",
    "HumanAgent",
    "OracleAgent",
    "ProgramAgent",
    "ProgramFault",
    "PythonAgent",
    "RandomAgent",
    "ReplayAgent",
    "Scripted",
    "TakesSeat",
    "Trajectory",
    "Turn",
    "human_agent",
    "is_python_agent",
    "make_agent",
    "make_moves",
    "program_agent",
    "python_agent",
]
