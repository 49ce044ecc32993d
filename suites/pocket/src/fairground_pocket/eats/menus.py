"""Kitchens as data: cuisines with dishes and options from `menus.txt`, towns with names from `towns.txt`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final


@dataclass(frozen=True)
class Dish:
    """Something to eat. `marks` are letters: v vegetarian, V vegan, g without gluten, s hot, n with nuts."""

    name: str
    price: float
    marks: str
    about: str


@dataclass(frozen=True)
class Section:
    """A part of a menu with the option groups of its dishes."""

    name: str
    groups: tuple[str, ...]
    dishes: tuple[Dish, ...]


@dataclass(frozen=True)
class Cuisine:
    """A kind of kitchen."""

    name: str
    icon: str
    sections: tuple[Section, ...]


@dataclass(frozen=True)
class Group:
    """Options of a dish: exactly one when required, else at most so many."""

    name: str
    required: bool
    most: int
    options: tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class Town:
    """Who cooks in a town: its own cuisine, its drinks, the names of its kitchens."""

    cuisine: str
    drinks: tuple[str, ...]
    kitchens: tuple[str, ...]


DRINKS: Final = "Drinks"
"""A section of every menu, and no cuisine that one can look for."""


@cache
def cuisines() -> Mapping[str, Cuisine]:
    """All kinds of kitchens by name, drinks among them."""
    found: dict[str, list[tuple[str, tuple[str, ...], list[Dish]]]] = {}
    icons: dict[str, str] = {}
    for line in _lines("menus.txt"):
        mark, rest = line[0], [part.strip() for part in line[1:].split("|")]
        if mark == "#":
            icons[rest[0]] = rest[1]
            found[rest[0]] = []
        elif mark == "*":
            groups = tuple(name.strip() for name in rest[1].split(",") if name.strip())
            found[next(reversed(found))].append((rest[0], groups, []))
        elif mark != "@":
            name, price, marks, about = (part.strip() for part in line.split("|"))
            found[next(reversed(found))][-1][2].append(Dish(name, float(price), marks, about))
    return {
        name: Cuisine(name, icons[name], tuple(Section(title, groups, tuple(d)) for title, groups, d in sections))
        for name, sections in found.items()
    }


@cache
def groups() -> Mapping[str, Group]:
    """All option groups by name."""
    found = {}
    for line in _lines("menus.txt"):
        if line.startswith("@"):
            head, *options = (part.strip() for part in line[1:].split("|"))
            name, _, most = head.rpartition(" ")
            pairs = [option.rpartition(" ") for option in options]
            priced = tuple((title, float(price)) for title, _, price in pairs)
            found[name] = Group(name, most == "!", 1 if most == "!" else int(most), priced)
    return found


@cache
def towns() -> Mapping[str, Town]:
    """The towns by the names of their profiles."""
    found: dict[str, tuple[str, tuple[str, ...], list[str]]] = {}
    for line in _lines("towns.txt"):
        if line.startswith("#"):
            if "|" not in line:
                break
            name, cuisine, drinks = (part.strip() for part in line[1:].split("|"))
            found[name] = cuisine, tuple(drink.strip() for drink in drinks.split(",")), []
        else:
            found[next(reversed(found))][2].append(line)
    return {name: Town(cuisine, drinks, tuple(names)) for name, (cuisine, drinks, names) in found.items()}


@cache
def everywhere() -> Mapping[str, tuple[str, ...]]:
    """Cuisines that every town has, with names of kitchens for them."""
    lines = list(_lines("towns.txt"))
    pairs = (line.partition(":") for line in lines[lines.index("# everywhere") + 1 :])
    return {cuisine: tuple(name.strip() for name in names.split(",")) for cuisine, _, names in pairs}


def _lines(name: str) -> Iterator[str]:
    for line in files(__package__).joinpath(name).read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("%"):
            yield line.strip()
