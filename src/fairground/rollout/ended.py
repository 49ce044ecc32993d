"""Episodes that have ended, wherever they are: in runs, in folders with several runs, or in folders of their own.

`fairground run` writes runs; with several agents, a folder with a run for each. `fairground record` and `run_episode`
write single episodes. What reads results reads all of these, and reads them here or by `RunStore.rows`: both check
what they read, and leave damaged episodes out.
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
from fairground.rollout.store import Finished, RunStore, is_run, runs_in

_DEEP = 3  # folders between the one that was named and an episode
_MOST = 1_000_000
_MOST_USED = 1e12  # tokens or dollars of an episode


@dataclass(frozen=True)
class Ended:
    """One episode that has ended.

    Attributes:
        agent: Who acted, as tables call it.
        condition: Of its run; "" outside of one.
        configuration: The one it counts under.
        rollout: Which attempt at it.
        seed: Of the episode.
        attempts: How many errored before; 0 outside of a run.
        finished: How it ended; `folder` is below `home`.
        home: The folder of its run, or the folder that was named.
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
    """The runs in these folders, and of the folders that hold episodes instead, the folders themselves.

    Raises:
        InvalidInput: For a folder that does not exist, or holds neither.
    """
    found: list[Path] = []
    for folder in folders:
        found += runs_in(folder) or [_with_episodes(folder)]
    return list(dict.fromkeys(found))


def run_folders(folders: Iterable[Path]) -> list[Path]:
    """The runs in these folders.

    Raises:
        InvalidInput: For a folder that holds none.
    """
    found: list[Path] = []
    for folder in folders:
        runs = runs_in(folder)
        if not runs:
            raise _nothing(folder, "no run")
        found += runs
    return list(dict.fromkeys(found))


def ended_episodes(folder: Path) -> tuple[list[Ended], tuple[str, ...]]:
    """What has ended in a run, which may still go on; or in a folder of episodes. And notes on what was left out."""
    if not is_run(folder):
        return _loose(folder)
    with RunStore.open(folder) as store:
        return list(ended_in(store)), reading_notes(store)


def reading_notes(store: RunStore) -> tuple[str, ...]:
    """What a reader of a run's results must know: what is damaged, cannot be checked, or was excluded."""
    notes = [damage_note(store.damaged())]
    if store.unchecked:
        notes.append(
            f"{store.folder.name}: {store.unchecked:,} of its episodes cannot be checked for damage: they were "
            "committed without checksums of their files"
        )
    if store.spec.agent_errors == "excluded":
        notes.append(excluded_note(store.spec))
    return tuple(note for note in notes if note)


def ended_in(store: RunStore) -> Iterator[Ended]:
    """What has ended in a run that is open."""
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
    """Notices when an episode's folder, which may be consistent by itself, is not what its run committed."""
    run, name = episode.absolute().parent.parent, f"{episode.absolute().parent.name}/{episode.absolute().name}"
    if is_run(run):
        with RunStore.open(run) as store:
            for one in store.damaged():
                if one.folder == name:
                    notice(one)


def episodes_in(folder: Path) -> list[Path]:
    """The episode that a folder is, or those in it, at most three folders deep; by name."""
    if (folder / "episode.json").is_file():
        return [folder]
    found: list[Path] = []
    for depth in range(1, _DEEP + 1):
        found += (path.parent for path in folder.glob("/".join([*["*"] * depth, "episode.json"])))
        if len(found) > _MOST:
            raise InvalidInput(f"{folder} holds more than {_MOST:,} episodes", fix="name fewer of them")
    return sorted(found)


def finished_of(episode: Episode, folder: str) -> Finished:
    """An episode's summary as the index keeps it."""
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
    """What was used; None where agents, who may put anything there, give no number."""
    value = usage.get(name) if isinstance(usage, dict) else None
    return (
        value if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= _MOST_USED else None
    )


def _loose(folder: Path) -> tuple[list[Ended], tuple[str, ...]]:
    whole: list[tuple[str, Episode]] = []
    stopped: list[Path] = []
    damaged: list[Damaged] = []
    unchecked = 0
    for place in episodes_in(folder):
        name = str(place.relative_to(folder))
        try:
            found = read_episode(place)
        except EpisodeError as error:
            problem = error.message.removeprefix(f"{place}: ")
            damaged.append(Damaged(folder, None, name, problem))
            notice(damaged[-1])
            continue
        if found.complete:
            whole.append((name, found.episode))
            unchecked += not (place / MANIFEST).is_file()
        else:
            stopped.append(place)
    attempts = Counter[tuple[str, str]]()
    ended = []
    for name, episode in sorted(whole, key=lambda pair: pair[1].started):
        one = (episode.agent, episode.configuration.id)
        finished = finished_of(episode, name)
        ended.append(Ended(episode.agent, "", episode.configuration, attempts[one], episode.seed, 0, finished, folder))
        attempts[one] += 1
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
        return InvalidInput(f"there is no folder {folder}", fix="give a folder that `fairground run` wrote")
    if not folder.is_dir():
        return InvalidInput(f"{folder} is a file", fix="give a folder that `fairground run` wrote")
    return InvalidInput(
        f"{folder} holds {what}", fix="give the folder that `fairground run` wrote, or one that holds such folders"
    )
