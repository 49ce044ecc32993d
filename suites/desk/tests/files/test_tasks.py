"""The tasks of PCManFM: their data, their checks on states that nobody played, and their oracles in a real seat."""

from __future__ import annotations

import itertools
from functools import cache
from pathlib import Path

import pytest

from fairground.agents import make_moves
from fairground.core import Configuration, State, Verdict
from fairground.verify import judge
from fairground.worlds import Suite, World, open_seat
from fairground_desk.files import SCENARIOS, Files
from fairground_desk.files.app import _LIBFM, _settings
from fairground_desk.files.homes import FOLDERS, HOMES, build
from fairground_desk.files.inspector import BOOKMARKS, FILES, LIBFM, PCMANFM
from fairground_desk.files.scenarios.plan import FilesTask

SUITE = Suite("desk", "Desk", "0", (Files(),), SCENARIOS)
UI_STATES, THEMES = tuple(Files.ui_states), tuple(Files.themes)


def world_of(scenario: str, instance: str, profile: str, number: int = 0) -> World:
    theme, ui_state = THEMES[number % len(THEMES)], UI_STATES[number % len(UI_STATES)]
    return World.of(SUITE, Configuration(suite="desk", app="files", scenario=scenario, instance=instance,
                                         profile=profile, theme=theme, ui_state=ui_state))  # fmt: skip


def recorded(files: dict[str, bytes], folders: set[str], links: dict[str, str] | None = None) -> State:
    """A state with these files, as a seat records it."""
    listing = [{"path": path, "kind": "file", "size": len(content)} for path, content in files.items()]
    listing += [{"path": path, "kind": "folder", "size": 0} for path in folders]
    listing += [{"path": path, "kind": "link", "size": 0} for path in links or {}]
    modes = {path: {"mode": "755" if path.endswith(".sh") else "644", "target": ""} for path in files}
    modes |= {path: {"mode": "755", "target": ""} for path in folders}
    modes |= {path: {"mode": "777", "target": target} for path, target in (links or {}).items()}
    home = _settings(Files.ui_states["home"]).encode()
    settings = {PCMANFM: home, LIBFM: _LIBFM, BOOKMARKS: b"file:///home/user/Documents/Invoices Invoices\n"}
    data = {"files": sorted(listing, key=lambda one: str(one["path"])), "modes": modes}
    return State(files={**files, **settings}, data=data)


def folders_of(files: dict[str, bytes]) -> set[str]:
    found = {str(parent) for path in files for parent in Path(path).parents}
    return found - {"~", ".", *FOLDERS}


@cache
def start(profile: str) -> State:
    files = build(HOMES[profile])
    return recorded(files, folders_of(files))


@pytest.mark.parametrize("profile", HOMES)
def test_a_home_is_the_same_every_time_and_unlike_the_others(profile: str) -> None:
    files = build(HOMES[profile])
    assert files == build(HOMES[profile]) and len(files) >= 60
    others = [set(build(HOMES[other]).values()) for other in HOMES if other != profile]
    shared = {b"theme=plain\n", b"#!/bin/sh\necho building\n"}
    assert not any((set(files.values()) & other) - shared for other in others)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda one: one.name)
def test_nothing_done_earns_nothing(scenario: FilesTask) -> None:
    for instance, profile in itertools.product(scenario.instances, HOMES):
        world = world_of(scenario.name, instance, profile)
        found = judge(world, start(profile), start(profile), None)
        assert len(world.instruction) > 40 and found.reward == 0 and not found.success
        assert scenario.oracle(world, start(profile))


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda one: one.name)
def test_the_plan_carried_out_is_a_success_and_one_thing_more_is_none(scenario: FilesTask) -> None:
    for instance, profile in itertools.product(scenario.instances, HOMES):
        carry_out_plan(scenario, instance, profile)


def carry_out_plan(scenario: FilesTask, instance: str, profile: str) -> None:
    world, before = world_of(scenario.name, instance, profile), start(profile)
    plan = scenario.plan(world, before).whole(before)
    if plan.trashed or not plan.touched:
        return
    files = {path: content for path, content in before.files.items() if path.startswith(FOLDERS)}
    folders = folders_of(files)
    for path in plan.moved:
        folders.discard(path)
    done = {path: content for path, content in files.items() if path not in (*plan.moved, *plan.erased)}
    for old, new in (*plan.moved.items(), *plan.copied.items()):
        if old in files:
            done[new] = files[old]
        else:
            folders.add(new)
    done |= dict.fromkeys(plan.empty, b"")
    folders |= set(plan.made)
    links = dict(plan.links)
    assert judge(world, before, recorded(done, folders, links)).success
    extra = {**done, "~/Documents/extra.txt": b"more"}
    changed = {**done, next(path for path in done if path in files): b"other"}
    for wrong in (extra, changed):
        assert judge(world, before, recorded(wrong, folders, links)).reward == 0
    for new in plan.moved.values():
        if new in done:
            assert not judge(world, before, recorded({**done, new: b""}, folders, links)).success


def test_what_was_deleted_is_not_in_the_trash() -> None:
    world, before = world_of("trash-files", "archives", "joiner"), start("joiner")
    files = {path: content for path, content in before.files.items() if path.startswith(FOLDERS)}
    gone = {path: content for path, content in files.items() if not path.endswith(".zip")}
    assert judge(world, before, recorded(gone, folders_of(files))).reward == 0


def test_an_answer_is_compared_with_the_folders() -> None:
    world = world_of("question", "papers-below", "teacher")
    assert judge(world, start("teacher"), start("teacher"), "14").success
    for wrong in ("13", "14 or 15", "", None):
        assert not judge(world, start("teacher"), start("teacher"), wrong).success


def test_the_reference_in_the_readme_is_that_of_the_code() -> None:
    readme = (Path(__file__).parents[2] / "src/fairground_desk/files/README.md").read_text()
    assert FILES.reference().strip() == readme.split("<!-- endpoints -->")[1].split("<!-- /endpoints -->")[0].strip()


QUICK = {"erase-files": "scans"}


def solve(world: World) -> Verdict:
    with open_seat(world) as seat:
        said = make_moves(seat, world.scenario.oracle(world, seat.before))
        return judge(world, seat.before, seat.finish(), said)


@pytest.mark.parametrize(("number", "scenario"), list(enumerate(QUICK)))
def test_the_oracle_solves_it(number: int, scenario: str) -> None:
    profile = tuple(HOMES)[number % len(HOMES)]
    found = solve(world_of(scenario, QUICK[scenario], profile, number))
    assert found.success, found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "scenario"), list(enumerate(one.name for one in SCENARIOS if one.name not in QUICK))
)
def test_the_oracle_solves_the_others(number: int, scenario: str) -> None:
    instance = next(iter(SUITE.scenario("files", scenario).instances))
    found = solve(world_of(scenario, instance, tuple(HOMES)[number % len(HOMES)], number))
    assert found.success, found
