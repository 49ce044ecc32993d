"""What tasks in the browser have in common: what may change, where things are, and how one gets there by keys."""

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
from fairground_desk.browser.serving import Request
from fairground_desk.browser.sites import Sites
from fairground_desk.browser.waiting import focused, opened, page, saved, shown, window
from fairground_desk.tasks import DeskTask

_DECIDED = ("popups", "notifications", "javascript", "images", "geolocation", "cookies", "media_stream_mic", "sound")


class BrowserTask(DeskTask):
    """A task in the browser. Bookmarks, settings, history, site data and what sites received are all guarded.

    Attributes:
        bookmarks: Patterns of bookmark leaves that may change, such as `bar/*`; `bar.order` is the order on the bar.
        settings: Patterns of settings that may change, such as `homepage*`.
        received: What sites may receive: `tickets`, `orders` and so on.
        forgets: Whether pages may vanish from the history.
        forgets_downloads: Whether the list of downloads may lose entries.
        loses_cookies: Whether cookies may vanish.
        fills: Whether addresses or search engines may change.

    Which tabs are open at the end is left to whoever does the task, unless it is about tabs.
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
        """What the instruction needs of the profile's data, beside the parameters."""
        return {}

    def phrase(self, world: World) -> str:
        """The template with parameters and words filled in."""
        owner = self.person(world)
        return self.template.format_map({**world.parameters, **self.words(world, owner)})

    def person(self, world: World) -> Person:
        return cast(Browser, world.app).person(world)

    @abstractmethod
    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """The checks of this task."""

    def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """The task's own checks, and guards over everything else that the browser and the sites keep."""
        return [*super().checks(world, before, after, answer), *self.guards(world, before, after)]

    def bookmark_changes(self, world: World) -> Sequence[str]:
        """Patterns of bookmark leaves that may change; override it where they depend on the profile."""
        return self.bookmarks

    def setting_changes(self, world: World) -> Sequence[str]:
        """Patterns of settings that may change; override it where they depend on the profile."""
        return self.settings

    def guards(self, world: World, before: State, after: State) -> list[Check]:
        """That nothing else changed in bookmarks, settings, history, cookies, filled-in data and at the sites."""
        one: Mapping[str, object]
        other: Mapping[str, object]
        one, other = bookmark_leaves(bookmarks_of(before)), bookmark_leaves(bookmarks_of(after))
        marks = unchanged(
            "other bookmarks are as they were", one, other, allowed=_matching(self.bookmark_changes(world), one, other)
        )
        one, other = _settings(before), _settings(after)
        told = unchanged(
            "other settings are as they were", one, other, allowed=_matching(self.setting_changes(world), one, other)
        )
        kept = unchanged(
            "the sites received nothing else",
            {key: value for key, value in sites_of(before).items() if key != "downloads"},
            {key: value for key, value in sites_of(after).items() if key != "downloads"},
            allowed=self.received,
        )
        found = [marks, told, kept, _genuine(after)]
        if not self.forgets:
            one, other = (dict.fromkeys(visited_of(state), True) for state in (before, after))
            found.append(_open_pages_known(self.person(world), after))
            found.append(unchanged("the history is kept", one, {url: True for url in one if url in other}))
        if not self.forgets_downloads:
            one, other = (
                {item.path: (item.url, item.state) for item in history_of(state).downloads} for state in (before, after)
            )
            found.append(unchanged("the list of downloads is kept", one, {key: other.get(key) for key in one}))
        if not self.loses_cookies:
            one, other = (dict.fromkeys(cookies_of(state), True) for state in (before, after))
            found.append(unchanged("cookies are kept", one, {key: True for key in one if key in other}))
        if not self.fills:
            one, other = _filled(before), _filled(after)
            found.append(unchanged("search engines and addresses are as they were", one, other))
        return found


def address_bar() -> list[Move]:
    """Into the address bar, whatever has the focus."""
    return [Press("escape"), Press("ctrl+l"), focused("Address and search bar")]


def go(url: str) -> list[Move]:
    """To an address, by the address bar. What is open or being typed is left by Escape first."""
    return [*address_bar(), *typed(url), page(url)]


def typed(url: str) -> list[Move]:
    """An address in the address bar, without what the browser would add to it from the history."""
    return [Enter(url), Press("delete"), Press("enter")]


