"""Read the episodes to export: one reading for all formats. What is left out is counted, with the reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fairground.core import Check, EpisodeError, Outcome, fingerprint
from fairground.core.damage import Damaged, notice
from fairground.rollout import EpisodeFolder, read_episode
from fairground.rollout.ended import Ended, ended_episodes, result_folders
from fairground.study import Side, Split

_EXAMPLES = 3  # names that are listed per reason


@dataclass(frozen=True)
class Filters:
    """Which episodes are exported.

    Attributes:
        outcomes: Outcomes to export.
        min_reward: Lowest reward.
        max_steps: Highest number of steps.
        agents: Names of agents; empty for all.
        deduplicate: Export only the first of several episodes with equal actions from an equal start.
        split: A split and the side to export.
        limit: Maximum number of episodes.
    """

    outcomes: tuple[Outcome, ...] = (Outcome.PASSED, Outcome.FAILED)
    min_reward: float | None = None
    max_steps: int | None = None
    agents: tuple[str, ...] = ()
    deduplicate: bool = False
    split: tuple[Split, Side] | None = None
    limit: int | None = None


@dataclass
class LeftOut:
    """Counts what was not exported, by reason, with some names."""

    counts: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=dict)

    def add(self, reason: str, name: str) -> None:
        """Count an episode or a step."""
        self.counts[reason] += 1
        names = self.examples.setdefault(reason, [])
        if len(names) < _EXAMPLES:
            names.append(name)

    def plain(self) -> dict[str, dict[str, object]]:
        """Return the JSON form."""
        return {
            reason: {"count": count, "examples": self.examples[reason]}
            for reason, count in sorted(self.counts.items(), key=lambda item: (-item[1], item[0]))
        }


@dataclass(frozen=True)
class Attempt:
    """An episode to export."""

    ended: Ended
    recorded: EpisodeFolder

    @property
    def name(self) -> str:
        """Its folder."""
        return str(self.ended.home / self.ended.finished.folder)

    def verify(self) -> None:
        """Decode every frame. Raises `EpisodeError` if the content of one differs from what was recorded."""
        for digest in dict.fromkeys(self.recorded.digests):
            self.recorded.frame(digest)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of its frames."""
        return self.recorded.frame_sizes[self.recorded.digests[0]]

    @property
    def checks(self) -> tuple[Check, ...]:
        """Its checks; empty if it was not scored."""
        verdict = self.recorded.episode.verdict
        return () if verdict is None else verdict.checks


def attempts(folders: Sequence[Path], filters: Filters, left_out: LeftOut) -> Iterator[Attempt]:
    """Yield the episodes of runs that pass the filters, one at a time. The caller reads their frames.

    Damaged episodes are reported with `notice` and left out.
    """
    seen: set[tuple[str, str, str]] = set()
    exported = 0
    for folder in result_folders(folders):
        for ended in ended_episodes(folder)[0]:
            name = str(ended.home / ended.finished.folder)
            if filters.limit is not None and exported >= filters.limit:
                left_out.add("over the limit", name)
                continue
            if reason := _summary_reason(ended, filters):
                left_out.add(reason, name)
                continue
            attempt = _read(ended, left_out)
            if attempt is None:
                continue
            if reason := _content_reason(attempt, filters, seen):
                left_out.add(reason, name)
                continue
            exported += 1
            yield attempt


def damaged(attempt: Attempt, error: EpisodeError, left_out: LeftOut) -> None:
    """Report an episode that turned out to be damaged while its frames were read."""
    _damaged(attempt.ended, error, left_out)


def _damaged(ended: Ended, error: EpisodeError, left_out: LeftOut) -> None:
    name = str(ended.home / ended.finished.folder)
    notice(Damaged(ended.home, None, ended.finished.folder, error.message.removeprefix(f"{name}: ")))
    left_out.add("damaged", name)


def _read(ended: Ended, left_out: LeftOut) -> Attempt | None:
    name = str(ended.home / ended.finished.folder)
    if not ended.finished.folder:
        left_out.add("it has no recording", name)
        return None
    try:
        recorded = read_episode(ended.home / ended.finished.folder)
    except EpisodeError as error:
        _damaged(ended, error, left_out)
        return None
    if not recorded.complete:
        left_out.add("the recording was not finished", name)
        return None
    if not recorded.digests:
        left_out.add("it has no frame", name)
        return None
    return Attempt(ended, recorded)


def _summary_reason(ended: Ended, filters: Filters) -> str:
    """Return why the index alone rules an episode out; empty if it does not."""
    finished = ended.finished
    if finished.outcome not in filters.outcomes:
        return f"outcome {finished.outcome.value}"
    if filters.min_reward is not None and (finished.reward is None or finished.reward < filters.min_reward):
        return f"reward below {filters.min_reward:g}"
    if filters.max_steps is not None and (finished.steps or 0) > filters.max_steps:
        return f"more than {filters.max_steps} steps"
    if filters.agents and ended.agent not in filters.agents:
        return "another agent"
    return ""


def _content_reason(attempt: Attempt, filters: Filters, seen: set[tuple[str, str, str]]) -> str:
    episode = attempt.recorded.episode
    if filters.split is not None:
        split, side = filters.split
        actual = split.side_of(episode.configuration)
        if actual != side:
            return "not in the split" if actual is None else f"{actual} side of the split"
    if filters.deduplicate:
        actions = fingerprint([step.action.plain() for step in attempt.recorded.steps])
        key = (episode.configuration.id, episode.first_frame, actions)
        if key in seen:
            return "duplicate"
        seen.add(key)
    return ""
