"""Calling a model's server: again when it failed or was busy, not for ever, and every end of it has its own type."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from pydantic import Field

from fairground.agents.models.usage import Tokens
from fairground.core import FairgroundError, InfrastructureError, Record

T = TypeVar("T")


class ModelUnavailable(InfrastructureError):
    """The model's server did not give an answer within the budget. The episode is errored, and never a score."""


class RequestRefused(InfrastructureError):
    """The server does not take the request as it is: an option that the model lacks, or a mistake of ours."""


class ImageRefused(InfrastructureError):
    """The server does not take a picture of this size."""


class ContextTooLong(FairgroundError):
    """The conversation has outgrown what the model can read."""


class ModelRefused(FairgroundError):
    """The model, or its vendor's filter, declines to go on. The agent's own doing: it gives up, and is judged."""


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


def call(
    send: Callable[[], T],
    policy: RetryPolicy,
    pace: Pace,
    *,
    model: str,
    on_failure: Callable[[Transient], None] = lambda failure: None,
) -> T:
    """What `send` returns, trying again after `Transient` within the policy's budget.

    The wait is what the server asks for; where it does not ask, it doubles each time and is spread by up to a half. A
    server that asks for more time than is left is taken at its word: there is no use in trying earlier.

    Raises:
        ModelUnavailable: The budget of attempts or seconds is spent.
    """
    started = pace.clock()
    for attempt in range(1, policy.attempts + 1):
        try:
            return send()
        except Transient as error:
            failure = error
            on_failure(failure)
        if attempt == policy.attempts:
            break
        own = min(policy.first * 2 ** (attempt - 1), policy.longest) * (1 - 0.5 * pace.chance())
        seconds = own if failure.after is None else failure.after
        if pace.clock() - started + seconds > policy.seconds:
            break
        pace.wait(seconds)
    spent = pace.clock() - started
    raise ModelUnavailable(
        f"{model} gave no answer in {attempt} attempts and {spent:.0f} s; the last failure: {failure.what}",
        fix="resume the run later; with rate limits, use fewer workers",
    )
