"""Which world an episode gets: draws from what the server serves, as a local environment draws from its selection."""

from __future__ import annotations

import copy
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from gymnasium.utils import seeding

from fairground.core import InvalidInput, unknown
from fairground.worlds import PINS, Selection, World

_OPEN = "*"
_DRAWING = threading.Lock()  # suites fill caches while they build a world


def narrow(served: Selection, names: str | Sequence[str] | None) -> Selection:
    """Restrict what is served to these names. None means all of it.

    Clients choose among what is served only. Names are never looked up elsewhere, because a name could be a folder of
    this machine.

    Raises:
        InvalidInput: A name is not served.
        InvalidConfiguration: No served configuration matches.
    """
    if names is None:
        return served
    wanted = [names] if isinstance(names, str) else list(names)
    if not wanted:
        raise InvalidInput("world: expected at least one name, got an empty list")
    parts = [part for name in wanted for part in _named(served, name).parts]
    return Selection(tuple(dict.fromkeys(parts)), ", ".join(wanted[:3]) + (", ..." if len(wanted) > 3 else ""))


def screen_size(selection: Selection) -> tuple[int, int]:
    """Return the screen size that all worlds of a selection have.

    Raises:
        InvalidInput: They have several. A session has one.
    """
    sizes = {part.suite.app(part.scenario.app).screen.size: part.name for part in selection.parts}
    if len(sizes) > 1:
        listed = ", ".join(f"{width}x{height} ({name})" for (width, height), name in sizes.items())
        raise InvalidInput(
            f"the worlds of a session must have the same screen size, got {listed}", fix="name a world with `world`"
        )
    return next(iter(sizes))


@dataclass
class Draws:
    """The draws of one session: the same worlds as a local environment draws for the same seed.

    Attributes:
        selection: What to draw from.
        generator: Continues from draw to draw until the next seed.
    """

    selection: Selection
    generator: np.random.Generator

    @classmethod
    def seeded(cls, selection: Selection, seed: int | None) -> Draws:
        """Return draws from a selection. Without a seed, they are random."""
        return cls(selection, _generator(seed))

    def draw(
        self, seed: int | None, options: Mapping[str, Any], *, further: bool = False
    ) -> tuple[World, World | None]:
        """Return the world of the next episode, and perhaps the one that would follow without seed and options.

        Args:
            seed: Seeds this draw and the following ones.
            options: As in `FairgroundEnv.reset`.
            further: Whether to draw the following one too.
        """
        chosen = dict(options)
        following = chosen.pop("next", None)
        choice = self._choice(chosen)
        upcoming = self._choice({"world": following}) if following is not None else None if chosen else self.selection
        generator = self.generator if seed is None else _generator(seed)
        with _DRAWING:
            world = choice.draw(generator)
            coming = upcoming.draw(copy.deepcopy(generator)) if further and upcoming is not None else None
        self.generator = generator
        return world, coming

    def copies(self, count: int) -> list[Draws]:
        """Return draws that continue from here independently, each in the same way."""
        return [replace(self, generator=copy.deepcopy(self.generator)) for _ in range(count)]

    def _choice(self, options: Mapping[str, Any]) -> Selection:
        for name, value in options.items():
            if name not in ("world", *PINS):
                raise unknown("option of reset", str(name), ["world", "next", *PINS])
            if not _names(value):
                raise InvalidInput(f"options.{name}: expected a name or a list of names, got {str(value)[:60]!r}")
        if not options:
            return self.selection
        choice = narrow(self.selection, options.get("world"))
        choice = choice.pinned(**{name: value for name, value in options.items() if name != "world"})
        if (size := screen_size(choice)) != (own := screen_size(self.selection)):
            raise InvalidInput(f"{choice.named} has a screen of {size}, but this session has one of {own}")
        return choice


def _generator(seed: int | None) -> np.random.Generator:
    return seeding.np_random(seed)[0]


def _names(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, list | tuple) and all(isinstance(name, str) for name in value))


def _named(served: Selection, text: str) -> Selection:
    task, _, axes = text.partition("@")
    named, chosen = ([piece for piece in side.split("/") if piece] for side in (task, axes))
    if not named or len(named) > 4 or len(chosen) > 3:
        raise InvalidInput(
            f"world: {text[:200]!r} is not a name", fix="expected suite/app/scenario/instance@profile/theme/ui_state"
        )
    suite, *rest = named
    suites = dict.fromkeys(part.suite.name for part in served.parts)
    if suite != _OPEN and suite not in suites:
        raise unknown("suite that is served", suite, suites)
    parts = tuple(part for part in served.parts if suite in (_OPEN, part.suite.name))
    pins = dict(zip(PINS[:3], rest, strict=False)) | dict(zip(PINS[3:], chosen, strict=False))
    return replace(served, parts=parts).pinned(**{pin: value for pin, value in pins.items() if value != _OPEN})
