"""All files of a profile, by path."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from fairground_desk.impress.talks import TALKS, Talk

EDITED = "~/Pictures/Edited"
"""Folder of pictures that were already edited in an image editor."""

LATEST = "~/Documents/Lists/latest figures.csv"
"""The table of figures, with newer numbers than on the slide."""

_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
           "November", "December")  # fmt: skip


@cache
def folder_of(profile: str) -> Mapping[str, bytes]:
    """Return all files of a profile, including the presentation."""
    talk = TALKS[profile]
    contents = {talk.path: _data(f"{profile}.odp")}
    for name in talk.photos:
        contents[f"~/Pictures/{name}.jpg"] = _data(f"{name}.jpg")
    contents[f"{EDITED}/{talk.photos[1]} small.png"] = _data(f"edited/{talk.photos[1]}.png")
    contents["~/Documents/Lists/speakers.csv"] = _speakers(talk).encode()
    contents["~/Documents/Lists/figures.csv"] = _table(talk, "figures").encode()
    contents[LATEST] = _latest(talk).encode()
    contents["~/Documents/Lists/people.csv"] = _table(talk, "team").encode()
    contents["~/Documents/to do.txt"] = _to_do(talk).encode()
    for number in range(24):
        month, year = _MONTHS[number % 12], 2022 + number // 12
        contents[f"~/Documents/Minutes/{year}-{number % 12 + 1:02}.txt"] = _minutes(talk, month, year, number).encode()
    return MappingProxyType(contents)


def _data(name: str) -> bytes:
    return files(__package__).joinpath("data", *name.split("/")).read_bytes()


def _speakers(talk: Talk) -> str:
    lines = [f"{number},{part.title!r},{part.speaker}" for number, part in enumerate(talk.parts, 1)]
    return "\n".join(["slide,title,speaker", *(line.replace("'", '"') for line in lines)]) + "\n"


def _table(talk: Talk, role: str) -> str:
    return "\n".join(",".join(f'"{cell}"' for cell in row) for row in talk.part(role).rows) + "\n"


def _latest(talk: Talk) -> str:
    head, *rows = talk.part("figures").rows
    newer = [(row[0], *(str(int(cell) + 3 + (at * 7 + place * 5) % 11) for place, cell in enumerate(row[1:])))
             for at, row in enumerate(rows)]  # fmt: skip
    return "\n".join(",".join(f'"{cell}"' for cell in row) for row in (head, *newer)) + "\n"


def _to_do(talk: Talk) -> str:
    return (
        f"{talk.title}\n\n- check the spelling of names with {talk.part('team').speaker}\n"
        f"- ask {talk.part('figures').speaker} for the latest figures\n- {talk.website} must be on the last slide\n"
        "- print the notes, two to a page\n"
    )


def _minutes(talk: Talk, month: str, year: int, number: int) -> str:
    people = [row[0] for row in talk.part("team").rows[1:]]
    topics = [line for part in talk.parts for line in part.lines if line != "---"]
    chair, writer = people[number % len(people)], people[(number + 2) % len(people)]
    points = "\n".join(f"{place}. {topics[(number * 3 + place) % len(topics)]}" for place in range(1, 6))
    return (
        f"{talk.organisation}: minutes, {month} {year}\n\nChair: {chair}\nMinutes: {writer}\n\n{points}\n\n"
        f"Next meeting on the {number % 9 + 1}th.\n"
    )
