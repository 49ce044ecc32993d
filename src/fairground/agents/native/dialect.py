"""What a dialect is: one native action format, read and written."""

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
"""Width and height, in pixels, of the picture that the model saw."""


class Inexpressible(InvalidInput):
    """A canonical action that a dialect has no words for. Not an agent's mistake: nobody acted."""


class CannotSay(Exception):
    """A writer's word that it has no call for an action; `Dialect.write` tries simpler actions, then gives up."""


@dataclass(frozen=True)
class Dialect:
    """One native action format. Both directions are pure: no SDK, no screen, nothing is executed.

    Attributes:
        name: How it is asked for, such as `anthropic-20251124`.
        summary: Whose it is, in a line.
        read: One native call to canonical actions; may raise `InvalidInput` and Pydantic's `ValidationError`.
        say: One canonical action, in pixels, to native calls; raises `CannotSay` for what it has no call for.
        tools: What a model is told about the tools, for a screen of this size.
        join: Makes one call of several, where the format lets a call hold more than one action.
    """

    name: str
    summary: str
    read: Callable[[Any, Size], Iterable[Action]]
    say: Callable[[Action, Size], Sequence[Any]]
    tools: Callable[[Size], list[dict[str, Any]]]
    join: Callable[[Sequence[Any]], Any] | None = None

    def parse(self, native: Any, size: Size) -> tuple[Action, ...]:
        """The canonical actions that a native call asks for, in pixels of a screen of this size.

        Whatever a model wrote, the only error is `InvalidAction`: what was found, what was expected. Nothing of a
        call is returned when a part of it is wrong, so a call is carried out whole or not at all.
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
        """The native calls that do what a canonical action does on a screen of this size, in order.

        Raises:
            Inexpressible: The dialect has no words for it, not even in several calls.
            InvalidAction: The action itself is off the screen.
        """
        pixels = action.to_pixels(*size)
        try:
            calls = self._say(pixels, size)
        except CannotSay as reason:
            raise Inexpressible(f"{self.name} cannot express {action.kind} ({action!r}): {reason}") from None
        return (self.join(calls),) if self.join is not None and len(calls) > 1 else tuple(calls)

    def describe_tools(self, size: Size) -> list[dict[str, Any]]:
        """What a model is told: the request's `tools`, or for text dialects the usage of each action."""
        return self.tools(size)

    def _say(self, action: Action, size: Size) -> list[Any]:
        try:
            return list(self.say(action, size))
        except CannotSay:
            parts = simpler(action)
            if parts is None:
                raise
            return [call for part in parts for call in self._say(part, size)]
