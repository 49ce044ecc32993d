"""Inkscape in a real seat: it opens without a question, and its inspector says what is there and what is not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from fairground.agents import make_moves
from fairground.core import InvalidInput, State, StateError
from fairground.worlds import Enter, Move, Press, Seat, Tap, open_seat, resolve
from fairground_desk.inkscape.actions import actions
from fairground_desk.inkscape.inspector import INKSCAPE
from fairground_desk.inkscape.sheets.museum import museum
from fairground_desk.inkscape.task import PIXELS, on, set_attribute, set_property

SHEET = museum()
PNG = "~/Pictures/page.png"
BADGE = "~/Documents/Badges/badge-01-haddad.svg"

pytestmark = pytest.mark.slow


def play(seat: Seat, *moves: Move) -> None:
    make_moves(seat, moves)


@pytest.fixture(scope="module")
def seat() -> Iterator[Seat]:
    with open_seat(resolve("desk/inkscape/turn/plate@museum/light/page")) as opened:
        yield opened


@pytest.fixture(scope="module")
def saved(seat: Seat, before: State) -> State:
    """Things moved, painted, written, layered, exported, described, and saved."""
    line = SHEET.links[0]
    play(
        seat,
        on(SHEET.plate, do=[("app.transform-translate", f"{10 * PIXELS},0"), set_property("fill", "#00ff00")]),
        on(SHEET.tab, SHEET.blocks[0], do=[_above(), "app.selection-group", set_attribute("inkscape:label", "Pair")]),
        on(line, do=[set_property("stroke", "#ff8800"), set_property("stroke-width", "2")]),
        on(SHEET.layers.notes, do=[set_property("display", "inline")]),
        on(SHEET.title, do=[("win.tool-switch", "Text")]),
        Press("Return"),
        Press("ctrl+a"),
        Enter("New title"),
        actions(
            ("win.tool-switch", "Select"),
            "doc.create-guides-around-page",
            "win.canvas-show-grid",
            ("app.export-filename", f"{seat.sandbox.home}/Pictures/page.png"),
            ("app.export-type", "png"),
            ("app.export-area-page", True),
            ("app.export-width", 297),
            "app.export-do",
            ("win.dialog-open", "DocumentProperties"),
        ),
        Tap("Metadata", role="page tab"),
        Press("Tab"),
        Press("ctrl+a"),
        Enter("For print"),
        Press("Tab"),
        Press("ctrl+s"),
    )
    return seat.capture()


@pytest.fixture(scope="module")
def after(seat: Seat, saved: State) -> State:
    """One more change, which nobody saved, with the tool for rectangles in hand."""
    play(seat, on(SHEET.photo, do=["app.delete", ("win.tool-switch", "Rect")]))
    return seat.finish()


def _above() -> str:
    return "win.selection-move-to-layer-above"


def ask(state: State, name: str, /, **arguments: Any) -> Any:
    answer = INKSCAPE.ask(state, name, arguments)
    assert json.dumps(answer)
    return answer


def test_it_opens_the_drawing_and_asks_nothing(seat: Seat, before: State) -> None:
    assert [window.title for window in seat.screen.windows()] == ["ground-floor.svg - Inkscape"]
    assert not {"dialog", "alert", "info bar"} & {node.role for node in seat.screen.tree().walk()}
    assert before.file(SHEET.path) and len(before.files) > 25 and "live" not in before.data


@pytest.mark.endpoint("objects", "positive")
@pytest.mark.endpoint("object", "positive")
@pytest.mark.endpoint("texts", "positive")
@pytest.mark.endpoint("pictures", "positive")
@pytest.mark.endpoint("check-text", "positive")
@pytest.mark.endpoint("check-box", "positive")
def test_what_is_drawn_and_written_is_read(saved: State) -> None:
    assert len(ask(saved, "objects", layer="Rooms", kind="rect")) == 15
    assert ask(saved, "object", name="Sign plate")["box"] == pytest.approx([240, 140, 30, 16], abs=0.01)
    assert ask(saved, "texts")["Plan title"] == "New title"
    assert [one["picture"]["link"] for one in ask(saved, "pictures")] == ["../../Pictures/clock.jpg"]
    assert ask(saved, "check-text", name="Plan title", text="New title")["passed"]
    assert ask(saved, "check-box", name="Sign plate", x=240, y=140, width=30, height=16)["passed"]


@pytest.mark.endpoint("objects", "negative")
@pytest.mark.endpoint("object", "negative")
@pytest.mark.endpoint("texts", "negative")
@pytest.mark.endpoint("pictures", "negative")
@pytest.mark.endpoint("check-text", "negative")
@pytest.mark.endpoint("check-box", "negative")
def test_what_is_not_there_is_not_found(before: State, after: State) -> None:
    assert ask(after, "objects", kind="polygon") == [] and ask(after, "objects", layer="Paper", kind="text") == []
    with pytest.raises(StateError, match="0 objects named"):
        ask(after, "object", name="Nothing of the kind")
    assert ask(before, "texts")["Plan title"] == "Stadsmuseum Aalborre"
    assert ask(after, "pictures", drawing=BADGE) == []
    assert len(ask(after, "pictures")) == 1, "what was deleted and not saved is still in the file"
    assert not ask(after, "check-text", name="Plan title", text="new title")["passed"]
    assert not ask(after, "check-text", name="Sign plate", text="")["passed"], "a rectangle says nothing"
    assert not ask(before, "check-box", name="Sign plate", x=240, y=140, width=30, height=16)["passed"]
    with pytest.raises(InvalidInput, match="needs"):
        ask(after, "check-box", name="Sign plate")


@pytest.mark.endpoint("style", "positive")
@pytest.mark.endpoint("colors", "positive")
@pytest.mark.endpoint("gradients", "positive")
@pytest.mark.endpoint("check-fill", "positive")
@pytest.mark.endpoint("check-stroke", "positive")
def test_how_things_look_is_read(saved: State) -> None:
    assert ask(saved, "style", name="Sign plate")["fill"] == "#00ff00"
    assert ask(saved, "style", name="Staff route")["dashes"] == [2, 2]
    assert ask(saved, "style", name="Plan title")["fonts"][0]["weight"] == 700
    assert ask(saved, "colors")["#00ff00"] == 1
    assert ask(saved, "gradients") == [{"object": "Header band", "fill": "linear #7a1f3d to #f0b36a"}]
    assert ask(saved, "check-fill", name="Sign plate", color="#00FF00")["passed"]
    assert ask(saved, "check-stroke", name="Visitor route", color="#ff8800", width=2)["passed"]


@pytest.mark.endpoint("style", "negative")
@pytest.mark.endpoint("colors", "negative")
@pytest.mark.endpoint("gradients", "negative")
@pytest.mark.endpoint("check-fill", "negative")
@pytest.mark.endpoint("check-stroke", "negative")
def test_how_things_do_not_look(before: State, after: State) -> None:
    with pytest.raises(StateError):
        ask(after, "style", name="Nobody")
    assert "#00ff00" not in ask(before, "colors")
    assert ask(after, "gradients", drawing=BADGE) == []
    assert not ask(after, "check-fill", name="Header band", color="#7a1f3d")["passed"], "a gradient is no plain colour"
    assert not ask(before, "check-stroke", name="Visitor route", color="#ff8800", width=2)["passed"]
    assert not ask(after, "check-stroke", name="Visitor route", color="#ff8800", width=2.2)["passed"]


@pytest.mark.endpoint("layers", "positive")
@pytest.mark.endpoint("groups", "positive")
@pytest.mark.endpoint("order", "positive")
@pytest.mark.endpoint("check-layer", "positive")
def test_how_it_is_built_is_read(saved: State) -> None:
    assert [one["label"] for one in ask(saved, "layers")] == ["Paper", "Rooms", "Labels", "Review notes"]
    assert [one["visible"] for one in ask(saved, "layers")] == [True] * 4
    assert sorted(ask(saved, "groups")["Pair"]) == ["Entrance hall", "Sign arrow"]
    assert "Pair" in ask(saved, "order", layer="Labels") and ask(saved, "order", layer="Rooms")[-1] == "DRAFT plinth"
    assert ask(saved, "check-layer", name="Entrance hall", layer="Labels")["passed"]


@pytest.mark.endpoint("layers", "negative")
@pytest.mark.endpoint("groups", "negative")
@pytest.mark.endpoint("order", "negative")
@pytest.mark.endpoint("check-layer", "negative")
def test_how_it_is_not_built(before: State, after: State) -> None:
    assert not ask(before, "layers")[-1]["visible"]
    assert "Pair" not in ask(before, "groups")
    with pytest.raises(StateError):
        ask(after, "order", layer="Attic")
    assert not ask(before, "check-layer", name="Entrance hall", layer="Labels")["passed"]


@pytest.mark.endpoint("page", "positive")
@pytest.mark.endpoint("guides", "positive")
@pytest.mark.endpoint("grids", "positive")
@pytest.mark.endpoint("check-page", "positive")
@pytest.mark.endpoint("preference", "positive")
@pytest.mark.endpoint("metadata", "positive")
@pytest.mark.endpoint("check-metadata", "positive")
def test_page_settings_and_metadata_are_read(saved: State) -> None:
    assert ask(saved, "page") == {"width": 297, "height": 210, "unit": "mm", "color": "#ffffff"}
    assert {"orientation": "vertical", "at": 297.0} in ask(saved, "guides") and len(ask(saved, "guides")) == 6
    assert [one["kind"] for one in ask(saved, "grids")] == ["xygrid"]
    assert ask(saved, "check-page", width=297, height=210)["passed"]
    assert ask(saved, "preference", path="/options/boot/enabled") == "0"
    assert ask(saved, "metadata")["creator"] == "Ilse Vandamme"
    assert ask(saved, "check-metadata", field="title", value="For print")["passed"]


@pytest.mark.endpoint("page", "negative")
@pytest.mark.endpoint("guides", "negative")
@pytest.mark.endpoint("grids", "negative")
@pytest.mark.endpoint("check-page", "negative")
@pytest.mark.endpoint("preference", "negative")
@pytest.mark.endpoint("metadata", "negative")
@pytest.mark.endpoint("check-metadata", "negative")
def test_page_settings_and_metadata_that_are_others(before: State, after: State) -> None:
    assert ask(after, "page", drawing=BADGE)["width"] == 85
    assert len(ask(before, "guides")) == 2 and ask(before, "grids") == []
    assert not ask(after, "check-page", width=210, height=297)["passed"]
    with pytest.raises(StateError, match="say nothing"):
        ask(after, "preference", path="/options/none/such")
    assert ask(after, "metadata", drawing=BADGE) == {}
    assert not ask(before, "check-metadata", field="title", value="For print")["passed"]


@pytest.mark.endpoint("files", "positive")
@pytest.mark.endpoint("exported", "positive")
@pytest.mark.endpoint("check-exported", "positive")
@pytest.mark.endpoint("recent-files", "positive")
def test_files_are_found(saved: State) -> None:
    assert BADGE in ask(saved, "files") and PNG in ask(saved, "files", under="~/Pictures")
    assert ask(saved, "exported", path=PNG)["format"] == "PNG"
    assert ask(saved, "check-exported", path=PNG, width=297, height=210)["passed"]
    assert any(path.endswith("ground-floor.svg") for path in ask(saved, "recent-files"))


@pytest.mark.endpoint("files", "negative")
@pytest.mark.endpoint("exported", "negative")
@pytest.mark.endpoint("check-exported", "negative")
@pytest.mark.endpoint("recent-files", "negative")
def test_files_that_are_not_there(before: State, after: State) -> None:
    assert ask(after, "files", under="~/Music") == [] and PNG not in ask(before, "files", under="~/Pictures")
    with pytest.raises(StateError):
        ask(before, "exported", path=PNG)
    assert not ask(after, "check-exported", path=PNG, width=297, height=297)["passed"]
    assert not any(path.endswith("haddad.svg") for path in ask(after, "recent-files"))


@pytest.mark.endpoint("unsaved", "positive")
@pytest.mark.endpoint("check-saved", "positive")
@pytest.mark.endpoint("workspace", "positive")
def test_the_running_program_tells_what_is_not_in_files(saved: State, after: State) -> None:
    assert ask(after, "unsaved") == ["ground-floor.svg - Inkscape"]
    assert ask(saved, "check-saved")["passed"]
    assert ask(after, "workspace") == "Rect" and ask(saved, "workspace", action="canvas-rulers") == "true"


@pytest.mark.endpoint("unsaved", "negative")
@pytest.mark.endpoint("check-saved", "negative")
@pytest.mark.endpoint("workspace", "negative")
def test_a_program_that_was_not_asked_or_did_not_answer_is_not_taken_for_an_answer(saved: State, after: State) -> None:
    assert ask(saved, "unsaved") == []
    assert not ask(after, "check-saved")["passed"]
    assert ask(saved, "workspace") == "Select"
    with pytest.raises(StateError, match="no action"):
        ask(after, "workspace", action="make-coffee")
    mute = State(after.files, {**after.data, "live": {"error": "it hangs"}}, after.missing)
    for name in ("unsaved", "check-saved", "workspace"):
        with pytest.raises(StateError, match="did not answer"):
            ask(mute, name)
