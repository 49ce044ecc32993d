"""Bookmarks, history and files of a person, derived from their data; the same on every run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape, unescape
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from fairground_desk.browser.person import SITES, Person
from fairground_desk.browser.profile_files import Fetched, Mark, Past, Seen
from fairground_desk.browser.serving import Request
from fairground_desk.browser.sites import Sites
from fairground_desk.browser.sites.documents import chart, record_csv, record_pdf

IMPORTED = "~/Documents/shared-bookmarks.html"
"""Bookmarks that a colleague exported; a task imports them."""
ATTENDEES = "~/Documents/attendees.txt"
"""The list of people to register for events."""


def bookmark_bar(person: Person) -> tuple[Mark, ...]:
    """Three single bookmarks, then the folders for work, reading and shopping."""
    work, reading, shopping = person.folders
    papers = [(number, paper) for number, paper in enumerate(person.papers, 1) if number % 2]
    return (
        Mark("Start", person.url("intranet")),
        Mark(person.titles["catalogue"], person.url("catalogue")),
        Mark("Help desk", person.url("helpdesk", "/new")),
        Mark(work, children=(
            Mark("Staff directory", person.url("intranet", "/staff")),
            Mark("Programme of courses", person.url("events", "/programme")),
            Mark("My tickets", person.url("helpdesk", "/tickets")),
            Mark("Old phone list", "http://phones.old-server.example/list"),
        )),
        Mark(reading, children=tuple(
            Mark(paper.title, person.url("library", f"/articles/{at}")) for at, paper in papers
        )),
        Mark(shopping, children=(
            Mark(person.titles["shop"], person.url("shop")),
            *(Mark(person.products[at].name, person.url("shop", f"/products/{at + 1}")) for at in (2, 7, 10)),
            Mark("Discontinued catalogue", "http://catalogue.old-server.example/2019"),
        )),
    )  # fmt: skip


def other_bookmarks(person: Person) -> tuple[Mark, ...]:
    """Bookmarks outside of the bar: news, and some dead links."""
    reports = tuple(
        Mark(article.title, person.url("news", f"/{at}"))
        for at, article in enumerate(person.articles, 1)
        if at % 3 == 0
    )
    return (
        Mark(person.titles["news"], person.url("news")),
        Mark("To read later", children=reports),
        Mark("Archive", children=(
            Mark("Canteen menu", "http://canteen.old-server.example/menu"),
            Mark("Intranet before 2020", "http://intranet.old-server.example/"),
        )),
    )  # fmt: skip


def past(person: Person, home: str, known: Sequence[str] = ()) -> Past:
    """Five weeks of visits and downloads.

    Args:
        person: Owner of the browser.
        home: Path of the user's home folder.
        known: Addresses that were visited before all others.
    """
    return Past(
        visits=(*_first_visits(person, known), *_visits(person)),
        downloads=tuple(
            Fetched(url, path.replace("~", home, 1), len(data), mime, days)
            for path, (url, data, mime, days) in _fetched(person).items()
        ),
        cookies=tuple((person.host(site), f"{site}_visit") for site in SITES),
    )


def folders(person: Person) -> dict[str, bytes]:
    """Return the user's documents, downloads and pictures, by path."""
    files = {path: data for path, (_, data, _, _) in _fetched(person).items()}
    for at in range(1, len(person.columns) - 1, 2):
        files[f"~/Pictures/charts/chart-{at}.png"] = chart(person, at)
    for number, colleague in enumerate(person.staff, 1):
        note = (
            f"Meeting with {colleague.name} ({colleague.role})\n"
            f"Room {colleague.room}, extension {colleague.extension}\n\nTo follow up.\n"
        )
        files[f"~/Documents/meetings/{number:02d}-{colleague.name.split()[-1].lower()}.txt"] = note.encode()
    for number, paper in enumerate(person.papers[:6], 1):
        files[f"~/Documents/reading/notes-{number}.txt"] = f"{paper.title}\n{paper.authors}, {paper.year}\n".encode()
    files[IMPORTED] = _shared(person)
    files[ATTENDEES] = "".join(
        f"{colleague.name}; {_mail(person, colleague.name)}; {person.organisation}; {ticket}; {meal}\n"
        for colleague, ticket, meal in attendees(person)
    ).encode()
    files["~/Documents/todo.txt"] = f"{person.job}\n- answer tickets\n- order supplies\n- read two articles\n".encode()
    return files


