"""Reading of runs for display: also while they are running or damaged, cached until they change.

The content of a store is not trusted: texts are shortened and made printable, numbers are validated, and a run that
cannot be read is shown as `damaged` instead of failing the page. Paths on the server are never shown.
"""

from __future__ import annotations

import hashlib
import math
import os
import re
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Generic, Literal, NamedTuple, TypeVar

from fairground.core import FairgroundError, InvalidInput, Outcome
from fairground.core.damage import damage_note
from fairground.rollout import Row, RunStore
from fairground.rollout.label import LABEL, RunLabel, read_label
from fairground.rollout.store import is_going
from fairground.stats import Contender, Interval, score_of_counts
from fairground.web.studio.runs_found import Found, no_run
from fairground.web.studio.runs_plays import ATTEMPT, open_plays, plays_mark, unreadable

State = Literal["going", "finished", "stopped", "open", "damaged"]

_SUMMARIES: Final = 4096  # number of cached summaries
_RUNS: Final = 12  # number of runs whose episodes are cached
_LONGEST: Final = 2_000  # maximum length of a text
# Visitors cannot act on a problem with a file on the server.
_REPAIR: Final = "choose another run; the administrator of the site has to repair this one"
_UNNAMED: Final = RunLabel()
_FOLDER: Final = re.compile(r"episodes/([0-9]{6,12}(?:-[0-9]{1,6})?)", re.ASCII)
_ATTEMPT: Final = re.compile(f"({ATTEMPT.pattern})", re.ASCII)


class Scored(NamedTuple):
    """Scored episodes of one configuration."""

    app: str
    scenario: str
    passed: int
    number: int
    rewards: float


Groups = tuple[Scored, ...]


class Outcomes:
    """Episodes counted by outcome, with scored ones grouped by configuration."""

    passed: int
    failed: int
    errored: int
    invalid: int
    groups: Groups

    @property
    def scored(self) -> int:
        """Number of episodes that count for or against the agent."""
        return self.passed + self.failed

    @property
    def ended(self) -> int:
        """Number of finished episodes."""
        return self.scored + self.errored + self.invalid

    @property
    def rate(self) -> Interval | None:
        """The score as in a report: the mean of the apps' success rates; None if nothing was scored."""
        return _score(tuple((group.app, group.scenario, group.passed, group.number) for group in self.groups))

    @property
    def reward(self) -> Interval | None:
        """The mean reward, averaged in the same way; None if nothing was scored."""
        return _score(tuple((group.app, group.scenario, group.rewards, group.number) for group in self.groups))


@dataclass(frozen=True)
class RunSummary(Outcomes):
    """Summary of a run.

    Attributes:
        name: Name in URLs.
        group: Name of its group; empty if it has none.
        agent: The agent.
        condition: The condition; empty if there is none.
        worlds: The requested worlds.
        rollouts: Attempts per configuration.
        started: When, as ISO 8601.
        state: Current state. `stopped`: it has not finished, and no process on this machine writes it.
            `open`: it has no plan, and more can follow: people's attempts.
        planned: Total number of episodes.
        passed: Number of passed episodes; likewise the next three.
        retried: Attempts that errored and were retried.
        cost: Dollars, as far as known.
        fault: What is wrong with a damaged run or its episodes, or what was left out of people's attempts.
        groups: Its scored episodes per scenario, or per configuration if it has only one scenario.
        mark: Changes whenever the run changes.
        label: Its given name and tags.
        group_label: Given name and tags of its group.
        agent_errors: How episodes that the agent aborted are counted.
    """

    name: str
    group: str
    agent: str = ""
    condition: str = ""
    worlds: tuple[str, ...] = ()
    rollouts: int = 0
    started: str = ""
    state: State = "damaged"
    planned: int = 0
    passed: int = 0
    failed: int = 0
    errored: int = 0
    invalid: int = 0
    retried: int = 0
    cost: float = 0.0
    fault: str = ""
    groups: Groups = ()
    mark: str = ""
    label: RunLabel = _UNNAMED
    group_label: RunLabel = _UNNAMED
    agent_errors: Literal["failed", "excluded"] = "failed"

    @property
    def contender(self) -> str:
        """Agent and condition, as named in statistics."""
        return str(Contender(self.agent, self.condition))

    @property
    def title(self) -> str:
        """Its given name, or the name of its folder."""
        return self.label.name or self.name.removeprefix(f"{self.group}:")

    @property
    def group_title(self) -> str:
        """The given name of its group, or the name of the group's folder."""
        return self.group_label.name or self.group

    @property
    def tags(self) -> tuple[str, ...]:
        """Its tags and those of its group."""
        return tuple(dict.fromkeys((*self.label.tags, *self.group_label.tags)))


