"""Pages of a person's sites by kind and number, so that an instance works with every profile."""

from __future__ import annotations

from dataclasses import dataclass

from fairground_desk.browser.person import Person
from fairground_desk.browser.sites.reading import GUIDES


@dataclass(frozen=True)
class Place:
    """A page: its address, its heading, and a description of where it is."""

    url: str
    title: str
    words: str
    tab: str
    """The title of its tab."""


def place(person: Person, what: str, number: int) -> Place:
    """Return page `number`, from 1, of a kind: paper, product, event, report, record, guide or colleague."""
    site, path, names, noun = {
        "paper": ("library", "/articles", [paper.title for paper in person.papers], "article"),
        "product": ("shop", "/products", [product.name for product in person.products], "product"),
        "event": ("events", "/event", [event.title for event in person.events], "event"),
        "report": ("news", "", [article.title for article in person.articles], "report"),
        "record": ("catalogue", "/records", [str(row[0]) for row in person.records], person.noun),
        "guide": ("intranet", "/guides", list(GUIDES), "guide"),
        "colleague": ("intranet", "/staff", [colleague.name for colleague in person.staff], "page about"),
    }[what]
    name = names[number - 1]
    where = f"the {noun} “{name}” on {person.host(site)}"
    if what == "record":  # names of records are not always unique
        where = f"record no. {number}, the {noun} “{name}”, on {person.host(site)}"
    return Place(person.url(site, f"{path}/{number}"), name, where, f"{name} - {person.titles[site]}")
