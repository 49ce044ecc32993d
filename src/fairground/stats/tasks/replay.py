"""The score of a blind replay of recorded successes: exactly pass@k on a static suite, almost nothing on a varied one.

The replay policy watches an agent make k rollouts of each task, keeps one successful recording per task if there is
any, and plays it back without looking at the screen.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from fairground.core import InvalidInput
from fairground.stats.interval import Interval, check_level
from fairground.stats.proportions import check_numbers, check_whole, mean_interval
from fairground.stats.tasks.reliability import PassCurve, pass_curve, pass_table

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

_CELLS_AT_ONCE = 4_000_000


@dataclass(frozen=True)
class ReplayEstimate:
    """What a replay of this agent would score on this suite if the suite were static.

    Attributes:
        source: The agent's own success rate (pass@1).
        replay: Expected success rate of the replay policy from k rollouts, for k = 1, 2, ...: the pass@k curve.
        gain: Replay minus source at each k: what a script without any skill gains over the agent that it copies.
        notes: Caveats for the reader.
    """

    source: Interval
    replay: PassCurve
    gain: tuple[float, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class WatchedTask:
    """Attempts at one task that a script watched, and the results of replaying the recording that it kept.

    Only scored attempts and replays count. An errored episode is neither a success nor a failure.

    Attributes:
        passed: Number of passed attempts.
        attempts: Number of scored attempts.
        replays_passed: Number of passed replays.
        replays: Number of scored replays; 0 if nothing passed, or if every replay errored.
    """

    passed: int
    attempts: int
    replays_passed: int = 0
    replays: int = 0

    def known(self, k: int) -> bool:
        """Return whether the score of a script that watched k of the attempts is known."""
        return self.attempts >= k and (self.passed == 0 or self.replays > 0)

    def pass_at_k(self, k: int) -> float:
        """Return the probability that k of the attempts, drawn at random, include one that passed."""
        return 1 - comb(self.attempts - self.passed, k) / comb(self.attempts, k)

    def lost(self, k: int) -> float:
        """Return how much less than `pass_at_k` the script scores, because its recording fails."""
        return self.pass_at_k(k) * (1 - self.replays_passed / self.replays) if self.replays else 0.0

    def replay(self, k: int) -> float:
        """Return the expected score of a script that watched k of the attempts."""
        return self.pass_at_k(k) - self.lost(k)


@dataclass(frozen=True)
class SwappedReplay:
    """Agent and script at one k, over tasks whose attempts came in two halves.

    Attributes:
        pass_at_k: pass@k of the agent.
        replay: Success rate of the script.
        gap: Script minus agent, paired by task.
        tasks: Number of tasks.
    """

    pass_at_k: Interval
    replay: Interval
    gap: Interval
    tasks: int


@dataclass(frozen=True)
class ReplaySimulation:
    """Simulated success rates as functions of k, the number of rollouts that were watched.

    Intervals show the precision of the simulation, for the number of experiments.

    Attributes:
        ks: The values of k.
        source: Success rate of the agent itself; the same at every k.
        pass_at_k: pass@k estimated from separate rollouts, as one would from data.
        static: Success rate of the replay if each task always starts the same.
        varied: Success rate of the replay if each episode draws a configuration.
        expected_static: Theoretical value of `static`: mean of 1 - (1 - p)^k.
        expected_varied: Theoretical value of `varied`.
        experiments: Number of simulated experiments.
    """

    ks: tuple[int, ...]
    source: Interval
    pass_at_k: tuple[Interval, ...]
    static: tuple[Interval, ...]
    varied: tuple[Interval, ...]
    expected_static: tuple[float, ...]
    expected_varied: tuple[float, ...]
    experiments: int


def replay_success(p: ArrayLike, k: int) -> float:
    """Return the expected success rate of the replay policy on a static suite: the mean over tasks of 1 - (1 - p)^k.

    Args:
        p: The agent's true success rate on each task.
        k: Number of rollouts watched per task.
    """
    return float(_found(_rates(p), _whole_from_one(k, "k")).mean())


def replay_from_counts(
    successes: ArrayLike,
    trials: ArrayLike,
    *,
    rng: np.random.Generator,
    largest_k: int | None = None,
    groups: Sequence[Hashable] | NDArray[np.generic] | None = None,
    level: float = 0.95,
    replicates: int = 10_000,
) -> ReplayEstimate:
    """Estimate the score of the replay policy from each task's successes and rollouts: unbiased pass@k with intervals.

    Arguments as for `pass_curve`. The equality holds for a suite that starts every episode of a task in the same way
    and reacts in the same way to the same actions.
    """
    curve = pass_curve(
        successes,
        trials,
        rng=rng,
        metric="pass@k",
        largest_k=largest_k,
        groups=groups,
        level=level,
        replicates=replicates,
    )
    source = curve.points[0]
    gain = tuple(point.estimate - source.estimate for point in curve.points)
    note = (
        "This is what a replay would score on a static suite. Only an actual replay shows whether your suite is static."
    )
    if curve.left_out[-1] > curve.left_out[0]:
        note += "; the gain compares different sets of tasks where some have too few rollouts"
    return ReplayEstimate(source, curve, gain, (note, *curve.notes))


def swapped_replay(
    tasks: Sequence[tuple[WatchedTask, WatchedTask]], k: int, *, level: float = 0.95
) -> SwappedReplay | None:
    """Compare a script with the agent that it watched, with each half of a task's attempts in both roles.

    The script watches one half, and pass@k is measured on the other. Then the halves swap roles, and both estimates are
    averaged. So it does not matter which half had more luck. Each task gives one average, and intervals are over tasks:
    the dependence of both estimates on the same tasks is accounted for.

    Args:
        tasks: The two halves of each task. A task counts if both can be judged at this k.
        k: Number of attempts watched.
        level: Confidence level.

    Returns:
        The comparison, or None if no task counts.
    """
    usable = [halves for halves in tasks if all(half.known(k) for half in halves)]
    if not usable:
        return None

    def over_tasks(value: Callable[[WatchedTask], float], smallest: float = 0.0, largest: float = 1.0) -> Interval:
        averages = [(value(first_half) + value(second_half)) / 2 for first_half, second_half in usable]
        return mean_interval(averages, smallest=smallest, largest=largest, level=level)

    return SwappedReplay(
        pass_at_k=over_tasks(lambda half: half.pass_at_k(k)),
        replay=over_tasks(lambda half: half.replay(k)),
        gap=over_tasks(lambda half: 0.0 - half.lost(k), smallest=-1.0, largest=0.0),
        tasks=len(usable),
    )


def watched_replay(tasks: Sequence[WatchedTask], k: int, *, level: float = 0.95) -> Interval | None:
    """Return the success rate of a script that watched k attempts per task. None if no task can be judged."""
    rates = [task.replay(k) for task in tasks if task.known(k)]
    return mean_interval(rates, level=level) if rates else None


def simulate_replay(
    p: ArrayLike,
    *,
    rng: np.random.Generator,
    largest_k: int = 10,
    configurations: ArrayLike = 100,
    repeat: ArrayLike | None = None,
    transfer: ArrayLike = 0.0,
    experiments: int = 200,
    level: float = 0.95,
) -> ReplaySimulation:
    """Build the replay policy from simulated rollouts, and evaluate it in a static and in a varied world.

    In both worlds a recording always succeeds in its own configuration. The static world has one configuration per
    task. In the varied world each rollout and each evaluation draws one of `configurations`. In another configuration
    than its own, a recording succeeds only with probability `transfer`. The policy plays its earliest success. Within
    an experiment all k share the rollouts and the evaluation; experiments are independent.

    Args:
        p: The agent's true success rate on each task, in any configuration.
        rng: Random generator.
        largest_k: Curves run from 1 to this.
        configurations: Number of configurations per task in the varied world; one number, or one per task.
        repeat: Probability that an evaluation draws exactly the configuration of the recording, if not 1 /
            configurations.
        transfer: Probability that a recording works in another configuration: near 1 for "log out", 0 for most. One
            number, or one per task.
        experiments: Number of independent repetitions.
        level: Confidence level.
    """
    check_level(level)
    rates = _rates(p)
    largest_k = _whole_from_one(largest_k, "largest_k")
    experiments = _whole_from_one(experiments, "experiments")
    same = _same_chance(configurations, repeat, len(rates))
    moves = _chances(transfer, "transfer", len(rates))
    parts = [_experiments(rates, same, moves, largest_k, size, rng) for size in _portions(experiments, len(rates))]
    source, pass_at, static, varied = (np.concatenate(kind) for kind in zip(*parts, strict=True))
    ks = tuple(range(1, largest_k + 1))
    recorded = np.stack([_found(rates, k) for k in ks])

    def over_experiments(values: Floats) -> tuple[Interval, ...]:
        return tuple(mean_interval(np.clip(column, 0.0, 1.0), level=level) for column in values.T)

    return ReplaySimulation(
        ks=ks,
        source=mean_interval(source, level=level),
        pass_at_k=over_experiments(pass_at),
        static=over_experiments(static),
        varied=over_experiments(varied),
        expected_static=tuple(recorded.mean(axis=1).tolist()),
        expected_varied=tuple((recorded * (same + (1 - same) * moves)).mean(axis=1).tolist()),
        experiments=experiments,
    )


def _experiments(
    p: Floats, same: Floats, transfer: Floats, largest_k: int, size: int, rng: np.random.Generator
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return success rates of some experiments (rows): source, pass@k, static replay, varied replay (columns k)."""
    shape = (size, len(p))
    source = (rng.random(shape) < p).mean(axis=1)
    # pass@k has separate rollouts: if it used the replay's recordings, equality would prove nothing.
    counts = rng.binomial(largest_k, p, shape)
    possible = np.arange(largest_k + 1)
    values = pass_table("pass@k", possible, np.full_like(possible, largest_k), largest_k)
    pass_at = _histogram(counts, largest_k + 1) @ values / len(p)
    static = _replay(p, np.ones_like(p), np.zeros_like(p), largest_k, shape, rng)
    varied = _replay(p, same, transfer, largest_k, shape, rng)
    return source, np.asarray(pass_at, dtype=np.float64), static, varied


