"""Chromium as an app: a person's profile, web sites served from the host, and the DevTools connection."""

from __future__ import annotations

import contextlib
import json
import math
import re
import time
from collections.abc import Mapping
from typing import Any, ClassVar, Final

from fairground.core import AppError, InvalidConfiguration, StageError, State
from fairground.sandbox import Sandbox
from fairground.screen import DesktopStyle, open_desktop
from fairground.worlds import Command, Seat, World
from fairground_desk.browser.belongings import bookmark_bar, folders, other_bookmarks, past
from fairground_desk.browser.debugging import Debugger
from fairground_desk.browser.inspector import BROWSER, LOCAL_STATE, PROFILE, RECORDED
from fairground_desk.browser.person import PEOPLE, SITES, Person, person
from fairground_desk.browser.profile_files import bookmarks_file, cookies_database, history_database
from fairground_desk.browser.serving import Response, Server
from fairground_desk.browser.sites import Sites
from fairground_desk.browser.waiting import wait
from fairground_desk.kit import DeskApp, wait_drawn

_PROGRAM: Final = "/usr/lib/chromium/chromium"  # without Debian's wrapper script, which is slow
_READY_SECONDS: Final = 60.0
_CLOSE_SECONDS: Final = 10.0
_KEPT: Final = "browser"

_FLAGS: Final = (
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-breakpad",
    "--disable-gpu",
    "--force-renderer-accessibility",
    "--password-store=basic",
    "--lang=en-US",
    "--log-level=3",
)
_WITHOUT: Final = (
    "AutofillServerCommunication",
    "HttpsUpgrades",  # the sites are plain HTTP
    "HttpsFirstBalancedModeAutoEnable",
    "InsecureDownloadWarnings",
    "MediaRouter",
    "OmniboxDefaultTypedNavigationsToHttps",
    "OptimizationHints",
    "PersistentHistograms",  # metrics: megabytes, written at any time
    "Translate",
)


