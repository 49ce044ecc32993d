"""Groups of attempts from one start: which starts come next, and what a group says about each choice."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from examples.train.features import Choice
from examples.train.rollouts import Attempt
from fairground.core import Configuration, InfrastructureError


def advantages(group: Sequence[Attempt]) -> list[list[float]]:
    """Return the advantage of every choice of a group of attempts from one start.

    The same choices lead to the same state, so attempts that agreed so far are in the same state. The advantage of a
    choice is the mean return of the attempts that made it there, minus the mean of all attempts that were there. So
    choices that all attempts made have none. All are divided by the standard deviation of the group's returns.
    """
    returns = [(one.result.reward + one.result.success) / 2 for one in group]
    spread = float(np.std(returns))
    if spread < 1e-6:
        return [[0.0] * len(one.choices) for one in group]
    arrived: dict[tuple[Choice, ...], list[float]] = {}
    for one, value in zip(group, returns, strict=True):
        for length in range(len(one.choices) + 1):
            arrived.setdefault(tuple(one.choices[:length]), []).append(value)
    means = {choices: float(np.mean(values)) for choices, values in arrived.items()}
    return [
        [
            (means[tuple(one.choices[: length + 1])] - means[tuple(one.choices[:length])]) / spread
            for length in range(len(one.choices))
        ]
        for one in group
    ]


def groups_of(attempts: Sequence[Attempt], size: int) -> list[Sequence[Attempt]]:
    """Cut attempts into groups of one start each.

    Raises:
        InfrastructureError: The attempts of a group did not have the same start.
    """
    groups = [attempts[first : first + size] for first in range(0, len(attempts), size)]
    for group in groups:
        if len({one.fingerprint for one in group}) > 1:
            raise InfrastructureError(f"attempts at {group[0].job.world.id} had different starts")
    return groups


class Curriculum:
    """Chooses the next starts: scenarios that sometimes succeed and sometimes fail come more often.

    Args:
        starts: Configurations of training, those of each scenario in the order of use.
    """

    def __init__(self, starts: Sequence[Configuration]) -> None:
        self._starts: dict[str, list[Configuration]] = {}
        for start in starts:
            self._starts.setdefault(start.scenario, []).append(start)
        self._rates = dict.fromkeys(self._starts, 0.5)
        self._used = dict.fromkeys(self._starts, 0)

    def draw(self, count: int, seed: int) -> list[Configuration]:
        """Draw starts. At most one per scenario, unless there are more starts than scenarios."""
        generator = np.random.default_rng(seed)
        names = list(self._starts)
        weights = np.array([rate * (1 - rate) + 0.05 for rate in self._rates.values()])
        chosen: list[Configuration] = []
        while len(chosen) < count:
            size = min(count - len(chosen), len(names))
            for name in generator.choice(names, size, replace=False, p=weights / weights.sum()):
                starts = self._starts[name]
                chosen.append(starts[self._used[name] % len(starts)])
                self._used[name] += 1
        return chosen

    def state(self) -> dict[str, dict[str, float]]:
        """Return what `load` needs to continue."""
        return {"rates": dict(self._rates), "used": dict(self._used)}

    def load(self, state: dict[str, dict[str, float]]) -> None:
        """Continue where `state` was taken."""
        self._rates = dict(state["rates"])
        self._used = {name: int(used) for name, used in state["used"].items()}

    def record(self, groups: Sequence[Sequence[Attempt]]) -> None:
        """Update the success rate of each scenario."""
        for group in groups:
            name = group[0].job.world.scenario
            self._rates[name] += 0.5 * (float(np.mean([one.result.success for one in group])) - self._rates[name])
