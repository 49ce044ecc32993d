"""The images in a model's conversation: which frames stay, at which size and encoding."""

from __future__ import annotations

import base64
import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import cv2
from pydantic import Field

from fairground.agents.native import rescaled
from fairground.core import Action, Frame, InfrastructureError, Record
from fairground.screen import encode_jpeg, encode_png

Size = tuple[int, int]

FORGOTTEN = "(An earlier screenshot was here; it is left out to save space.)"
_SMALLEST = 64  # minimum side in pixels when shrinking


class ContextPolicy(Record):
    """How many past frames stay in the conversation, and how they are encoded.

    Frames are dropped several at a time. Each drop changes the beginning of the conversation and invalidates the
    server's cache, so a rare large cut costs less than a small cut every step.
    """

    frames: int = Field(5, ge=1, le=500, description="number of newest frames that always stay")
    slack: int = Field(
        5, ge=0, le=500, description="number of older frames that may stay until they are dropped together"
    )
    format: Literal["png", "jpeg"] = "png"
    quality: int = Field(85, ge=1, le=100, description="JPEG quality")


@dataclass(frozen=True)
class ImageLimits:
    """The largest image that a model sees at full size. Its server would shrink or reject larger ones.

    Attributes:
        side: Pixels of the longer side.
        pixels: Width times height.
    """

    side: int = 1568
    pixels: int = 1_150_000


@dataclass(eq=False)
class Seen:
    """One image in a conversation, as a placeholder for the vendor's image block.

    Attributes:
        frame: The frame. None once it is dropped, so that a long episode does not hold all its frames.
    """

    frame: Frame | None
    _encoded: dict[Size, str] = field(default_factory=dict, repr=False)

    def encoded(self, frame: Frame, size: Size, policy: ContextPolicy) -> str:
        """Return the image at this size in base64, cached."""
        if size not in self._encoded:
            small = resized(frame, size)
            data = encode_png(small) if policy.format == "png" else encode_jpeg(small, policy.quality)
            self._encoded = {size: base64.b64encode(data).decode("ascii")}
        return self._encoded[size]

    def forget(self) -> None:
        """Drop the image."""
        self.frame = None
        self._encoded = {}


@dataclass(frozen=True)
class Image:
    """An image to send: media type, base64 text, and size."""

    media_type: str
    data: str
    size: Size


class Context:
    """The images of one episode's conversation.

    Attributes:
        size: Width and height of the screen as the model sees it. Its coordinates are pixels of this size.
        edited: Whether anything sent before was dropped or changed since.
    """

    def __init__(self, screen: Size, limits: ImageLimits, policy: ContextPolicy) -> None:
        self.screen = screen
        self.policy = policy
        self.limits = limits
        self.size = fit(screen, limits)
        self.edited = False
        self._shown: list[Seen] = []

    def see(self, frame: Frame, region: tuple[float, float, float, float] | None = None) -> Seen:
        """Add a frame, or the region of it that a model zoomed in on (in screen pixels)."""
        if frame.size != self.screen:
            actual, expected = "x".join(map(str, frame.size)), "x".join(map(str, self.screen))
            raise InfrastructureError(f"the frame is {actual}, but the agent was told that the screen is {expected}")
        seen = Seen(frame if region is None else cropped(frame, region))
        self._shown.append(seen)
        if len(self._shown) > self.policy.frames + self.policy.slack:
            self.forget(self.policy.frames)
        return seen

    def forget(self, keep: int) -> bool:
        """Drop all but the newest frames. Returns whether any was dropped."""
        gone, self._shown = self._shown[:-keep], self._shown[-keep:]
        for seen in gone:
            seen.forget()
        self.edited = self.edited or bool(gone)
        return bool(gone)

    def shrink(self) -> bool:
        """Halve the sides of all images, including those already sent. Returns whether that was possible."""
        width, height = self.size
        if min(width, height) < 2 * _SMALLEST:
            return False
        self.limits = replace(self.limits, side=max(width, height) // 2, pixels=width * height // 4)
        self.size = fit(self.screen, self.limits)
        self.edited = True
        return True

    def to_screen(self, action: Action) -> Action:
        """Convert an action from pixels of what the model saw to pixels of the screen, never off the screen."""
        return rescaled(action, self.size, self.screen)

    def from_screen(self, point: Size) -> Size:
        """Convert a screen pixel to the model's coordinates."""
        x, y = (
            (2 * min(max(at, 0), side - 1) + 1) * seen // (2 * side)
            for at, side, seen in zip(point, self.screen, self.size, strict=True)
        )
        return x, y

    def image(self, seen: Seen) -> Image | None:
        """Return an image to send, or None if it was dropped."""
        frame = seen.frame
        if frame is None:
            return None
        size = self.size if frame.size == self.screen else fit(frame.size, self.limits, grow=True)
        return Image(f"image/{self.policy.format}", seen.encoded(frame, size, self.policy), size)

    def render(self, messages: Any, show: Callable[[Image], Any], say: Callable[[str], Any]) -> Any:
        """Replace every `Seen` in plain data by a vendor's image block, or by a text block if it was dropped."""
        if isinstance(messages, Seen):
            image = self.image(messages)
            return say(FORGOTTEN) if image is None else show(image)
        if isinstance(messages, dict):
            return {name: self.render(part, show, say) for name, part in messages.items()}
        if isinstance(messages, list):
            return [self.render(part, show, say) for part in messages]
        return messages


def fit(size: Size, limits: ImageLimits, *, grow: bool = False) -> Size:
    """Return the largest size with the same aspect ratio within the limits. It is never enlarged unless `grow`."""
    width, height = size
    scale = min(limits.side / max(size), math.sqrt(limits.pixels / (width * height)))
    if scale >= 1 and not grow:
        return size
    across, down = max(1, math.floor(width * scale)), max(1, math.floor(height * scale))
    return across, down


def resized(frame: Frame, size: Size) -> Frame:
    """Return a frame at another size. Downscaling averages, so that thin lines stay visible."""
    if frame.size == size:
        return frame
    smaller = size[0] <= frame.size[0]
    how = cv2.INTER_AREA if smaller else cv2.INTER_CUBIC
    return Frame(cv2.resize(frame.pixels, size, interpolation=how).astype("uint8"), frame.time)


def cropped(frame: Frame, region: tuple[float, float, float, float]) -> Frame:
    """Return a region of a frame (left, top, right, bottom in pixels), clipped to the frame and at least one pixel."""
    width, height = frame.size
    left, top = min(max(int(region[0]), 0), width - 1), min(max(int(region[1]), 0), height - 1)
    right, bottom = min(max(int(region[2]), left + 1), width), min(max(int(region[3]), top + 1), height)
    return Frame(frame.pixels[top:bottom, left:right].copy(), frame.time)
