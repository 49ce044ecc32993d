"""Reading runs to show them: also while they go on, also when somebody broke them; again only once they changed.

What a store says is not believed: texts are cut and made printable, numbers must be numbers, and what cannot be read
makes a run `damaged` instead of a page that fails. Where runs lie on the server is never said.
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

_SUMMARIES: Final = 4096  # runs whose figures are kept
_RUNS: Final = 12  # runs whose episodes are kept
_LONGEST: Final = 2_000  # letters of a text
# What to do about a file on the server's disk is nothing that a visitor could follow.
_REPAIR: Final = "choose another run; this one has to be repaired by the owner of the site"
_UNNAMED: Final = RunLabel()
_FOLDER: Final = re.compile(r"episodes/([0-9]{6,12}(?:-[0-9]{1,6})?)", re.ASCII)
_ATTEMPT: Final = re.compile(f"({ATTEMPT.pattern})", re.ASCII)


class Scored(NamedTuple):
    """The scored episodes of one configuration."""

    app: str
    scenario: str
    passed: int
    number: int
    rewards: float


Groups = tuple[Scored, ...]


class Outcomes:
    """Episodes by how they ended: what follows from the four counts, and from which of the scored ones are alike."""

    passed: int
    failed: int
    errored: int
    invalid: int
    groups: Groups

    @property
    def scored(self) -> int:
        """Those that count for or against the agent."""
        return self.passed + self.failed

    @property
    def ended(self) -> int:
        """Those that need no more attempt."""
        return self.scored + self.errored + self.invalid

    @property
    def rate(self) -> Interval | None:
        """The score, as a report gives it: the mean of the apps' success rates; None where nothing was scored."""
        return _score(tuple((one.app, one.scenario, one.passed, one.number) for one in self.groups))

    @property
    def reward(self) -> Interval | None:
        """The mean reward, averaged in the same way; None where nothing was scored."""
        return _score(tuple((one.app, one.scenario, one.rewards, one.number) for one in self.groups))


@dataclass(frozen=True)
class RunSummary(Outcomes):
    """A run in figures.

    Attributes:
        name: In addresses.
        group: What it was run together with; empty for one that stands alone.
        agent: Who acts.
        condition: Under which condition; empty for none.
        worlds: What was asked for.
        rollouts: Attempts at each configuration.
        started: When, as ISO 8601.
        state: Whether it goes on now. `stopped`: it has not ended, and nobody of this machine writes it.
            `open`: nobody planned it, and more may come: people's attempts.
        planned: Episodes in all.
        passed: Of those that have ended, how many ended so; likewise the next three.
        retried: Attempts that errored and were tried again.
        cost: Dollars, as far as known.
        fault: What is wrong with a damaged run, with episodes of it, or what was left out of people's attempts.
        groups: Its scored episodes by scenario, or by configuration where it has but one scenario.
        mark: Another one whenever something has changed.
        label: The name and the tags that a person gave it.
        group_label: The same of what it was run together with.
        agent_errors: What became of an episode that the agent broke off.
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
        """Agent and condition, as statistics call them."""
        return str(Contender(self.agent, self.condition))

    @property
    def title(self) -> str:
        """What a person called it, or else the name of its folder."""
        return self.label.name or self.name.removeprefix(f"{self.group}:")

    @property
    def group_title(self) -> str:
        """The same of what it was run together with."""
        return self.group_label.name or self.group

    @property
    def tags(self) -> tuple[str, ...]:
        """Its own, and those of what it was run together with."""
        return tuple(dict.fromkeys((*self.label.tags, *self.group_label.tags)))


@dataclass(frozen=True, slots=True)
class RunEpisode:
    """One episode of a run.

    Attributes:
        run: Name of the run.
        contender: Who acted.
        number: In the plan.
        configuration: Where.
        scenario: The first three parts of that.
        rollout: Which attempt at the configuration, from 0 on.
        outcome: Empty while it has not ended.
        folder: Name of its folder, for its replay; empty where nothing is recorded.
        failed: Names of the checks that failed, as far as `checked_episodes` read them.
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
    """A run in figures. One that cannot be read is `damaged`. Raises `Refused` when it is gone."""
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
    """Every episode of a run, in the order of its plan.

    Raises:
        Refused: When the run is gone.
        InvalidInput: When it cannot be read.
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
    """Remembered, because a page has hundreds of them and few that differ."""
    return score_of_counts(groups) if groups else None


def grouped(scored: Mapping[str, tuple[int, int, float]]) -> Groups:
    """What passed in each configuration, with the app and the scenario that it belongs to."""
    return tuple(
        Scored(scenario.rpartition("/")[0], scenario, passed, number, rewards)
        for configuration, (passed, number, rewards) in scored.items()
        for scenario in (scenario_of(configuration),)
    )


def scenario_of(configuration: str) -> str:
    """The first three parts of a configuration."""
    return "/".join(configuration.split("/", 3)[:3])


@contextmanager
def opened(found: Found) -> Iterator[RunStore]:
    """A run's index to be read. Whatever goes wrong becomes an `InvalidInput` without a path in it."""
    try:
        with open_plays(found.folder) if found.played else RunStore.open(found.folder) as store:
            yield store
    except FairgroundError as error:
        said = error.message.replace(str(found.folder / "run.sqlite"), "its index").replace(str(found.folder), "it")
        raise InvalidInput(f"the run {found.name} cannot be read: {said[:_LONGEST]}", fix=_REPAIR) from None
    except (ValueError, TypeError, OverflowError, RecursionError, OSError, sqlite3.Error) as error:
        # The index opens, but says what no run says.
        said = f"the run {found.name} cannot be read: {type(error).__name__} in its index"
        raise InvalidInput(said, fix=_REPAIR) from None


