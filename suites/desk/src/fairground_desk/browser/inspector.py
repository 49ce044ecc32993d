"""What can be asked of the browser: its profile's files, the tabs that were open, and what the web sites kept."""

from __future__ import annotations

from dataclasses import asdict
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Any, Final

from fairground.core import Check, State, StateError
from fairground.verify import contains, equal, holds
from fairground.verify.reading.chromium import (
    FILES,
    Bookmark,
    Bookmarks,
    History,
    LocalState,
    Preferences,
    VisitedPage,
    WebData,
    read_bookmarks,
    read_cookies,
    read_history,
    read_local_state,
    read_preferences,
    read_web_data,
)
from fairground.verify.reading.pdf import PdfFile, read_pdf
from fairground.worlds import Inspector
from fairground_desk.browser.exported import read_exported

PROFILE: Final = "~/.config/chromium/Default"
LOCAL_STATE: Final = "~/.config/chromium/Local State"
RECORDED: Final = tuple(f"{PROFILE}/{name}" for name in (*FILES[:6], "History-journal", "Cookies-journal"))
"""Files of the profile that are recorded."""

BROWSER = Inspector(
    "browser",
    channels={
        "profile": "Chromium's own files, complete because it is closed when an attempt ends: `Bookmarks`, `History`, "
        "`Preferences`, `Secure Preferences`, `Cookies`, `Web Data`, `Local State`",
        "debugger": "open tabs and cookies, asked over a pipe before it is closed",
        "sites": "what the web sites received; it lies outside of the sandbox",
        "files": "`~/Documents`, `~/Downloads`, `~/Pictures` and `~/Desktop`",
    },
)


def bookmarks_of(state: State) -> Bookmarks:
    """The bookmarks of a recording."""
    return _bookmarks(state.file(f"{PROFILE}/Bookmarks"))


def history_of(state: State) -> History:
    """The history of a recording."""
    journal = state.files.get(f"{PROFILE}/History-journal")
    return _history(state.file(f"{PROFILE}/History"), journal)


def preferences_of(state: State) -> Preferences:
    """The settings of a recording."""
    return _preferences(state.file(f"{PROFILE}/Preferences"), state.files.get(f"{PROFILE}/Secure Preferences"))


def cookies_of(state: State) -> tuple[str, ...]:
    """Site and name of every cookie: what the running browser said, or else what its file holds."""
    live = state.data.get("live")
    if isinstance(live, dict) and "cookies" in live:
        return tuple(live["cookies"])
    journal = state.files.get(f"{PROFILE}/Cookies-journal")
    cookies = read_cookies(state.file(f"{PROFILE}/Cookies"), journal=journal)
    return tuple(sorted({f"{cookie.host} {cookie.name}" for cookie in cookies}))


def visited_of(state: State) -> dict[str, VisitedPage]:
    """Pages of the history by address. Of bookmarked ones a trace stays when all visits are deleted; it is left out."""
    recorded = history_of(state)
    seen = {visit.url for visit in recorded.visits}
    return {page.url: page for page in recorded.pages if page.url in seen}


def web_data_of(state: State) -> WebData:
    """Search engines and addresses of a recording."""
    return _web_data(state.file(f"{PROFILE}/Web Data"))


def local_state_of(state: State) -> LocalState:
    """What is kept beside the profiles."""
    return read_local_state(state.file(LOCAL_STATE))


def sites_of(state: State) -> dict[str, Any]:
    """What the web sites kept."""
    received: dict[str, Any] = state.get("sites")
    return received


def tabs_of(state: State) -> list[dict[str, str]]:
    """The tabs that were open when the attempt ended.

    Raises:
        StateError: The browser did not say.
    """
    live = state.get("live")
    if "tabs" not in live:
        raise StateError(f"the open tabs are not known: {live.get('error', 'the browser was not asked')}")
    tabs: list[dict[str, str]] = live["tabs"]
    if not all("url" in tab for tab in tabs):
        raise StateError("of an open tab the address is not known")
    return tabs


def pdf_of(state: State, path: str) -> PdfFile:
    """A PDF file of a recording."""
    return _pdf(state.file(path))


