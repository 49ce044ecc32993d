"""Checks that many tasks in GIMP share: of an exported picture, and of what a saved image still is."""

from __future__ import annotations

import numpy as np

from fairground.core import Check, State
from fairground.verify import equal, holds, unchanged
from fairground.verify.reading.picture import Picture, Pixels, read_picture
from fairground.verify.reading.picture_measures import difference
from fairground.verify.reading.xcf import XcfImage, read_xcf, xcf_leaves

_BIAS = 1.5


def picture(state: State, path: str) -> Picture:
    """A picture of the recording; `StateError` when it is not there or is none."""
    return read_picture(state.file(path))


def image(state: State, path: str) -> XcfImage:
    """An image with layers of the recording."""
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
    """Whether a picture is what it should be, or one of several things that it may be.

    Args:
        name: In words.
        found: What is there.
        expected: What would do.
        mean: How much channels may differ on average, of 255.
        share: Of pixels that may differ by more than 16.
        bias: How much lighter or darker a channel may be as a whole: scaling and lossy files leave it alone, so it may
            be less than the rest.
        weight: Of the check.
    """
    gaps = [difference(found, one, threshold=16) for one in expected]
    best = min(gaps, key=lambda gap: (not gap.same_size, gap.mean))
    closest = expected[gaps.index(best)]
    lean = float(np.abs(found[..., :3].mean(axis=(0, 1)) - closest[..., :3].mean(axis=(0, 1))).max())
    passed = best.same_size and best.mean <= mean and best.share <= share and lean <= bias
    told = {"mean": round(best.mean, 3), "share": round(best.share, 4), "bias": round(lean, 3), "same": best.same_size}
    return holds(name, passed, expected={"mean": mean, "share": share, "bias": bias}, found=told, weight=weight)


def is_format(found: Picture, wanted: str) -> Check:
    """Whether a file is of the kind that was asked for."""
    return equal(f"it is a {wanted} file", wanted, found.format)


def has_size(found: Picture, width: int, height: int, *, within: int = 0) -> list[Check]:
    """Width and height, each its own check."""
    return [
        holds(f"{name} is right", abs(wanted - is_) <= within, expected=wanted, found=is_)
        for name, wanted, is_ in (("the width", width, found.width), ("the height", height, found.height))
    ]


def is_opaque(found: Picture) -> Check:
    """Whether nothing of it is transparent."""
    return holds("nothing of it is transparent", bool((found.pixels[..., 3] == 255).all()), weight=0.5)


def rest_stays(before: XcfImage, after: XcfImage, *starts: str) -> Check:
    """A guard: nothing of an image changed but leaves that begin with one of these, such as `layer[Logo].opacity`."""
    one, other = xcf_leaves(before), xcf_leaves(after)
    allowed = {key for key in (*one, *other) if key.startswith(tuple(starts))} if starts else set()
    return unchanged("the rest of the image is as it was", one, other, allowed=allowed)


def others_stay(before: XcfImage, after: XcfImage, *names: str) -> Check:
    """A guard: all layers but these are there as they were, and so is the canvas."""
    return rest_stays(before, after, "layers", *(f"layer[{name}]" for name in names))


def order(found: XcfImage) -> list[str]:
    """Names of the layers from the top, a group's before its layers."""
    return ["/".join(layer.path) for layer in found.layers]
