"""Grids and resized pictures: both ends on the screen, and back again as near as the numbers allow."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairground.agents.native import rescaled, smart_resize
from fairground.agents.native.coordinates import GRID_999, GRID_1000, PIXELS, UNIT, Plane, rescale, resized
from fairground.core import Click, Done, Drag, InvalidAction, InvalidInput, Look

UITARS = resized(100 * 28**2, 16384 * 28**2)
sides = st.integers(40, 4000)
sizes = st.tuples(sides, sides)


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ((1280, 720), (1288, 728)),
        ((1920, 1080), (1932, 1092)),
        ((2560, 1440), (2548, 1428)),  # 91.43 and 51.43 patches
        ((3840, 2160), (3836, 2156)),
        ((800, 600), (812, 588)),
        ((28, 28), (280, 280)),  # grown to the least area
        ((100, 300), (168, 504)),
        ((5000, 4000), (4004, 3192)),  # shrunk to the largest
        ((14, 42), (168, 504)),
    ],
)
def test_the_preprocessors_size(size: tuple[int, int], expected: tuple[int, int]) -> None:
    assert smart_resize(size) == expected


@settings(deadline=None)
@given(size=sizes)
def test_a_resized_picture_is_of_whole_patches_and_within_its_limits(size: tuple[int, int]) -> None:
    width, height = smart_resize(size)
    assert width % 28 == height % 28 == 0
    assert 100 * 28**2 <= width * height <= 16384 * 28**2
    assert smart_resize((size[1], size[0])) == (height, width)


def test_a_strip_cannot_be_resized() -> None:
    for size in ((10, 2001), (0, 5)):
        with pytest.raises(InvalidInput, match="cannot be resized"):
            smart_resize(size)


@pytest.mark.parametrize(("plane", "last"), [(GRID_999, 999), (GRID_1000, 1000), (UNIT, 1)])
@settings(deadline=None)
@given(size=sizes)
def test_both_ends_of_a_grid_are_the_corners_of_the_screen(plane: Plane, last: int, size: tuple[int, int]) -> None:
    assert plane.to_screen((0, 0), size) == (0, 0)
    assert plane.to_screen((last, last), size) == (size[0] - 1, size[1] - 1)
    for outside in ((-1, 0), (0, last + 1)):
        with pytest.raises(InvalidAction, match="off the"):
            plane.to_screen(outside, size)


@settings(deadline=None)
@given(size=sizes)
def test_both_ends_of_the_resized_picture_are_on_the_screen(size: tuple[int, int]) -> None:
    seen = smart_resize(size)
    corner = UITARS.to_screen((0, 0), size)
    far = UITARS.to_screen((seen[0] - 1, seen[1] - 1), size)
    for side in (0, 1):
        most = max(0, math.ceil(size[side] / seen[side] / 2) - 1) + (size[side] > seen[side])
        assert 0 <= corner[side] <= most
        assert size[side] - 1 - most <= far[side] <= size[side] - 1
    with pytest.raises(InvalidAction, match=f"off the {seen[0]}x{seen[1]} picture"):
        UITARS.to_screen((seen[0], 0), size)


@pytest.mark.parametrize(("plane", "lines"), [(GRID_999, 999), (GRID_1000, 1000), (UITARS, 0), (UNIT, 0), (PIXELS, 0)])
@settings(deadline=None)
@given(size=sizes, share=st.tuples(st.floats(0, 1), st.floats(0, 1)))
def test_a_pixel_comes_back_within_the_quantisation(
    plane: Plane, lines: int, size: tuple[int, int], share: tuple[float, float]
) -> None:
    pixel = tuple(min(int(part * side), side - 1) for part, side in zip(share, size, strict=True))
    native = plane.from_screen((pixel[0], pixel[1]), size)
    back = plane.to_screen(native, size)
    steps = (lines, lines) if lines else smart_resize(size) if plane is UITARS else size
    for side in (0, 1):
        # A step covers so many pixels. What comes back is at most half a step away; at the far end of Gemini's
        # grid, whose last line is not the screen's edge, it is less than a step.
        covers = max(1, math.ceil(size[side] / steps[side]))
        assert abs(back[side] - pixel[side]) <= (covers - 1 if plane is GRID_1000 else covers // 2)
    if plane in (GRID_999, GRID_1000):
        assert all(isinstance(part, int) and 0 <= part <= 999 for part in native)


@settings(deadline=None)
@given(size=st.tuples(st.integers(1, 60), st.integers(1, 60)), other=st.tuples(st.integers(1, 60), st.integers(1, 60)))
def test_scaling_is_centred_and_keeps_order(size: tuple[int, int], other: tuple[int, int]) -> None:
    across = [rescale((x, 0), size, other)[0] for x in range(size[0])]
    assert across == sorted(across)
    assert all(
        abs((there + 0.5) / other[0] - (x + 0.5) / size[0]) <= 0.5 / other[0] + 1e-9 for x, there in enumerate(across)
    )
    # Mirrored, the same pixels answer to each other, but for middles that fall exactly between two.
    mirrored = [other[0] - 1 - there for there in reversed(across)]
    assert all(abs(a - b) <= 1 for a, b in zip(across, mirrored, strict=True))


def test_an_action_on_a_smaller_picture_means_the_middle_of_what_it_shows() -> None:
    seen, screen = (640, 360), (1920, 1080)
    assert rescaled(Click(point=(0, 0)), seen, screen) == Click(point=(1, 1))
    assert rescaled(Click(point=(639, 359)), seen, screen) == Click(point=(1918, 1078))
    assert rescaled(Drag(path=((0, 0), (1, 1))), seen, screen) == Drag(path=((1, 1), (4, 4)))
    assert rescaled(Look(region=(0, 0, 640, 360)), seen, screen) == Look(region=(0, 0, 1920, 1080))
    assert rescaled(Click(), seen, screen) == Click()
    assert rescaled(Done(), seen, screen) == Done()
    with pytest.raises(InvalidAction, match="off the 640x360 screen"):
        rescaled(Click(point=(640, 0)), seen, screen)
