"""A synthetic screen and a patient clock, to drive agents without a seat."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fairground.agents import Brief, Turn
from fairground.agents.models import ModelAgent, Pace, anthropic_agent
from fairground.core import Frame, Observation

from .wire.anthropic_rules import KEY
from .wire.anthropic_wire import AnthropicServer

SIZE = (1280, 720)
MODEL = "claude-sonnet-5-5"


@dataclass
class Time:
    """A clock that only waiting moves, unless each look at it does."""

    now: float = 0.0
    per_look: float = 0.0
    waits: list[float] = field(default_factory=list)

    def pace(self) -> Pace:
        return Pace(clock=self.clock, wait=self.wait, chance=lambda: 0.0)

    def clock(self) -> float:
        self.now += self.per_look
        return self.now

    def wait(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds


def screen(
    shade: int = 0, *, messages: tuple[str, ...] = (), cursor: tuple[int, int] | None = (10, 20), size: Any = SIZE
) -> Observation:
    pixels = np.full((size[1], size[0], 3), shade % 256, np.uint8)
    return Observation(Frame(pixels), cursor=cursor, messages=messages)


def brief(kind: Any = "action", size: tuple[int, int] = SIZE, steps: int = 20) -> Brief:
    return Brief("Add tea to the list.", size, steps, kind)


def agent_at(server: AnthropicServer, model: str = MODEL, *, time: Time | None = None, **options: Any) -> ModelAgent:
    options.setdefault("api_key", KEY)
    return anthropic_agent(model, base_url=server.url, pace=(time or Time()).pace(), **options)


def play(agent: ModelAgent, observations: int | list[Observation] = 1, **told: Any) -> list[Turn]:
    """Turns until the agent ends, or for so many observations."""
    seen = [screen(shade) for shade in range(observations)] if isinstance(observations, int) else observations
    agent.begin(brief(**told))
    turns = []
    for observation in seen:
        turns.append(agent.act(observation))
        if turns[-1].action.ends:
            break
    return turns


def results_of(body: Any, number: int = -1) -> list[dict[str, Any]]:
    """The tool results of a message of a request."""
    return [block for block in body["messages"][number]["content"] if block["type"] == "tool_result"]


def words_of(block: Any) -> str:
    """All text in a block, a message or a list of them."""
    if isinstance(block, list):
        return "\n".join(filter(None, map(words_of, block)))
    return block.get("text") or words_of(block.get("content", []))


def images_in(body: Any) -> list[dict[str, Any]]:
    found = []
    for message in body["messages"]:
        for block in message["content"]:
            inner = block.get("content", []) if block["type"] == "tool_result" else [block]
            found += [part for part in inner if part["type"] == "image"]
    return found
