"""Whose browser it is, and what the web sites of their world hold. One TOML file a person, read-only data beside it."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

SITES: Final = ("intranet", "catalogue", "helpdesk", "events", "shop", "library", "news")
"""What every person has, each on a host of its own."""

PEOPLE: Final = ("ines", "tomasz", "wanjiru", "hana")

Value = str | int | float


@dataclass(frozen=True)
class Colleague:
    """Somebody in the staff directory of the intranet."""

    name: str
    role: str
    room: str
    extension: str


@dataclass(frozen=True)
class Event:
    """Something to register for; `seats` that are left."""

    title: str
    date: str
    time: str
    room: str
    price: float
    seats: int


@dataclass(frozen=True)
class Product:
    """Something to order; `stock` pieces are there."""

    name: str
    category: str
    price: float
    stock: int


@dataclass(frozen=True)
class Paper:
    """An article in the library."""

    title: str
    authors: str
    journal: str
    year: int
    pages: int


@dataclass(frozen=True)
class Article:
    """A report in the newspaper."""

    date: str
    title: str
    author: str
    section: str


@dataclass(frozen=True, eq=False)
class Person:
    """The owner of the browser, and the sites around them.

    Attributes:
        folders: Names of the folders on the bookmarks bar: for work, for papers, for shopping.
        columns: Headings of the catalogue; the first is the name of a record.
        records: Its rows.
        noun: What one record is.
        titles: Names of the sites.
    """

    key: str
    first: str
    last: str
    job: str
    organisation: str
    domain: str
    city: str
    postcode: str
    street: str
    country: str
    country_code: str
    phone: str
    currency: str
    folders: tuple[str, ...]
    noun: str
    columns: tuple[str, ...]
    records: tuple[tuple[Value, ...], ...]
    titles: dict[str, str]
    staff: tuple[Colleague, ...]
    events: tuple[Event, ...]
    products: tuple[Product, ...]
    papers: tuple[Paper, ...]
    articles: tuple[Article, ...]

    @property
    def name(self) -> str:
        return f"{self.first} {self.last}"

    @property
    def email(self) -> str:
        return f"{self.key}@{self.domain}"

    def host(self, site: str) -> str:
        return f"{site}.{self.domain}"

    def url(self, site: str, path: str = "/") -> str:
        return f"http://{self.host(site)}{path}"

    def money(self, amount: float) -> str:
        return f"{amount:,.2f} {self.currency}"

    def record(self, number: int) -> dict[str, Value]:
        """A record by its number, from 1, with the headings as keys."""
        return dict(zip(self.columns, self.records[number - 1], strict=True))


@cache
def person(key: str) -> Person:
    """A person by their key."""
    folder = files(__package__)
    told = tomllib.loads(folder.joinpath("people", f"{key}.toml").read_text(encoding="utf-8"))
    rows = json.loads(folder.joinpath("data", f"{told['records']}.json").read_text(encoding="utf-8"))
    organisation = told["organisation"]
    return Person(
        key=key,
        **{name: told[name] for name in _PLAIN},
        folders=tuple(told["folders"]),
        columns=tuple(told["columns"]),
        records=tuple(tuple(row) for row in rows),
        titles={
            "intranet": f"{organisation} intranet",
            "catalogue": told["catalogue"],
            "helpdesk": f"Help desk of {organisation}",
            "events": f"Courses and events, {organisation}",
            "shop": told["shop"],
            "library": told["journal"],
            "news": told["news"],
        },
        staff=tuple(Colleague(*line) for line in _lines(told["staff"])),
        events=tuple(Event(a, b, c, d, float(e), int(f)) for a, b, c, d, e, f in _lines(told["events"])),
        products=tuple(Product(a, b, float(c), int(d)) for a, b, c, d in _lines(told["products"])),
        papers=tuple(Paper(a, b, c, int(d), int(e)) for a, b, c, d, e in _lines(told["papers"])),
        articles=tuple(Article(*line) for line in _lines(told["articles"])),
    )


_PLAIN: Final = (
    "first", "last", "job", "organisation", "domain", "city", "postcode", "street", "country", "country_code",
    "phone", "currency", "noun",
)  # fmt: skip


def _lines(text: str) -> Sequence[Any]:
    return [[part.strip() for part in line.split("|")] for line in text.strip().splitlines()]
