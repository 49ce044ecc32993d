"""Moving and copying files into folders: by type, by month, into a new structure."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from fairground.core import State
from fairground.worlds import Move, World
from fairground_desk.files.app import home_of
from fairground_desk.files.scenarios.moves import (
    copy_to,
    go_to,
    move_to,
    new_file,
    new_folder,
    pick,
    pick_one,
    rename,
    show,
)
from fairground_desk.files.scenarios.plan import FilesTask, Plan, inside, name_of, shown


class SortByKind(FilesTask):
    """Sort downloads into new folders by file type."""

    name = "sort-by-kind"
    instances = {
        "papers-pictures": {"first": "pdf", "to": "~/Documents/Inbox", "second": "jpg", "also": "~/Pictures/Inbox"},
        "tables-archives": {"first": "csv", "to": "~/Documents/Tables", "second": "zip", "also": "~/Documents/Packed"},
        "scans-texts": {"first": "png", "to": "~/Pictures/Scans", "second": "txt", "also": "~/Documents/Texts"},
    }  # fmt: skip

    def targets(self, world: World) -> dict[str, str]:
        asked = world.parameters
        return {f".{asked['first']}": str(asked["to"]), f".{asked['second']}": str(asked["also"])}

    def phrase(self, world: World) -> str:
        moves = ", and ".join(
            f"all {ending} files to a new folder {shown(to)}" for ending, to in self.targets(world).items()
        )
        return f"Tidy the Downloads folder up: move {moves}. Keep the names of the files; all else stays where it is."

    def plan(self, world: World, before: State) -> Plan:
        moved = {path: f"{to}/{name_of(path)}" for ending, to in self.targets(world).items()
                 for path in inside(before, "~/Downloads", ending)}  # fmt: skip
        return Plan(moved=moved, made=tuple(self.targets(world).values()))

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        moves: list[Move] = []
        for ending, to in self.targets(world).items():
            moves += [*go_to(to.rpartition("/")[0]), *new_folder(name_of(to)), *pick("~/Downloads", f"*{ending}")]
            moves += [*move_to(to), *show("*")]
        return moves


class SortByMonth(FilesTask):
    """Sort photographs into folders by the month in their names."""

    name = "sort-by-month"
    instances = {"all-months": {"months": "0 1 2"}, "first-and-last": {"months": "0 2"}, "middle": {"months": "1"}}

    def months(self, world: World) -> list[str]:
        return [home_of(world).months[int(at)] for at in str(world.parameters["months"]).split()]

    def phrase(self, world: World) -> str:
        album, months = f"Pictures/{home_of(world).album}", self.months(world)
        which = " and ".join(months)
        return (
            f"The photographs in {album} have the day they were taken in their names: IMG_yyyymmdd_number.jpg. Move "
            f"those of {which} into {'a new folder' if len(months) == 1 else 'new folders'} inside of {album}, "
            f"one a month, called {which}. Pictures whose names say no day stay where they are."
        )

    def plan(self, world: World, before: State) -> Plan:
        album = f"~/Pictures/{home_of(world).album}"
        moved: dict[str, str] = {}
        for month in self.months(world):
            photos = [
                path for path in inside(before, album) if name_of(path).startswith(f"IMG_{month.replace('-', '')}")
            ]
            moved |= {path: f"{album}/{month}/{name_of(path)}" for path in photos}
        return Plan(moved=moved, made=tuple(f"{album}/{month}" for month in self.months(world)))

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        album = f"~/Pictures/{home_of(world).album}"
        moves: list[Move] = []
        for month in self.months(world):
            moves += [*go_to(album), *show("*"), *new_folder(month), *pick(album, f"IMG_{month.replace('-', '')}*")]
            moves += move_to(f"{album}/{month}")
        return [*moves, *show("*")]


class MakeStructure(FilesTask):
    """Create a folder structure, with an empty file in one folder."""

    name = "make-structure"
    instances = {
        "client": {"base": "~/Documents", "top": "Client 2026", "below": "offers, deals, letters", "file": "notes.txt"},
        "project": {"base": "~/Projects", "top": "spring-show", "below": "drafts, images, costs", "file": "plan.md"},
        "trip": {"base": "~/Pictures", "top": "June trip", "below": "raw, selected, printed", "file": "places.txt"},
        "course": {"base": "~/Documents", "top": "Evening course", "below": "week 1, week 2", "file": "people.csv"},
    }  # fmt: skip

    def phrase(self, world: World) -> str:
        asked = world.parameters
        base = shown(str(asked["base"]))
        return (
            f'Make a new folder "{asked["top"]}" in {base}, and in it the folders {asked["below"]} and an empty file '
            f"{asked['file']}."
        )

    def plan(self, world: World, before: State) -> Plan:
        asked = world.parameters
        top = f"{asked['base']}/{asked['top']}"
        below = [f"{top}/{name}" for name in str(asked["below"]).split(", ")]
        return Plan(made=(top, *below), empty=(f"{top}/{asked['file']}",))

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        asked = world.parameters
        moves = [*go_to(str(asked["base"])), *new_folder(str(asked["top"])), *go_to(f"{asked['base']}/{asked['top']}")]
        for name in str(asked["below"]).split(", "):
            moves += new_folder(name)
        return [*moves, *new_file(str(asked["file"]))]


class CopyTogether(FilesTask):
    """Copy files from several places into a new folder."""

    name = "copy-together"
    instances = {
        "invoices": {"what": "invoices", "client": 0, "to": "~/Desktop/For the tax office"},
        "invoices-second": {"what": "invoices", "client": 1, "to": "~/Documents/Reminder"},
        "pictures": {"what": "pictures", "to": "~/Desktop/Slideshow"},
        "plans": {"what": "plans", "to": "~/Desktop/To print"},
    }

    def groups(self, world: World, before: State) -> dict[str, tuple[str, list[str]]]:
        """Return for each folder a pattern, and the files that match it."""
        home, asked = home_of(world), world.parameters
        if asked["what"] == "invoices":
            client = home.clients[int(asked["client"])]
            patterns = {"~/Documents/Invoices": f"*{client}*", "~/Downloads": f"*{client}*"}
        elif asked["what"] == "pictures":
            patterns = {f"~/Pictures/{home.second}": "*.png", "~/Downloads": "*wallpaper*"}
        else:
            first, second = home.projects
            patterns = {f"~/Projects/{first}": "plan.md", f"~/Projects/{second}": "budget.csv"}
        return {folder: (pattern, [path for path in inside(before, folder) if fnmatchcase(name_of(path), pattern)])
                for folder, pattern in patterns.items()}  # fmt: skip

    def phrase(self, world: World) -> str:
        home, asked = home_of(world), world.parameters
        to = shown(str(asked["to"]))
        if asked["what"] == "invoices":
            client = home.clients[int(asked["client"])]
            what = f'all files in Documents/Invoices and in Downloads that have "{client}" in their names'
        elif asked["what"] == "pictures":
            what = (
                f'all .png files of Pictures/{home.second} and the files in Downloads with "wallpaper" in their names'
            )
        else:
            first, second = home.projects
            what = f"Projects/{first}/plan.md and Projects/{second}/budget.csv"
        return f"Copy {what} into a new folder {to}. The originals stay where they are."

    def plan(self, world: World, before: State) -> Plan:
        to = str(world.parameters["to"])
        copied = {path: f"{to}/{name_of(path)}" for _, paths in self.groups(world, before).values() for path in paths}
        return Plan(copied=copied, made=(to,))

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        to = str(world.parameters["to"])
        moves = [*go_to(to.rpartition("/")[0]), *new_folder(name_of(to))]
        for folder, (pattern, _) in self.groups(world, before).items():
            moves += [*pick(folder, pattern), *copy_to(to), *show("*")]
        return moves


class Regroup(FilesTask):
    """Move a folder into another one, and rename it."""

    name = "regroup"
    instances = {
        "notes": {"folder": "~/Documents/Notes", "to": "~/Projects/{first}", "name": "meeting notes"},
        "contracts": {"folder": "~/Documents/Contracts", "to": "~/Documents/Invoices", "name": "agreements"},
        "album": {"folder": "~/Pictures/{second_album}", "to": "~/Projects/{second}", "name": "material"},
        "drafts": {"folder": "~/Projects/{second}/drafts", "to": "~/Documents", "name": "old versions"},
    }

    def paths(self, world: World) -> tuple[str, str, str]:
        """Return the path of the folder, its new parent folder, and its new path."""
        home, asked = home_of(world), world.parameters
        names = {"first": home.projects[0], "second": home.projects[1], "second_album": home.second}
        source, to = (str(asked[key]).format_map(names) for key in ("folder", "to"))
        return source, to, f"{to}/{asked['name']}"

    def phrase(self, world: World) -> str:
        source, to, new = self.paths(world)
        return (
            f'Move the folder {shown(source)} with everything in it into {shown(to)}, and rename it there to '
            f'"{name_of(new)}".'
        )  # fmt: skip

    def plan(self, world: World, before: State) -> Plan:
        source, _, new = self.paths(world)
        return Plan(moved={source: new})

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        source, to, new = self.paths(world)
        return [
            *pick_one(source),
            *move_to(to),
            *pick_one(f"{to}/{name_of(source)}"),
            *rename(name_of(new)),
            *show("*"),
        ]
