"""Deleting files: to the trash, permanently, and duplicates."""

from __future__ import annotations

from collections.abc import Sequence

from fairground.core import State
from fairground.worlds import Move, World
from fairground_desk.files.app import home_of
from fairground_desk.files.scenarios.moves import erase, literal, pick, show, to_trash
from fairground_desk.files.scenarios.plan import FilesTask, Plan, inside, name_of, shown


class TrashFiles(FilesTask):
    """Move some files of a folder to the trash."""

    name = "trash-files"
    instances = {
        "backups": {"folder": "~/Documents/Notes", "ending": ".bak"},
        "archives": {"folder": "~/Downloads", "ending": ".zip"},
        "tables": {"folder": "~/Downloads", "ending": ".csv"},
        "versions": {"folder": "~/Projects/{project}/drafts", "ending": ".txt"},
    }
    how, told = (
        "trashed",
        "Move all {ending} files in {folder} to the trash. They must be there, and not deleted for good.",
    )

    def folder(self, world: World) -> str:
        return str(world.parameters["folder"]).format(project=home_of(world).projects[1], album=home_of(world).album)

    def phrase(self, world: World) -> str:
        return self.told.format(ending=world.parameters["ending"], folder=shown(self.folder(world)))

    def plan(self, world: World, before: State) -> Plan:
        return Plan(trashed=tuple(inside(before, self.folder(world), str(world.parameters["ending"]))))

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        return [*pick(self.folder(world), f"*{world.parameters['ending']}"), *to_trash(), *show("*")]


class EraseFiles(TrashFiles):
    """Delete some files permanently."""

    name = "erase-files"
    instances = {
        "backups": {"folder": "~/Documents/Notes", "ending": ".bak"},
        "scans": {"folder": "~/Downloads", "ending": ".png"},
        "tables": {"folder": "~/Downloads", "ending": ".csv"},
        "leftovers": {"folder": "~/Projects/{project}", "ending": ".tmp"},
    }
    told = "Delete all {ending} files in {folder} for good: they must not end up in the trash."

    def plan(self, world: World, before: State) -> Plan:
        return Plan(erased=super().plan(world, before).trashed)

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        return [*pick(self.folder(world), f"*{world.parameters['ending']}"), *erase(), *show("*")]


class Duplicates(FilesTask):
    """Move duplicates to the trash. The content decides, not the name."""

    name = "duplicates"
    instances = {
        "downloads": {"folder": "~/Downloads", "ending": "(1).pdf"},
        "album": {"folder": "~/Pictures/{album}", "ending": ".jpg"},
    }

    def folder(self, world: World) -> str:
        return str(world.parameters["folder"]).format(album=home_of(world).album)

    def phrase(self, world: World) -> str:
        folder = shown(self.folder(world))
        if "Downloads" in folder:
            return (
                'Some files in Downloads with "(1)" in their names are the very same as the file without it; others '
                "only look like it and have a different content. Move those that are the same to the trash, and only "
                "those; the files without (1) stay."
            )
        return (
            f"Some pictures in {folder} are there twice: once with a name of the form IMG_date_number.jpg, and once "
            "more, with the very same content, under another name. Move the ones with the other names to the trash. "
            "Everything else stays."
        )

    def plan(self, world: World, before: State) -> Plan:
        """Files whose content another file of the folder has too."""
        folder = self.folder(world)
        every = inside(before, folder)
        odd = [path for path in every if "(1)" in name_of(path) or not name_of(path).startswith("IMG_")]
        originals = [path for path in every if "(1)" not in name_of(path)]
        if "Downloads" not in folder:
            originals = [path for path in every if name_of(path).startswith("IMG_")]
        else:
            odd = [path for path in odd if "(1)" in name_of(path)]
        contents = {before.files[path] for path in originals}
        return Plan(trashed=tuple(path for path in odd if before.files[path] in contents))

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        moves: list[Move] = []
        for path in self.plan(world, before).trashed:
            moves += [*pick(self.folder(world), literal(name_of(path))), *to_trash()]
        return [*moves, *show("*")]
