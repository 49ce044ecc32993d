"""Splits: which scenarios, or which values of an axis, are for training and which for testing."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, model_validator

from fairground.core import Configuration, InvalidConfiguration, InvalidInput, Record, fingerprint, parse_json
from fairground.core.writing import replace_with, writing
from fairground.rollout.plan import restrict
from fairground.study.grouping import SIDES, Side
from fairground.study.overrides import Overrides
from fairground.study.similarity import EDGE
from fairground.worlds import Scenario, Selection

_MAX_FILE = 256 << 20

Axis = Literal["app", "profile", "theme", "ui_state"]
"""What can be held out as a whole."""


class SplitScenario(Record):
    """A scenario of a split."""

    name: str = Field(description="suite/app/scenario")
    fingerprint: str = Field(description="digest of its kind, instruction template and instances")
    side: Side | Literal["unused"] | None = Field(
        None,
        description="null: on both, because a profile, theme or ui_state is held out; unused: on neither, because it "
        "is similar to a scenario of a held-out app",
    )
    component: int = Field(0, ge=0, description="number of the group of similar scenarios; 0 is the largest")


class SplitPair(Record):
    """Two similar scenarios."""

    first: str
    second: str
    score: float = Field(ge=1, le=8, description="1 (unrelated) to 8 (the same task)")
    parts: dict[str, float] = Field({}, description="agreement of text, checks and moves, from 0 to 1")


class HeldOut(Record):
    """An axis whose values are divided between the sides."""

    axis: Axis
    values: dict[str, tuple[str, ...]] = Field(description="suite/app -> values that only the test side has")


class Split(Record):
    """A split into train and test. No two similar scenarios are on different sides; a file that says so is rejected."""

    format: Literal[1] = Field(1, description="version of the file format")
    suites: dict[str, str] = Field(description="name -> version of each suite")
    test: float = Field(gt=0, lt=1, description="requested share of the test side")
    seed: int = 0
    edge: float = Field(EDGE, description="scenarios with this similarity or more stay on one side")
    similarity: str = Field("", description="MODULE:FUNCTION that computed the similarity; empty: the built-in one")
    hold_out: HeldOut | None = None
    scenarios: tuple[SplitScenario, ...]
    pairs: tuple[SplitPair, ...] = Field((), description="similar pairs, after overrides")
    overrides: Overrides = Overrides()

    @model_validator(mode="after")
    def _no_pair_crosses(self) -> Self:
        sides = {scenario.name: scenario.side for scenario in self.scenarios}
        for pair in self.pairs:
            for name in (pair.first, pair.second):
                if name not in sides:
                    raise ValueError(f"pairs: {name} is not among the scenarios")
        if crossed := crossing(self.pairs, sides, self.edge):
            raise ValueError(crossed_words(crossed))
        return self

    def names(self, side: Side) -> tuple[str, ...]:
        """Return the scenarios of a side."""
        return tuple(each.name for each in self.scenarios if each.side in (None, side))

    def side_of(self, configuration: Configuration) -> Side | None:
        """Return the side of a configuration; None if its scenario is not in the split."""
        name = f"{configuration.suite}/{configuration.app}/{configuration.scenario}"
        scenario = self._by_name.get(name)
        if scenario is None or self.hold_out is None or scenario.side is not None:
            return None if scenario is None or scenario.side == "unused" else scenario.side
        held = self.hold_out.values.get(f"{configuration.suite}/{configuration.app}", ())
        return "test" if getattr(configuration, self.hold_out.axis) in held else "train"

    def select(self, side: Side, selection: Selection) -> Selection:
        """Return the configurations of a selection that are on this side.

        Raises:
            InvalidInput: A scenario is not in the split, or has changed since the split was made.
            InvalidConfiguration: The selection has nothing on this side.
        """
        return restrict(selection, self.allowed(side, selection))

    def allowed(self, side: Side, selection: Selection) -> dict[str, dict[str, tuple[str, ...]]]:
        """Return the scenarios of a selection on this side, each with the allowed values of the held-out axis.

        Raises as `select`.
        """
        allowed: dict[str, dict[str, tuple[str, ...]]] = {}
        for part in selection.parts:
            scenario = self._known(part.name, part.scenario)
            if scenario.side not in (None, side):
                continue
            allowed[part.name] = {}
            if scenario.side is None and self.hold_out is not None:
                held = self.hold_out.values.get(part.name.rpartition("/")[0], ())
                values = part.values(self.hold_out.axis)
                kept = tuple(value for value in values if (value in held) == (side == "test"))
                if not kept:
                    del allowed[part.name]
                    continue
                allowed[part.name] = {self.hold_out.axis: kept}
        if not allowed:
            raise InvalidConfiguration(
                f"nothing of {selection.named} is on the {side} side of this split",
                fix=f"the {side} side has, for example, {', '.join(self.names(side)[:3])}",
            )
        return allowed

    @cached_property
    def _by_name(self) -> Mapping[str, SplitScenario]:
        return {each.name: each for each in self.scenarios}

    def _known(self, name: str, scenario: Scenario) -> SplitScenario:
        row = self._by_name.get(name)
        if row is None:
            raise InvalidInput(
                f"{name} is not in this split", fix="choose other worlds, or make a split that includes it"
            )
        if row.fingerprint != scenario_fingerprint(scenario):
            raise InvalidInput(
                f"{name} has changed since this split was made (its instruction, kind or instances)",
                fix="make the split again with: fairground split " + " ".join(self.suites),
            )
        return row


def scenario_fingerprint(scenario: Scenario) -> str:
    """Return a digest of what a scenario asks for: its kind, template and instances."""
    instances = {name: dict(parameters) for name, parameters in scenario.instances.items()}
    return fingerprint([scenario.kind, scenario.template, instances])


def read_split(path: Path | str) -> Split:
    """Read a split file.

    Raises:
        InvalidInput: The file is missing, malformed, or has similar scenarios on different sides.
    """
    place = Path(path)
    try:
        with place.open("rb") as file:
            data = file.read(_MAX_FILE + 1)
    except OSError as error:
        raise InvalidInput(
            f"cannot read {place}: {error.strerror}", fix="make a split with: fairground split SUITE -o split.json"
        ) from None
    if len(data) > _MAX_FILE:
        raise InvalidInput(f"{place} is larger than {_MAX_FILE >> 20} MB")
    return Split.parse(parse_json(data, where=str(place)), where=str(place))


def read_side(text: str) -> tuple[Split, Side]:
    """Read `FILE:train` or `FILE:test`.

    Raises:
        InvalidInput: The side is missing or unknown, or the file cannot be read.
    """
    path, _, side = text.rpartition(":")
    if side not in SIDES or not path:
        raise InvalidInput(f"{text!r} does not name a side of a split", fix="write FILE:train or FILE:test")
    return read_split(path), "train" if side == "train" else "test"


def write_split(split: Split, path: Path) -> None:
    """Write a split file atomically. Equal splits give equal bytes."""
    text = json.dumps(split.plain(), ensure_ascii=False, indent=1, sort_keys=True) + "\n"
    with writing(path):
        replace_with(path, text.encode(), durable=False)


def crossing(pairs: Sequence[SplitPair], sides: Mapping[str, str | None], edge: float) -> list[SplitPair]:
    """Return the similar pairs with one scenario in train and the other in test."""
    return [pair for pair in pairs if pair.score >= edge and {sides[pair.first], sides[pair.second]} == {*SIDES}]


def crossed_words(pairs: Sequence[SplitPair]) -> str:
    """Return a sentence about pairs that cross."""
    pair = pairs[0]
    more = f", and {len(pairs) - 1} more pairs" if len(pairs) > 1 else ""
    return f"{pair.first} and {pair.second} are similar ({pair.score:g}), but on different sides{more}"
