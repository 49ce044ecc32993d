"""Clearing data: history, cookies, site data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fairground.core import Check, State
from fairground.verify import equal, holds, unchanged
from fairground.worlds import Move, Press, Tap, World
from fairground_desk.browser.inspector import check_not_visited, cookies, cookies_of, downloads, history, visited_of
from fairground_desk.browser.person import SITES, Person
from fairground_desk.browser.scenarios.browser_task import BrowserTask, go, in_settings

_DELETE = Tap("Delete from this device", role="push button")


class ForgetSite(BrowserTask):
    """Delete all visits to a site from the history."""

    name = "forget-site"
    template = "Delete every page of {host} from the browsing history. The history of all other sites must stay."
    instances = {
        "library": {"site": "library"},
        "newspaper": {"site": "news"},
        "shop": {"site": "shop"},
        "events": {"site": "events"},
    }
    forgets = True

    def words(self, world: World, person: Person) -> Mapping[str, object]:
        return {"host": person.host(str(world.parameters["site"]))}

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        owner, site = self.person(world), str(world.parameters["site"])
        checks = [check_not_visited(after, owner.host(site)).model_copy(update={"weight": 3.0})]
        for neighbour in SITES:
            if neighbour != site:
                old, new = (
                    {str(page["url"]): True for page in history(state, owner.host(neighbour))}
                    for state in (before, after)
                )
                guard = unchanged(f"the history of {neighbour} is kept", old, {url: True for url in old if url in new})
                checks.append(guard)
        return checks

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """Search, select all, delete. The search field has the focus at first, and the list loads in parts."""
        host = self.person(world).host(str(world.parameters["site"]))
        once: list[Move] = [
            *go(f"chrome://history/?q={host}"), Tap("By date", role="page tab"), Press("ctrl+a"), Press("delete"),
            Tap("Delete", role="push button", within="Delete selected items"),
        ]  # fmt: skip
        return once


class ClearData(BrowserTask):
    """Clear one kind of data for all time."""

    name = "clear-browsing-data"
    template = "Delete {what} of all time from the browser, and nothing else: {kept} must stay."
    instances = {
        "cookies": {"kind": "cookies", "what": "all cookies and other site data",
                    "kept": "browsing history and the list of downloads"},
        "downloads": {"kind": "downloads", "what": "the list of downloads (the download history)",
                      "kept": "browsing history, cookies and the downloaded files themselves"},
        "history": {"kind": "history", "what": "the browsing history",
                    "kept": "cookies and the list of downloads"},
    }  # fmt: skip
    forgets = True
    forgets_downloads = True
    loses_cookies = True

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        kind = str(world.parameters["kind"])
        old = set(visited_of(before))
        left = set(visited_of(after)) & old
        listed = {item["path"] for item in downloads(before)}
        still = {item["path"] for item in downloads(after)} & listed
        names, now = (set(cookies_of(state)) for state in (before, after))
        # An open page keeps running and may set its cookie again.
        few = len(now & names) <= 1
        return [
            _gone_or_kept("the history", kind == "history", len(old), len(left), gone=len(left) <= 4),
            _gone_or_kept("the list of downloads", kind == "downloads", len(listed), len(still), gone=not still),
            _gone_or_kept("the cookies", kind == "cookies", len(names), len(now & names), gone=few),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        boxes = {"history": "Browsing history", "cookies": "Cookies and other site data",
            "cache": "Cached images and files",
                 "downloads": "Download history"}  # fmt: skip
        others = [Tap(words, role="check box") for kind, words in boxes.items() if kind != world.parameters["kind"]]
        return [
            *in_settings(world, "clearBrowserData", "More"),
            Tap("More", role="toggle button"),
            Tap("All time"),
            *others,
            _DELETE,
        ]


class ForgetCookies(BrowserTask):
    """Delete the cookies and data of a site."""

    name = "delete-site-data"
    template = "Delete the data (cookies) that {url} has stored in this browser. Other sites keep theirs."
    instances = {"shop": {"site": "shop"}, "events": {"site": "events"}, "helpdesk": {"site": "helpdesk"}}
    loses_cookies = True

    def words(self, world: World, person: Person) -> Mapping[str, object]:
        return {"url": person.url(str(world.parameters["site"])).rstrip("/")}

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        owner, site = self.person(world), str(world.parameters["site"])
        checks = [equal(f"{site} has no cookies", [], cookies(after, owner.host(site)), weight=3.0)]
        for neighbour in SITES:
            if neighbour != site:
                intact = set(cookies(before, owner.host(neighbour))) <= set(cookies(after, owner.host(neighbour)))
                checks.append(
                    holds(f"cookies of {neighbour} are kept", intact, weight=0.0).model_copy(update={"integrity": True})
                )
        return checks

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """Uses the site's page in the settings. Opening it leaves a page of the site that was open."""
        host = self.person(world).host(str(world.parameters["site"]))
        return [
            *in_settings(world, f"content/siteDetails?site=http%3A%2F%2F{host}"), Tap("Delete data",
            role="push button"),
            Tap("Delete", role="push button", within="Delete"),
        ]  # fmt: skip


def _gone_or_kept(name: str, goes: bool, before: int, after: int, *, gone: bool) -> Check:
    if goes:
        return holds(f"{name}: gone", gone, expected=0, found=after, weight=3.0)
    guard = holds(f"{name}: kept", after == before, expected=before, found=after, weight=0.0)
    return guard.model_copy(update={"integrity": True})


SCENARIOS = (ForgetSite(), ClearData(), ForgetCookies())
