"""Popups, dialogs, downloads and crashes never hang the screen, and what can be seen is seen."""

from __future__ import annotations

import http.server
import time
from collections.abc import Callable, Iterator

import pytest

from fairground.core import Click, Key, ScreenError, Type

from .site import HEAD, Browser, browser

pytestmark = pytest.mark.process

HERE = Click(point=(100, 50))
BUTTON = '<button id="b" style="position:absolute;left:0;top:0;width:200px;height:100px">go</button>'


@pytest.fixture(scope="module")
def page() -> Iterator[Browser]:
    with browser() as opened:
        yield opened


def color(page: Browser) -> tuple[int, ...]:
    return tuple(int(channel) for channel in page.screen.grab().pixels[500, 300])


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


LARGE = 'style="display:block;width:200px;height:100px"'
OPENERS = {
    "a link to a new tab": f'<a href="/popup" target="_blank" {LARGE}>go</a>',
    "a link that tells nothing": f'<a href="/popup" target="_blank" rel="noopener" {LARGE}>go</a>',
    "a window": BUTTON + "<script>b.onclick = () => window.open('/popup', 'w', 'width=200,height=200')</script>",
    "a middle click": f'<a href="/popup" {LARGE}>go</a>',
}
QUICK = ("a link that tells nothing", "a window")


@pytest.mark.parametrize("how", [how if how in QUICK else pytest.param(how, marks=pytest.mark.slow) for how in OPENERS])
def test_what_a_page_opens_is_shown_until_it_is_closed(page: Browser, how: str) -> None:
    page.site.pages["/popup"] = HEAD + "<title>popup</title><body style='background:#0000ff'>"
    screen = page.show(f"<title>opener</title><body style='background:#00ff00'>{OPENERS[how]}")
    screen.act(Click(point=(100, 50), button="middle") if how == "a middle click" else HERE)
    assert screen.settle().quiet
    assert [(w.title, w.focused) for w in screen.windows()] == [("opener", False), ("popup", True)]
    assert color(page) == (0, 0, 255)
    assert screen.evaluate("innerWidth") == 412
    screen.navigate(page.site.url + "/")
    assert [w.title for w in screen.windows()] == ["opener"]
    assert color(page) == (0, 255, 0)


def test_a_click_that_closes_its_own_page_returns_to_the_opener(page: Browser) -> None:
    page.site.pages["/popup"] = (
        HEAD + "<title>popup</title>" + BUTTON + "<script>b.onclick = () => window.close()</script>"
    )
    screen = page.show(f"<title>opener</title><body style='background:#00ff00'>{OPENERS['a window']}")
    screen.act(HERE)
    screen.settle()
    assert screen.windows()[-1].title == "popup"
    screen.act(HERE)
    screen.settle()
    assert [w.title for w in screen.windows()] == ["opener"]
    assert color(page) == (0, 255, 0)


def test_an_alert_is_seen_and_answered_like_a_page(page: Browser) -> None:
    screen = page.show(
        BUTTON
        + """<script>
        b.onclick = () => { alert('Danger <b>ahead</b>'); document.body.style.background = '#00ff00' }</script>"""
    )
    screen.settle()
    before = screen.grab()
    screen.act(HERE)
    assert screen.settle().quiet
    assert screen.grab().digest != before.digest
    tree = screen.tree()
    assert any("Danger <b>ahead</b>" in node.name for node in tree.walk())
    button = tree.find("button", "OK")
    assert button is not None and button.center is not None and tree.find("button", "Cancel") is None
    screen.act(Click(point=button.center))
    assert screen.settle().quiet
    assert color(page) == (0, 255, 0)
    assert len(screen.windows()) == 1


@pytest.mark.parametrize(
    ("answer", "wanted"), [("OK", "true"), ("Cancel", "false"), ("enter", "true"), ("escape", "false")]
)
def test_a_confirmation_gets_the_answer_that_was_given(page: Browser, answer: str, wanted: str) -> None:
    screen = page.show(BUTTON + "<script>b.onclick = () => document.title = confirm('Sure?')</script>")
    screen.act(HERE)
    screen.settle()
    if answer in ("OK", "Cancel"):
        button = screen.tree().find("button", answer)
        assert button is not None and button.center is not None
        screen.act(Click(point=button.center))
    else:
        screen.act(Key(keys=(answer,)))
    assert screen.settle().quiet
    assert screen.evaluate("document.title") == wanted


def test_a_prompt_is_typed_into(page: Browser) -> None:
    screen = page.show(BUTTON + "<script>b.onclick = () => document.title = prompt('Name?', 'nobody')</script>")
    screen.act(HERE)
    screen.settle()
    screen.act(Type(text="Zoë\n"))
    assert screen.settle().quiet
    assert screen.evaluate("document.title") == "Zoë"


def test_a_dialog_while_a_page_loads_is_answered(page: Browser) -> None:
    page.site.pages["/"] = HEAD + "<script>alert('hi')</script><body style='background:#00ff00'>"
    screen = page.screen
    screen.navigate(page.site.url + "/")
    assert screen.tree().find("button", "OK")
    screen.act(Key(keys=("enter",)))
    assert screen.settle().quiet
    assert color(page) == (0, 255, 0)


def test_dialog_after_dialog_is_answered_one_by_one(page: Browser) -> None:
    screen = page.show(
        BUTTON
        + "<script>b.onclick = () => { for (let i = 0; i < 3; i++) alert(i); document.title = 'through' }</script>"
    )
    screen.act(HERE)
    for number in range(3):
        assert screen.settle().quiet
        assert screen.tree().find("text", str(number)) or any(n.name == str(number) for n in screen.tree().walk())
        screen.act(Key(keys=("enter",)))
    assert screen.settle().quiet
    assert screen.evaluate("document.title") == "through"


