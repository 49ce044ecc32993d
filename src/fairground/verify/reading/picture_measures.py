"""Measurements of pixels for checks: colours, brightness, sharpness, and whether one picture follows from another.

All functions take pixels as returned by `read_picture` and `read_xcf` (rows, columns, then red, green, blue, alpha).
Example, to check whether a picture was flipped: `matches(after.pixels, flipped(before.pixels, "horizontal"))`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from fairground.core import InvalidInput, StateError
from fairground.verify.reading.picture import Pixels, seen

Region: TypeAlias = tuple[int, int, int, int]
"""x and y of the upper left corner, width, height."""


@dataclass(frozen=True)
class Light:
    """Brightness of a picture from 0 (black) to 255 (white), and saturation from 0 (gray) to 1.

    Attributes:
        mean: Mean brightness.
        contrast: Standard deviation of the brightness.
        darkest: First percentile of the brightness.
        brightest: 99th percentile of the brightness.
        saturation: Mean saturation.
    """

    mean: float
    contrast: float
    darkest: float
    brightest: float
    saturation: float


@dataclass(frozen=True)
class Difference:
    """The difference of two pictures. If their sizes differ, everything differs.

    Attributes:
        same_size: Whether they can be compared.
        largest: The largest difference of a channel of a pixel, 0 to 255.
        mean: The mean difference over all channels of all pixels.
        share: Share of pixels in which a channel differs by more than the threshold, 0 to 1.
        region: The smallest region that contains all of those; None if there are none.
    """

    same_size: bool
    largest: float
    mean: float
    share: float
    region: Region | None


def mean_color(pixels: Pixels) -> tuple[float, float, float]:
    """Mean red, green and blue, weighted by opacity."""
    weights = _weights(pixels)
    sums = np.einsum("ijk,ij->k", pixels[..., :3].astype(np.float64), weights)
    red, green, blue = sums / weights.sum()
    return float(red), float(green), float(blue)


def color_at(pixels: Pixels, x: int, y: int, *, radius: int = 0) -> tuple[int, int, int, int]:
    """Red, green, blue and alpha at a point: the median of the square around it.

    Raises:
        StateError: The point is outside of the picture.
    """
    height, width = pixels.shape[:2]
    if not (0 <= x < width and 0 <= y < height):
        raise StateError(f"the point {x}, {y} is outside of a picture of {width} x {height} pixels")
    part = pixels[max(0, y - radius) : y + radius + 1, max(0, x - radius) : x + radius + 1].reshape(-1, 4)
    red, green, blue, alpha = np.median(part, axis=0)
    return int(red), int(green), int(blue), int(alpha)


def share_near(pixels: Pixels, color: str, *, tolerance: int = 24, region: Region | None = None) -> float:
    """The share of pixels, 0 to 1, that are opaque and whose channels are all near a colour such as `#ff8800`."""
    part = pixels if region is None else cropped(pixels, region)
    near = np.abs(part[..., :3].astype(np.int16) - np.array(rgb(color), np.int16)).max(axis=2) <= tolerance
    return float((near & (part[..., 3] >= 128)).mean())


def transparent_share(pixels: Pixels) -> float:
    """The share of fully transparent pixels."""
    return float((pixels[..., 3] == 0).mean())


def dominant_colors(pixels: Pixels, count: int = 5) -> tuple[tuple[str, float], ...]:
    """The most frequent colours and their shares of the visible pixels. Similar colours count as one."""
    colors = pixels[pixels[..., 3] >= 128][:, :3].astype(np.int64)
    if len(colors) == 0:
        return ()
    bins = (colors >> 5) @ np.array([64, 8, 1])
    totals = np.bincount(bins, minlength=512)
    shares = []
    for number in np.argsort(-totals, kind="stable")[:count]:
        if totals[number] == 0:
            break
        red, green, blue = np.median(colors[bins == number], axis=0).astype(int)
        shares.append((f"#{red:02x}{green:02x}{blue:02x}", float(totals[number] / len(colors))))
    return tuple(shares)


def is_grayscale(pixels: Pixels, *, tolerance: int = 3) -> bool:
    """Whether no visible pixel has a colour. Lossy formats need a small tolerance."""
    high, low = _extremes(pixels)
    spread = np.where(pixels[..., 3] > 0, high - low, 0)
    return int(spread.max()) <= tolerance


def light(pixels: Pixels) -> Light:
    """Brightness, contrast and saturation of the visible pixels."""
    shown = pixels[..., 3] > 0
    if not shown.any():
        raise StateError("a picture that is wholly transparent has no brightness")
    gray = _gray(pixels)[shown]
    high, low = (extreme[shown].astype(np.float32) for extreme in _extremes(pixels))
    saturation = np.divide(high - low, high, out=np.zeros_like(high), where=high > 0)
    darkest, brightest = np.percentile(gray, [1, 99])
    return Light(float(gray.mean()), float(gray.std()), float(darkest), float(brightest), float(saturation.mean()))


def sharpness(pixels: Pixels) -> float:
    """Variance of the Laplacian of the brightness.

    It falls when a picture is blurred, and rises when it is sharpened.
    """
    return float(cv2.Laplacian(_gray(pixels), cv2.CV_64F).var())


def difference(one: Pixels, other: Pixels, *, threshold: int = 8, region: Region | None = None) -> Difference:
    """Compare two pictures, in a region or everywhere."""
    if one.shape != other.shape:
        return Difference(False, 255.0, 255.0, 1.0, None)
    if region is not None:
        one, other = cropped(one, region), cropped(other, region)
    gaps = cv2.absdiff(one, other)
    changed = gaps.max(axis=2) > threshold
    changed_region = None
    if changed.any():
        rows, columns = np.flatnonzero(changed.any(axis=1)), np.flatnonzero(changed.any(axis=0))
        x, y = int(columns[0]), int(rows[0])
        x, y = (x, y) if region is None else (x + region[0], y + region[1])
        changed_region = (x, y, int(columns[-1] - columns[0]) + 1, int(rows[-1] - rows[0]) + 1)
    return Difference(True, float(gaps.max()), float(gaps.mean()), float(changed.mean()), changed_region)


def matches(found: Pixels, expected: Pixels, *, mean: float = 2.0, share: float = 0.02, threshold: int = 24) -> bool:
    """Whether two pictures are the same, apart from effects of scaling and lossy formats.

    Args:
        found: The actual picture.
        expected: The expected picture, of the same size.
        mean: Maximum mean difference of channels, of 255.
        share: Maximum share of pixels that differ by more than the threshold.
        threshold: Maximum difference of a single channel.
    """
    gap = difference(found, expected, threshold=threshold)
    return gap.same_size and gap.mean <= mean and gap.share <= share


def region_unchanged(before: Pixels, after: Pixels, region: Region, *, threshold: int = 0) -> bool:
    """Whether no pixel of the region differs by more than the threshold. False if the sizes differ."""
    gap = difference(before, after, threshold=threshold, region=region)
    return gap.same_size and gap.region is None


def outside_unchanged(before: Pixels, after: Pixels, region: Region, *, threshold: int = 0) -> bool:
    """Whether no pixel outside of the region differs by more than the threshold."""
    if before.shape != after.shape:
        return False
    x, y, width, height = _inside(before, region)
    patched = after.copy()
    patched[y : y + height, x : x + width] = before[y : y + height, x : x + width]
    return difference(before, patched, threshold=threshold).region is None


def where_is(part: Pixels, whole: Pixels) -> tuple[int, int, float]:
    """Find the best position of a smaller picture in a larger one, without scaling: x, y, and similarity from -1 to 1.

    Raises:
        StateError: It is larger than the other one, or has a single colour, which fits anywhere.
    """
    if part.shape[0] > whole.shape[0] or part.shape[1] > whole.shape[1]:
        raise StateError(f"a part of {part.shape[1]} x {part.shape[0]} pixels does not fit into the picture")
    if _gray(part).std() < 1:
        raise StateError("a part of a single colour could be anywhere")
    scores = cv2.matchTemplate(_rgb_only(whole), _rgb_only(part), cv2.TM_CCOEFF_NORMED)
    _low, best, _place, (x, y) = cv2.minMaxLoc(np.nan_to_num(scores, nan=-1, posinf=-1, neginf=-1))
    return int(x), int(y), float(best)


# Transformations for expected pictures


def cropped(pixels: Pixels, region: Region) -> Pixels:
    """The region alone.

    Raises:
        StateError: A part of the region is outside.
    """
    x, y, width, height = _inside(pixels, region)
    return pixels[y : y + height, x : x + width]


def flipped(pixels: Pixels, axis: Literal["horizontal", "vertical"]) -> Pixels:
    """Mirrored. `horizontal` swaps left and right, as programs name it."""
    return pixels[:, ::-1] if axis == "horizontal" else pixels[::-1]


def rotated(pixels: Pixels, degrees: int) -> Pixels:
    """Rotated clockwise by a multiple of 90 degrees."""
    if degrees % 90:
        raise InvalidInput(f"a turn of {degrees} degrees, expected a multiple of 90")
    return np.ascontiguousarray(np.rot90(pixels, -degrees // 90))


def resized(pixels: Pixels, width: int, height: int) -> Pixels:
    """Scaled with a good filter. Programs use slightly different filters, so compare with `matches`."""
    _check_target(width, height)
    smaller = width * height < pixels.shape[0] * pixels.shape[1]
    how = cv2.INTER_AREA if smaller else cv2.INTER_CUBIC
    return np.asarray(cv2.resize(np.ascontiguousarray(pixels), (width, height), interpolation=how), np.uint8)


def blurred(pixels: Pixels, deviation: float) -> Pixels:
    """Blurred by a Gaussian with this standard deviation in pixels."""
    if not 0 < deviation <= 500:
        raise InvalidInput(f"a blur of {deviation} pixels, expected above 0 and at most 500")
    return np.asarray(cv2.GaussianBlur(np.ascontiguousarray(pixels), (0, 0), deviation), np.uint8)


def inverted(pixels: Pixels) -> Pixels:
    """Inverted colours; transparency stays."""
    opposite = pixels.copy()
    opposite[..., :3] = 255 - pixels[..., :3]
    return seen(opposite)


def desaturated(pixels: Pixels, *, how: Literal["luma", "average", "lightness", "value"] = "luma") -> Pixels:
    """Grayscale, by one of the methods that programs use; transparency stays."""
    colors = pixels[..., :3].astype(np.float64)
    if how == "luma":
        gray = _gray(pixels).astype(np.float64)
    elif how == "average":
        gray = colors.mean(axis=2)
    else:
        high = colors.max(axis=2)
        gray = high if how == "value" else (high + colors.min(axis=2)) / 2
    level = np.clip(np.round(gray), 0, 255).astype(np.uint8)
    return np.dstack([level, level, level, pixels[..., 3]])


def rgb(color: str) -> tuple[int, int, int]:
    """Red, green and blue of a colour `#rrggbb`."""
    if not re.fullmatch(r"#[0-9a-fA-F]{6}", color):
        raise InvalidInput(f"the colour {color!r}, expected the form #rrggbb")
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def _inside(pixels: Pixels, region: Region) -> Region:
    x, y, width, height = region
    if x < 0 or y < 0 or width < 1 or height < 1 or x + width > pixels.shape[1] or y + height > pixels.shape[0]:
        raise StateError(f"the region {region} is not inside of {pixels.shape[1]} x {pixels.shape[0]} pixels")
    return region


def _check_target(width: int, height: int) -> None:
    if width < 1 or height < 1 or width * height > 100_000_000:
        raise InvalidInput(f"a size of {width} x {height} pixels")


def _weights(pixels: Pixels) -> NDArray[np.float64]:
    weights = pixels[..., 3].astype(np.float64)
    if not weights.any():
        raise StateError("a picture that is wholly transparent has no colour")
    return weights


def _extremes(pixels: Pixels) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """The maximum and minimum of red, green and blue."""
    red, green, blue = (pixels[..., channel] for channel in range(3))
    return np.maximum(np.maximum(red, green), blue), np.minimum(np.minimum(red, green), blue)


def _rgb_only(pixels: Pixels) -> Pixels:
    return np.ascontiguousarray(pixels[..., :3])


def _gray(pixels: Pixels) -> NDArray[np.uint8]:
    return np.asarray(cv2.cvtColor(_rgb_only(pixels), cv2.COLOR_RGB2GRAY), np.uint8)
