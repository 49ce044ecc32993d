"""Everything computed from a table of episodes, in one record: what `fairground stats` prints and the report shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from fairground.core import AGENTS_FAULT, InvalidInput, Outcome
from fairground.stats.axes.components import Components, variance_components
from fairground.stats.axes.sensitivity import Sensitivities, sensitivity, varied_axes
from fairground.stats.interval import Interval
from fairground.stats.paired_tests import holm
from fairground.stats.suites.bootstrap import (
    Method,
    Profile,
    Scheme,
    app_intervals,
    bootstrap,
    check_scheme,
    profile,
    suite_interval,
)
from fairground.stats.suites.clusters import added_by, number_interval, ratio_spread
from fairground.stats.suites.compare import Comparison, compare
from fairground.stats.suites.nesting import Design
from fairground.stats.suites.scores import app_scores, score, score_profile
from fairground.stats.suites.suite_statistics import Statistic, statistic_of
from fairground.stats.tables.cells import Cells, count, count_all, count_rewards
from fairground.stats.tables.table import ERRORED, PASSED, Contender, Table
from fairground.stats.tasks.reliability import ReliabilitySummary
from fairground.stats.tasks.task_reliability import changes, reliability
from fairground.stats.tasks.transitions import Transitions


@dataclass(frozen=True)
class Spread:
    """Distribution of a number such as `steps` over the scored episodes.

    Attributes:
        mean: Mean, with an interval clustered by scenario.
        median: Median.
        p10: 10th percentile.
        p90: 90th percentile.
        count: Number of scored episodes that have the number.
        missing: Number of scored episodes that do not. They are left out of the above.
    """

    mean: Interval
    median: float
    p10: float
    p90: float
    count: int
    missing: int


@dataclass(frozen=True)
class Standing:
    """Results of one contender.

    Attributes:
        contender: The contender.
        score: The suite statistic.
        score_errors_failed: The same with errored episodes counted as failed. None if none errored.
        reward: The mean reward, averaged like the score. None if a scored episode has none.
        apps: Success rate of each app.
        profile: The performance profile.
        outcomes: Number of episodes by outcome.
        app_outcomes: The same for each app.
        scenarios: Number of scenarios with a scored episode.
        configurations: Number of configurations with a scored episode.
        episodes: Number of scored episodes.
        reliability: Pass^k, pass@k, consistency.
        sensitivity: Sensitivity to each axis. None if none was varied.
        components: Variance components. None if there are too few data.
        spreads: Distributions of `steps`, `seconds` and `cost`, as far as the table has them.
        cost_per_success: Total cost of all scored episodes per passed episode. None if none passed.
        notes: Caveats for the reader.
    """

    contender: Contender
    score: Interval
    score_errors_failed: Interval | None
    reward: Interval | None
    apps: dict[str, Interval]
    profile: Profile
    outcomes: dict[Outcome, int]
    app_outcomes: dict[str, dict[Outcome, int]]
    scenarios: int
    configurations: int
    episodes: int
    reliability: ReliabilitySummary
    sensitivity: Sensitivities | None
    components: Components | None
    spreads: dict[str, Spread]
    cost_per_success: float | None
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Duel:
    """Comparison of two contenders, the higher-ranked one first.

    Attributes:
        comparison: Their difference.
        adjusted: Its p-value after Holm's correction for all pairs of the table.
        better: The better contender at this level after that correction. None if undecided.
        errors_failed: Their difference with errored episodes counted as failed. None if none of theirs errored.
        better_errors_failed: The better contender in that case, after the same correction.
        transitions: How each task's result changes from the second to the first. None if no task is shared.
    """

    comparison: Comparison
    adjusted: float
    better: Contender | None
    errors_failed: Comparison | None
    better_errors_failed: Contender | None
    transitions: Transitions | None


@dataclass(frozen=True)
class Summary:
    """Everything computed from a table.

    Attributes:
        source: The table.
        statistic: The suite statistic.
        level: Confidence level of all intervals.
        scheme: How intervals of scores and differences were computed.
        resamples: Number of resamples of all bootstraps.
        seed: The seed of all randomness, if it was a number.
        episodes: Number of rows of the table.
        outcomes: Number of episodes by outcome.
        axes: The axes that were varied.
        standings: Contenders, best score first.
        duels: All pairs of contenders.
        unscored: Contenders without a scored episode.
        notes: Caveats for the reader.
    """

    source: str
    statistic: str
    level: float
    scheme: Scheme
    resamples: int
    seed: int | None
    episodes: int
    outcomes: dict[Outcome, int]
    axes: tuple[str, ...]
    standings: tuple[Standing, ...]
    duels: tuple[Duel, ...]
    unscored: tuple[Contender, ...]
    notes: tuple[str, ...]


def summarise(
    table: Table,
    *,
    seed: int | np.random.Generator = 0,
    statistic: str | Statistic = "mean",
    resamples: int = 2000,
    level: float = 0.95,
    scheme: Scheme = "clusters",
    method: Method = "percentile",
    design: Design = "auto",
    depth: str = "all",
    progress: Callable[[str, int, int], None] | None = None,
) -> Summary:
    """Compute all statistics of a table.

    Args:
        table: The episodes.
        seed: A number, or a generator. Each contender and each pair has its own stream, derived from it.
        statistic: Statistic of the app means: mean, trimmed-mean, median, iqm, or a function.
        resamples: Number of resamples of every bootstrap.
        level: Confidence level of every interval.
        scheme: How intervals of scores and differences are computed: `clusters`, or `prism` as in the paper.
        method: Interval method of the nested bootstrap.
        design: Whether configurations are a grid or a sample, for the nested bootstrap.
        depth: `all`, or `scores` to leave out sensitivity, variance components and reliability transitions.
        progress: Called with what was done, the number of completed parts and their total.
    """
    check_scheme(scheme, method, design)
    name, function = statistic_of(statistic)
    everyone = sorted(count_all(table), key=lambda cells: (-_score(cells, function), str(cells.contender)))
    pairs = list(combinations(range(len(everyone)), 2))
    root = seed if isinstance(seed, np.random.Generator) else np.random.default_rng(seed)
    streams = root.spawn(len(everyone) + len(pairs))
    parts = len(everyone) + len(pairs)
    errored = {contender for contender in table.contenders if table.outcomes(contender)[Outcome.ERRORED]}
    strict = {cells.contender: cells for cells in count_all(table.errors_failed())} if errored else {}
    stricter = root.spawn(parts) if errored else streams  # so that no result depends on whether anything errored
    standings, comparisons, strict_comparisons, flows = [], [], [], []
    for at, cells in enumerate(everyone):
        standing = _standing(table, cells, streams[at], function, resamples, level, scheme, method, design, depth)
        if cells.contender in errored:
            strict_score = _score_maker(function, stricter[at], resamples, level, scheme, method, design)
            standing = replace(standing, score_errors_failed=strict_score(strict[cells.contender]))
        standings.append(standing)
        if progress is not None:
            progress(str(cells.contender), at + 1, parts)
    for at, (index_a, index_b) in enumerate(pairs, len(everyone)):
        a, b = everyone[index_a], everyone[index_b]
        compared = partial(
            compare,
            statistic=function,
            resamples=resamples,
            level=level,
            scheme=scheme,
            method=method,
            design=design,
        )
        try:
            comparison = compared(a, b, rng=streams[at])
        except InvalidInput:  # they share no app; the notes say so
            continue
        comparisons.append(comparison)
        differs = a.contender in errored or b.contender in errored
        strict_comparisons.append(
            compared(strict[a.contender], strict[b.contender], rng=stricter[at]) if differs else None
        )
        flows.append(_flow(b, a, level) if depth == "all" else None)
        if progress is not None:
            progress(f"{a.contender} against {b.contender}", at + 1, parts)
    duels = _duels(comparisons, strict_comparisons, flows, level)
    scored = {cells.contender for cells in everyone}
    return Summary(
        source=table.source,
        statistic=name,
        level=level,
        scheme=scheme,
        resamples=resamples,
        seed=seed if isinstance(seed, int) else None,
        episodes=len(table),
        outcomes=table.outcomes(),
        axes=everyone[0].axes,
        standings=tuple(standings),
        duels=duels,
        unscored=tuple(contender for contender in table.contenders if contender not in scored),
        notes=(*_notes(table, len(pairs) - len(comparisons), len(pairs)), *filter(None, map(differing_note, duels))),
    )


def differing_note(duel: Duel) -> str:
    """Return a note if the comparison ends differently when errors count as failures; empty if not."""
    if duel.errors_failed is None or duel.better == duel.better_errors_failed:
        return ""
    return conclusions_differ(duel.comparison, duel.better, duel.better_errors_failed)


def compare_strictly(
    table: Table, a: Contender, b: Contender, compared: Callable[[Cells, Cells], Comparison]
) -> Comparison | None:
    """Compare two contenders with errored episodes counted as failed. None if none of theirs errored.

    Args:
        table: Their table.
        a: First contender.
        b: Second contender.
        compared: Compares their cells.
    """
    if not any(table.outcomes(contender)[Outcome.ERRORED] for contender in (a, b)):
        return None
    strict = table.errors_failed()
    return compared(count(strict, a), count(strict, b))


def conclusions_differ(comparison: Comparison, better: Contender | None, strictly: Contender | None) -> str:
    """Return a note that two contenders compare differently when errors count as failures.

    Args:
        comparison: Their comparison.
        better: The better contender without errored episodes, if decided.
        strictly: The better contender with errors counted as failures, if decided.
    """
    words = ["undecided" if winner is None else f"{winner} is better" for winner in (better, strictly)]
    return (
        f"{comparison.a} against {comparison.b}: {words[0]} without errored episodes; "
        f"with errors counted as failures: {words[1]}."
    )


def _duels(
    comparisons: Sequence[Comparison],
    strictly: Sequence[Comparison | None],
    flows: Sequence[Transitions | None],
    level: float,
) -> tuple[Duel, ...]:
    if not comparisons:
        return ()
    adjusted = holm([comparison.p_value for comparison in comparisons]).tolist()
    strict = [strict_one or usual for usual, strict_one in zip(comparisons, strictly, strict=True)]
    strict_adjusted = holm([comparison.p_value for comparison in strict]).tolist()
    return tuple(
        Duel(
            comparison,
            adjusted[at],
            _better(comparison, adjusted[at], level),
            strictly[at],
            None if strictly[at] is None else _better(strict[at], strict_adjusted[at], level),
            flows[at],
        )
        for at, comparison in enumerate(comparisons)
    )


def _score(cells: Cells, function: Statistic) -> float:
    return float(np.asarray(function(cells.app_means)))


def _better(comparison: Comparison, adjusted: float, level: float) -> Contender | None:
    return comparison.decided if adjusted <= 1 - level else None


def _standing(
    table: Table,
    cells: Cells,
    rng: np.random.Generator,
    function: Statistic,
    resamples: int,
    level: float,
    scheme: Scheme,
    method: Method,
    design: Design,
    depth: str,
) -> Standing:
    scored = _score_maker(function, rng, resamples, level, scheme, method, design)
    if scheme == "clusters":
        suite_score, apps = scored(cells), app_scores(cells, level=level)
        curve = score_profile(cells, rng=rng, resamples=resamples, level=level)
    else:
        replicates = bootstrap(cells, rng=rng, resamples=resamples, design=design)
        suite_score = suite_interval(replicates, function, level=level, method=method)
        apps, curve = app_intervals(replicates, level=level, method=method), profile(replicates, level=level)
    rows = table.rows_of(cells.contender)
    rewarded = count_rewards(table, cells.contender)
    spreads = _spreads(table, rows & table.scored, level)
    return Standing(
        contender=cells.contender,
        score=suite_score,
        score_errors_failed=None,
        reward=None if rewarded is None else scored(rewarded),
        apps=apps,
        profile=curve,
        outcomes=table.outcomes(cells.contender),
        app_outcomes=_app_outcomes(table, rows),
        scenarios=len(cells.scenarios),
        configurations=len(cells),
        episodes=cells.episodes,
        reliability=reliability(cells, level=level),
        sensitivity=sensitivity(cells, rng=rng, level=level) if depth == "all" and varied_axes(cells) else None,
        components=_components(cells, rng, level) if depth == "all" else None,
        spreads=spreads,
        cost_per_success=_cost_per_success(table, rows),
        notes=_standing_notes(cells, spreads, scheme),
    )


def _score_maker(
    function: Statistic,
    rng: np.random.Generator,
    resamples: int,
    level: float,
    scheme: Scheme,
    method: Method,
    design: Design,
) -> Callable[[Cells], Interval]:
    """Return a function that computes a score and its interval, for any episode values."""

    def made(cells: Cells) -> Interval:
        if scheme == "clusters":
            return score(cells, function, rng=rng, resamples=resamples, level=level)
        replicates = bootstrap(cells, rng=rng, resamples=resamples, design=design)
        return suite_interval(replicates, function, level=level, method=method)

    return made


def _components(cells: Cells, rng: np.random.Generator, level: float) -> Components | None:
    try:
        return variance_components(cells, rng=rng, level=level)
    except InvalidInput:  # too few data to separate anything
        return None


def _flow(base: Cells, new: Cells, level: float) -> Transitions | None:
    try:
        return changes(base, new, level=level)
    except InvalidInput:  # no task is shared
        return None


def _app_outcomes(table: Table, rows: NDArray[np.bool_]) -> dict[str, dict[Outcome, int]]:
    apps = table.app_names()
    by_app = {}
    for code in np.unique(apps.codes[rows]).tolist():
        counts = np.bincount(table.outcome[rows & (apps.codes == code)], minlength=len(Outcome)).tolist()
        by_app[apps.values[code]] = dict(zip(Outcome, counts, strict=True))
    return dict(sorted(by_app.items()))


def _spreads(table: Table, rows: NDArray[np.bool_], level: float) -> dict[str, Spread]:
    spreads = {}
    for name in ("steps", "seconds", "cost"):
        values = table.numbers.get(name)
        if values is None:
            continue
        given = rows & ~np.isnan(values)
        if not given.any():
            continue
        numbers = values[given]
        scenario = np.unique(_scenario_keys(table, given), return_inverse=True)[1]
        of_one = not scenario.any()
        clusters = np.arange(len(numbers)) if of_one else scenario
        sampling = ratio_spread(
            *added_by(numbers, clusters, len(numbers)), clusters="episodes" if of_one else "scenarios"
        )
        mean = number_interval(sampling, level, smallest=0.0)
        p10, median, p90 = np.quantile(numbers, [0.1, 0.5, 0.9]).tolist()
        spreads[name] = Spread(mean, median, p10, p90, len(numbers), int(rows.sum()) - len(numbers))
    return spreads


def _scenario_keys(table: Table, rows: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return a number for each row's scenario, in the order of names: results do not depend on the order of rows."""
    app, scenario = table.app_names(), table.names["scenario"]
    first, second = (np.argsort(np.argsort(column.values))[column.codes[rows]] for column in (app, scenario))
    keys: NDArray[np.int64] = first * len(scenario.values) + second
    return keys


