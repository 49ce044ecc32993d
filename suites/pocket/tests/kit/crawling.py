"""A walk through an app's pages: every kind of page that its links lead to, with every sheet open once."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from urllib.parse import urljoin

from fairground_pocket import suite
from fairground_pocket.kit import PROFILES, Hand, Phone, PocketApp
from fairground_pocket.kit.reading import Element, Page

APPS = [app for app in suite.apps if isinstance(app, PocketApp)]


def phone(app: PocketApp, profile: str, theme: str = "paper") -> Phone:
    """A phone with an app at a profile, without a task."""
    by_name = {one.name: one for one in APPS}
    return Phone([one.site for one in APPS], theme, lambda name: by_name.get(name, app).content(profile))


def kind(path: str) -> str:
    """What a page has in common with others of its kind: its address without numbers and values."""
    where, _, query = path.partition("?")
    return re.sub(r"\d+", "0", where) + "?" + "&".join(sorted(re.findall(r"(?:^|&)(\w+)=", query)))


def crawl(hand: Hand, start: str, each: int = 2, most: int = 120) -> Iterator[Page]:
    """Pages from `start` on, at most `each` of a kind."""
    seen: dict[str, int] = defaultdict(int)
    known = {start}
    waiting = [start]
    while waiting and most:
        path = waiting.pop(0)
        if seen[kind(path)] >= each:
            continue
        seen[kind(path)] += 1
        most -= 1
        page = hand.open(path)
        yield page
        for element in page.root.walk():
            if element.role == "link" and not element.get("href").startswith("#"):
                to = urljoin(page.path, element.get("href")).partition("#")[0]
                if to not in known and to.startswith("/"):
                    known.add(to)
                    waiting.append(to)


@cache
def pages(app: PocketApp) -> tuple[Page, ...]:
    """All kinds of pages of an app, for whoever only looks at them."""
    return tuple(crawl(Hand(phone(app, PROFILES[0]).respond), f"/{app.name}/"))


def sheets(page: Page) -> list[str]:
    """The fragments under which a page differs: none, and one for each sheet."""
    return ["", *(element.get("id") for element in page.root.walk() if element.is_sheet)]


def target(page: Page, element: Element) -> str:
    """Where a control leads or what it sets: controls of one name must agree on it."""
    form = next((above for above in element.above() if above.tag == "form"), None)
    sent = (
        sorted((one.get("name"), one.get("value")) for one in form.walk() if one.get("type") == "hidden")
        if form
        else ()
    )
    action = form.get("action") if form else element.get("form")
    return f"{element.role} {element.get('href')} {action} {sent} {element.get('name')}={element.get('value')}"
