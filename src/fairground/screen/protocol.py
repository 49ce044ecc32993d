"""The `Screen` protocol: the contract of all backends (X11, browser page, VM)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from fairground.core import Action, Frame, Node, Window


@dataclass(frozen=True)
class Settled:
    """The result of settling.

    Attributes:
        quiet: True if the screen settled; False at the timeout.
        seconds: How long it took.
        reason: At the timeout, what it was still waiting for.
    """

    quiet: bool
    seconds: float
    reason: str = ""


@runtime_checkable
class Screen(Protocol):
    """A screen to see and act on. Use it from one thread at a time."""

    backend: str
    """Short name, such as `x11` or `cdp`."""
    size: tuple[int, int]
    """Width and height in pixels."""
    in_memory: bool
    """Whether the picture is in shared memory, readable at any time. Otherwise each `grab` asks a program for it."""

    @property
    def alive(self) -> bool:
        """Whether the program that draws it still runs."""

    def grab(self) -> Frame:
        """Return the current picture, including the pointer if the backend draws one."""

    def act(self, action: Action) -> None:
        """Perform an input action.

        Kinds that are not input (`look`, `answer`, `call_user`, `done`, `fail`) do nothing. `wait` lets time pass.

        Raises:
            InvalidAction: The action is off screen or cannot be performed. Raised before anything happens.
        """

    def settle(self, timeout: float = 5.0) -> Settled:
        """Wait until the last actions have taken effect and the picture no longer changes."""

    def wait_change(self, timeout: float) -> bool:
        """Wait at most `timeout` seconds until the picture changes. Returns whether it did."""

    def cursor(self) -> tuple[int, int] | None:
        """Return the pointer position, or None if there is no pointer."""

    def tree(self, *, depth: int = 64, limit: int = 5_000) -> Node:
        """Return the accessibility tree, with at most `depth` levels and `limit` nodes."""

    def windows(self) -> tuple[Window, ...]:
        """Return the windows, topmost last."""

    def take_notes(self) -> tuple[str, ...]:
        """Return and clear the notes about events that the picture does not show, such as a download."""

    def release(self) -> None:
        """Release every held key and button."""

    def close(self) -> None:
        """Release all resources of the screen. Calling it twice is allowed."""
