"""Canonical actions: one input each, with the coordinate space it uses.

Every native format (a vendor's tool call, pyautogui text, a Gymnasium sample) maps to these kinds and back. An `Action`
is validated on construction, so every instance is well-formed. `to_pixels` checks whether it is on the screen, because
that needs the screen size.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal, Self, TypeAlias, get_args

from pydantic import Field, TypeAdapter, ValidationError, field_validator, model_validator

from fairground.core.errors import InvalidAction
from fairground.core.keys import canonical_key, is_modifier
from fairground.core.names import unknown
from fairground.core.strict import Record, explain

Space: TypeAlias = Literal["pixels", "unit", "grid999", "grid1000"]
"""The coordinate space: screen pixels, or the whole screen as 0 to 1, 0 to 999, or 0 to 1000."""

Button: TypeAlias = Literal["left", "middle", "right", "back", "forward"]
"""A mouse button."""

Point: TypeAlias = tuple[float, float]
"""x and y."""

_LAST: dict[Space, tuple[int, int] | None] = {
    "pixels": None,
    "unit": (1, 1),
    "grid999": (999, 999),
    "grid1000": (1000, 1000),
}
"""The largest coordinates of each space; for pixels they depend on the screen."""

MAX_TEXT = 20_000  # maximum characters per action: more than any realistic paste
MAX_PATH = 1_000  # maximum points per drag
MAX_SCROLL = 20_000  # maximum pixels or clicks per scroll
MAX_SECONDS = 120.0  # maximum for waiting and for holding a key


class _Action(Record):
    @property
    def points(self) -> tuple[Point, ...]:
        """The coordinates of this action, in order."""
        return ()

    @property
    def ends(self) -> bool:
        """Whether this action ends the episode."""
        return False

    def to_pixels(self, width: int, height: int) -> Self:
        """Return the same action in pixels of a screen of this size.

        Raises:
            InvalidAction: A coordinate is off screen.
        """
        return self


def to_pixel(point: Point, space: Space, width: int, height: int) -> Point:
    """Convert a point to pixels.

    Raises:
        InvalidAction: The point is off screen.
    """
    x, y = point
    last_x, last_y = _LAST[space] or (width - 1, height - 1)
    # Pixel n covers the half-open interval [n, n + 1).
    end_x, end_y = (width, height) if space == "pixels" else (last_x, last_y)
    inside = 0 <= x <= end_x and 0 <= y <= end_y and not (space == "pixels" and (x == width or y == height))
    if not inside:
        raise InvalidAction(
            f"point ({x:g}, {y:g}) is off the {width}x{height} screen",
            fix=f"coordinates go from 0 to {last_x} across and 0 to {last_y} down ({space})",
        )
    if space == "pixels":
        return (math.floor(x), math.floor(y))
    if space == "grid999":
        return (round(x * (width - 1) / 999), round(y * (height - 1) / 999))
    return (min(math.floor(x * width / last_x), width - 1), min(math.floor(y * height / last_y), height - 1))


def from_pixel(point: Point, space: Space, width: int, height: int) -> Point:
    """Convert a pixel to another space. The result is the pixel's center, so that `to_pixel` restores it."""
    x, y = point
    if space == "pixels":
        return point
    if space == "grid999":
        return (x / max(width - 1, 1) * 999, y / max(height - 1, 1) * 999)
    top = 1.0 if space == "unit" else 1000.0
    return ((x + 0.5) / width * top, (y + 0.5) / height * top)


class _Pointed(_Action):
    """An action at one point. Without a point, it acts at the current pointer position."""

    point: Point | None = Field(None, description="position; null means the current pointer position")
    space: Space = Field("pixels", description="the unit of the coordinates")

    @property
    def points(self) -> tuple[Point, ...]:
        return () if self.point is None else (self.point,)

    def to_pixels(self, width: int, height: int) -> Self:
        if self.point is None:
            return self
        pixel = to_pixel(self.point, self.space, width, height)
        return self.model_copy(update={"point": pixel, "space": "pixels"})


def _modifiers(names: tuple[str, ...]) -> tuple[str, ...]:
    keys = tuple(dict.fromkeys(canonical_key(name) for name in names))
    for key in keys:
        if not is_modifier(key):
            raise ValueError(f"{key!r} is not a modifier; expected ctrl, alt, shift, super or altgr")
    return keys


class _Held(_Pointed):
    modifiers: tuple[str, ...] = Field((), description="keys held during the action", max_length=8)

    _check_modifiers = field_validator("modifiers")(_modifiers)


class Click(_Held):
    """Press and release a button, one to three times."""

    kind: Literal["click"] = "click"
    button: Button = "left"
    count: int = Field(1, ge=1, le=3)


class Move(_Held):
    """Move the pointer."""

    kind: Literal["move"] = "move"


class MouseDown(_Held):
    """Press a button and keep it down."""

    kind: Literal["mouse_down"] = "mouse_down"
    button: Button = "left"


class MouseUp(_Held):
    """Release a button."""

    kind: Literal["mouse_up"] = "mouse_up"
    button: Button = "left"


class Scroll(_Held):
    """Scroll with the mouse wheel.

    Positive `dy` moves the content up (towards the end of a page), positive `dx` left.
    """

    kind: Literal["scroll"] = "scroll"
    dx: float = Field(0, ge=-MAX_SCROLL, le=MAX_SCROLL)
    dy: float = Field(0, ge=-MAX_SCROLL, le=MAX_SCROLL)
    unit: Literal["clicks", "pixels"] = Field("clicks", description="a wheel click is about 120 pixels")

    def clicks(self) -> tuple[int, int]:
        """Whole wheel clicks, horizontal and vertical. Any non-zero amount gives at least one click."""
        per = 1.0 if self.unit == "clicks" else 120.0

        def whole(amount: float) -> int:
            return int(math.copysign(max(1, round(abs(amount) / per)), amount)) if amount else 0

        return whole(self.dx), whole(self.dy)


