"""Selections: the configurations that a name stands for, and how to draw from them.

Runs and environments draw from the same selections. If a suite has proofs, only proven configurations are drawn.
"""

from __future__ import annotations

import hashlib
import itertools
import random
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from fairground.core import AXES, Configuration, InvalidConfiguration, InvalidInput, unknown
from fairground.worlds.app import Scenario, Suite, World
from fairground.worlds.registry import suite_of

PINS = ("app", "scenario", *AXES)
"""The parts of a selection that can be restricted to values."""

Design = Literal["random", "one-axis-at-a-time"]
"""How the configurations of a scenario are chosen; see `Selection.sample`."""

_OPEN = "*"
_SEEDS = 1 << 32


@dataclass(frozen=True)
class Part:
    """The configurations of one scenario in a selection, without listing their product.

    Attributes:
        pairs: Instances with profiles.
        seed: The world's seed, if it is fixed.
    """

    suite: Suite
    scenario: Scenario
    pairs: tuple[tuple[str, str], ...]
    themes: tuple[str, ...]
    ui_states: tuple[str, ...]
    seed: int | None = None

    @classmethod
    def of(cls, world: World) -> Part:
        """Return the single configuration of a world."""
        configuration = world.configuration
        pairs = ((configuration.instance, configuration.profile),)
        return cls(world.suite, world.scenario, pairs, (configuration.theme,), (configuration.ui_state,), world.seed)

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
        """Return the world of one of the configurations."""
        return World.of(self.suite, self[number], seed if self.seed is None else self.seed)

    def values(self, pin: str) -> tuple[str, ...]:
        """Return its values of an axis, in the suite's order."""
        match pin:
            case "app":
                return (self.scenario.app,)
            case "scenario":
                return (self.scenario.name,)
            case "instance":
                return tuple(dict.fromkeys(instance for instance, _ in self.pairs))
            case "profile":
                present = {profile for _, profile in self.pairs}
                return tuple(name for name in self.suite.app(self.scenario.app).profiles if name in present)
            case _:
                return self.themes if pin == "theme" else self.ui_states

    def pinned(self, wanted: Mapping[str, Collection[str]]) -> Part:
        """Return the configurations with these values only, possibly none."""

        def fits(pin: str, value: str) -> bool:
            return pin not in wanted or value in wanted[pin]

        here = fits("app", self.scenario.app) and fits("scenario", self.scenario.name)
        return replace(
            self,
            pairs=tuple(pair for pair in self.pairs if here and fits("instance", pair[0]) and fits("profile", pair[1])),
            themes=tuple(theme for theme in self.themes if fits("theme", theme)),
            ui_states=tuple(ui_state for ui_state in self.ui_states if fits("ui_state", ui_state)),
        )

    def fixed(self, axes: Collection[str]) -> Part:
        """Return the same part, restricted to the first value of every axis that is not in `axes`."""
        part = self
        for axis in AXES:
            if axis not in axes:
                part = part.pinned({axis: part.values(axis)[:1]})
        return part

    def neighbours(self, configuration: Configuration, axis: str) -> list[Configuration]:
        """Return the configurations that differ from one of them along this axis only."""
        rest = {same_axis: (getattr(configuration, same_axis),) for same_axis in AXES if same_axis != axis}
        line = self.pinned(rest)
        return [neighbour for number in range(len(line)) if (neighbour := line[number]) != configuration]


