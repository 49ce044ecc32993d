"""Every endpoint of Impress's inspector, on a presentation that a real Impress changed and saved."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from fairground.core import InvalidInput, State, StateError
from fairground.worlds import Seat, open_seat, resolve
from fairground_desk.impress.api import deck
from fairground_desk.impress.inspector import INSPECTOR
from fairground_desk.impress.talks import TALKS

TALK = TALKS["housing-board"]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def seat() -> Iterator[Seat]:
    with open_seat(resolve("desk/impress/edit-title/agenda@housing-board/light/later-slide")) as opened:
        yield opened


@pytest.fixture(scope="module")
def after(seat: Seat) -> State:
    """Some of everything was changed and saved; a title was changed after that."""
    seat.world.app.command(
        seat,
        deck(
            ("write", "Goals", "title", "Goals, again"),
            ("notes", "Goals", "One\nTwo"),
            ("cell", "Costs", 1, 1, "4711"),
            ("chart", "Heating", {"title": "Warmth"}),
            ("comment", "Agenda", TALK.author, "Is this all?"),
            ("duplicate", "Agenda", "Agenda, longer"),
            ("set_slide", "Risks", {"Visible": False}),
            ("add_shape", "Goals", "RectangleShape", 1000, 1000, 2000, 1500, {"Name": "Mark"}),
            ("transition", ["Costs"], {"TransitionType": 40, "TransitionSubtype": 0, "TransitionDuration": 2.0}),
            ("animate", "Steps", "Box 1", "appear", 1, 0.5),
            ("set_shape", "Steps", "Box 2", {"FillColor": 0xFF8000}),
            ("set_ground", "Goals", 0xFFFFCC),
            ("set_slides", {"IsFooterVisible": True, "FooterText": "Draft"}, ["Opening"]),
            ("set_size", 28000, 21000),
            ("show", {"IsEndless": True, "Pause": 12}),
            ("custom_show", "Short", ["Opening", "Goals"]),
            ("properties", {"Subject": "Tests", "Keywords": ["one", "two"]}),
            ("export", "~/Documents/copy.pptx", "Impress MS PowerPoint 2007 XML"),
            ("store",),
            ("write", "Calendar", "title", "Not saved"),
            ("set_slide", "Calendar", {"Visible": False}),
        ),
    )
    return seat.finish()


def ask(state: State, endpoint: str, /, **arguments: Any) -> Any:
    return INSPECTOR.ask(state, endpoint, arguments)


def test_it_opens_at_the_slide_and_asks_nothing(seat: Seat) -> None:
    assert [window.title for window in seat.screen.windows()] == ["board update.odp - LibreOffice Impress"]
    roles = {node.role for node in seat.screen.tree().walk()}
    assert not roles & {"dialog", "alert", "info bar", "notification"}


@pytest.mark.endpoint("titles", "text", "notes", "table", "chart", "search", "comments", "positive")
def test_what_was_written_is_read(after: State) -> None:
    assert "Goals, again" in ask(after, "titles")
    assert ask(after, "titles", path="~/Documents/copy.pptx") == ask(after, "titles")
    assert ask(after, "text", slide="Goals")["title"] == "Goals, again"
    assert ask(after, "notes", slide="Goals") == ["One", "Two"]
    assert ask(after, "table", slide="Costs")[1][1] == "4711"
    assert ask(after, "chart", slide="Heating")["title"] == "Warmth"
    assert {"slide": "Costs", "in": "Costs table", "times": 1} in ask(after, "search", words="4711")
    assert {"slide": "Agenda", "author": TALK.author, "text": "Is this all?"} in ask(after, "comments")


@pytest.mark.endpoint("titles", "text", "notes", "table", "chart", "search", "comments", "negative")
def test_what_was_not_written_is_not_read(before: State) -> None:
    assert "Goals, again" not in ask(before, "titles")
    assert ask(before, "notes", slide="Goals") != ["One", "Two"]
    assert ask(before, "search", words="4711") == []
    assert len(ask(before, "comments")) == 1
    for name in ("text", "notes", "table", "chart"):
        with pytest.raises(StateError, match="no slide"):
            ask(before, name, slide="Nowhere")
    for name in ("table", "chart"):
        with pytest.raises(StateError, match=f"no {name}"):
            ask(before, name, slide="Goals")
    with pytest.raises(StateError, match="not in the recorded state"):
        ask(before, "titles", path="~/Documents/copy.pptx")


@pytest.mark.endpoint("slides", "shapes", "transition", "animations", "positive")
def test_the_structure_is_read(after: State) -> None:
    found = {one["name"]: one for one in ask(after, "slides")}
    assert found["Risks"]["hidden"] and found["Agenda, longer"]["title"] == "Agenda"
    assert [one["name"] for one in ask(after, "shapes", slide="Goals")][-1] == "Mark"
    assert ask(after, "transition", slide="Costs")["kind"] == "dissolve"
    assert [one["target"] for one in ask(after, "animations", slide="Steps")] == ["Box 1"]


@pytest.mark.endpoint("slides", "shapes", "transition", "animations", "negative")
def test_the_structure_before_has_none_of_it(before: State) -> None:
    assert [one["name"] for one in ask(before, "slides") if one["hidden"]] == ["Spare figures"]
    assert "Mark" not in [one["name"] for one in ask(before, "shapes", slide="Goals")]
    assert ask(before, "transition", slide="Costs")["kind"] == ""
    assert ask(before, "animations", slide="Steps") == []
    with pytest.raises(InvalidInput, match="slide"):
        ask(before, "shapes")


@pytest.mark.endpoint("shape", "backgrounds", "footers", "size", "positive")
def test_looks_are_read(after: State) -> None:
    assert ask(after, "shape", slide="Steps", name="Box 2")["fill"] == "#ff8000"
    assert ask(after, "backgrounds")["Goals"]["fill"] == "#ffffcc"
    assert [one["footer"] for one in ask(after, "footers")][:2] == ["", "Draft"]
    assert ask(after, "size") == {"width": 280.0, "height": 210.0}


@pytest.mark.endpoint("shape", "backgrounds", "footers", "size", "negative")
def test_looks_before_are_others(before: State) -> None:
    assert ask(before, "shape", slide="Steps", name="Box 2")["fill"] == "#1f4e79"
    assert list(ask(before, "backgrounds")) == ["master Default"]
    assert {one["footer"] for one in ask(before, "footers")} == {""}
    assert ask(before, "size") != {"width": 280.0, "height": 210.0}
    with pytest.raises(StateError, match="no shape"):
        ask(before, "shape", slide="Steps", name="Box 9")


@pytest.mark.endpoint("show", "setting", "metadata", "recent", "positive")
def test_settings_and_metadata_are_read(after: State) -> None:
    assert ask(after, "show")["endless"] and ask(after, "show")["custom"] == [["Short", ["Opening", "Goals"]]]
    assert ask(after, "setting", name="/org.openoffice.UserProfile/Data/givenname") == "Liis"
    assert ask(after, "metadata")["keywords"] == ["one", "two"]
    assert "/home/user/Documents/board update.odp" in ask(after, "recent")


@pytest.mark.endpoint("show", "setting", "metadata", "recent", "negative")
def test_settings_and_metadata_before_are_others(before: State) -> None:
    assert not ask(before, "show")["endless"]
    assert ask(before, "metadata")["keywords"] == []
    assert "/home/user/Documents/copy.pptx" not in ask(before, "recent")
    assert ask(State(), "recent") == []
    with pytest.raises(StateError, match="do not mention"):
        ask(before, "setting", name="/org.openoffice.Nothing")


@pytest.mark.endpoint("files", "documents", "unsaved", "positive")
def test_files_and_what_is_open_are_read(after: State) -> None:
    assert "~/Documents/copy.pptx" in [one["path"] for one in ask(after, "files")]
    (document,) = ask(after, "documents")
    assert document["modified"] and document["path"] == TALK.path and document["view"] == {"slide": 8}
    assert any(key.endswith("text") for key in ask(after, "unsaved")[TALK.path])


@pytest.mark.endpoint("files", "documents", "unsaved", "negative")
def test_what_is_not_there_is_said(before: State) -> None:
    assert "~/Documents/copy.pptx" not in [one["path"] for one in ask(before, "files")]
    assert ask(before, "unsaved") == {}
    with pytest.raises(StateError, match="nothing was recorded"):
        ask(before, "files", folder="~/Music")
    with pytest.raises(StateError, match="did not answer"):
        ask(State(data={"live": {"error": "hung"}}), "documents")


@pytest.mark.endpoint("check-title", "check-text", "check-order", "check-hidden", "check-saved", "positive")
def test_checks_pass_where_they_should(before: State, after: State) -> None:
    assert ask(after, "check-title", slide="Goals", expected="Goals, again")["passed"]
    assert ask(after, "check-text", slide="Costs", expected="4711")["passed"]
    assert ask(after, "check-hidden", slide="Risks")["passed"]
    assert ask(before, "check-order", names=[part.name for part in TALK.parts])["passed"]
    assert ask(State(data={"live": {"documents": [{"modified": False}]}}), "check-saved")["passed"]


@pytest.mark.endpoint("check-title", "check-text", "check-order", "check-hidden", "check-saved", "negative")
def test_checks_fail_where_they_should(before: State, after: State) -> None:
    assert not ask(before, "check-title", slide="Goals", expected="Goals, again")["passed"]
    assert not ask(after, "check-title", slide="Calendar", expected="Not saved")["passed"], "it was not saved"
    assert not ask(before, "check-text", slide="Costs", expected="4711")["passed"]
    assert not ask(before, "check-hidden", slide="Risks")["passed"]
    assert not ask(after, "check-order", names=[part.name for part in TALK.parts])["passed"]
    assert not ask(after, "check-saved")["passed"]
