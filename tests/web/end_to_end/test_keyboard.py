"""Without a mouse: from the arena's page to a vote that counts, by keys alone."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from playwright.sync_api import Page, expect

from fairground.agents import Agent
from fairground.agents.builtin import DoNothing
from fairground.arena import Person
from fairground.arena.voting import find_vote
from fairground.web import Site
from tests.web.end_to_end.browsing import press_until
from tests.web.end_to_end.conftest import WORLD, Visit

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def agents() -> dict[str, Callable[[], Agent]]:
    """Two that are quickly done."""
    return {"heron": DoNothing, "plover": DoNothing}


def tab_to(page: Page, selector: str) -> None:
    """Goes on with Tab until this has the focus, and checks that one can see that."""
    press_until(page, "Tab", partial(page.locator(f"{selector}:focus").is_visible))
    shown = page.locator(f"{selector}:focus").evaluate(
        "(one) => [one, one.closest('label')].some((each) => each && getComputedStyle(each).outlineStyle !== 'none')"
    )
    assert shown, f"one cannot see that {selector} has the focus"


@pytest.mark.usefixtures("in_still_world")
def test_a_battle_is_begun_seen_and_judged_without_a_mouse(site: Site, visit: Visit, judge: Person) -> None:
    page = visit("/arena", judge)
    page.keyboard.press("Tab")
    expect(page.locator(".skip:focus")).to_be_visible()
    page.keyboard.press("Enter")
    tab_to(page, "a[href='/arena/new']")
    page.keyboard.press("Enter")
    page.wait_for_selector("#new-battle")
    tab_to(page, "[name=kind]")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#own-words")).to_be_visible()
    page.keyboard.press("ArrowLeft")
    tab_to(page, "[name=world]")
    page.keyboard.type(WORLD)
    page.keyboard.press("Escape")  # what the browser proposes
    tab_to(page, "#new-battle button[type=submit]")
    page.keyboard.press("Enter")

    page.wait_for_selector("#replays .replay[data-ready]")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".replay-does").first).to_have_text("Final screen")
    page.keyboard.press("ArrowLeft")
    tab_to(page, ".replay-mark")
    page.keyboard.press("Space")
    expect(page.locator(".replay-mark[aria-pressed=true]")).to_have_text("good")
    tab_to(page, "#ballot [name=winner]")
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    tab_to(page, "#ballot summary")
    page.keyboard.press("Enter")
    tab_to(page, "#ballot [name=correct_a]")
    page.keyboard.press("Space")
    tab_to(page, "#ballot [name=comment]")
    page.keyboard.type("Neither did anything")
    tab_to(page, "#ballot button[type=submit]")
    page.keyboard.press("Enter")
    expect(page.locator("#revealed bdi")).to_have_count(2)
    vote = find_vote(site.store, page.url.rsplit("/", 1)[1], judge)
    assert vote is not None
    assert (vote.winner, vote.correct_a, vote.comment) == ("tie", "correct", "Neither did anything")
    assert [(one.side, one.step, one.mark) for one in vote.marks] == [("a", 0, "good")]
