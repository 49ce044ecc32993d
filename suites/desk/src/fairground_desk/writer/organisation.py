"""The organisations whose documents the profiles hold; what is known of each is in `data/`."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from fairground.core import Record

PROFILES = ("fjord-museum", "lake-water", "weaving-house", "hill-observatory")


class Programme(Record):
    """What an organisation does, and what it cost."""

    name: str
    manager: str
    budget: int
    spent: int
    people: int
    text: str
    aside: str


class Agreement(Record):
    """The terms of a lease; money is in the organisation's currency, `notice` in months, `term` in years."""

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
    """What a board spoke about."""

    title: str
    text: str
    mover: str
    seconder: str
    decision: str


class Actions(Record):
    """Rows of task, owner, day and hours."""

    rows: list[list[str]]


class Minutes(Record):
    """A meeting."""

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
    """What the list of people is made of."""

    first: list[str]
    last: list[str]
    streets: list[str]
    towns: list[str]


class Organisation(Record):
    """Everything that its documents say; `term` is a word of its trade and what it could be replaced by."""

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
    """The organisation of a profile."""
    text = files(__package__).joinpath("data", f"{profile}.toml").read_text(encoding="utf-8")
    found: dict[str, Any] = tomllib.loads(text)
    return Organisation.model_validate(found)
