"""Permissions, links, bookmarks, and folder views."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fairground.core import Check, State
from fairground.verify import equal, unchanged
from fairground.worlds import Move, Press, World
from fairground_desk.files.app import home_of
from fairground_desk.files.inspector import bookmarks, modes_of, settings_of
from fairground_desk.files.scenarios.moves import bookmark, go_to, link_in, permissions, pick_one, show
from fairground_desk.files.scenarios.plan import FilesTask, Plan, equal_all, name_of, shown
from fairground_desk.kit import rest, window


class Permissions(FilesTask):
    """Set the permissions of two files."""

    name = "permissions"
    instances = {
        "private": {"which": "contracts", "mode": "600", "steps": "-2 0 0",
                    "ask": "so that only you, the owner, can view and change them; nobody can execute them"},
        "group": {"which": "notes", "mode": "640", "steps": "-1 0 0",
                  "ask": "so that you and your group can view them, only you can change them, and nobody execute them"},
        "shared": {"which": "plans", "mode": "664", "steps": "0 1 0",
                   "ask": "so that anyone can view them, you and your group can change them, and nobody execute them"},
        "scripts": {"which": "scripts", "mode": "744", "steps": "0 0 -2",
                    "ask": "so that anyone can view them, and only you can change and execute them"},
    }  # fmt: skip

    def paths(self, world: World) -> list[str]:
        projects = home_of(world).projects
        return {
            "contracts": [f"~/Documents/Contracts/{name}.pdf" for name in ("lease", "telephone")],
            "notes": [f"~/Documents/Notes/meeting {number}.md" for number in (2, 3)],
            "plans": [f"~/Projects/{project}/plan.md" for project in projects],
            "scripts": [f"~/Projects/{project}/run.sh" for project in projects],
        }[str(world.parameters["which"])]  # fmt: skip

    def phrase(self, world: World) -> str:
        first, second = map(shown, self.paths(world))
        return f"Set the permissions of {first} and {second} {world.parameters['ask']}."

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        wanted = str(world.parameters["mode"])
        modes = {path: modes_of(after).get(path, {}).get("mode", "none") for path in self.paths(world)}
        each = [
            equal(f"permissions of {name_of(path)}, in {shown(path)}", wanted, mode) for path, mode in modes.items()
        ]
        return [*each, equal("both files have them", [wanted] * 2, list(modes.values()), weight=2.0)]

    def other_modes(self, world: World, before: State) -> Sequence[str]:
        return self.paths(world)

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        steps = [int(step) for step in str(world.parameters["steps"]).split()]
        moves: list[Move] = []
        for path in self.paths(world):
            moves += [*pick_one(path), *permissions(*steps)]
        return [*moves, *show("*")]


class Links(FilesTask):
    """Create links on the desktop."""

    name = "links"
    instances = {"folders": {"which": "folders"}, "papers": {"which": "papers"}, "album": {"which": "album"}}

    def targets(self, world: World) -> list[str]:
        home = home_of(world)
        return {
            "folders": ["~/Documents/Invoices", f"~/Projects/{home.projects[0]}"],
            "papers": [f"~/Documents/{home.papers[0]}.txt", f"~/Projects/{home.projects[1]}/budget.csv"],
            "album": [f"~/Pictures/{home.album}", f"~/Pictures/{home.second}"],
        }[str(world.parameters["which"])]  # fmt: skip

    def phrase(self, world: World) -> str:
        first, second = map(shown, self.targets(world))
        return (
            f"Put symbolic links to {first} and to {second} into the folder Desktop. Each link is called like what it "
            "leads to, which itself stays where it is."
        )

    def plan(self, world: World, before: State) -> Plan:
        return Plan(links={f"~/Desktop/{name_of(path)}": path for path in self.targets(world)})

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        moves: list[Move] = []
        for path in self.targets(world):
            moves += [*pick_one(path), *link_in("~/Desktop")]
        return [*moves, *show("*")]


class Bookmarks(FilesTask):
    """Bookmark folders under given names."""

    name = "bookmarks"
    instances = {
        "work": {"first": "~/Projects/{project}", "label": "Current work", "second": "~/Downloads", "also": "Incoming"},
        "pictures": {"first": "~/Pictures/{album}", "label": "Best pictures", "second": "~/Pictures", "also": "All"},
        "papers": {"first": "~/Documents/Contracts", "label": "Signed", "second": "~/Documents/Notes", "also": "Talks"},
    }  # fmt: skip

    def asked(self, world: World) -> dict[str, str]:
        names = {"project": home_of(world).projects[0], "album": home_of(world).album}
        asked = {key: str(value).format_map(names) for key, value in world.parameters.items()}
        return {asked["first"]: asked["label"], asked["second"]: asked["also"]}

    def phrase(self, world: World) -> str:
        listed = " and then ".join(
            f'{shown(path)} under the name "{label}"' for path, label in self.asked(world).items()
        )
        return f"Add bookmarks to the side pane of the file manager: {listed}. The bookmarks that are there stay."

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        old, new = bookmarks(before), bookmarks(after)
        wanted = [{"path": path, "label": label} for path, label in self.asked(world).items()]
        each = [
            equal(
                f"a bookmark for {bookmark['path']}",
                bookmark["label"],
                next((mark["label"] for mark in new if mark["path"] == bookmark["path"]), None),
            )
            for bookmark in wanted
        ]
        return [*each, equal("the bookmarks, in order", [*old, *wanted], new, weight=2.0)]

    def same_bookmarks(self, before: State, after: State) -> Check:
        """Guard only the old bookmarks, because the task adds new ones."""
        old, new = bookmarks(before), bookmarks(after)
        return unchanged("the old bookmarks", {bookmark["path"]: bookmark["label"] for bookmark in old},
                         {bookmark["path"]: bookmark["label"] for bookmark in new if bookmark in old})  # fmt: skip

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        moves: list[Move] = []
        for path, label in self.asked(world).items():
            moves += [*go_to(path), *bookmark(label)]
        return moves


_WORDS = {
    "ui/show_hidden=1": "hidden files are shown", "ui/sort=size;ascending;": "files are sorted by size, smallest first",
    "ui/sort=ext;ascending;": "files are sorted by extension, ascending",
    "config/single_click=1": "files are opened with a single click",
    "config/confirm_trash=0": "nobody is asked before files are moved to the trash",
    "config/confirm_del=0": "nobody is asked before files are deleted",
    "ui/focus_previous=1": "the previous folder is focused after coming to its parent",
}  # fmt: skip
_BOXES = ("config/single_click", "config/confirm_del", "config/use_trash", "config/no_usb_trash",
          "config/confirm_trash", "config/quick_exec", "", "", "config/smart", "ui/change_tab_on_drop",
          "ui/focus_previous")  # fmt: skip
_SORTS = {"size": "ctrl+alt+3", "ext": "ctrl+alt+5"}


class Viewing(FilesTask):
    """Set how folders are shown, and when the file manager asks for confirmation."""

    name = "viewing"
    instances = {
        "hidden-by-size": {"set": "ui/show_hidden=1, ui/sort=size;ascending;"},
        "quick": {"set": "config/single_click=1, config/confirm_trash=0"},
        "careless": {"set": "config/confirm_del=0, ui/focus_previous=1"},
        "by-extension": {"set": "ui/sort=ext;ascending;, config/single_click=1"},
        "everything": {"set": "ui/show_hidden=1, config/confirm_trash=0"},
    }

    def asked(self, world: World) -> Mapping[str, str]:
        parts = (part.partition("=") for part in str(world.parameters["set"]).split(", "))
        return {name: value for name, _, value in parts}

    def phrase(self, world: World) -> str:
        wishes = " and ".join(_WORDS[f"{name}={value}"] for name, value in self.asked(world).items())
        return (
            f"Set the file manager up so that {wishes}. All its other preferences stay as they are, and so do all "
            "files."
        )

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        return equal_all("setting", self.asked(world), settings_of(after))

    def other_settings(self, world: World) -> Sequence[str]:
        return tuple(self.asked(world))

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """Use shortcuts where they exist, otherwise the first page of the preferences."""
        asked = dict(self.asked(world))
        moves: list[Move] = [Press("Escape")]
        if asked.pop("ui/show_hidden", ""):
            moves += [Press("ctrl+h"), rest()]
        if sort := asked.pop("ui/sort", ""):
            moves += [Press(_SORTS[sort.partition(";")[0]]), rest()]
            if settings_of(before)["ui/sort"].partition(";")[2] != sort.partition(";")[2]:
                moves += [
                    Press("alt+v"),
                    Press("Down"),
                    Press("Down"),
                    Press("Right"),
                    Press("Return"),
                    rest(),
                ]
        if not asked:
            return moves
        moves += [Press("alt+e"), Press("Up"), Press("Return"), window("^Preferences$"), rest()]
        for box in _BOXES:
            moves += [Press("Tab"), Press("space")] if box in asked else [Press("Tab")]
            # From here on, Tab also stops at the slider for the delay.
            moves += [Press("Tab")] if box == "config/single_click" and box in asked else []
        return [*moves, Press("Escape"), window("^Preferences$", gone=True), rest()]
