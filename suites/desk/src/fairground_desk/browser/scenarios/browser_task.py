"""Base of all browser scenarios: guards over the profile, and keyboard moves."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, ClassVar, cast
from urllib.parse import unquote, urlsplit

from fairground.core import Check, State
from fairground.verify import equal, unchanged
from fairground.verify.reading.chromium import bookmark_leaves, preferences_leaves
from fairground.worlds import Enter, Move, Press, Tap, World
from fairground_desk.browser.app import Browser
from fairground_desk.browser.inspector import (
    PROFILE,
    bookmarks_of,
    cookies_of,
    history_of,
    preferences_of,
    sites_of,
    visited_of,
    web_data_of,
)
from fairground_desk.browser.person import SITES, Person
from fairground_desk.browser.scenarios.user_settings import other_user_settings
from fairground_desk.browser.serving import Request
from fairground_desk.browser.sites import Sites
from fairground_desk.browser.waiting import focused, opened, page, saved, shown, window
from fairground_desk.tasks import DeskTask

_DECIDED = ("popups", "notifications", "javascript", "images", "geolocation", "cookies", "media_stream_mic", "sound")


class BrowserTask(DeskTask):
    """A scenario in the browser. Bookmarks, settings, history, site data and what sites received are all guarded.

    Attributes:
        bookmarks: Patterns of bookmark leaves that may change, such as `bar/*`; `bar.order` is the order on the bar.
        settings: Patterns of settings that may change, such as `homepage*`.
        received: What sites may receive: `tickets`, `orders` and so on.
        forgets: Whether pages may vanish from the history.
        forgets_downloads: Whether the list of downloads may lose entries.
        loses_cookies: Whether cookies may vanish.
        fills: Whether addresses or search engines may change.

    Any tabs may be open at the end, unless the task is about tabs.
    """

    app = "browser"
    left_open: ClassVar[tuple[str, ...]] = ("live.tabs",)
    step_budget = 60
    bookmarks: ClassVar[tuple[str, ...]] = ()
    settings: ClassVar[tuple[str, ...]] = ()
    received: ClassVar[tuple[str, ...]] = ()
    forgets: ClassVar[bool] = False
    forgets_downloads: ClassVar[bool] = False
    loses_cookies: ClassVar[bool] = False
    fills: ClassVar[bool] = False

    def words(self, world: World, person: Person) -> Mapping[str, object]:
        """Return values for the instruction that come from the profile's data."""
        return {}

    def phrase(self, world: World) -> str:
        """Fill the parameters and `words` into the template."""
        owner = self.person(world)
        return self.template.format_map({**world.parameters, **self.words(world, owner)})

    def person(self, world: World) -> Person:
        return cast(Browser, world.app).person(world)

    @abstractmethod
    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """Return the checks of this task, without guards."""

    def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """Return the task's checks, and guards over everything else that the browser and the sites keep."""
        return [*super().checks(world, before, after, answer), *self.guards(world, before, after)]

    def bookmark_changes(self, world: World) -> Sequence[str]:
        """Return patterns of bookmark leaves that may change. Override it if they depend on the profile."""
        return self.bookmarks

    def setting_changes(self, world: World) -> Sequence[str]:
        """Return patterns of settings that may change. Override it if they depend on the profile."""
        return self.settings

    def guards(self, world: World, before: State, after: State) -> list[Check]:
        """Check that nothing else changed: bookmarks, settings, history, cookies, form data, and data sent to sites."""
        old: Mapping[str, object]
        new: Mapping[str, object]
        old, new = bookmark_leaves(bookmarks_of(before)), bookmark_leaves(bookmarks_of(after))
        marks = unchanged(
            "other bookmarks are as they were", old, new, allowed=_matching(self.bookmark_changes(world), old, new)
        )
        old, new = _settings(before), _settings(after)
        settings = unchanged(
            "other settings are as they were", old, new, allowed=_matching(self.setting_changes(world), old, new)
        )
        received = unchanged(
            "the sites received nothing else",
            {key: value for key, value in sites_of(before).items() if key != "downloads"},
            {key: value for key, value in sites_of(after).items() if key != "downloads"},
            allowed=self.received,
        )
        checks = [marks, settings, received, _genuine(after)]
        if not self.forgets:
            old, new = (dict.fromkeys(visited_of(state), True) for state in (before, after))
            checks.append(_open_pages_known(self.person(world), after))
            checks.append(unchanged("the history is kept", old, {url: True for url in old if url in new}))
        if not self.forgets_downloads:
            old, new = (
                {item.path: (item.url, item.state) for item in history_of(state).downloads} for state in (before, after)
            )
            checks.append(unchanged("the list of downloads is kept", old, {key: new.get(key) for key in old}))
        if not self.loses_cookies:
            old, new = (dict.fromkeys(cookies_of(state), True) for state in (before, after))
            kept = unchanged("cookies are kept", old, {key: True for key in old if key in new})
            checks.append(kept.as_weak() if "live" in after.data else kept)
        if not self.fills:
            old, new = _filled(before), _filled(after)
            checks.append(unchanged("search engines and addresses are as they were", old, new))
        return checks


