"""The live view: a real browser, over the real server, on real programs in real seats."""

from __future__ import annotations

import base64
import http.client
import json
import os
import re
import signal
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import numpy as np
import pytest
from playwright.sync_api import Browser, BrowserContext, Page
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from fairground.core import InfrastructureError, Move, Type
from fairground.screen import decode
from fairground.serving import Exposed, is_ours
from fairground.web import LiveServer, serve_live
from fairground.web.live import MAX_VIEWERS
from fairground.worlds import Seat
from tests.chromium import note_faults
from tests.waiting import eventually
from tests.web.seat_stage import RECORDER, SECONDS, act, buttons, news, next_buttons, opened, socket_of

INSTRUCTION = "Write <b>hello</b> & save."
CTRL = 0x4

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def recorder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seat]:
    """A seat with a program that writes down which button events it gets."""
    with opened(tmp_path_factory.mktemp("live") / "recorder", *RECORDER, instruction=INSTRUCTION) as seat:
        yield seat


@pytest.fixture(scope="module")
def server(recorder: Seat) -> Iterator[LiveServer]:
    with LiveServer(recorder) as server:
        yield server


@pytest.fixture(scope="module")
def wide(browser: Browser) -> BrowserContext:
    """What most pages are opened in: they leave nothing behind, and a context of their own takes longer than they."""
    return browser.new_context(viewport={"width": 1300, "height": 900})


@pytest.fixture
def new_page(browser: Browser, wide: BrowserContext) -> Iterator[Callable[..., Page]]:
    """Opens the page of a server and waits for its first picture; no script may fail in it."""
    pages: list[Page] = []
    faults: list[str] = []

    def open_page(server: LiveServer, **options: Any) -> Page:
        page: Page = browser.new_page(**options) if options else wide.new_page()
        pages.append(page)
        note_faults(page, faults, kinds=())
        page.goto(server.url)
        page.wait_for_selector("body[data-state=live] canvas[data-frames]")
        return page

    yield open_page
    for page in pages:
        page.close()
    assert not faults


def place(page: Page, point: tuple[int, int]) -> tuple[float, float]:
    """Where a pixel of the seat is shown in the page: its middle."""
    box = page.locator("#picture").bounding_box()
    assert box is not None
    width, height = page.evaluate("[picture.width, picture.height]")
    return (
        box["x"] + (point[0] + 0.5) * box["width"] / width,
        box["y"] + (point[1] + 0.5) * box["height"] / height,
    )


def wait_pointer(page: Page, point: tuple[int, int]) -> None:
    page.wait_for_selector(f"#pointer:text-is('{point[0]}, {point[1]}')")


def click(page: Page, point: tuple[int, int], **options: Any) -> None:
    page.mouse.click(*place(page, point), **options)


def viewer(server: LiveServer, origin: str | None = "own") -> AbstractContextManager[ClientConnection]:
    """A viewer without a browser, which can misbehave."""
    return socket_of(server.url, urlsplit(server.url).path + "stream", None, origin)


def screen_server(seat: Seat) -> int:
    """Which process draws this very seat's screen: the one that listens at its display."""
    with seat.sandbox.connect(f"/tmp/.X11-unix/X{seat.env['DISPLAY'][1:]}") as connection:
        credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    return int(struct.unpack("3i", credentials)[0])


