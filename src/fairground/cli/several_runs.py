"""Several runs that repeat each other, such as two versions of an edited agent, have no common score."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from fairground.core import InvalidInput
from fairground.report.plural import counted
from fairground.rollout.ended import Ended

_LISTED = 5


def refuse_repeats(given: Sequence[Path], by_home: Mapping[Path, Sequence[Ended]]) -> None:
    """Raises `InvalidInput` where two runs hold the same attempt of the same contender.

    Args:
        given: The folders that the user gave.
        by_home: The episodes of each run in them, by the run's folder.
    """
    seen: dict[tuple[str, str, str, int], Path] = {}
    for home, episodes in by_home.items():
        for episode in episodes:
            key = episode.agent, episode.condition, episode.configuration.id, episode.rollout
            if seen.setdefault(key, home) != home:
                raise _several_runs(given, by_home, seen[key], home)


def _several_runs(
    given: Sequence[Path], by_home: Mapping[Path, Sequence[Ended]], first: Path, second: Path
) -> InvalidInput:
    newest = sorted(by_home, key=lambda home: home.stat().st_mtime, reverse=True)
    lines = [f"  {home}: {_contents(by_home[home])}" for home in newest[:_LISTED]]
    if len(newest) > _LISTED:
        lines.append(f"  ... and {len(newest) - _LISTED:,} more")
    hold = "holds" if len(given) == 1 else "hold"
    return InvalidInput(
        f"{' and '.join(map(str, given))} {hold} {counted(len(by_home), 'run')}, which "
        f"cannot be scored together: {first.name} and {second.name} have the same agent, condition and configurations. "
        "The newest:\n" + "\n".join(lines),
        fix="give each version of an agent its own --condition; show one run, or compare two:\n"
        f"  {shlex.join(['fairground', 'show', str(newest[0])])}\n"
        f"  {shlex.join(['fairground', 'compare', str(second), str(first)])}",
    )


def _contents(episodes: Sequence[Ended]) -> str:
    if not episodes:
        return "no finished episode"
    condition = f" [{episodes[0].condition}]" if episodes[0].condition else ""
    return f"{episodes[0].agent}{condition}, {counted(len(episodes), 'episode')}"
