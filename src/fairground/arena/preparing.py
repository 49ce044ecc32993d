"""What a person puts on the desktop before two agents begin: files, pages, a repository; the same into both seats.

Nothing of it is opened or carried out on the host: it is bytes on their way into a sandbox.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from fairground.arena.battles import Preparation
from fairground.arena.preparing_repository import check_address, clone, folder_name, is_web_address
from fairground.arena.preparing_uploads import Uploads
from fairground.core import InvalidInput, Key, Type, fingerprint, unknown
from fairground.worlds import Seat, World, resolve, suites

PLACE: Final = "~/Desktop"
"""Where files and repositories lie."""

BROWSERS: Final = ("chromium", "firefox-esr")
"""Packages that make an app one in which pages can be opened."""


@dataclass(frozen=True)
class Preset:
    """A world to write tasks of one's own for.

    Attributes:
        title: For people.
        about: What is there, in a sentence.
        world: Its id, or the beginning of it.
    """

    title: str
    about: str
    world: str


PRESETS: Final[Mapping[str, Preset]] = {
    "empty": Preset(
        "An empty desktop", "A text editor with nothing in it.", "desk/mousepad/new-file@harbour/light/empty"
    ),
    "home": Preset(
        "A home folder", "Papers, invoices and downloads of an accountant.",
        "desk/files/rename-one@accountant/light/home",
    ),
    "photographs": Preset(
        "A folder of photographs", "An album of a photographer, in a file manager.",
        "desk/files/rename-one@photographer/light/album",
    ),
    "sales": Preset(
        "A spreadsheet of sales", "A year of an outdoor shop, by region and product.",
        "desk/calc/region-total@outdoor-shop/light/sales",
    ),
    "document": Preset(
        "A text document", "The papers of a museum, in a word processor.",
        "desk/writer/settle-changes@fjord-museum/light/top",
    ),
    "browser": Preset(
        "A browser", "With the intranet, news and shop of an office. There is no internet.",
        "desk/browser/home-page@ines/light/start",
    ),
}  # fmt: skip
"""Worlds for tasks in one's own words, by name."""


@dataclass(frozen=True)
class Things:
    """What is put into each of two seats.

    Attributes:
        files: Content by path below `PLACE`.
        pages: Addresses that are opened, in this order.
    """

    files: Mapping[str, bytes] = field(default_factory=dict)
    pages: tuple[str, ...] = ()


def find_world(name: str, *, own: bool = False, seed: int = 0) -> World:
    """The world that a task names, of an installed suite: a folder of this machine is never looked at.

    Args:
        name: A configuration's id, or the beginning of it.
        own: Whether the task is in somebody's own words: then it does not matter what is proven of the scenario.
        seed: Of the world.
    """
    suite = name.partition("/")[0]
    if suite not in suites():
        raise unknown("suite", suite, suites())
    return resolve(name, seed=seed, unproven=own)


def check_preparation(asked: Preparation, world: World, *, local: bool) -> list[str]:
    """Looks whether this can be put into seats of this world, before any is opened.

    Args:
        asked: What the person wants.
        world: Where.
        local: Whether a repository may be a folder of this machine.

    Returns:
        What the person should know.

    Raises:
        InvalidInput: When it cannot.
    """
    if (asked.files or asked.pages or asked.repository) and not world.app.screen.has_desktop:
        raise InvalidInput(f"{world.app.title} has no desktop that could be prepared", fix="choose a desktop app")
    if len(asked.files) != len(set(asked.files)):
        raise InvalidInput("a file is named twice")
    if asked.repository:
        check_address(asked.repository, local=local)
    for page in asked.pages:
        _check_page(page)
    if not asked.pages:
        return []
    if not set(world.app.packages) & set(BROWSERS):
        raise InvalidInput(f"{world.app.title} is no browser, so no page can be opened", fix="choose the browser")
    if world.app.network == "none":
        return ["The seats have no network: a page shows only if it is one of the sites inside."]
    return []


def gather(
    asked: Preparation, uploads: Uploads, owner: str, *, local: bool, stopped: Callable[[], bool] = lambda: False
) -> Things:
    """Fetches what is to be put into both seats, once.

    Raises:
        InvalidInput: When a file is not there, or the repository cannot be had.
    """
    files: dict[str, bytes] = {}
    for id_ in asked.files:
        found = uploads.find(owner, id_)
        files[_free_name(found.name, files)] = uploads.read(owner, id_)
    if asked.repository:
        folder = _free_name(folder_name(asked.repository), files)
        for path, data in clone(asked.repository, local=local, stopped=stopped).items():
            files[f"{folder}/{path}"] = data
    return Things(files, asked.pages)


def lay_out(seat: Seat, things: Things) -> str:
    """Puts it into a seat; returns a digest of what lies there then, and of the pages that were asked for.

    A page is opened with keys, as a person would: that works in every browser.
    """
    if not things.files and not things.pages:
        return ""
    there = {}
    for path, data in things.files.items():
        place = f"{PLACE}/{path}"
        seat.sandbox.write_file(place, data)
        there[path] = hashlib.sha256(seat.sandbox.read_file(place, limit=len(data))).hexdigest()
    for page in things.pages:
        _open_page(seat, page)
    seat.before = seat.capture()
    return fingerprint({"files": there, "pages": list(things.pages)})


def _open_page(seat: Seat, address: str) -> None:
    # Delete: what the browser itself adds to an address is not what was asked for.
    keys = (("ctrl", "t"), ("ctrl", "l"), None, ("delete",), ("enter",))
    for pressed in keys:
        seat.screen.act(Key(keys=pressed) if pressed else Type(text=address))
        seat.screen.settle()


def _check_page(address: str) -> None:
    if not is_web_address(address):
        raise InvalidInput(f"{address[:100]!r} is no address of a page", fix="such as https://example.org/news")


def _free_name(name: str, taken: Mapping[str, object]) -> str:
    """The name, or one with a number where something of that name lies already."""
    used = {path.partition("/")[0].casefold() for path in taken}
    stem, dot, ending = name.rpartition(".")
    stem, ending = (stem, dot + ending) if stem else (name, "")
    number, free = 2, name
    while free.casefold() in used:
        free, number = f"{stem} ({number}){ending}", number + 1
    return free
