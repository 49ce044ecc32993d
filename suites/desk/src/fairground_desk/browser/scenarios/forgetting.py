"""What the browser should no longer know."""

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
    """All visits to one site."""

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
        """None of it is left; all others are."""
        owner, site = self.person(world), str(world.parameters["site"])
        checks = [check_not_visited(after, owner.host(site)).model_copy(update={"weight": 3.0})]
        for other in SITES:
            if other != site:
                one, two = (
                    {str(page["url"]): True for page in history(state, owner.host(other))} for state in (before, after)
                )
                kept = unchanged(f"the history of {other} is kept", one, {url: True for url in one if url in two})
                checks.append(kept)
        return checks

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """Search, select all, delete. The search has the focus, so it is left first. The list loads by parts."""
        host = self.person(world).host(str(world.parameters["site"]))
        once: list[Move] = [
            *go(f"chrome://history/?q={host}"), Tap("By date", role="page tab"), Press("ctrl+a"), Press("delete"),
            Tap("Delete", role="push button", within="Delete selected items"),
        ]  # fmt: skip
        return once


class ClearData(BrowserTask):
    """One kind of data, of all time."""

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
        """What was to go is gone, what was to stay is there."""
        kind = str(world.parameters["kind"])
        old = set(visited_of(before))
        left = set(visited_of(after)) & old
        listed = {item["path"] for item in downloads(before)}
        still = {item["path"] for item in downloads(after)} & listed
        names, now = (set(cookies_of(state)) for state in (before, after))
        # What is open goes on: the page that shows may set its cookie again.
        few = len(now & names) <= 1
        return [
            _gone_or_kept("the history", kind == "history", len(old), len(left), gone=len(left) <= 4),
            _gone_or_kept("the list of downloads", kind == "downloads", len(listed), len(still), gone=not still),
            _gone_or_kept("the cookies", kind == "cookies", len(names), len(now & names), gone=few),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """The dialog: the time, then only the one box."""
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
    """The data of one site."""

    name = "delete-site-data"
    template = "Delete the data (cookies) that {url} has stored in this browser. Other sites keep theirs."
    instances = {"shop": {"site": "shop"}, "events": {"site": "events"}, "helpdesk": {"site": "helpdesk"}}
    loses_cookies = True

    def words(self, world: World, person: Person) -> Mapping[str, object]:
        return {"url": person.url(str(world.parameters["site"])).rstrip("/")}

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        """Its cookies are gone, those of the others are there."""
        owner, site = self.person(world), str(world.parameters["site"])
        checks = [equal(f"{site} has no cookies", [], cookies(after, owner.host(site)), weight=3.0)]
        for other in SITES:
            if other != site:
                kept = set(cookies(before, owner.host(other))) <= set(cookies(after, owner.host(other)))
                checks.append(
                    holds(f"cookies of {other} are kept", kept, weight=0.0).model_copy(update={"integrity": True})
                )
        return checks

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """The site's own page of the settings. An open tab of the site is left before."""
        host = self.person(world).host(str(world.parameters["site"]))
        return [
            *in_settings(world, f"content/siteDetails?site=http%3A%2F%2F{host}"), Tap("Delete data",
            role="push button"),
            Tap("Delete", role="push button", within="Delete"),
        ]  # fmt: skip


def _gone_or_kept(name: str, goes: bool, before: int, after: int, *, gone: bool) -> Check:
    if goes:
        return holds(f"{name}: gone", gone, expected=0, found=after, weight=3.0)
    kept = holds(f"{name}: kept", after == before, expected=before, found=after, weight=0.0)
    return kept.model_copy(update={"integrity": True})


SCENARIOS = (ForgetSite(), ClearData(), ForgetCookies())