def address_bar() -> list[Move]:
    """Focus the address bar from anywhere."""
    return [Press("escape"), Press("ctrl+l"), focused("Address and search bar")]


def go(url: str) -> list[Move]:
    """Open an address with the address bar. Escape first closes popups and discards typed text."""
    return [*address_bar(), *typed(url), page(url)]


def typed(url: str) -> list[Move]:
    """Type an address without the completion that the browser adds from the history."""
    return [Enter(url), Press("delete"), Press("enter")]


def save_as(path: str) -> list[Move]:
    """Type the path into a save dialog and confirm it."""
    moves: list[Move] = [window("Save File"), Press("ctrl+a"), Enter(path), Press("tab"), Press("alt+s")]
    return [*moves, window("Save File", gone=True), saved(path)]


def in_settings(world: World, page: str, first: str = "") -> list[Move]:
    """Open a page of the settings in a window that is large enough to show it.

    Args:
        world: Has the size of the window.
        page: Path of the page, such as `appearance`.
        first: Control to wait for; the page loads some time before its controls exist.
    """
    larger: list[Move] = [Tap("Maximize", role="push button")] if "window" in world.ui_state else []
    return [*larger, *go(f"chrome://settings/{page}"), *([shown(first)] if first else [])]


def choose(name: str, words: str) -> list[Move]:
    """Select an entry of a drop-down list by typing its first letters."""
    return [shown(name, "combo box"), Tap(name, role="combo box"), opened(name), Enter(words), Press("enter")]


def folder_id(state: State, path: str) -> int:
    """Return the browser's ID of a bookmark folder, which the bookmark manager takes in its address."""
    tree = json.loads(state.file(f"{PROFILE}/Bookmarks"))["roots"]
    first, *names = path.split("/")
    node = tree[{"bar": "bookmark_bar", "other": "other"}[first]]
    for name in names:
        node = next(child for child in node["children"] if child["name"] == name and child["type"] == "folder")
    return int(node["id"])


def in_manager(state: State, path: str) -> list[Move]:
    """Open a folder in the bookmark manager."""
    number = folder_id(state, path)
    # The manager starts at the bar and drops the bar's ID from its address.
    url = f"chrome://bookmarks/?id={number}" if number > 1 else "chrome://bookmarks/"
    return [*go(url), shown("Organize", "push button")]


def served(person: Person, url: str) -> str:
    """Return a page as its site serves it before any form was sent."""
    parts = urlsplit(url)
    return Sites(person).respond(Request("GET", parts.hostname or "", unquote(parts.path))).body.decode()


def listed_download(before: State, after: State, path: str, url: str) -> Check:
    """Check that the list of downloads has one new entry: this file, complete, from this address."""
    old = {(item.path, item.started) for item in history_of(before).downloads}
    place = preferences_of(before).download_folder.removesuffix("/Downloads") + path.removeprefix("~")
    new = [item for item in history_of(after).downloads if item.path == place and (item.path, item.started) not in old]
    listed = sorted({(item.url, item.final_url, item.state) for item in new})
    return equal("the list of downloads has it", [(url, url, "complete")], listed)


def _genuine(state: State) -> Check:
    """Check that the browser wrote the bookmarks: an edited file has a wrong checksum."""
    genuine = bookmarks_of(state).genuine
    return equal("the browser itself wrote the bookmarks", True, genuine, weight=0.0, integrity=True)


def _open_pages_known(person: Person, state: State) -> Check:
    """Check that the history contains the open pages of the person's sites; a restored older history does not."""
    live = state.data.get("live", {})
    hosts = {person.host(site) for site in SITES}
    shown = [tab.get("url", "") for tab in live.get("tabs", []) if not tab.get("private")]
    wanted = [url for url in shown if (urlsplit(url).hostname or "") in hosts and not url.endswith((".pdf", ".csv"))]
    missing = sorted(set(wanted) - set(visited_of(state)))
    return equal("the history has what is open", [], missing, weight=0.0, integrity=True).as_weak()


def _settings(state: State) -> dict[str, object]:
    leaves = preferences_leaves(preferences_of(state))
    decided = {
        name: value
        for name, value in leaves.items()
        if not name.startswith("content_exceptions[") or name.partition("[")[2].partition("]")[0] in _DECIDED
    }
    return decided | other_user_settings(state)


def _filled(state: State) -> dict[str, Any]:
    data = web_data_of(state)
    filled: dict[str, Any] = {f"engine {engine.keyword}": (engine.name, engine.url) for engine in data.engines}
    return filled | {f"address {number}": address for number, address in enumerate(data.addresses)}


def _matching(patterns: Sequence[str], *leaves: Mapping[str, object]) -> set[str]:
    return {
        key for group in leaves for key in group if any(fnmatchcase(key, _literal(pattern)) for pattern in patterns)
    }


def _literal(pattern: str) -> str:
    """A pattern in which only `*` is special, because names of settings contain square brackets."""
    return pattern.replace("[", "[[]")