def save_as(path: str) -> list[Move]:
    """In a dialog that asks where to save: the path, and the button by its key."""
    told: list[Move] = [window("Save File"), Press("ctrl+a"), Enter(path), Press("tab"), Press("alt+s")]
    return [*told, window("Save File", gone=True), saved(path)]


def in_settings(world: World, page: str, first: str = "") -> list[Move]:
    """To a page of the settings, in a window that is large enough to show it.

    Args:
        world: Says how large the window is.
        page: Such as `appearance`.
        first: What must show before one goes on: such a page is loaded some time before it is built.
    """
    larger: list[Move] = [Tap("Maximize", role="push button")] if "window" in world.ui_state else []
    return [*larger, *go(f"chrome://settings/{page}"), *([shown(first)] if first else [])]


def choose(name: str, words: str) -> list[Move]:
    """An entry of a drop-down list, by typing how it begins."""
    return [shown(name, "combo box"), Tap(name, role="combo box"), opened(name), Enter(words), Press("enter")]


def folder_id(state: State, path: str) -> int:
    """The browser's own number of a folder of bookmarks, which its manager takes in its address."""
    tree = json.loads(state.file(f"{PROFILE}/Bookmarks"))["roots"]
    first, *names = path.split("/")
    node = tree[{"bar": "bookmark_bar", "other": "other"}[first]]
    for name in names:
        node = next(one for one in node["children"] if one["name"] == name and one["type"] == "folder")
    return int(node["id"])


def in_manager(state: State, path: str) -> list[Move]:
    """To a folder in the bookmark manager."""
    number = folder_id(state, path)
    # Of the bar, where it begins, the manager drops the number.
    url = f"chrome://bookmarks/?id={number}" if number > 1 else "chrome://bookmarks/"
    return [*go(url), shown("Organize", "push button")]


def served(person: Person, url: str) -> str:
    """A page as its site serves it to somebody who has sent nothing in."""
    parts = urlsplit(url)
    return Sites(person).respond(Request("GET", parts.hostname or "", unquote(parts.path))).body.decode()


def listed_download(before: State, after: State, path: str, url: str) -> Check:
    """That the list of downloads has a file anew, complete, from this address and no other."""
    old = {(item.path, item.started) for item in history_of(before).downloads}
    place = preferences_of(before).download_folder.removesuffix("/Downloads") + path.removeprefix("~")
    new = [item for item in history_of(after).downloads if item.path == place and (item.path, item.started) not in old]
    found = sorted({(item.url, item.final_url, item.state) for item in new})
    return equal("the list of downloads has it", [(url, url, "complete")], found)


def _genuine(state: State) -> Check:
    """That the browser itself wrote the bookmarks: a file that was edited has another checksum."""
    genuine = bookmarks_of(state).genuine
    return equal("the browser itself wrote the bookmarks", True, genuine, weight=0.0, integrity=True)


def _open_pages_known(person: Person, state: State) -> Check:
    """That the history has the pages of the person's sites that are open: one that was put back has not."""
    live = state.data.get("live", {})
    hosts = {person.host(site) for site in SITES}
    shown = [one.get("url", "") for one in live.get("tabs", []) if not one.get("private")]
    wanted = [url for url in shown if (urlsplit(url).hostname or "") in hosts and not url.endswith((".pdf", ".csv"))]
    missing = sorted(set(wanted) - set(visited_of(state)))
    return equal("the history has what is open", [], missing, weight=0.0, integrity=True)


def _settings(state: State) -> dict[str, object]:
    found = preferences_leaves(preferences_of(state))
    return {
        name: value
        for name, value in found.items()
        if not name.startswith("content_exceptions[") or name.partition("[")[2].partition("]")[0] in _DECIDED
    }


def _filled(state: State) -> dict[str, Any]:
    data = web_data_of(state)
    found: dict[str, Any] = {f"engine {one.keyword}": (one.name, one.url) for one in data.engines}
    return found | {f"address {number}": one for number, one in enumerate(data.addresses)}


def _matching(patterns: Sequence[str], *leaves: Mapping[str, object]) -> set[str]:
    return {key for one in leaves for key in one if any(fnmatchcase(key, _literal(pattern)) for pattern in patterns)}


def _literal(pattern: str) -> str:
    """A pattern in which only `*` is special: names of settings have square brackets."""
    return pattern.replace("[", "[[]")
