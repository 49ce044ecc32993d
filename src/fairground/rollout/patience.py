"""Call an agent's code with a timeout, and attribute its exceptions to the agent."""

from __future__ import annotations

import json
import queue
import threading
import time
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

from fairground.agents import Agent, Brief, Closeable, HasUsage, Turn
from fairground.agents.models import Usage
from fairground.core import InvalidInput, Observation, parse_action
from fairground.rollout.raised import AgentRaised

T = TypeVar("T")
Calls: TypeAlias = "queue.SimpleQueue[Callable[[], Any] | None]"
Answers: TypeAlias = "queue.SimpleQueue[tuple[Any, BaseException | None]]"

CLOSING = 30.0
"""Timeout in seconds for an agent to report its usage and to close, after the episode."""

_LARGEST = 1 << 53  # largest number in `usage`: JSON readers and SQLite store it exactly


class OutOfTime(Exception):
    """The agent did not answer before its deadline."""


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
        turn: Turn = self._call(lambda: self._turn(observation), deadline)
        return turn

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

    def _turn(self, observation: Observation) -> Turn:
        answer = blaming(self._agent, lambda: self._agent.act(observation))
        try:
            return _read_turn(answer)
        except BaseException as error:
            raise AgentRaised(self._agent, error) from None

    def _call(self, call: Callable[[], Any], deadline: float | None) -> Any:
        self._calls.put(lambda: blaming(self._agent, call))
        left = None if deadline is None else max(deadline - time.monotonic(), 0.0)
        return self._answer(self._answers, left)

    def _last_call(self, call: Callable[[], Any]) -> Any:
        """Call in a separate thread: the agent's own thread may be blocked until the agent is closed."""
        calls: Calls = queue.SimpleQueue()
        answers: Answers = queue.SimpleQueue()
        calls.put(lambda: blaming(self._agent, call))
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
        raise error


def blaming(agent: Agent, call: Callable[[], T]) -> T:
    """Call an agent's code. Raises `AgentRaised` for whatever it raises, and `Harness` errors as they are."""
    try:
        return call()
    except AgentRaised:
        raise
    except BaseException as error:
        if isinstance(agent, Harness):
            raise
        raise AgentRaised(agent, error) from None


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
    """Validate an agent's answer like external input: Python checks no types, and the recording must be readable.

    Runs on the agent's thread, and returns data without the agent's code: methods of an answer may raise or hang.
    """
    turn = answer if isinstance(answer, Turn) else Turn(answer)
    action = turn.action
    if not callable(getattr(action, "model_dump", None)):
        raise InvalidInput(f"act returned a {type(answer).__name__}, expected an action")
    if not isinstance(turn.thought, str):
        raise InvalidInput(f"the thought next to the action is a {type(turn.thought).__name__}, expected text")
    plain, thought = _without_code([action.model_dump(), turn.thought], "what act returned")
    return Turn(parse_action(plain, where="what act returned"), thought, turn.performed is True)


def _without_code(data: Any, where: str) -> Any:
    """Return the same plain data in types of Python's own: texts and numbers of subclasses have methods of theirs."""
    try:
        return json.loads(json.dumps(data))
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{where} is not plain data: {error}") from None


def _read_usage(agent: Agent) -> Usage | None:
    usage = agent.usage if isinstance(agent, HasUsage) else None
    if usage is None:
        return None
    if not isinstance(usage, Usage):
        raise InvalidInput(
            f"usage of {agent.name} is a {type(usage).__name__}, expected a Usage or None",
            fix="return a Usage, or None",
        )
    plain = _without_code(usage.model_dump(), f"usage of {agent.name}")
    usage = Usage.parse(plain, where=f"usage of {agent.name}")
    if any(number is not None and number > _LARGEST for number in usage.model_dump().values()):
        raise InvalidInput(f"usage of {agent.name}: a number is above {_LARGEST:,}")
    return usage
