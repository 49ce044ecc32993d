"""Calling a model's server: retries with backoff, within a budget. Each way that a call can end has its own type."""

from __future__ import annotations

import logging
import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from pydantic import Field

from fairground.agents.keys import without_keys
from fairground.agents.models.usage import Tokens
from fairground.core import FairgroundError, InfrastructureError, InvalidInput, MissingPrerequisite, Record

T = TypeVar("T")
_log = logging.getLogger(__name__)


class ModelUnavailable(InfrastructureError):
    """The model's server did not give an answer within the budget. The episode is errored."""


class Unusable(InfrastructureError):
    """No request can succeed until a person changes something: the server, its address, the key, the model's name.

    It is not tried again. A run that meets it stops, and can be resumed.
    """


class Unreachable(Unusable, ModelUnavailable):
    """The server has never answered this agent, and cannot be connected to."""


class AccessRefused(Unusable, MissingPrerequisite):
    """The server does not accept the key, or the account may not use the model."""


class UnknownModel(Unusable, InvalidInput):
    """The server has no such model, or nothing at this path."""


class RequestRefused(InfrastructureError):
    """The server does not take the request as it is: an option that the model lacks, or a mistake of ours."""


class ImageRefused(InfrastructureError):
    """The server does not take a picture of this size."""


class ContextTooLong(FairgroundError):
    """The conversation has outgrown what the model can read."""


class ModelRefused(FairgroundError):
    """The model, or its vendor's filter, declines to go on. The agent's own doing: it gives up, and is judged."""


class BudgetSpent(FairgroundError):
    """The agent has used up the tokens or dollars that it has for an episode. Its own doing: it has failed."""


class Transient(Exception):
    """What a sender raises for a failure that may pass.

    Args:
        what: What happened.
        after: How many seconds the server asks to wait, if it does.
        tokens: What the attempt took, if an answer had begun.
    """

    def __init__(self, what: str, after: float | None = None, tokens: Tokens | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.after = after
        self.tokens = tokens


class NotConnected(Transient):
    """There was no connection to the server. It may pass if the server has answered before.

    Args:
        where: The server's address.
        why: What the system says.
        fix: What to do about it.
    """

    def __init__(self, where: str, why: str, fix: str) -> None:
        super().__init__(f"nothing answers at {where} ({why})")
        self.fix = fix


class RetryPolicy(Record):
    """How often and how long to try one request."""

    attempts: int = Field(8, ge=1, le=100)
    seconds: float = Field(300.0, gt=0, description="for all attempts together, waiting included")
    first: float = Field(1.0, gt=0, description="seconds of the first wait; each next is twice as long")
    longest: float = Field(60.0, gt=0, description="seconds of the longest wait that is ours to choose")


def _wait(seconds: float) -> None:
    threading.Event().wait(seconds)


@dataclass(frozen=True)
class Pace:
    """Time and chance, as arguments: what tests put in their own for.

    Attributes:
        clock: Seconds that only grow.
        wait: Lets so many seconds pass.
        chance: Spreads the waits, so that many workers that failed together do not come back together.
    """

    clock: Callable[[], float] = time.monotonic
    wait: Callable[[float], None] = _wait
    chance: Callable[[], float] = random.random


class Caller:
    """Calls one model's server, with retries.

    A server that has never answered is not waited for: its address is wrong, or it is not running. One that has
    answered before is retried. Each wait is logged as a warning.

    Args:
        policy: How often and how long one request is tried.
        pace: Time and chance.
        model: The model's name, for messages.

    Attributes:
        replied: Whether any request has succeeded so far.
        failure: The error that the last request ended with, if it did.
    """

    def __init__(self, policy: RetryPolicy, pace: Pace, *, model: str) -> None:
        self._policy, self._pace, self._model = policy, pace, model
        self._answered = False  # with anything, such as that it is busy
        self.replied = False
        self.failure: FairgroundError | None = None

    def call(self, send: Callable[[], T], on_failure: Callable[[Transient], None] = lambda failure: None) -> T:
        """What `send` returns, trying again after `Transient` within the policy's budget.

        The wait is what the server asks for. Where it does not ask, the wait doubles each time and is reduced by up to
        a half at random. A server that asks for more time than is left is not tried again.

        Raises:
            Unreachable: There is no connection, and never was one.
            ModelUnavailable: The budget of attempts or seconds is spent.
        """
        self.failure = None
        try:
            reply = self._try(send, on_failure)
        except FairgroundError as error:
            self.failure = error
            raise
        self._answered = self.replied = True
        return reply

    def _try(self, send: Callable[[], T], on_failure: Callable[[Transient], None]) -> T:
        policy, pace = self._policy, self._pace
        started = pace.clock()
        for attempt in range(1, policy.attempts + 1):
            try:
                return send()
            except Transient as error:
                failure = error
                on_failure(failure)
            if not isinstance(failure, NotConnected):
                self._answered = True
            elif not self._answered:
                raise Unreachable(failure.what, fix=failure.fix)
            if attempt == policy.attempts:
                break
            own = min(policy.first * 2 ** (attempt - 1), policy.longest) * (1 - 0.5 * pace.chance())
            seconds = own if failure.after is None else failure.after
            if pace.clock() - started + seconds > policy.seconds:
                break
            _log.warning(
                "%s: retrying in %s (attempt %d of %d): %s",
                self._model,
                f"{seconds:.0f} s" if seconds >= 1 else f"{1000 * seconds:.0f} ms",
                attempt + 1,
                policy.attempts,
                without_keys(failure.what),
            )
            pace.wait(seconds)
        spent = pace.clock() - started
        raise ModelUnavailable(
            f"{self._model} gave no answer in {attempt} attempts and {spent:.0f} s; the last failure: {failure.what}",
            fix="resume the run later; with rate limits, use fewer workers",
        )
