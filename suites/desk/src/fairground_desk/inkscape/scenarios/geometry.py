"""Scenarios that move, resize, align, distribute, rotate, mirror, centre or copy objects."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from fairground.core import Check
from fairground.verify import equal, holds
from fairground.verify.reading.svg import Box, Drawing, DrawingObject
from fairground.worlds import Move
from fairground_desk.inkscape.actions import Step
from fairground_desk.inkscape.sheet import Sheet
from fairground_desk.inkscape.svgwriter import Named
from fairground_desk.inkscape.task import (
    NEAR,
    PIXELS,
    PLACE,
    Case,
    InkTask,
    boxes_near,
    listed,
    near,
    on,
    pick,
    rest_unchanged,
    same_box,
    set_attribute,
    still,
)

SAVE = " Change nothing else, and save the drawing under its own name."


class MoveWithName(InkTask):
    """Move a block together with its caption."""

    name = "move-with-name"
    template = (
        "In the open drawing, move the {word} “{block}” (a rectangle) together with its lettering “{caption}” by "
        "exactly {dx} mm {across} and {dy} mm {down}. Those are the labels that the list of objects shows." + SAVE
    )
    instances = {
        "left-down": {"block": 2, "right": -6, "below": 4, "dx": 6, "across": "to the left", "dy": 4, "down": "down"},
        "right-up": {"block": 4, "right": 9, "below": -7, "dx": 9, "across": "to the right", "dy": 7, "down": "up"},
        "far": {"block": 0, "right": 40, "below": 12, "dx": 40, "across": "to the right", "dy": 12, "down": "down"},
        "last": {"block": -1, "right": -15, "below": -20, "dx": 15, "across": "to the left", "dy": 20, "down": "up"},
    }

    def facts(self, sheet: Sheet, wanted: Mapping[str, Any]) -> Mapping[str, str]:
        block, caption = _with_caption(sheet, wanted)
        return {"word": sheet.block_word, "block": block.label, "caption": caption.label}

    def verify(self, case: Case) -> Sequence[Check]:
        block, caption = _with_caption(case.sheet, case.wanted)
        right, below = case.wanted["right"], case.wanted["below"]
        was, now = case.was(block), case.now(block)
        text_before, says = case.was(caption).text, case.now(caption).text
        assert was.box is not None and text_before is not None
        box = now.box or Box(0, 0, 0, 0)
        spot = says.position if says else (math.inf, math.inf)
        return [
            holds("the block is as far across as asked", near(box.x, was.box.x + right), found=box.x,
                  expected=was.box.x + right),
            holds("the block is as far down as asked", near(box.y, was.box.y + below), found=box.y,
                  expected=was.box.y + below),
            holds("the lettering went across with it", near(spot[0], text_before.position[0] + right), found=spot[0],
                  expected=text_before.position[0] + right),
            holds("the lettering went down with it", near(spot[1], text_before.position[1] + below), found=spot[1],
                  expected=text_before.position[1] + below),
            _kept_size("the block kept its size", was, now),
            still(case, (block, caption), "they look and read as before", but=PLACE),
            rest_unchanged(case, free=(block.id, caption.id)),
        ]  # fmt: skip

    def solve(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> Sequence[Move]:
        way = f"{wanted['right'] * PIXELS},{wanted['below'] * PIXELS}"
        return [on(*_with_caption(sheet, wanted), do=[("app.transform-translate", way)])]


class Resize(InkTask):
    """Resize two blocks exactly, with the upper left corners fixed."""

    name = "resize"
    template = (
        "Make each of the {word}s {blocks} exactly {width} mm wide and {height} mm high. The upper left corner of each "
        "rectangle stays where it is." + SAVE
    )
    instances = {
        "small": {"blocks": "1 3", "width": 13.5, "height": 21},
        "wide": {"blocks": "0 6", "width": 27.5, "height": 12.4},
        "tall": {"blocks": "5 7", "width": 9.6, "height": 33},
        "square": {"blocks": "2 -1", "width": 17.25, "height": 17.25},
    }

    def facts(self, sheet: Sheet, wanted: Mapping[str, Any]) -> Mapping[str, str]:
        return {"word": sheet.block_word, "blocks": listed(pick(sheet.blocks, wanted["blocks"]))}

    def verify(self, case: Case) -> Sequence[Check]:
        blocks = pick(case.sheet.blocks, case.wanted["blocks"])
        checks: list[Check] = []
        corners, corners_after = {}, {}
        for block in blocks:
            was, now = case.was(block).box, case.now(block).box or Box(0, 0, 0, 0)
            assert was is not None
            for name, value in (("wide", now.width), ("high", now.height)):
                expected = float(case.wanted["width" if name == "wide" else "height"])
                checks.append(
                    holds(f"{block.label} is as {name} as asked", near(value, expected), expected=expected, found=value)
                )
            corners[block.label], corners_after[block.label] = _corner(was), _corner(now)
        return [
            *checks,
            equal("their corners stayed", corners, corners_after, weight=0, integrity=True),
            still(case, blocks, "they look as before", but=PLACE),
            rest_unchanged(case, free=[block.id for block in blocks]),
        ]

    def solve(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> Sequence[Move]:
        size = [set_attribute("width", wanted["width"]), set_attribute("height", wanted["height"])]
        return [on(block, do=size) for block in pick(sheet.blocks, wanted["blocks"])]


class LineUp(InkTask):
    """Align a picture and a mark with a plate, which stays in place."""

    name = "line-up"
    template = (
        "Line up {others} with {anchor} so that their {edge} are exactly at the same {axis}. {anchor} must stay where "
        "it is, and the two others move only {way}." + SAVE
    )
    instances = {
        "left": {"to": "left", "edge": "left edges", "axis": "horizontal position", "way": "sideways"},
        "right": {"to": "right", "edge": "right edges", "axis": "horizontal position", "way": "sideways"},
        "top": {"to": "top", "edge": "upper edges", "axis": "height on the page", "way": "up or down"},
        "middle": {"to": "vcenter", "edge": "middles (of their heights)", "axis": "height on the page",
                   "way": "up or down"},
    }  # fmt: skip

    def facts(self, sheet: Sheet, wanted: Mapping[str, Any]) -> Mapping[str, str]:
        """The picture, the mark (a group) and the plate."""
        return {"anchor": f"“{sheet.plate.label}”", "others": listed((sheet.photo, sheet.stamp))}

    def verify(self, case: Case) -> Sequence[Check]:
        sheet, to = case.sheet, str(case.wanted["to"])
        anchor = case.was(sheet.plate).box
        assert anchor is not None
        checks = []
        for named in (sheet.photo, sheet.stamp):
            was, now = case.was(named).box, case.now(named).box
            assert was is not None
            expected = _aligned(was, anchor, to)
            edge = _edge(now, to) if now else None
            checks.append(
                holds(f"{named.label} is in line", edge is not None and near(edge, _edge(anchor, to)),
                      expected=_edge(anchor, to), found=edge)
            )  # fmt: skip
            checks.append(same_box(f"{named.label} moved only that way", expected, now))
        parts = [part.id for part in case.before.inside(sheet.stamp.id)]
        return [
            *checks,
            equal("the plate stayed", case.was(sheet.plate), case.now(sheet.plate), weight=0, integrity=True),
            still(case, (sheet.photo, sheet.stamp, *_named(case.before, parts)), "they look as before", but=PLACE),
            _parts_moved_along(case, sheet.stamp),
            rest_unchanged(case, free=[sheet.photo.id, sheet.stamp.id, *parts]),
        ]

    def solve(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> Sequence[Move]:
        """Select the plate first; the others are aligned with it."""
        return [on(sheet.plate, sheet.photo, sheet.stamp, do=[("app.object-align", f"{wanted['to']} first")])]


class SpreadOut(InkTask):
    """Distribute dots in a row with equal gaps."""

    name = "spread-out"
    template = (
        "Spread the circles {dots} out so that the gaps between neighbours are all equal. “{first}” and “{last}”, the "
        "outermost of them, stay where they are, and all stay at their height." + SAVE
    )
    instances = {
        "all": {"dots": "0 1 2 3 4"},
        "first-four": {"dots": "0 1 2 3"},
        "last-four": {"dots": "-4 -3 -2 -1"},
    }

    def facts(self, sheet: Sheet, wanted: Mapping[str, Any]) -> Mapping[str, str]:
        dots = pick(sheet.dots, wanted["dots"])
        return {"dots": listed(dots), "first": dots[0].label, "last": dots[-1].label}

    def verify(self, case: Case) -> Sequence[Check]:
        dots = pick(case.sheet.dots, case.wanted["dots"])
        boxes = [case.was(dot).box for dot in dots]
        first, last = boxes[0], boxes[-1]
        assert first is not None and last is not None
        step = (last.x - first.x) / (len(dots) - 1)
        checks = [
            same_box(f"{dot.label} has equal gaps", Box(first.x + place * step, first.y, first.width, first.height),
                     case.now(dot).box)
            for place, dot in enumerate(dots[1:-1], 1)
        ]  # fmt: skip
        return [
            *checks,
            still(case, dots, "they look as before", but=PLACE),
            rest_unchanged(case, free=[dot.id for dot in dots[1:-1]]),
        ]

    def solve(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> Sequence[Move]:
        return [on(*pick(sheet.dots, wanted["dots"]), do=[("app.object-distribute", "hgap")])]


class Turn(InkTask):
    """Rotate an object about its centre."""

    name = "turn"
    template = (
        "Turn the rectangle “{object}” by exactly {degrees} degrees {way}, about its own middle, which stays where it "
        "is. Its size stays the same." + SAVE
    )
    instances = {
        "plate": {"role": "plate", "block": 0, "degrees": 30, "way": "clockwise", "angle": 30},
        "tab": {"role": "tab", "block": 0, "degrees": 45, "way": "counterclockwise", "angle": -45},
        "block": {"role": "block", "block": 4, "degrees": 12, "way": "clockwise", "angle": 12},
        "upright": {"role": "block", "block": 2, "degrees": 75, "way": "counterclockwise", "angle": -75},
    }

    def facts(self, sheet: Sheet, wanted: Mapping[str, Any]) -> Mapping[str, str]:
        return {"object": _turned(sheet, wanted).label}

    def verify(self, case: Case) -> Sequence[Check]:
        named, angle = _turned(case.sheet, case.wanted), math.radians(case.wanted["angle"])
        was, now = case.was(named), case.now(named)
        assert was.box is not None
        (cx, cy), corners = was.box.center, _corners(now)
        across, down = was.box.width / 2, was.box.height / 2
        expected = [
            (cx + x * math.cos(angle) - y * math.sin(angle), cy + x * math.sin(angle) + y * math.cos(angle))
            for x, y in ((-across, -down), (across, -down), (across, down), (-across, down))
        ]
        checks = [
            holds(f"its {name} corner is where turning puts it", _close(corner, point), expected=point, found=corner)
            for name, point, corner in zip(("first", "second", "third", "fourth"), expected, corners, strict=True)
        ]
        middle = (sum(x for x, _ in corners) / 4, sum(y for _, y in corners) / 4)
        return [
            *checks,
            holds("its middle stayed", _close(middle, (cx, cy)), expected=(cx, cy), found=middle, weight=0),
            still(case, (named,), "it looks as before", but=PLACE),
            rest_unchanged(case, free=(named.id,)),
        ]

    def solve(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> Sequence[Move]:
        return [on(_turned(sheet, wanted), do=[("app.transform-rotate", float(wanted["angle"]))])]


class Mirror(InkTask):
    """Mirror a group in place."""

    name = "mirror"
    template = (
        "The mark “{stamp}”, which is a group, is the wrong way round: mirror it {way}, as a whole, so that it takes "
        "up the same space on the page as before." + SAVE
    )
    instances = {
        "sideways": {"way": "so that left and right are swapped", "across": True, "down": False},
        "upside-down": {"way": "so that top and bottom are swapped", "across": False, "down": True},
        "both": {"way": "both ways: left and right, and also top and bottom, are swapped", "across": True,
                 "down": True},
    }  # fmt: skip

    def facts(self, sheet: Sheet, wanted: Mapping[str, Any]) -> Mapping[str, str]:
        return {"stamp": sheet.stamp.label}

    def verify(self, case: Case) -> Sequence[Check]:
        stamp, wanted = case.sheet.stamp, case.wanted
        box = case.was(stamp).box
        assert box is not None
        parts = case.before.inside(stamp.id)
        checks = []
        for part in parts:
            assert part.box is not None
            x = box.x + box.right - part.box.right if wanted["across"] else part.box.x
            y = box.y + box.bottom - part.box.bottom if wanted["down"] else part.box.y
            expected = Box(x, y, part.box.width, part.box.height)
            checks.append(same_box(f"{part.label} is mirrored", expected, case.after[part.id].box))
        ids = [part.id for part in parts]
        same_space = boxes_near(box, case.now(stamp).box)
        return [
            *checks,
            equal("the mark takes up the same space", True, same_space, weight=0, integrity=True),
            still(case, (stamp, *_named(case.before, ids)), "its parts look as before", but=PLACE),
            rest_unchanged(case, free=[stamp.id, *ids]),
        ]

    def solve(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> Sequence[Move]:
        flips = [("across", "app.object-flip-horizontal"), ("down", "app.object-flip-vertical")]
        return [on(sheet.stamp, do=[action for way, action in flips if wanted[way]])]


class CentreOnPage(InkTask):
    """Centre an object on the page."""

    name = "centre-on-page"
    template = (
        "Put “{object}” exactly into the middle of the page, sideways as well as in height. It is fine that it lies "
        "over other things there." + SAVE
    )
    instances = {
        "photo": {"role": "photo"},
        "plate": {"role": "plate"},
        "tab": {"role": "tab"},
        "lens": {"role": "lens"},
    }

    def facts(self, sheet: Sheet, wanted: Mapping[str, Any]) -> Mapping[str, str]:
        return {"object": _role(sheet, wanted).label}

    def verify(self, case: Case) -> Sequence[Check]:
        named, (width, height) = _role(case.sheet, case.wanted), case.sheet.size
        box = case.now(named).box
        x, y = box.center if box else (math.inf, math.inf)
        return [
            holds("it is in the middle sideways", near(x, width / 2), expected=width / 2, found=x),
            holds("it is in the middle of the height", near(y, height / 2), expected=height / 2, found=y),
            _kept_size("it kept its size", case.was(named), case.now(named)),
            still(case, (named,), "it looks as before", but=PLACE),
            rest_unchanged(case, free=(named.id,)),
        ]

    def solve(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> Sequence[Move]:
        named = _role(sheet, wanted)
        return [on(named, do=[("app.object-align", "hcenter page"), ("app.object-align", "vcenter page")])]


class CopyInARow(InkTask):
    """Copy a dot several times at equal distances."""

    name = "copy-in-a-row"
    template = (
        "Make {count} copies of the circle “{dot}” (real copies, no clones): the first exactly {step} mm {way}, "
        "each other one as far from the copy before it. They stay on the same layer and look like the original." + SAVE
    )
    instances = {
        "two-below": {"dot": 0, "count": 2, "step": 9, "way": "below it", "right": 0, "below": 9},
        "three-above": {"dot": 2, "count": 3, "step": 7, "way": "above it", "right": 0, "below": -7},
        "two-right": {"dot": -1, "count": 2, "step": 11, "way": "to the right of it", "right": 11, "below": 0},
    }

    def facts(self, sheet: Sheet, wanted: Mapping[str, Any]) -> Mapping[str, str]:
        return {"dot": sheet.dots[int(wanted["dot"])].label}

    def verify(self, case: Case) -> Sequence[Check]:
        dot, wanted = case.sheet.dots[int(case.wanted["dot"])], case.wanted
        was, count = case.was(dot), int(case.wanted["count"])
        assert was.box is not None
        expected = [
            Box(was.box.x + place * wanted["right"], was.box.y + place * wanted["below"], was.box.width, was.box.height)
            for place in range(1, count + 1)
        ]
        counts = [sum(boxes_near(box, item.box) for item in case.new) for box in expected]
        alike = [item.style == was.style and item.kind == was.kind for item in case.new]
        return [
            equal("as many copies as asked", count, len(case.new)),
            *(equal(f"copy {place} is at its place", 1, number) for place, number in enumerate(counts, 1)),
            equal("they look like the original", [True] * count, alike),
            equal("they are on its layer", [was.layer] * count, [item.layer for item in case.new]),
            rest_unchanged(case, free=[item.id for item in case.new]),
        ]

    def solve(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> Sequence[Move]:
        """Duplicate the previous copy each time."""
        way = f"{wanted['right'] * PIXELS},{wanted['below'] * PIXELS}"
        once: list[Step] = ["app.duplicate", ("app.transform-translate", way)]
        return [on(sheet.dots[int(wanted["dot"])], do=once * int(wanted["count"]))]


def _with_caption(sheet: Sheet, wanted: Mapping[str, Any]) -> tuple[Named, Named]:
    place = int(wanted["block"])
    return sheet.blocks[place], sheet.captions[place]


def _turned(sheet: Sheet, wanted: Mapping[str, Any]) -> Named:
    return sheet.blocks[int(wanted["block"])] if wanted["role"] == "block" else _role(sheet, wanted)


def _role(sheet: Sheet, wanted: Mapping[str, Any]) -> Named:
    named = getattr(sheet, str(wanted["role"]))
    assert isinstance(named, Named)
    return named


def _named(drawing: Drawing, ids: Sequence[str]) -> list[Named]:
    return [Named(name, drawing[name].label) for name in ids]


def _kept_size(name: str, was: DrawingObject, now: DrawingObject) -> Check:
    sizes = [[round(item.box.width, 2), round(item.box.height, 2)] if item.box else None for item in (was, now)]
    return equal(name, sizes[0], sizes[1], weight=0, integrity=True)


def _parts_moved_along(case: Case, group: Named) -> Check:
    """Guard: a group was moved as a whole."""
    was, now = case.was(group).box, case.now(group).box
    assert was is not None
    right, below = (now.x - was.x, now.y - was.y) if now else (math.inf, math.inf)
    parts = case.before.inside(group.id)
    moved = [
        boxes_near(
            Box(part.box.x + right, part.box.y + below, part.box.width, part.box.height), case.after[part.id].box
        )
        for part in parts
        if part.box is not None
    ]
    return equal(f"the parts of {group.label} moved along", [True] * len(parts), moved, weight=0, integrity=True)


def _corner(box: Box) -> list[float]:
    return [round(box.x, 2), round(box.y, 2)]


def _edge(box: Box, to: str) -> float:
    return {"left": box.x, "right": box.right, "top": box.y, "vcenter": box.center[1]}[to]


def _aligned(box: Box, anchor: Box, to: str) -> Box:
    by = _edge(anchor, to) - _edge(box, to)
    across = to in ("left", "right")
    return Box(box.x + by * across, box.y + by * (not across), box.width, box.height)


def _corners(one: DrawingObject) -> list[tuple[float, float]]:
    """Return the corners of a rectangle after its transform, starting with the upper left one."""
    a, b, c, d, e, f = one.transform
    x, y, width, height = (one.geometry.get(name, math.nan) for name in ("x", "y", "width", "height"))
    points = ((x, y), (x + width, y), (x + width, y + height), (x, y + height))
    return [(a * px + c * py + e, b * px + d * py + f) for px, py in points]


def _close(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return math.dist(one, other) <= NEAR * 2


SCENARIOS = (MoveWithName(), Resize(), LineUp(), SpreadOut(), Turn(), Mirror(), CentreOnPage(), CopyInARow())
