"""Keyboard moves in PCManFM. Files are selected with the filter, which shows only the matching ones."""

from __future__ import annotations

import re

from fairground.worlds import Enter, Move, Press
from fairground_desk.kit import rest, window

_LINK, _PROPERTIES = 9, "alt+Return"  # position of "Create Link..." in the menu Edit while something is selected
ACCESS = ("nobody", "owner", "group", "anyone")
"""The choices of the Permissions page, in order."""


def go_to(folder: str) -> list[Move]:
    """Open a folder."""
    name = re.escape(folder.rpartition("/")[2])
    return [Press("Escape"), Press("ctrl+l"), Press("ctrl+a"), Enter(folder), Press("Return"),
            window(rf"^{name}( \[.*\])?$"), rest()]  # fmt: skip


def show(pattern: str) -> list[Move]:
    """Show only files that match a pattern; `*` shows all."""
    return [Press("ctrl+e"), window("^Select filter$"), Press("ctrl+a"), Enter(pattern), Press("Return"),
            window("^Select filter$", gone=True), rest()]  # fmt: skip


def pick(folder: str, pattern: str) -> list[Move]:
    """Select everything in a folder that matches a pattern."""
    return [*go_to(folder), *show(pattern), Press("ctrl+a")]


def literal(name: str) -> str:
    """Return a pattern that matches only this name."""
    return re.sub(r"([*?\[\]])", r"[\1]", name)


def pick_one(path: str) -> list[Move]:
    """Select a single file or folder."""
    folder, _, name = path.rpartition("/")
    return pick(folder, literal(name))


def new_folder(name: str) -> list[Move]:
    """Create a folder in the current one."""
    return _named("ctrl+shift+n", "^Creating New Folder$", name)


def new_file(name: str) -> list[Move]:
    """Create an empty file in the current folder."""
    return _named("ctrl+alt+n", "^Creating ", name)


def rename(name: str) -> list[Move]:
    """Rename the selection."""
    return _named("F2", "^Rename ", name)


def move_to(folder: str) -> list[Move]:
    """Cut the selection, and paste it into a folder."""
    return [Press("ctrl+x"), *go_to(folder), Press("ctrl+v"), rest()]


def copy_to(folder: str) -> list[Move]:
    """Copy the selection into a folder."""
    return [Press("ctrl+c"), *go_to(folder), Press("ctrl+v"), rest()]


def to_trash() -> list[Move]:
    """Move the selection to the trash."""
    return [Press("Delete"), window("^Confirm$"), Press("alt+y"), window("^Confirm$", gone=True), rest()]


def erase() -> list[Move]:
    """Delete the selection permanently."""
    return [Press("shift+Delete"), window("^Confirm$"), Press("alt+y"), window("^Confirm$", gone=True), rest()]


def link_in(folder: str) -> list[Move]:
    """Create a link to the selection in a folder. The text that the dialog completes is deleted."""
    moves: list[Move] = [Press("alt+e"), *([Press("Down")] * _LINK), Press("Return"), window("^Select Folder$")]
    moves += [rest(), Press("ctrl+a"), Enter(folder), rest(), Press("Delete"), rest()]
    return [*moves, Press("Return"), window("^Select Folder$", gone=True), rest()]


def permissions(*steps: int) -> list[Move]:
    """Change who may read, write and execute the selection: each step moves a choice down, or up if negative."""
    moves: list[Move] = [Press(_PROPERTIES), window("^File Properties$"), rest(), Press("Right")]
    for step in steps:
        moves += [Press("Tab"), *([Press("Down" if step > 0 else "Up")] * abs(step))]
    return [*moves, Press("alt+o"), window("^File Properties$", gone=True), rest()]


def bookmark(label: str) -> list[Move]:
    """Bookmark the current folder."""
    return _named("ctrl+d", "^Add to Bookmarks$", label)


def _named(keys: str, title: str, name: str) -> list[Move]:
    return [Press(keys), window(title), Press("ctrl+a"), Enter(name), Press("Return"), window(title, gone=True),
            rest()]  # fmt: skip
