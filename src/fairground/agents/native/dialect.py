"""A dialect: one native action format, read and written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from pydantic import ValidationError

from fairground.agents.native.limits import MAX_ACTIONS, check_limits
from fairground.agents.native.simpler import simpler
from fairground.core import Action, InvalidAction, InvalidInput
from fairground.core.strict import explain

Size: TypeAlias = tuple[int, int]
"""Width and height, in pixels, of the image that the model saw."""


class Inexpressible(InvalidInput):
    """A canonical action that a dialect cannot express. Not an agent's mistake."""


class CannotSay(Exception):
    """Raised by a writer that has no call for an action.

    `Dialect.write` then tries simpler actions, and finally gives up.
    """


@dataclass(frozen=True)
class Dialect:
    """One native action format. Both directions are pure: no SDK, no screen, nothing is executed.

    Attributes:
        name: Its name, such as `anthropic-20251124`.
        summary: One-line description.
        read: Converts one native call to canonical actions. May raise `InvalidInput` and Pydantic's `ValidationError`.
        say: Converts one canonical action, in pixels, to native calls. Raises `CannotSay` if it has no call for it.
        tools: Returns the tool description for a model, for a screen of this size.
        join: Combines several calls into one, if the format allows more than one action per call.
    """

    name: str
    summary: str
    read: Callable[[Any, Size], Iterable[Action]]
    say: Callable[[Action, Size], Sequence[Any]]
    tools: Callable[[Size], list[dict[str, Any]]]
    join: Callable[[Sequence[Any]], Any] | None = None

    def parse(self, native: Any, size: Size) -> tuple[Action, ...]:
        """Return the canonical actions of a native call, in pixels of a screen of this size.

        For any model output, the only error is `InvalidAction`, which says what was found and what was expected. If a
        part of a call is wrong, nothing of it is returned, so a call is performed completely or not at all.
        """
        check_limits(native)
        try:
            actions = [action.to_pixels(*size) for action in self.read(native, size)]
        except InvalidAction:
            raise
        except InvalidInput as error:
            raise InvalidAction(error.message, fix=error.fix) from None
        except ValidationError as error:
            raise InvalidAction(explain(error, error.title.lower())) from None
        if not actions:
            raise InvalidAction(f"no action found; expected at least one ({self.name})")
        if len(actions) > MAX_ACTIONS:
            raise InvalidAction(f"{len(actions)} actions in one call; expected at most {MAX_ACTIONS}")
        return tuple(actions)

    def write(self, action: Action, size: Size) -> tuple[Any, ...]:
        """Return the native calls for a canonical action on a screen of this size, in order.

        Raises:
            Inexpressible: If the dialect cannot express it, not even in several calls.
            InvalidAction: If the action itself is off the screen.
        """
        pixels = action.to_pixels(*size)
        try:
            calls = self._say(pixels, size)
        except CannotSay as reason:
            raise Inexpressible(f"{self.name} cannot express {action.kind} ({action!r}): {reason}") from None
        return (self.join(calls),) if self.join is not None and len(calls) > 1 else tuple(calls)

    def describe_tools(self, size: Size) -> list[dict[str, Any]]:
        """Return the tool description for a model: `tools` of the request, or the usage of each action as text."""
        return self.tools(size)

    def _say(self, action: Action, size: Size) -> list[Any]:
        try:
            return list(self.say(action, size))
        except CannotSay:
            parts = simpler(action)
            if parts is None:
                raise
            return [call for part in parts for call in self._say(part, size)]