def attendees(person: Person) -> list[tuple[Any, str, str]]:
    """Return colleagues with the ticket and the lunch that each wants."""
    wishes = (("Standard", "Vegan"), ("Reduced", "Meat"), ("Online only", "No meal"), ("Standard", "Vegetarian"))
    return [(colleague, *wish) for colleague, wish in zip(person.staff[3:7], wishes, strict=True)]


def attendee_mail(person: Person, name: str) -> str:
    """Return the address that is in the list of attendees."""
    return _mail(person, name)


def shared_marks(person: Person) -> list[tuple[str, str]]:
    """Return titles and addresses of the bookmarks in the file to import."""
    marks = [(event.title, person.url("events", f"/event/{at}")) for at, event in enumerate(person.events[:4], 1)]
    return [*marks, ("Guides for new staff", person.url("intranet", "/guides"))]


def _first_visits(person: Person, known: Sequence[str]) -> Iterator[Seen]:
    sites = Sites(person)
    for number, url in enumerate(known):
        parts = urlsplit(url)
        if parts.scheme == "http":
            asked = Request("GET", parts.hostname or "", parts.path, dict(parse_qsl(parts.query)))
            title = re.search(r"<title>(.*?)</title>", sites.respond(asked).body.decode())
            yield Seen(url, unescape(title[1]) if title else "", 36, 480 + number)


def _visits(person: Person) -> Iterator[Seen]:
    pages = [
        *((person.url("library", f"/articles/{at}"), f"{paper.title} - {person.titles['library']}")
          for at, paper in enumerate(person.papers, 1)),
        *((person.url("news", f"/{at}"), f"{article.title} - {person.titles['news']}")
          for at, article in enumerate(person.articles, 1)),
        *((person.url("shop", f"/products/{at}"), f"{product.name} - {person.titles['shop']}")
          for at, product in enumerate(person.products, 1)),
        *((person.url("events", f"/event/{at}"), f"{event.title} - {person.titles['events']}")
          for at, event in enumerate(person.events, 1)),
        *((person.url("catalogue", f"/records/{at}"), f"{row[0]} - {person.titles['catalogue']}")
          for at, row in enumerate(person.records[:40], 1)),
    ]  # fmt: skip
    step = 7 + 2 * (len(person.key) % 4)  # a different order per person
    for days in range(1, 36):
        yield Seen(person.url("intranet"), person.titles["intranet"], days, 480, typed=True)
        for part in range(6):
            url, title = pages[(days * step + part * 11) % len(pages)]
            yield Seen(url, title, days, 500 + part * 37 + days % 9)


def _fetched(person: Person) -> Mapping[str, tuple[str, bytes, str, int]]:
    groups = sorted({str(row[1]) for row in person.records})
    downloads: dict[str, tuple[str, bytes, str, int]] = {}
    for number, paper in enumerate(person.papers[:5], 1):
        data = record_pdf(paper.title, [paper.authors, f"{paper.journal}, {paper.year}, {paper.pages} pages"])
        url = person.url("library", f"/articles/{number}/paper.pdf")
        downloads[f"~/Downloads/paper-{number}.pdf"] = (url, data, "application/pdf", number * 3)
    for group in groups[:2]:
        url = person.url("catalogue", f"/downloads/{group}.csv")
        name = f"{group}.csv".replace(" ", "-")
        downloads[f"~/Downloads/old-{name}"] = (url, record_csv(person, group), "text/csv", 21)
    return downloads


def _shared(person: Person) -> bytes:
    listed = "".join(
        f'        <DT><A HREF="{escape(url)}" ADD_DATE="1767225600">{escape(title)}</A>\n'
        for title, url in shared_marks(person)
    )
    text = (
        "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n"
        '<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">\n<TITLE>Bookmarks</TITLE>\n'
        f"<H1>Bookmarks</H1>\n<DL><p>\n    <DT><H3>From {escape(person.staff[0].name)}</H3>\n    <DL><p>\n"
        f"{listed}    </DL><p>\n</DL><p>\n"
    )
    return text.encode()


def _mail(person: Person, name: str) -> str:
    plain = "".join(letter for letter in name.split()[-1].lower() if letter.isascii())
    return f"{plain}.{name.split()[0][0].lower()}@{person.domain}"
