"""The oracle agent on real screens: it solves what it knows, from wherever the world starts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar
from urllib.parse import quote

import pytest

from fairground.agents import Brief, make_agent
from fairground.agents.oracle import carry_out
from fairground.core import (
    Check,
    Click,
    Configuration,
    Episode,
    InvalidInput,
    Node,
    Outcome,
    Scroll,
    State,
    UnknownName,
)
from fairground.rollout import run_episode
from fairground.verify import equal
from fairground.worlds import App, Fill, Move, Press, Say, Scenario, ScreenSpec, Seat, Suite, Tap, World, resolve

PAGE = """<!doctype html><meta name=viewport content="width=device-width"><title>Long</title>
<style>body{margin:0 0 90px} button,input{height:40px;width:200px;display:block}
nav{position:fixed;bottom:0;left:0;right:0;height:80px;display:flex} nav button{height:80px}
.strip{display:flex;overflow-x:auto;width:300px} .strip button{flex:none}</style>
<div class=strip role=group aria-label=Strip>STRIP</div><ul>ROWS</ul><label>Note<input></label>
<nav><button>Home</button><button>Profile</button></nav>
<script>window.log=[]
document.onclick=e=>{if(e.target.tagName=='BUTTON')log.push(e.target.dataset.n||e.target.innerText)}</script>
"""
STRIP = "".join(f"<button>Chip {number}</button>" for number in range(20))
ROWS = "".join(
    f"<li><h3>Row {number}</h3><button>Item {number}</button><button data-n='x{number}'>Remove</button></li>"
    for number in range(120)
)


# All that shows of the group at first is its heading, at the very bottom.
HEADING = """<!doctype html><title>Menu</title><style>body{margin:0} h2{margin:0;font-size:20px}</style>
<div style="height:570px"></div><section role=group aria-label=Sets><h2>Sets</h2><div style="height:700px"></div>
<button onclick="log.push('Platter')">Platter</button></section><input><script>window.log=[]</script>
"""


class Long(App):
    """A page that is much longer than the screen, with a bar that lies over it."""

    name = "long"
    page: ClassVar[str] = PAGE.replace("STRIP", STRIP).replace("ROWS", ROWS)
    screen = ScreenSpec("cdp", (400, 600))

    def sources(self) -> str:
        return "long"

    def launch(self, seat: Seat) -> None:
        screen: Any = seat.screen
        screen.navigate("data:text/html;charset=utf-8," + quote(self.page))

    def save(self, seat: Seat) -> None:
        screen: Any = seat.screen
        note = "document.querySelector('input').value"
        seat.keep["seen"] = {"log": screen.evaluate("log"), "note": screen.evaluate(note)}

    def capture(self, seat: Seat, world: World) -> State:
        return State(data=seat.keep.get("seen", {"log": [], "note": ""}))


class Press_(Scenario):
    """Whatever the test wants pressed."""

    name = "press"
    app = "long"
    template = "Press."
    moves: ClassVar[Sequence[Move]] = ()
    log: ClassVar[list[str]] = []
    note: ClassVar[str] = ""

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        return self.moves

    def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        return [equal("log", self.log, after.get("log")), equal("note", self.note, after.get("note"))]


def attempt(
    folder: Path, moves: Sequence[Move], log: list[str], note: str = "", agent: str = "oracle", page: str = Long.page
) -> Episode:
    scenario = type("Asked", (Press_,), {"moves": moves, "log": log, "note": note})()
    app = type("Shown", (Long,), {"page": page})()
    suite = Suite("test", "Test", "1", (app,), (scenario,))
    (configuration,) = suite.configurations()
    return run_episode(World.of(suite, configuration), make_agent(agent), folder / "episode", video=False)


@pytest.mark.parametrize(
    "world",
    [
        "pocket/notes/count-label/travel@cafe/{theme}/search",
        pytest.param("pocket/notes/pin-and-label/oldest-recipe-health@student/{theme}/note", marks=pytest.mark.slow),
        pytest.param("desk/calc/region-total/south@kitchen-supplies/dark/scrolled", marks=pytest.mark.slow),
    ],
)
@pytest.mark.process
def test_the_oracle_solves_its_scenario_with_real_input(world: str, tmp_path: Path) -> None:
    name, _, _ = world.partition("/{theme}")
    theme = next(iter(resolve(name.partition("@")[0]).app.themes))
    found = resolve(Configuration.from_id(world.format(theme=theme)).id)
    episode = run_episode(found, make_agent("oracle"), tmp_path / "episode", video=False)
    assert (episode.error, episode.outcome) == ("", Outcome.PASSED)
    assert episode.verdict is not None and episode.verdict.reward == 1.0


@pytest.mark.slow
def test_what_is_out_of_sight_or_behind_a_bar_is_scrolled_to(tmp_path: Path) -> None:
    moves = [Tap("Item 100"), Tap("Item 4"), Tap("Chip 17"), Tap("Chip 2"), Tap("Remove", within="Row 6"), Tap("Home")]
    log = ["Item 100", "Item 4", "Chip 17", "Chip 2", "x6", "Home"]
    episode = attempt(tmp_path, [*moves, Fill("Note", "old"), Fill("Note", "new ✓")], log, "new ✓")
    assert (episode.error, episode.outcome) == ("", Outcome.PASSED)
    assert episode.steps < 50


@pytest.mark.slow
def test_a_heading_alone_in_its_line_does_not_make_it_a_strip_to_scroll_sideways(tmp_path: Path) -> None:
    episode = attempt(tmp_path, [Tap("Platter")], ["Platter"], page=HEADING)
    assert (episode.error, episode.outcome) == ("", Outcome.PASSED)


@pytest.mark.slow
def test_a_field_is_emptied_when_nothing_is_to_be_in_it(tmp_path: Path) -> None:
    assert attempt(tmp_path, [Fill("Note", "x"), Fill("Note", "")], []).outcome is Outcome.PASSED


@pytest.mark.process
def test_an_oracle_that_is_stuck_is_an_error_of_the_world_and_no_score(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fairground.agents.oracle._PATIENCE", 0.3)
    monkeypatch.setattr("fairground.agents.oracle._MOST_PATIENCE", 0.6)
    episode = attempt(tmp_path, [Tap("Nowhere")], [])
    assert episode.outcome is Outcome.ERRORED
    assert "no control named 'Nowhere'" in episode.error


@pytest.mark.process
def test_a_scenario_without_an_oracle_is_said_to_have_none(tmp_path: Path) -> None:
    episode = attempt(tmp_path, [], [])
    assert (episode.outcome, "long/press has no oracle" in episode.error) == (Outcome.ERRORED, True)


@pytest.mark.process
def test_slips_are_the_same_for_the_same_seed_and_being_stuck_after_one_is_a_failure(tmp_path: Path) -> None:
    moves: list[Move] = [Tap("Item 1"), Tap("Nowhere"), Press("ctrl+a"), Say("5")]
    episode = attempt(tmp_path, moves, ["Item 1"], agent="oracle:slip=0.9999")
    assert episode.outcome is Outcome.FAILED  # everything was forgotten
    assert episode.steps == 1


@pytest.mark.parametrize("name", ["oracle:slip=2", "oracle:slip=x", "oracle:slip="])
def test_a_chance_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput, match="between 0 and 1"):
        make_agent(name)


def test_other_options_are_unknown() -> None:
    with pytest.raises(UnknownName, match="slip"):
        make_agent("oracle:slop=1")


def test_without_a_seat_it_says_how_to_be_run() -> None:
    with pytest.raises(InvalidInput, match="needs the seat"):
        make_agent("oracle").begin(Brief("Do it.", (400, 600), 10))


def test_what_is_no_move_is_an_error_and_not_passed_over() -> None:
    nowhere: Any = None
    moves: Any = [(7, 8)]
    with pytest.raises(InvalidInput, match=r"\(7, 8\) is no move"):
        list(carry_out(nowhere, moves))


@pytest.mark.parametrize(("top", "expected"), [(600, (278, 621)), (657, (278, 666)), (672, None)])
def test_a_control_that_its_window_cuts_off_is_pressed_where_it_shows(
    top: int, expected: tuple[int, int] | None
) -> None:
    button = Node(role="push button", name="Confirm", bounds=(178, top, 201, 43))
    page = Node(role="document web", bounds=(154, 161, 952, 515), children=(button,))
    window = Node(role="frame", bounds=(150, 40, 960, 640), children=(page,))
    tree = Node(role="desktop frame", children=(Node(role="application", children=(window,)),))
    seat: Any = SimpleNamespace(
        screen=SimpleNamespace(tree=lambda: tree, size=(1280, 720)), sandbox=SimpleNamespace(at_work=lambda: False)
    )
    action = next(carry_out(seat, [Tap("Confirm")])).action
    if expected is None:
        assert isinstance(action, Scroll)
    else:
        assert isinstance(action, Click) and action.point == expected
