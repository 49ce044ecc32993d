"""Renaming: a single file, a series, hidden files."""

from __future__ import annotations

from collections.abc import Sequence

from fairground.core import State
from fairground.worlds import Move, World
from fairground_desk.files.app import home_of
from fairground_desk.files.scenarios.moves import pick_one, rename, show
from fairground_desk.files.scenarios.plan import FilesTask, Plan, name_of, shown


class RenameOne(FilesTask):
    """Rename a file or folder."""

    name = "rename-one"
    instances = {
        "paper": {"which": "paper", "new": "2026 {paper} final.txt"},
        "invoice": {"which": "invoice", "new": "2026-03 {client} (paid).pdf"},
        "photo": {"which": "photo", "new": "front page.jpg"},
        "folder": {"which": "folder", "new": "Signed contracts"},
    }

    def paths(self, world: World) -> tuple[str, str]:
        home, asked = home_of(world), world.parameters
        paper, client = home.papers[1], home.clients[2]
        old = {
            "paper": f"~/Documents/{paper}.txt", "invoice": f"~/Documents/Invoices/2026-03 {client}.pdf",
            "photo": f"~/Pictures/{home.second}/{home.subjects[2]}-3.jpg", "folder": "~/Documents/Contracts",
        }[str(asked["which"])]  # fmt: skip
        return old, f"{old.rpartition('/')[0]}/{str(asked['new']).format(paper=paper, client=client)}"

    def phrase(self, world: World) -> str:
        old, new = self.paths(world)
        return f'Rename {shown(old)} to "{name_of(new)}". It stays in its folder, and nothing else changes.'

    def plan(self, world: World, before: State) -> Plan:
        old, new = self.paths(world)
        return Plan(moved={old: new})

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        old, new = self.paths(world)
        return [*pick_one(old), *rename(name_of(new)), *show("*")]


class RenameSeries(FilesTask):
    """Rename several files with numbers."""

    name = "rename-series"
    instances = {
        "scans": {"which": "scans", "new": "receipt {number}.png"},
        "versions": {"which": "versions", "new": "draft-0{number}.txt"},
        "meetings": {"which": "meetings", "new": "2026 meeting {number}.md"},
    }

    def names(self, world: World) -> dict[str, str]:
        project = home_of(world).projects[0]
        old = {
            "scans": "~/Downloads/scan{number:04}.png",
            "versions": f"~/Projects/{project}/drafts/version {{number}}.txt",
            "meetings": "~/Documents/Notes/meeting {number}.md",
        }[str(world.parameters["which"])]  # fmt: skip
        folder = old.rpartition("/")[0]
        return {old.format(number=number): f"{folder}/{str(world.parameters['new']).format(number=number)}"
                for number in range(1, 5)}  # fmt: skip

    def phrase(self, world: World) -> str:
        names = self.names(world)
        renames = ", ".join(f'"{name_of(old)}" to "{name_of(new)}"' for old, new in names.items())
        folder = shown(next(iter(names)).rpartition("/")[0])
        return f"In {folder}, rename these four files: {renames}. Files with similar names stay as they are."

    def plan(self, world: World, before: State) -> Plan:
        return Plan(moved=self.names(world))

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        moves: list[Move] = []
        for old, new in self.names(world).items():
            moves += [*pick_one(old), *rename(name_of(new))]
        return [*moves, *show("*")]


class HideFiles(FilesTask):
    """Hide files with a dot before their names."""

    name = "hide-files"
    instances = {"logs": {"name": "build.log"}, "scripts": {"name": "run.sh"}, "leftovers": {"name": "old.tmp"}}

    def names(self, world: World) -> dict[str, str]:
        """Return old and new paths, in both projects."""
        name = world.parameters["name"]
        return {f"~/Projects/{project}/{name}": f"~/Projects/{project}/.{name}" for project in home_of(world).projects}

    def phrase(self, world: World) -> str:
        first, second = map(shown, self.names(world))
        return (
            f"Hide {first} and {second}, so that file managers do not show them by default: put a dot before their "
            "names and change nothing else about them."
        )

    def plan(self, world: World, before: State) -> Plan:
        return Plan(moved=self.names(world))

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        moves: list[Move] = []
        for old, new in self.names(world).items():
            moves += [*pick_one(old), *rename(name_of(new))]
        return [*moves, *show("*")]
