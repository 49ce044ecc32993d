"""Compare runs: configurations with different success, and differences between the worlds they ran in."""

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

_COMPARED = (
    200  # maximum number of episode pairs whose fingerprints are compared: a changed world shows in most of them
)


@dataclass(frozen=True)
class Attempt:
    """One finished episode of a run.

    Attributes:
        configuration: The configuration it counts for.
        rollout: Index of the attempt at this configuration.
        seed: Seed of its world.
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
    """A run, read for comparison.

    Attributes:
        folder: The run's folder.
        spec: The run's specification.
        planned: Number of planned episodes.
        attempts: The finished episodes.
    """

    folder: Path
    spec: RunSpec
    planned: int
    attempts: tuple[Attempt, ...]


@dataclass(frozen=True)
class Contest:
    """A configuration that two runs attempted with different success.

    Attributes:
        configuration: Configuration ID.
        a: Number of passed and of scored attempts of run a.
        b: Number of passed and of scored attempts of run b.
        a_folder: An example episode of run a: a pass if it did better, otherwise a failure.
        b_folder: An example episode of run b, chosen likewise.
    """

    configuration: str
    a: tuple[int, int]
    b: tuple[int, int]
    a_folder: Path
    b_folder: Path

    @property
    def difference(self) -> float:
        """Success rate of run a minus success rate of run b."""
        return self.a[0] / self.a[1] - self.b[0] / self.b[1]


def read_side(folder: Path) -> RunSide:
    """Read a run, finished or not."""
    with RunStore.open(folder) as store:
        return side_of(store)


def side_of(store: RunStore) -> RunSide:
    """Read a run whose store is already open."""
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
    """Return the configurations where one run did better than the other, largest differences first."""
    ours, theirs = _scored(a), _scored(b)
    differing = []
    for configuration in ours.keys() & theirs.keys():
        attempts_a, attempts_b = ours[configuration], theirs[configuration]
        won, lost = _passes(attempts_a), _passes(attempts_b)
        if won * len(attempts_b) == lost * len(attempts_a):
            continue
        better = won * len(attempts_b) > lost * len(attempts_a)
        differing.append(
            Contest(
                configuration,
                (won, len(attempts_a)),
                (lost, len(attempts_b)),
                _example(attempts_a, better),
                _example(attempts_b, not better),
            )
        )
    return tuple(sorted(differing, key=lambda contest: (-abs(contest.difference), contest.configuration)))


def unlike(a: RunSide, b: RunSide) -> tuple[str, ...]:
    """Return sentences that say what limits the comparison of two runs."""
    who = f"{a.folder} and {b.folder}"
    reasons = []
    for name in ("steps", "seconds", "tokens", "dollars"):
        limit_a, limit_b = (getattr(side.spec.budget, name) for side in (a, b))
        if limit_a != limit_b:
            reasons.append(f"{who} had different budgets: {name} {_limit(limit_a)} and {_limit(limit_b)}.")
    for side in (a, b):
        if side.spec.agent_errors == "excluded":
            reasons.append(f"{side.folder}: {excluded_note(side.spec)}.")
        if len(side.attempts) < side.planned:
            reasons.append(
                f"{side.folder} is not finished: {len(side.attempts)} of {side.planned} episodes have ended."
            )
    differing: dict[str, str] = {}
    pairs = 0
    for attempt_a, attempt_b in itertools.islice(_same(a, b), _COMPARED):
        prints = [_fingerprint(attempt.folder) for attempt in (attempt_a, attempt_b)]
        if prints[0] is None or prints[1] is None:
            continue
        pairs += 1
        for part, words in _parts(prints[0], prints[1], same_seed=attempt_a.seed == attempt_b.seed):
            differing.setdefault(part, f"{words} (such as {attempt_a.configuration})")
    reasons += [f"{who} ran in different worlds: {part} {words}." for part, words in differing.items()]
    if not pairs:
        reasons.append(f"It is unknown whether {who} ran in the same worlds: no configuration is recorded in both.")
    return tuple(reasons)


def _scored(side: RunSide) -> dict[str, list[Attempt]]:
    scored: dict[str, list[Attempt]] = {}
    for attempt in side.attempts:
        if attempt.outcome.scored:
            scored.setdefault(attempt.configuration, []).append(attempt)
    return scored


def _passes(attempts: Sequence[Attempt]) -> int:
    return sum(attempt.outcome is Outcome.PASSED for attempt in attempts)


def _example(attempts: Sequence[Attempt], passed: bool) -> Path:
    wanted = Outcome.PASSED if passed else Outcome.FAILED
    return next((attempt.folder for attempt in attempts if attempt.outcome is wanted), attempts[0].folder)


def _same(a: RunSide, b: RunSide) -> Iterator[tuple[Attempt, Attempt]]:
    """Yield one attempt of each run at the same configuration, and the same rollout."""
    theirs = {(attempt.configuration, attempt.rollout): attempt for attempt in b.attempts}
    seen = set()
    for one in a.attempts:
        counterpart = theirs.get((one.configuration, one.rollout))
        if counterpart is not None and one.configuration not in seen:
            seen.add(one.configuration)
            yield one, counterpart


def _fingerprint(folder: Path) -> Fingerprint | None:
    try:
        data = read_inside(folder, "episode.json", limit=MAX_EPISODE)
        return Episode.parse(parse_json(data.decode("utf-8", "replace"), where=str(folder))).fingerprint
    except FairgroundError:  # an episode counts even if its recording is missing
        return None


def _parts(print_a: Fingerprint, print_b: Fingerprint, *, same_seed: bool) -> Iterator[tuple[str, str]]:
    plain: Sequence[Mapping[str, Any]] = (print_a.plain(), print_b.plain())
    for name in ("fairground", "suite", "runner", "isolated", "screen"):
        if plain[0][name] != plain[1][name]:
            yield name, f"{plain[0][name]} and {plain[1][name]}"
    for package in sorted(print_a.packages.keys() | print_b.packages.keys()):
        versions = [which.packages.get(package, "none") for which in (print_a, print_b)]
        if versions[0] != versions[1]:
            yield f"package {package}", f"{versions[0]} and {versions[1]}"
    if same_seed:  # the output of a stage may depend on the seed
        for stage in sorted(print_a.stages.keys() | print_b.stages.keys()):
            if print_a.stages.get(stage) != print_b.stages.get(stage):
                yield f"stage {stage}", "is not the same"


def _limit(value: object) -> str:
    return "unlimited" if value is None else f"{value}"
