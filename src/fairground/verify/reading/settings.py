"""Readers of settings in the formats of various programs.

| file | reader |
| --- | --- |
| INI-like (GTK `settings.ini`, PCManFM, LXDE, `.desktop`) | `read_keyfile` |
| GIMP (`gimprc`, `toolrc`, `sessionrc`, ...) | `read_sexpressions`, `setting` |
| LibreOffice (`registrymodifications.xcu`) | `read_registry` |
| Inkscape (`preferences.xml`) | `read_inkscape_preferences` |
| Openbox (`rc.xml`) and other XML | `read_xml_settings` |
| recently used files (`recently-used.xbel`) | `read_recent_files` |
| folders in a file chooser's side bar (`gtk-3.0/bookmarks`) | `read_folder_bookmarks` |
| dconf (`~/.config/dconf/user`) | `read_dconf` |
| JSON | `read_json`, `flat_json` |
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fairground.core import StateError
from fairground.verify.reading.dconf import leaves as dconf_leaves
from fairground.verify.reading.dconf import read_dconf
from fairground.verify.reading.gvariant import Variant
from fairground.verify.reading.jsonfile import flat_json, read_json
from fairground.verify.reading.keyfile import KeyFile, read_keyfile
from fairground.verify.reading.keyfile import leaves as keyfile_leaves
from fairground.verify.reading.sexpressions import Expression, Symbol, read_sexpressions, setting
from fairground.verify.reading.sexpressions import leaves as sexpression_leaves
from fairground.verify.reading.xmlsettings import (
    RecentFile,
    file_path,
    read_inkscape_preferences,
    read_recent_files,
    read_registry,
    read_xml_settings,
    recent_leaves,
    registry_leaves,
)

__all__ = [
    "Expression",
    "FolderBookmark",
    "KeyFile",
    "RecentFile",
    "Symbol",
    "Variant",
    "dconf_leaves",
    "file_path",
    "flat_json",
    "keyfile_leaves",
    "leaves",
    "read_dconf",
    "read_folder_bookmarks",
    "read_inkscape_preferences",
    "read_json",
    "read_keyfile",
    "read_recent_files",
    "read_registry",
    "read_sexpressions",
    "read_xml_settings",
    "recent_leaves",
    "registry_leaves",
    "setting",
    "sexpression_leaves",
]

MAX_BOOKMARKS = 10_000

_WINDOWS = ("/desktop/geometry/", "/dialogs/")  # window positions of Inkscape, which it writes by itself


@dataclass(frozen=True)
class FolderBookmark:
    """A folder in the side bar of file choosers and file managers."""

    uri: str
    path: str
    label: str


def read_folder_bookmarks(data: bytes) -> tuple[FolderBookmark, ...]:
    """Read GTK's `bookmarks` file: a URI per line, optionally followed by a space and a label."""
    what = "bookmarks (GTK)"
    lines = data[: MAX_BOOKMARKS * 1000].split(b"\n")
    if len(data) > MAX_BOOKMARKS * 1000 or len(lines) > MAX_BOOKMARKS:
        raise StateError(f"{what}: more than {MAX_BOOKMARKS} lines, or over the limit of size")
    bookmarks = []
    for line in lines:
        try:
            uri, _, label = line.decode().partition(" ")
        except UnicodeDecodeError as error:
            raise StateError(f"{what}: not UTF-8: {error}") from None
        if uri:
            bookmarks.append(FolderBookmark(uri, file_path(uri), label))
    return tuple(bookmarks)


def leaves(settings: Any) -> dict[str, object]:
    """The result of any of these readers, flattened; without what programs change in the registry and recent files."""
    if isinstance(settings, KeyFile):
        return keyfile_leaves(settings)
    if isinstance(settings, tuple):
        if all(isinstance(part, RecentFile) for part in settings):
            return recent_leaves(settings)
        if all(isinstance(part, FolderBookmark) for part in settings):
            return {f"bookmark[{number}].{mark.uri}": mark.label for number, mark in enumerate(settings)}
        return sexpression_leaves(settings)
    if isinstance(settings, Mapping) and settings and all(key.startswith("/org.openoffice.") for key in settings):
        return registry_leaves(settings)
    if isinstance(settings, Mapping) and all(isinstance(key, str) and key.startswith("/") for key in settings):
        return {key: value for key, value in dconf_leaves(dict(settings)).items() if not key.startswith(_WINDOWS)}
    return flat_json(settings)
