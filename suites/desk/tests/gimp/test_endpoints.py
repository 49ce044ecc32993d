"""GIMP in a real seat: it opens without a question, and its inspector says what is there and what is not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from fairground.agents import make_moves
from fairground.core import InvalidInput, State, StateError
from fairground.worlds import Command, Move, Seat, Stuck, open_seat, resolve
from fairground_desk.gimp.inspector import GIMP, UNSAVED
from fairground_desk.gimp.scenarios.gimp_task import export, save, scheme

FOLDER = "~/Pictures/Webshop"
PHOTO, PROJECT, SIGN = f"{FOLDER}/house-blend-hero.jpg", f"{FOLDER}/autumn-banner.xcf", f"{FOLDER}/roastery-sign.png"
EXPORTED = f"{FOLDER}/preview.png"

pytestmark = pytest.mark.slow

CHANGES = """
(gimp-layer-set-opacity (layer "Warm wash") 60) (gimp-layer-set-mode (layer "Seal") LAYER-MODE-MULTIPLY)
(gimp-text-layer-set-text (layer "Headline") "Winter roast") (gimp-image-raise-item-to-top image (layer "Seal"))
(gimp-image-select-rectangle image CHANNEL-OP-REPLACE 0 0 300 400)
(gimp-layer-add-mask (layer "Warm wash") (car (gimp-layer-create-mask (layer "Warm wash") ADD-MASK-SELECTION)))
(gimp-selection-save image) (gimp-selection-none image) (gimp-image-add-vguide image 200)
(gimp-image-set-resolution image 300 300) (gimp-image-attach-parasite image (list "gimp-comment" 1 "Checked"))
(gimp-layer-set-mode (layer "Seal") LAYER-MODE-NORMAL) (gimp-item-set-visible (layer "Headline") FALSE)
"""


def play(seat: Seat, *moves: Move) -> None:
    make_moves(seat, moves)


@pytest.fixture(scope="module")
def seat() -> Iterator[Seat]:
    with open_seat(resolve("desk/gimp/rename-layer/sign@roastery/light/second-open", unproven=True)) as opened:
        yield opened


@pytest.fixture(scope="module")
def after(seat: Seat, before: State) -> State:
    """Layers changed and saved, the image exported, and a colour inverted that nobody saved."""
    play(seat, scheme(seat.world, CHANGES), *save(), *export(EXPORTED))
    play(seat, scheme(seat.world, '(gimp-drawable-invert (layer "Photo") FALSE)'))
    return seat.finish()


def ask(state: State, name: str, /, **arguments: Any) -> Any:
    answer = GIMP.ask(state, name, arguments)
    assert json.dumps(answer)
    return answer


def passed(state: State, name: str, /, **arguments: Any) -> bool:
    return bool(ask(state, name, **arguments)["passed"])


def test_it_opens_the_project_and_asks_nothing(seat: Seat, before: State) -> None:
    (window,) = seat.screen.windows()
    assert window.title.startswith("autumn-banner.xcf") and window.bounds == (0, 0, *seat.screen.size)
    assert not {"dialog", "alert"} & {node.role for node in seat.screen.tree().walk()}
    assert len([one for one in before.get("files") if one["kind"] == "file"]) >= 30


@pytest.mark.endpoint("files", "positive")
@pytest.mark.endpoint("picture", "positive")
@pytest.mark.endpoint("pixel", "positive")
@pytest.mark.endpoint("colours", "positive")
@pytest.mark.endpoint("tones", "positive")
@pytest.mark.endpoint("check-size", "positive")
@pytest.mark.endpoint("check-pixel", "positive")
@pytest.mark.endpoint("check-same", "positive")
def test_pictures_are_read(after: State) -> None:
    assert EXPORTED in [one["path"] for one in ask(after, "files", folder=FOLDER, ending=".png")]
    assert ask(after, "picture", path=EXPORTED)["format"] == "PNG"
    assert ask(after, "pixel", path=SIGN, x=2, y=2) == [255, 255, 255, 255]
    assert {"#ffffff"} & {one["color"] for one in ask(after, "colours", path=SIGN)}
    assert ask(after, "tones", path=SIGN)["mean"] > ask(after, "tones", path=PHOTO)["mean"]
    assert passed(after, "check-size", path=EXPORTED, width=600, height=400)
    assert passed(after, "check-pixel", path=SIGN, x=2, y=2, color="#ffffff")
    assert passed(after, "check-same", path=EXPORTED, other=PROJECT), "what GIMP exports is what we flatten"


@pytest.mark.endpoint("files", "negative")
@pytest.mark.endpoint("picture", "negative")
@pytest.mark.endpoint("pixel", "negative")
@pytest.mark.endpoint("colours", "negative")
@pytest.mark.endpoint("tones", "negative")
@pytest.mark.endpoint("check-size", "negative")
@pytest.mark.endpoint("check-pixel", "negative")
@pytest.mark.endpoint("check-same", "negative")
def test_pictures_that_are_not_there_or_differ_are_told(before: State, after: State) -> None:
    assert EXPORTED not in [one["path"] for one in ask(before, "files")]
    for name in ("picture", "colours", "tones"):
        with pytest.raises(StateError):
            ask(before, name, path=EXPORTED)
    with pytest.raises(StateError, match="outside"):
        ask(before, "pixel", path=SIGN, x=5000, y=2)
    assert not passed(after, "check-size", path=EXPORTED, width=601, height=400)
    assert not passed(after, "check-pixel", path=SIGN, x=2, y=2, color="#000000")
    assert not passed(after, "check-same", path=EXPORTED, other=PHOTO)


@pytest.mark.endpoint("image", "positive")
@pytest.mark.endpoint("layers", "positive")
@pytest.mark.endpoint("layer", "positive")
@pytest.mark.endpoint("text", "positive")
@pytest.mark.endpoint("mask", "positive")
@pytest.mark.endpoint("guides", "positive")
@pytest.mark.endpoint("channels-and-paths", "positive")
@pytest.mark.endpoint("check-layer", "positive")
@pytest.mark.endpoint("check-order", "positive")
@pytest.mark.endpoint("check-text", "positive")
@pytest.mark.endpoint("check-guide", "positive")
@pytest.mark.endpoint("check-resolution", "positive")
@pytest.mark.endpoint("comment", "positive")
@pytest.mark.endpoint("metadata", "positive")
def test_what_gimp_saved_is_read(before: State, after: State) -> None:
    assert ask(after, "image", path=PROJECT)["layers"] == 4
    assert ask(after, "layers", path=PROJECT)[0]["path"] == "Seal"
    assert ask(after, "layer", path=PROJECT, name="Warm wash")["opacity"] == 0.6
    assert ask(after, "text", path=PROJECT, name="Headline")["text"] == "Winter roast"
    assert ask(after, "mask", path=PROJECT, name="Warm wash")["white"] == 0.5
    assert ask(after, "guides", path=PROJECT) == [{"orientation": "vertical", "position": 200}]
    assert len(ask(after, "channels-and-paths", path=PROJECT)["channels"]) == 1
    assert passed(after, "check-layer", path=PROJECT, name="Warm wash", opacity=0.6, mode="normal", visible=True)
    assert passed(after, "check-order", path=PROJECT, names=["Seal", "Headline", "Warm wash", "Photo"])
    assert passed(after, "check-text", path=PROJECT, name="Headline", says="Winter roast")
    assert passed(after, "check-guide", path=PROJECT, orientation="vertical", position=200)
    assert passed(after, "check-resolution", path=PROJECT, dpi=300)
    assert ask(after, "comment", path=PROJECT) == "Checked"
    assert ask(before, "metadata", path=PHOTO)["comment"] == "(c) Amina Yusuf, Harbour Roastery"


@pytest.mark.endpoint("image", "negative")
@pytest.mark.endpoint("layers", "negative")
@pytest.mark.endpoint("layer", "negative")
@pytest.mark.endpoint("text", "negative")
@pytest.mark.endpoint("mask", "negative")
@pytest.mark.endpoint("guides", "negative")
@pytest.mark.endpoint("channels-and-paths", "negative")
@pytest.mark.endpoint("check-layer", "negative")
@pytest.mark.endpoint("check-order", "negative")
@pytest.mark.endpoint("check-text", "negative")
@pytest.mark.endpoint("check-guide", "negative")
@pytest.mark.endpoint("check-resolution", "negative")
@pytest.mark.endpoint("comment", "negative")
@pytest.mark.endpoint("metadata", "negative")
def test_what_gimp_did_not_save_is_not_there(before: State, after: State) -> None:
    assert ask(before, "layers", path=PROJECT)[0]["path"] == "Headline"
    assert ask(before, "guides", path=PROJECT) == []
    assert ask(before, "channels-and-paths", path=PROJECT) == {"channels": [], "paths": []}
    for name, layer in (("layer", "No such"), ("text", "Seal"), ("mask", "Seal")):
        with pytest.raises(StateError):
            ask(after, name, path=PROJECT, name=layer)
    for name in ("image", "metadata"):
        with pytest.raises(StateError):
            ask(after, name, path=f"{FOLDER}/README.txt")
    assert not passed(before, "check-layer", path=PROJECT, name="Warm wash", opacity=0.6)
    with pytest.raises(InvalidInput, match="nothing to check"):
        ask(after, "check-layer", path=PROJECT, name="Seal")
    assert not passed(before, "check-order", path=PROJECT, names=["Seal", "Headline", "Warm wash", "Photo"])
    assert not passed(before, "check-text", path=PROJECT, name="Headline", says="Winter roast")
    assert not passed(after, "check-guide", path=PROJECT, orientation="horizontal", position=200)
    assert not passed(before, "check-resolution", path=PROJECT, dpi=300)
    assert ask(before, "comment", path=PROJECT) != "Checked"


@pytest.mark.endpoint("images", "positive")
@pytest.mark.endpoint("unsaved", "positive")
@pytest.mark.endpoint("check-saved", "negative")
def test_what_is_open_and_not_saved_is_told_with_its_content(after: State) -> None:
    assert {one["path"] for one in ask(after, "images")} == {PROJECT, f"{FOLDER}/table-flowers.jpg"}
    assert ask(after, "unsaved") == [PROJECT]
    assert not passed(after, "check-saved")
    assert not passed(after, "check-same", path=f"{UNSAVED}{PROJECT}", other=PROJECT)


@pytest.mark.endpoint("images", "negative")
@pytest.mark.endpoint("unsaved", "negative")
@pytest.mark.endpoint("check-saved", "positive")
def test_a_gimp_that_did_not_answer_is_no_answer(before: State, after: State) -> None:
    dead = State(files=after.files, data={**after.data, "live": {"error": "GIMP does not answer"}})
    for name in ("images", "unsaved", "check-saved"):
        with pytest.raises(StateError):
            ask(dead, name)
    quiet = [{**one, "unsaved": False} for one in after.get("live")["images"]]
    assert passed(State(files=after.files, data={**after.data, "live": {"images": quiet}}), "check-saved")


@pytest.mark.endpoint("setting", "positive")
@pytest.mark.endpoint("check-setting", "positive")
@pytest.mark.endpoint("recent", "positive")
def test_settings_and_history_are_read(after: State) -> None:
    assert ask(after, "setting", name="undo-levels") == [20]
    assert passed(after, "check-setting", name="default-view.show-rulers", value="yes")
    assert any(path.endswith("preview.png") for path in ask(after, "recent"))


@pytest.mark.endpoint("setting", "negative")
@pytest.mark.endpoint("check-setting", "negative")
@pytest.mark.endpoint("recent", "negative")
def test_settings_that_nobody_made_are_not_invented(before: State) -> None:
    with pytest.raises(StateError, match="does not say"):
        ask(before, "setting", name="no-such-setting")
    assert not passed(before, "check-setting", name="undo-levels", value="5")
    assert not any(path.endswith("preview.png") for path in ask(before, "recent"))


def test_the_seat_refuses_commands_that_it_does_not_know(seat: Seat) -> None:
    with pytest.raises(Stuck, match="takes no command 'format-disk'"):
        seat.world.app.command(seat, Command("format-disk"))
