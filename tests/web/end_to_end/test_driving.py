"""Live driving: a person opens a seat from the list, uses it with mouse and keyboard, and is judged."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from fairground.arena import Person
from fairground.core import Click, Type
from fairground.rollout import read_episode
from fairground.web import Site
from tests.waiting import eventually
from tests.web.end_to_end.browsing import pixels, scan, wait_for_colours
from tests.web.end_to_end.conftest import Visit
from tests.web.seat_stage import text_of

SEARCH = (0.5, 0.105)  # where the app's search field is, as shares of its screen

pytestmark = pytest.mark.process


@pytest.mark.slow  # tests/web/test_live_pages.py is the quick example
def test_what_a_person_clicks_and_types_reaches_the_app_and_is_seen(
    site: Site, visit: Visit, judge: Person, keep_picture: Callable[[Page, str], None]
) -> None:
    page = visit("/live", judge)
    page.select_option("select[name=app]", "pocket/notes")
    page.click("text=Choose a task")
    page.click("a:text-is('pin-and-label')")
    page.click("text=Open seat")
    page.wait_for_selector("#live-screen[data-state=live][data-frames]")
    canvas = page.locator("#live-screen canvas")
    wait_for_colours(canvas)
    before = pixels(canvas)
    keep_picture(page, "seat-1280-light")
    scan(page)

    box = canvas.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] * SEARCH[0], box["y"] + box["height"] * SEARCH[1])
    page.wait_for_selector("#live-screen[data-keys=on]")
    page.keyboard.type("dentist")
    expect(page.locator("#live-steps")).not_to_have_text(re.compile("^[01]$"))
    eventually(lambda: _changed(before, pixels(canvas)) > 0.02)  # a list became one note
    keep_picture(page, "seat-typed-1280-light")
    page.click("#live-done")
    expect(page.locator("h1")).to_have_text("Not passed")
    page.wait_for_selector("#replay .replay-shot[data-shown]")
    keep_picture(page, "verdict-1280-light")
    (folder,) = (site.home / "plays").iterdir()
    click, *others = (step.action for step in read_episode(folder).steps)
    assert isinstance(click, Click) and text_of([one for one in others if isinstance(one, Type)]) == "dentist"


def _changed(one: bytes, other: bytes) -> float:
    """The share of bytes that differ."""
    return sum(a != b for a, b in zip(one, other, strict=True)) / len(one)
