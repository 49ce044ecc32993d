"""Scenarios about shapes: path operations, clones, clips, rectangles, ellipses and pictures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from fairground.core import Check
from fairground.verify import equal, holds
from fairground.verify.reading.svg import Box, Drawing
from fairground.worlds import Command, Enter, Move, Point, Press
from fairground_desk.inkscape.actions import Step, actions
from fairground_desk.inkscape.inspector import paint_words
from fairground_desk.inkscape.sheet import Sheet
from fairground_desk.inkscape.task import (
    PIXELS,
    Case,
    InkTask,
    drawn,
    near,
    on,
    rest_unchanged,
    same_box,
    set_attribute,
    set_property,
    still,
)

SAVE = " Change nothing else, and save the drawing under its own name."
_TOOLS = {"rect": "Rect", "ellipse": "Arc"}
_CANVAS = ((470, 330), (560, 400))  # a region of the screen that shows the canvas in every UI state


class Combine(InkTask):
    """Combine two rectangles with a path operation."""

    name = "combine-shapes"
    template = (
        "“{plate}” and “{tab}” are two rectangles, the second of which lies over a corner of the first. {what} What "
        "comes out is one path, at the same place, filled with {color}." + SAVE
    )
    instances = {
        "union": {"action": "path-union", "what": "Unite the two into one shape."},
        "difference": {"action": "path-difference", "what": "Cut the second out of the first, so that only what is "
                       "left of the first remains."},
        "intersection": {"action": "path-intersection", "what": "Keep only the part in which they overlap, as one "
                         "shape."},
    }  # fmt: skip

    def facts(self, sheet: Sheet, wanted: Mapping[str, Any]) -> Mapping[str, str]:
        color = drawn(sheet)[sheet.plate.id].style.fill.color
        return {"plate": sheet.plate.label, "tab": sheet.tab.label, "color": color}

    def verify(self, case: Case) -> Sequence[Check]:
        """Check for one path with the resulting area and box."""
        pair = {case.sheet.plate.id, case.sheet.tab.id}
        known = {item.id for item in case.before.objects} - pair
        left = [item for item in case.after.objects if item.id not in known]
        result = left[0] if len(left) == 1 else None
        first, second = case.was(case.sheet.plate), case.was(case.sheet.tab)
        assert first.box is not None and second.box is not None
        box, area = _combined(str(case.wanted["action"]), first.box, second.box)
        measured = result.shape.area if result and result.shape else 0.0
        return [
            equal("one path is left of the two", ["path"], [item.kind for item in left]),
            holds("it encloses what it should", math.isclose(measured, area, rel_tol=0.005), expected=area,
                  found=measured),
            same_box("it is where it should be", box, result.box if result else None, weight=int(box != first.box)),
            equal("the second rectangle is gone as such", False, any(item.kind == "rect" for item in left)),
            equal("it has the colour", paint_words(first.style.fill),
                  paint_words(result.style.fill) if result else None, weight=0, integrity=True),
            equal("it is on the same layer", first.parents, result.parents if result else first.parents, weight=0,
                  integrity=True),
            rest_unchanged(case, free=[*pair, *(item.id for item in left)]),
        ]  # fmt: skip

    def solve(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> Sequence[Move]:
        """Run the path operation, then set the fill, which may come from either rectangle."""
        color = paint_words(drawing[sheet.plate.id].style.fill)
        return [on(sheet.plate, sheet.tab, do=[f"app.{wanted['action']}", set_property("fill", color)])]


class CloneIt(InkTask):
    """Clone an object and move the clone to an exact position."""

    name = "clone"
    template = (
        "Make a clone of “{object}” (a linked copy, which follows the original when that changes), label it “{label}”, "
        "and put it exactly {dx} mm to the {side} of the original, at the same height. The original stays." + SAVE
    )
    instances = {
        "plate": {"role": "plate", "label": "Plate clone", "dx": 45, "side": "left", "right": -45},
        "stamp": {"role": "stamp", "label": "Second mark", "dx": 60, "side": "left", "right": -60},
        "tab": {"role": "tab", "label": "Tab clone", "dx": 22, "side": "right", "right": 22},
    }

    def facts(self, sheet: Sheet, wanted: Mapping[str, Any]) -> Mapping[str, str]:
        return {"object": getattr(sheet, str(wanted["role"])).label}

    def verify(self, case: Case) -> Sequence[Check]:
        original = getattr(case.sheet, str(case.wanted["role"]))
        was = case.was(original)
        assert was.box is not None
        new = case.new[0] if len(case.new) == 1 else None
        expected = Box(was.box.x + case.wanted["right"], was.box.y, was.box.width, was.box.height)
        return [
            equal("one new clone", ["use"], [item.kind for item in case.new]),
            equal("it is a clone of the original", original.id, new.href if new else None),
            same_box("it is at its place", expected, new.box if new else None),
            equal("it has its label", str(case.wanted["label"]), new.label if new else None),
            equal("it is on the same layer", was.layer, new.layer if new else None),
            rest_unchanged(case, free=[item.id for item in case.new]),
        ]

    def solve(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> Sequence[Move]:
        steps: list[Step] = [
            "app.clone",
            ("app.transform-translate", f"{wanted['right'] * PIXELS},0"),
            set_attribute("inkscape:label", str(wanted["label"])),
        ]
        return [on(getattr(sheet, str(wanted["role"])), do=steps)]


class ClipPhoto(InkTask):
    """Clip a picture or a block to an ellipse or a rectangle above it."""

    name = "clip"
    template = (
        "“{lens}” lies over “{photo}”. Use this ellipse as a clip for the picture, so that only the part of the "
        "picture inside of it shows, and the shape itself is gone from the drawing.{more}" + SAVE
    )
    instances = {
        "plain": {"more": "", "label": "", "opacity": 100},
        "labelled": {"more": " Label the clipped picture “Clipped photo”.", "label": "Clipped photo", "opacity": 100},
        "pale": {"more": " Then set the opacity of the picture to 70 %.", "label": "", "opacity": 70},
    }

    def facts(self, sheet: Sheet, wanted: Mapping[str, Any]) -> Mapping[str, str]:
        return {"lens": sheet.lens.label, "photo": sheet.photo.label}

    def verify(self, case: Case) -> Sequence[Check]:
        photo, lens, wanted = case.sheet.photo, case.sheet.lens, case.wanted
        now = case.now(photo)
        label = str(wanted["label"]) or photo.label
        gone = lens.id not in {item.id for item in case.after.objects}
        free = ["clip", "clip_box"]
        checks = [
            holds("the picture is clipped", bool(now.clip), expected="a clip", found=now.clip or "none"),
            same_box("the clip is where the ellipse was", case.was(lens).box, now.clip_box),
            holds("the ellipse is gone", gone, expected="gone", found="gone" if gone else "there"),
        ]
        if wanted["label"]:
            checks.append(equal("it has its label", label, now.label))
            free.append("label")
        if wanted["opacity"] != 100:
            opacity = wanted["opacity"] / 100
            actual = now.style.opacity
            checks.append(holds("it has its opacity", near(actual, opacity, 0.006), expected=opacity, found=actual))
            free.append("style.opacity")
        return [
            *checks,
            equal("nothing is new", (), case.new, weight=0, integrity=True),
            still(case, (photo,), "the picture is where it was", but=free),
            rest_unchanged(case, free=(photo.id, lens.id)),
        ]

    def solve(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> Sequence[Move]:
        steps: list[Step] = []
        if wanted["label"]:
            steps.append(set_attribute("inkscape:label", str(wanted["label"])))
        if wanted["opacity"] != 100:
            steps.append(set_property("opacity", f"{wanted['opacity'] / 100:g}"))
        moves: list[Move] = [on(sheet.photo, sheet.lens, do=["app.object-set-clip"])]
        return [*moves, on(sheet.photo, do=steps)] if steps else moves


class AddShape(InkTask):
    """Add a rectangle or ellipse with exact geometry."""

    name = "add-shape"
    template = (
        "On the layer “{layer}”, add {a} of {width} mm by {height} mm whose {frame} has its upper left corner {x} mm "
        "from the left and {y} mm from the upper edge of the page: filled with the plain colour {color}, without an "
        "outline, labelled “{label}” in the list of objects." + SAVE
    )
    instances = {
        "box": {"a": "a rectangle", "kind": "rect", "frame": "box", "x": 100, "y": 14, "width": 42, "height": 11,
                "color": "#ffccbc", "label": "Notice"},
        "bar": {"a": "a rectangle", "kind": "rect", "frame": "box", "x": 12.5, "y": 190, "width": 120, "height": 2.5,
                "color": "#455a64", "label": "Rule"},
        "ellipse": {"a": "an ellipse", "kind": "ellipse", "frame": "bounding box", "x": 90, "y": 185, "width": 30,
                    "height": 12, "color": "#80deea", "label": "Pond"},
        "circle": {"a": "a circle", "kind": "ellipse", "frame": "bounding box", "x": 130, "y": 16, "width": 14,
                   "height": 14, "color": "#fdd835", "label": "Sun"},
    }  # fmt: skip

    def facts(self, sheet: Sheet, wanted: Mapping[str, Any]) -> Mapping[str, str]:
        return {"layer": sheet.layers.main.label}

    def verify(self, case: Case) -> Sequence[Check]:
        wanted = case.wanted
        new = case.new[0] if len(case.new) == 1 else None
        expected = Box(wanted["x"], wanted["y"], wanted["width"], wanted["height"])
        round_ = wanted["kind"] == "ellipse"
        kinds = ("ellipse", "circle", "path") if round_ else ("rect",)
        area = expected.width * expected.height * (math.pi / 4 if round_ else 1)
        measured = new.shape.area if new and new.shape else 0.0
        return [
            holds("one new shape of the kind", new is not None and new.kind in kinds,
                  expected=kinds, found=[item.kind for item in case.new]),
            same_box("it is at its place and of its size", expected, new.box if new else None, weight=2),
            holds("it encloses what it should", math.isclose(measured, area, rel_tol=0.01), expected=area,
                  found=measured),
            equal("it has its colour", str(wanted["color"]), paint_words(new.style.fill) if new else None),
            equal("it has no outline", "none", new.style.stroke.kind if new else None),
            equal("it has its label", str(wanted["label"]), new.label if new else None),
            equal("it is on the layer", case.sheet.layers.main.id, new.layer if new else None),
            holds("it is opaque", new is None or new.style.opacity > 0.99, weight=0, expected=1.0,
                  found=new.style.opacity if new else None),
            rest_unchanged(case, free=[item.id for item in case.new]),
        ]  # fmt: skip

    def solve(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> Sequence[Move]:
        """Draw the shape anywhere with the tool, then set its attributes."""
        x, y, width, height = (float(wanted[name]) for name in ("x", "y", "width", "height"))
        if wanted["kind"] == "rect":
            numbers = {"x": x, "y": y, "width": width, "height": height}
        else:
            numbers = {"cx": x + width / 2, "cy": y + height / 2, "rx": width / 2, "ry": height / 2}
        return [
            on(
                sheet.plate, do=["app.select-clear", ("win.tool-switch", "Rect" if wanted["kind"] == "rect" else "Arc")]
            ),
            Point(*_CANVAS),
            actions(
                *(set_attribute(name, value) for name, value in numbers.items()),
                set_attribute("inkscape:label", str(wanted["label"])),
                set_property("fill", str(wanted["color"])),
                set_property("fill-opacity", "1"),
                set_property("stroke", "none"),
                ("win.tool-switch", "Select"),
            ),
        ]


class PlacePicture(InkTask):
    """Import a photograph from the pictures folder."""

    name = "place-picture"
    template = (
        "Place the photograph {file} from the folder Pictures in the drawing, on the layer “{layer}”, as a link to the "
        "file: {width} mm wide and {height} mm high, its upper left corner {x} mm from the left and {y} mm from the "
        "upper edge of the page. Label it “{label}” in the list of objects." + SAVE
    )
    instances = {
        "corner": {"x": 8, "y": 16, "width": 45, "height": 30, "label": "New photo"},
        "bottom": {"x": 90, "y": 160, "width": 36, "height": 24, "label": "Texture"},
        "wide": {"x": 60, "y": 20, "width": 75, "height": 50, "label": "Large photo"},
    }

    def facts(self, sheet: Sheet, wanted: Mapping[str, Any]) -> Mapping[str, str]:
        return {"file": sheet.picture.rpartition("/")[2], "layer": sheet.layers.main.label}

    def verify(self, case: Case) -> Sequence[Check]:
        wanted, name = case.wanted, case.sheet.picture.rpartition("/")[2]
        new = case.new[0] if len(case.new) == 1 else None
        link = new.picture.link if new and new.picture else None
        expected = Box(wanted["x"], wanted["y"], wanted["width"], wanted["height"])
        new_box = new.box if new else None
        return [
            equal("one new picture", ["image"], [item.kind for item in case.new]),
            holds("it links to the file", link is not None and link.endswith(f"Pictures/{name}"),
                  expected=f"a link to Pictures/{name}", found=link),
            holds("it is as wide and high as asked", new_box is not None and near(new_box.width, expected.width)
                  and near(new_box.height, expected.height), expected=[expected.width, expected.height],
                  found=new_box and [new_box.width, new_box.height]),
            same_box("it is at its place", expected, new_box),
            equal("it has its label", str(wanted["label"]), new.label if new else None),
            equal("it is on the layer", case.sheet.layers.main.id, new.layer if new else None),
            rest_unchanged(case, free=[item.id for item in case.new]),
        ]  # fmt: skip

    def solve(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> Sequence[Move]:
        """Import it, select all pictures, and deselect the one that was there before."""
        numbers = {name: float(wanted[name]) for name in ("x", "y", "width", "height")}
        return [
            on(sheet.plate, do=["app.select-clear"]),
            Press("ctrl+i"),
            Enter(f"{sheet.picture}\n"),
            Command("await-change"),
            actions(
                ("app.select-by-element", "image"),
                ("app.unselect-by-id", sheet.photo.id),
                *(set_attribute(name, value) for name, value in numbers.items()),
                set_attribute("preserveAspectRatio", "none"),
                set_attribute("inkscape:label", str(wanted["label"])),
            ),
        ]


def _combined(action: str, first: Box, second: Box) -> tuple[Box, float]:
    """Return the box and area of a union, difference or intersection; `second` covers the lower right corner."""
    x, y = max(first.x, second.x), max(first.y, second.y)
    over = Box(x, y, min(first.right, second.right) - x, min(first.bottom, second.bottom) - y)
    areas = [box.width * box.height for box in (first, second, over)]
    if action == "path-union":
        return first.joined(second), areas[0] + areas[1] - areas[2]
    return (first, areas[0] - areas[2]) if action == "path-difference" else (over, areas[2])


SCENARIOS = (Combine(), CloneIt(), ClipPhoto(), AddShape(), PlacePicture())
