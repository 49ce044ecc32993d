"""Every main page: wide and narrow, light and dark, for people who see it and for people who hear it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Literal, TypeAlias

import pytest
from playwright.sync_api import Browser, Page, expect

from fairground.arena import Person, consent, new_person
from fairground.web import Site
from tests.chromium import MILLISECONDS
from tests.web.arena_stage import AGENTS, fill
from tests.web.end_to_end.browsing import Ear, overflow, scan
from tests.web.end_to_end.conftest import WORLD, Visit

Scheme: TypeAlias = Literal["light", "dark"]
Looks: TypeAlias = Sequence[tuple[int, Scheme]]
PAGES = {
    "welcome": ("/", "main .tile"),
    "invitation": ("/enter/nobody-has-this", "main form"),
    "catalogue": ("/catalogue", "main .card"),
    "app": ("/catalogue/pocket/notes", "main .card"),
    "scenario": (f"/catalogue/{WORLD}", "main .card"),
    "runs": ("/runs", "main table"),
    "run": ("/runs/first", "main table"),
    "episodes": ("/runs/first/episodes", "main table"),
    "replay": ("/replay/first/000000", ".replay[data-ready] .replay-shot[data-shown]"),
    "live": ("/live", "#main form"),
    "arena": ("/arena", ".battles"),
    "new-battle": ("/arena/new", "#new-battle"),
    "battle": ("/arena/battles/{battle}", "#replays .replay[data-ready] .replay-shot[data-shown]"),
    "leaderboard": ("/leaderboard", ".board .card"),
    "admin": ("/admin", "main .card"),
}

LOOKS: Looks = ((1280, "light"), (1280, "dark"), (390, "dark"), (390, "light"))
SCANNED: Looks = ((1280, "light"), (390, "dark"))  # a scan takes its time: one per page, and both in slow runs
ADMIN_PAGES = {
    name: (f"/admin/{name}", "main .card") for name in ("invitations", "agents", "filters", "battles", "votes", "data")
}

pytestmark = pytest.mark.process


@pytest.fixture(scope="module", autouse=True)
def votes(site: Site) -> None:
    long = "a-very-long-name-of-an-agent-that-goes-on-and-on-and-on:2026-11"
    fill(site.store, agents={**AGENTS, long: 0.2})


@pytest.fixture(scope="module")
def judge(site: Site) -> Person:
    """An admin, who may see every page."""
    return consent(site.store, new_person(site.store, "admin"))


@pytest.fixture(scope="module")
def ear() -> Ear:
    """Hears every page that the admin opens."""
    return Ear()


@pytest.fixture(scope="module")
def tab(browser: Browser, site: Site, url: str, judge: Person, ear: Ear) -> Iterator[Page]:
    """The admin's, in which one page is opened after another: a tab of its own takes longer than most pages."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.add_cookies([{"name": "fairground", "value": site.signer.cookie(judge.id), "url": url}])
    page = context.new_page()
    page.set_default_timeout(MILLISECONDS)
    ear.listen(page)
    yield page
    context.close()


@pytest.fixture
def look_at(tab: Page, url: str, ear: Ear, request: pytest.FixtureRequest) -> Iterator[Callable[[str], Page]]:
    """Opens one of the pages, in which nothing may fail."""

    def open_page(name: str) -> Page:
        path, there = (PAGES | ADMIN_PAGES)[name]
        battle = request.getfixturevalue("fought") if name in ("arena", "battle") else ""
        tab.set_viewport_size({"width": 1280, "height": 900})
        tab.emulate_media(color_scheme="light")
        tab.goto(url + path.format(battle=battle))
        tab.wait_for_selector(there)
        return tab

    tab.goto("about:blank")  # so that nothing of the page before is heard any more
    ear.faults.clear()
    yield open_page
    assert ear.faults == []


SHOWN = ("welcome", "app", "run", "replay", "live", "battle", "leaderboard")  # the others in slow runs


@pytest.mark.parametrize(
    "name", [name if name in SHOWN else pytest.param(name, marks=pytest.mark.slow) for name in PAGES]
)
def test_a_page_reads_well_on_every_screen_and_asks_nobody_else(
    name: str, look_at: Callable[[str], Page], keep_picture: Callable[[Page, str], None]
) -> None:
    page = look_at(name)
    scanned = SCANNED[list(PAGES).index(name) % len(SCANNED)]
    check_looks(page, name, LOOKS, [scanned], keep_picture)
    if name == "leaderboard":
        check_figures(page)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*PAGES, *ADMIN_PAGES])
def test_a_page_keeps_nobody_out_in_light_and_in_dark(
    name: str, look_at: Callable[[str], Page], keep_picture: Callable[[Page, str], None]
) -> None:
    check_looks(look_at(name), name, SCANNED, SCANNED, keep_picture)


def check_looks(page: Page, name: str, looks: Looks, scanned: Looks, keep_picture: Callable[[Page, str], None]) -> None:
    """Looks at a page with all of it unfolded."""
    expect(page.locator("h1")).to_have_count(1)
    page.evaluate("document.querySelectorAll('main details').forEach((one) => { one.open = true; })")
    for width, scheme in looks:
        page.set_viewport_size({"width": width, "height": 844})
        page.emulate_media(color_scheme=scheme)
        assert overflow(page) <= 0, f"{name} is too wide at {width} px"
        keep_picture(page, f"{name}-{width}-{scheme}")
        if (width, scheme) in scanned:
            scan(page)


def check_figures(page: Page) -> None:
    """Every figure of the leaderboard is drawn and has its table, and links lead to the boards of categories."""
    assert page.locator("figure svg:visible").count() == page.locator("figure").count() >= 7
    assert page.locator(".exhibit:has(figure):not(:has(table))").count() == 0
    page.get_by_role("link", name="office", exact=True).first.click()
    page.wait_for_url("**/leaderboard?category=office")
    expect(page.locator("h1")).to_contain_text("Leaderboard: office")


def test_a_person_chooses_light_or_dark_and_it_stays_so(visit: Visit) -> None:
    page = visit("/", color_scheme="light")
    paper = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(paper)
    page.click("#theme")
    dark = page.evaluate(paper)
    assert dark != light
    page.click("nav >> text=Runs")
    page.wait_for_url("**/runs")
    assert page.evaluate(paper) == dark


@pytest.mark.slow
def test_a_scan_finds_what_keeps_people_out(browser: Browser) -> None:
    page = browser.new_page()
    page.set_content("<html lang=en><title>x</title><main><h1>x</h1><img src=''><button></button></main>")
    with pytest.raises(AssertionError, match=r"(?s)button-name.*image-alt"):
        scan(page)
    page.close()


@pytest.mark.slow
def test_a_page_that_is_not_there_says_so_and_leads_back(visit: Visit, judge: Person) -> None:
    page = visit("/", judge)
    answer = page.request.get(f"{page.url}nowhere", headers={"Accept": "text/html"})
    assert answer.status == 404 and "page not found" in answer.text().lower()