def get(server: LiveServer, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    url = urlsplit(server.url)
    connection = http.client.HTTPConnection(str(url.hostname), url.port, timeout=SECONDS)
    try:
        connection.putrequest("GET", path, skip_host="Host" in headers)
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders()
        response = connection.getresponse()
        return response.status, {name.lower(): value for name, value in response.getheaders()}, response.read()
    finally:
        connection.close()


def test_the_page_shows_exactly_what_is_on_the_screen(
    server: LiveServer, recorder: Seat, new_page: Callable[..., Page]
) -> None:
    page = new_page(server)
    page.mouse.move(*place(page, (77, 88)))

    def same() -> bool:
        data = page.evaluate("picture.toDataURL('image/png').split(',')[1]")
        with server.lock:
            frame = recorder.screen.grab()
        return np.array_equal(decode(base64.b64decode(data)).pixels, frame.pixels)

    wait_pointer(page, (77, 88))
    eventually(same)
    assert page.inner_text("#instruction") == INSTRUCTION
    assert page.inner_text("#configuration") == recorder.world.id


@pytest.mark.parametrize("width", [701, *(pytest.param(width, marks=pytest.mark.slow) for width in (1300, 2000))])
def test_a_click_arrives_at_the_very_pixel_at_any_scale(
    server: LiveServer, recorder: Seat, new_page: Callable[..., Page], width: int
) -> None:
    page = new_page(server, viewport={"width": width, "height": width * 3 // 4})
    for point in ((41, 60), (640, 361), (1199, 640)):
        before = len(buttons(recorder))
        click(page, point)
        press, release = next_buttons(recorder, 2, before)
        assert (press.kind, press.point, press.button) == ("ButtonPress", point, 1)
        assert (release.kind, release.point, release.button) == ("ButtonRelease", point, 1)
        wait_pointer(page, point)
        with server.lock:
            assert recorder.screen.cursor() == point


def test_buttons_modifiers_drags_and_the_wheel_arrive(
    server: LiveServer, recorder: Seat, new_page: Callable[..., Page]
) -> None:
    page = new_page(server)
    before = len(buttons(recorder))
    for button, number, keys in (("right", 3, ""), ("middle", 2, ""), ("left", 1, "Control")):
        if keys:
            page.keyboard.down(keys)
        click(page, (300, 300 + number), button=button)
        if keys:
            page.keyboard.up(keys)
        press, _ = next_buttons(recorder, 2, before)  # seen to arrive, because hands are not that quick
        assert (press.button, press.state & CTRL) == (number, CTRL if keys else 0)
        before += 2

    page.mouse.move(*place(page, (200, 200)))
    page.mouse.down()
    page.mouse.move(*place(page, (500, 400)), steps=5)
    page.mouse.move(-5, -5)  # off the picture, where the button is let go
    page.mouse.up()
    press, release = next_buttons(recorder, 2, before)
    assert (press.point, release.kind) == ((200, 200), "ButtonRelease")
    assert release.point[0] < 100

    before += 2
    page.mouse.move(*place(page, (600, 300)))
    page.mouse.wheel(0, 300)
    page.mouse.wheel(0, -100)
    turned = [each.button for each in next_buttons(recorder, 8, before) if each.kind == "ButtonPress"]
    assert turned == [5, 5, 5, 4]


@pytest.mark.slow
def test_a_finger_taps_holds_and_scrolls_on_a_narrow_page(
    server: LiveServer, recorder: Seat, new_page: Callable[..., Page]
) -> None:
    page = new_page(server, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    before = len(buttons(recorder))
    page.touchscreen.tap(*place(page, (640, 360)))
    assert [(each.point, each.button) for each in next_buttons(recorder, 2, before)] == [((640, 360), 1)] * 2

    session = page.context.new_cdp_session(page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        touches = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})

    x, y = place(page, (640, 360))
    before += 2
    touch("touchStart", (x, y))
    pressed = next_buttons(recorder, 2, before)  # held until the seat has seen what it means
    touch("touchEnd")
    assert [each.button for each in pressed] == [3, 3]

    before += 2
    touch("touchStart", (x - 20, y), (x + 20, y))
    for step in range(1, 11):
        touch("touchMove", (x - 20, y - 8 * step), (x + 20, y - 8 * step))
    touch("touchEnd")
    page.touchscreen.tap(*place(page, (700, 400)))  # comes after all that the fingers did

    def seen() -> list[int]:
        return [each.button for each in buttons(recorder)[before:]]

    eventually(lambda: seen().count(1) == 2)
    assert set(seen()[:-2]) == {5}


def test_text_in_any_script_keys_and_pasted_text_arrive_in_the_app(
    tmp_path: Path, new_page: Callable[..., Page]
) -> None:
    with opened(tmp_path / "notes", "mousepad", "note", "mousepad", "note.txt") as seat, LiveServer(seat) as server:
        page = new_page(server)
        click(page, (640, 360))
        page.keyboard.type("Plain, Shift & naïve 漢字 ")
        session = page.context.new_cdp_session(page)
        for part in ("k", "かn", "かんじ"):  # as an input method does: only what it ends with counts
            session.send("Input.imeSetComposition", {"text": part, "selectionStart": 1, "selectionEnd": 1})
        session.send("Input.insertText", {"text": "感じ"})
        page.keyboard.press("Enter")
        page.keyboard.type("gone")
        page.keyboard.press("Shift+Home")
        page.keyboard.press("Delete")
        page.click("#paste")
        page.fill("#paste-text", "pasted\n\ttext ✓")
        page.click("text=Type it")
        page.wait_for_selector("body[data-keys=on]")
        page.keyboard.press("Control+s")
        wanted = "Plain, Shift & naïve 漢字 感じ\npasted\n\ttext ✓"

        def saved() -> str:
            files = [info.path for info in seat.sandbox.list_files()]
            return seat.sandbox.read_file("~/note.txt").decode() if "note.txt" in files else ""

        assert eventually(saved).strip() == wanted
        page.keyboard.press("Control+Alt+Escape")
        page.wait_for_selector("body[data-keys=off]")


@pytest.mark.slow
def test_the_screenshot_button_saves_a_png_of_the_screen(
    server: LiveServer, recorder: Seat, new_page: Callable[..., Page]
) -> None:
    page = new_page(server)
    with page.expect_download() as download:
        page.click("#screenshot")
    assert re.fullmatch(r"[a-z0-9-]+\.png", download.value.suggested_filename)
    frame = decode(Path(download.value.path()).read_bytes())
    assert frame.size == recorder.screen.size


def test_view_only_is_kept_by_the_server(server: LiveServer, recorder: Seat, new_page: Callable[..., Page]) -> None:
    before = len(buttons(recorder))
    with LiveServer(recorder, control=False, lock=server.lock) as closed:
        with viewer(closed) as connection:
            connection.send(json.dumps({"type": "control", "on": True}))
            assert news(connection, "refused", "control")["type"] == "refused"
            assert act(connection, kind="click", point=[300, 300])["error"] == "InvalidAction"
        page = new_page(closed)
        assert page.is_disabled("#paste") and page.is_disabled("#view-only")
        click(page, (300, 300))
    with viewer(server) as connection:
        connection.send(json.dumps({"type": "control", "on": False}))
        assert news(connection, "control")["on"] is False
        assert "view-only mode is on" in act(connection, kind="click", point=[300, 300])["message"]
        connection.send(json.dumps({"type": "control", "on": True}))
        assert act(connection, kind="click", point=[301, 301])["type"] == "done"
    assert [each.point for each in next_buttons(recorder, 2, before)] == [(301, 301)] * 2


def test_only_the_whole_address_opens_anything(server: LiveServer) -> None:
    token = urlsplit(server.url).path
    for path in ("/", "/state", "/live.js", f"/x{token[2:]}", token[:-2] + "/", f"/{'é' * 30}/", f"//{token}"):
        assert get(server, quote(path))[0] == 403
    assert get(server, token + "..%2f..%2flive.py")[0] == 404
    assert get(server, token.rstrip("/"))[0] == 307
    status, headers, body = get(server, token)
    assert status == 200 and b'id="stage"' in body
    assert headers["x-frame-options"] == "DENY"
    assert headers["cache-control"] == "no-store"
    assert "default-src 'none'" in headers["content-security-policy"]
    assert "access-control-allow-origin" not in headers and "server" not in headers
    with pytest.raises(InvalidStatus, match="403"), connect(f"ws://{urlsplit(server.url).netloc}/x/stream", proxy=None):
        pass


def test_other_names_and_other_pages_are_refused(server: LiveServer) -> None:
    url = urlsplit(server.url)
    for host in ("evil.test", f"evil.test:{url.port}", "127.0.0.1.evil.test", "10.0.0.1", "[", ""):
        assert get(server, url.path, Host=host)[0] == 400
    assert get(server, url.path, Host="localhost:9000")[0] == 200  # a forwarded port
    assert get(server, url.path + "state", Origin="http://evil.test")[0] == 403
    for origin in ("http://evil.test", f"http://localhost:{url.port}", f"http://{url.hostname}:1", "null", None):
        with pytest.raises(InvalidStatus, match="403"), viewer(server, origin=origin):
            pass
    with socket.create_connection((url.hostname, url.port)) as own:
        address = f"ws://evil.test:{url.port}{url.path}stream"
        origin = f"http://evil.test:{url.port}"
        with pytest.raises(InvalidStatus, match="400"), connect(address, sock=own, origin=origin):  # type: ignore[arg-type]
            pass


@pytest.mark.parametrize(
    ("listens", "named", "right"),
    [
        ("127.0.0.1", "localhost", True),
        ("127.0.0.1", "127.0.0.1:80", True),
        ("127.0.0.1", "[::1]:80", True),
        ("127.0.0.1", "192.168.1.5", False),
        ("127.0.0.1", "rebound.test", False),
        ("0.0.0.0", "192.168.1.5:8000", True),
        ("0.0.0.0", "rebound.test:8000", False),
        ("box.test", "BOX.test:8000", True),
    ],
)
def test_only_names_that_nobody_else_can_point_here_are_ours(listens: str, named: str, right: bool) -> None:
    assert is_ours(named, listens) is right


@pytest.mark.parametrize(
    "message",
    [
        "",
        "{",
        "[]",
        "null",
        "9" * 5000,
        "[" * 100_000,
        '{"type": "shout"}',
        '{"type": "drawn", "more": 1}',
        '{"type": "control", "on": "yes"}',
        '{"type": "act", "id": -1, "action": {"kind": "click"}}',
        '{"type": "act", "id": 1, "action": {"kind": "clique"}}',
        '{"type": "act", "id": 1, "action": {"kind": "click", "point": [NaN, 1]}}',
        '{"type": "act", "id": 1, "action": {"kind": "click", "point": [1e999, 1]}}',
        '{"type": "act", "id": 1, "action": {"kind": "click", "point": [99999, 1]}}',
        '{"type": "act", "id": 1, "action": {"kind": "type", "text": "\\ud800"}}',
        '{"type": "act", "id": 1, "action": {"kind": "type", "text": "' + "x" * 20_001 + '"}}',
        '{"type": "act", "id": 1, "action": {"kind": "key", "keys": ["nokey"]}}',
        '{"type": "act", "id": 1, "action": {"kind": "key", "keys": ["a"], "seconds": 100}}',
        '{"type": "act", "id": 1, "action": {"kind": "scroll", "dy": 20000}}',
        '{"type": "act", "id": 1, "action": {"kind": "wait", "seconds": 100}}',
        '{"type": "act", "id": 1, "action": {"kind": "done"}}',
        b"\x00\xff",
    ],
    ids=lambda message: repr(message[:70]),
)
def test_a_message_that_makes_no_sense_is_refused_and_the_view_goes_on(
    server: LiveServer, message: str | bytes
) -> None:
    with viewer(server) as connection:
        connection.send(message)
        refused = news(connection, "refused", "done")
        assert refused["type"] == "refused" and refused["message"]
        assert refused["error"] in ("InvalidInput", "InvalidAction")
        assert act(connection, kind="move", point=[50, 50])["type"] == "done"


def test_a_message_beyond_all_limits_ends_only_that_viewer(server: LiveServer) -> None:
    with viewer(server) as other:
        with pytest.raises(ConnectionClosed), viewer(server) as connection:
            connection.send("x" * 1_000_000)
            news(connection, "done")
        assert act(other, kind="move", point=[51, 51])["type"] == "done"


def test_too_many_viewers_are_turned_away_and_the_others_stay(server: LiveServer) -> None:
    with ExitStack() as stack:
        first = [stack.enter_context(viewer(server)) for _ in range(MAX_VIEWERS)]
        for connection in first:
            news(connection, "hello")
        last = stack.enter_context(viewer(server))
        with pytest.raises(ConnectionClosed, match="4429"):
            last.recv(SECONDS)
        assert act(first[0], kind="move", point=[52, 52])["type"] == "done"


def test_a_slow_viewer_gets_one_picture_at_a_time_and_then_the_newest(server: LiveServer, recorder: Seat) -> None:
    def move(connection: ClientConnection, x: int) -> int:
        """Moves the pointer, waits until that has been seen, and says how many pictures came meanwhile."""
        connection.send(json.dumps({"type": "act", "id": 1, "action": {"kind": "move", "point": [x, 100]}}))
        pictures = 0
        while True:
            message = connection.recv(SECONDS)
            pictures += isinstance(message, bytes)
            if isinstance(message, str) and json.loads(message) == {"type": "cursor", "at": [x, 100]}:
                return pictures

    with viewer(server) as connection:
        pictures = sum(move(connection, x) for x in (110, 210, 310, 410))
        assert pictures == 1
        with server.lock:
            frame = recorder.screen.grab()

        def newest() -> bool:
            connection.send(json.dumps({"type": "drawn"}))
            message = connection.recv(SECONDS)
            while isinstance(message, str):
                message = connection.recv(SECONDS)
            return message[4:8] == b"\x89PNG" and np.array_equal(decode(message[4:]).pixels, frame.pixels)

        eventually(newest)


def test_what_a_viewer_held_is_let_go_when_it_leaves_and_nothing_else(server: LiveServer, recorder: Seat) -> None:
    before = len(buttons(recorder))
    with viewer(server) as other:
        assert act(other, kind="mouse_down", button="right", point=[410, 400])["type"] == "done"
        with viewer(server) as connection:
            assert act(connection, kind="mouse_down", point=[400, 400])["type"] == "done"
        left = next_buttons(recorder, 3, before)
        assert [(each.kind, each.button) for each in left] == [
            ("ButtonPress", 3),
            ("ButtonPress", 1),
            ("ButtonRelease", 1),
        ]
        other.send(json.dumps({"type": "control", "on": False}))
        assert next_buttons(recorder, 4, before)[3].button == 3


@pytest.mark.slow
def test_an_app_that_ends_while_watched_is_said_and_the_picture_goes_on(
    tmp_path: Path, new_page: Callable[..., Page]
) -> None:
    with opened(tmp_path / "short", "xterm", "short", "xterm", "-T", "short") as seat, LiveServer(seat) as server:
        page = new_page(server)
        with server.lock:
            seat.screen.act(Type(text="exit 3\n"))
        page.wait_for_selector("body[data-state=trouble]")
        assert "AppError" in page.inner_text("#notice")
        with server.lock:
            seat.screen.act(Move(point=(12, 34)))
        wait_pointer(page, (12, 34))


def test_a_seat_that_dies_while_watched_is_said_and_the_server_goes_on_answering(
    tmp_path: Path, new_page: Callable[..., Page]
) -> None:
    with opened(tmp_path / "dying", "xterm", "dying", "xterm", "-T", "dying") as seat, LiveServer(seat) as server:
        page = new_page(server)
        with viewer(server) as connection:
            os.kill(screen_server(seat), signal.SIGKILL)
            page.wait_for_selector("body[data-state=trouble][data-blind=on]")
            assert "Error" in page.inner_text("#notice b")
            while not news(connection, "trouble")["trouble"]["blind"]:
                """The app, which lost its screen, may be missed first."""
            assert act(connection, kind="click", point=[1, 1])["error"] == "ScreenError"
        path = urlsplit(server.url).path
        status, _, body = get(server, path + "screenshot.png")
        assert (status, json.loads(body)["error"]) == (503, "ScreenError")
        status, _, body = get(server, path + "state")
        assert status == 200 and json.loads(body)["trouble"]["message"]
        server.stop()
        page.wait_for_selector("body[data-state=over]")


def test_serving_blocks_until_it_is_stopped(recorder: Seat) -> None:
    stop, urls = threading.Event(), list[str]()

    def ready(url: str) -> None:
        urls.append(url)
        with socket.create_connection((urlsplit(url).hostname, urlsplit(url).port)):
            stop.set()

    serve_live(recorder, on_ready=ready, stop=stop)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((urlsplit(urls[0]).hostname, urlsplit(urls[0]).port))


def test_a_taken_port_is_an_error_and_other_machines_are_a_warning(server: LiveServer, recorder: Seat) -> None:
    with pytest.raises(InfrastructureError, match="is in use"):
        LiveServer(recorder, port=urlsplit(server.url).port or 0).start()
    with pytest.warns(Exposed, match="other machines"), LiveServer(recorder, host="0.0.0.0") as exposed:
        assert get(exposed, urlsplit(exposed.url).path)[0] == 200
