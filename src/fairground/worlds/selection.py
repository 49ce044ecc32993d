"""Which configurations a name stands for, and how one or many of them are drawn.

Runs and environments draw from the same selections: of a suite with proofs, only from what is proven.
"""

from __future__ import annotations

import hashlib
import itertools
import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from fairground.core import AXES, Configuration, InvalidConfiguration, InvalidInput, unknown
from fairground.worlds.app import Scenario, Suite, World
from fairground.worlds.registry import suite_of

PINS = ("app", "scenario", *AXES)
"""What of a selection can be pinned to a value."""

Design = Literal["random", "one-axis-at-a-time"]
"""How the configurations of a scenario are chosen: see `Selection.sample`."""

_OPEN = "*"
_SEEDS = 1 << 32


@dataclass(frozen=True)
class Part:
    """The configurations of one scenario in a selection, without listing their product.

    Attributes:
        pairs: Instances with profiles.
        seed: The world's, where it is fixed.
    """

    suite: Suite
    scenario: Scenario
    pairs: tuple[tuple[str, str], ...]
    themes: tuple[str, ...]
    ui_states: tuple[str, ...]
    seed: int | None = None

    @classmethod
    def of(cls, world: World) -> Part:
        """The one configuration of a world."""
        one = world.configuration
        pairs = ((one.instance, one.profile),)
        return cls(world.suite, world.scenario, pairs, (one.theme,), (one.ui_state,), world.seed)

    @property
    def name(self) -> str:
        """`suite/app/scenario`."""
        return f"{self.suite.name}/{self.scenario.app}/{self.scenario.name}"

    def __len__(self) -> int:
        return len(self.pairs) * len(self.themes) * len(self.ui_states)

    def __getitem__(self, number: int) -> Configuration:
        rest, ui_state = divmod(number, len(self.ui_states))
        pair, theme = divmod(rest, len(self.themes))
        instance, profile = self.pairs[pair]
        return Configuration(
            suite=self.suite.name,
            app=self.scenario.app,
            scenario=self.scenario.name,
            instance=instance,
            profile=profile,
            theme=self.themes[theme],
            ui_state=self.ui_states[ui_state],
        )

    def world(self, number: int, seed: int = 0) -> World:
        """The world of one of them."""
        return World.of(self.suite, self[number], seed if self.seed is None else self.seed)

    def values(self, pin: str) -> tuple[str, ...]:
        """The values that it has of an axis, in the suite's order."""
        match pin:
            case "app":
                return (self.scenario.app,)
            case "scenario":
                return (self.scenario.name,)
            case "instance":
                return tuple(dict.fromkeys(instance for instance, _ in self.pairs))
            case "profile":
                found = {profile for _, profile in self.pairs}
                return tuple(name for name in self.suite.app(self.scenario.app).profiles if name in found)
            case _:
                return self.themes if pin == "theme" else self.ui_states

    def pinned(self, wanted: Mapping[str, Collection[str]]) -> Part:
        """What is left of it with these values only; perhaps nothing."""

        def fits(pin: str, value: str) -> bool:
            return pin not in wanted or value in wanted[pin]

        here = fits("app", self.scenario.app) and fits("scenario", self.scenario.name)
        return replace(
            self,
            pairs=tuple(one for one in self.pairs if here and fits("instance", one[0]) and fits("profile", one[1])),
            themes=tuple(one for one in self.themes if fits("theme", one)),
            ui_states=tuple(one for one in self.ui_states if fits("ui_state", one)),
        )

    def fixed(self, axes: Collection[str]) -> Part:
        """The same with the first value of every axis that is not among these."""
        part = self
        for axis in AXES:
            if axis not in axes:
                part = part.pinned({axis: part.values(axis)[:1]})
        return part

    def neighbours(self, configuration: Configuration, axis: str) -> list[Configuration]:
        """Those that differ from one of them along this axis only."""
        rest = {other: (getattr(configuration, other),) for other in AXES if other != axis}
        line = self.pinned(rest)
        return [one for number in range(len(line)) if (one := line[number]) != configuration]


