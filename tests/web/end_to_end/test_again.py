"""A battle that could not be fought: the page says why, and begins it again."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from fairground.agents import Agent
from fairground.agents.builtin import DoNothing
from fairground.arena import Person, Task, interrupt_all, new_battle
from fairground.web import Site
from fairground.worlds import resolve
from tests.web.end_to_end.browsing import overflow, scan
from tests.web.end_to_end.conftest import WORLD, Visit

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def agents() -> dict[str, Callable[[], Agent]]:
    return {"heron": DoNothing, "plover": DoNothing}


@pytest.mark.usefixtures("in_still_world")
@pytest.mark.slow
def test_a_battle_that_was_interrupted_is_begun_again_and_can_be_judged(
    site: Site, visit: Visit, judge: Person, keep_picture: Callable[[Page, str], None]
) -> None:
    world = resolve(WORLD)
    battle = new_battle(site.store, judge, Task(world=world.id, text=world.instruction, platform="phone")).id
    interrupt_all(site.store)  # as a server does that starts after it was killed
    page = visit(f"/arena/battles/{battle}", judge, viewport={"width": 390, "height": 844}, color_scheme="dark")
    expect(page.locator(".headline .pill")).to_have_text("interrupted")
    expect(page.locator("#why")).to_be_visible()
    expect(page.locator("#ballot")).to_be_hidden()
    assert overflow(page) <= 0
    scan(page)
    keep_picture(page, "interrupted-390-dark")
    page.click("#rerun")
    page.wait_for_selector("#replays .replay[data-ready]")
    expect(page.locator(".headline .pill")).to_have_text("ready to judge")
    expect(page.locator("#why")).to_be_hidden()
    expect(page.locator("#ballot")).to_be_visible()
