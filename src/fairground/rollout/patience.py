"""Call an agent's code with a timeout, and attribute its exceptions to the agent."""

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
"""Timeout in seconds for an agent to report its usage and to close, after the episode."""

_LARGEST = 1 << 53  # largest number in `usage`: JSON readers and SQLite store it exactly


class OutOfTime(Exception):
    """The agent did not answer before its deadline."""


class AgentRaised(Exception):
    """An agent's code raised an exception.

    Attributes:
        agent: The agent.
        error: What it raised: any exception, including `SystemExit` and `KeyboardInterrupt`.
    """

    def __init__(self, agent: Agent, error: BaseException) -> None:
        super().__init__(type(error).__name__)
        self.agent, self.error = agent, error


class Harness:
    """Base of our agents that call another agent. Their own exceptions are ours; they wrap those of the other agent."""


class Patient:
    """Calls an agent in its own thread, so that a hanging agent can be left behind.

    An exception of the agent, or an answer that is not a turn, is raised as `AgentRaised`.

    Attributes:
        abandoned: Whether the agent was left behind. Its thread keeps running, so its process should not be reused.
    """

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._calls: Calls = queue.SimpleQueue()
        self._answers: Answers = queue.SimpleQueue()
        self._closed = False
        self.abandoned = False
        do_calls(self._calls, self._answers, name=f"agent-{agent.name}")

    def begin(self, brief: Brief, deadline: float | None) -> None:
        """Call the agent's `begin`."""
        self._call(lambda: self._agent.begin(brief), deadline)

    def act(self, observation: Observation, deadline: float | None) -> Turn:
        """Return the agent's next action. Raises `OutOfTime` or `AgentRaised`."""
        answer = self._call(lambda: self._agent.act(observation), deadline)
        try:
            return _read_turn(answer)
        except Exception as error:
            raise AgentRaised(self._agent, error) from error

    def usage(self) -> Usage | None:
        """Return the model usage that the agent reports, or None. Raises `AgentRaised`."""
        usage: Usage | None = self._last_call(lambda: _read_usage(self._agent))
        return usage

    def close(self) -> None:
        """Close the agent and let the thread end. May be called twice. Raises `AgentRaised`."""
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
        """Call in a separate thread: the agent's own thread may be blocked until the agent is closed."""
        calls: Calls = queue.SimpleQueue()
        answers: Answers = queue.SimpleQueue()
        calls.put(call)
        calls.put(None)
        do_calls(calls, answers, name=f"closing-{self._agent.name}")
        try:
            return self._answer(answers, CLOSING)
        except OutOfTime:
            return None  # the episode is over: the agent is left behind, and what it did counts

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
    """Start a thread that executes calls one after the other, until it gets None. Returns immediately.

    Each answer is `(result, None)`, or `(None, exception)` to be raised by the caller.
    """

    def work() -> None:
        while (call := calls.get()) is not None:
            try:
                answers.put((call(), None))
            except BaseException as error:
                answers.put((None, error))

    threading.Thread(target=work, name=name, daemon=True).start()


def _read_turn(answer: Any) -> Turn:
    """Validate an agent's answer like external input: Python checks no types, and the recording must be readable."""
    turn = answer if isinstance(answer, Turn) else Turn(answer)
    action = turn.action
    if not callable(getattr(action, "model_dump", None)):
        raise InvalidInput(f"act returned a {type(answer).__name__}, expected an action")
    if not isinstance(turn.thought, str):
        raise InvalidInput(f"the thought next to the action is a {type(turn.thought).__name__}, expected text")
    return Turn(parse_action(action.model_dump(), where="what act returned"), str(turn.thought), turn.performed is True)


def _read_usage(agent: Agent) -> Usage | None:
    usage = agent.usage if isinstance(agent, HasUsage) else None
    if usage is None:
        return None
    if not isinstance(usage, Usage):
        raise InvalidInput(
            f"usage of {agent.name} is a {type(usage).__name__}, expected a Usage or None",
            fix="return a Usage, or None",
        )
    usage = Usage.parse(usage.model_dump(), where=f"usage of {agent.name}")
    if any(number is not None and number > _LARGEST for number in usage.model_dump().values()):
        raise InvalidInput(f"usage of {agent.name}: a number is above {_LARGEST:,}")
    return usage
