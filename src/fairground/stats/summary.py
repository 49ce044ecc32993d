"""Everything that a table of episodes says, in one record: what `fairground stats` prints and the report shows."""

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
    """How a number such as `steps` is spread over the scored episodes.

    Attributes:
        mean: With an interval whose clusters are scenarios.
        median: Half of the episodes have less.
        p10: A tenth of the episodes have less.
        p90: A tenth of the episodes have more.
        count: Scored episodes that have the number.
        missing: Scored episodes that do not; they are left out of all the above.
    """

    mean: Interval
    median: float
    p10: float
    p90: float
    count: int
    missing: int


@dataclass(frozen=True)
class Standing:
    """One contender.

    Attributes:
        contender: Who.
        score: The suite statistic.
        score_errors_failed: The same with every errored episode as a failed one; None where none errored.
        reward: The mean reward, averaged as the score is; None where a scored episode has none.
        apps: Each app's success rate.
        profile: The performance profile.
        outcomes: How many episodes ended how.
        app_outcomes: The same for each app.
        scenarios: How many have a scored episode.
        configurations: How many have one.
        episodes: How many are scored.
        reliability: Pass^k, pass@k, consistency.
        sensitivity: To each axis; None where none was varied.
        components: Where the variance comes from; None where there is too little to tell.
        spreads: Of `steps`, `seconds` and `cost`, as far as the table has them.
        cost_per_success: What was spent on all scored episodes, for each that passed; None where none did.
        notes: What must be known to read this rightly.
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
    """Two contenders, the higher-ranked one first.

    Attributes:
        comparison: Their difference.
        adjusted: Its p-value after Holm's correction for all pairs of the table.
        better: The one that is better at the level, after that correction; None where that is not decided.
        errors_failed: Their difference with every errored episode as a failed one; None where none of theirs errored.
        better_errors_failed: The one that is better then, after the same correction.
        transitions: What became of each task from the second to the first; None where no task is shared.
    """

    comparison: Comparison
    adjusted: float
    better: Contender | None
    errors_failed: Comparison | None
    better_errors_failed: Contender | None
    transitions: Transitions | None


@dataclass(frozen=True)
class Summary:
    """What a table says.

    Attributes:
        source: Which table.
        statistic: What app means were added up to.
        level: Of all intervals.
        scheme: How intervals of scores and differences were made.
        resamples: Of all bootstraps.
        seed: From which all randomness came, if it was a number.
        episodes: Rows of the table.
        outcomes: How they ended.
        axes: The axes that were varied.
        standings: Contenders, the best score first.
        duels: Every pair of them.
        unscored: Contenders without a single scored episode.
        notes: What must be known to read this rightly.
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
    """Works out everything.

    Args:
        table: The episodes.
        seed: A number, or a generator. Each contender and each pair has a stream of its own that follows from it.
        statistic: Of the app means: mean, trimmed-mean, median, iqm, or a function.
        resamples: Of every bootstrap.
        level: Of every interval.
        scheme: How intervals of scores and differences are made: `clusters`, or `prism` as in the paper.
        method: Of the nested bootstrap's intervals.
        design: Whether configurations are a grid or a sample, for the nested bootstrap.
        depth: `all`, or `scores` to leave out sensitivity, variance components and reliability transitions.
        progress: Called with what was done, how many parts are done and how many there are.
    """
    check_scheme(scheme, method, design)
    name, function = statistic_of(statistic)
    everyone = sorted(count_all(table), key=lambda cells: (-_score(cells, function), str(cells.contender)))
    pairs = list(combinations(range(len(everyone)), 2))
    root = seed if isinstance(seed, np.random.Generator) else np.random.default_rng(seed)
    streams = root.spawn(len(everyone) + len(pairs))
    parts = len(everyone) + len(pairs)
    errored = {one for one in table.contenders if table.outcomes(one)[Outcome.ERRORED]}
    strict = {cells.contender: cells for cells in count_all(table.errors_failed())} if errored else {}
    stricter = root.spawn(parts) if errored else streams  # so that no figure depends on whether anything errored
    standings, comparisons, strict_comparisons, flows = [], [], [], []
    for at, cells in enumerate(everyone):
        standing = _standing(table, cells, streams[at], function, resamples, level, scheme, method, design, depth)
        if cells.contender in errored:
            made = _score_maker(function, stricter[at], resamples, level, scheme, method, design)
            standing = replace(standing, score_errors_failed=made(strict[cells.contender]))
        standings.append(standing)
        if progress is not None:
            progress(str(cells.contender), at + 1, parts)
    for at, (one, other) in enumerate(pairs, len(everyone)):
        a, b = everyone[one], everyone[other]
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
        except InvalidInput:  # they share no app; said in the notes
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
        unscored=tuple(one for one in table.contenders if one not in scored),
        notes=(*_notes(table, len(pairs) - len(comparisons), len(pairs)), *filter(None, map(differing_note, duels))),
    )


