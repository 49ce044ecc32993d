"""What a file means, whatever its kind: its content as leaves by place, so that two files can be compared by meaning.

A document that a program saves twice has other bytes and the same leaves.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from pathlib import PurePosixPath
from typing import Any, TypeAlias

from fairground.core import StateError
from fairground.verify.reading.workbook import Cell, Workbook, address

Leaves: TypeAlias = dict[str, object]

_ROOM = "fairground.verify.reading"
# Which reader, and how what it returns is laid out flat. Named, not imported: a proof about text files needs no picture
# library.
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
    """What a file means, as leaves by place, such as `Summary!B3.formula`; None for a kind that nobody reads.

    Raises:
        StateError: By its name or first bytes it is of a kind that is known, and it cannot be read as that.
    """
    kind = file_kind(path, content)
    if kind is None:
        return None
    read, flat = (_find(name) for name in _READERS[kind])
    found: Leaves = flat(read(content))
    return found


def file_kind(path: str, content: bytes) -> str | None:
    """The kind of a file by its name, or else by its first bytes; None for one that nobody reads."""
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


def workbook_leaves(book: Workbook) -> Leaves:
    """What a workbook's cells hold and how they look, by a place such as `Sales!B3.value`; then the sheets' own facts.

    What a cell shows is left out: it follows from its value and format, and programs word it in their own ways.
    """
    found: Leaves = {"sheets": book.names}
    for fact in fields(book):
        if fact.name != "sheets":
            found.update(_flat(fact.name, getattr(book, fact.name)))
    plain = Cell()
    defaults = {one.name: getattr(plain, one.name) for one in fields(Cell) if one.name != "text"}
    for sheet in book.sheets:
        for (row, column), cell in sheet.cells.items():
            place = f"{sheet.name}!{address(row, column)}"
            for name, default in defaults.items():
                if (value := getattr(cell, name)) != default:
                    found.update(_flat(f"{place}.{name}", value))
        for fact in fields(sheet):
            if fact.name not in ("name", "cells"):
                found.update(_flat(f"{sheet.name}!.{fact.name}", getattr(sheet, fact.name)))
    return found


def _flat(place: str, value: object) -> Iterator[tuple[str, object]]:
    if is_dataclass(value):
        for one in fields(value):
            yield from _flat(f"{place}.{one.name}", getattr(value, one.name))
    elif isinstance(value, tuple) and value and is_dataclass(value[0]):
        for number, entry in enumerate(value):
            yield from _flat(f"{place}[{number}]", entry)
    else:
        yield place, value


def _office_kind(content: bytes) -> str | None:
    """An office document's kind by what is in its container, for a name that says nothing."""
    head = content[:200]
    for said, kind in ((b".spreadsheet", ".ods"), (b".text", ".odt"), (b".presentation", ".odp")):
        if b"mimetypeapplication/vnd.oasis.opendocument" + said in head:
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
    found: Callable[..., Any] = getattr(importlib.import_module(f"{_ROOM}.{module}"), attribute)
    return found
