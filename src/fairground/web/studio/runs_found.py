"""Which runs there are, and the names that addresses know them by: a name is looked up here, and never is a path."""

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

_LOOKED_AT: Final = 5_000  # folders in each place
_TAKEN: Final = ("compare",)  # addresses below /runs that are no run


Place: TypeAlias = Path | Plays
"""Where runs are looked for: a folder of runs, or one of people's attempts, which are shown as one run."""


@dataclass(frozen=True)
class Found:
    """A run on the disk.

    Attributes:
        name: In addresses: the name of its folder, after that of its group and a colon where it is in one.
        folder: Where it is.
        group: What it was run together with: several agents at once, or a study. Empty for one that stands alone.
        played: Whether it is people's attempts, which nobody planned.
        group_folder: Where its group is; None for one that stands alone.
    """

    name: str
    folder: Path
    group: str = ""
    played: bool = False
    group_folder: Path | None = None

    @property
    def present(self) -> bool:
        """Whether it is still there."""
        return is_played(self.folder) if self.played else is_run(self.folder)


def places_of(connection: HTTPConnection) -> tuple[Place, ...]:
    """Where to look for whoever asks. As on live seats, what people did is for judges and admins."""
    site = site_of(connection)
    if visitor_of(connection).person.role not in ("judge", "admin"):
        return site.runs
    return (*site.runs, Plays(site.home / "plays"), *map(Plays, site.plays))


def find_runs(places: Sequence[Place]) -> dict[str, Found]:
    """Every run in some folders by its name, in order of names; two that would share one get a number."""
    found: dict[str, Found] = {}
    groups: set[str] = set(_TAKEN)
    for place in places:
        if isinstance(place, Plays):
            if is_played(place.folder):
                name = _free(_shown(place.folder.name), groups | found.keys())
                found[name] = Found(name, place.folder.absolute(), played=True)
            continue
        for folder in _folders(place):
            if is_run(folder):
                name = _free(_shown(folder.name), groups | found.keys())
                found[name] = Found(name, folder)
                continue
            inner = list(_inside(folder))
            if inner:
                group = _free(_shown(folder.name), groups | found.keys())
                groups.add(group)
                for one in inner:
                    rest = ":".join(_shown(part) for part in one.relative_to(folder).parts if part != "runs")
                    name = _free(f"{group}:{rest}", groups | found.keys())
                    found[name] = Found(name, one, group, group_folder=folder)
    return dict(sorted(found.items()))


def find_run(places: Sequence[Place], name: str) -> Found:
    """The run of that name. Raises `Refused`, which pages answer with 404, when there is none."""
    found = find_runs(places)
    if name not in found:
        raise no_run(name, found)
    return found[name]


def no_run(name: str, known: Sequence[str] | dict[str, Found]) -> Refused:
    """What is said of a name that no run has."""
    return Absent(f"there is no run named {name[:100]!r}", fix=unknown("run", name[:100], known).fix)


def _folders(place: Path) -> Iterator[Path]:
    """A place that is a run itself, or what lies in it."""
    if is_run(place):
        yield place.absolute()
        return
    try:
        with os.scandir(place) as entries:
            near = [entry.path for entry, _ in zip(entries, range(_LOOKED_AT), strict=False) if entry.is_dir()]
    except OSError:  # not there yet, or nothing for us
        return
    yield from map(Path, sorted(near))


def _inside(folder: Path) -> list[Path]:
    """Runs that belong together: side by side in a folder, or of a study."""
    if (folder / PLAN).is_file():
        return sorted(path.parent for path in folder.glob("runs/*/*/run.sqlite") if path.is_file())
    return runs_in(folder)


def _shown(name: str) -> str:
    """A name as a page can say it: file names may hold bytes that are no text."""
    return name.encode("utf-8", "replace").decode()


def _free(name: str, taken: set[str]) -> str:
    number = 2
    free = name
    while free in taken:
        free, number = f"{name}~{number}", number + 1
    return free
