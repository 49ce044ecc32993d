"""Expected regret: the cost of deploying the contender that looked better in a small evaluation."""

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
"""For each app, whether a rule declares a winner; or a function of the two contenders that returns this."""

_TIE = 1e-9  # means of ratios of small counts: closer than this is a tie
_BLOCK = 4_000_000  # maximum number of array elements per block


@dataclass(frozen=True)
class AppRegret:
    """The regret of one app.

    Attributes:
        app: Its name.
        better: The contender with the higher rate in all the data; empty if they are equal.
        gap: How much better it is.
        p_wrong: How often the other one looked better in a small evaluation. The interval reflects the number of
            splits.
        regret: `p_wrong * gap`, with the interval that follows from `p_wrong`.
        decided: Whether a winner was declared. If not, nothing is deployed and there is no regret.
        scenarios: Number of scenarios.
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
    """Cost of deploying the winner of a small evaluation, per app.

    Attributes:
        one: First contender.
        other: Second contender.
        apps: The apps, sorted by name.
        total: Sum of the regrets of the apps with a declared winner.
        withheld: Sum of the regrets of the others: what the rule saved by not deciding.
        options: All options that the result depends on, by name.
        notes: Caveats for the reader.
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
    """Compute how often a small evaluation picks the worse of two contenders, times the cost, per app.

    A small evaluation is a random half of the rollouts at a few configurations per scenario. The paper defines the
    product and the number of splits. Everything else is open there, and so an option here.

    Args:
        one: First contender.
        other: Second contender.
        rng: Random generator.
        declared: Where a winner is declared and deployed: apps by name, or a function such as `wald_declares`. None
            deploys everywhere.
        splits: Number of small evaluations; 500 in the paper.
        truth: How to decide which contender is worse. "all" uses all the data: the most stable choice, although it
            includes the half that chose. "other_half" uses the rollouts that were not used, at the same configurations:
            independent of the choice, but so noisy that it calls good choices wrong. The gap is always that of all the
            data.
        same_configuration: Whether both are evaluated at the same configurations, as in a paired study, and only at
            those that both have. Otherwise each at its own, in the scenarios that both have.
        configurations: Number of configurations per scenario, drawn without replacement; 1 in the paper. Scenarios with
            fewer use all they have.
        halves: How to split an odd number: "floor" evaluates on the smaller part, which overestimates regret; "ceil" on
            the larger; "random" chooses at random per configuration.
        rollouts: Maximum number of rollouts of the half to use. None for all.
        ties: How a tie counts: "half" a mistake, as if a coin decides; "first" deploys `one`; "none" deploys neither.
        short: What to do with configurations with one rollout, which cannot be split: "refuse" or "leave_out".
        level: Confidence level.

    Raises:
        InvalidInput: If configurations have fewer than two rollouts, or the two share none.
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
        notes.append(f"{int((gaps == 0).sum())} app(s) have equal rates in all the data, so neither choice is wrong.")
    if isinstance(configurations, int) and (np.diff(first.starts) < configurations).any():
        notes.append(f"Some scenarios have fewer than {configurations} configurations; all of theirs were used.")
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
    """Return where the textbook (Wald) interval for a difference of two rates, with independent rollouts, excludes 0.

    For comparison only: it ignores scenarios and configurations, and so declares too many winners. Two rates without
    any variance (all solved and none solved) have an interval of width 0, and count as declared.
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


