"""What can be asked about folders, and about PCManFM."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any

from fairground.core import Check, State, StateError
from fairground.verify import equal, holds
from fairground.verify.reading.filetree import Trashed, read_trash
from fairground.verify.reading.keyfile import read_keyfile
from fairground.verify.reading.settings import FolderBookmark, read_folder_bookmarks
from fairground.verify.reading.textfile import read_text
from fairground.worlds import Inspector
from fairground_desk.files.homes import FOLDERS

PCMANFM = "~/.config/pcmanfm/default/pcmanfm.conf"
LIBFM = "~/.config/libfm/libfm.conf"
BOOKMARKS = "~/.gtk-bookmarks"
TRASH = "~/.local/share/Trash"
_RECORDED = tuple(f"{folder}/" for folder in (*FOLDERS, TRASH))

FILES = Inspector(
    "files",
    channels={
        "files": "every file in the user's folders and in the trash, to the byte; links are listed, never followed",
        "modes": "permissions and link targets, by `find` in the seat, while it still runs",
        "settings": f"`{PCMANFM}` and `{LIBFM}`; `{BOOKMARKS}`",
        "trash": f"`{TRASH}`: what was thrown away, with the notes of where it was",
        "live": "windows and, by accessibility (AT-SPI), the folder in front and its status bar",
    },
)


def kinds(state: State) -> dict[str, str]:
    """Every entry of the recorded folders: path to `file`, `folder`, `link` or `other`."""
    listed = {entry["path"]: entry["kind"] for entry in state.get("files")}
    # A file that was recorded is there, whatever the list says.
    return listed | {path: "file" for path in state.files if path not in listed and path.startswith(_RECORDED)}


def modes_of(state: State) -> Mapping[str, Mapping[str, str]]:
    """Permissions and link targets by path."""
    modes: Mapping[str, Mapping[str, str]] = state.get("modes")
    return modes


def trash_of(state: State) -> dict[str, Trashed]:
    """What was thrown away and is still there, by the path it had."""
    infos = {path: content for path, content in state.files.items() if path.startswith(f"{TRASH}/info/")}
    there = kinds(state)
    return {
        _shortened(state, entry.path): entry for entry in read_trash(infos) if f"{TRASH}/files/{entry.name}" in there
    }


def bookmarks_of(state: State) -> tuple[FolderBookmark, ...]:
    """The bookmarks, in order."""
    return read_folder_bookmarks(state.file(BOOKMARKS))


def settings_of(state: State) -> dict[str, str]:
    """Every setting, by group and name, of the program and of its library."""
    settings: dict[str, str] = {}
    for path in (LIBFM, PCMANFM):
        for group, keys in read_keyfile(state.file(path), what=path).groups.items():
            settings |= {f"{group}/{key}": value for key, value in keys.items()}
    return settings


@FILES.query("structure")
def tree(state: State, folder: str, deep: bool = True) -> dict[str, str]:
    """What is in a folder: path to kind.

    Args:
        folder: Such as `~/Documents`.
        deep: Whether folders in it are looked into.
    """
    inside = {path: kind for path, kind in kinds(state).items() if path.startswith(f"{folder}/")}
    if not inside and folder not in kinds(state) and folder in state.missing:
        raise StateError(f"{folder}: {state.missing[folder]}")
    return inside if deep else {path: kind for path, kind in inside.items() if "/" not in path[len(folder) + 1 :]}


@FILES.query("files")
def find(state: State, pattern: str) -> list[str]:
    """Paths that match a pattern.

    Args:
        pattern: With `*` for any letters, such as `~/Downloads/*.pdf`.
    """
    return [path for path in kinds(state) if fnmatchcase(path, pattern)]


@FILES.check("files")
def check_kind(state: State, path: str, kind: str = "file") -> Check:
    """Whether there is such an entry, of this kind.

    Args:
        path: Of the entry.
        kind: `file`, `folder`, `link`; or `nothing`.
    """
    return equal(f"{path} is a {kind}", kind, kinds(state).get(path, "nothing"))


@FILES.query("content")
def digest(state: State, path: str) -> str:
    """SHA-256 of a file's content.

    Args:
        path: Of the file.
    """
    return hashlib.sha256(state.file(path)).hexdigest()


@FILES.query("content")
def text(state: State, path: str) -> list[str]:
    """The lines of a text file.

    Args:
        path: Of the file.
    """
    return list(read_text(state.file(path), what=path).lines)


@FILES.query("content")
def duplicates(state: State, folder: str) -> list[list[str]]:
    """Files in and below a folder that have the same content, in groups.

    Args:
        folder: Such as `~/Downloads`.
    """
    groups: dict[bytes, list[str]] = {}
    for path in sorted(state.files):
        if path.startswith(f"{folder}/"):
            groups.setdefault(state.files[path], []).append(path)
    return [group for group in groups.values() if len(group) > 1]


@FILES.query("metadata")
def sizes(state: State, folder: str) -> dict[str, int]:
    """Bytes of every file directly in a folder.

    Args:
        folder: Such as `~/Downloads`.
    """
    inside = tree(state, folder, deep=False)
    return {
        entry["path"]: entry["size"]
        for entry in state.get("files")
        if entry["path"] in inside and entry["kind"] == "file"
    }


@FILES.query("metadata")
def mode(state: State, path: str) -> str:
    """Permission bits of a file or folder, such as `644`.

    Args:
        path: Of the entry.
    """
    if path not in modes_of(state):
        raise StateError(f"{path}: its permissions were not recorded")
    return modes_of(state)[path]["mode"]


@FILES.check("metadata")
def check_mode(state: State, path: str, expected: str) -> Check:
    """Whether a file or folder has these permissions.

    Args:
        path: Of the entry.
        expected: Such as `600`.
    """
    return equal(f"permissions of {path}", expected, modes_of(state).get(path, {}).get("mode"))


@FILES.query("metadata")
def link(state: State, path: str) -> str:
    """Where a symbolic link leads, not followed.

    Args:
        path: Of the link.
    """
    if kinds(state).get(path) != "link":
        raise StateError(f"{path}: {kinds(state).get(path, 'nothing')}, expected a link")
    return modes_of(state)[path]["target"]


@FILES.query("history")
def trash(state: State) -> dict[str, str]:
    """What is in the trash: the path that it had, to its name there."""
    return {path: entry.name for path, entry in trash_of(state).items()}


@FILES.check("history")
def check_trashed(state: State, path: str) -> Check:
    """Whether something was moved to the trash, and not simply deleted.

    Args:
        path: Where it was.
    """
    gone = path not in kinds(state)
    facts = {"gone": gone, "in the trash": path in trash_of(state)}
    return holds(f"{path} is in the trash", all(facts.values()), expected="gone, and in the trash", found=facts)


@FILES.query("settings")
def bookmarks(state: State) -> list[dict[str, str]]:
    """The bookmarks of the side pane, in order: folder and label."""
    return [{"path": _shortened(state, mark.path), "label": mark.label} for mark in bookmarks_of(state)]


@FILES.query("settings")
def settings(state: State) -> dict[str, str]:
    """All settings of PCManFM and of its library, by group and name."""
    return settings_of(state)


@FILES.check("settings")
def check_setting(state: State, name: str, expected: str) -> Check:
    """Whether a setting has this value.

    Args:
        name: Group and name, such as `ui/show_hidden`.
        expected: As it is written, such as `1`.
    """
    return equal(f"setting {name}", expected, settings_of(state).get(name))


@FILES.query("live")
def location(state: State) -> dict[str, Any]:
    """The windows, the folder in front, and what the status bar says of it."""
    live: dict[str, Any] = state.get("live")
    return live


def _shortened(state: State, path: str) -> str:
    """With `~` for the home folder of whoever sits there, and of nobody else."""
    home = str(state.get("home"))
    return f"~{path[len(home) :]}" if path == home or path.startswith(f"{home}/") else path
