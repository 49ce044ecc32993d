"""The two ways of learning: cloning demonstrations, and a group-relative policy gradient on rewards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from examples.train.features import Choice, Sample
from examples.train.policy import Policy, collate
from examples.train.rollouts import Attempt
from fairground.core import Configuration

_BATCH = 48
_CLIP = 0.2
_ENTROPY = 0.003
_EPOCHS = 3


@dataclass(frozen=True)
class Update:
    """What one update of the policy gradient used.

    Attributes:
        groups: Number of groups.
        useful: Groups whose attempts did not all get the same reward; the others teach nothing.
        success: Share of successful attempts.
    """

    groups: int
    useful: int
    success: float


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


def clone(policy: Policy, attempts: Sequence[Attempt], optimizer: torch.optim.Optimizer, seed: int) -> float:
    """Imitate demonstrations for one epoch. Returns the mean negative log-likelihood per choice."""
    decisions = [pair for one in attempts for pair in zip(one.samples, one.choices, strict=True)]
    order = np.random.default_rng(seed).permutation(len(decisions))
    total = 0.0
    policy.train()
    for start in range(0, len(order), _BATCH):
        samples, choices = zip(*(decisions[number] for number in order[start : start + _BATCH]), strict=True)
        log_probs, _ = policy.log_probs(collate(samples), choices)
        _step(policy, optimizer, -log_probs.mean())
        total -= float(log_probs.detach().sum())
    policy.eval()
    return total / len(decisions)


def improve(policy: Policy, groups: Sequence[Sequence[Attempt]], optimizer: torch.optim.Optimizer, seed: int) -> Update:
    """Make attempts that did better than their group more likely, and the others less likely.

    The return of an attempt is half its reward (the share of passed checks) and half its success. Its advantage is the
    return minus the mean of its group, divided by the group's standard deviation. There is no value network. The
    probability ratio to the policy that made the attempts is clipped, as in PPO.
    """
    rows: list[tuple[Sample, Choice, float, float]] = []
    useful = 0
    for group in groups:
        returns = np.array([(one.result.reward + one.result.success) / 2 for one in group])
        if returns.std() < 1e-6:
            continue
        useful += 1
        for one, advantage in zip(group, (returns - returns.mean()) / (returns.std() + 1e-3), strict=True):
            rows += [
                (sample, choice, old, float(advantage))
                for sample, choice, old in zip(one.samples, one.choices, one.log_probs, strict=True)
            ]
    generator = np.random.default_rng(seed)
    for _ in range(_EPOCHS if rows else 0):
        order = generator.permutation(len(rows))
        for start in range(0, len(order), _BATCH):
            samples, choices, old, advantages = zip(
                *(rows[number] for number in order[start : start + _BATCH]), strict=True
            )
            log_probs, entropy = policy.log_probs(collate(samples), choices)
            ratio = (log_probs - torch.tensor(old)).exp()
            gain = torch.tensor(advantages)
            clipped = ratio.clamp(1 - _CLIP, 1 + _CLIP)
            loss = -torch.minimum(ratio * gain, clipped * gain).mean() - _ENTROPY * entropy.mean()
            _step(policy, optimizer, loss)
    successes = [one.result.success for group in groups for one in group]
    return Update(len(groups), useful, float(np.mean(successes)))


def _step(policy: Policy, optimizer: torch.optim.Optimizer, loss: torch.Tensor) -> None:
    optimizer.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    torch.nn.utils.clip_grad_norm_(policy.parameters(), 1.0)
    optimizer.step()
