"""The tasks of Mousepad: their data, their checks on states that nobody played, and their oracles in a real seat."""

from __future__ import annotations

import itertools
from functools import cache

import pytest

from fairground.core import Configuration, State, Verdict
from fairground.verify import judge
from fairground.worlds import Suite, World
from fairground_desk.mousepad import SCENARIOS, Mousepad
from fairground_desk.mousepad.app import workplace
from fairground_desk.mousepad.documents import build
from fairground_desk.mousepad.inspector import SETTINGS
from fairground_desk.mousepad.scenarios.editing import EditTask, TextTask
from fairground_desk.mousepad.scenarios.forms import LineEnds
from fairground_desk.mousepad.workplaces import WORKPLACES

pytestmark = pytest.mark.conformance

SUITE = Suite("desk", "Desk", "0", (Mousepad(),), SCENARIOS)
UI_STATES, THEMES = tuple(Mousepad.ui_states), tuple(Mousepad.themes)


def world_of(scenario: str, instance: str, profile: str, number: int = 0) -> World:
    theme, ui_state = THEMES[number % len(THEMES)], UI_STATES[number % len(UI_STATES)]
    return World.of(SUITE, Configuration(suite="desk", app="mousepad", scenario=scenario, instance=instance,
                                         profile=profile, theme=theme, ui_state=ui_state))  # fmt: skip


@cache
def start(profile: str) -> State:
    """What a seat records before anybody touched it."""
    files = build(WORKPLACES[profile])
    folders = {path.rpartition("/")[0] for path in files} - {"~/Documents"}
    listing = [{"path": path, "kind": "file", "size": len(content)} for path, content in files.items()]
    listing += [{"path": path, "kind": "folder", "size": 0} for path in folders]
    return State(files={**files, SETTINGS: b""}, data={"files": sorted(listing, key=lambda one: str(one["path"]))})


def with_file(state: State, path: str, content: bytes) -> State:
    return State(files={**state.files, path: content}, data=state.data, missing=state.missing)


def verdict(world: World, after: State, answer: str | None = None) -> Verdict:
    return judge(world, start(world.configuration.profile), after, answer)


@pytest.mark.parametrize("profile", WORKPLACES)
def test_a_desk_is_the_same_every_time_and_unlike_the_others(profile: str) -> None:
    files = build(WORKPLACES[profile])
    assert files == build(WORKPLACES[profile]) and len(files) >= 30
    others = [set(build(WORKPLACES[other]).values()) for other in WORKPLACES if other != profile]
    assert not any(set(files.values()) & other for other in others)
    for rename in WORKPLACES[profile].renames.values():
        text = files[WORKPLACES[profile].path(rename.role)].decode()
        assert text.count(rename.longer) and text.count(rename.old) >= 5 and rename.new not in text


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda one: one.name)
def test_nothing_done_earns_nothing(scenario: TextTask) -> None:
    for instance, profile in itertools.product(scenario.instances, WORKPLACES):
        world = world_of(scenario.name, instance, profile)
        assert len(world.instruction) > 40
        found = verdict(world, start(profile))
        assert found.reward == 0 and not found.success
        assert scenario.oracle(world, start(profile))


EDITS = [one for one in SCENARIOS if isinstance(one, EditTask) and not isinstance(one, LineEnds)]


@pytest.mark.parametrize("scenario", EDITS, ids=lambda one: one.name)
def test_the_wanted_text_is_a_success_and_one_more_change_is_none(scenario: EditTask) -> None:
    for instance, profile in itertools.product(scenario.instances, WORKPLACES):
        write_wanted(scenario, instance, profile)


def write_wanted(scenario: EditTask, instance: str, profile: str) -> None:
    world = world_of(scenario.name, instance, profile)
    before, path = start(profile), scenario.path(world)
    text = before.text(path)
    end = "\r\n" if "\r\n" in text else "\n"
    lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n")
    wanted = scenario.wanted(world, lines)
    done = with_file(before, path, "".join(f"{line}{end}" for line in wanted).encode())
    assert verdict(world, done).success
    assert verdict(world, done).reward == 1
    more = with_file(before, path, "".join(f"{line}{end}" for line in [*wanted, "more"]).encode())
    cut = with_file(before, path, end.join(wanted).encode())
    elsewhere = with_file(done, next(one for one in before.files if one != path), b"changed")
    binary = with_file(before, path, b"\x00\xff" * 9)
    for wrong in (more, cut, elsewhere, binary):
        assert verdict(world, wrong).reward == 0


def test_an_answer_is_compared_with_the_log() -> None:
    world = world_of("log-question", "errors", "library")
    log = start("library").text(workplace(world).path("log")).splitlines()
    right = sum(" ERROR " in line for line in log)
    assert verdict(world, start("library"), f"{right} lines").success
    for wrong in (str(right + 1), f"{right} or {right + 1}", "", None, "many"):
        assert not verdict(world, start("library"), wrong).success


@pytest.mark.parametrize(
    ("added", "passes"),
    [
        ("", True),
        ("[org/xfce/mousepad/state/search]\nmatch-case=true\n", True),
        ("[org/gtk/settings/file-chooser]\nshow-hidden=true\n", True),
        ("show-right-margin=true\n", False),
        ("nobody-knows-this=true\n", False),
        ("[org/xfce/mousepad/plugins/spell]\nlanguage='de'\n", False),
    ],
)
def test_a_preference_that_was_not_there_before_is_a_change_and_the_state_of_dialogs_is_none(
    added: str, passes: bool
) -> None:
    world = world_of("preferences", "reading", next(iter(WORKPLACES)))
    asked = "word-wrap=true\nshow-line-numbers=true\nhighlight-current-line=true\n"
    written = f"[org/xfce/mousepad/preferences/view]\n{asked}{added}"
    after = with_file(start(world.configuration.profile), SETTINGS, written.encode())
    assert verdict(world, after).success is passes
