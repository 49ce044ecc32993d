"""Pages of a person's sites, by what they are: so that one instance makes sense on every profile."""

from __future__ import annotations

from dataclasses import dataclass

from fairground_desk.browser.person import Person
from fairground_desk.browser.sites.reading import GUIDES


@dataclass(frozen=True)
class Place:
    """A page: its address, its heading, and in words where it is."""

    url: str
    title: str
    words: str
    tab: str
    """The title that its tab shows."""


def place(person: Person, what: str, number: int) -> Place:
    """A page of a kind (`paper`, `product`, `event`, `report`, `record`, `guide`, `colleague`) by its number from 1."""
    site, path, names, noun = {
        "paper": ("library", "/articles", [one.title for one in person.papers], "article"),
        "product": ("shop", "/products", [one.name for one in person.products], "product"),
        "event": ("events", "/event", [one.title for one in person.events], "event"),
        "report": ("news", "", [one.title for one in person.articles], "report"),
        "record": ("catalogue", "/records", [str(row[0]) for row in person.records], person.noun),
        "guide": ("intranet", "/guides", list(GUIDES), "guide"),
        "colleague": ("intranet", "/staff", [one.name for one in person.staff], "page about"),
    }[what]
    name = names[number - 1]
    where = f"the {noun} “{name}” on {person.host(site)}"
    if what == "record":  # names of records are not unique everywhere
        where = f"record no. {number}, the {noun} “{name}”, on {person.host(site)}"
    return Place(person.url(site, f"{path}/{number}"), name, where, f"{name} - {person.titles[site]}")
