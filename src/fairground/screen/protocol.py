"""What a screen is, whatever draws it: the contract that X11, a browser page and a VM all obey."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from fairground.core import Action, Frame, Node, Window


@dataclass(frozen=True)
class Settled:
    """How settling went.

    Attributes:
        quiet: True when the screen came to rest; False when the deadline came first.
        seconds: How long it took.
        reason: What it was still waiting for, when the deadline came first.
    """

    quiet: bool
    seconds: float
    reason: str = ""


@runtime_checkable
class Screen(Protocol):
    """What is seen and touched. One thread at a time."""

    backend: str
    """Short name, such as `x11` or `cdp`."""
    size: tuple[int, int]
    """Width and height in pixels."""
    in_memory: bool
    """Whether the picture is memory that anyone can read at any time; otherwise each `grab` asks a program for it."""

    @property
    def alive(self) -> bool:
        """Whether what draws it still runs."""

    def grab(self) -> Frame:
        """The current picture, pointer included where the backend draws one."""

    def act(self, action: Action) -> None:
        """Carries an input out.

        Raises `InvalidAction` when it is off screen or cannot be performed, before anything is touched. Kinds
        that are not input (`look`, `answer`, `call_user`, `done`, `fail`) do nothing; `wait` lets time pass.
        """

    def settle(self, timeout: float = 5.0) -> Settled:
        """Waits until what was done last has had its effect and the picture has come to rest."""

    def wait_change(self, timeout: float) -> bool:
        """Waits until the picture changes, at most `timeout` seconds; says whether it did."""

    def cursor(self) -> tuple[int, int] | None:
        """Where the pointer is, or None when there is none."""

    def tree(self, *, depth: int = 64, limit: int = 5_000) -> Node:
        """The accessibility tree, at most `depth` deep and `limit` nodes."""

    def windows(self) -> tuple[Window, ...]:
        """The windows, topmost last."""

    def take_notes(self) -> tuple[str, ...]:
        """What has happened since the last call that the picture does not show, such as a file that was downloaded."""

    def release(self) -> None:
        """Lets every held key and button go."""

    def close(self) -> None:
        """Lets go of everything the screen holds; may be called twice."""