def folder_at(state: State, path: str) -> Bookmark:
    """The one folder of bookmarks at a path such as `bar/Grants`."""
    folders = [mark for mark in bookmarks_of(state).at(*path.split("/")) if mark.is_folder]
    if len(folders) != 1:
        raise StateError(f"there are {len(folders)} folders of bookmarks at {path!r}, expected one")
    return folders[0]


# --- content ---------------------------------------------------------------------------------------------------------


@BROWSER.query("content")
def bookmarks(state: State) -> dict[str, object]:
    """All bookmarks, as a tree: the bar, the others, those of phones; and whether the browser itself wrote them."""
    return bookmarks_of(state).to_json()


@BROWSER.query("content")
def bookmark_folder(state: State, path: str) -> list[dict[str, object]]:
    """What a folder of bookmarks holds, in order.

    Args:
        path: From the root, `bar`, `other` or `mobile`, such as `bar/Grants`.
    """
    return [mark.to_json() for mark in folder_at(state, path).children]


@BROWSER.query("content")
def bookmark_places(state: State, url: str) -> list[str]:
    """Where an address is bookmarked: paths of folders and titles.

    Args:
        url: The address, in full.
    """
    return ["/".join(path) for path, _ in bookmarks_of(state).with_url(url)]


@BROWSER.check("content")
def check_bookmark(state: State, folder: str, title: str, url: str) -> Check:
    """A folder holds exactly one bookmark of this title, and it leads to this address.

    Args:
        folder: Such as `bar/Grants`.
        title: Of the bookmark.
        url: Where it must lead.
    """
    urls = [mark.url for mark in folder_at(state, folder).children if mark.title == title and not mark.is_folder]
    return equal(f"the bookmark “{title}” in {folder} leads to its page", [url], urls)


@BROWSER.check("content")
def check_no_bookmark(state: State, url: str) -> Check:
    """An address is bookmarked nowhere.

    Args:
        url: The address, in full.
    """
    return equal(f"{url} is not bookmarked", [], bookmark_places(state, url))


@BROWSER.query("content")
def search_engines(state: State) -> list[dict[str, object]]:
    """Search engines and site searches, with their shortcuts."""
    return [
        {
            "name": engine.name,
            "shortcut": engine.keyword,
            "url": engine.url,
            "active": engine.active,
            "built_in": engine.built_in,
        }
        for engine in web_data_of(state).engines
    ]


@BROWSER.query("content")
def addresses(state: State) -> list[dict[str, str]]:
    """Postal addresses that the browser fills in."""
    return [{_FIELDS.get(number, str(number)): text for number, text in sorted(address.items())}
            for address in web_data_of(state).addresses]  # fmt: skip


@BROWSER.check("content")
def check_address(state: State, name: str, city: str, postcode: str) -> Check:
    """One saved address is of this person, town and postcode.

    Args:
        name: First and last name.
        city: The town.
        postcode: The postcode.
    """
    wanted = {"name": name, "city": city, "postcode": postcode}
    saved = [{key: address.get(key, "") for key in wanted} for address in addresses(state)]
    return contains(f"an address of {name} is saved", wanted, saved)


# --- structure -------------------------------------------------------------------------------------------------------


@BROWSER.query("structure")
def bookmark_order(state: State, path: str) -> list[str]:
    """Titles of what a folder of bookmarks holds, in order.

    Args:
        path: Such as `bar`.
    """
    return [mark.title for mark in folder_at(state, path).children]


@BROWSER.query("structure")
def pinned_tabs(state: State) -> list[str]:
    """Addresses of the tabs that were pinned when the browser was closed."""
    pinned = preferences_of(state).get("pinned_tabs", [])
    return [str(tab.get("url", "")) for tab in pinned if isinstance(tab, dict)] if isinstance(pinned, list) else []


# --- settings --------------------------------------------------------------------------------------------------------


@BROWSER.query("settings")
def settings(state: State) -> dict[str, object]:
    """The settings that people change, with the browser's defaults where nothing is set."""
    return preferences_of(state).to_json()


