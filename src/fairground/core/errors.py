"""Errors that users see. Each message says what was expected, what was found, and what to do."""

from __future__ import annotations

from fairground.core.anytext import printable


class FairgroundError(Exception):
    """Base class of all errors that Fairground raises deliberately.

    Args:
        message: What was expected and what was found.
        fix: What to do; printed on a separate line.
    """

    def __init__(self, message: str, *, fix: str | None = None) -> None:
        message = printable(message)  # the message may quote a file name, and is written to files and pages
        super().__init__(message)
        self.message = message
        self.fix = None if fix is None else printable(fix)

    def __str__(self) -> str:
        return self.message if self.fix is None else f"{self.message}\n  fix: {self.fix}"

    def __reduce__(self) -> tuple[object, ...]:
        # By default, pickling loses keyword arguments when a worker sends an error to its parent.
        return (_rebuild, (type(self), self.message, self.fix))


def _rebuild(kind: type[FairgroundError], message: str, fix: str | None) -> FairgroundError:
    error = kind.__new__(kind)
    FairgroundError.__init__(error, message, fix=fix)
    return error


class InvalidInput(FairgroundError, ValueError):
    """User input or a file does not have the required form."""


class NeedsOptions(InvalidInput):
    """Required options are missing. `options` holds suggested ones to add to the command line.

    Args:
        message: What was expected and what was found.
        fix: What to do, on the command line or in Python.
        options: Command-line options to add, ready to paste; empty if there is no suggestion.
    """

    options = ""

    def __init__(self, message: str, *, fix: str | None = None, options: str = "") -> None:
        super().__init__(message, fix=fix)
        self.options = options


class InvalidAction(InvalidInput):
    """An action that cannot be performed: off screen, unknown key, too long. The agent caused it."""


class UnknownName(InvalidInput):
    """A name that does not exist. The message suggests similar names."""


class InvalidConfiguration(FairgroundError):
    """The configuration itself is faulty (outcome `invalid`). Neither the agent nor the machine caused it."""


class Incoherent(InvalidConfiguration):
    """A scenario's text does not resolve, such as a placeholder without a value or an invalid query."""


class InfrastructureError(FairgroundError):
    """Our infrastructure failed (outcome `errored`). It never counts as a score."""


class MissingPrerequisite(InfrastructureError):
    """This machine lacks a program, package or permission. `fix` is the command to run."""


class SandboxError(InfrastructureError):
    """The sandbox could not be created, or broke."""


class ScreenError(InfrastructureError):
    """The screen could not be created, or broke."""


class AppError(InfrastructureError):
    """The app did not start, died, or never became ready."""


class StageError(InfrastructureError):
    """A staged script failed. The message includes the end of its output."""


class StateError(FairgroundError):
    """A recorded state cannot be read: missing, malformed, or over a limit. It never counts as a pass."""


class EpisodeError(FairgroundError):
    """An episode folder is incomplete or inconsistent."""


class DamagedData(FairgroundError):
    """Recorded results differ from what was written. They never count as a score; commands exit with status 3."""
