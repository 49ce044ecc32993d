"""Coordinate systems of dialects, and their conversion to and from screen pixels.

Reading follows the vendors' own arithmetic. Writing chooses, among the numbers that a dialect can express, the one that
reads back nearest to the intended pixel. If the dialect is as fine as the screen, that is the pixel itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from fairground.core import Action, Drag, InvalidAction, InvalidInput, Look, Point, Space, from_pixel, to_pixel

Size = tuple[int, int]
FACTOR = 28  # the side of a patch pair of the Qwen2-VL family, on which UI-TARS and OpenCUA are built
_MAX_RATIO = 200  # the preprocessors reject larger aspect ratios


@dataclass(frozen=True)
class Plane:
    """Coordinate system of a dialect.

    Attributes:
        to_screen: Converts a native point to screen pixels. Raises `InvalidAction` if it is off the screen.
        from_screen: Converts a pixel to the native numbers that read back nearest to it.
    """

    to_screen: Callable[[Point, Size], Point]
    from_screen: Callable[[Point, Size], Point]


def grid(space: Space, last: int) -> Plane:
    """Return a square grid over the whole screen. `last` is the largest number to write."""

    def to_screen(point: Point, size: Size) -> Point:
        return to_pixel(point, space, *size)

    def from_screen(pixel: Point, size: Size) -> Point:
        x, y = from_pixel(pixel, space, *size)
        across = (min(max(math.floor(x) + step, 0), last) for step in (0, 1, -1, 2))
        down = (min(max(math.floor(y) + step, 0), last) for step in (0, 1, -1, 2))
        return (
            min(across, key=lambda g: abs(to_pixel((g, 0), space, *size)[0] - pixel[0])),
            min(down, key=lambda g: abs(to_pixel((0, g), space, *size)[1] - pixel[1])),
        )

    return Plane(to_screen, from_screen)


def resized(min_pixels: int, max_pixels: int, factor: int = FACTOR) -> Plane:
    """Return pixels of the image after the model's preprocessor has rounded its sides to multiples of a patch."""

    def to_screen(point: Point, size: Size) -> Point:
        return rescale(point, smart_resize(size, factor, min_pixels, max_pixels), size)

    def from_screen(pixel: Point, size: Size) -> Point:
        return rescale(pixel, size, smart_resize(size, factor, min_pixels, max_pixels))

    return Plane(to_screen, from_screen)


def _unit_from_screen(pixel: Point, size: Size) -> Point:
    x, y = from_pixel(pixel, "unit", *size)
    return (round(x, 5), round(y, 5))


PIXELS = Plane(lambda point, size: to_pixel(point, "pixels", *size), lambda pixel, size: pixel)
UNIT = Plane(lambda point, size: to_pixel(point, "unit", *size), _unit_from_screen)
GRID_1000 = grid("grid1000", 999)
GRID_999 = grid("grid999", 999)


def smart_resize(
    size: Size, factor: int = FACTOR, min_pixels: int = 100 * FACTOR**2, max_pixels: int = 16384 * FACTOR**2
) -> Size:
    """Return the size that the preprocessors of the Qwen-VL family give an image of `size` (width, height).

    Both sides become multiples of `factor`, the area stays within the limits, and the aspect ratio is roughly kept. The
    defaults are those of UI-TARS.
    """
    width, height = size
    if min(width, height) < 1 or max(width, height) > _MAX_RATIO * min(width, height):
        raise InvalidInput(
            f"an image of {width}x{height} cannot be resized: expected an aspect ratio of at most {_MAX_RATIO} to 1"
        )
    across, down = (max(factor, round(side / factor) * factor) for side in size)
    if across * down > max_pixels:
        shrink = math.sqrt(width * height / max_pixels)
        across, down = (max(factor, math.floor(side / shrink / factor) * factor) for side in size)
    elif across * down < min_pixels:
        grow = math.sqrt(min_pixels / (width * height))
        across, down = (math.ceil(side * grow / factor) * factor for side in size)
    return across, down


def rescale(point: Point, seen: Size, screen: Size) -> Point:
    """Convert a pixel of an image of one size to the pixel of another size under its centre.

    Scaling up and back gives the same pixel. Scaling down and back gives one of the pixels that share one there. Raises
    `InvalidAction` if the point is outside `seen`.
    """
    x, y = (math.floor(value) for value in point)
    if not (0 <= x < seen[0] and 0 <= y < seen[1]):
        raise InvalidAction(
            f"point ({point[0]:g}, {point[1]:g}) is off the {seen[0]}x{seen[1]} picture",
            fix=f"coordinates go from 0 to {seen[0] - 1} across and 0 to {seen[1] - 1} down",
        )
    # Integers throughout: a centre that falls on an edge must fall on the same side everywhere.
    return ((2 * x + 1) * screen[0] // (2 * seen[0]), (2 * y + 1) * screen[1] // (2 * seen[1]))


def rescaled(action: Action, seen: Size, screen: Size) -> Action:
    """Convert an action from pixels of an image of size `seen` to pixels of the screen."""
    pixels = action.to_pixels(*seen)
    if isinstance(pixels, Look) and pixels.region is not None:
        left, top, right, bottom = pixels.region
        region = (
            math.floor(left * screen[0] / seen[0]),
            math.floor(top * screen[1] / seen[1]),
            math.ceil(right * screen[0] / seen[0]),
            math.ceil(bottom * screen[1] / seen[1]),
        )
        return pixels.model_copy(update={"region": region})
    if isinstance(pixels, Drag):
        return pixels.model_copy(update={"path": tuple(rescale(point, seen, screen) for point in pixels.path)})
    if not pixels.points:
        return pixels
    return pixels.model_copy(update={"point": rescale(pixels.points[0], seen, screen)})
