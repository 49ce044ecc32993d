"""Readers of what the browser exports: a bookmarks file, and a page saved as HTML."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape
from html.parser import HTMLParser
from typing import Final, TypeAlias
from urllib.parse import urljoin

from fairground.core import StateError
from fairground.verify.reading.chromium import Bookmark, Bookmarks
from fairground.verify.reading.textfile import read_text

MAX_BYTES: Final = 4_000_000
_WHAT: Final = "file of bookmarks"
_HEAD: Final = (
    "<!DOCTYPE NETSCAPE-Bookmark-file-1>",
    "<!-- This is an automatically generated file.",
    "     It will be read and overwritten.",
    "     DO NOT EDIT! -->",
    '<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">',
    "<TITLE>Bookmarks</TITLE>",
    "<H1>Bookmarks</H1>",
    "<DL><p>",
)
_FOLDER: Final = re.compile(
    r'<DT><H3 ADD_DATE="(\d{1,15})" LAST_MODIFIED="\d{1,15}"( PERSONAL_TOOLBAR_FOLDER="true")?>([^<>]*)</H3>'
)
_LINK: Final = re.compile(
    r'<DT><A HREF="([^"<>]*)" ADD_DATE="(\d{1,15})"(?: ICON="data:image/[a-z]+;base64,[\w+/=]+")?>([^<>]*)</A>'
)
_URLS: Final = ("href", "src", "action")

Markup: TypeAlias = tuple[tuple[str, ...], ...]
"""Tags, texts and comments of a page, in order."""


@dataclass(frozen=True)
class Exported:
    """A line of an exported bookmarks file.

    Attributes:
        depth: Number of folders around it.
        url: Empty for a folder.
        added: Seconds since 1970.
        bar: Whether it is the folder of the bookmarks bar.
    """

    depth: int
    title: str
    url: str
    added: int
    bar: bool = False


def read_exported(data: bytes) -> tuple[Exported, ...]:
    """Read an exported bookmarks file. Every line must be as the browser writes it.

    Raises:
        StateError: A line is not one that the browser would write there.
    """
    lines = list(read_text(data[: MAX_BYTES + 1], what=_WHAT).lines)
    if len(data) > MAX_BYTES or tuple(lines[: len(_HEAD)]) != _HEAD:
        raise StateError(f"{_WHAT}: it does not begin as the browser's does; found {lines[:1]!r:.80}")
    entries: list[Exported] = []
    depth, opens = 1, False
    for number, line in enumerate(lines[len(_HEAD) :], len(_HEAD) + 1):
        bare = line.lstrip(" ")
        closes = bare == "</DL><p>"
        depth -= closes
        if depth < 0 or len(line) - len(bare) != 4 * depth or opens != (bare == "<DL><p>"):
            raise StateError(f"{_WHAT}: line {number} is not at its place: {line!r:.80}")
        if opens:
            depth, opens = depth + 1, False
        elif folder := _FOLDER.fullmatch(bare):
            entries.append(Exported(depth - 1, unescape(folder[3]), "", int(folder[1]), bool(folder[2])))
            opens = True
        elif link := _LINK.fullmatch(bare):
            entries.append(Exported(depth - 1, unescape(link[3]), unescape(link[1]), int(link[2])))
        elif not closes:
            raise StateError(f"{_WHAT}: line {number} is none that the browser writes: {line!r:.80}")
    if depth or opens:
        raise StateError(f"{_WHAT}: it ends before its folders do")
    return tuple(entries)


def exported_of(marks: Bookmarks) -> tuple[Exported, ...]:
    """Return what the browser exports for these bookmarks: the bar as a folder, then all others beside it."""
    entries = [Exported(0, marks.bar.title, "", _seconds(marks.bar), bar=True)]
    stack = [(0, mark) for mark in reversed((*marks.other.children, *marks.mobile.children))]
    stack += [(1, mark) for mark in reversed(marks.bar.children)]
    while stack:
        depth, mark = stack.pop()
        entries.append(Exported(depth, mark.title, mark.url, _seconds(mark)))
        stack += [(depth + 1, child) for child in reversed(mark.children)]
    return tuple(entries)


def saved_markup(html: str, url: str) -> Markup:
    """Return what the browser saves of a served page: a comment with its address, absolute links, and its encoding."""
    tokens: list[tuple[str, ...]] = []
    for token in markup(html):
        kind, *facts = token
        if token == ("<meta>", "charset=utf-8"):
            facts = ["content=text/html; charset=UTF-8", "http-equiv=Content-Type"]
        elif kind.startswith("<"):
            facts = [_absolute(fact, url) for fact in facts]
        tokens.append((kind, *facts))
        if kind == "declaration":
            tokens += [("text", "\n"), ("comment", f" saved from url=({len(url):04}){url} "), ("text", "\n")]
    return tuple(tokens)


def markup(html: str) -> Markup:
    """Return every tag with its attributes, every text and every comment, in order.

    Raises:
        StateError: The page is too long.
    """
    if len(html) > MAX_BYTES:
        raise StateError(f"page: {len(html)} characters, expected at most {MAX_BYTES}")
    reader = _Reader(convert_charrefs=True)
    reader.feed(html)
    reader.close()
    return tuple(reader.found)


def shown_text(html: str) -> str:
    """Return the visible text of a page without whitespace. Contents of text fields and lists are left out."""
    silent, parts = 0, []
    for kind, *facts in markup(html):
        name = kind.strip("</>")
        if name in _SILENT:
            silent += -1 if kind.startswith("</") else 1
        elif kind == "text" and not silent:
            parts.append(facts[0])
    return "".join("".join(parts).split())


def links(html: str, url: str) -> set[str]:
    """Return the addresses that a page links to."""
    attributes = [fact for kind, *facts in markup(html) if kind == "<a>" for fact in facts]
    return {urljoin(url, attribute.removeprefix("href=")) for attribute in attributes if attribute.startswith("href=")}


_SILENT: Final = ("head", "style", "script", "select", "textarea")


class _Reader(HTMLParser):
    def __init__(self, *, convert_charrefs: bool) -> None:
        super().__init__(convert_charrefs=convert_charrefs)
        self.found: list[tuple[str, ...]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((f"<{tag}>", *sorted(f"{name}={value or ''}" for name, value in attrs)))

    def handle_endtag(self, tag: str) -> None:
        self.found.append((f"</{tag}>",))

    def handle_data(self, data: str) -> None:
        if self.found and self.found[-1][0] == "text":
            data = self.found.pop()[1] + data
        self.found.append(("text", data))

    def handle_comment(self, data: str) -> None:
        self.found.append(("comment", data))

    def handle_decl(self, decl: str) -> None:
        self.found.append(("declaration", decl.lower()))

    def handle_pi(self, data: str) -> None:
        self.found.append(("instruction", data))

    def unknown_decl(self, data: str) -> None:
        self.found.append(("section", data))


def _absolute(attribute: str, url: str) -> str:
    name, _, value = attribute.partition("=")
    return f"{name}={urljoin(url, value)}" if name in _URLS else attribute


def _seconds(mark: Bookmark) -> int:
    return int(mark.added.timestamp()) if mark.added else 0
