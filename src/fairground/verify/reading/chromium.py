"""Reading a Chromium profile: bookmarks, history, settings, cookies and search engines, from its files.

Chromium writes `Preferences` and `Bookmarks` a few seconds after a change, and all files when it is closed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from datetime import datetime

from fairground.verify.reading.chromium_bookmarks import Bookmark, Bookmarks, chromium_time, read_bookmarks
from fairground.verify.reading.chromium_bookmarks import leaves as bookmark_leaves
from fairground.verify.reading.chromium_history import (
    Cookie,
    Download,
    History,
    SearchEngine,
    Visit,
    VisitedPage,
    WebData,
    history_leaves,
    read_cookies,
    read_history,
    read_shortcuts,
    read_top_sites,
    read_web_data,
    web_data_leaves,
)
from fairground.verify.reading.chromium_preferences import (
    Extension,
    LocalState,
    Preferences,
    preferences_leaves,
    read_local_state,
    read_preferences,
)

__all__ = [
    "FILES",
    "Bookmark",
    "Bookmarks",
    "Cookie",
    "Download",
    "Extension",
    "History",
    "LocalState",
    "Preferences",
    "Profile",
    "SearchEngine",
    "Visit",
    "VisitedPage",
    "WebData",
    "bookmark_leaves",
    "chromium_time",
    "history_leaves",
    "leaves",
    "preferences_leaves",
    "read_bookmarks",
    "read_cookies",
    "read_history",
    "read_local_state",
    "read_preferences",
    "read_profile",
    "read_shortcuts",
    "read_top_sites",
    "read_web_data",
    "web_data_leaves",
]

FILES = ("Bookmarks", "History", "Preferences", "Secure Preferences", "Cookies", "Web Data", "Top Sites", "Shortcuts")
"""Files of a profile's folder to record. `Local State` is in the parent folder."""


@dataclass(frozen=True)
class Profile:
    """A profile. A part whose file was not given has the values of an unused profile.

    Attributes:
        missing: Names of the files that were not given.
    """

    bookmarks: Bookmarks
    history: History
    preferences: Preferences
    cookies: tuple[Cookie, ...]
    web_data: WebData
    top_sites: tuple[tuple[str, str], ...]
    shortcuts: tuple[tuple[str, str], ...]
    local_state: LocalState
    missing: tuple[str, ...]

    def to_json(self) -> dict[str, object]:
        """Everything but the raw settings, with times in ISO 8601."""
        parts: dict[str, object] = {"bookmarks": self.bookmarks.to_json(), "preferences": self.preferences.to_json()}
        for name in ("history", "cookies", "web_data", "top_sites", "shortcuts", "local_state", "missing"):
            parts[name] = _plain(getattr(self, name))
        return parts


def read_profile(files: Mapping[str, bytes]) -> Profile:
    """Read a profile from its files by name (`FILES` and `Local State`; also a `History-journal`).

    Raises:
        StateError: One of them cannot be read.
    """
    journals = {name: files.get(f"{name}-journal") for name in ("History", "Cookies")}
    return Profile(
        bookmarks=read_bookmarks(files["Bookmarks"]) if "Bookmarks" in files else Bookmarks(),
        history=read_history(files["History"], journal=journals["History"]) if "History" in files else History(),
        preferences=read_preferences(files.get("Preferences", b"{}"), files.get("Secure Preferences")),
        cookies=read_cookies(files["Cookies"], journal=journals["Cookies"]) if "Cookies" in files else (),
        web_data=read_web_data(files["Web Data"]) if "Web Data" in files else WebData(),
        top_sites=read_top_sites(files["Top Sites"]) if "Top Sites" in files else (),
        shortcuts=read_shortcuts(files["Shortcuts"]) if "Shortcuts" in files else (),
        local_state=read_local_state(files.get("Local State", b"{}")),
        missing=tuple(name for name in (*FILES, "Local State") if name not in files),
    )


def leaves(profile: Profile) -> dict[str, object]:
    """Bookmarks, history, settings, cookies and autofill data, without the browser's own dates and counts."""
    result = {f"bookmarks.{path}": value for path, value in bookmark_leaves(profile.bookmarks).items()}
    result |= history_leaves(profile.history)
    result |= {f"preferences.{path}": value for path, value in preferences_leaves(profile.preferences).items()}
    result |= {f"cookie[{cookie.host}][{cookie.name}][{cookie.path}]": True for cookie in profile.cookies}
    return result | web_data_leaves(profile.web_data)


def _plain(value: object) -> object:
    if isinstance(value, datetime):
        return value.isoformat()
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    return [_plain(item) for item in value] if isinstance(value, tuple) else value
