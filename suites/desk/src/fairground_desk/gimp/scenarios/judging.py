"""Checks shared by GIMP scenarios, for exported pictures and for saved XCF images."""

from __future__ import annotations

import numpy as np

from fairground.core import Check, State
from fairground.verify import equal, holds, unchanged
from fairground.verify.reading.picture import Picture, Pixels, read_picture
from fairground.verify.reading.picture_measures import difference
from fairground.verify.reading.xcf import XcfImage, read_xcf, xcf_leaves

_BIAS = 1.5


def picture(state: State, path: str) -> Picture:
    """Read a picture from a state; raises `StateError` if it is missing or unreadable."""
    return read_picture(state.file(path))


def image(state: State, path: str) -> XcfImage:
    """Read an XCF image from a state; raises `StateError` if it is missing or unreadable."""
    return read_xcf(state.file(path))


def looks(
    name: str,
    found: Pixels,
    *expected: Pixels,
    mean: float = 0.8,
    share: float = 0.01,
    bias: float = _BIAS,
    weight: float = 3.0,
) -> Check:
    """Check that a picture matches one of the expected pictures.

    Args:
        name: Name of the check.
        found: The actual picture.
        expected: The acceptable pictures.
        mean: Largest accepted mean difference per channel, of 255.
        share: Largest accepted share of pixels that differ by more than 16.
        bias: Largest accepted difference between the mean values of a channel. Scaling and lossy compression hardly
            change these means, so this can be stricter than `mean`.
        weight: Weight of the check.
    """
    gaps = [difference(found, candidate, threshold=16) for candidate in expected]
    best = min(gaps, key=lambda gap: (not gap.same_size, gap.mean))
    closest = expected[gaps.index(best)]
    lean = float(np.abs(found[..., :3].mean(axis=(0, 1)) - closest[..., :3].mean(axis=(0, 1))).max())
    passed = best.same_size and best.mean <= mean and best.share <= share and lean <= bias
    measured = {
        "mean": round(best.mean, 3),
        "share": round(best.share, 4),
        "bias": round(lean, 3),
        "same": best.same_size,
    }
    return holds(name, passed, expected={"mean": mean, "share": share, "bias": bias}, found=measured, weight=weight)


def is_format(found: Picture, wanted: str) -> Check:
    """Check the file format."""
    return equal(f"it is a {wanted} file", wanted, found.format)


def has_size(found: Picture, width: int, height: int, *, within: int = 0) -> list[Check]:
    """Check the width and the height, as two checks."""
    return [
        holds(f"{name} is right", abs(wanted - is_) <= within, expected=wanted, found=is_)
        for name, wanted, is_ in (("the width", width, found.width), ("the height", height, found.height))
    ]


def is_opaque(found: Picture) -> Check:
    """Check that no pixel is transparent."""
    return holds("nothing of it is transparent", bool((found.pixels[..., 3] == 255).all()), weight=0.5)


def rest_stays(before: XcfImage, after: XcfImage, *starts: str) -> Check:
    """Guard: only leaves with one of these prefixes changed, such as `layer[Logo].opacity`."""
    old, new = xcf_leaves(before), xcf_leaves(after)
    allowed = {key for key in (*old, *new) if key.startswith(tuple(starts))} if starts else set()
    return unchanged("the rest of the image is as it was", old, new, allowed=allowed)


def others_stay(before: XcfImage, after: XcfImage, *names: str) -> Check:
    """Guard: the canvas and all layers except the named ones are unchanged."""
    return rest_stays(before, after, "layers", *(f"layer[{name}]" for name in names))


def order(found: XcfImage) -> list[str]:
    """Return the layer paths from top to bottom, a group before its layers."""
    return ["/".join(layer.path) for layer in found.layers]
