"""Bookmarks: adding, renaming, moving, deleting, sorting, importing, exporting."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from fairground.core import Check, State
from fairground.verify import equal, holds
from fairground.worlds import Enter, Move, Press, Tap, World
from fairground_desk.browser.belongings import bookmark_bar, shared_marks
from fairground_desk.browser.exported import exported_of, read_exported
from fairground_desk.browser.inspector import (
    bookmarks_of,
    check_bookmark,
    check_no_bookmark,
    folder_at,
    preferences_of,
)
from fairground_desk.browser.person import Person
from fairground_desk.browser.profile_files import Mark
from fairground_desk.browser.scenarios.browser_task import BrowserTask, choose, go, in_manager, save_as
from fairground_desk.browser.scenarios.places import Place, place
from fairground_desk.browser.waiting import shown, window

_ORGANIZE = Tap("Organize", role="push button")


class BookmarkPage(BrowserTask):
    """Bookmark a page in a given folder under a given name."""

    name = "bookmark-page"
    template = (
        "Please bookmark {page} for me. Put it into the folder “{folder}” on the bookmarks bar and call it “{title}”."
    )
    instances = {
        "paper": {"what": "paper", "number": 4, "at": 1, "title": "Cite in the introduction"},
        "product": {"what": "product", "number": 5, "at": 2, "title": "Compare before ordering"},
        "event": {"what": "event", "number": 6, "at": 0, "title": "Ask for approval"},
        "report": {"what": "report", "number": 7, "at": 0, "title": "For the newsletter"},
        "record": {"what": "record", "number": 61, "at": 1, "title": "Check these figures"},
    }

    def words(self, world: World, person: Person) -> Mapping[str, object]:
        return {"page": self._page(world, person).words, "folder": person.folders[int(world.parameters["at"])]}

    def bookmark_changes(self, world: World) -> Sequence[str]:
        folder = self._folder(world)
        return (f"{folder}.order", f"{folder}/{world.parameters['title']}.url")

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        page, folder = self._page(world, self.person(world)), self._folder(world)
        title = str(world.parameters["title"])
        places = bookmarks_of(after).with_url(page.url)
        others = [mark.title for mark in folder_at(before, folder).children]
        remaining = [mark.title for mark in folder_at(after, folder).children if mark.url != page.url]
        return [
            equal("the page is bookmarked once", 1, len(places)),
            equal("it is in the folder", [folder], ["/".join(path[:-1]) for path, _ in places]),
            equal("it has the name", [title], [mark.title for _, mark in places]),
            check_bookmark(after, folder, title, page.url),
            equal("the others in the folder are in their order", others, remaining, weight=0.0, integrity=True),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        owner = self.person(world)
        folder = owner.folders[int(world.parameters["at"])]
        return [
            *go(self._page(world, owner).url), Press("ctrl+d"), Enter(str(world.parameters["title"])),
            *choose("Folder", folder), Tap("Done", role="push button"),
        ]  # fmt: skip

    def _page(self, world: World, person: Person) -> Place:
        return place(person, str(world.parameters["what"]), int(world.parameters["number"]))

    def _folder(self, world: World) -> str:
        return f"bar/{self.person(world).folders[int(world.parameters['at'])]}"


class ReadingList(BrowserTask):
    """Create a folder with three articles in it."""

    name = "reading-list"
    template = (
        "I am putting a reading list together. On the bookmarks bar, make a new folder “{folder}” (as the last thing "
        "on the bar) and put bookmarks to these articles of {site} into it, in this order and named by their titles: "
        "{papers}."
    )
    instances = {
        "review": {"folder": "To review", "first": 2, "second": 9, "third": 6},
        "seminar": {"folder": "Seminar week 3", "first": 10, "second": 1, "third": 4},
        "travel": {"folder": "For the train", "first": 8, "second": 5, "third": 3},
        "draft": {"folder": "Cited in draft", "first": 7, "second": 2, "third": 1},
    }
    bookmarks = ("bar.order", "bar/{folder}.order", "bar/{folder}/*")
    step_budget = 90

    def words(self, world: World, person: Person) -> Mapping[str, object]:
        titles = [f"“{page.title}”" for page in self._pages(world, person)]
        return {"papers": "; ".join(titles), "site": person.host("library")}

    def bookmark_changes(self, world: World) -> Sequence[str]:
        return [pattern.format_map(world.parameters) for pattern in self.bookmarks]

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        pages = self._pages(world, self.person(world))
        name = str(world.parameters["folder"])
        bar = [mark.title for mark in bookmarks_of(after).bar.children]
        matching = bookmarks_of(after).at("bar", name)
        inside = matching[0].children if len(matching) == 1 else ()
        return [
            equal("there is one such folder on the bar", 1, sum(mark.is_folder for mark in matching)),
            equal("it is the last on the bar",
            [mark.title for mark in bookmarks_of(before).bar.children] + [name], bar),
            *(holds(f"it has “{page.title}”", any(mark.url == page.url for mark in inside), expected=page.url,
                    found=[mark.url for mark in inside]) for page in pages),
            equal("in the order that was asked for", [page.url for page in pages], [mark.url for mark in inside]),
            equal("named by the titles", [page.title for page in pages], [mark.title for mark in inside]),
        ]  # fmt: skip

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """In the bookmark manager. The new folder gets the next free ID."""
        moves: list[Move] = [*in_manager(before, "bar"), _ORGANIZE, Tap("Add new folder")]
        moves += [
            Enter(f"{world.parameters['folder']}\n"),
            Tap(str(world.parameters["folder"]), role="table row"),
            Press("enter"),
        ]
        for page in self._pages(world, self.person(world)):
            moves += [_ORGANIZE, Tap("Add new bookmark"), Enter(f"{page.title}\t{page.url}\n")]
        return moves

    def _pages(self, world: World, person: Person) -> list[Place]:
        return [place(person, "paper", int(world.parameters[name])) for name in ("first", "second", "third")]


class RenameBookmark(BrowserTask):
    """Rename a bookmark; some instances also change its address."""

    name = "rename-bookmark"
    template = (
        "In the folder “{folder}” on my bookmarks bar there is a bookmark called “{old}”. Rename it to "
        "“{title}”{more}. "
        "It must stay where it is in the folder."
    )
    instances = {
        "staff": {"at": 0, "mark": 0, "title": "Who is who", "path": ""},
        "courses": {"at": 0, "mark": 1, "title": "Courses 2027", "path": "/"},
        "first-paper": {"at": 1, "mark": 0, "title": "Key reference", "path": ""},
        "shop": {"at": 2, "mark": 0, "title": "All products", "path": "/products"},
        "last-paper": {"at": 1, "mark": 4, "title": "Counter-example", "path": ""},
    }

    def words(self, world: World, person: Person) -> Mapping[str, object]:
        url = self._address(world, person)
        return {
            "folder": person.folders[int(world.parameters["at"])],
            "old": self._old(world, person).title,
            "more": f" and let it lead to {url}" if world.parameters["path"] else "",
        }

    def bookmark_changes(self, world: World) -> Sequence[str]:
        owner = self.person(world)
        folder = f"bar/{owner.folders[int(world.parameters['at'])]}"
        return (
            f"{folder}.order", f"{folder}/{self._old(world, owner).title}.url",
            f"{folder}/{world.parameters['title']}.url"
        )  # fmt: skip

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        owner = self.person(world)
        folder, title = f"bar/{owner.folders[int(world.parameters['at'])]}", str(world.parameters["title"])
        old, at = self._old(world, owner).title, int(world.parameters["mark"])
        was = [mark.title for mark in folder_at(before, folder).children]
        now = folder_at(after, folder).children
        expected = [title if number == at else name for number, name in enumerate(was)]
        return [
            check_bookmark(after, folder, title, self._address(world, owner)),
            equal("the old name is gone", 0, sum(mark.title == old for mark in now)),
            equal("it is where it was", expected, [mark.title for mark in now]),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        owner = self.person(world)
        more = f"\t{self._address(world, owner)}" if world.parameters["path"] else ""
        return [
            *in_manager(before, f"bar/{owner.folders[int(world.parameters['at'])]}"),
            Tap(self._old(world, owner).title, role="table row"), Press("f2"), Press("ctrl+a"),
            Enter(str(world.parameters["title"]) + more + "\n"),
        ]  # fmt: skip

    def _old(self, world: World, person: Person) -> Mark:
        return bookmark_bar(person)[3 + int(world.parameters["at"])].children[int(world.parameters["mark"])]

    def _address(self, world: World, person: Person) -> str:
        old = self._old(world, person).url
        path = str(world.parameters["path"])
        return re.sub(r"(http://[^/]+)/.*", rf"\1{path}", old) if path else str(old)


class DeleteDeadBookmarks(BrowserTask):
    """Delete the bookmarks of a server that no longer exists."""

    name = "delete-dead-bookmarks"
    template = "{words} Leave all other bookmarks and folders as they are."
    instances = {
        "all": {"folders": "work,shop,archive", "words": (
            "The server old-server.example was switched off. Delete every bookmark that leads to it, wherever it is; "
            "keep the folders, also one that becomes empty.")},
        "bar": {"folders": "work,shop", "words": (
            "The server old-server.example was switched off. Delete the bookmarks that lead to it from the folders of "
            "the bookmarks bar. What lies in “Other bookmarks” stays.")},
        "archive": {"folders": "archive", "words": (
            "In “Other bookmarks” there is a folder “Archive”. Delete the two bookmarks in it, but keep the folder.")},
    }  # fmt: skip

    def bookmark_changes(self, world: World) -> Sequence[str]:
        patterns = []
        for path, title, _ in self._dead(world):
            patterns += [f"{path}.order", f"{path}/{title}.url"]
        return patterns

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        dead = self._dead(world)
        checks = [check_no_bookmark(after, url) for _, _, url in dead]
        for path in dict.fromkeys(path for path, _, _ in dead):
            gone = {title for place, title, _ in dead if place == path}
            rest = [mark.title for mark in folder_at(before, path).children if mark.title not in gone]
            now = [mark.title for mark in folder_at(after, path).children]
            checks.append(equal(f"{path} keeps the others", rest, now))
        return checks

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        moves: list[Move] = []
        last = ""
        for path, title, _ in self._dead(world):
            moves += in_manager(before, path) if path != last else []
            moves += [Tap(title, role="table row"), Press("delete")]
            last = path
        return moves

    def _dead(self, world: World) -> list[tuple[str, str, str]]:
        person = self.person(world)
        every = {
            "work": [(f"bar/{person.folders[0]}", "Old phone list", "http://phones.old-server.example/list")],
            "shop": [
                (f"bar/{person.folders[2]}", "Discontinued catalogue", "http://catalogue.old-server.example/2019")
            ],
            "archive": [
                ("other/Archive", "Canteen menu", "http://canteen.old-server.example/menu"),
                ("other/Archive", "Intranet before 2020", "http://intranet.old-server.example/"),
            ],
        }
        return [entry for name in str(world.parameters["folders"]).split(",") for entry in every[name]]


class MoveBookmark(BrowserTask):
    """Move a bookmark to another folder."""

    name = "move-bookmark"
    template = (
        "Move the bookmark “{title}” out of the folder “{source}” into the folder “{target}”, both on the bookmarks "
        "bar. It goes to the end of that folder, with its name and its address as they are."
    )
    instances = {
        "paper-to-work": {"source": 1, "mark": 1, "target": 0},
        "tickets-to-shop": {"source": 0, "mark": 2, "target": 2},
        "product-to-reading": {"source": 2, "mark": 1, "target": 1},
        "staff-to-reading": {"source": 0, "mark": 0, "target": 1},
    }

    def words(self, world: World, person: Person) -> Mapping[str, object]:
        source, target = (person.folders[int(world.parameters[name])] for name in ("source", "target"))
        return {"source": source, "target": target, "title": self._mark(world, person).title}

    def bookmark_changes(self, world: World) -> Sequence[str]:
        owner = self.person(world)
        title = self._mark(world, owner).title
        paths = [f"bar/{owner.folders[int(world.parameters[name])]}" for name in ("source", "target")]
        return [pattern for path in paths for pattern in (f"{path}.order", f"{path}/{title}.url")]

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        owner = self.person(world)
        mark = self._mark(world, owner)
        source, target = (f"bar/{owner.folders[int(world.parameters[name])]}" for name in ("source", "target"))
        rest = [child.title for child in folder_at(before, source).children if child.title != mark.title]
        longer = [*(child.title for child in folder_at(before, target).children), mark.title]
        return [
            equal("it has left the old folder", rest, [child.title for child in folder_at(after, source).children]),
            equal(
                "it is at the end of the new one", longer, [child.title for child in folder_at(after, target).children]
            ),
            check_bookmark(after, target, mark.title, mark.url),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        owner = self.person(world)
        source, target = (f"bar/{owner.folders[int(world.parameters[name])]}" for name in ("source", "target"))
        last = folder_at(before, target).children[-1].title
        return [
            *in_manager(before, source), Tap(self._mark(world, owner).title, role="table row"), Press("ctrl+x"),
            *in_manager(before, target), Tap(last, role="table row"), Press("ctrl+v"),
        ]  # fmt: skip

    def _mark(self, world: World, person: Person) -> Mark:
        return bookmark_bar(person)[3 + int(world.parameters["source"])].children[int(world.parameters["mark"])]


class SortFolder(BrowserTask):
    """Sort a folder alphabetically."""

    name = "sort-bookmarks"
    template = "Sort the bookmarks in the folder “{folder}” on my bookmarks bar by name, from A to Z. Change no others."
    instances = {"work": {"at": 0}, "reading": {"at": 1}, "shopping": {"at": 2}}

    def words(self, world: World, person: Person) -> Mapping[str, object]:
        return {"folder": person.folders[int(world.parameters["at"])]}

    def bookmark_changes(self, world: World) -> Sequence[str]:
        return (f"{self._path(world)}.order",)

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        was = [mark.title for mark in folder_at(before, self._path(world)).children]
        now = [mark.title for mark in folder_at(after, self._path(world)).children]
        ordered = sorted(was, key=str.casefold)
        return [
            equal("they are in the order of the alphabet", ordered, now, weight=3.0),
            equal("none is missing or new", sorted(was), sorted(now), weight=0.0, integrity=True),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        return [*in_manager(before, self._path(world)), _ORGANIZE, Tap("Sort by name")]

    def _path(self, world: World) -> str:
        return f"bar/{self.person(world).folders[int(world.parameters['at'])]}"


class ImportBookmarks(BrowserTask):
    """Import a colleague's bookmarks from a file."""

    name = "import-bookmarks"
    template = (
        "{colleague} has sent me bookmarks, in the file shared-bookmarks.html in my Documents. Import them into the "
        "browser. It puts them into a folder “Imported” on the bookmarks bar: rename that folder to “{folder}”."
    )
    instances = {
        "colleague": {"folder": "From the office"},
        "new-staff": {"folder": "Welcome pack"},
        "inbox": {"folder": "Sort me"},
    }
    bookmarks = ("bar.order", "bar/{folder}.order", "bar/{folder}/*")

    def words(self, world: World, person: Person) -> Mapping[str, object]:
        return {"colleague": person.staff[0].name}

    def bookmark_changes(self, world: World) -> Sequence[str]:
        return [pattern.format_map(world.parameters) for pattern in self.bookmarks]

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        owner = self.person(world)
        name = str(world.parameters["folder"])
        marks = bookmarks_of(after)
        inner = f"From {owner.staff[0].name}"
        imported = {mark.title: mark.url for path, mark in marks.walk() if path[:2] == ("bar", name) and mark.url}
        bar = [mark.title for mark in bookmarks_of(before).bar.children]
        return [
            equal(
                "the bar has one folder more, by its new name",
                [*bar, name],
                [mark.title for mark in marks.bar.children],
            ),
            equal("all bookmarks of the file are in it", dict(shared_marks(owner)), imported, weight=3.0),
            equal("with the folder of the file around them", 1, len(marks.at("bar", name, inner))),
            equal("no folder is called Imported any more", 0, len(marks.at("bar", "Imported")), weight=0.0),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        return [
            *in_manager(before, "bar"), _ORGANIZE, Tap("Import bookmarks"),
            window("Open File"), Enter("~/Documents/shared-bookmarks.html"), Press("tab"), Press("alt+o"),
            window("Open File", gone=True),
            Tap("Imported", role="table row"), Press("f2"), Press("ctrl+a"), Enter(f"{world.parameters['folder']}\n"),
        ]  # fmt: skip


class ExportBookmarks(BrowserTask):
    """Export all bookmarks to a file."""

    name = "export-bookmarks"
    template = "Export all my bookmarks to an HTML file named {file} in my folder {folder}."
    instances = {
        "backup": {"file": "bookmarks-backup.html", "folder": "Documents"},
        "desktop": {"file": "my-links.html", "folder": "Desktop"},
        "hand-over": {"file": "hand-over.html", "folder": "Downloads"},
    }
    changes = ("~/{folder}/{file}",)

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """The file must equal what the browser exports for these bookmarks, line by line."""
        exported = read_exported(after.file(f"~/{world.parameters['folder']}/{world.parameters['file']}"))
        wanted = exported_of(bookmarks_of(before))
        return [
            equal("it has every address", [line.url for line in wanted if line.url],
                  [line.url for line in exported if line.url], weight=2.0),
            equal("it has every name", [line.title for line in wanted], [line.title for line in exported]),
            equal("each is in its folder", [(line.depth, line.bar) for line in wanted],
                  [(line.depth, line.bar) for line in exported]),
            equal("each has its date", [line.added for line in wanted], [line.added for line in exported]),
        ]  # fmt: skip

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """Export in the bookmark manager, then view the file until its last line shows.

        The file is opened as `view-source:`, which leaves no entry in the history.
        """
        path = f"~/{world.parameters['folder']}/{world.parameters['file']}"
        home = preferences_of(before).download_folder.removesuffix("/Downloads")
        return [
            *in_manager(before, "bar"), _ORGANIZE, Tap("Export bookmarks"), *save_as(path),
            *go(f"view-source:file://{home}{path[1:]}"), Press("ctrl+end"), shown("</DL><p>", "table cell"),
        ]  # fmt: skip


SCENARIOS = (
    BookmarkPage(), ReadingList(), RenameBookmark(), DeleteDeadBookmarks(), MoveBookmark(), SortFolder(),
    ImportBookmarks(), ExportBookmarks(),
)  # fmt: skip
