"""Describe exceptions, also those of untrusted code, whose every method may raise, hang or lie."""

from __future__ import annotations

import traceback

from fairground.agents import Agent
from fairground.agents.keys import without_keys
from fairground.core import FairgroundError

_LONGEST = 20_000  # characters of an error's message that are kept
_LONGEST_TRACE = 200_000


class AgentRaised(Exception):
    """An agent's code raised an exception.

    Create it on the thread that called the agent: describing the exception runs the exception's own code, which may
    hang. Everything after that uses `text` and `trace`, never the exception itself.

    Attributes:
        agent: The agent.
        error: What it raised: any exception, including `SystemExit` and `KeyboardInterrupt`.
        text: Its description for people, as `words` returns it.
        trace: Its traceback.
    """

    def __init__(self, agent: Agent, error: BaseException) -> None:
        self.agent, self.error = agent, error
        self.text, self.trace = words(error), trace(error)
        super().__init__(self.text)


def words(error: BaseException) -> str:
    """Format an error for people. Handles exceptions whose message is unreadable or very long."""
    try:
        return _words(error)
    except BaseException:  # the error's own methods were called, and may raise anything
        return f"{_type_name(error)}: its message cannot be read"


def trace(error: BaseException) -> str:
    """Return the traceback of an error as text."""
    try:
        return without_keys(_exact("".join(traceback.format_exception(error))[-_LONGEST_TRACE:]))
    except BaseException:
        return f"{_type_name(error)}: its traceback cannot be read"


def _words(error: BaseException) -> str:
    try:
        text = _exact(str(error))
    except BaseException:
        text = "its message cannot be read"
    if not isinstance(error, FairgroundError):
        frames = traceback.extract_tb(error.__traceback__)[-1:]
        text = f"{_type_name(error)}: {text}" + "".join(f" ({frame.filename}, line {frame.lineno})" for frame in frames)
    more = f" [clipped: {len(text):,} characters]" if len(text) > _LONGEST else ""
    return without_keys(text[:_LONGEST].encode("utf-8", "backslashreplace").decode())[:_LONGEST] + more


def _type_name(error: BaseException) -> str:
    # Not `type(error).__name__`, which a metaclass can redefine.
    return _exact(type.__dict__["__name__"].__get__(type(error)))


def _exact(text: str) -> str:
    """Return a plain string for an object of a subclass, whose methods are not called."""
    return str.__getitem__(text, slice(None))
