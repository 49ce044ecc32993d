"""Simulate the effect of looking after every pair on errors and cost: the naive rule and the anytime-valid rule."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from fairground.core import InvalidInput
from fairground.stats.interval import check_level
from fairground.stats.planning.martingales import Floats, log_capital_of_wins


@dataclass(frozen=True)
class StoppingRule:
    """Performance of a stopping rule over many simulated comparisons.

    Attributes:
        name: The rule.
        declared: Share of comparisons in which it declared one agent better.
        wrong: Share of wrong declarations: any declaration if the agents are equal, otherwise one for the worse agent.
        mean_pairs: Mean number of pairs used; the full length if it never declared.
        median_pairs: Median number of pairs used.
    """

    name: str
    declared: float
    wrong: float
    mean_pairs: float
    median_pairs: float


@dataclass(frozen=True)
class StoppingStudy:
    """Effect of early stopping on errors and cost; see `simulate_stopping`."""

    p_a: float
    p_b: float
    pairs: int
    streams: int
    level: float
    naive: StoppingRule
    once: StoppingRule
    anytime: StoppingRule


def simulate_stopping(
    p_a: float,
    p_b: float,
    *,
    rng: np.random.Generator,
    both: float | None = None,
    pairs: int = 1000,
    streams: int = 2000,
    first_look: int = 20,
    level: float = 0.95,
) -> StoppingStudy:
    """Compare two agents many times, looking after every pair, with the naive and the anytime-valid rule.

    The naive rule stops at the first pair from `first_look` on at which a paired z test is significant. `once` is the
    same test used as intended, only at the end. `anytime` is what `DifferenceMonitor` does.

    Args:
        p_a: Success rate of the first agent.
        p_b: Success rate of the second agent.
        rng: Random generator.
        both: Probability that both succeed at a configuration. If None, they are independent. A larger value is
            typical, because a hard configuration is hard for both.
        pairs: Maximum number of pairs per comparison.
        streams: Number of simulated comparisons.
        first_look: Number of pairs before the naive rule starts looking.
        level: One minus the error rate allowed for each rule.
    """
    both = p_a * p_b if both is None else both
    if not (0 <= p_a <= 1 and 0 <= p_b <= 1 and max(0.0, p_a + p_b - 1) - 1e-12 <= both <= min(p_a, p_b) + 1e-12):
        raise InvalidInput(
            f"rates: success rates {p_a!r} and {p_b!r} are not compatible with both succeeding at {both!r}",
            fix="use rates in [0, 1], and `both` between p_a + p_b - 1 and the smaller rate",
        )
    if pairs < 2 or streams < 1 or not 2 <= first_look <= pairs:
        raise InvalidInput(
            f"pairs: got pairs={pairs}, streams={streams}, first_look={first_look}",
            fix="use at least 2 pairs, one stream, and a first look between 2 and the last pair",
        )
    alpha = 1 - check_level(level)
    draw = rng.random((streams, pairs))
    a_only, b_only = draw < p_a - both, draw >= 1 - (p_b - both)
    wins, losses = np.cumsum(a_only, axis=1, dtype=float), np.cumsum(b_only, axis=1, dtype=float)
    lead = wins - losses
    count = np.arange(1.0, pairs + 1)
    spread = np.maximum((wins + losses) * count - lead**2, 0) / np.maximum(count - 1, 1)  # number times variance
    z_squared = np.divide(lead**2, spread, out=np.where(lead == 0, 0.0, np.inf), where=spread > 0)
    hit = z_squared > float(stdtrit(math.inf, 1 - alpha / 2)) ** 2
    anytime = log_capital_of_wins(wins, losses) >= -math.log(alpha)
    better = float(np.sign(p_a - p_b))
    naive = _judge("z test at every look", hit & (count >= first_look), lead, better)
    once = _judge("z test once, at the end", hit & (count == pairs), lead, better)
    return StoppingStudy(p_a, p_b, pairs, streams, level, naive, once, _judge("anytime-valid", anytime, lead, better))


def _judge(name: str, hit: NDArray[np.bool_], lead: Floats, better: float) -> StoppingRule:
    declared, stop = hit.any(axis=1), hit.argmax(axis=1)
    side = np.sign(lead[np.arange(len(lead)), stop])
    used = np.where(declared, stop + 1, lead.shape[1])
    wrong = declared & (side != better)
    return StoppingRule(name, float(declared.mean()), float(wrong.mean()), float(used.mean()), float(np.median(used)))
