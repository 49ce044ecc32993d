"""GIMP's colour tools, reimplemented so that checks can compute the expected picture.

The formulas are GIMP's own, in the colour space that its dialogs use by default. Each agrees with GIMP to within one
or two levels of 255. A test compares them with GIMP.
"""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from fairground.verify.reading.picture import Pixels
from fairground.verify.reading.picture_measures import resized

Shades = NDArray[np.float64]


def brightened(pixels: Pixels, brightness: int, contrast: int) -> Pixels:
    """Colors > Brightness-Contrast; both values range from -127 to 127."""
    light, slope = brightness / 127 / 2, math.tan((contrast / 127 + 1) * math.pi / 4)
    values = _shades(pixels)
    values = values * (1 + light) if light < 0 else values + (1 - values) * light
    return _pixels((values - 0.5) * slope + 0.5, pixels)


def leveled(pixels: Pixels, low: int, gamma: float, high: int) -> Pixels:
    """Colors > Levels, with the input levels of the value channel; `low` and `high` range from 0 to 255."""
    values = np.clip((_shades(pixels) * 255 - low) / (high - low), 0, 1)
    return _pixels(values ** (1 / gamma), pixels)


def desaturated_as(pixels: Pixels, how: str) -> Pixels:
    """Colors > Desaturate > Desaturate; the mode is luminance, luma, lightness, average or value."""
    values = _shades(pixels)
    weights = np.array([0.22248840, 0.71690369, 0.06060791])
    if how == "luminance":
        gray = _as_shown(_as_light(values) @ weights)
    elif how == "luma":
        gray = values @ weights
    elif how == "average":
        gray = values.mean(axis=2)
    else:
        high, low = values.max(axis=2), values.min(axis=2)
        gray = high if how == "value" else (high + low) / 2
    return _pixels(np.repeat(gray[..., None], 3, axis=2), pixels)


def posterized(pixels: Pixels, levels: int) -> Pixels:
    """Colors > Posterize, with this number of levels per channel."""
    return _pixels(np.round(_shades(pixels) * (levels - 1)) / (levels - 1), pixels)


def thresholded(pixels: Pixels, low: int) -> Pixels:
    """Colors > Threshold by value: white from `low` up, black below."""
    white = pixels[..., :3].max(axis=2) >= low
    return _pixels(np.repeat(white[..., None], 3, axis=2).astype(np.float64), pixels)


def rescaled(pixels: Pixels, width: int, height: int) -> Pixels:
    """Image > Scale Image, which works in linear light; the sharpness depends on the interpolation."""
    smaller = width * height < pixels.shape[0] * pixels.shape[1]
    how = cv2.INTER_AREA if smaller else cv2.INTER_CUBIC
    light = np.asarray(cv2.resize(_as_light(_shades(pixels)), (width, height), interpolation=how), np.float64)
    return _pixels(_as_shown(light), resized(pixels, width, height))


def softened(pixels: Pixels, deviation: float) -> Pixels:
    """Filters > Blur > Gaussian Blur, which works in linear light."""
    light = cv2.GaussianBlur(_as_light(_shades(pixels)), (0, 0), deviation, borderType=cv2.BORDER_REPLICATE)
    return _pixels(_as_shown(np.asarray(light, np.float64)), pixels)


def softened_as_sent(pixels: Pixels, deviation: float) -> Pixels:
    """Gaussian blur as GIMP's older procedure computes it, on gamma-encoded values."""
    blurred = cv2.GaussianBlur(_shades(pixels), (0, 0), deviation, borderType=cv2.BORDER_REPLICATE)
    return _pixels(np.asarray(blurred, np.float64), pixels)


def sharpened(pixels: Pixels, radius: float, amount: float) -> Pixels:
    """Filters > Enhance > Sharpen (Unsharp Mask), with a threshold of 0."""
    light = _as_light(_shades(pixels))
    blurred = cv2.GaussianBlur(light, (0, 0), radius, borderType=cv2.BORDER_REPLICATE)
    return _pixels(_as_shown(light + amount * (light - blurred)), pixels)


def resaturated(pixels: Pixels, saturation: int) -> Pixels:
    """Colors > Hue-Saturation, with a saturation from -100 to 100."""
    values = _shades(pixels)
    high, low = values.max(axis=2, keepdims=True), values.min(axis=2, keepdims=True)
    lightness = (high + low) / 2
    room = np.where(lightness <= 0.5, high + low, 2 - high - low)
    old = np.divide(high - low, room, out=np.zeros_like(room), where=room > 0)
    new = np.clip(old * (1 + saturation / 100), 0, 1)
    share = np.divide(new, old, out=np.zeros_like(old), where=old > 0)
    return _pixels(lightness + (values - lightness) * share, pixels)


def _shades(pixels: Pixels) -> Shades:
    return pixels[..., :3].astype(np.float64) / 255


def _pixels(values: Shades, like: Pixels) -> Pixels:
    colours = np.round(np.clip(values, 0, 1) * 255).astype(np.uint8)
    return np.dstack([colours, like[..., 3]])


def _as_light(values: Shades) -> Shades:
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def _as_shown(light: Shades) -> Shades:
    light = np.clip(light, 0, 1)
    return np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)
