"""The app in a real browser in a real sandbox: what a finger does ends in the database, and is judged there."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fairground.agents import Agent, DoNothing, RandomAgent
from fairground.core import AppError, Click, Key, Node, Outcome, Scroll, StateError, Type
from fairground.rollout import Budget, run_episode
from fairground.verify import judge
from fairground.worlds import Seat, World, open_seat, resolve
from fairground_pocket.notes import reset
from fairground_pocket.notes.themes import THEMES

from .reader import world

# Themes differ in layout; one of them is tried with every change.
SOME_THEMES = [name if name == "board" else pytest.param(name, marks=pytest.mark.slow) for name in THEMES]

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def opened() -> Iterator[Seat]:
    with open_seat(world()) as seat:
        yield seat


@pytest.fixture
def seat(opened: Seat) -> Seat:
    """One seat for all tests: each brings it to the configuration that it needs."""
    go(opened, world())
    return opened


def go(seat: Seat, here: World) -> None:
    reset(seat, here)
    seat.world, seat.before = here, here.app.capture(seat, here)


def find(seat: Seat, role: str, name: str) -> Node:
    node = seat.screen.tree().find(role, name)
    assert node is not None, f"no {role} {name!r} in {[(n.role, n.name) for n in seat.screen.tree().walk() if n.name]}"
    return node


def tap(seat: Seat, role: str, name: str) -> None:
    """Taps what a person would see under this name; a row of a list is scrolled to, clear of what floats below."""
    node = find(seat, role, name)
    while node.center is None or (node.find("heading") and node.center[1] > 700):
        seat.screen.act(Scroll(point=(200, 500), dy=300, unit="pixels"))
        seat.screen.settle()
        before, node = node, find(seat, role, name)
        if node.center is not None and node == before:
            break  # the end of the list
    assert node.center is not None
    seat.screen.act(Click(point=node.center))
    settled = seat.screen.settle()
    assert settled.quiet, settled.reason


def names(seat: Seat, role: str) -> list[str]:
    return [node.name for node in seat.screen.tree().walk() if node.role == role]


def script(seat: Seat, expression: str) -> Any:
    return seat.screen.evaluate(expression)  # type: ignore[attr-defined]


@pytest.mark.parametrize("theme", SOME_THEMES)
def test_the_task_done_with_taps_and_keys_is_a_success(seat: Seat, theme: str) -> None:
    go(seat, world("pin-and-label", "gifts-money", "cafe", theme=theme))
    tap(seat, "searchbox", "Search notes")
    seat.screen.act(Type(text="gift"))
    seat.screen.settle()
    tap(seat, "link", "Gift ideas")
    tap(seat, "link", "Edit note")
    tap(seat, "checkbox", "Money")
    tap(seat, "button", "Save")
    half = judge(seat.world, seat.before, seat.capture())
    assert (half.reward, half.integrity) == (0.5, True)
    tap(seat, "button", "Pin")
    assert judge(seat.world, seat.before, seat.capture()).success


@pytest.mark.slow
def test_the_note_that_was_edited_longest_ago_is_found_by_scrolling(seat: Seat) -> None:
    go(seat, world("pin-and-label", "oldest-recipe-health", "parent", theme="midnight"))
    tap(seat, "link", "Recipes")
    rows = [node for node in seat.screen.tree().walk() if node.role == "link" and node.find("heading")]
    oldest = rows[-1].name
    assert oldest == "Grandma Ulla's meatballs"
    tap(seat, "link", oldest)
    tap(seat, "button", "Pin")
    tap(seat, "link", "Edit note")
    tap(seat, "checkbox", "Health")
    tap(seat, "button", "Save")
    assert judge(seat.world, seat.before, seat.capture()).success


def test_doing_nothing_fails_and_an_answer_alone_is_judged(seat: Seat) -> None:
    assert judge(seat.world, seat.before, seat.capture()).reward == 0.0
    go(seat, world("count-label", "recipes", "parent"))
    tap(seat, "link", "Recipes")
    shown = len([node for node in seat.screen.tree().walk() if node.role == "link" and node.find("heading")])
    assert judge(seat.world, seat.before, seat.capture(), f"{shown} notes").success
    assert not judge(seat.world, seat.before, seat.capture(), None).success


def test_another_change_on_the_way_takes_the_reward(seat: Seat) -> None:
    go(seat, world("count-label", "recipes", "student", ui_state="note"))
    tap(seat, "link", "Move to trash")
    tap(seat, "button", "Move to trash")
    found = judge(seat.world, seat.before, seat.capture(), "11")
    assert (found.reward, found.integrity) == (0.0, False)
    tap(seat, "button", "Undo")
    assert judge(seat.world, seat.before, seat.capture(), "11").success


def test_search_answers_while_one_types(seat: Seat) -> None:
    tap(seat, "searchbox", "Search notes")
    seat.screen.act(Type(text="weir bridge"))
    seat.screen.settle()
    assert "Photo ideas, 22 January" not in names(seat, "link") and "Measurements, Weir Bridge" in names(seat, "link")
    assert find(seat, "searchbox", "Search notes").value == "weir bridge"
    seat.screen.act(Type(text=" xx"))
    seat.screen.settle()
    assert seat.screen.tree().find("text", "No notes found")
    seat.screen.act(Key(keys=("backspace",), repeat=20))
    seat.screen.settle()
    assert len([name for name in names(seat, "link") if name]) > 80


def test_the_sheet_asks_and_every_way_out_of_it_leaves_the_note_alone(seat: Seat) -> None:
    go(seat, world(ui_state="note"))
    for leave in ("cancel", "escape", "back", "outside"):
        tap(seat, "link", "Move to trash")
        assert seat.screen.tree().find("dialog", "Move this note to the trash?")
        assert seat.screen.tree().find("link", "Edit note") is None, "nothing behind it can be reached"
        if leave == "cancel":
            tap(seat, "link", "Cancel")
        elif leave == "outside":
            seat.screen.act(Click(point=(200, 300)))
        else:
            seat.screen.act(Key(keys=("escape",) if leave == "escape" else ("alt", "left")))
        seat.screen.settle()
        assert seat.screen.tree().find("dialog") is None, leave
        assert seat.screen.tree().find("link", "Edit note")
    assert seat.capture() == seat.before


def test_a_title_is_asked_for_and_the_text_is_kept(seat: Seat) -> None:
    tap(seat, "link", "New note")
    tap(seat, "textbox", "Note")
    seat.screen.act(Type(text="Zeile eins\nöäü 漢字 🙂"))
    tap(seat, "button", "Save")
    assert seat.screen.tree().find("alert")
    assert seat.capture() == seat.before
    tap(seat, "textbox", "Title")
    seat.screen.act(Type(text="Übung"))
    tap(seat, "button", "Save")
    added = seat.capture().get("notes")[-1]
    assert (added["title"], added["body"]) == ("Übung", "Zeile eins\nöäü 漢字 🙂")


def test_what_users_wrote_never_runs(seat: Seat) -> None:
    tap(seat, "link", "New note")
    seat.screen.act(Type(text="<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"))
    tap(seat, "button", "Save")
    for path in ("/", "/?q=script"):
        script(seat, f"location.href = {json.dumps(path)}")
        seat.screen.settle()
        assert script(seat, "document.title") == "Notes"
        assert script(seat, "document.images.length + document.scripts.length") == 1


@pytest.mark.parametrize("theme", SOME_THEMES)
def test_nothing_is_wider_than_the_phone_and_every_target_fits_a_finger(seat: Seat, theme: str) -> None:
    go(seat, world(profile="cafe", theme=theme))
    small = """[...document.querySelectorAll("a, button, input:not([type=hidden], .chip input), textarea")]
        .filter((e) => e.checkVisibility() && !e.matches(".hidden, .notice a, .choice input"))
        .map((e) => [e.outerHTML.slice(0, 60), e.getBoundingClientRect()])
        .filter(([_, box]) => box.height < 29 || box.width < 29).map(([html]) => html)"""
    for path in ("/", "/note/1", "/note/1#sheet", "/new", "/trash", "/settings", "/?q=zz", "/?label=Health"):
        script(seat, f"location.href = {json.dumps(path)}")
        seat.screen.settle()
        assert script(seat, "[document.documentElement.scrollWidth, innerWidth]") == [412, 412], path
        assert script(seat, small) == [], path


@pytest.mark.slow
def test_nothing_in_the_sandbox_knows_what_is_asked(seat: Seat) -> None:
    sources = set()
    for scenario in (one for one in seat.world.suite.scenarios if one.app == "notes"):
        for instance in scenario.instances:
            go(seat, world(scenario.name, instance, "cafe"))
            sources.add(script(seat, "document.documentElement.outerHTML"))
            assert script(seat, "[document.cookie, localStorage.length, sessionStorage.length]") == ["", 0, 0]
    assert len(sources) == 1, "the same page whatever the task"
    shown = {note["title"] for note in seat.before.get("notes") if note["trashed"] is None}
    thrown = {note["title"] for note in seat.before.get("notes") if note["trashed"] is not None}
    text = script(seat, "document.body.textContent")
    assert all(title in text for title in shown) and not any(title in text for title in thrown)


def test_the_code_of_the_suite_cannot_be_seen_from_inside(seat: Seat) -> None:
    if not seat.sandbox.isolated:
        pytest.skip(f"the runner {seat.sandbox.runner} has no sandbox that could hide anything")
    module = str(inspect.getsourcefile(reset))
    for path in (module, str(Path(module).with_name("profiles") / "cafe.toml"), __file__):
        with pytest.raises(StateError):
            seat.sandbox.read_file(path)


@pytest.mark.slow
def test_the_same_configuration_looks_the_same_and_each_theme_its_own_way(seat: Seat) -> None:
    pictures = []
    for theme in (*THEMES, *THEMES):
        go(seat, world(profile="parent", theme=theme))
        pictures.append(seat.screen.grab())
    assert pictures[:3] == pictures[3:]
    assert len(set(pictures)) == 3


@pytest.mark.slow
def test_a_reset_leaves_nothing_of_what_was_done(seat: Seat) -> None:
    tap(seat, "link", "New note")
    seat.screen.act(Type(text="Left behind"))
    tap(seat, "button", "Save")
    go(seat, world("count-label", "health", "cafe", theme="board", ui_state="search"))
    assert find(seat, "searchbox", "Search notes").value == "list"
    assert seat.before.get("settings") == {"owner": "Tomás Ferreira", "theme": "board", "sort": "newest"}
    assert "Left behind" not in script(seat, "document.body.innerText")


def test_an_error_of_the_app_is_an_error_and_never_a_score(seat: Seat) -> None:
    phone = seat.keep["notes"]
    phone.store.close()
    tap(seat, "link", "Trash")
    with pytest.raises(AppError, match="closed database"):
        seat.capture()


@pytest.mark.slow
@pytest.mark.parametrize("agent", [DoNothing(), RandomAgent()], ids=lambda agent: agent.name)
def test_an_agent_without_a_plan_fails_and_breaks_nothing(agent: Agent, tmp_path: Path) -> None:
    episode = run_episode(
        resolve("pocket/notes/count-label/money@cafe/board"),
        agent,
        tmp_path / "episode",
        video=False,
        budget=Budget(steps=15),
    )
    assert episode.outcome is Outcome.FAILED and episode.verdict is not None and episode.verdict.reward == 0.0


@pytest.mark.slow
def test_a_form_that_leads_to_a_new_page_settles_every_time(seat: Seat) -> None:
    """A picture asked for in the moment in which a page is left is never delivered: it must not be waited for."""
    go(seat, world("pin-and-label", "gifts-money", "cafe", theme="board", ui_state="note"))
    for _ in range(3):
        tap(seat, "button", "Pin")
        tap(seat, "button", "Unpin")
