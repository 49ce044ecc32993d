"""Expected regret: what it costs to deploy whichever of two contenders looked better in a small evaluation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from fairground.core import InvalidInput, unknown
from fairground.stats.interval import Interval, check_level
from fairground.stats.proportions import score_bounds, two_sided_z
from fairground.stats.tables.cells import Cells, match, match_scenarios

Floats = NDArray[np.float64]
Truth = Literal["all", "other_half"]
Halves = Literal["floor", "ceil", "random"]
Ties = Literal["half", "first", "none"]
Short = Literal["refuse", "leave_out"]
Declared = Mapping[str, bool] | Callable[[Cells, Cells], Mapping[str, bool]]
"""For each app, whether a rule declares a winner; or a function of the two contenders that says so."""

_TIE = 1e-9  # means of ratios of small counts: closer than this is a tie
_BLOCK = 4_000_000  # elements of an array that is made at once


@dataclass(frozen=True)
class AppRegret:
    """The regret of one app.

    Attributes:
        app: Its name.
        better: The contender with the higher rate in all the data; empty when they are equal.
        gap: By how much it is better.
        p_wrong: How often the other one looked better in a small evaluation; the interval is for the number of splits.
        regret: `p_wrong * gap`, with the interval that comes from `p_wrong`.
        decided: Whether a winner was declared here. Where none was, nothing is deployed and nothing regretted.
        scenarios: How many scenarios it was computed from.
    """

    app: str
    better: str
    gap: float
    p_wrong: Interval
    regret: Interval
    decided: bool
    scenarios: int


@dataclass(frozen=True)
class Regret:
    """What deploying the winner of a small evaluation costs, app by app.

    Attributes:
        one: First contender.
        other: Second contender.
        apps: The apps, in the order of their names.
        total: Sum of the regrets of the apps where a winner was declared.
        withheld: Sum of the regrets of the others: what the rule saved by not deciding.
        options: Every choice that the figure depends on, by name.
        notes: What to keep in mind.
    """

    one: str
    other: str
    apps: tuple[AppRegret, ...]
    total: Interval
    withheld: Interval
    options: Mapping[str, str | int]
    notes: tuple[str, ...] = ()


def expected_regret(
    one: Cells,
    other: Cells,
    *,
    rng: np.random.Generator,
    declared: Declared | None = None,
    splits: int = 500,
    truth: Truth = "all",
    same_configuration: bool = True,
    configurations: int | Literal["all"] = 1,
    halves: Halves = "floor",
    rollouts: int | None = None,
    ties: Ties = "half",
    short: Short = "refuse",
    level: float = 0.95,
) -> Regret:
    """How often a small evaluation picks the worse of two contenders, times what that costs, for each app.

    A small evaluation is a random half of the rollouts at a few configurations a scenario. The paper defines the
    product and the number of splits; the rest is open there, and so an option here.

    Args:
        one: First contender.
        other: Second contender.
        rng: Source of randomness.
        declared: Where a winner is declared and deployed: apps by name, or a function such as `wald_declares`. None
            deploys everywhere.
        splits: How many small evaluations; 500 in the paper.
        truth: Which contender is worse: "all" asks all the data, the steadiest judge, though the half that chose is
            among them; "other_half" asks the rollouts that were not used, at the same configurations: independent of
            the choice, and so noisy that it calls good choices wrong. The gap is always that of all the data.
        same_configuration: Whether both are evaluated at the same configurations, as in a paired study, and only on
            those that both have. Else each at its own, in the scenarios that both have.
        configurations: How many configurations a scenario, drawn without repetition; 1 in the paper. Scenarios with
            fewer give all they have.
        halves: What half an odd number is: "floor" evaluates on the smaller part, which errs towards regret; "ceil"
            on the larger; "random" tosses a coin for every configuration.
        rollouts: How many of the half to use at most; None for all of it.
        ties: What a draw counts: "half" a mistake, as when a coin decides; "first" deploys `one`; "none" deploys
            neither.
        short: What to do about configurations with one rollout, which have no halves: "refuse" or "leave_out".
        level: Of the intervals.

    Raises:
        InvalidInput: When configurations have fewer than two rollouts, or the two share none.
    """
    check_level(level)
    _check(one, other, splits, configurations, rollouts, truth=truth, halves=halves, ties=ties, short=short)
    first, second, notes = _shared(one, other, same_configuration, short)
    gaps = first.app_means - second.app_means
    gaps = np.where(np.abs(gaps) < _TIE, 0.0, gaps)
    wrong = np.zeros(len(first.apps))
    step = max(1, _BLOCK // max(len(first), len(second)))
    for begin in range(0, splits, step):
        times = min(step, splits - begin)
        picks = _pick(first, configurations, times, rng)
        again = picks if same_configuration else _pick(second, configurations, times, rng)
        seen, held = zip(
            *(_evaluate(cells, chosen, halves, rollouts, rng) for cells, chosen in ((first, picks), (second, again))),
            strict=True,
        )
        ahead = gaps if truth == "all" else held[0] - held[1]
        wrong += _mistakes(seen[0] - seen[1], ahead, ties).sum(axis=0)
    wrong[gaps == 0] = 0.0
    decided = _decided(first, second, declared)
    sizes = np.bincount(first.app_of, minlength=len(first.apps)).tolist()
    names = (str(one.contender), str(other.contender))
    apps = tuple(
        _app(app, names, float(gaps[at]), float(wrong[at]) / splits, decided[app], sizes[at], splits, level)
        for at, app in enumerate(first.apps)
    )
    if (gaps == 0).any():
        notes.append(f"{int((gaps == 0).sum())} app(s) are equal in all the data, so that neither choice is wrong.")
    if isinstance(configurations, int) and (np.diff(first.starts) < configurations).any():
        notes.append(f"Some scenarios have fewer than {configurations} configurations, and gave all they have.")
    return Regret(
        *names,
        apps,
        _sum([app.regret for app in apps if app.decided], level),
        _sum([app.regret for app in apps if not app.decided], level),
        {
            "splits": splits,
            "truth": truth,
            "same_configuration": str(same_configuration).lower(),
            "configurations": configurations,
            "halves": halves,
            "rollouts": "the half" if rollouts is None else rollouts,
            "ties": ties,
            "short": short,
        },
        tuple(notes),
    )


def wald_declares(one: Cells, other: Cells, *, level: float = 0.95) -> dict[str, bool]:
    """Where the textbook interval for a difference of two rates, with every rollout a fresh coin, leaves out 0.

    For comparison only: it knows nothing of scenarios and configurations, and so declares too many winners. Two rates
    without any variance (all solved against none) have an interval without width, and count as declared.
    """
    z = two_sided_z(level)
    first, second, _ = _shared(one, other, same_configuration=False, short=None)
    rates, spreads = [], []
    for cells in (first, second):
        owner = cells.app_of[cells.scenario]
        trials = np.bincount(owner, cells.rollouts)
        rate = np.bincount(owner, cells.successes) / trials
        rates.append(rate)
        spreads.append(rate * (1 - rate) / trials)
    apart = np.abs(rates[0] - rates[1]) > z * np.sqrt(spreads[0] + spreads[1])
    return dict(zip(first.apps, apart.tolist(), strict=True))


def _shared(one: Cells, other: Cells, same_configuration: bool, short: Short | None) -> tuple[Cells, Cells, list[str]]:
    """Both contenders at what both have, with cells that can be halved only (unless `short` is None)."""
    notes = []
    if short is not None:
        small = [cells.rollouts < 2 for cells in (one, other)]
        number = sum(int(mask.sum()) for mask in small)
        if number and short == "refuse":
            raise InvalidInput(
                f"{number} of {len(one) + len(other)} configurations (both contenders counted) have one rollout, "
                "which has no halves",
                fix='run two rollouts or more of each, or pass short="leave_out"',
            )
        for cells, mask in zip((one, other), small, strict=True):
            if mask.all():
                raise InvalidInput(
                    f"{cells.contender} has one rollout of every configuration, and so no halves",
                    fix="run two rollouts or more of each configuration",
                )
        if number:
            notes.append(f"{number} configurations with one rollout were left out.")
            one, other = (cells.keep(~mask) for cells, mask in zip((one, other), small, strict=True))
    first, second = match(one, other) if same_configuration else match_scenarios(one, other)
    lost = len(one) + len(other) - len(first) - len(second)
    if lost:
        notes.append(f"{lost} configurations that only one of the two was run in were left out.")
    return first, second, notes


@dataclass(frozen=True, eq=False)
class _Picks:
    """Configurations chosen for each small evaluation.

    Attributes:
        cells: For each evaluation, the chosen cells.
        scenario: For each column of these, its scenario.
    """

    cells: NDArray[np.int64]
    scenario: NDArray[np.int64]


def _pick(cells: Cells, configurations: int | Literal["all"], times: int, rng: np.random.Generator) -> _Picks:
    sizes = np.diff(cells.starts)
    if configurations == "all":
        everything = np.broadcast_to(np.arange(len(cells)), (times, len(cells)))
        return _Picks(everything, cells.scenario.astype(np.int64))
    if configurations == 1:
        return _Picks(cells.starts[:-1] + rng.integers(sizes, size=(times, len(sizes))), np.arange(len(sizes)))
    # Cells in random order within their scenario: the first few of each are a draw without repetition.
    order = np.argsort(cells.scenario + rng.random((times, len(cells))), axis=1)
    place = np.arange(len(cells)) - cells.starts[cells.scenario]
    columns = np.flatnonzero(place < configurations)
    return _Picks(order[:, columns], cells.scenario[columns].astype(np.int64))


def _evaluate(
    cells: Cells, picks: _Picks, halves: Halves, rollouts: int | None, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Each app's mean in the half that is looked at and in the rest, for each small evaluation."""
    good = np.rint(cells.successes).astype(np.int64)[picks.cells]
    tried = cells.rollouts[picks.cells]
    half = tried // 2
    if halves == "ceil":
        half = tried - half
    elif halves == "random":
        half = half + (tried % 2) * rng.integers(2, size=tried.shape)
    if rollouts is not None:
        half = np.minimum(half, rollouts)
    drawn = rng.hypergeometric(good, tried - good, half)
    weights = _weights(cells, picks.scenario)
    return (drawn / half) @ weights, ((good - drawn) / (tried - half)) @ weights


