"""Answers of running programs, which an agent could have replaced, are marked as weak evidence."""

from __future__ import annotations

import pytest

from fairground.core import Configuration, State
from fairground.worlds import World, suite_of
from fairground_desk.browser.inspector import BROWSER
from fairground_desk.browser.scenarios.taking import OpenTabs
from fairground_desk.inkscape import Inkscape
from fairground_desk.inkscape.sheets import sheet_of
from fairground_desk.inkscape.svgwriter import View

pytestmark = pytest.mark.conformance


def world_of(name: str) -> World:
    return World.of(suite_of("desk")[0], Configuration.from_id(f"desk/{name}"))


def test_tabs_that_an_impostor_lists_pass_but_only_as_weak_evidence() -> None:
    world = world_of("browser/tabs-for-meeting/review@ines/light/start")
    task = world.scenario
    assert isinstance(task, OpenTabs)
    listed = [{"url": page.url, "private": False} for page in task._pages(world)]
    checks = task.judge(world, State(), State(data={"live": {"tabs": listed}}), None)
    assert all(check.passed and check.weak for check in checks)


def test_an_endpoint_about_the_running_program_gives_weak_evidence_and_one_about_files_does_not() -> None:
    state = State(data={"live": {"tabs": []}, "sites": {"tickets": [{"subject": "Light"}]}})
    assert BROWSER.ask(state, "check-tabs", {"urls": "[]"})["weak"] is True
    received = BROWSER.ask(state, "check-received", {"part": "tickets", "field": "subject", "value": "Light"})
    assert received["passed"] and not received["weak"], "the sites are outside the sandbox"


def test_what_inkscape_says_about_unsaved_changes_is_weak_evidence() -> None:
    profile = next(iter(Inkscape.profiles))
    world = world_of(f"inkscape/how-many-filled/first@{profile}/light/page")
    assert unsaved(world, {"unsaved": ["drawing.svg"]}) == [(False, True)]
    assert unsaved(world, {"unsaved": []}) == [(True, True)]
    assert unsaved(world, {"error": "it hangs"}) == [(False, True)]


def unsaved(world: World, live: dict[str, object]) -> list[tuple[bool, bool]]:
    sheet = sheet_of(world)
    state = State({sheet.path: sheet.write(View())}, {"files": [], "live": live})
    checks = world.scenario.checks(world, state, state, "3")
    return [(check.passed, check.weak) for check in checks if check.name == "nothing is left unsaved"]
