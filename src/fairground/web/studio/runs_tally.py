"""Counting, filtering and sorting of episodes."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, Literal, get_args
from urllib.parse import urlencode

from fairground.core import unknown
from fairground.web.studio.runs_read import Groups, Outcomes, RunEpisode, grouped

OutcomeWord = Literal["passed", "failed", "errored", "invalid", "waiting"]
"""Outcome of an episode, or that it has not ended."""

OUTCOMES: Final[tuple[OutcomeWord, ...]] = get_args(OutcomeWord)


@dataclass(frozen=True)
class Tally(Outcomes):
    """Counts of a set of episodes.

    Attributes:
        name: What they have in common.
        planned: Number of episodes.
        passed: Number of passed episodes; likewise the next three.
        groups: Scored episodes per configuration.
        steps: Mean over scored episodes.
        seconds: Total duration.
        typical: Median duration of scored episodes, in seconds.
        tokens: Total; None if no episode counted any.
        cost: Total dollars; None if unknown for all.
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
"""Sort keys of episodes. A minus sorts in descending order. Empty: the order of the plan."""

SORTS: Final[tuple[Sort, ...]] = get_args(Sort)

_KEYS: Final[dict[str, Callable[[RunEpisode], Any]]] = {
    "outcome": lambda episode: OUTCOMES.index(episode.outcome) if episode.outcome else None,
    "reward": lambda episode: episode.reward,
    "steps": lambda episode: episode.steps if episode.outcome else None,
    "duration": lambda episode: episode.seconds if episode.outcome else None,
    "scenario": lambda episode: episode.configuration,
    "agent": lambda episode: episode.contender,
}


@dataclass(frozen=True)
class Filter:
    """Which episodes to show, and in which order. Empty fields match all.

    Attributes:
        agent: Agent with its condition.
        outcome: Outcome.
        scenario: Scenario.
        text: Words in names and errors.
        check: A failed check; requires episodes from `checked_episodes`.
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
        """Return the matching episodes in the requested order. Episodes without a value to sort by come last."""
        words = self.text.lower().split()
        wanted = "" if self.outcome == "waiting" else self.outcome
        fitting = [
            episode
            for episode in episodes
            if (not self.agent or episode.contender == self.agent)
            and (not self.outcome or episode.outcome == wanted)
            and (not self.scenario or episode.scenario == self.scenario)
            and (not self.check or self.check in episode.failed)
            and (not words or _holds(episode, words))
        ]
        if not self.sort:
            return fitting
        key = _KEYS[self.sort.removeprefix("-")]
        valued = [episode for episode in fitting if key(episode) is not None]
        valued.sort(key=key, reverse=self.sort.startswith("-"))
        return valued + [episode for episode in fitting if key(episode) is None]

    def query(self, **changed: str | int) -> str:
        """Return the filter as a URL query string, including `?` unless it is empty."""
        values = {field.name: getattr(self, field.name) for field in fields(self)} | changed
        chosen = {name: value for name, value in values.items() if value}
        return f"?{urlencode(chosen)}" if chosen else ""


def tally(name: str, episodes: Sequence[RunEpisode]) -> Tally:
    """Count episodes."""
    scored = [episode for episode in episodes if episode.outcome in ("passed", "failed")]
    counts = dict.fromkeys(("passed", "failed", "errored", "invalid"), 0)
    for episode in episodes:
        if episode.outcome:
            counts[episode.outcome] += 1
    by_place: dict[str, tuple[int, int, float]] = {}
    for episode in scored:
        passed, number, rewards = by_place.get(episode.configuration, (0, 0, 0.0))
        by_place[episode.configuration] = (
            passed + (episode.outcome == "passed"),
            number + 1,
            rewards + (episode.reward or 0.0),
        )
    tokens = [episode.tokens for episode in episodes if episode.tokens is not None]
    costs = [episode.cost for episode in episodes if episode.cost is not None]
    return Tally(
        name,
        len(episodes),
        **counts,
        groups=grouped(by_place),
        steps=statistics.fmean(episode.steps for episode in scored) if scored else None,
        seconds=sum(episode.seconds for episode in episodes),
        typical=statistics.median(episode.seconds for episode in scored) if scored else None,
        tokens=sum(tokens) if tokens else None,
        cost=sum(costs) if costs else None,
    )


def tally_by(episodes: Iterable[RunEpisode], key: Callable[[RunEpisode], str]) -> list[Tally]:
    """Count episodes per kind, in order of first occurrence."""
    kinds: dict[str, list[RunEpisode]] = {}
    for episode in episodes:
        kinds.setdefault(key(episode), []).append(episode)
    return [tally(name, episodes) for name, episodes in kinds.items()]


def _holds(episode: RunEpisode, words: Sequence[str]) -> bool:
    parts = (episode.configuration, episode.contender, episode.ended_by, episode.error, episode.folder, *episode.failed)
    text = " ".join(parts).lower()
    return all(word in text for word in words)
