"""Scenarios that crop, rotate, scale or frame the photograph or change its mode, and export the result."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fairground.core import Check, State
from fairground.verify import equal, holds
from fairground.verify.reading.picture import Picture, Pixels
from fairground.verify.reading.picture_measures import cropped, difference, flipped, is_grayscale, rgb, rotated
from fairground.worlds import Move, World
from fairground_desk.gimp.app import studio_of
from fairground_desk.gimp.scenarios import following
from fairground_desk.gimp.scenarios.gimp_task import GimpTask, export, facts, scheme
from fairground_desk.gimp.scenarios.judging import has_size, is_format, looks, picture
from fairground_desk.gimp.scenarios.photo_colours import PhotoTool

_KEEP = " Export the result as {name}.png to the folder {folder}; the photograph itself must stay as it is."


class CropPhoto(PhotoTool):
    """Crop to a given rectangle."""

    name = "crop-photo"
    template = (
        "Cut a detail out of {photo}: {width} pixels wide and {height} pixels high, with its left upper corner at "
        "x = {x}, y = {y}." + _KEEP
    )
    instances = {
        "centre": {"name": "detail-centre", "x": 100, "y": 80, "width": 240, "height": 180},
        "square": {"name": "detail-square", "x": 120, "y": 60, "width": 250, "height": 250},
        "corner": {"name": "detail-corner", "x": 0, "y": 0, "width": 200, "height": 150},
        "strip": {"name": "detail-strip", "x": 10, "y": 140, "width": 400, "height": 90},
    }

    def expected(self, world: World, pixels: Pixels) -> Sequence[Pixels]:
        x, y, width, height = (int(world.parameters[name]) for name in ("x", "y", "width", "height"))
        return [cropped(pixels, (x, y, width, height))]

    def code(self, world: World) -> str:
        return "(gimp-image-crop image {width} {height} {x} {y})".format_map(world.parameters)


class ScalePhoto(PhotoTool):
    """Scale down, in proportion."""

    name = "scale-photo"
    template = "Scale {photo} down to a width of {width} pixels; keep its proportions." + _KEEP
    instances = {
        "small": {"name": "small", "width": 240},
        "medium": {"name": "medium", "width": 320},
        "thumb": {"name": "thumb", "width": 180},
    }
    tolerance, share = 4.5, 0.12  # interpolation filters differ at edges

    def expected(self, world: World, pixels: Pixels) -> Sequence[Pixels]:
        """Accept both roundings of the height."""
        width = int(world.parameters["width"])
        exact = pixels.shape[0] * width / pixels.shape[1]
        return [following.rescaled(pixels, width, height) for height in (round(exact), int(exact))]

    def code(self, world: World) -> str:
        width = world.parameters["width"]
        height = f"(round (/ (* (car (gimp-image-height image)) {width}) (car (gimp-image-width image))))"
        return f"(gimp-image-scale image {width} {height})"


class TurnPhoto(PhotoTool):
    """Rotate or mirror."""

    name = "turn-photo"
    template = "{what} {photo}." + _KEEP
    instances = {
        "clockwise": {"name": "turned-right", "what": "Rotate by 90 degrees clockwise:", "turn": 90},
        "counter": {
            "name": "turned-left",
            "what": "Rotate by 90 degrees counter-clockwise:",
            "turn": 270,
        },
        "half": {"name": "turned-half", "what": "Rotate by 180 degrees:", "turn": 180},
        "mirror": {"name": "mirrored", "what": "Flip horizontally, so that left becomes right:", "turn": -1},
    }

    def expected(self, world: World, pixels: Pixels) -> Sequence[Pixels]:
        turn = int(world.parameters["turn"])
        return [np.ascontiguousarray(flipped(pixels, "horizontal")) if turn < 0 else rotated(pixels, turn)]

    def code(self, world: World) -> str:
        turn = int(world.parameters["turn"])
        how = {90: "ROTATE-90", 180: "ROTATE-180", 270: "ROTATE-270"}
        return (
            "(gimp-image-flip image ORIENTATION-HORIZONTAL)" if turn < 0 else f"(gimp-image-rotate image {how[turn]})"
        )


class FramePhoto(PhotoTool):
    """Add a border of one colour."""

    name = "frame-photo"
    template = (
        "Put a frame of {pixels} pixels on every side around {photo}, outside of the picture (the canvas grows), in "
        "the "
        "colour {color}." + _KEEP
    )
    instances = {
        "white": {"name": "framed-white", "pixels": 20, "color": "#ffffff"},
        "black": {"name": "framed-black", "pixels": 12, "color": "#000000"},
        "blue": {"name": "framed-blue", "pixels": 30, "color": "#1f3a6e"},
    }

    def expected(self, world: World, pixels: Pixels) -> Sequence[Pixels]:
        wide = int(world.parameters["pixels"])
        height, width = pixels.shape[:2]
        framed = np.empty((height + 2 * wide, width + 2 * wide, 4), np.uint8)
        framed[:] = (*rgb(str(world.parameters["color"])), 255)
        framed[wide : wide + height, wide : wide + width] = pixels
        return [framed]

    def code(self, world: World) -> str:
        """Image > Canvas Size..., then Image > Flatten Image."""
        wide, (red, green, blue) = int(world.parameters["pixels"]), rgb(str(world.parameters["color"]))
        sizes = f"(+ {2 * wide} (car (gimp-image-width image))) (+ {2 * wide} (car (gimp-image-height image)))"
        return (
            f"(gimp-context-set-background '({red} {green} {blue}))"
            f"(gimp-image-resize image {sizes} {wide} {wide}) (gimp-image-flatten image)"
        )

    def more(self, world: World, before: Pixels, after: Picture) -> Sequence[Check]:
        wide, (height, width) = int(world.parameters["pixels"]), before.shape[:2]
        fits = after.size == (width + 2 * wide, height + 2 * wide)
        inside = cropped(after.pixels, (wide, wide, width, height)) if fits else after.pixels
        return [holds("the photograph is whole inside of it", fits and difference(inside, before).mean < 0.5)]


class GrayscaleMode(PhotoTool):
    """Convert to grayscale mode; a colour image that looks gray is not enough."""

    name = "grayscale-mode"
    template = "Convert {photo} to the grayscale mode (Image > Mode), not only to gray colours." + _KEEP
    instances = {"print": {"name": "print-gray"}, "fax": {"name": "fax"}, "archive": {"name": "archive-gray"}}

    def expected(self, world: World, pixels: Pixels) -> Sequence[Pixels]:
        return [following.desaturated_as(pixels, "luminance")]

    def code(self, world: World) -> str:
        return "(gimp-image-convert-grayscale image)"

    def more(self, world: World, before: Pixels, after: Picture) -> Sequence[Check]:
        return [
            holds("the file keeps gray and no colours", after.mode in ("L", "LA"), expected="L", found=after.mode),
            holds("it has no colour", is_grayscale(after.pixels)),
        ]


class IndexedMode(GimpTask):
    """Convert to indexed mode with a small palette."""

    name = "indexed-mode"
    opens = "photo"
    changes = ("{folder}/{name}.png",)
    template = (
        "For an old display, convert {photo} to the indexed mode with an optimum palette of at most {colours} colours, "
        "without dithering." + _KEEP
    )
    instances = {
        "sixteen": {"name": "palette-16", "colours": 16, "gap": 14.0},
        "thirty-two": {"name": "palette-32", "colours": 32, "gap": 10.0},
        "many": {"name": "palette-128", "colours": 128, "gap": 6.0},
    }

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        studio, most = studio_of(world), int(world.parameters["colours"])
        photo = picture(before, studio.photo_path)
        exported = picture(after, f"{studio.home}/{world.parameters['name']}.png")
        count = len(np.unique(exported.pixels.reshape(-1, 4), axis=0))
        gap = difference(exported.pixels, photo.pixels).mean
        return [
            is_format(exported, "PNG"),
            *has_size(exported, *photo.size),
            equal("the file has a palette", "P", exported.mode, weight=2.0),
            holds("it has as many colours as asked", most / 2 < count <= most, expected=most, found=count, weight=2.0),
            holds("it still shows the photograph", gap <= float(world.parameters["gap"]), found=gap, weight=2.0),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        wanted = facts(world)
        kind = "CONVERT-DITHER-NONE CONVERT-PALETTE-GENERATE"
        code = f'(gimp-image-convert-indexed image {kind} {wanted["colours"]} FALSE FALSE "")'
        return [scheme(world, code), *export(f"{wanted['folder']}/{wanted['name']}.png")]


class WebCopy(GimpTask):
    """Export a JPEG file with a given width and quality."""

    name = "web-copy"
    opens = "photo"
    changes = ("{folder}/{name}.jpg",)
    template = (
        "The web page needs a copy of {photo} that is {width} pixels wide, in proportion. Export it as {name}.jpg to "
        "the "
        "folder {folder}, with a JPEG quality of {quality}. The photograph itself must stay as it is."
    )
    instances = {
        "light": {"name": "web-light", "width": 360, "quality": 60},
        "usual": {"name": "web", "width": 400, "quality": 75},
        "good": {"name": "web-good", "width": 300, "quality": 85},
        "best": {"name": "web-best", "width": 420, "quality": 95},
    }

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        studio, wanted = studio_of(world), world.parameters
        photo = picture(before, studio.photo_path)
        exported = picture(after, f"{studio.home}/{wanted['name']}.jpg")
        width = int(wanted["width"])
        height = round(photo.height * width / photo.width)
        return [
            is_format(exported, "JPEG"),
            *has_size(exported, width, height, within=1),
            equal("the quality is as asked", wanted["quality"], exported.quality, weight=2.0),
            looks("it shows the photograph", exported.pixels,
                  following.rescaled(photo.pixels, exported.width, exported.height), mean=5.0, share=0.1),
        ]  # fmt: skip

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        wanted = facts(world)
        return [scheme(world, scale_to(int(wanted["width"])) + save_jpeg(f"{wanted['folder']}/{wanted['name']}.jpg",
                                                                          int(wanted["quality"])))]  # fmt: skip


class SlidePicture(GimpTask):
    """Export a picture for a slide into the presentation's folder."""

    name = "slide-picture"
    opens = "photo"
    changes = ("{slides}/{name}.png",)
    template = (
        "The slides of the next talk in LibreOffice Impress take their pictures from the folder {slides}. Put a copy "
        "of "
        "{photo} there as {name}.png: {height} pixels high, in proportion, so that it fits the slide, at a resolution "
        "of {dpi} dots an inch. Change nothing else; the photograph itself must stay as it is."
    )
    instances = {
        "title": {"name": "title-slide", "height": 300, "dpi": 96},
        "half": {"name": "half-slide", "height": 270, "dpi": 150},
        "corner": {"name": "corner", "height": 120, "dpi": 72},
    }

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        studio, wanted = studio_of(world), world.parameters
        photo = picture(before, studio.photo_path)
        exported = picture(after, f"{studio.slides_folder}/{wanted['name']}.png")
        height = int(wanted["height"])
        across, down = exported.dpi or (0.0, 0.0)
        even = abs(across - int(wanted["dpi"])) < 1 and abs(down - int(wanted["dpi"])) < 1
        return [
            is_format(exported, "PNG"),
            *has_size(exported, round(photo.width * height / photo.height), height, within=1),
            holds("the resolution is as asked", even, expected=wanted["dpi"], found=[across, down], weight=2.0),
            looks("it shows the photograph", exported.pixels,
                  following.rescaled(photo.pixels, exported.width, exported.height), mean=4.5, share=0.12),
        ]  # fmt: skip

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        wanted = facts(world)
        photo = picture(before, studio_of(world).photo_path)
        width = round(photo.width * int(wanted["height"]) / photo.height)
        code = scale_to(width) + f"(gimp-image-set-resolution image {wanted['dpi']} {wanted['dpi']})"
        return [scheme(world, code), *export(f"{wanted['slides']}/{wanted['name']}.png")]


def scale_to(width: int) -> str:
    """Return Scheme code that scales `image` to a width, in proportion."""
    height = f"(round (/ (* (car (gimp-image-height image)) {width}) (car (gimp-image-width image))))"
    return f"(gimp-image-scale image {width} {height})"


def save_jpeg(path: str, quality: int) -> str:
    """Return Scheme code that exports `image` as JPEG, with 4:4:4 subsampling and otherwise default options."""
    layer = "(car (gimp-image-get-active-drawable image))"
    return f'(file-jpeg-save RUN-NONINTERACTIVE image {layer} "{path}" "{path}" {quality / 100} 0 1 0 "" 2 1 0 0)'


SCENARIOS = (
    CropPhoto(), ScalePhoto(), TurnPhoto(), FramePhoto(), GrayscaleMode(), IndexedMode(), WebCopy(), SlidePicture(),
)  # fmt: skip