def _replay(
    p: Floats, same: Floats, transfer: Floats, largest_k: int, shape: tuple[int, int], rng: np.random.Generator
) -> Floats:
    """Return the success rate of the replay policy at each k: it has a recording that works where it is played."""
    # The number of the first success is geometric: the same distribution as k coin flips, without storing them.
    first = np.where(p > 0, rng.geometric(np.where(p > 0, p, 1.0), shape), largest_k + 1)
    works = (rng.random(shape) < same) | (rng.random(shape) < transfer)
    first = np.where(works, np.minimum(first, largest_k + 1), largest_k + 1)
    rates: Floats = np.cumsum(_histogram(first - 1, largest_k + 1), axis=1)[:, :largest_k] / shape[1]
    return rates


def _histogram(values: Counts, kinds: int) -> Counts:
    """Return how often each value occurs in each row."""
    rows = np.arange(len(values))[:, None] * kinds
    return np.bincount((values + rows).ravel(), minlength=len(values) * kinds).reshape(len(values), kinds)


def _found(p: Floats, k: int) -> Floats:
    """Return the probability that k rollouts include a success, accurate for small p."""
    return np.asarray(-np.expm1(special.xlog1py(float(k), -p)), dtype=np.float64)


def _same_chance(configurations: ArrayLike, repeat: ArrayLike | None, tasks: int) -> Floats:
    if repeat is not None:
        return _chances(repeat, "repeat", tasks)
    number = check_whole(configurations, "configurations")
    if (number < 1).any():
        raise InvalidInput(f"configurations: expected at least 1, got {number.min()}")
    return _chances(1 / number, "configurations", tasks)


def _chances(values: ArrayLike, what: str, tasks: int) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    if array.shape not in ((), (tasks,)):
        raise InvalidInput(f"{what}: expected one number, or one per task ({tasks}), got shape {array.shape}")
    return _rates(np.broadcast_to(array, (tasks,)), what)


def _rates(p: ArrayLike, what: str = "p") -> Floats:
    array = check_numbers(p, what)
    if array.min() < 0 or array.max() > 1:
        raise InvalidInput(f"{what}: expected numbers from 0 to 1, got {array.min():g} to {array.max():g}")
    return array


def _whole_from_one(value: int, what: str) -> int:
    number = check_whole(value, what)
    if number.ndim or number < 1:
        raise InvalidInput(f"{what}: expected one integer of at least 1, got {value!r}")
    return int(number)


def _portions(experiments: int, tasks: int) -> list[int]:
    """Return batch sizes that limit memory."""
    rows = max(1, _CELLS_AT_ONCE // tasks)
    return [min(rows, experiments - start) for start in range(0, experiments, rows)]