@dataclass(frozen=True, slots=True)
class RunEpisode:
    """One episode of a run.

    Attributes:
        run: Name of the run.
        contender: Agent and condition.
        number: Number in the plan.
        configuration: ID of the configuration.
        scenario: The first three parts of that ID.
        rollout: Index of the attempt at the configuration, from 0.
        outcome: Empty until it has ended.
        folder: Name of its folder, for its replay; empty if there is no recording.
        failed: Names of its failed checks, as read by `checked_episodes`.
    """

    run: str
    contender: str
    number: int
    configuration: str
    scenario: str
    rollout: int
    outcome: Literal["", "passed", "failed", "errored", "invalid"]
    reward: float | None
    steps: int
    seconds: float
    tokens: int | None
    cost: float | None
    ended_by: str
    error: str
    folder: str
    failed: tuple[str, ...] = ()


def summary_of(found: Found) -> RunSummary:
    """Return the summary of a run. An unreadable run is `damaged`. Raises `Refused` if it no longer exists."""
    mark = mark_of(found)
    known = _summaries.get(found, mark)
    if known is None:
        try:
            with opened(found) as store:
                known = _summarise(found, store, mark)
        except InvalidInput as error:
            if not found.present:
                raise no_run(found.name, {}) from None
            known = RunSummary(found.name, found.group, fault=error.message, mark=mark)
        known = _labelled(found, known)
        _summaries.put(found, mark, known)
    return known


def episodes_of(found: Found) -> tuple[RunEpisode, ...]:
    """Return every episode of a run in the order of its plan.

    Raises:
        Refused: If the run no longer exists.
        InvalidInput: If it cannot be read.
    """
    mark = mark_of(found)
    known = _episodes.get(found, mark)
    if known is None:
        try:
            with opened(found) as store:
                contender = str(Contender(_text(store.spec.agent), _text(store.spec.condition)))
                known = tuple(_episode(found, contender, row) for row in store.rows())
        except InvalidInput:
            if not found.present:
                raise no_run(found.name, {}) from None
            raise
        _episodes.put(found, mark, known)
    return known


@lru_cache(maxsize=16_384)
def _score(groups: tuple[tuple[str, str, float, int], ...]) -> Interval | None:
    """Cached, because a page shows hundreds of scores with few distinct values."""
    return score_of_counts(groups) if groups else None


def grouped(scored: Mapping[str, tuple[int, int, float]]) -> Groups:
    """Count passes per configuration, with its app and scenario."""
    return tuple(
        Scored(scenario.rpartition("/")[0], scenario, passed, number, rewards)
        for configuration, (passed, number, rewards) in scored.items()
        for scenario in (scenario_of(configuration),)
    )


def scenario_of(configuration: str) -> str:
    """Return the first three parts of a configuration's ID."""
    return "/".join(configuration.split("/", 3)[:3])


@contextmanager
def opened(found: Found) -> Iterator[RunStore]:
    """Open a run's index for reading. Every error becomes an `InvalidInput` without a path."""
    try:
        with open_plays(found.folder) if found.played else RunStore.open(found.folder) as store:
            yield store
    except FairgroundError as error:
        problem = error.message.replace(str(found.folder / "run.sqlite"), "its index").replace(str(found.folder), "it")
        raise InvalidInput(f"the run {found.name} cannot be read: {problem[:_LONGEST]}", fix=_REPAIR) from None
    except (ValueError, TypeError, OverflowError, RecursionError, OSError, sqlite3.Error) as error:
        # The index opens but contains invalid values.
        problem = f"the run {found.name} cannot be read: {type(error).__name__} in its index"
        raise InvalidInput(problem, fix=_REPAIR) from None


def _summarise(run: Found, store: RunStore, mark: str) -> RunSummary:
    spec, progress = store.spec, store.progress()
    passed, failed, errored, invalid = (progress.outcomes.get(outcome, 0) for outcome in Outcome)
    left_out = unreadable(run.folder) if run.played else 0
    if run.played:
        state: State = "open"
    elif progress.planned == progress.finished:
        state = "finished"
    else:
        state = "going" if is_going(run.folder) else "stopped"
    return RunSummary(
        run.name, run.group, _text(spec.agent), _text(spec.condition), tuple(map(_text, spec.worlds)),
        spec.rollouts, _text(store.started), state, progress.planned, passed, failed, errored, invalid,
        progress.retried, _number(progress.cost) or 0.0,
        fault=f"{left_out:,} of the recordings cannot be read and are left out" if left_out else _damage(store),
        groups=grouped(store.scored()), mark=mark, agent_errors=spec.agent_errors,
    )  # fmt: skip


