"""The people of each phone: ten owners with their friends, colleagues, places and money, shared by all apps.

Profiles with the same name have the same people in every app, so that a task can span two apps.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib.resources import files
from typing import Any, Final

from fairground_pocket.kit.draw import Draw


@dataclass(frozen=True)
class Person:
    """A person whom the owner knows.

    Attributes:
        relation: `family`, `friend`, `work`, `neighbour` or `service` (a doctor, a landlord).
        role: Their role for the owner, such as `sister` or `accountant`.
    """

    name: str
    relation: str
    role: str
    email: str
    phone: str

    @property
    def first(self) -> str:
        return self.name.split()[0]


@dataclass(frozen=True)
class Cast:
    """The people and places around the owner of a phone.

    Attributes:
        name: Name of the profile.
        owner: The phone's owner.
        now: The time at which an episode starts, in the owner's time zone.
        currency: ISO code.
        timezone: IANA name.
        streets: Streets of the owner's town.
        districts: Districts of the owner's town.
        shops: Names of local businesses.
    """

    name: str
    owner: Person
    now: datetime
    city: str
    country: str
    currency: str
    timezone: str
    dial: str
    employer: str
    job: str
    people: tuple[Person, ...]
    streets: tuple[str, ...]
    districts: tuple[str, ...]
    shops: tuple[str, ...]
    airport: str
    """IATA code of the nearest airport."""

    def of(self, *relations: str) -> tuple[Person, ...]:
        """People who have one of these relations to the owner."""
        return tuple(person for person in self.people if person.relation in relations)

    def draw(self, app: str) -> Draw:
        """The random generator for this profile of an app."""
        return Draw(self.name, app)


def cast(name: str) -> Cast:
    """The cast of the profile with this name."""
    return _casts()[name]


def ascii_of(text: str) -> str:
    """A name in ASCII for use in an address: `Søren Åkesson` becomes `soren.akesson`."""
    plain = unicodedata.normalize("NFKD", text.casefold().translate(_LETTERS))
    return re.sub(r"[^a-z0-9]+", ".", "".join(c for c in plain if not unicodedata.combining(c))).strip(".")


_LETTERS: Final = str.maketrans(
    {"ø": "o", "\u0131": "i", "ł": "l", "đ": "d", "æ": "ae", "ß": "ss", "'": "", "\u2019": ""}
)


@cache
def _casts() -> dict[str, Cast]:
    text = files(__package__).joinpath("casts.toml").read_text(encoding="utf-8")
    return {name: _read(name, entry) for name, entry in tomllib.loads(text).items()}


def _read(name: str, entry: dict[str, Any]) -> Cast:
    draw = Draw(name, "people")

    def person(words: str, domain: str) -> Person:
        full, relation, role = (part.strip() for part in words.split("|"))
        number = "".join(str(draw.integer(0, 9)) for _ in range(7))
        phone = f"{entry['dial']} {draw.integer(20, 98)} {number[:3]} {number[3:]}"
        return Person(full, relation, role, f"{ascii_of(full)}@{domain}", phone)

    mail, work = entry["mail"], entry["work_domain"]
    people = tuple(person(line, work if "| work |" in line else mail) for line in _lines(entry["people"]))
    return Cast(
        name=name,
        owner=person(f"{entry['owner']} | self | owner", mail),
        now=datetime.fromisoformat(entry["now"]),
        city=entry["city"],
        country=entry["country"],
        currency=entry["currency"],
        timezone=entry["timezone"],
        dial=entry["dial"],
        employer=entry["employer"],
        job=entry["job"],
        people=people,
        streets=tuple(entry["streets"]),
        districts=tuple(entry["districts"]),
        shops=tuple(entry["shops"]),
        airport=entry["airport"],
    )


def _lines(text: str) -> Sequence[str]:
    return [line for line in text.strip().splitlines() if line.strip()]


PROFILES: Final = (
    "amara-lagos", "astrid-malmo", "chiara-bologna", "daichi-osaka", "elif-izmir",
    "fatima-casablanca", "george-bristol", "mateo-medellin", "noah-toronto", "priya-pune",
)  # fmt: skip
"""Names of all profiles. Every app of the phone has all of them."""
