"""The replay: hostile episodes first, then what a person does with it, over the real server and in a real browser."""

from __future__ import annotations

import http.client
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, BrowserContext, Page, expect

from fairground.arena import Store
from fairground.core import Click, Done, Frame, Outcome, Type
from fairground.rollout import (
    Budget,
    Finished,
    Planned,
    Recorder,
    RunSpec,
    RunStore,
    named_agent,
    read_episode,
    run_episode,
)
from fairground.web.site import Site, serving
from fairground.worlds import resolve
from tests.chromium import note_faults
from tests.recordings import (
    ACTIONS,
    CONFIGURATION,
    EVIL,
    REFUSED,
    a_frame,
    a_step,
    an_episode,
    hostile,
    record,
    refusal,
)
from tests.waiting import eventually

pytestmark = pytest.mark.process
VIEWPORT: dict[str, Any] = {"viewport": {"width": 1280, "height": 900}}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one run, `first`, and all kinds of episodes in it."""
    run = (home := tmp_path_factory.mktemp("runs")) / "first"
    names = [CONFIGURATION.id] * 6
    plan = [Planned(number=n, configuration=name, rollout=n, seed=0) for n, name in enumerate(names)]
    with RunStore.create(run, RunSpec(worlds=("desk",), agent="shrewd-actor"), plan) as store:
        for number in (0, 2):
            store.finish(number, Finished(Outcome.FAILED, reward=0.5, steps=7, folder=f"episodes/{number:06}"))
    episodes = run / "episodes"
    record(episodes / "000000", ACTIONS, step=refusal, video=True)
    (episodes / "000000" / ".env").write_text("KEY=hunter2")
    (episodes / "000000" / "logs" / "..evil.txt").write_text("not a log")
    hostile(episodes / "000001")
    record(episodes / "000002", [Type(text="quick"), Done()], step=lambda index: {"seconds": 2.0 * index + 2})
    torn = record(episodes / "000003", ACTIONS[:3], close=False)
    with open(torn / "steps.jsonl", "ab") as file:
        file.write(b'{"index": 3, "act')
    thoughts = {3: "x" * 1_000_000}
    record(episodes / "000004", [Click(point=(n % 300, 40)) for n in range(500)],
           step=lambda index: {"thought": thoughts.get(index, f"thought {index} " * 20)})  # fmt: skip
    damaged = record(episodes / "000005", ACTIONS[:4])
    (damaged / "frames" / f"{a_frame(1).digest}.png").unlink()
    outside = record(home.parent / "outside", [Done()])
    (episodes / "000008").symlink_to(outside)
    return home


@pytest.fixture(scope="module")
def url(runs: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    home = tmp_path_factory.mktemp("home")
    with Store(home / "arena.sqlite") as store, serving(Site(store, home, (runs,))) as url:
        yield url


def get(url: str, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    """Asks as an attacker can: the path goes out as it is."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=30)
    try:
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        return answer.status, {key.lower(): value for key, value in answer.getheaders()}, answer.read()
    finally:
        connection.close()


def data_of(url: str, episode: str) -> dict[str, Any]:
    status, _, body = get(url, f"/api/replays/first/{episode}")
    assert status == 200, body
    return dict(json.loads(body))


@pytest.fixture(scope="module")
def wide(browser: Browser) -> BrowserContext:
    return browser.new_context(**VIEWPORT)


@pytest.fixture
def new_page(browser: Browser, wide: BrowserContext, url: str) -> Iterator[Callable[..., Page]]:
    """Opens a page of the site; no script may fail in it, and nothing may be asked of anybody else."""
    pages, faults = list[Page](), list[str]()

    def open_page(path: str, *, wait: str = ".replay[data-ready] .replay-shot[data-shown]", **options: Any) -> Page:
        page: Page = browser.new_page(**(VIEWPORT | options)) if options else wide.new_page()
        pages.append(page)
        note_faults(page, faults)
        page.on("request", lambda sent: faults.append(sent.url) if not sent.url.startswith((url, "data:")) else None)
        page.goto(url.rstrip("/") + path)
        page.wait_for_selector(wait)
        return page

    yield open_page
    for page in pages:
        page.close()
    assert not faults


def at(page: Page, number: int) -> None:
    """Waits until a step is shown: its picture, its words, its row."""
    page.wait_for_selector(f".replay-shot[data-shown='{number}']")
    page.wait_for_selector(f".replay-list [aria-current][data-place='{number - 1}']")


