"""Chromium: what it says of its bookmarks, settings, history and cookies, and what is read from its profile."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from html import escape
from typing import Any
from urllib.parse import quote

import pytest

from fairground.core import AppError, State
from fairground.sandbox import Sandbox, SandboxSpec, open_sandbox
from fairground.verify.reading.chromium import FILES, Bookmark, Profile, read_profile
from fairground_desk.browser.debugging import Debugger
from fairground_desk.browser.inspector import BROWSER, PROFILE
from fairground_desk.browser.serving import Request, Response, Server

from .agreement import Tally
from .drawing import Draw

FLAGS = ("--headless=new", "--no-first-run", "--disable-background-networking", "--disable-component-update",
         "--disable-sync", "--disable-gpu", "--password-store=basic", "--lang=en-US", "--log-level=3",
         "--disable-features=HttpsUpgrades,HttpsFirstBalancedModeAutoEnable")  # fmt: skip
ADDRESSES = (
    *("https://example.org/a?b=c&d=%20e#f", "http://xn--bcher-kva.example/", "https://example.org/日本?q=é"),
    *("javascript:alert(1)", "data:text/plain,hi", "https://u@example.org:8443/x", "file:///tmp/a%20b"),
)
SECONDS = 60.0
STARTUP = {1: "last session", 4: "pages", 5: "new tab"}
COOKIES = {0: "allowed", 1: "third-party blocked", 2: "third-party blocked in incognito"}
SETTINGS: dict[str, tuple[str, tuple[Any, ...]]] = {
    "homepage": ("homepage", ("https://example.org/home", "https://example.org/é?x=1&y=2")),
    "homepage_is_new_tab": ("homepage_is_newtabpage", (True, False)),
    "show_home_button": ("browser.show_home_button", (True, False)),
    "show_bookmark_bar": ("bookmark_bar.show_on_all_tabs", (True, False)),
    "startup": ("session.restore_on_startup", (1, 4, 5)),
    "startup_urls": ("session.startup_urls", (["https://example.org/a"], ["https://example.org/a", "https://b.org/"])),
    "font_size": ("webkit.webprefs.default_font_size", (9, 20, 72)),
    "fixed_font_size": ("webkit.webprefs.default_fixed_font_size", (10, 13, 30)),
    "minimum_font_size": ("webkit.webprefs.minimum_font_size", (0, 9, 24)),
    "ask_where_to_save": ("download.prompt_for_download", (True, False)),
    "do_not_track": ("enable_do_not_track", (True, False)),
    "cookies": ("profile.cookie_controls_mode", (0, 1, 2)),
    "save_passwords": ("credentials_enable_service", (True, False)),
    "fill_addresses": ("autofill.profile_enabled", (True, False)),
    "fill_cards": ("autofill.credit_card_enabled", (True, False)),
    "translate": ("translate.enabled", (True, False)),
    "safe_browsing": ("safebrowsing.enabled", (True, False)),
}
MAKE = """
(async (tree) => {
  const make = async (parentId, node) => {
    const made = await chrome.bookmarks.create({parentId, title: node.title, url: node.url});
    for (const child of node.children || []) await make(made.id, child);
  };
  for (const node of tree) await make(node.root, node);
})(%s)
"""

pytestmark = pytest.mark.slow  # tests/verify/reading has an example of each format


@pytest.mark.parametrize(
    "numbers",
    [
        pytest.param(range(1), id="few"),
        pytest.param(range(1, 14), id="many", marks=pytest.mark.timeout(900)),
    ],
)
def test_chromium_and_the_readers_agree_on_a_saved_profile(numbers: Iterable[int]) -> None:
    tally = Tally()
    for number in numbers:
        draw = Draw(7000 + number)
        pages = {f"/{place}": draw.text()[:300] for place in range(draw.randint(2, 6))}
        sandbox = open_sandbox(SandboxSpec())
        server = Server(sandbox.listen(), lambda request, pages=pages: _page(request, pages))  # type: ignore[misc]
        try:
            with _browser(sandbox, server.port) as browser:
                visited = browser.visit([draw.choice(tuple(pages)) for _ in range(draw.randint(1, 8))])
                browser.go("chrome://bookmarks")
                browser.run(MAKE % json.dumps(_tree(draw)))
                browser.go("chrome://settings")
                for name, (key, values) in SETTINGS.items():
                    # What holds for cookies of third parties until somebody chooses is no matter of the profile: builds
                    # of Chromium differ in it (Debian's blocks them).
                    if draw.likely(0.6) or name == "cookies":
                        browser.run(
                            f"chrome.settingsPrivate.setPref({json.dumps(key)}, {json.dumps(draw.choice(values))}, '')"
                        )
            # Its account is of what it has read from its own files.
            with _browser(sandbox, server.port) as browser:
                said = browser.account() | {"visited": visited}
            files = {name: sandbox.read_file(f"{PROFILE}/{name}") for name in FILES if _is_there(sandbox, name)}
        finally:
            server.close()
            sandbox.discard()
        profile = read_profile(files)
        tally.compare(f"profile {number}", said, told(profile))
        state = State(files={f"{PROFILE}/{name}": data for name, data in files.items()}, data={})
        assert BROWSER.ask(state, "bookmarks")["bar"] == profile.bookmarks.bar.to_json()
    print(tally)
    assert tally.properties > 40 * tally.documents


class _Browser:
    def __init__(self, debugger: Debugger) -> None:
        self._debugger = debugger
        # The browser answers nothing before it is up, which takes long on a busy machine.
        target = debugger.call("Target.createTarget", {"url": "about:blank"}, seconds=SECONDS)["targetId"]
        attached = debugger.call("Target.attachToTarget", {"targetId": target, "flatten": True}, seconds=SECONDS)
        self._session = str(attached["sessionId"])

    def run(self, script: str, seconds: float = SECONDS) -> Any:
        """What a script gives, in the page."""
        wanted = {"expression": script, "awaitPromise": True, "returnByValue": True}
        done = self._debugger.call("Runtime.evaluate", wanted, session=self._session, seconds=seconds)
        assert "exceptionDetails" not in done, str(done)[:1000]
        return done["result"].get("value")

    def go(self, address: str) -> None:
        """Opens a page and waits until it is complete."""
        self._debugger.call("Page.navigate", {"url": address}, session=self._session, seconds=SECONDS)
        deadline = time.monotonic() + SECONDS
        while True:
            with suppress(AppError):  # between two pages there is nothing to ask
                ready, where = self.run("[document.readyState, location.href]", seconds=10.0)
                if ready == "complete" and where.startswith(address):
                    return
            assert time.monotonic() < deadline, f"{address} does not open"
            time.sleep(0.02)  # between two looks at a condition

    def visit(self, paths: list[str]) -> dict[str, Any]:
        """Opens pages; gives how often each was, and its title, as the tab's own history says."""
        for path in paths:
            self.go(f"http://site.example{path}")
        found: dict[str, Any] = {}
        history = self._debugger.call("Page.getNavigationHistory", session=self._session, seconds=SECONDS)
        for entry in history["entries"]:
            if entry["url"].startswith("http://site.example/"):
                found[entry["url"]] = entry["title"]
        return found

    def account(self) -> dict[str, Any]:
        """What the browser says of itself."""
        self.go("chrome://bookmarks")
        bar, other = self.run("chrome.bookmarks.getTree()")[0]["children"][:2]
        self.go("chrome://settings")
        settings = {}
        for name, (key, _) in SETTINGS.items():
            settings[name] = self.run(f"chrome.settingsPrivate.getPref({json.dumps(key)})")["value"]
        settings["startup"] = STARTUP[settings["startup"]]
        settings["cookies"] = COOKIES[settings["cookies"]]
        cookies = self._debugger.call("Storage.getCookies", seconds=SECONDS)["cookies"]
        return {
            "bar": _said(bar),
            "other": _said(other),
            "settings": settings,
            "cookies": {
                one["name"]: [one["domain"], one["path"], one["secure"], one["httpOnly"]]
                for one in cookies
                if not one["session"]
            },
        }


