"""Assign a table's columns: by given renames, by well-known names, or with one error that lists everything missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from fairground.core import AXES, InvalidInput, NeedsOptions, unknown
from fairground.stats.tables.arrays import distinct_texts, numbers_of
from fairground.stats.tables.results import ResultRules
from fairground.stats.tables.synonyms import (
    KNOWN,
    RESULTS,
    REWARDS,
    SUCCESSES,
    bare,
    listed,
    lookalikes,
    options,
    recognised,
    renames,
    spellings,
)
from fairground.stats.tables.table import NUMBERS
from fairground.stats.tables.wide import KINDS, RESULT, Unfolding, Wide, attempts, counts

_RECOGNISED = ("scenario", "agent", "rollout", "condition", "suite", "app", *AXES, *NUMBERS[1:])
_MOST_AGENTS = 50
_MOST_WORDS = 20  # maximum number of words in a column of results
_RESULT_COLUMNS = ("success", "outcome", "reward")
_WANTED = {
    "scenario": "column 'scenario' (the task)",
    "success": "column 'success', 'outcome' or 'reward' (the result)",
}

Batch = Mapping[str, pa.ChunkedArray]


@dataclass(frozen=True)
class Assignment:
    """What a table's columns are.

    Attributes:
        recognised: Columns recognised by their names, without a rename: theirs to ours.
        rewards: Whether numbers in the success column are rewards.
        unfolding: How to turn rows with several episodes into one row per episode.
    """

    recognised: Mapping[str, str]
    rewards: bool = False
    unfolding: Unfolding | None = None


def assign(batch: Batch, source: str, rename: Mapping[str, str], rules: ResultRules, wide: str | None) -> Assignment:
    """Assign the columns, given the first rows of a table.

    Raises:
        InvalidInput: If a rename or `wide` is not possible.
        NeedsOptions: If a column is needed and none was recognised.
    """
    _check_renaming(tuple(batch), source, rename)
    ours = [rename.get(name, name) for name in batch]
    free = [name for name in batch if name not in rename and name not in KNOWN]
    assigned: dict[str, str] = {}
    for name in _RECOGNISED:
        for column in recognised(name, [column for column in free if column not in assigned]):
            if name not in ours and name != wide and (name not in NUMBERS or _holds_numbers(batch[column], rules)):
                assigned[column] = name
                ours.append(name)
                break
    free = [name for name in free if name not in assigned]
    if wide is not None:
        if wide not in KINDS:
            raise unknown("kind of wide table", wide, KINDS)
        for name in (wide, *_RESULT_COLUMNS):
            if name in ours:
                raise InvalidInput(
                    f"{source}: it has a column {name!r}, so it does not have one column per {wide}",
                    fix=f"leave out --wide, or ignore that column: {options({name: f'other_{name}'})}",
                )
        return _widened(batch, free, assigned, wide, rules, source)
    result, rewards = _result(batch, free, ours, rules)
    if result is not None:
        assigned[result] = "success"
        ours.append("success")
    elif not set(_RESULT_COLUMNS) & set(ours):
        tries = attempts(free)
        counted = counts(batch, free)
        if tries and "rollout" not in ours and all(_holds_results(batch[name], rules, numbers=True) for name in tries):
            unfolding: Unfolding | None = Wide(tries, "rollout")
        elif counted is not None and "rollout" not in ours:
            unfolding = counted
        else:
            unfolding = None
        if unfolding is not None and "scenario" in ours:
            return Assignment(assigned | {RESULT: "success"}, True, unfolding)
    missing = [name for name in _WANTED if name not in ours]
    if set(_RESULT_COLUMNS) & set(ours) and "success" in missing:
        missing.remove("success")
    if missing:
        raise _needs(batch, source, missing, free, ours, rules)
    return Assignment(assigned, rewards)


def _check_renaming(columns: tuple[str, ...], source: str, rename: Mapping[str, str]) -> None:
    for name, new in rename.items():
        if name not in columns:
            raise unknown(f"column of {source}", name, columns)
        if not new:
            raise InvalidInput(f"rename: column {name!r} needs a new name", fix=f"write {name}=agent, for example")
    ours = [rename.get(name, name) for name in columns]
    for name in ours:
        if ours.count(name) > 1:
            both = [theirs for theirs in columns if rename.get(theirs, theirs) == name]
            raise InvalidInput(
                f"{source}: {' and '.join(map(repr, both))} would both be the column {name!r}",
                fix=f"drop one of them, or rename the old one too: {name}=old_{name}",
            )


def _widened(
    batch: Batch, free: Sequence[str], assigned: dict[str, str], kind: str, rules: ResultRules, source: str
) -> Assignment:
    columns = [name for name in free if _holds_results(batch[name], rules, numbers=True)]
    if not columns:
        raise InvalidInput(
            f"{source}: no column contains results of one {kind}; it has {listed(batch)}",
            fix="use words such as pass and fail, or numbers, as results; map other words with --map",
        )
    return Assignment(assigned | {RESULT: "success"}, True, Wide(columns, kind))


def _result(batch: Batch, free: Sequence[str], ours: Sequence[str], rules: ResultRules) -> tuple[str | None, bool]:
    """Return the column to read as the result, and whether its numbers are rewards."""
    if "success" in ours or "outcome" in ours:
        return None, False
    families = [(SUCCESSES, False)] if "reward" in ours else [(SUCCESSES, False), (RESULTS, True), (REWARDS, True)]
    for names, rewards in families:
        for name in names:
            numbers = rewards and "status" not in name
            for column in free:
                if name in spellings(column) and _holds_results(batch[column], rules, numbers=numbers):
                    return column, rewards
    # None is readable as it is. A column with few words is rejected with those words, which can then be mapped.
    named = [column for names, _ in families for name in names for column in free if name in spellings(column)]
    if not any(_holds_results(batch[column], rules, numbers=False) for column in free):
        for column in named:
            if len(distinct_texts(batch[column]) or range(_MOST_WORDS)) < _MOST_WORDS:
                return column, False
    return None, False


def _needs(
    batch: Batch, source: str, missing: Sequence[str], free: Sequence[str], ours: Sequence[str], rules: ResultRules
) -> NeedsOptions:
    """Return one error with everything that is missing, and the options that fix it."""
    suggested: dict[str, str] = {}
    results = [name for name in free if _holds_results(batch[name], rules, numbers=False)]
    if "scenario" in missing:
        near = lookalikes("scenario", free) or _by_variety(batch, [name for name in free if name not in results])
        suggested |= {name: "scenario" for name in near[:1]}
    message = f"{source}: no {' and no '.join(_WANTED[name] for name in missing)}; it has {listed(batch)}"
    results = [name for name in results if name not in suggested]
    if {"winner", "model_a", "agent_a", "battle_result"} & {bare(name) for name in batch}:
        return NeedsOptions(message, fix="if these are votes on pairs of agents, use `fairground stats rank FILE`")
    if "success" in missing and len(results) > 1:
        kind = "scenario" if "scenario" in missing and "agent" in ours else "rollout" if "agent" in ours else "agent"
        words = f"--wide {kind} {options(suggested) if kind != 'scenario' else ''}".strip()
        return NeedsOptions(
            f"{message}. {listed(results)} contain results",
            fix=f"{words}, if there is one column per {kind} (in Python: wide={kind!r}); otherwise rename one of them: "
            f"{options({results[0]: 'success'})}",
            options=words,
        )
    if "success" in missing:
        near = results or lookalikes("success", free) or lookalikes("reward", free)
        for name in [name for name in near[:1] if name not in suggested]:
            suggested[name] = "success" if _holds_results(batch[name], rules, numbers=False) else "reward"
    if len(suggested) < len(missing):
        fix = "write one row per episode; the columns are described in docs/statistics/tables.md"
        rates = [name for name in free if bare(name).endswith("_rate") or bare(name).startswith("pass_")]
        if rates and "success" in missing:
            fix += (
                f". {rates[0]!r} may be a rate over several episodes: use counts instead, such as n_passed and n_trials"
            )
        return NeedsOptions(
            message, fix=f"{renames(suggested)}; {fix}" if suggested else fix, options=options(suggested)
        )
    others = [name for name in free if name not in suggested]
    if "agent" not in ours:
        suggested |= dict.fromkeys((lookalikes("agent", others) or likely_agents(batch, others))[:1], "agent")
    return NeedsOptions(message, fix=renames(suggested), options=options(suggested))


def likely_agents(columns: Batch, free: Sequence[str]) -> list[str]:
    """Return extra columns with a few words that many rows share: one of them may name the agents."""
    candidates = []
    for name in free:
        texts = distinct_texts(columns[name]) if not pa.types.is_floating(columns[name].type) else None
        if texts is not None and 1 < len(texts) <= _MOST_AGENTS and len(texts) <= len(columns[name]) / 3:
            candidates.append(name)
    return candidates


def _by_variety(batch: Batch, columns: Sequence[str]) -> list[str]:
    """Return name columns, those with the most distinct values first."""
    numbers = {}
    for name in columns:
        texts = distinct_texts(batch[name])
        if texts is not None and not pa.types.is_floating(batch[name].type):
            numbers[name] = len(texts)
    return sorted(numbers, key=lambda name: -numbers[name])


def _holds_results(values: pa.ChunkedArray, rules: ResultRules, *, numbers: bool) -> bool:
    texts = distinct_texts(values)
    return texts is not None and rules.readable(texts, numbers=numbers)


def _holds_numbers(values: pa.ChunkedArray, rules: ResultRules) -> bool:
    try:
        numbers, wrong = numbers_of(values, decimal_comma=rules.decimal_comma)
    except InvalidInput:
        return False
    return wrong is None and not (numbers < 0).any()
