"""Live pages in a real browser: a person opens a seat, solves a task by hand, and is judged."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Browser, BrowserContext, Page

from fairground.arena import Store, new_person
from fairground.core import Click, Done, Key
from fairground.rollout import read_episode
from fairground.web import Site, serving
from fairground.web.house import shown
from fairground.web.playing import Play
from fairground.worlds import Seat, open_seat, resolve
from tests.chromium import MILLISECONDS, note_faults
from tests.note_world import write_note_world
from tests.waiting import eventually
from tests.web.arena_stage import Client
from tests.web.seat_stage import text_of

TASK = "pocket/notes/count-label"

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("live")
    launch = ("xterm", "-T", "here", "-geometry", "150x40+0+0")
    write_note_world(folder / "terminal", "xterm", "here", *launch, instruction="Write <b>hello</b> into note.txt.")
    return folder


@pytest.fixture(scope="module")
def site(folder: Path) -> Iterator[Site]:
    with Store(folder / "arena.sqlite") as store:
        yield Site(store, folder / "home")


@pytest.fixture(scope="module")
def url(site: Site) -> Iterator[str]:
    with serving(site) as url:
        yield url


@pytest.fixture
def new_page(browser: Browser, site: Site, url: str) -> Iterator[Callable[..., Page]]:
    """A page of somebody of a role; no script may fail in it, and nothing may be asked of others."""
    contexts: list[BrowserContext] = []
    faults: list[str] = []
    near = (url, "blob:", "data:")

    def open_page(role: str = "judge", **options: Any) -> Page:
        contexts.append(browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options}))
        person = new_person(site.store, role)
        contexts[-1].add_cookies([{"name": "fairground", "value": site.signer.cookie(person.id), "url": url}])
        page = contexts[-1].new_page()
        note_faults(page, faults, kinds=("error",))
        page.on("request", lambda asked: faults.extend([] if asked.url.startswith(near) else [asked.url]))
        page.set_default_timeout(MILLISECONDS)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not faults


def check_axe(page: Page) -> None:
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


def wait_for_picture(page: Page) -> None:
    page.wait_for_selector("#live-screen[data-state=live][data-frames]")


def test_a_person_solves_a_task_and_gets_a_verdict_and_an_episode_like_any_other(
    site: Site, url: str, folder: Path, new_page: Callable[..., Page]
) -> None:
    play = Play(site.house, resolve(str(folder / "terminal")), folder / "solved")
    play.start()
    page = new_page("visitor")
    page.goto(f"{url}live/{play.id}/join/{play.key}")
    wait_for_picture(page)
    assert page.inner_text("h1") == "Write <b>hello</b> into note.txt."
    check_axe(page)
    page.click("#live-screen canvas", position={"x": 300, "y": 200})
    page.wait_for_selector("#live-screen[data-keys=on]")
    page.keyboard.type("printf hello > note.txt")
    page.keyboard.press("Enter")
    eventually(lambda: int(page.inner_text("#live-steps")) >= 3)
    page.click("#live-done")
    page.wait_for_selector("h1:text-is('Passed')")
    assert page.inner_text("tbody tr").split("\t")[:2] == ["✓passed", "there is a note"]
    page.wait_for_selector("#replay img, #replay canvas")
    check_axe(page)

    found = read_episode(folder / "solved")
    assert found.complete and found.episode.agent == "human" and str(found.episode.outcome) == "passed"
    click, *typed, enter, done = (step.action for step in found.steps)
    assert isinstance(click, Click) and click.count == 1 and enter == Key(keys=("enter",)) and done == Done()
    assert text_of(typed) == "printf hello > note.txt"
    assert all(step.frame in found.digests for step in found.steps) and not any(step.refused for step in found.steps)


def test_a_key_makes_only_the_first_comer_the_player_and_others_see_nothing(site: Site, url: str, folder: Path) -> None:
    play = Play(site.house, resolve(str(folder / "terminal")), folder / "claimed")
    site.house.admit(play)
    first, second, third = (Client(url, site) for _ in range(3))
    address = f"/live/{play.id}"
    assert first.get(f"{address}/join/{play.key[:-1]}").status == 403
    for _ in range(2):
        joined = first.get(f"{address}/join/{play.key}")
        assert (joined.status, joined.headers["location"]) == (303, address)
    assert first.get(address).status == 200
    assert second.get(f"{address}/join/{play.key}").status == 403
    for path in (
        address,
        f"/api/live/{play.id}",
        f"/api/live/{play.id}/replay",
        f"/live/x/join/{play.key}",
    ):
        assert third.get(path).status == 404
    assert first.get(f"/api/live/{play.id}").json["status"] == "opening"
    assert first.get(f"/api/live/{play.id}/replay").status == 404
    play.status = "over"


def test_only_judges_open_seats_and_only_of_what_is_installed(
    url: str, folder: Path, new_page: Callable[..., Page]
) -> None:
    visitor = new_page("visitor")
    visitor.goto(f"{url}live")
    assert "invitation" in visitor.inner_text("main")
    assert visitor.request.get(f"{url}live/new?world={TASK}").status == 403
    judge = new_page("judge")
    judge.goto(f"{url}live")
    token = judge.get_attribute('meta[name="token"]', "content") or ""
    for world in (str(folder / "terminal"), "../terminal", "nothing/at/all", "pocket/nothing", "", "x" * 500):
        assert judge.request.get(f"{url}live/new?world={quote(world)}&app={quote(world)}").status in (400, 422)
        assert judge.request.post(f"{url}live/new", form={"token": token, "world": world}).status in (400, 422)
    assert judge.request.post(f"{url}live/new", form={"world": TASK}).status == 403


@pytest.mark.slow
def test_a_judge_opens_a_phone_from_the_list_uses_it_and_gives_up(
    url: str, site: Site, new_page: Callable[..., Page]
) -> None:
    page = new_page("judge", viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page.goto(f"{url}live")
    check_axe(page)
    page.select_option("select[name=app]", "pocket/notes")
    page.click("text=Choose a task")
    page.click("a:text-is('count-label')")
    check_axe(page)
    page.click("text=Open seat")
    wait_for_picture(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    seat = page.url.rsplit("/", 1)[1]
    hosted = site.house.find(seat)
    assert hosted is not None
    box = page.locator("#live-screen canvas").bounding_box()
    assert box is not None
    page.tap("#live-screen canvas", position={"x": box["width"] * 0.9, "y": box["height"] * 0.06})
    page.wait_for_selector("#live-steps:text-is('1')")

    other = new_page("admin", color_scheme="dark")
    other.goto(f"{url}live")
    other.click(f"a[href='/live/{seat}']")
    wait_for_picture(other)
    assert other.inner_text(".live-tools").count("view only") == 1
    assert other.query_selector("#live-fail") is None
    check_axe(other)
    third = new_page("judge")
    third.goto(f"{url}live/{seat}")
    token = third.get_attribute('meta[name="token"]', "content") or ""
    assert third.request.post(f"{url}live/{seat}/end", form={"token": token}).status == 403
    third.close()

    page.click("text=Give up")
    page.wait_for_selector("h1:text-is('Not passed')")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert re.search(r"failed", page.inner_text("tbody"))
    other.wait_for_selector("h1:text-is('Not passed')")
    assert site.house.find(seat) is None


@pytest.mark.slow
def test_two_seats_on_one_page_are_both_shown_and_neither_can_be_touched(
    site: Site, url: str, folder: Path, new_page: Callable[..., Page]
) -> None:
    with ExitStack() as stack:
        seat = stack.enter_context(open_seat(resolve(str(folder / "terminal"))))
        ids = [stack.enter_context(shown(site.house, seat, owner="", title=title)).id for title in ("left", "right")]
        page = new_page("judge")
        page.goto(f"{url}live")
        page.evaluate(SIDE_BY_SIDE, ids)
        page.wait_for_selector("#left[data-state=live][data-frames]")
        page.wait_for_selector("#right[data-state=live][data-frames]")
        check_untouched(page, seat)
        page.evaluate("views.forEach((view) => view.close())")


SIDE_BY_SIDE = """
async ([left, right]) => {
  const { watch } = await import(document.querySelector("script[type=module]").src.replace(/[^/]*$/, "screen.js"));
  window.views = [["left", left], ["right", right]].map(([id, seat]) => {
    const place = document.createElement("div");
    place.id = id;
    document.querySelector("main").append(place);
    return watch(place, `/seats/${seat}/stream`, { control: true });
  });
}
"""


def check_untouched(page: Page, seat: Seat) -> None:
    before = seat.screen.cursor()
    page.click("#left canvas", position={"x": 30, "y": 30})
    page.click("#right canvas", position={"x": 50, "y": 50})
    assert page.get_attribute("#left", "data-control") == "off"
    assert seat.screen.cursor() == before
