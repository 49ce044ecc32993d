"""The flattened look of a GIMP image, for simple compositions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fairground.core import StateError
from fairground.verify.reading.picture import Pixels, seen
from fairground.verify.reading.xcf_bytes import WHAT
from fairground.verify.reading.xcf_image import XcfImage, XcfLayer

MAX_PIXELS = 10_000_000  # maximum of the canvas; every channel takes four bytes during mixing


def flattened(image: XcfImage) -> Pixels:
    """The canvas with all visible layers, as in an export, accurate to one or two steps of 255.

    Raises:
        StateError: A visible layer has a mode other than normal, is in a group with its own effects, or has no pixels.
            Nothing is guessed.
    """
    if image.width * image.height > MAX_PIXELS:
        raise StateError(f"{WHAT}: {image.width} x {image.height} pixels, expected at most {MAX_PIXELS} to flatten")
    canvas = np.zeros((image.height, image.width, 4), np.float32)
    groups = {layer.path: layer for layer in image.layers if layer.group}
    for layer in reversed(image.layers):
        around = [groups[layer.path[:depth]] for depth in range(1, len(layer.path))]
        if layer.group or not layer.visible or not all(group.visible for group in around):
            continue
        for part in (layer, *around):
            _check_simple(part)
        _put(canvas, layer)
    canvas[..., :3] = _as_shown(canvas[..., :3])
    return seen(np.round(canvas * 255).astype(np.uint8))


def _check_simple(layer: XcfLayer) -> None:
    usual = ("normal", "pass-through") if layer.group else ("normal",)
    plain_group = layer.opacity == 1 and layer.mask is None
    if layer.mode not in usual or (layer.group and not plain_group) or layer.floating:
        raise StateError(
            f"{WHAT}: layer {layer.name[:80]!r} ({layer.mode}) is not mixed simply, so it is not flattened"
        )
    if not layer.group and layer.pixels is None:
        raise StateError(f"{WHAT}: layer {layer.name[:80]!r} cannot be flattened: {layer.pixels_note}")


def _put(canvas: NDArray[np.float32], layer: XcfLayer) -> None:
    """Draw a layer over the canvas, whose colours are linear light."""
    assert layer.pixels is not None  # `_check_simple` checked them
    left, top = max(layer.x, 0), max(layer.y, 0)
    right, bottom = min(layer.x + layer.width, canvas.shape[1]), min(layer.y + layer.height, canvas.shape[0])
    if left >= right or top >= bottom:
        return
    inside = (slice(top - layer.y, bottom - layer.y), slice(left - layer.x, right - layer.x))
    pixels: NDArray[np.float32] = np.divide(layer.pixels[inside], 255, dtype=np.float32)
    cover = pixels[..., 3:] * layer.opacity
    if layer.mask is not None and layer.mask.applied and layer.mask.pixels is not None:
        cover = cover * (layer.mask.pixels[inside][..., None].astype(np.float32) / 255)
    below = canvas[top:bottom, left:right]
    alpha = cover + below[..., 3:] * (1 - cover)
    light = _as_light(pixels[..., :3]) * cover + below[..., :3] * below[..., 3:] * (1 - cover)
    below[..., :3] = np.divide(light, alpha, out=np.zeros_like(light), where=alpha > 0)
    below[..., 3:] = alpha


def _as_light(colors: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.where(colors <= 0.04045, colors / 12.92, ((colors + 0.055) / 1.055) ** 2.4).astype(np.float32)


def _as_shown(light: NDArray[np.float32]) -> NDArray[np.float32]:
    light = np.clip(light, 0, 1)
    return np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055).astype(np.float32)