@dataclass(frozen=True)
class Selection:
    """Every configuration that is served of what somebody named."""

    parts: tuple[Part, ...]
    named: str

    def __post_init__(self) -> None:
        if not self.parts:
            raise InvalidInput("a selection needs at least one suite, app, scenario or configuration")

    def __len__(self) -> int:
        """How many configurations there are."""
        return sum(map(len, self.parts))

    def __iter__(self) -> Iterator[Configuration]:
        """All of them, in a stable order: there may be millions."""
        return (part[number] for part in self.parts for number in range(len(part)))

    def first(self) -> World:
        """The first of them."""
        return self.parts[0].world(0)

    def pinned(self, **values: str | Collection[str]) -> Selection:
        """What is left with these values: `pinned(theme="dark", profile=["office", "school"])`.

        Raises:
            InvalidInput: For a name that is not in `PINS`, and for a value that no configuration here has.
        """
        wanted = {pin: [value] if isinstance(value, str) else list(value) for pin, value in values.items()}
        for pin, some in wanted.items():
            if pin not in PINS:
                raise unknown("axis", pin, PINS)
            known = dict.fromkeys(value for part in self.parts for value in part.values(pin))
            for value in some:
                if value not in known:
                    raise unknown(f"{pin} of {self.named}", str(value), known)
        left = tuple(part for one in self.parts if len(part := one.pinned(wanted)))
        if not left:
            said = ", ".join(f"{pin} {' or '.join(some)}" for pin, some in wanted.items())
            raise InvalidConfiguration(f"no configuration of {self.named} that is served has {said}")
        return replace(self, parts=left)

    def draw(self, generator: np.random.Generator) -> World:
        """One at random: each scenario with the same chance, then each of its configurations; and a seed for it."""
        part = self.parts[int(generator.integers(len(self.parts)))]
        return part.world(int(generator.integers(len(part))), int(generator.integers(_SEEDS)))

    def draws(self, seed: int | None = None) -> Iterator[World]:
        """Draws without end, the same for the same seed."""
        generator = np.random.default_rng(seed)
        while True:
            yield self.draw(generator)

    def sample(
        self, configs: int | None = 4, *, axes: Collection[str] = AXES, seed: int = 0, design: Design = "random"
    ) -> Iterator[Configuration]:
        """What `fairground run` plans: so many configurations of each scenario, none twice.

        What is drawn of a scenario depends on the seed and that scenario alone, not on what else is selected.

        Args:
            configs: How many of each scenario; None for all.
            axes: The axes that vary; others stay at their first value.
            seed: The same seed gives the same sample.
            design: `random` draws from all configurations. `one-axis-at-a-time` draws a base configuration, then
                configurations that differ from it along one axis only, the axes in turn. Scenarios begin with different
                axes, so that over scenarios every axis varies about equally often.

        Raises:
            InvalidInput: For an unknown axis, and for a design that needs more configurations.
        """
        for axis in axes:
            if axis not in AXES:
                raise unknown("axis", axis, AXES)
        if design == "one-axis-at-a-time" and configs == 1:
            raise InvalidInput(
                "one-axis-at-a-time compares configurations, and 1 per scenario was asked for",
                fix="ask for 2 or more configurations per scenario; 5 vary each of the four axes once",
            )
        for whole in self.parts:
            part = whole.fixed(axes)
            if design == "one-axis-at-a-time":
                yield from itertools.islice(_one_axis_at_a_time(part, seed), configs)
                continue
            numbers: Sequence[int] = range(len(part))
            if configs is not None and configs < len(part):
                numbers = sorted(random.Random(derived_seed(seed, part.name, -1)).sample(numbers, configs))
            yield from (part[number] for number in numbers)


