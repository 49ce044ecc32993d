"""The tasks of this example, and which configurations are for training.

The family is twelve email tasks whose oracle moves the policy can express: press a control, or type a part of the
instruction. Three of ten instances, profiles and themes are never used in training.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from fairground.core import AXES, Configuration
from fairground.worlds import Selection, derived_seed, select

SCENARIOS = (
    "send-mail", "reply-all", "forward-with-file", "finish-draft", "move-to-folder", "label-mail",
    "restore-from-trash", "delete-for-ever", "delete-contact", "favourite", "signature", "rename-label",
)  # fmt: skip
UNSEEN = ("save-draft", "change-phone", "new-folder")
"""Scenarios that are never trained on. The policy could express their solutions as well."""

AXES_HELD_OUT = ("instance", "profile", "theme")
_SHARE = 0.3


@dataclass(frozen=True)
class Family:
    """The configurations of a set of scenarios, split into training and held out.

    Attributes:
        selection: All of them.
        held_out: For each axis, the values that are never used in training; instances per scenario.
    """

    selection: Selection
    held_out: dict[str, frozenset[str]]

    def training(self) -> Selection:
        """Return the configurations whose values were all released for training."""
        return self._restricted(())

    def testing(self, axes: Collection[str]) -> Selection:
        """Return the configurations whose values on `axes` are held out, and released on the other axes."""
        return self._restricted(axes)

    def _restricted(self, axes: Collection[str]) -> Selection:
        parts = []
        for part in self.selection.parts:
            wanted = {
                axis: [
                    value for value in part.values(axis) if self._is_held_out(part.name, axis, value) == (axis in axes)
                ]
                for axis in AXES_HELD_OUT
            }
            parts.append(part.pinned(wanted))
        return Selection(tuple(part for part in parts if len(part)), self.selection.named)

    def _is_held_out(self, scenario: str, axis: str, value: str) -> bool:
        return (f"{scenario}/{value}" if axis == "instance" else value) in self.held_out[axis]


def family(scenarios: Collection[str] = SCENARIOS, *, app: str = "pocket/email", seed: int = 0) -> Family:
    """Return the family. The same seed holds out the same values."""
    selection = select(*(f"{app}/{scenario}" for scenario in scenarios))
    held_out: dict[str, frozenset[str]] = {}
    for axis in AXES_HELD_OUT:
        if axis == "instance":
            names = [
                f"{part.name}/{value}"
                for part in selection.parts
                for value in _some(part.values(axis), part.name, seed)
            ]
        else:
            every = tuple(dict.fromkeys(value for part in selection.parts for value in part.values(axis)))
            names = _some(every, axis, seed)
        held_out[axis] = frozenset(names)
    return Family(selection, held_out)


def draw(selection: Selection, count: int, seed: int) -> list[Configuration]:
    """Draw configurations, the same number of each scenario, in an order that alternates between scenarios."""
    each = -(-count // len(selection.parts))
    drawn = list(selection.sample(each, axes=AXES, seed=seed))
    by_scenario: dict[str, list[Configuration]] = {}
    for configuration in drawn:
        by_scenario.setdefault(configuration.scenario, []).append(configuration)
    for scenario, rows in by_scenario.items():
        rows.sort(key=lambda row: derived_seed(seed, row.id, 0))
        assert rows, scenario
    return list(_alternating(list(by_scenario.values())))[:count]


def _some(values: Collection[str], name: str, seed: int) -> list[str]:
    """A fixed random share of the values."""
    ordered = sorted(values, key=lambda value: derived_seed(seed, f"{name}/{value}", 0))
    return ordered[: max(1, round(_SHARE * len(ordered)))]


def _alternating(columns: list[list[Configuration]]) -> Iterator[Configuration]:
    for place in range(max(map(len, columns))):
        yield from (column[place] for column in columns if place < len(column))