class Browser(DeskApp):
    """The unmodified Chromium of Debian, set up as for everyday work."""

    name = "browser"
    title = "Chromium"
    packages = ("chromium",)
    folders = ("~/Documents", "~/Downloads", "~/Pictures", "~/Desktop")
    settings = (*RECORDED, LOCAL_STATE)
    clocks = ("super_mac", "tabs.title")  # checksums of settings, and titles that follow from a page's address
    inspector = BROWSER
    profiles: ClassVar[Mapping[str, Mapping[str, Any]]] = {name: {"person": name} for name in PEOPLE}
    ui_states: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "start": {"pages": (("intranet", "/"),)},
        "new-tab": {"pages": ("chrome://newtab/",)},
        "tabs": {"pages": (("news", "/"), ("library", "/articles"), ("shop", "/products"), ("catalogue", "/records"))},
        "small": {"pages": (("catalogue", "/"),), "window": (960, 640, 150, 40)},
        "no-bar": {"pages": (("events", "/programme"),), "bar": False, "window": (1120, 690, 60, 10)},
        "deep": {
            "pages": (("library", "/articles/1"), ("catalogue", "/records?page=2")),
            "window": (900, 680, 360, 20),
        },
        "zoomed": {"pages": (("news", "/archive"),), "zoom": 1.25},
    }

    def configure(self, sandbox: Sandbox) -> None:
        """Let Chromium create its profile once, so that every seat starts with complete databases."""
        desktop = open_desktop(sandbox, style=DesktopStyle())
        server = Server(sandbox.listen(), lambda request: Response(b"<title>Ready</title>"))
        try:
            debugger = Debugger(sandbox, _command(server.port, sandbox, ["http://first.example/"]), desktop.env)
            _wait_files(sandbox)
            _close(debugger)
            debugger.close()
        finally:
            server.close()
            desktop.close()
        sandbox.run(["rm", "-rf", *(f"{sandbox.home}{PROFILE[1:]}/{name}" for name in _LEFT_OVER)])

    def setup(self, sandbox: Sandbox, world: World) -> None:
        """Write the person's profile and folders."""
        owner = self.person(world)
        history = past(owner, sandbox.home, _pages(owner, world))
        written = {
            "Bookmarks": bookmarks_file(bookmark_bar(owner), other_bookmarks(owner)),
            "History": history_database(sandbox.read_file(f"{PROFILE}/History"), history),
            "Cookies": cookies_database(sandbox.read_file(f"{PROFILE}/Cookies"), history),
            "Preferences": json.dumps(preferences(owner, sandbox.home, world.ui_state)).encode(),
        }
        for name, data in written.items():
            sandbox.write_file(f"{PROFILE}/{name}", data)
        for path, data in folders(owner).items():
            sandbox.write_file(path, data)
        sandbox.run(["mkdir", "-p", "Desktop", "Pictures", "Downloads"])

    def launch(self, seat: Seat) -> None:
        """Serve the sites, start the browser, and wait until its pages have loaded."""
        owner, state = self.person(seat.world), seat.world.ui_state
        sites = Sites(owner)
        server = Server(seat.sandbox.listen(), sites.respond)
        seat.defer(server.close)
        pages = _pages(owner, seat.world)
        width, height, left, top = state.get("window", (0, 0, 0, 0))
        size = (
            [f"--window-size={width},{height}", f"--window-position={left},{top}"] if width else ["--start-maximized"]
        )
        self.note_settings(seat)
        debugger = Debugger(seat.sandbox, _command(server.port, seat.sandbox, [*size, *pages]), seat.env)
        seat.defer(debugger.close)
        seat.keep[_KEPT] = (debugger, server, sites)
        try:
            wait_drawn(seat, r" - Chromium$")
            seat.keep["context"] = _wait_loaded(seat, debugger, len(pages))
        except AppError as error:
            raise AppError(f"{error.message}\n{debugger.process.output(2000)}") from None

    def live(self, seat: Seat) -> Mapping[str, Any]:
        """Return the open tabs and the cookies, from the running browser: it writes both to disk late."""
        debugger = self.debugger(seat)
        if debugger.process.poll() is not None:
            return {"running": False, "tabs": []}
        targets = debugger.call("Target.getTargets")["targetInfos"]
        own = seat.keep["context"]
        tabs = [
            {"title": target["title"], "url": target["url"], "private": target.get("browserContextId") != own}
            for target in targets
            if target["type"] == "page"
        ]
        stored = debugger.call("Storage.getCookies")["cookies"]
        cookies = sorted({f"{cookie['domain']} {cookie['name']}" for cookie in stored})
        return {"running": True, "cookies": cookies, "tabs": sorted(tabs, key=lambda tab: (tab["url"], tab["title"]))}

    def save(self, seat: Seat) -> None:
        """Record the live state, then close the browser. Its files are complete only after it has exited."""
        super().save(seat)
        _close(self.debugger(seat))

    def capture(self, seat: Seat, world: World) -> State:
        """Record the files, and the data that the sites received."""
        _, server, sites = seat.keep[_KEPT]
        with server.lock:
            if server.fault is not None:
                raise AppError(f"a web site broke: {type(server.fault).__name__}: {server.fault}") from server.fault
            received = sites.state.recorded()
        state = super().capture(seat, world)
        # An empty journal only says that its database is complete.
        files = {path: data for path, data in state.files.items() if data or not path.endswith("-journal")}
        return State(files=files, data={**state.data, "sites": received}, missing=state.missing)

    def command(self, seat: Seat, command: Command) -> None:
        """Also wait for a page or a file; see `waiting`."""
        if command.name.startswith("wait-"):
            wait(seat, self.debugger(seat), command)
        else:
            super().command(seat, command)

    def person(self, world: World) -> Person:
        return person(str(world.profile["person"]))

    def debugger(self, seat: Seat) -> Debugger:
        """Return the DevTools connection of the seat's browser."""
        if _KEPT not in seat.keep:
            raise InvalidConfiguration("the browser of this seat was not started")
        debugger: Debugger = seat.keep[_KEPT][0]
        return debugger


