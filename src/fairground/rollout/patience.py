"""Waiting for an agent no longer than it has time: whatever it does, the episode ends."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from typing import Any, TypeAlias

from fairground.agents import Agent, Brief, Turn
from fairground.core import Action, Observation

Calls: TypeAlias = "queue.SimpleQueue[Callable[[], Any] | None]"
Answers: TypeAlias = "queue.SimpleQueue[tuple[Any, BaseException | None]]"


class OutOfTime(Exception):
    """The agent did not answer before its time was up."""


class Patient:
    """Calls an agent in a thread of its own, so that one that hangs can be left behind.

    Attributes:
        abandoned: Whether the agent was left behind; its thread lives on, so its process should not be used again.
    """

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._calls: Calls = queue.SimpleQueue()
        self._answers: Answers = queue.SimpleQueue()
        self.abandoned = False
        do_calls(self._calls, self._answers, name=f"agent-{agent.name}")

    def begin(self, brief: Brief, deadline: float | None) -> None:
        """Has the agent begin."""
        self._call(lambda: self._agent.begin(brief), deadline)

    def act(self, observation: Observation, deadline: float | None) -> Turn | Action:
        """The agent's next action; raises `OutOfTime`, or what the agent raised."""
        turn: Turn | Action = self._call(lambda: self._agent.act(observation), deadline)
        return turn

    def close(self) -> None:
        """Lets the thread end."""
        self._calls.put(None)

    def _call(self, call: Callable[[], Any], deadline: float | None) -> Any:
        self._calls.put(call)
        left = None if deadline is None else max(deadline - time.monotonic(), 0.0)
        try:
            value, error = self._answers.get(timeout=left)
        except queue.Empty:
            self.abandoned = True
            raise OutOfTime from None
        if error is not None:
            raise error
        return value


def do_calls(calls: Calls, answers: Answers, *, name: str) -> None:
    """Starts a thread that does what it is called for, one after the other, until that is None; returns at once.

    An answer is what the call returned, and None; or None, and what it raised: to be raised where it was asked for.
    """

    def work() -> None:
        while (call := calls.get()) is not None:
            try:
                answers.put((call(), None))
            except BaseException as error:
                answers.put((None, error))

    threading.Thread(target=work, name=name, daemon=True).start()
