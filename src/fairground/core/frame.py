"""Frames, accessibility nodes, windows and observations."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Frame:
    """A picture of a screen. Frames with equal pixels are equal, whenever they were taken.

    Attributes:
        pixels: height x width x 3, RGB, read-only.
        time: When it was taken, in seconds of `time.monotonic`.
    """

    pixels: Pixels
    time: float = 0.0

    def __post_init__(self) -> None:
        if self.pixels.ndim != 3 or self.pixels.shape[2] != 3 or self.pixels.dtype != np.uint8:
            raise ValueError(
                f"a frame must be height x width x 3 of uint8, got {self.pixels.shape} {self.pixels.dtype}"
            )
        self.pixels.flags.writeable = False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Frame) and np.array_equal(self.pixels, other.pixels)

    def __hash__(self) -> int:
        return hash(self.digest)

    def __reduce__(self) -> tuple[type[Frame], tuple[Pixels, float]]:
        # construct it again, so that the pixels are read-only in the other process too
        return Frame, (self.pixels, self.time)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height."""
        return self.pixels.shape[1], self.pixels.shape[0]

    @cached_property
    def digest(self) -> str:
        """Content digest: equal for equal pixels."""
        height, width, _ = self.pixels.shape
        name = hashlib.blake2b(f"{width}x{height}:".encode(), digest_size=12)
        name.update(np.ascontiguousarray(self.pixels).data)
        return name.hexdigest()


@dataclass(frozen=True)
class Node:
    """An element of an accessibility tree. Bounds are left, top, width, height in screen pixels."""

    role: str
    name: str = ""
    value: str = ""
    bounds: tuple[int, int, int, int] | None = None
    states: tuple[str, ...] = ()
    children: tuple[Node, ...] = ()

    def walk(self) -> Iterator[Node]:
        """Iterate over this node and all nodes below it, depth first."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))

    def find(self, role: str | None = None, name: str | None = None) -> Node | None:
        """Return the first node with this role and name, or None."""
        for node in self.walk():
            if (role is None or node.role == role) and (name is None or node.name == name):
                return node
        return None

    @property
    def center(self) -> tuple[int, int] | None:
        """The center of the bounds, where a user would click; None without bounds."""
        if self.bounds is None:
            return None
        left, top, width, height = self.bounds
        return left + width // 2, top + height // 2


@dataclass(frozen=True)
class Window:
    """A window on the screen. Lists of windows are ordered from bottom to top."""

    title: str
    bounds: tuple[int, int, int, int]
    focused: bool = False


@dataclass(frozen=True)
class Observation:
    """What the agent receives: always the frame, other fields only if requested."""

    frame: Frame
    step: int = 0
    cursor: tuple[int, int] | None = None
    tree: Node | None = None
    windows: tuple[Window, ...] | None = None
    messages: tuple[str, ...] = field(default=())
    """Messages for the agent, such as why an action was refused or a user's reply."""
