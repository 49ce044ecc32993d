"""Who acts: the agent protocol and the agents that need no model."""

from fairground.agents.builtin import DoNothing, RandomAgent, Scripted, make_agent
from fairground.agents.protocol import Agent, Brief, Turn

__all__ = ["Agent", "Brief", "DoNothing", "RandomAgent", "Scripted", "Turn", "make_agent"]
