"""Errors on the wire: each type has an exception, an HTTP status, and a body with message and fix."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, Final

from fairground.core import (
    FairgroundError,
    InfrastructureError,
    InvalidAction,
    InvalidConfiguration,
    InvalidInput,
    Record,
)
from fairground.worlds import ForkFailed


class RemoteError(FairgroundError):
    """An answer of an environment server that is neither bad input nor a failure of its infrastructure."""


class Unauthorized(RemoteError):
    """The token is missing or wrong, or the request comes from a page of another site."""


class SessionLost(RemoteError, InfrastructureError):
    """The session does not exist: closed, its lease ran out, or the server was restarted."""


class EpisodeOver(RemoteError, InvalidInput):
    """The episode has ended. Reset the session."""


class Busy(RemoteError):
    """The session is serving another call."""


class Cancelled(RemoteError):
    """The call was interrupted by `cancel` or `close`. The episode has no verdict."""


class Capacity(RemoteError):
    """All seats are in use.

    Attributes:
        retry_after: Seconds until a seat could become free, if no client closes a session earlier.
    """

    def __init__(self, message: str, *, fix: str | None = None, retry_after: float = 1.0) -> None:
        super().__init__(message, fix=fix)
        self.retry_after = retry_after


class TooLarge(RemoteError):
    """The message is larger than the server accepts."""


class Closing(RemoteError, InfrastructureError):
    """The server is shutting down."""


STATUS: Final[dict[str, tuple[type[FairgroundError], HTTPStatus]]] = {
    # The first class that matches decides, so subclasses come before their bases.
    "unauthorized": (Unauthorized, HTTPStatus.UNAUTHORIZED),
    "unknown_session": (SessionLost, HTTPStatus.NOT_FOUND),
    "episode_over": (EpisodeOver, HTTPStatus.CONFLICT),
    "busy": (Busy, HTTPStatus.CONFLICT),
    "cancelled": (Cancelled, HTTPStatus.CONFLICT),
    "capacity": (Capacity, HTTPStatus.SERVICE_UNAVAILABLE),
    "too_large": (TooLarge, HTTPStatus.REQUEST_ENTITY_TOO_LARGE),
    "closing": (Closing, HTTPStatus.SERVICE_UNAVAILABLE),
    "invalid_action": (InvalidAction, HTTPStatus.UNPROCESSABLE_ENTITY),
    "invalid_input": (InvalidInput, HTTPStatus.UNPROCESSABLE_ENTITY),
    "invalid_configuration": (InvalidConfiguration, HTTPStatus.UNPROCESSABLE_ENTITY),
    "fork_failed": (ForkFailed, HTTPStatus.INTERNAL_SERVER_ERROR),
    "infrastructure": (InfrastructureError, HTTPStatus.INTERNAL_SERVER_ERROR),
}
"""Exception and HTTP status of each error type."""


class ErrorBody(Record):
    """An error on the wire."""

    type: str
    message: str
    fix: str | None = None
    retry_after: float | None = None

    def exception(self) -> FairgroundError:
        """Return the exception that a client raises. A type that this version does not know is a `RemoteError`."""
        if self.type == "capacity":
            return Capacity(self.message, fix=self.fix, retry_after=self.retry_after or 1.0)
        kind, _ = STATUS.get(self.type, (RemoteError, None))
        return kind(self.message, fix=self.fix)


def to_wire(error: BaseException) -> tuple[HTTPStatus, dict[str, Any]]:
    """Return the status and the body of an error. An error that is not ours is an infrastructure error."""
    for name, (kind, status) in STATUS.items():
        if isinstance(error, kind):
            body: dict[str, Any] = {"type": name, "message": error.message, "fix": error.fix}
            if isinstance(error, Capacity):
                body["retry_after"] = error.retry_after
            return status, body
    if isinstance(error, FairgroundError):
        body = {"type": "infrastructure", "message": error.message, "fix": error.fix}
    else:
        body = {"type": "infrastructure", "message": f"internal error: {type(error).__name__}", "fix": None}
    return HTTPStatus.INTERNAL_SERVER_ERROR, body
