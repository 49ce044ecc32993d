"""Reading Chromium's `Bookmarks` file."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from fairground.core import StateError
from fairground.verify.reading.jsonfile import read_json
from fairground.verify.reading.leaf_room import LeafRoom

MAX_BOOKMARKS = 100_000
MAX_DEPTH = 60

_WHAT = "bookmarks (Chromium)"
_ROOTS = {"bar": "bookmark_bar", "other": "other", "mobile": "synced"}


@dataclass(frozen=True)
class Bookmark:
    """A bookmark, or a folder of bookmarks.

    Attributes:
        url: Empty for a folder.
        added: In UTC; `None` if unknown.
    """

    title: str
    url: str = ""
    added: datetime | None = None
    children: tuple[Bookmark, ...] = ()

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder."""
        return not self.url

    def to_json(self) -> dict[str, object]:
        """Title, URL or children, and date."""
        added = self.added and self.added.isoformat()
        if self.url:
            return {"title": self.title, "url": self.url, "added": added}
        return {"title": self.title, "added": added, "children": [child.to_json() for child in self.children]}


@dataclass(frozen=True)
class Bookmarks:
    """All bookmarks of a profile.

    Attributes:
        genuine: Whether the file has the checksum that the browser computes. A file edited by hand usually does not.
            `True` if there is no file.
    """

    bar: Bookmark = Bookmark("Bookmarks bar")
    other: Bookmark = Bookmark("Other bookmarks")
    mobile: Bookmark = Bookmark("Mobile bookmarks")
    genuine: bool = True

    def walk(self) -> Iterator[tuple[tuple[str, ...], Bookmark]]:
        """Iterate over every bookmark and folder with its path (`("bar", "Grants", "Call")`), in display order."""
        roots = (("bar", self.bar), ("other", self.other), ("mobile", self.mobile))
        stack: list[tuple[tuple[str, ...], Bookmark]] = [((name,), root) for name, root in reversed(roots)]
        while stack:
            path, mark = stack.pop()
            yield path, mark
            stack += [((*path, child.title), child) for child in reversed(mark.children)]

    def at(self, *path: str) -> tuple[Bookmark, ...]:
        """All bookmarks and folders at a path such as `("bar", "Grants")`. Titles need not be unique."""
        return tuple(mark for place, mark in self.walk() if place == path)

    def with_url(self, url: str) -> tuple[tuple[tuple[str, ...], Bookmark], ...]:
        """Paths and bookmarks of a URL."""
        return tuple((path, mark) for path, mark in self.walk() if mark.url == url)

    def to_json(self) -> dict[str, object]:
        """The three roots, and whether the file is genuine."""
        return {
            "bar": self.bar.to_json(),
            "other": self.other.to_json(),
            "mobile": self.mobile.to_json(),
            "genuine": self.genuine,
        }


def read_bookmarks(data: bytes) -> Bookmarks:
    """Read the file.

    Raises:
        StateError: It is not such a file, or is over a limit.
    """
    file = read_json(data, what=_WHAT)
    roots = file.get("roots") if isinstance(file, dict) else None
    if not isinstance(roots, dict) or file.get("version") != 1:
        raise StateError(f"{_WHAT}: no roots in it, or not version 1")
    reader = _Reader()
    by_name = {name: reader.read(roots.get(stored), 0) for name, stored in _ROOTS.items()}
    return Bookmarks(
        by_name["bar"], by_name["other"], by_name["mobile"], file.get("checksum") == reader.checksum.hexdigest()
    )


def leaves(bookmarks: Bookmarks) -> dict[str, object]:
    """URLs by path (`bar/Grants/Call`; duplicates are numbered) and the order in each folder."""
    result: dict[str, object] = {}
    seen: dict[str, int] = {}
    room = LeafRoom(_WHAT)
    for path, mark in bookmarks.walk():
        name = room.take("/".join(path))
        seen[name] = seen.get(name, 0) + 1
        name += f"#{seen[name]}" if seen[name] > 1 else ""
        if mark.is_folder:
            result[f"{name}.order"] = [child.title for child in mark.children]
        else:
            result[f"{name}.url"] = mark.url
    return result


def chromium_time(microseconds: int) -> datetime | None:
    """Convert a Chromium time (microseconds since 1601); `None` for 0, which means never."""
    if not microseconds:
        return None
    try:
        return datetime(1601, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds)
    except OverflowError:
        raise StateError(f"Chromium: {microseconds} is not a moment") from None


class _Reader:
    def __init__(self) -> None:
        self.checksum = hashlib.md5(usedforsecurity=False)
        self._left = MAX_BOOKMARKS

    def read(self, node: Any, depth: int) -> Bookmark:
        self._left -= 1
        if self._left < 0 or depth > MAX_DEPTH:
            raise StateError(f"{_WHAT}: more than {MAX_BOOKMARKS}, or nested deeper than {MAX_DEPTH}")
        if not isinstance(node, dict):
            raise StateError(f"{_WHAT}: a bookmark is {str(node)[:40]!r}")
        title, kind, added = (_text(node, name) for name in ("name", "type", "date_added"))
        if not added.isascii() or not added.isdigit() or len(added) > 18:
            raise StateError(f"{_WHAT}: the date {added[:40]!r}")
        self.checksum.update(_text(node, "id").encode() + title.encode("utf-16-le") + kind.encode())
        moment = chromium_time(int(added))
        if kind == "url":
            url = _text(node, "url")
            self.checksum.update(url.encode())
            if not url:
                raise StateError(f"{_WHAT}: {title[:80]!r} has no address")
            return Bookmark(title, url, moment)
        children = node.get("children", [])
        if kind != "folder" or not isinstance(children, list):
            raise StateError(f"{_WHAT}: {title[:80]!r} is a {kind[:40]!r}, expected url or folder")
        return Bookmark(title, "", moment, tuple(self.read(child, depth + 1) for child in children))


def _text(node: dict[str, Any], name: str) -> str:
    value = node.get(name)
    if not isinstance(value, str):
        raise StateError(f"{_WHAT}: {name} is {str(value)[:40]!r}, expected text")
    return value
