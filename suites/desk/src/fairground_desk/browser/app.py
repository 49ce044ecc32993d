"""Chromium as a world: a person's profile, their web sites served from the host, and how it is asked and closed."""

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

_PROGRAM: Final = "/usr/lib/chromium/chromium"  # without Debian's script around it, which takes time
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
    "PersistentHistograms",  # megabytes of figures about itself, which it writes when it likes
    "Translate",
)


class Browser(DeskApp):
    """The unmodified Chromium of Debian, as somebody uses it at work."""

    name = "browser"
    title = "Chromium"
    packages = ("chromium",)
    folders = ("~/Documents", "~/Downloads", "~/Pictures", "~/Desktop")
    settings = (*RECORDED, LOCAL_STATE)
    clocks = ("super_mac", "tabs.title")  # a checksum of settings; and a page's title follows from its address
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
        """Lets Chromium make its profile once, so that every seat begins with complete databases."""
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
        """The person's profile and folders, and where the UI state begins."""
        owner = self.person(world)
        told = past(owner, sandbox.home, _pages(owner, world))
        written = {
            "Bookmarks": bookmarks_file(bookmark_bar(owner), other_bookmarks(owner)),
            "History": history_database(sandbox.read_file(f"{PROFILE}/History"), told),
            "Cookies": cookies_database(sandbox.read_file(f"{PROFILE}/Cookies"), told),
            "Preferences": json.dumps(preferences(owner, sandbox.home, world.ui_state)).encode(),
        }
        for name, data in written.items():
            sandbox.write_file(f"{PROFILE}/{name}", data)
        for path, data in folders(owner).items():
            sandbox.write_file(path, data)
        sandbox.run(["mkdir", "-p", "Desktop", "Pictures", "Downloads"])

    def launch(self, seat: Seat) -> None:
        """Serves the sites, starts the browser, and waits for its page."""
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
        """The open tabs and the cookies, while it runs: what it writes of those is late, and written twice."""
        debugger = self.debugger(seat)
        if debugger.process.poll() is not None:
            return {"running": False, "tabs": []}
        found = debugger.call("Target.getTargets")["targetInfos"]
        own = seat.keep["context"]
        tabs = [
            {"title": one["title"], "url": one["url"], "private": one.get("browserContextId") != own}
            for one in found
            if one["type"] == "page"
        ]
        kept = debugger.call("Storage.getCookies")["cookies"]
        cookies = sorted({f"{one['domain']} {one['name']}" for one in kept})
        return {"running": True, "cookies": cookies, "tabs": sorted(tabs, key=lambda tab: (tab["url"], tab["title"]))}

    def save(self, seat: Seat) -> None:
        """Asks for the tabs, then closes the browser: only then are all its files complete."""
        super().save(seat)
        _close(self.debugger(seat))

    def capture(self, seat: Seat, world: World) -> State:
        """As for every app, with what the sites keep."""
        _, server, sites = seat.keep[_KEPT]
        with server.lock:
            if server.fault is not None:
                raise AppError(f"a web site broke: {type(server.fault).__name__}: {server.fault}") from server.fault
            kept = sites.state.recorded()
        state = super().capture(seat, world)
        # A journal that is empty says that its database is complete, and nothing else.
        files = {path: data for path, data in state.files.items() if data or not path.endswith("-journal")}
        return State(files=files, data={**state.data, "sites": kept}, missing=state.missing)

    def command(self, seat: Seat, command: Command) -> None:
        """Waits for a page or a file as well; see `waiting`."""
        if command.name.startswith("wait-"):
            wait(seat, self.debugger(seat), command)
        else:
            super().command(seat, command)

    def person(self, world: World) -> Person:
        return person(str(world.profile["person"]))

    def debugger(self, seat: Seat) -> Debugger:
        """How the running browser is asked."""
        if _KEPT not in seat.keep:
            raise InvalidConfiguration("the browser of this seat was not started")
        found: Debugger = seat.keep[_KEPT][0]
        return found


def preferences(owner: Person, home: str, state: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of somebody who has used the browser for a while: nothing is asked or offered any more."""
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
            # The sites are plain HTTP: without this, a PDF file of theirs is held back as an insecure download.
            "content_settings": {
                "exceptions": {"mixed_script": {f"[*.]{owner.host(one)},*": _ALLOWED for one in SITES}}
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
        "spellcheck": {"dictionaries": ["en-US"]},  # which it would choose itself, at the first text that is typed
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
    """Addresses that the UI state begins with."""
    return [one if isinstance(one, str) else owner.url(*one) for one in world.ui_state["pages"]]


def _wait_files(sandbox: Sandbox) -> None:
    """Until a first run has made its databases."""
    deadline = time.monotonic() + _READY_SECONDS
    while True:
        with contextlib.suppress(Exception):
            if all(len(sandbox.read_file(f"{PROFILE}/{name}")) > 0 for name in _FIRST):
                return
        if time.monotonic() > deadline:
            raise StageError("Chromium did not make a profile on its first run")
        time.sleep(0.05)  # between two looks at a condition: nothing tells us when it comes true


def _wait_loaded(seat: Seat, debugger: Debugger, count: int) -> str:
    """Until every page that it began with has its title, and the screen rests; returns which context they are in."""
    deadline = time.monotonic() + _READY_SECONDS
    while True:
        pages = [one for one in debugger.call("Target.getTargets")["targetInfos"] if one["type"] == "page"]
        named = [one for one in pages if one["title"] and not re.match(r"[\w.-]+(/|:|$)", one["title"])]
        if len(pages) >= count and len(named) == len(pages):
            break
        if time.monotonic() > deadline:
            raise AppError(f"the pages did not load; there are {[one['url'] for one in pages]}")
        seat.screen.wait_change(0.1)
    seat.screen.settle(timeout=5.0)
    return str(pages[0].get("browserContextId", ""))


def _close(debugger: Debugger) -> None:
    """Ends the browser in its own way, which writes everything; one that hangs is told by a signal, then killed."""
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
