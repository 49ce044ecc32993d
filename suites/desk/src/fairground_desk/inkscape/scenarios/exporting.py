"""Scenarios about export: PNG pictures of the page or an object, and plain SVG copies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from fairground.core import Check
from fairground.verify import equal, holds
from fairground.verify.reading.picture import Picture, read_picture
from fairground.verify.reading.picture_measures import color_at, rgb, transparent_share
from fairground.verify.reading.svg import Drawing, read_svg
from fairground.worlds import Move
from fairground_desk.inkscape.actions import Step, actions
from fairground_desk.inkscape.inspector import mm
from fairground_desk.inkscape.sheet import Sheet
from fairground_desk.inkscape.task import Case, InkTask, near

_STAYS = " The drawing itself stays as it is on disk."


class ExportPage(InkTask):
    """Export the page as a PNG of a given width."""

    name = "export-page"
    template = (
        "Export the page of the open drawing as a PNG picture that is exactly {pixels} pixels wide (and as high as the "
        "page's shape wants) to the folder Pictures, under the name {file}." + _STAYS
    )
    instances = {
        "web": {"pixels": 800, "file": "web-version.png"},
        "thumb": {"pixels": 256, "file": "thumbnail.png"},
        "slide": {"pixels": 1600, "file": "for-slides.png"},
    }
    touches = False
    changes = ("~/Pictures/{file}",)

    def verify(self, case: Case) -> Sequence[Check]:
        """Check the size, and the colours at the positions of blocks."""
        picture = read_picture(case.states[1].file(f"~/Pictures/{case.wanted['file']}"))
        width, height = case.sheet.size
        pixels = int(case.wanted["pixels"])
        tall = pixels * height / width
        return [
            equal("it is a PNG picture", "PNG", picture.format),
            equal("it is as wide as asked", pixels, picture.size[0], weight=2),
            holds("it is as high as the page's shape wants", abs(picture.size[1] - tall) <= 1.5, expected=round(tall),
                  found=picture.size[1]),
            *_shows_blocks(case, picture, pixels / width),
            equal("the drawing is as it was", case.before, case.after, weight=0, integrity=True),
        ]  # fmt: skip

    def solve(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> Sequence[Move]:
        return [
            actions(
                ("app.export-filename", f"~/Pictures/{wanted['file']}"),
                ("app.export-type", "png"),
                ("app.export-area-page", True),
                ("app.export-width", int(wanted["pixels"])),
                "app.export-do",
            )
        ]


class ExportObject(InkTask):
    """Export one object as a PNG of a given resolution."""

    name = "export-object"
    template = (
        "Export “{object}” alone, nothing else showing in the picture, as a PNG at exactly {dpi} dpi to the folder "
        "Pictures, under the name {file}. The picture is as large as the object, without a margin." + _STAYS
    )
    instances = {
        "stamp": {"role": "stamp", "dpi": 300, "file": "mark.png"},
        "plate": {"role": "plate", "dpi": 150, "file": "plate.png"},
        "strip": {"role": "strip", "dpi": 96, "file": "strip.png"},
    }
    touches = False
    changes = ("~/Pictures/{file}",)

    def facts(self, sheet: Sheet, wanted: Mapping[str, Any]) -> Mapping[str, str]:
        return {"object": getattr(sheet, str(wanted["role"])).label}

    def verify(self, case: Case) -> Sequence[Check]:
        """Check the size, and the colour at the position of the object."""
        named = getattr(case.sheet, str(case.wanted["role"]))
        picture = read_picture(case.states[1].file(f"~/Pictures/{case.wanted['file']}"))
        box = case.was(named).box
        assert box is not None
        scale = float(case.wanted["dpi"]) / 25.4
        sides = [box.width * scale, box.height * scale]
        shape = next(part for part in (case.was(named), *case.before.inside(named.id)) if part.shape is not None)
        assert shape.box is not None
        x, y = ((shape.box.center[axis] - (box.x, box.y)[axis]) * scale for axis in (0, 1))
        inside = 0 <= x < picture.size[0] and 0 <= y < picture.size[1]
        color = color_at(picture.pixels, int(x), int(y))[:3] if inside else None
        empty = transparent_share(picture.pixels)
        covered = sum(part.shape.area for part in (case.was(named), *case.before.inside(named.id)) if part.shape)
        blank = 1 - covered / (box.width * box.height)
        return [
            equal("it is a PNG picture", "PNG", picture.format),
            holds("it is as wide as the object at that resolution", abs(picture.size[0] - sides[0]) <= 2,
                  expected=round(sides[0]), found=picture.size[0], weight=2),
            holds("it is as high as the object at that resolution", abs(picture.size[1] - sides[1]) <= 2,
                  expected=round(sides[1]), found=picture.size[1], weight=2),
            equal("it shows the object", list(rgb(shape.style.fill.color)), list(color) if color else None),
            holds("it shows nothing else", abs(empty - blank) < 0.06, expected=round(blank, 3), found=round(empty, 3)),
            equal("the drawing is as it was", case.before, case.after, weight=0, integrity=True),
        ]  # fmt: skip

    def solve(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> Sequence[Move]:
        return [
            actions(
                ("app.export-filename", f"~/Pictures/{wanted['file']}"),
                ("app.export-type", "png"),
                ("app.export-id", getattr(sheet, str(wanted["role"])).id),
                ("app.export-id-only", True),
                ("app.export-dpi", float(wanted["dpi"])),
                "app.export-do",
            )
        ]


class PlainCopy(InkTask):
    """Save a copy as plain SVG."""

    name = "plain-copy"
    template = (
        "Put a copy of the drawing for the web site into the folder Documents, under the name {file}, as plain SVG: "
        "without anything that only Inkscape understands. It shows the same as the drawing." + _STAYS
    )
    instances = {
        "site": {"file": "for-the-site.svg"},
        "partner": {"file": "partner-copy.svg"},
        "print": {"file": "print-shop.svg"},
    }
    touches = False
    changes = ("~/Documents/{file}",)

    def verify(self, case: Case) -> Sequence[Check]:
        """Check the same page, objects and texts, and that no Inkscape namespace is left."""
        data = case.states[1].file(f"~/Documents/{case.wanted['file']}")
        copy = read_svg(data)
        marks = [word for word in ("inkscape:", "sodipodi:") if word.encode() in data]
        kinds = [
            dict(Counter(item.kind for item in drawing.objects if item.kind not in ("group", "layer")))
            for drawing in (case.before, copy)
        ]
        # Plain SVG has no lines in a text, only positions of letters.
        texts = [
            ["".join(item.text.text.split()) for item in drawing.objects if item.text]
            for drawing in (case.before, copy)
        ]
        fills = [
            [item.style.fill.color for item in drawing.objects if item.kind in ("rect", "circle", "ellipse")]
            for drawing in (case.before, copy)
        ]
        size = [mm(copy.width), mm(copy.height)]
        return [
            holds("it is an SVG drawing of the same size", all(map(near, size, case.sheet.size)),
                  expected=list(case.sheet.size), found=size),
            equal("nothing in it is Inkscape's own", [], marks, weight=2),
            equal("the same kinds of objects are in it", kinds[0], kinds[1]),
            equal("the same texts are in it", texts[0], texts[1]),
            equal("the colours are the same", fills[0], fills[1]),
            equal("the drawing is as it was", case.before, case.after, weight=0, integrity=True),
        ]  # fmt: skip

    def solve(self, sheet: Sheet, wanted: Mapping[str, Any], drawing: Drawing) -> Sequence[Move]:
        steps: list[Step] = [
            ("app.export-filename", f"~/Documents/{wanted['file']}"),
            ("app.export-type", "svg"),
            ("app.export-plain-svg", True),
            "app.export-do",
        ]
        return [actions(*steps)]


def _shows_blocks(case: Case, picture: Picture, scale: float) -> list[Check]:
    """Check the colour of a picture of the page at a few points where nothing covers a block."""
    checks = []
    for block in (case.sheet.blocks[0], case.sheet.blocks[5], case.sheet.blocks[-1]):
        item = case.was(block)
        assert item.box is not None
        # Close to the lower left corner, where there is no text.
        x, y = int((item.box.x + 0.8) * scale), int((item.box.bottom - 0.8) * scale)
        here = y < picture.pixels.shape[0] and x < picture.pixels.shape[1]
        pixel = color_at(picture.pixels, x, y)[:3] if here else None
        near_enough = pixel is not None and all(
            abs(int(a) - b) <= 24 for a, b in zip(pixel, rgb(item.style.fill.color), strict=True)
        )
        checks.append(
            holds(f"it shows {block.label}", near_enough, expected=item.style.fill.color,
                  found=[int(part) for part in pixel] if pixel else None)
        )  # fmt: skip
    return checks


SCENARIOS = (ExportPage(), ExportObject(), PlainCopy())
