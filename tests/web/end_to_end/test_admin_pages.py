"""The admin's room in a real browser: each page is used, read on every screen, and heard."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from fairground.arena import (
    Person,
    Store,
    Task,
    active_agents,
    all_votes,
    begin,
    consent,
    current_settings,
    find_battle,
    new_battle,
    new_person,
    to_judge,
)
from fairground.arena.schema import votes
from fairground.web import Site, serving
from tests.web.arena_stage import fill, patient
from tests.web.end_to_end.browsing import overflow, scan
from tests.web.end_to_end.conftest import Visit

Look = Callable[[Page, str], None]
TABLE = "model_a,model_b,winner,judge\n" + "gpt,claude,model_a,v1\nclaude,gpt,model_b,v2\n" * 15

pytestmark = pytest.mark.process


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """An arena with votes, without seats: nothing here needs any. Each test has its own, and changes it."""
    with Store(tmp_path / "arena.sqlite") as store:
        fill(store, 40)
        yield Site(store, tmp_path / "home", rates=patient())


@pytest.fixture
def url(site: Site) -> Iterator[str]:
    with serving(site) as url:
        yield url.rstrip("/")


@pytest.fixture
def admin(site: Site) -> Person:
    return consent(site.store, new_person(site.store, "admin"))


@pytest.fixture
def look(keep_picture: Look) -> Look:
    """Wide and narrow; axe looks at one of them here, and at both in `test_pages`."""

    def looked(page: Page, name: str) -> None:
        expect(page.locator("h1")).to_have_count(1)
        for width, scheme in ((1280, "light"), (390, "dark")):
            page.set_viewport_size({"width": width, "height": 844})
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            assert overflow(page) <= 0, f"{name} is too wide at {width} px"
            keep_picture(page, f"admin-{name}-{width}-{scheme}")
        scan(page)

    return looked


@pytest.mark.slow
def test_an_invitation_is_made_used_once_and_another_revoked(visit: Visit, admin: Person, look: Look) -> None:
    page = visit("/admin/invitations", admin)
    page.get_by_label("Note (only for admins)").fill("Tuesday's class")
    page.get_by_role("button", name="Create link").click()
    field = page.get_by_label("Invitation link (shown only once)")
    expect(field).to_be_focused()
    link = field.input_value()
    look(page, "invitations")
    guest = visit("/")
    guest.goto(link)
    guest.get_by_role("button", name="Accept").click()
    expect(guest.get_by_role("link", name="Arena").first).to_be_visible()
    page.reload()
    row = page.get_by_role("row").filter(has_text="Tuesday's class")
    expect(row).to_contain_text("ended")
    page.get_by_role("button", name="Create link").click()
    expect(page.get_by_label("Invitation link (shown only once)")).to_be_focused()
    page.reload()
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Revoke").click()
    expect(page.get_by_role("button", name="Revoke")).to_have_count(0)


@pytest.mark.slow
def test_an_agent_leaves_and_comes_back(visit: Visit, admin: Person, site: Site, look: Look) -> None:
    page = visit("/admin/agents", admin)
    look(page, "agents")
    page.get_by_label("Reason to retire mimic").fill("its server is down")
    row = page.get_by_role("row").filter(has_text="mimic")
    row.get_by_role("button", name="Retire").click()
    expect(row).to_contain_text("its server is down")
    assert "mimic" not in active_agents(site.store)
    row.get_by_role("button", name="Bring back").click()
    expect(row.get_by_role("button", name="Retire")).to_be_visible()
    assert "mimic" in active_agents(site.store)


@pytest.mark.slow
def test_filters_are_set_and_votes_marked_cleared_and_set_aside(
    visit: Visit, admin: Person, site: Site, look: Look
) -> None:
    quick = all_votes(site.store)[0].battle
    with site.store.write() as connection:
        connection.execute(votes.update().where(votes.c.battle == quick).values(seconds=7.0))
    page = visit("/admin/filters", admin)
    page.get_by_label("Minimum seconds before a vote").fill("9000")
    page.get_by_role("button", name="Save").click()
    assert current_settings(site.store).too_fast == 5, "the browser says that it is too much"
    page.get_by_label("Minimum seconds before a vote").fill("8.5")
    page.get_by_label("Custom tasks that need no computer, one per line").fill("order a pizza\n\n  sing  \n")
    page.get_by_label("Flag repeated custom tasks").uncheck()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("row").filter(has_text="you")).to_contain_text("5 → 8.5")
    look(page, "filters")
    kept = current_settings(site.store)
    assert (kept.too_fast, kept.phrases, kept.duplicates) == (8.5, ("order a pizza", "sing"), False)
    page.get_by_role("link", name="Show the votes").click()
    page.wait_for_url("**/admin/votes?flagged=true")
    expect(page.get_by_role("row").filter(has_text="too-fast")).to_have_count(1)
    look(page, "votes")
    page.get_by_role("button", name="Clear the flag too-fast").click()
    expect(page.get_by_text("No votes found")).to_be_visible()
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("link", name="all votes").click()
    page.get_by_role("button", name="Exclude").first.click()
    expect(page.get_by_role("row").filter(has_text="by hand")).to_have_count(1)
    assert len(all_votes(site.store)) == 40


def test_a_battle_is_opened_to_every_judge_and_closed(visit: Visit, admin: Person, site: Site, look: Look) -> None:
    battle = new_battle(
        site.store, admin, Task(world="desk/calc", text="Add it up", category="office", platform="desktop")
    )
    begin(site.store, battle.id, {"a": "same", "b": "same"})
    to_judge(site.store, battle.id)
    page = visit("/admin/battles?status=judging", admin)
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Open to judges").click()
    expect(page.get_by_role("row").filter(has_text="Add it up")).to_contain_text("all judges")
    look(page, "battles")
    page.get_by_role("button", name="Close").click()
    expect(page.get_by_text("No battles found")).to_be_visible()
    assert find_battle(site.store, battle.id).status == "closed"


@pytest.mark.slow
def test_votes_go_out_and_come_in(visit: Visit, admin: Person, site: Site, look: Look, tmp_path: Path) -> None:
    page = visit("/admin/data", admin)
    before = len(all_votes(site.store))
    page.get_by_label("Which votes").select_option("true")
    with page.expect_download() as got:
        page.get_by_role("button", name="Download").click()
    lines = Path(got.value.path()).read_text().splitlines()
    assert len(lines) == before and json.loads(lines[0])
    (tmp_path / "other.csv").write_text(TABLE)
    page.get_by_label("File, up to").set_input_files(tmp_path / "other.csv")
    page.get_by_role("button", name="Preview").click()
    take = page.get_by_role("button", name="Import 30 votes")
    take.wait_for()
    page.locator("summary").click()
    page.get_by_label("claude (30)").fill("anthropic:claude")
    page.get_by_label("Name of the other arena").focus()
    page.get_by_text("anthropic:claude").first.wait_for()
    look(page, "data")
    take.click()
    expect(page.get_by_text("30 votes imported")).to_be_visible()
    assert len(all_votes(site.store)) == before + 30
    assert "anthropic:claude" in {row.b for row in all_votes(site.store)}
