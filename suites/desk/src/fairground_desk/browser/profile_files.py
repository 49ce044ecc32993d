"""The files of a Chromium profile: bookmarks, history, downloads, cookies and settings.

Databases are filled into copies of those that an unused Chromium created, so the tables match its version. Times are
counted back from the start of the day, because Chromium deletes entries that are older than ninety days.
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
_SHOWN: Final = 0x30000000  # start and end of a redirect chain; only such visits show in the history
_TYPED, _LINK = 1, 0


@dataclass(frozen=True)
class Mark:
    """A bookmark, or a folder if it has children."""

    title: str
    url: str = ""
    children: tuple[Mark, ...] = ()


@dataclass(frozen=True)
class Seen:
    """A visit to a page: days ago, and the minute of the day."""

    url: str
    title: str
    days: int
    minute: int
    typed: bool = False


@dataclass(frozen=True)
class Fetched:
    """A downloaded file."""

    url: str
    path: str
    size: int
    mime: str
    days: int


@dataclass(frozen=True)
class Past:
    """Contents of a profile's databases."""

    visits: Sequence[Seen] = ()
    downloads: Sequence[Fetched] = ()
    cookies: Sequence[tuple[str, str]] = ()
    """Host and name of each cookie."""
    today: datetime = field(
        default_factory=lambda: datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    )


def bookmarks_file(bar: Sequence[Mark], other: Sequence[Mark]) -> bytes:
    """Return the file `Bookmarks`, with the browser's checksum. The bar has ID 1; the other IDs follow in order."""
    ids = iter(range(4, 1_000_000))
    checksum = hashlib.md5(usedforsecurity=False)

    def node(mark: Mark, number: int) -> dict[str, Any]:
        folder = not mark.url
        kind = "folder" if folder else "url"
        checksum.update(str(number).encode() + mark.title.encode("utf-16-le") + kind.encode() + mark.url.encode())
        entry: dict[str, Any] = {
            "date_added": str(13_380_000_000_000_000 + number * 61_000_000), "guid": _guid(f"{number} {mark.title}"),
            "id": str(number), "name": mark.title, "type": kind, "date_last_used": "0",
        }  # fmt: skip
        if folder:
            entry |= {"date_modified": "0", "children": [node(child, next(ids)) for child in mark.children]}
        else:
            entry["url"] = mark.url
        return entry

    roots = {
        "bookmark_bar": node(Mark("Bookmarks bar", children=tuple(bar)), 1),
        "other": node(Mark("Other bookmarks", children=tuple(other)), 2),
        "synced": node(Mark("Mobile bookmarks"), 3),
    }
    return json.dumps({"checksum": checksum.hexdigest(), "roots": roots, "version": 1}, indent=3).encode()


def history_database(empty: bytes, past: Past) -> bytes:
    """Return the database `History` with its visits and downloads."""
    with closing(_opened(empty)) as db:
        numbers: dict[str, int] = {}
        for seen in sorted(past.visits, key=lambda visit: (-visit.days, visit.minute)):
            when = _moment(past.today, seen.days, seen.minute)
            if seen.url not in numbers:
                row = (seen.url, seen.title, when)
                inserted = db.execute("INSERT INTO urls (url, title, last_visit_time) VALUES (?, ?, ?)", row)
                numbers[seen.url] = int(inserted.lastrowid or 0)
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
        for number, download in enumerate(past.downloads, 1):
            when = _moment(past.today, download.days, 600 + number)
            fields: Mapping[str, Any] = {
                "id": number, "guid": _guid(download.path), "current_path": download.path, "target_path": download.path,
                "start_time": when, "end_time": when + 900_000, "received_bytes": download.size,
                "total_bytes": download.size, "state": 1, "mime_type": download.mime,
                "original_mime_type": download.mime, "hash": b"", "tab_url": download.url,
            }  # fmt: skip
            zeros = {"danger_type", "interrupt_reason", "opened", "last_access_time", "transient"}
            values = [fields.get(name, 0 if name in zeros else "") for name in columns]
            db.execute(f"INSERT INTO downloads VALUES ({', '.join('?' * len(columns))})", values)
            db.execute("INSERT INTO downloads_url_chains VALUES (?, 0, ?)", (number, download.url))
        db.commit()
        return bytes(db.serialize())


def cookies_database(empty: bytes, past: Past) -> bytes:
    """Return the database `Cookies`; each cookie was set a week ago and is valid for a year."""
    with closing(_opened(empty)) as db:
        columns = [row[1] for row in db.execute("PRAGMA table_info(cookies)")]
        created, until = _moment(past.today, 7, 600), _moment(past.today, -350, 600)
        for host, name in past.cookies:
            fields: Mapping[str, Any] = {
                "creation_utc": created, "host_key": host, "name": name, "value": "1", "encrypted_value": b"",
                "path": "/", "expires_utc": until, "last_access_utc": created, "last_update_utc": created,
                "has_expires": 1, "is_persistent": 1, "priority": 1, "samesite": -1, "source_scheme": 1,
                "source_port": 80, "top_frame_site_key": "",
            }  # fmt: skip
            values = [fields.get(name, 0) for name in columns]
            db.execute(f"INSERT INTO cookies VALUES ({', '.join('?' * len(columns))})", values)
        db.commit()
        return bytes(db.serialize())


def _opened(content: bytes) -> sqlite3.Connection:
    db = sqlite3.connect(":memory:")
    db.deserialize(content)
    return db


def _moment(today: datetime, days: int, minute: int) -> int:
    """Microseconds since 1601, as Chromium counts time."""
    moment = today - timedelta(days=days) + timedelta(minutes=minute)
    return int((moment - CHROMIUM_EPOCH) / timedelta(microseconds=1))


def _guid(text: str) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_URL, text))
