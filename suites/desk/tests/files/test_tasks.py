"""The tasks of PCManFM: their data, their checks on states that nobody played, and their oracles in a real seat."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from fairground.core import Configuration, State
from fairground.verify import judge
from fairground.worlds import Suite, World
from fairground_desk.files import SCENARIOS, Files
from fairground_desk.files.app import _LIBFM, _settings
from fairground_desk.files.homes import FOLDERS, HOMES, build
from fairground_desk.files.inspector import BOOKMARKS, LIBFM, PCMANFM, TRASH
from fairground_desk.files.scenarios.arranging import Regroup
from fairground_desk.files.scenarios.naming import RenameOne
from fairground_desk.files.scenarios.plan import FilesTask, name_of

pytestmark = pytest.mark.conformance

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
    data = {"files": sorted(listing, key=lambda one: str(one["path"])), "modes": modes, "home": "/home/user"}
    return State(files={**files, **settings}, data=data)


def with_file(state: State, path: str, content: bytes | None) -> State:
    """The same, with another content of a file, or without it."""
    files = {name: one for name, one in state.files.items() if name != path}
    return State(files if content is None else {**files, path: content}, state.data, state.missing)


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


def some_pairs(scenario: FilesTask) -> list[tuple[str, str]]:
    """Every instance and every home at least once."""
    number = max(len(scenario.instances), len(HOMES))
    return list(itertools.islice(zip(itertools.cycle(scenario.instances), itertools.cycle(HOMES)), number))


def all_pairs(scenario: FilesTask) -> list[tuple[str, str]]:
    return list(itertools.product(scenario.instances, HOMES))


pairs = pytest.mark.parametrize(
    "pairs", [pytest.param(some_pairs, id="some"), pytest.param(all_pairs, id="all", marks=pytest.mark.slow)]
)
every_scenario = pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda one: one.name)
Pairs = Callable[[FilesTask], list[tuple[str, str]]]


@every_scenario
@pairs
def test_nothing_done_earns_nothing(scenario: FilesTask, pairs: Pairs) -> None:
    for instance, profile in pairs(scenario):
        world = world_of(scenario.name, instance, profile)
        found = judge(world, start(profile), start(profile), None)
        assert len(world.instruction) > 40 and found.reward == 0 and not found.success
        assert scenario.oracle(world, start(profile))


@every_scenario
@pairs
def test_the_plan_carried_out_is_a_success_and_one_thing_more_is_none(scenario: FilesTask, pairs: Pairs) -> None:
    for instance, profile in pairs(scenario):
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


def moved_paper() -> tuple[World, State, State]:
    """A world, its start, and the state that solves it: one file has another name."""
    world, before = world_of("rename-one", "paper", "teacher"), start("teacher")
    files = {path: content for path, content in before.files.items() if path.startswith(FOLDERS)}
    ((old, new),) = RenameOne().plan(world, before).moved.items()
    done = {**files, new: files[old]}
    del done[old]
    return world, before, recorded(done, folders_of(files))


@pytest.mark.parametrize("left", [None, b"", b"file:///home/user/Documents/Invoices Bills\n",
                                  b"file:///home/user2/Documents/Invoices Invoices\n",
                                  b"file:///home/user/Documents/Invoices Invoices\n" * 2])  # fmt: skip
def test_bookmarks_that_nobody_asked_about_stay(left: bytes | None) -> None:
    world, before, after = moved_paper()
    assert judge(world, before, after).success
    assert judge(world, before, with_file(after, BOOKMARKS, left)).reward == 0


@pytest.mark.parametrize("place", ["/home/usex", "/home/user2", "/tmp/home/user", "/root", ""])
def test_a_bookmark_into_the_home_of_somebody_else_is_another_one(place: str) -> None:
    world, before = world_of("bookmarks", "papers", "teacher"), start("teacher")
    first, second = (f"file://{home}/Documents/{name}\n" for home, name in
                     (("/home/user", "Contracts Signed"), (place, "Notes Talks")))  # fmt: skip
    old = before.file(BOOKMARKS)
    right = old + first.encode() + b"file:///home/user/Documents/Notes Talks\n"
    assert judge(world, before, with_file(before, BOOKMARKS, right)).success
    assert not judge(world, before, with_file(before, BOOKMARKS, old + (first + second).encode())).success
    assert judge(world, before, with_file(before, BOOKMARKS, right.removeprefix(old))).reward == 0


@pytest.mark.parametrize("changed", ["media_in_new_tab=1", "close_on_unmount=0", "places_root=1", "thumbnail_size=64"])
def test_no_setting_is_without_a_guard(changed: str) -> None:
    world, before, after = moved_paper()
    name = changed.partition("=")[0].encode()
    path = PCMANFM if name in after.files[PCMANFM] else LIBFM
    lines = [changed.encode() if line.startswith(name) else line for line in after.files[path].split(b"\n")]
    assert judge(world, before, with_file(after, path, b"\n".join(lines))).reward == 0


@pytest.mark.parametrize("path", [PCMANFM, LIBFM])
@pytest.mark.parametrize("added", [b"\n[config]\nterminal=xterm %s\n", b"\n[desktop]\nshow_trash=0\n"])
def test_a_setting_that_was_not_there_before_is_a_change(path: str, added: bytes) -> None:
    world, before, after = moved_paper()
    forged = after.files[path] + added
    assert judge(world, before, with_file(after, path, forged)).reward == 0


def test_a_file_that_is_there_again_in_a_folder_that_is_gone_is_noticed() -> None:
    world, before = world_of("regroup", "notes", "teacher"), start("teacher")
    plan = Regroup().plan(world, before).whole(before)
    files = {path: content for path, content in before.files.items() if path.startswith(FOLDERS)}
    done = {plan.moved.get(path, path): content for path, content in files.items()}
    after = recorded(done, folders_of(done))
    assert judge(world, before, after).success
    back = State({**after.files, "~/Documents/Notes/meeting 1.md": b"again"}, after.data, after.missing)
    assert not judge(world, before, back).success


WHEN = "DeletionDate=2026-01-02T03:04:05\n"


@pytest.mark.parametrize("note", ["Path=/home/user/{path}\n", f"Path=/home/user2/{{path}}\n{WHEN}", WHEN])
def test_a_note_in_the_trash_says_where_it_was_and_when(note: str) -> None:
    world, before = world_of("trash-files", "archives", "joiner"), start("joiner")
    files = {path: content for path, content in before.files.items() if path.startswith(FOLDERS)}
    names = [path for path in files if path.startswith("~/Downloads/") and path.endswith(".zip")]
    done = {path: content for path, content in files.items() if path not in names}
    right = f"Path=/home/user/{{path}}\n{WHEN}"

    def thrown(*notes: str) -> State:
        bin_ = {f"{TRASH}/files/{name_of(path)}": files[path] for path in names}
        bin_ |= {f"{TRASH}/info/{name_of(path)}.trashinfo": f"[Trash Info]\n{note.format(path=path[2:])}".encode()
                 for path, note in zip(names, notes, strict=True)}  # fmt: skip
        found = recorded({**done, **bin_}, folders_of(files) | {TRASH, f"{TRASH}/files", f"{TRASH}/info"})
        modes = {path: one for path, one in found.data["modes"].items() if not path.startswith(TRASH)}
        return State(found.files, {**found.data, "modes": modes})

    assert judge(world, before, thrown(right, right)).success
    assert not judge(world, before, thrown(right, note)).success


def test_what_was_deleted_is_not_in_the_trash() -> None:
    world, before = world_of("trash-files", "archives", "joiner"), start("joiner")
    files = {path: content for path, content in before.files.items() if path.startswith(FOLDERS)}
    gone = {path: content for path, content in files.items() if not path.endswith(".zip")}
    assert judge(world, before, recorded(gone, folders_of(files))).reward == 0


def test_an_answer_is_compared_with_the_folders() -> None:
    world = world_of("question", "papers-below", "teacher")
    assert judge(world, start("teacher"), start("teacher"), "14").success
    for wrong in ("13", "14 or 15", "14, syllabus.txt", "", None):
        assert not judge(world, start("teacher"), start("teacher"), wrong).success
