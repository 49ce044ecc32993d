"""Where runs differ: configurations that one won and another lost, and what was not the same about their worlds."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fairground.core import Episode, FairgroundError, Fingerprint, Outcome, parse_json
from fairground.rollout.disk import read_inside
from fairground.rollout.folder import MAX_EPISODE
from fairground.rollout.plan import RunSpec, excluded_note
from fairground.rollout.store import RunStore

_COMPARED = 200  # episodes whose fingerprints are read: a world that changed has changed in most of them


@dataclass(frozen=True)
class Attempt:
    """One episode of a run that has ended.

    Attributes:
        configuration: The one it counts for.
        rollout: Which attempt at it.
        seed: Of its world.
        outcome: How it ended.
        folder: Where it is recorded.
    """

    configuration: str
    rollout: int
    seed: int
    outcome: Outcome
    folder: Path


@dataclass(frozen=True)
class RunSide:
    """A run, read to be compared.

    Attributes:
        folder: The run's.
        spec: What was asked for.
        planned: How many episodes it should have.
        attempts: Those that have ended.
    """

    folder: Path
    spec: RunSpec
    planned: int
    attempts: tuple[Attempt, ...]


@dataclass(frozen=True)
class Contest:
    """A configuration that two runs tried, with unlike success.

    Attributes:
        configuration: Which.
        a: How many attempts of the one passed, and how many were scored.
        b: The same of the other.
        a_folder: An episode of the one to look at: a pass if it is the better one, else a failure.
        b_folder: Likewise of the other.
    """

    configuration: str
    a: tuple[int, int]
    b: tuple[int, int]
    a_folder: Path
    b_folder: Path

    @property
    def difference(self) -> float:
        """Success rate of the one minus that of the other."""
        return self.a[0] / self.a[1] - self.b[0] / self.b[1]


def read_side(folder: Path) -> RunSide:
    """Reads a run, also one that still goes on."""
    with RunStore.open(folder) as store:
        return side_of(store)


def side_of(store: RunStore) -> RunSide:
    """The same of a run that is open."""
    attempts = tuple(
        Attempt(
            row.planned.pairing,
            row.planned.rollout,
            row.planned.seed,
            row.finished.outcome,
            store.folder / row.finished.folder,
        )
        for row in store.rows()
        if row.finished is not None
    )
    return RunSide(store.folder, store.spec, store.progress().planned, attempts)


def contests(a: RunSide, b: RunSide) -> tuple[Contest, ...]:
    """Configurations at which one run did better than the other, the largest differences first."""
    ours, theirs = _scored(a), _scored(b)
    found = []
    for configuration in ours.keys() & theirs.keys():
        one, other = ours[configuration], theirs[configuration]
        won, lost = _passes(one), _passes(other)
        if won * len(other) == lost * len(one):
            continue
        better = won * len(other) > lost * len(one)
        found.append(
            Contest(
                configuration, (won, len(one)), (lost, len(other)), _example(one, better), _example(other, not better)
            )
        )
    return tuple(sorted(found, key=lambda one: (-abs(one.difference), one.configuration)))


def unlike(a: RunSide, b: RunSide) -> tuple[str, ...]:
    """What makes two runs less comparable than they seem, in sentences."""
    who = f"{a.folder} and {b.folder}"
    found = []
    for name in ("steps", "seconds", "tokens", "dollars"):
        one, other = (getattr(side.spec.budget, name) for side in (a, b))
        if one != other:
            found.append(f"{who} had different budgets: {name} {_limit(one)} and {_limit(other)}.")
    for side in (a, b):
        if side.spec.agent_errors == "excluded":
            found.append(f"{side.folder}: {excluded_note(side.spec)}.")
        if len(side.attempts) < side.planned:
            found.append(f"{side.folder} is not finished: {len(side.attempts)} of {side.planned} episodes have ended.")
    differing: dict[str, str] = {}
    pairs = 0
    for one, other in itertools.islice(_same(a, b), _COMPARED):
        prints = [_fingerprint(attempt.folder) for attempt in (one, other)]
        if prints[0] is None or prints[1] is None:
            continue
        pairs += 1
        for part, words in _parts(prints[0], prints[1], same_seed=one.seed == other.seed):
            differing.setdefault(part, f"{words} (such as {one.configuration})")
    found += [f"{who} ran in different worlds: {part} {words}." for part, words in differing.items()]
    if not pairs:
        found.append(f"Whether {who} ran in the same worlds is not known: no configuration is recorded in both.")
    return tuple(found)


def _scored(side: RunSide) -> dict[str, list[Attempt]]:
    found: dict[str, list[Attempt]] = {}
    for one in side.attempts:
        if one.outcome.scored:
            found.setdefault(one.configuration, []).append(one)
    return found


def _passes(attempts: Sequence[Attempt]) -> int:
    return sum(one.outcome is Outcome.PASSED for one in attempts)


def _example(attempts: Sequence[Attempt], passed: bool) -> Path:
    wanted = Outcome.PASSED if passed else Outcome.FAILED
    return next((one.folder for one in attempts if one.outcome is wanted), attempts[0].folder)


def _same(a: RunSide, b: RunSide) -> Iterator[tuple[Attempt, Attempt]]:
    """One attempt of each at the same configuration: at the same rollout where there is one."""
    theirs = {(one.configuration, one.rollout): one for one in b.attempts}
    seen = set()
    for one in a.attempts:
        other = theirs.get((one.configuration, one.rollout))
        if other is not None and one.configuration not in seen:
            seen.add(one.configuration)
            yield one, other


def _fingerprint(folder: Path) -> Fingerprint | None:
    try:
        data = read_inside(folder, "episode.json", limit=MAX_EPISODE)
        return Episode.parse(parse_json(data.decode("utf-8", "replace"), where=str(folder))).fingerprint
    except FairgroundError:  # without its recording, an episode still counts
        return None


def _parts(one: Fingerprint, other: Fingerprint, *, same_seed: bool) -> Iterator[tuple[str, str]]:
    plain: Sequence[Mapping[str, Any]] = (one.plain(), other.plain())
    for name in ("fairground", "suite", "runner", "isolated", "screen"):
        if plain[0][name] != plain[1][name]:
            yield name, f"{plain[0][name]} and {plain[1][name]}"
    for package in sorted(one.packages.keys() | other.packages.keys()):
        versions = [which.packages.get(package, "none") for which in (one, other)]
        if versions[0] != versions[1]:
            yield f"package {package}", f"{versions[0]} and {versions[1]}"
    if same_seed:  # what a stage makes may follow from the seed
        for stage in sorted(one.stages.keys() | other.stages.keys()):
            if one.stages.get(stage) != other.stages.get(stage):
                yield f"stage {stage}", "is not the same"


def _limit(value: object) -> str:
    return "without limit" if value is None else f"{value}"
