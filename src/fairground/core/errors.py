"""Every error a person can meet: what was expected, what was found, what to do."""

from __future__ import annotations

from fairground.core.anytext import printable


class FairgroundError(Exception):
    """Base of all errors that Fairground raises on purpose.

    Args:
        message: What was expected and what was found.
        fix: What to do about it; printed on a line of its own.
    """

    def __init__(self, message: str, *, fix: str | None = None) -> None:
        message = printable(message)  # it may quote a file's name, and will be written to files and pages
        super().__init__(message)
        self.message = message
        self.fix = None if fix is None else printable(fix)

    def __str__(self) -> str:
        return self.message if self.fix is None else f"{self.message}\n  fix: {self.fix}"

    def __reduce__(self) -> tuple[object, ...]:
        # The default would lose keyword arguments when a worker sends an error home.
        return (_rebuild, (type(self), self.message, self.fix))


def _rebuild(kind: type[FairgroundError], message: str, fix: str | None) -> FairgroundError:
    error = kind.__new__(kind)
    FairgroundError.__init__(error, message, fix=fix)
    return error


class InvalidInput(FairgroundError, ValueError):
    """Something a person or a file said does not have the form it must have."""


class NeedsOptions(InvalidInput):
    """Something was asked too briefly. `options`, added to the command line, say the rest.

    Args:
        message: What was expected and what was found.
        fix: What to do about it, on a command line or in Python.
        options: What to add to a command, ready to be pasted; empty where nothing can be suggested.
    """

    options = ""

    def __init__(self, message: str, *, fix: str | None = None, options: str = "") -> None:
        super().__init__(message, fix=fix)
        self.options = options


class InvalidAction(InvalidInput):
    """An action that cannot be carried out: off screen, unknown key, too long. The agent's fault."""


class UnknownName(InvalidInput):
    """A name that nothing answers to; the message suggests the nearest ones."""


class InvalidConfiguration(FairgroundError):
    """The configuration itself is at fault (outcome `invalid`), not the agent and not the machine."""


class Incoherent(InvalidConfiguration):
    """What an author wrote does not resolve: a placeholder that nothing fills, a query that cannot be made."""


class InfrastructureError(FairgroundError):
    """Ours to answer for (outcome `errored`): never a score."""


class MissingPrerequisite(InfrastructureError):
    """A program, package or permission that this machine lacks; `fix` is the line to run."""


class SandboxError(InfrastructureError):
    """The sandbox could not be made, or broke."""


class ScreenError(InfrastructureError):
    """The screen could not be made, or broke."""


class AppError(InfrastructureError):
    """The app did not start, died, or never became ready."""


class StageError(InfrastructureError):
    """A staged script failed; carries the end of its output."""


class StateError(FairgroundError):
    """A recorded state that cannot be read: missing, malformed, or over a limit. Never a pass."""


class EpisodeError(FairgroundError):
    """An episode folder that is incomplete or does not say what it should."""


class DamagedData(FairgroundError):
    """Recorded results that are not as they were written. They are never a score; commands exit with status 3."""
