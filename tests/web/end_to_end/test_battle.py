"""A whole battle, as a person meets it: from the invitation to the leaderboard, with two agents on real seats."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from functools import partial

import pytest
from playwright.sync_api import Page, expect

from fairground.agents import Agent, Brief, Turn
from fairground.arena import contenders, invite
from fairground.core import Action, Observation
from fairground.rollout import named_agent
from fairground.web import Site
from tests.chromium import MILLISECONDS
from tests.waiting import eventually
from tests.web.end_to_end.browsing import Ear, overflow, scan, wait_for_colours
from tests.web.end_to_end.conftest import AGENTS, WORLD, Visit

SEEN = threading.Event()

pytestmark = pytest.mark.process


class Patient:
    """An agent that waits with its first action until somebody looks; it takes no notice of anything else."""

    def __init__(self, agent: Agent) -> None:
        self.name, self._agent = agent.name, agent
        if callable(take := getattr(agent, "take_seat", None)):
            self.take_seat = take

    def begin(self, brief: Brief) -> None:
        self._agent.begin(brief)

    def act(self, observation: Observation) -> Turn | Action:
        assert SEEN.wait(MILLISECONDS / 1000)
        return self._agent.act(observation)


@pytest.fixture(scope="module")
def agents() -> dict[str, Callable[[], Agent]]:
    return {name: partial(lambda name: Patient(named_agent(name)), name) for name in AGENTS}


@pytest.mark.slow
def test_a_whole_battle_from_an_invitation_to_the_leaderboard(
    site: Site, url: str, visit: Visit, keep_picture: Callable[[Page, str], None]
) -> None:
    ear = Ear(wary=True)
    page = visit(f"/enter/{invite(site.store, 'judge')}", ear=ear)
    page.click("text=Accept")
    expect(page.locator("h2")).to_have_text("Before your first vote")
    keep_picture(page, "consent-1280-light")
    page.click("text=I agree")
    page.click("text=Start a battle")
    page.fill("input[name=world]", WORLD)
    page.click("#new-battle button[type=submit]")

    page.wait_for_url("**/arena/battles/*")
    battle = page.url.rsplit("/", 1)[1]
    for side in "ab":
        page.wait_for_selector(f"[data-side={side}] .screen[data-state=live][data-frames]")
        wait_for_colours(page.locator(f"[data-side={side}] canvas"))
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 844})
        page.wait_for_selector("#stop")
        assert overflow(page) <= 0
        keep_picture(page, f"running-{width}-light")
    scan(page)
    SEEN.set()
    page.locator("[data-side] .pill", has_text="ended").first.wait_for(state="attached")
    keep_picture(page, "one-ended-1280-light")

    page.wait_for_selector("#replays .replay[data-ready]")
    stages = page.locator("#replays .replay-stage")
    expect(stages).to_have_count(2)
    for stage in (stages.nth(0), stages.nth(1)):  # what they left behind comes first
        expect(stage.locator(".replay-does")).to_have_text("Final screen")
        expect(stage.locator(".ended")).to_contain_text(re.compile(r"^[0-9]+ steps? · (reported|answered|gave|did)"))
    expect(page.locator(".replay-mode")).to_be_hidden()  # how long anything took is not told
    keep_picture(page, "ends-1280-light")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    for stage in (stages.nth(0), stages.nth(1)):
        expect(stage.locator(".replay-number")).to_have_text("Step 2")
        expect(stage.locator(".replay-shot")).to_have_attribute("data-shown", "2")
    stages.nth(0).locator(".replay-mark", has_text="good").click()
    expect(page.locator("#vote-marks")).to_have_text("1 marked step will be sent with your vote.")
    ear.told.append(("source of the page", page.content().encode()))
    ear.told.append(("store of the page", str(page.context.storage_state()).encode()))
    for heard in (f"body of {page.url}", "/a/replay", "/b/replay", f"/battles/{battle}/news", "/stream"):
        assert any(heard in where for where, _ in ear.told), heard
    assert ear.said(*AGENTS) == []

    page.click("#ballot button[type=submit]")
    expect(page.locator("#vote-trouble")).to_have_text("Choose a winner.")
    names = contenders(site.store, battle)
    best = "ab"[names.index("oracle")]
    page.click(f"#ballot label:has([name=winner][value={best}])")
    page.click("#ballot summary")
    expect(page.locator("#vote-hint")).to_contain_text("only your vote before the names were shown counts")
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 844})
        keep_picture(page, f"ballot-{width}-light")
    page.click(f"#ballot label:has([name=correct_{best}][value=correct])")
    page.fill("#ballot [name=comment]", "It <b>knew</b> the way")
    page.click("#ballot button[type=submit]")
    expect(page.locator("#revealed bdi")).to_have_text(list(names))
    expect(page.locator("#revealed")).to_contain_text("All checks passed.")
    expect(page.locator("#vote-hint")).to_contain_text(f"for ratings your earlier vote counts: {best.upper()}")
    keep_picture(page, "revealed-1280-light")
    assert {word for _, word in ear.said(*AGENTS)} == set(AGENTS)  # so it would have been heard before
    scan(page)

    page.reload()
    expect(page.locator("#ballot button[type=submit]")).to_have_text("Change your vote")
    assert page.is_checked(f"[name=winner][value={best}]") and page.is_checked(f"[name=correct_{best}][value=correct]")
    page.wait_for_selector("#replays .replay[data-ready]")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    expect(stages.nth(0).locator(".replay-mark[aria-pressed=true]")).to_have_text("good")
    page.click("#ballot label:has([value=both_bad])")
    page.click("#ballot button[type=submit]")
    expect(page.locator(".toast")).to_contain_text("does not count, because you knew the names")
    expect(page.locator("#vote-hint")).to_contain_text(f"your earlier vote counts: {best.upper()} is better")
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 844})
        assert overflow(page) <= 0
        keep_picture(page, f"after-reveal-{width}-light")
    told = page.request.get(f"{url}/api/battles/{battle}/history").json()
    assert [(one["winner"], len(one["marks"]), one["comment"]) for one in told] == [
        (best, 1, "It <b>knew</b> the way"),
        ("both_bad", 1, "It <b>knew</b> the way"),
    ]

    page.click("nav >> text=Arena")
    row = page.locator(".battles li", has=page.locator(f"a[href='/arena/battles/{battle}']"))
    expect(row).to_contain_text(f"{best.upper()} is better")

    def counted() -> bool:
        page.goto(f"{url}/leaderboard")
        return "Votes that count\n1" in page.inner_text("dl.facts")

    eventually(counted, MILLISECONDS / 1000)
    for name in AGENTS:
        expect(page.locator("main")).to_contain_text(name)
    keep_picture(page, "leaderboard-one-vote-1280-light")
