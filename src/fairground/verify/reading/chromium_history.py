"""Reading Chromium's databases: `History`, `Cookies`, `Top Sites`, `Shortcuts` and `Web Data`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from fairground.core import StateError
from fairground.verify.reading.chromium_bookmarks import chromium_time
from fairground.verify.reading.sqlite import Row, read_database

_TRANSITIONS = (
    *("link", "typed", "auto_bookmark", "auto_subframe", "manual_subframe", "generated", "auto_toplevel"),
    *("form_submit", "reload", "keyword", "keyword_generated"),
)
_DOWNLOAD_STATES = {0: "in progress", 1: "complete", 2: "cancelled", 4: "interrupted"}


@dataclass(frozen=True)
class VisitedPage:
    """A URL in the history."""

    url: str
    title: str
    visits: int
    typed: int
    last_visit: datetime | None


@dataclass(frozen=True)
class Visit:
    """One visit.

    Attributes:
        how: `typed`, `link`, `reload`, `form_submit`, `auto_bookmark` (a bookmark was used), `generated` (a search
            from the address bar) and so on.
        seconds: How long it lasted, if known.
    """

    url: str
    title: str
    when: datetime | None
    how: str
    seconds: float


@dataclass(frozen=True)
class Download:
    """One download.

    Attributes:
        url: The initial URL; redirects follow it.
        final_url: The URL that the file came from.
    """

    url: str
    final_url: str
    path: str
    state: str
    received: int
    total: int
    mime: str
    started: datetime | None
    ended: datetime | None
    page: str


@dataclass(frozen=True)
class History:
    """Visits, downloads and searches, oldest first; pages sorted by URL."""

    pages: tuple[VisitedPage, ...] = ()
    visits: tuple[Visit, ...] = ()
    downloads: tuple[Download, ...] = ()
    searches: tuple[str, ...] = ()

    def visited(self, url: str) -> bool:
        """Whether exactly this URL was visited."""
        return any(page.url == url for page in self.pages)


@dataclass(frozen=True)
class Cookie:
    """A stored cookie. Its value is encrypted and not read."""

    host: str
    name: str
    path: str
    secure: bool
    http_only: bool
    persistent: bool
    expires: datetime | None


@dataclass(frozen=True)
class SearchEngine:
    """A search engine or site search.

    Attributes:
        active: `yes` or `no` if a user switched it; otherwise `default`.
        built_in: Whether it came with the browser.
    """

    name: str
    keyword: str
    url: str
    built_in: bool
    active: Literal["default", "yes", "no"] = "default"


@dataclass(frozen=True)
class WebData:
    """Autofill data and search engines.

    Attributes:
        addresses: Each maps Chromium's field number (3 first name, 5 last name, 9 e-mail, 14 phone, 33 city, 35
            postcode, 36 country, 60 company, 77 street) to its text.
        fields: Texts typed into form fields, by the field's name.
        cards: Names on payment cards; numbers are encrypted and not read.
    """

    engines: tuple[SearchEngine, ...] = ()
    addresses: tuple[dict[int, str], ...] = ()
    fields: tuple[tuple[str, str], ...] = ()
    cards: tuple[str, ...] = ()


def read_history(data: bytes, wal: bytes | None = None, *, journal: bytes | None = None) -> History:
    """Read `History`.

    Raises:
        StateError: As for `read_database`, or if a row is not as Chromium writes it.
    """
    with read_database(data, wal, journal=journal) as database:
        pages = database.rows("SELECT url, title, visit_count, typed_count, last_visit_time FROM urls ORDER BY url")
        visits = database.rows(
            "SELECT urls.url AS url, title, visit_time, transition, visit_duration FROM visits "
            "JOIN urls ON urls.id = visits.url ORDER BY visit_time, visits.id"
        )
        downloads = database.rows("SELECT * FROM downloads ORDER BY start_time, id")
        chains: dict[int, list[str]] = {}
        for row in database.rows("SELECT id, url FROM downloads_url_chains ORDER BY id, chain_index"):
            chains.setdefault(_int(row, "id"), []).append(_str(row, "url"))
        terms = database.rows("SELECT DISTINCT term FROM keyword_search_terms ORDER BY url_id, term")
    return History(
        tuple(
            VisitedPage(
                _str(row, "url"),
                _str(row, "title"),
                _int(row, "visit_count"),
                _int(row, "typed_count"),
                _time(row, "last_visit_time"),
            )
            for row in pages
        ),
        tuple(
            Visit(
                _str(row, "url"),
                _str(row, "title"),
                _time(row, "visit_time"),
                _transition(_int(row, "transition")),
                _int(row, "visit_duration") / 1e6,
            )
            for row in visits
        ),
        tuple(_download(row, chains.get(_int(row, "id"), [])) for row in downloads),
        tuple(_str(row, "term") for row in terms),
    )


def read_cookies(data: bytes, wal: bytes | None = None, *, journal: bytes | None = None) -> tuple[Cookie, ...]:
    """Read `Cookies`, sorted, without their values."""
    with read_database(data, wal, journal=journal) as database:
        rows = database.rows(
            "SELECT host_key, name, path, is_secure, is_httponly, is_persistent, expires_utc FROM cookies "
            "ORDER BY host_key, name, path"
        )
    return tuple(
        Cookie(
            _str(row, "host_key"),
            _str(row, "name"),
            _str(row, "path"),
            bool(_int(row, "is_secure")),
            bool(_int(row, "is_httponly")),
            bool(_int(row, "is_persistent")),
            _time(row, "expires_utc"),
        )
        for row in rows
    )


def read_top_sites(data: bytes) -> tuple[tuple[str, str], ...]:
    """Read `Top Sites`: URLs and titles, most used first."""
    with read_database(data) as database:
        rows = database.rows("SELECT url, title FROM top_sites ORDER BY url_rank, url")
    return tuple((_str(row, "url"), _str(row, "title")) for row in rows)


def read_shortcuts(data: bytes) -> tuple[tuple[str, str], ...]:
    """Read `Shortcuts`: texts typed into the address bar, and the URLs they led to."""
    with read_database(data) as database:
        rows = database.rows("SELECT text, url FROM omni_box_shortcuts ORDER BY text, url")
    return tuple((_str(row, "text"), _str(row, "url")) for row in rows)


def read_web_data(data: bytes) -> WebData:
    """Read `Web Data`: search engines, addresses and form entries."""
    with read_database(data) as database:
        engines = database.rows("SELECT short_name, keyword, url, prepopulate_id, is_active FROM keywords ORDER BY id")
        tokens = database.rows(
            "SELECT guid, type, value FROM address_type_tokens WHERE value != '' ORDER BY guid, type"
        )
        typed = database.rows("SELECT name, value FROM autofill ORDER BY name, value")
        cards = database.rows("SELECT name_on_card FROM credit_cards ORDER BY name_on_card")
    addresses: dict[str, dict[int, str]] = {}
    for row in tokens:
        addresses.setdefault(_str(row, "guid"), {})[_int(row, "type")] = _str(row, "value")
    return WebData(
        tuple(
            SearchEngine(
                _str(row, "short_name"),
                _str(row, "keyword"),
                _str(row, "url"),
                bool(_int(row, "prepopulate_id")),
                ("default", "yes", "no")[_int(row, "is_active") % 3],
            )
            for row in engines
        ),
        # Sorted by content, because the browser gives them random names.
        tuple(sorted(addresses.values(), key=lambda address: sorted(address.items()))),
        tuple((_str(row, "name"), _str(row, "value")) for row in typed),
        tuple(_str(row, "name_on_card") for row in cards),
    )


def history_leaves(history: History) -> dict[str, object]:
    """URLs, downloads by path, and searches. No dates, counts, or titles, which follow from the pages."""
    result: dict[str, object] = {f"history[{page.url}]": True for page in history.pages}
    for download in history.downloads:
        result[f"download[{download.path}].url"] = download.url
        result[f"download[{download.path}].state"] = download.state
    return result | {f"search[{term}]": True for term in history.searches}


def web_data_leaves(data: WebData) -> dict[str, object]:
    """Search engines by keyword, addresses, and form entries."""
    result: dict[str, object] = {}
    for engine in data.engines:
        result[f"engine[{engine.keyword}].name"] = engine.name
        result[f"engine[{engine.keyword}].url"] = engine.url
        result[f"engine[{engine.keyword}].active"] = engine.active
    for number, address in enumerate(data.addresses):
        result |= {f"address[{number}].{field}": text for field, text in address.items()}
    result |= {f"typed[{name}][{value}]": True for name, value in data.fields}
    return result | {f"card[{number}].name": name for number, name in enumerate(data.cards)}


def _download(row: Row, chain: list[str]) -> Download:
    state = _int(row, "state")
    return Download(
        url=chain[0] if chain else "",
        final_url=chain[-1] if chain else "",
        path=_str(row, "target_path"),
        state=_DOWNLOAD_STATES.get(state, f"state {state}"),
        received=_int(row, "received_bytes"),
        total=_int(row, "total_bytes"),
        mime=_str(row, "mime_type"),
        started=_time(row, "start_time"),
        ended=_time(row, "end_time"),
        page=_str(row, "tab_url"),
    )


def _transition(number: int) -> str:
    core = number & 0xFF
    return _TRANSITIONS[core] if core < len(_TRANSITIONS) else f"transition {core}"


def _str(row: Row, name: str) -> str:
    value = row.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise StateError(f"Chromium: {name} is {str(value)[:40]!r}, expected text")
    return value


def _int(row: Row, name: str) -> int:
    value = row.get(name)
    if value is None:
        return 0
    if not isinstance(value, int):
        raise StateError(f"Chromium: {name} is {str(value)[:40]!r}, expected a whole number")
    return value


def _time(row: Row, name: str) -> datetime | None:
    return chromium_time(_int(row, name))
