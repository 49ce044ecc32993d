"""Reading what the browser writes for people to take along: its file of bookmarks, and a page saved as HTML."""

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
"""Tags, texts and comments of a page in their order."""


@dataclass(frozen=True)
class Exported:
    """A line of an exported file of bookmarks.

    Attributes:
        depth: How many folders it is in.
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
    """Reads a file of bookmarks, which must be as the browser writes it, line by line.

    Raises:
        StateError: A line is not one that the browser writes at its place.
    """
    lines = list(read_text(data[: MAX_BYTES + 1], what=_WHAT).lines)
    if len(data) > MAX_BYTES or tuple(lines[: len(_HEAD)]) != _HEAD:
        raise StateError(f"{_WHAT}: it does not begin as the browser's does; found {lines[:1]!r:.80}")
    found: list[Exported] = []
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
            found.append(Exported(depth - 1, unescape(folder[3]), "", int(folder[1]), bool(folder[2])))
            opens = True
        elif link := _LINK.fullmatch(bare):
            found.append(Exported(depth - 1, unescape(link[3]), unescape(link[1]), int(link[2])))
        elif not closes:
            raise StateError(f"{_WHAT}: line {number} is none that the browser writes: {line!r:.80}")
    if depth or opens:
        raise StateError(f"{_WHAT}: it ends before its folders do")
    return tuple(found)


def exported_of(marks: Bookmarks) -> tuple[Exported, ...]:
    """What the browser writes for these bookmarks: the bar as a folder, then all others beside it."""
    found = [Exported(0, marks.bar.title, "", _seconds(marks.bar), bar=True)]
    stack = [(0, mark) for mark in reversed((*marks.other.children, *marks.mobile.children))]
    stack += [(1, mark) for mark in reversed(marks.bar.children)]
    while stack:
        depth, mark = stack.pop()
        found.append(Exported(depth, mark.title, mark.url, _seconds(mark)))
        stack += [(depth + 1, child) for child in reversed(mark.children)]
    return tuple(found)


def saved_markup(html: str, url: str) -> Markup:
    """What the browser saves of a page that is served: where it is from, addresses in full, its encoding in words."""
    found: list[tuple[str, ...]] = []
    for token in markup(html):
        kind, *told = token
        if token == ("<meta>", "charset=utf-8"):
            told = ["content=text/html; charset=UTF-8", "http-equiv=Content-Type"]
        elif kind.startswith("<"):
            told = [_absolute(one, url) for one in told]
        found.append((kind, *told))
        if kind == "declaration":
            found += [("text", "\n"), ("comment", f" saved from url=({len(url):04}){url} "), ("text", "\n")]
    return tuple(found)


def markup(html: str) -> Markup:
    """Every tag with its attributes, every text and comment, in order.

    Raises:
        StateError: It is too long.
    """
    if len(html) > MAX_BYTES:
        raise StateError(f"page: {len(html)} characters, expected at most {MAX_BYTES}")
    reader = _Reader(convert_charrefs=True)
    reader.feed(html)
    reader.close()
    return tuple(reader.found)


def shown_text(html: str) -> str:
    """The text of a page as it is shown, without blanks: what is typed into fields and chosen in lists is not in it."""
    silent, parts = 0, []
    for kind, *told in markup(html):
        name = kind.strip("</>")
        if name in _SILENT:
            silent += -1 if kind.startswith("</") else 1
        elif kind == "text" and not silent:
            parts.append(told[0])
    return "".join("".join(parts).split())


def links(html: str, url: str) -> set[str]:
    """Addresses that a page leads to."""
    told = [one for kind, *facts in markup(html) if kind == "<a>" for one in facts]
    return {urljoin(url, one.removeprefix("href=")) for one in told if one.startswith("href=")}


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
