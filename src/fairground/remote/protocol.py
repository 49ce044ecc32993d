"""The messages of the wire, as strict records. Unknown fields are errors."""

from __future__ import annotations

from typing import Any, Final, Literal, TypeAlias

from pydantic import Field

from fairground.core import Record

MAX_MESSAGE: Final = 1 << 20
"""Maximum size of a message to the server in bytes."""

KEPT_FRAMES: Final = 256
"""How many frames a connection remembers. A frame that is older is sent again when it is named again."""

DIGEST_LENGTH: Final = 32
"""Length of a frame's digest: BLAKE2b with 16 bytes over the PNG, as hexadecimal characters."""

Method: TypeAlias = Literal["open", "reset", "step", "score", "fork", "cancel", "close"]


class OpenRequest(Record):
    """Open one session, or a group of sessions at one start."""

    world: str | tuple[str, ...] | None = Field(None, description="a name within what is served; all of it by default")
    seed: int | None = Field(None, ge=0, description="seeds the draw of the world and the draws of later resets")
    options: dict[str, Any] = Field({}, description="restricts the draw, as in FairgroundEnv.reset")
    observations: tuple[str, ...] | None = Field(None, description="what to observe; the server's choice by default")
    group: int | None = Field(None, ge=1, description="number of sessions with the same world and seed")
    split: str | None = Field(None, description="the side of the server's split to draw from")
    lease: float | None = Field(None, gt=0, description="close the session after this many seconds without a call")


class ResetRequest(Record):
    """Start another episode in a session."""

    seed: int | None = Field(None, ge=0)
    options: dict[str, Any] = {}


class StepRequest(Record):
    """Perform one action."""

    action: dict[str, Any]


class ScoreRequest(Record):
    """Judge the state as it is now."""

    answer: str | None = Field(None, description="the answer to judge, if the scenario asks for one")


class ForkRequest(Record):
    """Open further sessions in the same state."""

    count: int = Field(1, ge=1)


class EmptyRequest(Record):
    """A call without parameters: `cancel` and `close`."""


REQUESTS: Final[dict[str, type[Record]]] = {
    "open": OpenRequest,
    "reset": ResetRequest,
    "step": StepRequest,
    "score": ScoreRequest,
    "fork": ForkRequest,
    "cancel": EmptyRequest,
    "close": EmptyRequest,
}
"""The record of each method's parameters."""


class FrameName(Record):
    """The name of a frame. The picture itself is sent once per connection, or fetched from /v1/frames/DIGEST."""

    digest: str
    width: int
    height: int


class WireWindow(Record):
    """A window on the screen; see `fairground.core.Window`."""

    title: str
    bounds: tuple[int, int, int, int]
    focused: bool


class WireObservation(Record):
    """An observation. What was not asked for is null."""

    frame: FrameName | None
    step: int
    cursor: tuple[int, int] | None
    tree: str | None = Field(description="the accessibility tree as indented text")
    windows: tuple[WireWindow, ...] | None
    messages: tuple[str, ...]


class Start(Record):
    """The start of an episode."""

    session: str
    world: str = Field(description="configuration id")
    instruction: str
    kind: str = Field(description="`action` or `answer`")
    seed: int = Field(description="the seed of the world, as drawn")
    fingerprint: str
    size: tuple[int, int]
    step_budget: int
    observation: WireObservation


class Stepped(Record):
    """The result of a step."""

    observation: WireObservation
    reward: float
    terminated: bool
    truncated: bool
    info: dict[str, Any]


class Opened(Record):
    """The result of `open` and `fork`."""

    sessions: tuple[Start, ...]
