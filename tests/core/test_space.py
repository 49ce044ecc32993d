"""Coordinate spaces: into pixels and back, exactly wherever the grid is fine enough."""

import math
from fractions import Fraction
from typing import get_args

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fairground.core import Click, Drag, InvalidAction, Look, Move, Space, from_pixel, to_pixel

SPACES: tuple[Space, ...] = get_args(Space)
GRIDS: dict[Space, int] = {"grid999": 999, "grid1000": 1000}
spaces = st.sampled_from(SPACES)


@st.composite
def pixels_on_screens(draw: st.DrawFn, largest: int = 16_384) -> tuple[int, int, int, int]:
    width, height = draw(st.integers(1, largest)), draw(st.integers(1, largest))
    return draw(st.integers(0, width - 1)), draw(st.integers(0, height - 1)), width, height


@given(pixels_on_screens(), spaces)
def test_a_pixel_survives_any_space(on_screen: tuple[int, int, int, int], space: Space) -> None:
    x, y, width, height = on_screen
    assert to_pixel(from_pixel((x, y), space, width, height), space, width, height) == (x, y)


# A screen of 1000 pixels has as many as the grid of 1000 has steps, but the middle of a pixel falls between two.
@given(pixels_on_screens(largest=999), st.sampled_from(sorted(GRIDS)))
def test_a_pixel_survives_whole_grid_numbers_when_the_grid_is_finer_than_the_screen(
    on_screen: tuple[int, int, int, int], space: Space
) -> None:
    x, y, width, height = on_screen
    on_grid = tuple(round(value) for value in from_pixel((x, y), space, width, height))
    assert to_pixel((on_grid[0], on_grid[1]), space, width, height) == (x, y)


def test_grid_999_and_a_screen_of_1000_are_the_same() -> None:
    for x in range(1000):
        assert to_pixel((x, x), "grid999", 1000, 1000) == (x, x)
        assert [round(value) for value in from_pixel((x, x), "grid999", 1000, 1000)] == [x, x]


@given(st.integers(0, 1000), st.integers(1, 16_384))
@example(700, 90)  # 700 / 1000 * 90 in floating point is 62.99999999999999
def test_grid_1000_has_no_rounding_fault(value: int, width: int) -> None:
    exact = min(math.floor(Fraction(value, 1000) * width), width - 1)
    assert to_pixel((value, 0), "grid1000", width, 1) == (exact, 0)


@pytest.mark.parametrize(
    ("space", "last"), [("pixels", (1279, 719)), ("unit", (1, 1)), ("grid999", (999, 999)), ("grid1000", (1000, 1000))]
)
def test_the_corners_of_every_space_are_the_corners_of_the_screen(space: Space, last: tuple[float, float]) -> None:
    assert to_pixel((0, 0), space, 1280, 720) == (0, 0)
    assert to_pixel(last, space, 1280, 720) == (1279, 719)


@pytest.mark.parametrize(
    ("point", "space"),
    [
        ((1280, 0), "pixels"),
        ((0, 720), "pixels"),
        ((-1, 0), "pixels"),
        ((-0.001, 0), "pixels"),
        ((1.0001, 0), "unit"),
        ((0, -0.0001), "unit"),
        ((1e308, 0), "unit"),
        ((999.5, 0), "grid999"),
        ((0, 1000), "grid999"),
        ((1000.5, 0), "grid1000"),
        ((-1, 5), "grid1000"),
        *(((float("nan"), 0), space) for space in SPACES),
        *(((0, float("inf")), space) for space in SPACES),
        *(((float("-inf"), 0), space) for space in SPACES),
    ],
    ids=str,
)
def test_a_point_off_the_screen_is_refused_with_the_limits(point: tuple[float, float], space: Space) -> None:
    with pytest.raises(InvalidAction, match="off the 1280x720 screen") as caught:
        to_pixel(point, space, 1280, 720)
    assert caught.value.fix is not None and caught.value.fix.startswith("coordinates go from 0 to")
    assert space in caught.value.fix


@given(
    point=st.tuples(st.floats(allow_nan=True, allow_infinity=True), st.floats(allow_nan=True, allow_infinity=True)),
    space=spaces,
    width=st.integers(1, 5000),
    height=st.integers(1, 5000),
)
def test_any_point_becomes_a_pixel_of_the_screen_or_is_refused(
    point: tuple[float, float], space: Space, width: int, height: int
) -> None:
    try:
        x, y = to_pixel(point, space, width, height)
    except InvalidAction:
        return
    assert isinstance(x, int) and isinstance(y, int)
    assert 0 <= x < width and 0 <= y < height


def test_an_action_in_pixels_says_so_and_keeps_the_rest() -> None:
    click = Click(point=(0.5, 0.5), space="unit", button="right", count=2, modifiers=("ctrl",))
    assert click.to_pixels(1280, 720) == Click(point=(640, 360), button="right", count=2, modifiers=("ctrl",))


def test_an_action_without_a_point_stays_as_it_is() -> None:
    click = Click(space="unit")
    assert click.to_pixels(10, 10) is click
    assert click.points == ()


def test_a_drag_with_one_point_off_the_screen_is_refused_as_a_whole() -> None:
    drag = Drag(path=((0, 0), (999, 999), (1000, 0)), space="grid999")
    with pytest.raises(InvalidAction, match=r"point \(1000, 0\)"):
        drag.to_pixels(100, 100)
    assert Drag(path=drag.path[:2], space="grid999").to_pixels(100, 100).path == ((0, 0), (99, 99))


def test_a_huge_coordinate_in_a_small_space_is_off_the_screen() -> None:
    with pytest.raises(InvalidAction):
        Move(point=(1e308, 0.5), space="unit").to_pixels(1280, 720)


@pytest.mark.parametrize(
    ("space", "end"), [("pixels", (100, 50)), ("unit", (1, 1)), *(((k, (v, v))) for k, v in GRIDS.items())]
)
def test_a_look_at_everything_is_everything_in_every_space(space: Space, end: tuple[float, float]) -> None:
    look = Look(region=(0, 0, *end), space=space).to_pixels(100, 50)
    assert look.region == (0, 0, 100, 50)
    assert look.space == "pixels"


@given(st.tuples(*[st.floats(-10, 2000)] * 4), spaces, st.integers(1, 3000), st.integers(1, 3000))
def test_a_region_that_is_looked_at_has_at_least_a_pixel_and_lies_on_the_screen(
    region: tuple[float, float, float, float], space: Space, width: int, height: int
) -> None:
    try:
        look = Look.parse({"region": region, "space": space}).to_pixels(width, height)
    except ValueError:
        return
    assert look.region is not None
    left, top, right, bottom = look.region
    assert 0 <= left < right <= width and 0 <= top < bottom <= height
    assert all(float(edge).is_integer() for edge in look.region)


@pytest.mark.parametrize("region", [(-1, 0, 10, 10), (0, 0, 101, 50), (0, 0, 100, 51), (0, 0, 1e308, 1e308)], ids=str)
def test_a_region_that_reaches_off_the_screen_is_refused(region: tuple[float, float, float, float]) -> None:
    for space in ("pixels", "unit"):
        with pytest.raises(InvalidAction, match="extends beyond the 100x50 screen"):
            Look(region=region, space=space).to_pixels(100, 50)  # type: ignore[arg-type]
