"""Comparison of frames by structural similarity, over the whole frame or a region."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairground.core import Check, Frame, InvalidInput

WINDOW = 7
"""Side length in pixels of the window in which two pictures are compared."""

_C1, _C2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2

Region = tuple[int, int, int, int]
"""Left, top, right, bottom in pixels; right and bottom are exclusive."""


def ssim(one: Frame, other: Frame, *, region: Region | None = None) -> float:
    """Return the mean structural similarity of two frames: 1 if they are equal, near or below 0 if they are unlike.

    Uses windows of 7 by 7 pixels within the picture, each colour channel separately, with unbiased variances.

    Raises:
        InvalidInput: The frames have different sizes, or the region is outside of them or smaller than a window.
    """
    if one.size != other.size:
        sizes = " and ".join(f"{width}x{height}" for width, height in (one.size, other.size))
        raise InvalidInput(
            f"frames of {sizes} cannot be compared", fix="take both on a screen of one size, or cut one to the other"
        )
    left, top, right, bottom = region or (0, 0, *one.size)
    width, height = one.size
    if not (left >= 0 and top >= 0 and right <= width and bottom <= height):
        raise InvalidInput(f"region {region} is not within the frame of {width}x{height}")
    if right - left < WINDOW or bottom - top < WINDOW:
        raise InvalidInput(
            f"{right - left}x{bottom - top} pixels are too few to compare", fix=f"take at least {WINDOW}x{WINDOW}"
        )
    first, second = (frame.pixels[top:bottom, left:right].astype(np.float64) for frame in (one, other))
    return float(np.mean([_similarity(first[..., colour], second[..., colour]) for colour in range(3)]))


def image_match(
    name: str,
    expected: Frame,
    found: Frame,
    *,
    threshold: float = 0.98,
    region: Region | None = None,
    weight: float = 1.0,
    integrity: bool = False,
) -> Check:
    """Check that a frame shows the same as another: passes if the similarity is at least `threshold`."""
    if not -1 <= threshold <= 1:
        raise InvalidInput(f"threshold is {threshold}; expected a number from -1 to 1")
    value = ssim(expected, found, region=region)
    where: dict[str, Any] = {} if region is None else {"region": list(region)}
    return Check(
        name=name,
        passed=value >= threshold,
        weight=weight,
        expected={"ssim": threshold, **where},
        found={"ssim": round(value, 6), **where},
        integrity=integrity,
    )


def _similarity(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    pixels = WINDOW * WINDOW
    unbiased = pixels / (pixels - 1)
    mean_x, mean_y = _mean(x), _mean(y)
    var_x = unbiased * (_mean(x * x) - mean_x * mean_x)
    var_y = unbiased * (_mean(y * y) - mean_y * mean_y)
    both = unbiased * (_mean(x * y) - mean_x * mean_y)
    above = (2 * mean_x * mean_y + _C1) * (2 * both + _C2)
    below = (mean_x**2 + mean_y**2 + _C1) * (var_x + var_y + _C2)
    return float(np.mean(above / below))


def _mean(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean over each window that lies completely inside."""
    edge = WINDOW // 2
    from scipy.ndimage import uniform_filter  # imported here, because loading it takes longer than all of this package

    inside: NDArray[np.float64] = uniform_filter(values, WINDOW)[edge:-edge, edge:-edge]
    return inside