class Drag(_Action):
    """Press at the first point of a path, follow it, and release at the last."""

    kind: Literal["drag"] = "drag"
    path: tuple[Point, ...] = Field(min_length=2, max_length=MAX_PATH)
    space: Space = "pixels"
    button: Button = "left"
    modifiers: tuple[str, ...] = Field((), max_length=8)

    _check_modifiers = field_validator("modifiers")(_modifiers)

    @property
    def points(self) -> tuple[Point, ...]:
        return self.path

    def to_pixels(self, width: int, height: int) -> Self:
        path = tuple(to_pixel(point, self.space, width, height) for point in self.path)
        return self.model_copy(update={"path": path, "space": "pixels"})


class Key(_Action):
    """Press keys together (a chord such as ctrl, shift, s), `repeat` times, held for `seconds`."""

    kind: Literal["key"] = "key"
    keys: tuple[str, ...] = Field(min_length=1, max_length=8)
    repeat: int = Field(1, ge=1, le=100)
    seconds: float = Field(0.0, ge=0, le=MAX_SECONDS)

    @field_validator("keys")
    @classmethod
    def _check_keys(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(canonical_key(name) for name in names)


class KeyDown(_Action):
    """Press a key and keep it down."""

    kind: Literal["key_down"] = "key_down"
    key: str

    _check_key = field_validator("key")(canonical_key)


class KeyUp(_Action):
    """Release a key."""

    kind: Literal["key_up"] = "key_up"
    key: str

    _check_key = field_validator("key")(canonical_key)


class Type(_Action):
    """Type text in any script. A newline is Enter, a tab is Tab."""

    kind: Literal["type"] = "type"
    text: str = Field(max_length=MAX_TEXT)

    @field_validator("text")
    @classmethod
    def _check_text(cls, text: str) -> str:
        for character in text:
            code = ord(character)
            if (code < 32 and character not in "\n\t\r") or code == 127 or 0xD800 <= code <= 0xDFFF:
                raise ValueError(f"character U+{code:04X} cannot be typed; use a key action")
        return text


class Wait(_Action):
    """Wait, at most `seconds`."""

    kind: Literal["wait"] = "wait"
    seconds: float = Field(1.0, ge=0, le=MAX_SECONDS)


class Look(_Action):
    """Request an observation without any input. With a region, request that part of the screen."""

    kind: Literal["look"] = "look"
    region: tuple[float, float, float, float] | None = Field(None, description="left, top, right, bottom")
    space: Space = "pixels"

    @model_validator(mode="after")
    def _check_region(self) -> Self:
        if self.region is not None and (self.region[0] >= self.region[2] or self.region[1] >= self.region[3]):
            raise ValueError("expected a region (left, top, right, bottom) with left < right and top < bottom")
        return self

    @property
    def points(self) -> tuple[Point, ...]:
        return () if self.region is None else (self.region[:2], self.region[2:])

    def to_pixels(self, width: int, height: int) -> Self:
        if self.region is None:
            return self
        # Right and bottom are exclusive: the whole screen in grid1000 is 0 to 1000.
        last_x, last_y = _LAST[self.space] or (width, height)
        left, top, right, bottom = self.region
        if not (left >= 0 and top >= 0 and right <= last_x and bottom <= last_y):
            raise InvalidAction(f"region {self.region} extends beyond the {width}x{height} screen ({self.space})")
        region = (
            math.floor(left * width / last_x),
            math.floor(top * height / last_y),
            math.ceil(right * width / last_x),
            math.ceil(bottom * height / last_y),
        )
        return self.model_copy(update={"region": region, "space": "pixels"})


class _Ending(_Action):
    @property
    def ends(self) -> bool:
        return True


class Answer(_Ending):
    """Give the answer that an `answer` scenario asks for, and end the episode."""

    kind: Literal["answer"] = "answer"
    text: str = Field(max_length=MAX_TEXT)


class CallUser(_Action):
    """Ask the user something. The reply comes with the next observation."""

    kind: Literal["call_user"] = "call_user"
    text: str = Field("", max_length=MAX_TEXT)


class Done(_Ending):
    """Report that the task is finished, and end the episode."""

    kind: Literal["done"] = "done"


class Fail(_Ending):
    """Report that the task cannot be done, and end the episode."""

    kind: Literal["fail"] = "fail"
    reason: str = Field("", max_length=MAX_TEXT)


Action: TypeAlias = (
    Click | Move | MouseDown | MouseUp | Scroll | Drag | Key | KeyDown | KeyUp | Type | Wait | Look
    | Answer | CallUser | Done | Fail
)  # fmt: skip

_ADAPTER: TypeAdapter[Action] = TypeAdapter(Annotated[Action, Field(discriminator="kind")])
ACTION_KINDS: tuple[str, ...] = tuple(
    str(get_args(member.model_fields["kind"].annotation)[0]) for member in get_args(Action)
)


def parse_action(data: Any, *, where: str = "action") -> Action:
    """Parse an action from plain data.

    Raises:
        InvalidAction: The data is not an action. The message contains the path to the fault.
    """
    if isinstance(data, _Action):
        return data  # type: ignore[return-value]
    if isinstance(data, dict) and "kind" in data and data["kind"] not in ACTION_KINDS:
        error = unknown("action kind", str(data["kind"])[:40], ACTION_KINDS)
        raise InvalidAction(f"{where}.kind: {error.message}", fix=error.fix)
    try:
        return _ADAPTER.validate_python(data)
    except ValidationError as error:
        raise InvalidAction(explain(error, where, data)) from None
