"""Saving from the web: downloads, pictures, pages as PDF or HTML; and leaving tabs open."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import zip_longest

from fairground.core import Check, State
from fairground.verify import equal, holds
from fairground.worlds import Move, Press, Tap, World
from fairground_desk.browser.exported import MAX_BYTES, links, markup, saved_markup, shown_text
from fairground_desk.browser.inspector import check_downloaded, pdf_of, sites_of, tabs_of
from fairground_desk.browser.person import Person
from fairground_desk.browser.scenarios.browser_task import (
    BrowserTask,
    address_bar,
    choose,
    go,
    listed_download,
    save_as,
    served,
    typed,
)
from fairground_desk.browser.scenarios.places import Place, place
from fairground_desk.browser.sites.documents import chart, record_csv
from fairground_desk.browser.waiting import page, saved, shown


class DownloadFile(BrowserTask):
    """Download a table to the folder Downloads."""

    name = "download-file"
    template = "Download {what} to my Downloads folder, under the name that the site gives it."
    instances = {
        "all": {"kind": "all", "number": 0},
        "group": {"kind": "group", "number": 2},
        "first-group": {"kind": "group", "number": 0},
        "second-group": {"kind": "group", "number": 1},
    }
    changes = ("~/Downloads/*",)

    def words(self, world: World, person: Person) -> Mapping[str, object]:
        return {"what": self._file(world)[3]}

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        path, url, data, _ = self._file(world)
        new = [
            entry["path"]
            for entry in after.get("files")
            if entry["path"] not in {was["path"] for was in before.get("files")}
        ]
        handed = sites_of(after)["downloads"][len(sites_of(before)["downloads"]) :]
        old = {name: content for name, content in before.files.items() if name.startswith("~/Downloads/")}
        return [
            holds("it has the content of the site's file", after.files.get(path) == data, expected=f"{len(data)} bytes",
                  found=f"{len(after.files.get(path, b''))} bytes", weight=2.0),
            check_downloaded(after, path, url),
            listed_download(before, after, path, url),
            equal("it is the only new file", [path], new),
            holds("the site handed it out", url.removeprefix("http://") in handed, expected=url, found=handed),
            holds("other downloads are as they were", all(after.files.get(name) == content for name,
            content in old.items()),
                  weight=0.0).model_copy(update={"integrity": True}),
        ]  # fmt: skip

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        path, url, _, _ = self._file(world)
        # Start from the site's first page: from a page that is not plain HTTP, Chromium blocks a plain HTTP download.
        first = url[: url.index("/", len("http://")) + 1]
        return [*go(first), *address_bar(), *typed(url), saved(path)]

    def _file(self, world: World) -> tuple[str, str, bytes, str]:
        owner, kind, number = self.person(world), str(world.parameters["kind"]), int(world.parameters["number"])
        where = owner.host("catalogue")
        groups = sorted({str(row[1]) for row in owner.records})
        group = groups[number % len(groups)] if kind == "group" else ""
        name = f"{group or 'all'}.csv"
        words = f"the table (CSV) of {'all records' if not group else f'“{group}”'} from {where}"
        url = owner.url("catalogue", f"/downloads/{name}".replace(" ", "%20"))
        return f"~/Downloads/{name.replace(' ', '-')}", url, record_csv(owner, group), words


class SaveChart(BrowserTask):
    """Save a picture of a page to a given folder."""

    name = "save-picture"
    template = "On {site} there is a page with charts. Save the chart “{column}” as {path}."
    instances = {
        "first": {"column": 1, "file": "overview.png", "folder": "Pictures"},
        "second": {"column": 2, "file": "second figure.png", "folder": "Pictures"},
        "poster": {"column": 4, "file": "poster-chart.png", "folder": "Desktop"},
        "report": {"column": 5, "file": "figure-5.png", "folder": "Documents"},
    }
    changes = ("~/{folder}/{file}",)

    def words(self, world: World, person: Person) -> Mapping[str, object]:
        parameters = world.parameters
        return {
            "site": person.host("catalogue"), "column": person.columns[int(parameters["column"])],
            "path": f"“{parameters['file']}” in my folder {parameters['folder']}",
        }  # fmt: skip

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        path = self._path(world)
        data = after.files.get(path, b"")
        new = [
            entry["path"]
            for entry in after.get("files")
            if entry["path"] not in {was["path"] for was in before.get("files")}
        ]
        right = chart(self.person(world), int(world.parameters["column"]))
        return [
            equal("there is one new file, of that name", [path], new),
            holds("it is a picture", data.startswith(b"\x89PNG\r\n"), found=f"{len(data)} bytes"),
            holds(
                "it is the right chart",
                data == right,
                expected=f"{len(right)} bytes",
                found=f"{len(data)} bytes",
                weight=2.0,
            ),
            listed_download(before, after, path, self._url(world)),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        return [*go(self._url(world)), Press("ctrl+s"), *save_as(self._path(world))]

    def _url(self, world: World) -> str:
        return self.person(world).url("catalogue", f"/charts/{world.parameters['column']}.png")

    def _path(self, world: World) -> str:
        return f"~/{world.parameters['folder']}/{world.parameters['file']}"


class PrintPdf(BrowserTask):
    """Print a page to a PDF file."""

    name = "print-to-pdf"
    template = "Save {page} as a PDF with the browser's print function, in {layout} format, as {file} in my Documents."
    instances = {
        "staff-portrait": {"what": "colleague", "number": 2, "layout": "portrait", "file": "colleague.pdf"},
        "event-landscape": {"what": "event", "number": 5, "layout": "landscape", "file": "event-sheet.pdf"},
        "guide-landscape": {"what": "guide", "number": 3, "layout": "landscape", "file": "guide.pdf"},
        "report-portrait": {"what": "report", "number": 9, "layout": "portrait", "file": "clipping.pdf"},
    }
    changes = ("~/Documents/{file}",)

    def words(self, world: World, person: Person) -> Mapping[str, object]:
        return {"page": self._page(world).words}

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        printed = pdf_of(after, f"~/Documents/{world.parameters['file']}")
        target = self._page(world)
        html = served(self.person(world), target.url)
        wide = world.parameters["layout"] == "landscape"
        text = "".join(printed.text.split())
        return [
            equal("it was made of the page", target.tab, printed.title, weight=2.0),
            equal("it has the words of the page", shown_text(html), text, weight=2.0),
            equal("it has the links of the page", sorted(links(html, target.url)),
                  sorted({link for sheet in printed.pages for link in sheet.links})),
            holds("its format", all(sheet.landscape == wide and _is_paper(sheet.size) for sheet in printed.pages),
                  expected=world.parameters["layout"], found=[sheet.size for sheet in printed.pages]),
            holds("a browser printed it", printed.producer.startswith("Skia/PDF"), found=printed.producer),
        ]  # fmt: skip

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        layout = choose("Layout", "Landscape") if world.parameters["layout"] == "landscape" else []
        path = f"~/Documents/{world.parameters['file']}"
        return [
            *go(self._page(world).url),
            Press("ctrl+p"),
            shown("Save", "push button"),
            *layout,
            Tap("Save", role="push button"),
            *save_as(path),
        ]

    def _page(self, world: World) -> Place:
        return place(self.person(world), str(world.parameters["what"]), int(world.parameters["number"]))


class SavePage(BrowserTask):
    """Save a page as an HTML file."""

    name = "save-page"
    template = "Save {page} as a web page (HTML) under the name {file} in my Documents, so that I can read it offline."
    instances = {
        "paper": {"what": "paper", "number": 6, "file": "abstract.html"},
        "report": {"what": "report", "number": 2, "file": "press.html"},
        "record": {"what": "record", "number": 18, "file": "record.html"},
    }
    changes = ("~/Documents/{file}", "~/Documents/*_files*")

    def words(self, world: World, person: Person) -> Mapping[str, object]:
        return {"page": self._page(world).words}

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        path = f"~/Documents/{world.parameters['file']}"
        text = after.text(path)[:MAX_BYTES]
        target = self._page(world)
        source = re.search(r"<!-- saved from url=\(\d+\)(\S+) -->", text)
        wanted, saved = saved_markup(served(self.person(world), target.url), target.url), markup(text)
        strange = [(had, has) for had, has in zip_longest(wanted, saved) if had != has]
        return [
            equal("the browser saved it from the page", target.url, source[1] if source else None, weight=2.0),
            holds(
                "it has the heading", f"<h1>{target.title}</h1>" in text.replace("&amp;", "&"), expected=target.title
            ),
            holds("it is whole", "</html>" in text[-200:] and "<footer>" in text, found=text[-60:]),
            equal("everything on it is as the site shows it", [], strange[:3], weight=2.0),
            listed_download(before, after, path, target.url),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        return [*go(self._page(world).url), Press("ctrl+s"), *save_as(f"~/Documents/{world.parameters['file']}")]

    def _page(self, world: World) -> Place:
        return place(self.person(world), str(world.parameters["what"]), int(world.parameters["number"]))


class OpenTabs(BrowserTask):
    """Open the pages for a meeting, and close all others."""

    name = "tabs-for-meeting"
    template = (
        "I have a meeting in five minutes. Have exactly these three pages open, each in an ordinary (not private) tab "
        "of its own, and close all other tabs: {pages}."
    )
    left_open = ()
    instances = {
        "review": {"a": "paper", "x": 3, "b": "event", "y": 4, "c": "colleague", "z": 5},
        "purchase": {"a": "product", "x": 11, "b": "product", "y": 16, "c": "guide", "z": 2},
        "press": {"a": "report", "x": 11, "b": "record", "y": 77, "c": "paper", "z": 8},
        "courses": {"a": "event", "x": 1, "b": "event", "y": 8, "c": "colleague", "z": 1},
    }

    def words(self, world: World, person: Person) -> Mapping[str, object]:
        return {"pages": "; ".join(target.words for target in self._pages(world))}

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        pages = self._pages(world)
        if "live" not in after.data:
            return [holds("the open tabs are known", False, expected="asked at the end", found="not asked")]
        urls = [f"{tab['url']} (private)" if tab.get("private", True) else tab["url"] for tab in tabs_of(after)]
        return [
            *(equal(f"{target.title}: open once", 1, urls.count(target.url)).as_weak() for target in pages),
            equal("nothing else is open", sorted(target.url for target in pages), sorted(urls), weight=2.0).as_weak(),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """Close all tabs but the last, and open the first page in that one."""
        first, *others = self._pages(world)
        moves: list[Move] = [Press("escape"), *[Press("ctrl+w")] * (len(world.ui_state["pages"]) - 1), *go(first.url)]
        for target in others:
            moves += [Press("ctrl+t"), *address_bar(), *typed(target.url), page(target.url)]
        return moves

    def _pages(self, world: World) -> list[Place]:
        parameters, owner = world.parameters, self.person(world)
        return [
            place(owner, str(parameters[what]), int(parameters[at]))
            for what, at in (("a", "x"), ("b", "y"), ("c", "z"))
        ]


_PAPERS = ((841.9, 1190.6), (595.3, 841.9), (419.5, 595.3), (612, 792), (612, 1008), (792, 1224))
"""Paper sizes in points that the browser offers: A3, A4, A5, Letter, Legal, Tabloid."""


def _is_paper(size: tuple[float, float]) -> bool:
    return any(abs(min(size) - short) < 0.6 and abs(max(size) - long) < 0.6 for short, long in _PAPERS)


SCENARIOS = (DownloadFile(), SaveChart(), PrintPdf(), SavePage(), OpenTabs())
