"""Find finished episodes in runs, in folders of several runs, and in folders of single episodes.

`fairground run` writes runs; with several agents, a folder with one run per agent. `fairground record` and
`run_episode` write single episodes. Code that reads results uses this module or `RunStore.rows`. Both validate what
they read, and leave out damaged episodes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from fairground.core import Configuration, Episode, EpisodeError, InvalidInput, Outcome
from fairground.core.damage import Damaged, damage_note, notice
from fairground.rollout.folder import read_episode
from fairground.rollout.manifest import MANIFEST
from fairground.rollout.plan import excluded_note
from fairground.rollout.store import Finished, RunStore, has_lost_index, is_run, lost_runs_in, no_run, runs_in

_DEEP = 3  # maximum folder depth between the given folder and an episode
_MOST = 1_000_000
_MOST_USED = 1e12  # maximum plausible tokens or dollars per episode


@dataclass(frozen=True)
class Ended:
    """One finished episode.

    Attributes:
        agent: Agent name, as shown in tables.
        condition: Condition of its run; "" outside of a run.
        configuration: The configuration it counts for.
        rollout: Index of the attempt at this configuration.
        seed: Seed of the episode.
        attempts: Number of earlier attempts that errored; 0 outside of a run.
        finished: How it ended. `folder` is relative to `home`.
        home: The folder of its run, or the folder that was given.
    """

    agent: str
    condition: str
    configuration: Configuration
    rollout: int
    seed: int
    attempts: int
    finished: Finished
    home: Path


def result_folders(folders: Iterable[Path]) -> list[Path]:
    """Return the run folders in these folders. A folder that holds episodes instead of runs is returned itself.

    Raises:
        InvalidInput: If a folder does not exist, or holds neither runs nor episodes.
        DamagedIndex: If the only run has lost its index. Next to others, such a run is reported as damaged.
    """
    results: list[Path] = []
    for folder in folders:
        runs = runs_in(folder)
        if not runs:
            _check_index(folder)
        results += runs or [_with_episodes(folder)]
    return list(dict.fromkeys(results))


def run_folders(folders: Iterable[Path]) -> list[Path]:
    """Return the run folders in these folders.

    Raises:
        InvalidInput: If a folder holds no run.
    """
    all_runs: list[Path] = []
    for folder in folders:
        runs = runs_in(folder)
        if not runs:
            _check_index(folder)
            raise _nothing(folder, "no run")
        all_runs += runs
    return list(dict.fromkeys(all_runs))


def _check_index(folder: Path) -> None:
    """Raise an error for a run without its index: nothing says which of its episodes were committed, or all of them."""
    for place in (folder, *(lost.home / lost.folder for lost in lost_runs_in(folder))):
        if has_lost_index(place):
            raise no_run(place)


def ended_episodes(folder: Path) -> tuple[list[Ended], tuple[str, ...]]:
    """Return the finished episodes of a run or a folder of episodes, and notes on what was left out.

    The run may still be in progress.
    """
    if not is_run(folder):
        return _loose(folder)
    with RunStore.open(folder) as store:
        return list(ended_in(store)), reading_notes(store)


def reading_notes(store: RunStore) -> tuple[str, ...]:
    """Return notes for readers of a run's results: what is damaged, cannot be checked, or was excluded."""
    notes = [damage_note(store.damaged())]
    if store.unchecked:
        notes.append(
            f"{store.folder.name}: {store.unchecked:,} of its episodes cannot be checked for damage: they were "
            "committed without file checksums"
        )
    if store.spec.agent_errors == "excluded":
        notes.append(excluded_note(store.spec))
    return tuple(note for note in notes if note)


def ended_in(store: RunStore) -> Iterator[Ended]:
    """Yield the finished episodes of an open run."""
    known: dict[str, Configuration] = {}
    for row in store.rows():
        if row.finished is None:
            continue
        planned = row.planned
        if planned.pairing not in known:
            known[planned.pairing] = Configuration.from_id(planned.pairing)
        yield Ended(
            store.spec.agent,
            store.spec.condition,
            known[planned.pairing],
            planned.rollout,
            planned.seed,
            row.attempts,
            row.finished,
            store.folder,
        )