def _shared(a: Cells, b: Cells, same_configuration: bool, short: Short | None) -> tuple[Cells, Cells, list[str]]:
    """Return both contenders at what both have, with only those cells that can be split (unless `short` is None)."""
    notes = []
    if short is not None:
        small = [cells.rollouts < 2 for cells in (a, b)]
        number = sum(int(mask.sum()) for mask in small)
        if number and short == "refuse":
            raise InvalidInput(
                f"{number} of {len(a) + len(b)} configurations (of both contenders) have only one rollout, "
                "which cannot be split",
                fix='run two or more rollouts of each, or pass short="leave_out"',
            )
        for cells, mask in zip((a, b), small, strict=True):
            if mask.all():
                raise InvalidInput(
                    f"{cells.contender} has only one rollout per configuration, which cannot be split",
                    fix="run two or more rollouts of each configuration",
                )
        if number:
            notes.append(f"{number} configurations with only one rollout were left out.")
            a, b = (cells.keep(~mask) for cells, mask in zip((a, b), small, strict=True))
    first, second = match(a, b) if same_configuration else match_scenarios(a, b)
    lost = len(a) + len(b) - len(first) - len(second)
    if lost:
        notes.append(f"{lost} configurations that only one of the two was run in were left out.")
    return first, second, notes


@dataclass(frozen=True, eq=False)
class _Picks:
    """Configurations chosen for each small evaluation.

    Attributes:
        cells: The chosen cells of each evaluation.
        scenario: Scenario of each column.
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
    # Cells in random order within their scenario: the first few are a draw without replacement.
    order = np.argsort(cells.scenario + rng.random((times, len(cells))), axis=1)
    place = np.arange(len(cells)) - cells.starts[cells.scenario]
    columns = np.flatnonzero(place < configurations)
    return _Picks(order[:, columns], cells.scenario[columns].astype(np.int64))


def _evaluate(
    cells: Cells, picks: _Picks, halves: Halves, rollouts: int | None, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Return each app's mean in the evaluated half and in the rest, per small evaluation."""
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
    """Return the weight of each picked cell for each app.

    Cells have equal weights in a scenario, and scenarios in an app.
    """
    app = cells.app_of[scenario]
    scenarios = np.bincount(cells.app_of, minlength=len(cells.apps))
    weights = np.zeros((len(scenario), len(cells.apps)))
    weights[np.arange(len(scenario)), app] = 1.0 / (np.bincount(scenario)[scenario] * scenarios[app])
    return weights


def _mistakes(seen: Floats, ahead: Floats, ties: Ties) -> Floats:
    """Return 1 per evaluation and app where the worse one was picked. If the truth is a tie, no pick is wrong."""
    drawn = np.abs(seen) < _TIE
    picked_first, first_is_worse = seen > 0, ahead < -_TIE
    wrong = np.where(first_is_worse, picked_first, ~picked_first).astype(np.float64)
    wrong[drawn] = {"half": 0.5, "none": 0.0, "first": 0.0}[ties]
    if ties == "first":
        wrong = np.where(drawn & first_is_worse, 1.0, wrong)
    return np.where(np.abs(ahead) < _TIE, 0.0, wrong)


def _decided(a: Cells, b: Cells, declared: Declared | None) -> dict[str, bool]:
    if declared is None:
        return dict.fromkeys(a.apps, True)
    declarations = declared(a, b) if callable(declared) else declared
    for app in declarations:
        if app not in a.apps:
            raise unknown("app in declared", app, a.apps)
    missing = [app for app in a.apps if app not in declarations]
    if missing:
        raise InvalidInput(f"declared has no entry for {', '.join(missing)}", fix="give True or False for every app")
    return {app: bool(declarations[app]) for app in a.apps}


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
    low, high = score_bounds(wrong, splits, level) if gap else (0.0, 0.0)  # without a gap there is no wrong choice
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
    """Return the sum of independent figures: distances to the ends add in quadrature."""
    estimate = float(sum(regret.estimate for regret in regrets))
    below = float(np.sqrt(sum((regret.estimate - regret.low) ** 2 for regret in regrets)))
    above = float(np.sqrt(sum((regret.high - regret.estimate) ** 2 for regret in regrets)))
    return Interval(estimate, max(estimate - below, 0.0), estimate + above, level, "sum of wilson over splits")


def _check(
    a: Cells,
    b: Cells,
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
            raise InvalidInput(f"{name}: expected an integer of at least 1, got {number!r}")
    if a.values is not None or b.values is not None:
        raise InvalidInput(
            "regret needs counts of successes, but these episodes have values other than 0 and 1",
            fix='use count(table, contender, value="success")',
        )