def differing_note(duel: Duel) -> str:
    """What to say of two contenders whose comparison ends otherwise when errors count as failures; empty if not."""
    if duel.errors_failed is None or duel.better == duel.better_errors_failed:
        return ""
    return conclusions_differ(duel.comparison, duel.better, duel.better_errors_failed)


def compare_strictly(
    table: Table, a: Contender, b: Contender, compared: Callable[[Cells, Cells], Comparison]
) -> Comparison | None:
    """Two contenders compared with every errored episode as a failed one; None where none of theirs errored.

    Args:
        table: Where they are.
        a: The one.
        b: The other.
        compared: How they are compared.
    """
    if not any(table.outcomes(one)[Outcome.ERRORED] for one in (a, b)):
        return None
    strict = table.errors_failed()
    return compared(count(strict, a), count(strict, b))


def conclusions_differ(comparison: Comparison, better: Contender | None, strictly: Contender | None) -> str:
    """That two contenders compare otherwise when errors count as failures.

    Args:
        comparison: The two.
        better: Who is better without errored episodes, if that is decided.
        strictly: Who is better with each of them as a failure.
    """
    words = ["not decided" if one is None else f"{one} is better" for one in (better, strictly)]
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
    adjusted = holm([one.p_value for one in comparisons]).tolist()
    strict = [other or one for one, other in zip(comparisons, strictly, strict=True)]
    strict_adjusted = holm([one.p_value for one in strict]).tolist()
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
        whole, apps = scored(cells), app_scores(cells, level=level)
        curve = score_profile(cells, rng=rng, resamples=resamples, level=level)
    else:
        replicates = bootstrap(cells, rng=rng, resamples=resamples, design=design)
        whole = suite_interval(replicates, function, level=level, method=method)
        apps, curve = app_intervals(replicates, level=level, method=method), profile(replicates, level=level)
    rows = table.rows_of(cells.contender)
    rewarded = count_rewards(table, cells.contender)
    spreads = _spreads(table, rows & table.scored, level)
    return Standing(
        contender=cells.contender,
        score=whole,
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
    """What a score and its interval are worked out by, whatever an episode is worth."""

    def made(cells: Cells) -> Interval:
        if scheme == "clusters":
            return score(cells, function, rng=rng, resamples=resamples, level=level)
        replicates = bootstrap(cells, rng=rng, resamples=resamples, design=design)
        return suite_interval(replicates, function, level=level, method=method)

    return made


def _components(cells: Cells, rng: np.random.Generator, level: float) -> Components | None:
    try:
        return variance_components(cells, rng=rng, level=level)
    except InvalidInput:  # too few of everything to tell anything apart
        return None


def _flow(base: Cells, new: Cells, level: float) -> Transitions | None:
    try:
        return changes(base, new, level=level)
    except InvalidInput:  # no task is shared
        return None


def _app_outcomes(table: Table, rows: NDArray[np.bool_]) -> dict[str, dict[Outcome, int]]:
    apps = table.app_names()
    found = {}
    for code in np.unique(apps.codes[rows]).tolist():
        counts = np.bincount(table.outcome[rows & (apps.codes == code)], minlength=len(Outcome)).tolist()
        found[apps.values[code]] = dict(zip(Outcome, counts, strict=True))
    return dict(sorted(found.items()))


def _spreads(table: Table, rows: NDArray[np.bool_], level: float) -> dict[str, Spread]:
    found = {}
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
        found[name] = Spread(mean, median, p10, p90, len(numbers), int(rows.sum()) - len(numbers))
    return found


def _scenario_keys(table: Table, rows: NDArray[np.bool_]) -> NDArray[np.int64]:
    """A number for each row's scenario, in the order of names: figures must not depend on the order of rows."""
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
            "the nested bootstrap leaves out how much scenarios differ there, and its interval is too narrow."
            if scheme == "prism"
            else "an app's own interval then speaks about that scenario only"
            + ("; in the suite's interval such apps are the sample." if len(cells.apps) > 1 else ".")
        )
        notes.append(f"{single} of {len(cells.apps)} apps have a single scenario: {rest}")
    if int(cells.rollouts.max()) == 1:
        notes.append("Every configuration was tried once: repetition tells nothing here.")
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
            f"{outcomes[Outcome.ERRORED]} errored and {outcomes[Outcome.INVALID]} invalid of {len(table)} episodes are "
            "counted, and not scored."
        )
    if excluded := _excluded(table):
        notes.append(f"agent errors were excluded from the score of {', '.join(excluded)}")
    if apart:
        notes.append(f"{apart} of {pairs} pairs share no app and are not compared.")
    return tuple(notes)


def _excluded(table: Table) -> list[str]:
    """Contenders with errored episodes that they ended themselves, as far as the table says what ended an episode."""
    if "ended_by" not in table.extra:
        return []
    causes = pc.cast(table.extra["ended_by"], pa.string())
    own = pc.fill_null(pc.is_in(causes, pa.array(AGENTS_FAULT)), False).to_numpy().astype(bool)
    rows = own & (table.outcome == ERRORED)
    return [str(one) for one in table.contenders if (rows & table.rows_of(one)).any()]