def test_a_page_is_left_from_under_its_dialog(page: Browser) -> None:
    page.site.pages["/two"] = HEAD + "<title>two</title>two"
    screen = page.show(BUTTON + "<script>b.onclick = () => { for (;;) alert('again') }</script>")
    screen.act(HERE)
    screen.settle()
    screen.navigate(page.site.url + "/two")
    assert [w.title for w in screen.windows()] == ["two"]


def test_leaving_a_page_that_wants_to_be_kept_is_noted(page: Browser) -> None:
    page.site.pages["/two"] = HEAD + "<title>two</title>two"
    screen = page.show(f'<a href="/two" {LARGE}>go</a><script>onbeforeunload = (e) => e.preventDefault()</script>')
    screen.act(Click(point=(300, 600)))
    screen.act(HERE)
    assert screen.settle().quiet
    assert screen.windows()[0].title == "two"
    assert any("leaving" in note for note in screen.take_notes())
    assert screen.take_notes() == ()


def test_a_download_lands_in_the_home_and_is_noted(page: Browser) -> None:
    def file(request: http.server.BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.send_header("Content-Type", "application/octet-stream")
        request.send_header("Content-Disposition", 'attachment; filename="report.bin"')
        request.send_header("Content-Length", "5")
        request.end_headers()
        request.wfile.write(b"12345")

    page.site.pages["/file"] = file
    screen = page.show(
        '<body style="background:#00ff00"><a href="/file" style="display:block;width:200px;height:100px">go</a>'
    )
    screen.act(HERE)
    assert screen.settle().quiet
    assert color(page) == (0, 255, 0)
    until(lambda: any(f.path == "Downloads/report.bin" for f in page.sandbox.list_files()))
    assert page.sandbox.read_file("~/Downloads/report.bin") == b"12345"
    assert any("report.bin" in note for note in screen.take_notes())


ASKS = [
    "window.print()",
    "location.href = 'mailto:someone@example.com'",
    "document.getElementById('f').click()",
    "navigator.mediaDevices.getUserMedia({audio: true})",
]
MORE_ASKS = [
    "document.documentElement.requestFullscreen()",
    "navigator.geolocation.getCurrentPosition(() => {}, () => {})",
    "Notification.requestPermission()",
    "navigator.clipboard.readText()",
    "location.href = 'about:blank#blocked'",
    "showOpenFilePicker()",
    "history.back()",
]


@pytest.mark.parametrize("script", [*ASKS, *(pytest.param(script, marks=pytest.mark.slow) for script in MORE_ASKS)])
def test_what_a_browser_would_ask_about_does_not_hang(page: Browser, script: str) -> None:
    screen = page.show(BUTTON + f'<input type="file" id="f" hidden><script>b.onclick = () => {{ {script} }}</script>')
    screen.act(HERE)
    screen.settle(3)
    screen.grab()
    screen = page.show("<body style='background:#00ff00'>")
    assert color(page) == (0, 255, 0)


def test_a_basic_password_request_does_not_hang(page: Browser) -> None:
    def locked(request: http.server.BaseHTTPRequestHandler) -> None:
        request.send_response(401)
        request.send_header("WWW-Authenticate", 'Basic realm="x"')
        request.send_header("Content-Type", "text/html")
        request.end_headers()
        request.wfile.write(b"<title>locked</title>no")

    page.site.pages["/locked"] = locked
    screen = page.show('<a href="/locked" style="display:block;width:200px;height:100px">go</a>')
    screen.act(HERE)
    screen.settle(3)
    screen.grab()
    page.show("<body style='background:#00ff00'>")
    assert color(page) == (0, 255, 0)


def test_an_address_where_nobody_answers_is_an_error(page: Browser) -> None:
    with pytest.raises(ScreenError, match="ERR_CONNECTION_REFUSED"):
        page.screen.navigate("http://127.0.0.1:8123/")
    with pytest.raises(ScreenError, match="invalid URL|ERR_"):
        page.screen.navigate("nonsense")
    page.show("<body style='background:#00ff00'>")
    assert color(page) == (0, 255, 0)


def test_a_crashed_page_is_an_error_at_once_and_a_new_address_revives_it(page: Browser) -> None:
    screen = page.show("x")
    with pytest.raises(ScreenError):
        screen.navigate("chrome://crash")
    until(lambda: not screen.alive)
    for touch in (screen.grab, screen.settle, screen.tree, lambda: screen.act(HERE), lambda: screen.evaluate("1")):
        with pytest.raises(ScreenError, match="the page crashed"):
            touch()
    page.show("<body style='background:#00ff00'>")
    assert screen.alive
    assert color(page) == (0, 255, 0)


def test_a_page_among_several_tabs_is_in_front_while_it_is_shown(page: Browser) -> None:
    page.site.pages["/popup"] = HEAD + "<title>popup</title>" + BUTTON + "<script>b.onclick = () => close()</script>"
    screen = page.show(f'<title>opener</title><a href="/popup" {LARGE}>go</a>')
    screen.act(Click(point=(100, 50), button="middle", count=2))
    assert screen.settle().quiet
    assert len(screen.windows()) == 3
    for left in (3, 2, 1):
        assert screen.evaluate("document.visibilityState") == "visible"
        screen.act(Click(point=(150, 400), button="right"))
        assert screen.settle().quiet
        assert len(screen.windows()) == left
        if left > 1:
            screen.evaluate("setTimeout(() => window.close())")
            until(lambda left=left: len(screen.windows()) == left - 1)  # type: ignore[misc]