@dataclass(frozen=True)
class Selection:
    """All served configurations that match what the user named."""

    parts: tuple[Part, ...]
    named: str

    def __post_init__(self) -> None:
        if not self.parts:
            raise InvalidInput("a selection needs at least one suite, app, scenario or configuration")

    def __len__(self) -> int:
        """Number of configurations."""
        return sum(map(len, self.parts))

    def __iter__(self) -> Iterator[Configuration]:
        """All configurations, in a stable order. There may be millions."""
        return (part[number] for part in self.parts for number in range(len(part)))

    def first(self) -> World:
        """Return the first world."""
        return self.parts[0].world(0)

    def pinned(self, **values: str | Collection[str]) -> Selection:
        """Restrict the selection: `pinned(theme="dark", profile=["office", "school"])`.

        Raises:
            InvalidInput: A name is not in `PINS`, or no configuration here has a value.
            InvalidConfiguration: No served configuration has this combination of values.
        """
        wanted = {pin: [value] if isinstance(value, str) else list(value) for pin, value in values.items()}
        for pin, allowed in wanted.items():
            if pin not in PINS:
                raise unknown("axis", pin, PINS)
            known = dict.fromkeys(value for part in self.parts for value in part.values(pin))
            for value in allowed:
                if value not in known:
                    raise unknown(f"{pin} of {self.named}", str(value), known)
        left = tuple(part for whole_part in self.parts if len(part := whole_part.pinned(wanted)))
        if not left:
            described = ", ".join(f"{pin} {' or '.join(allowed)}" for pin, allowed in wanted.items())
            raise InvalidConfiguration(f"no configuration of {self.named} that is served has {described}")
        return replace(self, parts=left)

    def draw(self, generator: np.random.Generator) -> World:
        """Draw a world at random: uniformly a scenario, then one of its configurations, and a seed for it."""
        part = self.parts[int(generator.integers(len(self.parts)))]
        return part.world(int(generator.integers(len(part))), int(generator.integers(_SEEDS)))

    def draws(self, seed: int | None = None) -> Iterator[World]:
        """Draw endlessly. The same seed gives the same draws."""
        generator = np.random.default_rng(seed)
        while True:
            yield self.draw(generator)

    def sample(
        self, configs: int | None = 4, *, axes: Collection[str] = AXES, seed: int = 0, design: Design = "random"
    ) -> Iterator[Configuration]:
        """Sample configurations of each scenario without repetition, as `fairground run` does.

        The sample of a scenario depends only on the seed and that scenario, not on what else is selected.

        Args:
            configs: How many per scenario; None for all.
            axes: The axes that vary. Others stay at their first value.
            seed: The same seed gives the same sample.
            design: `random` draws from all configurations. `one-axis-at-a-time` draws a base configuration, then
                configurations that differ from it along one axis only, cycling through the axes. Scenarios start with
                different axes, so that over scenarios every axis varies about equally often.

        Raises:
            InvalidInput: An axis is unknown, or the design needs more configurations.
        """
        for axis in axes:
            if axis not in AXES:
                raise unknown("axis", axis, AXES)
        if design == "one-axis-at-a-time" and configs == 1:
            raise InvalidInput(
                "one-axis-at-a-time compares configurations, so it needs at least 2 per scenario, got 1",
                fix="request 2 or more configurations per scenario; 5 vary each of the four axes once",
            )
        for selected in self.parts:
            part = selected.fixed(axes)
            if design == "one-axis-at-a-time":
                yield from itertools.islice(_one_axis_at_a_time(part, seed), configs)
                continue
            numbers: Sequence[int] = range(len(part))
            if configs is not None and configs < len(part):
                numbers = sorted(random.Random(derived_seed(seed, part.name, -1)).sample(numbers, configs))
            yield from (part[number] for number in numbers)


def select(*wanted: str | World) -> Selection:
    """Return the configurations that names or worlds stand for.

    Args:
        wanted: `suite`, `suite/app`, `suite/app/scenario` or any prefix of a configuration id. Missing parts and `*`
            match everything: `desk/calc/*/*@*/dark`. A path to a folder with a `world.toml` can replace `suite/app`.

    Raises:
        InvalidConfiguration: None of the configurations is served, because they are not proven.
        InvalidInput: A name does not exist.
    """
    parts = [part for entry in wanted for part in ([Part.of(entry)] if isinstance(entry, World) else _named(entry))]
    named = [entry if isinstance(entry, str) else entry.id for entry in wanted]
    return Selection(tuple(dict.fromkeys(parts)), ", ".join(named[:3]) + (", ..." if len(named) > 3 else ""))


def derived_seed(seed: int, name: str, rollout: int) -> int:
    """Derive a seed from another seed and a name. The result is the same on every machine."""
    digest = hashlib.blake2b(f"{seed}\n{name}\n{rollout}".encode(), digest_size=4).digest()
    return int.from_bytes(digest, "big")