@BROWSER.query("settings")
def setting(state: State, path: str) -> object:
    """Any setting by the browser's own path; null when it is not set.

    Args:
        path: Such as `webkit.webprefs.default_font_size`.
    """
    value: object = preferences_of(state).get(path)
    return value


@BROWSER.query("settings")
def site_permissions(state: State, kind: str) -> dict[str, str]:
    """What single sites may do, by pattern.

    Args:
        kind: As the browser calls it: `popups`, `notifications`, `javascript`, `images`, `geolocation` and so on.
    """
    return dict(preferences_of(state).content_exceptions.get(kind, {}))


@BROWSER.check("settings")
def check_site_permission(state: State, kind: str, host: str, rule: str) -> Check:
    """A single site is allowed or denied something.

    Args:
        kind: Such as `popups`.
        host: Of the site.
        rule: `allow`, `block` or `session only`.
    """
    rules = {
        pattern: permission for pattern, permission in site_permissions(state, kind).items() if _names(pattern, host)
    }
    passed = bool(rules) and set(rules.values()) == {rule}
    return holds(f"{kind} of {host}: {rule}", passed, expected=rule, found=rules)


@BROWSER.query("settings")
def site_zoom(state: State, host: str) -> float:
    """How large the pages of a site are shown, as a factor.

    Args:
        host: Of the site.
    """
    preferences = preferences_of(state)
    return preferences.zooms.get(host, preferences.default_zoom)


@BROWSER.check("settings")
def check_setting(state: State, name: str, value: str) -> Check:
    """A setting, by its name in `settings`, has a value; lists are joined by commas.

    Args:
        name: Such as `startup` or `do_not_track`.
        value: As text, such as `dark`, `true` or `1.25`.
    """
    current = preferences_of(state).to_json().get(name)
    shown = ",".join(map(str, current)) if isinstance(current, list | tuple) else str(current)
    shown = shown.lower() if isinstance(current, bool) else shown
    return equal(f"the setting {name}", value, shown)


# --- history ---------------------------------------------------------------------------------------------------------


@BROWSER.query("history")
def history(state: State, host: str = "") -> list[dict[str, object]]:
    """Pages that were visited, sorted by address.

    Args:
        host: Only of this site.
    """
    return [
        {"url": page.url, "title": page.title, "visits": page.visits, "last": str(page.last_visit)}
        for page in visited_of(state).values()
        if not host or _host(page.url) == host
    ]


@BROWSER.check("history")
def check_not_visited(state: State, host: str) -> Check:
    """The history has no page of a site.

    Args:
        host: Of the site.
    """
    return equal(f"no page of {host} is in the history", [], [page["url"] for page in history(state, host)])


@BROWSER.check("history")
def check_visited(state: State, url: str) -> Check:
    """The history has this page.

    Args:
        url: Its address, in full.
    """
    return holds(f"{url} is in the history", url in visited_of(state), expected=url, found=_count(state))


@BROWSER.query("history")
def downloads(state: State) -> list[dict[str, object]]:
    """The list of downloads, oldest first: where from, where to, and whether it is complete."""
    return [
        {
            "url": download.url,
            "path": download.path,
            "state": download.state,
            "size": download.received,
            "kind": download.mime,
        }
        for download in history_of(state).downloads
    ]


@BROWSER.query("history")
def cookies(state: State, host: str = "") -> list[str]:
    """Names of cookies that are kept, each with its site.

    Args:
        host: Only of this site.
    """
    return [cookie for cookie in cookies_of(state) if not host or cookie.partition(" ")[0].lstrip(".") == host]


# --- files, metadata, live -------------------------------------------------------------------------------------------


@BROWSER.check("files")
def check_downloaded(state: State, path: str, url: str) -> Check:
    """A file is there, and the list of downloads says that it came, complete, from an address.

    Args:
        path: Such as `~/Downloads/report.pdf`.
        url: Where it must have come from.
    """
    size = len(state.file(path))
    name = PurePosixPath(path).name
    matching = [
        download
        for download in downloads(state)
        if download["url"] == url and PurePosixPath(str(download["path"])).name == name
    ]
    passed = any(download["state"] == "complete" and download["size"] == size for download in matching)
    return holds(f"{path} was downloaded", passed, expected={"url": url, "size": size}, found=matching)


