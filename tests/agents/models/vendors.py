"""Not a test module: what `test_faults.py` must know of a vendor to put it through the same faults as the others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from fairground.agents import Turn
from fairground.agents.models import ModelAgent
from fairground.core import Click

from .stage import Time, play

Refused = tuple[Any, type[Exception], str]


@dataclass(frozen=True)
class Vendor:
    """One protocol: its server, its agent, and every fault in the words of that protocol."""

    name: str
    server: Callable[[list[Any]], Any]
    agent: Callable[..., ModelAgent]
    says: Callable[[str], Any]
    click: Callable[[], Any]
    clicked: Click
    wait: Callable[[], Any]
    bad_calls: Callable[[], Any]  # a good call, one of an unknown action, and a good one after it
    nonsense: Callable[[], list[Any]]  # three answers that nobody can use
    heard: Callable[[Any], str]  # what a request tells the model in words
    frames: Callable[[Any], int]  # how many frames a request shows
    # faults of servers
    passing: dict[str, Any]
    no_answers: tuple[bytes, ...]
    returns: Callable[..., Any]
    hints: dict[str, tuple[Any, float]]
    an_hour: Any  # busy, and says so for an hour
    overloaded: tuple[Any, str]  # with its status
    drips: Any
    refused: dict[str, Refused]
    too_large: dict[str, Any]
    clicked_when_shrunk: tuple[int, int]
    told_when_shrunk: str
    too_long: dict[str, Any]
    # keys and SDK
    no_key: str
    keys: tuple[str, ...]
    unset: tuple[str, ...]
    sdk: str
    extra: str
    # faults of models
    refusals: dict[str, tuple[Any, str]]
    unusable: dict[str, tuple[Any, str]]
    paid_midway: Any = None  # breaks off after the server said what it counted

    @property
    def done(self) -> Any:
        return self.says("Done.")

    def __str__(self) -> str:
        return self.name


@dataclass
class Stand:
    """A server and an agent that many tests share: one client of the SDK for all of them."""

    vendor: Vendor
    server: Any
    agent: ModelAgent
    time: Time = field(default_factory=Time)

    def play(self, *script: Any, turns: int = 1) -> list[Turn]:
        """A new episode with these answers."""
        self.server.script[:] = script
        self.server.asked.clear()
        self.server.complaints.clear()
        self.time.waits.clear()
        return play(self.agent, turns)
