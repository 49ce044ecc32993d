"""Preparation of desktops: files, pages and a repository, placed identically in both seats.

None of it is opened or executed on the host: it is only copied into a sandbox.
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
"""Folder for files and repositories."""

BROWSERS: Final = ("chromium", "firefox-esr")
"""Packages that identify an app as a browser."""


@dataclass(frozen=True)
class Preset:
    """A world for custom tasks.

    Attributes:
        title: Title for people.
        about: Its content in one sentence.
        world: Its ID, or a prefix of it.
    """

    title: str
    about: str
    world: str


PRESETS: Final[Mapping[str, Preset]] = {
    "empty": Preset(
        "An empty desktop", "An empty text editor.", "desk/mousepad/new-file@harbour/light/empty"
    ),
    "home": Preset(
        "A home folder", "An accountant's papers, invoices and downloads.",
        "desk/files/rename-one@accountant/light/home",
    ),
    "photographs": Preset(
        "A folder of photographs", "A photographer's album in a file manager.",
        "desk/files/rename-one@photographer/light/album",
    ),
    "sales": Preset(
        "A spreadsheet of sales", "A year of sales of an outdoor shop, by region and product.",
        "desk/calc/region-total@outdoor-shop/light/sales",
    ),
    "document": Preset(
        "A text document", "A museum's papers in a word processor.",
        "desk/writer/settle-changes@fjord-museum/light/top",
    ),
    "browser": Preset(
        "A browser", "The intranet, news and shop of an office. There is no internet access.",
        "desk/browser/home-page@ines/light/start",
    ),
}  # fmt: skip
"""Worlds for custom tasks, by name."""


@dataclass(frozen=True)
class Things:
    """What is placed in each of the two seats.

    Attributes:
        files: Content by path relative to `PLACE`.
        pages: URLs to open, in order.
    """

    files: Mapping[str, bytes] = field(default_factory=dict)
    pages: tuple[str, ...] = ()


def find_world(name: str, *, own: bool = False, seed: int = 0) -> World:
    """Return the world that a task names, from an installed suite. Folders on this machine are never used.

    Args:
        name: A configuration's ID, or a prefix of it.
        own: Whether it is a custom task: then the scenario needs no proof.
        seed: Seed of the world.
    """
    suite = name.partition("/")[0]
    if suite not in suites():
        raise unknown("suite", suite, suites())
    return resolve(name, seed=seed, unproven=own)


def check_preparation(asked: Preparation, world: World, *, local: bool) -> list[str]:
    """Check whether the requested preparation is possible in this world, before a seat is opened.

    Args:
        asked: The requested preparation.
        world: The world.
        local: Whether a repository may be a folder on this machine.

    Returns:
        Notices for the person.

    Raises:
        InvalidInput: If it is not possible.
    """
    if (asked.files or asked.pages or asked.repository) and not world.app.screen.has_desktop:
        raise InvalidInput(f"{world.app.title} has no desktop to prepare", fix="choose a desktop app")
    if len(asked.files) != len(set(asked.files)):
        raise InvalidInput("a file is listed twice")
    if asked.repository:
        check_address(asked.repository, local=local)
    for page in asked.pages:
        _check_page(page)
    if not asked.pages:
        return []
    if not set(world.app.packages) & set(BROWSERS):
        raise InvalidInput(f"{world.app.title} is not a browser, so it cannot open pages", fix="choose the browser")
    if world.app.network == "none":
        return ["The seats have no network: only pages of the sites inside the seat can be shown."]
    return []


def gather(
    asked: Preparation, uploads: Uploads, owner: str, *, local: bool, stopped: Callable[[], bool] = lambda: False
) -> Things:
    """Fetch what will be placed in both seats, once.

    Raises:
        InvalidInput: If a file is missing, or the repository cannot be fetched.
    """
    files: dict[str, bytes] = {}
    for id_ in asked.files:
        upload = uploads.find(owner, id_)
        files[_free_name(upload.name, files)] = uploads.read(owner, id_)
    if asked.repository:
        folder = _free_name(folder_name(asked.repository), files)
        for path, data in clone(asked.repository, local=local, stopped=stopped).items():
            files[f"{folder}/{path}"] = data
    return Things(files, asked.pages)


def lay_out(seat: Seat, things: Things) -> str:
    """Place it in a seat. Returns a digest of the placed files and of the requested pages.

    Pages are opened with keyboard input, which works in every browser.
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
    # Delete removes the browser's autocompletion, which was not requested.
    keys = (("ctrl", "t"), ("ctrl", "l"), None, ("delete",), ("enter",))
    for pressed in keys:
        seat.screen.act(Key(keys=pressed) if pressed else Type(text=address))
        seat.screen.settle()


def _check_page(address: str) -> None:
    if not is_web_address(address):
        raise InvalidInput(
            f"{address[:100]!r} is not a web address", fix="use an address such as https://example.org/news"
        )


def _free_name(name: str, taken: Mapping[str, object]) -> str:
    """Return the name, with a number if it is already taken."""
    used = {path.partition("/")[0].casefold() for path in taken}
    stem, dot, ending = name.rpartition(".")
    stem, ending = (stem, dot + ending) if stem else (name, "")
    number, free = 2, name
    while free.casefold() in used:
        free, number = f"{stem} ({number}){ending}", number + 1
    return free
