"""Inkscape's tasks: what they ask, that they can be done, and that near misses are told from what was asked."""

from __future__ import annotations

import re

import pytest

from fairground.core import Configuration, State
from fairground.verify import judge
from fairground.verify.reading.svg import drawing_leaves, read_svg
from fairground.worlds import World, suite_of
from fairground_desk.inkscape.app import preferences
from fairground_desk.inkscape.files import other_files
from fairground_desk.inkscape.sheets import SHEETS, sheet_of
from fairground_desk.inkscape.svgwriter import View

pytestmark = pytest.mark.conformance


def world_of(scenario: str, instance: str, profile: str, theme: str = "light", ui_state: str = "page") -> World:
    axes = {"instance": instance, "profile": profile, "theme": theme, "ui_state": ui_state}
    return World.of(suite_of("desk")[0], Configuration(suite="desk", app="inkscape", scenario=scenario, **axes))


def recorded(world: World) -> State:
    """What a seat would record at the start, without one."""
    sheet = sheet_of(world)
    files = {**other_files(sheet), sheet.path: sheet.write(View())}
    listing = [{"path": path, "kind": "file", "size": len(data)} for path, data in sorted(files.items())]
    return State(files=files, data={"files": listing, "opened": sheet.path})


def edited(state: State, path: str, old: str, new: str) -> State:
    """A state in which the drawing says something else."""
    text = state.file(path).decode()
    assert re.search(old, text)
    return State({**state.files, path: re.sub(old, new, text, count=1).encode()}, state.data, state.missing)


@pytest.mark.parametrize("profile", SHEETS)
def test_a_profile_is_the_same_every_time_and_large(profile: str) -> None:
    world = world_of("turn", "plate", profile)
    sheet = sheet_of(world)
    assert recorded(world).files == recorded(world).files and len(recorded(world).files) >= 25
    drawing = read_svg(sheet.write(View()))
    assert len(drawing.objects) >= 50 and len(drawing.layers) == 4 and not drawing.unread_rules
    labels = [one.label for one in drawing.objects]
    assert len(set(labels)) == len(labels) and all(labels)
    assert drawing_leaves(drawing) == drawing_leaves(read_svg(sheet.write(View(2.0, (0.1, 0.1), (9, 9, 900, 600)))))
    for color in sheet.colors:
        some = [one for one in drawing.objects if one.style.fill.color == color and one.kind != "group"]
        assert len(some) >= 4, "each colour has a few blocks and its swatch"


def test_a_thing_moved_half_as_far_is_not_enough() -> None:
    world = world_of("centre-on-page", "plate", "museum")
    before = recorded(world)
    path = sheet_of(world).path
    right = edited(before, path, r'x="230" y="140" width="30"', 'x="133.5" y="97" width="30"')
    wrong = edited(before, path, r'x="230" y="140" width="30"', 'x="133.5" y="140" width="30"')
    assert judge(world, before, right, None).success
    assert judge(world, before, wrong, None).reward < 1


def test_what_else_was_touched_makes_it_worth_nothing() -> None:
    world = world_of("recolour", "green", "museum")
    before = recorded(world)
    path = sheet_of(world).path
    done = edited(before, path, r'(width="46" height="40" style="fill:)#f5d491', r"\1#4caf50")
    done = edited(done, path, r'(width="42" height="46" style="fill:)#c9dfa8', r"\1#4caf50")
    done = edited(done, path, r'(cx="84" cy="140" r="2.5" style="fill:)#a33b20', r"\1#1b5e20")
    assert judge(world, before, done, None).success
    for old, new in (("Ticket\\b", "Tickets"), (r'cx="76"', 'cx="77"'), ("display:none", "display:inline")):
        assert judge(world, before, edited(done, path, old, new), None).reward == 0


@pytest.mark.parametrize(("said", "right"), [("46", True), ("46 mm", True), ("40", False), ("46 or 40", False)])
def test_an_answer_is_taken_by_what_it_says(said: str, right: bool) -> None:
    world = world_of("how-large", "wide-first", "museum")
    state = recorded(world)
    assert judge(world, state, state, said).success is right


def test_settings_follow_the_desktop() -> None:
    assert 'preferDarkTheme="1"' in preferences(dark=True) and 'preferDarkTheme="0"' in preferences()
    assert '<group id="rulers" state="0"/>' in preferences(hidden=("rulers",))