def select(*wanted: str | World) -> Selection:
    """The configurations that are meant by names, or by worlds.

    Args:
        wanted: `suite`, `suite/app`, `suite/app/scenario` or any beginning of a configuration's id. What is not said
            is open, and so is `*`: `desk/calc/*/*@*/dark`. A path to a folder with a `world.toml` works in place of
            `suite/app`.

    Raises:
        InvalidConfiguration: When nothing of it is served, since it is not proven.
        InvalidInput: When something that was named does not exist.
    """
    parts = [part for one in wanted for part in ([Part.of(one)] if isinstance(one, World) else _named(one))]
    named = [one if isinstance(one, str) else one.id for one in wanted]
    return Selection(tuple(dict.fromkeys(parts)), ", ".join(named[:3]) + (", ..." if len(named) > 3 else ""))


def derived_seed(seed: int, name: str, rollout: int) -> int:
    """A seed that follows from another and a name, the same on every machine."""
    digest = hashlib.blake2b(f"{seed}\n{name}\n{rollout}".encode(), digest_size=4).digest()
    return int.from_bytes(digest, "big")


def _one_axis_at_a_time(part: Part, seed: int) -> Iterator[Configuration]:
    """A base configuration, then what differs from it along one axis only: each axis once before any comes again."""
    generator = random.Random(derived_seed(seed, part.name, -3))
    base = part[generator.randrange(len(part))]
    lines = [line for axis in AXES if (line := part.neighbours(base, axis))]
    for line in lines:
        generator.shuffle(line)
    place = [(one.app, one.name) for one in part.suite.scenarios].index((part.scenario.app, part.scenario.name))
    turn = (place + seed) % max(len(lines), 1)
    yield base
    for row in itertools.zip_longest(*lines[turn:], *lines[:turn]):
        yield from (one for one in row if one is not None)


def _named(text: str) -> list[Part]:
    suite, rest = suite_of(text)
    task, _, axes = rest.partition("@")
    said, chosen = ([part for part in side.split("/") if part] for side in (task, axes))
    if len(said) > 3 or len(chosen) > 3:
        raise InvalidInput(
            f"{text!r} has too many parts", fix="expected suite/app/scenario/instance@profile/theme/ui_state"
        )
    pins = dict(zip(PINS[:3], said, strict=False)) | dict(zip(PINS[3:], chosen, strict=False))
    pins = {pin: value for pin, value in pins.items() if value != _OPEN}
    scenarios = _scenarios(suite, pins.pop("app", None), pins.pop("scenario", None))
    whole = [_whole(suite, one) for one in scenarios]
    for axis, value in pins.items():
        known = dict.fromkeys(name for part in whole for name in part.values(axis))
        if value not in known:
            raise unknown(f"{axis} of {text.partition('@')[0]}", value, known)
    wanted = {axis: (value,) for axis, value in pins.items()}
    served = [replace(part, pairs=tuple(suite.pairs(part.scenario))).pinned(wanted) for part in whole]
    if not any(map(len, served)):
        raise _not_served(text, whole[0].pinned(wanted), several=len(whole) > 1)
    return [part for part in served if len(part)]


def _scenarios(suite: Suite, app: str | None, name: str | None) -> list[Scenario]:
    if app is not None and name is not None:
        return [suite.scenario(app, name)]
    if app is not None:
        app = suite.app(app).name
    found = [one for one in suite.scenarios if app in (None, one.app) and name in (None, one.name)]
    if not found and name is not None:
        raise unknown(f"scenario of {suite.name}", name, (one.name for one in suite.scenarios))
    if not found:
        raise InvalidInput(f"{f'app {suite.name}/{app}' if app else f'suite {suite.name}'} has no scenario yet")
    return found


def _whole(suite: Suite, scenario: Scenario) -> Part:
    """All of a scenario, proven or not."""
    app = suite.app(scenario.app)
    pairs = tuple((instance, profile) for instance in scenario.instances for profile in app.profiles)
    return Part(suite, scenario, pairs, tuple(app.themes), tuple(app.ui_states))


def _not_served(text: str, part: Part, *, several: bool) -> InvalidConfiguration:
    reason = "nothing of it has been proven yet" if several else part.suite.why_not(part[0])
    where = "/".join(text.partition("@")[0].split("/")[:3])
    return InvalidConfiguration(
        f"{text} is not served: {reason}", fix=f"choose another, or see why: fairground prove {where}"
    )
