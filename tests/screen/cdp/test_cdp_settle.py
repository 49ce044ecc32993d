"""A page is settled when it has come to rest, whatever its scripts do to hide or to prevent it."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator

import numpy as np
import pytest

from fairground.core import Click, ScreenError, Type

from .site import HEAD, Browser, browser

pytestmark = pytest.mark.process

BUTTON = '<button id="b" style="position:absolute;left:0;top:0;width:200px;height:100px">go</button>'
HERE = Click(point=(100, 50))


@pytest.fixture(scope="module")
def page() -> Iterator[Browser]:
    with browser() as opened:
        yield opened


def color(page: Browser, x: int = 300, y: int = 500) -> tuple[int, ...]:
    return tuple(int(channel) for channel in page.screen.grab().pixels[y, x])


def test_a_static_page_is_quiet_and_its_picture_is_exact(page: Browser) -> None:
    screen = page.show('<body style="background:rgb(12,34,56)">')
    settled = screen.settle()
    assert settled.quiet and settled.reason == ""
    frame = screen.grab()
    assert frame.size == (412, 915)
    assert np.unique(frame.pixels.reshape(-1, 3), axis=0).tolist() == [[12, 34, 56]]


def test_a_picture_has_every_pixel_as_the_page_drew_it(page: Browser) -> None:
    screen = page.show(
        """<canvas id="c" width="412" height="915"></canvas><script>
        const g = c.getContext("2d"), d = g.createImageData(412, 915);
        let x = 12345;
        for (let i = 0; i < d.data.length; i++) {
          x = (x * 1103515245 + 12345) % 2147483648;
          d.data[i] = i % 4 == 3 ? 255 : x >> 16;
        }
        g.putImageData(d, 0, 0);
        </script>"""
    )
    # The page computes with floating point above 2**53, so its numbers are asked for, not assumed.
    drawn = screen.evaluate("Array.from(g.getImageData(0, 0, 412, 915).data.slice(0, 4 * 412 * 20))")
    pixels = np.array(drawn, np.uint8).reshape(20, 412, 4)[..., :3]
    assert (screen.grab().pixels[:20] == pixels).all()


def test_the_effect_of_a_click_is_in_the_next_picture(page: Browser) -> None:
    screen = page.show(
        BUTTON
        + """<script>let n = 0;
        b.onclick = () => document.body.style.background = ++n % 2 ? '#ff0000' : '#00ff00'</script>"""
    )
    for wanted in [(255, 0, 0), (0, 255, 0)] * 3:
        screen.act(HERE)
        assert screen.settle().quiet
        assert color(page) == wanted


def test_a_change_two_frames_after_the_click_is_waited_for(page: Browser) -> None:
    screen = page.show(
        BUTTON
        + """<script>b.onclick = () => requestAnimationFrame(() => requestAnimationFrame(() =>
        document.body.style.background = '#0000ff'))</script>"""
    )
    screen.act(HERE)
    assert screen.settle().quiet
    assert color(page) == (0, 0, 255)


def test_a_finite_animation_is_waited_for_to_its_end(page: Browser) -> None:
    screen = page.show(
        BUTTON
        + """<div id="d" style="position:absolute;top:450px;left:0;width:100px;height:100px;background:#ff0000;
        transition:transform .3s linear"></div>
        <script>b.onclick = () => d.style.transform = 'translateX(250px)'</script>"""
    )
    screen.act(HERE)
    assert screen.settle().quiet
    assert color(page) == (255, 0, 0)


def test_an_endless_animation_is_not_quiet_and_costs_one_deadline_only(page: Browser) -> None:
    screen = page.show(
        BUTTON
        + """<style>@keyframes spin { to { rotate: 360deg } }</style>
        <div style="margin:200px;width:40px;height:40px;background:#a00;animation:spin 1s linear infinite"></div>""",
        settle=0.1,
    )
    screen.navigate(page.site.url + "/", settle=0.01)
    screen.act(HERE)
    settled = screen.settle(0.3)
    assert not settled.quiet and "endless animation" in settled.reason and "spin" in settled.reason
    settled = screen.settle(20)
    assert not settled.quiet and "endless animation" in settled.reason
    assert settled.seconds < 10


def test_an_animation_that_nobody_can_see_is_not_waited_for(page: Browser) -> None:
    screen = page.show(
        """<style>@keyframes spin { to { rotate: 360deg } }</style>
        <div style="margin-top:3000px;width:40px;height:40px;animation:spin 1s linear infinite"></div>"""
    )
    assert screen.settle(2).quiet


def test_a_request_in_flight_is_waited_for(page: Browser) -> None:
    release = threading.Event()

    def slow(request: http.server.BaseHTTPRequestHandler) -> None:
        release.wait(10)
        request.send_response(200)
        request.end_headers()
        request.wfile.write(b"#00ff00")

    page.site.pages["/slow"] = slow
    screen = page.show(
        BUTTON
        + """<script>b.onclick = async () => {
        document.body.style.background = await (await fetch('/slow')).text() }</script>"""
    )
    screen.act(HERE)
    settled = screen.settle(0.2)
    assert not settled.quiet and "/slow" in settled.reason
    assert screen.settle(5).quiet, "what outlasted one settling is not waited for again"
    release.set()
    screen.evaluate(
        """new Promise((done) => {
        const look = () => document.body.style.background ? done() : setTimeout(look, 2); look() })"""
    )
    screen.act(HERE)
    assert screen.settle().quiet
    assert color(page) == (0, 255, 0)


def test_a_stream_that_never_ends_is_not_waited_for(page: Browser) -> None:
    ended = threading.Event()

    def stream(request: http.server.BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.send_header("Content-Type", "text/event-stream")
        request.end_headers()
        request.wfile.write(b"data: hello\n\n")
        request.wfile.flush()
        ended.wait(20)

    page.site.pages["/stream"] = stream
    screen = page.show("<script>new EventSource('/stream')</script>")
    assert screen.settle(3).quiet
    ended.set()


def test_the_icon_of_a_tab_is_not_waited_for_because_nobody_sees_it(page: Browser) -> None:
    asked, ended = threading.Event(), threading.Event()

    def icon(request: http.server.BaseHTTPRequestHandler) -> None:
        asked.set()
        ended.wait(20)
        request.send_response(404)
        request.end_headers()

    page.site.pages["/icon"] = icon
    screen = page.show("<script>document.head.innerHTML = '<link rel=icon href=/icon>'</script>", settle=0.0)
    assert asked.wait(10) and screen.settle(5).quiet
    ended.set()


def test_whoever_wants_no_picture_waits_for_the_same(page: Browser) -> None:
    screen = page.show(
        BUTTON
        + """<script>b.onclick = () => document.body.animate(
        [{ background: "#ff0000" }, { background: "#00ff00" }], { duration: 150, fill: "forwards" })</script>"""
    )
    screen.act(HERE)
    assert screen.settle(picture=False).quiet
    assert color(page) == (0, 255, 0)


@pytest.mark.parametrize("how", ["link", "form", "script"])
def test_a_navigation_is_waited_for(page: Browser, how: str) -> None:
    ready = threading.Event()

    def two(request: http.server.BaseHTTPRequestHandler) -> None:
        ready.wait(0.15)  # a server that thinks for a while; nobody sets it
        request.send_response(200)
        request.send_header("Content-Type", "text/html")
        request.end_headers()
        request.wfile.write(b"<title>two</title><body style='background:#0000ff'>")

    page.site.pages["/two"] = two
    screen = page.show(
        {
            "link": '<a href="/two" style="display:block;width:200px;height:100px">go</a>',
            "form": '<form action="/two" method="post"><button style="width:200px;height:100px">go</button></form>',
            "script": BUTTON + "<script>b.onclick = () => setTimeout(() => location.href = '/two', 5)</script>",
        }[how]
    )
    screen.act(HERE)
    assert screen.settle().quiet
    assert color(page) == (0, 0, 255)
    assert screen.windows()[0].title == "two"


def test_a_script_that_goes_back_is_waited_for(page: Browser) -> None:
    page.site.pages["/two"] = (
        HEAD + BUTTON + "<body style='background:#0000ff'><script>b.onclick = () => history.back()</script>"
    )
    screen = page.show(
        '<body style="background:#00ff00"><a href="/two" style="display:block;width:200px;height:100px">go</a>'
    )
    for wanted in [(0, 0, 255), (0, 255, 0)] * 3:
        screen.act(HERE)
        assert screen.settle().quiet
        assert color(page) == wanted


def test_a_page_that_navigates_while_it_is_asked_is_handled(page: Browser) -> None:
    page.site.pages["/hop"] = (
        "<script>const n = +location.search.slice(1); if (n < 8) location.href = '/hop?' + (n + 1)</script>"
    )
    screen = page.screen
    screen.navigate(page.site.url + "/hop?1")
    assert screen.settle().quiet
    assert screen.evaluate("location.search") == "?8"


def test_scripts_of_the_page_cannot_fake_or_break_settling(page: Browser) -> None:
    screen = page.show(
        BUTTON
        + """<img name="readyState"><form name="getAnimations"></form><form name="fonts"></form>
        <img name="querySelectorAll">
        <script>
        window.fairground = {state() { return {why: ''} }, rest() { return {why: '', changes: 0} }};
        window.requestAnimationFrame = window.setTimeout = () => { throw 1 };
        window.Promise = window.MutationObserver = window.WeakSet = null;
        performance.now = () => 0;
        Object.prototype.nonce = Array.prototype.find = Array.prototype.some = () => { throw 2 };
        Document.prototype.getAnimations = () => { throw 3 };
        document.adoptedStyleSheets = [];
        let n = 0;
        b.onclick = () => { n++; document.body.style.background = '#00ff00' };
        </script>"""
    )
    screen.act(HERE)
    assert screen.settle().quiet
    assert color(page) == (0, 255, 0)


def test_a_page_that_keeps_changing_is_not_quiet(page: Browser) -> None:
    screen = page.show("<p id=p></p><script>setInterval(() => p.textContent = Math.random(), 1)</script>", settle=0.1)
    settled = screen.settle(0.3)
    assert not settled.quiet and "changing" in settled.reason


def test_a_clock_that_ticks_is_quiet_between_two_ticks(page: Browser) -> None:
    screen = page.show("<p id=p></p><script>setInterval(() => p.textContent = Date.now(), 300)</script>")
    assert screen.settle(3).quiet


@pytest.mark.slow
def test_a_canvas_that_keeps_changing_is_not_quiet(page: Browser) -> None:
    screen = page.show(
        """<canvas id="c" width="200" height="200"></canvas><script>
        const g = c.getContext("2d"); let n = 0;
        const draw = () => {
          g.fillStyle = `hsl(${n++ * 7},90%,50%)`; g.fillRect(0, 0, 200, 200); requestAnimationFrame(draw) };
        draw();</script>""",
        settle=0.0,
    )
    reasons: list[str] = []
    while not (reasons and "canvas" in reasons[-1]):
        settled = screen.settle(1.5)
        assert not settled.quiet
        reasons.append(settled.reason)  # a busy machine may draw no frame at all in so short a time
        assert len(reasons) < 20, reasons
    settled = screen.settle(20)
    assert not settled.quiet and "canvas" in settled.reason
    assert settled.seconds < 10


def test_changes_in_shadow_trees_and_frames_are_waited_for(page: Browser) -> None:
    page.site.pages["/inner"] = """<body><script>let n = 0; const t = setInterval(() => {
        document.body.style.background = ++n < 30 ? 'rgb(255,0,' + n + ')' : '#00ff00'; if (n >= 30) clearInterval(t)
        }, 5)</script>"""
    screen = page.show('<iframe src="/inner" style="width:412px;height:915px;border:0"></iframe>')
    assert screen.settle().quiet
    assert color(page) == (0, 255, 0)
    screen = page.show(
        """<div id="h"></div><script>
        const s = h.attachShadow({mode: 'open'}), d = document.createElement('div');
        d.style.cssText = 'height:915px'; s.append(d); let n = 0;
        const t = setInterval(() => {
          d.style.background = ++n < 30 ? 'rgb(255,0,' + n + ')' : '#00ff00'; if (n >= 30) clearInterval(t) }, 5)
        </script>"""
    )
    assert screen.settle().quiet
    assert color(page) == (0, 255, 0)


def test_two_pictures_of_a_focused_field_are_the_same(page: Browser) -> None:
    screen = page.show('<input autofocus id="i">')
    screen.act(Type(text="abc"))
    screen.settle()
    first = screen.grab()
    assert not screen.wait_change(1.2), "the caret blinks"
    assert screen.grab().digest == first.digest


def test_a_change_is_noticed(page: Browser) -> None:
    screen = page.show("<script>setTimeout(() => document.body.style.background = '#00ff00', 300)</script>")
    assert screen.wait_change(10)
    assert color(page) == (0, 255, 0)


def test_an_endless_loop_leaves_the_last_picture_and_is_stopped_by_an_input(
    page: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fairground.screen.cdphand._SECONDS", 0.5)
    monkeypatch.setattr("fairground.screen.cdp._DRAW_SECONDS", 0.5)
    screen = page.show(
        BUTTON
        + "<body style='background:#00ff00'><script>b.onclick = () => { setTimeout(() => { for (;;); }) }</script>"
    )
    screen.act(HERE)
    settled = screen.settle(0.3)
    assert not settled.quiet and "does not answer" in settled.reason
    assert color(page) == (0, 255, 0)
    screen.act(Click(point=(300, 600)))
    assert any("stopped" in note for note in screen.take_notes())
    assert screen.settle().quiet


def test_an_endless_loop_in_an_evaluated_script_is_stopped(page: Browser) -> None:
    screen = page.show("x")
    with pytest.raises(ScreenError, match="did not end within"):
        screen.evaluate("for (;;);", timeout=0.3)
    assert screen.evaluate("1 + 1") == 2


def test_a_failing_script_says_why(page: Browser) -> None:
    screen = page.show("x")
    with pytest.raises(ScreenError, match="no such thing"):
        screen.evaluate("throw new Error('no such thing')")
    with pytest.raises(ScreenError, match="nobody"):
        screen.evaluate("nobody.home()")
    assert screen.evaluate("Promise.resolve({a: [1, 'x']})") == {"a": [1, "x"]}


@pytest.mark.slow
def test_a_flood_of_console_messages_and_requests_does_no_harm(page: Browser) -> None:
    page.site.pages["/ping"] = "pong"
    screen = page.show(
        BUTTON
        + """<script>b.onclick = () => { for (let i = 0; i < 3000; i++) { console.log('x'.repeat(1000)); }
        for (let i = 0; i < 200; i++) fetch('/ping?' + i); document.body.style.background = '#00ff00' }</script>"""
    )
    screen.act(HERE)
    assert screen.settle(20).quiet
    assert color(page) == (0, 255, 0)