@BROWSER.query("files")
def files(state: State, folder: str = "~/Downloads") -> list[str]:
    """Paths of the files in a folder and below it.

    Args:
        folder: Such as `~/Pictures`.
    """
    return [
        entry["path"]
        for entry in state.get("files")
        if entry["path"].startswith(f"{folder}/") and entry["kind"] == "file"
    ]


@BROWSER.query("files")
def exported_bookmarks(state: State, path: str) -> list[dict[str, object]]:
    """Bookmarks and folders of a file that the browser exported, in order, each with how many folders it is in.

    Args:
        path: Such as `~/Documents/bookmarks.html`.
    """
    return [asdict(mark) for mark in read_exported(state.file(path))]


@BROWSER.query("files")
def pdf(state: State, path: str) -> dict[str, object]:
    """What a PDF file says: title, writer, and of each page its size in points, its lines of text and its links.

    Args:
        path: Such as `~/Documents/page.pdf`.
    """
    return pdf_of(state, path).to_json()


@BROWSER.query("metadata")
def profile_facts(state: State) -> dict[str, object]:
    """Name of the profile, how the browser ended, and whether it wrote its bookmarks itself."""
    preferences = preferences_of(state)
    local = local_state_of(state)
    return {
        "name": preferences.profile_name,
        "exit": preferences.exit_type,
        "bookmarks genuine": bookmarks_of(state).genuine,
        "flags": list(local.flags),
    }


@BROWSER.query("live")
def tabs(state: State) -> list[dict[str, str]]:
    """The tabs that were open when the attempt ended, sorted by address."""
    return tabs_of(state)


@BROWSER.check("live")
def check_tabs(state: State, urls: list[str]) -> Check:
    """Exactly these pages were open, each in one tab.

    Args:
        urls: Their addresses.
    """
    return equal(
        "the open tabs are those that were asked for", sorted(urls), sorted(tab["url"] for tab in tabs_of(state))
    )


@BROWSER.query("content")
def sites(state: State, part: str = "") -> Any:
    """What the web sites received: tickets, registrations, orders, basket, comments and downloads.

    Args:
        part: Only this, such as `tickets`.
    """
    received = sites_of(state)
    if part and part not in received:
        raise StateError(f"the sites keep no {part!r}; they keep {', '.join(received)}")
    return received[part] if part else received


@BROWSER.check("content")
def check_received(state: State, part: str, field: str, value: str) -> Check:
    """The last entry that a site received has a value.

    Args:
        part: Such as `tickets`.
        field: Of the entry, such as `subject`.
        value: What it must be.
    """
    entries = sites(state, part)
    last = entries[-1] if isinstance(entries, list) and entries else {}
    return equal(f"the last of {part}: {field}", value, last.get(field) if isinstance(last, dict) else None)


_FIELDS = {
    7: "name", 3: "first name", 5: "last name", 9: "e-mail", 14: "phone", 33: "city", 35: "postcode", 36: "country",
    60: "organisation", 77: "street",
}  # fmt: skip


def _count(state: State) -> str:
    return f"{len(visited_of(state))} pages"


def _host(url: str) -> str:
    return url.partition("://")[2].partition("/")[0].partition(":")[0]


def _names(pattern: str, host: str) -> bool:
    """Whether a pattern of the browser's, such as `http://shop.example:80,*`, is about a host and all its pages."""
    first = pattern.partition(",")[0]
    return _host(first if "://" in first else f"http://{first}").removeprefix("[*.]") == host


@lru_cache(maxsize=8)
def _bookmarks(data: bytes) -> Bookmarks:
    return read_bookmarks(data)


@lru_cache(maxsize=8)
def _history(data: bytes, journal: bytes | None) -> History:
    return read_history(data, journal=journal)


@lru_cache(maxsize=8)
def _preferences(data: bytes, secure: bytes | None) -> Preferences:
    return read_preferences(data, secure)


@lru_cache(maxsize=8)
def _pdf(data: bytes) -> PdfFile:
    return read_pdf(data)


@lru_cache(maxsize=8)
def _web_data(data: bytes) -> WebData:
    return read_web_data(data)
