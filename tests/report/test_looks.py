"""All looks of an app in one picture."""

import io
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest
from PIL import Image

from fairground.core import Check, InvalidInput, State, UnknownName
from fairground.report.looks import face, looks_of, looks_sheet
from fairground.worlds import App, Scenario, ScreenSpec, Seat, Suite, World, suites

COLOURS = {"red": (255, 0, 0), "blue": (0, 0, 255)}


class Painted(App):
    """A page of one colour, with as many stripes as the UI state says."""

    name = "painted"
    title = "Painted"
    screen = ScreenSpec("cdp", (200, 300))
    themes = {name: {"colour": name} for name in COLOURS}
    ui_states = {"plain": {"stripes": 0}, "striped": {"stripes": 3}}

    def sources(self) -> str:
        return "painted"

    def launch(self, seat: Seat) -> None:
        screen: Any = seat.screen
        world = seat.world
        stripes = "<hr>" * world.ui_state["stripes"]
        screen.navigate("data:text/html," + quote(f"<body style='background:{world.theme['colour']}'>{stripes}"))


class Nothing(Scenario):
    """A task that nobody does here."""

    name = "nothing"
    app = "painted"
    template = "Look."

    def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        return []


SUITE = Suite("paint", "Paint", "1", (Painted(),), (Nothing(),))


@pytest.mark.process
def test_every_theme_and_every_ui_state_is_shown_once() -> None:
    looks = list(looks_of(SUITE, SUITE.apps[0]))
    assert [look.caption for look in looks] == ["theme red", "theme blue", "UI state plain", "UI state striped"]
    corners = [tuple(look.frame.pixels[-1, -1]) for look in looks]
    assert corners == [COLOURS["red"], COLOURS["blue"], COLOURS["red"], COLOURS["blue"]], "UI states take turns"
    assert looks[2].frame == looks[0].frame and looks[3].frame != looks[1].frame
    sheet = np.asarray(Image.open(io.BytesIO(looks_sheet("Painted", looks))))
    for colour in COLOURS.values():
        assert (sheet == colour).all(axis=2).mean() > 0.1


def test_a_profile_that_is_not_there_and_an_app_without_tasks_are_refused() -> None:
    with pytest.raises(UnknownName, match="default"):
        next(looks_of(SUITE, SUITE.apps[0], "nobody"))
    with pytest.raises(InvalidInput, match="no configuration to show"):
        next(looks_of(Suite("paint", "Paint", "1", (Painted(),), ()), Painted()))


@pytest.mark.parametrize("name", ["desk", "pocket"])
def test_every_app_ships_a_small_picture_for_the_catalogue(name: str) -> None:
    suite = suites()[name]
    assert suite.pictures is not None
    files = {path.stem: path for path in suite.pictures.iterdir()}
    assert files.keys() == {app.name for app in suite.apps}, f"fairground looks {name} --faces -o {suite.pictures}"
    for app in suite.apps:
        picture = Image.open(files[app.name])
        picture.load()
        width, height = app.screen.size
        assert picture.format == "WEBP" and picture.width >= 400 and files[app.name].stat().st_size < 100_000
        assert picture.height == round(picture.width * height / width)


@pytest.mark.slow
def test_the_face_of_an_app_is_its_first_look_and_small() -> None:
    picture = Image.open(io.BytesIO(face(SUITE, SUITE.apps[0])))
    assert picture.size == (200, 300)
    red, green, blue = np.asarray(picture.convert("RGB"))[-1, -1].tolist()
    assert red > 230 and green < 25 and blue < 25
