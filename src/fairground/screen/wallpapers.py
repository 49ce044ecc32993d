"""Generated wallpapers: the same pixels on every machine, without image files or third-party pictures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from fairground.core import Pixels

Colours = tuple[tuple[int, int, int], ...]
Field = NDArray[np.float64]


def paint(name: str, size: tuple[int, int]) -> Pixels:
    """Return a wallpaper as pixels."""
    width, height = size
    rows, columns = np.mgrid[0:height, 0:width]
    shades, colours = WALLPAPERS[name](columns / width, rows / height)
    stops = np.array(colours, np.float64)
    place = np.clip(shades, 0, 1) * (len(stops) - 1)
    below = np.minimum(place.astype(int), len(stops) - 2)
    share = (place - below)[..., None]
    mixed: Field = stops[below] * (1 - share) + stops[below + 1] * share
    return mixed.round().astype(np.uint8)


def _dawn(x: Field, y: Field) -> tuple[Field, Colours]:
    return y + 0.06 * np.sin(5 * x), ((38, 55, 97), (122, 110, 160), (236, 160, 139), (250, 214, 165))


def _dunes(x: Field, y: Field) -> tuple[Field, Colours]:
    shade = np.zeros_like(x)
    for ridge in range(6):
        line = 0.25 + 0.13 * ridge + 0.05 * np.sin(2.2 * x * (ridge + 2) + 1.7 * ridge)
        shade = np.where(y > line, 0.15 + 0.14 * ridge + 0.1 * (y - line), shade)
    return shade, ((233, 228, 214), (214, 180, 131), (176, 124, 79), (92, 62, 48))


def _forest(x: Field, y: Field) -> tuple[Field, Colours]:
    shade = 0.1 + 0.2 * y
    for layer in range(4):
        line = 0.35 + 0.17 * layer + 0.06 * np.abs(((x * (9 + 4 * layer) + 0.37 * layer) % 1) - 0.5)
        shade = np.where(y > line, 0.35 + 0.2 * layer, shade)
    return shade, ((221, 235, 230), (125, 168, 150), (52, 101, 87), (16, 44, 41))


def _tiles(x: Field, y: Field) -> tuple[Field, Colours]:
    column, row = np.floor(x * 16), np.floor(y * 9)
    return (column * 7 + row * 13 + column * row) % 11 / 10, ((70, 84, 110), (84, 100, 130), (98, 116, 150))


def _rings(x: Field, y: Field) -> tuple[Field, Colours]:
    away = np.hypot((x - 0.72) * 1.78, y - 0.35)
    return 0.5 + 0.5 * np.sin(away * 18) * np.exp(-1.4 * away), ((24, 24, 32), (60, 42, 88), (148, 77, 120))


def _paper(x: Field, y: Field) -> tuple[Field, Colours]:
    return 0.5 + 0.5 * np.sin(90 * x) * np.sin(50 * y), ((238, 236, 230), (244, 242, 237))


WALLPAPERS: Final[dict[str, Callable[[Field, Field], tuple[Field, Colours]]]] = {
    "dawn": _dawn,
    "dunes": _dunes,
    "forest": _forest,
    "tiles": _tiles,
    "rings": _rings,
    "paper": _paper,
}
"""By name: the shade of each point, and the colours that the shades run through."""
