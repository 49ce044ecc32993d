"""The first pages somebody sees: pictures in place of letters, scenarios that are opened app by app, two full rows."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Browser, expect

from fairground.arena import Store
from fairground.report.looks import face_of
from fairground.web import Site, serving
from fairground.web.studio.catalogue_looks import LookBook
from fairground.worlds import suites
from tests.chromium import note_faults
from tests.waiting import eventually
from tests.web.arena_stage import Client, judge, patient

pytestmark = pytest.mark.process


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with Store(tmp_path / "arena.sqlite") as store:
        yield Site(store, tmp_path / "home", rates=patient())


@pytest.mark.process
def test_a_face_is_one_picture_and_the_others_follow_when_somebody_wants_them(tmp_path: Path) -> None:
    suite = replace(suites()["pocket"], pictures=None)
    app = suite.app("notes")
    book = LookBook(tmp_path)
    book.ask(suite, app, face=True)
    book.ask(suite, app, face=True)
    found = eventually(lambda: None if (seen := book.looks(suite, app)).making else seen)
    book.close()
    first = LookBook(tmp_path).looks(suite, app).ready
    assert found.fault == "" and face_of(app) in first
    assert {axis for axis, _ in first} == {"theme"} and len(first) == 1


def test_a_fresh_catalogue_has_a_picture_of_every_app_that_came_with_its_suite(site: Site) -> None:
    with serving(site) as url:
        page = Client(url, site).get("/catalogue").text
        shown = re.findall(r'<img src="(/catalogue/[^"]+/looks/[^"]+)"', page)
        assert len(shown) == sum(len(suite.apps) for suite in suites().values()) and "data-face=" not in page
        picture = Client(url, site).get(shown[0])
        assert Image.open(io.BytesIO(picture.body)).width > 400
        assert "/looks/theme/" in Client(url, site).get("/catalogue/pocket/notes/count-label").text
    assert not (site.home / "looks").exists()


ORDERS = re.compile(r"fairground (run|prove|serve|play)|pip install|Try it yourself|Choose an app|href=.?/live/new")


@pytest.mark.parametrize("path", ["/", "/live", "/catalogue", "/catalogue/pocket/notes/count-label"])
def test_visitors_are_not_told_to_do_what_they_cannot(site: Site, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if path == "/catalogue":
        monkeypatch.setattr("fairground.web.studio.catalogue.suites", dict)  # nothing is installed
    with serving(site) as url:
        assert not ORDERS.search(Client(url, site).get(path).text)
        told = Client(url, site, judge(site.store, "admin")).get(path).text
        assert ORDERS.search(told) or "judge agents yourself" in told


@pytest.mark.slow
def test_letters_become_pictures_and_groups_open_for_what_is_looked_for(browser: Browser, site: Site) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 800})
    faults: list[str] = []
    note_faults(page, faults)
    with serving(site) as url:
        page.goto(f"{url}catalogue/pocket")
        expect(page.locator(".face img").first).to_be_visible()
        assert page.locator(".face img").first.evaluate(
            "async (one) => { await one.decode(); return one.naturalWidth }"
        )
        rows = page.locator(".scenarios tbody tr:visible")
        expect(rows).to_have_count(0)
        page.locator("summary").filter(has_text="Notes").click()
        assert rows.count() == sum(one.app == "notes" for one in suites()["pocket"].scenarios)
        page.get_by_label("Search").fill("email delete contact")
        expect(rows).to_have_count(1)
        expect(page.locator("details:visible")).to_have_count(1)
        page.get_by_label("Search").fill("")
        expect(rows).to_have_count(0)
        page.close()
    assert faults == []


def test_only_admins_are_led_to_their_room(site: Site) -> None:
    with serving(site) as url:
        for role in ("visitor", "judge", "admin"):
            page = Client(url, site, judge(site.store, role)).get("/").text
            assert page.count('class="card tile"') == (6 if role == "admin" else 5)