def _weights(cells: Cells, scenario: NDArray[np.int64]) -> Floats:
    """How much each picked cell counts for each app: cells alike in a scenario, scenarios alike in an app."""
    app = cells.app_of[scenario]
    scenarios = np.bincount(cells.app_of, minlength=len(cells.apps))
    weights = np.zeros((len(scenario), len(cells.apps)))
    weights[np.arange(len(scenario)), app] = 1.0 / (np.bincount(scenario)[scenario] * scenarios[app])
    return weights


def _mistakes(seen: Floats, ahead: Floats, ties: Ties) -> Floats:
    """For each evaluation and app 1 where the worse one was picked. Where the truth is a draw, no pick is wrong."""
    drawn = np.abs(seen) < _TIE
    picked_first, first_is_worse = seen > 0, ahead < -_TIE
    wrong = np.where(first_is_worse, picked_first, ~picked_first).astype(np.float64)
    wrong[drawn] = {"half": 0.5, "none": 0.0, "first": 0.0}[ties]
    if ties == "first":
        wrong = np.where(drawn & first_is_worse, 1.0, wrong)
    return np.where(np.abs(ahead) < _TIE, 0.0, wrong)


def _decided(one: Cells, other: Cells, declared: Declared | None) -> dict[str, bool]:
    if declared is None:
        return dict.fromkeys(one.apps, True)
    found = declared(one, other) if callable(declared) else declared
    for app in found:
        if app not in one.apps:
            raise unknown("app in declared", app, one.apps)
    missing = [app for app in one.apps if app not in found]
    if missing:
        raise InvalidInput(f"declared says nothing about {', '.join(missing)}", fix="give True or False for every app")
    return {app: bool(found[app]) for app in one.apps}