@contextmanager
def _browser(sandbox: Sandbox, port: int) -> Iterator[_Browser]:
    place = f"{sandbox.home}{PROFILE[1:]}".rpartition("/")[0]
    argv = ["/usr/lib/chromium/chromium", *FLAGS, f"--proxy-server=127.0.0.1:{port}", f"--user-data-dir={place}"]
    debugger = Debugger(sandbox, argv, {})
    try:
        yield _Browser(debugger)
        debugger.call("Browser.close", seconds=SECONDS)
        debugger.process.wait(SECONDS)
    finally:
        debugger.close()


def _page(request: Request, pages: dict[str, str]) -> Response:
    title = escape(pages.get(request.path, "none"))
    cookie = {"Set-Cookie": f"seen{quote(request.path, safe='')}=1; Max-Age=86400; HttpOnly"}
    return Response(f"<title>{title}</title>".encode(), headers=cookie)


def _tree(draw: Draw, depth: int = 0) -> list[dict[str, Any]]:
    found = []
    for _ in range(draw.randint(1, 5)):
        one: dict[str, Any] = {"title": draw.text()[:300], "root": draw.choice(("1", "2"))}
        if depth < 3 and draw.likely(0.4):
            one["children"] = _tree(draw, depth + 1) if draw.likely(0.8) else []
        else:
            one["url"] = draw.choice(ADDRESSES)
        found.append(one)
    return found


def _said(node: dict[str, Any]) -> dict[str, Any]:
    if "url" in node:
        return {"title": node["title"], "url": node["url"]}
    return {"title": node["title"], "children": [_said(child) for child in node.get("children", [])]}


def _is_there(sandbox: Sandbox, name: str) -> bool:
    return any(one.path == name for one in sandbox.list_files(PROFILE))


# What was read, in the words of the account.


def told(profile: Profile) -> dict[str, Any]:
    """All that is compared of a profile."""
    settings = {name: getattr(profile.preferences, name) for name in SETTINGS}
    return {
        "bar": _told(profile.bookmarks.bar),
        "other": _told(profile.bookmarks.other),
        "settings": settings,
        "cookies": {one.name: [one.host, one.path, one.secure, one.http_only] for one in profile.cookies},
        "visited": {one.url: one.title for one in profile.history.pages if "site.example" in one.url},
    }


def _told(mark: Bookmark) -> dict[str, Any]:
    if mark.url:
        return {"title": mark.title, "url": mark.url}
    return {"title": mark.title, "children": [_told(child) for child in mark.children]}
