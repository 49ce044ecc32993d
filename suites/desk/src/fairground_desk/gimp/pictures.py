"""Packaged photographs and drawn graphics, from which the profiles' files are made."""

from __future__ import annotations

import io
from functools import cache
from importlib.resources import files

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

Colours = NDArray[np.uint8]
Rgb = tuple[int, int, int]


@cache
def photograph(name: str) -> Colours:
    """Return a photograph in `data/` as a read-only array of rows, columns and RGB."""
    data = files(__package__).joinpath("data", f"{name}.jpg").read_bytes()
    pixels = np.array(Image.open(io.BytesIO(data)).convert("RGB"), np.uint8)
    pixels.setflags(write=False)
    return pixels


def scaled(pixels: Colours, width: int, height: int) -> Colours:
    """Resize to a width and height, ignoring proportions."""
    return np.asarray(cv2.resize(pixels, (width, height), interpolation=cv2.INTER_AREA), np.uint8)


def covering(pixels: Colours, width: int, height: int) -> Colours:
    """Scale and crop the middle of a picture so that it fills a size without distortion."""
    share = max(width / pixels.shape[1], height / pixels.shape[0])
    enlarged = scaled(pixels, max(width, round(pixels.shape[1] * share)), max(height, round(pixels.shape[0] * share)))
    left, top = (enlarged.shape[1] - width) // 2, (enlarged.shape[0] - height) // 2
    return np.ascontiguousarray(enlarged[top : top + height, left : left + width])


def plain(width: int, height: int, color: Rgb, alpha: int | None = None) -> Colours:
    """Return a picture of a single colour."""
    return np.full((height, width, 3 if alpha is None else 4), color if alpha is None else (*color, alpha), np.uint8)


def badge(side: int, color: Rgb, letter: str, ground: Rgb | None = None) -> Colours:
    """Draw a round sign with a white letter, on a transparent background or on the colour `ground`."""
    large = 4 * side
    picture = np.zeros((large, large, 4), np.uint8)
    middle = (large // 2, large // 2)
    cv2.circle(picture, middle, int(large * 0.46), (*color, 255), -1)
    cv2.circle(picture, middle, int(large * 0.38), (255, 255, 255, 255), large // 40)
    scale, weight = large / 48, max(1, large // 24)
    (width, height), _ = cv2.getTextSize(letter, cv2.FONT_HERSHEY_SIMPLEX, scale, weight)
    corner = ((large - width) // 2, (large + height) // 2)
    cv2.putText(picture, letter, corner, cv2.FONT_HERSHEY_SIMPLEX, scale, (255, 255, 255, 255), weight)
    small = scaled(picture, side, side)
    if ground is None:
        return small
    alpha = small[..., 3:].astype(np.float32) / 255
    mixed = small[..., :3] * alpha + np.array(ground, np.float32) * (1 - alpha)
    return np.round(mixed).astype(np.uint8)


def lettering(text: str, height: int, color: Rgb) -> Colours:
    """Draw a line of text on a transparent background."""
    scale = height / 32
    (width, tall), below = cv2.getTextSize(text, cv2.FONT_HERSHEY_DUPLEX, scale, 1)
    mask = np.zeros((tall + below + 4, width + 4), np.uint8)
    cv2.putText(mask, text, (2, tall + 2), cv2.FONT_HERSHEY_DUPLEX, scale, 255, 1, cv2.LINE_AA)
    return np.dstack([plain(mask.shape[1], mask.shape[0], color), mask])


def stripes(width: int, height: int, one: Rgb, other: Rgb, step: int) -> Colours:
    """Draw vertical stripes of two colours, each `step` pixels wide."""
    across = (np.arange(width) // step % 2)[None, :, None]
    row = np.where(across == 0, np.array(one), np.array(other)).astype(np.uint8)
    return np.repeat(row, height, axis=0)


def jpeg(pixels: Colours, *, quality: int = 90, dpi: int = 72, comment: str = "") -> bytes:
    """Encode pixels as a JPEG file."""
    out = io.BytesIO()
    more = {"comment": comment.encode()} if comment else {}
    Image.fromarray(pixels).save(out, "JPEG", quality=quality, dpi=(dpi, dpi), **more)
    return out.getvalue()


def png(pixels: Colours, *, dpi: int = 72) -> bytes:
    """Encode pixels as a PNG file."""
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "PNG", dpi=(dpi, dpi))
    return out.getvalue()
