"""The page of an episode, in a real Chromium: it works by opening the file, and nothing untrusted runs in it."""

from __future__ import annotations

import itertools
import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import ClientConnection, connect

from fairground.core import Action, Click, Done, Drag, EpisodeError, Key, Look, Outcome, Scroll, Type
from fairground.report.episode_page import write_episode_page
from fairground.rollout.recorder import Recorder
from tests.recordings import EVIL, a_frame, an_episode, hostile, record
from tests.waiting import eventually

ACTIONS: list[Action] = [Click(point=(40, 30)), Type(text="Hello"), Drag(path=((1, 1), (90, 50))), Done()]

pytestmark = pytest.mark.process


class Page:
    """A page of a real Chromium, over its debugging protocol."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.numbers = itertools.count(1)
        self.events: list[dict[str, Any]] = []
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        number = next(self.numbers)
        self.socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            message: dict[str, Any] = json.loads(self.socket.recv(timeout=30))
            if message.get("id") == number:
                assert "error" not in message, message
                return dict(message["result"])
            self.events.append(message)

    def open(self, path: Path, fragment: str = "") -> None:
        self.events.clear()
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=path.as_uri() + fragment)
        self.wait_for("document.readyState === 'complete' && location.protocol === 'file:'")

    def ask(self, expression: str) -> Any:
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def wait_for(self, expression: str) -> None:
        eventually(lambda: self.ask(expression))

    def press(self, key: str) -> None:
        text = {"text": " "} if key == " " else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def current(self) -> str:
        return str(self.ask("document.querySelector('.step.now').id"))

    def requested(self) -> list[str]:
        sent = [event for event in self.events if event["method"] == "Network.requestWillBeSent"]
        return [event["params"]["request"]["url"] for event in sent]

    def complaints(self) -> list[dict[str, Any]]:
        return [event for event in self.events if event["method"] in ("Runtime.exceptionThrown", "Log.entryAdded")]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    home = tmp_path_factory.mktemp("chromium")
    argv = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0", "--no-first-run"]
    log = open(home / "log", "wb")  # noqa: SIM115
    browser = subprocess.Popen([*argv, f"--user-data-dir={home}", "about:blank"], stdout=log, stderr=log)
    try:
        ready = home / "DevToolsActivePort"
        eventually(lambda: browser.poll() is not None or (ready.exists() and ready.read_text().count("\n")))
        assert browser.poll() is None, (home / "log").read_text()[-2000:]
        port, path = ready.read_text().splitlines()[:2]
        with connect(f"ws://127.0.0.1:{port}{path}", max_size=None) as whole:
            whole.send(json.dumps({"id": 1, "method": "Target.createTarget", "params": {"url": "about:blank"}}))
            target = json.loads(whole.recv(timeout=30))["result"]["targetId"]
        with connect(f"ws://127.0.0.1:{port}/devtools/page/{target}", max_size=None) as socket:
            yield Page(socket)
    finally:
        browser.kill()
        browser.wait()
        log.close()


@pytest.mark.parametrize(
    "guarded",
    [
        pytest.param(True, id="with its policy", marks=pytest.mark.slow),
        pytest.param(False, id="by escaping alone"),
    ],
)
def test_nothing_that_an_agent_or_an_app_says_becomes_markup(tmp_path: Path, page: Page, guarded: bool) -> None:
    path = write_episode_page(hostile(tmp_path / "ep", EVIL + " \0"))
    if not guarded:  # the policy is a second wall; the first must hold without it
        text = path.read_text()
        assert text.count("http-equiv") == 1
        path.write_text(re.sub(r'<meta http-equiv="[^>]*>', "", text))
    page.open(path)
    for _ in range(6):
        page.press("ArrowRight")
    page.ask("document.querySelectorAll('details').forEach(one => one.open = true)")
    page.ask("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")
    assert page.ask("typeof window.pwned") == "undefined"
    assert page.ask("document.scripts.length") == 1
    assert page.ask("[...document.images].every(one => /^frames\\/[0-9a-f]{24}\\.png$/.test(one.getAttribute('src')))")
    attributes = "[...document.querySelectorAll('*')].flatMap(one => [...one.attributes].map(a => a.name))"
    names = set(page.ask(attributes))
    assert not {name for name in names if name.startswith("on")} and "autofocus" not in names
    assert page.ask("[...document.links].every(one => one.protocol === 'file:')")
    shown = page.ask("document.body.textContent")
    assert shown.count("<script>window.pwned=1</script>") > 25, "what was said is shown as it was said"
    assert page.complaints() == []


def test_the_page_needs_nothing_from_outside_its_folder(tmp_path: Path, page: Page) -> None:
    folder = record(tmp_path / "ep", ACTIONS, video=True)
    page.open(write_episode_page(folder))
    for _ in ACTIONS:
        page.press("ArrowRight")
    page.ask("document.querySelector('video').load()")
    page.ask("document.querySelector('video').play().catch(() => 0), 1")
    page.wait_for("document.querySelector('video').readyState >= 2")
    assert page.ask("document.querySelector('video').duration") > 1
    page.wait_for("[...document.images].every(one => one.complete && one.naturalWidth === 320)")
    fetched = [url for url in page.requested() if not url.startswith(("about:", "data:"))]  # the player's own icons
    assert len(fetched) >= 5
    assert [url for url in fetched if not url.startswith(folder.as_uri() + "/")] == []
    assert page.complaints() == []


def test_a_person_steps_through_with_keys_buttons_scrubber_and_list(tmp_path: Path, page: Page) -> None:
    page.open(write_episode_page(record(tmp_path / "ep", ACTIONS)))
    assert page.current() == "step-1"
    page.press("ArrowRight")
    assert page.current() == "step-2"
    page.press("End")
    assert page.current() == "step-5"
    page.press("ArrowRight")
    assert page.current() == "step-5"
    assert page.ask("document.getElementById('where').value") == "end"
    page.press("Home")
    assert page.current() == "step-1"
    page.press("ArrowLeft")
    assert page.current() == "step-1"
    page.ask("document.getElementById('next').click()")
    assert page.current() == "step-2"
    page.ask("document.querySelectorAll('.list a')[3].click()")
    assert page.current() == "step-4"
    page.ask("{const s = document.getElementById('scrubber'); s.value = 2; s.dispatchEvent(new Event('input')); 1}")
    assert page.current() == "step-3"
    assert page.ask("location.hash") == "#step-3"
    shown = "[...document.querySelectorAll('.step .shot')].filter(one => one.offsetParent).length"
    assert page.ask(shown) == 1


def test_playing_goes_to_the_end_and_stops(tmp_path: Path, page: Page) -> None:
    page.open(write_episode_page(record(tmp_path / "ep", [Done()])))
    page.ask("""{  // a short film may be over before anybody looks: note each time it starts or stops
        const root = document.documentElement;
        const playing = () => root.classList.contains("playing");
        window.played = [];
        new MutationObserver(() => playing() !== (window.played.at(-1) ?? false) && window.played.push(playing()))
            .observe(root, { attributes: true, attributeFilter: ["class"] });
        1
    }""")
    page.press(" ")
    page.wait_for("document.querySelector('.step.now').id === 'step-2'")
    page.wait_for("window.played.join() === 'true,false'")


def test_a_link_to_a_step_opens_it(tmp_path: Path, page: Page) -> None:
    page.open(write_episode_page(record(tmp_path / "ep", ACTIONS)), "#step-3")
    assert page.current() == "step-3"


def test_without_scripts_every_step_is_there(tmp_path: Path, page: Page) -> None:
    path = write_episode_page(record(tmp_path / "ep", ACTIONS))
    page.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        page.open(path)
        assert page.ask("[...document.querySelectorAll('.step')].filter(one => one.offsetParent).length") == 5
    finally:
        page.call("Emulation.setScriptExecutionDisabled", value=False)


def test_nothing_sticks_out_at_any_width(tmp_path: Path, page: Page) -> None:
    path = write_episode_page(hostile(tmp_path / "ep", EVIL + " \0"))
    try:
        for width in (320, 390, 800, 1440):
            size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500}
            page.call("Emulation.setDeviceMetricsOverride", **size)
            page.open(path)
            assert page.ask("document.documentElement.scrollWidth") <= width
    finally:
        page.call("Emulation.clearDeviceMetricsOverride")


def test_the_whole_frame_and_the_controls_are_seen_without_scrolling(tmp_path: Path, page: Page) -> None:
    path = write_episode_page(record(tmp_path / "ep", ACTIONS, instruction="Say what there is. " * 40))
    page.call("Emulation.setDeviceMetricsOverride", width=1280, height=800, deviceScaleFactor=1, mobile=False)
    try:
        page.open(path)
        for part in (".frame", ".controls"):
            found = f"document.querySelector('.now {part}, .replay > {part}').getBoundingClientRect()"
            top, bottom = page.ask(f"(box => [box.top, box.bottom])({found})")
            assert 0 <= top < bottom <= 800, part
        assert page.ask("document.querySelector('h1').offsetHeight") < 40, "the instruction is one line"
        page.ask("document.querySelector('.told').open = true")
        assert page.ask("document.querySelector('h1').offsetHeight") > 60
        changes = page.ask("document.querySelector('.changes').textContent")
        assert "sum.ods" in changes and "changed" in changes
    finally:
        page.call("Emulation.clearDeviceMetricsOverride")


def test_light_and_dark_follow_the_reader(tmp_path: Path, page: Page) -> None:
    page.open(write_episode_page(record(tmp_path / "ep", ACTIONS)))
    colours = []
    for scheme in ("light", "dark"):
        page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        colours.append(page.ask("getComputedStyle(document.body).backgroundColor"))
    page.call("Emulation.setEmulatedMedia", features=[])
    light, dark = (sum(map(int, re.findall(r"\d+", colour)[:3])) for colour in colours)
    assert light > 600 and dark < 150


def test_actions_are_drawn_where_they_were_aimed(tmp_path: Path, page: Page) -> None:
    actions: list[Action] = [
        Click(point=(0.5, 0.25), space="unit", count=2), Scroll(dy=3), Look(region=(10, 20, 110, 80)), Key(keys=("a",)),
    ]  # fmt: skip
    page.open(write_episode_page(record(tmp_path / "ep", actions)))
    ring = page.ask("(c => [c.getAttribute('cx'), c.getAttribute('cy')])(document.querySelector('#step-1 circle'))")
    assert ring == ["160", "50"]
    assert page.ask("document.querySelectorAll('#step-1 circle.halo').length") == 2
    assert page.ask("document.querySelector('#step-2 polyline').getAttribute('points')").startswith("77,66 77,")
    assert page.ask("document.querySelector('#step-3 rect').getAttribute('width')") == "100"
    assert page.ask("document.querySelector('#step-4 .typed').textContent") == "a"
    assert page.ask("document.querySelector('#step-1 svg').viewBox.baseVal.width") == 320


def test_a_refused_action_is_not_drawn_and_says_why(tmp_path: Path) -> None:
    refused = {"refused": "off the screen", "messages": ("off the screen",)}
    folder = record(tmp_path / "ep", [Click(point=(40, 30))], step=lambda _: refused)
    text = write_episode_page(folder).read_text()
    assert '<circle class="halo"' not in text
    assert text.count("off the screen") == 1


def test_an_incomplete_episode_says_so_and_shows_what_survived(tmp_path: Path, page: Page) -> None:
    folder = record(tmp_path / "ep", ACTIONS, close=False)
    lost = a_frame(2).digest
    (folder / "frames" / f"{lost}.png").unlink()
    page.open(write_episode_page(folder))
    shown = page.ask("document.body.textContent")
    assert "incomplete" in shown and "cut short" in shown and f"frames/{lost}.png: missing" in shown
    assert "This frame is missing." in page.ask("document.querySelector('#step-3').textContent")
    assert page.complaints() == []


def test_an_episode_without_frames_has_a_page(tmp_path: Path, page: Page) -> None:
    with Recorder(tmp_path / "ep", an_episode()) as recorder:
        recorder.close(an_episode(outcome=Outcome.ERRORED, error="the app never mapped a window"))
    page.open(write_episode_page(tmp_path / "ep"))
    shown = page.ask("document.body.textContent")
    assert "errored" in shown and "the app never mapped a window" in shown
    assert page.complaints() == []


def test_a_link_in_the_way_is_replaced_not_followed(tmp_path: Path) -> None:
    folder = record(tmp_path / "ep", ACTIONS)
    (tmp_path / "precious").write_text("keep me")
    (folder / "index.html").symlink_to(tmp_path / "precious")
    write_episode_page(folder)
    assert (tmp_path / "precious").read_text() == "keep me"
    assert not (folder / "index.html").is_symlink()


def test_a_folder_without_an_episode_has_no_page(tmp_path: Path) -> None:
    with pytest.raises(EpisodeError, match=r"episode\.json: missing"):
        write_episode_page(tmp_path)
    assert list(tmp_path.iterdir()) == []