def _summarise(found: Found, store: RunStore, mark: str) -> RunSummary:
    spec, progress = store.spec, store.progress()
    passed, failed, errored, invalid = (progress.outcomes.get(one, 0) for one in Outcome)
    left_out = unreadable(found.folder) if found.played else 0
    if found.played:
        state: State = "open"
    elif progress.planned == progress.finished:
        state = "finished"
    else:
        state = "going" if is_going(found.folder) else "stopped"
    return RunSummary(
        found.name, found.group, _text(spec.agent), _text(spec.condition), tuple(map(_text, spec.worlds)),
        spec.rollouts, _text(store.started), state, progress.planned, passed, failed, errored, invalid,
        progress.retried, _number(progress.cost) or 0.0,
        fault=f"{left_out:,} of the recordings cannot be read, and are left out" if left_out else _damage(store),
        groups=grouped(store.scored()), mark=mark, agent_errors=spec.agent_errors,
    )  # fmt: skip


def _damage(store: RunStore) -> str:
    return _text(damage_note(store.damaged()))


def _labelled(found: Found, run: RunSummary) -> RunSummary:
    """The run with what people called it; a label that cannot be read is told like an attempt that was left out."""
    if found.played:
        return run
    label, fault = _label(found.folder)
    group_label, group_fault = _label(found.group_folder) if found.group_folder else (_UNNAMED, "")
    told = "; ".join(dict.fromkeys(filter(None, (run.fault, fault, group_fault))))
    return replace(run, label=label, group_label=group_label, fault=told)


def _label(folder: Path) -> tuple[RunLabel, str]:
    try:
        return read_label(folder), ""
    except InvalidInput as error:
        return _UNNAMED, f"its name and tags cannot be read: {error.message[:_LONGEST]}"


def _episode(found: Found, contender: str, row: Row) -> RunEpisode:
    planned, done = row.planned, row.finished
    configuration = _text(planned.configuration)
    if done is None:
        values: tuple[Any, ...] = ("", None, 0, 0.0, None, None, "", _text(row.damage and f"damaged: {row.damage}"), "")
    else:
        place = (_ATTEMPT if found.played else _FOLDER).fullmatch(_text(done.folder))
        values = (
            done.outcome.value, _number(done.reward), int(_number(done.steps) or 0), _number(done.seconds) or 0.0,
            None if done.tokens is None else int(_number(done.tokens) or 0), _number(done.cost),
            _text(done.ended_by), _text(done.error), place[1] if place else "",
        )  # fmt: skip
    number, rollout = int(planned.number), int(planned.rollout)
    return RunEpisode(found.name, contender, number, configuration, scenario_of(configuration), rollout, *values)


def _text(value: object) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ValueError(f"a {type(value).__name__} where a text should be")
    cut = value[:_LONGEST]
    return cut if cut.isascii() else cut.encode("utf-8", "replace").decode()


def _number(value: object) -> float | None:
    if value is None:
        return None
    if not isinstance(value, int | float) or not math.isfinite(value) or abs(value) > 1e15:
        raise ValueError("no number where one should be")
    return float(value)


def mark_of(found: Found) -> str:
    """What tells a run from how it was: its index, the journal of that, its label, and whether it goes on."""
    if found.played:
        return plays_mark(found.folder)
    seen: list[object] = []
    paths = [found.folder / name for name in ("run.sqlite", "run.sqlite-wal", LABEL)]
    for path in (*paths, *([found.group_folder / LABEL] if found.group_folder else [])):
        try:
            about = os.stat(path)
            # Readers leave an empty journal behind, which says no more than none.
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
    """What was read of runs, until they change; those that were asked for longest ago are forgotten."""

    def __init__(self, most: int) -> None:
        self._most, self._lock = most, threading.Lock()
        self._held: OrderedDict[tuple[str, str], tuple[str, T]] = OrderedDict()

    def get(self, found: Found, mark: str) -> T | None:
        """What was kept of it, if that is how it still is."""
        key = (found.name, str(found.folder))
        with self._lock:
            if key not in self._held:
                return None
            self._held.move_to_end(key)
            held = self._held[key]
        return held[1] if held[0] == mark else None

    def put(self, found: Found, mark: str, value: T) -> None:
        """Keeps it."""
        with self._lock:
            self._held[found.name, str(found.folder)] = (mark, value)
            if len(self._held) > self._most:
                self._held.popitem(last=False)


_summaries: Kept[RunSummary] = Kept(_SUMMARIES)
_episodes: Kept[tuple[RunEpisode, ...]] = Kept(_RUNS)