def _app(
    app: str,
    names: tuple[str, str],
    gap: float,
    wrong: float,
    decided: bool,
    scenarios: int,
    splits: int,
    level: float,
) -> AppRegret:
    method = f"wilson over {splits} splits"
    low, high = score_bounds(wrong, splits, level) if gap else (0.0, 0.0)  # with no gap there is no wrong choice
    size = abs(gap)
    return AppRegret(
        app=app,
        better="" if not gap else names[0] if gap > 0 else names[1],
        gap=size,
        p_wrong=Interval(wrong, low, high, level, method),
        regret=Interval(wrong * size, low * size, high * size, level, method),
        decided=decided,
        scenarios=scenarios,
    )


def _sum(regrets: list[Interval], level: float) -> Interval:
    """The sum of independent figures: distances to the ends add up as squares do."""
    estimate = float(sum(one.estimate for one in regrets))
    below = float(np.sqrt(sum((one.estimate - one.low) ** 2 for one in regrets)))
    above = float(np.sqrt(sum((one.high - one.estimate) ** 2 for one in regrets)))
    return Interval(estimate, max(estimate - below, 0.0), estimate + above, level, "sum of wilson over splits")


def _check(
    one: Cells,
    other: Cells,
    splits: int,
    configurations: int | Literal["all"],
    rollouts: int | None,
    *,
    truth: str,
    halves: str,
    ties: str,
    short: str,
) -> None:
    for name, value, kind in (
        ("truth", truth, Truth),
        ("halves", halves, Halves),
        ("ties", ties, Ties),
        ("short", short, Short),
    ):
        if value not in get_args(kind):
            raise unknown(name, value, get_args(kind))
    for name, number in (
        ("splits", splits),
        ("configurations", 1 if configurations == "all" else configurations),
        ("rollouts", 1 if rollouts is None else rollouts),
    ):
        if isinstance(number, bool) or not isinstance(number, int | np.integer) or number < 1:
            raise InvalidInput(f"{name}: expected a whole number from 1 on, got {number!r}")
    if one.values is not None or other.values is not None:
        raise InvalidInput(
            "regret splits counts of successes, and these episodes are worth other numbers than 0 and 1",
            fix='count(table, contender, value="success")',
        )
