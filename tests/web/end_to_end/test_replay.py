"""The replay of a recorded episode, as a person goes through it."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.web.end_to_end.conftest import Visit

HERE = "/replay/first/000000"

pytestmark = pytest.mark.process


def wait_for_step(page: Page, number: int) -> None:
    """What is said and what is shown is of this step."""
    expect(page.locator(".replay-number")).to_have_text(f"Step {number}")
    expect(page.locator(".replay-shot")).to_have_attribute("data-shown", str(number))


@pytest.mark.slow
def test_one_comes_to_a_replay_from_the_runs(visit: Visit) -> None:
    page = visit("/runs")
    page.click("main table a[href='/runs/first']")
    page.click("text=All episodes")
    page.click("main table a[href^='/replay/']")
    wait_for_step(page, 1)
    expect(page.locator("main")).to_contain_text("passed")


@pytest.mark.slow
def test_space_plays_to_the_end_and_pauses(visit: Visit) -> None:
    page = visit(HERE)
    wait_for_step(page, 1)
    page.evaluate("""() => {  // a short film may be over before anybody looks: note each time it starts or stops
        const controls = document.querySelector(".replay-controls");
        const playing = () => controls.classList.contains("playing");
        window.played = [];
        new MutationObserver(() => playing() !== (window.played.at(-1) ?? false) && window.played.push(playing()))
            .observe(controls, { attributes: true, attributeFilter: ["class"] });
    }""")
    page.keyboard.press("Space")
    expect(page.locator(".replay-does")).to_have_text("Final screen")
    page.wait_for_function("window.played.join() === 'true,false'")
    page.keyboard.press("Home")
    page.keyboard.press("-")
    page.keyboard.press("-")
    expect(page.locator(".replay-speed")).to_have_value("0.25")
    page.keyboard.press("Space")
    page.keyboard.press("Space")
    page.wait_for_function("window.played.join() === 'true,false,true,false'")
    expect(page.locator(".replay-does")).not_to_have_text("Final screen")


@pytest.mark.slow
def test_scrubbing_shows_the_step_under_the_mouse_and_its_link_leads_there(visit: Visit) -> None:
    page = visit(HERE)
    wait_for_step(page, 1)
    scrubber = page.locator(".replay-scrubber")
    scrubber.scroll_into_view_if_needed()
    box = scrubber.bounding_box()
    assert box is not None
    middle, last = box["y"] + box["height"] / 2, int(scrubber.get_attribute("max") or 0)
    page.mouse.move(box["x"] + 10, middle)
    page.mouse.down()
    for share in (0.2, 0.4, 0.5):
        page.mouse.move(box["x"] + box["width"] * share, middle)
    page.mouse.up()
    number = int(scrubber.input_value()) + 1
    assert 1 < number <= last
    wait_for_step(page, number)
    page.wait_for_url(f"**{HERE}#step-{number}")
    other = visit(f"{HERE}#step-{number}")
    wait_for_step(other, number)
    assert other.inner_text(".replay-does") == page.inner_text(".replay-does")
    other.click(".replay-list button[data-place='0']")
    wait_for_step(other, 1)
