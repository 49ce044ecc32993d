"""The files of a browser's profile: bookmarks, history, downloads, cookies and settings, as Chromium keeps them.

Databases are filled into copies of those that an unused Chromium made, so that their tables are always its own. Moments
are counted back from the start of the day: Chromium forgets what is older than ninety days.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import uuid
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final

CHROMIUM_EPOCH: Final = datetime(1601, 1, 1, tzinfo=UTC)
_SHOWN: Final = 0x30000000  # the start and the end of a chain of redirects: history shows it
_TYPED, _LINK = 1, 0


@dataclass(frozen=True)
class Mark:
    """A bookmark, or with children a folder."""

    title: str
    url: str = ""
    children: tuple[Mark, ...] = ()


@dataclass(frozen=True)
class Seen:
    """A page that was visited: how many days ago, at which minute of the day."""

    url: str
    title: str
    days: int
    minute: int
    typed: bool = False


@dataclass(frozen=True)
class Fetched:
    """A file that was downloaded."""

    url: str
    path: str
    size: int
    mime: str
    days: int


@dataclass(frozen=True)
class Past:
    """What a profile's databases hold."""

    visits: Sequence[Seen] = ()
    downloads: Sequence[Fetched] = ()
    cookies: Sequence[tuple[str, str]] = ()
    """Host and name of each."""
    today: datetime = field(
        default_factory=lambda: datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    )


def bookmarks_file(bar: Sequence[Mark], other: Sequence[Mark]) -> bytes:
    """`Bookmarks`, with the checksum that the browser would compute. The bar has id 1, the others follow in order."""
    ids = iter(range(4, 1_000_000))
    checksum = hashlib.md5(usedforsecurity=False)

    def node(mark: Mark, number: int) -> dict[str, Any]:
        folder = not mark.url
        kind = "folder" if folder else "url"
        checksum.update(str(number).encode() + mark.title.encode("utf-16-le") + kind.encode() + mark.url.encode())
        made: dict[str, Any] = {
            "date_added": str(13_380_000_000_000_000 + number * 61_000_000), "guid": _guid(f"{number} {mark.title}"),
            "id": str(number), "name": mark.title, "type": kind, "date_last_used": "0",
        }  # fmt: skip
        if folder:
            made |= {"date_modified": "0", "children": [node(child, next(ids)) for child in mark.children]}
        else:
            made["url"] = mark.url
        return made

    roots = {
        "bookmark_bar": node(Mark("Bookmarks bar", children=tuple(bar)), 1),
        "other": node(Mark("Other bookmarks", children=tuple(other)), 2),
        "synced": node(Mark("Mobile bookmarks"), 3),
    }
    return json.dumps({"checksum": checksum.hexdigest(), "roots": roots, "version": 1}, indent=3).encode()


def history_database(empty: bytes, past: Past) -> bytes:
    """`History` with its visits and downloads."""
    with closing(_opened(empty)) as db:
        numbers: dict[str, int] = {}
        for seen in sorted(past.visits, key=lambda one: (-one.days, one.minute)):
            when = _moment(past.today, seen.days, seen.minute)
            if seen.url not in numbers:
                row = (seen.url, seen.title, when)
                made = db.execute("INSERT INTO urls (url, title, last_visit_time) VALUES (?, ?, ?)", row)
                numbers[seen.url] = int(made.lastrowid or 0)
            number = numbers[seen.url]
            db.execute(
                "UPDATE urls SET visit_count = visit_count + 1, typed_count = typed_count + ?, last_visit_time = ? "
                "WHERE id = ?",
                (int(seen.typed), when, number),
            )
            db.execute(
                "INSERT INTO visits (url, visit_time, from_visit, transition, visit_duration) VALUES (?, ?, 0, ?, ?)",
                (number, when, _SHOWN | (_TYPED if seen.typed else _LINK), 45_000_000),
            )
        columns = [row[1] for row in db.execute("PRAGMA table_info(downloads)")]
        for number, one in enumerate(past.downloads, 1):
            when = _moment(past.today, one.days, 600 + number)
            told: Mapping[str, Any] = {
                "id": number, "guid": _guid(one.path), "current_path": one.path, "target_path": one.path,
                "start_time": when, "end_time": when + 900_000, "received_bytes": one.size, "total_bytes": one.size,
                "state": 1, "mime_type": one.mime, "original_mime_type": one.mime, "hash": b"", "tab_url": one.url,
            }  # fmt: skip
            zeros = {"danger_type", "interrupt_reason", "opened", "last_access_time", "transient"}
            values = [told.get(name, 0 if name in zeros else "") for name in columns]
            db.execute(f"INSERT INTO downloads VALUES ({', '.join('?' * len(columns))})", values)
            db.execute("INSERT INTO downloads_url_chains VALUES (?, 0, ?)", (number, one.url))
        db.commit()
        return bytes(db.serialize())


def cookies_database(empty: bytes, past: Past) -> bytes:
    """`Cookies`, each set a week ago and good for a year."""
    with closing(_opened(empty)) as db:
        columns = [row[1] for row in db.execute("PRAGMA table_info(cookies)")]
        made, until = _moment(past.today, 7, 600), _moment(past.today, -350, 600)
        for host, name in past.cookies:
            told: Mapping[str, Any] = {
                "creation_utc": made, "host_key": host, "name": name, "value": "1", "encrypted_value": b"", "path": "/",
                "expires_utc": until, "last_access_utc": made, "last_update_utc": made, "has_expires": 1,
                "is_persistent": 1, "priority": 1, "samesite": -1, "source_scheme": 1, "source_port": 80,
                "top_frame_site_key": "",
            }  # fmt: skip
            values = [told.get(name, 0) for name in columns]
            db.execute(f"INSERT INTO cookies VALUES ({', '.join('?' * len(columns))})", values)
        db.commit()
        return bytes(db.serialize())


def _opened(content: bytes) -> sqlite3.Connection:
    db = sqlite3.connect(":memory:")
    db.deserialize(content)
    return db


def _moment(today: datetime, days: int, minute: int) -> int:
    """As Chromium counts: microseconds since 1601."""
    moment = today - timedelta(days=days) + timedelta(minutes=minute)
    return int((moment - CHROMIUM_EPOCH) / timedelta(microseconds=1))


def _guid(text: str) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_URL, text))