# --- attacks ----------------------------------------------------------------------------------------------------------


def test_nothing_that_an_agent_or_an_app_says_becomes_markup(new_page: Callable[..., Page]) -> None:
    page = new_page("/replay/first/000001")
    for number in (2, 3, 4, 5):
        page.keyboard.press("ArrowRight")
        at(page, number)
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert page.evaluate("typeof window.pwned") == "undefined"
    names = page.evaluate("[...document.querySelectorAll('*')].flatMap(one => [...one.attributes].map(a => a.name))")
    assert not [name for name in names if name.startswith("on") or name == "autofocus"]
    assert page.evaluate("[...document.links].every(one => one.protocol === 'http:')")
    page.locator("[data-changes]").scroll_into_view_if_needed()
    expect(page.locator(".changes details").first).to_be_attached()
    assert page.evaluate("[...document.images].every(one => one.src.startsWith(location.origin + '/api/replays/'))")
    assert page.evaluate("typeof window.pwned") == "undefined"
    page.keyboard.press("Home")
    at(page, 1)
    shown = page.evaluate("document.body.textContent")
    assert shown.count("<script>window.pwned=1</script>") > 15, "what was said is shown as it was said"


@pytest.mark.parametrize(
    "name",
    ["../episode", "..%2fepisode", "%2e%2e/%2e%2e/episode", "..%5c..%5cepisode", "0" * 24, "%00", "e" * 5000, "%ff"],
)
def test_a_frame_is_found_among_the_digests_of_its_episode_or_not_at_all(url: str, name: str) -> None:
    status, _, body = get(url, f"/api/replays/first/000000/frames/{name}.png")
    assert status == 404 and b"PNG" not in body


def test_a_frame_of_another_episode_is_not_served(url: str) -> None:
    only_long = a_frame(400).digest
    for kind, ending in (("frames", "png"), ("thumbnails", "webp")):
        assert get(url, f"/api/replays/first/000004/{kind}/{only_long}.{ending}")[0] == 200
        assert get(url, f"/api/replays/first/000000/{kind}/{only_long}.{ending}")[0] == 404


def test_a_thumbnail_is_small_and_one_of_a_lost_frame_is_not_found(url: str) -> None:
    found = data_of(url, "000005")
    status, headers, body = get(url, f"{found['thumbnails']}{a_frame(0).digest}.webp")
    assert (status, headers["content-type"]) == (200, "image/webp") and "immutable" in headers["cache-control"]
    assert Image.open(io.BytesIO(body)).size == (240, 150)
    assert get(url, f"{found['thumbnails']}{a_frame(1).digest}.webp")[0] == 404


