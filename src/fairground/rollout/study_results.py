"""Results of a study: reliability of each agent under each condition, and the effect of each condition."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from fairground.core import Episode, EpisodeError, InvalidInput, Outcome
from fairground.rollout.disk import read_inside, write_whole
from fairground.rollout.episode_table import run_table
from fairground.rollout.folder import MAX_EPISODE
from fairground.rollout.interventions.kept import read_clarifications, read_plans
from fairground.rollout.plan import excluded_note
from fairground.rollout.store import RunStore, is_run
from fairground.rollout.strictjson import read_record
from fairground.rollout.study import StudyRun
from fairground.rollout.study_run import Study
from fairground.stats import (
    Cells,
    Contender,
    Interval,
    ReliabilitySummary,
    Transitions,
    changes,
    compare,
    count,
    holm,
    join_tables,
    plain,
    reliability,
)

RESULT = "study.json"


@dataclass(frozen=True)
class Advice:
    """Plans, clarifications and feedback that agents got in addition to the task, and their cost.

    Attributes:
        plans: Number of tasks with a stored plan record, including records without a plan.
        without_plan: Number of those without a plan: nothing to learn from, already reliable, or dropped.
        clarified: Number of tasks whose instruction was to be clarified.
        rejected: Number of those whose clarification did not pass its audit, so that the original was used.
        rounds: Total number of times that agents were sent back to continue.
        sent_back: Number of episodes in which that happened.
        tokens: Tokens used by the advisers, without those of the agents.
        dollars: Cost of the advisers. None if a price is unknown.
        unread: Number of episodes whose recording could not be read. They are not included in these sums.
    """

    plans: int = 0
    without_plan: int = 0
    clarified: int = 0
    rejected: int = 0
    rounds: int = 0
    sent_back: int = 0
    tokens: int = 0
    dollars: float | None = 0.0
    unread: int = 0

    def __bool__(self) -> bool:
        """Whether there was any advice."""
        return bool(self.plans or self.clarified or self.rounds or self.tokens)


@dataclass(frozen=True)
class Change:
    """Effect of a condition compared with its base, per task. Adjusted p-values use Holm's method over the whole study.

    Attributes:
        base: The condition it is compared with.
        difference: Difference in success rate, with an interval clustered by scenario.
        transitions: Changes between always, sometimes and never solved, with McNemar's and Wilcoxon's tests.
        difference_p: Adjusted p-value of `difference`.
        mcnemar_p: Adjusted p-value of McNemar's test.
        wilcoxon_p: Adjusted p-value of Wilcoxon's test.
        notes: Caveats for the reader.
    """

    base: str
    difference: Interval
    transitions: Transitions
    difference_p: float
    mcnemar_p: float
    wilcoxon_p: float
    notes: tuple[str, ...]


@dataclass(frozen=True)
class ConditionResult:
    """Result of one agent under one condition.

    Attributes:
        agent: Agent name.
        condition: Name of the condition.
        folder: Folder of the run, relative to the study's.
        planned: Number of planned episodes.
        outcomes: Number of finished episodes by outcome.
        reliability: Pass^k and pass@k up to k. None if no episode was scored.
        score_errors_failed: Pass^1 with errored episodes counted as failed. None if none errored.
        k: The largest k that can be estimated: the number of rollouts, unless too many errored.
        change: Effect compared with the base. None for the baseline, and if there is nothing to compare.
        advice: Plans, clarifications and feedback.
        notes: Caveats for the reader.
    """

    agent: str
    condition: str
    folder: str
    planned: int
    outcomes: dict[Outcome, int]
    reliability: ReliabilitySummary | None
    score_errors_failed: Interval | None
    k: int
    change: Change | None
    advice: Advice
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return str(Contender(self.agent, self.condition))

    @property
    def scored(self) -> int:
        """Number of episodes that have a score."""
        return sum(number for outcome, number in self.outcomes.items() if outcome.scored)


@dataclass(frozen=True)
class StudyResult:
    """Results of a study.

    Attributes:
        title: Title of the study.
        baseline: The condition that the others are compared with.
        rollouts: Number of attempts per task.
        seed: Seed of plan and bootstrap.
        level: Confidence level of the intervals.
        conditions: Agents under conditions, in the order of the study.
    """

    title: str
    baseline: str
    rollouts: int
    seed: int
    level: float
    conditions: tuple[ConditionResult, ...]


def study_result(study: Study, *, level: float = 0.95, resamples: int = 2000) -> StudyResult:
    """Compute the results of a study so far. It may still be in progress."""
    begun = {run: study.place(run) for run in study.runs if _has_ended_episodes(study.place(run))}
    cells, strict = _cells(begun), _cells(begun, errors_failed=True)
    streams = np.random.default_rng(study.spec.seed).spawn(len(study.runs))
    results, tests = [], []
    for place, run in enumerate(study.runs):
        mine = cells.get((run.agent, run.condition))
        summary = _reliability(mine, study.spec.rollouts, level) if mine is not None else None
        base = cells.get((run.agent, run.base)) if run.base else None
        change = None
        if mine is not None and base is not None:
            change = _change(run.base, base, mine, streams[place], level, resamples)
            tests += [change] if change is not None else []
        errors_failed = None
        if (stricter := strict.get((run.agent, run.condition))) is not None and _has_errors(study.place(run)):
            errors_failed = _reliability(stricter, study.spec.rollouts, level).pass_hat.points[0]
        results.append(_condition(study, run, begun, summary, errors_failed, change))
    adjusted = iter(_adjusted(tests))
    return StudyResult(
        title=study.spec.title,
        baseline=study.spec.baseline,
        rollouts=study.spec.rollouts,
        seed=study.spec.seed,
        level=level,
        conditions=tuple(replace(each, change=next(adjusted)) if each.change is not None else each for each in results),
    )


def write_result(study: Study, result: StudyResult) -> Path:
    """Write `study.json`: the specification and the results."""
    path = study.folder / RESULT
    data: dict[str, Any] = {"format": 1, "study": study.spec.plain(), "result": plain(result)}
    write_whole(path, json.dumps(data, ensure_ascii=False, allow_nan=False, indent=1).encode() + b"\n")
    return path


def _has_ended_episodes(folder: Path) -> bool:
    if not is_run(folder):
        return False
    with RunStore.open(folder) as store:
        return store.progress().finished > 0


def _has_errors(folder: Path) -> bool:
    with RunStore.open(folder) as store:
        return store.progress().outcomes.get(Outcome.ERRORED, 0) > 0


def _cells(begun: dict[StudyRun, Path], *, errors_failed: bool = False) -> dict[tuple[str, str], Cells]:
    """Count in one table, so that all have the same axes and task names."""
    if not begun:
        return {}
    table = join_tables([run_table(folder) for folder in begun.values()])
    if errors_failed:
        table = table.errors_failed()
    by_condition = {}
    for run in begun:
        contender = Contender(run.agent, run.condition)
        outcomes = table.outcomes(contender)
        if outcomes[Outcome.PASSED] + outcomes[Outcome.FAILED]:
            by_condition[run.agent, run.condition] = count(table, contender)
    return by_condition


def _reliability(cells: Cells, rollouts: int, level: float) -> ReliabilitySummary:
    largest = min(rollouts, int(cells.rollouts.max()))
    return reliability(cells, unit="configuration", largest_k=largest, level=level)


def _change(
    name: str, base: Cells, new: Cells, rng: np.random.Generator, level: float, resamples: int
) -> Change | None:
    try:
        comparison = compare(new, base, rng=rng, resamples=resamples, level=level)
        moved = changes(base, new, unit="configuration", level=level)
    except InvalidInput:  # no task has a score in both yet
        return None
    notes = (*comparison.notes, *moved.notes, *moved.mcnemar.notes, *moved.wilcoxon.notes)
    return Change(
        base=name,
        difference=comparison.difference,
        transitions=moved,
        difference_p=comparison.p_value,
        mcnemar_p=moved.mcnemar.p_value,
        wilcoxon_p=moved.wilcoxon.p_value,
        notes=tuple(dict.fromkeys(notes)),
    )


def _adjusted(tests: Sequence[Change]) -> list[Change]:
    if not tests:
        return []
    families = zip(
        *(
            holm([getattr(test, name) for test in tests]).tolist()
            for name in ("difference_p", "mcnemar_p", "wilcoxon_p")
        ),
        strict=True,
    )
    return [
        replace(test, difference_p=first, mcnemar_p=second, wilcoxon_p=third)
        for test, (first, second, third) in zip(tests, families, strict=True)
    ]


def _condition(
    study: Study,
    run: StudyRun,
    begun: dict[StudyRun, Path],
    summary: ReliabilitySummary | None,
    errors_failed: Interval | None,
    change: Change | None,
) -> ConditionResult:
    folder = study.place(run)
    planned, outcomes, notes = 0, dict[Outcome, int](), []
    if is_run(folder):
        with RunStore.open(folder) as store:
            progress = store.progress()
            notes += [f"{excluded_note(store.spec)}."] if store.spec.agent_errors == "excluded" else []
        planned, outcomes = progress.planned, dict(progress.outcomes)
        if progress.finished < planned:
            notes.append(f"{planned - progress.finished} of {planned} episodes have not ended.")
    else:
        notes.append("This run has not started.")
    unscored = sum(number for outcome, number in outcomes.items() if not outcome.scored)
    if unscored:
        notes.append(
            f"{unscored} of {planned} episodes errored or were invalid: they are not results and are not counted."
        )
    if errors_failed is not None:
        low, middle, high = (
            f"{100 * end:.1f}" for end in (errors_failed.low, errors_failed.estimate, errors_failed.high)
        )
        notes.append(f"With errors counted as failures, Pass^1 is {middle}% [{low}, {high}].")
    if summary is not None:
        notes += summary.pass_hat.notes
    advice = _advice(folder) if run in begun and run.spec.interventions else Advice()
    if advice.unread:
        notes.append(f"{advice.unread} recordings could not be read: their advice is not counted.")
    return ConditionResult(
        agent=run.agent,
        condition=run.condition,
        folder=run.folder,
        planned=planned,
        outcomes=outcomes,
        reliability=summary,
        score_errors_failed=errors_failed,
        k=summary.pass_hat.ks[-1] if summary is not None else 0,
        change=change,
        advice=advice,
        notes=tuple(notes),
    )


def _advice(folder: Path) -> Advice:
    """Sum up the advice in all finished episodes. Reads each episode's record, because the index does not store it."""
    plans, clarified = read_plans(folder).values(), read_clarifications(folder).values()
    rounds = sent_back = tokens = unread = 0
    dollars: float | None = 0.0
    with RunStore.open(folder) as store:
        places = [folder / row.finished.folder for row in store.rows() if row.finished and row.finished.folder]
    for place in places:
        try:
            extra = read_record(Episode, read_inside(place, "episode.json", limit=MAX_EPISODE), where=str(place)).extra
        except EpisodeError:
            unread += 1
            continue
        again = _sent_back(extra.get("rounds"))
        rounds, sent_back = rounds + again, sent_back + bool(again)
        advisers = extra.get("advisers")
        for used in advisers.values() if isinstance(advisers, dict) else ():
            tokens += used.get("tokens") or 0
            price = used.get("dollars")
            dollars = None if dollars is None or price is None else dollars + price
    return Advice(
        plans=len(plans),
        without_plan=sum(not plan.text for plan in plans),
        clarified=len(clarified),
        rejected=sum(clarification.audit != "ok" for clarification in clarified),
        rounds=rounds,
        sent_back=sent_back,
        tokens=tokens,
        dollars=dollars,
        unread=unread,
    )


def _sent_back(rounds: Any) -> int:
    """Return how often the agent was told to continue after it had ended."""
    listed = rounds if isinstance(rounds, list) else []
    return sum(isinstance(entry, dict) and bool(entry.get("message")) for entry in listed)
