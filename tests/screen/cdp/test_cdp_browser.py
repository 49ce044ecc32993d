"""Starting and ending a browser in a sandbox, and what it may and may not do there."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from fairground.core import AppError, Click, Drag, InvalidInput, MissingPrerequisite, ScreenError, Scroll
from fairground.sandbox import Sandbox, SandboxSpec, open_sandbox
from fairground.screen import browser as browser_module
from fairground.screen.browser import open_page

from .site import HEAD, Browser, browser

pytestmark = pytest.mark.process


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    sandbox = open_sandbox(SandboxSpec(), runner="namespace")
    yield sandbox
    sandbox.discard()


@pytest.fixture(scope="module")
def shared() -> Iterator[Sandbox]:
    """One sandbox for tests in which no browser starts."""
    sandbox = open_sandbox(SandboxSpec(), runner="namespace")
    yield sandbox
    sandbox.discard()


@pytest.fixture(scope="module")
def page() -> Iterator[Browser]:
    with browser(color_scheme="dark") as opened:
        yield opened


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def inside(sandbox: Sandbox, script: str) -> str:
    return sandbox.run(["sh", "-c", script]).stdout.decode()


def test_nothing_inside_can_reach_the_debugger_pages_are_confined_and_a_frozen_one_goes_on(sandbox: Sandbox) -> None:
    screen = open_page(sandbox, url="data:text/html,<body style='background:rgb(0,255,0)'>")
    listening = inside(sandbox, "cat /proc/net/tcp /proc/net/tcp6 | awk '$4 == \"0A\"'")
    assert listening == ""
    commands = inside(sandbox, "cat /proc/[0-9]*/cmdline | tr '\\0' ' '")
    assert "--no-sandbox" not in commands and "--remote-debugging-port" not in commands
    # Chromium's own filter around its pages works inside our namespaces.
    filters = inside(
        sandbox,
        "for p in /proc/[0-9]*; do"
        " tr '\\0' ' ' < $p/cmdline | grep -q -- --type=renderer && grep Seccomp: $p/status; done; true",
    )
    assert filters.split() and set(filters.split()[1::2]) == {"2"}
    sandbox.freeze()
    assert not screen.settle(0.2).quiet
    sandbox.thaw()
    assert screen.settle().quiet
    assert screen.grab().pixels[500, 200].tolist() == [0, 255, 0]
    screen.close()


@pytest.mark.slow
def test_without_isolation_it_runs_too() -> None:
    with browser("bare") as page:
        screen = page.show('<body style="background:#00ff00">')
        assert screen.grab().pixels[500, 200].tolist() == [0, 255, 0]
        screen.act(Click(point=(5, 5)))
        assert screen.settle().quiet


def test_a_browser_that_dies_is_an_error_at_once(sandbox: Sandbox) -> None:
    screen = open_page(sandbox)
    screen.grab()
    inside(sandbox, "pkill -9 -f remote-debugging-[p]ipe; true")
    until(lambda: not screen.alive)
    for touch in (screen.grab, screen.settle, screen.tree, screen.windows, lambda: screen.act(Click(point=(1, 1)))):
        with pytest.raises(ScreenError, match="the browser exited"):
            touch()
    screen.close()
    screen.close()


def test_a_sandbox_that_is_discarded_under_it_is_an_error() -> None:
    sandbox = open_sandbox(SandboxSpec(), runner="namespace")
    screen = open_page(sandbox)
    sandbox.discard()
    until(lambda: not screen.alive)
    with pytest.raises(ScreenError):
        screen.grab()
    screen.close()


def test_closing_leaves_no_process_and_no_file_open(sandbox: Sandbox) -> None:
    open_page(sandbox).close()  # what is loaded once stays
    before = len(os.listdir("/proc/self/fd"))
    open_page(sandbox).close()
    assert len(os.listdir("/proc/self/fd")) <= before
    until(lambda: "chromium" not in inside(sandbox, "cat /proc/[0-9]*/comm 2>/dev/null; true"))


@pytest.mark.slow
def test_two_pages_live_side_by_side_in_one_sandbox(sandbox: Sandbox) -> None:
    one = open_page(sandbox, url="data:text/html,<title>one</title>")
    two = open_page(sandbox, url="data:text/html,<title>two</title>")
    assert [one.windows()[0].title, two.windows()[0].title] == ["one", "two"]
    one.close()
    assert two.settle().quiet
    two.close()


def test_a_missing_chromium_names_the_package(shared: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browser_module, "_PROGRAMS", ("/nowhere/chromium", "no-such-browser"))
    with pytest.raises(MissingPrerequisite) as caught:
        open_page(shared)
    assert caught.value.fix == "apt-get install chromium"


def test_a_browser_that_ends_at_once_says_what_it_said(shared: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    shared.write_file("~/broken", b"#!/bin/sh\necho 'cannot open display' >&2\nexit 3\n", mode=0o755)
    monkeypatch.setattr(browser_module, "_PROGRAMS", (f"{shared.home}/broken",))
    with pytest.raises(AppError, match=r"status 3(.|\n)*cannot open display"):
        open_page(shared)


def test_a_browser_that_never_answers_is_given_up(shared: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    shared.write_file("~/silent", b"#!/bin/sh\necho waiting for godot\nexec sleep 1000\n", mode=0o755)
    monkeypatch.setattr(browser_module, "_PROGRAMS", (f"{shared.home}/silent",))
    monkeypatch.setattr(browser_module, "_START_SECONDS", 0.5)
    with pytest.raises(AppError, match=r"did not answer(.|\n)*godot"):
        open_page(shared)
    until(lambda: "sleep" not in inside(shared, "cat /proc/[0-9]*/comm 2>/dev/null; true"))


def test_a_browser_whose_own_sandbox_fails_is_started_without(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrapper = b"""#!/bin/sh
case "$*" in *--no-sandbox*) exec /usr/lib/chromium/chromium "$@";; esac
echo 'FATAL: No usable sandbox!' >&2; exit 1
"""
    sandbox.write_file("~/chromium", wrapper, mode=0o755)
    monkeypatch.setattr(browser_module, "_PROGRAMS", (f"{sandbox.home}/chromium",))
    screen = open_page(sandbox)
    assert screen.settle().quiet
    assert any("own sandbox" in note for note in screen.take_notes())
    screen.close()


@pytest.mark.parametrize(
    ("size", "options", "found"),
    [
        ((10, 10), {}, "10x10"),
        ((412, 10_000), {}, "10000"),
        ((412, 915), {"scale": 2.0}, "457.5"),
        ((400, 900), {"scale": 0.0}, "scale 0"),
    ],
)
def test_a_size_that_cannot_be_is_refused(shared: Sandbox, size: Any, options: dict[str, Any], found: str) -> None:
    with pytest.raises(InvalidInput, match=found):
        open_page(shared, size, **options)


def test_an_address_that_cannot_be_shown_is_an_error_and_leaves_nothing(sandbox: Sandbox) -> None:
    with pytest.raises(ScreenError, match="ERR_CONNECTION_REFUSED"):
        open_page(sandbox, url="http://127.0.0.1:8123/")
    until(lambda: "chromium" not in inside(sandbox, "cat /proc/[0-9]*/comm 2>/dev/null; true"))


PROBE = """<body style="height:3000px"><div id="d" style="position:absolute;left:30px;top:40px;width:20px;height:10px;
background:#ff0000"></div>
<button style="position:absolute;left:50px;top:100px;width:90px;height:40px">Save</button>
<script>const log = []; onclick = (e) => log.push(e.target.id)</script>"""


@pytest.mark.parametrize(
    ("options", "view"),
    [
        ({"size": (824, 1830), "scale": 2.0}, [412, 915, 2]),
        pytest.param({"size": (1280, 720), "mobile": False}, [1280, 720, 1], marks=pytest.mark.slow),
        pytest.param({"size": (1280, 720), "mobile": False, "scale": 2.0}, [640, 360, 2], marks=pytest.mark.slow),
    ],
)
def test_a_page_of_any_size_and_scale_is_seen_and_touched_pixel_by_pixel(
    options: dict[str, Any], view: list[float]
) -> None:
    with browser(**options) as page:
        screen = page.show(PROBE)
        assert screen.evaluate("[innerWidth, innerHeight, devicePixelRatio]") == view
        frame = screen.grab()
        assert frame.size == options["size"] == screen.size
        ys, xs = np.nonzero((frame.pixels == [255, 0, 0]).all(axis=2))
        scale = options.get("scale", 1.0)
        assert (xs.min(), ys.min(), xs.max(), ys.max()) == (30 * scale, 40 * scale, 50 * scale - 1, 50 * scale - 1)
        for x, y in [(xs.min(), ys.min()), (xs.max(), ys.max()), (xs.min() - 1, ys.min())]:
            screen.act(Click(point=(int(x), int(y))))
        assert screen.evaluate("log") == ["d", "d", ""]
        button = screen.tree().find("button", "Save")
        assert button is not None and button.bounds == (50 * scale, 100 * scale, 90 * scale, 40 * scale)
        screen.act(Scroll(point=(5, 5), dy=1))
        screen.settle()
        assert screen.evaluate("scrollY") == 120


def test_a_page_that_is_too_wide_for_a_phone_is_touched_where_it_is_seen(page: Browser) -> None:
    page.site.pages["/wide"] = "<!doctype html><body style='margin:0'>" + PROBE.replace("30px", "300px").replace(
        "20px", "200px"
    )
    screen = page.screen
    screen.navigate(page.site.url + "/wide")
    assert screen.evaluate("innerWidth") > 900
    frame = screen.grab()
    ys, xs = np.nonzero((frame.pixels == [255, 0, 0]).all(axis=2))
    assert 120 < xs.min() < 130
    screen.act(Click(point=(int(xs.max()) - 1, int(ys.max()) - 1)))
    screen.act(Click(point=(int(xs.max()) + 2, int(ys.max()) - 1)))
    assert screen.evaluate("log") == ["d", ""]
    bounds = next(node for node in screen.tree().walk() if node.role == "document").bounds
    assert bounds == (0, 0, 412, 915)


def test_servers_and_pages_are_told_what_the_screen_is(page: Browser) -> None:
    screen = page.show("x")
    agent = screen.evaluate("navigator.userAgent")
    assert "Mobile" in agent and "Headless" not in agent
    assert screen.evaluate("matchMedia('(prefers-color-scheme: dark)').matches") is True
    assert screen.evaluate("navigator.webdriver") is not True
    assert screen.evaluate("document.hasFocus() && document.visibilityState") == "visible"


@pytest.mark.slow
def test_fingers_touch_when_asked_for() -> None:
    with browser(touch=True) as page:
        screen = page.show(
            """<button id="b" style="position:absolute;left:0;top:0;width:200px;height:100px">go</button><script>
            const log = []; for (const t of ["touchstart", "touchend", "click"])
              b.addEventListener(t, (e) => log.push(t + e.isTrusted));</script>"""
        )
        screen.act(Click(point=(100, 50)))
        assert screen.settle().quiet
        assert screen.evaluate("log") == ["touchstarttrue", "touchendtrue", "clicktrue"]
        screen = page.show('<div style="height:4000px">tall</div>')
        screen.act(Drag(path=((200, 700), (200, 300))))
        screen.settle()
        assert screen.evaluate("scrollY") > 200


@pytest.mark.slow
def test_without_pacing_it_is_the_same_screen() -> None:
    with browser(paced=False) as page:
        screen = page.show(HEAD + PROBE)
        assert screen.settle().quiet
        screen.act(Click(point=(35, 45)))
        assert screen.settle().quiet
        assert screen.evaluate("log") == ["d"]
