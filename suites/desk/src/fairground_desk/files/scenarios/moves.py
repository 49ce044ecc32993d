"""Ways through PCManFM by its keys. What is worked on is chosen by the filter, which shows only what matches."""

from __future__ import annotations

import re

from fairground.worlds import Enter, Move, Press
from fairground_desk.kit import rest, window

_LINK, _PROPERTIES = 9, "alt+Return"  # the place of "Create Link..." in the menu Edit while something is selected
ACCESS = ("nobody", "owner", "group", "anyone")
"""The choices of the page Permissions, in their order."""


def go_to(folder: str) -> list[Move]:
    """Shows a folder."""
    name = re.escape(folder.rpartition("/")[2])
    return [Press("Escape"), Press("ctrl+l"), Press("ctrl+a"), Enter(folder), Press("Return"),
            window(rf"^{name}( \[.*\])?$"), rest()]  # fmt: skip


def show(pattern: str) -> list[Move]:
    """Shows only what matches a pattern; `*` for everything."""
    return [Press("ctrl+e"), window("^Select filter$"), Press("ctrl+a"), Enter(pattern), Press("Return"),
            window("^Select filter$", gone=True), rest()]  # fmt: skip


def pick(folder: str, pattern: str) -> list[Move]:
    """Selects everything in a folder that matches a pattern."""
    return [*go_to(folder), *show(pattern), Press("ctrl+a")]


def literal(name: str) -> str:
    """A pattern that only this name matches."""
    return re.sub(r"([*?\[\]])", r"[\1]", name)


def pick_one(path: str) -> list[Move]:
    """Selects a single file or folder."""
    folder, _, name = path.rpartition("/")
    return pick(folder, literal(name))


def new_folder(name: str) -> list[Move]:
    """Makes a folder in the one that is shown."""
    return _named("ctrl+shift+n", "^Creating New Folder$", name)


def new_file(name: str) -> list[Move]:
    """Makes an empty file in the folder that is shown."""
    return _named("ctrl+alt+n", "^Creating ", name)


def rename(name: str) -> list[Move]:
    """Gives what is selected another name."""
    return _named("F2", "^Rename ", name)


def move_to(folder: str) -> list[Move]:
    """Cuts what is selected, and pastes it into a folder."""
    return [Press("ctrl+x"), *go_to(folder), Press("ctrl+v"), rest()]


def copy_to(folder: str) -> list[Move]:
    """Copies what is selected into a folder."""
    return [Press("ctrl+c"), *go_to(folder), Press("ctrl+v"), rest()]


def to_trash() -> list[Move]:
    """Throws away what is selected."""
    return [Press("Delete"), window("^Confirm$"), Press("alt+y"), window("^Confirm$", gone=True), rest()]


def erase() -> list[Move]:
    """Deletes what is selected for good."""
    return [Press("shift+Delete"), window("^Confirm$"), Press("alt+y"), window("^Confirm$", gone=True), rest()]


def link_in(folder: str) -> list[Move]:
    """Makes a link to what is selected in a folder; what the dialog completes by itself is deleted again."""
    moves: list[Move] = [Press("alt+e"), *([Press("Down")] * _LINK), Press("Return"), window("^Select Folder$")]
    moves += [rest(), Press("ctrl+a"), Enter(folder), rest(), Press("Delete"), rest()]
    return [*moves, Press("Return"), window("^Select Folder$", gone=True), rest()]


def permissions(*steps: int) -> list[Move]:
    """Changes who may see, change and execute what is selected: by how many choices each goes down, or up."""
    moves: list[Move] = [Press(_PROPERTIES), window("^File Properties$"), rest(), Press("Right")]
    for step in steps:
        moves += [Press("Tab"), *([Press("Down" if step > 0 else "Up")] * abs(step))]
    return [*moves, Press("alt+o"), window("^File Properties$", gone=True), rest()]


def bookmark(label: str) -> list[Move]:
    """Adds the folder that is shown to the bookmarks."""
    return _named("ctrl+d", "^Add to Bookmarks$", label)


def _named(keys: str, title: str, name: str) -> list[Move]:
    return [Press(keys), window(title), Press("ctrl+a"), Enter(name), Press("Return"), window(title, gone=True),
            rest()]  # fmt: skip
