"""Menus as data: cuisines with dishes and options from `menus.txt`, towns with names from `towns.txt`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final


@dataclass(frozen=True)
class Dish:
    """A dish. `marks` are letters: v vegetarian, V vegan, g gluten-free, s spicy, n with nuts."""

    name: str
    price: float
    marks: str
    about: str


@dataclass(frozen=True)
class Section:
    """A section of a menu, with the option groups of its dishes."""

    name: str
    groups: tuple[str, ...]
    dishes: tuple[Dish, ...]


@dataclass(frozen=True)
class Cuisine:
    """A cuisine with the sections of its menu."""

    name: str
    icon: str
    sections: tuple[Section, ...]


@dataclass(frozen=True)
class Group:
    """A group of options of a dish: exactly one if required, else at most `most`."""

    name: str
    required: bool
    most: int
    options: tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class Town:
    """A town: its own cuisine, its drinks, the names of its restaurants."""

    cuisine: str
    drinks: tuple[str, ...]
    kitchens: tuple[str, ...]


DRINKS: Final = "Drinks"
"""A section of every menu; it is not a searchable cuisine."""


@cache
def cuisines() -> Mapping[str, Cuisine]:
    """All cuisines by name, including drinks."""
    by_name: dict[str, list[tuple[str, tuple[str, ...], list[Dish]]]] = {}
    icons: dict[str, str] = {}
    for line in _lines("menus.txt"):
        mark, rest = line[0], [part.strip() for part in line[1:].split("|")]
        if mark == "#":
            icons[rest[0]] = rest[1]
            by_name[rest[0]] = []
        elif mark == "*":
            groups = tuple(name.strip() for name in rest[1].split(",") if name.strip())
            by_name[next(reversed(by_name))].append((rest[0], groups, []))
        elif mark != "@":
            name, price, marks, about = (part.strip() for part in line.split("|"))
            by_name[next(reversed(by_name))][-1][2].append(Dish(name, float(price), marks, about))
    return {
        name: Cuisine(name, icons[name], tuple(Section(title, groups, tuple(d)) for title, groups, d in sections))
        for name, sections in by_name.items()
    }


@cache
def groups() -> Mapping[str, Group]:
    """All option groups by name."""
    by_name = {}
    for line in _lines("menus.txt"):
        if line.startswith("@"):
            head, *options = (part.strip() for part in line[1:].split("|"))
            name, _, most = head.rpartition(" ")
            pairs = [option.rpartition(" ") for option in options]
            priced = tuple((title, float(price)) for title, _, price in pairs)
            by_name[name] = Group(name, most == "!", 1 if most == "!" else int(most), priced)
    return by_name


@cache
def towns() -> Mapping[str, Town]:
    """The towns, by profile name."""
    by_name: dict[str, tuple[str, tuple[str, ...], list[str]]] = {}
    for line in _lines("towns.txt"):
        if line.startswith("#"):
            if "|" not in line:
                break
            name, cuisine, drinks = (part.strip() for part in line[1:].split("|"))
            by_name[name] = cuisine, tuple(drink.strip() for drink in drinks.split(",")), []
        else:
            by_name[next(reversed(by_name))][2].append(line)
    return {name: Town(cuisine, drinks, tuple(names)) for name, (cuisine, drinks, names) in by_name.items()}


@cache
def everywhere() -> Mapping[str, tuple[str, ...]]:
    """Cuisines that every town has, with names of restaurants."""
    lines = list(_lines("towns.txt"))
    pairs = (line.partition(":") for line in lines[lines.index("# everywhere") + 1 :])
    return {cuisine: tuple(name.strip() for name in names.split(",")) for cuisine, _, names in pairs}


def _lines(name: str) -> Iterator[str]:
    for line in files(__package__).joinpath(name).read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("%"):
            yield line.strip()