def _damage(store: RunStore) -> str:
    return _text(damage_note(store.damaged()))


def _labelled(place: Found, run: RunSummary) -> RunSummary:
    """Add the run's name and tags. An unreadable label is reported as a fault."""
    if place.played:
        return run
    label, fault = _label(place.folder)
    group_label, group_fault = _label(place.group_folder) if place.group_folder else (_UNNAMED, "")
    faults = "; ".join(dict.fromkeys(filter(None, (run.fault, fault, group_fault))))
    return replace(run, label=label, group_label=group_label, fault=faults)


def _label(folder: Path) -> tuple[RunLabel, str]:
    try:
        return read_label(folder), ""
    except InvalidInput as error:
        return _UNNAMED, f"its name and tags cannot be read: {error.message[:_LONGEST]}"


def _episode(run: Found, contender: str, row: Row) -> RunEpisode:
    planned, done = row.planned, row.finished
    configuration = _text(planned.configuration)
    if done is None:
        values: tuple[Any, ...] = ("", None, 0, 0.0, None, None, "", _text(row.damage and f"damaged: {row.damage}"), "")
    else:
        place = (_ATTEMPT if run.played else _FOLDER).fullmatch(_text(done.folder))
        values = (
            done.outcome.value, _number(done.reward), int(_number(done.steps) or 0), _number(done.seconds) or 0.0,
            None if done.tokens is None else int(_number(done.tokens) or 0), _number(done.cost),
            _text(done.ended_by), _text(done.error), place[1] if place else "",
        )  # fmt: skip
    number, rollout = int(planned.number), int(planned.rollout)
    return RunEpisode(run.name, contender, number, configuration, scenario_of(configuration), rollout, *values)


def _text(value: object) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ValueError(f"expected text, found {type(value).__name__}")
    cut = value[:_LONGEST]
    return cut if cut.isascii() else cut.encode("utf-8", "replace").decode()


def _number(value: object) -> float | None:
    if value is None:
        return None
    if not isinstance(value, int | float) or not math.isfinite(value) or abs(value) > 1e15:
        raise ValueError("expected a number")
    return float(value)


def mark_of(found: Found) -> str:
    """Return a marker of the run's state: its index, the index's journal, its label, and whether it is running."""
    if found.played:
        return plays_mark(found.folder)
    seen: list[object] = []
    paths = [found.folder / name for name in ("run.sqlite", "run.sqlite-wal", LABEL)]
    for path in (*paths, *([found.group_folder / LABEL] if found.group_folder else [])):
        try:
            about = os.stat(path)
            # Readers leave an empty journal behind; it counts as no journal.
            empty = path.name.endswith("-wal") and not about.st_size
            seen.append(None if empty else (about.st_ino, about.st_size, about.st_mtime_ns))
        except OSError:
            seen.append(None)
    if seen[0] is None:
        raise no_run(found.name, {})
    seen.append(is_going(found.folder))
    return hashlib.blake2b(repr(seen).encode(), digest_size=8).hexdigest()


T = TypeVar("T")


class Kept(Generic[T]):
    """LRU cache of what was read from runs, valid until they change."""

    def __init__(self, most: int) -> None:
        self._most, self._lock = most, threading.Lock()
        self._held: OrderedDict[tuple[str, str], tuple[str, T]] = OrderedDict()

    def get(self, found: Found, mark: str) -> T | None:
        """Return the cached value if its marker is still current."""
        key = (found.name, str(found.folder))
        with self._lock:
            if key not in self._held:
                return None
            self._held.move_to_end(key)
            held = self._held[key]
        return held[1] if held[0] == mark else None

    def put(self, found: Found, mark: str, value: T) -> None:
        """Store a value."""
        with self._lock:
            self._held[found.name, str(found.folder)] = (mark, value)
            if len(self._held) > self._most:
                self._held.popitem(last=False)


_summaries: Kept[RunSummary] = Kept(_SUMMARIES)
_episodes: Kept[tuple[RunEpisode, ...]] = Kept(_RUNS)