def _cost_per_success(table: Table, rows: NDArray[np.bool_]) -> float | None:
    cost = table.numbers.get("cost")
    scored = rows & table.scored
    passed = int((table.outcome[rows] == PASSED).sum())
    if cost is None or not passed or np.isnan(cost[scored]).any():
        return None
    return float(cost[scored].sum()) / passed


def _standing_notes(cells: Cells, spreads: dict[str, Spread], scheme: Scheme) -> tuple[str, ...]:
    notes = []
    single = int((np.bincount(cells.app_of, minlength=len(cells.apps)) == 1).sum())
    if single:
        rest = (
            "the nested bootstrap ignores how much scenarios differ there, so its interval is too narrow."
            if scheme == "prism"
            else "such an app's own interval is about that scenario only"
            + ("; in the suite's interval such apps are the sample." if len(cells.apps) > 1 else ".")
        )
        notes.append(f"Apps with only one scenario: {single} of {len(cells.apps)}; {rest}")
    if int(cells.rollouts.max()) == 1:
        notes.append("Every configuration was tried only once, so nothing can be said about repeated attempts.")
    for name, spread in spreads.items():
        if spread.missing:
            notes.append(f"{spread.missing} of {spread.count + spread.missing} scored episodes have no {name}.")
    return tuple(notes)


def _notes(table: Table, apart: int, pairs: int) -> tuple[str, ...]:
    notes = [*table.notes]
    outcomes = table.outcomes()
    unscored = outcomes[Outcome.ERRORED] + outcomes[Outcome.INVALID]
    if unscored:
        notes.append(
            f"{outcomes[Outcome.ERRORED]} errored and {outcomes[Outcome.INVALID]} invalid of {len(table)} "
            "episodes are counted but not scored."
        )
    if excluded := _excluded(table):
        notes.append(f"agent errors were excluded from the score of {', '.join(excluded)}")
    if apart:
        notes.append(f"{apart} of {pairs} pairs share no app and are not compared.")
    return tuple(notes)


def _excluded(table: Table) -> list[str]:
    """Return contenders that ended errored episodes themselves, if the table says what ended an episode."""
    if "ended_by" not in table.extra:
        return []
    causes = pc.cast(table.extra["ended_by"], pa.string())
    own = pc.fill_null(pc.is_in(causes, pa.array(AGENTS_FAULT)), False).to_numpy().astype(bool)
    rows = own & (table.outcome == ERRORED)
    return [str(contender) for contender in table.contenders if (rows & table.rows_of(contender)).any()]
