"""Calling an agent's code: for no longer than it has time, and so that whatever it raises is known to be its own."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from typing import Any, TypeAlias

from fairground.agents import Agent, Brief, Closeable, HasUsage, Turn
from fairground.agents.models import Usage
from fairground.core import InvalidInput, Observation, parse_action

Calls: TypeAlias = "queue.SimpleQueue[Callable[[], Any] | None]"
Answers: TypeAlias = "queue.SimpleQueue[tuple[Any, BaseException | None]]"

CLOSING = 30.0
"""Seconds that an agent has to say what it used, and to close, after the episode."""

_LARGEST = 1 << 53  # of a number in `usage`: what JSON readers and SQLite keep exactly


class OutOfTime(Exception):
    """The agent did not answer before its time was up."""


class AgentRaised(Exception):
    """An agent's code raised something.

    Attributes:
        agent: Whose code.
        error: What it raised: anything, `SystemExit` and `KeyboardInterrupt` too.
    """

    def __init__(self, agent: Agent, error: BaseException) -> None:
        super().__init__(type(error).__name__)
        self.agent, self.error = agent, error


class Harness:
    """Base of agents of ours that call another agent. What they raise is ours; they wrap what it raised themselves."""


class Patient:
    """Calls an agent in a thread of its own, so that one that hangs can be left behind.

    Whatever the agent raises, and an answer that is not a turn, is raised here as `AgentRaised`.

    Attributes:
        abandoned: Whether the agent was left behind; its thread lives on, so its process should not be used again.
    """

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._calls: Calls = queue.SimpleQueue()
        self._answers: Answers = queue.SimpleQueue()
        self._closed = False
        self.abandoned = False
        do_calls(self._calls, self._answers, name=f"agent-{agent.name}")

    def begin(self, brief: Brief, deadline: float | None) -> None:
        """Has the agent begin."""
        self._call(lambda: self._agent.begin(brief), deadline)

    def act(self, observation: Observation, deadline: float | None) -> Turn:
        """The agent's next action; raises `OutOfTime` or `AgentRaised`."""
        answer = self._call(lambda: self._agent.act(observation), deadline)
        try:
            return _read_turn(answer)
        except Exception as error:
            raise AgentRaised(self._agent, error) from error

    def usage(self) -> Usage | None:
        """What the agent says that it used of a model, if it does; raises `AgentRaised`."""
        usage: Usage | None = self._last_call(lambda: _read_usage(self._agent))
        return usage

    def close(self) -> None:
        """Closes the agent, and lets the thread end; may be called twice. Raises `AgentRaised`."""
        if self._closed:
            return
        self._closed = True
        self._calls.put(None)
        if isinstance(self._agent, Closeable):
            self._last_call(self._agent.close)

    def _call(self, call: Callable[[], Any], deadline: float | None) -> Any:
        self._calls.put(call)
        left = None if deadline is None else max(deadline - time.monotonic(), 0.0)
        return self._answer(self._answers, left)

    def _last_call(self, call: Callable[[], Any]) -> Any:
        """A call in a thread of its own: the agent's may be waiting for an answer that closing it brings to an end."""
        calls: Calls = queue.SimpleQueue()
        answers: Answers = queue.SimpleQueue()
        calls.put(call)
        calls.put(None)
        do_calls(calls, answers, name=f"closing-{self._agent.name}")
        try:
            return self._answer(answers, CLOSING)
        except OutOfTime:
            return None  # the episode is over: it is left behind, and what it did counts

    def _answer(self, answers: Answers, seconds: float | None) -> Any:
        try:
            value, error = answers.get(timeout=seconds)
        except queue.Empty:
            self.abandoned = True
            raise OutOfTime from None
        if error is None:
            return value
        if isinstance(self._agent, Harness):
            raise error
        raise AgentRaised(self._agent, error) from error


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


def _read_turn(answer: Any) -> Turn:
    """An agent's answer, read as if it came from outside: Python checks no types, and a recording must be readable."""
    turn = answer if isinstance(answer, Turn) else Turn(answer)
    action = turn.action
    if not callable(getattr(action, "model_dump", None)):
        raise InvalidInput(f"act returned a {type(answer).__name__}, which is not an action")
    if not isinstance(turn.thought, str):
        raise InvalidInput(f"the thought beside the action is a {type(turn.thought).__name__}, expected text")
    return Turn(parse_action(action.model_dump(), where="what act returned"), str(turn.thought), turn.performed is True)


def _read_usage(agent: Agent) -> Usage | None:
    usage = agent.usage if isinstance(agent, HasUsage) else None
    if usage is None:
        return None
    if not isinstance(usage, Usage):
        raise InvalidInput(f"usage of {agent.name} is a {type(usage).__name__}", fix="give a Usage, or None")
    usage = Usage.parse(usage.model_dump(), where=f"usage of {agent.name}")
    if any(number is not None and number > _LARGEST for number in usage.model_dump().values()):
        raise InvalidInput(f"usage of {agent.name}: a number above {_LARGEST:,}")
    return usage