def preferences(owner: Person, home: str, state: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a browser in regular use: no first-run prompts, no offers."""
    prefs: dict[str, Any] = {
        "autofill": {"credit_card_enabled": False, "profile_enabled": True},
        "bookmark_bar": {"show_on_all_tabs": bool(state.get("bar", True))},
        "browser": {"check_default_browser": False, "has_seen_welcome_page": True, "show_home_button": False},
        "credentials_enable_service": False,
        "download": {"default_directory": f"{home}/Downloads", "prompt_for_download": False, "directory_upgrade": True},
        "enable_do_not_track": False,
        "homepage": owner.url("news"),
        "homepage_is_newtabpage": True,
        "intl": {"accept_languages": "en-US,en", "selected_languages": "en-US,en"},
        "ntp": {"num_personal_suggestions": 1},
        "profile": {
            # The sites are plain HTTP. Without this, Chromium blocks their PDF files as insecure downloads.
            "content_settings": {
                "exceptions": {"mixed_script": {f"[*.]{owner.host(site)},*": _ALLOWED for site in SITES}}
            },
            "cookie_controls_mode": 1,
            "exit_type": "Normal",
            "exited_cleanly": True,
            "name": owner.first,
        },
        "savefile": {"default_directory": f"{home}/Downloads"},
        "search": {"suggest_enabled": False},
        "session": {"restore_on_startup": 5},
        "signin": {"allowed": False},
        "spellcheck": {"dictionaries": ["en-US"]},  # Chromium would set it by itself at the first typed text
        "translate": {"enabled": False},
    }
    if zoom := state.get("zoom"):
        prefs["partition"] = {"per_host_zoom_levels": {"x": {owner.host("news"): {"zoom_level": _level(zoom)}}}}
    return prefs


_ALLOWED: Final = {"setting": 1}
_LEFT_OVER: Final = (
    "Sessions", "Sessions_Encrypted", "Preferences", "Secure Preferences", "GPUCache", "DawnGraphiteCache",
    "DawnWebGPUCache", "Top Sites", "Top Sites-journal", "Shortcuts", "History-journal", "Cookies-journal",
)  # fmt: skip
_FIRST: Final = ("History", "Cookies", "Web Data")


def _command(port: int, sandbox: Sandbox, more: list[str]) -> list[str]:
    place = f"{sandbox.home}{PROFILE[1:]}".rpartition("/")[0]
    without = f"--disable-features={','.join(_WITHOUT)}"
    return [_PROGRAM, *_FLAGS, without, f"--proxy-server=127.0.0.1:{port}", f"--user-data-dir={place}", *more]


def _pages(owner: Person, world: World) -> list[str]:
    """The addresses of the pages that are open at the start."""
    return [page if isinstance(page, str) else owner.url(*page) for page in world.ui_state["pages"]]


def _wait_files(sandbox: Sandbox) -> None:
    """Wait until a first run has created its databases."""
    deadline = time.monotonic() + _READY_SECONDS
    while True:
        with contextlib.suppress(Exception):
            if all(len(sandbox.read_file(f"{PROFILE}/{name}")) > 0 for name in _FIRST):
                return
        if time.monotonic() > deadline:
            raise StageError("Chromium did not make a profile on its first run")
        time.sleep(0.05)  # polled, because no event tells when the files are complete


def _wait_loaded(seat: Seat, debugger: Debugger, count: int) -> str:
    """Wait until every page has its title and the screen is still; return their browser context."""
    deadline = time.monotonic() + _READY_SECONDS
    while True:
        pages = [target for target in debugger.call("Target.getTargets")["targetInfos"] if target["type"] == "page"]
        named = [page for page in pages if page["title"] and not re.match(r"[\w.-]+(/|:|$)", page["title"])]
        if len(pages) >= count and len(named) == len(pages):
            break
        if time.monotonic() > deadline:
            raise AppError(f"the pages did not load; there are {[page['url'] for page in pages]}")
        seat.screen.wait_change(0.1)
    seat.screen.settle(timeout=5.0)
    return str(pages[0].get("browserContextId", ""))


def _close(debugger: Debugger) -> None:
    """Close the browser over DevTools, so that it writes all its files. If it hangs, terminate it, then kill it."""
    with contextlib.suppress(AppError):
        debugger.call("Browser.close")
    for signal in (15, 9):
        try:
            debugger.process.wait(_CLOSE_SECONDS)
            return
        except TimeoutError:
            debugger.process.kill(signal)


def _level(factor: float) -> float:
    return math.log(factor) / math.log(1.2)
