"""Keyboard moves in Mousepad. Dialogs cover the text, so nothing is clicked by name."""

from __future__ import annotations

import re

from fairground.worlds import Enter, Move, Press
from fairground_desk.kit import rest, window

CONVERT = ("lower", "upper", "title", "opposite", "tabs to spaces", "spaces to tabs", "strip", "transpose")
DOCUMENT = ("word wrap", "auto indent", "tab size", "filetype", "line ending", "byte order mark")
LINE_ENDS = ("lf", "cr", "crlf")
TAB_SIZES = (2, 3, 4, 8)
INSERT_SPACES = len(TAB_SIZES) + 1  # position below the sizes and "Other..."
SCHEMES = ("none", "classic", "cobalt", "kate", "oblivion", "solarized-dark", "solarized-light", "tango")


def name_of(path: str) -> str:
    """Return the last part of a path."""
    return path.rpartition("/")[2]


def open_file(path: str, *, not_utf8: bool = False) -> list[Move]:
    """Open a file by path. With `not_utf8`, accept the encoding that Mousepad proposes."""
    moves: list[Move] = [
        Press("Escape"), Press("ctrl+o"), window("^Open File$"), rest(), Enter(path), rest(),
        Press("Return"), window("^Open File$", gone=True),
    ]  # fmt: skip
    if not_utf8:
        moves += [window("^Mousepad$"), rest(), Press("alt+o")]
    return [*moves, window(rf"/{re.escape(name_of(path))} - Mousepad$"), Press("ctrl+Home")]


def save(path: str) -> list[Move]:
    """Save, and wait until the title has lost the asterisk of an unsaved text."""
    return [Press("ctrl+s"), window(rf"^[^*].*/{re.escape(name_of(path))} - Mousepad$")]


def save_as(path: str, *, to_utf8: bool = False) -> list[Move]:
    """Save under a new path. With `to_utf8`, choose UTF-8, which is the entry above the current encoding."""
    moves: list[Move] = [
        Press("ctrl+shift+s"), window("^Save As$"), rest(), Press("Home"), Press("shift+End"), Enter(path),
        rest(),
    ]  # fmt: skip
    if to_utf8:
        # Back from the name to the encodings, one entry up, and on to the save button.
        moves += [*([Press("shift+Tab")] * 4), Press("Up"), *([Press("Tab")] * 3)]
    moves += [Press("Return")]
    done = rf"^[^*].*/{re.escape(name_of(path))} - Mousepad$"
    return [*moves, window("^Save As$", gone=True), window(done)]


def replace_all(old: str, new: str, *, case: bool = True, word: bool = False, regex: bool = False) -> list[Move]:
    """Replace all matches. The dialog's checkboxes follow one another, and all are unchecked at first."""
    moves: list[Move] = [
        Press("ctrl+Home"), Press("ctrl+r"), window("^Find and Replace$"), Press("ctrl+a"), Enter(old), Press("Tab"),
    ]  # fmt: skip
    moves += [Enter(new)] if new else []
    moves += [Press("Tab")] * 3
    for ticked in (case, word, regex, True):
        moves += [Press("space"), Press("Tab")] if ticked else [Press("Tab")]
    return [*moves, rest(), Press("alt+r"), rest(), Press("Escape"),
            window("^Find and Replace$", gone=True)]  # fmt: skip


def go_to(line: int) -> list[Move]:
    """Go to the start of a line, counted from 1."""
    return [Press("ctrl+l"), window("^Go To$"), Press("ctrl+a"), Enter(str(line)), Press("Return"),
            window("^Go To$", gone=True), Press("Home")]  # fmt: skip


def select_lines(line: int, count: int) -> list[Move]:
    """Select whole lines with their line ends."""
    return [*go_to(line), *([Press("shift+Down")] * count)]


def convert(what: str) -> list[Move]:
    """Choose a command of the menu Edit > Convert for the selection."""
    return [Press("alt+e"), Press("r"), *([Press("Down")] * CONVERT.index(what)), Press("Return")]


def document(entry: str, below: int | None = None) -> list[Move]:
    """Choose an entry of the menu Document by position, because open files in the menu may have the same access keys.

    Args:
        entry: Name of the entry.
        below: Position in its submenu, from 0.
    """
    moves: list[Move] = [Press("alt+d"), *([Press("Down")] * DOCUMENT.index(entry))]
    if below is not None:
        moves += [Press("Right"), *([Press("Down")] * below)]
    return [*moves, Press("Return")]


def tab_size(size: int) -> list[Move]:
    """Choose an entry of the menu Document > Tab Size."""
    return document("tab size", TAB_SIZES.index(size))
