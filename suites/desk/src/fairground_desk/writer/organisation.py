"""The organisations that own the profiles' documents; their data are in `data/`."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from fairground.core import Record

PROFILES = ("fjord-museum", "lake-water", "weaving-house", "hill-observatory")


class Programme(Record):
    """An activity of an organisation, with its budget and spending."""

    name: str
    manager: str
    budget: int
    spent: int
    people: int
    text: str
    aside: str


class Agreement(Record):
    """The terms of a lease; amounts are in the organisation's currency, `notice` in months, `term` in years."""

    kind: str
    lessor: str
    lessee: str
    object: str
    rent: int
    deposit: int
    notice: int
    term: int
    start: str
    law: str
    special: str
    special_text: str


class Item(Record):
    """An agenda item of a board meeting."""

    title: str
    text: str
    mover: str
    seconder: str
    decision: str


class Actions(Record):
    """Rows of task, owner, due date and hours."""

    rows: list[list[str]]


class Minutes(Record):
    """The minutes of a board meeting."""

    day: str
    next: str
    room: str
    chair: str
    present: list[str]
    items: list[Item]
    actions: Actions


class Part(Record):
    """A chapter of a history: two sections with a paragraph each."""

    title: str
    text: list[str]
    sections: list[str]


class Chapter(Record):
    """A draft of a history; its quotations are in another language."""

    title: str
    quote_language: str
    quotes: list[str]
    parts: list[Part]


class Contacts(Record):
    """Names, streets and towns from which the contact list is generated."""

    first: list[str]
    last: list[str]
    streets: list[str]
    towns: list[str]


class Organisation(Record):
    """All data for an organisation's documents; `term` is a technical term and its replacement."""

    name: str
    short: str
    place: str
    funder: str
    user: str
    reviewers: list[str]
    currency: str
    year: int
    language: list[str]
    site: str
    term: list[str]
    contractor: str
    programmes: list[Programme]
    agreement: Agreement
    minutes: Minutes
    chapter: Chapter
    contacts: Contacts


@cache
def organisation(profile: str) -> Organisation:
    """Return the organisation of a profile."""
    text = files(__package__).joinpath("data", f"{profile}.toml").read_text(encoding="utf-8")
    data: dict[str, Any] = tomllib.loads(text)
    return Organisation.model_validate(data)
