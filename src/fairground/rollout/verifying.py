"""Check runs and episodes file by file: whether everything is as recorded, and whether the index agrees."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fairground.core import EpisodeError
from fairground.core.damage import Damaged, notice
from fairground.rollout.ended import episodes_in
from fairground.rollout.folder import EpisodeFolder, read_episode
from fairground.rollout.index_rows import Row
from fairground.rollout.manifest import MANIFEST
from fairground.rollout.store import RunStore, is_run
from fairground.rollout.verdicts import read_verdict


@dataclass(frozen=True)
class Verified:
    """Result of checking a run or a folder of episodes.

    Attributes:
        folder: The run's folder, or the folder that was given.
        intact: Number of episodes whose files are all as recorded.
        unchecked: Number of finished episodes without checksums.
        unfinished: Number of unfinished episodes.
        damaged: Episodes that differ from what was recorded.
    """

    folder: Path
    intact: int
    unchecked: int
    unfinished: int
    damaged: tuple[Damaged, ...]


def verify_results(folder: Path) -> Verified:
    """Read every file of the episodes of a run or folder.

    Raises:
        DamagedIndex: If the run's index cannot be read.
    """
    return _verify_run(folder) if is_run(folder) else _verify_episodes(folder)


def _verify_run(folder: Path) -> Verified:
    intact = unchecked = unfinished = 0
    contradicting = []
    with RunStore.open(folder) as store:
        for row in store.rows(full=True):
            if row.damage:
                continue
            if row.finished is None:
                unfinished += 1
            elif not row.manifest:
                unchecked += 1
            elif problem := _contradiction(folder, row):
                fix = f"restore both from a copy; or remove the episode's folder, then `fairground resume {folder}`"
                contradicting.append(Damaged(folder, row.planned.number, row.finished.folder, problem, fix))
                notice(contradicting[-1])
            else:
                intact += 1
        damaged = sorted((*store.damaged(), *contradicting), key=lambda damage: damage.number or 0)
    return Verified(folder, intact, unchecked, unfinished, tuple(damaged))


def _contradiction(folder: Path, row: Row) -> str:
    """Return where the index and the episode's own files disagree, although each is intact."""
    assert row.finished is not None
    try:
        recorded = read_episode(folder / row.finished.folder)
        outcome, verdict = recorded.episode.outcome, recorded.episode.verdict
        if row.later:
            scored_again = read_verdict(recorded.path, row.later.partition(":")[0])
            outcome, verdict = scored_again.outcome, scored_again.verdict
    except EpisodeError as error:
        return error.message
    episode = recorded.episode
    pairs = {
        "configuration": (row.planned.configuration, episode.configuration.id),
        "seed": (row.planned.seed, episode.seed),
        "outcome": (row.finished.outcome, outcome),
        "reward": (row.finished.reward, None if verdict is None else verdict.reward),
        "steps": (row.finished.steps, episode.steps),
    }
    for name, (ours, theirs) in pairs.items():
        if ours != theirs:
            return f"{name}: {ours} in the index, {theirs} in its files"
    return ""


def _verify_episodes(folder: Path) -> Verified:
    intact = unchecked = unfinished = 0
    damaged = []
    for place in episodes_in(folder):
        try:
            recorded: EpisodeFolder = read_episode(place)
            recorded.verify()
        except EpisodeError as error:
            problem = error.message.removeprefix(f"{place}: ")
            damaged.append(Damaged(folder, None, str(place.relative_to(folder)), problem))
            notice(damaged[-1])
            continue
        if not recorded.complete:
            unfinished += 1
        elif (place / MANIFEST).is_file():
            intact += 1
        else:
            unchecked += 1
    return Verified(folder, intact, unchecked, unfinished, tuple(damaged))