@pytest.mark.parametrize(
    "path",
    [
        "first/..", "first/000000%2f..", "first/%2e%2e%2f%2e%2e%2foutside", "../runs/000000", "first/0", "no/000000",
        "first/000008", "first/٠٠٠٠٠٠", "first/000000-0000000", "first/000077", "%2e%2e/000000", "first/000000%00",
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["/api/replays/{}", "/replay/{}", "/api/replays/{}/download", "/replay/compare?a={}"])
def test_what_is_not_in_the_list_of_episodes_is_not_found(url: str, path: str, kind: str) -> None:
    quoted = "".join(char if char.isascii() else "".join(f"%{byte:02X}" for byte in char.encode()) for char in path)
    assert get(url, kind.format(quoted))[0] == 404


@pytest.mark.parametrize("name", ["..evil", "../steps", "%2e%2e%2fepisode.json", "app.txt", "no"])
def test_only_logs_of_the_episode_are_read(url: str, name: str) -> None:
    assert get(url, f"/api/replays/first/000000/logs/{name}")[0] == 404


def test_a_log_comes_as_plain_text(url: str) -> None:
    status, headers, body = get(url, "/api/replays/first/000000/logs/app")
    assert (status, headers["content-type"]) == (200, "text/plain; charset=utf-8")
    assert headers["x-content-type-options"] == "nosniff" and b"the app wrote </script>" in body


def test_a_download_holds_what_an_episode_is_made_of_and_nothing_else(url: str, tmp_path: Path) -> None:
    status, headers, body = get(url, "/api/replays/first/000000/download")
    assert status == 200 and headers["content-disposition"] == 'attachment; filename="first-000000.zip"'
    assert b"hunter2" not in body
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        assert archive.testzip() is None
        assert not [name for name in archive.namelist() if not name.startswith("first-000000/") or ".." in name]
        assert "first-000000/.env" not in archive.namelist()
        archive.extractall(tmp_path)
    found = read_episode(tmp_path / "first-000000")
    found.verify()
    assert found.complete and found.video is not None and len(found.steps) == len(ACTIONS)
    assert "Add it up." in (found.path / "index.html").read_text()


@pytest.mark.slow
def test_a_thought_of_a_megabyte_is_cut_and_says_so(url: str, new_page: Callable[..., Page]) -> None:
    step = data_of(url, "000004")["steps"][3]
    assert step["thought_length"] == 1_000_000 and len(step["thought"]) < 30_000
    page = new_page("/replay/first/000004#step-4")
    at(page, 4)
    assert "1,000,000 characters in total" in str(page.text_content(".replay-thought"))
    page.keyboard.press("ArrowRight")
    at(page, 5)


# --- what there is ----------------------------------------------------------------------------------------------------


def test_the_data_says_all_that_was_recorded(url: str) -> None:
    found = data_of(url, "000000")
    assert found["instruction"] == "Add it up." and found["complete"]
    assert [step["words"] for step in found["steps"]][:3] == [
        "double-click (0.5, 0.25) unit", "type 'Hello'", "drag (1, 1) to (90, 50)",
    ]  # fmt: skip
    about = found["about"]
    assert (about["agent"], about["outcome"], about["usage"]["dollars"]) == ("shrewd-actor:effort=high", "failed", 0.5)
    total = about["verdict"]["checks"][0]
    assert (total["expected"], total["found"]) == (10, {"sum": 9})
    refused = found["steps"][REFUSED]
    assert refused["refused"] == "off the screen" and refused["shapes"] == [] and refused["messages"] == []
    status, headers, body = get(url, found["pictures"][refused["frame"]]["url"])
    assert (status, headers["content-type"], body[:4]) == (200, "image/png", b"\x89PNG")
    assert "immutable" in headers["cache-control"]


def test_a_video_can_be_asked_for_in_parts(url: str) -> None:
    status, headers, body = get(url, "/api/replays/first/000000/video", Range="bytes=4-7")
    assert (status, headers["content-type"], body) == (206, "video/mp4", b"ftyp")
    assert get(url, "/api/replays/first/000001/video")[0] == 404


def test_an_episode_that_was_cut_short_opens_with_what_there_is(url: str, new_page: Callable[..., Page]) -> None:
    found = data_of(url, "000003")
    assert (found["complete"], len(found["steps"]), found["about"]["outcome"]) == (False, 3, "incomplete")
    page = new_page("/replay/first/000003")
    assert "has not ended" in str(page.text_content("main"))
    page.keyboard.press("End")
    at(page, 4)


def test_a_frame_that_was_lost_says_so_and_the_rest_still_opens(new_page: Callable[..., Page]) -> None:
    page = new_page("/replay/first/000005")
    assert "damaged" in str(page.text_content("main"))
    page.keyboard.press("ArrowRight")
    at(page, 2)
    assert "This frame is missing" in str(page.text_content(".replay-lost"))
    page.keyboard.press("ArrowRight")
    at(page, 3)
    assert page.is_hidden(".replay-lost")


@pytest.mark.slow
def test_a_real_episode_with_its_accessibility_tree(tmp_path: Path, new_page: Callable[..., Page], runs: Path) -> None:
    folder = runs / "first" / "episodes" / "000006"
    world = resolve("pocket/notes/count-label/travel@student/paper/list")
    run_episode(
        world, named_agent("random"), folder, observations=("screen", "cursor", "tree"), video=False,
        budget=Budget(steps=2),
    )  # fmt: skip
    page = new_page("/replay/first/000006")
    assert page.locator("h1").text_content() == world.instruction
    page.click(".replay-tree summary")
    expect(page.locator(".replay-tree pre")).to_contain_text("Notes")
    assert page.evaluate("document.querySelector('.replay-frame img').naturalHeight") == 915


def test_what_an_episode_changed_is_data_too(url: str) -> None:
    status, _, body = get(url, "/api/replays/first/000000/changes")
    found = json.loads(body)
    assert status == 200 and found["recorded"] and [part["name"] for part in found["parts"]] == ["sum.ods"]


# --- what a person does -----------------------------------------------------------------------------------------------


def test_a_person_steps_through_with_keys_buttons_scrubber_and_list(new_page: Callable[..., Page]) -> None:
    page = new_page("/replay/first/000000")
    at(page, 1)
    for key, number in (("ArrowRight", 2), ("End", 8), ("ArrowRight", 8), ("ArrowLeft", 7), ("Home", 1)):
        page.keyboard.press(key)
        at(page, number)
    page.get_by_role("button", name="Next step").click()
    at(page, 2)
    page.click(".replay-list button[data-place='3']")
    at(page, 4)
    page.keyboard.press("ArrowDown")
    at(page, 5)
    assert page.evaluate("document.activeElement.dataset.place") == "4", "the focus goes along"
    page.get_by_role("slider", name="Step").fill("2")
    at(page, 3)
    eventually(lambda: page.evaluate("location.hash") == "#step-3")
    assert page.locator(".replay-where").text_content() == "3 of 7"


@pytest.mark.slow
def test_playing_goes_to_the_end_and_stops(new_page: Callable[..., Page]) -> None:
    page = new_page("/replay/first/000002")
    for _ in range(4):
        page.keyboard.press("+")
    assert page.locator(".replay-speed").input_value() == "16"
    page.keyboard.press("-")
    assert page.locator(".replay-speed").input_value() == "8"
    page.keyboard.press(" ")
    at(page, 3)
    page.wait_for_selector(".replay-controls:not(.playing)")
    assert page.get_by_role("button", name="Play").is_visible()


@pytest.mark.slow
def test_keys_are_explained_and_typing_is_left_alone(new_page: Callable[..., Page]) -> None:
    page = new_page("/replay/first/000000")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys of the replay")).to_be_visible()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.evaluate("document.querySelector('main').prepend(Object.assign(document.createElement('input'), {id: 'box'}))")
    page.focus("#box")
    page.keyboard.type("? +")
    assert page.input_value("#box") == "? +" and page.get_by_role("dialog").count() == 0
    at(page, 1)


def test_a_link_to_a_step_opens_it_and_can_be_copied(new_page: Callable[..., Page], url: str) -> None:
    page = new_page("/replay/first/000000#step-3", permissions=["clipboard-read", "clipboard-write"])
    at(page, 3)
    page.keyboard.press("ArrowRight")
    page.get_by_role("button", name="Copy link").click()
    page.get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == f"{url}replay/first/000000#step-4"
    page.evaluate("location.hash = '#step-2'")
    at(page, 2)


def test_actions_are_drawn_where_they_were_aimed(new_page: Callable[..., Page]) -> None:
    page = new_page("/replay/first/000000")
    at(page, 1)
    rings = page.locator(".replay-frame circle.replay-halo").evaluate_all(
        "found => found.map(one => [one.cx.baseVal.value, one.cy.baseVal.value])"
    )
    assert rings == [[160, 50], [160, 50]]
    page.keyboard.press("ArrowRight")
    at(page, 2)
    assert page.text_content(".replay-typed") == "Hello"
    page.keyboard.press("ArrowRight")
    at(page, 3)
    line = "document.querySelector('.replay-frame polyline').getAttribute('points')"
    assert page.evaluate(line) == "1,1 90,50"
    page.keyboard.press("ArrowRight")
    at(page, 4)
    assert str(page.evaluate(line)).startswith("77,66 77,"), "where the pointer was"
    page.goto(page.url.partition("#")[0] + f"#step-{REFUSED + 1}")
    at(page, REFUSED + 1)
    assert page.locator(".replay-frame svg > *").count() == 0
    assert page.locator(".replay-why").all_text_contents() == ["Refused: off the screen"]


def test_the_verdict_stands_there_with_what_was_expected_and_found(new_page: Callable[..., Page]) -> None:
    page = new_page("/replay/first/000000")
    rows = [row.split("\t") for row in page.locator(".checks tbody").inner_text().splitlines() if "\t" in row]
    said = page.locator(".checks").inner_text()
    assert rows and "the total" in said and "10" in said and '{"sum": 9}' in said and "50% of the reward" in said
    facts = page.locator(".facts").first.inner_text()
    assert "failed" in facts and "shrewd-actor" in facts and "1,234" in facts and "$0.50" in facts


@pytest.mark.slow
def test_five_hundred_steps_load_few_frames_and_draw_one(new_page: Callable[..., Page]) -> None:
    page = new_page("/replay/first/000004")
    at(page, 1)
    frames = "performance.getEntriesByType('resource').filter(one => one.name.includes('/frames/')).length"
    assert page.evaluate(frames) <= 6
    assert page.evaluate("document.querySelectorAll('.replay-frame svg').length") == 1
    slider = page.get_by_role("slider", name="Step")
    slider.evaluate("""async (one) => {  // dragged along, as fast as a browser draws
        for (let place = 0; place < 500; place += 7) {
            one.value = place;
            one.dispatchEvent(new Event("input"));
            await new Promise(requestAnimationFrame);
        }
    }""")
    slider.fill("498")
    at(page, 499)
    page.keyboard.press("End")
    at(page, 501)
    assert page.locator(".replay-where").text_content() == "end"


@pytest.mark.parametrize(
    "path",
    [
        pytest.param("/replay/first/000000", id="desktop", marks=pytest.mark.slow),
        pytest.param("/replay/first/000007", id="phone"),
    ],
)
def test_the_whole_frame_and_the_controls_are_seen_without_scrolling(
    new_page: Callable[..., Page], runs: Path, path: str
) -> None:
    phone = runs / "first" / "episodes" / "000007"
    if not phone.exists():
        told = an_episode(instruction="Say what there is. " * 40)
        with Recorder(phone, told, video=False) as recorder:
            recorder.first(Frame(np.zeros((915, 412, 3), np.uint8)))
            recorder.step(a_step(0, Done()), Frame(np.full((915, 412, 3), 9, np.uint8)))
    page = new_page(path, viewport={"width": 1280, "height": 800})
    expect(page.locator(".film-cell img").first).to_be_visible()
    for part in (".replay-frame", ".replay-controls", ".replay-film"):
        box = page.locator(part).bounding_box()
        assert box is not None and box["y"] >= 0 and box["y"] + box["height"] <= 800, part
    frame = page.locator(".replay-frame").bounding_box()
    assert frame is not None and frame["height"] > 480, "it is large"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.slow
def test_the_instruction_is_one_line_until_it_is_opened(new_page: Callable[..., Page]) -> None:
    page = new_page("/replay/first/000001")
    told = page.locator(".told h1")
    closed = told.bounding_box()
    page.locator(".told summary").click()
    opened = told.bounding_box()
    assert (
        closed is not None and opened is not None and closed["height"] < 40 < 2 * closed["height"] <= opened["height"]
    )
    assert EVIL[:80] in str(told.text_content())


def test_the_filmstrip_leads_to_steps_and_fetches_only_what_is_seen(new_page: Callable[..., Page]) -> None:
    page = new_page("/replay/first/000004")
    expect(page.locator(".film-cell img").first).to_be_visible()
    cells = page.locator(".film-cell")
    assert cells.count() < 40
    page.locator(".film-cell[data-place='3']").click()
    at(page, 4)
    page.keyboard.press("ArrowRight")
    at(page, 5)
    assert page.evaluate("document.activeElement.dataset.place") == "4", "the focus goes along"
    assert page.locator(".film-cell[tabindex='0']").count() == 1
    page.keyboard.press("End")
    at(page, 501)
    expect(page.locator(".film-cell[aria-current]")).to_have_attribute("aria-label", "Final screen")
    expect(page.locator(".film-cell[aria-current] img")).to_be_visible()
    assert cells.count() < 40
    fetched = "performance.getEntriesByType('resource').filter(one => one.name.includes('/thumbnails/')).length"
    assert page.evaluate(fetched) < 80


@pytest.mark.slow
def test_the_data_is_fetched_once_and_without_waiting_for_the_script(new_page: Callable[..., Page]) -> None:
    page = new_page("/replay/first/000004")
    asked = "performance.getEntriesByType('resource').filter(one => one.name.endsWith('/api/replays/first/000004'))"
    # The first steps come with the page, and the others later. Waiting inside of the page would need eval, which the
    # page's own policy forbids.
    eventually(lambda: page.evaluate(f"{asked}.length > 0"))
    assert page.evaluate(f"{asked}.map(one => one.initiatorType)") == ["link"], "by the preload, which the script uses"


def test_two_episodes_go_in_step_or_in_time(new_page: Callable[..., Page]) -> None:
    page = new_page("/replay/compare?a=first/000000&b=first/000002")
    shown = "[...document.querySelectorAll('.replay-shot')].map(one => Number(one.dataset.shown))"

    def both(*numbers: int) -> None:
        eventually(lambda: page.evaluate(shown) == list(numbers))

    both(1, 1)
    for numbers in ((2, 2), (3, 3), (4, 3)):  # the second has ended, and waits
        page.keyboard.press("ArrowRight")
        both(*numbers)
    page.get_by_label("Synchronise").select_option("time")
    page.keyboard.press("Home")
    both(1, 1)
    # The first saw something new at 0.5, 1.5, 2.5 s and so on; the second at 2 and 4 s.
    for numbers in ((2, 1), (3, 1), (3, 2), (4, 2), (5, 2), (5, 3)):
        page.keyboard.press("ArrowRight")
        both(*numbers)
    assert page.locator(".replay-where").text_content() == "4.0 of 6.5 s"


@pytest.mark.slow
def test_another_episode_of_the_same_configuration_is_offered(new_page: Callable[..., Page]) -> None:
    page = new_page("/replay/first/000000")
    page.get_by_role("link", name="Compare").click()
    page.get_by_role("link", name="first/000002").click()
    page.wait_for_selector(".side-by-side[data-ready]")


def test_a_judge_marks_steps(new_page: Callable[..., Page]) -> None:
    page = new_page("/replay/first/000000")
    page.evaluate("""async () => {
        const beside = document.querySelector("script[type=module]").src;
        const { mountReplay } = await import(beside.replace(/[^/]*$/, "replay.js"));
        window.told = [];
        const place = document.createElement("div");
        document.querySelector("main").replaceChildren(place);
        await mountReplay(place, { source: "/api/replays/first/000000", anonymous: true, hash: true, marks: true,
          marked: [{ step: 1, mark: "planning" }], onMark: (...said) => window.told.push(said) }).ready;
    }""")
    assert page.get_by_role("button", name="Copy link").count() == 0
    page.get_by_role("button", name="good", exact=True).click()
    page.get_by_role("button", name="harmful", exact=True).click()
    page.get_by_role("button", name="harmful", exact=True).click()
    assert page.evaluate("window.told") == [[0, "good"], [0, "harmful"], [0, None]]
    page.click(".replay-list button[data-place='1']")
    pressed = page.locator(".replay-mark[aria-pressed=true]")
    assert pressed.all_text_contents() == ["planning"]
    assert page.locator(".replay-list button[data-place='1'] .pill").text_content() == "planning"


@pytest.mark.parametrize(
    ("path", "scheme"),
    [
        ("/replay/compare?a=first/000001&b=first/000002", "dark"),
        pytest.param("/replay/first/000001", "light", marks=pytest.mark.slow),
        pytest.param("/replay/first/000004", "dark", marks=pytest.mark.slow),
    ],
)  # fmt: skip
def test_on_a_phone_nothing_sticks_out(new_page: Callable[..., Page], path: str, scheme: str) -> None:
    page = new_page(path, viewport={"width": 390, "height": 844}, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    shot, controls = (page.locator(one).first.bounding_box() for one in (".replay-shot", ".replay-controls"))
    assert shot is not None and controls is not None
    assert "compare" in path or shot["y"] < controls["y"], "the frame is on top"
    colour = page.evaluate("getComputedStyle(document.querySelector('.replay')).backgroundColor")
    assert (sum(map(int, re.findall(r"\d+", colour)[:3])) < 150) == (scheme == "dark")


@pytest.mark.slow
def test_everything_can_be_named_and_reached_by_the_keyboard_alone(new_page: Callable[..., Page]) -> None:
    page = new_page("/replay/first/000000")
    nameless = """[...document.querySelectorAll('main button, main input, main select, main a, main img, main nav')]
        .filter(one => !(one.getAttribute('aria-label') || one.alt || one.textContent.trim())).length"""
    assert page.evaluate(nameless) == 0
    page.focus("#main")
    reached = set()
    for _ in range(30):
        page.keyboard.press("Tab")
        found = "document.activeElement.getAttribute('aria-label') || document.activeElement.textContent.trim()"
        reached.add(page.evaluate(found))
    assert {"Play", "Step", "Speed", "Copy link", "Keys", "Download", "The agent's thought"} <= reached
