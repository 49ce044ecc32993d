"""Tasks in the browser: all of them worded, and none done at the start."""

from __future__ import annotations

import json
import re
from urllib.parse import unquote

import pytest

from fairground.core import Configuration, InvalidConfiguration, State
from fairground.verify import judge
from fairground.verify.reading.chromium import read_bookmarks
from fairground.worlds import World, suite_of
from fairground_desk.browser import SCENARIOS, Browser
from fairground_desk.browser.inspector import LOCAL_STATE, PROFILE
from fairground_desk.browser.person import PEOPLE, SITES, person
from fairground_desk.browser.profile_files import Mark, bookmarks_file
from fairground_desk.browser.scenarios.browser_task import _settings
from fairground_desk.browser.scenarios.taking import OpenTabs
from fairground_desk.browser.serving import Request
from fairground_desk.browser.sites import Sites

pytestmark = pytest.mark.conformance


def world_of(name: str) -> World:
    suite = suite_of("desk")[0]
    return World.of(suite, Configuration.from_id(f"desk/browser/{name}"))


def test_every_instance_is_worded_for_every_person() -> None:
    suite = suite_of("desk")[0]
    for scenario in SCENARIOS:
        for instance in scenario.instances:
            for profile in Browser.profiles:
                told = Configuration.from_id(f"desk/browser/{scenario.name}/{instance}@{profile}/light/start")
                try:
                    words = World.of(suite, told).instruction
                except InvalidConfiguration:
                    continue
                assert len(words) > 40 and "{" not in words, words


@pytest.mark.parametrize("key", PEOPLE)
def test_every_page_that_is_linked_is_there(key: str) -> None:
    owner = person(key)
    sites = Sites(owner)
    seen: set[str] = set()
    todo = [(owner.host(site), "/") for site in SITES]
    while todo:
        host, path = todo.pop()
        if f"{host}{path}" in seen:
            continue
        seen.add(f"{host}{path}")
        bare, _, query = path.partition("?")
        asked = dict(part.partition("=")[::2] for part in query.replace("&amp;", "&").split("&") if part)
        answer = sites.respond(Request("GET", host, unquote(bare), {k: unquote(v) for k, v in asked.items()}))
        assert answer.status == 200, (host, path)
        if answer.kind.startswith("text/html"):
            links = re.findall(r'href="(/[^"]*)"', answer.body.decode())
            todo += [(host, link) for link in links if not ("page=" in link and len(seen) > 700)]
    assert len(seen) > 150


def test_a_hostile_request_changes_nothing_and_breaks_nothing() -> None:
    sites = Sites(person("ines"))
    before = sites.state.recorded()
    for path in ("/records/0", "/records/99999999999", "/staff/-1", "/../../etc/passwd", "/event/1/2/3", "/basket/x"):
        for site in SITES:
            for method in ("GET", "POST"):
                sites.respond(Request(method, sites.person.host(site), path, {}, {"pieces": "1e9", "step": "9"}))
    assert sites.state.recorded() == before
    assert sites.respond(Request("GET", "evil.example", "/")).status == 502


def test_the_bookmarks_file_is_one_that_the_browser_would_write() -> None:
    found = read_bookmarks(
        bookmarks_file([Mark("A", "http://a.example/"), Mark("F", children=(Mark("B", "http://b.example/"),))], [])
    )
    assert found.genuine and found.at("bar", "F", "B")[0].url == "http://b.example/"


def test_a_page_in_a_private_tab_is_not_open_for_the_meeting() -> None:
    world = world_of("tabs-for-meeting/review@ines/light/start")
    task = world.scenario
    assert isinstance(task, OpenTabs)
    right = [{"url": one.url, "title": one.title, "private": False} for one in task._pages(world)]

    def passes(tabs: list[dict[str, object]]) -> bool:
        return all(check.passed for check in task.judge(world, State(), State(data={"live": {"tabs": tabs}}), None))

    assert passes(right) and passes(right[::-1])
    assert not passes([right[0] | {"private": True}, *right[1:]])
    assert not passes([*right, right[0] | {"private": True}])
    assert not passes([{"url": right[0]["url"]}, *right[1:]])
    assert not passes(right[1:]) and not passes([*right, right[0]])


def test_a_state_without_the_profile_fails_and_breaks_nothing() -> None:
    world = world_of("bookmark-page/paper@ines/light/start")
    assert not judge(world, State(), State(), None).success


@pytest.mark.parametrize(
    ("preferences", "beside", "noticed"),
    [
        ({}, {}, []),
        ({"https_only_mode_enabled": False}, {}, []),  # its default
        ({"segmentation_platform": {"client_result_prefs": "x"}}, {"user_experience_metrics": {"stability": 1}}, []),
        ({"https_only_mode_enabled": True}, {}, ["https_only_mode_enabled"]),
        ({"search": {"suggest_enabled": False}}, {}, ["search.suggest_enabled"]),
        ({"enable_do_not_track": True}, {}, ["do_not_track"]),
        ({}, {"browser": {"enabled_labs_experiments": ["dark@1"]}}, ["browser.enabled_labs_experiments"]),
        ({}, {"hardware_acceleration_mode": {"enabled": False}}, ["hardware_acceleration_mode.enabled"]),
    ],
)
def test_a_setting_that_was_not_there_before_is_a_change(
    preferences: dict[str, object], beside: dict[str, object], noticed: list[str]
) -> None:
    old, new = (
        _settings(State({f"{PROFILE}/Preferences": json.dumps(own).encode(), LOCAL_STATE: json.dumps(other).encode()}))
        for own, other in (({}, {}), (preferences, beside))
    )
    assert [name for name in new if new[name] != old[name]] == noticed
