"""Copying out of a seat: what was copied in it reaches the clipboard of whoever uses it, and of nobody else."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from fairground.arena import Store, new_person
from fairground.core import Click, Done, Key
from fairground.prove.app_check.litter import cluttered
from fairground.rollout import read_episode
from fairground.web import LiveServer, Site, serving
from fairground.web.playing import Play
from fairground.worlds import Seat, resolve
from tests.chromium import MILLISECONDS, note_faults
from tests.waiting import eventually
from tests.web.seat_stage import SECONDS, act, news, opened

MINE = {"permissions": ["clipboard-read", "clipboard-write"]}
FORBIDDEN = "Object.defineProperty(navigator, 'clipboard', { value: undefined })"  # as where nothing is encrypted
SEARCH = (0.5, 0.105)  # where the notes' search field is, as shares of their screen

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seat]:
    folder = tmp_path_factory.mktemp("copying") / "editor"
    with opened(folder, "mousepad", "note", "mousepad", "note.txt") as seat:
        yield seat


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("site")
    with Store(folder / "arena.sqlite") as store:
        yield Site(store, folder / "home")


@pytest.fixture(scope="module")
def url(site: Site) -> Iterator[str]:
    with serving(site) as url:
        yield url


@pytest.fixture
def new_page(browser: Browser) -> Iterator[Callable[..., Page]]:
    """A page of a person's browser, in which no script may fail."""
    contexts: list[BrowserContext] = []
    faults: list[str] = []

    def open_page(**options: Any) -> Page:
        contexts.append(browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options}))
        page = contexts[-1].new_page()
        note_faults(page, faults, kinds=("error",))
        page.set_default_timeout(MILLISECONDS)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not faults


def stream(address: str, cookie: str = "") -> ClientConnection:
    """A viewer without a browser."""
    own = Origin(f"http://{urlsplit(address).netloc}")
    headers = {"Cookie": cookie} if cookie else {}
    where = address.replace("http", "ws", 1)
    return connect(where, origin=own, additional_headers=headers, open_timeout=SECONDS, max_size=None, proxy=None)


def copy(connection: ClientConnection) -> dict[str, Any]:
    connection.send(json.dumps({"type": "copy"}))
    return news(connection, "clipboard", "refused")


def clipboard_of(page: Page) -> str:
    found: str = page.evaluate("navigator.clipboard.readText()")
    return found


@pytest.mark.parametrize("drive", ["nobody", "owner"])
def test_who_does_not_use_a_seat_gets_nothing_out_of_it(site: Site, url: str, editor: Seat, drive: Any) -> None:
    admin = new_person(site.store, "admin")
    hosted = site.house.add(editor, owner="somebody else", drive=drive, title="one")  # a battle's is nobody's
    try:
        with stream(f"{url}seats/{hosted.id}/stream", f"fairground={site.signer.cookie(admin.id)}") as connection:
            connection.send(json.dumps({"type": "control", "on": True}))
            assert news(connection, "control", "refused")["type"] == "refused"
            assert copy(connection) == {
                "type": "refused", "id": None, "error": "InvalidAction", "message": "view-only mode is on",
                "fix": None,
            }  # fmt: skip
    finally:
        site.house.remove(hosted.id)


def test_who_only_views_at_the_moment_is_refused_too(editor: Seat) -> None:
    with LiveServer(editor) as server, stream(f"{server.url}stream") as connection:
        assert copy(connection)["type"] == "clipboard"
        connection.send(json.dumps({"type": "control", "on": False}))
        refused = copy(connection)
        assert (refused["type"], refused["fix"]) == ("refused", "switch view-only mode off")
        connection.send(json.dumps({"type": "copy", "text": "more than that"}))
        assert news(connection, "clipboard", "refused")["type"] == "refused"