def _one_axis_at_a_time(part: Part, seed: int) -> Iterator[Configuration]:
    """A base configuration, then others that differ from it along one axis only.

    Every axis is used once before any repeats.
    """
    generator = random.Random(derived_seed(seed, part.name, -3))
    base = part[generator.randrange(len(part))]
    lines = [line for axis in AXES if (line := part.neighbours(base, axis))]
    for line in lines:
        generator.shuffle(line)
    place = [(scenario.app, scenario.name) for scenario in part.suite.scenarios].index(
        (part.scenario.app, part.scenario.name)
    )
    turn = (place + seed) % max(len(lines), 1)
    yield base
    for row in itertools.zip_longest(*lines[turn:], *lines[:turn]):
        yield from (configuration for configuration in row if configuration is not None)


def _named(text: str) -> list[Part]:
    suite, rest = suite_of(text)
    task, _, axes = rest.partition("@")
    named, chosen = ([part for part in side.split("/") if part] for side in (task, axes))
    if len(named) > 3 or len(chosen) > 3:
        raise InvalidInput(
            f"{text!r} has too many parts", fix="expected suite/app/scenario/instance@profile/theme/ui_state"
        )
    pins = dict(zip(PINS[:3], named, strict=False)) | dict(zip(PINS[3:], chosen, strict=False))
    pins = {pin: value for pin, value in pins.items() if value != _OPEN}
    scenarios = _scenarios(suite, pins.pop("app", None), pins.pop("scenario", None))
    named_parts = [_whole(suite, scenario) for scenario in scenarios]
    for axis, value in pins.items():
        known = dict.fromkeys(name for part in named_parts for name in part.values(axis))
        if value not in known:
            raise unknown(f"{axis} of {text.partition('@')[0]}", value, known)
    wanted = {axis: (value,) for axis, value in pins.items()}
    served = [replace(part, pairs=tuple(suite.pairs(part.scenario))).pinned(wanted) for part in named_parts]
    if not any(map(len, served)):
        raise _not_served(text, named_parts[0].pinned(wanted), several=len(named_parts) > 1)
    _warn_stale(suite, scenarios)
    return [part for part in served if len(part)]


def _warn_stale(suite: Suite, scenarios: Sequence[Scenario]) -> None:
    stale = [(scenario, why) for scenario in scenarios if (why := suite.why_stale(scenario)) is not None]
    if stale:
        scenario, why = stale[0]
        more = f", and {len(stale) - 1} more of {suite.name}," if len(stale) > 1 else ""
        warnings.warn(
            f"{suite.name}/{scenario.app}/{scenario.name}{more} not served: {why}; "
            f"prove again with: fairground prove {suite.name}",
            StaleProof,
            stacklevel=4,
        )


class StaleProof(UserWarning):
    """Scenarios are left out because their sources changed after they were proven."""


def _scenarios(suite: Suite, app: str | None, name: str | None) -> list[Scenario]:
    if app is not None and name is not None:
        return [suite.scenario(app, name)]
    if app is not None:
        app = suite.app(app).name
    matching = [
        scenario for scenario in suite.scenarios if app in (None, scenario.app) and name in (None, scenario.name)
    ]
    if not matching and name is not None:
        raise unknown(f"scenario of {suite.name}", name, (scenario.name for scenario in suite.scenarios))
    if not matching:
        raise InvalidInput(f"{f'app {suite.name}/{app}' if app else f'suite {suite.name}'} has no scenario yet")
    return matching


def _whole(suite: Suite, scenario: Scenario) -> Part:
    """All configurations of a scenario, proven or not."""
    app = suite.app(scenario.app)
    pairs = tuple((instance, profile) for instance in scenario.instances for profile in app.profiles)
    return Part(suite, scenario, pairs, tuple(app.themes), tuple(app.ui_states))


def _not_served(text: str, part: Part, *, several: bool) -> InvalidConfiguration:
    reason = part.suite.why_not(part[0])
    if several and part.suite.why_stale(part.scenario) is None:
        reason = "nothing of it has been proven yet"
    where = "/".join(text.partition("@")[0].split("/")[:3])
    return InvalidConfiguration(
        f"{text} is not served: {reason}", fix=f"choose another one, or see the reason with: fairground prove {where}"
    )
