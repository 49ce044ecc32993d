"""Discovery of runs and their names in URLs. A name from a URL is looked up here and never used as a path."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from starlette.requests import HTTPConnection

from fairground.arena import Absent, Refused
from fairground.core import unknown
from fairground.rollout import is_run, runs_in
from fairground.rollout.study_run import PLAN
from fairground.web.studio.runs_plays import Plays, is_played
from fairground.web.visit import site_of, visitor_of

_LOOKED_AT: Final = 5_000  # maximum number of folders per place
_TAKEN: Final = ("compare",)  # reserved names below /runs


Place: TypeAlias = Path | Plays
"""Where to search for runs: a folder of runs, or a folder of people's attempts, which are shown as one run."""


@dataclass(frozen=True)
class Found:
    """A run on disk.

    Attributes:
        name: Name in URLs: that of its folder, prefixed with its group's name and a colon if it is in a group.
        folder: Its folder.
        group: Name of its group (several agents run together, or a study); empty if it has none.
        played: Whether it consists of people's attempts, which were not planned.
        group_folder: Folder of its group; None if it has none.
    """

    name: str
    folder: Path
    group: str = ""
    played: bool = False
    group_folder: Path | None = None

    @property
    def present(self) -> bool:
        """Whether it still exists."""
        return is_played(self.folder) if self.played else is_run(self.folder)


def places_of(connection: HTTPConnection) -> tuple[Place, ...]:
    """Return where to search for this visitor. People's attempts are only for judges and admins, like live seats."""
    site = site_of(connection)
    if visitor_of(connection).person.role not in ("judge", "admin"):
        return site.runs
    return (*site.runs, Plays(site.home / "plays"), *map(Plays, site.plays))


def find_runs(places: Sequence[Place]) -> dict[str, Found]:
    """Return all runs in some folders by name, sorted. Duplicate names get a number."""
    runs: dict[str, Found] = {}
    groups: set[str] = set(_TAKEN)
    for place in places:
        if isinstance(place, Plays):
            if is_played(place.folder):
                name = _free(_shown(place.folder.name), groups | runs.keys())
                runs[name] = Found(name, place.folder.absolute(), played=True)
            continue
        for folder in _folders(place):
            if is_run(folder):
                name = _free(_shown(folder.name), groups | runs.keys())
                runs[name] = Found(name, folder)
                continue
            inner = list(_inside(folder))
            if inner:
                group = _free(_shown(folder.name), groups | runs.keys())
                groups.add(group)
                for run in inner:
                    rest = ":".join(_shown(part) for part in run.relative_to(folder).parts if part != "runs")
                    name = _free(f"{group}:{rest}", groups | runs.keys())
                    runs[name] = Found(name, run, group, group_folder=folder)
    return dict(sorted(runs.items()))


def find_run(places: Sequence[Place], name: str) -> Found:
    """Return the run of that name. Raises `Refused` (pages answer 404) if there is none."""
    runs = find_runs(places)
    if name not in runs:
        raise no_run(name, runs)
    return runs[name]


def no_run(name: str, known: Sequence[str] | dict[str, Found]) -> Refused:
    """Return the error for an unknown run."""
    return Absent(f"there is no run named {name[:100]!r}", fix=unknown("run", name[:100], known).fix)


def _folders(place: Path) -> Iterator[Path]:
    """Return the place itself if it is a run, otherwise the folders in it."""
    if is_run(place):
        yield place.absolute()
        return
    try:
        with os.scandir(place) as entries:
            near = [entry.path for entry, _ in zip(entries, range(_LOOKED_AT), strict=False) if entry.is_dir()]
    except OSError:  # not there yet, or not accessible
        return
    yield from map(Path, sorted(near))


def _inside(folder: Path) -> list[Path]:
    """Return runs of one group: side by side in a folder, or in a study."""
    if (folder / PLAN).is_file():
        return sorted(path.parent for path in folder.glob("runs/*/*/run.sqlite") if path.is_file())
    return runs_in(folder)


def _shown(name: str) -> str:
    """Return a printable name: file names may contain invalid UTF-8."""
    return name.encode("utf-8", "replace").decode()


def _free(name: str, taken: set[str]) -> str:
    number = 2
    free = name
    while free in taken:
        free, number = f"{name}~{number}", number + 1
    return free
