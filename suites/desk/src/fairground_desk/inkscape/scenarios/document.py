"""Scenarios about the document: page, guides and metadata."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fairground.core import Check
from fairground.verify import equal, holds
from fairground.verify.reading.svg import Box, Drawing, Guide
from fairground.worlds import Enter, Move, Press, Tap
from fairground_desk.inkscape.actions import actions, select
from fairground_desk.inkscape.inspector import mm
from fairground_desk.inkscape.sheet import Sheet
from fairground_desk.inkscape.svgwriter import ROOT
from fairground_desk.inkscape.task import NEAR, Case, InkTask, boxes_near, near, on, rest_unchanged, set_attribute

SAVE = " Change nothing else, and save the drawing under its own name."


class PageSize(InkTask):
    """Resize the page without scaling the objects."""

    name = "page-size"
    template = (
        "Make the page of the drawing exactly {width} mm wide and {height} mm high{paper}. What is drawn stays as "
        "large as it is, and as far from the left and the upper edge of the page." + SAVE
    )
    instances = {
        "a2": {"width": 594, "height": 841, "paper": " (A2, upright)"},
        "square": {"width": 300, "height": 300, "paper": ""},
        "b4": {"width": 353, "height": 250, "paper": " (B4, on its side)"},
        "screen": {"width": 320, "height": 180, "paper": ""},
    }

    def verify(self, case: Case) -> Sequence[Check]:
        """Also check that one user unit is still one millimetre."""
        width, height = mm(case.after.width), mm(case.after.height)
        scale = case.after.length_in("mm", 1.0)
        return [
            holds("the page is as wide as asked", near(width, case.wanted["width"]), expected=case.wanted["width"],
                  found=width, weight=2),
            holds("the page is as high as asked", near(height, case.wanted["height"]), expected=case.wanted["height"],
                  found=height, weight=2),
            holds("what is drawn is as large as before", near(scale, 1.0, 0.001), expected=1.0, found=scale, weight=0),
            _all_moved(case, 0.0, 0.0),
            equal("the same objects are there", _ids(case.before), _ids(case.after), weight=0, integrity=True),
            rest_unchanged(case, parts=("size", "viewbox", "guides"), everywhere=_PLACES),
        ]  # fmt: skip

    def solve(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> Sequence[Move]:
        """Set the size of the root element, as the XML editor would."""
        width, height = wanted["width"], wanted["height"]
        steps = [
            set_attribute("width", f"{width}mm"),
            set_attribute("height", f"{height}mm"),
            set_attribute("viewBox", f"0 0 {width} {height}"),
        ]
        return [actions(*select(ROOT), *steps, "app.select-clear")]


class FitPage(InkTask):
    """Resize the page to one object."""

    name = "fit-page"
    template = (
        "Resize the page so that it fits around “{object}” exactly, without a margin: that object fills the whole page "
        "then. Delete nothing; what lies outside of the page stays where it is beside the object." + SAVE
    )
    instances = {"photo": {"role": "photo"}, "plate": {"role": "plate"}, "stamp": {"role": "stamp"}}

    def facts(self, sheet: Sheet, wanted: Mapping[str, Any]) -> Mapping[str, str]:
        return {"object": getattr(sheet, str(wanted["role"])).label}

    def verify(self, case: Case) -> Sequence[Check]:
        named = getattr(case.sheet, str(case.wanted["role"]))
        was, now = case.was(named).box, case.now(named).box
        assert was is not None
        left, top, width = case.after.viewbox[:3]
        spot = [round(now.x - left, 3), round(now.y - top, 3)] if now else None
        right, below = (now.x - was.x, now.y - was.y) if now else (0.0, 0.0)
        return [
            holds("the page is as wide as it", near(mm(case.after.width), was.width), expected=was.width,
                  found=mm(case.after.width)),
            holds("the page is as high as it", near(mm(case.after.height), was.height), expected=was.height,
                  found=mm(case.after.height)),
            holds("it begins at the page's corner", spot is not None and max(map(abs, spot)) <= NEAR, expected=[0, 0],
                  found=spot),
            holds("a millimetre is still one", near(mm(case.after.width) / width, 1.0, 0.001), expected=1.0,
                  found=mm(case.after.width) / width, weight=0),
            _all_moved(case, right, below),
            equal("the same objects are there", _ids(case.before), _ids(case.after), weight=0, integrity=True),
            rest_unchanged(case, parts=("size", "viewbox", "guides"), everywhere=_PLACES),
        ]  # fmt: skip

    def solve(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> Sequence[Move]:
        return [on(getattr(sheet, str(wanted["role"])), do=["app.fit-canvas-to-selection"])]


class Describe(InkTask):
    """Set the metadata of the drawing."""

    name = "describe"
    template = (
        "Fill in the metadata of the drawing (in its document properties): title “{title}”, date “{date}”, creator "
        "“{creator}”, rights “{rights}”, publisher “{publisher}”. What is drawn stays as it is." + SAVE
    )
    instances = {
        "release": {"title": "Sheet for release", "date": "2025-03-14", "creator": "Noor Haddad",
                    "rights": "All rights reserved", "publisher": "Print office"},
        "archive": {"title": "Archive copy", "date": "2019-11-02", "creator": "Archive team",
                    "rights": "Internal use only", "publisher": "City archive"},
        "open": {"title": "Open version", "date": "2024-06-30", "creator": "R. Ferreira",
                 "rights": "CC BY 4.0", "publisher": "Open data desk"},
    }  # fmt: skip

    def verify(self, case: Case) -> Sequence[Check]:
        metadata = case.after.metadata
        return [
            *(equal(f"the {field} is as asked", str(case.wanted[field]), metadata.get(field, "")) for field in _FIELDS),
            rest_unchanged(case, parts=[f"metadata.{field}" for field in (*_FIELDS, "format", "type")]),
        ]

    def solve(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> Sequence[Move]:
        """Move through the fields of the dialog with Tab."""
        moves: list[Move] = [actions(("win.dialog-open", "DocumentProperties")), Tap("Metadata", role="page tab")]
        for field in _FIELDS:
            moves += [Press("Tab"), Press("ctrl+a"), Enter(str(wanted[field]))]
        return [*moves, Press("Tab")]


class Guides(InkTask):
    """Add guides around the page, or delete guides."""

    name = "guides"
    template = "{what}" + SAVE
    instances = {
        "around": {"what": "Remove all guides of the drawing, then put four new ones exactly along the four edges of "
                   "the page.", "clear": True, "around": True},
        "more": {"what": "Keep the guides of the drawing, and add four more exactly along the four edges of the page.",
                 "clear": False, "around": True},
        "none": {"what": "Remove all guides of the drawing.", "clear": True, "around": False},
    }  # fmt: skip

    def verify(self, case: Case) -> Sequence[Check]:
        width, height = case.sheet.size
        old = _lines(case.before.guides)
        edges = [("vertical", 0.0), ("vertical", width), ("horizontal", 0.0), ("horizontal", height)]
        wanted = ([] if case.wanted["clear"] else old) + (edges if case.wanted["around"] else [])
        lines = _lines(case.after.guides)
        checks = []
        if case.wanted["around"]:
            checks += [
                holds(f"a {way} guide is at {at:g}", any(_near_line(line, (way, at)) for line in lines),
                      expected=[way, at], found=lines)
                for way, at in edges
            ]  # fmt: skip
        if case.wanted["clear"]:
            left = [line for line in old if any(_near_line(line, line_after) for line_after in lines)]
            checks.append(equal("the old guides are gone", [], left))
        missing = [line for line in wanted if not any(_near_line(line, line_after) for line_after in lines)]
        return [
            *checks,
            equal("as many guides as there should be", len(wanted), len(lines)),
            equal("none is missing", [], missing, weight=0 if not case.wanted["around"] else 1),
            equal("the same objects are there", _ids(case.before), _ids(case.after), weight=0, integrity=True),
            equal("the page is as it was", case.before.viewbox, case.after.viewbox, weight=0, integrity=True),
            rest_unchanged(case, parts=("guides",)),
        ]

    def solve(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> Sequence[Move]:
        steps = ["doc.delete-all-guides"] * bool(wanted["clear"])
        return [actions(*steps, *["doc.create-guides-around-page"] * bool(wanted["around"]))]


_FIELDS = ("title", "date", "creator", "rights", "publisher")
# Positions of objects, which depend on the origin of the page. `_all_moved` compares them instead.
_PLACES = (".x", ".y", ".transform", ".position", ".box", ".cx", ".cy", ".vector", ".gradient.transform", ".area")


def _all_moved(case: Case, right: float, below: float) -> Check:
    """Guard: all objects moved by the same distance, relative to the corner of the page."""
    left, top = case.after.viewbox[0] - case.before.viewbox[0], case.after.viewbox[1] - case.before.viewbox[1]
    strays = []
    for item in case.before.objects:
        now = next((candidate for candidate in case.after.objects if candidate.id == item.id), None)
        if item.kind in ("group", "layer") or now is None:
            continue
        if item.box is not None:
            moved = Box(item.box.x + right, item.box.y + below, item.box.width, item.box.height)
            if not boxes_near(moved, now.box):
                strays.append(item.label or item.id)
        elif item.text is not None and now.text is not None:
            (x, y), (nx, ny) = item.text.position, now.text.position
            if not (near(nx, x + right) and near(ny, y + below)):
                strays.append(item.label or item.id)
    if right == below == 0.0 and (left or top):
        strays.append("the corner of the page")
    return equal("everything is at its place beside the others", [], strays, weight=0, integrity=True)


def _ids(drawing: Drawing) -> list[str]:
    return [item.id for item in drawing.objects]


def _lines(guides: Sequence[Guide]) -> list[tuple[str, float]]:
    return [(guide.orientation, round(guide.x if guide.orientation == "vertical" else guide.y, 3)) for guide in guides]


def _near_line(one: tuple[str, float], other: tuple[str, float]) -> bool:
    return one[0] == other[0] and near(one[1], other[1], 0.1)


SCENARIOS = (PageSize(), FitPage(), Describe(), Guides())