def check_in_run(episode: Path) -> None:
    """Report if an episode's folder differs from what its run committed, even if it is consistent by itself."""
    run, name = episode.absolute().parent.parent, f"{episode.absolute().parent.name}/{episode.absolute().name}"
    if is_run(run):
        with RunStore.open(run) as store:
            for damaged in store.damaged():
                if damaged.folder == name:
                    notice(damaged)


def episodes_in(folder: Path) -> list[Path]:
    """Return the episode at a folder, or the episodes in it up to three folders deep, sorted by name."""
    if (folder / "episode.json").is_file():
        return [folder]
    episodes: list[Path] = []
    for depth in range(1, _DEEP + 1):
        episodes += (path.parent for path in folder.glob("/".join([*["*"] * depth, "episode.json"])))
        if len(episodes) > _MOST:
            raise InvalidInput(f"{folder} holds more than {_MOST:,} episodes", fix="give a folder with fewer episodes")
    return sorted(episodes)


def finished_of(episode: Episode, folder: str) -> Finished:
    """Return an episode's summary as stored in the index."""
    usage = episode.extra.get("usage")
    tokens, dollars = (_amount(usage, name) for name in ("tokens", "dollars"))
    return Finished(
        outcome=episode.outcome or Outcome.ERRORED,
        reward=episode.verdict.reward if episode.verdict is not None else None,
        steps=episode.steps,
        seconds=episode.seconds,
        tokens=None if tokens is None else int(tokens),
        cost=dollars,
        ended_by=episode.ended_by,
        error=episode.error,
        folder=folder,
    )


def _amount(usage: object, name: str) -> float | None:
    """Return the amount used. None if it is not a valid number: agents may write anything there."""
    value = usage.get(name) if isinstance(usage, dict) else None
    return (
        value if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= _MOST_USED else None
    )


def _loose(folder: Path) -> tuple[list[Ended], tuple[str, ...]]:
    complete: list[tuple[str, Episode]] = []
    stopped: list[Path] = []
    damaged: list[Damaged] = []
    unchecked = 0
    for place in episodes_in(folder):
        name = str(place.relative_to(folder))
        try:
            recorded = read_episode(place)
        except EpisodeError as error:
            problem = error.message.removeprefix(f"{place}: ")
            damaged.append(Damaged(folder, None, name, problem))
            notice(damaged[-1])
            continue
        if recorded.complete:
            complete.append((name, recorded.episode))
            unchecked += not (place / MANIFEST).is_file()
        else:
            stopped.append(place)
    attempts = Counter[tuple[str, str]]()
    ended = []
    for name, episode in sorted(complete, key=lambda pair: pair[1].started):
        key = (episode.agent, episode.configuration.id)
        finished = finished_of(episode, name)
        ended.append(Ended(episode.agent, "", episode.configuration, attempts[key], episode.seed, 0, finished, folder))
        attempts[key] += 1
    notes = [damage_note(damaged)]
    if stopped:
        more = f", and {len(stopped) - 1:,} more" if len(stopped) > 1 else ""
        notes.append(f"left out: {stopped[0]}: the recording stopped before the episode ended{more}")
    if unchecked:
        notes.append(f"{folder.name}: {unchecked:,} of its episodes cannot be checked for damage: no {MANIFEST}")
    return ended, tuple(note for note in notes if note)


def _with_episodes(folder: Path) -> Path:
    if not folder.is_dir() or not episodes_in(folder):
        raise _nothing(folder, "neither a run nor an episode")
    return folder


def _nothing(folder: Path, what: str) -> InvalidInput:
    if not folder.exists():
        return InvalidInput(f"folder {folder} does not exist", fix="give a folder that `fairground run` wrote")
    if not folder.is_dir():
        return InvalidInput(f"{folder} is a file, expected a folder", fix="give a folder that `fairground run` wrote")
    return InvalidInput(
        f"{folder} holds {what}", fix="give the folder that `fairground run` wrote, or one that holds such folders"
    )
