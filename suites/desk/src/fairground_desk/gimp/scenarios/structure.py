"""Scenarios about text, groups, masks, guides, grid and resolution of the project, and about copies of it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fairground.core import Check, State
from fairground.verify import close_to, contains, equal, holds
from fairground.verify.reading.picture_measures import rgb, share_near
from fairground.verify.reading.settings import read_sexpressions, setting
from fairground.verify.reading.xcf import XcfImage
from fairground.verify.reading.xcf_flatten import flattened
from fairground.worlds import Move, World
from fairground_desk.gimp.app import studio_of
from fairground_desk.gimp.scenarios.gimp_task import GimpTask, export, facts, layer_of, save_as, scheme
from fairground_desk.gimp.scenarios.judging import (
    has_size,
    image,
    is_format,
    looks,
    order,
    others_stay,
    picture,
    rest_stays,
)
from fairground_desk.gimp.scenarios.layers import ProjectTask, named, role, with_role

_TEXT_PARTS = ("text", "width", "height", "digest", "x", "y")  # leaves that depend on the text of a layer
_SAVE = " Leave everything else in the image as it is, and save it under its own name."


class EditCaption(ProjectTask):
    """Change the text of the text layer."""

    name = "edit-caption"
    template = (
        'In {project}, which is open, the text layer "{caption}" says "{said}". Make it say "{text}" in a size of '
        "{size} "
        "pixels; font and colour stay, and it stays a text layer with its name." + _SAVE
    )
    instances = {
        "event": {"text": "Open day", "size": 48},
        "year": {"text": "Edition 2026", "size": 36},
        "draft": {"text": "Draft, do not print", "size": 30},
    }

    def compare(self, world: World, before: XcfImage, after: XcfImage) -> Sequence[Check]:
        """Also check that the layer is still an editable text layer."""
        name, wanted = studio_of(world).layers[0], world.parameters
        layer, old = after[name], before[name]
        text, was = layer.text, old.text
        assert was is not None
        changed = text is not None and text.text != was.text
        return [
            equal("it says what was asked", wanted["text"], text.text if text else None, weight=3.0),
            close_to("the size is right", float(wanted["size"]), text.size if text else None, within=0.01, weight=2.0),
            holds("the font is the same", changed and text is not None and text.font == was.font),
            holds("the colour is the same", changed and text is not None and text.color == was.color),
            holds("nobody painted on it", changed and not layer.painted_over and layer.digest != old.digest),
            rest_stays(before, after, *(f"layer[{name}].{part}" for part in _TEXT_PARTS)),
            equal("the layers are the same ones", order(before), order(after), weight=0.0, integrity=True),
        ]  # fmt: skip

    def code(self, world: World) -> str:
        layer = named(studio_of(world).layers[0])
        wanted = world.parameters
        return (
            f'(gimp-text-layer-set-text {layer} "{wanted["text"]}") '
            f"(gimp-text-layer-set-font-size {layer} {wanted['size']} UNIT-PIXEL)"
        )


class AddText(ProjectTask):
    """Add a text layer."""

    name = "add-text"
    template = (
        'In {project}, which is open, add a text layer at the very top that says "{text}", in {font}, {size} pixels '
        "high, in "
        'the colour {color}. Its left upper corner is at x = {x}, y = {y}; name the layer "{to}".' + _SAVE
    )
    instances = {
        "price": {"text": "Free entry", "font": "DejaVu Serif", "size": 28, "color": "#ffcc00", "x": 40, "y": 250,
                  "to": "Price"},
        "date": {"text": "12 October", "font": "Liberation Sans", "size": 32, "color": "#ffffff", "x": 40, "y": 30,
                 "to": "Date"},
        "credit": {"text": "Photo: archive", "font": "DejaVu Sans", "size": 18, "color": "#222222", "x": 420, "y": 370,
                   "to": "Credit"},
    }  # fmt: skip

    def compare(self, world: World, before: XcfImage, after: XcfImage) -> Sequence[Check]:
        wanted = world.parameters
        new = str(wanted["to"])
        layer = next((layer for layer in after.layers if layer.name == new), None)
        if layer is None or layer.text is None or layer.pixels is None:
            return [holds("there is a text layer of that name", False, expected=new, found=order(after), weight=8.0)]
        return [
            equal("it says what was asked", wanted["text"], layer.text.text, weight=2.0),
            equal("the font is right", wanted["font"], layer.text.font.removesuffix(" Regular").rstrip(", ")),
            close_to("the size is right", float(wanted["size"]), layer.text.size, within=0.01),
            equal("the colour is right", wanted["color"], layer.text.color),
            equal("it is at the top", [new, *order(before)], order(after)),
            equal("it is where it was asked for", [wanted["x"], wanted["y"]], [layer.x, layer.y]),
            holds("it shows letters in that colour", 0.02 < share_near(layer.pixels, str(wanted["color"])) < 0.9),
            others_stay(before, after, new),
        ]  # fmt: skip

    def code(self, world: World) -> str:
        """The text tool, and Layer > Edit Layer Attributes..."""
        red, green, blue = rgb(str(world.parameters["color"]))
        return f"(gimp-context-set-foreground '({red} {green} {blue}))" + (
            '(let ((new (car (gimp-text-layer-new image "{text}" "{font}" {size} UNIT-PIXEL)))) '
            "(gimp-image-insert-layer image new 0 0) (gimp-layer-set-offsets new {x} {y}) "
            '(gimp-text-layer-set-color new \'(RED GREEN BLUE)) (gimp-item-set-name new "{to}"))'
        ).format_map(world.parameters).replace("RED GREEN BLUE", f"{red} {green} {blue}")


class GroupLayers(ProjectTask):
    """Put two layers into a group."""

    name = "group-layers"
    template = (
        'In {project}, which is open, make a layer group named "{to}" at the very top and put the layers "{one}" and '
        '"{other}" into it, "{one}" above "{other}".' + _SAVE
    )
    instances = {
        "lettering": {"to": "Lettering", "one": "caption", "other": "sign"},
        "overlay": {"to": "Overlay", "one": "caption", "other": "tint"},
        "marks": {"to": "Marks", "one": "sign", "other": "tint"},
    }

    def compare(self, world: World, before: XcfImage, after: XcfImage) -> Sequence[Check]:
        studio, group = studio_of(world), str(world.parameters["to"])
        inside = [layer_of(studio, world.parameters[name]) for name in ("one", "other")]
        outside = [name for name in order(before) if name not in inside]
        holder = next((layer for layer in after.layers if layer.path == (group,)), None)
        members = [layer.name for layer in after.layers if layer.path[:-1] == (group,)]
        return [
            holds("there is such a group", holder is not None and holder.group, found=order(after), weight=2.0),
            equal("it holds the two layers, in order", inside, members, weight=2.0),
            equal("the whole order is right", [group, *(f"{group}/{name}" for name in inside), *outside], order(after)),
            holds("the layers in it show what they showed",
                  members == inside and all(after[name].digest == before[name].digest for name in inside)),
            holds("the layers in it are where they were",
                  members == inside and all((after[name].x, after[name].y) == (before[name].x, before[name].y)
                                            for name in inside)),
            others_stay(before, after, group, *inside, *(f"{group}/{name}" for name in inside)),
        ]  # fmt: skip

    def code(self, world: World) -> str:
        """Layer > New Layer Group, then move both layers into it."""
        upper, lower = (named(layer_of(studio_of(world), world.parameters[name])) for name in ("one", "other"))
        return (
            "(let ((group (car (gimp-layer-group-new image)))) (gimp-image-insert-layer image group 0 0) "
            f'(gimp-item-set-name group "{world.parameters["to"]}") '
            f"(gimp-image-reorder-item image {lower} group 0) (gimp-image-reorder-item image {upper} group 0))"
        )


class MaskLayer(ProjectTask):
    """Add a layer mask that shows only a rectangle."""

    name = "mask-layer"
    template = (
        'In {project}, which is open, give the layer "{role}" a layer mask, so that of this layer only the rectangle '
        "with its "
        "left upper corner at x = {x}, y = {y} of the canvas, {width} pixels wide and {height} pixels high, is to be "
        "seen: "
        "the mask is white inside of the rectangle and black outside. Do not apply the mask." + _SAVE
    )
    instances = {
        "tint-left": {"role": "tint", "x": 0, "y": 0, "width": 300, "height": 400},
        "tint-band": {"role": "tint", "x": 0, "y": 280, "width": 600, "height": 120},
        "ground-window": {"role": "ground", "x": 60, "y": 40, "width": 480, "height": 300},
    }

    def phrase(self, world: World) -> str:
        return with_role(self.template, world)

    def compare(self, world: World, before: XcfImage, after: XcfImage) -> Sequence[Check]:
        wanted = world.parameters
        name = layer_of(studio_of(world), wanted["role"])
        layer = after[name]
        mask = layer.mask.pixels if layer.mask is not None else None
        x, y, width, height = (int(wanted[part]) for part in ("x", "y", "width", "height"))
        shape = np.zeros((layer.height, layer.width), np.uint8)
        shape[y - layer.y : y - layer.y + height, x - layer.x : x - layer.x + width] = 255
        gap = float((mask != shape).mean()) if mask is not None and mask.shape == shape.shape else 1.0
        inside = mask is not None and bool((mask[shape == 255] == 255).all())
        outside = mask is not None and bool((mask[shape == 0] == 0).all())
        return [
            holds("the layer has a mask", mask is not None, weight=2.0),
            holds("the mask is white inside of the rectangle", inside, weight=1.5),
            holds("the mask is black outside of it", outside, weight=1.5),
            equal("no pixel of the mask is wrong", 0.0, gap),
            holds("the mask is in use and not applied", layer.mask is not None and layer.mask.applied
                  and layer.digest == before[name].digest),
            rest_stays(before, after, f"layer[{name}].mask", f"layer[{name}].has_alpha"),
        ]  # fmt: skip

    def code(self, world: World) -> str:
        """Layer > Mask > Add Layer Masks... from the selection, then Select > None."""
        layer = role(world)
        select = "(gimp-image-select-rectangle image CHANNEL-OP-REPLACE {x} {y} {width} {height})".format_map(
            world.parameters
        )
        return (
            f"{select} (gimp-layer-add-mask {layer} (car (gimp-layer-create-mask {layer} ADD-MASK-SELECTION))) "
            "(gimp-selection-none image)"
        )


class PlaceGuides(ProjectTask):
    """Add guides for a layout."""

    name = "place-guides"
    template = (
        "For the layout of {project}, which is open, put two vertical guides at x = {left} and x = {right}, and a "
        "horizontal "
        "guide at y = {level}." + _SAVE
    )
    instances = {
        "margins": {"left": 30, "right": 570, "level": 200},
        "thirds": {"left": 200, "right": 400, "level": 133},
        "fold": {"left": 150, "right": 450, "level": 300},
    }

    def compare(self, world: World, before: XcfImage, after: XcfImage) -> Sequence[Check]:
        wanted = world.parameters
        guides = sorted((guide.orientation, guide.position) for guide in after.guides)
        return [
            contains("there is the left guide", ("vertical", wanted["left"]), guides),
            contains("there is the right guide", ("vertical", wanted["right"]), guides),
            contains("there is the level one", ("horizontal", wanted["level"]), guides),
            equal("there are three guides", 3, len(guides)),
            rest_stays(before, after, "guides"),
        ]

    def code(self, world: World) -> str:
        """Image > Guides > New Guide..."""
        return (
            "(gimp-image-add-vguide image {left}) (gimp-image-add-vguide image {right}) (gimp-image-add-hguide image "
            "{level})"
        ).format_map(world.parameters)


class SetResolution(ProjectTask):
    """Set the resolution for print, save, and export."""

    name = "print-resolution"
    changes = ("{folder}/{project}", "{folder}/{name}.png")
    template = (
        "{project}, which is open, goes to print. Set its resolution to {dpi} pixels an inch in both directions, "
        "without "
        "scaling a single pixel, and save it under its own name. Also export it as {name}.png to the folder {folder}. "
        "Change nothing else."
    )
    instances = {
        "offset": {"dpi": 300, "name": "print-300"},
        "poster": {"dpi": 150, "name": "print-150"},
        "proof": {"dpi": 200, "name": "proof-200"},
    }

    def compare(self, world: World, before: XcfImage, after: XcfImage) -> Sequence[Check]:
        across, down = after.resolution
        dpi = float(int(world.parameters["dpi"]))
        return [
            close_to("the resolution across is right", dpi, across, within=0.05),
            close_to("the resolution down is right", dpi, down, within=0.05),
            rest_stays(before, after, "resolution"),
        ]

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        studio = studio_of(world)
        exported = picture(after, f"{studio.home}/{world.parameters['name']}.png")
        was = image(before, studio.project_path)
        across = exported.dpi[0] if exported.dpi else None
        return [
            *super().judge(world, before, after, answer),
            is_format(exported, "PNG"),
            *has_size(exported, *was.size),
            close_to("the picture has the resolution too", float(int(world.parameters["dpi"])), across, within=1.0),
            looks("the picture shows the whole image", exported.pixels, flattened(was), mean=1.0, weight=2.0),
        ]

    def code(self, world: World) -> str:
        return "(gimp-image-set-resolution image {dpi} {dpi})".format_map(world.parameters)

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        wanted = facts(world)
        return [*super().oracle(world, before), *export(f"{wanted['folder']}/{wanted['name']}.png")]


class ImageComment(ProjectTask):
    """Set the image comment and the grid."""

    name = "comment-and-grid"
    template = (
        'In {project}, which is open, set the comment of the image (Image > Image Properties) to "{text}", and its '
        "grid "
        "(Image > Configure Grid) to a spacing of {grid} pixels in both directions." + _SAVE
    )
    instances = {
        "approved": {"text": "Approved for print", "grid": 50},
        "licence": {"text": "CC BY 4.0, see README", "grid": 20},
        "version": {"text": "Version 3, corrected", "grid": 25},
    }

    def compare(self, world: World, before: XcfImage, after: XcfImage) -> Sequence[Check]:
        wanted = world.parameters
        grid = spacing(after)
        return [
            equal("the comment is as asked", wanted["text"], after.comment, weight=2.0),
            close_to("the grid's spacing across is right", float(int(wanted["grid"])), grid[0], within=0.01),
            close_to("the grid's spacing down is right", float(int(wanted["grid"])), grid[1], within=0.01),
            holds("the old comment is gone", before.comment not in after.comment),
            rest_stays(before, after, "comment"),
        ]

    def code(self, world: World) -> str:
        """Image > Image Properties, Image > Configure Grid..."""
        return (
            '(gimp-image-attach-parasite image (list "gimp-comment" 1 "{text}")) '
            "(gimp-image-grid-set-spacing image {grid} {grid})"
        ).format_map(world.parameters)


class FlatVersion(GimpTask):
    """Flatten the image and save it under another name."""

    name = "flat-version"
    opens = "project"
    changes = ("{folder}/{name}.xcf",)
    template = (
        "Make a flat version of {project}, which is open: one layer without transparency that shows what is seen now. "
        "Save it "
        "as {name}.xcf in the folder {folder}. {project} itself must keep its layers."
    )
    instances = {"hand-over": {"name": "hand-over"}, "flat": {"name": "flat"}, "client": {"name": "for-client"}}

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        studio = studio_of(world)
        was = image(before, studio.project_path)
        flat = image(after, f"{studio.home}/{world.parameters['name']}.xcf")
        layer = flat.layers[0]
        return [
            equal("it has one layer", 1, len(flat.layers), weight=2.0),
            equal("the canvas has its size", list(was.size), list(flat.size)),
            holds("the layer covers the canvas",
                  (layer.x, layer.y, layer.width, layer.height) == (0, 0, was.width, was.height)),
            equal("the layer has no transparency", False, layer.has_alpha),
            looks("it shows what was seen", flattened(flat), flattened(was), mean=1.0),
            equal("the resolution is the same", [round(value) for value in was.resolution],
                  [round(value) for value in flat.resolution], weight=0.5),
        ]  # fmt: skip

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        wanted = facts(world)
        return [scheme(world, "(gimp-image-flatten image)"), *save_as(f"{wanted['folder']}/{wanted['name']}.xcf")]


def spacing(found: XcfImage) -> tuple[float | None, float | None]:
    """Return the horizontal and vertical grid spacing of the image, or None if it has no grid."""
    data = found.parasites.get("gimp-image-grid", b"").rstrip(b"\0")
    across, down = (setting(read_sexpressions(data), name) for name in ("xspacing", "yspacing"))
    return tuple(  # type: ignore[return-value]
        float(values[0]) if values and isinstance(values[0], int | float) else None for values in (across, down)
    )


SCENARIOS = (
    EditCaption(), AddText(), GroupLayers(), MaskLayer(), PlaceGuides(), SetResolution(), ImageComment(), FlatVersion(),
)  # fmt: skip
