"""A task in a person's own words: their file lies on both desktops, both agents ask them, and they stop it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from playwright.sync_api import Page, expect

from fairground.agents import Agent, Brief, Turn
from fairground.arena import Person
from fairground.core import CallUser, Observation, Wait
from fairground.web import Site
from tests.web.end_to_end.browsing import scan
from tests.web.end_to_end.conftest import Visit

NOTE = b"Call it a day.\n"
QUESTION = "Shall I <b>sign</b> it?"

pytestmark = pytest.mark.process


class Asker:
    """Asks what to do, and then waits for something to happen."""

    def __init__(self, name: str) -> None:
        self.name = name

    def begin(self, brief: Brief) -> None:
        self._asked = False

    def act(self, observation: Observation) -> Turn:
        if self._asked:
            return Turn(Wait(seconds=0.2))
        self._asked = True
        return Turn(CallUser(text=QUESTION))


@pytest.fixture(scope="module")
def agents() -> dict[str, Callable[[], Agent]]:
    return {name: partial(Asker, name) for name in ("heron", "plover")}


@pytest.mark.slow
def test_a_file_is_laid_out_questions_are_answered_and_the_two_go_on_with_something_else(
    site: Site, visit: Visit, judge: Person, keep_picture: Callable[[Page, str], None]
) -> None:
    page = visit("/arena/new", judge)
    page.click("label:has([value=own])")
    page.click("#new-battle button[type=submit]")
    expect(page.locator("#trouble")).to_have_text("Describe the task.")
    page.fill("[name=text]", "Finish the letter on the desktop")
    page.set_input_files("[name=files]", {"name": "../letter & more.txt", "mimeType": "text/plain", "buffer": NOTE})
    keep_picture(page, "own-task-1280-light")
    scan(page)
    page.click("#new-battle button[type=submit]")
    page.wait_for_url("**/arena/battles/*")
    first = page.url
    expect(page.locator("main")).to_contain_text("On both desktops: letter & more.txt")
    for side in "ab":
        expect(page.locator(f"[data-side={side}] .talk .asks")).to_have_text(QUESTION)
    seats = site.contests._running[first.rsplit("/", 1)[1]].seats  # the site only lets people look at them
    assert sorted(seats) == ["a", "b"]
    for seat in seats.values():
        assert seat.sandbox.read_file("~/Desktop/letter & more.txt") == NOTE
    keep_picture(page, "asking-1280-light")
    scan(page)
    for side, answer in (("a", "Yes, as Ada"), ("b", "No")):
        page.fill(f"[data-side={side}] .talk input", answer)
        page.press(f"[data-side={side}] .talk input", "Enter")
        expect(page.locator(f"[data-side={side}] .talk .answers")).to_have_text(answer)
        expect(page.locator(f"[data-side={side}] .pill")).to_contain_text("at work")
    page.click("#stop")
    page.wait_for_selector("#replays .replay[data-ready]")
    stage = page.locator("#replays .replay-stage").first
    page.keyboard.press("Home")
    expect(stage).to_contain_text(QUESTION)
    expect(stage).to_contain_text("Yes, as Ada")
    keep_picture(page, "own-task-judging-1280-light")

    page.fill("#follow-up input", "Now print it")
    page.press("#follow-up input", "Enter")
    expect(page.locator("h1")).to_have_text("Now print it")
    expect(page.locator("[data-side=b] .talk .asks")).to_have_text(QUESTION)
    page.click("#stop")
    vote(page, "tie")
    expect(page.locator("#notes")).to_contain_text("The names are shown after")
    page.goto(first)
    vote(page, "b")
    expect(page.locator("#revealed bdi")).to_have_count(2)
    expect(page.locator("#revealed")).to_contain_text("This task can only be judged by people.")


def vote(page: Page, winner: str) -> None:
    page.click(f"#ballot label:has([name=winner][value={winner}])")
    page.click("#ballot button[type=submit]")
    expect(page.locator("#ballot button[type=submit]")).to_have_text("Change your vote")
