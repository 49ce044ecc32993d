"""What of an episode stays before a model's eyes: which frames, how large, how encoded."""

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
_SMALLEST = 64  # pixels of a side; a picture is not shrunk beyond it


class ContextPolicy(Record):
    """How many past frames stay in the conversation, and how they are encoded.

    Frames are forgotten several at once: each forgetting changes the conversation's beginning, and with it what the
    server has cached, so a rare large cut costs less than a small one every step.
    """

    frames: int = Field(5, ge=1, le=500, description="frames that always stay, the newest")
    slack: int = Field(5, ge=0, le=500, description="older ones that may stay until all of them are forgotten at once")
    format: Literal["png", "jpeg"] = "png"
    quality: int = Field(85, ge=1, le=100, description="of JPEG")


@dataclass(frozen=True)
class ImageLimits:
    """The largest picture that a model sees at full size; larger ones its server would shrink, or refuse.

    Attributes:
        side: Pixels of the longer side.
        pixels: Width times height.
    """

    side: int = 1568
    pixels: int = 1_150_000


@dataclass(eq=False)
class Seen:
    """One picture in a conversation: it stands where the vendor's own image block will stand when a request is sent.

    Attributes:
        frame: What is seen; None once it is forgotten, so that a long episode does not hold all its frames.
    """

    frame: Frame | None
    _encoded: dict[Size, str] = field(default_factory=dict, repr=False)

    def encoded(self, frame: Frame, size: Size, policy: ContextPolicy) -> str:
        """The picture at this size, in base64; made once."""
        if size not in self._encoded:
            small = resized(frame, size)
            data = encode_png(small) if policy.format == "png" else encode_jpeg(small, policy.quality)
            self._encoded = {size: base64.b64encode(data).decode("ascii")}
        return self._encoded[size]

    def forget(self) -> None:
        """Lets go of the picture."""
        self.frame = None
        self._encoded = {}


@dataclass(frozen=True)
class Image:
    """A picture as it goes out: media type, base64 text, and its size."""

    media_type: str
    data: str
    size: Size


class Context:
    """The pictures of one episode's conversation.

    Attributes:
        size: Width and height of the screen as the model sees it; its coordinates are pixels of this.
        edited: Whether anything that was sent before has been left out or changed since.
    """

    def __init__(self, screen: Size, limits: ImageLimits, policy: ContextPolicy) -> None:
        self.screen = screen
        self.policy = policy
        self.limits = limits
        self.size = fit(screen, limits)
        self.edited = False
        self._shown: list[Seen] = []

    def see(self, frame: Frame, region: tuple[float, float, float, float] | None = None) -> Seen:
        """Takes a frame in, or the part of it that a model zoomed in on (in pixels of the screen)."""
        if frame.size != self.screen:
            found, told = "x".join(map(str, frame.size)), "x".join(map(str, self.screen))
            raise InfrastructureError(f"the frame is {found}, but the agent was told that the screen is {told}")
        seen = Seen(frame if region is None else cropped(frame, region))
        self._shown.append(seen)
        if len(self._shown) > self.policy.frames + self.policy.slack:
            self.forget(self.policy.frames)
        return seen

    def forget(self, keep: int) -> bool:
        """Forgets all but the newest frames; says whether there was anything to forget."""
        gone, self._shown = self._shown[:-keep], self._shown[-keep:]
        for seen in gone:
            seen.forget()
        self.edited = self.edited or bool(gone)
        return bool(gone)

    def shrink(self) -> bool:
        """Halves the sides of all pictures, those already sent included; says whether that is still possible."""
        width, height = self.size
        if min(width, height) < 2 * _SMALLEST:
            return False
        self.limits = replace(self.limits, side=max(width, height) // 2, pixels=width * height // 4)
        self.size = fit(self.screen, self.limits)
        self.edited = True
        return True

    def to_screen(self, action: Action) -> Action:
        """An action in pixels of what the model saw, in pixels of the screen; never off the screen."""
        return rescaled(action, self.size, self.screen)

    def from_screen(self, point: Size) -> Size:
        """A pixel of the screen as the model would name it."""
        x, y = (
            (2 * min(max(at, 0), side - 1) + 1) * seen // (2 * side)
            for at, side, seen in zip(point, self.screen, self.size, strict=True)
        )
        return x, y

    def image(self, seen: Seen) -> Image | None:
        """A picture as it goes out, or None when it is forgotten."""
        frame = seen.frame
        if frame is None:
            return None
        size = self.size if frame.size == self.screen else fit(frame.size, self.limits, grow=True)
        return Image(f"image/{self.policy.format}", seen.encoded(frame, size, self.policy), size)

    def render(self, messages: Any, show: Callable[[Image], Any], say: Callable[[str], Any]) -> Any:
        """Plain data with every `Seen` in it replaced by a vendor's image block, or by its text block if forgotten."""
        if isinstance(messages, Seen):
            image = self.image(messages)
            return say(FORGOTTEN) if image is None else show(image)
        if isinstance(messages, dict):
            return {name: self.render(part, show, say) for name, part in messages.items()}
        if isinstance(messages, list):
            return [self.render(part, show, say) for part in messages]
        return messages


def fit(size: Size, limits: ImageLimits, *, grow: bool = False) -> Size:
    """The largest size of the same shape within the limits; never larger than it was, unless it may grow."""
    width, height = size
    scale = min(limits.side / max(size), math.sqrt(limits.pixels / (width * height)))
    if scale >= 1 and not grow:
        return size
    across, down = max(1, math.floor(width * scale)), max(1, math.floor(height * scale))
    return across, down


def resized(frame: Frame, size: Size) -> Frame:
    """A frame at another size; smaller ones are averaged, so that thin lines stay."""
    if frame.size == size:
        return frame
    smaller = size[0] <= frame.size[0]
    how = cv2.INTER_AREA if smaller else cv2.INTER_CUBIC
    return Frame(cv2.resize(frame.pixels, size, interpolation=how).astype("uint8"), frame.time)


def cropped(frame: Frame, region: tuple[float, float, float, float]) -> Frame:
    """A part of a frame: left, top, right, bottom in its pixels, cut to what is there and at least a pixel."""
    width, height = frame.size
    left, top = min(max(int(region[0]), 0), width - 1), min(max(int(region[1]), 0), height - 1)
    right, bottom = min(max(int(region[2]), left + 1), width), min(max(int(region[3]), top + 1), height)
    return Frame(frame.pixels[top:bottom, left:right].copy(), frame.time)