def test_an_app_that_hands_nothing_over_holds_up_neither_input_nor_pictures(editor: Seat) -> None:
    with cluttered(editor), LiveServer(editor) as server, stream(f"{server.url}stream") as connection:
        for _ in range(5):
            connection.send(json.dumps({"type": "copy"}))
        assert act(connection, kind="move", point=[51, 52])["type"] == "done"
        assert news(connection, "refused", "clipboard")["message"].endswith("in time")
        with server.lock:
            assert editor.screen.cursor() == (51, 52)


@pytest.mark.slow
def test_what_is_copied_in_an_editor_reaches_the_visitor(editor: Seat, new_page: Callable[..., Page]) -> None:
    with LiveServer(editor) as server:
        page = new_page(**MINE)
        page.goto(server.url)
        page.wait_for_selector("body[data-state=live] canvas[data-frames]")
        page.click("#picture", position={"x": 400, "y": 300})
        page.wait_for_selector("body[data-keys=on]")
        page.keyboard.type("Grüße & <b>more</b> ✓")
        page.keyboard.press("Control+a")
        page.keyboard.press("Control+c")

        def copied(text: str) -> bool:
            page.click("#copy")
            page.wait_for_selector("#notice:visible")
            return clipboard_of(page) == text

        eventually(lambda: copied("Grüße & <b>more</b> ✓"))
        assert page.inner_text("#notice").endswith("Copied 21 characters to your clipboard.")

        page.click("#picture", position={"x": 400, "y": 300})  # nothing is selected any more; what is held stays
        page.evaluate("navigator.clipboard.writeText('something else')")
        page.keyboard.press("Control+Shift+c")
        eventually(lambda: clipboard_of(page) == "Grüße & <b>more</b> ✓")
        assert page.evaluate("document.body.dataset.keys") == "on"

        page.click("#help")
        assert "Copy out" in page.inner_text("#help-dialog")
        page.click("#help-dialog >> text=Close")
        page.click("label:has(#view-only)")
        page.wait_for_selector("#copy:disabled")


@pytest.mark.slow
def test_what_is_copied_in_a_page_reaches_who_plays_and_is_no_action(
    site: Site, url: str, tmp_path: Path, new_page: Callable[..., Page]
) -> None:
    play = Play(site.house, resolve("pocket/notes/pin-and-label"), tmp_path / "episode")
    play.start()
    page = new_page(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page.add_init_script(FORBIDDEN)
    page.goto(url)
    page.goto(f"{url}live/{play.id}/join/{play.key}")
    page.wait_for_selector("#live-screen[data-state=live][data-frames]")
    page.click("#live-copy")
    page.wait_for_selector(".toast:has-text('clipboard has no text')")

    box = page.locator("#live-screen canvas").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] * SEARCH[0], box["y"] + box["height"] * SEARCH[1])
    page.wait_for_selector("#live-screen[data-keys=on]")
    page.keyboard.type("dentist")
    page.keyboard.press("Control+a")
    page.keyboard.press("Control+c")
    eventually(lambda: play.steps >= 4)
    for way in ("key", "button"):
        page.keyboard.press("Control+Shift+c") if way == "key" else page.click("#live-copy")
        page.wait_for_selector("dialog.copy-out[open]")
        assert page.input_value(".copy-out textarea") == "dentist"
        assert page.evaluate("document.getSelection().toString() || document.activeElement.value") == "dentist"
        page.keyboard.press("Escape")
        page.wait_for_selector("dialog.copy-out", state="detached")
    page.click("#live-copy")
    page.click("dialog.copy-out >> text=Copy >> nth=-1")
    page.wait_for_selector(".toast:has-text('Copied 7 characters to your clipboard.')")
    mine = new_page(**MINE)
    mine.goto(url)
    assert clipboard_of(mine) == "dentist"

    page.click("#live-done")
    page.wait_for_selector("h1:text-is('Not passed')")
    click, *_, chosen, copied, done = (step.action for step in read_episode(tmp_path / "episode").steps)
    assert isinstance(click, Click) and done == Done()
    assert (chosen, copied) == (Key(keys=("ctrl", "a")), Key(keys=("ctrl", "c")))
