"""The owner of the browser, and the contents of their web sites: one TOML file per person, and read-only data."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

SITES: Final = ("intranet", "catalogue", "helpdesk", "events", "shop", "library", "news")
"""The sites of every person, each on its own host."""

PEOPLE: Final = ("ines", "tomasz", "wanjiru", "hana")

Value = str | int | float


@dataclass(frozen=True)
class Colleague:
    """A person in the staff directory of the intranet."""

    name: str
    role: str
    room: str
    extension: str


@dataclass(frozen=True)
class Event:
    """An event to register for; `seats` are the seats left."""

    title: str
    date: str
    time: str
    room: str
    price: float
    seats: int


@dataclass(frozen=True)
class Product:
    """A product to order; `stock` is the number of pieces available."""

    name: str
    category: str
    price: float
    stock: int


@dataclass(frozen=True)
class Paper:
    """A journal article in the library."""

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
    """The owner of the browser, and their web sites.

    Attributes:
        folders: Names of the folders on the bookmarks bar: for work, for papers, for shopping.
        columns: Headings of the catalogue; the first is the name of a record.
        records: Rows of the catalogue.
        noun: What a record is, such as `vehicle`.
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
        """Return a record by its number, from 1, as a mapping from heading to value."""
        return dict(zip(self.columns, self.records[number - 1], strict=True))


@cache
def person(key: str) -> Person:
    """Load a person by key."""
    folder = files(__package__)
    described = tomllib.loads(folder.joinpath("people", f"{key}.toml").read_text(encoding="utf-8"))
    rows = json.loads(folder.joinpath("data", f"{described['records']}.json").read_text(encoding="utf-8"))
    organisation = described["organisation"]
    return Person(
        key=key,
        **{name: described[name] for name in _PLAIN},
        folders=tuple(described["folders"]),
        columns=tuple(described["columns"]),
        records=tuple(tuple(row) for row in rows),
        titles={
            "intranet": f"{organisation} intranet",
            "catalogue": described["catalogue"],
            "helpdesk": f"Help desk of {organisation}",
            "events": f"Courses and events, {organisation}",
            "shop": described["shop"],
            "library": described["journal"],
            "news": described["news"],
        },
        staff=tuple(Colleague(*line) for line in _lines(described["staff"])),
        events=tuple(Event(a, b, c, d, float(e), int(f)) for a, b, c, d, e, f in _lines(described["events"])),
        products=tuple(Product(a, b, float(c), int(d)) for a, b, c, d in _lines(described["products"])),
        papers=tuple(Paper(a, b, c, int(d), int(e)) for a, b, c, d, e in _lines(described["papers"])),
        articles=tuple(Article(*line) for line in _lines(described["articles"])),
    )


_PLAIN: Final = (
    "first", "last", "job", "organisation", "domain", "city", "postcode", "street", "country", "country_code",
    "phone", "currency", "noun",
)  # fmt: skip


def _lines(text: str) -> Sequence[Any]:
    return [[part.strip() for part in line.split("|")] for line in text.strip().splitlines()]
