"""The meaning of a file of any kind: its content as leaves, so that two files can be compared by meaning.

Saving a document twice gives different bytes and the same leaves.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from pathlib import PurePosixPath
from typing import Any, TypeAlias

from fairground.core import StateError
from fairground.verify.reading.kept import kept
from fairground.verify.reading.workbook import Cell, Workbook, address

Leaves: TypeAlias = dict[str, object]

_ROOM = "fairground.verify.reading"
# The reader of each kind, and the function that flattens its result. Given as names, not imported: a proof about text
# files needs no picture library.
_WORKBOOK = "meaning:workbook_leaves"
_DOCUMENT = "document:document_leaves"
_DECK = "slides:deck_leaves"
_READERS: dict[str, tuple[str, str]] = {
    "text": ("textfile:read_text", "textfile:leaves"),
    "json": ("jsonfile:read_json", "jsonfile:flat_json"),
    "database": ("sqlite:read_database", "sqlite:leaves"),
    "picture": ("picture:read_picture", "picture:picture_leaves"),
    "dconf": ("dconf:read_dconf", "dconf:leaves"),
    ".ods": ("ods:read_ods", _WORKBOOK),
    ".xlsx": ("xlsx:read_xlsx", _WORKBOOK),
    ".odt": ("odt:read_odt", _DOCUMENT),
    ".docx": ("docx:read_docx", _DOCUMENT),
    ".odp": ("odp:read_odp", _DECK),
    ".pptx": ("pptx:read_pptx", _DECK),
    ".svg": ("svg:read_svg", "svg:drawing_leaves"),
    ".xcf": ("xcf:read_xcf", "xcf:xcf_leaves"),
    ".pdf": ("pdf:read_pdf", "pdf:leaves"),
    "registrymodifications.xcu": ("xmlsettings:read_registry", "xmlsettings:registry_leaves"),
    "recently-used.xbel": ("xmlsettings:read_recent_files", "xmlsettings:recent_leaves"),
    "Bookmarks": ("chromium_bookmarks:read_bookmarks", "chromium_bookmarks:leaves"),
    "Preferences": ("chromium_preferences:read_preferences", "chromium_preferences:preferences_leaves"),
    "Local State": ("chromium_preferences:read_local_state", "chromium_preferences:local_state_leaves"),
    "History": ("chromium_history:read_history", "chromium_history:history_leaves"),
    "Web Data": ("chromium_history:read_web_data", "chromium_history:web_data_leaves"),
}
_PLAIN = ("text", "json", "database", "picture", "dconf")
_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"SQLite format 3\0", "database"),
    (b"gimp xcf", ".xcf"),
    (b"%PDF-", ".pdf"),
    (b"GVariant", "dconf"),
    (b"\x89PNG\r\n", "picture"),
    (b"\xff\xd8\xff", "picture"),
    (b"GIF8", "picture"),
    (b"II*\0", "picture"),
    (b"MM\0*", "picture"),
)
_SUFFIXES = {
    **dict.fromkeys((".jpg", ".jpeg", ".png", ".gif", ".bmp", ".tif", ".tiff", ".webp"), "picture"),
    **dict.fromkeys((".txt", ".md", ".csv", ".tsv", ".log"), "text"),
    **{".json": "json", ".db": "database", ".sqlite": "database"},
}


def file_leaves(path: str, content: bytes) -> Leaves | None:
    """Return a file's leaves by path, such as `Summary!B3.formula`; None for an unknown kind.

    Raises:
        StateError: It has a known kind by its name or first bytes, but cannot be read as that.
    """
    kind = file_kind(path, content)
    if kind is None:
        return None
    read, flat = (_find(name) for name in _READERS[kind])
    result: Leaves = flat(read(content))
    return result


def file_kind(path: str, content: bytes) -> str | None:
    """Return the kind of a file by its name, or else by its first bytes; None for an unknown kind."""
    name = PurePosixPath(path)
    suffix = name.suffix.lower()
    if name.name in _READERS and name.name not in _PLAIN:
        return name.name
    for magic, kind in _MAGIC:
        if content.startswith(magic):
            return kind
    if suffix in _READERS or suffix in _SUFFIXES:
        return _SUFFIXES.get(suffix, suffix)
    if content.startswith(b"PK\3\4"):
        return _office_kind(content)
    if content.lstrip()[:1] in (b"{", b"[") and _can("json", content):
        return "json"
    return "text" if _can("text", content) else None


@kept
def workbook_leaves(book: Workbook) -> Leaves:
    """Content and look of a workbook's cells, by path such as `Sales!B3.value`, then the properties of the sheets.

    The displayed text of a cell is left out: it follows from its value and format, and differs between programs.
    """
    result: Leaves = {"sheets": book.names}
    for fact in fields(book):
        if fact.name != "sheets":
            result.update(_flat(fact.name, getattr(book, fact.name)))
    plain = vars(Cell())
    for sheet in book.sheets:
        for (row, column), cell in sheet.cells.items():
            place = f"{sheet.name}!{address(row, column)}"
            for name, value in vars(cell).items():
                if value != plain[name] and name != "text":
                    if name == "format":
                        result.update(_flat(f"{place}.{name}", value))
                    else:
                        result[f"{place}.{name}"] = value
        for fact in fields(sheet):
            if fact.name not in ("name", "cells"):
                result.update(_flat(f"{sheet.name}!.{fact.name}", getattr(sheet, fact.name)))
    return result


def _flat(place: str, value: object) -> Iterator[tuple[str, object]]:
    if is_dataclass(value):
        for part in fields(value):
            yield from _flat(f"{place}.{part.name}", getattr(value, part.name))
    elif isinstance(value, tuple) and value and is_dataclass(value[0]):
        for number, entry in enumerate(value):
            yield from _flat(f"{place}[{number}]", entry)
    else:
        yield place, value


def _office_kind(content: bytes) -> str | None:
    """The kind of an office document by the content of its container, for files without a known extension."""
    head = content[:200]
    for subtype, kind in ((b".spreadsheet", ".ods"), (b".text", ".odt"), (b".presentation", ".odp")):
        if b"mimetypeapplication/vnd.oasis.opendocument" + subtype in head:
            return kind
    for part, kind in ((b"xl/workbook.xml", ".xlsx"), (b"word/document.xml", ".docx"), (b"ppt/slides/", ".pptx")):
        if part in content[-65_536:]:
            return kind
    return None


def _can(kind: str, content: bytes) -> bool:
    try:
        _find(_READERS[kind][0])(content)
    except StateError:
        return False
    return True


def _find(name: str) -> Callable[..., Any]:
    module, _, attribute = name.partition(":")
    function: Callable[..., Any] = getattr(importlib.import_module(f"{_ROOM}.{module}"), attribute)
    return function
