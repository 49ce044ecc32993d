"""The visible area of each element of a page, from one snapshot of the whole page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

Box = tuple[float, float, float, float]
"""Left, top, width, height in page pixels, relative to the top left of the visible area."""

STYLES: Final = ("overflow-x", "overflow-y", "position")
"""The computed styles that a snapshot must contain."""

_PLAIN: Final = ("visible", "visible", "static")
_EVERYWHERE: Final[Box] = (-1e9, -1e9, 2e9, 2e9)


@dataclass(frozen=True, slots=True)
class _Clip:
    """The boxes that clip an element's children.

    Attributes:
        flow: Clips children in the flow of the document.
        positioned: Clips children with an absolute position, which only a positioned ancestor contains.
    """

    flow: Box = _EVERYWHERE
    positioned: Box = _EVERYWHERE


def page_boxes(snapshot: Mapping[str, Any], frames: Mapping[str, tuple[int, Box]]) -> dict[int, Box]:
    """Return the visible box of each element by its backend node ID. Invisible elements are left out.

    Args:
        snapshot: The result of `DOMSnapshot.captureSnapshot` with the styles above.
        frames: For each inner frame, the element that contains it and the position of its content.
    """
    strings = snapshot["strings"]
    boxes: dict[int, Box] = {}
    for index, document in enumerate(snapshot["documents"]):
        frame = frames.get(strings[document["frameId"]])
        if index and frame is None:
            continue
        view = _EVERYWHERE if frame is None else frame[1]
        origin = (0.0, 0.0) if frame is None else view[:2]
        for number, box in _document_boxes(document, strings, origin, view):
            boxes.setdefault(number, box)
    return boxes


def _document_boxes(
    document: Mapping[str, Any], strings: list[str], origin: tuple[float, float], view: Box
) -> Iterator[tuple[int, Box]]:
    dx = origin[0] - document.get("scrollOffsetX", 0.0)
    dy = origin[1] - document.get("scrollOffsetY", 0.0)
    numbers, parents = document["nodes"]["backendNodeId"], document["nodes"]["parentIndex"]
    layout = document["layout"]
    clips: dict[int, _Clip] = {}
    for node, bounds, style in zip(layout["nodeIndex"], layout["bounds"], layout["styles"], strict=True):
        above = _nearest(clips, parents, node) or _Clip(view, view)
        overflow_x, overflow_y, position = (strings[name] for name in style) if style else _PLAIN
        if position == "fixed":
            clip = view
        elif position == "absolute":
            clip = above.positioned
        else:
            clip = above.flow
        # The box of the document itself is its visible part.
        x, y = origin if parents[node] < 0 else (bounds[0] + dx, bounds[1] + dy)
        box = (x, y, bounds[2], bounds[3])
        held = clip
        scrolls = (overflow_x, overflow_y) != ("visible", "visible")
        # The viewport decides what the root element and the body clip.
        if scrolls and parents[node] > 0 and parents[parents[node]] > 0:
            held = _cut(box, clip) or (0.0, 0.0, 0.0, 0.0)
        clips[node] = _Clip(held, held if position != "static" else above.positioned)
        if seen := _cut(box, clip):
            yield numbers[node], seen


def _nearest(clips: Mapping[int, _Clip], parents: list[int], node: int) -> _Clip | None:
    above = parents[node]
    while above >= 0 and above not in clips:
        above = parents[above]  # an element without its own box
    return clips.get(above)


def _cut(box: Box, clip: Box) -> Box | None:
    left, top = max(box[0], clip[0]), max(box[1], clip[1])
    right, bottom = min(box[0] + box[2], clip[0] + clip[2]), min(box[1] + box[3], clip[1] + clip[3])
    return (left, top, right - left, bottom - top) if right > left and bottom > top else None
