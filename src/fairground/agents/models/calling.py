"""Call a model's server with retries and backoff, within a budget. Each way that a call can fail has its own type."""

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
    """The model's server gave no answer within the budget. The episode is errored."""


class Unusable(InfrastructureError):
    """No request can succeed until a user changes something: the server, its address, the key, or the model's name.

    It is not retried. A run that meets it stops, and can be resumed.
    """


class Unreachable(Unusable, ModelUnavailable):
    """The server has never answered this agent, and cannot be connected to."""


class AccessRefused(Unusable, MissingPrerequisite):
    """The server rejects the key, or the account may not use the model."""


class UnknownModel(Unusable, InvalidInput):
    """The server has no such model, or nothing at this path."""


class RequestRefused(InfrastructureError):
    """The server rejects the request: an option that the model does not support, or a bug in our code."""


class ImageRefused(InfrastructureError):
    """The server rejects an image of this size."""


class ContextTooLong(FairgroundError):
    """The conversation exceeds the model's context window."""


class ModelRefused(FairgroundError):
    """The model or its vendor's filter refuses to continue.

    This counts as the agent's decision: it gives up and is judged.
    """


class BudgetSpent(FairgroundError):
    """The agent used up its tokens or dollars for an episode. This counts as the agent's failure."""


class AnswerUnusable(FairgroundError):
    """The model's answers were too long or nested too deeply, again and again.

    This counts as the agent's failure: the server works, and the model wrote them.
    """


class Transient(Exception):
    """A failure that may be temporary, raised by a sender.

    Args:
        what: What happened.
        after: Seconds that the server asks to wait, if any.
        tokens: Tokens of the attempt, if an answer had begun.
    """

    def __init__(self, what: str, after: float | None = None, tokens: Tokens | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.after = after
        self.tokens = tokens


class Overlong(Transient):
    """An answer too long or too deeply nested to be one. It may be chance once; after `OVERLONG` it is the model."""


OVERLONG = 3
"""Number of such answers to one request after which the model has failed."""


class NotConnected(Transient):
    """There was no connection to the server. Retried only if the server has answered before.

    Args:
        where: The server's address.
        why: The system's error message.
        fix: What to do about it.
    """

    def __init__(self, where: str, why: str, fix: str) -> None:
        super().__init__(f"no server answers at {where} ({why})")
        self.fix = fix


class RetryPolicy(Record):
    """Retry policy of one request."""

    attempts: int = Field(8, ge=1, le=100)
    seconds: float = Field(300.0, gt=0, description="total timeout of all attempts, including waits")
    first: float = Field(1.0, gt=0, description="first wait in seconds; each next one is twice as long")
    longest: float = Field(60.0, gt=0, description="maximum wait in seconds, unless the server asks for more")


def _wait(seconds: float) -> None:
    threading.Event().wait(seconds)


@dataclass(frozen=True)
class Pace:
    """Clock and randomness, injectable for tests.

    Attributes:
        clock: Monotonic clock in seconds.
        wait: Sleeps for some seconds.
        chance: Random jitter of waits, so that workers that failed together do not retry together.
    """

    clock: Callable[[], float] = time.monotonic
    wait: Callable[[float], None] = _wait
    chance: Callable[[], float] = random.random


class Caller:
    """Calls one model's server, with retries.

    A server that has never answered is not retried: its address is wrong, or it is not running. One that has answered
    before is retried. Each wait is logged as a warning.

    Args:
        policy: The retry policy.
        pace: Clock and randomness.
        model: The model's name, for messages.

    Attributes:
        replied: Whether any request has succeeded so far.
        failure: The error of the last request, or None.
    """

    def __init__(self, policy: RetryPolicy, pace: Pace, *, model: str) -> None:
        self._policy, self._pace, self._model = policy, pace, model
        self._answered = False  # with anything, including that it is busy
        self.replied = False
        self.failure: FairgroundError | None = None

    def call(self, send: Callable[[], T], on_failure: Callable[[Transient], None] = lambda failure: None) -> T:
        """Return what `send` returns. Retries after `Transient`, within the policy's budget.

        The wait is what the server asks for. Otherwise it doubles each time, with random jitter of up to half. A server
        that asks for more time than is left is not retried.

        Raises:
            Unreachable: If there is no connection, and never was one.
            ModelUnavailable: If the budget of attempts or seconds is used up.
            AnswerUnusable: If `OVERLONG` answers were too long.
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
        started, overlong = pace.clock(), 0
        for attempt in range(1, policy.attempts + 1):
            try:
                return send()
            except Transient as error:
                failure = error
                on_failure(failure)
            overlong += isinstance(failure, Overlong)
            if overlong == min(OVERLONG, policy.attempts):
                raise AnswerUnusable(
                    f"{self._model} gave {overlong} unusable answers; the last failure: {failure.what}"
                )
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
            fix="resume the run later; if the cause is rate limits, use fewer workers",
        )
