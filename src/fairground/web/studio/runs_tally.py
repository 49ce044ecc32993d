"""Episodes counted: by scenario and by contender; those that a filter lets through, in the order that it asks for."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, Literal, get_args
from urllib.parse import urlencode

from fairground.core import unknown
from fairground.web.studio.runs_read import Groups, Outcomes, RunEpisode, grouped

OutcomeWord = Literal["passed", "failed", "errored", "invalid", "waiting"]
"""How an episode ended, or that it has not."""

OUTCOMES: Final[tuple[OutcomeWord, ...]] = get_args(OutcomeWord)


@dataclass(frozen=True)
class Tally(Outcomes):
    """Episodes of one kind.

    Attributes:
        name: What they have in common.
        planned: How many there are.
        passed: Of those that have ended, how many ended so; likewise the next three.
        groups: The scored ones by configuration.
        steps: The mean over scored ones.
        seconds: In all.
        typical: Seconds of the median scored one.
        tokens: In all; None where no episode counted any.
        cost: Dollars in all; None where it is not known of any.
    """

    name: str
    planned: int
    passed: int
    failed: int
    errored: int
    invalid: int
    groups: Groups
    steps: float | None
    seconds: float
    typical: float | None
    tokens: int | None
    cost: float | None


Sort = Literal[
    "", "outcome", "reward", "steps", "duration", "scenario", "agent",
    "-outcome", "-reward", "-steps", "-duration", "-scenario", "-agent",
]  # fmt: skip
"""What episodes are ordered by; from the largest on with a minus. Empty: in the order of the plan."""

SORTS: Final[tuple[Sort, ...]] = get_args(Sort)

_KEYS: Final[dict[str, Callable[[RunEpisode], Any]]] = {
    "outcome": lambda one: OUTCOMES.index(one.outcome) if one.outcome else None,
    "reward": lambda one: one.reward,
    "steps": lambda one: one.steps if one.outcome else None,
    "duration": lambda one: one.seconds if one.outcome else None,
    "scenario": lambda one: one.configuration,
    "agent": lambda one: one.contender,
}


@dataclass(frozen=True)
class Filter:
    """Which episodes are wanted, and in which order; empty parts want all.

    Attributes:
        agent: Who acted, with its condition.
        outcome: How they ended.
        scenario: Where.
        text: Words in names and errors.
        check: A check that failed; for episodes of `checked_episodes`.
        sort: One of `SORTS`.
    """

    agent: str = ""
    outcome: str = ""
    scenario: str = ""
    text: str = ""
    check: str = ""
    sort: str = ""

    def __post_init__(self) -> None:
        if self.sort not in SORTS:
            raise unknown("order of episodes", self.sort, SORTS[1:])

    def __call__(self, episodes: Iterable[RunEpisode]) -> list[RunEpisode]:
        """Those that fit, in the order that is wanted; those that have no value to order by come last."""
        words = self.text.lower().split()
        wanted = "" if self.outcome == "waiting" else self.outcome
        fitting = [
            one
            for one in episodes
            if (not self.agent or one.contender == self.agent)
            and (not self.outcome or one.outcome == wanted)
            and (not self.scenario or one.scenario == self.scenario)
            and (not self.check or self.check in one.failed)
            and (not words or _holds(one, words))
        ]
        if not self.sort:
            return fitting
        key = _KEYS[self.sort.removeprefix("-")]
        valued = [one for one in fitting if key(one) is not None]
        valued.sort(key=key, reverse=self.sort.startswith("-"))
        return valued + [one for one in fitting if key(one) is None]

    def query(self, **changed: str | int) -> str:
        """The filter as the end of an address, with `?` where it says anything."""
        said = {one.name: getattr(self, one.name) for one in fields(self)} | changed
        kept = {name: value for name, value in said.items() if value}
        return f"?{urlencode(kept)}" if kept else ""


def tally(name: str, episodes: Sequence[RunEpisode]) -> Tally:
    """Counts episodes."""
    scored = [one for one in episodes if one.outcome in ("passed", "failed")]
    counts = dict.fromkeys(("passed", "failed", "errored", "invalid"), 0)
    for one in episodes:
        if one.outcome:
            counts[one.outcome] += 1
    by_place: dict[str, tuple[int, int, float]] = {}
    for one in scored:
        passed, number, rewards = by_place.get(one.configuration, (0, 0, 0.0))
        by_place[one.configuration] = (passed + (one.outcome == "passed"), number + 1, rewards + (one.reward or 0.0))
    tokens = [one.tokens for one in episodes if one.tokens is not None]
    costs = [one.cost for one in episodes if one.cost is not None]
    return Tally(
        name,
        len(episodes),
        **counts,
        groups=grouped(by_place),
        steps=statistics.fmean(one.steps for one in scored) if scored else None,
        seconds=sum(one.seconds for one in episodes),
        typical=statistics.median(one.seconds for one in scored) if scored else None,
        tokens=sum(tokens) if tokens else None,
        cost=sum(costs) if costs else None,
    )


def tally_by(episodes: Iterable[RunEpisode], key: Callable[[RunEpisode], str]) -> list[Tally]:
    """Counts episodes of each kind, in the order in which kinds come up."""
    kinds: dict[str, list[RunEpisode]] = {}
    for one in episodes:
        kinds.setdefault(key(one), []).append(one)
    return [tally(name, some) for name, some in kinds.items()]


def _holds(one: RunEpisode, words: Sequence[str]) -> bool:
    parts = (one.configuration, one.contender, one.ended_by, one.error, one.folder, *one.failed)
    text = " ".join(parts).lower()
    return all(word in text for word in words)
