"""The two ways of learning: cloning demonstrations, and a group-relative policy gradient on rewards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from examples.train.features import Choice, Sample
from examples.train.groups import advantages
from examples.train.policy import Policy, collate
from examples.train.rollouts import Attempt

_BATCH = 48
_CLIP = 0.2
_ENTROPY = 0.003
_EPOCHS = 2


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
    """Make choices that did better than others of their group more likely, and the others less likely.

    The return of an attempt is half its reward (the share of passed checks) and half its success. There is no value
    network: see `advantages`. The probability ratio to the policy that made the attempts is clipped, as in PPO.
    """
    rows: list[tuple[Sample, Choice, float, float]] = []
    useful = 0
    for group in groups:
        found = advantages(group)
        useful += any(map(any, found))
        for one, worth in zip(group, found, strict=True):
            decisions = zip(one.samples, one.choices, one.log_probs, worth, strict=True)
            rows += [decision for decision in decisions if decision[-1]]
    generator = np.random.default_rng(seed)
    for _ in range(_EPOCHS if rows else 0):
        order = generator.permutation(len(rows))
        for start in range(0, len(order), _BATCH):
            samples, choices, old, gains = zip(*(rows[number] for number in order[start : start + _BATCH]), strict=True)
            log_probs, entropy = policy.log_probs(collate(samples), choices)
            ratio = (log_probs - torch.tensor(old)).exp()
            gain = torch.tensor(gains)
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
